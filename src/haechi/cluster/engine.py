"""A Dask cluster, given by its address or started here: connect, check, run tasks, say in words what failed."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from operator import getitem
from pathlib import Path
from typing import Any, TypeVar

from haechi.cluster.failures import (
    blind_worker,
    lost_connection,
    no_dask,
    no_workers,
    other_versions,
    unreachable,
    worker_without_haechi,
    workers_died,
)
from haechi.cluster.runner import THREADS, ListTask

Part = TypeVar("Part")
Result = TypeVar("Result")

LOCAL = "local"
SECONDS_TO_CONNECT = 20
SECONDS_FOR_A_WORKER = 60
AHEAD = 2  # tasks for each thread of a worker that are given out before the first result is taken
MUST_BE_EQUAL = ("haechi", "polars", "numpy", "dask", "distributed")
"""Scores are equal to the last bit only where all machines compute with the same code."""

Future = Any  # distributed's own, which is imported only when a cluster is used


class Engine:
    """The `Runner` on the workers of a cluster. A task that was lost with its worker is run again elsewhere.

    Beside `run`, whose results come here, tasks can be given the futures of other tasks: what these pass on goes
    from worker to worker.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client, self.address = client, address

    def put(self, value: Any) -> Future:
        """A value that many tasks need; a task by itself, so that it survives the worker that holds it."""
        return self._client.submit(_same, value, pure=False)

    def map(self, function: Callable[..., Any], *arguments: Sequence[Any]) -> list[Future]:
        """One task for each set of arguments; these may be the futures of other tasks."""
        return list(self._client.map(function, *arguments, pure=False))

    def transpose(self, givers: Sequence[Future], receivers: int) -> list[list[Future]]:
        """The shuffle: every giver's result is a list with a piece for each receiver; here are the receivers' pieces.

        The pieces go from worker to worker; none of them comes here.
        """
        many = [giver for giver in givers for _ in range(receivers)]
        pieces = self.map(getitem, many, [*range(receivers)] * len(givers))
        return [pieces[receiver::receivers] for receiver in range(receivers)]

    def results(self, futures: Sequence[Future]) -> Iterator[tuple[int, Any]]:
        """The results as they come, each with the position of its task."""
        for number in self._done(futures):
            yield number, futures[number].result()

    def _done(self, futures: Sequence[Future]) -> Iterator[int]:
        """The positions of tasks as they are done.

        Of several errors that of the first task is raised, whichever came first: the same input gives the same
        message every time.
        """
        from distributed import as_completed

        place = {future.key: number for number, future in enumerate(futures)}
        failed: dict[int, BaseException] = {}
        try:
            for future in as_completed(futures, loop=self._client.loop):  # type: ignore[no-untyped-call]
                number = place[future.key]
                if future.status == "error":
                    failed[number] = future.exception()
                elif future.status != "finished":
                    raise lost_connection(self.address)
                elif not failed:
                    yield number
                if failed and all(one.status != "pending" for one in futures[: min(failed)]):
                    break
        except (CancelledError, OSError) as error:
            raise lost_connection(self.address, str(error)) from None
        if failed:
            # An earlier task may have ended with an error that was not announced yet.
            first = next(n for n, one in enumerate(futures) if n in failed or one.status == "error")
            raise _in_words(failed[first] if first in failed else futures[first].exception())

    def wait(self, futures: Sequence[Future]) -> None:
        """Until all tasks are done; their results stay where they are."""
        for _ in self._done(futures):
            pass

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """All results, in the order of the tasks."""
        found = dict(self.results(futures))
        return [found[number] for number in range(len(futures))]

    def run(self, task: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
        """The results in the order of the parts, each forgotten here and there before the next."""
        ahead = AHEAD * max(1, sum(self._client.nthreads().values()))
        waiting: deque[Future] = deque()
        for part in parts:
            waiting += self.map(ListTask(task), [part])
            if len(waiting) > ahead:
                yield self._taken(waiting)
        while waiting:
            yield self._taken(waiting)

    def _taken(self, waiting: deque[Future]) -> Any:
        (result,) = self.gather([waiting[0]])
        waiting.popleft()  # a result stays with its worker as long as somebody knows its future
        return result

    def check_inputs(self, paths: Iterable[Path | str]) -> None:
        """Every worker must see the files under the paths that they have here; one stands for all."""
        first = next((path for path in paths if isinstance(path, Path)), None)
        if first is not None:
            self._check_seen(first, str(first))

    def check_folder(self, folder: Path) -> None:
        """Every worker must see the folder under the same path, or its results would be lost."""
        token = secrets.token_hex(8)
        probe = folder / f".probe-{token}"
        probe.write_text(token, "utf-8")
        try:
            self._check_seen(probe, str(folder))
        finally:
            probe.unlink(missing_ok=True)

    def _check_seen(self, path: Path, name: str) -> None:
        for worker, seen in self._client.run(os.path.exists, str(path)).items():
            if not seen:
                raise blind_worker(worker, name)

    def busy_workers(self) -> list[str]:
        """Workers in which polars takes more than one thread, so that tasks disturb each other."""
        threads = self._client.run(os.environ.get, THREADS)
        return [worker for worker, number in threads.items() if number != "1"]


@contextmanager
def connected(address: str) -> Iterator[Engine]:
    """A cluster to work on: `local` starts one process per core here, anything else is a scheduler's address."""
    try:
        import dask
        import distributed
    except ImportError:
        raise no_dask() from None
    # Runs are described in the graph itself, a hundred bytes for each part of the input.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}), _quiet():
        if address == LOCAL:
            with _local_cluster(distributed) as cluster, _client(distributed, cluster, LOCAL) as client:
                yield Engine(client, LOCAL)
        else:
            with _client(distributed, address, address) as client:
                _check_workers(client, address)
                yield Engine(client, address)


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask logs pages of tracebacks when a machine dies; what matters is said in our own words."""
    loggers = [
        logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed")
    ]
    before = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Processes that are started now inherit it: Ctrl-C stops this one, which stops its workers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _local_cluster(distributed: Any) -> Iterator[Any]:
    import dask
    from dask.system import CPU_COUNT

    settings = {
        f"distributed.nanny.pre-spawn-environ.{THREADS}": "1",  # polars reads it when it is imported
        # A worker that dies is started again by its nanny; the cluster is not to give up the nanny meanwhile.
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with dask.config.set(settings):
        with _ignoring_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=CPU_COUNT,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",  # any free port: there may be another cluster on this machine
                silence_logs=logging.CRITICAL,
            )
        try:
            yield cluster
        finally:
            # Workers that died may make the end untidy; the results are on disk by then.
            with suppress(KeyError, OSError):
                cluster.close()


@contextmanager
def _client(distributed: Any, cluster: Any, address: str) -> Iterator[Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions are compared below, and said in our own words
            client = distributed.Client(cluster, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise unreachable(address, str(error)) from None
    with client:
        yield client


def _check_workers(client: Any, address: str) -> None:
    """There are workers, and they run the same code as this process."""
    try:
        client.wait_for_workers(1, timeout=SECONDS_FOR_A_WORKER)
    except (TimeoutError, OSError):
        raise no_workers(address, SECONDS_FOR_A_WORKER) from None
    found = client.get_versions(packages=list(MUST_BE_EQUAL))
    own = found["client"]["packages"]
    for worker, about in found["workers"].items():
        theirs = about["packages"]
        if theirs["haechi"] is None:
            raise worker_without_haechi(worker)
        if _minor(theirs["python"]) != _minor(own["python"]):
            raise other_versions(worker, "python", theirs["python"], own["python"])
        for name in MUST_BE_EQUAL:
            if theirs[name] != own[name]:
                raise other_versions(worker, name, theirs[name], own[name])


def _in_words(error: BaseException) -> BaseException:
    """What happened to a task; errors about the input are in words already."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return workers_died(str(error))
    return worker_without_haechi(str(error)) if isinstance(error, ModuleNotFoundError) else error


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _same(value: Any) -> Any:
    return value
