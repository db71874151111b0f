"""What came back as an item: an agent run, a conversation or a reply, as `haechi add` would read it from a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from haechi.agents.reply import AgentReply
from haechi.agents.suite import Conversation
from haechi.data.files import Row
from haechi.data.item import Item
from haechi.data.shapes import items_of
from haechi.errors import HaechiError


def store_reply(reply: AgentReply) -> str:
    """A reply as the journal keeps it."""
    return orjson.dumps({name: value for name, value in asdict(reply).items() if value is not None}).decode()


def restore_reply(text: str) -> AgentReply:
    """A reply that the journal kept.

    >>> restore_reply(store_reply(AgentReply("네", session="s1"))) == AgentReply("네", session="s1")
    True
    """
    return AgentReply(**orjson.loads(text))


def messages_of(conversation: Conversation, replies: Sequence[AgentReply]) -> list[dict[str, str]]:
    """The conversation so far; what was given beside it stands first, as a system message."""
    case, said = conversation.case, list[dict[str, str]]()
    if case.context is not None:
        said.append({"role": "system", "content": text_of(case.context)})
    for number, turn in enumerate(case.turns[: len(replies) + 1]):
        said.append({"role": "user", "content": turn})
        if number < len(replies):
            said.append({"role": "assistant", "content": replies[number].message})
    return said


def text_of(context: Any) -> str:
    """What is given beside a query as text."""
    return context if isinstance(context, str) else json.dumps(context, ensure_ascii=False)


def item_of(
    kind: str, conversation: Conversation, replies: Sequence[AgentReply], agent: str, at: str
) -> Item | None:
    """The item of a conversation that has ended; a failed one is a run, and no dialogue or reply that could be rated.

    >>> from haechi.agents.suite import Case
    >>> asked = Conversation(Case("q1", ("안녕",), category="인사"), 1, 1, "v2")
    >>> item = item_of("run", asked, [AgentReply("네", {"assistantMessage": "네"}, total_ms=12.5)], "bot", "2026-11-03")
    >>> item.id, item.content["latency_ms"], item.meta["version"], item.meta["category"]
    ('q1@v2#1/1', 12.5, 'v2', '인사')
    """
    case, last = conversation.case, replies[-1]
    if kind != "run" and last.error:
        return None
    meta = {
        **case.meta,
        "agent": agent,
        "version": conversation.version,
        "turns": len(case.turns) if len(case.turns) > 1 else None,
        "first_token_ms": last.first_ms,
        "asked_at": at,
    }
    plain = {"query": case.id, "round": str(conversation.round), "repeat": str(conversation.repeat)}
    if kind == "run":
        meta["context"] = None if case.context is None else text_of(case.context)
        data = _run(conversation, replies) | {"round": plain["round"], "repeat": plain["repeat"]}
    else:
        meta |= {**plain, "category": case.category, "expected": case.expected, "latency_ms": last.total_ms}
        data = _dialogue(conversation, replies) if kind == "dialogue" else _reply(conversation, last)
    meta = {name: value for name, value in meta.items() if value is not None}
    ((_, item),) = items_of([Row(conversation.item, {**data, "id": conversation.item, "meta": meta})], kind)
    if isinstance(item, HaechiError):
        raise item
    return item


def _run(conversation: Conversation, replies: Sequence[AgentReply]) -> dict[str, Any]:
    case, last = conversation.case, replies[-1]
    where = f"turn {len(replies)}: " if len(replies) < len(case.turns) else ""
    return {
        "query_id": case.id,
        "query": "\n".join(case.turns),
        "expected_result": case.expected,
        "accuracy_checks": case.checks,
        "category": case.category,
        "response": last.message,
        "error": f"{where}{last.error}" if last.error else None,
        "raw_json": last.payload,
        "latency_ms": last.total_ms,
    }


def _dialogue(conversation: Conversation, replies: Sequence[AgentReply]) -> dict[str, Any]:
    return {"messages": messages_of(conversation, replies)}


def _reply(conversation: Conversation, last: AgentReply) -> dict[str, Any]:
    given = [] if conversation.case.context is None else [text_of(conversation.case.context)]
    return {"context": "\n\n".join([*given, *conversation.case.turns]), "response": last.message}
