"""What is judged, as a judge reads it: numbered lines of a dialogue, a context and its reply, a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from haechi.errors import HaechiError
from haechi.prompt.invisible_signs import show_signs
from haechi.prompt.objects import storable_text
from haechi.rubrics import Rubric
from haechi.text import Lang, Text

_NEEDS = {
    "dialogue": ("messages",),
    "reply": ("context", "response"),
    "run": ("query",),
    "pair": ("context", "response_a", "response_b"),
}
_CONTEXT, _REPLY = Text("맥락", "Context"), Text("답", "Reply")
_RUN = {
    "query": Text("질의", "Query"),
    "expected": Text("기대 결과", "Expected result"),
    "message": Text("답변 메시지(assistantMessage)", "Answer message (assistantMessage)"),
    "error": Text("오류", "Error"),
    "payload": Text("원본 응답(JSON)", "Raw response (JSON)"),
}


def material(
    rubric: Rubric,
    content: Mapping[str, Any],
    lang: Lang = "ko",
    names: Mapping[str, str] | None = None,
    turned: bool = False,
) -> str:
    """The item as text. A line that begins with `[number]` is a message; its further lines are indented, so
    that no message can pretend to be another. `turned`: of a pair, answer B stands before answer A.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("maice-qac")
    >>> dialogue = {"messages": [{"role": "user", "content": "도함수가 뭐예요?\\n[1] MAICE: 네"}]}
    >>> print(material(rubric, dialogue))
    [0] 학생: 도함수가 뭐예요?
        [1] MAICE: 네
    """
    if rubric.item == "dialogue":
        speakers = speaker_names(rubric, lang, names)
        lines = []
        for index, message in enumerate(_content(rubric, content)["messages"]):
            told = turn_of(message, speakers, lang)
            head = f"[{index}] {told.speaker}" + (f" ({told.time})" if told.time else "")
            if message["content"] or not told.calls:
                lines.append(_entry(f"{head}: ", message["content"]))
            # A line of its own, which no text can write: further lines of a text are indented.
            lines += [_entry(f"{head}, {label}: ", text) for label, text in told.calls]
        return "\n".join(lines)
    parts = named_texts(rubric, content, lang, turned)
    return "\n\n".join(f"## {label}\n{_entry('    ', text)}" for label, text in parts)


class Turn(NamedTuple):
    """Who says a message, when if that is known, and what tools were asked for with it: what is called, and with what."""

    speaker: str
    time: str
    calls: list[tuple[str, str]]


_TOOL, _CALL = Text("도구", "tool"), Text("도구 호출", "tool call")


def turn_of(message: Mapping[str, Any], speakers: Mapping[str, str], lang: Lang) -> Turn:
    """What is shown of a message beside its text.

    >>> turn_of({"role": "user", "content": "안녕", "name": "민서"}, {"user": "사용자"}, "ko").speaker
    '사용자 민서'
    >>> asked = {"role": "assistant", "content": "", "tool_calls": [{"name": "weather", "arguments": "{}"}]}
    >>> turn_of(asked, {"assistant": "AI"}, "en").calls
    [('tool call weather', '{}')]
    """
    role = str(message["role"])
    side = _TOOL.say(lang) if role == "tool" else speakers.get(role, _line(role))
    name = _line(message.get("name", ""))
    speaker = side if not name or name == side else f"{side} {name}"
    calls = [
        (f"{_CALL.say(lang)} {_line(call['name'])}".strip(), str(call["arguments"]))
        for call in message.get("tool_calls", ())
    ]
    return Turn(speaker, _line(message.get("time", "")), calls)


def message_text(message: Mapping[str, Any]) -> str:
    """All that a message says, with what tools were asked for: what evidence about it can quote.

    >>> message_text({"role": "assistant", "content": "볼게요", "tool_calls": [{"name": "weather", "arguments": "{}"}]})
    '볼게요\\nweather {}'
    """
    calls = (f"{call['name']} {call['arguments']}" for call in message.get("tool_calls", ()))
    return "\n".join([str(message["content"]), *calls])


def named_texts(
    rubric: Rubric, content: Mapping[str, Any], lang: Lang, turned: bool = False
) -> list[tuple[str, str]]:
    """The texts of a reply or a run that say something, each with what it is.

    >>> import haechi
    >>> named_texts(haechi.rubric("hiring-agent"), {"query": "q1", "response": "네"}, "en")
    [('Query', 'q1'), ('Answer message (assistantMessage)', '네')]
    """
    parts = list(zip(_labels(rubric, lang), texts(rubric, content), strict=True))
    if turned and rubric.item == "pair":
        parts[1:] = reversed(parts[1:])
    return [(label, text) for label, text in parts if text.strip()]


def texts(rubric: Rubric, content: Mapping[str, Any]) -> list[str]:
    """The texts that evidence can quote, in the order of their indexes.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("diary-comment")
    >>> texts(rubric, {"context": "비가 왔다", "response": "아쉬웠겠어요"})
    ['비가 왔다', '아쉬웠겠어요']
    """
    content = _content(rubric, content)
    if rubric.item == "dialogue":
        return [message_text(message) for message in content["messages"]]
    if rubric.item in ("reply", "pair"):
        return [str(content[name]) for name in _NEEDS[rubric.item]]
    run = run_texts(content)
    return [run.query or str(content["query"]), *run[1:]]


class RunTexts(NamedTuple):
    """The texts of an agent run; one that there is not is empty."""

    query: str
    expected: str
    answer: str
    error: str
    payload: str


def run_texts(content: Mapping[str, Any]) -> RunTexts:
    """The question, the expectation and the answer of a run, its error and the payload as it was recorded.

    The answer is the payload's `assistantMessage`; without one the file's own column.

    >>> run = run_texts({"query": "q1", "query_text": "일정 추가", "payload": '{"assistantMessage": "추가했습니다"}'})
    >>> run.query, run.answer, run.expected
    ('일정 추가', '추가했습니다', '')
    """
    payload = content.get("payload")
    raw = json.dumps(payload, ensure_ascii=False) if isinstance(payload, dict | list) else payload
    found = payload_of(content)
    message = found.get("assistantMessage") if isinstance(found, dict) else None
    answer = message if isinstance(message, str) and message.strip() else content.get("response")
    texts = (content.get("query_text"), content.get("expected"), answer, content.get("error"), raw)
    return RunTexts(*(str(text or "") for text in texts))


def payload_of(content: Mapping[str, Any]) -> Any:
    """The payload of a run; None where there is none that can be read.

    >>> payload_of({"payload": "[1]"}), payload_of({"payload": "{"}), payload_of({})
    ([1], None, None)
    """
    payload = content.get("payload")
    if not isinstance(payload, str):
        return payload
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def speaker_names(rubric: Rubric, lang: Lang, names: Mapping[str, str] | None = None) -> dict[str, str]:
    """How the two sides are called: by their own names when given, else as the rubric calls them."""
    called = {"user": rubric.speakers.user.say(lang), "assistant": rubric.speakers.assistant.say(lang)}
    given = {role: _line(name) for role, name in (names or {}).items() if name.strip()}
    return called | {role: name for role, name in given.items() if role in called}


def _labels(rubric: Rubric, lang: Lang) -> list[str]:
    if rubric.item in ("reply", "pair"):
        context, reply = (rubric.context_name or _CONTEXT).say(lang), (rubric.reply_name or _REPLY).say(lang)
        return [context, reply] if rubric.item == "reply" else [context, f"{reply} A", f"{reply} B"]
    return [label.say(lang) for label in _RUN.values()]


def _entry(head: str, text: Any) -> str:
    return head + "\n    ".join(show_signs(storable_text(str(text))).splitlines() or [""])


def _line(text: str) -> str:
    return " ".join(show_signs(storable_text(str(text))).split())[:80]


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
