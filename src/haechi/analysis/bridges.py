"""A bridge of anchors: earlier scores of a judge on the scale of today, and what the link adds to the error of a difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from haechi.analysis.comparability import Values, Ways
from haechi.analysis.score_change import ScoreChange, refused_change
from haechi.scoring.batches import Batches
from haechi.stats.distributions import t_quantile, t_two_sided
from haechi.stats.linking import ScaleLink
from haechi.text import Text

Links = Mapping[str, Mapping[str, ScaleLink]]
"""By judge and score the line from its earlier scale to that of today."""
Bridge = Callable[[str, Mapping[str, Values], Sequence[str]], Mapping[str, ScaleLink]]
"""The links of one judge to the way in which it is asked on the other side; empty where anchors do not give them."""


NO_LINK = Text("앵커로 이 점수의 척도를 이을 수 없습니다", "the anchors do not link the scales of this score")


def is_linked(links: Mapping[str, ScaleLink], name: str) -> bool:
    """Whether a judge has a link for a score."""
    return name in links and links[name].why is None


def links_between(
    bridge: Bridge | None, apart: Sequence[str], after: Ways, names: Sequence[str], main: str
) -> dict[str, Mapping[str, ScaleLink]]:
    """The links of the judges that were asked otherwise; a judge without one of its main score is not bridged."""
    if bridge is None:
        return {}
    found = {rater: bridge(rater, after[rater], names) for rater in apart if rater in after}
    return {rater: own for rater, own in found.items() if is_linked(own, main)}


def on_new_scale(rows: Batches, links: Links, names: Sequence[str]) -> Batches:
    """The same rows with the scores of linked judges on the scale of today; a score without a link is left out."""

    def moved(name: str) -> pl.Expr:
        value = pl.col(name)
        for rater, own in links.items():
            link = own.get(name)
            there = pl.lit(None, pl.Float64)
            if link is not None and is_linked(own, name):
                there = link.new_mean + link.slope * (pl.col(name) - link.old_mean)
            value = pl.when(pl.col("rater") == rater).then(there).otherwise(value)
        return value.alias(name)

    def made(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        asked = None if columns is None else list(dict.fromkeys([*columns, "rater"]))
        for frame in rows(asked):
            own = frame.with_columns(moved(name) for name in names if name in frame.columns)
            yield own if columns is None else own.select(columns)

    return made


def with_error_of_link(found: ScoreChange, links: Links, raters: int) -> ScoreChange:
    """The change with the error of its links: variances add, degrees of freedom by Satterthwaite.

    raters: over how many the difference is taken, each with the same weight.
    """
    own = [of[found.name] for of in links.values() if found.name in of and of[found.name].why is None]
    value, before = found.difference.value, found.before.value
    if not own or value is None or before is None:
        return found
    there = [one.old_mean + (before - one.new_mean) / one.slope for one in own]
    bent = next((why for one, at in zip(own, there, strict=True) if (why := one.why_not_at(at))), None)
    if bent is not None:
        return refused_change(found.name, Text(bent.ko, bent.en))
    added = [(one.se(at) / raters, one.n - 2) for one, at in zip(own, there, strict=True)]
    parts = [(se, df) for se, df in [*added, _own_error(found)] if se > 0]
    if not parts:
        return found
    se = math.sqrt(sum(one**2 for one, _ in parts))
    df = se**4 / sum(one**4 / df for one, df in parts)
    half = t_quantile(0.975, df) * se
    difference = replace(found.difference, ci95=(value - half, value + half), why_no_ci=None)
    return replace(found, difference=difference, p=t_two_sided(value / se, df), df=df)


def _own_error(found: ScoreChange) -> tuple[float, float]:
    ends, df = found.difference.ci95, found.df
    if ends is None or not df:
        return 0.0, 1.0
    return (ends[1] - ends[0]) / 2 / t_quantile(0.975, df), df
