"""How each rater behaves, and which items the raters should read again together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from haechi.analysis.rating_table import Rated, RatingTable
from haechi.stats import (
    Disagreement,
    Halo,
    RaterBehaviour,
    SelfConsistency,
    disagreements,
    halo,
    rater_behaviour,
    self_consistency,
)
from haechi.stats.figure import Lang, undefined
from haechi.stats.patterns import encode
from haechi.stats.ratings import Floats
from haechi.stats.reasons import NEED_NUMBERS

READ_PER_CRITERION = 5
_ROWS = 250_000


@dataclass(frozen=True)
class Habits:
    """One rater on one criterion; self-consistency where the rater rated items repeatedly."""

    behaviour: RaterBehaviour
    labels: tuple[str, ...]
    consistency: SelfConsistency | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = self.behaviour.as_json(lang)
        del said["rater"]
        if self.labels:
            said["use"] = {
                label: self.behaviour.use.get(float(code), 0) for code, label in enumerate(self.labels)
            }
        return said | ({"self_consistency": self.consistency.as_json(lang)} if self.consistency else {})


def fitting_points(ratings: Floats, points: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """The declared points if all ratings are on them; a rater may have given a total between two points.

    >>> fitting_points(np.array([[1.0, np.nan]]), (0.0, 1.0))
    (0.0, 1.0)
    >>> fitting_points(np.array([[0.5]]), (0.0, 1.0)) is None
    True
    """
    if points is None or not set(encode(ratings)[1].tolist()) <= set(points):
        return None
    return points


def habits(rated: Rated) -> dict[str, Habits]:
    """Every rater's habits on one criterion."""
    points = fitting_points(rated.ratings, rated.declared.points)
    names_only = bool(rated.declared.labels) or _only_names(rated)
    found = {}
    for one in rater_behaviour(rated.ratings, rated.raters, points):
        shown = _without_amounts(one) if names_only else one
        name = str(one.rater)
        repeated = rated.replicates.get(name)
        consistency = None if repeated is None else self_consistency(repeated, rated.declared.level)
        found[name] = Habits(shown, rated.declared.labels, consistency)
    return found


def _only_names(rated: Rated) -> bool:
    """Nominal values are names, except 0 and 1, whose mean is a share."""
    return rated.declared.level == "nominal" and fitting_points(rated.ratings, (0.0, 1.0)) is None


def _without_amounts(one: RaterBehaviour) -> RaterBehaviour:
    none = undefined(NEED_NUMBERS, one.n)
    return replace(one, severity=none, spread=none, spread_ratio=none, middle=none, ends=none)


@dataclass(frozen=True)
class RaterHabits:
    """One rater over all criteria."""

    rater: str
    kind: str
    halo: Halo
    criteria: Mapping[str, Habits]

    @classmethod
    def of(cls, table: RatingTable, behaviour: Mapping[str, Mapping[str, Habits]]) -> tuple[RaterHabits, ...]:
        """Gather the habits of every rater."""
        return tuple(
            cls(
                rater,
                kind,
                halo(*table.scores_of(rater)),
                {name: of[rater] for name, of in behaviour.items() if rater in of},
            )
            for rater, kind in table.kinds.items()
        )

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        criteria = {name: one.as_json(lang) for name, one in self.criteria.items()}
        return {"rater": self.rater, "kind": self.kind, "criteria": criteria, "halo": self.halo.as_json(lang)}


@dataclass(frozen=True)
class ToRead:
    """An item on which raters differ; `relative` is the spread as a share of the scale's width."""

    item: str
    criterion: str
    spread: float
    relative: float
    values: Mapping[str, float | str]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:  # noqa: ARG002 - nothing here is in words
        """For machines."""
        return {**self.__dict__, "n": len(self.values), "values": dict(self.values)}


@dataclass(frozen=True)
class Disputed:
    """An item on which raters differ, with the criteria in question; `relative` is the widest of its differences."""

    item: str
    raters: int
    relative: float
    criteria: tuple[str, ...]


def disputed(first: Iterable[ToRead], every: Iterable[ToRead]) -> tuple[Disputed, ...]:
    """Items in the order in which they are first named; what is said of them comes from `every` difference.

    >>> narrow = ToRead("a", "x", 1.0, 0.25, {"ann": 1.0, "bo": 2.0})
    >>> wide = ToRead("b", "x", 4.0, 1.0, {"ann": 1.0, "bo": 5.0})
    >>> [(one.item, one.relative) for one in disputed([narrow], [wide, narrow])]
    [('a', 0.25), ('b', 1.0)]
    """
    by_item: dict[str, list[ToRead]] = {one.item: [] for one in first}
    for one in every:
        by_item.setdefault(one.item, []).append(one)
    return tuple(
        Disputed(
            item,
            max(len(one.values) for one in own),
            max(one.relative for one in own),
            tuple(one.criterion for one in own),
        )
        for item, own in by_item.items()
    )


def reading_list(
    rated: Rated, item_name: Callable[[int], str], most: int = READ_PER_CRITERION
) -> list[ToRead]:
    """The items of one criterion with the largest disagreement, worst first."""
    declared = rated.declared
    worst: list[Disagreement] = []
    for start in range(0, rated.ratings.shape[0], _ROWS):  # a piece at a time keeps the memory small
        part = rated.ratings[start : start + _ROWS]
        worst += disagreements(part, range(start, start + len(part)), declared.level, most)
    worst = sorted(worst, key=lambda one: -one.spread)[:most]
    if not worst:
        return []
    width = declared.width or float(np.nanmax(rated.ratings) - np.nanmin(rated.ratings))
    found = []
    for one in worst:
        row = rated.ratings[int(str(one.item))].tolist()
        given = {r: value for r, value in zip(rated.raters, row, strict=True) if not np.isnan(value)}
        values = {r: declared.labels[int(v)] if declared.labels else v for r, v in given.items()}
        relative = one.spread if declared.level == "nominal" else one.spread / width
        found.append(ToRead(item_name(int(str(one.item))), rated.name, one.spread, relative, values))
    return found
