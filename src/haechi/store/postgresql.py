"""Studies in a PostgreSQL database, through psycopg, which nobody else needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from haechi.errors import HaechiError
from haechi.store.connection import Connection, SqlDialect, with_places
from haechi.text import Text

if TYPE_CHECKING:
    import psycopg

_ADDRESS = re.compile(
    r"postgresql://"
    r"(?:(?P<user>[^:/]*)(?::(?P<password>[^@]*))?@)?"
    r"(?:\[(?P<host6>[^/?]+)\]|(?P<host>[^/:?]+))?(?::(?P<port>[^/?]*))?"
    r"(?:/(?P<dbname>[^?]*))?(?:\?(?P<more>.*))?"
)
_QUOTED = ("user", "password")


class Postgresql:
    """How to reach a database; one study lives in one database."""

    dialect: SqlDialect = "postgresql"

    def __init__(self, address: str) -> None:
        found = _ADDRESS.fullmatch(address)
        try:
            import psycopg
        except ImportError as error:
            raise _unreachable(error) from None
        if found is None:
            raise _unreachable(ValueError())
        self.error: type[Exception] = psycopg.DatabaseError
        self.broken: type[Exception] = psycopg.IntegrityError
        self._options = _options(found)

    def open(self) -> Connection:
        """Connect."""
        import psycopg

        # Transactions are begun below, not by the driver.
        return _Connection(psycopg.connect(**self._options, autocommit=True))


def without_password(address: str) -> str:
    """An address that may be shown.

    >>> without_password("postgresql://someone:secret@localhost/diaries?password=secret")
    'postgresql://someone:***@localhost/diaries?password=***'
    """
    hidden = re.sub(r"^(postgresql://[^:/]*:)[^@]*@", r"\1***@", address)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", hidden)


def _options(found: re.Match[str]) -> dict[str, Any]:
    parts = {name: part for name, part in found.groupdict().items() if part}
    more = dict(parse_qsl(parts.pop("more", "")))
    if "host6" in parts:
        parts["host"] = parts.pop("host6")
    return {name: unquote(part) if name in _QUOTED else part for name, part in parts.items()} | more


def _unreachable(error: Exception) -> HaechiError:
    expected = Text("PostgreSQL에 연결할 수 있는 환경", "what is needed to connect to PostgreSQL")
    todo = Text(
        "`pip install 'haechi[postgres]'`로 설치하고 주소를 확인하세요",
        "run `pip install 'haechi[postgres]'` and check the address",
    )
    return HaechiError.of("database", type(error).__name__, expected, todo)


class _Connection(Connection):
    dialect = "postgresql"
    _place = "%s"
    _names = count()

    def __init__(self, opened: psycopg.Connection[Any]) -> None:
        self._opened = opened

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._opened.cursor() as cursor:
            cursor.executemany(with_places(sql, self._place, "%%").encode(), rows)

    @contextmanager
    def _cursor(self, sql: str, named: dict[str, Any]) -> Iterator[Any]:
        with self._opened.cursor(f"stream_{next(self._names)}") as cursor:
            cursor.execute(*_statement(sql, named))
            yield cursor

    def begin(self, reading: bool) -> None:
        self._opened.execute(_READING if reading else "BEGIN", prepare=False)

    def commit(self) -> None:
        self._opened.execute("COMMIT", prepare=False)

    def rollback(self) -> None:
        if not self.is_lost() and self._opened.info.transaction_status != _IDLE:
            self._opened.execute("ROLLBACK", prepare=False)

    def is_lost(self) -> bool:
        return self._opened.closed

    def close(self) -> None:
        self._opened.close()

    def _run(self, sql: str, given: dict[str, Any] | list[Any]) -> psycopg.Cursor[Any]:
        return self._opened.execute(*_statement(sql, given))


_IDLE = 0  # psycopg.pq.TransactionStatus.IDLE
_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


def _statement(
    sql: str, given: dict[str, Any] | list[Any]
) -> tuple[bytes, dict[str, Any] | list[Any] | None]:
    if isinstance(given, dict) and given:
        sql = with_places(sql, "%({})s", "%%")
    return (
        sql.encode(),
        given or None,
    )  # without parameters a statement is taken as it is, percent signs and all
