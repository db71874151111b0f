"""How the columns of a table are read: what each is, how sure that is and why, and what has to be asked.

One reading may be certain (a name, a question word for word) or likely (similar words that fit nothing else); likely ones
are said. Where two readings are possible nothing is chosen: the question names the columns and `--map`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from itertools import islice
from typing import Any

from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.text import Lang, Text, cut

CERTAIN = 1.0
_SHOWN = 12
NAMED = Text("열 이름", "the column's name")
IGNORED = "ignore"
"""The field of a column that is not read, also as it is written in `--map`."""


@frozen
class ColumnReading:
    """What one column is taken for.

    >>> ColumnReading("합리성_민수", "value", "sensibleness", rater="민수", evidence=Text("이름", "its name")).as_json("en")
    {'column': '합리성_민수', 'field': 'value', 'criterion': 'sensibleness', 'item': None, 'rater': '민수', \
'certainty': 1.0, 'evidence': 'its name', 'alternatives': [], 'sample': []}
    """

    column: str
    field: str
    criterion: str | None = None
    item: str | None = None
    rater: str | None = None
    certainty: float = CERTAIN
    evidence: Text = NAMED
    alternatives: tuple[str, ...] = ()
    sample: tuple[str, ...] = ()
    """Some of its values, by which a person recognises it."""

    def as_json(self, lang: Lang | None = None) -> dict[str, Any]:
        """The reading for machines and for the browser."""
        return {
            "column": self.column,
            "field": self.field,
            "criterion": self.criterion,
            "item": self.item,
            "rater": self.rater,
            "certainty": round(self.certainty, 2),
            "evidence": self.evidence.say(lang),
            "alternatives": list(self.alternatives),
            "sample": list(self.sample),
        }

    @property
    def meaning(self) -> Text:
        """What the column is read as, in words."""
        if self.field == IGNORED:
            return Text("읽지 않음", "not read")
        name = FIELDS.get(self.field, Text(self.field, self.field))
        parts = [part for part in (self.criterion, self.item, self.rater) if part]
        return Text(" · ".join([name.ko, *parts]), " · ".join([name.en, *parts]))


FIELDS = {
    "item": Text("항목", "item"),
    "criterion": Text("기준", "criterion"),
    "rater": Text("평가자", "rater"),
    "kind": Text("평가자 종류", "kind of rater"),
    "value": Text("값", "value"),
    "evidence": Text("근거", "evidence"),
    "replicate": Text("반복", "replicate"),
    "status": Text("상태", "status"),
    "reason": Text("사유", "reason"),
    "stance": Text("입장", "stance"),
    "rubric": Text("루브릭", "rubric"),
    "at": Text("시각", "time"),
    "id": Text("항목", "item"),
    "messages": Text("대화", "messages"),
    "role": Text("화자", "role"),
    "content": Text("발화", "content"),
    "context": Text("맥락", "context"),
    "response": Text("응답", "response"),
    "question": Text("질문", "question"),
    "answer": Text("답변", "answer"),
    "turn": Text("차례", "turn"),
    "response_a": Text("응답 A", "response A"),
    "response_b": Text("응답 B", "response B"),
    "system_a": Text("시스템 A", "system A"),
    "system_b": Text("시스템 B", "system B"),
    "a": Text("시스템 A", "system A"),
    "b": Text("시스템 B", "system B"),
    "winner": Text("승자", "winner"),
    "first_game": Text("첫 순서의 승자", "winner in the first order"),
    "second_game": Text("바꾼 순서의 승자", "winner in the other order"),
    "order": Text("보인 순서", "order shown"),
    "meta": Text("메타", "meta"),
}
"""The fields of items and ratings as people call them."""


@frozen
class Understanding:
    """How a table is read: its columns, what was assumed, and what has to be asked before it can be read."""

    place: str
    columns: tuple[ColumnReading, ...]
    assumed: tuple[Text, ...] = ()
    asked: tuple[Problem, ...] = ()
    rater: str | None = None
    item: str | None = None
    kind: str | None = None
    """The kind of all raters, where the column that names them says it."""
    own_items: bool = field(default=False)
    """Whether every answer is about the rater's own conversation, which has the rater's name."""
    row_items: bool = field(default=False)
    """Whether every row is an item, named by its number, since columns are raters and none names the items."""

    def column(self, name: str) -> str | None:
        """The column that holds a field of every row."""
        return next((r.column for r in self.columns if r.field == name and r.criterion is None), None)

    @property
    def values(self) -> list[ColumnReading]:
        """The columns that hold the values of one criterion each."""
        return [reading for reading in self.columns if reading.field == "value" and reading.criterion]

    @property
    def ignored(self) -> list[str]:
        """The columns that are not read."""
        return [reading.column for reading in self.columns if reading.field == IGNORED]

    @property
    def likely(self) -> list[ColumnReading]:
        """The readings that are said, since they are not certain."""
        return [r for r in self.columns if r.certainty < CERTAIN and r.field != IGNORED]

    def said(self) -> Iterator[Text]:
        """What a person should know of how the table was read."""
        yield from self.assumed
        if self.likely:
            pairs = [(short_name(reading.column), reading.meaning) for reading in self.likely[:_SHOWN]]
            rest = len(self.likely) - len(pairs)
            ko = ", ".join(f"{column} → {meaning.ko}" for column, meaning in pairs)
            en = ", ".join(f"{column} → {meaning.en}" for column, meaning in pairs)
            yield Text(
                f"{self.place}: 열의 이름과 값으로 미루어 읽었습니다: {ko}"
                + (f" … 외 {rest}개" if rest else ""),
                f"{self.place}: read by their names and values: {en}"
                + (f" … and {rest} more" if rest else ""),
            )

    def checked(self) -> Understanding:
        """The same; raises what has to be asked."""
        if self.asked:
            raise HaechiError(self.asked)
        return self

    def with_more(self, *assumed: Text) -> Understanding:
        """The same with more that was assumed."""
        return replace(self, assumed=(*self.assumed, *assumed))

    def as_json(self, lang: Lang | None = None) -> dict[str, Any]:
        """The understanding for machines and for the browser."""
        return {
            "table": self.place,
            "columns": [reading.as_json(lang) for reading in self.columns],
            "assumed": [text.say(lang) for text in self.assumed],
            "asked": [problem.as_json(lang) for problem in self.asked],
            "rater": self.rater,
            "item": self.item,
        }


def sample_values(values: Iterable[Any]) -> tuple[str, ...]:
    """The first three different values of a column, on one line each.

    >>> sample_values(["비가\\n왔다", None, 4, 4, "", 5])
    ('비가 왔다', '4', '5')
    """
    texts = (" ".join(str(value).split()) for value in values if value is not None)
    return tuple(islice(dict.fromkeys(text[:60] for text in texts if text), 3))


def short_name(name: str) -> str:
    """A column's name on one line, cut where it is a whole question."""
    one_line = " ".join(name.split())
    return cut(one_line, 30)
