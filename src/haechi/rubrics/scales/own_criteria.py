"""Own criteria: every item brings its list of criteria with points, each of them met or unmet."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from haechi.rubrics.scales.base import MEANING, POINTS, Element, Explained, Say, Scale, number_within
from haechi.rubrics.scales.binary import MET_OR_UNMET
from haechi.rubrics.values import Level, Number, plain
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

RULE = Text(
    "점수 = 충족한 기준의 배점 합 ÷ 양수 배점의 합, 항목마다 0–1로 자름",
    "score = points of the criteria that are met ÷ sum of the positive points, kept within 0–1 for every item",
)
"""How a score is made, as everybody says it who shows one."""


def line_key(words: str) -> str:
    """The key of a sentence, however it is spaced: an answer stays with its sentence when others are edited, and is lost with it.

    >>> line_key("답변이 친절한가"), line_key(" 답변이  친절한가") == line_key("답변이 친절한가")
    ('line_d24643b8457b', True)
    """
    folded = " ".join(unicodedata.normalize("NFC", words).split())
    return f"line_{hashlib.sha256(folded.encode()).hexdigest()[:12]}"


class OwnCriterion(Element):
    """One criterion of an item: what it says, its points (below 0 for what should not be), and its tags.

    >>> one = OwnCriterion.of("환불 기한을 알려 준다", 5, ("axis:정확성",))
    >>> one.key, one.points, one.says("정확성"), one.says("level:정확성", "accuracy")
    ('line_8eb50846e372', 5.0, True, False)
    """

    points: Number
    tags: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        text: str,
        points: float,
        tags: tuple[str, ...] = (),
        key: str | None = None,
        title: str | None = None,
    ) -> OwnCriterion:
        """A criterion by its text; its key is made from the text unless it has one."""
        words, named = Text(text, text), Text(title or text, title or text)
        return cls.unchecked(
            key=key or line_key(text), name=named, question=words, points=float(points), tags=tags
        )

    @property
    def text(self) -> str:
        """What it says."""
        return self.question.ko

    def says(self, *names: str) -> bool:
        """Whether one of its tags is one of these names, with or without what stands before a colon."""
        wanted = {name.strip().casefold() for name in names}
        return any(wanted & {tag.casefold(), tag.partition(":")[2].strip().casefold()} for tag in self.tags)


class OwnCriteria(Scale):
    """The criteria that an item brings itself; the rubric says how they are judged.

    >>> scale = OwnCriteria(type="own-criteria")
    >>> scale.part_words(OwnCriterion.of("없는 규정을 지어낸다", -2), lambda text: text.ko), scale.range
    ('[−2점] 없는 규정을 지어낸다', (0.0, 1.0))
    """

    type: Literal["own-criteria"]
    level: Level = "interval"

    of_items: ClassVar[bool] = True

    @property
    def range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def read(self, raw: Any) -> str:
        """A rater may give the score itself, as graders of a benchmark report it."""
        return number_within(raw, *self.range)

    @property
    def rules(self) -> tuple[Text, ...]:
        return (
            Text(
                "기준의 문장대로이면 충족(1), 아니면 미충족(0)입니다.",
                "Met (1) if it is as the sentence says, else unmet (0).",
            ),
            Text(
                "한 기준에 조건이 여럿이면 모두 맞아야 충족입니다. '예를 들어'나 '등'으로 든 보기는 모두 나오지 않아도 됩니다.",
                "Where a criterion has several conditions all must hold; of examples ('such as', 'for example') not all must occur.",
            ),
            Text(
                "배점이 음수인 기준은 없어야 할 일입니다. 그 일이 있으면 충족(1), 없으면 미충족(0)입니다.",
                "A criterion with negative points is something that should not be: met (1) if it is there, unmet (0) if not.",
            ),
        )

    def part_words(self, part: Element, say: Say) -> str:
        worth = part.points if isinstance(part, OwnCriterion) else 0.0
        return f"[{say(points_words(worth))}] {say(part.question)}"

    def page(self, say: Say) -> Explained:
        head = (say(POINTS), say(MEANING))
        rows = [(1, say(MET_OR_UNMET.met)), (0, say(MET_OR_UNMET.unmet))]
        return Explained(head, rows, (*map(say, self.rules), say(RULE)))

    def points_of_earned(self, earned: pl.Expr, possible: pl.Expr) -> pl.Expr:
        import polars as pl

        return pl.when(possible > 0).then((earned / possible).clip(*self.range))


def points_words(points: float) -> Text:
    """The points of a criterion with their sign.

    >>> points_words(5).en, points_words(-0.5).ko
    ('+5 points', '−0.5점')
    """
    worth = f"−{plain(-points)}" if points < 0 else f"+{plain(points)}"
    return Text(f"{worth}점", f"{worth} point{'' if abs(points) == 1 else 's'}")
