"""The items that people rated as a part of all: how they were chosen, and with which probability."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Literal

from haechi.frozen import frozen
from haechi.text import Text

DrawMethod = Literal["all", "drawn", "declared", "desk", "until"]


@frozen
class RandomPart:
    """How the rated items were chosen, in a word and in words.

    chances: with which probability every item of the part came into it; empty: all alike. goal: what was asked for until
    it is reached, the name of a score and half the width of its interval.
    """

    how: DrawMethod
    said: Text
    chances: Mapping[str, float] = field(default_factory=dict)
    goal: tuple[str, float] | None = None

    def keeps(self, items: Collection[str]) -> list[bool]:
        """Of every item whether it is of the part; without chances all are.

        >>> RandomPart("drawn", Text("뽑음", "drawn"), {"d1": 0.5}).keeps(["d1", "d2"])
        [True, False]
        """
        return [not self.chances or item in self.chances for item in items]


@frozen
class NoPart:
    """Why it is not known to be a random part."""

    why: Text


_DECLARE = Text(
    '무작위로 골랐다면 haechi draw 스터디 --declare "고른 방법"으로 알려 주세요',
    'if they were chosen at random, say so: haechi draw DIR --declare "how"',
)
UNKNOWN_HOW = Text(
    f"사람이 평가한 항목을 어떻게 골랐는지 기록이 없어 나머지 항목까지 말할 수 없습니다. {_DECLARE.ko}",
    "nothing is recorded about how the items that people rated were chosen, so nothing can be said about the others; "
    + _DECLARE.en,
)


def desk_part(rated: Collection[str], given_out: Collection[str], chosen: bool) -> RandomPart | NoPart:
    """Ratings that all came from the desk, which gives out items in random order, are of a random part.

    rated: the items that people rated; given_out: those that the desk gave out; chosen: raters got only items of a kind.

    >>> desk_part({"d1"}, {"d1", "d2"}, False).how, isinstance(desk_part({"d1"}, {"d2"}, False), NoPart)
    ('desk', True)
    """
    if not rated or not set(rated) <= set(given_out):
        return NoPart(UNKNOWN_HOW)
    if chosen:
        return NoPart(
            Text(
                "평가 화면에서 일부 항목만 받은 평가자가 있어, 사람이 평가한 항목은 무작위로 고른 것이 아닙니다",
                "some raters of the desk got items of one kind only, so the items that people rated are no random part",
            )
        )
    words = Text("평가 화면이 무작위 순서로 준 항목", "items that the desk gave out in random order")
    return RandomPart("desk", words)


def added_since(items: int) -> NoPart:
    """Items that came after the draw had no chance to be drawn."""
    return NoPart(
        Text(
            f"사람이 평가할 항목을 뽑은 뒤에 항목 {items:,}개가 추가되어 뽑힐 기회가 없었습니다. haechi draw로 다시 뽑으세요. 이미 평가한 항목은 그대로 쓰입니다",
            f"{items:,} items were added after the draw and had no chance to be drawn; draw again with haechi draw: items that "
            "are rated already count",
        )
    )


def read_goal(text: str) -> tuple[str, float]:
    """A score and half the width of its interval, as `total=±1.0` says it.

    >>> read_goal("total=±1.0"), read_goal("total=0.5")
    (('total', 1.0), ('total', 0.5))
    """
    name, _, half = text.partition("=")
    return name.strip(), float(half.strip().removeprefix("±").removeprefix("+-").removeprefix("+/-"))
