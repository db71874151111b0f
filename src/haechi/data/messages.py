"""A message of a conversation, from the spellings of providers and tools to one form.

The form is `role` (user, assistant, system, tool) and `content`, and where known `name` (the speaker, or the tool that
answered), `time`, `tool_calls` (each `name`, `arguments` as text, perhaps `id`) and `tool_call_id`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from haechi.data.files import refuse
from haechi.data.names import ITEM_FIELDS, Spellings, fold_name, name_fields, plain_text
from haechi.data.reading_notes import ReadingNotes, same_name
from haechi.data.tool_calls import as_text, call_as_text, calls_of, one_call
from haechi.errors import HaechiError
from haechi.text import Text

Message = dict[str, Any]

_ROLES = {
    "user": "user human humanmessage prompter student customer client learner 사용자 유저 학생 고객 시청자 참가자",
    "assistant": "assistant ai aimessage aimessagechunk bot model agent chatbot maice gpt chatgpt claude gemini bard bing "
    "functioncall 인공지능 챗봇 어시스턴트 봇 상담봇 튜터",
    "system": "system systemmessage developer 시스템",
    "tool": "tool toolmessage function functionmessage observation toolresult ipython 도구",
}
ROLE_OF = {fold_name(name): role for role, names in _ROLES.items() for name in names.split()}
ROLES = tuple(_ROLES)

_FIELDS = Spellings({name: ITEM_FIELDS[name] for name in ("role", "content")})
_MORE = Spellings(
    {
        "parts": ("parts",),
        "name": ("name", "speakername", "nickname", "이름"),
        "time": (
            "time",
            "timestamp",
            "createdat",
            "createtime",
            "at",
            "date",
            "datetime",
            "시각",
            "시간",
            "일시",
        ),
        "calls": ("toolcalls", "functioncalls"),
        "call": ("functioncall",),
        "answers": ("toolcallid", "callid", "tooluseid"),
        "kwargs": ("additionalkwargs",),
        "tool": ("function",),
        "attachments": ("attachments",),
        "files": ("files",),
    }
)
_OWN = frozenset(spelling for spellings in _MORE.values() for spelling in spellings)
_TEXT = frozenset(("text", "input_text", "output_text", "refusal"))
_CALLS = frozenset(
    ("tool_call", "tool_use", "tool-call", "function_call", "server_tool_use", "server_tool_call")
)
_ANSWERS = frozenset(
    ("tool_call_response", "tool_result", "tool-result", "function_call_output", "server_tool_call_response")
)
_THOUGHTS = frozenset(("thinking", "redacted_thinking", "reasoning", "thought", "thoughts"))
_THOUGHT = Text("모델의 속생각(화면에 보이지 않은 글)", "a model's thoughts, which nobody was shown")


def messages_of(record: Any, place: str, notes: ReadingNotes | None = None) -> list[Message]:
    """The message that a record holds; results of tools within it become messages of their own.

    >>> messages_of({"from": "gpt", "value": "네"}, "f:1")
    [{'role': 'assistant', 'content': '네'}]
    >>> part = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "서울"}}
    >>> messages_of({"role": "assistant", "content": [part]}, "f:1")[0]["tool_calls"]
    [{'name': 'weather', 'arguments': '{"city": "서울"}', 'id': 't1'}]
    """
    if (plain := plain_message(record)) is not None:
        return [plain]
    if not isinstance(record, Mapping):
        raise _no_message(place)
    notes = notes or ReadingNotes()
    record = _unwrapped(record)
    known, rest = name_fields(record, _FIELDS)
    more, _ = name_fields(rest, _MORE)
    has_text = "content" in known or "parts" in more or "calls" in more or "call" in more
    if not has_text or not isinstance(known.get("role"), str | int | float):
        raise _no_message(place)
    spoken = plain_text(known["role"])
    role, name = _role(spoken, place, notes), _name(more)
    if role is None:
        role, name = ("assistant" if same_name(spoken, notes.assistants) else "user"), spoken
    elif name and notes.assistants and role in ("user", "assistant") and same_name(name, notes.assistants):
        role = "assistant"
    content = known.get("content", more.get("parts"))
    content, later = _until_answered(content) if role == "assistant" else (content, [])
    text, calls, answers = _content(content, place, notes)
    text = "\n".join(filter(None, (text, *_attached(more))))
    calls += calls_of(more)
    if fold_name(spoken) == "functioncall":
        text, calls = call_as_text(text, calls)
    message: Message = {"role": role, "content": text}
    message |= {"name": name} if name else {}
    if (time := time_text(more.get("time"))) is not None:
        message["time"] = time
    if calls:
        message["tool_calls"] = calls
    if role == "tool" and (answered := plain_text(more.get("answers"))):
        message["tool_call_id"] = answered
    after = messages_of({"role": "assistant", "content": later}, place, notes) if later else []
    after = [one | {key: message[key] for key in ("name", "time") if key in message} for one in after]
    if answers and not text and not calls:
        return [*answers, *after]
    return [*answers, message] if answers and role == "user" else [message, *answers, *after]


def _attached(more: Mapping[str, Any]) -> Iterator[str]:
    """The files that came with a message: their names, and where it is kept their text."""
    names = set[str]()
    for one in (
        file for key in ("attachments", "files") for file in more.get(key) or () if isinstance(file, Mapping)
    ):
        name = plain_text(next((one[key] for key in ("file_name", "name", "filename") if one.get(key)), ""))
        if name and name not in names:
            names.add(name)
            yield f"[{name}]"
            yield plain_text(one.get("extracted_content"))


def plain_message(record: Any) -> Message | None:
    """A message that is nothing but a text of one of the two sides, by far the most common; None for any other.

    >>> plain_message({"role": "user", "content": " 안녕 "}), plain_message({"from": "gpt", "value": "네"})
    ({'role': 'user', 'content': '안녕'}, None)
    """
    if type(record) is dict and len(record) == 2:
        role, content = record.get("role"), record.get("content")
        if type(content) is str and role in ("user", "assistant"):
            return {"role": role, "content": content.strip()}
    return None


def of_message(column: str) -> bool:
    """Whether a column says something about a single message: who spoke, when, which tool.

    >>> of_message("Time"), of_message("level")
    (True, False)
    """
    return fold_name(column) in _OWN


def time_text(value: Any) -> str | None:
    """A time as text: seconds, milliseconds … since 1970 as a time in UTC, text as it is.

    >>> time_text(1793716320), time_text("2026-11-03T15:12:00Z"), time_text("")
    ('2026-11-03T14:32:00Z', '2026-11-03T15:12:00Z', None)
    """
    if isinstance(value, bool) or value in (None, "") or isinstance(value, dict | list):
        return None
    text = plain_text(value)
    try:
        number = float(text)
    except ValueError:
        return text or None
    while number > 1e11:  # milliseconds, microseconds, nanoseconds
        number /= 1000
    if not 1e8 < number < 1e11:
        return text
    whole = datetime.fromtimestamp(number, UTC)
    return whole.isoformat(timespec="milliseconds" if whole.microsecond else "seconds").replace("+00:00", "Z")


def _unwrapped(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as LangChain writes it, `{"lc": 1, "id": [… "HumanMessage"], "kwargs": {…}}` or `{"type", "data"}`."""
    inner = record.get("kwargs") if "lc" in record else record.get("data")
    if isinstance(inner, Mapping) and "content" in inner:
        kind = record.get("type")
        path = record.get("id")
        kind = path[-1] if "lc" in record and isinstance(path, list) and path else kind
        return {"role": inner.get("role") or kind or inner.get("type"), **inner}
    inner = record.get("message")
    if isinstance(inner, Mapping) and "role" not in record:  # a choice of an answer
        return _unwrapped(inner)
    kind = record.get("type")
    if "role" not in record and "content" in record and isinstance(kind, str) and fold_name(kind) in ROLE_OF:
        return {"role": kind, **record}
    return record


def _role(spoken: str, place: str, notes: ReadingNotes) -> str | None:
    """The role that a word means; None for a speaker's name, where it is said which of them is the AI."""
    role = ROLE_OF.get(fold_name(spoken))
    if role is None and not notes.assistants:
        roles = ", ".join(ROLES)
        expected = Text(
            f"다음 중 하나: {roles}, 또는 AI의 이름을 알려 주는 --assistant",
            f"one of {roles}, or speakers' names with --assistant to say which is the AI",
        )
        todo = Text("--assistant 이름을 붙이세요", "say which speaker is the AI: --assistant NAME")
        raise refuse(f"{place}, role", repr(spoken)[:80], expected, todo)
    return role


def _name(more: Mapping[str, Any]) -> str:
    name = more.get("name", more.get("tool"))
    return name.strip() if isinstance(name, str) else ""


def _content(content: Any, place: str, notes: ReadingNotes) -> tuple[str, list[Any], list[Message]]:
    """The text of a message, the calls of tools in it, and the results of tools in it."""
    if not isinstance(content, list):
        if isinstance(content, Mapping):
            content = [content] if "text" in content or "type" in content else content.get("parts", content)
        if not isinstance(content, list):
            if isinstance(content, Mapping):
                expected = Text("글 또는 text가 있는 조각의 배열", "a text, or a list of parts with text")
                raise refuse(f"{place}, content", "object", expected)
            return plain_text(content), [], []
    texts: list[str] = []
    calls: list[Any] = []
    answers: list[Message] = []
    for part in content:
        if not isinstance(part, Mapping):
            texts.append(plain_text(part))
            continue
        kind = str(part.get("type", ""))
        inner = part.get("functionCall", part.get("function_call"))
        back = part.get("functionResponse", part.get("function_response"))
        if kind in _CALLS or isinstance(inner, Mapping):
            calls.append(one_call(inner if isinstance(inner, Mapping) else part))
        elif kind in _ANSWERS or isinstance(back, Mapping):
            answers.append(_answer(back if isinstance(back, Mapping) else part, place, notes))
        elif kind in _THOUGHTS or part.get("thought") is True:
            notes.leave_out(place, _THOUGHT)
        elif isinstance(text := part.get("text", part.get("refusal", part.get("content"))), str) and (
            kind in _TEXT or not kind or "text" in part
        ):
            texts.append(text)
        else:
            texts.append(f"[{kind or next(iter(part), '?')}]")  # a picture, say: that there is one is kept
    return "\n".join(text for text in texts if text), calls, answers


def _until_answered(content: Any) -> tuple[Any, list[Any]]:
    """The parts up to the results of tools, and those that the assistant said after them."""
    if not isinstance(content, list):
        return content, []
    answers = [_is_answer(part) for part in content]
    begun = next((at for at in range(1, len(content)) if answers[at - 1] and not answers[at]), len(content))
    return content[:begun], content[begun:]


def _is_answer(part: Any) -> bool:
    if not isinstance(part, Mapping):
        return False
    back = part.get("functionResponse", part.get("function_response"))
    return str(part.get("type", "")) in _ANSWERS or isinstance(back, Mapping)


def _answer(part: Mapping[str, Any], place: str, notes: ReadingNotes) -> Message:
    given = next((part[key] for key in ("response", "result", "output", "content") if key in part), None)
    text = _content(given, place, notes)[0] if isinstance(given, list) else as_text(given)
    message: Message = {"role": "tool", "content": text}
    name = part.get("name", part.get("toolName"))
    message |= {"name": name} if isinstance(name, str) and name else {}
    answered = next(
        (part[key] for key in ("tool_use_id", "toolCallId", "call_id", "id") if part.get(key)), None
    )
    return message | ({"tool_call_id": str(answered)} if answered else {})


def _no_message(place: str) -> HaechiError:
    expected = Text("role과 content가 있는 객체", "an object with role and content")
    return refuse(place, Text("role 또는 content 없음", "no role or no content"), expected)
