"""Splits of a file: read one by one they give what the whole file gives, rows, places and errors."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from haechi.data import splits
from haechi.data.readers import read_rows
from haechi.data.splits import RowSplit, cut_lines, cut_rows, splits_of

ROWS = [{"id": f"세션-{n}", "text": "면접 " * (n % 7), "n": n} for n in range(300)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_lines_of_any_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setattr(splits, "BYTES", 700)
    lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    lines[40:40] = ["", "   ", "{bad"]
    file = tmp_path / "rows.jsonl"
    file.write_bytes("\r\n".join(lines).encode(encoding))
    found = list(splits_of(file))
    assert (len(found) > 10) == (encoding != "utf-16")
    rows = [row for split in found for row in split.rows()]
    assert list(map(str, rows)) == list(map(str, read_rows(file)))


def test_lines_are_counted_on_the_way_or_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "BYTES", 700)
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    counted, uncounted = list(cut_lines(file, count=True)), list(cut_lines(file))
    assert [(one.start, one.stop) for one in counted] == [(one.start, one.stop) for one in uncounted]
    assert [one.counted for one in counted] == [one.before for one in uncounted]
    assert {one.counted for one in uncounted} == {None}


@pytest.mark.parametrize("step", [7, 50, 64, 1000])
def test_rows_of_parquet(tmp_path: Path, step: int) -> None:
    file = tmp_path / "rows[1].parquet"
    pl.DataFrame(ROWS).write_parquet(file, row_group_size=50)
    expected = list(read_rows(file))
    for cut in (cut_rows(file, step), cut_rows(file, 200), splits_of(file)):
        found = list(cut)
        assert [row for split in found for row in split.rows()] == expected
        assert pl.concat(split.scan().collect() for split in found).equals(pl.DataFrame(ROWS))
    assert list(RowSplit(file, 60, 60).rows()) == []


def test_a_table_without_rows_has_no_splits(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).clear().write_parquet(tmp_path / "none.parquet")
    assert [row for split in splits_of(tmp_path / "none.parquet") for row in split.rows()] == []
    assert not list(cut_rows(tmp_path / "none.parquet", 10))
