"""From a record of a file to an item: the kinds of item and what each needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from haechi.data.files import BAD, Row, refuse
from haechi.data.item import Item
from haechi.data.messages import Message, messages_of, of_message, plain_message
from haechi.data.names import (
    CONVERSATION_FIELDS,
    ITEM_FIELDS,
    PAIR_FIELDS,
    QUESTION_FIELDS,
    fold_name,
    name_fields,
    plain_text,
)
from haechi.data.reading_notes import ReadingNotes, file_of
from haechi.data.records import identifier_of, made_id, meta_of
from haechi.data.run_records import run_of
from haechi.data.tool_calls import named_tools
from haechi.errors import HaechiError
from haechi.text import Text


def items_of(
    rows: Iterable[Row], kind: str, notes: ReadingNotes | None = None
) -> Iterator[tuple[str, Item | HaechiError]]:
    """The items in a stream of rows, each with its place; a bad row is an error there.

    >>> rows = [Row("f:1", {"id": "a", "일기": "비가 왔다", "코멘트": "아쉬웠겠어요"})]
    >>> [(place, item.kind) for place, item in items_of(rows, "reply")]
    [('f:1', 'reply')]
    """
    notes = notes or ReadingNotes()
    pending: list[Row] = []  # the messages so far of a conversation that has one row per message
    finished: set[str | None] = set()
    for row in rows:
        message = None if BAD in row.data or kind in _SHAPES else _one_message(row)
        if message is not None and message.data["id"] == "" and pending:  # as merged cells leave it
            notes.note(_goes_on(file_of(row.place)))
            message = Row(message.place, {**message.data, "id": pending[0].data["id"]})
        if pending and (message is None or message.data["id"] != pending[0].data["id"]):
            finished.add(pending[0].data["id"])
            yield _shaped(pending[0].place, _conversation, pending, notes)
            pending = []
        if message is not None:
            if message.data["id"] in finished:
                raise _scattered(message)
            pending.append(message)
        elif BAD in row.data:
            yield row.place, row.data[BAD].in_row(row.place)
        else:
            yield _shaped(row.place, _SHAPES.get(kind, _item), row, notes)
    if pending:
        yield _shaped(pending[0].place, _conversation, pending, notes)


def _goes_on(file: str) -> Text:
    return Text(
        f"{file}: 대화 id가 빈 줄은 바로 위 대화의 발화로 읽었습니다.",
        f"{file}: rows with an empty id were read as messages of the conversation above them.",
    )


def _one_message(row: Row) -> Row | None:
    """A row that holds one message, with the id of its conversation; None for any other row."""
    known, rest = name_fields(row.data, ITEM_FIELDS)
    if "role" not in known or "content" not in known or "messages" in known:
        return None
    of_conversation, _ = name_fields(row.data, CONVERSATION_FIELDS)
    given = {**known, **of_conversation}
    identifier = plain_text(given["id"]) if "id" in given else None
    rest = {name: value for name, value in rest.items() if fold_name(name) not in CONVERSATION_FIELDS["id"]}
    return Row(row.place, {**known, "rest": rest, "id": identifier})


def _scattered(message: Row) -> HaechiError:
    # Nobody can tell what else is missing, so this stops the import even where bad rows are skipped.
    identifier = message.data["id"]
    found = Text(f"흩어진 대화 {identifier}", f"rows of conversation {identifier} in two places")
    expected = Text("한 대화의 줄이 이어져 있는 파일", "the rows of one conversation one after the other")
    return refuse(
        message.place,
        found,
        expected,
        Text("파일을 대화 id로 정렬하세요", "sort the file by conversation id"),
    )


def _shaped(place: str, shape: Any, source: Any, notes: ReadingNotes) -> tuple[str, Item | HaechiError]:
    try:
        item = shape(source, notes)
        if notes.criteria:
            _note_unscorable(item, notes)
        orjson.dumps([item.id, item.content, item.meta])  # refuses lone surrogates and endless nesting early
        return place, item
    except HaechiError as error:
        return place, error.in_row(place)
    except (orjson.JSONEncodeError, RecursionError, UnicodeError) as error:
        expected = Text("저장할 수 있는 글", "text that can be stored")
        return place, refuse(place, str(error), expected).in_row(place)


def _item(row: Row, notes: ReadingNotes) -> Item:
    known, rest = name_fields(row.data, ITEM_FIELDS)
    given = identifier_of(known["id"], row.place) if "id" in known else None
    own = _own_criteria(rest, row.place) if notes.criteria else {}
    instruction = instruction_in(rest)
    meta = meta_of(known, rest, row.place)
    if known.get("messages") not in (None, ""):
        messages = answering_system(
            [*instruction, *_messages(known["messages"], row.place, notes)], row.place, notes
        )
        content: dict[str, Any] = {"messages": messages, **own}
        return Item(given or made_id(content, meta, notes), "dialogue", content, meta)
    if "context" in known and "response" in known:
        texts = {"context": plain_text(known["context"]), "response": plain_text(known["response"])}
        if asked := plain_text(name_fields(rest, QUESTION_FIELDS)[0].get("question")):
            texts["context"] = "\n\n".join(filter(None, (texts["context"], asked)))
            notes.note(_asked(file_of(row.place)))
        content = {**texts, **own}
        if given is None and not any(texts.values()):
            raise refuse(
                row.place,
                Text("id도 글도 없음", "neither an id nor a text"),
                Text("맥락이나 응답의 글", "a context or a response"),
            )
        return Item(given or made_id(content, meta, notes), "reply", content, meta)
    found = Text(f"열: {', '.join(row.data)}", f"columns {', '.join(row.data)}")
    expected = Text(
        "messages(대화), 또는 role과 content(한 줄에 발화 하나), 또는 context와 response(일기와 코멘트)",
        "messages, or role and content (one message a row), or context and response",
    )
    raise refuse(row.place, found, expected, _what_to_say(known, rest))


def _asked(file: str) -> Text:
    return Text(
        f"{file}: 맥락 아래에 질문을 이어 붙였습니다. 응답은 그 질문에 대한 답입니다.",
        f"{file}: the question was put below the context, since the response answers it.",
    )


def _own_criteria(rest: dict[str, Any], place: str) -> dict[str, Any]:
    """The criteria that a record brings, which are content and no meta field."""
    from haechi.data.own_criteria import CRITERIA, criteria_of  # and with it all of rubrics

    return {CRITERIA: criteria_of(rest.pop(CRITERIA), place)} if CRITERIA in rest else {}


def _note_unscorable(item: Item, notes: ReadingNotes) -> None:
    from haechi.data.own_criteria import own_criteria_of, why_unscorable

    if (why := why_unscorable(own_criteria_of(item.content))) is not None:
        notes.unscorable.setdefault(why, []).append(item.id)


_LONG = 40


def _what_to_say(known: Mapping[str, Any], rest: Mapping[str, Any]) -> Text:
    """What to do about a record without a text: name the columns, or join it where it has nothing but short fields."""
    texts = [name for name, value in rest.items() if isinstance(value, str) and len(value) > _LONG]
    if "context" in known and len(rest) > 1 and not texts:
        texts = list(rest)
    if "context" in known and texts:  # one reply a column, of one model each
        maps = " ".join(f'--map response="{name}"' for name in texts)
        return Text(f"응답이 든 열을 알려 주세요: {maps}", f"say which columns hold replies: {maps}")
    nested = any(isinstance(value, dict | list) for value in rest.values())
    texted = known.keys() & {"messages", "context", "response", "content"}
    if "id" in known and not texts and not nested and not texted:
        return Text(
            "글 없이 메타 필드만 있는 표이면 haechi add에 --join을 붙이세요",
            "a table of meta fields without any text goes in with haechi add --join",
        )
    first = [*texts, "열", "열"][:2] if texts else ["열", "열"]
    return Text(
        f'열 이름이 다르면 haechi add에 --map context="{first[0]}" --map response="{first[1]}"처럼 알려 주세요',
        "if the columns have other names, tell haechi add: "
        f'--map context="{first[0] if texts else "COLUMN"}" --map response="{first[1] if len(texts) > 1 else "COLUMN"}"',
    )


def _conversation(rows: list[Row], notes: ReadingNotes) -> Item:
    first = rows[0]
    given = identifier_of(first.data["id"], first.place) if first.data["id"] is not None else None
    messages: list[Message] = []
    for row in rows:
        record = {**row.data["rest"], "role": row.data["role"], "content": row.data["content"]}
        messages += messages_of(record, row.place, notes)
    rest = {name: value for name, value in first.data["rest"].items() if not of_message(name)}
    # What differs from message to message belongs to the message and not to the conversation. A cell that is empty below the
    # first row says the same, as where cells were merged.
    differing = [
        name for name in rest if any(row.data["rest"].get(name) not in (rest[name], None, "") for row in rows)
    ]
    for name in differing:
        del rest[name]
    if differing:
        names = ", ".join(differing)
        notes.note(
            Text(
                f"{file_of(first.place)}: 발화마다 달라서 쓰지 않은 열: {names}",
                f"{file_of(first.place)}: not used, since they differ from message to message: {names}",
            )
        )
    content = {"messages": answering_system(named_tools(messages), first.place, notes)}
    meta = meta_of(first.data, rest, first.place)
    return Item(given or made_id(content, meta, notes), "dialogue", content, meta)


def _messages(value: Any, place: str, notes: ReadingNotes) -> list[Message]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            expected = Text("메시지의 JSON 배열", "a JSON array of messages")
            raise refuse(f"{place}, messages", str(error), expected) from None
    if not isinstance(value, list):
        found = type(value).__name__
        raise refuse(f"{place}, messages", found, Text("메시지의 배열", "a list of messages"))
    messages: list[Message] = []
    for index, message in enumerate(value):
        if (plain := plain_message(message)) is not None:
            messages.append(plain)
        else:
            messages += messages_of(message, f"{place}, messages[{index}]", notes)
    return named_tools(messages)


def _pair(row: Row, notes: ReadingNotes) -> Item:
    """A context with two answers; the systems that gave them are meta fields, which no rater sees."""
    known, rest = name_fields(row.data, PAIR_FIELDS)
    missing = [name for name in ("context", "response_a", "response_b") if not plain_text(known.get(name))]
    if missing:
        found = Text(f"{', '.join(missing)} 없음", f"no {', '.join(missing)}")
        expected = Text(
            "context, response_a, response_b(맥락과 두 답), 시스템은 system_a, system_b",
            "context, response_a and response_b, and as system_a, system_b who gave them",
        )
        ko, en = (" ".join(f'--map {name}="{column}"' for name in missing) for column in ("열", "COLUMN"))
        todo = Text(
            f"열 이름이 다르면 haechi add에 {ko}처럼 알려 주세요",
            f"if the columns have other names, tell haechi add: {en}",
        )
        raise refuse(row.place, found, expected, todo)
    content = {name: plain_text(known[name]) for name in ("context", "response_a", "response_b")}
    meta = meta_of(known, rest, row.place)
    meta |= {
        name: plain_text(known[name]) for name in ("system_a", "system_b") if plain_text(known.get(name))
    }
    refuse_same(content, meta, row.place)
    given = identifier_of(known["id"], row.place) if "id" in known else None
    return Item(given or made_id(content, meta, notes), "pair", content, meta)


def refuse_same(content: Mapping[str, Any], meta: Mapping[str, Any], place: str) -> None:
    """Refuse a pair of which nobody could prefer one: the same answer, or the same system, twice."""
    todo = Text("이 쌍을 빼세요", "leave this pair out")
    if content["response_a"] == content["response_b"]:
        found = Text("같은 답 둘", "the same answer twice")
        expected = Text(
            "서로 다른 두 답(같은 답 사이에는 고를 것이 없음)",
            "two different answers: between equals there is nothing to choose",
        )
        raise refuse(place, found, expected, todo)
    if meta.get("system_a") is not None and meta.get("system_a") == meta.get("system_b"):
        found = Text(f"같은 시스템 둘: {meta['system_a']}", f"the same system twice: {meta['system_a']}")
        raise refuse(place, found, Text("서로 다른 두 시스템", "two different systems"), todo)


_SHAPES = {"run": run_of, "pair": _pair}
"""The kinds of items that have a shape of their own; all others are dialogues or replies."""


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


def answering_system(messages: list[Message], place: str, notes: ReadingNotes) -> list[Message]:
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
    notes.note(
        Text(
            f"{file_of(place)}: 사용자에게 답하는 것이 system뿐이어서 AI로 읽었습니다.",
            f"{file_of(place)}: only `system` answers the users, so it was read as the AI.",
        )
    )
    return [
        {**message, "role": "assistant"} if message["role"] == "system" else message for message in messages
    ]
