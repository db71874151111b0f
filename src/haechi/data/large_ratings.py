"""A long Parquet table of numbers, read a piece at a time: thirty million ratings do not fit as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from haechi.data.files import check_exists, no_parquet, refuse
from haechi.data.item_numbers import ItemHashes, ItemNames, ItemRange, array_of
from haechi.data.names import RATING_FIELDS, name_fields
from haechi.data.rating_columns import MOST_PROBLEMS, PLACE, ROW, checked_ratings
from haechi.data.rating_rules import Broken, RatingRules, rated_twice, text_of
from haechi.data.splits import Rows, groups_within
from haechi.errors import HaechiError, Problem, once
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


class Piece(NamedTuple):
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

    def __init__(self, path: Path, file: Any, names: dict[str, str], split: Rows | None) -> None:
        self.path, self._file, self._names = path, file, names
        self.cells: list[RatingColumn] = []
        self._known: dict[RatingColumn, int] = {}
        self._split = split or Rows(path, 0, file.metadata.num_rows)
        self._numbering: ItemRange | ItemNames | ItemHashes = (
            (ItemRange.of(file, names["item"]) or ItemNames(path, names["item"]))
            if split is None
            else ItemHashes()
        )

    @classmethod
    def open(cls, path: Path, split: Rows | None = None) -> LargeTable | None:
        """The table, or None if the file is no long Parquet table of numbers.

        With `split`, which is cut at row groups, only its rows are read, and items are numbered by their hashes, so that the same
        item has the same number in all parts of all files.
        """
        if path.suffix.lower() != ".parquet":
            return None
        check_exists(path)
        try:
            schema = pq.read_schema(path)
            known, _ = name_fields({name: name for name in schema.names}, RATING_FIELDS)
            if not {"item", "rater", "value"} <= known.keys() or not _is_number(
                schema.field(known["value"]).type
            ):
                return None
            texts = [known[name] for name in (*_SMALL, "status") if name in known]
            texts = [name for name in texts if pa.types.is_string(schema.field(name).type)]
            # Names that repeat come as numbers and a short list: nobody builds thirty million strings.
            return cls(path, pq.ParquetFile(path, read_dictionary=texts), known, split)
        except (pa.ArrowException, OSError) as error:
            raise no_parquet(path.name, error) from None

    @property
    def row_groups(self) -> int:
        """How many row groups the file has."""
        return int(self._file.num_row_groups)

    @property
    def n_rows(self) -> int:
        """How many rows the file has."""
        return int(self._file.metadata.num_rows)

    def item_in_row(self, row: int) -> str:
        """What the file calls the item of a row, counted from one."""
        column = pl.scan_parquet(self.path, glob=False).select(self._names["item"])
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

    def pieces(self) -> Iterator[Piece]:
        """The rows of the file, a million at a time."""
        wanted = [
            name for field, name in self._names.items() if field in (*_SMALL, "item", "value", "status")
        ]
        groups, before = groups_within(self._file.metadata, self._split)
        first = before + 1
        problems: list[Problem] = []
        for batch in self._file.iter_batches(_ROWS, row_groups=groups, columns=wanted):
            if not batch.num_rows:
                continue
            columns = {
                field: batch.column(name) for field, name in self._names.items() if name in batch.schema.names
            }
            try:
                piece = self._piece(first, columns, batch.num_rows)
            except Broken as broken:
                place = f"{self.path.name}, row {first}+"
                problems += self._problems(first, columns) or (broken.at(place),)
            else:
                if not problems:
                    yield piece
            if len(problems) >= MOST_PROBLEMS:
                break
            first += batch.num_rows
        if problems:
            raise HaechiError(once(problems[:MOST_PROBLEMS]))
        if not self.n_rows:
            raise refuse(
                str(self.path),
                Text("평가 없음", "no ratings"),
                Text("한 건 이상의 평가", "at least one rating"),
            )

    def _problems(self, first: int, columns: dict[str, Any]) -> tuple[Problem, ...]:
        """What is wrong with some rows, which are read as those of any other table are."""
        frame = pl.DataFrame({field: pl.Series(column) for field, column in columns.items()})
        numbers = pl.int_range(first, pl.len() + first)
        place = pl.format(f"{self.path.name}, row {{}}", numbers)
        try:
            checked_ratings(frame.with_columns(place.alias(PLACE), numbers.alias(ROW)), _rules)
        except HaechiError as error:
            return error.problems
        return ()

    def _piece(self, first: int, columns: dict[str, Any], rows: int) -> Piece:
        for field in ("item", "rater"):
            if columns[field].null_count:
                _rules.name(field, None)
        value = array_of(columns["value"].cast(pa.float64()))  # null becomes NaN
        if np.isinf(value).any():
            _rules.value("", "inf")
        self._check_status(columns.get("status"), value)
        cells = self._cells(columns, rows)
        return Piece(first, self._numbering.number(columns["item"], first), cells, value)

    def _cells(self, columns: dict[str, Any], rows: int) -> NDArray[np.int64]:
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

    def _check_status(self, status: Any, value: NDArray[np.float64]) -> None:
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
        raise HaechiError(once(problems[:MOST_PROBLEMS]))


def _is_number(kind: Any) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    )


def _codes(column: Any) -> tuple[NDArray[np.integer], Sequence[Any]]:
    """A column that repeats few values: the position of each, and the values (None is one of them)."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    names = column.dictionary.to_pylist()
    if column.null_count:
        nothing = pa.scalar(len(names), column.indices.type)
        return array_of(column.indices.fill_null(nothing)), [*names, None]
    return array_of(column.indices), names


def _cell(names: list[Any]) -> RatingColumn:
    criterion, rater, kind, replicate = map(text_of, names)
    return RatingColumn(
        _rules.criterion(criterion),
        _rules.name("rater", rater),
        _rules.kind(kind),
        _rules.replicate(replicate),
    )


_rules = RatingRules()  # a rubric's scores come from tables that are read whole
