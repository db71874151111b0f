"""The study's database: connections, transactions, migrations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, IntegrityError

from haechi.errors import HaechiError
from haechi.store.migrations import migrations
from haechi.text import Text

_PATIENCE = 60.0  # seconds to wait while another process writes
_MIGRATING, _CLAIMING = 4_863_001, 4_863_002  # our advisory locks; any number will do that is always the same
_CONNECTIONS = 8  # of a process; threads wait for one


def now() -> str:
    """This moment in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Database:
    """A study's database; `write()` is one transaction, all or nothing.

    >>> import tempfile, pathlib
    >>> database = Database.at(pathlib.Path(tempfile.mkdtemp()) / "study.db")
    >>> with database.read() as connection:
    ...     connection.execute(sa.text("SELECT count(*) FROM ratings")).scalar_one()
    0
    """

    def __init__(self, engine: sa.Engine, place: str) -> None:
        self._engine, self._place = engine, place
        self._migrate()

    @classmethod
    def at(cls, path: Path) -> Database:
        """Open the SQLite file at a path; it is made if there is none."""
        return cls(_sqlite(path, sa.NullPool), str(path))

    @classmethod
    def connect(cls, address: str) -> Database:
        """Open a PostgreSQL database; one study lives in one database."""
        try:
            engine = sa.create_engine(
                sa.make_url(address).set(drivername="postgresql+psycopg"),
                pool_size=_CONNECTIONS,
                pool_pre_ping=True,
                max_overflow=0,
            )
        except (ImportError, sa.exc.ArgumentError) as error:
            expected = Text("PostgreSQL에 연결할 수 있는 환경", "what is needed to connect to PostgreSQL")
            todo = Text(
                "`pip install 'haechi[postgres]'`로 설치하고 주소를 확인하세요",
                "run `pip install 'haechi[postgres]'` and check the address",
            )
            raise HaechiError.of("database", type(error).__name__, expected, todo) from None
        return cls(engine, _without_password(address))

    def keep_open(self) -> None:
        """Keep connections open between uses, as a server should.

        Opening one costs more than the work of a small request, and whenever SQLite's last connection closes it
        writes everything back to the main file.
        """
        if self._engine.dialect.name == "sqlite":
            self._engine = _sqlite(Path(self._place), sa.QueuePool, pool_size=_CONNECTIONS, max_overflow=0)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep connections open for work with many transactions, each of which is on the disk when it ends.

        What was asked must still be known after a power failure, or it is paid for twice.
        """
        before = self._engine
        self.keep_open()
        if self._engine is not before:
            sa.event.listen(self._engine, "connect", _write_through)
        try:
            yield
        finally:
            if self._engine is not before:
                self._engine.dispose()
                self._engine = before

    def close(self) -> None:
        """Give back the connections; it opens again when it is used."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A consistent view that does not keep writers waiting."""
        with self._explained(), self._engine.connect().execution_options(reading=True) as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """One transaction: everything in it is kept, or nothing."""
        with self._explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write_alone(self) -> Iterator[sa.Connection]:
        """A transaction beside which no other of its kind runs: what it reads stays true until it ends.

        With SQLite every writer is alone; PostgreSQL needs to be told.
        """
        with self.write() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_CLAIMING})"))
            yield connection

    def _migrate(self) -> None:
        steps = migrations(self._engine.dialect.name)
        with self.read() as connection:
            done = _applied(connection)
        if done > steps[-1].number:
            todo = Text("haechi를 최신 버전으로 올리세요", "upgrade haechi")
            expected = Text(f"형식 {steps[-1].number} 이하", f"format {steps[-1].number} or older")
            raise HaechiError.of(self._place, Text(f"형식 {done}", f"format {done}"), expected, todo)
        if done == steps[-1].number:
            return
        with self.write() as connection:
            if connection.dialect.name == "postgresql":  # SQLite's writer is alone already
                connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
            for step in steps:
                if step.number > _applied(connection):
                    for statement in step.statements:
                        connection.execute(sa.text(statement))
                    applied = "INSERT INTO migrations (number, name, at) VALUES (:number, :name, :at)"
                    connection.execute(sa.text(_MIGRATIONS_TABLE))
                    row = {"number": step.number, "name": step.name, "at": now()}
                    connection.execute(sa.text(applied), row)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # a broken rule of the data: the caller knows which
        except DatabaseError as error:
            raise HaechiError.of(self._place, *_explain(str(error.orig))) from error


def _sqlite(path: Path, pool: type[sa.Pool], **options: Any) -> sa.Engine:
    arguments = {"timeout": _PATIENCE, "check_same_thread": False}
    engine = sa.create_engine(f"sqlite:///{path}", connect_args=arguments, poolclass=pool, **options)
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _without_password(address: str) -> str:
    return sa.make_url(address).render_as_string(hide_password=True)


_MIGRATIONS_TABLE = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL)"
)


def _applied(connection: sa.Connection) -> int:
    if not sa.inspect(connection).has_table("migrations"):
        return 0
    return int(connection.execute(sa.text("SELECT coalesce(max(number), 0) FROM migrations")).scalar_one())


def _set_up_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    for attempt in range(20):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except connection.OperationalError as error:  # the switch to WAL does not wait by itself
            if "locked" not in str(error) or attempt == 19:
                raise
            time.sleep(0.05)


def _write_through(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: sa.Connection) -> None:
    # A writer takes the lock at once, so that it never reads, waits, and finds its view outdated.
    reading = connection.get_execution_options().get("reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


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
