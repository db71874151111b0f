"""Gates: figures and where they must lie, and scores that must not have become worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from haechi.analysis.score_change import ScoreChange
from haechi.stats import Figure
from haechi.stats.figure import NO_WIDTH, Why, undefined

Kind = Literal["min", "max", "min-lower", "max-upper", "max-drop"]
SIGNS: dict[Kind, str] = {"min": "≥", "max": "≤", "min-lower": "≥", "max-upper": "≤", "max-drop": "<"}


@dataclass(frozen=True)
class Gate:
    """A figure and where it must lie: its value, or the lower or upper end of its 95 % interval.

    max-drop: the largest loss since the baseline that its interval allows must be below the limit.
    """

    kind: Kind
    name: str
    limit: float

    def end_of(self, found: Figure) -> float | None:
        """What of a figure the gate looks at.

        >>> Gate("max-upper", "total", 30).end_of(Figure(25.0, 12, (24.0, 33.0)))
        33.0
        """
        if self.kind in ("min", "max"):
            return found.value
        if self.kind == "max-drop" and found.why_no_ci == NO_WIDTH and found.value is not None:
            return 0.0 - found.value  # every item changed by the same amount: the change is all that there is
        if found.ci95 is None:
            return None
        if self.kind == "max-drop":
            return 0.0 - found.ci95[0]
        return found.ci95[0] if self.kind == "min-lower" else found.ci95[1]


@dataclass(frozen=True)
class Checked:
    """What was found, and whether it passes: a figure at a gate, or how a score changed since the baseline."""

    of: Gate | ScoreChange
    found: Figure
    passed: bool

    @property
    def kind(self) -> str:
        """What is asked for."""
        return "no-regression" if isinstance(self.of, ScoreChange) else self.of.kind

    @property
    def name(self) -> str:
        """The name of the gate, the same in every language and whether it holds or not.

        >>> Checked(Gate("min", "total", 25), Figure(30.0, 12), True).name
        'min total'
        """
        return f"{self.kind} {self.of.name}"

    @property
    def is_change(self) -> bool:
        """Whether what was found is a difference from the baseline."""
        return self.kind in ("no-regression", "max-drop")


def check_gates(named: Mapping[str, Figure], gates: Sequence[Gate]) -> list[Checked]:
    """Try every gate. What has no value does not pass, nor does a name that is not known; the others are tried all the same.

    >>> check_gates({"total": Figure(30.0, 12, (24.0, 33.0))}, [Gate("min-lower", "total", 25)])[0].passed
    False
    >>> check_gates({"total": Figure(30.0, 12)}, [Gate("min", "totl", 25)])[0].found.why.en
    'no figure of this name; similar ones: total'
    """
    return [
        _check(gate, found if (found := named.get(gate.name)) else _unknown(gate, named)) for gate in gates
    ]


def _unknown(gate: Gate, named: Mapping[str, Figure]) -> Figure:
    near = ", ".join(get_close_matches(gate.name, named, 5, 0.3) or list(named)[:5])
    return undefined(
        Why(
            f"그런 이름의 수치가 없습니다. 비슷한 것: {near}", f"no figure of this name; similar ones: {near}"
        ),
        0,
    )


def _check(gate: Gate, found: Figure) -> Checked:
    end = gate.end_of(found)
    if end is None:
        return Checked(gate, found, False)
    holds = {"≥": end >= gate.limit, "≤": end <= gate.limit, "<": end < gate.limit}
    return Checked(gate, found, holds[SIGNS[gate.kind]])


def check_regression(changes: Sequence[ScoreChange]) -> list[Checked]:
    """No score may be lower than before by more than chance explains; what cannot be tested must not be lower."""
    return [Checked(one, one.difference, _holds(one)) for one in changes]


def _holds(one: ScoreChange) -> bool:
    if one.refused or one.is_partial:
        return False
    if not one.is_untested:
        return one.direction >= 0
    return one.after.value is not None and one.after.value >= (one.before.value or 0.0)
