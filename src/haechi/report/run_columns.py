"""Agent runs as columns of text that a person reads beside their scores."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.data.item import Item
from haechi.prompt.material import run_texts
from haechi.text import language

TEXTS = ("question", "answer", "expectation", "failing_found", "shown")
"""What was asked and answered, what was expected, the failing checks with what was found, and what was on the screen."""
MOST_TEXTS = 20_000
"""Runs of a report whose texts are written; more are read one by one elsewhere."""


def read_runs(figures: Analysis) -> dict[str, Item]:
    """The runs of a study by their ids; none where there are too many to read them all."""
    if figures.rubric.item != "run" or figures.n_items > MOST_TEXTS:
        return {}
    return {item.id: item for item in figures.study.items() if item.kind == "run"}


def run_columns(scored: pl.DataFrame, runs: Mapping[str, Item]) -> pl.DataFrame:
    """The texts of runs; scored: their items and the names of their failing checks.

    >>> run = Item("r1", "run", {"query": "q1", "query_text": "일정", "payload": {"assistantMessage": "네"}}, {})
    >>> run_columns(pl.DataFrame({"item": ["r1"], "failing": [None]}), {"r1": run}).row(0)
    ('r1', '일정', '네', None, None, None)
    """
    rows = [
        (item, *(text or None for text in _texts(runs[item], failing)))
        for item, failing in scored.select("item", "failing").unique("item", maintain_order=True).iter_rows()
        if item in runs
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(("item", *TEXTS), pl.String), orient="row")


def _texts(run: Item, failing: str | None) -> tuple[str, ...]:
    from haechi.prompt.run_parts import run_parts  # and all that checks expectations
    from haechi.scoring.failing_checks import failing_checks

    texts, cards = run_texts(run.content), run_parts(run, language()).cards
    shown = "\n".join(
        card.say().removeprefix("- ") for card in cards
    )  # a cell with a sign first may be a formula
    return texts.query, texts.answer, texts.expected, failing_checks(run, failing), shown
