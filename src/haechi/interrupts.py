"""SIGTERM, by which SLURM, Kubernetes, Docker and our own pages end a process: it is told to stop, as by Ctrl-C, not killed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def at_sigterm(stop: Callable[[], None]) -> Iterator[None]:
    """Do this at the first SIGTERM meanwhile; a second one must not cut off what is being kept.

    >>> heard = []
    >>> with at_sigterm(lambda: heard.append("once")):
    ...     signal.raise_signal(signal.SIGTERM)
    ...     signal.raise_signal(signal.SIGTERM)
    >>> heard
    ['once']
    """
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    told = False

    def hear(*_: object) -> None:
        nonlocal told
        if not told:
            told = True
            stop()

    before = signal.signal(signal.SIGTERM, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
