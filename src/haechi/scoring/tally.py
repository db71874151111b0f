"""How often values occur, in tables that grow with groups and different values, never with what is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

VALUE, N = "\0value", "\0n"
_SCORE = "\0score"
_FEW = 10_000
_MANY = 10_000


class Counts:
    """Counts by key; beside them, in further columns, what is added up of the same rows.

    >>> counts = Counts(["round"])
    >>> counts.add(pl.DataFrame({"round": ["1", "2"]}))
    >>> counts.add(pl.DataFrame({"round": ["1"]}))
    >>> counts.total().rows()
    [('1', 2), ('2', 1)]
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = list(keys)
        self._kept: list[pl.DataFrame] = []

    def __bool__(self) -> bool:
        """Whether anything was counted."""
        return bool(self._kept)

    def add(self, frame: pl.DataFrame) -> None:
        """Count the rows of a frame."""
        counted = pl.len().cast(pl.Int64).alias(N)
        self.keep(frame.group_by(self._keys, maintain_order=True).agg(counted))

    def keep(self, counted: pl.DataFrame) -> None:
        """Add what was counted elsewhere: a row for every key."""
        self._kept.append(counted)
        if sum(map(len, self._kept[1:])) > len(self._kept[0]) + _FEW:
            self._kept = [self.total()]

    def total(self) -> pl.DataFrame:
        """A row for every key, in the order of their first appearance, and its count."""
        if len(self._kept) > 1:
            rows = pl.concat(self._kept).group_by(self._keys, maintain_order=True)
            self._kept = [rows.agg(pl.exclude(self._keys).sum())]
        return self._kept[0]


class Tally:
    """How often every value of every score occurs in every group; `names` are the scores, `by` the columns of groups.

    >>> tally = Tally(["total"], ["mode"])
    >>> tally.add(pl.DataFrame({"mode": ["a", "b", "a", "a"], "total": [3.0, 4.0, None, 3.0]}))
    >>> {key: list(values.iter_rows()) for key, values in tally.values().items()}
    {('a', 'total'): [(3.0, 2)], ('b', 'total'): [(4.0, 1)]}
    """

    def __init__(self, names: Sequence[str], by: Sequence[str] = ()) -> None:
        self.names, self.by = tuple(names), tuple(by)
        self._keys = [*by, _SCORE]
        self._counts = Counts([*self._keys, VALUE])

    def add(self, frame: pl.DataFrame) -> None:
        """Count the scores of some rows."""
        self.keep(self.counted(frame))

    def counted(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The counts of some rows, which are not kept, so that several threads may count at once."""
        rows = frame.lazy()
        # Of few rows a plan with a part for each score takes longer than the counting.
        if frame.height < _MANY or not self.names:
            scores = [pl.col(name).cast(pl.Float64) for name in self.names]
            long = rows.select(*self.by, *scores).unpivot(
                self.names, index=list(self.by), variable_name=_SCORE, value_name=VALUE
            )
            known = long.filter(pl.col(VALUE).is_not_null()).group_by(*self._keys, VALUE)
            return known.agg(pl.len().cast(pl.Int64).alias(N)).collect()
        # One score after the other: a long table of all of them would have to hash the name of a score in every row.
        each = [
            rows.group_by(*self.by, pl.col(name).cast(pl.Float64).alias(VALUE))
            .agg(pl.len().cast(pl.Int64).alias(N))
            .filter(pl.col(VALUE).is_not_null())
            .select(*self.by, pl.lit(name).alias(_SCORE), VALUE, N)
            for name in self.names
        ]
        return pl.concat(each).collect()

    def keep(self, counted: pl.DataFrame) -> None:
        """Add what was counted of some rows."""
        self._counts.keep(counted)

    def total(self) -> pl.DataFrame:
        """All counts, as `counted` gives them."""
        return self._counts.total()

    def values(self) -> Mapping[tuple[object, ...], pl.DataFrame]:
        """By group and score, `(*group, score)`: the values in ascending order, and how often each occurs."""
        if not self._counts:
            return {}
        return self.total().sort(VALUE).partition_by(self._keys, as_dict=True, include_key=False)
