"""Chats of many speakers: Discord (DiscordChatExporter), Twitch (TwitchDownloader), YouTube (yt-dlp, chat-downloader)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from haechi.data.conversations.file import File, is_unreadable, one_conversation, with_roles
from haechi.data.conversations.outline import Outline
from haechi.data.files import Row
from haechi.data.messages import Message, time_text
from haechi.data.reading_notes import same_name
from haechi.data.tool_calls import as_text
from haechi.text import Text

_SPOKEN = frozenset(
    ("Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage", "0", "19", "20")
)
_NO_TEXT = Text(
    "글이 없는 것(후원 표시, 삭제, 알림 등)", "things without a text (tickers, removals, notices)"
)


class Speaker(NamedTuple):
    """Who speaks: what tells him from others, the name that is shown, and the name of his account."""

    key: str
    name: str
    account: str = ""


class SpokenMessage(NamedTuple):
    """A message and who says it; nobody for a notice."""

    speaker: Speaker | None
    message: Message


def conversation_of(said: Iterable[SpokenMessage], file: File, meta: dict[str, Any]) -> Row:
    """The messages with the names of speakers; two accounts of one name are told apart."""
    spoken = list(said)
    accounts: dict[str, set[str]] = {}
    for speaker, _ in spoken:
        if speaker is not None:
            accounts.setdefault(speaker.name, set()).add(speaker.key)
    messages: list[Message] = []
    for speaker, message in spoken:
        if speaker is None:
            messages.append({"role": "system", **message})
            continue
        name = speaker.name
        if same_name(speaker.account, file.notes.assistants):
            name = speaker.account
        elif len(accounts[name]) > 1:
            name = f"{name} ({speaker.account or speaker.key})"
        messages.append({**message, "name": name})
    return one_conversation(with_roles(messages, file), file, meta)


def is_discord(outline: Outline) -> bool:
    """A channel and its messages with their authors."""
    return outline.has("channel", "messages") and outline.has("messages[].author", "messages[].content")


def discord(file: File) -> Iterator[Row]:
    """A channel as one conversation."""
    said: list[SpokenMessage] = []
    meta: dict[str, Any] = {}
    for path, value in file.walk("messages"):
        if isinstance(value, Row):
            if is_unreadable(value):
                yield value
            else:
                said.append(_discord_message(value.data))
        elif path in ("guild", "channel") and isinstance(value, Mapping):
            meta[path] = value.get("name")
    yield conversation_of(said, file, meta)


def _discord_message(data: Mapping[str, Any]) -> SpokenMessage:
    author = data.get("author")
    author = author if isinstance(author, Mapping) else {}
    texts = [as_text(data.get("content")), *map(_embed, _objects(data.get("embeds")))]
    texts += [f"[{one.get('fileName', 'file')}]" for one in _objects(data.get("attachments"))]
    texts += [f"[{one.get('name', 'sticker')}]" for one in _objects(data.get("stickers"))]
    message: Message = {"content": "\n".join(text for text in texts if text.strip())}
    if time := time_text(data.get("timestamp")):
        message["time"] = time
    account = as_text(author.get("name")).strip()
    shown = as_text(author.get("nickname")).strip() or account
    speaker = Speaker(as_text(author.get("id")) or account, shown, account)
    return SpokenMessage(speaker if shown and str(data.get("type", "Default")) in _SPOKEN else None, message)


def _embed(embed: Mapping[str, Any]) -> str:
    """The words of a card, in which many bots answer."""
    fields = (f"{one.get('name', '')}: {one.get('value', '')}" for one in _objects(embed.get("fields")))
    return "\n".join(filter(None, [as_text(embed.get("title")), as_text(embed.get("description")), *fields]))


def is_twitch(outline: Outline) -> bool:
    """Comments on a video with their commenters."""
    return outline.has("comments", "comments[].commenter", "comments[].message")


def twitch(file: File) -> Iterator[Row]:
    """The chat of a video as one conversation."""
    said: list[SpokenMessage] = []
    meta: dict[str, Any] = {}
    for path, value in file.walk("comments"):
        if isinstance(value, Row):
            if is_unreadable(value):
                yield value
            else:
                said.append(_twitch_message(value.data))
        elif path == "video" and isinstance(value, Mapping):
            meta["title"] = value.get("title")
        elif path == "streamer" and isinstance(value, Mapping):
            meta["streamer"] = value.get("name")
    yield conversation_of(said, file, meta)


def _twitch_message(data: Mapping[str, Any]) -> SpokenMessage:
    who, what = data.get("commenter"), data.get("message")
    who = who if isinstance(who, Mapping) else {}
    what = what if isinstance(what, Mapping) else {"body": what}
    body = as_text(what.get("body")) or "".join(
        as_text(one.get("text")) for one in _objects(what.get("fragments"))
    )
    message: Message = {"content": body}
    offset = data.get("content_offset_seconds")
    time = time_text(data.get("created_at")) or _clock(offset)
    message |= {"time": time} if time else {}
    account = as_text(who.get("name")).strip()
    shown = as_text(who.get("display_name")).strip() or account
    return SpokenMessage(
        Speaker(as_text(who.get("_id")) or account or shown, shown, account) if shown else None, message
    )


def is_youtube(outline: Outline) -> bool:
    """Actions of a live chat."""
    action = "addChatItemAction"
    return any(path.endswith(action) for path in outline.paths)


def youtube(file: File) -> Iterator[Row]:
    """The live chat of a video as one conversation."""
    said: list[SpokenMessage] = []
    for row in file.records():
        if is_unreadable(row):
            yield row
            continue
        replayed = row.data.get("replayChatItemAction")
        whole = replayed if isinstance(replayed, Mapping) else {"actions": [row.data]}
        offset = whole.get("videoOffsetTimeMsec", row.data.get("videoOffsetTimeMsec"))
        found = [
            made for action in _objects(whole.get("actions")) if (made := _youtube_message(action, offset))
        ]
        if not found:
            file.notes.leave_out(row.place, _NO_TEXT)
        said += found
    yield conversation_of(said, file, {})


def _youtube_message(action: Mapping[str, Any], offset: Any) -> SpokenMessage | None:
    added = action.get("addChatItemAction")
    item = added.get("item") if isinstance(added, Mapping) else None
    shown = next(iter(item.values()), None) if isinstance(item, Mapping) else None
    if not isinstance(shown, Mapping):
        return None
    paid = _runs(shown.get("purchaseAmountText"))
    texts = [f"[{paid}]" if paid else "", _runs(shown.get("message")) or _runs(shown.get("headerSubtext"))]
    text = " ".join(filter(None, texts))
    if not text:
        return None
    seconds = (
        float(offset) / 1000 if isinstance(offset, str | int) and str(offset).lstrip("-").isdigit() else None
    )
    time = _clock(seconds) or time_text(shown.get("timestampUsec"))
    message: Message = {"content": text} | ({"time": time} if time else {})
    name = _runs(shown.get("authorName")).strip()
    key = as_text(shown.get("authorExternalChannelId")) or name
    return SpokenMessage(Speaker(key, name) if name else None, message)


def _runs(text: Any) -> str:
    """A text of YouTube: simple, or in pieces with pictures between them."""
    if not isinstance(text, Mapping):
        return ""
    if isinstance(text.get("simpleText"), str):
        return str(text["simpleText"])
    return "".join(
        as_text(run["text"]) if "text" in run else _emoji(run.get("emoji"))
        for run in _objects(text.get("runs"))
    )


def _emoji(emoji: Any) -> str:
    if not isinstance(emoji, Mapping):
        return ""
    shortcuts = emoji.get("shortcuts")
    names = shortcuts if isinstance(shortcuts, list) and shortcuts else [emoji.get("emojiId", "")]
    return (
        as_text(emoji["emojiId"])
        if not emoji.get("isCustomEmoji") and "emojiId" in emoji
        else as_text(names[0])
    )


def is_chat_downloader(outline: Outline) -> bool:
    """Messages with the author as an object and the time in the video."""
    return (
        outline.has("author", "message")
        and outline.has("author.name")
        and bool(outline.paths & {"message_type", "time_in_seconds", "message_id"})
    )


def chat_downloader(file: File) -> Iterator[Row]:
    """A chat that chat-downloader fetched, as one conversation."""
    said: list[SpokenMessage] = []
    for row in file.records():
        if is_unreadable(row):
            yield row
            continue
        who, text = row.data.get("author"), row.data.get("message")
        if not isinstance(text, str) or not text.strip():
            file.notes.leave_out(row.place, _NO_TEXT)
            continue
        who = who if isinstance(who, Mapping) else {}
        time = _clock(row.data.get("time_in_seconds")) or time_text(row.data.get("timestamp"))
        account = as_text(who.get("name")).strip()
        shown = as_text(who.get("display_name")).strip() or account
        speaker = Speaker(as_text(who.get("id")) or account, shown, account) if shown else None
        said.append(SpokenMessage(speaker, {"content": text} | ({"time": time} if time else {})))
    yield conversation_of(said, file, {})


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def _clock(seconds: Any) -> str:
    """A place in a video as people write it."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return ""
    whole = int(abs(seconds))
    return f"{'-' if seconds < 0 else ''}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
