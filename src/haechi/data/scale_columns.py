"""A table that no rubric explains: its columns are raters with numbers, or criteria that look like answers on a scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from haechi.data.column_names import numbered_rater
from haechi.data.names import fold_name
from haechi.data.rated_columns import RatedColumns, quoted_names
from haechi.data.rating_rules import OVERALL
from haechi.rubrics.values import fold, number
from haechi.text import Text

_MOST_POINTS = 11
_FARTHEST = 10
_VALUES = frozenset(
    map(
        fold_name,
        [
            "label",
            "labels",
            "scores",
            "ratings",
            "annotation",
            "judgment",
            "judgement",
            "grade",
            "code",
            "라벨",
            "레이블",
            "등급",
            "판단",
        ],
    )
)
"""What the one column of values is called too, in a table without a rubric."""
_COUNTS = frozenset(map(fold_name, ["", "Unnamed: 0", "index", "row", "행"]))


class ScaleColumns(RatedColumns):
    """What is known of the columns so far, without a rubric."""

    def _numbered(self) -> dict[str, tuple[str, str]]:
        """Columns of several raters who are numbered: what else their names say, and the rater."""
        parts = {column: part for column in self._open() if (part := numbered_rater(column))}
        raters = Counter(about for about, _ in parts.values())
        return {column: part for column, part in parts.items() if raters[part[0]] > 1}

    def _scales(self, mapped: set[str]) -> None:
        """Without a rubric: a column for each rater, or beside a rater one of values, or a criterion in each that looks like a scale."""
        given = self._held() | mapped
        given |= {field for field, said in (("item", self.reading.item), ("rater", self.rater)) if said}
        if given & {"value", "status", "criterion"} or any(one.criterion for one in self.found.values()):
            return
        if "rater" not in given:
            for column, (about, rater) in self._numbered().items():
                why = Text("번호를 매긴 평가자", "raters with numbers")
                self._put(column, "value", about or OVERALL, rater=rater, certainty=0.9, evidence=why)
            return
        taken = {one.column for one in self.more}
        columns = {column: self._values(column) for column in self._open() if column not in taken}
        called = [column for column in columns if fold_name(column) in _VALUES]
        if len(called) == 1:
            self._put(called[0], "value", certainty=0.9)
        elif "item" in given:
            why = Text("몇 가지 수뿐인 열", "a few numbers, as on a scale")
            for column in scale_columns(columns):
                self._put(column, "value", column, certainty=0.7, evidence=why)
        self._say_unread(columns)

    def _say_unread(self, columns: Mapping[str, Sequence[str]]) -> None:
        """Name the columns that could hold ratings as well, beside those that are read."""
        like = {*number_columns(columns), *label_columns(columns)}
        others = [column for column in columns if column in like and column not in self.found]
        if others and self.found.keys() & columns.keys():
            self.assumed.append(
                Text(
                    f"{self.place}: 평가로 읽지 않은 수와 범주의 열: {quoted_names(others)}. 읽으려면 --map value=열",
                    f"{self.place}: columns of numbers and labels that were not read as ratings: {quoted_names(others)}; --map value=COLUMN reads them",
                )
            )

    def _rows_are_items(self) -> bool:
        """Whether columns are raters and no other could name the items, as in the tables of textbooks."""
        told = any(one.rater for one in self.found.values())
        held = self._held() | {one.field for one in self.more}
        if self.names is not None or not told or self.reading.item or "item" in held or self._candidates():
            return False
        self.assumed.append(
            Text(
                f"{self.place}: 항목 열이 없어 줄마다 한 항목으로 보고 줄 번호를 붙였습니다.",
                f"{self.place}: no column names the items: every row is one, by its number.",
            )
        )
        return True


def number_columns(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns, given with their filled cells, of which every cell is a number.

    >>> number_columns({"fluency": ["3", "４"], "model": ["E", "F"], "Approve": []})
    ['fluency']
    """
    return [
        name
        for name, cells in columns.items()
        if cells and all(number(fold(cell)) is not None for cell in cells)
    ]


def label_columns(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns of words that come again and again, such as names of groups or labels that somebody gave.

    >>> label_columns({"tone": ["kind", "cold", "kind", "kind"], "text": ["a b", "c d", "e f", "g h"]})
    ['tone']
    """
    numbers = number_columns(columns)
    return [
        name
        for name, cells in columns.items()
        if name not in numbers and 1 < len(set(cells)) <= min(_MOST_POINTS, len(cells) // 2)
    ]


def scale_columns(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Those of them that look like a scale: few different numbers from −10 to 10, neither all the same nor the rows counted.

    >>> scale_columns({"fluency": ["3", "4", "4"], "seconds": ["23", "1466", "20"], "asked": ["5", "5", "5"], "n": ["0", "1", "2"]})
    ['fluency']
    """
    return [name for name in number_columns(columns) if _is_scale(name, columns[name])]


def _is_scale(name: str, cells: Sequence[str]) -> bool:
    values = [value for cell in cells if (value := number(fold(cell))) is not None]
    counted = len(values) > 2 and values in (
        [float(n + first) for n in range(len(values))] for first in (0, 1)
    )
    few = 1 < len(set(values)) <= _MOST_POINTS and max(map(abs, values)) <= _FARTHEST
    return few and not counted and fold_name(name) not in _COUNTS
