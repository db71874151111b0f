"""Chats of work and phone: a channel of Slack's export, a chat of Telegram's."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.groups import Speaker, SpokenMessage, conversation_of
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import objects_in
from haechi.data.files import Row
from haechi.data.messages import Message, time_text
from haechi.data.tool_calls import as_text
from haechi.text import Text

_NOTICE = Text("글이 없는 알림(통화, 입장 등)", "notices without a text (calls, joinings)")
_NOTICES = re.compile(r"channel_|group_|pinned_item|bot_add|bot_remove|reminder_add")


def is_slack(outline: Outline) -> bool:
    """Messages with the time as Slack counts it and their sender."""
    return outline.has("type", "text", "ts") and bool(outline.paths & {"user", "bot_id", "username"})


def slack(file: File) -> Iterator[Row]:
    """A day of a channel, or several, as one conversation."""
    said: list[SpokenMessage] = []
    for row in file.records():
        if is_unreadable(row):
            yield row
        else:
            said.append(_slack_message(row.data))
    names: dict[str, str] = {}  # some messages of an account have its nickname, others only the full name
    for speaker, _ in said:
        if speaker is not None and speaker.name != speaker.key:
            names.setdefault(speaker.key, speaker.name)
    called = (
        SpokenMessage(speaker and speaker._replace(name=names.get(speaker.key, speaker.name)), message)
        for speaker, message in said
    )
    yield conversation_of(called, file, {})


def _slack_message(data: Mapping[str, Any]) -> SpokenMessage:
    files = (f"[{one.get('name', 'file')}]" for one in objects_in(data, "files"))
    texts = (html.unescape(as_text(data.get("text"))), *files)
    message: Message = {"content": "\n".join(filter(None, texts))}
    if time := time_text(data.get("ts")):
        message["time"] = time
    if _NOTICES.match(str(data.get("subtype", ""))):
        return SpokenMessage(None, message)
    profile = data.get("user_profile", data.get("bot_profile"))
    profile = profile if isinstance(profile, Mapping) else {}
    key = as_text(data.get("user") or data.get("bot_id") or data.get("username"))
    names = (data.get("username"), profile.get("display_name"), profile.get("real_name"), profile.get("name"))
    shown = next((name for one in names if (name := as_text(one).strip())), key)
    return SpokenMessage(Speaker(key or shown, shown, key) if shown else None, message)


def is_telegram(outline: Outline) -> bool:
    """Messages with the sender and the account that he has."""
    return outline.has("messages", "messages[].from", "messages[].from_id", "messages[].text")


def telegram(file: File) -> Iterator[Row]:
    """A chat as one conversation."""
    said: list[SpokenMessage] = []
    meta: dict[str, Any] = {}
    for path, value in file.walk("messages"):
        if not isinstance(value, Row):
            meta |= {"title": value} if path == "name" else {}
        elif is_unreadable(value):
            yield value
        elif value.data.get("type") == "service" or not (text := _telegram_text(value.data)):
            file.notes.leave_out(value.place, _NOTICE)
        else:
            name, key = as_text(value.data.get("from")).strip(), as_text(value.data.get("from_id"))
            time = time_text(value.data.get("date"))
            message: Message = {"content": text} | ({"time": time} if time else {})
            said.append(SpokenMessage(Speaker(key or name, name or key) if name or key else None, message))
    yield conversation_of(said, file, meta)


def _telegram_text(data: Mapping[str, Any]) -> str:
    """A text, or pieces of it with their style, after the picture or file that came with it."""
    given = data.get("text")
    pieces = given if isinstance(given, list) else [given]
    text = "".join(as_text(one.get("text") if isinstance(one, Mapping) else one) for one in pieces)
    kind = next((name for name in ("photo", "file") if data.get(name)), "")
    shown = f"{as_text(data.get('media_type')) or kind} {as_text(data.get('sticker_emoji'))}".strip()
    return "\n".join(filter(None, (f"[{shown}]" if shown else "", text)))
