"""What a benchmark found: a table to read, and ratios to compare with those of another day.

Seconds depend on the machine and its neighbours; ratios of two things measured in one run much less so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

MEASURED = Path(__file__).parent / "measured"
"""The results that `docs/performance.md` shows, one file for each benchmark."""
_DAYS = MEASURED / "days.txt"
"""When each of them was measured: a name and a day on every line."""


@dataclass(frozen=True)
class Ratio:
    """A figure without unit; `sign` says whether more (>=) or less (<=) is better, `goal` what is aimed at."""

    name: str
    value: float
    sign: str
    goal: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.sign == ">=" else self.value <= self.goal

    def worse_than(self, earlier: Ratio) -> float:
        """By what factor it is worse than an earlier one; below 1 it is better.

        >>> round(Ratio("seconds to floor", 3.0, "<=").worse_than(Ratio("seconds to floor", 2.0, "<=")), 2)
        1.5
        """
        now, then = max(self.value, 1e-9), max(earlier.value, 1e-9)
        return then / now if self.sign == ">=" else now / then


@dataclass(frozen=True)
class Result:
    """One table with its ratios."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ratios: tuple[Ratio, ...] = ()
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The table, the ratios and the notes.

        >>> print(Result("Start", ("what", "ms"), (("pass", "14"),), (Ratio("help to pass", 2.4, "<=", 3),)).markdown())
        | what | ms |
        |---|---:|
        | pass | 14 |
        <BLANKLINE>
        | ratio | value | goal | |
        |---|---:|---:|---|
        | help to pass | 2.40 | ≤ 3 | reached |
        """
        parts = [_table(self.head, self.rows)]
        if self.ratios:
            parts.append(_table(("ratio", "value", "goal", ""), [_row(ratio) for ratio in self.ratios]))
        parts += self.notes
        return "\n\n".join(parts)


def save(name: str, results: Sequence[Result]) -> None:
    """Keep the results of a benchmark for the page."""
    MEASURED.mkdir(exist_ok=True)
    text = json.dumps([asdict(result) for result in results], ensure_ascii=False, indent=1)
    (MEASURED / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    days = _days() | {name: datetime.now(UTC).date().isoformat()}
    _DAYS.write_text("".join(f"{one} {day}\n" for one, day in sorted(days.items())), encoding="utf-8")


def measured_on(name: str) -> str:
    """The day on which a benchmark was measured last.

    >>> len(measured_on("startup"))
    10
    """
    return _days()[name]


def _days() -> dict[str, str]:
    lines = _DAYS.read_text(encoding="utf-8").splitlines() if _DAYS.exists() else []
    return {line.split()[0]: line.split()[1] for line in lines}


def load(name: str) -> list[Result]:
    """The results kept last, none if it was never run."""
    file = MEASURED / f"{name}.json"
    if not file.exists():
        return []
    return [
        Result(
            one["title"],
            tuple(one["head"]),
            tuple(map(tuple, one["rows"])),
            tuple(Ratio(**ratio) for ratio in one["ratios"]),
            tuple(one["notes"]),
        )
        for one in json.loads(file.read_text(encoding="utf-8"))
    ]


def _row(ratio: Ratio) -> tuple[str, ...]:
    words = {None: "", True: "reached", False: "missed"}
    sign = "≥" if ratio.sign == ">=" else "≤"
    goal = "" if ratio.goal is None else f"{sign} {ratio.goal:,g}"
    value = f"{ratio.value:,.0f}" if ratio.value >= 100 else f"{ratio.value:.2f}"
    return ratio.name, value, goal, words[ratio.reached]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; columns of figures stand to the right."""
    figures = [
        all(not row[column] or row[column][0] in "0123456789-≤≥" for row in rows)
        and any(row[column] for row in rows)
        for column in range(len(head))
    ]
    lines = ["|" + "|".join("---:" if right else "---" for right in figures) + "|"]
    for row in (head, *rows):
        lines.append("| " + " | ".join(row) + " |")
    lines[0], lines[1] = lines[1], lines[0]
    return "\n".join(line.replace("|  |", "| |") for line in lines)
