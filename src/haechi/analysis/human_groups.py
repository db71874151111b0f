"""What people would have given for every group, and the differences between groups on the human scale."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.scoring.human_scale import HumanScores
from haechi.stats.figure import Figure, Lang
from haechi.stats.human_scale import HumanScale
from haechi.stats.human_scale_difference import human_scale_difference, human_scale_paired
from haechi.stats.mean_interval import Bounds


@frozen
class HumanGroups:
    """One score of all groups; differences are the first group minus another, over pairs where items of both belong together.

    items: by the label of the group; partners: to which question or person an item belongs, where groups are paired.
    """

    human: HumanScores
    name: str
    bounds: Bounds
    items: Mapping[str, frozenset[str]]
    partners: Mapping[str, str]

    @cached_property
    def groups(self) -> dict[str, HumanScale]:
        """By the label of the group."""
        return {label: self.human.of(self.name, items) for label, items in self.items.items()}

    @cached_property
    def differences(self) -> dict[str, Figure]:
        """By every group but the first: how much more people would have given the first."""
        first, *others = self.groups
        return {other: self._difference(first, other) for other in others}

    def _difference(self, one: str, other: str) -> Figure:
        if not self.partners or self.human.is_all or not self.human.is_known:
            return human_scale_difference(self.groups[one], self.groups[other], self.bounds)
        sides = [self._by_partner(label) for label in (one, other)]
        both = [partner for partner in sides[0] if partner in sides[1]]
        people, judges = (
            [np.array([side[partner][at] for partner in both]) for side in sides] for at in (0, 1)
        )
        of = np.unique([sides[0][partner][2] for partner in both], return_inverse=True)[1]
        clusters = of if both and int(of.max()) + 1 < len(both) else None  # else every pair is one of its own
        pairs = (people[0], judges[0]), (people[1], judges[1])
        found = human_scale_paired(*pairs, bounds=self.bounds, clusters=clusters)
        return (
            found.mean
            if found.mean.value is not None
            else human_scale_difference(self.groups[one], self.groups[other], self.bounds)
        )

    def _by_partner(self, label: str) -> dict[str, tuple[float, float, int]]:
        """What people and judges gave in the mean, by what pairs the items, NaN where nothing; and the cluster."""
        found = self.human.means(self.name, self.items[label])
        return {self.partners[item]: pair for item, pair in found.items() if item in self.partners}

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        first = next(iter(self.groups))
        return {
            "groups": {label: found.as_json(lang) for label, found in self.groups.items()},
            "differences": [
                {"a": first, "b": label, **found.as_json(lang)} for label, found in self.differences.items()
            ],
        }
