"""The journal: what was asked of AI judges, and everything that came back.

A call is written before it leaves (`sent`), and its end is written when it is known: `answered`, `failed`, or
`lost` when the process that sent it is gone. While a call is open nobody else asks the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from haechi.store.connection import Connection, DatabaseRow, insert_into, setting
from haechi.store.database import now
from haechi.store.holders import clock, is_dead, lease_end
from haechi.store.jobs import doubt_lost, settle_calls


def known_calls(connection: Connection, ids: Collection[str]) -> set[str]:
    """Which of these calls the journal has already; those of an import that was taken back count as unknown."""
    query = """SELECT id FROM calls WHERE id = ANY(:ids)
        AND coalesce(arrival, '') NOT IN (SELECT arrival FROM taken_back)"""
    return set(connection.values(query, ids=list(ids)))


_COLUMNS = (
    *(
        "id",
        "item",
        "rater",
        "model",
        "replicate",
        "part",
        "asked",
        "prompt",
        "lang",
        "way",
        "state",
        "batch",
    ),
    *("holder", "held_until", "attempts", "reply", "reason", "version"),
    *("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"),
    *("seconds", "cost", "at", "answered_at", "job", "reserved", "arrival"),
    *("asking", "instructions", "request", "reply_sha256", "left_at"),
)
_BLANK: dict[str, Any] = {**dict.fromkeys(_COLUMNS), "replicate": 1, "part": "", "attempts": 1}


def write_calls(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Write calls into the journal; what a row leaves out stays empty. A holder holds them from now on."""
    if rows:
        until = lease_end(connection)
        held = ({"held_until": until if row.get("holder") else None} for row in rows)
        whole = (_BLANK | row | lease for row, lease in zip(rows, held, strict=True))
        again = "ON CONFLICT (id) DO UPDATE SET arrival = excluded.arrival"  # it was taken back meanwhile
        statement = f"{insert_into('calls', _COLUMNS)} {again if rows[0].get('arrival') else ''}"
        connection.many(statement, [tuple(row.values()) for row in whole])


def finish_calls(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Write how calls ended; each row has the call's `id` and what is known of it."""
    if rows:
        columns, ids = [name for name in rows[0] if name != "id"], [row["id"] for row in rows]
        doubt_lost(connection, ids, ended=True)
        # The request of a batch is known since it was put together.
        changes = setting(columns).replace("= :request,", "= coalesce(:request, request),")
        connection.many(
            f"UPDATE calls SET {changes} WHERE id = :id",
            [(*(row[name] for name in columns), row["id"]) for row in rows],
        )
        settle_calls(connection, ids)


def open_calls(connection: Connection, ids: Collection[str]) -> dict[str, DatabaseRow]:
    """The calls among these that still wait for their answer, by id."""
    query = f"SELECT {', '.join(_COLUMNS)} FROM calls WHERE id = ANY(:ids) AND state = 'sent'"
    return {row.id: row for row in connection.rows(query, ids=list(ids))}


def renew(connection: Connection, holder: str) -> None:
    """Hold the claims of a run for another while."""
    connection.execute(
        "UPDATE calls SET held_until = :until WHERE holder = :holder AND state = 'sent'",
        until=lease_end(connection),
        holder=holder,
    )


def let_go(connection: Connection, holder: str, ids: Collection[str]) -> set[str]:
    """Note that claimed calls leave now, each time they do; gives those that are still this run's, and may."""
    return set(
        connection.values(
            """UPDATE calls SET left_at = coalesce(left_at, :at), attempts = attempts + 1, held_until = :until
            WHERE id = ANY(:ids) AND holder = :holder AND state = 'sent' RETURNING id""",
            at=now(),
            until=lease_end(connection),
            ids=list(ids),
            holder=holder,
        )
    )


def release(connection: Connection, holder: str, state: str = "lost") -> int:
    """End the open live calls of a run, such as one that was stopped; what never left is not lost. Says how many are."""
    ended = connection.rows(
        """UPDATE calls SET state = CASE WHEN left_at IS NULL THEN 'cancelled' ELSE :state END, answered_at = :at
        WHERE coalesce(holder, '') = :holder AND state = 'sent' AND way = 'live' RETURNING id, state""",
        state=state,
        at=now(),
        holder=holder,
    )
    lost = [row.id for row in ended if row.state == "lost"]
    doubt_lost(connection, lost)
    return len(lost)


def release_dead(connection: Connection) -> int:
    """End the open live calls of processes that are gone; says how many there were."""
    held = connection.rows(
        """SELECT coalesce(holder, '') AS holder, max(held_until) AS until FROM calls
        WHERE state = 'sent' AND way = 'live' GROUP BY coalesce(holder, '')"""
    )
    moment = clock(connection)
    dead = [row.holder for row in held if is_dead(row.holder, row.until or 0, moment)]
    return sum(release(connection, holder) for holder in dead)


class Ended(NamedTuple):
    """What became of the calls of a job: answered and failed ones, and dollars; None where a price is unknown."""

    answered: int
    failed: int
    paid: float | None


def ended_calls(connection: Connection, job: str) -> Ended:
    """How far a job is, whoever works on it."""
    rows = connection.rows("SELECT state, count(*) AS n FROM calls WHERE job = :job GROUP BY state", job=job)
    counted = {row.state: row.n for row in rows}
    paid = connection.value("SELECT paid FROM jobs WHERE name = :job", job=job)
    unknown = "SELECT count(*) FROM calls WHERE job = :job AND state = 'answered' AND cost IS NULL"
    is_known = not connection.value(unknown, job=job)
    return Ended(counted.get("answered", 0), counted.get("failed", 0), (paid or 0.0) if is_known else None)


def calls_of(connection: Connection, job: str) -> int:
    """How many calls a job has made: those that have ended, and those that wait in a batch."""
    query = """SELECT count(*) FROM calls WHERE job = :job
        AND (state IN ('answered', 'failed') OR (state = 'sent' AND way = 'batch'))"""
    return int(connection.value(query, job=job))


def held_by_others(connection: Connection, rater: str, holder: str) -> int:
    """How many live questions to a judge other workers hold."""
    query = """SELECT count(*) FROM calls
        WHERE rater = :rater AND state = 'sent' AND way = 'live' AND holder <> :holder"""
    return int(connection.value(query, rater=rater, holder=holder))


def count_open(connection: Connection, rater: str) -> int:
    """How many questions to a judge are open: in a batch, or held by another process."""
    query = "SELECT count(*) FROM calls WHERE rater = :rater AND state = 'sent'"
    return int(connection.value(query, rater=rater))


def spent_by_rater(connection: Connection) -> list[DatabaseRow]:
    """Per rater: calls, tokens, recorded cost, and how many calls have no known price."""
    return connection.rows(
        """SELECT rater, count(*) AS calls, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
            sum(cost) AS cost, sum(saved_by_cache) AS saved_by_cache, sum(saved_by_batch) AS saved_by_batch,
            sum(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS without_price
        FROM calls WHERE state IN ('answered', 'failed') GROUP BY rater ORDER BY rater"""
    )


class Usual(NamedTuple):
    """What a judge's answers were like so far: how many there are, and their tokens on average; thinking is output."""

    answers: int
    input: float
    cached: float
    cache_write: float
    output: float


def usual_answer(connection: Connection, rater: str) -> Usual:
    """The average answer of a judge."""
    ((answers, *tokens),) = connection.rows(
        """SELECT count(output_tokens), avg(input_tokens), avg(coalesce(cached_tokens, 0)),
            avg(coalesce(cache_write_tokens, 0)), avg(output_tokens)
        FROM calls WHERE rater = :rater AND state = 'answered' AND output_tokens IS NOT NULL""",
        rater=rater,
    )
    return Usual(int(answers), *(float(mean or 0) for mean in tokens))
