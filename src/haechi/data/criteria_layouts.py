"""The layouts in which benchmarks and teams write items with criteria of their own, as rows of an items file.

A record has its list (`criteria`, `rubrics`, `rubric` …) and what was asked and answered: `messages`, or `prompt` (a text or
messages) or `question`, with `completion`, `response` or `answer`. A table may have one row for each criterion instead: rows
that follow one another with the same id, or none, are one item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from haechi.data.conversations.payloads import messages_in
from haechi.data.files import BAD, Row, refuse
from haechi.data.names import ITEM_FIELDS, Spellings, fold_name, name_fields, plain_text
from haechi.data.own_criteria import CRITERIA, FIELDS, list_in
from haechi.data.reading_notes import ReadingNotes
from haechi.errors import HaechiError
from haechi.text import Text


def _spellings(table: dict[str, str]) -> Spellings:
    return Spellings({field: tuple(map(fold_name, names.split())) for field, names in table.items()})


_FIELDS = _spellings(
    {
        "id": f"{' '.join(ITEM_FIELDS['id'])} prompt_id question_id task_id sample_id 문항id 질문id",
        "asked": "conversation_input prompt question query problem instruction 질문 질의 문항 지시",
        "answered": "completion response answer output model_response 응답 답변",
    }
)
_TEXT = _spellings(
    {"text": "criterion criteria criterion_text criterion_description rubric_title 기준 평가기준 채점기준"}
)
"""What a column of criteria is called; other names of texts are those of items too."""
_QUESTION = _spellings({"question": "target_question", "pass": "pass_criteria", "axis": "axis"})
_OF_ITEMS = frozenset(spelt for names in ITEM_FIELDS.values() for spelt in names)
_OF_ONE = frozenset(spelt for fields in (FIELDS, _QUESTION) for names in fields.values() for spelt in names)
_SAID = frozenset(spelt for field in ("messages", "context", "response") for spelt in ITEM_FIELDS[field])
_ABOUT_LISTS = frozenset(map(fold_name, ("rubric_list", "rubric_count", "ideal_completions_data", "canary")))


def is_of_criteria(row: Row) -> bool:
    """Whether a record brings criteria: a list of them, or one on every row.

    >>> is_of_criteria(Row("f:1", {"id": "q1", "기준": "기한을 알려 준다", "배점": 5})), is_of_criteria(Row("f:1", {"id": "q1"}))
    (True, False)
    """
    return BAD not in row.data and (list_in(row.data) is not None or _criterion(row.data) is not None)


def brought_rows(rows: Iterable[Row], kind: str, notes: ReadingNotes, joining: bool = False) -> Iterator[Row]:
    """Rows of an items file with `criteria`, and what was asked and answered under the names that items have.

    kind: what is judged, a dialogue or a reply. joining: the items are there, and only their criteria come.

    >>> table = [Row("t:2", {"id": "q1", "기준": "기한", "배점": 5}), Row("t:3", {"id": "", "기준": "금액", "배점": -1})]
    >>> [row.data for row in brought_rows(table, "reply", ReadingNotes(), joining=True)]
    [{'id': 'q1', 'criteria': [{'text': '기한', 'points': 5}, {'text': '금액', 'points': -1}]}]
    """
    for row in _grouped(rows):
        yield row if BAD in row.data else _named(row, kind, notes, joining)


def _criterion(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The one criterion that a row of a table has, beside other columns."""
    question, _ = name_fields(data, _QUESTION)
    if isinstance(question.get("question"), str) and "pass" in question:
        return _of_question(question)
    own = _own_columns(data)
    text, rest = name_fields(own, _TEXT)
    words = text.get("text")
    if not isinstance(words, str) or not words.strip():
        return None
    known, _ = name_fields(rest, FIELDS)
    return {"text": words, **{name: cell for name, cell in known.items() if name != "text"}}


def _own_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a table that can be a criterion's: not those that are the item's in any table."""
    return {name: value for name, value in data.items() if fold_name(str(name)) not in _OF_ITEMS}


def _of_question(known: Mapping[str, Any]) -> dict[str, Any]:
    """A question that is to be answered by yes, or by no, as MultiChallenge has it: what is to hold is one sentence."""
    words = plain_text(known["question"])
    if plain_text(known["pass"]).casefold() in ("no", "false", "0", "아니오"):
        korean = any("가" <= sign <= "힣" for sign in words)  # the same in whatever language it is read
        words = (
            f"다음 물음의 답이 '아니오'이다: {words}"
            if korean
            else f"The answer to this question is NO: {words}"
        )
    return {"text": words, "axis": known.get("axis")}


def _grouped(rows: Iterable[Row]) -> Iterator[Row]:
    """One row for each item; rows of one criterion each that follow one another are brought together."""
    first: Row | None = None
    criteria: list[Any] = []
    for row in rows:
        found = None if BAD in row.data or list_in(row.data) is not None else _criterion(row.data)
        if first is not None and found is not None and _id(row) in ("", _id(first)):
            criteria.append(found)
            continue
        if first is not None:
            yield _together(first, criteria)
        first, criteria = (row, [found]) if found is not None else (None, [])
        if found is None:
            yield row
    if first is not None:
        yield _together(first, criteria)


def _id(row: Row) -> str:
    return plain_text(name_fields(row.data, _FIELDS)[0].get("id"))


def _together(row: Row, criteria: list[Any]) -> Row:
    rest = {
        name: value for name, value in row.data.items() if fold_name(str(name)) not in _OF_ONE - _OF_ITEMS
    }
    return Row(row.place, {**rest, CRITERIA: criteria})


def _named(row: Row, kind: str, notes: ReadingNotes, joining: bool) -> Row:
    found = list_in(row.data)
    criteria = {CRITERIA: found[1]} if found is not None else {}
    data = {
        name: _tagged(value)
        for name, value in row.data.items()
        if (found is None or name != found[0]) and fold_name(str(name)) not in _ABOUT_LISTS
    }
    item, _ = name_fields(data, ITEM_FIELDS)
    known, rest = name_fields(data, _FIELDS)
    if joining:
        return Row(row.place, {"id": known.get("id"), **criteria})
    ready = {
        "dialogue": "messages" in item and "answered" not in known,
        "reply": {"context", "response"} <= item.keys(),
    }
    if ready[kind]:
        return Row(row.place, {**_with_id(data, known), **criteria})
    said = item.get("messages") or known.get("asked") or item.get("context")
    asked = messages_in(said, "user", row.place, notes)
    answered = messages_in(known.get("answered"), "assistant", row.place, notes)
    if not answered and asked and asked[-1]["role"] == "assistant":
        asked, answered = asked[:-1], asked[-1:]
    if not asked or not answered:
        return Row(row.place, {BAD: _unanswered(row.place, bool(asked))})
    rest = {name: value for name, value in rest.items() if fold_name(name) not in _SAID}
    named = {"id": known["id"]} if plain_text(known.get("id")) else {}
    if kind == "dialogue":
        return Row(row.place, {**named, **rest, "messages": [*asked, *answered], **criteria})
    texts = {"context": _as_one_text(asked), "response": _as_one_text(answered)}
    return Row(row.place, {**named, **rest, **texts, **criteria})


def _tagged(value: Any) -> Any:
    """A list of tags as one text, which items can be grouped by."""
    tags = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    return ", ".join(value) if tags else value


def _with_id(data: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The record with an id that items know, where it has one that only benchmarks have."""
    item, _ = name_fields(data, ITEM_FIELDS)
    return data if "id" in item or "id" not in known else {**data, "id": known["id"]}


def _as_one_text(messages: list[dict[str, Any]]) -> str:
    if len(messages) == 1:
        return str(messages[0]["content"])
    return "\n\n".join(f"{message['role']}: {message['content']}" for message in messages)


def _unanswered(place: str, asked: bool) -> HaechiError:
    found = (
        Text("응답이 없는 기록", "a record without an answer")
        if asked
        else Text("질문도 대화도 없는 기록", "a record without a question")
    )
    expected = Text(
        "질문(prompt, question, messages)과 응답(response, completion)",
        "what was asked (prompt, question, messages) and answered (response, completion)",
    )
    todo = Text(
        "응답이 든 파일을 먼저 더하고, 기준만 있는 이 파일은 --join으로 연결하세요",
        "add the file that has the answers first, and join the criteria of this one with --join",
    )
    return refuse(place, found, expected, todo)
