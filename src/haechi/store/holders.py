"""Who holds a claim: a process that lives, or one whose claims are free again."""

from __future__ import annotations

import os
import socket
import time
import uuid
from functools import cache
from pathlib import Path

from haechi.store.connection import Connection

LEASE = 60.0
RENEWED_EVERY = LEASE / 4


@cache
def _host() -> str:
    """This machine since it was started, and the space in which its process numbers mean something.

    Containers may share a machine's name and network address and still not see each other's processes.
    """
    boot, space = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    try:
        own = f"{boot.read_text().strip()}/{os.readlink(space)}"
    except OSError:  # another system than Linux
        own = f"{uuid.getnode():x}"
    return f"{socket.gethostname()}/{own}"


def new_holder(process: int | None = None) -> str:
    """A name for this run, or for that of another process here, from which its machine and process can be told."""
    return f"{_host()}|{process or os.getpid()}|{uuid.uuid4().hex}"


def clock(connection: Connection) -> float:
    """The time that all workers go by: that of the database's server, since their own clocks may differ."""
    if connection.dialect != "postgresql":
        return time.time()
    return float(connection.value("SELECT extract(epoch FROM clock_timestamp())"))


def lease_end(connection: Connection) -> float:
    """Until when a claim made now is valid unless it is renewed."""
    return clock(connection) + LEASE


def is_dead(holder: str, held_until: float, moment: float) -> bool:
    """Whether a claim is free again: its lease ran out, or its process on this machine is gone.

    >>> is_dead(new_holder(), 100.0, moment=99.0), is_dead(new_holder(), 100.0, moment=101.0)
    (False, True)
    """
    if held_until < moment:
        return True
    process = process_of(holder)
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # it lives, under another user
    return False


def process_of(holder: str) -> int | None:
    """The number of a holder's process; None for one on another machine.

    >>> process_of(new_holder()) == os.getpid(), process_of("elsewhere|7|x")
    (True, None)
    """
    host, _, rest = holder.partition("|")
    process = rest.partition("|")[0]
    return int(process) if host == _host() and process.isdigit() else None
