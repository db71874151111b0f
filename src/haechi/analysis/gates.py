"""Gates: figures and where they must lie, and scores that must not have become worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from haechi.analysis.score_change import SIGNIFICANT, ScoreChange
from haechi.frozen import frozen
from haechi.stats import Figure
from haechi.stats.distributions import t_quantile
from haechi.stats.figure import NO_WIDTH, Why, undefined

GateInterval = tuple[float, float] | None
GateKind = Literal["min", "max", "min-lower", "max-upper", "max-drop"]
SIGNS: dict[GateKind, str] = {"min": "≥", "max": "≤", "min-lower": "≥", "max-upper": "≤", "max-drop": "<"}
_NO_DF: Mapping[str, float | None] = MappingProxyType({})


@frozen
class Gate:
    """A figure and where it must lie: its value, or the lower or upper end of its 95 % interval.

    max-drop: the largest loss since the baseline that its interval allows must be below the limit.
    """

    kind: GateKind
    name: str
    limit: float

    def end_of(self, found: Figure, interval: GateInterval = None) -> float | None:
        """What of a figure the gate looks at; `interval`: the one that holds over many looks, where many are taken.

        Over many looks a value is only beyond its limit when the whole interval is.

        >>> Gate("max-upper", "total", 30).end_of(Figure(25.0, 12, (24.0, 33.0)))
        33.0
        >>> Gate("min", "total", 26).end_of(Figure(25.0, 12, (24.0, 33.0)), (21.0, 37.0))
        37.0
        """
        if self.kind in ("min", "max") and interval is None:
            return found.value
        if self.kind == "max-drop" and found.why_no_ci == NO_WIDTH and found.value is not None:
            return 0.0 - found.value  # every item changed by the same amount: the change is all that there is
        ends = interval or found.ci95
        if ends is None:
            return None
        if self.kind == "max-drop":
            return 0.0 - ends[0]
        return ends[0] if self.kind in ("min-lower", "max") else ends[1]


def over_looks(found: Figure, looks: int, df: float | None = None) -> GateInterval:
    """The interval that holds over all of so many looks: each is given its share of the 5 % (Bonferroni).

    It is the 95 % interval, widened by the ratio of the two quantiles of Student's t. However the looks hang together, as
    those at one baseline do, the interval of some look misses at most 5 % of the time.

    >>> low, high = over_looks(Figure(25.0, 12, (24.0, 26.0)), 100)
    >>> round(low, 2), round(high, 2)
    (22.79, 27.21)
    """
    if df is None:
        own = found.details.get("df")
        df = own if isinstance(own, float) else found.details.get("clusters_df", found.n - 1)
    if found.value is None or found.ci95 is None or df <= 0:
        return None
    wider = t_quantile(1 - SIGNIFICANT / 2 / looks, df) / t_quantile(1 - SIGNIFICANT / 2, df)
    low, high = found.ci95
    return found.value - wider * (found.value - low), found.value + wider * (high - found.value)


@frozen
class GateResult:
    """What was found, and whether it passes: a figure at a gate, or how a score changed since the baseline.

    looks: how often the gate is asked; interval: of more than one the interval that holds over all of them.
    """

    of: Gate | ScoreChange
    found: Figure
    passed: bool
    looks: int = 1
    interval: GateInterval = None

    @property
    def end(self) -> float | None:
        """What of the figure the gate looks at."""
        if isinstance(self.of, ScoreChange) or (self.looks > 1 and self.interval is None):
            return None
        return self.of.end_of(self.found, self.interval)

    @property
    def kind(self) -> str:
        """What is asked for."""
        return "no-regression" if isinstance(self.of, ScoreChange) else self.of.kind

    @property
    def name(self) -> str:
        """The name of the gate, the same in every language and whether it holds or not.

        >>> GateResult(Gate("min", "total", 25), Figure(30.0, 12), True).name
        'min total'
        """
        return f"{self.kind} {self.of.name}"

    @property
    def is_change(self) -> bool:
        """Whether what was found is a difference from the baseline."""
        return self.kind in ("no-regression", "max-drop")


def check_gates(
    named: Mapping[str, Figure],
    gates: Sequence[Gate],
    looks: int = 1,
    df: Mapping[str, float | None] = _NO_DF,
) -> list[GateResult]:
    """Try every gate. What has no value does not pass, nor does a name that is not known; the others are tried all the same.

    looks: how often the gates are asked; df: the degrees of freedom of figures, where they are not n − 1.

    >>> check_gates({"total": Figure(30.0, 12, (24.0, 33.0))}, [Gate("min-lower", "total", 25)])[0].passed
    False
    >>> check_gates({"total": Figure(30.0, 12)}, [Gate("min", "totl", 25)])[0].found.why.en
    'no figure of this name; similar ones: total'
    """
    return [_check(gate, _named(gate, named), looks, df.get(gate.name)) for gate in gates]


def _named(gate: Gate, named: Mapping[str, Figure]) -> Figure:
    found = named.get(gate.name)
    return _unknown(gate, named) if found is None else found


def _unknown(gate: Gate, named: Mapping[str, Figure]) -> Figure:
    ko, en = "그런 이름의 수치가 없습니다", "no figure of this name"
    if near := ", ".join(get_close_matches(gate.name, named, 5)):
        return undefined(Why(f"{ko}. 비슷한 것: {near}", f"{en}; similar ones: {near}"), 0)
    return undefined(Why(f"{ko}. --list가 모든 이름을 보여 줍니다", f"{en}; --list shows all"), 0)


def _check(gate: Gate, found: Figure, looks: int, df: float | None) -> GateResult:
    checked = GateResult(gate, found, False, looks, over_looks(found, looks, df) if looks > 1 else None)
    end = checked.end
    if end is None:
        return checked
    holds = {"≥": end >= gate.limit, "≤": end <= gate.limit, "<": end < gate.limit}
    return replace(checked, passed=holds[SIGNS[gate.kind]])


def check_regression(changes: Sequence[ScoreChange], looks: int = 1) -> list[GateResult]:
    """No score may be lower than before by more than chance explains; what cannot be tested must not be lower."""
    return [
        GateResult(one, one.difference, _holds(one, SIGNIFICANT / looks), looks, _interval(one, looks))
        for one in changes
    ]


def _interval(one: ScoreChange, looks: int) -> GateInterval:
    return over_looks(one.difference, looks, one.df) if looks > 1 else None


def _holds(one: ScoreChange, level: float) -> bool:
    if one.refused or one.is_partial:
        return False
    if not one.is_untested:
        return one.direction_at(level) >= 0
    return one.after.value is not None and one.after.value >= (one.before.value or 0.0)
