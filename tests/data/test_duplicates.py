"""Ids that come twice are found by their hashes, and only those."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.data.duplicates import come_twice, hashes_of, repeated_ids, repeated_numbers, with_hashes

IDS = st.lists(st.lists(st.sampled_from([f"q{n}" for n in range(40)]), max_size=12), max_size=6)


@settings(deadline=None)
@given(pieces=IDS, at_once=st.sampled_from([None, 1, 3]))
def test_those_that_come_twice(pieces: list[list[str]], at_once: int | None) -> None:
    columns = [pl.Series(piece, dtype=pl.String) for piece in pieces]
    times = Counter(one for piece in pieces for one in piece)
    twice = {one for one, count in times.items() if count > 1}
    found = repeated_ids([hashes_of(column) for column in columns], lambda: columns, at_once).to_list()
    assert len(found) == len(set(found))
    assert set(found) <= twice
    assert bool(found) == bool(twice)
    assert at_once is not None or set(found) == twice


def test_ids_whose_hashes_agree_by_chance_are_told_apart() -> None:
    def lengths(ids: pl.Series) -> np.ndarray:
        return ids.str.len_bytes().cast(pl.UInt64).to_numpy()

    ids = pl.Series(["ab", "cd", "x", "efg", "hij", "cd"])
    suspects = with_hashes(ids, repeated_numbers(lengths(ids)), lengths)
    assert suspects.to_list() == ["ab", "cd", "efg", "hij", "cd"]
    assert come_twice(suspects).to_list() == ["cd"]
