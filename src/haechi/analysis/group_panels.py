"""Who rated the groups of a study: a difference between groups is taken over raters that all of them have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import polars as pl

from haechi.analysis.comparability import COMPARABLE, Comparability
from haechi.analysis.group_ways import ItemWays
from haechi.analysis.panel_change import ANCHORS_HERE, NO_COMMON, asked_otherwise, is_nested, name_list
from haechi.data.fields import is_of_rows
from haechi.frozen import frozen
from haechi.scoring.batches import Batches
from haechi.scoring.population import PANELS
from haechi.scoring.tally import Counts
from haechi.stats.figure import Lang, Why
from haechi.text import Text

GroupPanelMatch = Literal["same", "common", "people", "mixed", "none"]
_ENOUGH = 0.5
"""Raters of all groups stand for a group if they gave it at least this share of its ratings."""


@frozen
class GroupPanel:
    """What the raters of several groups have in common, and over whom differences are taken.

    same: all groups have the same raters; common: over those whom all groups have; people: everyone rated items of their
    own, so that groups are independent samples of people; mixed: groups share raters, but those whom all have gave too
    little, so that all count and the difference may be that of raters; none: a group shares no rater with the others, so
    no difference is taken. asked: judges that were not asked alike in all groups, which do not stand for the same rater.
    has_both: whether people and AI judges rated.
    """

    how: GroupPanelMatch
    common: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    asked: Comparability = COMPARABLE
    has_both: bool = False

    @property
    def why(self) -> Text:
        """Why no difference is taken, where none is."""
        return NO_COMMON if not self.asked.apart else asked_otherwise(self.asked, ANCHORS_HERE)

    @property
    def note(self) -> Why | None:
        """What a reader must know; None where the raters are the same."""
        common, others = name_list(self.common), name_list(self.others)
        named = self.asked.named
        if self.how == "common" and named is not None:
            return Why(
                f"{named.ko} 차이와 검정은 모든 집단에서 똑같이 평가한 평가자만으로 계산했습니다: {common.ko}. 집단 평균은 모든 평가자의 것입니다.",
                f"{named.en} Differences and tests are over the raters that are the same in all groups: {common.en}. Group "
                "means are over all raters.",
            )
        if self.how == "common":
            return Why(
                f"집단마다 평가자가 달라, 차이와 검정은 모든 집단을 평가한 평가자만으로 계산했습니다: {common.ko} "
                f"(빠진 평가자: {others.ko}). 집단 평균은 모든 평가자의 것입니다.",
                f"Groups have different raters, so differences and tests are over those who rated in all of them: {common.en} "
                f"(left out: {others.en}). Group means are over all raters.",
            )
        if self.how == "people":
            return Why(
                "저마다 자기 항목만 평가한 사람들이므로 집단을 서로 독립인 표본으로 봅니다.",
                "Everyone rated items of their own, so the groups are independent samples of people.",
            )
        if self.how == "mixed":
            return Why(
                "집단마다 평가자가 다르고, 모든 집단을 평가한 사람의 평가가 절반이 안 됩니다. 차이에 평가자의 차이가 섞여 있을 수 있습니다.",
                "Groups have different raters, and those who rated in all groups gave less than half of the ratings: the "
                "difference may be that of the raters.",
            )
        return (
            Why(f"{self.why.ko}.", f"{self.why.en[0].upper()}{self.why.en[1:]}.")
            if self.how == "none"
            else None
        )

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {
            "compared": self.how,
            "common": list(self.common),
            "others": list(self.others),
        }
        if self.asked.differences:
            told = [one.as_json() for one in self.asked.differences]
            said["asked"] = {"comparable": self.asked.how, "differences": told}
        return said | {"words": self.note.say(lang) if self.note else None}

    def rows(self, batches: Batches) -> Batches:
        """The rows over which differences are taken."""
        if self.how != "common":
            return batches
        raters = pl.Series(self.common, dtype=pl.String).implode()

        def kept(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
            asked = None if columns is None else list(dict.fromkeys([*columns, "rater"]))
            for frame in batches(asked):
                own = frame.filter(pl.col("rater").is_in(raters))
                yield own if columns is None else own.select(columns)

        return kept


SAME_RATERS = GroupPanel("same")


def group_panel(batches: Batches, by: Sequence[str], ways: ItemWays | None = None) -> GroupPanel:
    """Find out who rated which group; where raters make the groups, or code does the rating, there is nothing to ask.

    ways: how judges were asked about every item, where that is not the same throughout.
    """
    if any(map(is_of_rows, by)) or not by:
        return SAME_RATERS
    counts = Counts([*by, "rater", "kind"])
    for frame in batches([*by, "rater", "kind"]):
        counts.add(frame.drop_nulls(list(by)))
    raters: dict[tuple[Any, ...], dict[str, int]] = {}
    kinds: dict[str, str] = {}
    for *key, rater, kind, n in counts.total().iter_rows():
        if kind != "code":
            raters.setdefault(tuple(key), {})[rater] = n
            kinds[rater] = kind
    asked = Comparability(ways.differences(batches, by)) if ways is not None else COMPARABLE
    both = set(PANELS) <= set(kinds.values())
    return replace(_panel(raters, kinds, batches, asked.apart), asked=asked, has_both=both)


def _panel(
    groups: Mapping[tuple[Any, ...], Mapping[str, int]],
    kinds: Mapping[str, str],
    batches: Batches,
    apart: Collection[str],
) -> GroupPanel:
    if len(groups) < 2:
        return SAME_RATERS
    common = tuple(
        name for name in kinds if name not in apart and all(name in own for own in groups.values())
    )
    others = tuple(name for name in kinds if name not in common)
    if not others:
        return GroupPanel("same", common)
    shares = [sum(own[name] for name in common) / sum(own.values()) for own in groups.values()]
    if common:
        return GroupPanel("common" if min(shares) >= _ENOUGH else "mixed", common, others)
    if set(kinds.values()) == {"human"} and is_nested(batches):
        return GroupPanel("people", (), others)
    shared = [{name: n for name, n in own.items() if name not in apart} for own in groups.values()]
    return GroupPanel("mixed" if _connected(shared) else "none", (), others)


def _connected(groups: Sequence[Mapping[str, int]]) -> bool:
    """Whether one comes from every group to every other over raters that two groups share."""
    reached, waiting = set(groups[0]), list(groups[1:])
    while near := [own for own in waiting if not reached.isdisjoint(own)]:
        for own in near:
            reached.update(own)
        waiting = [own for own in waiting if own not in near]
    return not waiting
