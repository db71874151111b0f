"""A third party's package, built from its source and really installed, away from everything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def extension_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip installed the package."""
    folder = tmp_path_factory.mktemp("extension")
    how = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder))
    source = Path(__file__).parent / "extension"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *how, str(source)], check=True, capture_output=True
    )
    return folder


@pytest.fixture
def extension(extension_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package can be imported, and its entry points are found."""
    monkeypatch.syspath_prepend(str(extension_folder))
    return extension_folder
