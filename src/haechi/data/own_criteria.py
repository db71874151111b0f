"""The criteria that an item brings: read from a record in whatever layout, kept in its content, and found there again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.criteria_trees import is_tree, leaves
from haechi.data.files import refuse
from haechi.data.json_files import unpack_json
from haechi.data.names import Spellings, fold_name, name_fields, plain_text
from haechi.errors import HaechiError
from haechi.rubrics.scales import OwnCriterion, line_key
from haechi.rubrics.values import fold, number
from haechi.text import Text

CRITERIA = "criteria"
"""Where an item's content has them."""
PROMPT_IDS = ("prompt_id", "question_id", "task_id")
"""The meta fields that say which prompt of a benchmark an item answers, where it has an id of its own."""
MOST = 1_000
"""Criteria of one item."""
_LONGEST = 4_000
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_LISTS = tuple(
    map(
        fold_name,
        (
            "criteria",
            "rubrics",
            "rubric",
            "rubric_items",
            "checklist",
            "기준",
            "기준목록",
            "평가기준",
            "루브릭",
        ),
    )
)
FIELDS = Spellings(
    {
        name: tuple(map(fold_name, spelt.split()))
        for name, spelt in {
            "text": "text criterion criterion_text criterion_description description criteria target_question rubric_title 기준 평가기준 채점기준 내용",
            "title": "title name 제목 이름",
            "points": "points point weight criterion_weight numerical_weight 배점 점수 가중치",
            "axis": "axis category criterion_type dimension 축 영역 분류 범주",
            "tags": "tags tag 태그",
            "key": "key criterion_key criterion_id 키 기준id",
        }.items()
    }
)
"""How the parts of a criterion are called in the published layouts and in tables."""
_WORTH = {"critical": 4.0, "major": 3.0, "minor": 2.0, "additional": 1.0}
"""The weights that ProfBench gives in words, as its scoring counts them."""


def list_in(record: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The field of a record that holds a list of criteria, and that list; None if no field does.

    >>> list_in({"id": "q1", "rubrics": [{"criterion": "기한을 알려 준다", "points": 5}]})[0]
    'rubrics'
    >>> list_in({"id": "q1", "rubric": "maice-qac"}) is None
    True
    """
    for name, value in record.items():
        found = unpack_json(value) if fold_name(str(name)) in _LISTS else None
        found = leaves(found) if isinstance(found, Mapping) and is_tree(found) else found
        if isinstance(found, list):
            return str(name), found
    return None


def criteria_of(given: Any, place: str) -> list[dict[str, Any]]:
    """A list of criteria as an item keeps it: `text`, `points`, and `tags` and `key` where there are some.

    >>> criteria_of([{"criterion": "기한을 알려 준다", "points": 5, "tags": ["axis:accuracy"]}, "존댓말을 쓴다"], "q.jsonl:1")
    [{'text': '기한을 알려 준다', 'points': 5.0, 'tags': ['axis:accuracy']}, {'text': '존댓말을 쓴다', 'points': 1.0}]
    """
    if not isinstance(given, list):
        raise refuse(f"{place}, {CRITERIA}", type(given).__name__, Text("기준의 배열", "a list of criteria"))
    if len(given) > MOST:
        found = Text(f"기준 {len(given):,}개", f"{len(given):,} criteria")
        expected = Text(f"항목 하나에 {MOST:,}개 이하", f"at most {MOST:,} for one item")
        todo = Text("항목을 나누거나 기준을 합치세요", "split the item, or bring criteria together")
        raise refuse(f"{place}, {CRITERIA}", found, expected, todo)
    made = [_one(one, f"{place}, {CRITERIA}[{at}]") for at, one in enumerate(given)]
    _refuse_twice(made, place)
    return made


def _one(given: Any, place: str) -> dict[str, Any]:
    known, _ = name_fields(given if isinstance(given, Mapping) else {"text": given}, FIELDS)
    title, text = plain_text(known.get("title")), plain_text(known.get("text"))
    text = text or title
    if not text or not isinstance(known.get("text", title), str):
        found = Text("기준의 글 없음", "no text")
        raise refuse(place, found, Text("기준의 글(text, criterion, 기준)", "its text (text, criterion)"))
    if len(text) > _LONGEST:
        found = Text(f"{len(text):,}자", f"{len(text):,} characters")
        raise refuse(place, found, Text(f"{_LONGEST:,}자 이하", f"at most {_LONGEST:,} characters"))
    made: dict[str, Any] = {"text": text, "points": _points(known.get("points"), place)}
    made |= {"title": title[:_LONGEST]} if title and title != text else {}
    tags = list(dict.fromkeys([*_tags(known.get("tags"), ""), *_tags(known.get("axis"), "axis:")]))
    made |= {"tags": tags} if tags else {}
    key = plain_text(known.get("key"))
    return made | ({"key": _key(key, place)} if key else {})


def _points(given: Any, place: str) -> float:
    if given is None or given == "":
        return 1.0
    words = "" if isinstance(given, bool | list | dict) else fold(given).casefold().replace("−", "-")
    value = _WORTH.get(words, number(words.removesuffix("점").strip()))
    if value is None:
        expected = Text("배점(수; 없어야 할 일은 음수)", "points, a number (below 0 for what should not be)")
        raise refuse(f"{place}.points", repr(given)[:80], expected)
    return value


def _tags(given: Any, prefix: str) -> Iterator[str]:
    """Tags from a list or a cell with commas; an axis is a tag that says so, unless it does already."""
    parts = given if isinstance(given, list) else plain_text(given).split(",") if given else ()
    for part in parts:
        if tag := " ".join(plain_text(part).split()):
            yield tag if ":" in tag or not prefix else prefix + tag


def _key(given: str, place: str) -> str:
    if _KEY.fullmatch(given):
        return given
    expected = Text(
        "영문자로 시작하고 영문자, 숫자, _, -로 된 64자 이하의 키",
        "a key: a Latin letter, then letters, digits, _ or -, at most 64",
    )
    raise refuse(f"{place}.key", repr(given)[:80], expected)


def _refuse_twice(criteria: list[dict[str, Any]], place: str) -> None:
    seen: dict[str, int] = {}
    for at, one in enumerate(criteria):
        name = one.get("key") or line_key(one["text"])
        if name in seen:
            found = Text(
                f"[{seen[name]}]과 같은 기준: {one['text'][:60]}",
                f"the same as [{seen[name]}]: {one['text'][:60]}",
            )
            expected = Text("항목 안에서 서로 다른 기준", "criteria that differ within an item")
            todo = Text(
                "하나를 지우거나 글을 다르게 쓰거나, 둘 다 세려면 key를 따로 주세요",
                "leave one out, word it otherwise, or give each a key of its own if both count",
            )
            raise refuse(f"{place}, {CRITERIA}[{at}]", found, expected, todo)
        seen[name] = at


def own_criteria_of(content: Mapping[str, Any]) -> list[OwnCriterion]:
    """The criteria in an item's content.

    >>> [one.points for one in own_criteria_of({"criteria": [{"text": "존댓말을 쓴다", "points": 2}]})]
    [2.0]
    """
    given = content.get(CRITERIA)
    return [
        OwnCriterion.of(
            one["text"], one["points"], tuple(one.get("tags", ())), one.get("key"), one.get("title")
        )
        for one in (given if isinstance(given, list) else ())
    ]


def why_unscorable(criteria: list[OwnCriterion]) -> Text | None:
    """Why a list of criteria cannot come to a score; None if it can.

    >>> why_unscorable([OwnCriterion.of("틀린 금액을 말한다", -3)]).en
    'no positive points: nothing can be earned'
    """
    if not criteria:
        return Text("항목에 기준이 없음", "the item has no criteria")
    if not any(one.points > 0 for one in criteria):
        return Text("양수 배점이 없어 얻을 점수가 없음", "no positive points: nothing can be earned")
    return None


class OwnNames:
    """Which criterion of an item a name means: its key, its number among them, or its words.

    >>> names = OwnNames([OwnCriterion.of("기한을 알려 준다", 5), OwnCriterion.of("존댓말을 쓴다", 1, key="polite")])
    >>> names.key("polite"), names.key("2"), names.key("기한을  알려 준다") == names.key("1"), names.key("3")
    ('polite', 'polite', True, None)
    """

    def __init__(self, criteria: list[OwnCriterion]) -> None:
        self._known = {str(place): one.key for place, one in enumerate(criteria, 1)}
        for spelt in (fold, str):  # tables are read without the width of letters and the like
            self._known |= {line_key(spelt(one.text)): one.key for one in criteria}
        self._known |= {one.key: one.key for one in criteria}

    def key(self, given: str) -> str | None:
        """The key of the criterion; None if the item has no such criterion."""
        return self._known.get(given) or self._known.get(line_key(given))

    def __bool__(self) -> bool:
        return bool(self._known)


def not_asked(place: str, item: str, given: str, asks: bool) -> HaechiError:
    """A rating of a criterion that the item does not have; asks: whether it has any."""
    if not asks:
        none = Text(f"{item}: 기준이 없는 항목", f"{item}: an item without criteria")
        todo = Text(
            "haechi add로 항목과 기준을 먼저 더하세요", "add the item and its criteria first, with haechi add"
        )
        return refuse(place, none, Text("기준을 가져온 항목", "an item that brought criteria"), todo)
    found = Text(f"{item}에 없는 기준: {given[:80]}", f"no criterion of {item}: {given[:80]}")
    expected = Text(
        "그 항목의 기준(글 그대로, key, 또는 번호)",
        "a criterion of the item: its text, its key or its number",
    )
    return refuse(place, found, expected)
