"""A study's figures by name: what a gate, a baseline and a test can ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from haechi.analysis.analysis import Analysis
from haechi.analysis.coefficient_registry import in_tables
from haechi.analysis.response_times import TIME_QUANTILES
from haechi.analysis.zero_by_rule import WITHOUT, totals_without
from haechi.data.fields import is_of_rows
from haechi.scoring.human_scale import HumanScores
from haechi.stats import Agreement, Figure, Group, HumanAI
from haechi.stats.figure import figure
from haechi.stats.human_ai import NAMES as AGAINST
from haechi.stats.icc import FORMS
from haechi.stats.sample import Sample

if TYPE_CHECKING:
    from haechi.analysis.comparison import Comparison

BY_RATER = "@rater="
_RANKED = ("strength.", "win_rate.", "first_wins", "same_verdict")
_RATERS, _EVIDENCE, _QUERIES, _HUMAN = "raters", "evidence.unfounded", "queries.", "human."
_PASSES = "pass^"
_PASS_RATE = re.compile(r"human\.(.+)\.pass(\d+(?:\.\d+)?)(@.+=.+)?")

_TIMES = ("seconds", "seconds.median", *(f".{key}" for key in TIME_QUANTILES))

Find = Callable[[], Figure]


class NamedFigures(Mapping[str, Figure]):
    """Every figure that a gate can name, each computed when it is asked for.

    `total`, `total.sd`, `total.median`, `total@mode=agent`, `total@rater=kim`; `raters`, how many; `latency_single.seconds`,
    `seconds.p95`; `agree.total.icc2_1`,
    `ai_ai.total.krippendorff_alpha`, `human_ai.total.pearson`; `human.total` and `human.total@mode=agent`, what people
    would have given, and `human.total.pass24`, to how many items at least 24; `evidence.unfounded`; of agent runs in versions
    `queries.broken`, `latency_single.p95@version=v2`; of pairs `strength.NAME`, `win_rate.NAME`, `first_wins`,
    `same_verdict`.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis

    def __getitem__(self, name: str) -> Figure:
        if name.endswith(tuple(TIME_QUANTILES)):
            name = name.replace(".seconds.", ".")  # latency_single.p95 is enough
        for block in self._blocks_of(name):
            if name in block:
                return block[name]()
        if (rate := _PASS_RATE.fullmatch(name)) and (found := self._pass_rate(*rate.groups(""))) is not None:
            return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        own = (self._scores, self._seconds, self._passes, self._groups, self._trend)
        blocks = (*own, self._human, self._raters, self._agreement, self._evidence, self._ranking)
        return iter(dict.fromkeys(name for block in blocks for name in block))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _blocks_of(self, name: str) -> Iterator[Mapping[str, Find]]:
        """Where a name can stand; what it cannot stand in is not looked at."""
        if name == _EVIDENCE:
            yield self._evidence
        if name.startswith(_HUMAN):
            yield self._human
        if name.startswith(_RANKED):
            yield self._ranking
        if name.startswith(("agree.", "human_human.", "ai_ai.", "human_ai.")):
            yield self._agreement
        if name == _RATERS or BY_RATER in name:
            yield self._raters
        if name.startswith(_PASSES):
            yield self._passes
        if "@" in name or name.startswith(_QUERIES):
            yield self._trend
        if "@" in name:
            yield self._groups
        if name.endswith(_TIMES):
            yield self._seconds
        yield self._scores

    @cached_property
    def _scores(self) -> Mapping[str, Find]:
        whole, named = self._analysis.whole, dict[str, Find]()
        for name in whole:
            named[name] = partial(_part, whole, name, "mean")
            named |= {f"{name}.{part}": partial(_part, whole, name, part) for part in ("sd", "median")}
        for name, of in totals_without(self._analysis.scored).items():
            parts = {"": (of.mean, of.ci95), ".sd": (of.sd, None), ".median": (of.median, None)}
            for part, (value, ends) in parts.items():
                if value is not None:
                    named[name + WITHOUT + part] = partial(figure, value, of.n, ends)
        return named

    @cached_property
    def _seconds(self) -> Mapping[str, Find]:
        seconds, named = self._analysis.seconds, dict[str, Find]()
        for name in seconds:
            prefix = f"{name}.seconds" if name else "seconds"
            named[prefix] = partial(_part, seconds, name, "mean")
            named[f"{prefix}.median"] = partial(_part, seconds, name, "median")
            for key in TIME_QUANTILES:
                named[f"{name or prefix}.{key}"] = partial(_slowest, self._analysis, name, key)
        return named

    @cached_property
    def _groups(self) -> Mapping[str, Find]:
        named: dict[str, Find] = {}
        for comparison in self._analysis.comparisons:
            for name in comparison.groups:
                for number, group in enumerate(comparison.items.groups.values()):
                    place = ",".join(f"{field}={value}" for field, value in group.by.items())
                    named[f"{name}@{place}"] = partial(_of_group, comparison, name, number)
        return named

    @cached_property
    def _human(self) -> Mapping[str, Find]:
        """What people would have given, of the whole set and of every group."""
        human, named = self._analysis.human, dict[str, Find]()
        if not human.is_there:
            return named
        for name in self._analysis.names:
            named[f"{_HUMAN}{name}"] = partial(_of_people, human, name)
        for name, limit in human.passes.items():
            named[f"{_HUMAN}{name}.pass{limit:g}"] = partial(_passing, human, name, limit)
        for by in self._analysis.scored.groupings:
            if any(map(is_of_rows, by)):
                continue
            for key, items in human.groups(by).items():
                place = ",".join(f"{field}={value}" for field, value in zip(by, key, strict=True))
                for name in self._analysis.names:
                    named[f"{_HUMAN}{name}@{place}"] = partial(_of_people, human, name, items)
        return named

    def _pass_rate(self, name: str, limit: str, place: str) -> Figure | None:
        """The share that people would have let pass, of any limit, of the whole set or of a group; None where nothing is of this name."""
        human = self._analysis.human
        if not human.is_there or name not in self._analysis.names:
            return None
        if not place:
            return _passing(human, name, float(limit))
        by, key = zip(*(one.split("=", 1) for one in place[1:].split(",") if "=" in one), strict=True)
        groups = human.groups(by) if by in self._analysis.scored.groupings else {}
        return _passing(human, name, float(limit), groups[key]) if key in groups else None

    @cached_property
    def _passes(self) -> Mapping[str, Find]:
        """pass^k of agent runs; of several versions each has its own."""
        from haechi.data.agent_run import VERSION

        results, trend = self._analysis.query_results, self._analysis.trend
        if results is None:
            return {}
        several = trend is not None and trend.field == VERSION
        named: dict[str, Find] = {}
        for value in trend.values if several and trend is not None else (None,):
            own, where = results.passes(value), f"@{VERSION}={value}" if value is not None else ""
            named |= {f"{_PASSES}{k}{where}": partial(own.__getitem__, k) for k in own}
        return named

    @cached_property
    def _trend(self) -> Mapping[str, Find]:
        """How slow every version is, and what became of the queries from the last version but one to the last."""
        from haechi.data.agent_run import VERSION

        trend, named = self._analysis.trend, dict[str, Find]()
        if trend is None:
            return named
        for name, of in trend.times.items():
            for value, own in zip(trend.values, of, strict=True):
                for key in own.quantiles:
                    named[f"{name}.{key}@{trend.field}={value}"] = partial(own.quantiles.__getitem__, key)
        if trend.field == VERSION and trend.steps:
            counts = trend.steps[-1].counts
            total = sum(counts.values())
            named |= {f"{_QUERIES}{word}": partial(figure, float(n), total) for word, n in counts.items()}
        return named

    @cached_property
    def _raters(self) -> Mapping[str, Find]:
        """How many raters, and the mean of each of several; of raters with one item each only who they are, and which.

        A later run compares over the raters that it has in common with this one, and needs to know what each gave.
        """
        analysis = self._analysis
        panel = {cell.rater: cell.kind for cell in analysis.who_rated}
        each = analysis.one_item_each
        who: dict[str, Any] = {"panel": panel, "one_item_each": each} | (
            {"items": analysis.rated_items} if each else {}
        )
        if (
            analysis.ways
        ):  # a later run names what has changed since, and does not take it for a change of scores
            who["asked"] = {
                rater: {what: list(of) for what, of in own.items()} for rater, own in analysis.ways.items()
            }
        named = {_RATERS: partial(figure, len(panel), analysis.n_rated, **who)}
        for rater, counted in analysis.by_rater.items() if len(panel) > 1 and not each else ():
            for name, sample in counted.scores.items():
                if sample.n and analysis.rubric.has_mean(name):
                    named[f"{name}{BY_RATER}{rater}"] = partial(_mean, sample)
        return named

    @cached_property
    def _agreement(self) -> Mapping[str, Find]:
        found = self._analysis.agreement
        if found is None:
            return {}
        named = _agreements("agree", found.criteria)
        if found.panels is not None:
            panels = found.panels
            named |= _agreements("human_human", panels.human_human) | _agreements("ai_ai", panels.ai_ai)
            for name in panels.human_ai:
                for key in AGAINST:
                    named[f"human_ai.{name}.{key}"] = partial(_against, panels.human_ai, name, key)
        return named

    @cached_property
    def _ranking(self) -> Mapping[str, Find]:
        """Of pairs every system's strength and win rate, and what the order of display does."""
        found = self._analysis.ranking
        if found is None:
            return {}
        named: dict[str, Find] = {
            "first_wins": lambda: found.position.first_wins,
            "same_verdict": lambda: found.position.same_verdict,
        }
        for one in found.strengths.systems:
            named[f"strength.{one.name}"] = partial(_same, one.strength)
            named[f"win_rate.{one.name}"] = partial(figure, one.win_rate or 0.0, one.n)
        return named

    @cached_property
    def _evidence(self) -> Mapping[str, Find]:
        quotes = self._analysis.quotes
        return {_EVIDENCE: lambda: quotes.share} if quotes.checked else {}


def _same(found: Figure) -> Figure:
    return found


def _part(groups: Mapping[str, Group], name: str, part: str) -> Figure:
    found: Figure = getattr(groups[name], part)
    return found


def _slowest(analysis: Analysis, name: str, key: str) -> Figure:
    return analysis.time_quantiles[name][key]


def _of_group(comparison: Comparison, name: str, number: int) -> Figure:
    return comparison.groups[name][number].described.mean


def _of_people(human: HumanScores, name: str, items: frozenset[str] | None = None) -> Figure:
    return human.of(name, items).mean


def _passing(human: HumanScores, name: str, limit: float, items: frozenset[str] | None = None) -> Figure:
    return human.pass_rate(name, limit, items).mean


def _mean(sample: Sample) -> Figure:
    return figure(sample.mean, sample.n, sd=sample.sd if sample.n > 1 else None)


def _agreements(prefix: str, block: Mapping[str, Agreement]) -> dict[str, Find]:
    named: dict[str, Find] = {}
    for name in block:
        for form in FORMS:  # ICC(2,1) is icc2_1
            named[f"{prefix}.{name}.icc{form[4]}_{form[6]}"] = partial(_icc, block, name, form)
        named |= {f"{prefix}.{name}.{key}": partial(_coefficient, block, name, key) for key in in_tables()}
    return named


def _icc(block: Mapping[str, Agreement], name: str, form: str) -> Figure:
    return block[name].icc[form]


def _coefficient(block: Mapping[str, Agreement], name: str, key: str) -> Figure:
    return block[name].coefficients[key]


def _against(block: Mapping[str, HumanAI], name: str, key: str) -> Figure:
    found: Figure = getattr(block[name].panel, key)
    return found
