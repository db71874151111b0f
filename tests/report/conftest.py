"""The four example studies and their reports, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from haechi.analysis.analysis import Analysis
from haechi.demo import make_studies
from haechi.report.folder import write_report
from haechi.text import choose_language


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "demo"
    for _ in make_studies(folder):
        pass
    return folder


@pytest.fixture(scope="session")
def gathered(demo: Path) -> dict[str, Analysis]:
    choose_language("en")
    return {name: Analysis(demo / name) for name in ("ubica", "hiring-agent", "maice-qac", "diary-comment")}


@pytest.fixture(scope="session")
def written(gathered: dict[str, Analysis], tmp_path_factory: pytest.TempPathFactory) -> Path:
    choose_language("en")
    folder = tmp_path_factory.mktemp("reports")
    for name, figures in gathered.items():
        write_report(figures, folder / name)
    return folder
