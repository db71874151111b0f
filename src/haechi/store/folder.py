"""The study's folder: `study.yaml` beside the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml

from haechi.data.atomic_files import whole_file
from haechi.data.participants import NOBODY_ASKED, Participants, parse_participants
from haechi.errors import HaechiError
from haechi.frozen import frozen
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


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is not everywhere
ANCHORS, AUDIT = "anchors", "audit"
"""The folders inside a study in which its judges are asked again about some items, and about changed ones."""


def is_study(folder: Path) -> bool:
    """Whether a folder is a study, and not one of data files."""
    return (folder / _FILE).is_file()


def read_settings(folder: Path) -> Settings:
    """Read and check `study.yaml`."""
    path = folder / _FILE
    todo = Text(
        f"경로를 확인하거나 `haechi new {quoted(folder)} --rubric ID`로 만드세요",
        f"check the path, or make one with `haechi new {quoted(folder)} --rubric ID`",
    )
    try:
        text = path.read_text("utf-8")
        data = yaml.load(text, Loader=_LOADER)  # noqa: S506 - both are safe
    except (FileNotFoundError, NotADirectoryError):
        found = Text("study.yaml 없음", "no study.yaml")
        raise HaechiError.of(str(folder), found, Text("스터디 폴더", "a study folder"), todo) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HaechiError.of(str(path), str(error), Text("올바른 YAML", "well-formed YAML"), todo) from None
    if not isinstance(data, dict) or not {"haechi", "rubric", "version"} <= set(data):
        expected = Text("haechi, rubric, version 항목", "the keys haechi, rubric and version")
        raise HaechiError.of(str(path), str(data)[:80], expected, todo)
    if data["haechi"] != FORMAT:
        found = Text(f"형식 {data['haechi']}", f"format {data['haechi']}")
        todo = Text("haechi를 최신 버전으로 올리세요", "upgrade haechi")
        raise HaechiError.of(str(path), found, Text(f"형식 {FORMAT}", f"format {FORMAT}"), todo)
    known = "haechi, rubric, version, names, database, participants, panel, title, pass"
    unknown = sorted(set(data) - set(known.split(", ")))
    names = data.get("names") or {}
    if unknown or not isinstance(names, dict) or not set(names) <= {"assistant", "user"}:
        expected = Text(known, known.replace("names", "names (assistant, user)"))
        raise HaechiError.of(str(path), ", ".join(unknown) or str(names)[:80], expected, todo)
    database = checked_database(data.get("database"), str(path))
    asked = parse_participants(text, str(path)) if "participants" in data else NOBODY_ASKED
    return Settings(
        str(data["rubric"]),
        str(data["version"]),
        names.get("assistant"),
        names.get("user"),
        database,
        asked,
        _panel(data.get("panel"), str(path)),
        " ".join(str(data.get("title") or "").split()) or None,
        _passes(data.get("pass"), str(path)),
    )


def _passes(found: object, place: str) -> dict[str, float]:
    limits = found or {}
    if isinstance(limits, dict) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and isfinite(one)
        for one in limits.values()
    ):
        return {str(name): float(limit) for name, limit in limits.items()}
    expected = Text(
        "점수의 이름과 통과하는 점수(예: pass: {total: 24})",
        "scores and from where they pass, such as pass: {total: 24}",
    )
    raise HaechiError.of(f"{place}, pass", str(found)[:40], expected, Text("pass를 고치세요", "correct pass"))


def _panel(found: object, place: str) -> Literal["mean", "median", "majority"] | None:
    match found:
        case None | "mean" | "median" | "majority":
            return found
    expected = Text("mean, median, majority 중 하나", "mean, median or majority")
    raise HaechiError.of(
        f"{place}, panel", str(found)[:40], expected, Text("panel을 고치세요", "correct panel")
    )


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
