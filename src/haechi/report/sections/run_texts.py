"""The texts of a few runs, for tables that show a query by what was asked and not by its id alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from haechi.analysis.analysis import Analysis
from haechi.prompt.material import RunTexts, run_texts
from haechi.report.words import shortened

_LONGEST = 300


def texts_of(figures: Analysis, items: Collection[str]) -> dict[str, RunTexts]:
    """Question, expectation and answer of some runs."""
    wanted = list(dict.fromkeys(items))
    found = figures.study.items(wanted) if wanted else ()
    return {item.id: run_texts(item.content) for item in found if item.kind == "run"}


def question_of(texts: Mapping[str, RunTexts], item: str) -> str:
    """What was asked in a run, short enough for a table."""
    return brief_text(texts[item].query) if item in texts else "–"


def brief_text(text: str) -> str:
    """A text short enough for a table; a dash where there is none."""
    return shortened(text.strip(), _LONGEST) or "–"
