"""The wheel that people install has everything in it: instruments, migrations, examples."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel, unpacked as pip would install it, away from the source tree."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = place.glob("*.whl")
    target = place / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    return target


def _run(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    for extra in ("pyarrow", "scipy"):  # what the tests have and the base has not
        (cwd / f"{extra}.py").write_text("raise ImportError(__name__)")
    environment = {**os.environ, "PYTHONPATH": f"{cwd}:{installed}", "HAECHI_LANG": "en"}
    return subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True, cwd=cwd, env=environment
    )


def test_the_demo_runs_from_the_wheel(installed, tmp_path):
    where = _run(installed, tmp_path, "-c", "import haechi; print(haechi.__file__)").stdout
    assert str(installed) in where
    shown = _run(installed, tmp_path, "-m", "haechi.cli.start", "demo", "there").stdout
    assert "the mean of 33 runs" in shown
    assert (tmp_path / "there" / "maice-qac" / "study.yaml").exists()


def test_parquet_is_read_and_written_without_extras(installed, tmp_path):
    haechi = ("-m", "haechi.cli.start")
    _run(installed, tmp_path, *haechi, "demo", "there")
    ratings = "import haechi; haechi.Study('there/diary-comment').ratings().write_parquet('ratings.parquet')"
    _run(installed, tmp_path, "-c", ratings)
    told = _run(
        installed, tmp_path, *haechi, "agree", "ratings.parquet", "--rubric", "diary-comment", "--json"
    )
    assert "alpha" in told.stdout
    _run(installed, tmp_path, *haechi, "score", "there/hiring-agent", "-o", "runs.parquet")
    assert (tmp_path / "runs.parquet").read_bytes()[:4] == b"PAR1"


def test_the_wheel_holds_no_tests_and_is_typed(installed):
    assert (installed / "haechi" / "py.typed").exists()
    assert not (installed / "tests").exists()


@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="no compiler here")
def test_the_wheel_holds_the_kernel(installed, tmp_path):
    found = _run(
        installed, tmp_path, "-c", "from haechi.scoring import _kernel; print(_kernel.__file__)"
    ).stdout
    assert str(installed) in found
    assert not (installed / "haechi" / "scoring" / "kernel").exists()  # what was compiled is enough


@pytest.mark.slow
@pytest.mark.parametrize("compiler", [True, False])
def test_sources_and_wheel_install_with_and_without_a_compiler(compiler, tmp_path):
    """No compiler is found where PATH leads nowhere."""
    environment = {**os.environ, **({} if compiler else {"PATH": str(tmp_path)})}
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    built = subprocess.run(build, check=True, capture_output=True, text=True, env=environment)
    (wheel,), (archive,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    assert ("abi3" in wheel.name) is compiler
    assert ("without its kernel" in built.stdout + built.stderr) is not compiler
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--target",
    ]
    asked = "from haechi.scoring.runs import compiled; print(compiled.kernel is not None, compiled.__file__)"
    for made in (wheel, archive):
        target = tmp_path / f"from {made.suffix}"
        subprocess.run([*install, str(target), str(made)], check=True, capture_output=True, env=environment)
        assert _run(target, tmp_path, "-c", asked).stdout.startswith(f"{compiler} {target}")


def test_the_image_is_built_from_files_that_make_a_wheel(tmp_path):
    """Docker sees only what .dockerignore lets through and the Dockerfile copies."""
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    seen = {
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    }
    for name in (name for names in copied for name in names):
        assert name in seen
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_kernel*.so")
            )
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path / "out"),
        str(tmp_path),
    ]
    built = subprocess.run(build, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert list((tmp_path / "out").glob("haechi-*.whl"))
