"""The figures of the dashboard: agreement and how it tightens, severity, AI judges, the disputed items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import polars as pl

from haechi import stats
from haechi.rubrics import Rubric
from haechi.rubrics.scales import Open
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.stats import Figure
from haechi.store.raters import ADJUDICATOR

_STEPS = 8  # points of the curve that shows how the interval tightens
_BOOTSTRAP = 400  # enough for a live view; reports take more


@dataclass(frozen=True)
class ScoreAgreement:
    """Agreement of the people, or of the AI judges, on one score; `growth` is alpha after more and more items."""

    score: str
    items: int
    raters: int
    alpha: Figure
    icc: Figure
    percent: Figure
    growth: tuple[Figure, ...]


@dataclass(frozen=True)
class Disputed:
    """An item on which people differ; `spread` is 0 where all agree and 1 where they could not differ more."""

    item: str
    raters: int
    spread: float
    criteria: tuple[str, ...]


@dataclass(frozen=True)
class JudgeFigures:
    """What one AI judge did: items, ratings with a value and without, and the mean of the headline score."""

    rater: str
    items: int
    ratings: int
    without: int
    mean: float | None


@dataclass(frozen=True)
class Figures:
    """What the dashboard shows of the ratings."""

    agreement: tuple[ScoreAgreement, ...]
    judges_agreement: tuple[ScoreAgreement, ...]
    headline: str | None
    severity: tuple[stats.RaterBehaviour, ...]
    consistency: dict[str, Figure]
    disputed: tuple[Disputed, ...]


def figures_of(scores: ScoreTable, order: Collection[str], attention: Collection[str] = ()) -> Figures:
    """Compute the figures; `order` are the items as they came to be rated, `attention` those with known answers."""
    rubric = scores.rubric
    usual = ~pl.col("item").is_in(list(attention)) & (pl.col("rater") != ADJUDICATOR)
    frame = scores.frame.filter(usual, replicate=1)
    people, judges = frame.filter(kind="human"), frame.filter(kind="ai")
    names, judged = _given(people, rubric), _given(judges, rubric)
    headline = names[-1] if names else (judged[-1] if judged else None)
    several = judges["rater"].n_unique() > 1
    return Figures(
        agreement=tuple(_agreement(people, name, rubric, order) for name in names),
        judges_agreement=tuple(_agreement(judges, name, rubric, order) for name in judged if several),
        headline=headline,
        severity=_severity(frame, headline) if headline else (),
        consistency=_consistency(scores.elements.filter(usual)),
        disputed=tuple(_disputed(people, rubric, names)),
    )


def judges_of(ratings: pl.DataFrame, scores: ScoreTable, headline: str | None) -> tuple[JudgeFigures, ...]:
    """What every AI judge did, in the order of their names."""
    means = {}
    if headline is not None and headline in scores.frame.columns:
        judged = scores.frame.filter(kind="ai").group_by("rater").agg(pl.col(headline).mean())
        means = dict(judged.iter_rows())
    with_value = pl.col("status") == "ok"
    counted = (
        ratings.filter(kind="ai")
        .group_by("rater")
        .agg(
            pl.col("item").n_unique(), with_value.sum().alias("ratings"), (~with_value).sum().alias("without")
        )
    )
    rows = counted.sort("rater").iter_rows()
    return tuple(
        JudgeFigures(rater, items, given, without, means.get(rater)) for rater, items, given, without in rows
    )


def _given(frame: pl.DataFrame, rubric: Rubric) -> list[str]:
    """The scores that somebody has."""
    return [name for name in rubric.score_names if name in frame.columns and frame[name].count()]


def _matrix(frame: pl.DataFrame, name: str) -> stats.Matrix:
    rated = frame.select("item", "rater", name).drop_nulls()
    return stats.matrix(rated["item"].to_list(), rated["rater"].to_list(), rated[name].to_numpy())


def _agreement(people: pl.DataFrame, name: str, rubric: Rubric, order: Collection[str]) -> ScoreAgreement:
    table = _matrix(people, name)
    level = rubric.level(name)
    found = stats.agreement(table.ratings, table.raters, level, bootstrap=_BOOTSTRAP)
    return ScoreAgreement(
        score=name,
        items=found.n_items,
        raters=len(found.raters),
        alpha=found.krippendorff_alpha,
        icc=found.icc["ICC(2,1)"],
        percent=found.percent_agreement,
        growth=_growth(table, level, order),
    )


def _growth(table: stats.Matrix, level: stats.Level, order: Collection[str]) -> tuple[Figure, ...]:
    """Alpha over the first items, then over more of them, up to all."""
    place = {item: index for index, item in enumerate(order)}
    rows = sorted(range(len(table.items)), key=lambda row: place.get(str(table.items[row]), len(place)))
    counts = sorted({max(2, round(len(rows) * step / _STEPS)) for step in range(1, _STEPS + 1)})
    return tuple(
        stats.krippendorff_alpha(table.ratings[rows[:count]], level, bootstrap=_BOOTSTRAP)
        for count in counts
        if count <= len(rows)
    )


def _severity(frame: pl.DataFrame, name: str) -> tuple[stats.RaterBehaviour, ...]:
    table = _matrix(frame, name)
    return stats.rater_behaviour(table.ratings, table.raters)


def _consistency(elements: pl.DataFrame) -> dict[str, Figure]:
    """For every rater who saw items twice: how often the second judgement was the first one."""
    rated = [name for name in elements.columns if name not in KEYS]
    pairs: dict[str, list[list[float | None]]] = defaultdict(list)
    first = {(row["item"], row["rater"]): row for row in elements.filter(replicate=1).iter_rows(named=True)}
    for again in elements.filter(pl.col("replicate") > 1).iter_rows(named=True):
        before = first.get((again["item"], again["rater"]))
        if before is not None:
            pairs[again["rater"]] += [[before[name], again[name]] for name in rated]
    return {rater: stats.self_consistency(found, "nominal").agreement for rater, found in pairs.items()}


def _disputed(people: pl.DataFrame, rubric: Rubric, names: list[str]) -> list[Disputed]:
    """Items by their mean disagreement over the criteria, each relative to the width of its scale."""
    criteria = [c for c in rubric.criteria if c.score in names and not isinstance(c.scale, Open)]
    spreads: dict[str, dict[str, float]] = defaultdict(dict)
    raters: dict[str, int] = {}
    for criterion in criteria:
        table = _matrix(people, criterion.score)
        low, high = rubric.range(criterion.score)
        for one in stats.disagreements(table.ratings, table.items, top=len(table.items)):
            spreads[str(one.item)][criterion.score] = one.spread / ((high - low) / 2)
            raters[str(one.item)] = max(one.n, raters.get(str(one.item), 0))
    found = [
        Disputed(item, raters[item], min(1.0, sum(by.values()) / len(criteria)), tuple(by))
        for item, by in spreads.items()
    ]
    return sorted(found, key=lambda one: (-one.spread, one.item))


def attention_passed(known: dict[str, dict[str, Any]], ratings: pl.DataFrame) -> dict[str, tuple[int, int]]:
    """For every rater: known answers given, of how many asked."""
    passed: dict[str, tuple[int, int]] = {}
    for row in ratings.filter(pl.col("item").is_in(list(known)), status="ok").iter_rows(named=True):
        wanted = known[row["item"]].get(row["criterion"])
        if wanted is not None:
            right, asked = passed.get(row["rater"], (0, 0))
            passed[row["rater"]] = (right + (row["value"] == str(wanted)), asked + 1)
    return passed
