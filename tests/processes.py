"""Commands in processes of their own, as a shell starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any


def start_haechi(
    *arguments: object, environment: dict[str, str] | None = None, **more: Any
) -> subprocess.Popen[str]:
    """Start a command in a process of its own, with some more environment."""
    command = [sys.executable, "-m", "haechi.cli.start", *map(str, arguments)]
    known = {**os.environ, "HAECHI_LANG": "en", **(environment or {})}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known, **more
    )
