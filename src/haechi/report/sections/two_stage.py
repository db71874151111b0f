"""The section about a strong judge that saw only a part."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.analysis.two_stage import two_stage
from haechi.report.document import Section
from haechi.report.tables.two_stage import stages_table
from haechi.report.words import said


def two_stage_section(figures: Analysis) -> Section | None:
    """The corrected means, where judging went in two stages."""
    if figures.rubric.item == "run" or "ai" not in figures.raters.values():
        return None
    found = two_stage(figures.study)
    if found is None or not found.scores:
        return None
    return Section(
        "two-stage", said("두 단계 평가", "Two stages of judging"), (stages_table(figures.rubric, found),)
    )
