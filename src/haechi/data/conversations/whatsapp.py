"""WhatsApp's text files, of Android (`date, time - name: text`) and of iPhones (`[date, time] name: text`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haechi.data.conversations.file import File, one_conversation, with_roles
from haechi.data.conversations.outline import Outline
from haechi.data.files import Row, lines_of
from haechi.data.messages import Message

_MARK = "\u200e"  # before what WhatsApp itself writes: notices, and files in their places
_HEAD = re.compile(
    r"[\u200e\u200f\ufeff]*\[?(?P<date>\d{1,4}[./-] ?\d{1,2}[./-] ?\d{1,4}\.?),?\s+"
    r"(?P<time>(?:오전 |오후 )?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?\s?[Mm]\.?)?)(?:\]| -)\s(?P<rest>.*)"
)


def is_whatsapp(outline: Outline) -> bool:
    """The first line has a date, a time and what was said then, and so has another."""
    lines = [line for line in outline.lines if line]
    return bool(lines) and bool(_HEAD.match(lines[0])) and any(_HEAD.match(line) for line in lines[1:])


def whatsapp(file: File) -> Iterator[Row]:
    """A chat as one conversation. Times stay as they are written: which of the numbers is the month, nothing says."""
    messages: list[Message] = []
    for _, line in lines_of(file.path):
        if head := _HEAD.match(line.strip("\r\n")):
            messages.append(_message(head, first=not messages))
        elif messages:
            messages[-1]["content"] += "\n" + line.rstrip()
    for message in messages:
        message["content"] = message["content"].replace(_MARK, "").strip()
    yield one_conversation(with_roles(messages, file), file)


def _message(head: re.Match[str], first: bool) -> Message:
    name, colon, text = head["rest"].partition(": ")
    message: Message = {"content": text, "time": " ".join(f"{head['date']} {head['time']}".split())}
    if not colon:
        return {**message, "role": "system", "content": head["rest"]}
    # The notice that a chat is encrypted is written as if the other had said it.
    notice = {"role": "system"} if first and text.startswith(_MARK) else {}
    return {**message, **notice} if notice else {**message, "name": name.strip(f"{_MARK}\u202a\u202c ")}
