"""Large Parquet tables: what is read a piece at a time is the same as what is read at once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from haechi.analysis.rating_sources import file_ratings
from haechi.data import parquet_ratings as large_tables
from haechi.errors import HaechiError
from haechi.stats import matrix


@pytest.fixture
def small_pieces(monkeypatch):
    """So that a small file has many pieces."""
    monkeypatch.setattr(large_tables, "_ROWS", 1000)


def made(items: int, seed: int = 3) -> pl.DataFrame:
    """An incomplete design in random order: two criteria, four raters, some values missing."""
    random = np.random.default_rng(seed)
    frame = (
        pl.DataFrame({"number": np.arange(items) * 7 % (2 * items)})
        .join(pl.DataFrame({"criterion": ["x", "y"]}), how="cross")
        .join(pl.DataFrame({"rater": ["a", "b", "c", "d"]}), how="cross")
    )
    frame = frame.with_columns(value=pl.Series(random.integers(1, 6, frame.height).astype(float)))
    value = pl.when(pl.Series(random.random(frame.height) < 0.1)).then(None).otherwise("value").alias("value")
    return frame.with_columns(value).sample(fraction=0.8, shuffle=True, seed=seed)


@pytest.mark.parametrize("ids", ["whole numbers", "names", "scattered numbers"])
@pytest.mark.usefixtures("small_pieces")
def test_pieces_give_the_matrix(tmp_path, ids):
    frame = made(2500)
    name = {
        "whole numbers": pl.col("number"),
        "names": pl.format("session-{}", "number"),
        "scattered numbers": pl.col("number") * 1_000_003,
    }[ids]
    frame = frame.select(name.alias("item"), "criterion", "rater", "value")
    frame.write_parquet(tmp_path / "r.parquet", row_group_size=3000)
    table = file_ratings(tmp_path / "r.parquet")
    for criterion in ("x", "y"):
        part = frame.filter(pl.col("criterion") == criterion)
        expected = matrix(part["item"], part["rater"], part["value"].fill_null(np.nan))
        rated = table.rated(criterion)
        order = [rated.raters.index(str(rater)) for rater in expected.raters]
        rows = {
            table.item_name(i): i for i in np.flatnonzero(~np.isnan(rated.ratings).all(axis=1))[:200].tolist()
        }
        at = [i for i, item in enumerate(expected.items) if str(item) in rows]
        mine = rated.ratings[[rows[str(expected.items[i])] for i in at]][:, order]
        assert len(at) == 200
        np.testing.assert_array_equal(mine, expected.ratings[at])
        assert np.isnan(rated.ratings).sum() == rated.ratings.size - part["value"].count()


@pytest.mark.usefixtures("small_pieces")
def test_a_duplicate_in_another_piece_is_found_by_its_row(tmp_path):
    frame = made(1000).select(pl.format("s{}", "number").alias("item"), "criterion", "rater", "value")
    twice = pl.concat([frame, frame.slice(17, 1)])
    twice.write_parquet(tmp_path / "r.parquet")
    with pytest.raises(HaechiError) as error:
        file_ratings(tmp_path / "r.parquet")
    assert [problem.at for problem in error.value.problems] == [f"r.parquet, row {twice.height}"]


def test_values_that_single_precision_would_change_are_kept(tmp_path):
    frame = pl.DataFrame({"item": [1, 2, 3], "rater": ["a", "a", "a"], "value": [0.5, 0.1, 1e300]})
    frame.write_parquet(tmp_path / "r.parquet")
    assert file_ratings(tmp_path / "r.parquet").rated("overall").ratings[:, 0].tolist() == [0.5, 0.1, 1e300]


def test_status_kind_and_replicate_columns_are_obeyed(tmp_path):
    frame = pl.DataFrame(
        {
            "item": ["a", "a", "a", "b"],
            "rater": ["m", "m", "p", "m"],
            "kind": ["ai", "ai", "human", "ai"],
            "replicate": [1, 2, 1, 1],
            "value": [None, 4.0, 5.0, 3.0],
            "status": ["error", "ok", "ok", "ok"],
        }
    )
    frame.write_parquet(tmp_path / "r.parquet")
    rated = file_ratings(tmp_path / "r.parquet").rated("overall")
    assert rated.kinds == ("ai", "human")
    assert rated.replicates["m"].shape[1] == 2
    assert sorted(row for row in rated.ratings[:, 0].tolist()) == [3.0, 4.0]
    frame.with_columns(status=pl.lit("missing")).write_parquet(tmp_path / "s.parquet")
    with pytest.raises(HaechiError, match="row 2, value"):
        file_ratings(tmp_path / "s.parquet")
    frame.with_columns(kind=pl.lit("robot")).write_parquet(tmp_path / "k.parquet")
    with pytest.raises(HaechiError, match="robot"):
        file_ratings(tmp_path / "k.parquet")


def test_no_file_of_numbers_goes_the_other_way(tmp_path):
    pl.DataFrame({"item": ["a"], "rater": ["r"], "value": ["yes"]}).write_parquet(tmp_path / "t.parquet")
    assert large_tables.LargeTable.open(tmp_path / "t.parquet") is None
    (tmp_path / "b.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(HaechiError, match=r"b\.parquet"):
        large_tables.LargeTable.open(tmp_path / "b.parquet")
