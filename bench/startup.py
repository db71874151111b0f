"""What small jobs cost, next to Python doing nothing and to `import polars`; how large the package is, alone and with what it needs."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.results import Ratio, Result

ROOT = Path(__file__).parents[1]
DATA = ROOT / "src" / "haechi" / "demo" / "data" / "diary-comment"
STARTS, ROUNDS = 30, 5
POLARS = "import polars"
HAECHI = [sys.executable, "-c", "from haechi.cli.start import start; start()"]
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "haechi --help": [*HAECHI, "--help"],
    "import haechi": [sys.executable, "-c", "import haechi"],
}
# What a command may cost, in times of `import polars`; {new} is a study made by `new`, the others are those of the demo.
GOALS = {
    1.5: (
        "rubrics",
        "new {new} --rubric diary-comment",
        "add {new} {items}",
        "import {new} {ratings} --as ratings",
    ),
    2.5: (
        *(f"score {{demo}}/{name}" for name in ("diary-comment", "hiring-agent", "maice-qac", "ubica")),
        *(f"agree {{demo}}/{name}" for name in ("diary-comment", "maice-qac", "ubica")),
        "compare {demo}/diary-comment --by system",
        "compare {demo}/maice-qac --by mode",
        "check {demo}/hiring-agent --min overall=1",
        "check {demo}/maice-qac --min total=1",
    ),
    5.0: tuple(
        f"report {{demo}}/{name} -o {{out}}"
        for name in ("diary-comment", "hiring-agent", "maice-qac", "ubica")
    ),
}


def main(_: list[str]) -> list[Result]:
    """The best of thirty starts of each, the processor's time of small jobs, then the sizes."""
    times = {name: _best(command) for name, command in COMMANDS.items()}
    rows = tuple((name, f"{took * 1000:.0f}") for name, took in times.items())
    shown = times["haechi --help"]
    ratios = (
        Ratio("haechi --help / python -c pass", shown / times["python -c pass"], "<=", 3.0),
        Ratio("haechi --help, seconds", shown, "<=", 0.25),
    )
    return [
        Result("Best of thirty starts", ("", "ms"), rows, ratios),
        _small_jobs(),
        _in_one_process(),
        _sizes(),
    ]


def _best(command: list[str]) -> float:
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        _run(command)
        times.append(time.perf_counter() - start)
    return min(times)


def _small_jobs() -> Result:
    """Processor time of every command, the best of some rounds, next to `import polars` in the same rounds."""
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        _run([*HAECHI, "demo", f"{folder}/demo"])
        for number in range(ROUNDS):
            places = {
                "demo": f"{folder}/demo",
                "new": f"{folder}/study-{number}",
                "out": f"{folder}/report-{number}",
                "items": str(DATA / "comments.jsonl"),
                "ratings": str(DATA / "ratings.csv"),
            }
            asked = {POLARS: [sys.executable, "-c", POLARS]}
            for command in (command for commands in GOALS.values() for command in commands):
                asked[command] = [*HAECHI, *(word.format(**places) for word in command.split())]
            for name, arguments in asked.items():
                best[name] = min(best.get(name, float("inf")), _processor_time(arguments))
    rows = tuple((_short(name), f"{took * 1000:.0f}") for name, took in best.items())
    ratios = tuple(
        Ratio(f"{_short(command)} / {POLARS}", best[command] / best[POLARS], "<=", goal)
        for goal, commands in GOALS.items()
        for command in commands
    )
    return Result(f"Small jobs, best of {ROUNDS}", ("", "CPU ms"), rows, ratios)


def _short(command: str) -> str:
    """A command without the places where its files happen to lie.

    >>> _short("agree {demo}/ubica"), _short("add {new} {items}")
    ('haechi agree ubica', 'haechi add')
    """
    if command == POLARS:
        return command
    words = [word.removeprefix("{demo}/") for word in command.split()]
    return " ".join(["haechi", *(word for word in words if "{" not in word and word != "-o")])


def _in_one_process() -> Result:
    """What a second figure of a test costs, and the dashboard after a new rating."""
    from haechi.demo import make_studies
    from haechi.study.study import Study
    from haechi.testing import assert_score
    from haechi.web.dashboard import Watch
    from haechi.web.rules import RubricRules

    figures: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        studies = {study.folder.name: study for study in make_studies(Path(folder) / "demo")}
        place = studies["maice-qac"].folder
        assert_score(place, "total", min=1)
        figures["assert_score, second figure"] = _taken(lambda: assert_score(place, "A1", min=1)), 10.0
        for name in ("diary-comment", "ubica", "maice-qac"):
            study = Study(studies[name].folder)
            study.database.keep_open()
            watch = Watch(study, RubricRules(study.rubric))
            watch.look()
            figures[f"dashboard of {name}"] = (
                min(_taken(lambda w=watch: _look_again(w)) for _ in range(ROUNDS)),
                50.0,
            )
            study.database.close()
    rows = tuple((name, f"{took:.1f}") for name, (took, _) in figures.items())
    ratios = tuple(Ratio(f"{name}, CPU ms", took, "<=", goal) for name, (took, goal) in figures.items())
    return Result("In one process", ("", "CPU ms"), rows, ratios)


def _look_again(watch: Any) -> None:
    watch._known = None  # as a new rating does
    watch.look()


def _taken(do: Callable[[], object]) -> float:
    start = time.process_time()
    do()
    return (time.process_time() - start) * 1000


def _processor_time(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
    # A module is compiled once, as it is where haechi is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
