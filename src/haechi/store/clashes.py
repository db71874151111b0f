"""Ids of runs that come twice, within the files that are added or in those that are there already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from haechi.store.run_files import ID, RunFile

if TYPE_CHECKING:
    import polars as pl

    from haechi.data.duplicates import Hashes

AT_ONCE = 25_000_000
"""Hashes in memory at a time, 200 megabytes; of more ids, those whose hashes leave the same rest are compared together."""
_SHOWN = 20


def repeated_ids(files: Sequence[RunFile]) -> list[str]:
    """Some of the ids that come more than once in files; none if every id comes once."""
    from haechi.data import duplicates

    for rest, of in _rests(files):
        hashes = [_hashes(file, rest, of) for file in files]
        found = duplicates.repeated_ids(hashes, lambda: map(_ids, files), at_once=1000)
        if len(found):
            return found[:_SHOWN].to_list()
    return []


def shared_ids(new: Sequence[RunFile], old: Sequence[RunFile]) -> Iterator[tuple[RunFile, pl.Series]]:
    """The new files that hold ids of old ones, with those ids."""
    import numpy as np
    import polars as pl

    from haechi.data.duplicates import with_hashes
    from haechi.data.parquet import scan

    if not new or not old:
        return
    shared: dict[RunFile, list[Hashes]] = {}
    for rest, of in _rests([*new, *old]):
        known = np.concatenate([_hashes(file, rest, of) for file in old])
        known.sort()
        for file in new:
            hashes = _hashes(file, rest, of)
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            again = np.unique(hashes[known[at] == hashes]) if len(known) else known
            if len(again):
                shared.setdefault(file, []).append(again)
    for file, hashed in shared.items():
        suspects = with_hashes(_ids(file), np.concatenate(hashed))
        wanted = suspects.implode()
        held = [scan(one.path).select(ID).filter(pl.col(ID).is_in(wanted)).collect() for one in old]
        ids = pl.concat(held)[ID]
        if len(ids):
            yield file, ids


def _rests(files: Sequence[RunFile]) -> Iterator[tuple[int, int]]:
    of = -(-sum(file.runs for file in files) // AT_ONCE) or 1
    return ((rest, of) for rest in range(of))


def _ids(file: RunFile) -> pl.Series:
    from haechi.data.parquet import scan

    return scan(file.path).select(ID).collect()[ID]


def _hashes(file: RunFile, rest: int, of: int) -> Hashes:
    from haechi.data.duplicates import hashes_of

    hashes = hashes_of(_ids(file))
    return hashes[hashes % of == rest] if of > 1 else hashes
