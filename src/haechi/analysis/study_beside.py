"""A study beside the study: some of its items are judged apart, in a trial, an audit, an alignment or as anchors, and enter no figure of it."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterable
from pathlib import Path

from haechi.data.item import Item
from haechi.judge.providers.prices import NAME as PRICES
from haechi.store.folder import is_study
from haechi.store.items import add_items
from haechi.study.scores import StoredStudy
from haechi.study.study import Study


def study_beside(study: Study, folder: Path, items: Iterable[Item], rubric: str | None = None) -> Study:
    """A study of some of the items in another folder; one that is there gets the items it lacks. rubric: as text, that of the study if not said.

    >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
    >>> study.add({"id": ["d1", "d2"], "context": ["비", "눈"], "response": ["네", "네"]}).new
    2
    >>> beside = study_beside(study, study.folder / "some", study.items(["d1"]))
    >>> beside.rubric.version == study.rubric.version, [item.id for item in beside.items()]
    (True, ['d1'])
    """
    with tempfile.TemporaryDirectory(prefix="haechi-") as temporary:
        file = Path(temporary) / f"{study.rubric.id}.yaml"
        file.write_text(study.rubric_text if rubric is None else rubric, "utf-8")
        names = (study.settings.assistant_name, study.settings.user_name)
        made = Study(folder) if is_study(folder) else Study.new(folder, file, *names)
    with made.database.write() as connection:
        add_items(connection, ((one.id, one) for one in items), uuid.uuid4().hex)
    copy_prices(study, folder)
    return made


def copy_prices(study: StoredStudy, folder: Path) -> None:
    """What judging costs in the study now, it costs beside it."""
    if (study.folder / PRICES).exists():
        shutil.copyfile(study.folder / PRICES, folder / PRICES)
