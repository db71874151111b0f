"""The figures and reports of the four example studies, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from haechi.analysis.analysis import Analysis
from haechi.report.folder import write_report
from haechi.text import choose_language


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
