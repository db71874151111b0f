"""A small job is not handed to threads; whatever may be large is."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_TOLD = """
import sys, haechi.cli.start as start
start.main, start._end = (lambda: 0), (lambda code: None)
start.start()
import os
print(os.environ.get("POLARS_MAX_THREADS"))
"""


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(5_000_000)
    return path


def threads(*arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "POLARS_MAX_THREADS"}
    told = subprocess.run(
        [sys.executable, "-c", _TOLD, *map(str, arguments)],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.strip()


def test_a_small_study_is_counted_by_one_thread(demo, tmp_path, large):
    study = demo / "diary-comment"
    assert threads("--lang", "en", "score", study) == "1"
    assert threads("report", study, "-o", tmp_path) == "1"  # what is there already is not read
    assert threads("score", study, POLARS_MAX_THREADS="7") == "7"
    assert threads("score", study, "--baseline", large) == "None"


def test_what_may_be_large_is_counted_by_all(tmp_path, large):
    remote = tmp_path / "remote"
    remote.mkdir()
    (remote / "study.yaml").write_text("database: postgresql://example/haechi\n")
    for source in (large, tmp_path, remote, f"{tmp_path}/*.csv", "/dev/null"):
        assert threads("score", source) == "None", source
    assert threads("serve", remote.parent / "nothing") == "None"
