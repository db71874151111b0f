"""What a reply claims, settled: of several claims the one that counts, each value read by its scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haechi.prompt.claims import AbsentClaim, Claim, Claims, Contradiction
from haechi.prompt.plain_reply import GivenValue
from haechi.rubrics import Rateable
from haechi.rubrics.values import Off
from haechi.text import Text

_TWO_VALUES = Text("서로 다른 값이 두 번 나옴", "given twice with different values")


def one_answer(answers: list[Claims]) -> Claims:
    """The claims that count when a reply holds several objects."""
    last = answers[-1]
    earlier: dict[str, list[Claim]] = {}
    for claims in answers[:-1]:
        overlap = earlier.keys() & claims.of.keys()
        earlier = dict(claims.of) if overlap else earlier | claims.of
    extra = [key for claims in answers for key in claims.extra]
    if not earlier.keys() & last.of.keys():
        repaired = len(answers) > 1 or last.repaired
        return Claims(earlier | last.of, extra, repaired)
    of = dict(last.of)
    if earlier.keys() - of.keys():  # a smaller object after a fuller one: which of them is meant is unknown
        for name in of.keys() & earlier.keys():
            of[name] = of[name] + earlier[name]
    return Claims(of, extra, True)


def settle_claims(
    claims: Claims, wanted: Mapping[str, Rateable], absent: Text
) -> tuple[dict[str, GivenValue], dict[str, Text]]:
    """The values of what was asked, and why the others have none; absent: the reason of what nothing is claimed of."""
    values: dict[str, GivenValue] = {}
    missing: dict[str, Text] = {}
    for name, rateable in wanted.items():
        given = [_written(claim, rateable, claims) for claim in claims.of.get(name, [])]
        settled = _agreed(given, rateable) if given else absent
        if isinstance(settled, GivenValue):
            values[name] = settled
        else:
            missing[name] = settled
    return values, missing


def _written(claim: Claim, rateable: Rateable, claims: Claims) -> Claim:
    """A claim whose value is written as a person would (`4/5`, `GOOD (4)`), with the value that it means."""
    if isinstance(claim.value, bool) or not isinstance(claim.value, str | int | float):
        return claim
    meant = rateable.scale.spoken(str(claim.value))
    if meant is None:
        return claim
    claims.repaired = True
    return Claim(meant, claim.evidence)


def _agreed(claims: list[Claim], rateable: Rateable) -> GivenValue | Text:
    read = [_read(claim.value, rateable) for claim in claims]
    first = read[0]
    if any(one != first for one in read):
        return _TWO_VALUES
    if isinstance(first, Text):
        return first
    return GivenValue(first, claims[-1].evidence)


def _read(value: Any, rateable: Rateable) -> str | Text:
    if isinstance(value, Contradiction):
        return _TWO_VALUES
    if value is None or isinstance(value, AbsentClaim | list):
        return Text("읽을 수 있는 값이 없음", "no readable value")
    try:
        return rateable.scale.read_reply(value)
    except Off as off:
        found = str(value)[:40]
        return off.said or Text(
            f"척도 밖의 값 {found!r} (필요한 값: {off.expected.ko})",
            f"{found!r} is not on the scale (expected {off.expected.say('en')})",
        )
