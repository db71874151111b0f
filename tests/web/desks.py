"""A desk with the demo's items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from visitors import DATA, FILES, Desk

from haechi.study.study import Study
from haechi.web.options import Options


@pytest.fixture
def open_desk(tmp_path: Path) -> Callable[..., Desk]:
    """Open a desk for an instrument with the demo's items, or with given ones."""

    def opened(rubric: str = "diary-comment", items: Path | None = None, **options: Any) -> Desk:
        names = ("루나", "시청자") if rubric == "ubica" else (None, None)
        study = Study.new(tmp_path / rubric, rubric, *names)
        study.add([items or DATA / FILES[rubric]])
        return Desk(study, Options(given=options, lang="en", base=options.pop("base", "")))

    return opened


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    """A desk for diary comments."""
    return open_desk()
