"""The judge as an instrument: how far it can be believed, what a panel is worth, who is severe, what labels say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np

from haechi.analysis.habits import fitting_points
from haechi.analysis.judges import Costs
from haechi.analysis.rating_table import CriterionRatings, RatingTable
from haechi.frozen import frozen
from haechi.stats import (
    DawidSkene,
    Figure,
    JudgeAccuracy,
    JudgePanels,
    ManyFacetRasch,
    dawid_skene,
    effective_judges,
    judge_accuracy,
    judge_panels,
    many_facet_rasch,
)
from haechi.stats.figure import Lang
from haechi.stats.human_ai import majority
from haechi.stats.lazy import LazyMapping
from haechi.stats.ratings import Floats

QualityPart = Literal["judges", "rasch", "labels"]


@frozen
class Instrument:
    """Everything about the judges of one table, each figure computed when it is first asked for.

    costs: what every judge cost, where that is known of all of them.
    """

    table: RatingTable
    costs: Costs = dict

    @property
    def has_judges(self) -> bool:
        """Whether there are AI judges and people to hold them against."""
        return {"ai", "human"} <= set(self.table.kinds.values())

    @cached_property
    def accuracy(self) -> Mapping[str, Mapping[str, JudgeAccuracy]]:
        """Of every yes-or-no criterion each judge against the majority of the people."""
        names = [name for name in self.table.criteria if _is_binary(self.table.rated(name))]
        return LazyMapping(names, lambda name: _accuracy(self.table.rated(name)))

    @cached_property
    def worth(self) -> Mapping[str, Figure]:
        """Of every criterion of amounts how many independent judges the panel is worth."""
        return LazyMapping(self._amounts, lambda name: effective_judges(*self._sides(name)))

    @cached_property
    def panels(self) -> Mapping[str, JudgePanels]:
        """Of every criterion of amounts the panels that can be made, and the cheapest good one."""
        return LazyMapping(self._amounts, self._panels)

    @cached_property
    def severity(self) -> ManyFacetRasch:
        """Severity of all raters over the criteria that share the points of most."""
        raters = tuple(self.table.kinds)
        names = self.rasch_criteria
        cube = np.stack([self._everyone(name) for name in names], axis=2) if names else np.empty((0, 0, 0))
        return many_facet_rasch(cube, raters if names else (), names)

    @cached_property
    def rasch_criteria(self) -> tuple[str, ...]:
        """The criteria that raters gave themselves on the same points, those of the largest such family."""
        families: dict[tuple[float, ...], list[str]] = {}
        for name in self.table.criteria:
            declared = self.table.declared.get(name)
            if declared is not None and (declared.derived or (declared.labels and len(declared.labels) > 2)):
                continue
            points = declared.points if declared is not None else None
            families.setdefault(points or (), []).append(name)
        found: list[str] = max(families.values(), key=len, default=[])
        return tuple(found)

    @cached_property
    def labels(self) -> Mapping[str, DawidSkene]:
        """Of every criterion of names, and of every yes-or-no one, what the labels say about truth and raters."""
        names = [
            name
            for name in self.table.criteria
            if (rated := self.table.rated(name)).declared.level == "nominal" or _is_binary(rated)
        ]
        return LazyMapping(names, lambda name: _labels(self.table.rated(name)))

    @property
    def _amounts(self) -> list[str]:
        return [name for name in self.table.criteria if not self.table.rated(name).declared.labels]

    def _sides(self, name: str) -> tuple[Floats, Floats]:
        rated = self.table.rated(name)
        return rated.of("human")[0], rated.of("ai")[0]

    def _panels(self, name: str) -> JudgePanels:
        people, judges = self._sides(name)
        names = self.table.rated(name).of("ai")[1]
        known = self.costs()
        costs = (
            [known[judge] for judge in names] if names and all(judge in known for judge in names) else None
        )
        return judge_panels(people, judges, names, costs)

    def _everyone(self, name: str) -> Floats:
        """(items, raters) in the order of all raters."""
        rated = self.table.rated(name)
        place = {rater: j for j, rater in enumerate(self.table.kinds)}
        matrix = np.full((self.table.n_items, len(place)), np.nan)
        matrix[:, [place[rater] for rater in rated.raters]] = rated.ratings
        return matrix

    def as_json(self, parts: frozenset[QualityPart], lang: Lang = "en") -> dict[str, Any]:
        """The block `judges` of `haechi agree --json`, with what was asked for."""
        said: dict[str, Any] = {}
        if "judges" in parts:
            said["criteria"] = {name: self._criterion(name, lang) for name in self.table.criteria}
        if "rasch" in parts:
            said["rasch"] = self._rasch(lang)
        if "labels" in parts:
            said["labels"] = {
                name: found.as_json(lang) | {"names": list(self.table.rated(name).declared.labels)}
                for name, found in self.labels.items()
            }
        return said

    def _criterion(self, name: str, lang: Lang) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if name in self.worth:
            said |= {"effective": self.worth[name].as_json(lang), "panels": self.panels[name].as_json(lang)}
        if name in self.accuracy:
            said["accuracy"] = [
                {"rater": judge, **one.as_json(lang)} for judge, one in self.accuracy[name].items()
            ]
        return said

    def _rasch(self, lang: Lang) -> dict[str, Any]:
        found = self.severity
        said = found.as_json(lang) | {"criteria_used": list(self.rasch_criteria)}
        if found.why:
            return said
        rated = np.flatnonzero(~np.isnan(found.measures)).tolist()
        said["items"] = [
            {
                "item": self.table.item_name(i),
                "measure": float(found.measures[i]),
                "se": float(found.errors[i]),
                "fair_average": float(found.fair[i]),
            }
            for i in rated
        ]
        return said


def _is_binary(rated: CriterionRatings) -> bool:
    """Whether all values are 0 or 1, and so declared or without any declaration."""
    points = rated.declared.points
    if points is not None and set(points) != {0.0, 1.0}:
        return False
    return not np.isnan(rated.ratings).all() and fitting_points(rated.ratings, (0.0, 1.0)) is not None


def _accuracy(rated: CriterionRatings) -> dict[str, JudgeAccuracy]:
    people, _ = majority(rated.of("human")[0])
    judges, names = rated.of("ai")
    return {judge: judge_accuracy(judges[:, j], people) for j, judge in enumerate(names)}


def _labels(rated: CriterionRatings) -> DawidSkene:
    """A rater who saw an item repeatedly counts every time, which the model knows of."""
    given = [rated.replicates.get(rater, rated.ratings[:, [at]]) for at, rater in enumerate(rated.raters)]
    names = [rater for rater, own in zip(rated.raters, given, strict=True) for _ in range(own.shape[1])]
    return dawid_skene(np.hstack([rated.ratings[:, :0], *given]), names)
