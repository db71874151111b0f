"""The journal of judges' calls for strangers: every call with its bytes, one object each, in fields that stay."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from haechi.data import reasons
from haechi.store.askings import Told, all_told, unpacked
from haechi.store.connection import Connection, Row

_AT_A_TIME = 200
_QUERY = """SELECT calls.id, calls.number, item, calls.rater, calls.model, replicate, part, asked, prompt, lang, way,
        calls.state, remote, attempts, reply, calls.reason, version, input_tokens, cached_tokens, output_tokens,
        reasoning_tokens, seconds, cost, calls.at, left_at, answered_at, written, instructions, request, reply_sha256, arrival
    FROM calls LEFT JOIN askings ON hash = asking LEFT JOIN batches ON batches.id = batch
    ORDER BY calls.number"""
_RATINGS = """SELECT arrival, item, rater, criterion, value, status, reason, number,
        number IN (SELECT number FROM ratings_in_force WHERE arrival = ANY(:arrivals)) AS in_force
    FROM ratings WHERE arrival = ANY(:arrivals) ORDER BY number"""


def call_lines(
    connection: Connection, received: Callable[[Row], str | None], clean: Callable[[str], str]
) -> Iterator[dict[str, Any]]:
    """Every call, the oldest first, with the ratings that it gave.

    received: the body of a reply out of its line; clean: takes keys out of a text.
    """
    told = all_told(connection)
    for rows in connection.stream(_QUERY, _AT_A_TIME):
        given = _ratings(connection, rows)
        for row in rows:
            yield _line(
                row, told, given.get((row.arrival or row.id, row.item, row.rater), []), received, clean
            )


def _ratings(connection: Connection, rows: list[Row]) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    arrivals = list({row.arrival or row.id for row in rows})
    for one in connection.rows(_RATINGS, arrivals=arrivals):
        said = {name: getattr(one, name) for name in ("criterion", "value", "status")}
        place = (one.arrival, one.item, one.rater)
        about = {"reason": reasons.said(one.reason), "in_force": bool(one.in_force)}
        found.setdefault(place, []).append({**said, **about})
    return found


def _line(
    row: Row,
    told: dict[str, Told],
    ratings: list[dict[str, Any]],
    received: Callable[[Row], str | None],
    clean: Callable[[str], str],
) -> dict[str, Any]:
    sent = unpacked(row.request, told.get(row.instructions)) if row.request is not None else None
    came = received(row)
    asking = orjson.loads(row.written) if row.written else None
    same = (
        "id",
        "item",
        "rater",
        "replicate",
        "part",
        "way",
        "state",
        "attempts",
        "seconds",
        "cost",
    )
    return {
        **{name: getattr(row, name) for name in same},
        "reason": reasons.said(row.reason),
        "asked": orjson.loads(row.asked) if row.asked else None,
        "batch": row.remote,
        "at": row.at,
        "left_at": row.left_at,
        "answered_at": row.answered_at,
        "model": row.model,
        "version": row.version,
        "address": asking["address"] if asking else None,
        "asking": asking,
        "prompt": row.prompt,
        "instructions": row.instructions,
        "tokens": {
            kind: getattr(row, f"{kind}_tokens") for kind in ("input", "cached", "output", "reasoning")
        },
        "request": clean(sent.decode("utf-8", "replace")) if sent is not None else None,
        "request_sha256": hashlib.sha256(sent).hexdigest() if sent is not None else None,
        "reply": clean(came) if came is not None else None,
        "reply_sha256": row.reply_sha256,
        "ratings": ratings,
    }


def call_states(connection: Connection) -> list[dict[str, Any]]:
    """Per rater: how many calls ended in which way, and how often one was sent again."""
    rows = connection.rows(
        """SELECT rater, state, count(*) AS n, sum(CASE WHEN attempts > 1 THEN attempts - 1 ELSE 0 END) AS again
        FROM calls GROUP BY rater, state ORDER BY rater"""
    )
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        blank = {
            "rater": row.rater,
            **dict.fromkeys(("answered", "failed", "lost", "cancelled", "sent", "retries"), 0),
        }
        one = found.setdefault(row.rater, blank)
        one[row.state] += row.n
        one["retries"] += int(row.again)
    return list(found.values())
