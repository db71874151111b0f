"""Agreement by a cluster: an item's ratings are spread over files, and the figures are those of one machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from workers import process_ids

from close_figures import assert_close
from haechi.analysis.agreement import agreement_report
from haechi.analysis.distributed_agreement import agreement_on_cluster
from haechi.analysis.rating_sources import file_ratings
from haechi.cluster.engine import Engine
from haechi.data.sources import files_of
from haechi.errors import HaechiError

SAME = ("human_human", "ai_ai", "criteria", "lowest_agreement", "seed")


def ratings(items: int = 400) -> pl.DataFrame:
    """Two people and two judges on two criteria, with gaps and repeated judgements, in random order."""
    random = np.random.default_rng(9)
    rows = []
    for item in range(items):
        quality = random.integers(1, 6)
        for criterion in ("clear", "kind"):
            for rater, kind, replicates in (
                ("ann", "human", 1),
                ("bo", "human", 1),
                ("m1", "ai", 2),
                ("m2", "ai", 1),
            ):
                for replicate in range(1, replicates + 1):
                    value = float(np.clip(quality + random.integers(-1, 2), 1, 5))
                    missing = random.random() < 0.1
                    rows.append(
                        (f"항목 {item}", criterion, rater, kind, replicate, None if missing else value)
                    )
    columns = ["item", "criterion", "rater", "kind", "replicate", "value"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    head = frame.head(10)  # the first rows name all raters, so that both ways meet them in the same order
    return pl.concat([head, frame.slice(10).sample(fraction=1, shuffle=True, seed=1)])


def spread(frame: pl.DataFrame, folder: Path) -> Path:
    """The same rows over four files of several row groups."""
    folder.mkdir()
    size = -(-frame.height // 4)
    for number in range(4):
        part = frame.slice(number * size, size)
        part.write_parquet(folder / f"{number}.parquet", row_group_size=300)
    return folder


class Murder(Engine):
    """Kills a worker when the ratings have been read and are about to go to their buckets."""

    def transpose(self, givers: Any, receivers: int) -> Any:
        os.kill(process_ids(self)[0], signal.SIGKILL)
        return super().transpose(givers, receivers)


@pytest.mark.parametrize(("level", "killing"), [("ordinal", False), ("interval", True)])
def test_figures_are_those_of_one_machine(engine, tmp_path, level, killing):
    frame = ratings()
    frame.write_parquet(tmp_path / "all.parquet")
    table = file_ratings(tmp_path / "all.parquet", level=level, scale=(1.0, 2.0, 3.0, 4.0, 5.0))
    alone = agreement_report(table).as_json()
    here = Murder(engine._client, engine.address) if killing else engine
    paths = files_of([spread(frame, tmp_path / "parts")])
    scale = (1.0, 2.0, 3.0, 4.0, 5.0)
    found = agreement_on_cluster(here, paths, level, scale, rows_to_a_bucket=1000).as_json()
    assert found["criteria"]["clear"]["n_items"] > 390
    assert_close({name: found[name] for name in SAME}, {name: alone[name] for name in SAME})


def test_a_rating_given_twice_in_two_files_is_named(engine, tmp_path):
    frame = ratings(60)
    folder = spread(frame, tmp_path / "parts")
    row = frame.row(7, named=True)
    pl.DataFrame([row], schema=frame.schema).write_parquet(folder / "later.parquet")
    with pytest.raises(HaechiError) as raised:
        agreement_on_cluster(engine, files_of([folder]))
    (problem,) = raised.value.problems
    assert problem.at == "later.parquet, row 1"
    assert (
        problem.found.say("en")
        == f"twice: {row['item']} × {row['criterion']} × {row['rater']} × {row['replicate']}"
    )


def test_bad_values_and_other_tables_are_refused_by_name(engine, tmp_path):
    folder = spread(ratings(60), tmp_path / "parts")
    with pytest.raises(HaechiError, match="a point of --scale"):
        agreement_on_cluster(engine, files_of([folder]), scale=(1.0, 2.0))
    bad = pl.read_parquet(folder / "2.parquet").with_columns(value=pl.col("value").fill_null(float("inf")))
    bad.write_parquet(folder / "2.parquet", row_group_size=50)
    row = bad["value"].is_infinite().arg_true()[0] + 1
    with pytest.raises(HaechiError) as raised:
        agreement_on_cluster(engine, files_of([folder]))
    assert raised.value.problems[0].at == f"2.parquet, row {row}, value"
    (tmp_path / "r.csv").write_text("item,rater,value\na,b,1\n")
    with pytest.raises(HaechiError, match="long Parquet table"):
        agreement_on_cluster(engine, files_of([tmp_path / "r.csv"]))
