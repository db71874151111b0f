"""Where AI judges differ from people who agree among themselves: how often, how far, in which direction, with the cases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.analysis.rating_sources import study_ratings
from haechi.analysis.rating_table import ValueScale
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang
from haechi.stats.population import clustered_mean
from haechi.stats.ratings import Floats, Integers
from haechi.store.alignment import AlignmentPart, Unit, drawn_parts, keep_parts, parts_of
from haechi.store.items import read_items
from haechi.study.study import Study
from haechi.text import Text

Flags = NDArray[np.bool_]
_UNPOINTED = 0.1  # of the width of a scale without points: what counts as one step


@frozen
class JudgeDifference:
    """One value of a judge that differs from what people agree on; distance: as a share of the scale."""

    item: str
    name: str
    judge: str
    value: float
    people: tuple[float, ...]
    distance: float
    judge_says: str
    people_say: str

    @property
    def direction(self) -> str:
        """Whether the judge gave more or less than people."""
        return "above" if self.value > float(np.mean(self.people)) else "below"

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        own = {
            name: getattr(self, name) for name in ("item", "value", "distance", "judge_says", "people_say")
        }
        return {**own, "people": list(self.people), "direction": self.direction}


@frozen
class Cluster:
    """One criterion or element, and one judge: of the items on which people agree, the share on which it differs; its mean distance from
    people as a share of the scale and its mean difference in points, on all items; and the cases, the largest first."""

    name: str
    judge: str
    differs: Figure
    distance: Figure
    difference: Figure
    cases: tuple[JudgeDifference, ...]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        figures = {name: getattr(self, name).as_json(lang) for name in ("differs", "distance", "difference")}
        cases = [case.as_json() for case in self.cases]
        return {"criterion": self.name, "judge": self.judge, **figures, "cases": cases}


class Alignment:
    """A study's ratings for aligning its judges: in two parts, of which one may be looked at."""

    def __init__(self, study: Study) -> None:
        self.study = study
        if study.rubric.item == "pair":
            raise _no(study, Text("둘 중 고르기", "a choice between two"))
        study.bring_rows()
        self.table = study_ratings(study, elements=True)
        self.names = tuple(name for name in self.table.criteria if self._is_single(name))
        self.ids = [self.table.item_name(at) for at in range(self.table.n_items)]
        if not self.judges or not any(self.people(name).size for name in self.names):
            raise _no(
                study, Text("사람과 AI 가운데 한쪽의 평가뿐", "ratings of people alone, or of judges alone")
            )

    def _is_single(self, name: str) -> bool:
        """Whether a name is what raters answer: an element, or a criterion that has none."""
        if self.table.is_derived(name):
            return False
        criterion = self.study.rubric.criterion(name)
        known = set(self.table.criteria)
        return (
            criterion is None
            or name in criterion.rated_names
            or not known.intersection(criterion.rated_names)
        )

    @property
    def judges(self) -> tuple[str, ...]:
        """The AI raters."""
        return tuple(rater for rater, kind in self.table.kinds.items() if kind == "ai")

    def people(self, name: str) -> Floats:
        """What people gave, (items, people)."""
        return self.table.rated(name).of("human")[0]

    @cached_property
    def cluster(self) -> str | None:
        """The field whose values stay in one part, where items obviously come in clusters."""
        return self.study.scores().cluster

    @cached_property
    def groups(self) -> list[str]:
        """For every item what it belongs to: its cluster, or itself."""
        if self.cluster is None:
            return list(self.ids)
        whose = dict(self.study.meta([self.cluster]).iter_rows())
        return [f"={whose[item]}" if whose.get(item) is not None else item for item in self.ids]

    @cached_property
    def parts(self) -> dict[str, AlignmentPart]:
        """The part of every item that people rated; those that came since are drawn now, and all are kept.

        Who shares a cluster with items that have a part gets the same.
        """
        with self.study.database.write_alone() as connection:
            known = parts_of(connection)
            there = {item.id for item in read_items(connection, self.ids)}
            of_group = {
                group: known[item] for item, group in zip(self.ids, self.groups, strict=True) if item in known
            }
            new: dict[str, AlignmentPart] = {}
            units: dict[str, list[int]] = {}
            levels = self._levels()
            for at, item in enumerate(self.ids):
                if item in known or item not in there or np.isnan(levels[at]):
                    continue
                if self.groups[at] in of_group:
                    new[item] = of_group[self.groups[at]]
                else:
                    units.setdefault(self.groups[at], []).append(at)
            drawn = [
                Unit(name, tuple(self.ids[at] for at in own), float(levels[own].mean()))
                for name, own in units.items()
            ]
            keep_parts(connection, new | drawn_parts(drawn), self.cluster)
            return parts_of(connection)

    def _levels(self) -> Floats:
        """How people rated every item: the mean over what they rated, as shares of the scales; NaN where nobody did."""
        shares = [_mean(self.people(name)) / _width(self.table.declared[name]) for name in self.names]
        return _mean(np.column_stack(shares))

    def rows_of(self, part: AlignmentPart) -> Integers:
        """The places of the items of a part."""
        return np.array([at for at, item in enumerate(self.ids) if self.parts.get(item) == part], np.int64)

    def clusters(self, judge: str | None = None) -> list[Cluster]:
        """The disagreements in the training part, the criterion with the largest distance first."""
        wanted = [self._judge(judge)] if judge is not None else self.judges
        said = self._said()
        found = [
            made
            for one in wanted
            for name in self.names
            if (made := self._cluster(name, one, said)) is not None
        ]
        return sorted(found, key=lambda one: (-(one.distance.value or 0.0), one.name, one.judge))

    def _judge(self, name: str) -> str:
        if name in self.judges:
            return name
        expected = Text(
            f"이 스터디의 AI 평가자: {', '.join(self.judges)}",
            f"a judge of this study: {', '.join(self.judges)}",
        )
        todo = Text("이름을 고친 뒤 다시 실행하세요", "correct the name and run again")
        raise HaechiError.of("--judge", name, expected, todo)

    def _said(self) -> dict[tuple[str, str, str], str]:
        given = self.study.ratings().drop_nulls("evidence").filter(replicate=1)
        rows = given.select("item", "criterion", "rater", "evidence").iter_rows()
        return {(item, name, rater): words for item, name, rater, words in rows if words.strip()}

    def _cluster(self, name: str, judge: str, said: dict[tuple[str, str, str], str]) -> Cluster | None:
        rated = self.table.rated(name)
        if judge not in rated.raters:
            return None
        rows = self.rows_of("training")
        declared = rated.declared
        people, names = rated.of("human")
        people, given = people[rows], rated.ratings[rows, rated.raters.index(judge)]
        apart = distances(given, people, declared)
        known = ~np.isnan(apart)
        if not known.any():
            return None
        agree, differ = _agree(people, declared), _differ(given, people, declared)
        group = np.unique([self.groups[at] for at in rows], return_inverse=True)[1]

        def mean(values: Floats, of: Flags, bounds: tuple[float, float] | None) -> Figure:
            return clustered_mean(np.bincount(group[of], values[of]), np.bincount(group[of]), bounds)

        cases = [
            JudgeDifference(
                item := self.ids[rows[at]],
                name,
                judge,
                float(given[at]),
                tuple(people[at][~np.isnan(people[at])].tolist()),
                float(apart[at]),
                said.get((item, name, judge), ""),
                next((words for one in names if (words := said.get((item, name, one)))), ""),
            )
            for at in np.flatnonzero(known & agree & differ)
        ]
        return Cluster(
            name,
            judge,
            mean(differ.astype(np.float64), known & agree, (0.0, 1.0)),
            mean(apart, known, (0.0, 1.0)),
            mean(given - _mean(people), known, None),
            tuple(sorted(cases, key=lambda case: (-case.distance, -len(case.people), case.item))),
        )


def distances(given: Floats, people: Floats, declared: ValueScale) -> Floats:
    """How far a judge's values are from people's: of names the share of people who gave another, else the distance from their mean as
    a share of the scale; NaN where either is missing. given: (items,); people: (items, people).

    >>> distances(np.array([4.0, 1.0]), np.array([[2.0, 3.0], [np.nan, np.nan]]), ValueScale("ordinal", (1, 2, 3, 4, 5), width=4.0))
    array([0.375,   nan])
    """
    if declared.level == "nominal":
        other = np.where(np.isnan(people), np.nan, people != given[:, None])
        return np.where(np.isnan(given), np.nan, _mean(other))
    return np.abs(given - _mean(people)) / _width(declared)


def _step(declared: ValueScale) -> float:
    """The smallest difference that counts as one."""
    points = declared.points
    return min(np.diff(points)) if points is not None and len(points) > 1 else _UNPOINTED * _width(declared)


def _agree(people: Floats, declared: ValueScale) -> Flags:
    """Where people agree: all gave the same, or on a scale with more than two points no more than one apart."""
    few = declared.level == "nominal" or (declared.points is not None and len(declared.points) <= 2)
    filled = np.where(np.isnan(people), _mean(people)[:, None], people)
    together: Flags = np.ptp(filled, axis=1) <= (0.0 if few else _step(declared) + 1e-9)
    return together


def _differ(given: Floats, people: Floats, declared: ValueScale) -> Flags:
    """Where a judge is beyond all people, and at least a step from their mean."""
    middle = _mean(people)
    filled = np.where(np.isnan(people), middle[:, None], people)
    if declared.level == "nominal":
        found: Flags = (filled != given[:, None]).all(axis=1)
        return found
    found = (given > filled.max(axis=1)) | (given < filled.min(axis=1))
    return found & (np.abs(given - middle) >= _step(declared) - 1e-9)


def _width(declared: ValueScale) -> float:
    return declared.width or 1.0


def _mean(values: Floats) -> Floats:
    """The mean of every row over what is known; NaN where nothing is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)
    return found


def _no(study: Study, found: Text) -> HaechiError:
    expected = Text(
        "같은 항목에 대한 사람과 AI 평가자의 평가", "ratings of the same items by people and by AI judges"
    )
    todo = Text(
        "사람의 평가는 haechi import나 haechi serve로, AI의 평가는 haechi judge로 모으세요",
        "collect those of people with haechi import or serve, those of judges with haechi judge",
    )
    return HaechiError.of(study.place, found, expected, todo)


def chosen_cases(clusters: Sequence[Cluster], most: int) -> list[JudgeDifference]:
    """The largest cases of several clusters, every item once."""
    every = sorted(
        (case for one in clusters for case in one.cases), key=lambda case: (-case.distance, case.item)
    )
    return list({case.item: case for case in reversed(every)}.values())[::-1][:most]
