"""Connections of one process: a server keeps some open, a small command those it has, everybody else opens one for each use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from haechi.store.connection import Connection, SqlDialect
from haechi.store.kept_connections import is_kept
from haechi.store.sqlite import PATIENCE


class Driver(Protocol):
    """A way to open connections, and the errors that they raise."""

    @property
    def dialect(self) -> SqlDialect:
        """Which kind of database it is."""

    @property
    def error(self) -> type[Exception]:
        """Whatever the database complains of."""

    @property
    def broken(self) -> type[Exception]:
        """The complaint that a rule of the data was broken."""

    def open(self) -> Connection:
        """A new connection."""


class Busy(Exception):
    """All connections are in use, and none was given back."""


class Pool:
    """At most `most` connections, which stay open and for which threads wait; with None every use opens its own (`kept_connections`)."""

    def __init__(self, driver: Driver, most: int | None) -> None:
        self.driver = driver
        self._places = None if most is None else threading.Semaphore(most)
        self._free: list[Connection] = []

    @contextmanager
    def transaction(self, reading: bool) -> Iterator[Connection]:
        """One transaction: all of it is kept, or nothing; one that reads leaves nothing behind."""
        if self._places is not None and not self._places.acquire(timeout=PATIENCE):
            raise Busy
        try:
            connection = self._begun(reading)
            try:
                yield connection
                if not reading:
                    connection.commit()
            finally:
                self._give_back(connection)
        finally:
            if self._places is not None:
                self._places.release()

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while (connection := self._idle()) is not None:
            connection.close()

    def _idle(self) -> Connection | None:
        try:
            return self._free.pop()  # one step, whatever other threads do
        except IndexError:
            return None

    def _begun(self, reading: bool) -> Connection:
        while True:
            kept = self._idle()
            connection = kept or self.driver.open()
            try:
                connection.begin(reading)
                return connection
            except BaseException as error:
                lost = connection.is_lost()
                connection.close()
                # The server may have been started anew since a connection was used.
                if not (kept and lost and isinstance(error, self.driver.error)):
                    raise

    def _give_back(self, connection: Connection) -> None:
        try:
            connection.rollback()
        except self.driver.error:  # what it did is undone anyway, when it is closed
            connection.close()
            return
        if connection.is_lost() or (self._places is None and not is_kept(self.close)):
            connection.close()
        else:
            self._free.append(connection)
