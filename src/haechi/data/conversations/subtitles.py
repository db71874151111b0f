"""Subtitles (SRT, WebVTT): the speaker stands before the text or in a tag; times stay with the messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from haechi.data.conversations.file import File, one_conversation, with_roles
from haechi.data.conversations.outline import Outline
from haechi.data.files import Row, lines_of, refuse
from haechi.data.messages import Message
from haechi.data.reading_notes import same_name
from haechi.text import Text

_CLOCK = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = re.compile(rf"\s*(?P<start>{_CLOCK})\s*-->\s*(?P<end>{_CLOCK})(?:\s.*)?")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+(?P<name>[^>]{1,200})>")
_TAG = re.compile(r"</?[a-zA-Z][^>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^}]{0,40}\}")
_PREFIX = re.compile(
    r"(?:-\s*|>>\s*)?(?:\[(?P<boxed>[^\]:：]{1,60})\]\s*[:：]?|(?P<plain>[^\s:：\[(][^:：]{0,60}?)\s*[:：])\s+(?P<text>\S.*)"
)
_MOSTLY = 0.8


def is_subtitles(outline: Outline) -> bool:
    """A line with two times and an arrow between them."""
    lines = outline.lines[:40]
    return not outline.root and (
        re.match(r"WEBVTT(\s|$)", outline.text) is not None or any(map(_TIMES.fullmatch, lines))
    )


class _Cue(NamedTuple):
    number: int
    time: str
    lines: list[str]


def subtitles(file: File) -> Iterator[Row]:
    """The whole file as one conversation, one message a cue and speaker."""
    cues = list(_cues(file))
    if not cues:
        found = Text("시각이 있는 자막 없음", "no cue with times")
        raise refuse(file.name, found, Text("SRT 또는 WebVTT 자막", "subtitles in SRT or WebVTT"))
    speakers = _speakers(cues, file)
    messages: list[Message] = []
    for cue in cues:
        for name, text in _spoken(cue, speakers):
            messages.append({"content": text, "time": cue.time} | ({"name": name} if name else {}))
    yield one_conversation(_by_whom(messages, file), file)


def _by_whom(messages: list[Message], file: File) -> list[Message]:
    nameless = [message for message in messages if "name" not in message]
    if len(nameless) == len(messages) and file.notes.assistants:
        name = file.notes.assistants[0]
        text = Text(
            f"{file.name}: 말한 사람이 적혀 있지 않아, 자막 {len(messages):,}개를 모두 {name}의 말로 보았습니다",
            f"{file.name}: no cue names a speaker: all {len(messages):,} are taken to be said by {name}",
        )
        file.notes.note(text)
        return [{"role": "assistant", **message, "name": name} for message in messages]
    for message in nameless:
        message["role"] = "system"
    if nameless and len(nameless) < len(messages):
        text = Text(
            f"{file.name}: 말한 사람이 없는 자막 {len(nameless):,}개는 누구의 말도 아닌 것(system)으로 두었습니다",
            f"{file.name}: {len(nameless):,} cues name no speaker and are kept as nobody's words (system)",
        )
        file.notes.note(text)
    return with_roles(messages, file)


def _cues(file: File) -> Iterator[_Cue]:
    """A cue is a line of times and the lines below it, up to a blank one."""
    open_: _Cue | None = None
    for number, line in lines_of(file.path):
        text = line.strip().lstrip("\ufeff")
        times = _TIMES.fullmatch(text)
        if times is not None:
            if open_ is not None:
                # The number of the next cue may stand right above its times.
                lines = open_.lines[:-1] if open_.lines and open_.lines[-1].isdigit() else open_.lines
                yield open_._replace(lines=lines)
            open_ = _Cue(number, f"{times['start']}–{times['end']}", [])
        elif not text and open_ is not None:
            yield open_
            open_ = None
        elif open_ is not None:
            open_.lines.append(text)
    if open_ is not None:
        yield open_


def _spoken(cue: _Cue, speakers: set[str]) -> Iterator[tuple[str, str]]:
    """Who says what in a cue; a line with a speaker of its own begins a new message."""
    name, texts = "", list[str]()
    for line in cue.lines:
        for new, text, whole in _voices(line):
            if new in speakers and texts:
                yield name, "\n".join(texts)
                texts = []
            name = new if new in speakers else name
            if (
                said := text if new in speakers else whole
            ):  # words before a colon that are no speaker stay words
                texts.append(said)
    if texts:
        yield name, "\n".join(texts)


def _voices(line: str) -> Iterator[tuple[str, str, str]]:
    """Who may speak in a line, what is said then, and all of it."""
    parts = _VOICE.split(line)
    before = _plain(parts[0])
    if before or len(parts) == 1:
        found = _PREFIX.fullmatch(before)
        yield (
            ((found["boxed"] or found["plain"]).strip(), found["text"], before)
            if found
            else ("", before, before)
        )
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        yield _plain(name), _plain(text), _plain(text)


def _plain(text: str) -> str:
    return unescape(_TAG.sub("", text)).strip()


def _speakers(cues: list[_Cue], file: File) -> set[str]:
    """Which words before a colon are speakers: where nearly every cue begins with some, these; and those that come again."""
    tagged = {_plain(name) for cue in cues for line in cue.lines for name in _VOICE.findall(line)}
    named = [[name for line in cue.lines for name, *_ in _voices(line)] for cue in cues]
    first = [names[0] for names in named if names and names[0]]
    counts = Counter(name for names in named for name in names if name)
    again = {name for name, count in counts.items() if count > 1 or same_name(name, file.notes.assistants)}
    return tagged | again | (set(first) if len(first) >= _MOSTLY * len(cues) else set())
