"""A row of the summary: every score of a group in figures, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from haechi.frozen import frozen
from haechi.scoring.figures import Occurrences
from haechi.scoring.rule_zeros import nothing_measured
from haechi.scoring.runs.points import REASONS, WITHOUT
from haechi.text import language

if TYPE_CHECKING:
    from haechi.stats.figure import Figure, Why

IntervalEnds = tuple[float, float]


class OverItems(NamedTuple):
    """A score over the items, each with the mean of its raters: what reports and gates say of it."""

    n: int
    mean: float | None
    sd: float | None
    ci95: IntervalEnds | None
    median: float | None = None

    def over_clusters(self, found: Figure) -> OverItems:
        """The same with the interval over clusters of items, or none where there is none."""
        return self._replace(ci95=None if self.mean is None else found.ci95)


@frozen
class ScoreFigures:
    """One score of a group: mean, n, distribution and missing are those of all ratings, `over_items` has the others.

    counted: the score of every item that has it; bounds: its range; interval: whether its mean is to have an interval;
    by_rule: how many are 0 because there was nothing to measure, by reason; measured: of a total that has such parts, its
    value without them; clustered: the interval over clusters of items, where they come in such; clustered_without: that
    of the total without such parts; labels: the values are names, so that they are counted and have no mean.

    >>> items = [(1.0, 1), (0.0, 1)]
    >>> figures = ScoreFigures(0.5, 2, {"0": 1, "1": 1}, missing=0, counted=items, bounds=(0.0, 1.0))
    >>> [round(end, 2) for end in figures.over_items.ci95], round(figures.over_items.sd, 4)
    ([0.09, 0.91], 0.7071)
    """

    mean: float | None
    n: int
    distribution: Mapping[str, int] | None
    missing: int
    counted: Occurrences = ()
    bounds: IntervalEnds | None = None
    interval: bool = True
    by_rule: Mapping[str, int] = field(default_factory=dict)
    measured: Occurrences | None = None
    clustered: Figure | None = None
    clustered_without: Figure | None = None
    labels: bool = False

    def over_clusters(self, found: Figure | None, without: Figure | None) -> ScoreFigures:
        """The same with intervals over clusters of items; None leaves one as it is."""
        made = replace(self, clustered=found, clustered_without=without)
        if not self.counted:  # it was read, and is not to be computed again
            shown = self.interval and not self.unmeasured
            vars(made)["over_items"] = _clustered(self.over_items, found, shown)
            own = self.without_zero_by_rule
            vars(made)["without_zero_by_rule"] = own and _clustered(own, without, self.interval)
        return made

    @cached_property
    def over_items(self) -> OverItems:
        """The figures of the report, computed when first asked for."""
        if self.labels:
            return OverItems(sum(times for _, times in self.counted), None, None, None)
        found = _over_items(self.counted, self.bounds, self.interval and not self.unmeasured)
        return _clustered(found, self.clustered, self.interval and not self.unmeasured)

    @property
    def why(self) -> Why | None:
        """Why there is no mean over the items."""
        from haechi.stats.reasons import NEED_NUMBERS, NOTHING  # and all statistics with it

        if self.labels:
            return NEED_NUMBERS
        return None if self.over_items.n else NOTHING

    @property
    def unmeasured(self) -> bool:
        """Whether every value is 0, and some because there was nothing to measure."""
        return self.mean == 0 and (bool(self.by_rule) or (self.measured is not None and not self.measured))

    @cached_property
    def without_zero_by_rule(self) -> OverItems | None:
        """The same of a total without its parts that are 0 by rule; None where it has none."""
        if self.measured is None:
            return None
        found = _over_items(self.measured, self.bounds, self.interval)
        return _clustered(found, self.clustered_without, self.interval)

    @property
    def zeros_by_rule(self) -> int:
        """How many are 0 because there was nothing to measure."""
        return sum(self.by_rule.values())

    @property
    def why_by_rule(self) -> str:
        """The reasons for these, in words."""
        return ", ".join(REASONS[code].say() for code in self.by_rule)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        items, without = self.over_items, self.without_zero_by_rule
        more: dict[str, Any] = {}
        if self.by_rule:
            more["zero_by_rule"] = {
                "n": self.zeros_by_rule,
                "why": self.why_by_rule,
                "reasons": dict(self.by_rule),
            }
        if self.labels and self.why is not None:
            more["why"] = self.why.say(language())
        if self.unmeasured:
            more["why_no_ci95"] = nothing_measured().say(language())
        elif self.clustered is not None and self.clustered.why_no_ci is not None and self.interval:
            more["why_no_ci95"] = self.clustered.why_no_ci.say(language())
        if without is not None:
            more["without_zero_by_rule"] = without._asdict() | {"ci95": without.ci95 and list(without.ci95)}
        return {
            "mean": self.mean,
            "n": self.n,
            "sd": items.sd,
            "median": items.median,
            "distribution": self.distribution,
            "missing": self.missing,
            "ci95": None if items.ci95 is None else list(items.ci95),
            "mean_over_items": items.mean,
            **more,
        }


def _clustered(found: OverItems, clustered: Figure | None, interval: bool) -> OverItems:
    return found if clustered is None or not interval else found.over_clusters(clustered)


def _over_items(counted: Occurrences, bounds: IntervalEnds | None, interval: bool) -> OverItems:
    import numpy as np  # and all statistics with it

    from haechi.stats.groups import describe_one
    from haechi.stats.sample import Sample

    ordered = sorted(counted)
    values = np.array([value for value, _ in ordered], dtype=np.float64)
    sample = Sample(values, np.array([times for _, times in ordered], dtype=np.int64))
    if not interval and sample.n > 1:
        return OverItems(sample.n, sample.mean, sample.sd, None, sample.median)
    group = describe_one("", sample, sample.n, bounds)
    return OverItems(group.n, group.mean.value, group.sd.value, group.mean.ci95, group.median.value)


class Seconds(NamedTuple):
    """The mean response time of agent runs, how many have one, and how many have none."""

    mean: float | None
    n: int
    without_time: int


@frozen
class SummaryRow:
    """One group: the fields that make it (none for the whole set), its rows and items, and every score.

    seconds: response times of agent runs; of one tool class under the name of its latency score. class_unknown: how many
    runs count as SINGLE because neither they nor others of their query tell their class.

    >>> row = SummaryRow({"mode": "a"}, 2, 1, {"total": ScoreFigures(3.0, 2, None, 0, [(3.0, 1)])})
    >>> row.as_json()["scores"]["total"]["mean_over_items"], SummaryRow.read(row.as_json()).as_json() == row.as_json()
    (3.0, True)
    """

    by: Mapping[str, str | None]
    n: int
    n_items: int
    scores: Mapping[str, ScoreFigures]
    seconds: Seconds | None = None
    seconds_by_class: Mapping[str, Seconds] = field(default_factory=dict)
    class_unknown: int = 0

    def over_clusters(self, found: Mapping[str, Figure]) -> SummaryRow:
        """The same with the intervals over clusters of items, by the names of the scores."""
        scores = {
            name: of.over_clusters(found.get(name), found.get(WITHOUT + name))
            for name, of in self.scores.items()
        }
        return replace(self, scores=scores)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        seconds: dict[str, Any] = {}
        if self.seconds is not None:
            seconds["seconds"] = self.seconds._asdict()
            seconds["seconds_by_class"] = {name: one._asdict() for name, one in self.seconds_by_class.items()}
            seconds["class_unknown"] = self.class_unknown
        scores = {name: figures.as_json() for name, figures in self.scores.items()}
        return {"by": dict(self.by), "n": self.n, "n_items": self.n_items, **seconds, "scores": scores}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> SummaryRow:
        """A row as it was written, of agent runs that code alone rated: each is one item."""
        scores: dict[str, ScoreFigures] = {}
        for name, of in said["scores"].items():
            by_rule = of.get("zero_by_rule", {}).get("reasons", {})
            made = ScoreFigures(of["mean"], of["n"], of["distribution"], of["missing"], by_rule=by_rule)
            # What was computed when it was written; the counts behind it were not kept.
            vars(made)["over_items"] = OverItems(
                of["n"], of["mean_over_items"], of["sd"], _ends(of["ci95"]), of["median"]
            )
            if "without_zero_by_rule" in of:
                own = of["without_zero_by_rule"]
                vars(made)["without_zero_by_rule"] = OverItems(**own | {"ci95": _ends(own["ci95"])})
            scores[name] = made
        seconds = Seconds(**said["seconds"]) if "seconds" in said else None
        by_class = {name: Seconds(**one) for name, one in said.get("seconds_by_class", {}).items()}
        unknown = said.get("class_unknown", 0)
        return cls(said["by"], said["n"], said["n_items"], scores, seconds, by_class, unknown)


def _ends(given: Sequence[float] | None) -> IntervalEnds | None:
    return None if given is None else (given[0], given[1])
