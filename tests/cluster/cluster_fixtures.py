"""One cluster of two worker processes for all tests of this folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from haechi.cluster.engine import THREADS, Engine, connected


@pytest.fixture(scope="session")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with two workers, each a process of its own."""
    import dask
    from distributed import LocalCluster

    # A worker that is killed is at fault for all that waited in it; the tests kill more than most clusters see.
    settings: dict[str, object] = {"distributed.scheduler.allowed-failures": 10}
    settings["distributed.deploy.lost-worker-timeout"] = "1h"  # else a nanny is given up while it restarts
    settings[f"distributed.nanny.pre-spawn-environ.{THREADS}"] = "1"
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture
def engine(scheduler: str) -> Iterator[Engine]:
    """A connection to the cluster, which has both its workers."""
    with connected(scheduler) as connection:
        connection._client.wait_for_workers(2, timeout=60)
        yield connection
