"""Two groups of one study that a judge was not asked about alike: their difference over a bridge of anchors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from haechi.analysis.anchors import anchors_of, judge_looks, mean_scores, scores_of
from haechi.analysis.bridges import Bridge
from haechi.analysis.comparability import Values, differences
from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.group_ways import ItemWays
from haechi.analysis.score_change import ScoreChange
from haechi.analysis.sides import Side, Sides
from haechi.frozen import frozen
from haechi.scoring.batches import Batches
from haechi.scoring.tally import Counts
from haechi.stats.drift import drift
from haechi.stats.figure import Lang, Why
from haechi.stats.linking import ScaleLink, mean_sigma
from haechi.study.scores import StoredStudy

Way = Mapping[str, Values]


@frozen
class BridgedGroups:
    """The first group minus the second, which anchors brought to the scale of the first; by score."""

    labels: tuple[str, str]
    sides: Sides
    scores: Mapping[str, ScoreChange]

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges that anchors link."""
        return tuple(self.sides.links)

    @property
    def note(self) -> Why:
        """What a reader must know."""
        who, (first, second) = ", ".join(self.judges), self.labels
        main = self.sides.rubric.main_score(self.sides.names)
        n = min(own[main].n for own in self.sides.links.values())
        return Why(
            f"{who}에게 두 집단을 다르게 물었으므로, 앵커 {n:,}개로 {second}의 점수를 {first}의 척도로 옮겨 견주었습니다. 구간과 p에는 잇는 오차가 들어 있습니다.",
            f"{who} was not asked alike about the two groups: {n:,} anchors move the scores of {second} to the scale of {first}. Intervals and p have the error of the link in them.",
        )

    def as_json(self, name: str, lang: Lang = "en") -> dict[str, Any]:
        """One score for machines."""
        one = self.scores[name]
        return {
            "a": self.labels[0],
            "b": self.labels[1],
            "difference": one.difference.as_json(lang),
            "p": one.p,
            "p_corrected": one.p_corrected,
            "test": one.test,
            "anchors": {judge: own[name].n for judge, own in self.sides.links.items() if name in own},
        }


def bridged_groups(
    items: ComparedItems, study: StoredStudy, ways: ItemWays, seed: int
) -> BridgedGroups | None:
    """The bridged difference of two groups; None where there are not two, nothing stands apart, or anchors do not link them."""
    if len(items.groups) != 2 or not items.panel.asked.apart:
        return None
    labels = tuple(items.groups)
    known = ways.of_groups(items.batches, items.by)
    own = [known.get(" · ".join(items.groups[label].by.values()), {}) for label in labels]
    cluster = items.clusters.field if items.clusters is not None else None
    sides = [
        Side(
            _raters(rows),
            rows,
            meta=(cluster,) if cluster else (),
            ruled=items.ruled.get(label, frozenset()),
            ways=asked,
            bridge=_bridge(study, ways, asked),
        )
        for label, asked in zip(labels, own, strict=True)
        for rows in [_of_group(items.batches, items.groups[label].by)]
    ]
    found = Sides.of(items.rubric, items.names, sides[1], sides[0], cluster)
    if not found.links:
        return None
    return BridgedGroups((labels[0], labels[1]), found, {one.name: one for one in found.changes(seed)})


def _of_group(batches: Batches, by: Mapping[str, str]) -> Batches:
    fits = pl.all_horizontal(pl.col(name).cast(pl.String) == value for name, value in by.items())

    def rows(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        asked = None if columns is None else list(dict.fromkeys([*columns, *by]))
        for frame in batches(asked):
            own = frame.filter(fits)
            yield own if columns is None else own.select(columns)

    return rows


def _raters(rows: Batches) -> dict[str, str | None]:
    counts = Counts(["rater", "kind"])
    for frame in rows(["rater", "kind"]):
        counts.add(frame)
    return {rater: kind for rater, kind, _ in counts.total().iter_rows()}


def _bridge(study: StoredStudy, ways: ItemWays, asked: Mapping[str, Way]) -> Bridge:
    def links(rater: str, to: Way, names: Sequence[str]) -> dict[str, ScaleLink]:
        return _links(study, ways, rater, (asked.get(rater, {}), to), names)

    return links


def _links(
    study: StoredStudy, ways: ItemWays, rater: str, between: tuple[Way, Way], names: Sequence[str]
) -> dict[str, ScaleLink]:
    """By score the link between two ways of asking, from the anchors that were asked about in both: in the study, or in a look."""
    anchors = anchors_of(study)
    if anchors is None:
        return {}
    items, found = sorted(item.id for item in anchors.items()), dict[str, ScaleLink]()
    for name in names:
        looks = [one for one in judge_looks(study, anchors, rater, name) if one.number]
        own = scores_of(study, rater, name, items).get(1, np.full(len(items), np.nan))
        given = []
        for way in between:
            alike = [one.scores for one in looks if not _differ(rater, way, one.way)]
            if alike and drift(np.array(alike)).alarm:
                break  # it changed in silence since: these looks are not of one scale
            there = [not _differ(rater, way, one) if one else False for one in ways.of_items(rater, items)]
            given.append(mean_scores([*alike, np.where(there, own, np.nan)]))
        if len(given) == len(between):
            found[name] = mean_sigma(*given)
    return found


def _differ(rater: str, one: Way, other: Way) -> bool:
    return bool(differences({"A": {rater: one}, "B": {rater: other}}))
