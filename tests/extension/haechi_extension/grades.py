"""A kind of scales: letters from the best to the worst, the worst of them worth 0."""

from __future__ import annotations

from typing import Any, Literal

from haechi.rubrics.scales import Choice, Explained, Level, Off, Say, Scale
from haechi.text import Text


class Grades(Scale):
    """Letters instead of numbers."""

    type: Literal["grades"]
    letters: tuple[str, ...] = ("A", "B", "C", "D")
    level: Level = "ordinal"

    @property
    def worth(self) -> dict[str, float]:
        return {letter: float(points) for points, letter in enumerate(reversed(self.letters))}

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(sorted(self.worth.values()))

    def read(self, raw: Any) -> str:
        letter = str(raw).strip().upper()
        if letter not in self.letters:
            known = ", ".join(self.letters)
            raise Off(Text(f"학점 {known}", f"a grade of {known}"), raw)
        return letter

    def choices(self, say: Say) -> tuple[Choice, ...]:
        return tuple(Choice(letter, letter.lower(), letter) for letter in self.letters)

    def prompt_lines(self, say: Say) -> list[str]:
        return [say(Text(f"- {self.letters[0]}이(가) 가장 좋습니다.", f"- {self.letters[0]} is the best."))]

    def value_hint(self, say: Say) -> str:
        return " | ".join(f'"{letter}"' for letter in self.letters)

    def value_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.letters)}

    def page(self, say: Say) -> Explained:
        return Explained((say(Text("학점", "grade")), say(Text("점수", "points"))), list(self.worth.items()))

    def points_of_column(self, values: Any) -> Any:
        import polars as pl

        return values.replace_strict(self.worth, default=None, return_dtype=pl.Float64)


class Unreadable(Grades):
    """A scale with a field that no file can hold."""

    type: Literal["unreadable"]
    made: complex = 1j
