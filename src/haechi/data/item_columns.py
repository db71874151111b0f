"""How the columns of a table of items are read, and rows that hold several items: one column for each model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from haechi.data.files import BAD, Row, refuse
from haechi.data.mapping import MAPPED, column_named
from haechi.data.names import ITEM_FIELDS, PAIR_FIELDS, RUN_FIELDS, fold_name, name_fields, plain_text
from haechi.data.tables import TableReading
from haechi.data.understanding import IGNORED, ColumnReading, Understanding, sample_values, short_name
from haechi.text import Text

_REPLY = re.compile(
    r"^(?P<before>.+?)[\s_/|:-]*(?:응답|답변|코멘트|댓글|response|reply|comment|answer)$"
    r"|^(?:응답|답변|코멘트|댓글|response|reply|comment|answer)[\s_/|:(-]+(?P<after>[^)]+)\)?$",
    re.I,
)


class ItemColumns:
    """Reads rows as rows of items with the fields' own names, and says what it took a column for.

    >>> rows = [Row("f.csv:2", {"번호": "d1", "일기": "비", "모델A 코멘트": "네", "모델B 코멘트": "아뇨"})]
    >>> said: list[Text] = []
    >>> [tuple(row.data.values()) for row in ItemColumns("reply", TableReading(), said.append).rows(rows)]
    [('d1-모델A', '비', '네', '모델A'), ('d1-모델B', '비', '아뇨', '모델B')]
    >>> said[0].en
    'f.csv: read 번호 → item, 일기 → context, 모델A 코멘트 → response (모델A), 모델B 코멘트 → response (모델B)'
    """

    def __init__(self, kind: str, reading: TableReading, note: Callable[[Text], object]) -> None:
        self._fields = {"run": RUN_FIELDS, "pair": PAIR_FIELDS}.get(kind, ITEM_FIELDS)
        self._reading = reading
        self._note = note
        self._said: set[tuple[str, ...]] = set()
        self.understandings: list[Understanding] = []
        self._read_before = False
        self.understand = lru_cache(maxsize=1_000)(
            self._understand
        )  # the same few headers come with every row

    def read_before(self, row: Row, fields: Mapping[str, str]) -> None:
        """Columns whose rows became others on the way here, such as turns: people know the columns of their file."""
        self._read_before = True
        columns = (
            ColumnReading(name, fields.get(name, "meta"), sample=sample_values([cell]))
            for name, cell in row.data.items()
        )
        self.understandings.append(Understanding(_table_of(row.place), tuple(columns)))

    def rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows of items."""
        for row in rows:
            if BAD in row.data:
                yield row
                continue
            columns = tuple(row.data)
            how = self.understand(columns, _table_of(row.place))
            if columns not in self._said:
                self._say(row, columns, how)
            yield from self._items(row, how)

    def _items(self, row: Row, how: Understanding) -> Iterator[Row]:
        """The items of a row, usually one; columns that were mapped stand under the names of their fields."""
        replies = [one for one in how.columns if one.field == "response" and one.item]
        mapped = [one for one in how.columns if one.evidence == MAPPED]
        if not replies and not mapped:
            yield row
            return
        gone = {one.column for one in (*replies, *mapped)}
        data = {name: cell for name, cell in row.data.items() if name not in gone}
        for one in mapped:
            if one.field != IGNORED and one not in replies:
                data[self._fields[one.field][0]] = row.data[one.column]
        if not replies:
            yield Row(row.place, data)
            return
        column = next((one.column for one in how.columns if one.field == "id"), None)
        identifier = plain_text(row.data[column]) if column is not None else ""
        data = {name: cell for name, cell in data.items() if name not in (column, "id")}
        for one in replies:
            if plain_text(row.data[one.column]):
                # Without a column of ids they come from the texts; an empty cell in one is a mistake.
                own = {"id": identifier and f"{identifier}-{one.item}"} if column is not None else {}
                yield Row(row.place, {**own, **data, "response": row.data[one.column], "system": one.item})

    def _say(self, row: Row, columns: tuple[str, ...], how: Understanding) -> None:
        self._said.add(columns)
        if not self._read_before:
            shown = (replace(one, sample=sample_values([row.data[one.column]])) for one in how.columns)
            self.understandings.append(replace(how, columns=tuple(shown)))
        other = [one for one in how.columns if one.field not in ("meta", IGNORED) and one.certainty < 1]
        if other:
            ko = ", ".join(f"{short_name(one.column)} → {_meaning(one).ko}" for one in other)
            en = ", ".join(f"{short_name(one.column)} → {_meaning(one).en}" for one in other)
            self._note(Text(f"{how.place}: 읽은 열: {ko}", f"{how.place}: read {en}"))

    def _understand(self, columns: tuple[str, ...], place: str) -> Understanding:
        mapped = list(self._mapped(columns, place))
        taken = {one.column for one in mapped}
        fields = {one.field for one in mapped}
        known, rest = name_fields({name: name for name in columns if name not in taken}, self._fields)
        readings = mapped
        for field, column in known.items():
            # What is called otherwise than the field is said.
            own = 1.0 if fold_name(str(column)) == fold_name(field) else 0.99
            if field in fields:
                readings.append(ColumnReading(str(column), "meta"))
            else:
                readings.append(ColumnReading(str(column), field, certainty=own))
        replies = {} if {"response", "messages"} & (fields | known.keys()) else _replies(rest)
        for column in rest:
            if column in replies and "context" in fields | known.keys():
                why = Text("모델마다 열 하나", "one column for each model")
                readings.append(
                    ColumnReading(column, "response", item=replies[column], certainty=0.9, evidence=why)
                )
            else:
                readings.append(ColumnReading(column, "meta"))
        order = {name: number for number, name in enumerate(columns)}
        return Understanding(place, tuple(sorted(readings, key=lambda one: order[one.column])))

    def _mapped(self, columns: Sequence[str], place: str) -> Iterator[ColumnReading]:
        several = sum(fold_name(field) == "response" for field, _ in self._reading.map) > 1
        for field, column in self._reading.map:
            spelt = (name for name, words in self._fields.items() if fold_name(field) in words)
            meant = IGNORED if field == IGNORED else next(spelt, None)
            if meant is None:
                names = ", ".join((*self._fields, IGNORED))
                todo = Text("--map의 이름을 고치세요", "correct the field in --map")
                raise refuse("--map", field, Text(f"다음 중 하나: {names}", f"one of {names}"), todo)
            name = column_named(column, columns, place)
            system = name if several and meant == "response" else None
            yield ColumnReading(name, meant, item=system, evidence=MAPPED)


def _table_of(place: str) -> str:
    return re.sub(r"[:!,\[]\s*(?:row )?\d+\]?$", "", place)


def _replies(columns: Iterable[str]) -> dict[str, str]:
    """The columns that hold the replies of one model each, with the model's name."""
    found = {
        column: match["before"] or match["after"] for column in columns if (match := _REPLY.match(column))
    }
    return {column: name.strip() for column, name in found.items()} if len(found) > 1 else {}


def _meaning(one: ColumnReading) -> Text:
    meaning = one.meaning
    if one.item:
        words = Text("응답", "response")
        return Text(f"{words.ko}({one.item})", f"{words.en} ({one.item})")
    return meaning
