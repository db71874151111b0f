"""One event loop for all clients of a process: one for each request took as long as the request."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal
from starlette.testclient import TestClient


@pytest.fixture(scope="session", autouse=True)
def event_loop_of_clients() -> Iterator[None]:
    with start_blocking_portal() as portal:
        TestClient.portal = portal
        yield
        TestClient.portal = None
