"""Likert: ordered levels with anchors."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from haechi.regex import regex
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.fields import Many
from haechi.rubrics.scales.base import MEANING, POINTS, Choice, Explained, Say, Scale
from haechi.rubrics.values import Level, Off, Words, fold, number, plain
from haechi.text import Text

_CITES = regex(r"(?:메시지|message|turn|msg)s?\s*$", re.IGNORECASE)
_WITH_WORDS = regex(
    r"(?P<before>[^\d(\[]+)[(\[](?P<last>-?\d{1,3})점?[)\]]"  # 매우 그렇다 (5)
    r"|(?P<first>-?\d{1,3})(?:점)?(?:[.):=]|\s*[-–(\[]|\s)\s*(?!이상|이하|미만|초과|정도|쯤|or |to )(?P<after>\D+)"  # 5. 매우 그렇다
)
_GRADES = ("하", "중", "상")
_FIVE = (
    (
        "전혀그렇지않다",
        "전혀아니다",
        "매우그렇지않다",
        "매우불만족",
        "매우나쁨",
        "stronglydisagree",
        "verydissatisfied",
        "verypoor",
    ),
    (
        "그렇지않다",
        "아니다",
        "그렇지않은편이다",
        "불만족",
        "나쁨",
        "disagree",
        "somewhatdisagree",
        "dissatisfied",
        "poor",
    ),
    ("보통이다", "보통", "중립", "neutral", "neitheragreenordisagree", "fair"),
    ("그렇다", "그런편이다", "만족", "좋음", "agree", "somewhatagree", "satisfied", "good"),
    ("매우그렇다", "매우만족", "매우좋음", "stronglyagree", "verysatisfied", "verygood", "excellent"),
)
"""What forms call the five steps of a question, from the lowest; their order is the same wherever they are used."""


def _same(one: str, other: str) -> bool:
    return "".join(one.split()).rstrip(".") == "".join(other.split()).rstrip(".")


class Likert(Scale):
    """Ordered levels, each with its anchor text.

    >>> scale = Likert(type="likert", anchors={1: "나쁨", 2: "좋음"})
    >>> scale.read("２점"), scale.read("매우 그렇다 (2)"), scale.read("좋음")
    ('2', '2', '2')
    """

    type: Literal["likert"]
    anchors: Annotated[dict[int, Words], Many(2, 101)]
    level: Level = "ordinal"

    def check(self) -> None:
        levels = list(self.anchors)
        if levels != sorted(levels) or levels[-1] - levels[0] != len(levels) - 1:
            expected = Text("빠짐없이 이어지는 단계", "levels one after the other with no gap")
            raise Fault(shorten(", ".join(map(str, levels))), expected, at=("anchors",))

    def read(self, raw: Any) -> str:
        value = None if isinstance(raw, bool) else self._level(fold(raw))
        if value is None or value not in self.anchors:
            low, high = min(self.anchors), max(self.anchors)
            expected = Text(f"{low}–{high} 사이의 정수", f"a whole number from {low} to {high}")
            raise Off(expected, raw)
        return plain(value)

    def _level(self, text: str) -> float | None:
        """The number of an answer as forms write it: `4`, `4점`, `매우 그렇다 (5)`, `5. 매우 그렇다`, an anchor itself, or of five `매우 그렇다`."""
        plain_number = number(re.sub(r"점$", "", text))
        if plain_number is not None:
            return plain_number
        written = _WITH_WORDS.fullmatch(text)
        words = (written["before"] or written["after"]).strip(" )]") if written is not None else text
        if written is not None and _CITES.search(words):
            return None  # the number of a message, which evidence cites
        said = {level for level, known in self.anchors.items() for one in known if one and _same(one, words)}
        if written is not None:
            level = int(written["last"] or written["first"])
            return float(level) if said <= {level} else None  # the words may be those of another level
        if not said and len(self.anchors) == len(_GRADES) and text in _GRADES:
            return float(list(self.anchors)[_GRADES.index(text)])
        if not said and len(self.anchors) == len(_FIVE):
            steps = [
                step
                for step, names in enumerate(_FIVE)
                if "".join(text.casefold().split()).rstrip(".") in names
            ]
            return float(list(self.anchors)[steps[0]]) if steps else None
        return float(next(iter(said))) if len(said) == 1 else None

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(map(float, self.anchors))

    def words_near(self, mean: float) -> tuple[int, Text]:
        level = max(min(round(mean), max(self.anchors)), min(self.anchors))
        return level, self.anchors[level]

    def choices(self, say: Say) -> tuple[Choice, ...]:
        return tuple(
            Choice(str(level), str(level) if 0 <= level <= 9 else "", str(level), say(text))
            for level, text in self.anchors.items()
        )

    def prompt_lines(self, say: Say) -> list[str]:
        return [f"- {level}: {say(text)}" for level, text in self.anchors.items()]

    def value_hint(self, say: Say) -> str:
        return " | ".join(map(str, self.anchors))

    def value_schema(self) -> dict[str, Any]:
        return {"type": "integer", "enum": list(self.anchors)}

    def page(self, say: Say) -> Explained:
        return Explained(
            (say(POINTS), say(MEANING)), [(level, say(text)) for level, text in self.anchors.items()]
        )
