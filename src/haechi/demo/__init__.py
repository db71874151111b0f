"""The bundled examples as small studies."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.study.study import Study

_MARK = "DEMO.md"
_ABOUT = """# haechi demo

예제 스터디입니다. 대화와 평가는 이 데모를 위해 지어낸 것입니다. 폴더째 지워도 됩니다.
maice-qac-trial에는 같은 대화와 함께 local:smollm2가 실제로 내놓은 답이 들어 있습니다.
maice-qac-drawn은 AI가 세션 120개를 모두, 교사가 무작위로 뽑은 30개를 평가한 스터디입니다.
Example studies. Conversations and ratings were made up for this demo. The folder may be deleted.
maice-qac-trial has the same sessions with the answers that local:smollm2 really gave.
In maice-qac-drawn AI judges rated all 120 sessions, and teachers 30 that were drawn at random.
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
        yield _made(folder / name, name, items, ratings)


def make_duels(folder: Path) -> Study:
    """Three models on the same diaries, two comments side by side: verdicts of people and of a judge in both orders."""
    from haechi.study.study import Study

    place = folder / "diary-duel"
    with as_file(files("haechi.demo") / "data" / "diary-duel") as data:
        study = Study(place) if (place / "study.yaml").exists() else Study.new(place, "diary-duel")
        study.add([data / "pairs.jsonl"])
        study.import_votes(data / "votes.csv")
    return study


def make_own_criteria(folder: Path) -> Study:
    """Two assistants on eight everyday questions, each with criteria of its own: two people and a judge said which are met."""
    from haechi.study.study import Study

    place = folder / "own-criteria"
    with as_file(files("haechi.demo") / "data" / "own-criteria") as data:
        study = Study(place) if (place / "study.yaml").exists() else Study.new(place, data / "rubric.yaml")
        study.add([data / "items.jsonl"])
        study.import_ratings([data / "ratings.csv"])
    return study


def make_trial(folder: Path) -> Study:
    """The tutoring study again, in a folder of its own, with what the trial model answered.

    Its own folder, because a rater that is no judge must not enter the panel of the example.
    """
    items, ratings = _STUDIES["maice-qac"]
    return _made(folder / "maice-qac-trial", "maice-qac", items, (*ratings, "smollm2.csv"))


def _made(place: Path, rubric: str, items: str, ratings: tuple[str, ...]) -> Study:
    from haechi.study.study import Study

    with as_file(files("haechi.demo") / "data" / rubric) as data:
        study = Study(place) if (place / "study.yaml").exists() else Study.new(place, rubric)
        study.add([data / items])
        if ratings:
            study.import_ratings([data / file for file in ratings])
    return study
