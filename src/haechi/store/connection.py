"""A connection to a study's database: plain SQL with named parameters, the same words for SQLite and PostgreSQL."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

SqlDialect = Literal["sqlite", "postgresql"]

CLAIMING = 4_863_002
"""Our advisory lock for what only one may do at a time; any number will do that is always the same."""
_PARTS = re.compile(r"'[^']*'|::|:([a-z]\w*)|%")


class DatabaseRow(tuple[Any, ...]):
    """A row of an answer; its columns are attributes too.

    >>> _row_type(("id", "kind"))(("d1", "reply")).kind
    'reply'
    """

    __slots__ = ()
    columns: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def as_dict(self) -> dict[str, Any]:
        """The values by the names of their columns."""
        return dict(zip(self.columns, self, strict=True))


@cache
def _row_type(columns: tuple[str, ...]) -> type[DatabaseRow]:
    getters = {name: property(itemgetter(place)) for place, name in enumerate(columns)}
    return type("Row", (DatabaseRow,), {"__slots__": (), "columns": columns, **getters})


class Connection(ABC):
    """One open connection, inside a transaction.

    A parameter is written `:name`; `column = ANY(:names)` takes a list of any length. What is read has Python's own types.
    """

    dialect: ClassVar[SqlDialect]
    _place: ClassVar[str]

    def rows(self, sql: str, **named: Any) -> list[DatabaseRow]:
        """All rows of the answer."""
        return _named(cursor := self._run(sql, named), cursor.fetchall())

    def row(self, sql: str, **named: Any) -> DatabaseRow | None:
        """The first row; None if there is none."""
        found = self.rows(sql, **named)
        return found[0] if found else None

    def values(self, sql: str, **named: Any) -> list[Any]:
        """The first column of the answer."""
        return [row[0] for row in self._run(sql, named).fetchall()]

    def value(self, sql: str, **named: Any) -> Any:
        """The first column of the first row; None if there is no row."""
        found = self._run(sql, named).fetchone()
        return None if found is None else found[0]

    def execute(self, sql: str, **named: Any) -> int:
        """Change something; says how many rows."""
        return int(self._run(sql, named).rowcount)

    def rows_for(self, sql: str, wanted: Sequence[Sequence[Any]]) -> list[DatabaseRow]:
        """All rows of the answer to a statement with a table of values, `VALUES :wanted`, of one row or more."""
        each = f"({', '.join([self._place] * len(wanted[0]))})"
        filled = sql.replace("VALUES :wanted", f"VALUES {', '.join([each] * len(wanted))}")
        cursor = self._run(filled, [part for row in wanted for part in row])
        return _named(cursor, cursor.fetchall())

    @abstractmethod
    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Do the same with every row of values, which stand in the order of the statement's parameters."""

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add rows of values to a table, in their order."""
        self.many(insert_into(table, columns), rows)

    def stream(self, sql: str, size: int, **named: Any) -> Iterator[list[DatabaseRow]]:
        """The answer a piece of `size` rows at a time, so that memory stays small."""
        with self._cursor(sql, named) as cursor:
            while some := cursor.fetchmany(size):
                yield _named(cursor, some)

    def stream_plain(self, sql: str, size: int, **named: Any) -> Iterator[list[tuple[Any, ...]]]:
        """As `stream`, without the names of columns: very many rows are read a quarter sooner."""
        with self._cursor(sql, named) as cursor:
            while some := cursor.fetchmany(size):
                yield some

    @abstractmethod
    def begin(self, reading: bool) -> None:
        """Begin a transaction."""

    @abstractmethod
    def commit(self) -> None:
        """Keep what the transaction did."""

    @abstractmethod
    def rollback(self) -> None:
        """Undo what the transaction did."""

    def alone(self) -> None:
        """From here to the end of the transaction no other that asks the same is beside this one."""
        if self.dialect == "postgresql":  # SQLite's writer is alone already
            self.execute(f"SELECT pg_advisory_xact_lock({CLAIMING})")

    @abstractmethod
    def is_lost(self) -> bool:
        """Whether nothing can be asked any more."""

    @abstractmethod
    def close(self) -> None:
        """End it."""

    @abstractmethod
    def _cursor(self, sql: str, named: dict[str, Any]) -> AbstractContextManager[Any]:
        """The cursor of a statement whose answer is read piece by piece."""

    @abstractmethod
    def _run(self, sql: str, given: dict[str, Any] | list[Any]) -> Any:
        """Run a statement with named parameters, or with those in the driver's own places; gives its cursor."""


def _named(cursor: Any, found: Iterable[tuple[Any, ...]]) -> list[DatabaseRow]:
    return list(map(_row_type(tuple(column[0] for column in cursor.description)), found))


@cache
def with_places(sql: str, named: str, percent: str = "%") -> str:
    """A statement with a driver's own placeholders instead of `:name`; what is quoted stays as it is.

    >>> with_places("SELECT a FROM t WHERE b = :b AND c = ':c'", "?")
    "SELECT a FROM t WHERE b = ? AND c = ':c'"
    >>> with_places("SELECT a FROM t WHERE b LIKE '%:x' AND c = :c", "%({})s", "%%")
    "SELECT a FROM t WHERE b LIKE '%%:x' AND c = %(c)s"
    """

    def place(found: re.Match[str]) -> str:
        return named.format(found[1]) if found[1] else found[0].replace("%", percent)

    return _PARTS.sub(place, sql)


def insert_into(table: str, columns: Iterable[str]) -> str:
    """The statement that adds a row.

    >>> insert_into("raters", ("name", "kind"))
    'INSERT INTO raters (name, kind) VALUES (:name, :kind)'
    """
    names = tuple(columns)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"


def setting(columns: Iterable[str]) -> str:
    """The part of an UPDATE that names what changes.

    >>> setting(["state", "reason"])
    'state = :state, reason = :reason'
    """
    return ", ".join(f"{name} = :{name}" for name in columns)
