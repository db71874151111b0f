"""`--cluster` as people use it: processes of their own, and every way in which a cluster may fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from object_store import object_store
from run_files import made, write_parquet

from processes import start_haechi

RUNS = made(300)


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A scheduler and a worker, each started by its own command; the address, and the scheduler's file."""
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    started = [_start_scheduler(file), _start_worker(file)]
    yield json.loads(file.read_text())["address"], file
    for process in reversed(started):
        process.terminate()
        process.wait(30)


def _start_scheduler(file: Path) -> subprocess.Popen[bytes]:
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    process = _start("scheduler", *options)
    deadline = time.monotonic() + 60
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    return process


def _start(kind: str, *options: object, **environment: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, options)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
    )


def _start_worker(file: Path, **environment: str) -> subprocess.Popen[bytes]:
    options = ("--scheduler-file", file, "--nthreads", 1, "--no-dashboard", "--host", "127.0.0.1")
    return _start("worker", *options, **{"POLARS_MAX_THREADS": "1", **environment})


def test_the_commands_meet_at_an_address(processes, haechi, tmp_path, monkeypatch):
    address, _ = processes
    write_parquet(RUNS, tmp_path / "runs", 4)
    monkeypatch.chdir(tmp_path)  # workers stand elsewhere, and paths are relative
    ask = ("score", "runs", "--rubric", "hiring-agent", "--json")
    alone = haechi(*ask, "-o", "alone.parquet").json
    found = haechi(*ask, "--cluster", address, "-o", "out")
    assert found.code == 0, found.err
    assert found.json["items"] == alone["items"]
    table = pl.concat(pl.read_parquet(file) for file in sorted(Path("out").glob("part-*")))
    assert table.equals(pl.read_parquet("alone.parquet"))
    ratings = pl.DataFrame({"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "value": [1.0, 2.0, 3.0, 3.0]})
    ratings.write_parquet("ratings.parquet")
    agreed = haechi("agree", "ratings.parquet", "--cluster", address, "--json")
    assert agreed.json["criteria"]["overall"]["n_complete"] == 2
    kinds = ratings.with_columns(kind=pl.Series(["human", "ai"] * 2))
    pl.concat([kinds, kinds.with_columns(rater=pl.col("rater") + "2")]).write_parquet("kinds.parquet")
    shown = haechi("agree", "kinds.parquet", "--cluster", address)
    assert "People among themselves" in shown.out
    assert "habits ·" not in shown.out
    assert "without --cluster" in shown.err


def test_a_worker_with_another_version_is_named(processes, haechi, tmp_path):
    address, file = processes
    other = tmp_path / "site" / "haechi-9.9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: haechi\nVersion: 9.9.9\n")
    paths = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    write_parquet(RUNS, tmp_path / "runs", 1)
    stranger = _start_worker(file, PYTHONPATH=paths)
    try:
        deadline = time.monotonic() + 60
        refused = None
        while time.monotonic() < deadline and (refused is None or refused.code == 0):
            out = tmp_path / f"out-{time.monotonic_ns()}"
            command = (
                "score",
                tmp_path / "runs",
                "--rubric",
                "hiring-agent",
                "--cluster",
                address,
                "-o",
                out,
            )
            refused = haechi(*command)
        assert refused is not None
        assert refused.code == 1
        assert "found: haechi 9.9.9" in refused.err
        assert not out.exists()
    finally:
        stranger.terminate()
        stranger.wait(30)


def test_nobody_at_the_address(haechi, tmp_path, monkeypatch):
    from haechi.cluster import engine

    monkeypatch.setattr(engine, "SECONDS_TO_CONNECT", 1)
    write_parquet(RUNS, tmp_path / "runs", 1)
    command = ("score", tmp_path / "runs", "--rubric", "hiring-agent", "--cluster")
    refused = haechi(*command, "tcp://127.0.0.1:9", "-o", tmp_path / "out")
    assert refused.code == 1
    assert "--cluster tcp://127.0.0.1:9" in refused.err
    assert "dask scheduler" in refused.err
    assert haechi(*command, "not an address", "-o", tmp_path / "out").code == 1
    assert "give -o FOLDER" in haechi(*command, "tcp://127.0.0.1:9").err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs"]


def test_without_dask_the_extra_is_named(tmp_path):
    """In a process that cannot import it, as if it were not installed."""
    write_parquet(RUNS, tmp_path / "runs", 1)
    (tmp_path / "site").mkdir()
    for name in ("dask", "distributed"):
        (tmp_path / "site" / f"{name}.py").write_text("raise ImportError('not here')\n")
    command = ["score", tmp_path / "runs", "--rubric", "hiring-agent", "--cluster", "local"]
    paths = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-m", "haechi.cli.start", *map(str, command)],
        env={**os.environ, "HAECHI_LANG": "en", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "pip install 'haechi[cluster]'" in ran.stderr


def test_parquet_in_an_object_store(haechi, tmp_path, monkeypatch):
    write_parquet(RUNS, tmp_path / "bucket", 3)
    (tmp_path / "bucket" / "notes.txt").write_text("not a table")
    ask = ("--rubric", "hiring-agent", "--json")
    alone = haechi("score", tmp_path / "bucket", *ask).json
    with object_store(tmp_path) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert haechi("score", "s3://bucket/0*.parquet", *ask).json == alone
        missing = haechi("score", "s3://bucket/none/", *ask)
        assert (missing.code, missing.json["error"][0]["at"]) == (1, "s3://bucket/none")


@pytest.mark.slow
def test_workers_read_an_object_store(haechi, tmp_path):
    """Listed and planned here, read by workers, without a file of it on a disk of theirs."""
    folder = write_parquet(RUNS, tmp_path / "bucket", 3)
    haechi("score", folder, "--rubric", "hiring-agent", "-o", tmp_path / "alone.parquet")
    with object_store(tmp_path) as environment:
        command = (
            "score",
            "s3://bucket/",
            "--rubric",
            "hiring-agent",
            "--cluster",
            "local",
            "-o",
            tmp_path / "out",
        )
        ran = start_haechi(*command, environment=environment)
        _, said = ran.communicate(timeout=120)
    assert ran.returncode == 0, said
    table = pl.concat(pl.read_parquet(file) for file in sorted((tmp_path / "out").glob("part-*")))
    assert table.equals(pl.read_parquet(tmp_path / "alone.parquet"))


@pytest.mark.slow
def test_a_stop_from_the_keyboard_leaves_nothing_that_looks_finished(tmp_path):
    folder = write_parquet(made(60_000), tmp_path / "runs", 30)
    command = ("score", folder, "--rubric", "hiring-agent", "--cluster", "local", "-o", tmp_path / "out")
    process = start_haechi(*command, start_new_session=True)
    measures = tmp_path / "out.unfinished" / "measures"
    deadline = time.monotonic() + 120
    while not list(measures.glob("*/0*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # what Ctrl-C in a terminal does
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command again does the rest" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()
    again = start_haechi(*command)
    _, said = again.communicate(timeout=300)
    assert again.returncode == 0, said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "runs"]


@pytest.mark.slow
def test_a_lost_scheduler_is_said_in_words_and_another_goes_on(tmp_path):
    file, folder = tmp_path / "scheduler.json", write_parquet(made(60_000), tmp_path / "runs", 30)
    scheduler, worker = _start_scheduler(file), _start_worker(file)
    address = json.loads(file.read_text())["address"]
    command = ("score", folder, "--rubric", "hiring-agent", "-o", tmp_path / "out", "--cluster")
    process = start_haechi(*command, address)
    try:
        measures = tmp_path / "out.unfinished" / "measures"
        deadline = time.monotonic() + 120
        while not list(measures.glob("*/0*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        scheduler.kill()
        _, said = process.communicate(timeout=120)
    finally:
        worker.kill()
        for one in (scheduler, worker):
            one.wait(30)
    assert process.returncode == 1
    assert "lost the scheduler" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()
    assert list(measures.glob("*/0*"))
    again = start_haechi(*command, "local")
    _, said = again.communicate(timeout=300)
    assert again.returncode == 0, said
    assert (tmp_path / "out" / "summary.json").exists()
