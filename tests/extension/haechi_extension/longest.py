"""A section of the report: the longest answer."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.report.document import Section
from haechi.report.words import said


def section(figures: Analysis) -> Section | None:
    """None where the items are no replies."""
    if figures.rubric.item != "reply":
        return None
    longest = max(figures.study.items(), key=lambda item: len(item.content["response"]))
    words = said(f"가장 긴 답: {longest.id}", f"The longest answer: {longest.id}")
    return Section("longest", said("답의 길이", "Length of the answers"), (words,))
