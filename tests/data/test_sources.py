"""What files, folders, globs and addresses on a command line mean."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from haechi.data.sources import files_of
from haechi.errors import HaechiError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    for name in ("b.jsonl", "a.parquet", ".hidden.jsonl", "_SUCCESS.parquet", "notes.md", "deep/c.parquet"):
        (tmp_path / name).write_text("x")
    return tmp_path


def names(files: list[Path | str]) -> list[str]:
    return [file if isinstance(file, str) else file.name for file in files]


def test_a_folder_is_the_run_files_directly_in_it(folder):
    assert names(files_of([folder])) == ["a.parquet", "b.jsonl"]


def test_targets_keep_their_order_and_a_file_comes_once(folder):
    assert names(files_of([folder / "b.jsonl", folder, str(folder / "*.parquet")])) == [
        "b.jsonl", "a.parquet", "_SUCCESS.parquet",
    ]  # fmt: skip
    assert names(files_of([str(folder / "**/*.parquet")])) == ["_SUCCESS.parquet", "a.parquet", "c.parquet"]


def test_a_name_with_brackets_is_a_file_if_there_is_one(folder):
    (folder / "runs[1].parquet").write_text("x")
    (folder / "runs1.parquet").write_text("x")
    assert names(files_of([folder / "runs[1].parquet"])) == ["runs[1].parquet"]


def test_one_address_in_s3_is_taken_as_it_is():
    assert files_of(["s3://bucket/a.parquet"]) == ["s3://bucket/a.parquet"]


@pytest.mark.parametrize("target", ["nothing-*.parquet", "deep/deeper", "s3://bucket/runs.jsonl", "empty"])
def test_what_means_nothing_is_refused_by_name(target, folder):
    (folder / "empty").mkdir()
    given = target if target.startswith("s3:") else str(folder / target)
    with pytest.raises(HaechiError) as raised:
        files_of([given])
    assert raised.value.problems[0].at == given


def test_s3_asks_for_what_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(HaechiError, match=r"haechi\[s3\]"):
        files_of(["s3://bucket/runs/"])
