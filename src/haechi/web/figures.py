"""What the dashboard shows of a study's figures: agreement and how it tightens, severity, AI judges, disputed items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np
import polars as pl

from haechi.analysis.agreement import AgreementReport
from haechi.analysis.analysis import Analysis
from haechi.analysis.habits import Disputed
from haechi.analysis.rating_table import RatingTable
from haechi.frozen import frozen
from haechi.scoring.panel import panel_means
from haechi.stats import Figure, RaterBehaviour, krippendorff_alpha
from haechi.text import Text
from haechi.web.quality import against_everybody, all_remarks, always_the_same

_MOST_RUNS = 20_000
_STEPS = 4  # points of the curve that shows how the interval tightens


@frozen
class ScoreAgreement:
    """Agreement of the people, or of the AI judges, on one score; `growth` is alpha after more and more items."""

    score: str
    items: int
    raters: int
    alpha: Figure
    icc: Figure
    percent: Figure
    growth: tuple[Figure, ...]


@frozen
class VerdictAgreement:
    """Agreement on what is met of the criteria that items bring, each criterion of each item a unit; `who`: all, human or ai."""

    score: str
    who: str
    units: int
    items: int
    raters: int
    alpha: Figure
    ac1: Figure
    percent: Figure


@frozen
class JudgeFigures:
    """What one AI judge did: items, ratings with a value and without, and the mean of the headline score."""

    rater: str
    items: int
    ratings: int
    without: int
    mean: float | None


@frozen
class Figures:
    """What the dashboard shows of the ratings."""

    agreement: tuple[ScoreAgreement, ...] = ()
    judges_agreement: tuple[ScoreAgreement, ...] = ()
    verdicts: tuple[VerdictAgreement, ...] = ()
    headline: str | None = None
    severity: tuple[RaterBehaviour, ...] = ()
    consistency: Mapping[str, Figure] = field(default_factory=dict)
    disputed: tuple[Disputed, ...] = ()
    judges: tuple[JudgeFigures, ...] = ()
    concerns: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    """What is odd about the values of a rater."""
    scored: Analysis | None = None
    """What the report would say of the scores, computed when the page asks for it; None where there are none."""


def figures_of(analysis: Analysis) -> Figures:
    """Ask for the figures; items count in the order in which people came to rate them."""
    found, table = analysis.raters_agreement, analysis.rated
    scored = analysis if _has_scores(analysis) else None
    if found is None or table is None:
        return Figures(scored=scored)
    given = {kind: _given(table, kind) for kind in ("human", "ai")}
    names = given["human"] or given["ai"]
    headline = analysis.rubric.main_score(names) if names else None
    rows = _rows_in_order(analysis, table)
    several = sum(kind == "ai" for kind in table.kinds.values()) > 1
    return Figures(
        agreement=tuple(_row(found, table, name, "human", rows) for name in given["human"]),
        judges_agreement=tuple(_row(found, table, name, "ai", rows) for name in given["ai"] if several),
        verdicts=tuple(_verdicts(analysis)) if scored is not None else (),
        headline=headline,
        severity=tuple(one.behaviour for one in found.habits[headline].values()) if headline else (),
        consistency=analysis.self_agreement,
        disputed=found.disputed,
        judges=_judges(analysis, headline),
        concerns=all_remarks(always_the_same(found.raters), against_everybody(found.raters)),
        scored=scored,
    )


def lowest(figures: Iterable[Figure]) -> float:
    """Where an axis up to 1 begins that holds the figures and their intervals whole: 0, or below.

    >>> lowest([Figure(0.4, 12, (-0.5, 0.8)), Figure(0.9, 12, (0.6, 1.0)), Figure(None, 12)])
    -0.5
    """
    low = 0.0
    for one in figures:
        if one.value is not None:
            low = min(low, one.value, *(one.ci95 or ()))
    return low


def _verdicts(analysis: Analysis) -> Iterator[VerdictAgreement]:
    """Single answers to the criteria of items, where several people or judges gave some."""
    for own in analysis.scored.own:
        for who, found in own.agreement.items():
            if len(found.whole.raters) > 1:
                names = ("krippendorff_alpha", "gwet_ac1", "percent_agreement")
                counts = found.whole.n_items, found.n_clusters, len(found.whole.raters)
                yield VerdictAgreement(
                    own.criterion.score, who, *counts, *(found.coefficients[name] for name in names)
                )


def _has_scores(analysis: Analysis) -> bool:
    """Whether there is a score to tell; many runs would have to be measured anew with every answer."""
    if analysis.rubric.item == "run":
        return 0 < analysis.n_items <= _MOST_RUNS
    # Ratings of items that only test attention make no score.
    return bool(analysis.study.rated_scores().rows)


def _given(table: RatingTable, kind: str) -> list[str]:
    """The scores that somebody of a kind gave."""
    return [name for name in table.criteria if not np.isnan(table.rated(name).of(kind)[0]).all()]


def _rows_in_order(analysis: Analysis, table: RatingTable) -> list[int]:
    """The rows of the table, the items that people rated first in front."""
    order = analysis.ratings.filter(kind="human")["item"].unique(maintain_order=True).to_list()
    place = {item: index for index, item in enumerate(order)}
    return sorted(range(table.n_items), key=lambda row: place.get(table.item_name(row), len(place)))


def _row(found: AgreementReport, table: RatingTable, name: str, kind: str, rows: list[int]) -> ScoreAgreement:
    own = found.among[kind][name]
    return ScoreAgreement(
        score=name,
        items=own.n_items,
        raters=len(own.raters),
        alpha=own.krippendorff_alpha,
        icc=own.icc["ICC(2,1)"],
        percent=own.for_tables("percent_agreement"),
        growth=_growth(table, name, kind, rows, own.krippendorff_alpha),
    )


def _growth(table: RatingTable, name: str, kind: str, rows: list[int], last: Figure) -> tuple[Figure, ...]:
    """Alpha over the first items, then over more of them, up to all, which is the figure itself."""
    rated = table.rated(name)
    ratings = rated.of(kind)[0][rows]
    ratings = ratings[~np.isnan(ratings).all(axis=1)]
    n = len(ratings)
    counts = sorted({max(2, round(n * step / _STEPS)) for step in range(1, _STEPS)} - {n})
    before = (krippendorff_alpha(ratings[:count], rated.declared.level) for count in counts if count < n)
    return (*before, last)


def _judges(analysis: Analysis, headline: str | None) -> tuple[JudgeFigures, ...]:
    """What every AI judge did, in the order of their names."""
    given = analysis.ratings.filter(kind="ai")
    if given.is_empty():
        return ()
    means: dict[str, float | None] = {}
    is_mean = headline is not None and analysis.rubric.has_mean(headline)
    if (
        headline is not None and is_mean and analysis.rubric.item != "pair"
    ):  # a share of votes for a means nothing
        frame = analysis.study.rated_scores().frame.filter(kind="ai")
        own = panel_means(frame, [headline], ["rater", "item"])
        means = dict(own.group_by("rater").agg(pl.col(headline).mean()).iter_rows())
    with_value = pl.col("status") == "ok"
    counted = given.group_by("rater").agg(
        pl.col("item").n_unique(), with_value.sum().alias("ratings"), (~with_value).sum().alias("without")
    )
    rows = counted.sort("rater").iter_rows()
    return tuple(
        JudgeFigures(rater, items, ratings, without, means.get(rater))
        for rater, items, ratings, without in rows
    )


def attention_passed(known: dict[str, dict[str, Any]], ratings: pl.DataFrame) -> dict[str, tuple[int, int]]:
    """For every rater: known answers given, of how many asked; one answer may be known, or a list of those that fit."""
    passed: dict[str, tuple[int, int]] = {}
    for row in ratings.filter(pl.col("item").is_in(list(known)), status="ok").iter_rows(named=True):
        wanted = known[row["item"]].get(row["criterion"])
        if wanted is not None:
            right, asked = passed.get(row["rater"], (0, 0))
            fits = row["value"] in map(str, wanted if isinstance(wanted, list) else [wanted])
            passed[row["rater"]] = (right + fits, asked + 1)
    return passed
