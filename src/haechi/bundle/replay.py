"""A bundle computed again: a study is made of it in a temporary folder, and every figure is set against the promised one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from haechi.bundle.archive import APART, read_archive
from haechi.bundle.figures import figures_of, is_same
from haechi.bundle.pack import FORMAT
from haechi.data.item import Item
from haechi.data.rating import Rating
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.providers import PROVIDERS
from haechi.judge.records import ReturnedAnswer, read_returned
from haechi.rubrics import Rubric
from haechi.store.alignment import keep_alignment
from haechi.store.call_lines import keep_call_lines
from haechi.store.database import RuleBroken
from haechi.store.display_order import note_shown
from haechi.store.drawn_work import keep_drawn_work
from haechi.store.folder import AUDIT
from haechi.store.items import add_items
from haechi.store.rater_fields import keep_fields
from haechi.store.ratings import append_ratings
from haechi.study.study import Study
from haechi.text import Text

_ARRIVAL = "bundle"
_SAID = (
    *("item", "criterion", "rater", "kind", "value", "evidence"),
    *("replicate", "status", "reason", "stance", "at", "order"),
)


@frozen
class ReplayDifference:
    """What is another now: a figure ([value, low, high, n], None where one side has none), or a rating that its reply does not give."""

    name: str
    promised: Any
    found: Any


@frozen
class ReplayResult:
    """What came of a bundle: whose it is, how much was computed again, and what differs."""

    name: str
    rubric: str
    version: str
    items: int
    ratings: int
    figures: int
    replies: int
    texts: bool
    differences: tuple[ReplayDifference, ...]

    @property
    def is_same(self) -> bool:
        """Whether every figure and every rating came out as promised."""
        return not self.differences


def replay(path: Path) -> ReplayResult:
    """Compute every figure of a bundle again, without keys and without a network."""
    parts = read_archive(path)
    about = _parsed(path, "study.json", parts)
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        other = str(about.get("format") if isinstance(about, dict) else about)[:40]
        expected = Text(f"형식 {FORMAT}", f"format {FORMAT}")
        todo = Text("haechi를 최신 버전으로 올리세요", "upgrade haechi")
        raise HaechiError.of(f"{path}, study.json", other, expected, todo)
    promised = _parsed(path, "figures.json", parts)
    try:
        return _replayed(path, parts, about, promised)
    except (
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        RuleBroken,
    ):  # who writes hashes can write anything
        raise _odd(path, "study.json, calls.jsonl", 1) from None


def _replayed(path: Path, parts: dict[str, bytes], about: dict[str, Any], promised: Any) -> ReplayResult:
    with (
        tempfile.TemporaryDirectory(prefix="haechi-") as folder,
        _study(path, Path(folder), parts, about) as study,
    ):
        found = figures_of(study, bool(about.get("texts")))
        counts = study.count_items(), study.all_ratings().height
        calls = [row for _, row in _rows(path, "calls.jsonl", parts)]
        given = {_place(row): row.get("value") for _, row in _rows(path, "ratings.jsonl", parts)}
        read = [one for row in calls if (one := _reread(row, study.rubric, given)) is not None]
    names = [*promised, *(name for name in found if name not in promised)]
    replies = tuple(ReplayDifference(*one) for differing in read for one in differing)
    differences = replies + tuple(
        ReplayDifference(name, promised.get(name), found.get(name))
        for name in names
        if not is_same(promised.get(name), found.get(name))
    )
    rubric = about["rubric"]["id"]
    return ReplayResult(
        str(about["name"]),
        rubric,
        str(about["haechi"]),
        *counts,
        len(names),
        len(read),
        bool(about["texts"]),
        differences,
    )


@contextmanager
def _study(path: Path, folder: Path, parts: dict[str, bytes], about: dict[str, Any]) -> Iterator[Study]:
    """The study that a bundle holds, in a folder of its own."""
    rubric = folder / "rubric.yaml"
    rubric.write_bytes(parts.get("rubric.yaml", b""))
    names = about.get("names") or {}
    study = Study.new(
        folder / "study", rubric, names.get("assistant"), names.get("user"), title=about.get("title")
    )
    if study.settings.version != about["rubric"]["version"]:
        found = Text(f"루브릭 버전 {study.settings.version}", f"rubric version {study.settings.version}")
        expected = Text(f"버전 {about['rubric']['version']}", f"version {about['rubric']['version']}")
        todo = Text(
            "다른 haechi 버전으로 만든 루브릭인지 확인하세요", "see which haechi made it: study.json says"
        )
        raise HaechiError.of(f"{path}, rubric.yaml", found, expected, todo)
    study.panel = about.get("panel") or study.panel
    passes = {name: float(limit) for name, limit in (about.get("pass") or {}).items()}
    study.settings = replace(study.settings, passes=passes)
    try:
        _fill(study, path, parts)
        with study.database.write() as connection:
            for field, values in (about.get("raters") or {}).items():
                for rater, value in values.items():
                    keep_fields(connection, rater, {field: value})
            keep_drawn_work(connection, about["drawn"])
            keep_alignment(connection, about.get("alignment") or {"draws": (), "items": (), "looks": ()})
            note_shown(connection, _shown(about.get("shown")))
        for place in (name for name in APART if f"{name}/items.jsonl" in parts):
            apart = Study.new(study.folder / place, rubric, names.get("assistant"), names.get("user"))
            try:
                _fill(apart, path, parts, f"{place}/")
                if place == AUDIT:
                    with apart.database.write() as connection:
                        note_shown(connection, _shown(about.get("audit_shown")))
            finally:
                apart.database.close()
        yield study
    finally:
        study.database.close()


def _shown(rows: Any) -> list[tuple[str, str, int, str]]:
    """In which order pairs were seen."""
    return [(item, rater, int(n), first) for item, rater, n, first in rows or ()]


def _fill(study: Study, path: Path, parts: dict[str, bytes], under: str = "") -> None:
    """Put items, ratings and calls into a study."""
    names = {name: f"{under}{name}.jsonl" for name in ("items", "ratings", "calls")}
    with study.database.write() as connection:
        items = (
            (f"{names['items']}:{n}", _item(path, n, row)) for n, row in _rows(path, names["items"], parts)
        )
        add_items(connection, items, _ARRIVAL)
        ratings = (
            (f"{names['ratings']}:{n}", _rating(path, n, row))
            for n, row in _rows(path, names["ratings"], parts)
        )
        append_ratings(connection, ratings, study.settings.version, _ARRIVAL)
        keep_call_lines(connection, (row for _, row in _rows(path, names["calls"], parts)))


def _item(path: Path, line: int, row: Any) -> Item:
    try:
        return Item(row["id"], row["kind"], row["content"], row["meta"])
    except (KeyError, TypeError):
        raise _odd(path, "items.jsonl", line) from None


def _rating(path: Path, line: int, row: Any) -> Rating:
    try:
        told = {name: row[name] for name in _SAID if name in row}
        return Rating(**{"value": None, **told})
    except (KeyError, TypeError):
        raise _odd(path, "ratings.jsonl", line) from None


def _place(row: Any) -> tuple[Any, ...]:
    return row.get("item"), row.get("criterion"), row.get("rater"), int(row.get("replicate") or 1)


def _rows(path: Path, name: str, parts: dict[str, bytes]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(parts.get(name, b"").splitlines(), start=1):
        try:
            yield number, orjson.loads(line)
        except orjson.JSONDecodeError:
            raise _odd(path, name, number) from None


def _parsed(path: Path, name: str, parts: dict[str, bytes]) -> Any:
    try:
        return orjson.loads(parts.get(name, b""))
    except orjson.JSONDecodeError:
        raise _odd(path, name, 1) from None


def _odd(path: Path, name: str, line: int) -> HaechiError:
    expected = Text("haechi bundle이 쓴 줄", "a line as haechi bundle writes it")
    todo = Text("원래 스터디에서 다시 만드세요", "make the bundle anew from its study")
    found = Text("알 수 없는 내용", "something else")
    return HaechiError.of(f"{path}, {name}:{line}", found, expected, todo)


def _reread(
    call: Mapping[str, Any], rubric: Rubric, given: Mapping[tuple[Any, ...], str | None]
) -> list[tuple[str, Any, Any]] | None:
    """What a call's reply gives otherwise than its ratings say, or than the ratings in force: name, there, read; None where there is no reply to read.

    given: the ratings by item, criterion, rater and replicate.
    """
    provider = str(call["model"]).partition(":")[0]
    if call["state"] != "answered" or not call["reply"] or provider not in PROVIDERS.all():
        return None
    asked = None if call["asked"] is None else tuple(call["asked"])
    returned = ReturnedAnswer(
        call["id"], call["item"], call["rater"], call["replicate"], asked, call["reply"], None
    )
    read = read_returned(returned, rubric, provider, None, batch=call["way"] != "live")
    said = {row["criterion"]: row.get("value") for row in read.outcome.rows}
    differing: list[tuple[str, Any, Any]] = []
    for rating in call["ratings"]:
        name = rating["criterion"]
        place = (call["item"], name, call["rater"], call["replicate"])
        if rating["status"] == "ok" and said.get(name) != rating["value"]:
            differing.append((f"reply.{call['id']}.{name}", rating["value"], said.get(name)))
        elif (
            rating["in_force"] and rating["status"] == "ok" and place in given and given[place] != said[name]
        ):
            differing.append((f"rating.{call['id']}.{name}", given[place], said[name]))
    return differing
