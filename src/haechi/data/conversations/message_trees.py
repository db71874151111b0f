"""Conversations whose messages hold their answers (LibreChat, OpenAssistant), or stand inside of another object (Open WebUI)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.exports import BRANCH
from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import messages_in
from haechi.data.files import BAD, Row, refuse
from haechi.data.messages import Message, time_text
from haechi.data.tool_calls import as_text
from haechi.text import Text

_ANSWERS = ("children", "replies")
_LOST = Text("답한 발화가 파일에 없는 발화", "messages that answer one which the file does not have")


def is_tree(outline: Outline) -> bool:
    """Messages in which the answers to them stand."""
    return any(
        outline.has(f"{start}.text", f"{start}.{key}") and (f"{start}.{key}[].text" in outline.paths)
        for start in ("messages[]", "prompt")
        for key in _ANSWERS
    )


def trees(file: File) -> Iterator[Row]:
    """From every message to the answer that was ranked best, else the last one; the others are counted."""
    for row in file.records():
        if is_unreadable(row):
            yield row
            continue
        data = dict(row.data)
        start = data.pop("prompt", None) or data.pop("messages", None)
        roots = start if isinstance(start, list) else [start]
        messages, left = _branch([one for one in roots if isinstance(one, Mapping)])
        if left:
            file.notes.leave_out(row.place, BRANCH, left)
        identifier = next(
            (data.pop(key) for key in ("message_tree_id", "conversationId") if key in data), None
        )
        yield Row(row.place, {**data, **({"id": identifier} if identifier else {}), "messages": messages})


def is_parted(outline: Outline) -> bool:
    """One message a record, each with the message that it answers."""
    return outline.has("message_id", "parent_id", "role", "text")


def parted(file: File) -> Iterator[Row]:
    """Every first message with the best of the answers to it, and so on, wherever they stand in the file."""
    roots: list[Row] = []
    nodes: dict[str, dict[str, Any]] = {}
    for row in file.records():
        identifier = str(row.data.get("message_id"))
        if is_unreadable(row):
            yield row
        elif identifier in nodes:  # an id that names two messages would make circles possible
            found = Text(f"message_id가 둘: {identifier}", f"message_id twice: {identifier}")
            expected = Text("발화마다 다른 message_id", "another message_id for every message")
            yield Row(row.place, {BAD: refuse(row.place, found, expected)})
        else:
            nodes[identifier] = {**row.data, _ANSWERS[1]: []}
            if not row.data.get("parent_id"):
                roots.append(Row(row.place, nodes[identifier]))
    for node in nodes.values():
        if (parent := nodes.get(str(node.get("parent_id")))) is not None and node.get("parent_id"):
            parent[_ANSWERS[1]].append(node)
    lost = len(nodes) - sum(_size(root.data) for root in roots)
    if lost:
        file.notes.leave_out(file.name, _LOST, lost)
    for root in roots:
        messages, left = _branch([root.data])
        if left:
            file.notes.leave_out(root.place, BRANCH, left)
        named = root.data.get("message_tree_id") or root.data.get("message_id")
        meta = {"lang": root.data["lang"]} if root.data.get("lang") else {}
        yield Row(root.place, {"id": named, **meta, "messages": messages})


def _branch(roots: list[Mapping[str, Any]]) -> tuple[list[Message], int]:
    messages: list[Message] = []
    left, beside = 0, roots
    while beside:
        ranked = [one for one in beside if isinstance(one.get("rank"), int)]
        node = min(ranked, key=lambda one: int(one["rank"])) if ranked else beside[-1]
        left += sum(_size(one) for one in beside if one is not node)
        messages.append(_message(node))
        beside = _answers_of(node)
    return messages, left


def _answers_of(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = next((node[key] for key in _ANSWERS if isinstance(node.get(key), list)), None)
    return [one for one in given or () if isinstance(one, Mapping)]


def _size(node: Mapping[str, Any]) -> int:
    found, waiting = 0, [node]
    while waiting:
        found += 1
        waiting += _answers_of(waiting.pop())
    return found


def _message(node: Mapping[str, Any]) -> Message:
    own = node.get("isCreatedByUser")
    role = node.get("role") or (
        "user" if own is True else "assistant" if own is False else node.get("sender")
    )
    made: Message = {"role": role, "content": as_text(node.get("text"))}
    if time := time_text(node.get("createdAt", node.get("created_date"))):
        made["time"] = time
    return made


def inside_of(outline: Outline) -> str | None:
    """The one key under which a record has its messages; None where they stand in the record itself."""
    ends = ".messages[].role"
    found = {path.removesuffix(ends) for path in outline.paths if path.endswith(ends)}
    plain = {
        key
        for key in found
        if "." not in key and "[" not in key and f"{key}.messages[].content" in outline.paths
    }
    return plain.pop() if len(found) == len(plain) == 1 and not outline.has("messages") else None


def is_inside(outline: Outline) -> bool:
    """Messages inside of another object of the record."""
    return inside_of(outline) is not None


def inside(file: File) -> Iterator[Row]:
    """The messages, with the id and the short fields of the record; the answer that a logged request got is the last of them."""
    key = inside_of(file.outline) or ""
    for row in file.records():
        held = row.data.get(key)
        if is_unreadable(row) or not isinstance(held, Mapping):
            yield row
            continue
        rest = {name: cell for name, cell in row.data.items() if not isinstance(cell, dict | list)}
        messages, answer = held.get("messages"), rest.pop("response", row.data.get("response"))
        if isinstance(messages, list) and answer:
            messages = [*messages, *messages_in(answer, "assistant", row.place, file.notes)]
        yield Row(row.place, {**rest, "messages": messages})
