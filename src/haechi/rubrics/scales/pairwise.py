"""Pairwise: which of two answers is better, or neither."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from haechi.rubrics.scales.base import MEANING, POINTS, Choice, Explained, Say, Scale
from haechi.rubrics.values import Level, Off, Words, fold
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

PairSide = Literal["a", "b", "tie"]


def _tight(text: str) -> str:
    return re.sub(r"[\s_\-.]+", "", text).casefold()


def _both(words: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words said of a, and the same of b."""
    of_b = words.replace("a", "b").replace("1", "2").replace("left", "right").replace("왼쪽", "오른쪽")
    return frozenset(map(_tight, words.split("|"))), frozenset(map(_tight, of_b.split("|")))


_OF_A, _OF_B = _both("a|model_a|model_1|system_a|시스템 a|모델 a|답변 a|왼쪽|left|1|a 승|a가 나음|[[a]]")
_OF_A |= {"a>b", "a>>b", "a++", "a+", "[[a>b]]", "[[a>>b]]"}  # of how far, only who is kept
_OF_B |= {"b>a", "b>>a", "b++", "b+", "[[b>a]]", "[[b>>a]]", "a<b", "a<<b"}
_TIES = frozenset(
    map(
        _tight,
        (
            *(
                "tie",
                "tie (bothbad)",
                "bothbad",
                "both bad",
                "both good",
                "draw",
                "equal",
                "same",
                "=",
                "[[c]]",
                *("a=b", "[[a=b]]", "tie (inconsistent)"),
            ),
            *("무승부", "비김", "동점", "같음", "비슷함", "둘 다 좋음", "둘 다 나쁨"),
        ),
    )
)


@lru_cache(maxsize=1_000)  # few spellings come very often
def side_said(text: str) -> PairSide | None:
    """Which of the two a verdict means, in the words of arenas, judges and forms.

    >>> side_said("model_b"), side_said("왼쪽"), side_said("tie (bothbad)"), side_said("GPT")
    ('b', 'a', 'tie', None)
    """
    said = _tight(fold(text))
    return "a" if said in _OF_A else "b" if said in _OF_B else "tie" if said in _TIES else None


def turn_verdict(value: str) -> str:
    """A verdict where the two stand the other way round.

    >>> turn_verdict("a"), turn_verdict("tie")
    ('b', 'tie')
    """
    return {"a": "b", "b": "a"}.get(value, value)


class Pairwise(Scale):
    """Which of two answers is better; a value says it of the item's own a and b, whatever order was shown.

    >>> scale = Pairwise(type="pairwise")
    >>> scale.read("A"), scale.read("무승부"), scale.points
    ('a', 'tie', (0.0, 0.5, 1.0))
    """

    type: Literal["pairwise"]
    ties: bool = True
    a: Words = Text("A가 더 낫다", "A is better")
    b: Words = Text("B가 더 낫다", "B is better")
    tie: Words = Text("차이가 없다", "no difference")
    level: Level = "nominal"

    is_category: ClassVar[bool] = True
    compares: ClassVar[bool] = True

    def read(self, raw: Any) -> str:
        said = side_said(str(raw)) if not isinstance(raw, bool) else None
        if said is None or (said == "tie" and not self.ties):
            names = "a, b, tie" if self.ties else "a, b"
            raise Off(Text(f"다음 중 하나: {names}", f"one of {names}"), raw)
        return said

    def turned(self, value: str) -> str:
        return turn_verdict(value)

    @property
    def has_mean(self) -> bool:
        return True  # the share of votes for a, a tie being half a vote

    @property
    def points(self) -> tuple[float, ...]:
        return (0.0, 0.5, 1.0) if self.ties else (0.0, 1.0)

    def points_by_rule(self, raw: Any) -> float:
        return _WORTH[self.read(raw)]

    def category(self, points: float) -> str:
        # Of groups of systems: a verdict is seen from the side of one of them.
        named = {1.0: Text("이김", "won"), 0.5: Text("비김", "tied"), 0.0: Text("짐", "lost")}
        return named[points].say() if points in named else super().category(points)

    def choices(self, say: Say) -> tuple[Choice, ...]:
        tie = (Choice("tie", "=", "=", say(self.tie)),) if self.ties else ()
        return Choice("a", "←", "A", say(self.a)), *tie, Choice("b", "→", "B", say(self.b))

    def prompt_lines(self, say: Say) -> list[str]:
        tie = [f"- tie: {say(self.tie)}"] if self.ties else []
        return [f"- a: {say(self.a)}", f"- b: {say(self.b)}", *tie]

    def value_hint(self, say: Say) -> str:
        return " | ".join(f'"{one}"' for one in self._verdicts)

    def value_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self._verdicts)}

    @property
    def _verdicts(self) -> tuple[str, ...]:
        return ("a", "b", "tie") if self.ties else ("a", "b")

    def page(self, say: Say) -> Explained:
        rows = [
            ("a", 1, say(self.a)),
            *([("tie", 0.5, say(self.tie))] if self.ties else []),
            ("b", 0, say(self.b)),
        ]
        return Explained((say(Text("판단", "verdict")), say(POINTS), say(MEANING)), rows)

    def points_of_column(self, values: pl.Expr) -> pl.Expr:
        import polars as pl

        return values.replace_strict(_WORTH, default=None, return_dtype=pl.Float64)


_WORTH = {"a": 1.0, "tie": 0.5, "b": 0.0}
