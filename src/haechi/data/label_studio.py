"""Exports of Label Studio: tasks with the annotations of several people, each a list of what they chose or gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.files import BAD, Row
from haechi.data.rating_rules import text_of
from haechi.data.tables import InputTable
from haechi.text import Text

_LOOKED_AT = 40
_GIVEN = ("choices", "rating", "number", "taxonomy")
"""The kinds of results that are judgements of the whole task; all others mark or write something in it."""


def is_label_studio(table: InputTable) -> bool:
    """Whether records are tasks of Label Studio.

    >>> task = {"id": 1, "annotations": [{"completed_by": 3, "result": [{"from_name": "q", "type": "rating", "value": {"rating": 4}}]}]}
    >>> is_label_studio(InputTable("f", [Row("f[0]", task)]))
    True
    """
    return any("from_name" in one for row in table.peek(_LOOKED_AT) for _, one in _results(row.data))


def label_studio_ratings(table: InputTable) -> InputTable:
    """A row for every judgement; what is none, and annotations that were cancelled, are counted and said.

    >>> result = [{"from_name": "q", "type": "choices", "value": {"choices": ["good"]}}]
    >>> task = {"id": 1, "data": {"text": "…"}, "annotations": [{"completed_by": {"email": "kim@x.kr"}, "result": result}]}
    >>> [row.data for row in label_studio_ratings(InputTable("f", [Row("f[0]", task)]))]
    [{'item': '1', 'rater': 'kim@x.kr', 'criterion': 'q', 'value': 'good', 'at': None}]
    """
    made = InputTable(table.name, (), table.sheet, table.said)
    made.about_file = table.about_file
    made.fill(_judgements(table, made))
    return made


def _judgements(table: InputTable, made: InputTable) -> Iterator[Row]:
    others: Counter[str] = Counter()
    for row in table:
        if BAD in row.data:
            yield row
            continue
        for annotation, one in _results(row.data):
            kind = str(one.get("type"))
            if kind not in _GIVEN or annotation.get("was_cancelled"):
                others["was_cancelled" if annotation.get("was_cancelled") else kind] += 1
                continue
            value = one.get("value")
            yield Row(
                row.place,
                {
                    "item": text_of(row.data.get("id")),
                    "rater": _person(annotation.get("completed_by")),
                    "criterion": one.get("from_name"),
                    "value": _plain(value.get(kind)) if isinstance(value, Mapping) else None,
                    "at": annotation.get("created_at"),
                },
            )
    if others:
        shown = ", ".join(f"{kind} {count:,}" for kind, count in others.items())
        made.said.append(
            Text(
                f"{made.name}: 평가가 아니어서 읽지 않은 Label Studio 결과: {shown}",
                f"{made.name}: results of Label Studio that are no ratings were not read: {shown}",
            )
        )


def _results(record: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every result of a task with the annotation that it belongs to."""
    for name in ("annotations", "completions"):  # as they were called at first
        given = record.get(name)
        for annotation in given if isinstance(given, list) else ():
            results = annotation.get("result") if isinstance(annotation, Mapping) else None
            for one in results if isinstance(results, list) else ():
                if isinstance(one, Mapping):
                    yield annotation, one


def _person(given: Any) -> str | None:
    if isinstance(given, Mapping):
        return text_of(given.get("email") or given.get("id"))
    return text_of(given)


def _plain(value: Any) -> str | None:
    """A choice; of several all, as checkboxes list them, of a path in a tree its end."""
    if isinstance(value, list):
        return ", ".join(str(one[-1] if isinstance(one, list) and one else one) for one in value) or None
    return text_of(value)
