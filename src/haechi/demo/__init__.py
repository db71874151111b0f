"""The bundled examples as four small studies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.study import Study

# Which bundled files are items and which are ratings.
_STUDIES = {
    "ubica": ("items.jsonl", ("ratings.csv",)),
    "hiring-agent": ("runs.csv", ()),
    "maice-qac": ("sessions.jsonl", ("judges.csv", "teachers.csv")),
    "diary-comment": ("comments.jsonl", ("ratings.csv",)),
}


def make_studies(folder: Path) -> Iterator[Study]:
    """Make the four example studies in a folder, one after the other; a finished one is used again."""
    from haechi.study import Study

    if (
        folder.exists()
        and any(folder.iterdir())
        and not any((folder / name / "study.yaml").exists() for name in _STUDIES)
    ):
        found = Text("비어 있지 않은 폴더", "a folder that is not empty")
        todo = Text("다른 이름을 고르세요: haechi demo 폴더", "choose another name: haechi demo DIR")
        raise HaechiError.of(
            str(folder), found, Text("새 폴더 또는 데모 폴더", "a new folder or a demo"), todo
        )
    for name, (items, ratings) in _STUDIES.items():
        place = folder / name
        with as_file(files("haechi.demo") / "data" / name) as data:
            if not (place / "study.yaml").exists():
                shutil.rmtree(place, ignore_errors=True)
                Study.new(place, name)
            study = Study(place)
            study.add([data / items])
            if ratings:
                study.import_ratings([data / file for file in ratings])
        yield study
