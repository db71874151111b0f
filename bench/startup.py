"""How long `haechi --help` takes next to starting Python and doing nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path


def main(_: list[str]) -> None:
    """Print the best of thirty starts of each."""
    haechi = Path(sys.executable).with_name("haechi")
    nothing = _best([sys.executable, "-c", "pass"])
    shown = _best([str(haechi), "--help"])
    print(f"python -c pass  {nothing * 1000:6.1f} ms")
    print(f"haechi --help   {shown * 1000:6.1f} ms   {shown / nothing:.2f} x   (target: 3 x, 250 ms)")


def _best(command: list[str]) -> float:
    times = []
    for _ in range(30):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)
