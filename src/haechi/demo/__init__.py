"""The bundled examples as four small studies."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.study import Study

_MARK = "DEMO.md"
_ABOUT = """# haechi demo

예제 스터디 네 개입니다. 대화와 평가는 이 데모를 위해 지어낸 것입니다. 폴더째 지워도 됩니다.
Four example studies. Conversations and ratings were made up for this demo. The folder may be deleted.
"""

# Which bundled files are items and which are ratings.
_STUDIES = {
    "ubica": ("items.jsonl", ("ratings.csv",)),
    "hiring-agent": ("runs.csv", ()),
    "maice-qac": ("sessions.jsonl", ("judges.csv", "teachers.csv")),
    "diary-comment": ("comments.jsonl", ("ratings.csv",)),
}


def make_studies(folder: Path) -> Iterator[Study]:
    """Make the four example studies in a folder, one after the other; a finished one is used again.

    A folder that somebody else filled is left alone.
    """
    from haechi.study import Study

    mark = folder / _MARK
    if folder.exists() and any(folder.iterdir()) and not mark.exists():
        found = Text("비어 있지 않은 폴더", "a folder that is not empty")
        todo = Text("다른 이름을 고르세요: haechi demo 폴더", "choose another name: haechi demo DIR")
        raise HaechiError.of(
            str(folder), found, Text("새 폴더 또는 데모 폴더", "a new folder or a demo"), todo
        )
    folder.mkdir(parents=True, exist_ok=True)
    mark.write_text(_ABOUT, "utf-8")
    for name, (items, ratings) in _STUDIES.items():
        place = folder / name
        with as_file(files("haechi.demo") / "data" / name) as data:
            study = Study(place) if (place / "study.yaml").exists() else Study.new(place, name)
            study.add([data / items])
            if ratings:
                study.import_ratings([data / file for file in ratings])
        yield study
