"""Ids that come twice among very many: eight bytes of each are compared, and the ids themselves only where those agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.store.run_files import ID, RunFile, scan

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

AT_ONCE = 25_000_000
"""Hashes in memory at a time, 200 megabytes; of more ids, those whose hashes leave the same rest are compared together."""
_SHOWN = 20


def repeated_ids(files: Sequence[RunFile]) -> list[str]:
    """Some of the ids that come more than once in files; none if every id comes once."""
    import numpy as np

    for rest, of in _rests(files):
        hashes = np.concatenate([_hashes(file.path, rest, of) for file in files])
        hashes.sort()
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        del hashes
        for start in range(0, len(twice), 1000):
            found = _come_twice(files, twice[start : start + 1000])
            if found:
                return found[:_SHOWN]
    return []


def shared_ids(new: Sequence[RunFile], old: Sequence[RunFile]) -> Iterator[tuple[RunFile, pl.Series]]:
    """The new files that hold ids of old ones, with those ids."""
    import numpy as np
    import polars as pl

    if not new or not old:
        return
    shared: dict[RunFile, list[pl.Series]] = {}
    for rest, of in _rests([*new, *old]):
        known = np.concatenate([_hashes(file.path, rest, of) for file in old])
        known.sort()
        for file in new:
            hashes = _hashes(file.path, rest, of)
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            again = np.unique(hashes[known[at] == hashes]) if len(known) else known
            if len(again):
                shared.setdefault(file, []).append(pl.Series(again))
    for file, hashed in shared.items():
        suspects = _with_hashes(file.path, pl.concat(hashed))
        wanted = suspects.implode()
        held = [scan(one.path).select(ID).filter(pl.col(ID).is_in(wanted)).collect() for one in old]
        ids = pl.concat(held)[ID]
        if len(ids):
            yield file, ids


def _rests(files: Sequence[RunFile]) -> Iterator[tuple[int, int]]:
    of = -(-sum(file.runs for file in files) // AT_ONCE) or 1
    return ((rest, of) for rest in range(of))


def _hashes(path: Path, rest: int, of: int) -> Hashes:

    hashes = scan(path).select(ID).collect()[ID].hash(seed=1)
    if of > 1:
        hashes = hashes.filter(hashes % of == rest)
    found: Hashes = hashes.to_numpy()
    return found


def _with_hashes(path: Path, hashes: pl.Series) -> pl.Series:

    ids = scan(path).select(ID).collect()[ID]
    return ids.filter(ids.hash(seed=1).is_in(hashes.implode()))


def _come_twice(files: Sequence[RunFile], hashes: Hashes) -> list[str]:
    import polars as pl

    ids = pl.concat([_with_hashes(file.path, pl.Series(hashes)) for file in files])
    return ids.filter(ids.is_duplicated()).unique(maintain_order=True).to_list()
