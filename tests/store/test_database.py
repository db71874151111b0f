"""One door to two databases: the same words, the same values, the same rules."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from haechi.errors import HaechiError
from haechi.store.database import Database, RuleBroken, migrations
from haechi.store.due_items import JudgeQuestion, due_items
from haechi.store.kept_connections import kept_connections
from haechi.study.study import Study

HEAD = "item,criterion,rater,kind,value\n"
NEW_RATER = "INSERT INTO raters (name, kind, at) VALUES (:name, :kind, 'then')"


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> Callable[[], str | None]:
    """None for a file of the study's own, else the address of an empty database."""

    def made() -> str | None:
        if request.param == "sqlite":
            return None
        server, name = request.getfixturevalue("postgresql"), f"study_{uuid.uuid4().hex[:8]}"
        server.psql(f"CREATE DATABASE {name};")
        return str(server.get_uri(database=name))

    return made


@pytest.fixture
def study(address: Callable[[], str | None], tmp_path: Path) -> Iterator[Study]:
    made = Study.new(tmp_path / "study", "diary-comment", database=address())
    yield made
    made.database.close()


def test_values_come_back_as_they_went_in(study):
    rows = [("비", 1, None), ("100% :sure 'quoted' ?", 2, "x"), ("눈", 3, "y")]
    with study.database.write() as connection:
        connection.execute("CREATE TABLE kept (said TEXT, n INTEGER, rest TEXT)")
        connection.many("INSERT INTO kept (said, n, rest) VALUES (:said, :n, :rest)", rows)
    with study.database.read() as connection:
        assert connection.rows("SELECT said, n, rest FROM kept ORDER BY n") == rows
        assert [*connection.stream("SELECT said, n, rest FROM kept ORDER BY n", 2)] == [rows[:2], rows[2:]]
        one = connection.row("SELECT said, n FROM kept WHERE said = :said AND n < :n", said="비", n=2)
        assert (one.said, one.n, one.as_dict()) == ("비", 1, {"said": "비", "n": 1})
        assert connection.value("SELECT n FROM kept WHERE said LIKE '100%' AND n > :n", n=0) == 2
        assert connection.value("SELECT n FROM kept WHERE said = ':n'") is None
        assert connection.row("SELECT n FROM kept WHERE said = 'nothing'") is None


def test_a_list_of_any_length_is_one_parameter(study):
    names = [f"r{n}" for n in range(40_000)]
    with study.database.write() as connection:
        connection.many(
            "INSERT INTO raters (name, kind, at) VALUES (:name, 'ai', :at)", [("r7", "a"), ("x", "b")]
        )
        query = "SELECT name FROM raters WHERE name = ANY(:names) AND kind = :kind"
        assert connection.values(query, names=names, kind="ai") == ["r7"]
        assert connection.values(query, names=[], kind="ai") == []
        changed = "UPDATE raters SET kind = 'code' WHERE name = ANY(:names)"
        assert connection.execute(changed, names=["r7", "x", "r8"]) == 2


def test_a_text_with_a_zero_byte_is_found_in_a_list(tmp_path):
    study = Study.new(tmp_path / "study", "diary-comment")
    with study.database.write() as connection:
        connection.many(NEW_RATER, [("a\0b", "ai"), ("a", "ai")])
        query = "SELECT name FROM raters WHERE name = ANY(:names) AND kind = :kind"
        assert connection.values(query, names=["a\0b", "c"], kind="ai") == ["a\0b"]


def try_to_write(study: Study, *raters: tuple[str, str], then: str = "SELECT 1") -> None:
    with study.database.write() as connection:
        connection.many(NEW_RATER, raters)
        connection.value(then)


def test_what_goes_wrong_undoes_the_whole_transaction(study):
    for kind in ("robot", "ai"):  # a kind that does not exist, and the same name twice
        with pytest.raises(RuleBroken):
            try_to_write(study, ("first", "ai"), ("second", "ai"), ("second", kind))
    with pytest.raises(HaechiError, match="nowhere"):
        try_to_write(study, ("first", "ai"), then="SELECT 1 FROM nowhere")
    with study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM raters") == 0


def test_a_reader_sees_one_moment(study):
    with study.database.read() as reader:
        assert reader.value("SELECT count(*) FROM raters") == 0
        with study.database.write() as connection:
            connection.execute(NEW_RATER, name="first", kind="ai")
        assert reader.value("SELECT count(*) FROM raters") == 0
    with study.database.read() as reader:
        assert reader.value("SELECT count(*) FROM raters") == 1


def test_many_threads_share_a_few_connections(study):
    study.database.keep_open()

    def register(number: int) -> None:
        with study.database.write() as connection:
            connection.execute(NEW_RATER, name=f"r{number}", kind="human")

    threads = [threading.Thread(target=register, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM raters") == 40
    study.database.close()


def test_a_server_that_ended_our_connections_is_connected_to_again(postgresql, tmp_path):
    postgresql.psql("CREATE DATABASE restarted;")
    study = Study.new(tmp_path / "study", "ubica", database=postgresql.get_uri(database="restarted"))
    postgresql.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'restarted';")
    assert study.count_items() == 0
    study.database.close()


def test_the_rating_in_force_is_the_newest_of_its_chain(study, write):
    study.import_ratings([write("a.csv", HEAD + "d1,sympathy,r1,human,1\nd1,sympathy,r2,human,1\n")])
    for value in "010":
        file = write(f"{value}.csv", HEAD + f"d1,sympathy,r1,human,{value}\n")
        study.import_ratings([file], correct=True)
    query = "SELECT number, rater, value, replaces FROM {} ORDER BY number"
    with study.database.read() as connection:
        every = connection.rows(query.format("ratings"))
        assert connection.rows(query.format("ratings_in_force")) == [every[1], every[-1]]
    assert every[-1] == (every[-1].number, "r1", "0", every[-2].number)
    assert study.ratings().select("rater", "value").rows() == [("r2", "1"), ("r1", "0")]


def test_what_is_due_is_looked_up_item_by_item_in_indexes(tmp_path, monkeypatch):
    study = Study.new(tmp_path / "study", "diary-comment")
    plans: list[str] = []
    with study.database.read() as connection:
        answer = type(connection).rows

        def explained(self, sql, **named):
            plans.extend(row[-1] for row in answer(self, f"EXPLAIN QUERY PLAN {sql}", **named))
            return answer(self, sql, **named)

        monkeypatch.setattr(type(connection), "rows", explained)
        due_items(connection, JudgeQuestion("judge", 1, "", ("sympathy",)), "reply", 0, 10)
    assert any("ratings_of_a_judgement (item=? AND rater=? AND replicate=?" in step for step in plans)
    assert any("one_open_call (item=? AND rater=? AND replicate=? AND part=?)" in step for step in plans)
    assert any(step.startswith("SEARCH later USING INDEX ratings_of_a_judgement") for step in plans)
    assert not [step for step in plans if step.startswith(("SCAN ratings", "SCAN calls"))]


@pytest.mark.parametrize("done", range(len(migrations("sqlite")) + 1))
def test_a_study_of_any_age_is_opened_and_brought_up_to_date(tmp_path, done):
    path = tmp_path / "study.db"
    old = sqlite3.connect(path)
    old.execute("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL)")
    for step in migrations("sqlite")[:done]:
        for statement in step.statements:
            old.execute(statement)
        old.execute("INSERT INTO migrations VALUES (?, ?, 'then')", (step.number, step.name))
    if done:
        old.execute("INSERT INTO raters VALUES ('r1', 'human', 'then')")
    old.commit()
    old.close()
    for _ in range(2):
        with Database.at(path).read() as connection:
            assert connection.value("SELECT count(*) FROM raters") == min(done, 1)
            assert connection.value("SELECT count(*) FROM ratings_in_force") == 0
            assert connection.values("SELECT number FROM migrations ORDER BY number") == [
                step.number for step in migrations("sqlite")
            ]


def test_a_second_study_of_a_process_is_made_like_the_first(tmp_path, monkeypatch):
    """By what the steps of the first came to, and each with an identity of its own."""
    monkeypatch.setattr("haechi.store.database._schemas", {})
    schema, rows = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name", []
    for name in ("first.db", "second.db", "third.db"):
        with Database.at(tmp_path / name).read() as connection:
            tables = connection.values("SELECT name FROM sqlite_master WHERE type = 'table'")
            counts = {table: connection.value(f"SELECT count(*) FROM {table}") for table in tables}
            steps = connection.rows("SELECT number, name FROM migrations ORDER BY number")
            identity = connection.value("SELECT identity FROM study")
            rows.append((connection.rows(schema), counts, steps, identity))
    assert rows[0][:-1] == rows[1][:-1] == rows[2][:-1]
    assert len({identity for *_, identity in rows}) == 3


def test_rows_are_added_in_their_order_however_many(tmp_path):
    database = Database.at(tmp_path / "study.db")
    with database.write() as connection:
        for count in (0, 1, 332, 333, 334, 1000):  # SQLite takes 333 of them to a statement
            names = [f"r{count} {number}" for number in range(count)]
            connection.insert("raters", ("name", "kind", "at"), ((name, "human", "now") for name in names))
            found = "SELECT name FROM raters WHERE name LIKE :like ORDER BY rowid"
            assert connection.values(found, like=f"r{count} %") == names
    with pytest.raises(RuleBroken), database.write() as connection:
        connection.insert(
            "raters", ("name", "kind", "at"), [("new", "human", "now"), ("r1 0", "human", "now")]
        )
    with database.read() as connection:
        assert connection.value("SELECT count(*) FROM raters") == 2000


def test_an_older_study_still_has_one_first_rating_for_each_judgement(tmp_path, monkeypatch):
    steps = migrations("sqlite")
    monkeypatch.setattr("haechi.store.database.migrations", lambda _: steps[:10])
    path, columns = tmp_path / "study.db", ("item", "criterion", "rater", "status", "value", "replaces")
    columns = (*columns, "rubric", "arrival", "at")
    about = ("v1", "a", "now")
    first = ("d1", "sympathy", "r1", "ok", "1", None, *about)
    with Database.at(path).write() as connection:
        connection.insert("rubrics", ("version", "id", "text", "at"), [("v1", "diary-comment", "", "now")])
        connection.insert("raters", ("name", "kind", "at"), [("r1", "human", "now")])
        item = ("d1", "bare", "{}", "{}", "", "a", "now")
        connection.insert("items", ("id", "kind", "content", "meta", "digest", "arrival", "at"), [item])
        corrected = ("d1", "sympathy", "r1", "ok", "0", 1, *about)
        connection.insert("ratings", columns, [first, corrected])
    monkeypatch.undo()
    database = Database.at(path)
    with database.read() as connection:
        assert connection.rows("SELECT number, value FROM ratings_in_force") == [(2, "0")]
    with pytest.raises(RuleBroken), database.write() as connection:
        connection.insert("ratings", columns, [first])


def test_a_small_command_opens_the_file_once_and_closes_it(tmp_path):
    """SQLite takes its log away when the last connection closes: as long as it is there, one is open."""
    database = Database.at(tmp_path / "study.db")
    log = tmp_path / "study.db-wal"
    with database.read():
        assert log.exists()
    assert not log.exists()
    with kept_connections():
        for _ in range(2):
            with database.read() as connection:
                assert connection.value("SELECT 1") == 1
            assert log.exists()
    assert not log.exists()
    with database.read():
        pass
    assert not log.exists()
