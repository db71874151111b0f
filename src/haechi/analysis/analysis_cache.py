"""The analysis of a study as it is now, kept open as long as nothing new has come."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

from haechi.analysis.analysis import Analysis
from haechi.store.items import items_state
from haechi.study.scores import StoredStudy


class StudyState(NamedTuple):
    """What is not the same any more when ratings or items have come, or the study was made anew."""

    ratings: int | None
    items: tuple[int | None, ...]
    files: tuple[int, ...]


def state_of(study: StoredStudy) -> StudyState:
    """The state of a study as it is now."""
    with study.database.read() as connection:
        items, ratings = items_state(connection), connection.value("SELECT max(number) FROM ratings")
    settings, database = study.folder / "study.yaml", study.folder / "study.db"
    about = settings.stat()
    files = (about.st_ino, about.st_mtime_ns, database.stat().st_ino if database.exists() else 0)
    return StudyState(ratings, items, files)


_MOST_OPENED = 8
_opened: dict[Path, tuple[StudyState, Analysis]] = {}
_opening = threading.Lock()


def open_analysis(folder: str | Path) -> Analysis:
    """The analysis of a study as it is now; the same one again as long as nothing new has come."""
    path = Path(folder).resolve()
    with _opening:
        found = _opened.get(path)
    if found is not None and found[0] == state_of(found[1].study):
        return found[1]
    made = Analysis(path)  # which stays where it is, wherever the process goes
    with _opening:
        _opened[path] = state_of(made.study), made
        if len(_opened) > _MOST_OPENED:
            del _opened[next(iter(_opened))]  # the one that was opened first
    return made
