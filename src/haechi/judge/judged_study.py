"""What judging needs to know of a study; `haechi.Study` has it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from haechi.data.progress import Advance
from haechi.rubrics import Rubric
from haechi.store.database import Database
from haechi.store.folder import Settings


class JudgedStudy(Protocol):
    """A study whose items are judged."""

    @property
    def folder(self) -> Path: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def database(self) -> Database: ...
    @property
    def rubric(self) -> Rubric: ...
    def bring_rows(self, advance: Advance) -> None: ...
