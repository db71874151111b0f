"""The judge as an instrument: how accurate it is, how many independent ones a panel is worth, which panel is enough."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.report.document import Section
from haechi.report.sections.reliability import headline
from haechi.report.tables.instrument import judges_tables
from haechi.report.words import said


def instrument_section(figures: Analysis) -> Section | None:
    """Judges held against people, where there are both; raters who answer at random are findings."""
    found = figures.agreement.instrument if figures.agreement else None
    if found is None or not found.has_judges:
        return None
    title = said("AI 평가자를 측정 도구로 보면", "The judge as an instrument")
    return Section("instrument", title, tuple(judges_tables(figures.rubric, found, headline(figures))))
