"""A long Parquet table of numbers, read a piece at a time: thirty million ratings do not fit as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from haechi.errors import HaechiError, Problem
from haechi.items.files import check_exists, refuse
from haechi.items.names import RATING_FIELDS, name_fields
from haechi.raters.people import KINDS
from haechi.text import Text

_ROWS = 1 << 18
_SHOWN_PROBLEMS = 20
_MOST_CELLS = 1_000_000  # raters × criteria × replicates; more are no panel of raters
_SMALL = ("criterion", "rater", "kind", "replicate")
_CORRECT = Text("고친 뒤 다시 실행하세요", "correct it and run again")


class Cell(NamedTuple):
    """Whose ratings of what a column holds."""

    criterion: str
    rater: str
    kind: str
    replicate: int


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
    >>> file = Path(tempfile.mkdtemp()) / "r.parquet"
    >>> pl.DataFrame({"item": [7, 7, 8], "rater": ["a", "b", "a"], "value": [1.0, 2.0, None]}).write_parquet(file)
    >>> table = LargeTable.open(file)
    >>> [piece.value.tolist() for piece in table.pieces()]
    [[1.0, 2.0, nan]]
    >>> table.cells[1].rater, table.item_name(0)
    ('b', '7')
    """

    def __init__(self, path: Path, file: Any, names: dict[str, str]) -> None:
        self.path, self._file, self._names = path, file, names
        self.cells: list[Cell] = []
        self._known: dict[Cell, int] = {}
        self._numbering: _Range | _Names = _Range.of(file, names["item"]) or _Names(path, names["item"])

    @classmethod
    def open(cls, path: Path) -> LargeTable | None:
        """The table, or None if the file is no long Parquet table of numbers."""
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
            return cls(path, pq.ParquetFile(path, read_dictionary=texts), known)
        except (pa.ArrowException, OSError) as error:
            raise refuse(path.name, str(error), Text("Parquet 파일", "a Parquet file")) from None

    @property
    def n_items(self) -> int:
        """How many items there may be: their numbers lie below this."""
        return self._numbering.size

    def item_name(self, number: int) -> str:
        """What the file calls an item."""
        return self._numbering.name(number)

    def pieces(self) -> Iterator[Piece]:
        """The rows of the file, a million at a time."""
        wanted = [
            name for field, name in self._names.items() if field in (*_SMALL, "item", "value", "status")
        ]
        first = 1
        for batch in self._file.iter_batches(batch_size=_ROWS, columns=wanted):
            columns = {
                field: batch.column(name) for field, name in self._names.items() if name in batch.schema.names
            }
            if batch.num_rows:
                yield self._piece(first, columns, batch.num_rows)
            first += batch.num_rows
        if first == 1:
            raise refuse(
                str(self.path),
                Text("평가 없음", "no ratings"),
                Text("한 건 이상의 평가", "at least one rating"),
            )

    def _piece(self, first: int, columns: dict[str, Any], rows: int) -> Piece:
        for field in ("item", "rater"):
            if columns[field].null_count:
                expected = Text("빈 칸이 아닌 이름", "a name, not an empty cell")
                self._refuse(first, field, columns[field].is_null(), "null", expected)
        value = _array(columns["value"].cast(pa.float64()))  # null becomes NaN
        if np.isinf(value).any():
            expected = Text("유한한 수", "a finite number")
            self._refuse(first, "value", pa.array(np.isinf(value)), "inf", expected)
        if "status" in columns:
            self._check_status(first, columns["status"], value)
        return Piece(
            first, self._numbering.number(columns["item"], first), self._cells(first, columns, rows), value
        )

    def _cells(self, first: int, columns: dict[str, Any], rows: int) -> NDArray[np.int64]:
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
        for code in used.tolist():
            at = np.unravel_index(code, tuple(len(names) for names in lists))
            cell = self._cell(first, [names[int(i)] for names, i in zip(lists, at, strict=True)])
            place[code] = self._known.setdefault(cell, len(self._known))
            if len(self._known) > len(self.cells):
                self.cells.append(cell)
        return place[mixed]

    def _cell(self, first: int, names: list[Any]) -> Cell:
        criterion, rater, kind, replicate = names
        kind = "human" if kind is None else str(kind).strip().lower()
        number = 1.0 if replicate is None else _number(replicate)
        place = f"{self.path.name}, row {first}+"
        if kind not in KINDS:
            expected = Text("human, ai, code 중 하나", "one of human, ai, code")
            raise refuse(f"{place}, kind", repr(kind), expected)
        if not number.is_integer() or number < 1:
            expected = Text("1 이상의 정수", "a whole number, 1 or more")
            raise refuse(f"{place}, replicate", repr(replicate), expected)
        if not str(rater).strip():
            raise refuse(f"{place}, rater", repr(rater), Text("평가자의 이름", "the name of the rater"))
        named = str(criterion).strip() if criterion is not None else ""
        return Cell(named or "overall", str(rater).strip(), kind, int(number))

    def _check_status(self, first: int, status: Any, value: NDArray[np.float64]) -> None:
        codes, names = _codes(status)
        said = [None if name is None else str(name).strip().lower() for name in names]
        unknown = [name for name in said if name not in (None, "ok", "missing", "error")]
        if unknown:
            expected = Text("ok, missing, error 중 하나", "one of ok, missing, error")
            raise refuse(f"{self.path.name}, row {first}+, status", repr(unknown[0]), expected)
        given = ~np.isnan(value)
        fits = np.array([[name != "ok", name in (None, "ok")] for name in said])
        wrong = ~fits[codes, given.astype(np.int64)]
        if wrong.any():
            expected = Text("status가 ok이면 값, 아니면 빈 칸", "a value when status is ok, and only then")
            self._refuse(
                first, "value", pa.array(wrong), Text("status와 맞지 않음", "against status"), expected
            )

    def _refuse(self, first: int, field: str, where: Any, found: str | Text, expected: Text) -> None:
        rows = np.flatnonzero(_array(where))[:_SHOWN_PROBLEMS] + first
        places = [f"{self.path.name}, row {row}, {field}" for row in rows.tolist()]
        raise HaechiError(tuple(Problem(place, found, expected, _CORRECT) for place in places))

    def refuse_duplicates(self, cell: int) -> None:
        """Read the file again to name the rows that rate the same thing as an earlier row."""
        seen = np.zeros(0, dtype=bool)
        problems: list[Problem] = []
        expected = Text(
            "항목·기준·평가자·반복마다 한 줄", "one row for each item, criterion, rater and replicate"
        )
        todo = Text(
            "한 줄만 남기거나 replicate 열에 번호를 매기세요",
            "keep one, or number them in a column replicate",
        )
        criterion, rater, _, replicate = self.cells[cell]
        for piece in self.pieces():
            rows = np.flatnonzero(piece.cell == cell)
            items = piece.item[rows]
            if seen.size < self.n_items:
                seen = np.append(seen, np.zeros(self.n_items - seen.size, dtype=bool))
            again = seen[items]
            again[np.setdiff1d(np.arange(items.size), np.unique(items, return_index=True)[1])] = True
            seen[items] = True
            for row, item in zip(rows[again].tolist(), items[again].tolist(), strict=True):
                found = f"{self.item_name(item)} × {criterion} × {rater} × {replicate}"
                place = f"{self.path.name}, row {piece.first_row + row}"
                problems.append(Problem(place, found, expected, todo))
            if len(problems) >= _SHOWN_PROBLEMS:
                break
        raise HaechiError(tuple(problems[:_SHOWN_PROBLEMS]))


class _Range:
    """Items that are whole numbers close to each other: the number itself, counted from the lowest."""

    def __init__(self, low: int, high: int) -> None:
        self._low, self.size = low, high - low + 1

    @classmethod
    def of(cls, file: Any, column: str) -> _Range | None:
        if not pa.types.is_integer(file.schema_arrow.field(column).type) or not file.metadata.num_rows:
            return None
        ends: list[int] = []
        for group in range(file.metadata.num_row_groups):
            stored = file.metadata.row_group(group)
            at = [stored.column(i).path_in_schema for i in range(stored.num_columns)].index(column)
            known = stored.column(at).statistics
            if known is None or not known.has_min_max:
                return None
            ends += [known.min, known.max]
        low, high = min(ends), max(ends)
        return cls(low, high) if high - low < 4 * file.metadata.num_rows + 1024 else None

    def number(self, column: Any, first_row: int) -> NDArray[np.int64]:  # noqa: ARG002 - as for names
        numbers: NDArray[np.int64] = _array(column.cast(pa.int64())) - self._low
        return numbers

    def name(self, number: int) -> str:
        return str(self._low + number)


class _Names:
    """Items with names, numbered as they appear; of each name only two hashes and its first row are kept.

    The first hash finds the number, the second tells a different name with the same first hash. A table of
    hashes with open addressing, filled whole columns at a time.
    """

    def __init__(self, path: Path, column: str) -> None:
        self._path, self._column = path, column
        self.size = 0
        self._slots: NDArray[np.int32] = np.full(1 << 16, -1, dtype=np.int32)  # numbers, -1 where free
        self._hashes: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)  # by number, as the next two
        self._checks: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def number(self, column: Any, first_row: int) -> NDArray[np.int64]:
        # Rows of one item often follow each other: only the distinct names of a piece are looked up.
        encoded = column.cast(pa.string()).dictionary_encode()
        names = pl.Series(pc.utf8_trim_whitespace(encoded.dictionary))
        hashes, checks = names.hash(seed=1).to_numpy(), names.hash(seed=2).to_numpy()
        codes = _array(encoded.indices)
        rows = np.empty(hashes.size, dtype=np.int64)
        rows[codes[::-1]] = first_row + np.arange(codes.size)[::-1]  # the first row of a name is written last
        self._make_room(hashes.size)
        numbers, new = self._place(hashes)
        self._checks[numbers[new]], self._rows[numbers[new]] = checks[new], rows[new]
        self.size += new.size
        if not np.array_equal(self._checks[numbers], checks):
            found = Text("이름이 다른데 해시가 같은 항목", "items whose names differ but hash alike")
            expected = Text("해시가 서로 다른 항목 이름", "item names that hash differently")
            todo = Text("항목 이름을 정수로 바꾸세요", "use whole numbers as item names")
            raise refuse(f"{self._path.name}, row {first_row}+, item", found, expected, todo)
        of_rows: NDArray[np.int64] = numbers[codes]
        return of_rows

    def _make_room(self, more: int) -> None:
        if self.size + more > self._hashes.size:
            extra = max(more, self._hashes.size // 2)
            for name in ("_hashes", "_checks", "_rows"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.empty(extra, dtype=old.dtype)]))
        if (self.size + more) * 3 > self._slots.size * 2:
            self._slots = np.full(1 << (2 * (self.size + more)).bit_length(), -1, dtype=np.int32)
            self._place(self._hashes[: self.size], again=True)

    def _place(
        self, hashes: NDArray[np.uint64], again: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of every hash, and the positions of those that are new and get the next numbers.

        Each round looks at one slot for every hash that has no number yet, and goes on to the next slot.
        `again` puts hashes that have their numbers already into a new table.
        """
        last = self._slots.size - 1
        slot = (hashes & np.uint64(last)).astype(np.int64)
        numbers = np.full(hashes.size, -1, dtype=np.int64)
        waiting, added = np.arange(hashes.size), [np.empty(0, dtype=np.int64)]
        size = self.size
        while waiting.size:
            at = slot[waiting]
            free = np.flatnonzero(self._slots[at] < 0)
            new = waiting[free[np.unique(at[free], return_index=True)[1]]]  # one for each free slot
            fresh = new if again else np.arange(size, size + new.size)
            self._slots[slot[new]], self._hashes[fresh] = fresh, hashes[new]
            size += new.size
            added.append(new)
            holder = self._slots[at]
            same = self._hashes[holder] == hashes[waiting]
            numbers[waiting[same]] = holder[same]
            waiting = waiting[~same]
            slot[waiting] = (slot[waiting] + 1) & last
        return numbers, np.concatenate(added)

    def name(self, number: int) -> str:
        row = int(self._rows[number]) - 1
        found = pl.scan_parquet(self._path).select(self._column).slice(row, 1).collect().item()
        return str(found).strip()


def _is_number(kind: Any) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    )


def _array(column: Any) -> NDArray[Any]:
    """A column as an array, null as NaN; not by Arrow's own way, which imports pandas where that is installed."""
    return pl.Series(column).to_numpy()


def _codes(column: Any) -> tuple[NDArray[np.integer], Sequence[Any]]:
    """A column that repeats few values: the position of each, and the values (None is one of them)."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    names = column.dictionary.to_pylist()
    if column.null_count:
        nothing = pa.scalar(len(names), column.indices.type)
        return _array(column.indices.fill_null(nothing)), [*names, None]
    return _array(column.indices), names


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")
