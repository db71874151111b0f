"""What comes twice among very many: eight bytes of each are compared, and the ids themselves only where those agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]


def hashes_of(ids: pl.Series) -> Hashes:
    """Eight bytes for every id; the same within this process only."""
    hashes: Hashes = ids.hash(seed=1).to_numpy()
    return hashes


def repeated_numbers(hashes: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """The hashes, or other numbers, that come more than once, ascending.

    >>> repeated_numbers(np.array([3, 1, 3, 2, 1], dtype=np.uint64)).tolist()
    [1, 3]
    """
    ascending = np.sort(hashes)
    return np.unique(ascending[1:][ascending[1:] == ascending[:-1]])


def with_hashes(
    ids: pl.Series, hashes: Hashes, hash_all: Callable[[pl.Series], Hashes] = hashes_of
) -> pl.Series:
    """The ids whose hashes are among some, in their order."""
    return ids.filter(pl.Series(hash_all(ids)).is_in(pl.Series(hashes).implode()))


def come_twice(ids: pl.Series) -> pl.Series:
    """Every id that comes more than once, in the order in which they first come."""
    return ids.filter(ids.is_duplicated()).unique(maintain_order=True)


def repeated_ids(
    hashes: Sequence[Hashes], read: Callable[[], Iterable[pl.Series]], at_once: int | None = None
) -> pl.Series:
    """The ids that come more than once, by the hashes of all and the ids themselves, which are read once more.

    With `at_once` no more suspects than that are compared at a time, and the first that are found are enough.

    >>> pieces = [pl.Series(["a", "b"]), pl.Series(["c", "a"])]
    >>> repeated_ids([hashes_of(piece) for piece in pieces], lambda: pieces).to_list()
    ['a']
    """
    suspects = repeated_numbers(np.concatenate(hashes)) if hashes else np.empty(0, dtype=np.uint64)
    step = at_once or max(1, suspects.size)
    for start in range(0, suspects.size, step):
        some = suspects[start : start + step]
        found = come_twice(pl.concat(with_hashes(ids, some) for ids in read()))
        if len(found):
            return found
    return pl.Series(dtype=pl.String)
