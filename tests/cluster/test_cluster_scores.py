"""Scores by a cluster are those of one machine to the last bit, also when workers are killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from run_files import made, write_jsonl, write_parquet
from workers import process_ids

import haechi
from close_figures import assert_close
from haechi.cluster import runner
from haechi.cluster.engine import Engine
from haechi.data import splits
from haechi.data.sources import files_of
from haechi.errors import HaechiError
from haechi.scoring.distributed_scores import score_runs_on_cluster
from haechi.scoring.runs import partitions
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.sources import score_files
from haechi.scoring.summary_row import SummaryRow

RUBRIC = haechi.rubric("hiring-agent")
BY = ("round", "team")
RUNS = made(1200)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several parts to a file and several buckets, though the files are small."""
    monkeypatch.setattr(splits, "BYTES", 20_000)
    monkeypatch.setattr(partitions, "PARTS_TO_A_BUCKET", 4)
    monkeypatch.setattr(runner, "WORTH_A_POOL", 1000)


def here(folder: Path) -> ScoreTable:
    return score_files([folder], "hiring-agent", BY)


def there(
    engine: Engine, folder: Path, output: Path | None = None, items: bool = False, most: int = 1024
) -> ScoreTable:
    return score_runs_on_cluster(
        engine, files_of([folder]), RUBRIC, BY, output=output, items=items, most_partitions=most
    )


def written(folder: Path) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(file) for file in sorted(folder.glob("part-*.parquet")))


def assert_same(mine: Sequence[SummaryRow], other: Sequence[SummaryRow]) -> None:
    """Everything exactly, but for sums of seconds, which are added up in another order."""
    for one, two in zip((row.as_json() for row in mine), (row.as_json() for row in other), strict=True):
        for of_time in ("seconds", "seconds_by_class"):
            assert_close(one.pop(of_time), two.pop(of_time))
        assert one == two


@pytest.mark.parametrize(("write", "files", "most"), [(write_parquet, 7, 1024), (write_jsonl, 3, 5)])
def test_the_same_scores_in_the_same_order(engine, tmp_path, write, files, most):
    folder = write(RUNS, tmp_path / "runs", files)
    alone = here(folder)
    scored = there(engine, folder, tmp_path / "out", items=True, most=most)
    assert list(scored.items()) == list(alone.items())
    assert_same(scored.summary, alone.summary)
    table = written(tmp_path / "out")
    assert table.equals(pl.concat(list(alone.tables())))
    assert table.height == len(RUNS)
    assert len(list((tmp_path / "out").glob("part-*"))) > 1
    assert json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["summary"] == [
        row.as_json() for row in scored.clustered("none").summary
    ]
    del scored
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "runs"]


class Murder(Engine):
    """Kills a worker when some work has been done and some is left."""

    def __init__(self, engine: Engine, when: str) -> None:
        super().__init__(engine._client, engine.address)
        self._when = when
        self.victim = process_ids(engine)[0]
        self.killed = False

    def kill(self, now: str) -> None:
        if now == self._when and not self.killed:
            self.killed = True
            os.kill(self.victim, signal.SIGKILL)

    def _done(self, futures: Any) -> Iterator[int]:
        for count, number in enumerate(super()._done(futures)):
            if count == 1:
                self.kill(futures[0].key.split("_")[0])  # measure_partition, score_partition
            yield number

    def transpose(self, givers: Any, receivers: int) -> Any:
        self.kill("shuffle")
        return super().transpose(givers, receivers)


@pytest.mark.parametrize(
    "when",
    [
        pytest.param("measure", marks=pytest.mark.slow),
        "shuffle",
        pytest.param("score", marks=pytest.mark.slow),
    ],
)
def test_a_killed_worker_changes_nothing(engine, tmp_path, when):
    folder = write_parquet(RUNS, tmp_path / "runs", 8)
    murder = Murder(engine, when)
    scored = there(murder, folder, tmp_path / "out")
    assert murder.killed
    with pytest.raises(ProcessLookupError):
        os.kill(murder.victim, 0)
    alone = here(folder)
    assert_same(scored.summary, alone.clustered("none").summary)  # clusters are counted where items are
    assert written(tmp_path / "out").equals(pl.concat(list(alone.tables())))


def test_a_bad_line_is_named_as_on_one_machine_and_nothing_stays(engine, tmp_path):
    folder = write_jsonl(RUNS, tmp_path / "runs", 3)
    for name, number in (("001.jsonl", 377), ("002.jsonl", 5)):
        lines = (folder / name).read_text("utf-8").splitlines()
        lines[number] = "{"
        (folder / name).write_text("\n".join(lines), "utf-8")
    with pytest.raises(HaechiError) as alone:
        here(folder)
    with pytest.raises(HaechiError) as found:
        there(engine, folder, tmp_path / "out")
    assert found.value.problems == alone.value.problems
    assert found.value.problems[0].at == "001.jsonl:378"
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_an_id_in_two_files_is_refused_as_on_one_machine(engine, tmp_path):
    folder = write_parquet([*RUNS[:50], *RUNS[20:23], *RUNS[50:60]], tmp_path / "runs", 4)
    with pytest.raises(HaechiError) as alone:
        here(folder)
    with pytest.raises(HaechiError) as found:
        there(engine, folder, tmp_path / "out")
    assert found.value.problems == alone.value.problems
    assert "3 ids twice" in str(found.value)


def test_other_encodings_and_formats_are_read_by_workers_too(engine, tmp_path):
    folder = write_jsonl(RUNS[:100], tmp_path / "runs", 4)
    file = folder / "002.jsonl"
    file.write_bytes(file.read_text("utf-8").encode("cp949"))
    (folder / "003.jsonl").unlink()
    pl.DataFrame(RUNS[3:100:4]).write_csv(tmp_path / "last.csv")
    scored = score_runs_on_cluster(engine, files_of([folder, tmp_path / "last.csv"]), RUBRIC, items=True)
    alone = score_files([folder, tmp_path / "last.csv"], "hiring-agent")
    assert len(list(alone.items())) == 100
    assert list(scored.items()) == list(alone.items())


def test_the_same_command_goes_on_and_another_is_refused(engine, tmp_path):
    folder, out = write_parquet(RUNS, tmp_path / "runs", 6), tmp_path / "out"

    class Interrupted(Engine):
        def transpose(self, givers: Any, receivers: int) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        there(Interrupted(engine._client, engine.address), folder, out)
    left = tmp_path / "out.unfinished"
    assert not out.exists()
    measured = {file: file.stat().st_mtime_ns for file in left.rglob("*.arrow")}
    assert len(measured) == 6

    class Watching(Engine):
        def transpose(self, givers: Any, receivers: int) -> Any:
            assert {file: file.stat().st_mtime_ns for file in left.rglob("*.arrow")} == measured
            return super().transpose(givers, receivers)

    scored = there(Watching(engine._client, engine.address), folder, out)
    assert not left.exists()
    before = {file: file.stat().st_mtime_ns for file in out.iterdir()}
    assert there(engine, folder, out).summary == scored.summary
    assert {file: file.stat().st_mtime_ns for file in out.iterdir()} == before
    with pytest.raises(HaechiError, match="something else in it"):
        score_runs_on_cluster(engine, files_of([folder]), RUBRIC, ("team",), output=out)
    assert {file: file.stat().st_mtime_ns for file in out.iterdir()} == before


def test_a_folder_that_only_looks_like_ours_is_left_alone(engine, tmp_path):
    folder, out = write_parquet(RUNS[:60], tmp_path / "runs", 2), tmp_path / "out"
    there(engine, folder, out)
    precious = tmp_path / "out.unfinished" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("years of work")
    shown = there(engine, folder, out, items=True)  # finished already: the items are shown, the tables stay
    assert len(list(shown.items())) == 60
    there(engine, folder, out)
    del shown
    assert precious.read_text() == "years of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.unfinished", "runs"]
    out.rename(tmp_path / "elsewhere")
    with pytest.raises(HaechiError, match="not ours"):
        there(engine, folder, out)
    assert precious.exists()
