"""A study to one file: rubric, items, ratings, what was asked and answered, and the figures that follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from haechi.bundle.archive import APART, write_archive
from haechi.bundle.figures import figures_of
from haechi.data.item import Item
from haechi.errors import HaechiError
from haechi.judge.providers.keys import mask
from haechi.store.alignment import read_alignment
from haechi.store.call_lines import call_lines
from haechi.store.connection import Connection
from haechi.store.display_order import read_shown
from haechi.store.drawn_work import read_drawn_work
from haechi.store.folder import AUDIT, is_study
from haechi.store.rater_fields import read_fields
from haechi.study.scores import StoredStudy
from haechi.text import Text
from haechi.version import __version__

FORMAT = 1
_HIDDEN = "█"
"""What stands for a text that is left out: whether anything was said decides some rules, what was said does not."""


def pack(study: StoredStudy, out: Path, with_texts: bool = True, key: Path | None = None) -> str:
    """Write the bundle of a study; gives the hash of its list of hashes, which names it.

    Without texts an item is its hash, its fields and who spoke in which order; quotes, comments, prompts and replies are left out.
    """
    if not with_texts and study.rubric.item == "run":
        expected = Text("글이 든 묶음", "a bundle with its texts")
        todo = Text("--without-text 없이 만드세요", "make it without --without-text")
        found = Text("에이전트 실행은 응답 원문으로 점수를 잽니다", "runs are measured by what they answered")
        raise HaechiError.of(study.name, found, expected, todo)
    apart = {name: StoredStudy(study.folder / name) for name in APART if is_study(study.folder / name)}
    parts = {
        "study.json": _json(_about(study, with_texts)),
        "rubric.yaml": study.rubric_text.encode(),
        **_contents(study, with_texts),
        **{
            f"{folder}/{name}": part
            for folder, own in apart.items()
            for name, part in _contents(own, with_texts).items()
        },
        "figures.json": _json(figures_of(study, with_texts)),
    }
    return write_archive(out, parts, key)


def _contents(study: StoredStudy, with_texts: bool) -> dict[str, bytes]:
    """What a study holds: items, ratings, and what judges were asked and answered."""
    counted = {c.key for c in study.rubric.criteria if c.scale.counted}
    with study.database.read() as connection:
        calls = _lines(_calls(connection, with_texts))
    return {
        "items.jsonl": _lines(_item(item, with_texts) for item in study.items()),
        "ratings.jsonl": _lines(_ratings(study, with_texts, counted)),
        **({"calls.jsonl": calls} if calls else {}),
    }


def _calls(connection: Connection, with_texts: bool) -> Iterator[dict[str, Any]]:
    """Every call in force with the line of the journal that its ratings were read from."""
    for line in call_lines(connection, lambda row: row.reply, mask, lambda reason: reason, in_force=True):
        yield line if with_texts else {**line, "request": None, "reply": None, "reason": None}


def _about(study: StoredStudy, with_texts: bool) -> dict[str, Any]:
    settings = study.settings
    with study.database.read() as connection:
        fields, drawn = read_fields(connection), read_drawn_work(connection)
        alignment, shown = read_alignment(connection), sorted(read_shown(connection))
    seen = {}
    if is_study(study.folder / AUDIT):
        with StoredStudy(study.folder / AUDIT).database.read() as connection:
            seen = {"audit_shown": sorted(read_shown(connection))}
    return {
        "haechi": __version__,
        "format": FORMAT,
        "name": study.name,
        "title": settings.title,
        "rubric": {"id": settings.rubric, "version": settings.version},
        "names": {"assistant": settings.assistant_name, "user": settings.user_name},
        "panel": settings.panel,
        "texts": with_texts,
        "raters": fields,
        "drawn": drawn,
        "alignment": alignment,
        "shown": shown,
        **({"pass": dict(settings.passes)} if settings.passes else {}),
        **seen,
    }


def _item(item: Item, with_texts: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"id": item.id, "kind": item.kind, "sha256": item.digest, "meta": dict(item.meta)}
    return told | {"content": item.content if with_texts else _hidden(item.content)}


def _hidden(content: Any) -> Any:
    """The shape of a content: a text is a sign that there was one, roles stay.

    >>> _hidden({"messages": [{"role": "user", "content": "안녕"}, {"role": "assistant", "content": " "}]})
    {'messages': [{'role': 'user', 'content': '█'}, {'role': 'assistant', 'content': ''}]}
    """
    if isinstance(content, str):
        return _HIDDEN if content.strip() else ""
    if isinstance(content, Mapping):
        return {key: value if key == "role" else _hidden(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_hidden(one) for one in content]
    return content


def _ratings(study: StoredStudy, with_texts: bool, counted: set[str]) -> Iterator[dict[str, Any]]:
    for row in study.kept_ratings().iter_rows(named=True):
        told = {
            key: value for key, value in row.items() if value is not None and not key.startswith("rater.")
        }
        if not with_texts:
            if row["criterion"].partition(".")[0] not in counted and row["criterion"] not in counted:
                continue
            told.pop("evidence", None)
        yield told


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(
        orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE) for row in rows
    )
