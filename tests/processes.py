"""Commands in processes of their own, as a shell starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any


def start_haechi(*arguments: object, **more: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    command = [sys.executable, "-m", "haechi.cli.start", *map(str, arguments)]
    environment = {**os.environ, "HAECHI_LANG": "en"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **more
    )
