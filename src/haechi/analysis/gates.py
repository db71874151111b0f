"""Gates: figures and where they must lie, and scores that must not have become worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from haechi.analysis.score_change import ScoreChange
from haechi.errors import HaechiError
from haechi.stats import Figure
from haechi.text import Text

Kind = Literal["min", "max", "min-lower", "max-upper"]
SIGNS: dict[Kind, str] = {"min": "≥", "max": "≤", "min-lower": "≥", "max-upper": "≤"}


@dataclass(frozen=True)
class Gate:
    """A figure and where it must lie: its value, or the lower or upper end of its 95 % interval."""

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
        if found.ci95 is None:
            return None
        return found.ci95[0] if self.kind == "min-lower" else found.ci95[1]


@dataclass(frozen=True)
class Checked:
    """What was found, and whether it passes: a figure at a gate, or how a score changed since the baseline."""

    of: Gate | ScoreChange
    found: Figure
    passed: bool


def check_gates(named: Mapping[str, Figure], gates: Sequence[Gate]) -> list[Checked]:
    """Try every gate. A figure without a value does not pass; an unknown name is refused.

    >>> check_gates({"total": Figure(30.0, 12, (24.0, 33.0))}, [Gate("min-lower", "total", 25)])[0].passed
    False
    """
    found = {gate.name: named.get(gate.name) for gate in gates}
    unknown = [name for name, one in found.items() if one is None]
    if unknown:
        near = get_close_matches(unknown[0], named, 5, 0.3) or list(named)[:5]
        expected = Text(
            f"스터디에 있는 수치. 비슷한 것: {', '.join(near)}",
            f"a figure of the study, such as {', '.join(near)}",
        )
        raise HaechiError.of(
            "haechi check",
            ", ".join(unknown),
            expected,
            Text("--list로 이름을 보세요", "see the names with --list"),
        )
    return [_check(gate, one) for gate in gates if (one := found[gate.name]) is not None]


def _check(gate: Gate, found: Figure) -> Checked:
    end = gate.end_of(found)
    if end is None:
        return Checked(gate, found, False)
    return Checked(gate, found, end >= gate.limit if SIGNS[gate.kind] == "≥" else end <= gate.limit)


def check_regression(changes: Sequence[ScoreChange]) -> list[Checked]:
    """No score may be lower than before by more than chance explains; what cannot be tested must not be lower."""
    return [Checked(one, one.difference, _holds(one)) for one in changes]


def _holds(one: ScoreChange) -> bool:
    if one.refused:
        return False
    if not one.is_untested:
        return one.direction >= 0
    return one.after.value is not None and one.after.value >= (one.before.value or 0.0)
