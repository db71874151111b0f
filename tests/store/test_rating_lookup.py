"""An import looks up the ratings that are there through an index, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from databases import running_postgresql
from haechi.study import Study

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
    with running_postgresql() as server:
        made = Study.new(tmp_path / "study", "diary-comment", database=server.get_uri())
        yield made
        made.database.close()


@contextmanager
def plans(study: Study) -> Iterator[list[str]]:
    """How the database goes about every question that is put to the ratings meanwhile."""
    told: list[str] = []
    asked: list[tuple[str, Any]] = []

    def hear(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if "SELECT" in statement and "ratings" in statement and "EXPLAIN" not in statement:
            asked.append((statement, parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", hear)
    try:
        yield told
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", hear)
    with study.database.read() as connection:
        word = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
        for statement, parameters in asked:
            plan = connection.exec_driver_sql(f"{word} {statement}", parameters).all()
            told.append("\n".join(str(row[-1]) for row in plan))


def test_what_is_there_is_found_without_reading_all_ratings(study, tmp_path):
    study.import_ratings([table(tmp_path / "all.csv", range(ROWS // 2))])
    some = range(7, 9)
    with plans(study) as told:
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
