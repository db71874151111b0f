"""The study's folder: `study.yaml` beside the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml

from haechi.data.atomic_files import whole_file
from haechi.data.participants import FIX_STUDY, NOBODY_ASKED, Participants, parse_participants
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.rubrics.fault import Fault, FaultNotes, Faults, shorten
from haechi.rubrics.reading import decode_yaml, parse_yaml
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from haechi.store.database import Database

FORMAT = 1
_FILE, _DATABASE = "study.yaml", "study.db"


@frozen
class Settings:
    """What `study.yaml` says."""

    rubric: str
    version: str
    assistant_name: str | None = None
    user_name: str | None = None
    database: str | None = None
    participants: Participants = NOBODY_ASKED
    panel: Literal["mean", "median", "majority"] | None = None
    title: str | None = None
    passes: Mapping[str, float] = field(default_factory=dict)
    """From where a score passes, by its name: the share that does is shown beside its mean, and runs pass from there."""


def write_settings(folder: Path, settings: Settings) -> None:
    """Write `study.yaml`; a half-written file never stays behind."""
    names = {"assistant": settings.assistant_name, "user": settings.user_name}
    data: dict[str, Any] = {"haechi": FORMAT, "rubric": settings.rubric, "version": settings.version}
    if any(names.values()):
        data["names"] = {role: name for role, name in names.items() if name}
    if settings.database:
        data["database"] = settings.database
    if settings.panel:
        data["panel"] = settings.panel
    if settings.title:
        data["title"] = settings.title
    if settings.passes:
        data["pass"] = dict(settings.passes)
    with whole_file(folder / _FILE) as temporary:
        temporary.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), "utf-8")


ANCHORS, AUDIT = "anchors", "audit"
"""The folders inside a study in which its judges are asked again about some items, and about changed ones."""


def is_study(folder: Path) -> bool:
    """Whether a folder is a study, and not one of data files."""
    return (folder / _FILE).is_file()


def read_settings(folder: Path) -> Settings:
    """Read and check `study.yaml`; every mistake has its line."""
    path = folder / _FILE
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        found = Text("study.yaml 없음", "no study.yaml")
        if not folder.exists():
            found = Text("그런 폴더가 없음", "no such folder")
        todo = Text(
            f"경로를 확인하거나 `haechi new {quoted(folder)} --rubric ID`로 만드세요",
            f"check the path, or make one with `haechi new {quoted(folder)} --rubric ID`",
        )
        raise HaechiError.of(str(folder), found, Text("스터디 폴더", "a study folder"), todo) from None
    place = str(path)
    text = decode_yaml(content, place, FIX_STUDY)
    return parse_yaml(text, place, lambda data: _settings(data, text, place), FIX_STUDY)


def _settings(data: Mapping[Any, Any], text: str, place: str) -> Settings:
    missing = [key for key in ("haechi", "rubric", "version") if key not in data]
    if missing:
        words = ", ".join(missing)
        expected = Text("haechi, rubric, version 항목", "the keys haechi, rubric and version")
        raise Faults([Fault(Text(f"{words} 없음", f"no {words}"), expected)])
    if data["haechi"] != FORMAT:
        found = Text(f"형식 {data['haechi']}", f"format {data['haechi']}")
        todo = Text("haechi를 최신 버전으로 올리세요", "upgrade haechi")
        raise HaechiError.of(place, found, Text(f"형식 {FORMAT}", f"format {FORMAT}"), todo)
    noted = FaultNotes()
    noted.faults += _unknown(data, _KEYS)
    names, panel, passes = data.get("names") or {}, data.get("panel"), data.get("pass") or {}
    with noted.at("names", given=names):
        _check_names(names)
    with noted.at("panel", given=panel):
        _check_panel(panel)
    with noted.at("pass", given=passes):
        _check_passes(passes)
    noted.stop()
    return Settings(
        str(data["rubric"]),
        str(data["version"]),
        names.get("assistant"),
        names.get("user"),
        checked_database(data.get("database"), place),
        parse_participants(text, place) if "participants" in data else NOBODY_ASKED,
        panel,
        " ".join(str(data.get("title") or "").split()) or None,
        {str(name): float(limit) for name, limit in passes.items()},
    )


_KEYS = ("haechi", "rubric", "version", "names", "database", "participants", "panel", "title", "pass")


def _unknown(found: Mapping[Any, Any], known: tuple[str, ...]) -> list[Fault]:
    words = ", ".join(known)
    expected = Text(f"다음 중 하나: {words}", f"one of {words}")
    return [Fault(shorten(key), expected, (key,)) for key in found if key not in known]


def _check_names(found: object) -> None:
    if not isinstance(found, dict):
        words = "names: {assistant: …, user: …}"
        raise Fault(shorten(found), Text(words, words))
    raise Faults(_unknown(found, ("assistant", "user")))


def _check_passes(found: object) -> None:
    fits = isinstance(found, dict) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and isfinite(one) for one in found.values()
    )
    if not fits:
        expected = Text(
            "점수의 이름과 통과하는 점수(예: pass: {total: 24})",
            "scores and from where they pass, such as pass: {total: 24}",
        )
        raise Fault(str(found)[:40], expected)


def _check_panel(found: object) -> None:
    if found not in (None, "mean", "median", "majority"):
        raise Fault(shorten(found), Text("mean, median, majority 중 하나", "mean, median or majority"))


def checked_database(address: object, place: str) -> str | None:
    """The address of a PostgreSQL database, or None for the file in the study's own folder.

    >>> checked_database("postgresql://localhost/tutoring", "study.yaml")
    'postgresql://localhost/tutoring'
    """
    if address is None:
        return None
    if isinstance(address, str) and address.startswith("postgresql://"):
        return address
    expected = Text("postgresql://…", "postgresql://…")
    todo = Text(
        "주소를 고치거나, SQLite를 쓰려면 database 줄을 지우세요",
        "correct the address, or leave the line out to use SQLite",
    )
    # An address may hold a password: only its beginning is repeated.
    raise HaechiError.of(f"{place}, database", str(address).partition("@")[0][:12] + "…", expected, todo)


def open_database(folder: Path, address: str | None) -> Database:
    """The database of a study: at an address, or a file in its folder, which is made if there is none."""
    from haechi.store.database import Database

    return Database.connect(address) if address else Database.at(folder / _DATABASE)


def kept_database(folder: Path, address: str | None) -> Database:
    """The database of a study that is there."""
    path = folder / _DATABASE
    if address is None and not path.exists():
        expected = Text("study.yaml 옆의 study.db", "study.db beside study.yaml")
        todo = Text("백업에서 되살리세요", "restore it from a backup")
        raise HaechiError.of(str(path), Text("데이터베이스가 없음", "no database"), expected, todo)
    return open_database(folder, address)
