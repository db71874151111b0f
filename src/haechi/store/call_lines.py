"""The journal of judges' calls for strangers: every call with its bytes, one object each, in fields that stay."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from haechi.data import reasons
from haechi.data.judging_protocol import JudgingProtocol
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.judging_protocols import JudgeInstructions, all_told, keep_asking, unpack_request

_AT_A_TIME = 200
_COUNTED = ("input", "cached", "output", "reasoning")
_TOKENS = tuple(f"{kind}_tokens" for kind in _COUNTED)
_QUERY = """SELECT calls.id, calls.number, item, calls.rater, calls.model, replicate, part, asked, prompt, lang, way,
        calls.state, remote, attempts, reply, calls.reason, version, input_tokens, cached_tokens, output_tokens,
        reasoning_tokens, seconds, cost, calls.at, left_at, answered_at, written, instructions, request, reply_sha256, arrival
    FROM calls LEFT JOIN askings ON hash = asking LEFT JOIN batches ON batches.id = batch
    WHERE coalesce(arrival, '') NOT IN (SELECT arrival FROM taken_back WHERE :in_force)
    ORDER BY calls.number"""
_RATINGS = """SELECT arrival, item, rater, criterion, value, status, reason, number,
        number IN (SELECT number FROM ratings_in_force WHERE arrival = ANY(:arrivals)) AS in_force
    FROM ratings WHERE arrival = ANY(:arrivals) ORDER BY number"""


def call_lines(
    connection: Connection,
    received: Callable[[DatabaseRow], str | None],
    clean: Callable[[str], str],
    say: Callable[[str | None], str | None] = reasons.say_reason,
    in_force: bool = False,
) -> Iterator[dict[str, Any]]:
    """Every call, the oldest first, with the ratings that it gave.

    received: the body of a reply out of its line; clean: takes keys out of a text; say: a kept reason in words; in_force:
    leave out what was taken back.
    """
    told = all_told(connection)
    for rows in connection.stream(_QUERY, _AT_A_TIME, in_force=in_force):
        given = _ratings(connection, rows)
        for row in rows:
            ratings = given.get((row.arrival or row.id, row.item, row.rater), [])
            for one in ratings:
                one["reason"] = say(one["reason"])
            yield _line(row, told, ratings, received, clean) | {"reason": say(row.reason)}


def _ratings(
    connection: Connection, rows: list[DatabaseRow]
) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    arrivals = list({row.arrival or row.id for row in rows})
    for one in connection.rows(_RATINGS, arrivals=arrivals):
        said = {name: getattr(one, name) for name in ("criterion", "value", "status")}
        place = (one.arrival, one.item, one.rater)
        about = {"reason": one.reason, "in_force": bool(one.in_force)}
        found.setdefault(place, []).append({**said, **about})
    return found


def _line(
    row: DatabaseRow,
    told: dict[str, JudgeInstructions],
    ratings: list[dict[str, Any]],
    received: Callable[[DatabaseRow], str | None],
    clean: Callable[[str], str],
) -> dict[str, Any]:
    sent = unpack_request(row.request, told.get(row.instructions)) if row.request is not None else None
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
        "reason": None,
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
        "lang": row.lang,
        "instructions": row.instructions,
        "tokens": {kind: getattr(row, f"{kind}_tokens") for kind in _COUNTED},
        "request": clean(sent.decode("utf-8", "replace")) if sent is not None else None,
        "request_sha256": hashlib.sha256(sent).hexdigest() if sent is not None else None,
        "reply": clean(came) if came is not None else None,
        "reply_sha256": row.reply_sha256,
        "ratings": ratings,
    }


_KEPT = (
    *(
        "id",
        "item",
        "rater",
        "model",
        "replicate",
        "part",
        "prompt",
        "lang",
        "way",
        "state",
        "attempts",
        "reply",
    ),
    *("reason", "version", "seconds", "cost", "at", "left_at", "answered_at", "reply_sha256"),
)


def keep_call_lines(connection: Connection, lines: Iterable[Mapping[str, Any]]) -> None:
    """Keep in a new study calls that `call_lines` has told of another with the same items; what was on its way is left out."""
    rows = []
    for line in lines:
        if line["state"] == "sent":
            continue
        asking = JudgingProtocol.read(orjson.dumps(line["asking"]).decode()) if line["asking"] else None
        if asking is not None:
            keep_asking(connection, asking)
        tokens = {f"{kind}_tokens": count for kind, count in line["tokens"].items() if kind in _COUNTED}
        asked = None if line["asked"] is None else orjson.dumps(line["asked"]).decode()
        more = {
            "replicate": int(line["replicate"]),
            "asked": asked,
            "asking": asking.hash if asking else None,
            **dict.fromkeys(_TOKENS),
            **tokens,
        }
        rows.append({**{name: line.get(name) for name in _KEPT}, **more})
    if rows:
        connection.insert("calls", tuple(rows[0]), [tuple(row.values()) for row in rows])


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
