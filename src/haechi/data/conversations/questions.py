"""Tables of questions and answers: a row is a turn; turns share an id, or are counted, or every row stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import messages_in, unpacked
from haechi.data.files import Row
from haechi.data.messages import Message
from haechi.data.names import ITEM_FIELDS, Spellings, fold_name, name_fields, plain_text
from haechi.rubrics.values import number
from haechi.text import Text


def _folded(names: str) -> tuple[str, ...]:
    return tuple(map(fold_name, names.split()))


_FIELDS = Spellings(
    {
        "id": _folded(
            "conversation_id session_id dialogue_id thread_id 대화id 세션id 대화번호 세션번호 대화_번호 세션 대화"
        )
        + ITEM_FIELDS["id"],
        "question": _folded(
            "question 질문 질의 문의 prompt instruction user_input user_message user 사용자 사용자발화 사용자질문 q"
        ),
        "answer": _folded(
            "answer 답변 대답 응답 response reply completion output model_output bot_response assistant assistant_message 챗봇 챗봇답변 ai답변 ai응답 a"
        ),
        "history": ("history",),
        "turn": _folded("turn turn_id turn_no turn_index 턴 턴번호 순번 순서 차례"),
        "meta": ITEM_FIELDS["meta"],
    }
)
_TAKEN = frozenset(spelling for name in ("messages", "context", "role") for spelling in ITEM_FIELDS[name])
_UNANSWERED = Text("답변이 빈 줄의 답변", "answers that are empty")


def is_questions(outline: Outline) -> bool:
    """A column of questions and one of answers, and nothing that is an item of another kind."""
    names = {fold_name(path) for path in outline.paths if "." not in path and "[" not in path}
    known = dict.fromkeys(names)
    found, _ = name_fields(known, _FIELDS)
    # "대화" beside questions names the conversation; anywhere else it holds the messages.
    others = (names & _TAKEN) - {fold_name("대화")}
    return "question" in found and "answer" in found and not others


def questions(file: File) -> Iterator[Row]:
    """Rows of one id are one conversation; without ids a turn that begins again at its start begins a new one."""
    waiting: list[Message] = []
    first: Row | None = None
    last_id, last_turn, alone, told = "", None, 0, False
    for row in file.records():
        if is_unreadable(row):
            yield row
            continue
        known, rest = name_fields(row.data, _FIELDS)
        if not isinstance(known.get("history", []), list):  # a text of this name is a meta field
            rest["history"] = known.pop("history")
        if not told:
            told = True
            where, _ = name_fields({name: name for name in row.data}, _FIELDS)
            for columns in file.notes.columns[-1:]:
                columns.read_before(row, {column: field for field, column in where.items()})
        said = _turn(known, row, file)
        meta = {**rest, **({"meta": known["meta"]} if "meta" in known else {})}
        if "id" in known:
            last_id = plain_text(known["id"]) or last_id  # a merged cell has its text in its first row only
            yield from (Row(row.place, {**meta, "id": last_id, **message}) for message in said)
        elif "turn" in known:
            turn = number(plain_text(known["turn"]))
            if first is not None and (turn is None or last_turn is None or turn <= last_turn):
                yield Row(first.place, {**first.data, "messages": waiting})
                waiting, first = [], None
            first = first or Row(row.place, meta)
            waiting, last_turn = [*waiting, *said], turn
        elif said:
            alone += 1
            yield Row(row.place, {**meta, "messages": said})
    if first is not None:
        yield Row(first.place, {**first.data, "messages": waiting})
    if alone:
        file.notes.note(
            Text(
                f"{file.name}: 대화를 묶는 열이 없어 질문과 답변 {alone:,}줄을 각각 대화 하나로 보았습니다. 묶으려면 대화 id 열을 두세요.",
                f"{file.name}: no column says which rows belong together: each of {alone:,} questions with its answer is a "
                "conversation of its own. To join them, add a column conversation_id.",
            )
        )


def _turn(known: dict[str, Any], row: Row, file: File) -> list[Message]:
    asked = unpacked(known.get("question"))
    if isinstance(asked, list) and all(isinstance(one, Mapping) for one in asked):  # a whole conversation
        answer = plain_text(known.get("answer"))
        last: list[Message] = [{"role": "assistant", "content": answer}] if answer else []
        return [*messages_in(asked, "user", row.place, file.notes), *last]
    question, answer = plain_text(known.get("question")), plain_text(known.get("answer"))
    given = {fold_name(str(name)): cell for name, cell in row.data.items()}
    if "instruction" in given and known.get("question") == given["instruction"]:
        # what an instruction is about stands beside it, and belongs to what the user said
        question = "\n\n".join(filter(None, (question, plain_text(given.get("input")))))
    if question and not answer:
        file.notes.leave_out(row.place, _UNANSWERED)
    said = [*_before(known.get("history")), ("user", question), ("assistant", answer)]
    return [{"role": role, "content": text} for role, text in said if text]


def _before(history: Any) -> Iterator[tuple[str, str]]:
    """Earlier turns, each a question and its answer, as lists of instructions keep them."""
    for turn in history if isinstance(history, list) else ():
        if isinstance(turn, list):
            yield from zip(("user", "assistant"), map(plain_text, turn), strict=False)
