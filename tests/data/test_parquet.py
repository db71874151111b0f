"""Parquet a piece at a time, whole and damaged."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from haechi.data.parquet import pieces, write_pieces
from haechi.data.parquet_ratings import LargeTable
from haechi.data.readers import read_rows
from haechi.errors import HaechiError

RATINGS = pl.DataFrame(
    {
        "item": [f"일기-{n}" for n in range(200)],
        "rater": ["가", "나"] * 100,
        "value": [n % 5 for n in range(200)],
    }
)


def test_pieces_of_one_table_make_one_file(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    with file.open("wb") as opened:
        assert write_pieces((RATINGS.slice(at, 70) for at in (0, 70, 140)), opened, rows_to_a_group=64) == 200
    assert pl.read_parquet(file).equals(RATINGS)
    assert [piece.height for piece in pieces(file, 64, ["value"], start=10, stop=150)] == [64, 64, 12]


def test_an_item_that_is_a_whole_number_has_the_name_of_one(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    RATINGS.with_columns(item=pl.int_range(pl.len()).cast(pl.Float64)).write_parquet(file)
    table = LargeTable.open(file)
    assert table is not None
    assert sum(piece.value.size for piece in table.pieces()) == 200
    assert table.n_items == 200


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_file_is_refused_or_read_but_never_breaks(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    file = tmp_path / "t.parquet"
    RATINGS.write_parquet(file, row_group_size=50)
    bytes_of = bytearray(file.read_bytes())
    if seed % 3 == 0:
        del bytes_of[chance.randrange(len(bytes_of)) :]
    for _ in range(0 if seed % 3 == 0 else 8):
        bytes_of[-chance.randrange(1, 800)] = chance.randrange(256)
    file.write_bytes(bytes_of)
    for read in (lambda: list(read_rows(file)), lambda: list(LargeTable.open(file).pieces())):  # type: ignore[union-attr]
        try:
            told = "" if read() else "nothing was read and nothing said"
        except HaechiError as error:
            told = error.problems[0].at
        assert told in ("", "t.parquet") or told.startswith("t.parquet, row")
