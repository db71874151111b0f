"""The checks of a column `accuracyChecks`: a JSON list of {path, op, value, weight}.

A check that cannot be read (a bad path, an unknown operator, a regex that does not compile) counts as a check
that fails, and says why; it is never dropped, since a dropped check would raise the score.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import orjson

from haechi.expectations import paths, values
from haechi.expectations.check import Check, WrittenCheck, broken_check, search, short_text
from haechi.expectations.meanings import ValueTest, contains

LIGHTEST, HEAVIEST = 1e-6, 1e6


def read_listed(text: str) -> list[Check] | None:
    """The checks of a JSON list, a single check standing for a list of one; None for text that is no JSON at all.

    >>> [check.name for check in read_listed('{"path": "setting", "op": "exists"}')], read_listed("1) 답변이 친절한가")
    (['setting exists'], None)
    """
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError:
        return [broken_check(text, "accuracyChecks is not JSON")] if text.lstrip()[:1] in ("[", "{") else None
    if given is None:
        return []
    return [_from_json(one) for one in (given if isinstance(given, list) else [given])]


def _from_json(given: object) -> Check:
    if not isinstance(given, dict):
        return broken_check(_json(given), "not an object")
    path, op, wanted = given.get("path"), values.text(given.get("op")), given.get("value")
    name = f"{values.text(path)} {op}" + ("" if op == "exists" else f" {_json(wanted)}")
    weight = values.number(given.get("weight", 1))
    if weight is None or not (weight == 0 or LIGHTEST <= weight <= HEAVIEST):
        return broken_check(name, "weight")
    exact, written = Fraction(str(weight)), WrittenCheck(str(path), str(op), wanted)
    steps = paths.parse(path) if isinstance(path, str) else None
    wrong = "path" if steps is None else _wrong(op, wanted)
    if wrong:
        return broken_check(name, wrong, exact)
    if op == "regex":
        return Check(short_text(name), exact, steps, pattern=wanted, written=written)
    return Check(short_text(name), exact, steps, _TESTS[op or ""](wanted), written=written)


def _wrong(op: str | None, wanted: object) -> str | None:
    """What is wrong with an operator and its value."""
    if op == "regex":
        compiles = isinstance(wanted, str) and search(wanted, [""]) != [None]
        return None if compiles else "regex"
    if op not in _TESTS:
        return "operator"
    return "not a list" if op == "in" and not isinstance(wanted, list) else None


def _is_in(wanted: Any) -> ValueTest:
    tests = [values.equals(one) for one in wanted]
    return lambda found: any(test(found) for test in tests)


def _exists(_: Any) -> ValueTest:
    return lambda found: found is not None


_TESTS: dict[str, Callable[[Any], ValueTest]] = {
    "eq": values.equals,
    "contains": contains,
    "in": _is_in,
    "exists": _exists,
}


def _json(value: object) -> str:
    return values.canonical(value).decode()
