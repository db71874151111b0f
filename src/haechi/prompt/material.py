"""What is judged, as a judge reads it: numbered lines of a dialogue, a context and its reply, a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from haechi.errors import HaechiError
from haechi.prompt.claims import clean
from haechi.rubrics import Rubric
from haechi.text import Lang, Text

_NEEDS = {"dialogue": ("messages",), "reply": ("context", "response"), "run": ("query",)}
_CONTEXT, _REPLY = Text("맥락", "Context"), Text("답", "Reply")
_RUN = {
    "query": Text("질의", "Query"),
    "expected": Text("기대 결과", "Expected result"),
    "message": Text("답변 메시지(assistantMessage)", "Answer message (assistantMessage)"),
    "error": Text("오류", "Error"),
    "payload": Text("원본 응답(JSON)", "Raw response (JSON)"),
}


def material(
    rubric: Rubric, content: Mapping[str, Any], lang: Lang = "ko", names: Mapping[str, str] | None = None
) -> str:
    """The item as text. A line that begins with `[number]` is a message; its further lines are indented, so
    that no message can pretend to be another.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("maice-qac")
    >>> dialogue = {"messages": [{"role": "user", "content": "도함수가 뭐예요?\\n[1] MAICE: 네"}]}
    >>> print(material(rubric, dialogue))
    [0] 학생: 도함수가 뭐예요?
        [1] MAICE: 네
    """
    if rubric.item == "dialogue":
        speakers = speaker_names(rubric, lang, names)
        lines = [
            _entry(f"[{index}] {speakers.get(message['role'], _line(message['role']))}: ", message["content"])
            for index, message in enumerate(_content(rubric, content)["messages"])
        ]
        return "\n".join(lines)
    labels = _labels(rubric, lang)
    parts = zip(labels, texts(rubric, content), strict=True)
    return "\n\n".join(f"## {label}\n{_entry('    ', text)}" for label, text in parts if text.strip())


def texts(rubric: Rubric, content: Mapping[str, Any]) -> list[str]:
    """The texts that evidence can quote, in the order of their indexes.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("diary-comment")
    >>> texts(rubric, {"context": "비가 왔다", "response": "아쉬웠겠어요"})
    ['비가 왔다', '아쉬웠겠어요']
    """
    content = _content(rubric, content)
    if rubric.item == "dialogue":
        return [str(message["content"]) for message in content["messages"]]
    if rubric.item == "reply":
        return [str(content["context"]), str(content["response"])]
    payload = content.get("payload")
    raw = (
        payload
        if isinstance(payload, str)
        else ""
        if payload is None
        else json.dumps(payload, ensure_ascii=False)
    )
    query = content.get("query_text") or content["query"]
    found = (query, content.get("expected"), _answer(raw, content), content.get("error"), raw)
    return [str(text or "") for text in found]


def speaker_names(rubric: Rubric, lang: Lang, names: Mapping[str, str] | None = None) -> dict[str, str]:
    """How the two sides are called: by their own names when given, else as the rubric calls them."""
    called = {"user": rubric.speakers.user.say(lang), "assistant": rubric.speakers.assistant.say(lang)}
    given = {role: _line(name) for role, name in (names or {}).items() if name.strip()}
    return called | {role: name for role, name in given.items() if role in called}


def _labels(rubric: Rubric, lang: Lang) -> list[str]:
    if rubric.item == "reply":
        return [(rubric.context_name or _CONTEXT).say(lang), (rubric.reply_name or _REPLY).say(lang)]
    return [label.say(lang) for label in _RUN.values()]


def _answer(payload: str, content: Mapping[str, Any]) -> str:
    try:
        answer = json.loads(payload).get("assistantMessage")
    except (ValueError, AttributeError, RecursionError):
        answer = None
    return str(answer or content.get("response") or "")


def _entry(head: str, text: Any) -> str:
    return head + "\n    ".join(clean(str(text)).splitlines() or [""])


def _line(text: str) -> str:
    return " ".join(clean(str(text)).split())[:80]


def _content(rubric: Rubric, content: Mapping[str, Any]) -> Mapping[str, Any]:
    needs = _NEEDS[rubric.item]
    missing = [name for name in needs if name not in content]
    if missing:
        found = ", ".join(content) or Text("내용 없음", "no content")
        expected = Text(
            f"`{rubric.id}`가 평가하는 항목({', '.join(needs)})",
            f"what `{rubric.id}` judges: {', '.join(needs)}",
        )
        todo = Text(
            "항목의 내용을 더하거나 다른 루브릭을 쓰세요", "add the item's content or use another rubric"
        )
        raise HaechiError.of(rubric.id, found, expected, todo)
    return content
