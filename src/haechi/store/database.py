"""The study's database: transactions, migrations, and errors in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from haechi.errors import HaechiError
from haechi.store.connection import Connection
from haechi.store.pool import Busy, Driver, Pool
from haechi.store.sqlite import Sqlite
from haechi.text import Text

_MIGRATING = 4_863_001  # our advisory lock; any number will do that is always the same
_CONNECTIONS = 8  # of a process; threads wait for one


def now(away: timedelta = timedelta()) -> str:
    """This moment in UTC, or one so far away from it, to the second.

    >>> now(timedelta(days=-1)) < now() < now(timedelta(days=1))
    True
    """
    return (datetime.now(UTC) + away).isoformat(timespec="seconds")


def local(at: str) -> str:
    """A stored moment as the clock of this machine shows it, with its distance from UTC; other words stay as they are.

    >>> datetime.fromisoformat(local("2026-11-03T06:12:05+00:00")).astimezone(UTC).hour
    6
    >>> local("yesterday")
    'yesterday'
    """
    try:
        moment = datetime.fromisoformat(at).astimezone()
    except ValueError:
        return at
    return moment.isoformat(sep=" ", timespec="seconds")


class _Tried(Exception):
    """Ends a transaction that was only tried."""


class RuleBroken(Exception):
    """What was written breaks a rule of the data: the caller knows which."""


class Database:
    """A study's database; `write()` is one transaction, all or nothing.

    >>> import tempfile, pathlib
    >>> database = Database.at(pathlib.Path(tempfile.mkdtemp()) / "study.db")
    >>> with database.read() as connection:
    ...     connection.value("SELECT count(*) FROM ratings")
    0
    """

    def __init__(self, pool: Pool, place: str) -> None:
        self._pool, self._place = pool, place
        self._migrate()

    @classmethod
    def at(cls, path: Path) -> Database:
        """Open the SQLite file at a path; it is made if there is none."""
        return cls(Pool(Sqlite(path), None), str(path))

    @classmethod
    def connect(cls, address: str) -> Database:
        """Open a PostgreSQL database; one study lives in one database."""
        from haechi.store.postgresql import Postgresql, without_password

        return cls(Pool(Postgresql(address), _CONNECTIONS), without_password(address))

    def keep_open(self) -> None:
        """Keep connections open between uses, as a server should.

        Opening one costs more than the work of a small request, and whenever SQLite's last connection closes it
        writes everything back to the main file.
        """
        self._pool = self._kept(write_through=False)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep connections open for work with many transactions, each of which is on the disk when it ends.

        What was asked must still be known after a power failure, or it is paid for twice.
        """
        before = self._pool
        self._pool = self._kept(write_through=True)
        try:
            yield
        finally:
            if self._pool is not before:
                self._pool.close()
                self._pool = before

    def _kept(self, write_through: bool) -> Pool:
        driver: Driver = self._pool.driver
        if isinstance(driver, Sqlite):
            return Pool(replace(driver, write_through=write_through), _CONNECTIONS)
        return self._pool  # PostgreSQL's stay open anyway, and write through

    def close(self) -> None:
        """Give back the connections; it opens again when it is used."""
        self._pool.close()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view that does not keep writers waiting."""
        with self._explained(), self._pool.transaction(reading=True) as connection:
            yield connection

    @contextmanager
    def write(self, kept: bool = True) -> Iterator[Connection]:
        """One transaction: everything in it is kept, or nothing; nothing too where it is only tried (`kept` false)."""
        with (
            suppress(_Tried),
            self._explained(),
            self._pool.transaction(reading=False) as connection,
        ):
            yield connection
            if not kept:
                raise _Tried

    @contextmanager
    def write_alone(self, kept: bool = True) -> Iterator[Connection]:
        """A transaction beside which no other of its kind runs: what it reads stays true until it ends.

        With SQLite every writer is alone; PostgreSQL needs to be told.
        """
        with self.write(kept) as connection:
            connection.alone()
            yield connection

    def _migrate(self) -> None:
        steps = migrations(self._pool.driver.dialect)
        with self.read() as connection:
            done = _applied(connection)
        newest = max(done, default=0)
        if newest > steps[-1].number:
            todo = Text("haechi를 최신 버전으로 올리세요", "upgrade haechi")
            expected = Text(f"형식 {steps[-1].number} 이하", f"format {steps[-1].number} or older")
            raise HaechiError.of(self._place, Text(f"형식 {newest}", f"format {newest}"), expected, todo)
        if done >= {step.number for step in steps}:
            return
        with self.write() as connection:
            _wait_for(connection, _MIGRATING)
            done = _applied(connection)  # another process may have been quicker
            missing = [step for step in steps if step.number not in done]
            empty = connection.dialect == "sqlite" and not connection.values(_SCHEMA)
            schema = _schemas.get(steps) if empty else None
            for statement in _short_way(schema, missing) if schema else _long_way(missing):
                connection.execute(statement)
            for step in missing:
                connection.execute(
                    "INSERT INTO migrations (number, name, at) VALUES (:number, :name, :at)",
                    number=step.number,
                    name=step.name,
                    at=now(),
                )
            if empty:
                _schemas[steps] = connection.values(_SCHEMA)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        driver = self._pool.driver
        try:
            yield
        except driver.broken as error:
            raise RuleBroken(str(error)) from error
        except driver.error as error:
            raise HaechiError.of(self._place, *_explain(str(error))) from error
        except Busy:
            raise HaechiError.of(
                self._place, *_explain("all connections are locked by other threads")
            ) from None


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    name: str
    statements: tuple[str, ...]


@cache  # a process opens many studies, and the steps are the same for all
def migrations(dialect: str) -> tuple[Migration, ...]:
    """All migrations for a database dialect, in order; each is applied once, and never edited after a release.

    >>> [migration.number for migration in migrations("sqlite")][:1]
    [1]
    """
    identity, octets = {
        "sqlite": ("INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB"),
        "postgresql": ("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BYTEA"),
    }[dialect]
    found = []
    for path in sorted((Path(__file__).parent / "migrations").glob("[0-9]*.sql")):
        # A file named 0002_x.sqlite.sql or 0002_x.postgresql.sql is for that dialect only.
        stem, _, only = path.name.removesuffix(".sql").partition(".")
        if only and only != dialect:
            continue
        number, _, name = stem.partition("_")
        text = "\n".join(line for line in path.read_text("utf-8").splitlines() if not line.startswith("--"))
        parts = text.replace("{identity}", identity).replace("{bytes}", octets).split(";\n\n")
        found.append(Migration(int(number), name, tuple(p.strip().rstrip(";") for p in parts if p.strip())))
    return tuple(found)


_schemas: dict[tuple[Migration, ...], list[Any]] = {}
"""What SQLite's steps come to, once this process has taken them: that is made in a third of the time, since a step that changes a
table reads the whole schema anew."""

_SCHEMA = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"


def _long_way(steps: list[Migration]) -> list[str]:
    return [*(statement for step in steps for statement in step.statements), _MIGRATIONS_TABLE]


def _short_way(schema: list[Any], steps: list[Migration]) -> list[str]:
    given = (statement for step in steps for statement in step.statements)
    return [*schema, *(statement for statement in given if statement.startswith("INSERT"))]


def _wait_for(connection: Connection, lock: int) -> None:
    if connection.dialect == "postgresql":  # SQLite's writer is alone already
        connection.execute(f"SELECT pg_advisory_xact_lock({lock})")


_MIGRATIONS_TABLE = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL)"
)


def _applied(connection: Connection) -> set[int]:
    """The numbers of the migrations that were applied."""
    there = {
        "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = 'migrations'",
        "postgresql": "SELECT count(to_regclass('migrations'))",
    }[connection.dialect]
    if not connection.value(there):
        return set()
    return set(connection.values("SELECT number FROM migrations"))


def _explain(message: str) -> tuple[str, Text, Text]:
    expected, todo = (
        Text("쓸 수 있는 데이터베이스", "a database that can be used"),
        Text("오류를 확인하세요", "see the message"),
    )
    if "readonly" in message or "unable to open" in message:
        expected = Text("쓰기가 허용된 폴더", "a folder that may be written to")
        todo = Text("폴더의 쓰기 권한을 확인하세요", "check the permissions of the folder")
    elif "full" in message or "disk I/O" in message:
        expected = Text("디스크의 빈 공간", "free space on the disk")
        todo = Text(
            "공간을 비운 뒤 같은 명령을 다시 실행하세요. 저장된 것은 그대로입니다",
            "free some space and run the same command again; nothing stored was lost",
        )
    elif "connection" in message and ("refused" in message or "failed" in message):
        expected = Text("켜져 있는 PostgreSQL 서버", "a PostgreSQL server that is running")
        todo = Text(
            "서버와 study.yaml의 database 주소를 확인하세요",
            "check the server and the address `database` in study.yaml",
        )
    elif "locked" in message:
        expected = Text("다른 작업이 끝난 데이터베이스", "a database that no other process keeps busy")
        todo = Text("잠시 뒤 다시 실행하세요", "run it again in a moment")
    elif "not a database" in message or "malformed" in message:
        expected = Text("SQLite 데이터베이스", "an SQLite database")
        todo = Text("백업에서 되살리세요", "restore it from a backup")
    return message, expected, todo
