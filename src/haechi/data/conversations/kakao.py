"""KakaoTalk: the text files of computers and phones in Korean and English, and the CSV of a Mac."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from haechi.data.conversations.file import File, is_unreadable, one_conversation, with_roles
from haechi.data.conversations.outline import Outline
from haechi.data.files import Row, lines_of, refuse
from haechi.data.messages import Message
from haechi.data.names import fold_name
from haechi.data.readers import read_rows
from haechi.data.tables import TableReading
from haechi.data.tool_calls import as_text
from haechi.text import Text

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_CLOCK = r"(?:(?P<half>오전|오후)\s*)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2})?(?:\s*(?P<late>[aApP]\.?[mM]\.?))?"
_WORDS = r"(?P<month>[A-Za-z]{3,9})\.?"
_DAYS = (
    r"(?P<year>\d{4})\s*년\s*(?P<month>\d{1,2})\s*월\s*(?P<day>\d{1,2})\s*일",
    r"(?P<year>\d{4})\.\s*(?P<month>\d{1,2})\.\s*(?P<day>\d{1,2})\.?",
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})",
    rf"{_WORDS} (?P<day>\d{{1,2}}), (?P<year>\d{{4}})",
    rf"(?P<day>\d{{1,2}}) {_WORDS} (?P<year>\d{{4}})",
)
_WEEKDAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_WEEKDAY = rf"(?:\s*\(?[월화수목금토일](?:요일)?\)?|,?\s*{_WEEKDAYS})?"
_TITLE = re.compile(
    r"(?P<ko>.+?)\s*님과(?:의)?\s*카카오톡\s*대화|KakaoTalk Chats with (?P<en>.+?)|(?P<pc>.+?)\s*(?:with )?KakaoTalk Chats|(?P<room>.+?)\s*카카오톡\s*대화"
)
_SAVED = re.compile(r"(?:저장한\s*날짜|Date Saved|Saved Date)\s*:|.+\.txt$")
_NOTICE = re.compile(
    r".{1,80}님이 (?:들어왔습니다|나갔습니다|.{1,200}님을 (?:초대했습니다|내보냈습니다))\.?"
    r"|.{1,80} (?:joined|left) (?:this|the) chatroom\.?|.{1,80} invited .{1,200}\.?"
    r"|.{1,80}님을 내보냈습니다\.?|채팅방 관리자가 메시지를 가렸습니다\.?|The message has been hidden by .{1,80}"
)
_LONGEST_TITLE = 300
_ORPHAN = Text("첫 발화보다 앞에 있는 줄", "lines before the first message")


class _Grammar(NamedTuple):
    """How lines begin in one kind of file: a message, and a line of the system with a time."""

    message: re.Pattern[str]
    notice: re.Pattern[str] | None


def _grammars() -> Iterator[_Grammar]:
    yield _Grammar(re.compile(rf"\[(?P<name>.*?)\] \[{_CLOCK}\] ?(?P<text>.*)"), None)
    for day in _DAYS:
        when = rf"{day}{_WEEKDAY}(?:,| at)?\s+{_CLOCK}"
        yield _Grammar(re.compile(rf"\[(?P<name>.*?)\] \[{when}\] ?(?P<text>.*)"), None)
        message = re.compile(rf"{when}, (?P<name>.+?) : ?(?P<text>.*)")
        yield _Grammar(message, re.compile(rf"{when}[,:] ?(?P<text>.*)"))


_GRAMMARS = tuple(_grammars())
_NEW_DAY = tuple(
    re.compile(
        rf"(?:-{{3,}}\s*)?(?:{_WEEKDAYS},\s*)?{day}{_WEEKDAY}(?:(?:,| at)?\s+{_CLOCK})?(?:\s*-{{3,}})?"
    )
    for day in _DAYS
)


def is_kakao(outline: Outline) -> bool:
    """Lines of a KakaoTalk chat, and two signs of it at least."""
    return not outline.root and _grammar([_line(line) for line in outline.lines]) is not None


def _grammar(lines: list[str]) -> _Grammar | None:
    """The one whose messages come first, so that a chat pasted into a message is no second grammar."""
    titled = any(_title(line) or _SAVED.match(line[:_LONGEST_TITLE]) for line in lines[:5])
    for number, line in enumerate(lines):
        for grammar in _GRAMMARS:
            if grammar.message.fullmatch(line):
                again = any(grammar.message.fullmatch(one) for one in lines[number + 1 :])
                return grammar if titled or again or any(map(_new_day, lines[:number])) else None
    return None


def _title(line: str) -> re.Match[str] | None:
    return (
        _TITLE.fullmatch(line) if len(line) <= _LONGEST_TITLE else None
    )  # its blanks are tried in many ways


def _new_day(line: str) -> re.Match[str] | None:
    return next((found for day in _NEW_DAY if (found := day.fullmatch(line))), None)


def kakao(file: File) -> Iterator[Row]:
    """The whole chat as one conversation."""
    numbered = [(number, _line(line.rstrip("\r\n"))) for number, line in lines_of(file.path)]
    grammar = _grammar([line.strip() for _, line in numbered[:2000]])
    if grammar is None:
        found = (numbered[0][1] if numbered else "")[:60]
        expected = Text("카카오톡에서 내보낸 대화", "a chat exported from KakaoTalk")
        raise refuse(f"{file.name}:1", found, expected)
    messages: list[Message] = []
    title, day, open_ = "", "", False
    for number, line in numbered:
        bare = line.strip()
        if made := _message(grammar, bare, line, day):
            messages.append(made)
            open_ = True
        elif dated := _new_day(bare):
            day, open_ = _day(dated), False
        elif not messages and not day and (titled := _title(bare)):
            title = next(group for group in titled.groups() if group)
        elif not messages and not day and (not bare or _SAVED.match(bare[:_LONGEST_TITLE])):
            continue
        elif not messages and not day:
            file.notes.leave_out(f"{file.name}:{number}", _ORPHAN)
        elif open_ and not _NOTICE.fullmatch(bare):
            messages[-1]["content"] += f"\n{line}"
        elif bare:
            messages.append({"role": "system", "content": bare})
            open_ = False
    yield one_conversation(with_roles(messages, file), file, {"title": title})


def _line(line: str) -> str:
    """A line with plain blanks where phones write special ones."""
    return line.lstrip("\ufeff\u200e\u200f").replace("\u202f", " ").replace("\u00a0", " ")


def _message(grammar: _Grammar, bare: str, line: str, day: str) -> Message | None:
    found = grammar.message.fullmatch(line) or grammar.message.fullmatch(bare)
    if found is not None:
        made: Message = {"content": found["text"], "time": _time(found, day)}
        name = found["name"].strip()
        return made | ({"name": name} if name else {"role": "system"})
    notice = grammar.notice.fullmatch(bare) if grammar.notice else None
    if notice is None or not notice["text"]:
        return None
    return {"role": "system", "content": notice["text"], "time": _time(notice, day)}


def _day(found: re.Match[str]) -> str:
    month = found["month"]
    number = int(month) if month.isdigit() else _month(month)
    return f"{int(found['year']):04}-{number:02}-{int(found['day']):02}"


def _month(word: str) -> int:
    return next((n for n, month in enumerate(_MONTHS, 1) if month.startswith(word.lower()[:3])), 0)


def _time(found: re.Match[str], day: str) -> str:
    parts = found.groupdict()
    day = _day(found) if parts.get("year") else day
    hour = int(parts["hour"])
    late = (parts["half"] or parts["late"] or "").lower()
    if late and hour <= 12:
        hour = hour % 12 + (12 if late.startswith(("오후", "p")) else 0)
    clock = f"{hour:02}:{parts['minute']}"
    return f"{day}T{clock}" if day else clock


def is_csv(outline: Outline) -> bool:
    """The header `Date,User,Message`."""
    header = next((line for line in outline.lines if line), "")
    return not outline.root and [fold_name(name.strip('"')) for name in header.split(",")] == [
        "date",
        "user",
        "message",
    ]


def kakao_csv(file: File) -> Iterator[Row]:
    """The whole chat as one conversation."""
    messages: list[Message] = []
    for row in read_rows(file.path, TableReading(format="csv")):
        if is_unreadable(row):
            yield row
            continue
        cells = {fold_name(name): as_text(value) for name, value in row.data.items()}
        if not {"date", "user", "message"} <= set(cells):
            found = Text(f"열: {', '.join(row.data)}", f"columns {', '.join(row.data)}")
            raise refuse(row.place, found, Text("Date, User, Message 열", "columns Date, User, Message"))
        name, text = cells["user"].strip(), cells["message"]
        notice = not name or (text.startswith(name) and _NOTICE.fullmatch(text.strip()))
        made: Message = {"content": text, "time": _csv_time(cells["date"])}
        messages.append(made | ({"role": "system"} if notice else {"name": name}))
    yield one_conversation(with_roles(messages, file), file)


def _csv_time(text: str) -> str:
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d %H:%M:%S").isoformat()
    except ValueError:
        return text.strip()
