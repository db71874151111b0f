"""Studies in an SQLite file, through the standard library."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from haechi.frozen import frozen
from haechi.store.connection import Connection, SqlDialect, with_places

PATIENCE = 60.0  # seconds to wait while another process writes
_PLACES = 999  # parameters of a statement that every version of SQLite takes
_FEW = 500  # values of a list that are given one by one; more are found sooner by reading all


@frozen
class Sqlite:
    """How to open a file; `write_through`: a transaction is on the disk when it ends, whatever happens to the power."""

    path: Path
    write_through: bool = False
    dialect: SqlDialect = "sqlite"
    error: type[Exception] = sqlite3.DatabaseError
    broken: type[Exception] = sqlite3.IntegrityError

    def open(self) -> Connection:
        """Open the file; it is made if there is none."""
        # Transactions are begun below, not by the driver; a connection may wander between threads.
        opened = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._set_up(opened)
        except BaseException:
            opened.close()
            raise
        return _Connection(opened)

    def _set_up(self, opened: sqlite3.Connection) -> None:
        opened.execute("PRAGMA foreign_keys = ON")
        opened.execute(f"PRAGMA synchronous = {'FULL' if self.write_through else 'NORMAL'}")
        for attempt in range(20):
            try:
                opened.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:  # the switch to WAL does not wait by itself
                if "locked" not in str(error) or attempt == 19:
                    raise
                time.sleep(0.05)


class _Connection(Connection):
    dialect = "sqlite"
    _place = "?"

    def __init__(self, opened: sqlite3.Connection) -> None:
        self._opened = opened

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        self._opened.executemany(with_places(sql, self._place), rows)

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        # Many rows to a statement: what a statement costs by itself, numbering its rows above all, is as much as a row.
        given, at_once = iter(rows), _PLACES // len(columns)
        while len(some := list(islice(given, at_once))) == at_once:
            self._opened.execute(_inserting(table, tuple(columns), at_once), list(chain.from_iterable(some)))
        super().insert(table, columns, some)

    def _cursor(self, sql: str, named: dict[str, Any]) -> closing[sqlite3.Cursor]:
        return closing(self._run(sql, named))

    def begin(self, reading: bool) -> None:
        # A writer takes the lock at once, so that it never reads, waits, and finds its view outdated.
        self._opened.execute("BEGIN" if reading else "BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._opened.execute("COMMIT")

    def rollback(self) -> None:
        if self._opened.in_transaction:  # a full disk has ended it already
            self._opened.execute("ROLLBACK")

    def is_lost(self) -> bool:
        return False

    def close(self) -> None:
        self._opened.close()

    def _run(self, sql: str, given: dict[str, Any] | list[Any]) -> sqlite3.Cursor:
        if isinstance(given, dict):
            for name, value in given.items():
                if isinstance(value, list):
                    sql, given = _with_list(sql, given, name, value)
        return self._opened.execute(sql, given)


@cache
def _inserting(table: str, columns: tuple[str, ...], rows: int) -> str:
    each = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([each] * rows)}"


def _with_list(sql: str, named: dict[str, Any], name: str, values: list[Any]) -> tuple[str, dict[str, Any]]:
    packed = orjson.dumps(values).decode()
    if not 0 < len(values) <= _FEW and "\\u0000" not in packed:
        return _unpacking(sql, name), {**named, name: packed}
    # Few are given one by one: SQLite looks them up in the tables of a view, but a list only when it has read all of it.
    # And it ends a JSON string at a zero byte.
    each = {f"{name}{number}": value for number, value in enumerate(values)}
    rest = {other: value for other, value in named.items() if other != name}
    return sql.replace(f"= ANY(:{name})", f"IN ({', '.join(f':{one}' for one in each)})"), rest | each


@cache
def _unpacking(sql: str, name: str) -> str:
    return sql.replace(f"= ANY(:{name})", f"IN (SELECT value FROM json_each(:{name}))")
