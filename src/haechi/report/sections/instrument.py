"""The judge as an instrument: how accurate, how many it is worth, who is severe, who answers at random."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.report.document import Part, Section
from haechi.report.sections.reliability import headline
from haechi.report.tables.instrument import flagged_words, judges_tables
from haechi.report.words import said


def instrument_section(figures: Analysis) -> Section | None:
    """Judges held against people; and raters who go with nobody, whoever they are."""
    found = figures.agreement
    if found is None or found.instrument is None:
        return None
    parts: list[Part] = [
        flagged_words(one.rater, one.with_others.flag, one.with_others.correlation, one.with_others.typical)
        for one in found.raters
        if one.with_others.flag
    ]
    if found.instrument.has_judges:
        parts += judges_tables(figures.rubric, found.instrument, headline(figures))
    if not parts:
        return None
    title = said("AI 평가자를 측정 도구로 보면", "The judge as an instrument")
    return Section("instrument", title, tuple(parts))
