"""How each rater behaves, and which items the raters should read again together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from haechi.analysis.rating_table import CriterionRatings, RatingTable
from haechi.frozen import frozen
from haechi.scoring.ratings import KEYS
from haechi.stats import (
    Disagreement,
    Halo,
    RaterBehaviour,
    SelfConsistency,
    WithOthers,
    disagreements,
    halo,
    random_raters,
    rater_behaviour,
    self_consistency,
)
from haechi.stats.figure import Figure, Lang, undefined
from haechi.stats.patterns import encode
from haechi.stats.ratings import Floats, Level
from haechi.stats.reasons import NEED_NUMBERS

READ_PER_CRITERION = 5
_ROWS = 250_000
_MOST_ITEMS = 20_000


@frozen
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


def habits(rated: CriterionRatings) -> dict[str, Habits]:
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


def _only_names(rated: CriterionRatings) -> bool:
    """Nominal values are names, except 0 and 1, whose mean is a share."""
    return rated.declared.level == "nominal" and fitting_points(rated.ratings, (0.0, 1.0)) is None


def _without_amounts(one: RaterBehaviour) -> RaterBehaviour:
    none = undefined(NEED_NUMBERS, one.n)
    return replace(one, severity=none, spread=none, spread_ratio=none, middle=none, ends=none)


def self_agreement(elements: pl.DataFrame) -> dict[str, Figure]:
    """For every rater who saw items twice: how often the second judgement was the first one.

    >>> keys = {"item": ["a", "a"], "rater": ["ann", "ann"], "kind": ["human", "human"], "replicate": [1, 2]}
    >>> self_agreement(pl.DataFrame(keys | {"x": [1.0, 1.0], "y": [1.0, 0.0]}))["ann"].value
    0.5
    """
    rated = [name for name in elements.columns if name not in KEYS]
    again = elements.filter(pl.col("replicate") > 1)
    if again.is_empty():
        return {}
    both = again.join(
        elements.filter(replicate=1), on=["item", "rater"], suffix="\0first", maintain_order="left"
    )
    return {
        str(rater): self_consistency(
            np.column_stack(
                [np.ravel(own.select(f"{name}{end}" for name in rated).to_numpy()) for end in ("\0first", "")]
            ),
            "nominal",
        ).agreement
        for (rater,), own in both.partition_by("rater", as_dict=True, maintain_order=True).items()
    }


@frozen
class RaterHabits:
    """One rater over all criteria."""

    rater: str
    kind: str
    scores: Callable[[], tuple[Floats, Sequence[str]]]
    """What the rater gave, (items, criteria), and the names of the criteria."""
    criteria: Mapping[str, Habits]
    with_others: WithOthers

    @cached_property
    def halo(self) -> Halo:
        """Every pair of criteria: the dashboard does not ask for it."""
        return halo(*self.scores())

    @classmethod
    def of(cls, table: RatingTable, behaviour: Mapping[str, Mapping[str, Habits]]) -> tuple[RaterHabits, ...]:
        """Gather the habits of every rater."""
        together = with_others(table)
        return tuple(
            cls(
                rater,
                kind,
                partial(table.scores_of, rater),
                {name: of[rater] for name, of in behaviour.items() if rater in of},
                together[rater],
            )
            for rater, kind in table.kinds.items()
        )

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        criteria = {name: one.as_json(lang) for name, one in self.criteria.items()}
        said = {"rater": self.rater, "kind": self.kind, "criteria": criteria, "halo": self.halo.as_json(lang)}
        return said | {"with_others": self.with_others.as_json(lang)}


def with_others(table: RatingTable) -> dict[str, WithOthers]:
    """How every rater goes with the others over all criteria, and who answers at random; of many items every so many-th."""
    place = {rater: j for j, rater in enumerate(table.kinds)}
    step = 1 + table.n_items // _MOST_ITEMS
    matrices, levels = [], list[Level]()
    for name in table.criteria:
        if table.is_derived(name):
            continue
        rated = table.rated(name)
        matrix = np.full((-(-table.n_items // step), len(place)), np.nan)
        matrix[:, [place[rater] for rater in rated.raters]] = rated.ratings[::step]
        matrices.append(matrix)
        levels.append("nominal" if rated.declared.labels or _only_names(rated) else rated.declared.level)
    found = random_raters(*matrices or [np.empty((0, len(place)))], raters=list(place), levels=levels)
    return {str(one.rater): one for one in found}


@frozen
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


@frozen
class Disputed:
    """An item on which raters differ, with the criteria in question; `relative` is the widest of its differences."""

    item: str
    raters: int
    relative: float
    criteria: tuple[str, ...]


def disputed_items(differences: Sequence[ToRead]) -> tuple[Disputed, ...]:
    """All items of differences that are sorted by width: those of the reading list first and in its order, then the others.

    >>> wide, narrow = {"ann": 1.0, "bo": 5.0}, {"ann": 1.0, "bo": 2.0}
    >>> found = [*(ToRead(f"a{i}", "x", 4.0, 1.0, wide) for i in range(6)), ToRead("b", "y", 1.0, 0.25, narrow)]
    >>> [one.item for one in disputed_items(found)]
    ['a0', 'a1', 'a2', 'a3', 'a4', 'b', 'a5']
    """
    by_item: dict[str, list[ToRead]] = {}
    for one in differences:
        by_item.setdefault(one.item, []).append(one)
    listed = Counter[str]()
    first = {}
    for one in differences:
        listed[one.criterion] += 1
        if listed[one.criterion] <= READ_PER_CRITERION:
            first[one.item] = True
    return tuple(
        Disputed(
            item,
            max(len(one.values) for one in by_item[item]),
            by_item[item][0].relative,
            tuple(one.criterion for one in by_item[item]),
        )
        for item in (*first, *(item for item in by_item if item not in first))
    )


def reading_list(
    rated: CriterionRatings, item_name: Callable[[int], str], most: int = READ_PER_CRITERION
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
