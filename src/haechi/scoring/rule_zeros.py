"""Scores of agent runs that a rule makes 0 wherever one looks: they are no measurement, and have no interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.runs.points import WITHOUT, zero_by_rule

if TYPE_CHECKING:
    from haechi.stats.figure import Why

UNMEASURED = "unmeasured"
"""The column of a table of items that names the scores which are 0 by rule on all of them."""

CriterionKey = tuple[str | None, ...]
_RULED = "\0"


def unmeasured_scores(
    batches: Batches, rubric: Rubric, names: Sequence[str], by: Sequence[str] = ()
) -> dict[CriterionKey, frozenset[str]]:
    """Of every group the scores that are 0 on every run, on some because there was nothing to measure; `()` is the whole set.

    Of a total it is the same where nothing is left of it without such parts.

    >>> import haechi
    >>> runs = {"query_id": ["q1", "q2"], "round": ["1", "2"], "payload": ['{"assistantMessage": "네"}'] * 2}
    >>> scored = haechi.score(runs, rubric="hiring-agent")
    >>> sorted(unmeasured_scores(scored.batches, scored.rubric, scored.names, ["round"])["1",])
    ['accuracy', 'consistency', 'latency_single']
    """
    if rubric.item != "run":
        return {}
    known = set(next(batches()).columns)
    ruled = {name: zero_by_rule(name).any() for name in names if f"why:{name}" in known}
    ruled |= {name: pl.col(WITHOUT + name).count() == 0 for name in names if WITHOUT + name in known}
    # `all` over pieces for totals, of which every piece has to be empty, `any` for the others.
    totals = {name for name in ruled if WITHOUT + name in known}
    keys = [pl.col(name).cast(pl.String).alias(name) for name in by]
    used = [*by, *ruled, *(f"why:{name}" for name in ruled), *(WITHOUT + name for name in totals)]
    found: pl.DataFrame | None = None
    for frame in batches(list(dict.fromkeys(["item", *used]))):
        largest = [pl.col(name).max() for name in ruled]
        piece = frame.group_by(*keys, pl.lit(0).alias(_RULED)).agg(
            *largest, *(expression.alias(_RULED + name) for name, expression in ruled.items())
        )
        if found is not None:
            both = [
                pl.col(_RULED + name).all() if name in totals else pl.col(_RULED + name).any()
                for name in ruled
            ]
            piece = pl.concat([found, piece]).group_by(*by, _RULED).agg(*largest, *both)
        found = piece
    if found is None:
        return {}
    return {
        tuple(row[name] for name in by): frozenset(
            name for name in ruled if row[name] == 0 and row[_RULED + name]
        )
        for row in found.iter_rows(named=True)
    }


def nothing_measured() -> Why:
    """Why such a score has no interval."""
    from haechi.stats.figure import Why

    return Why(
        "모든 값이 규칙에 따라 0점이라 잰 것이 없습니다", "every value is 0 by rule: nothing was measured"
    )
