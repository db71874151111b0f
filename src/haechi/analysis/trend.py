"""Agent runs over time: the versions of the agent, or the rounds of one, in their order, and what else changed with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from haechi.analysis.comparability import JudgingDifference, differences
from haechi.analysis.counts import ItemCounts, count_groups, describe_score
from haechi.analysis.panel_change import code_scores
from haechi.analysis.query_results import QueryResults, VersionStep, query_results
from haechi.analysis.response_times import (
    NO_TIMES,
    SECONDS,
    TOOL_CLASS,
    counted_times,
    describe_time,
    group_times,
    time_quantiles,
)
from haechi.data.agent_run import VERSION
from haechi.data.group_order import find_order
from haechi.data.judging_protocol import WORDS
from haechi.frozen import frozen
from haechi.stats.groups import Group

if TYPE_CHECKING:
    from haechi.analysis.rater_figures import RaterFigures
    from haechi.stats import Figure

ROUND = "round"
_OWN = {"query", ROUND, "repeat", "category", VERSION, "asked_at", "first_token_ms"}
MOST_VALUES = 100
"""More values than this are no versions that anybody follows, such as a time stamp for every run."""
ChangedThing = Literal["field", "raters", "rubric", "judge"]


@frozen
class VersionChange:
    """What else changed from one version to the next: a field of the runs, who rated, the rubric, or a judge's model or prompt."""

    before: str
    after: str
    what: ChangedThing
    name: str
    was: tuple[str, ...]
    now: tuple[str, ...]


@frozen
class VersionTimes:
    """Response times of a tool class (of all under "") in one version: how many runs have one, and how long they took."""

    described: Group
    quantiles: Mapping[str, Figure]


class AgentTrend:
    """Versions in their order, or rounds where the runs are of one version; every figure is computed when it is asked for.

    field: what tells them apart; values: its values in order, at least two of them.
    """

    def __init__(self, figures: RaterFigures, field: str, values: Sequence[str]) -> None:
        self._figures = figures
        self.field, self.values = field, tuple(values)

    @cached_property
    def _counted(self) -> dict[str, ItemCounts]:
        (groups,) = count_groups(self._figures.batches, self._figures.names, [(self.field,)])
        return {str(key): counted for (key,), counted in groups.items() if key is not None}

    @cached_property
    def scores(self) -> Mapping[str, tuple[Group, ...]]:
        """Every score in every version, as `haechi compare` has it."""
        figures, scored = self._figures, self._figures.scored
        over, ruled = scored.over_clusters((self.field,)), scored.unmeasured((self.field,))
        found: dict[str, tuple[Group, ...]] = {}
        for name in figures.names:
            groups = []
            for value in self.values:
                own = self._counted[value]
                ends, zero = over.get((value,), {}).get(name), name in ruled.get((value,), ())
                sample, size = own.scores[name], own.n
                groups.append(
                    describe_score(figures.rubric, name, value, sample, size, scored.cluster, ends, zero)
                )
            found[name] = tuple(groups)
        return found

    @property
    def runs(self) -> tuple[int, ...]:
        """How many runs every version has."""
        return tuple(self._counted[value].n for value in self.values)

    @cached_property
    def times(self) -> Mapping[str, tuple[VersionTimes, ...]]:
        """Response times of every tool class in every version, under the name of its latency score."""
        batches, by, cluster = self._figures.batches, [TOOL_CLASS, self.field], self._figures.scored.cluster
        groups, means = counted_times(batches, by), group_times(batches, cluster, by)
        found: dict[str, tuple[VersionTimes, ...]] = {}
        classes = {c.score: c.only for c in self._figures.rubric.criteria if c.only}
        keys = {name: [(only, value) for value in self.values] for name, only in classes.items()}
        known = {name: own for name, own in keys.items() if any(key in groups for key in own)}
        samples = {key: groups.get(key, NO_TIMES).scores[SECONDS] for own in known.values() for key in own}
        slowest = time_quantiles(batches, cluster, by, samples)
        for name, own in known.items():
            found[name] = tuple(
                VersionTimes(
                    describe_time(key[1], groups.get(key, NO_TIMES), cluster, means.get(key)), slowest[key]
                )
                for key in own
            )
        return found

    @cached_property
    def queries(self) -> QueryResults | None:
        """What became of every query; None where no checks are scored."""
        return results_of(self._figures, self.field)

    @cached_property
    def steps(self) -> tuple[VersionStep, ...]:
        """From every version to the next."""
        if self.queries is None:
            return ()
        return tuple(self.queries.step(before, after) for before, after in pairwise(self.values))

    @cached_property
    def changed(self) -> tuple[VersionChange, ...]:
        """What else changed from one version to the next, so that a difference may be due to that."""
        if self.field != VERSION:
            return ()
        return (*self._fields(), *self._raters(), *self._judging())

    def _fields(self) -> list[VersionChange]:
        """Fields that have one value in every version, not the same in all: a prompt, a model, a date."""
        fields = [name for name in self._figures.scored.meta if name not in _OWN]
        known: dict[tuple[str, str], set[str]] = {}
        for frame in self._figures.batches([self.field, *fields]):
            for (value,), own in frame.partition_by(self.field, as_dict=True).items():
                for name in fields:
                    seen = known.setdefault((str(value), name), set())
                    if len(seen) < 2:
                        seen.update(map(str, own[name].drop_nulls().unique().head(2).to_list()))
        constant = [name for name in fields if all(len(known[value, name]) == 1 for value in self.values)]
        return self._differences(
            "field", {name: {v: known[v, name] for v in self.values} for name in constant}
        )

    def _raters(self) -> list[VersionChange]:
        """People and AI judges who rated one version and not the next."""
        who: dict[str, set[str]] = {value: set() for value in self.values}
        for frame in self._figures.batches([self.field, "rater", "kind"]):
            seen = frame.filter(pl.col("kind") != "code").select(self.field, "rater").drop_nulls().unique()
            for value, rater in seen.iter_rows():
                who[str(value)].add(rater)
        return self._differences("raters", {"": who})

    def _judging(self) -> list[VersionChange]:
        """The rubric that ratings were given by, and what the journal knows of judges: the model that answered, the prompt."""
        ratings = self._figures.ratings
        if ratings.is_empty():
            return []
        items = dict(
            row for frame in self._figures.batches(["item", self.field]) for row in frame.unique().iter_rows()
        )
        rubrics: dict[str, set[str]] = {value: set() for value in self.values}
        for item, rubric in ratings.select("item", "rubric").unique().iter_rows():
            if items.get(item) in rubrics and rubric:
                rubrics[str(items[item])].add(rubric)
        return [*self._differences("rubric", {"": rubrics}), *self._asked_otherwise()]

    def _asked_otherwise(self) -> list[VersionChange]:
        return [
            VersionChange(
                before,
                after,
                "judge",
                f"{one.rater}: {WORDS[one.what].say()}",
                one.sides[0][1],
                one.sides[1][1],
            )
            for before, after, differing in self.not_comparable
            for one in differing
        ]

    @cached_property
    def not_comparable(self) -> tuple[tuple[str, str, tuple[JudgingDifference, ...]], ...]:
        """Between which versions a judge was not asked alike, and what differs: what it rated is no measure of a change there."""
        if self._figures.item_ways is None:
            return ()
        ways = self._figures.item_ways.of_groups(self._figures.batches, [self.field])
        steps = (
            (a, b, differences({a: ways.get(a, {}), b: ways.get(b, {})})) for a, b in pairwise(self.values)
        )
        return tuple(step for step in steps if step[2])

    def rated_by(self, raters: Collection[str]) -> tuple[str, ...]:
        """The scores that some of these raters gave."""
        found: set[str] = set()
        for frame in self._figures.batches(["rater", *self._figures.names]):
            own = frame.filter(pl.col("rater").is_in(list(raters)))
            found.update(name for name in self._figures.names if own[name].count())
        code = set(code_scores(self._figures.rubric, self._figures.names))
        return tuple(name for name in self._figures.names if name in found - code)

    def _differences(
        self, what: ChangedThing, of: Mapping[str, Mapping[str, set[str]]]
    ) -> list[VersionChange]:
        return [
            VersionChange(
                before, after, what, name, tuple(sorted(known[before])), tuple(sorted(known[after]))
            )
            for before, after in pairwise(self.values)
            for name, known in of.items()
            if known[before] != known[after] and (known[before] or known[after])
        ]

    def as_json(self) -> dict[str, Any]:
        """For machines: every score and the times by version, what became of the queries, what else changed."""
        scores = {name: [group.as_json() for group in groups] for name, groups in self.scores.items()}
        times = {
            name: [{key: one.as_json() for key, one in own.quantiles.items()} for own in of]
            for name, of in self.times.items()
        }
        steps = [
            {
                "before": one.before,
                "after": one.after,
                "queries": one.counts,
                "mcnemar": one.test.as_json(),
            }
            for one in self.steps
        ]
        changed = [vars(one) for one in self.changed]
        apart = [
            {"before": before, "after": after, "differences": [one.as_json() for one in differing]}
            for before, after, differing in self.not_comparable
        ]
        return {
            "field": self.field,
            "values": list(self.values),
            "runs": list(self.runs),
            "scores": scores,
            "times": times,
            "steps": steps,
            "changed": changed,
            "not_comparable": apart,
        }


def trend_field(figures: RaterFigures) -> tuple[str, tuple[str, ...]] | None:
    """Versions where runs have two or more of them, else rounds likewise, in their order; None where they have neither.

    Versions whose names say no order stand in that of their runs. More than `MOST_VALUES` of them are neither.
    """
    for field in (VERSION, ROUND):
        if field in figures.scored.meta:
            pieces = (frame[field].drop_nulls().cast(pl.String) for frame in figures.batches([field]))
            values = list(dict.fromkeys(v for one in pieces for v in one.unique(maintain_order=True)))
            if 1 < len(values) <= MOST_VALUES:
                order = find_order(field, values)
                return field, order.values if order else tuple(values)
    return None


def results_of(figures: RaterFigures, field: str | None) -> QueryResults | None:
    """What became of every query, by version or round; None of items without a score of checks."""
    rule = figures.scored.pass_rule
    return None if rule is None else query_results(figures.batches, rule, field, figures.main)
