"""Damaged files of every format: nothing but our own errors, and no text with another speaker."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from damage import FORMATS, damaged, marks

from haechi.data.conversations.formats import conversation_rows
from haechi.data.item import Item
from haechi.data.reading_notes import ReadingNotes
from haechi.data.shapes import items_of
from haechi.errors import HaechiError

MARK = re.compile("«(민서|루나)\\d{3}»")
WHOLE = re.compile("^«(민서|루나)\\d{3}»$")
SIDE = {"민서": "user", "루나": "assistant"}


def _read(file: Path, form: str | None) -> tuple[list[Item], int]:
    """The conversations that could be read, and how many records were refused; nothing else may be raised."""
    notes = ReadingNotes(form, ("루나",))
    items, refused = [], 0
    try:
        for _, item in items_of(conversation_rows(file, notes), "dialogue", notes):
            if isinstance(item, HaechiError):
                refused += 1
            else:
                items.append(item)
    except HaechiError:
        refused += 1
    return items, refused + sum(notes.left_out.values())


def _content(name: str) -> bytes:
    made = FORMATS[name][1](marks())
    return made if isinstance(made, bytes) else made.encode()


@pytest.mark.parametrize("name", FORMATS)
def test_whole_files_are_recognised_and_nothing_is_lost(name, tmp_path):
    file = tmp_path / FORMATS[name][0]
    file.write_bytes(_content(name))
    items, refused = _read(file, None)
    assert [m["content"] for item in items for m in item.content["messages"]] == [text for _, text in marks()]
    assert all(
        m["role"] == SIDE[WHOLE.match(m["content"])[1]] for item in items for m in item.content["messages"]
    )
    assert not refused


def _windows(content: bytes) -> dict[str, bytes]:
    """Every text with all that stands around it, up to the next texts: if that is unharmed, so is its record."""
    found = [*re.finditer("«(?:민서|루나)\\d{3}»".encode(), content)]
    starts = [0, *(mark.end() for mark in found)]
    ends = [*(mark.start() for mark in found), len(content)]
    return {mark[0].decode(): content[starts[n] : ends[n + 1]] for n, mark in enumerate(found)}


def _check(name: str, rounds: int, tmp_path: Path) -> None:
    chance = random.Random(name)
    ending, _, form = FORMATS[name]
    file, content = tmp_path / ending, _content(name)
    windows = _windows(content)
    for _ in range(rounds):
        harmed = damaged(content, chance)
        if not harmed:
            continue
        file.write_bytes(harmed)
        items, _ = _read(file, chance.choice([form, None]))
        for item in items:
            for message in item.content["messages"]:
                whole = WHOLE.match(message["content"])
                if whole and harmed.count(whole[0].encode()) == 1 and windows.get(whole[0], b"\0") in harmed:
                    assert message["role"] == SIDE[whole[1]], harmed


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(name, tmp_path):
    _check(name, 60, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_ten_thousand_damaged_files(name, tmp_path):
    _check(name, 10_000, tmp_path)


LINES = (
    "chatml",
    "sillytavern",
    "kakao-pc",
    "kakao-phone",
    "youtube",
    "langfuse",
    "langsmith",
    "phoenix",
    "otlp",
)


def _lose_one(name: str, rounds: int, tmp_path: Path) -> None:
    """A single damaged line: every other message is still there, with its speaker, or the whole file is refused."""
    chance = random.Random(name)
    ending, _, form = FORMATS[name]
    file = tmp_path / ending
    lines = _content(name).decode().splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if MARK.search(line))
    for _ in range(rounds):
        at = chance.randrange(first, len(lines))
        line = lines[at].rstrip("\n")
        cut = chance.randrange(len(line))
        broken = [*lines]
        broken[at] = (
            line[:cut]
            + chance.choice(["", "\x00", '"', "}", "x"])
            + line[cut + chance.randint(0, 5) :]
            + "\n"
        )
        file.write_bytes("".join(broken).encode())
        items, refused = _read(file, form)
        said = [m for item in items for m in item.content["messages"]]
        if not said:
            assert refused
            continue
        expected = [mark[0] for n, other in enumerate(lines) if n != at for mark in MARK.finditer(other)]
        found = [mark[0] for m in said for mark in MARK.finditer(m["content"])]
        assert [text for text in expected if text not in found] == [], file.read_text()
        for message in said:
            if (whole := WHOLE.match(message["content"])) and whole[0] in expected:
                assert message["role"] == SIDE[whole[1]], file.read_text()


@pytest.mark.parametrize("name", LINES)
def test_one_damaged_line_costs_that_line_only(name, tmp_path):
    _lose_one(name, 60, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_ten_thousand_damaged_lines_cost_those_lines_only(name, tmp_path):
    _lose_one(name, 10_000, tmp_path)


def test_values_of_another_kind_in_known_places(tmp_path):
    """Found among the ten thousand: a list where ChatGPT names the kind of a content, a time without end on Twitch."""
    tree = _content("chatgpt").decode().replace('"content_type": "text"', '"content_type": ["text"]', 1)
    (tmp_path / "conversations.json").write_text(tree, "utf-8")
    assert (
        sum(len(item.content["messages"]) for item in _read(tmp_path / "conversations.json", None)[0]) == 12
    )
    chat = re.sub(r'("content_offset_seconds"): [\d.]+', r"\1: 1e999", _content("twitch").decode(), count=1)
    assert "1e999" in chat
    (tmp_path / "chat.json").write_text(chat, "utf-8")
    assert sum(len(item.content["messages"]) for item in _read(tmp_path / "chat.json", None)[0]) == 12
