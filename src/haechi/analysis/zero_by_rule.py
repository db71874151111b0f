"""Scores that a rule makes 0, such as accuracy without checks: the figure alone would look like a measurement."""

from __future__ import annotations

import polars as pl

from haechi.scoring.runs.points import REASONS
from haechi.scoring.score_table import ScoreTable

_ABSENT = ("no checks", "no time", "single run", "no query")
"""Reasons for a 0 that lie in the data and not in what the system did."""


def zero_by_rule(scored: ScoreTable) -> dict[str, str]:
    """The scores that are 0 for every run because there was nothing to measure, with the reason in words.

    Failed runs are 0 too; where there is nothing beside them, the 0 is the system's own.
    """
    if scored.rubric.item != "run":
        return {}
    figures = scored.summary[0].scores
    zero = [name for name, of in figures.items() if of.n and of.mean == 0]
    reasons: dict[str, set[str | None]] = {name: set() for name in zero}
    for batch in scored.batches() if zero else ():
        for name in zero:
            reasons[name].update(batch.filter(pl.col(name).is_not_null())[f"why:{name}"].unique())
        zero = [name for name in zero if None not in reasons[name]]
        if not zero:
            break
    absent = [REASONS[code].say() for code in _ABSENT]
    found = {name: [why for why in absent if why in reasons[name]] for name in zero}
    return {name: ", ".join(whys) for name, whys in found.items() if whys}
