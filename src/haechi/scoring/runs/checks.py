"""Checks: what the payload of a run must hold, as written in `accuracyChecks` or behind `@check`.

A check that cannot be read (a bad path, an unknown operator, a regex that does not compile) counts as a check
that fails, and says why; it is never dropped, since a dropped check would raise the score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from haechi.scoring.runs import paths, values

LIGHTEST, HEAVIEST = 1e-6, 1e6
LONGEST_NAME = 200
_ENTRY = re.compile(r"@check(?=\s|$)")
SHOWN: paths.Steps = ("dataUIList", paths.EVERY, "uiValue")
"""Where a key behind `@check` is looked up."""


Test = Callable[[Any], bool]
_NO_TEXT = "\ud800"  # equals nothing, since no payload that parses holds half a character
Matched = dict[tuple[str, str], bool | None]
"""Whether a (pattern, text) matches; None as long as it has not been tried."""


@dataclass(frozen=True)
class Check:
    """One check; `name` is how reports call it. Without `steps` it is broken and cannot pass.

    A value passes if it is `text` or if the `test` says so, or matches the `pattern` of a regex.
    """

    name: str
    weight: Fraction = Fraction(1)
    steps: paths.Steps | None = None
    test: Test | None = None
    text: str = _NO_TEXT
    pattern: str | None = None


class CheckResult(NamedTuple):
    """How the checks of a run went; all None when there are none."""

    passed: float | None = None
    total: float | None = None
    ratio: float | None = None
    failing: str | None = None


UNCHECKED = CheckResult()


@dataclass(frozen=True)
class Checks:
    """The checks of a run, prepared: `shown` has (place, key, text that passes, test) of those on keys at `SHOWN`.

    Weights are whole units (`unit` of them are a weight of 1), so that a ratio such as 3/4 is exact.
    """

    checks: tuple[Check, ...]
    weights: tuple[int, ...]
    unit: int
    shown: tuple[tuple[int, str, str, Test], ...]
    elsewhere: tuple[tuple[int, Check], ...]
    has_patterns: bool
    all_passed: CheckResult


@lru_cache(maxsize=20_000)
def read(expected: str | None, accuracy_checks: str | None) -> Checks | None:
    """The checks of a run: `accuracyChecks` if there are any, else the `@check` entries of the expected result.

    >>> [check.name for check in read("추가된다\\n@check formType=ACTION; titleContains=면접", None).checks]
    ['formType=ACTION', 'titleContains=면접']
    >>> print(read("@check assistantMessageContains=추가", None))
    None
    """
    checks = tuple(check for check in _listed(accuracy_checks) or _written(expected) if check.weight)
    return _prepare(checks) if checks else None


def _prepare(checks: tuple[Check, ...]) -> Checks:
    unit = math.lcm(*(check.weight.denominator for check in checks))
    weights = tuple(int(check.weight * unit) for check in checks)
    shown, elsewhere = [], []
    for place, check in enumerate(checks):
        steps = check.steps
        if steps and steps[:-1] == SHOWN and isinstance(steps[-1], str) and check.test:
            shown.append((place, steps[-1], check.text, check.test))
        else:
            elsewhere.append((place, check))
    return Checks(
        checks,
        weights,
        unit,
        tuple(shown),
        tuple(elsewhere),
        any(check.pattern is not None for check in checks),
        CheckResult(sum(weights) / unit, sum(weights) / unit, 1.0),
    )


def outcome(asked: Checks, payload: dict[str, Any], shown: list[Any], matched: Matched) -> CheckResult:
    """How the checks of a payload went; `shown` is what stands at `SHOWN`, where most checks look.

    A regex that has not been tried yet is noted in `matched` and counts as failed.

    >>> asked = read("@check formType=ACTION; planId=7", None)
    >>> outcome(asked, {}, [{"formType": " ACTION", "planId": 8}], {})
    CheckResult(passed=1.0, total=2.0, ratio=0.5, failing='planId=7')
    """
    failing: list[int] = []
    for place, key, text, test in asked.shown:
        for node in shown:
            if type(node) is dict:
                found = node.get(key)
                if found == text or test(found):
                    break
        else:
            failing.append(place)
    for place, check in asked.elsewhere:
        found = paths.walk([payload], check.steps) if check.steps else []
        if check.pattern is not None:
            texts = [values.text(value) for value in found]
            known = [matched.setdefault((check.pattern, text)) for text in texts if text is not None]
            passed = any(known)
        else:
            passed = check.test is not None and any(map(check.test, found))
        if not passed:
            failing.append(place)
    return _count(asked, sorted(failing)) if failing else asked.all_passed


def _count(asked: Checks, failing: list[int]) -> CheckResult:
    total = sum(asked.weights)
    passed = total - sum(asked.weights[place] for place in failing)
    names = "; ".join(asked.checks[place].name for place in failing)
    return CheckResult(passed / asked.unit, total / asked.unit, passed / total, names)


def try_patterns(matched: Matched) -> None:
    """Try every regex that was noted, all texts of a pattern at once.

    The engine is Rust's, which takes linear time: a stranger's pattern cannot make it backtrack forever.

    >>> noted = {("^(a+)+$", "a" * 40 + "b"): None, ("^(a+)+$", "aa"): None}
    >>> try_patterns(noted)
    >>> list(noted.values())
    [False, True]
    """
    texts: dict[str, list[str]] = {}
    for (pattern, text), known in matched.items():
        if known is None:
            texts.setdefault(pattern, []).append(text)
    for pattern, noted in texts.items():
        for text, found in zip(noted, _search(pattern, noted), strict=True):
            matched[pattern, text] = bool(found)


def _search(pattern: str, texts: list[str]) -> list[bool | None]:
    """Which texts the regex is found in; None when it does not compile."""
    import polars as pl

    return pl.Series(texts, dtype=pl.String).str.contains(pattern, strict=False).to_list()


def _written(expected: str | None) -> list[Check]:
    """`@check key=value; key=value`, anywhere on a line, up to the end of the line."""
    found = []
    for line in (expected or "").splitlines():
        for entry in _ENTRY.split(line)[1:]:
            parts = (part.strip() for part in entry.split(";"))
            found += [_shorthand(part) for part in parts if part and not part.startswith("assistantMessage")]
    return found


def _shorthand(text: str) -> Check:
    key, equals, wanted = (part.strip() for part in text.partition("="))
    steps = paths.parse(key.removesuffix("Contains"))
    if not equals or steps is None:
        return _broken(text, "not key=value")
    test = _contains(wanted) if key.endswith("Contains") else values.equals(wanted)
    return Check(_name(text), steps=SHOWN + steps, test=test, text=wanted)


def _listed(text: str | None) -> list[Check]:
    """The list of `accuracyChecks`, a single check standing for a list of one."""
    if text is None or not text.strip():
        return []
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError:
        return [_broken(text, "accuracyChecks is not JSON")]
    if given is None:
        return []
    return [_from_json(one) for one in (given if isinstance(given, list) else [given])]


def _from_json(given: object) -> Check:
    if not isinstance(given, dict):
        return _broken(_json(given), "not an object")
    path, op, wanted = given.get("path"), values.text(given.get("op")), given.get("value")
    name = f"{values.text(path)} {op}" + ("" if op == "exists" else f" {_json(wanted)}")
    weight = values.number(given.get("weight", 1))
    if weight is None or not (weight == 0 or LIGHTEST <= weight <= HEAVIEST):
        return _broken(name, "weight")
    exact = Fraction(str(weight))
    steps = paths.parse(path) if isinstance(path, str) else None
    wrong = "path" if steps is None else _wrong(op, wanted)
    if wrong:
        return _broken(name, wrong, exact)
    if op == "regex":
        return Check(_name(name), exact, steps, pattern=wanted)
    return Check(_name(name), exact, steps, _TESTS[op or ""](wanted))


def _wrong(op: str | None, wanted: object) -> str | None:
    """What is wrong with an operator and its value."""
    if op == "regex":
        compiles = isinstance(wanted, str) and _search(wanted, [""]) != [None]
        return None if compiles else "regex"
    if op not in _TESTS:
        return "operator"
    return "not a list" if op == "in" and not isinstance(wanted, list) else None


def _contains(wanted: Any) -> Test:
    """Text within text, or an element of a list."""
    same, part = values.equals(wanted), values.text(wanted)

    def test(found: Any) -> bool:
        if type(found) is list:
            return any(same(one) for one in found)
        whole = values.text(found)
        return whole is not None and part is not None and part in whole

    return test


def _is_in(wanted: Any) -> Test:
    tests = [values.equals(one) for one in wanted]
    return lambda found: any(test(found) for test in tests)


def _exists(_: Any) -> Test:
    return lambda found: found is not None


_TESTS: dict[str, Callable[[Any], Test]] = {
    "eq": values.equals,
    "contains": _contains,
    "in": _is_in,
    "exists": _exists,
}


def _broken(name: str, why: str, weight: Fraction = Fraction(1)) -> Check:
    return Check(f"{_name(name)} ({why})", weight)


def _json(value: object) -> str:
    return values.canonical(value).decode()


def _name(text: str) -> str:
    """One line without the separator of several names, and not endless."""
    line = " ".join(text.replace(";", ",").split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"
