"""One way to do a task for every part of something: here, in processes of their own, or on a cluster.

The parts are small to send and are read where the task runs. A task is a function at the top of a module.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

Part = TypeVar("Part")
Result = TypeVar("Result")

THREADS = "POLARS_MAX_THREADS"
WORTH_A_POOL = 4
"""With fewer parts than this, starting processes takes longer than the work."""


class Runner(Protocol):
    """Who does the tasks; what they come to does not depend on it."""

    def run(self, task: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
        """The results in the order of the parts, a few of them ahead, so that memory stays bounded.

        Of several errors that of the first part is raised: the same input gives the same message every time.
        What a task yields one by one comes one by one where the task runs here, else as a list.
        """
        ...


class Processes:
    """Runs tasks in this process, or in `workers` others if there are enough parts.

    >>> list(Processes(workers=1).run(len, ["a", "bc"]))
    [1, 2]
    """

    def __init__(self, workers: int | None = None, worth: int | None = None) -> None:
        self._workers = workers or workers_here()
        self._worth = worth

    def run(self, task: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
        """The results in the order of the parts."""
        worth = WORTH_A_POOL if self._worth is None else self._worth
        stream = iter(parts)
        first = list(islice(stream, worth))
        if self._workers < 2 or len(first) < worth:
            yield from map(task, chain(first, stream))
            return
        with _pool(self._workers) as pool:
            try:
                work = ListTask(task)
                yield from in_order(pool, work, chain(first, stream), 2 * self._workers)
            finally:
                pool.shutdown(cancel_futures=True)


class ListTask:
    """A task whose result can be sent: what it yields one by one comes as a list.

    >>> ListTask(iter)("ab")
    ['a', 'b']
    """

    def __init__(self, task: Callable[[Any], Any]) -> None:
        self._task = task

    def __call__(self, part: Any) -> Any:
        """Do the task for a part."""
        result = self._task(part)
        return list(result) if isinstance(result, Iterator) else result


def workers_here() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    pool: Executor, work: Callable[[Part], Result], given: Iterable[Part], ahead: int
) -> Iterator[Result]:
    """The results in the order of what is given; no more than `ahead` are waiting, so that memory stays bounded."""
    waiting: deque[Future[Result]] = deque()
    for one in given:
        waiting.append(pool.submit(work, one))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes, since a forked one would inherit the locks of polars' threads; one thread in each."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    wished = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare) as pool:
            yield pool
    finally:
        if wished is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = wished


def _prepare() -> None:
    """Set up a process that does nothing but tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the parent, which stops its workers
    # What files hold has no cycles, and looking for them takes a tenth of the time.
    gc.set_threshold(200_000)
