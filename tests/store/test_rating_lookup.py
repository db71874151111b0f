"""An import looks up the ratings that are there through an index, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from haechi.store.connection import Connection, DatabaseRow
from haechi.store.items import known_items, read_items
from haechi.study.study import Study

ROWS = 6_000


def table(path: Path, numbers: range, value: str = "1") -> Path:
    rows = (f"d{n},{criterion},r1,human,{value}\n" for n in numbers for criterion in ("ssa", "sympathy"))
    path.write_text("item,criterion,rater,kind,value\n" + "".join(rows), "utf-8")
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Study]:
    if request.param == "sqlite":
        yield Study.new(tmp_path / "study", "diary-comment")
        return
    address = request.getfixturevalue("empty_database")
    made = Study.new(tmp_path / "study", "diary-comment", database=address)
    yield made
    made.database.close()


@contextmanager
def plans(study: Study, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """How the database goes about every question that is put to the ratings meanwhile."""
    told: list[str] = []
    asked: list[tuple[str, Any]] = []
    answer = Connection.rows_for

    def hear(connection: Connection, sql: str, wanted: Any) -> list[DatabaseRow]:
        asked.append((sql, wanted))
        return answer(connection, sql, wanted)

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "rows_for", hear)
        yield told
    with study.database.read() as connection:
        word = "EXPLAIN QUERY PLAN" if connection.dialect == "sqlite" else "EXPLAIN"
        for sql, wanted in asked:
            told.append("\n".join(str(row[-1]) for row in connection.rows_for(f"{word} {sql}", wanted)))


def test_what_is_there_is_found_without_reading_all_ratings(study, tmp_path, monkeypatch):
    study.import_ratings([table(tmp_path / "all.csv", range(ROWS // 2))])
    some = range(7, 9)
    with plans(study, monkeypatch) as told:
        again = study.import_ratings([table(tmp_path / "some.csv", some)])
        other = study.import_ratings([table(tmp_path / "other.csv", some, "0")], correct=True)
    assert (again.new, again.unchanged, other.corrected) == (0, 4, 4)
    assert len(told) == 2
    for plan in told:
        assert "INDEX" in plan.upper()
        assert "SCAN ratings" not in plan
        assert "Seq Scan on ratings" not in plan
    third = study.import_ratings([table(tmp_path / "third.csv", range(6, 10), "0")], correct=True)
    assert (third.unchanged, third.corrected) == (4, 4)


def test_a_few_items_are_looked_up_without_reading_all(tmp_path):
    study = Study.new(tmp_path / "study", "diary-comment")
    study.import_ratings([table(tmp_path / "all.csv", range(ROWS // 2))])
    with study.database.read() as connection:
        steps = []
        connection._opened.set_progress_handler(
            lambda: steps.append(1), 100
        )  # every hundred of SQLite's own steps
        wanted = [f"d{number}" for number in (*range(9), ROWS)]
        assert known_items(connection, wanted) == set(wanted[:-1])
        assert [item.id for item in read_items(connection, wanted)] == wanted[:-1]
    assert len(steps) < 30
