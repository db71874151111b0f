"""Payloads and lines as strangers write them: ordinary, unusual, damaged and malicious; the same for a seed."""

from __future__ import annotations

import json
import random
from typing import Any

KEYS = (
    "formType", "actionType", "planId", "value", "nodeId", "nodeType", "setting", "filterType", "title", "uiValue",
    "dataUIList", "assistantMessage", "", "x y", "키", "a\\b", 'q"',
)  # fmt: skip
WORDS = (
    "ACTION", " ACTION ", "true", "3", "3.0", "07", "", " ", "\u3000", "\x1c", "\u200b", "면접", "면접 추가", "é", "\u00a0", "\x7f",
    "줄\n바꿈", '따"옴표', "역\\슬래시", "탭\t", "\x00", "\x01", "😀", "a/b", "9007199254740993", "1e999", "NaN",
)  # fmt: skip
NUMBERS = (
    0, 1, 7, -1, -0.0, 0.5, 1.5, 2.0, 0.05, 1e16, 1e22, 123456.75, 2**53 + 1, 2**63, 2**64 - 1, 2**64, -(2**63), 10**25, 5e-324,
    1.7976931348623157e308, 0.1 + 0.2,
)  # fmt: skip
TOKENS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e400", "1E5", "1e-7", "1.50", "-0", "-0.0", "0.0", "00", "01", "1.", ".5", "+1", "1e",
    "18446744073709551616", "9" * 30, "0." + "1" * 30, "1" * 300, "null", "true", "nul", "tru", "{}", "[]", "[1,]", "{,}", '{"a":1,}', '""',
    '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\u0041CTION"', '"\\u0000"', '"\\u001f"', '"\\/"', '"\\x"', '"\\u12"', '"\\u003G"', '"a\tb"',
    "\ufeff", "\\", '"', "{", "}", "[", "]", ",", ":", " ", "\n", "\u2028", "\x00", "/**/", "'a'",
    "[" * 70 + "]" * 70, "[" * 1030 + "]" * 1030, '{"a":' * 70 + "1" + "}" * 70,
    '"formType": "LINK", ', '"uiValue": {}, ', '"dataUIList": [], ', '"form\\u0054ype": "ACTION", ', '"setting": {"b": 1, "a": 2, "b": 3}, ',
    '"accuracyChecks": "@check planId=7", ', '"latency_ms": 900, ', '"responseTimeSec": 1e1, ', '"responseTimeSec": "4.2", ', '"latencyClass": "multi", ',
)  # fmt: skip
EXPECTED = (
    None, "", "@check formType=ACTION", "@check formType=ACTION; planId=7; titleContains=면접", "@check planId=3.0; setting=x", '@check title=따"옴표; value=',
    "1) 답변이 친절한가", '{"formType": "ACTION"}', "@check 키=면접; formType=true", "@check formType=" + "; a=".join(map(str, range(70))),
)  # fmt: skip
LISTED = (
    None,
    '[{"path": "planId", "op": "exists"}]',
    '[{"path": "assistantMessage", "op": "regex", "value": "^면"}]',
    "nonsense",
)


TAME_KEYS = KEYS[:13]
TAME_WORDS = ("ACTION", " ACTION ", "면접", "면접 추가", "줄\n바꿈", '따"옴표', "😀", "a/b", "true", "3")
TAME_NUMBERS = (0, 1, 7, -1, 3, 0.5, 2.0, 123456.75, 900719925474)


def some_of(chance: random.Random, tame: tuple[Any, ...], wild: tuple[Any, ...]) -> Any:
    """Mostly something ordinary: one odd value makes a whole payload odd."""
    return chance.choice(tame if chance.random() < 0.97 else wild)


def value(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON value."""
    kind = chance.random()
    if depth < 4 and kind < 0.15:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    if depth < 4 and kind < 0.35:
        return {
            some_of(chance, TAME_KEYS, KEYS): value(chance, depth + 1) for _ in range(chance.randrange(5))
        }
    if kind < 0.7:
        return some_of(chance, TAME_WORDS, WORDS)
    return some_of(chance, TAME_NUMBERS, NUMBERS) if kind < 0.9 else chance.choice((None, True, False))


def payload(chance: random.Random) -> str:
    """The text of a payload."""
    some: dict[str, Any] = {
        "assistantMessage": some_of(chance, (*TAME_WORDS, None), (*WORDS, value(chance))),
        "dataUIList": [entry(chance) for _ in range(chance.randrange(4))]
        if chance.random() < 0.95
        else value(chance),
        "setting": value(chance),
        "filterType": value(chance),
        "responseTimeSec": some_of(chance, (0, 4.25, 7, None), (*NUMBERS, "4.2", value(chance))),
        "executionProcesses": value(chance),
        "worker": [value(chance) for _ in range(chance.randrange(3))],
        "latencyClass": chance.choice((None, "multi", " SINGLE ", "빠름", 3)),
        some_of(chance, TAME_KEYS, KEYS): value(chance),
    }
    kept = [key for key in some if chance.random() < 0.7]
    chance.shuffle(kept)
    text = json.dumps(
        {key: some[key] for key in kept},
        ensure_ascii=chance.random() < 0.4,
        separators=chance.choice(((",", ":"), (", ", ": "), (" ,\n", "\t: "))),
    )
    return damaged(chance, text) if chance.random() < 0.4 else text


def entry(chance: random.Random) -> Any:
    """An entry of `dataUIList`."""
    if chance.random() < 0.1:
        return value(chance)
    keys = [key for key in (KEYS if chance.random() < 0.1 else TAME_KEYS) if chance.random() < 0.4]
    inside = {key: value(chance, 1) for key in keys} | (
        {"formType": "ACTION"} if chance.random() < 0.5 else {}
    )
    return (
        {"uiValue": inside, **({"formType": "LINK"} if chance.random() < 0.3 else {})}
        if chance.random() < 0.7
        else inside
    )


def damaged(chance: random.Random, text: str) -> str:
    """A text with something put in, taken out or cut off; what it is afterwards is for the parser to say."""
    for _ in range(chance.randrange(1, 3)):
        place = chance.randrange(len(text) + 1)
        how = chance.random()
        if how < 0.35:  # where a key may stand
            place = text.find("{", place) + 1
            text = text[:place] + chance.choice(TOKENS) + text[place:]
        elif how < 0.7:  # in place of a value
            place = text.find(":", place) + 1
            stop = min((at for sign in ",}" if (at := text.find(sign, place)) >= 0), default=len(text))
            text = text[:place] + chance.choice(TOKENS) + text[stop:]
        elif how < 0.85:
            text = text[:place] + chance.choice(TOKENS) + text[place + chance.randrange(3) :]
        else:
            text = text[:place]
    return text


def run(chance: random.Random) -> dict[str, Any]:
    """A run with everything that its payload is read with."""
    return {
        "item": "r",
        "payload": chance.choice((None, payload(chance), payload(chance), payload(chance), payload(chance))),
        "error": "TimeoutError" if chance.random() < 0.05 else None,
        "latency_ms": some_of(chance, (None, 0.0, 5250.0), (1e308, -3.0)),
        "expected": some_of(chance, EXPECTED[:6], EXPECTED),
        "accuracy_checks": some_of(chance, (None,), LISTED),
    }


def line(chance: random.Random) -> str:
    """A line of a file of runs; mostly with the same keys."""
    record: dict[str, Any] = {
        "query_id": some_of(chance, ("q1", "q 2", 7, "큐\\3"), ("q\u3000", "\x1b", True)),
        "round": chance.choice(("1", 2, None, "2")),
        "raw_json": payload(chance)
        if chance.random() < 0.7
        else chance.choice(({}, {"assistantMessage": "확인"}, None, value(chance))),
        "latency_ms": chance.choice((None, 1500, 5250.5, 1e3, 0)) if chance.random() < 0.99 else 2**60,
        "expected_result": chance.choice(EXPECTED),
        "accuracy_checks": chance.choice(LISTED),
        "team": chance.choice(("가", None, 3)),
    }
    if chance.random() < 0.01:
        record["error"] = chance.choice((None, "", "TimeoutError"))
    text = json.dumps(record, ensure_ascii=chance.random() < 0.4)
    return damaged(chance, text).replace("\n", " ") if chance.random() < 0.01 else text
