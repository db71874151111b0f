"""How long commands take to start, next to Python doing nothing; how large the package is, alone and with what it needs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.results import Ratio, Result

ROOT = Path(__file__).parents[1]
STARTS = 30
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "haechi --help": [str(Path(sys.executable).with_name("haechi")), "--help"],
    "haechi rubrics": [str(Path(sys.executable).with_name("haechi")), "rubrics"],
    "import haechi": [sys.executable, "-c", "import haechi"],
}


def main(_: list[str]) -> list[Result]:
    """The best of thirty starts of each, then the sizes."""
    times = {name: _best(command) for name, command in COMMANDS.items()}
    rows = tuple((name, f"{took * 1000:.0f}") for name, took in times.items())
    shown = times["haechi --help"]
    ratios = (
        Ratio("haechi --help / python -c pass", shown / times["python -c pass"], "<=", 3.0),
        Ratio("haechi --help, seconds", shown, "<=", 0.25),
    )
    return [Result("Best of thirty starts", ("", "ms"), rows, ratios), _sizes()]


def _best(command: list[str]) -> float:
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def _sizes() -> Result:
    """The wheel, and what a machine has on its disk after installing it by itself and with all it needs."""
    uv = Path(sys.executable).with_name("uv")
    with tempfile.TemporaryDirectory() as folder:
        built, alone, everything = (Path(folder) / name for name in ("built", "alone", "everything"))
        _run([sys.executable, "-m", "build", "--wheel", "--outdir", str(built), str(ROOT)])
        wheel = next(built.glob("*.whl"))
        install = [
            str(uv),
            "pip",
            "install",
            "-q",
            "--python",
            sys.executable,
            "-c",
            str(ROOT / "constraints.txt"),
        ]
        _run([*install, "--no-deps", "--target", str(alone), str(wheel)])
        _run([*install, "--target", str(everything), str(wheel)])
        sizes = {
            "wheel": wheel.stat().st_size,
            "installed": _size(alone),
            "with all it needs": _size(everything),
        }
    rows = tuple((name, f"{size / 1e6:.1f}") for name, size in sizes.items())
    return Result("Sizes", ("", "MB"), rows)


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
