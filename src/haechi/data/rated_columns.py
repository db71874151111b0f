"""The columns of a ratings table while they are being read: what they hold, and what has to be asked about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from haechi.data.column_names import name_cuts
from haechi.data.files import Unstored
from haechi.data.mapping import MAPPED
from haechi.data.names import RATING_FIELDS, fold_name
from haechi.data.rating_rules import BrokenRule, RatingRules, text_of
from haechi.data.tables import InputTable, TableReading
from haechi.data.understanding import FIELDS, IGNORED, ColumnReading, short_name
from haechi.errors import Problem
from haechi.text import Text

_LOOKED_AT = 300
_FITS = 0.8
LONGEST_ID = 80  # signs; what is longer is a text
_UNNAMED = Text("(이름 없음)", "(no name)")


class RatedColumns:
    """What is known of the columns so far."""

    def __init__(
        self,
        table: InputTable,
        rules: RatingRules,
        reading: TableReading,
        rater: str | None,
        of_several: bool,
    ) -> None:
        self.place, self.sheet, self.of_several = table.name, table.sheet, of_several
        self.rules, self.names, self.reading, self.rater = rules, rules.names, reading, rater or reading.rater
        self.columns = table.columns
        self.rows: list[Mapping[str, Any]] = [row.data for row in table.peek(_LOOKED_AT)]
        self.found: dict[str, ColumnReading] = {}
        self.more: list[ColumnReading] = []  # a column that is mapped to one field may hold another beside it
        self.asked: list[Problem] = []
        self.assumed: list[Text] = []

    # What is asked

    def _ask_which(self, columns: Sequence[str], criterion: str) -> None:
        found = Text(
            f"{criterion}의 열이 여럿: {quoted_names(columns)}",
            f"several columns for {criterion}: {quoted_names(columns)}",
        )
        todo = Text(
            f'--map {criterion}="{columns[0]}"처럼 하나를 고르세요',
            f'choose one: --map {criterion}="{columns[0]}"',
        )
        problem = Problem(self.place, found, Text("기준마다 열 하나", "one column for each criterion"), todo)
        if problem not in self.asked:
            self.asked.append(problem)
        for column in columns:
            self._put(column, IGNORED, criterion, certainty=0.5, evidence=found)

    def _ask_meaning(self, column: str, others: tuple[str, ...]) -> None:
        names = ", ".join(others)
        found = Text(f"열 {quoted_names([column])}", f"the column {quoted_names([column])}")
        expected = Text(f"다음 중 하나, 또는 평가가 아님: {names}", f"one of {names}, or no rating at all")
        todo = Text(
            f'--map {others[0]}="{column}" 또는 --map {IGNORED}="{column}" 옵션을 붙이세요',
            f'add --map {others[0]}="{column}" or --map {IGNORED}="{column}"',
        )
        self.asked.append(Problem(self.place, found, expected, todo))
        self._put(
            column,
            IGNORED,
            certainty=0.5,
            evidence=Text("여러 문항과 비슷함", "like a question"),
            alternatives=others,
        )

    def _miss(self, field: str, names: str, candidates: Sequence[str] = ()) -> None:
        near = [*candidates, *self._nearest(field)]
        own = ", ".join(short_name(column) or _UNNAMED.say() for column in self.columns)
        called = FIELDS[field]
        found = Text(
            f"{called.ko} 열이 없습니다. 파일의 열: {own}",
            f"no column for the {called.en}; the file has {own}",
        )
        expected = Text(f"{called.ko} 열({names} …)", f"a column {field} ({names} …)")
        column = near[0] if near else Text("열", "COLUMN").say()
        column = column or str(
            self.columns.index(column) + 1
        )  # a column without a name is called by its number
        ko, en = f'--map {field}="{column}"', f'--map {field}="{column}"'
        if field == "value" and self.names is None and not self._rater_known():
            ko = f"항목 말고는 열마다 한 평가자이면 --wide, 아니면 {ko}"
            en = f"--wide if every column but the item's is a rater; otherwise {en}"
        if field == "item":
            ko, en = f"{ko} 또는 --item ID", f"{en} or --item ID"
        if field == "rater" and not self._rates_twice():
            ko, en = (
                f"{ko}, 한 사람의 평가라면 --rater 이름",
                f"{en}; if one person gave all of them, --rater NAME",
            )
        self.asked.append(Problem(self.place, found, expected, Text(f"{ko} 옵션을 붙이세요", f"add {en}")))

    # What the columns are like

    def _part(self, column: str) -> tuple[str, dict[str, Any]]:
        """A column's name without the rater or the item that it tells as the columns beside it do, and which that is."""
        told = {
            **{one.item: "item" for one in self.found.values() if one.item},
            **{one.rater: "rater" for one in self.found.values() if one.rater},
        }
        cuts = ((about, {told[rest]: rest}) for about, rest in name_cuts(column) if rest in told)
        return next(cuts, (column, {}))

    def _mapped(self) -> None:
        """Columns that somebody mapped to a criterion: what else their names say still tells the rater or the item."""
        alike: dict[str | None, list[ColumnReading]] = {}
        for one in [one for one in self.found.values() if one.evidence is MAPPED and one.criterion]:
            part = self._part(one.column)[1]
            self.found[one.column] = replace(one, **part)
            if not part:
                alike.setdefault(one.criterion, []).append(one)
        held = (
            self._held() | ({"rater"} if self.rater else set()) | ({"item"} if self.reading.item else set())
        )
        for columns in alike.values() if not {"rater", "item"} <= held else ():
            for one, rest in zip(columns, _apart([one.column for one in columns]), strict=False):
                told = replace(one, item=rest) if "rater" in held else replace(one, rater=rest)
                self.found[one.column] = told

    def _put(self, column: str, field: str, criterion: str | None = None, **more: Any) -> None:
        self.found[column] = ColumnReading(column, field, criterion, **more)

    def _open(self) -> list[str]:
        return [column for column in self.columns if column not in self.found]

    def _held(self) -> set[str]:
        return {one.field for one in (*self.found.values(), *self.more) if one.criterion is None}

    def _is_long(self) -> bool:
        return {"criterion", "value"} <= self._held()

    def _values(self, column: str) -> list[str]:
        cells = (row.get(column) for row in self.rows)
        return [text for cell in cells if not isinstance(cell, Unstored) and (text := text_of(cell))]

    def _says_one_of(self, column: str, words: Sequence[str]) -> bool:
        """Whether a column is empty so far, or holds one of the words that are known there."""
        values = self._values(column)
        return not values or any(fold_name(value) in words for value in values)

    def _typical_length(self, column: str) -> float:
        lengths = sorted(map(len, self._values(column)))
        return lengths[len(lengths) // 2] if lengths else 0

    def _names_people(self, column: str) -> bool:
        return 0 < self._typical_length(column) <= 30

    def _fits(self, column: str, criterion: str) -> bool:
        def fits(text: str) -> bool:
            try:
                return self.rules.value(criterion, text) is not None
            except BrokenRule:
                return False

        values = self._values(column)
        return not values or share(values, fits) >= _FITS

    def _candidates(self) -> list[str]:
        """Columns that nothing is known of and that could name items."""
        unknown = [one.column for one in self.found.values() if one.field == IGNORED and one.certainty == 0.0]
        mapped = {one.column for one in self.more}
        short_ones = [c for c in unknown if c not in mapped and 0 < self._typical_length(c) <= LONGEST_ID]
        found = [column for column in short_ones if not self._is_question(column)]
        return (
            sorted(found, key=self._comes_twice) if any(one.rater for one in self.found.values()) else found
        )

    def _comes_twice(self, column: str) -> bool:
        values = self._values(column)
        return len(set(values)) < len(values)

    def _is_question(self, column: str) -> bool:
        """Whether a column is a question answered on the scale of the rubric's first criterion."""
        asked = self.rules.first_criteria()[0]
        return (
            self.names is not None
            and column.rstrip().endswith(("?", "요", "까"))
            and self._fits(column, asked)
        )

    def _nearest(self, field: str) -> list[str]:
        """Columns whose names are nearly a name of the field."""
        unread = [one.column for one in self.found.values() if one.field == IGNORED]
        return [c for c in unread if get_close_matches(fold_name(c), RATING_FIELDS.get(field, ()), 1, 0.75)]

    def _rater_known(self) -> bool:
        return bool(self.rater) or "rater" in self._held()

    def _rates_twice(self) -> bool:
        """Whether an item comes in several rows, which several people must have written."""
        held = next((one.column for one in (*self.found.values(), *self.more) if one.field == "item"), None)
        return held is not None and self._comes_twice(held)


def _apart(columns: Sequence[str]) -> list[str]:
    """What tells columns apart whose names begin or end alike; nothing where it cannot be seen.

    >>> _apart(["공감 / 민수", "공감 / 지영"]), _apart(["공감", "공감 2"]), _apart(["공감 / 민수"])
    (['민수', '지영'], [], [])
    """
    cuts = [dict(name_cuts(column)) for column in columns]
    for about in cuts[0] if len(cuts) > 1 else ():
        rests = [cut.get(about, "") for cut in cuts]
        if all(rests) and len(set(rests)) == len(rests):
            return rests
    return []


def share(values: Sequence[str], holds: Any) -> float:
    """The share of values of which something holds."""
    return sum(bool(holds(value)) for value in values) / len(values)


def quoted_names(columns: Iterable[str]) -> str:
    """The names of columns, as a sentence has them."""
    return ", ".join(f"'{short_name(column)}'" for column in columns)
