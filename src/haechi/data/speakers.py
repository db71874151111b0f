"""Who speaks where the roles of messages do not say it all: an instruction beside them, a system that is the AI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haechi.data.messages import Message
from haechi.data.names import plain_text
from haechi.data.reading_notes import ReadingNotes, file_of
from haechi.text import Text


def instruction_in(rest: dict[str, Any]) -> list[Message]:
    """The instruction that a request to Gemini has beside its messages, as the first of them.

    >>> instruction_in({"systemInstruction": {"parts": [{"text": "짧게"}]}})
    [{'role': 'system', 'content': '짧게'}]
    """
    name = next((name for name in ("systemInstruction", "system_instruction") if rest.get(name)), None)
    given = rest.pop(name) if name else None
    parts = given.get("parts", [given]) if isinstance(given, Mapping) else [given]
    parts = parts if isinstance(parts, list) else [parts]
    texts = [plain_text(one.get("text") if isinstance(one, Mapping) else one) for one in parts]
    text = "\n".join(filter(None, texts))
    return [{"role": "system", "content": text}] if text else []


def answering_system(messages: list[Message], place: str, hearing: ReadingNotes) -> list[Message]:
    """In collections of task dialogues the system is the AI: it answers users, and nobody else does.

    >>> answering_system([{"role": "user", "content": "표?"}, {"role": "system", "content": "네"}], "f:1", ReadingNotes())[1]["role"]
    'assistant'
    """
    roles = [message["role"] for message in messages]
    if (
        "assistant" in roles
        or "system" not in roles[roles.index("user") + 1 if "user" in roles else len(roles) :]
    ):
        return messages
    hearing.note(
        Text(
            f"{file_of(place)}: 사용자에게 답하는 것이 system뿐이어서 AI로 읽었습니다.",
            f"{file_of(place)}: only `system` answers the users, so it was read as the AI.",
        )
    )
    return [
        {**message, "role": "assistant"} if message["role"] == "system" else message for message in messages
    ]
