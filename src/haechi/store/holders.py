"""Who holds a claim: a process that lives, or one whose claims are free again."""

from __future__ import annotations

import os
import socket
import time
import uuid
from functools import cache

LEASE = 60.0


@cache
def _host() -> str:
    return f"{socket.gethostname()}/{uuid.getnode():x}"


def new_holder() -> str:
    """A name for this run, from which its machine and process can be told."""
    return f"{_host()}|{os.getpid()}|{uuid.uuid4().hex}"


def lease_end() -> float:
    """Until when a claim made now is valid unless it is renewed."""
    return time.time() + LEASE


def is_dead(holder: str, held_until: float) -> bool:
    """Whether a claim is free again: its lease ran out, or its process on this machine is gone.

    >>> is_dead(new_holder(), time.time() + 9), is_dead(new_holder(), time.time() - 9)
    (False, True)
    """
    if held_until < time.time():
        return True
    host, _, rest = holder.partition("|")
    process = rest.partition("|")[0]
    if host != _host() or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # it lives, under another user
    return False
