"""What tools record as the input and output of a model: messages, however they are wrapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haechi.data.json_files import unpack_json
from haechi.data.messages import ROLE_OF, Message, messages_of
from haechi.data.names import fold_name
from haechi.data.reading_notes import ReadingNotes
from haechi.data.tool_calls import as_text
from haechi.text import Text

_DEEPEST = 8
_LISTS = (
    "messages",
    "chat_history",
    "contents",
    "choices",
    "generations",
    "message",
    "output_messages",
    "input_messages",
)
_CANDIDATES = frozenset(("choices", "generations"))
_OTHERS = Text("같은 물음에 대한 다른 후보 답변", "further candidate answers to the same question")
_TEXTS = (
    *("input", "inputs", "query", "question", "prompt", "user_input", "text", "content", "output", "outputs"),
    *("answer", "response", "result", "completion", "value", "kwargs", "args", "data"),
)


def messages_in(value: Any, side: str, place: str, notes: ReadingNotes, depth: int = 0) -> list[Message]:
    """The messages of an input (`side` user) or output (assistant); what is no message is one text of that side.

    >>> messages_in('{"messages": [{"role": "user", "content": "Hi"}]}', "user", "f:1", ReadingNotes())
    [{'role': 'user', 'content': 'Hi'}]
    >>> messages_in({"choices": [{"message": {"role": "assistant", "content": "Yes"}}]}, "assistant", "f:1", ReadingNotes())
    [{'role': 'assistant', 'content': 'Yes'}]
    >>> messages_in({"query": "날씨?"}, "user", "f:1", ReadingNotes())
    [{'role': 'user', 'content': '날씨?'}]
    """
    value = unpacked(value)
    if value in (None, "", [], {}):
        return []
    if depth > _DEEPEST:
        return [{"role": side, "content": as_text(value)}]
    if isinstance(value, list):
        return _of_list(value, side, place, notes, depth)
    if not isinstance(value, Mapping):
        return [{"role": side, "content": as_text(value).strip()}]
    if (one := _as_message(value, side, place, notes)) is not None:
        return one
    for key in _LISTS:
        if isinstance(found := unpacked(value.get(key)), list | Mapping) and found:
            found = first_of(found, place, notes) if key in _CANDIDATES else found
            system = messages_in(value.get("system"), "system", place, notes, depth + 1)
            return [*system, *messages_in(found, side, place, notes, depth + 1)]
    given = [key for key in _TEXTS if value.get(key) not in (None, "", [], {})]
    if given:
        return messages_in(value[given[0]], side, place, notes, depth + 1)
    if any(value.get(key) == [] for key in _LISTS):  # an answer that never came
        return []
    return [{"role": side, "content": as_text(value)}]


def first_of(values: Any, place: str, notes: ReadingNotes) -> Any:
    """Of several answers of a model the first, which is what is shown; the others are counted.

    >>> first_of([["a", "b"]], "f:1", ReadingNotes()), first_of(["a"], "f:1", ReadingNotes())
    (['a'], ['a'])
    """
    given = unpacked(values)
    while isinstance(given, list) and given and isinstance(given[0], list):
        given = given[0]
    if isinstance(given, list) and len(given) > 1:
        notes.leave_out(place, _OTHERS, len(given) - 1)
        return given[:1]
    return given


def unpacked(value: Any) -> Any:
    """JSON that a table or an attribute keeps as text, as what it means; anything else as it is.

    >>> unpacked('[1]'), unpacked('[music] 안녕')
    ([1], '[music] 안녕')
    """
    return unpack_json(value, starts='[{"')


def _of_list(values: list[Any], side: str, place: str, notes: ReadingNotes, depth: int) -> list[Message]:
    if len(values) == 1 or all(isinstance(value, list) for value in values):
        # Lists within lists are batches and candidates: the first is what was shown.
        return messages_in(values[0], side, place, notes, depth + 1)
    messages: list[Message] = []
    for value in values:
        messages += messages_in(value, side, place, notes, depth + 1)
    return messages


def _as_message(value: Mapping[str, Any], side: str, place: str, notes: ReadingNotes) -> list[Message] | None:
    """A single message; None where it is none."""
    role = value.get("role", value.get("type"))
    known = isinstance(role, str) and (
        fold_name(role) in ROLE_OF or "role" in value
    )  # whose role is unknown, is asked for
    inner = value.get("message")
    if not known and not ("lc" in value and "kwargs" in value):
        if (
            isinstance(inner, Mapping) and "role" not in inner and "content" in inner
        ):  # a choice that says no role
            return _as_message({"role": side, **inner}, side, place, notes)
        if isinstance(value.get("parts"), list) and "role" not in value:
            return _as_message({"role": side, **value}, side, place, notes)
        if "content" not in value or not isinstance(value.get("tool_calls"), list):
            return None
        value = {"role": side, **value}
    return messages_of(value, place, notes)


def objects_in(holder: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    """The objects in the lists of these names.

    >>> objects_in({"spans": [{"name": "chat"}, None]}, "spans", "events")
    [{'name': 'chat'}]
    """
    found = (unpacked(holder.get(name)) for name in names)
    return [one for list_ in found if isinstance(list_, list) for one in list_ if isinstance(one, Mapping)]


def object_in(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object of this name; an empty one where there is none.

    >>> object_in({"llm": {"model_name": "m"}}, "llm"), object_in({"llm": 1}, "llm")
    ({'model_name': 'm'}, {})
    """
    found = holder.get(name)
    return found if isinstance(found, Mapping) else {}
