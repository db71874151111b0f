"""A command that a server started: what ends it, whoever started it."""

from __future__ import annotations

import signal
import subprocess
import sys

from haechi.store.holders import new_holder
from haechi.web.background import Background


def test_a_run_is_ended_also_beside_one_that_has_just_ended(tmp_path):
    """Between the question who is at work and the word to stop, a run may come to its end by itself."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    at_work = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        holders = [new_holder(process.pid) for process in (ended, at_work)]
        Background(tmp_path, "result", lambda: holders).stop()
        assert at_work.wait(timeout=30) == -signal.SIGTERM
    finally:
        at_work.kill()
