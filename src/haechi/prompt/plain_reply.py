"""A reply that is exactly what was asked for, read without the caution that damaged ones need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from haechi.prompt.cache import once_per_rubric
from haechi.prompt.latex import restore
from haechi.prompt.naming import asked
from haechi.prompt.objects import clean
from haechi.rubrics import Rubric


class Given(NamedTuple):
    """A value on its scale, and the words that support it."""

    value: str
    evidence: str = ""


class _Place(NamedTuple):
    """Where a value stands, and what each value that can be given is kept as."""

    name: str
    criterion: str
    element: str | None
    kept: Mapping[Any, str]


def read_plain(text: str, rubric: Rubric, only: tuple[str, ...] | None) -> dict[str, Given] | None:
    r"""The values of a reply with every key once, in its place and with a value of the scale; None for any other reply.

    A quote inside a string has a backslash before it, so that `":` without one is counted once for every key: a key that
    stands there twice, or an extra one, makes it another reply, and so does LaTeX that JSON has read as something else.

    >>> import haechi
    >>> rubric, said = haechi.rubric("diary-comment"), '{"sympathy": {"evidence": "위로함", "value": 1}}'
    >>> read_plain(said, rubric, ("sympathy",)), read_plain(said, rubric, None)
    ({'sympathy': Given(value='1', evidence='위로함')}, None)
    """
    places, keys = _places(rubric, only)
    if text.startswith("```json\n"):
        text = text[8:].rstrip().removesuffix("```")
    if not places or text.count('":') - text.count('\\":') != keys:
        return None
    escaped = "\\" in text
    try:
        tree = orjson.loads(text)
        values = {}
        for name, criterion, element, kept in places:
            node = tree[criterion] if element is None else tree[criterion][element]
            value, evidence = node["value"], node["evidence"]
            if type(evidence) is not str or type(value) is bool:
                return None
            if escaped and clean(restore(evidence)) != evidence:
                return None
            values[name] = Given(kept[value], evidence)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return values


@once_per_rubric
def _places(rubric: Rubric, only: tuple[str, ...] | None) -> tuple[list[_Place], int]:
    """The places of all values and how many keys a reply has; no places where a value is not one of a list."""
    places = []
    for name, rateable in asked(rubric, only).items():
        choices = rateable.scale.value_schema().get("enum")
        if rateable.criterion is None or not choices:
            return [], 0
        kept = {choice: rateable.scale.read_reply(choice) for choice in choices}
        element = rateable.element.key if rateable.element is not None else None
        places.append(_Place(name, rateable.criterion.key, element, kept))
    criteria = {place.criterion for place in places if place.element is not None}
    return places, len(criteria) + 3 * len(places)
