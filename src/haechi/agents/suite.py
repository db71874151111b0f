"""A suite: what an agent is to be asked, one case a row of a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import orjson

from haechi.data.files import BAD, Row, refuse
from haechi.data.item import Item, content_id
from haechi.data.names import PAYLOAD_FIELDS, RUN_FIELDS, SUITE_FIELDS, name_fields, plain_text
from haechi.data.readers import read_rows
from haechi.data.records import identifier_of, meta_of
from haechi.data.run_records import asked_id
from haechi.data.tables import TableReading
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.frozen import frozen
from haechi.text import Text

_MOST_REPEATS = 1000


@frozen
class Case:
    """One query, or the turns of one conversation, with what is expected of the answer.

    context: what the agent is given beside the query, a text or JSON; repeats: how often it is asked in a round.
    """

    id: str
    turns: tuple[str, ...]
    context: Any = None
    expected: str | None = None
    checks: Any = None
    category: str | None = None
    repeats: int = 1
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The same for what is asked in the same words; what is expected may change afterwards."""
        return hashlib.sha256(orjson.dumps([self.turns, self.context])).hexdigest()[:16]


@frozen
class Conversation:
    """One case in one round, asked once of one version of the agent: it becomes one item."""

    case: Case
    round: int
    repeat: int
    version: str | None = None

    @property
    def item(self) -> str:
        """The id of its item, as `haechi add` makes them."""
        return asked_id(self.case.id, self.version, self.round, self.repeat)


def conversations(cases: Iterable[Case], rounds: int, version: str | None) -> Iterator[Conversation]:
    """All that is asked, round after round, so that rounds lie apart in time.

    >>> [one.item for one in conversations([Case("a", ("?",), repeats=2), Case("b", ("?",))], 2, None)]
    ['a#1/1', 'b#1/1', 'a#1/2', 'a#2/1', 'b#2/1', 'a#2/2']
    """
    known = list(cases)
    for round_ in range(1, rounds + 1):
        for repeat in range(1, max((case.repeats for case in known), default=0) + 1):
            for case in known:
                if repeat <= case.repeats:
                    yield Conversation(case, round_, repeat, version)


def read_suite(path: Path, reading: TableReading | None = None) -> list[Case]:
    """The cases of a file; all that is wrong in it is said at once.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "suite.csv"
    >>> _ = file.write_text("Query ID,질의,기대결과,반복 횟수\\nq1,공고 보여줘,@check formType=LIST,3\\n", "utf-8")
    >>> read_suite(file)[0].turns, read_suite(file)[0].repeats
    (('공고 보여줘',), 3)
    """
    cases: dict[str, Case] = {}
    problems: list[Problem] = []
    for row in read_rows(path, reading or TableReading()):
        try:
            case = _case(row)
            if case.id in cases:
                expected = Text("서로 다른 id", "every id once")
                raise refuse(f"{row.place}, id", Text(f"{case.id} 중복", f"{case.id} twice"), expected)
            cases[case.id] = case
        except HaechiError as error:
            problems += error.in_row(row.place).problems
    if problems:
        raise HaechiError(unique_problems(problems))
    return list(cases.values())


def is_suite(path: Path, reading: TableReading | None = None) -> bool:
    """Whether a table holds queries that nobody has asked yet: it has them, and nothing that an agent gave back."""
    row = next(iter(read_rows(path, reading or TableReading())), None)
    if row is None or BAD in row.data:
        return False
    asked, _ = name_fields(row.data, SUITE_FIELDS)
    given, rest = name_fields(row.data, RUN_FIELDS)
    answered = {"payload", "error", "latency_ms"} & given.keys() or name_fields(rest, PAYLOAD_FIELDS)[0]
    return bool({"query", "turns"} & asked.keys()) and not answered


def unasked_run(case: Case) -> Item:
    """A case as a run without an answer, to look at what it expects.

    >>> unasked_run(Case("q1", ("안녕",), expected="@check a=1")).content["expected"]
    '@check a=1'
    """
    content = {"query": case.id, "query_text": "\n".join(case.turns)}
    given = {"expected": case.expected, "accuracy_checks": case.checks, "category": case.category}
    return Item(case.id, "run", content | {name: value for name, value in given.items() if value}, {})


def suite_of(items: Iterable[Item]) -> list[Case]:
    """The queries of agent runs that a study has already, each once, to be asked anew."""
    cases: dict[str, Case] = {}
    for item in items:
        content = item.content
        if item.kind != "run" or not content.get("query_text") or content["query"] in cases:
            continue
        if "turns" in item.meta:
            found = Text(f"{item.id}: 여러 차례의 대화", f"{item.id}: a conversation of several turns")
            expected = Text("한 번에 묻는 질의만 있는 스터디", "a study whose queries have one turn each")
            raise refuse("--suite", found, expected, Text("--suite FILE을 붙이세요", "give --suite FILE"))
        cases[content["query"]] = Case(
            content["query"],
            (content["query_text"],),
            _value(item.meta.get("context")),
            content.get("expected"),
            content.get("accuracy_checks"),
            content.get("category"),
        )
    return list(cases.values())


def _case(row: Row) -> Case:
    if BAD in row.data:
        raise row.data[BAD]
    known, rest = name_fields(row.data, SUITE_FIELDS)
    turns, context = _turns(known, row.place), _value(known.get("context"))
    asked = {"turns": turns, "context": context}
    given = plain_text(known.get("id"))
    return Case(
        identifier_of(given, row.place) if given else content_id(asked),
        turns,
        context,
        _text(known.get("expected")),
        known.get("accuracy_checks") or None,
        plain_text(known.get("category")) or None,
        _repeats(known.get("repeats"), row.place),
        meta_of({"meta": known.get("meta")}, rest, row.place),
    )


def _turns(known: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """The turns of a conversation: a list, a list in a cell, or one a line; else the query is the only one."""
    given = known.get("turns")
    if given in (None, "", []):
        query = plain_text(known.get("query"))
        if not query:
            found = Text("빈 칸", "an empty cell") if "query" in known else Text("질의 없음", "no query")
            expected = Text("질의(query) 또는 turns 열의 글", "a text in the column query, or turns")
            todo = Text(
                "질의를 적거나, 열 이름을 query 또는 질의로 바꾸세요",
                "write the query, or call its column query",
            )
            raise refuse(f"{place}, query", found, expected, todo)
        return (query,)
    if isinstance(given, str):
        listed = given.lstrip().startswith("[")
        given = _value(given) if listed else [line for line in given.splitlines() if line.strip()]
    texts = [_turn(one) for one in given] if isinstance(given, list) else [None]
    if not texts or not all(texts):
        expected = Text(
            '사용자가 할 말의 목록: ["…", "…"] 또는 한 줄에 하나씩',
            'a list of what the user says: ["…", "…"], or one a line',
        )
        raise refuse(f"{place}, turns", str(given)[:80], expected)
    return tuple(str(text) for text in texts)


def _turn(given: Any) -> str | None:
    if isinstance(given, dict):
        given = given.get("content") if given.get("role") == "user" else None
    return given.strip() or None if isinstance(given, str) else None


def _repeats(given: Any, place: str) -> int:
    text = plain_text(given) or "1"
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_REPEATS:
        raise refuse(f"{place}, repeats", text[:40], Text(f"1–{_MOST_REPEATS}", f"1–{_MOST_REPEATS}"))
    return int(text)


def _text(given: Any) -> str | None:
    """An expectation as text; JSON of a JSONL file is written as JSON."""
    text = plain_text(given) if not isinstance(given, dict | list) else json.dumps(given, ensure_ascii=False)
    return text or None


def _value(given: Any) -> Any:
    """A cell that holds JSON as what it means, any other as its text; None where nothing stands."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given if isinstance(given, dict | list) else plain_text(given) or None
