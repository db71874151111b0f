"""Checks: what the payload of a run must hold, as its expectation says, and how a payload meets them.

An expectation is read once, whatever the number of runs that have it: `accuracyChecks` if there are any, else the
`@check` entries of the expected result, else its JSON object or its sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from haechi.expectations import paths, values
from haechi.expectations.check import Check, MatchedNames, WrittenCheck, broken_check, short_text
from haechi.expectations.lines import ExpectationLine, read_lines
from haechi.expectations.listed_checks import read_listed
from haechi.expectations.meanings import Entries, ValueTest, contains, entries_of
from haechi.frozen import frozen
from haechi.regex import regex

_ENTRY = regex(r"@check(?=\s|$)")
SHOWN: paths.Steps = ("dataUIList", paths.EVERY, "uiValue")
"""Where a key behind `@check` is looked up."""


class CheckResult(NamedTuple):
    """How the checks of a run went; all None when there are none.

    `total` counts the checks that code decides; `waiting` the lines that are left to a person or a judge.
    """

    passed: float | None = None
    total: float | None = None
    ratio: float | None = None
    failing: str | None = None
    waiting: int | None = None


UNCHECKED = CheckResult()


@frozen
class PreparedChecks:
    """The checks of a run, prepared: `shown` has (place, key, text that passes, test) of those on keys at `SHOWN`.

    Weights are whole units (`unit` of them are a weight of 1), so that a ratio such as 3/4 is exact. `lines` are all
    lines of the expectation, `waiting` the texts of those that stay open.
    """

    checks: tuple[Check, ...]
    lines: tuple[ExpectationLine, ...]
    waiting: tuple[str, ...]
    weights: tuple[int, ...]
    unit: int
    shown: tuple[tuple[int, str, str, ValueTest], ...]
    elsewhere: tuple[tuple[int, Check], ...]
    meant: tuple[tuple[int, Check], ...]
    groups: tuple[tuple[tuple[int, Entries], ...], ...]
    has_patterns: bool
    all_passed: CheckResult


@lru_cache(maxsize=20_000)
def read(expected: str | None, accuracy_checks: str | None) -> PreparedChecks | None:
    """The checks of a run; None when there are neither checks nor lines that wait for somebody.

    >>> [check.name for check in read("추가된다\\n@check formType=ACTION; titleContains=면접", None).checks]
    ['formType=ACTION', 'titleContains=면접']
    >>> print(read("@check assistantMessageContains=추가", None))
    None
    >>> read("1) 답변이 친절한가", None).waiting
    ('답변이 친절한가',)
    """
    checks, lines = _asked(expected, accuracy_checks)
    counted = tuple(check for check in checks if check.weight)
    waiting = tuple(line.text for line in lines if line.kind == "open")
    return _prepare(counted, tuple(lines), waiting) if counted or waiting else None


def lines_of(expected: str | None, accuracy_checks: str | None) -> list[ExpectationLine]:
    """Every line of what is expected of a run, also where it holds nothing to check.

    >>> [(line.kind, line.written) for line in lines_of("@check assistantMessageContains=추가", None)]
    [('intent', WrittenCheck(key='assistantMessage', op='contains', value='추가'))]
    """
    return _asked(expected, accuracy_checks)[1]


def _asked(expected: str | None, accuracy_checks: str | None) -> tuple[list[Check], list[ExpectationLine]]:
    """The checks and lines that count: those of the column, else those of the expectation."""
    listed = read_listed(accuracy_checks) if accuracy_checks and accuracy_checks.strip() else []
    # Text in the column is sentences, as `haechi checks` writes them for editing.
    checks, lines = (
        _written(accuracy_checks or "") if listed is None else (listed, [_line(one) for one in listed])
    )
    if checks or any(line.kind == "open" for line in lines):
        return checks, lines
    return _written(expected or "")


def _prepare(
    checks: tuple[Check, ...], lines: tuple[ExpectationLine, ...], waiting: tuple[str, ...]
) -> PreparedChecks:
    unit = math.lcm(*(check.weight.denominator for check in checks))
    weights = tuple(int(check.weight * unit) for check in checks)
    shown, elsewhere, meant = [], [], []
    groups: dict[int, list[tuple[int, Entries]]] = {}
    for place, check in enumerate(checks):
        steps = check.steps
        if check.group is not None and isinstance(check.meaning, Entries):
            groups.setdefault(check.group, []).append((place, check.meaning))
        elif check.meaning is not None:
            meant.append((place, check))
        elif steps and steps[:-1] == SHOWN and isinstance(steps[-1], str) and check.test:
            shown.append((place, steps[-1], check.text, check.test))
        else:
            elsewhere.append((place, check))
    total = sum(weights) / unit if checks else None
    return PreparedChecks(
        checks,
        lines,
        waiting,
        weights,
        unit,
        tuple(shown),
        tuple(elsewhere),
        tuple(meant),
        tuple(map(tuple, groups.values())),
        any(check.pattern is not None for check in checks),
        CheckResult(total, total, 1.0 if checks else None, None, len(waiting)),
    )


def outcome(
    asked: PreparedChecks, payload: dict[str, Any], shown: list[Any], matched: MatchedNames
) -> CheckResult:
    """How the checks of a payload went; `shown` is what stands at `SHOWN`, where most checks look.

    A regex that has not been tried yet is noted in `matched` and counts as failed.

    >>> asked = read("@check formType=ACTION; planId=7", None)
    >>> outcome(asked, {}, [{"formType": " ACTION", "planId": 8}], {})
    CheckResult(passed=1.0, total=2.0, ratio=0.5, failing='planId=7', waiting=0)
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
    for place, check in asked.meant:
        if check.meaning is not None and not check.meaning.holds(payload):
            failing.append(place)
    for group in asked.groups:
        failing += _failing_together(group, payload)
    return result(asked, sorted(failing))


def _failing_together(group: tuple[tuple[int, Entries], ...], payload: dict[str, Any]) -> list[int]:
    """Which keys of a JSON object fail on the entry that satisfies most of them; the first of several such."""
    tests = [(place, asked.conditions[0].test, asked.whole) for place, asked in group]
    in_payload = {place for place, test, whole in tests if whole and test(payload)}
    fewest = [place for place, _, _ in tests if place not in in_payload]
    for entry in entries_of(payload):
        failing = [place for place, test, _ in tests if place not in in_payload and not test(entry)]
        if len(failing) < len(fewest):
            fewest = failing
    return fewest


def result(asked: PreparedChecks, failing: list[int]) -> CheckResult:
    """The result of checks of which those at some places failed.

    >>> result(read("@check formType=ACTION; planId=7", None), [1]).ratio
    0.5
    """
    if not failing:
        return asked.all_passed
    total = sum(asked.weights)
    passed = total - sum(asked.weights[place] for place in failing)
    names = "; ".join(asked.checks[place].name for place in failing)
    return CheckResult(passed / asked.unit, total / asked.unit, passed / total, names, len(asked.waiting))


def _written(text: str) -> tuple[list[Check], list[ExpectationLine]]:
    """`@check key=value; key=value`, anywhere on a line, up to the end of the line; else the lines of the text."""
    if _ENTRY.search(text):
        found = [one for line in text.splitlines() for one in _marked(line)]
        return [one for one in found if isinstance(one, Check)], [
            _line(one) if isinstance(one, Check) else one for one in found
        ]
    lines = read_lines(text)
    checks = [
        Check(short_text(line.meaning.name), meaning=line.meaning, group=line.group)
        for line in lines
        if line.meaning
    ]
    return checks, lines


def _marked(line: str) -> Iterator[Check | ExpectationLine]:
    """What stands on a line of an expectation with `@check`: words before it, checks, and what belongs to intent."""
    before, *entries = _ENTRY.split(line)
    if before.strip():
        yield ExpectationLine(before.strip(), "heading")
    for part in (part.strip() for entry in entries for part in entry.split(";")):
        if part.startswith("assistantMessage"):
            yield ExpectationLine(part, "intent", written=_key_value(part))
        elif part:
            yield _shorthand(part)


def _line(check: Check) -> ExpectationLine:
    return ExpectationLine(check.name, "check", written=check.written)


def _key_value(text: str) -> WrittenCheck | None:
    """`key=value`, or `keyContains=value`; None for anything else."""
    key, equals, wanted = (part.strip() for part in text.partition("="))
    op = "contains" if key.endswith("Contains") else "eq"
    return WrittenCheck(key.removesuffix("Contains"), op, wanted) if equals else None


def _shorthand(text: str) -> Check:
    written = _key_value(text)
    steps = paths.parse(written.key) if written is not None else None
    if written is None or steps is None:
        return broken_check(text, "not key=value")
    wanted = written.value
    test = contains(wanted) if written.op == "contains" else values.equals(wanted)
    return Check(short_text(text), steps=SHOWN + steps, test=test, text=wanted, written=written)
