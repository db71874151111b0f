"""Items of a large table as numbers: whole numbers as they are, names through a table of hashes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haechi.cluster.hashing import stable_hashes
from haechi.data.column_rules import is_name
from haechi.data.distinct_texts import distinct_texts
from haechi.data.files import refuse
from haechi.data.names import BLANK
from haechi.data.parquet import scan
from haechi.data.rating_rules import BrokenRule
from haechi.text import Text


def _names(column: pl.Series) -> tuple[NDArray[np.integer], pl.Series]:
    """The different names of a column, and which of them every row has."""
    if column.dtype.is_float() and (column == column.round()).all():
        column = column.cast(pl.Int64)  # 7.0 is the item "7", as in any other table
    places, texts = distinct_texts(column)
    names = pl.Series(texts, dtype=pl.String).str.strip_chars(BLANK)
    if not names.to_frame("name").select((is_name("name") & (pl.col("name") != "")).all()).item():
        raise BrokenRule("item", Text("이름이 아님", "no name"), Text("item의 이름", "the name of the item"))
    return places, names


class ItemRange:
    """Items that are whole numbers close to each other: the number itself, counted from the lowest.

    >>> ItemRange(10, 12).number(pl.Series([12, 10]), 1).tolist()
    [2, 0]
    """

    def __init__(self, low: int, high: int) -> None:
        self._low, self.size = low, high - low + 1

    @classmethod
    def of(cls, file: Path, column: str) -> ItemRange | None:
        """By the ends of a Parquet file's column; None where it is another, or too scattered."""
        wanted = pl.col(column)
        ends = scan(file).select(low=wanted.min(), high=wanted.max(), rows=pl.len()).collect()
        low, high, rows = ends.row(0)
        if not ends.schema["low"].is_integer() or low is None:
            return None
        return cls(low, high) if high - low < 4 * rows + 1024 else None

    def number(self, column: pl.Series, first_row: int) -> NDArray[np.int64]:  # noqa: ARG002 - as for names
        """The number of every row's item."""
        numbers: NDArray[np.int64] = column.cast(pl.Int64).to_numpy() - self._low
        return numbers

    def close(self) -> None:
        """Nothing to give back."""

    def name(self, number: int) -> str:
        """What the file calls an item."""
        return str(self._low + number)


class ItemNames:
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

    def number(self, column: pl.Series, first_row: int) -> NDArray[np.int64]:
        """The number of every row's item; names that were not seen before get new numbers."""
        # Rows of one item often follow each other: only the distinct names of a piece are looked up.
        codes, names = _names(column)
        hashes, checks = names.hash(seed=1).to_numpy(), names.hash(seed=2).to_numpy()
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

    def close(self) -> None:
        """Give back the memory that only further numbers would need."""
        self._slots, self._hashes, self._checks = (
            self._slots[:0].copy(),
            self._hashes[:0].copy(),
            self._checks[:0].copy(),
        )
        self._rows = self._rows[: self.size].copy()

    def name(self, number: int) -> str:
        """What the file calls an item, read from its first row."""
        row = int(self._rows[number]) - 1
        found = pl.scan_parquet(self._path).select(self._column).slice(row, 1).collect().item()
        return str(found).strip()


class ItemHashes:
    """Items numbered by a hash that is the same on every machine: what is read in many places can meet.

    Two names with one hash (of 2⁶⁴) would look like one item rated twice by the same rater, which is refused.

    >>> table = ItemHashes()
    >>> table.number(pl.Series([7, 8]), 1)[0] == table.number(pl.Series([" 7"]), 1)[0]
    np.True_
    """

    size = 0

    def number(self, column: pl.Series, first_row: int) -> NDArray[np.uint64]:  # noqa: ARG002 - as for names
        """The number of every row's item."""
        codes, names = _names(column)
        of_rows: NDArray[np.uint64] = stable_hashes(names)[codes]
        return of_rows

    def close(self) -> None:
        """Nothing to give back."""

    def name(self, number: int) -> str:
        """The hash: the name is not kept."""
        return f"{number:016x}"
