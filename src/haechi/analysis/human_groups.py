"""What people would have given for every group, and the differences between groups on the human scale."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.scoring.human_scale import HumanScores, ItemMeans
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
        pairs = [(sides[0][partner], sides[1][partner]) for partner in sides[0] if partner in sides[1]]
        first, second = (
            (np.array([pair[at].people for pair in pairs]), np.array([pair[at].judges for pair in pairs]))
            for at in (0, 1)
        )
        decided = np.array([a.by_rule and b.by_rule for a, b in pairs], dtype=bool)
        of = np.unique([pair[0].cluster for pair in pairs], return_inverse=True)[1]
        clusters = (
            of if pairs and int(of.max()) + 1 < len(pairs) else None
        )  # else every pair is one of its own
        by_rule = np.where(decided, first[1] - second[1], np.nan) if decided.any() else None
        found = human_scale_paired(first, second, bounds=self.bounds, clusters=clusters, by_rule=by_rule)
        return (
            found.mean
            if found.mean.value is not None
            else human_scale_difference(self.groups[one], self.groups[other], self.bounds)
        )

    def _by_partner(self, label: str) -> dict[str, ItemMeans]:
        """What people and judges gave in the mean, by what pairs the items."""
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
