"""A long Parquet table of numbers, read a piece at a time: thirty million ratings do not fit as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haechi.data.column_rules import MOST_PROBLEMS, PLACE, ROW, checked_ratings
from haechi.data.distinct_texts import distinct_texts
from haechi.data.files import check_exists, no_parquet, refuse
from haechi.data.item_numbers import ItemHashes, ItemNames, ItemRange
from haechi.data.names import RATING_FIELDS, name_fields
from haechi.data.parquet import BROKEN, n_rows, pieces, scan
from haechi.data.rating_rules import BrokenRule, RatingRules, rated_twice, text_of
from haechi.data.splits import RowSplit
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.text import Text

_ROWS = 1 << 18
_MOST_CELLS = 1_000_000  # raters × criteria × replicates; more are no panel of raters
_SMALL = ("criterion", "rater", "kind", "replicate")


class RatingColumn(NamedTuple):
    """Whose ratings of what a column holds."""

    criterion: str
    rater: str
    kind: str
    replicate: int

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells judgements of an item apart; who rates as two kinds of rater is one rater."""
        return self.criterion, self.rater, self.replicate


class RatingPiece(NamedTuple):
    """Some rows: the item's number, the position in `LargeTable.cells`, and the value (NaN: missing)."""

    first_row: int
    item: NDArray[np.integer]
    cell: NDArray[np.integer]
    value: NDArray[np.float64]


class LargeTable:
    """Ratings in a Parquet file whose values are numbers.

    `items` and `cells` are complete once all pieces were read.

    >>> import tempfile
    >>> import polars as pl
    >>> file = Path(tempfile.mkdtemp()) / "r.parquet"
    >>> pl.DataFrame({"item": [7, 7, 8], "rater": ["a", "b", "a"], "value": [1.0, 2.0, None]}).write_parquet(file)
    >>> table = LargeTable.open(file)
    >>> [piece.value.tolist() for piece in table.pieces()]
    [[1.0, 2.0, nan]]
    >>> table.cells[1].rater, table.item_name(0)
    ('b', '7')
    """

    def __init__(self, path: Path, names: dict[str, str], split: RowSplit | None) -> None:
        self.path, self._names, self.n_rows = path, names, n_rows(path)
        self.cells: list[RatingColumn] = []
        self._known: dict[RatingColumn, int] = {}
        self._split = split or RowSplit(path, 0, self.n_rows)
        self._numbering: ItemRange | ItemNames | ItemHashes = (
            (ItemRange.of(path, names["item"]) or ItemNames(path, names["item"]))
            if split is None
            else ItemHashes()
        )

    @classmethod
    def open(cls, path: Path, split: RowSplit | None = None) -> LargeTable | None:
        """The table, or None if the file is no long Parquet table of numbers.

        With `split` only its rows are read, and items are numbered by their hashes, so that the same item has the same
        number in all parts of all files.
        """
        if path.suffix.lower() != ".parquet":
            return None
        check_exists(path)
        try:
            schema = scan(path).collect_schema()
            known, _ = name_fields({name: name for name in schema}, RATING_FIELDS)
            if not {"item", "rater", "value"} <= known.keys():
                return None
            value = schema[known["value"]]
            return cls(path, known, split) if value.is_numeric() or value == pl.Boolean else None
        except BROKEN as error:
            raise no_parquet(path.name, error) from None

    def item_in_row(self, row: int) -> str:
        """What the file calls the item of a row, counted from one."""
        column = scan(self.path).select(self._names["item"])
        return str(column.slice(row - 1, 1).collect().item()).strip()

    @property
    def n_items(self) -> int:
        """How many items there may be: their numbers lie below this."""
        return self._numbering.size

    def close(self) -> None:
        """All pieces were read: give back what only reading needs. Names of items can still be asked for."""
        self._numbering.close()

    def item_name(self, number: int) -> str:
        """What the file calls an item."""
        return self._numbering.name(number)

    def pieces(self) -> Iterator[RatingPiece]:
        """The rows, a quarter of a million at a time."""
        wanted = {
            field: name
            for field, name in self._names.items()
            if field in (*_SMALL, "item", "value", "status")
        }
        first = self._split.start + 1
        problems: list[Problem] = []
        for rows in pieces(self.path, _ROWS, [*wanted.values()], self._split.start, self._split.stop):
            columns = {field: rows[name] for field, name in wanted.items()}
            try:
                piece = self._piece(first, columns, rows.height)
            except BrokenRule as broken:
                place = f"{self.path.name}, row {first}+"
                problems += self._problems(first, columns) or (broken.at(place),)
            else:
                if not problems:
                    yield piece
            if len(problems) >= MOST_PROBLEMS:
                break
            first += rows.height
        if problems:
            raise HaechiError(unique_problems(problems[:MOST_PROBLEMS]))
        if not self.n_rows:
            raise refuse(
                str(self.path),
                Text("평가 없음", "no ratings"),
                Text("한 건 이상의 평가", "at least one rating"),
            )

    def _problems(self, first: int, columns: dict[str, pl.Series]) -> tuple[Problem, ...]:
        """What is wrong with some rows, which are read as those of any other table are."""
        frame = pl.DataFrame(columns)
        numbers = pl.int_range(first, pl.len() + first)
        place = pl.format(f"{self.path.name}, row {{}}", numbers)
        try:
            checked_ratings(frame.with_columns(place.alias(PLACE), numbers.alias(ROW)), _rules)
        except HaechiError as error:
            return error.problems
        return ()

    def _piece(self, first: int, columns: dict[str, pl.Series], rows: int) -> RatingPiece:
        for field in ("item", "rater"):
            if columns[field].null_count():
                _rules.name(field, None)
        value = columns["value"].cast(pl.Float64).to_numpy()  # null becomes NaN
        if np.isinf(value).any():
            _rules.value("", "inf")
        self._check_status(columns.get("status"), value)
        cells = self._cells(columns, rows)
        return RatingPiece(first, self._numbering.number(columns["item"], first), cells, value)

    def _cells(self, columns: dict[str, pl.Series], rows: int) -> NDArray[np.int64]:
        """The cell of every row: the short lists are combined, and each combination is looked up once."""
        mixed = np.zeros(rows, dtype=np.int64)
        lists: list[Sequence[Any]] = []
        for field in _SMALL:
            codes, names = _codes(columns[field]) if field in columns else (None, [None])
            lists.append(names)
            if codes is not None:
                mixed *= len(names)
                mixed += codes
        if np.prod([len(names) for names in lists], dtype=np.float64) > _MOST_CELLS:
            found = Text(
                f"평가자 {len(lists[1]):,}명 × 기준 {len(lists[0]):,}개",
                f"{len(lists[1]):,} raters × {len(lists[0]):,} criteria",
            )
            raise refuse(str(self.path), found, Text("더 적은 평가자와 기준", "fewer raters and criteria"))
        used = np.flatnonzero(np.bincount(mixed))
        place = np.zeros(int(used[-1]) + 1, dtype=np.int64)
        first = np.zeros_like(place)
        first[mixed[::-1]] = np.arange(rows)[::-1]
        # In the order of the file, as any other table is read.
        for code in used[np.argsort(first[used])].tolist():
            at = np.unravel_index(code, tuple(len(names) for names in lists))
            cell = _cell([names[int(i)] for names, i in zip(lists, at, strict=True)])
            place[code] = self._known.setdefault(cell, len(self._known))
            if len(self._known) > len(self.cells):
                self.cells.append(cell)
        return place[mixed]

    def _check_status(self, status: pl.Series | None, value: NDArray[np.float64]) -> None:
        if status is None:
            return
        codes, names = _codes(status)
        given = ~np.isnan(value)
        for code in np.unique(2 * codes.astype(np.int64) + given).tolist():
            _rules.status(text_of(names[code // 2]), "1" if code % 2 else None)

    def refuse_duplicates(self, keys: Iterable[tuple[str, str, int]]) -> None:
        """Read the file again to name the rows that rate the same thing as an earlier row."""
        seen = {key: np.zeros(self.n_items, dtype=bool) for key in keys}
        problems: list[Problem] = []
        for piece in self.pieces():
            wrong: dict[int, Problem] = {}
            for key, rated in seen.items():
                own = np.array([cell.key == key for cell in self.cells])
                rows = np.flatnonzero(own[piece.cell])
                items = piece.item[rows]
                again = rated[items]
                again[np.setdiff1d(np.arange(items.size), np.unique(items, return_index=True)[1])] = True
                rated[items] = True
                for row, item in zip(rows[again].tolist(), items[again].tolist(), strict=True):
                    place = f"{self.path.name}, row {piece.first_row + row}"
                    wrong[row] = rated_twice(place, self.item_name(item), *key)
            problems += [wrong[row] for row in sorted(wrong)]
            if len(problems) >= MOST_PROBLEMS:
                break
        raise HaechiError(unique_problems(problems[:MOST_PROBLEMS]))


def _codes(column: pl.Series) -> tuple[NDArray[np.integer], Sequence[Any]]:
    """A column that repeats few values: the position of each, and the values (None is one of them)."""
    if not column.dtype.is_numeric():
        return distinct_texts(column)
    values = column.unique(maintain_order=True)
    codes = column.replace_strict(values, range(values.len()), return_dtype=pl.Int64)
    return codes.to_numpy(), values.to_list()


def _cell(names: list[Any]) -> RatingColumn:
    criterion, rater, kind, replicate = map(text_of, names)
    return RatingColumn(
        _rules.criterion(criterion),
        _rules.name("rater", rater),
        _rules.kind(kind),
        _rules.replicate(replicate),
    )


_rules = RatingRules()  # a rubric's scores come from tables that are read whole
