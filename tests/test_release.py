"""What is published installs and works in a clean environment, on the oldest and the newest supported Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SUPPORTED = sorted(
    (line.rsplit(" ", 1)[-1] for line in PROJECT["classifiers"] if "Python :: 3." in line),
    key=lambda version: int(version.split(".")[1]),
)

pytestmark = pytest.mark.slow


def _interpreter(version: str) -> str:
    """An interpreter of that version: on the path, or among those of pyenv."""
    places = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    for place in filter(None, places):
        told = subprocess.run([place, "--version"], check=False, capture_output=True, text=True)
        if told.stdout.startswith(f"Python {version}."):
            return str(place)
    pytest.skip(f"no Python {version} on this machine")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(place), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    return place


@pytest.mark.parametrize("ending", ["whl", "tar.gz"])
@pytest.mark.parametrize("version", [SUPPORTED[0], SUPPORTED[-1]])
def test_a_clean_environment(built, tmp_path, version, ending):
    (package,) = built.glob(f"*.{ending}")
    subprocess.run([_interpreter(version), "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    uv = [shutil.which("uv", path=Path(sys.executable).parent) or "uv", "pip", "install", "-q"]
    subprocess.run(
        [*uv, "--python", python, "-c", ROOT / "constraints.txt", package], check=True, capture_output=True
    )
    haechi = tmp_path / "venv" / "bin" / "haechi"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HAECHI_LANG": "en"}

    def told(*words: str | Path) -> str:
        run = subprocess.run(
            [haechi, *words], check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
        )
        assert run.returncode == 0, run.stderr
        return run.stdout

    assert PROJECT["version"] in told("--version")
    assert "the mean of 33 runs" in told("demo", "demo")
    assert "alpha" in told("agree", "demo/diary-comment", "--json")
    told("report", "demo/maice-qac", "-o", "report")
    assert (tmp_path / "report" / "report.html").stat().st_size > 100_000
    size = sum(file.stat().st_size for file in (tmp_path / "venv").rglob("*") if file.is_file())
    assert size < 330e6  # bytes: 300 MiB with the environment's own pip
