"""Chats with AI models as their services and programs export them: ChatGPT, ShareGPT, SillyTavern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, is_unreadable, one_conversation
from haechi.data.conversations.outline import Outline
from haechi.data.files import BAD, Row, refuse
from haechi.data.messages import Message, time_text
from haechi.data.tool_calls import as_text
from haechi.text import Text

_HIDDEN = Text("화면에 보이지 않은 글", "texts that were not shown")
BRANCH = Text("고쳐 쓰거나 다시 받은 다른 갈래의 글", "messages on other branches (edited or regenerated)")
_UNSHOWN = ("thoughts", "reasoning_recap", "user_editable_context")


def is_sharegpt(outline: Outline) -> bool:
    """`conversations`, each with `from` and `value`."""
    return any(
        outline.has(key, f"{key}[].from", f"{key}[].value") for key in ("conversations", "conversation")
    )


def sharegpt(file: File) -> Iterator[Row]:
    """One record a conversation; a `system` beside the messages is the first of them."""
    for row in file.records():
        if is_unreadable(row):
            yield row
            continue
        rest = dict(row.data)
        messages = rest.pop("conversations", None) or rest.pop("conversation", None)
        system = rest.pop("system", None)
        if isinstance(messages, list) and isinstance(system, str) and system.strip():
            messages = [{"from": "system", "value": system}, *messages]
        yield Row(row.place, {**rest, "messages": messages if messages is not None else []})


def is_chatgpt(outline: Outline) -> bool:
    """A tree of messages in `mapping`."""
    return outline.has("mapping") and (
        outline.has("current_node") or any(p.endswith(".message") for p in outline.paths)
    )


def chatgpt(file: File) -> Iterator[Row]:
    """The branch of every conversation that was shown last, the one that ends at `current_node`."""
    for row in file.records("conversations"):
        yield row if is_unreadable(row) else _tree(row, file)


def _tree(row: Row, file: File) -> Row:
    data = row.data
    mapping = data.get("mapping")
    if not isinstance(mapping, Mapping):
        found = type(mapping).__name__
        raise refuse(f"{row.place}, mapping", found, Text("메시지의 나무 {…}", "a tree of messages {…}"))
    shown = _branch(mapping, data.get("current_node"), row.place)
    messages: list[Message] = []
    for node in shown:
        messages += _chatgpt_message(node.get("message"), row.place, file)
    others = sum(_speaks(node) for node in mapping.values()) - sum(_speaks(node) for node in shown)
    if others:
        file.notes.leave_out(row.place, BRANCH, others)
    meta = {
        "title": data.get("title"),
        "model": data.get("default_model_slug"),
        "created": time_text(data.get("create_time")),
    }
    identifier = data.get("conversation_id") or data.get("id")
    named = {"id": identifier} if identifier else {}
    return Row(row.place, {**named, "messages": messages, "meta": {k: v for k, v in meta.items() if v}})


def _branch(mapping: Mapping[str, Any], last: Any, place: str) -> list[Mapping[str, Any]]:
    """The nodes from the root to the last one shown."""
    if last not in mapping:
        leaves = [
            key for key, node in mapping.items() if isinstance(node, Mapping) and not node.get("children")
        ]
        if len(leaves) != 1:
            found = Text(
                f"current_node {last!r}, 끝이 {len(leaves)}개",
                f"current_node {last!r} and {len(leaves)} ends",
            )
            expected = Text(
                "보인 갈래의 끝을 가리키는 current_node", "a current_node at the end of the branch shown"
            )
            raise refuse(place, found, expected)
        last = leaves[0]
    branch: list[Mapping[str, Any]] = []
    seen: set[Any] = set()
    while last is not None and last in mapping:
        if last in seen:
            found = Text("parent가 제자리로 돌아옴", "parents in a circle")
            raise refuse(
                f"{place}, mapping", found, Text("뿌리로 이어지는 parent", "parents that lead to the root")
            )
        seen.add(last)
        node = mapping[last]
        if not isinstance(node, Mapping):
            raise refuse(f"{place}, mapping", type(node).__name__, Text("객체 {…}", "an object {…}"))
        branch.append(node)
        parent = node.get("parent")
        last = parent if isinstance(parent, str) else None
    return branch[::-1]


def _speaks(node: Any) -> bool:
    message = node.get("message") if isinstance(node, Mapping) else None
    author = message.get("author") if isinstance(message, Mapping) else None
    return isinstance(author, Mapping) and author.get("role") in ("user", "assistant")


def _chatgpt_message(message: Any, place: str, file: File) -> list[Message]:
    if not isinstance(message, Mapping):
        return []
    author = message.get("author")
    role = str(author.get("role", "")) if isinstance(author, Mapping) else ""
    content = message.get("content")
    content = content if isinstance(content, Mapping) else {"parts": [content]}
    about = message.get("metadata")
    hidden = isinstance(about, Mapping) and about.get("is_visually_hidden_from_conversation") is True
    text = _chatgpt_text(content)
    if hidden or content.get("content_type") in _UNSHOWN:
        if text:
            file.notes.leave_out(place, _HIDDEN)
        return []
    if not text and role in ("system", ""):
        return []  # every tree begins with an empty one
    made: Message = {"role": role, "content": text}
    recipient = message.get("recipient")
    if role == "assistant" and isinstance(recipient, str) and recipient not in ("all", ""):
        made = {"role": role, "content": "", "tool_calls": [{"name": recipient, "arguments": text}]}
    name = author.get("name") if isinstance(author, Mapping) else None
    made |= {"name": name} if isinstance(name, str) and name else {}
    time = time_text(message.get("create_time"))
    return [made | ({"time": time} if time else {})]


def _chatgpt_text(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        given = (content.get(key) for key in ("text", "result", "content", "user_instructions"))
        return next((as_text(one) for one in given if one), "")
    texts = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            text = part.get("text")
            texts.append(text if isinstance(text, str) else f"[{part.get('content_type', 'file')}]")
    return "\n".join(text for text in texts if text).strip()


def is_sillytavern(outline: Outline) -> bool:
    """Messages with `mes` and `is_user`."""
    return outline.has("mes", "is_user")


def sillytavern(file: File) -> Iterator[Row]:
    """A header, then one message a line; of several answers the one that was shown is `mes`."""
    messages: list[Message] = []
    header: Mapping[str, Any] = {}
    for row in file.records():
        if is_unreadable(row):
            yield row
        elif "mes" in row.data:
            messages.append(_sillytavern_message(row))
        elif header or messages:
            found = Text(f"열: {', '.join(row.data)}", f"fields {', '.join(row.data)}")
            yield Row(row.place, {BAD: refuse(row.place, found, Text("mes와 is_user", "mes and is_user"))})
        else:
            header = row.data
    meta = {name: header.get(name) for name in ("user_name", "character_name", "create_date")}
    yield one_conversation(messages, file, {k: v for k, v in meta.items() if v != "unused"})


def _sillytavern_message(row: Row) -> Message:
    data = row.data
    extra = data.get("extra")
    # `is_system` alone only says that the model no longer gets to see a message; notices and the narrator have a type.
    kind = extra.get("type") if isinstance(extra, Mapping) else None
    notice = data.get("is_system") is True and (kind or data.get("name") == "SillyTavern System")
    role = (
        "user" if data.get("is_user") is True else "system" if notice or kind == "narrator" else "assistant"
    )
    made: Message = {"role": role, "content": as_text(data["mes"])}
    name, time = data.get("name"), time_text(data.get("send_date"))
    made |= {"name": name} if isinstance(name, str) and name else {}
    return made | ({"time": time} if time else {})
