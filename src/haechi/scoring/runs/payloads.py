"""One pass over the payloads of a batch: parse, time, tools, checks, signature.

This loop takes most of the time of scoring, so it is written for speed: one function per run, few calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import polars as pl

from haechi.expectations import checks
from haechi.expectations.check import MatchedNames, try_patterns
from haechi.expectations.values import from_milliseconds, number, seconds
from haechi.scoring.runs.failures import ERROR, NO_ANSWER, NOT_AN_OBJECT, UNPARSEABLE
from haechi.scoring.runs.signature import EMPTY, signer

# several: whether two tools or more were used; null where a failed run names none.

OUTPUTS = pl.Schema(
    {
        "failure": pl.String,
        "seconds": pl.Float64,
        "several": pl.Boolean,
        "stated_class": pl.String,
        "message": pl.String,
        "signature": pl.String,
        "checks_passed": pl.Float64,
        "checks_total": pl.Float64,
        "check_ratio": pl.Float64,
        "failing": pl.String,
        "checks_open": pl.Int64,
    }
)


def read_payloads(batch: pl.DataFrame, signature: tuple[str, ...]) -> pl.DataFrame:
    """What the payloads of a batch say, one row for each; a damaged payload is a failure of the run, no error."""
    if batch.is_empty():
        return OUTPUTS.to_frame()
    matched: MatchedNames = {}
    read = _reader(signature, matched)
    inputs = [
        column.to_list()
        for column in (
            batch["payload"].cast(pl.Binary),  # orjson would have to encode a str first
            batch["error"],
            batch["latency_ms"],
            batch["expected"],
            batch["accuracy_checks"],
        )
    ]
    rows = list(map(read, *inputs))
    if matched:
        # The regexes met on the way are tried together; the runs that asked for one are read again.
        try_patterns(matched)
        rows = [
            read(*run) if _may_ask_patterns(run) else row
            for run, row in zip(zip(*inputs, strict=True), rows, strict=True)
        ]
    *known, outcomes = zip(*rows, strict=True)
    columns = zip(OUTPUTS.items(), (*known, *zip(*outcomes, strict=True)), strict=True)
    return pl.DataFrame([pl.Series(name, column, dtype) for (name, dtype), column in columns])


def _reader(signature: tuple[str, ...], matched: MatchedNames) -> Callable[..., tuple[Any, ...]]:
    """A function from what is known of one run to its `OUTPUTS`, the last five as one `CheckResult`."""
    sign = signer(signature)
    parse, damaged = orjson.loads, orjson.JSONDecodeError
    read_checks, outcome, unchecked = checks.read, checks.outcome, checks.UNCHECKED

    def read(
        raw: bytes | None, error: str | None, latency: float | None, expected: str | None, listed: str | None
    ) -> tuple[Any, ...]:
        failure: str | None = None
        try:
            payload = parse(raw or b"")
        except damaged:
            failure = ERROR if error else UNPARSEABLE
            return failure, from_milliseconds(latency), None, None, None, EMPTY, unchecked
        if type(payload) is not dict:
            failure = ERROR if error else NOT_AN_OBJECT
            return failure, from_milliseconds(latency), None, None, None, EMPTY, unchecked
        get = payload.get
        took = get("responseTimeSec")
        if type(took) is not float or took < 0:
            took = seconds(took)
            if took is None:
                took = from_milliseconds(latency)
            if took is None:  # some exports keep the time of the call inside the payload
                took = from_milliseconds(number(get("latency_ms")))
        tools, workers = get("executionProcesses"), get("worker")
        several = (type(tools) is list and len(tools) > 1) or (type(workers) is list and len(workers) > 1)
        stated = get("latencyClass")
        if type(stated) is not str:
            stated = None
        if error:
            told = several or bool(type(tools) is list and tools) or bool(type(workers) is list and workers)
            return ERROR, took, several if told else None, stated, None, EMPTY, unchecked
        entries = get("dataUIList")
        shown = []
        if type(entries) is list:
            shown = [entry.get("uiValue") if type(entry) is dict else None for entry in entries]
        if not listed and "accuracyChecks" in payload:
            listed = _as_text(payload["accuracyChecks"])
        asked = read_checks(expected, listed)
        went = unchecked if asked is None else outcome(asked, payload, shown, matched)
        if type(entries) is not list:
            entries = _single(entries)
            shown = [entry.get("uiValue") if type(entry) is dict else None for entry in entries]
        message = get("assistantMessage")
        if type(message) is not str or not message.strip():
            message = None
            failure = None if entries else NO_ANSWER
        return failure, took, several, stated, message, sign(payload, entries, shown), went

    return read


def _may_ask_patterns(run: tuple[Any, ...]) -> bool:
    asked = checks.read(*run[3:])
    return (asked is not None and asked.has_patterns) or b"accuracyChecks" in (run[0] or b"")


def _as_text(listed: object) -> str | None:
    """Checks that stand inside the payload, as the text that a column of checks has."""
    if listed is None or type(listed) is str:
        return listed
    try:
        return orjson.dumps(listed).decode()
    except orjson.JSONEncodeError:  # nested deeper than any check
        return None


def _single(entries: object) -> list[Any]:
    """An object or a text in place of the list `dataUIList` counts as a list of one."""
    is_one = (type(entries) is dict and entries) or (type(entries) is str and entries.strip())
    return [entries] if is_one else []
