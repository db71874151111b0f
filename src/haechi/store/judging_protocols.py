"""How judges were asked, as the journal has it: each way once, what they were told once, the bytes of every request, and questions that are no judgements."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from haechi.data.judging_protocol import JudgingProtocol
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.database import now

_WINDOW = 32_000  # of zlib's dictionary
_LEVEL = 3
_PLAIN, _UTF8 = b"a", b"u"  # the first byte says how the dictionary is written


class JudgeInstructions(NamedTuple):
    """What a judge is told without the item, under the hash of it; the schema of the reply as JSON."""

    hash: str
    system: str
    schema: str


def keep_asking(connection: Connection, asking: JudgingProtocol) -> None:
    """Note a way of asking, once."""
    connection.execute(
        "INSERT INTO askings (hash, written, at) VALUES (:hash, :written, :at) ON CONFLICT DO NOTHING",
        hash=asking.hash,
        written=asking.written,
        at=now(),
    )


def keep_told(connection: Connection, told: Iterable[JudgeInstructions]) -> None:
    """Note what judges are told, once."""
    connection.many(
        """INSERT INTO instructions (hash, system, schema, at) VALUES (:hash, :system, :schema, :at)
        ON CONFLICT DO NOTHING""",
        [(*one, now()) for one in told],
    )


def all_told(connection: Connection) -> dict[str, JudgeInstructions]:
    """What judges were told, by hash."""
    return {
        row.hash: JudgeInstructions(*row)
        for row in connection.rows("SELECT hash, system, schema FROM instructions")
    }


def pack_request(body: bytes, told: JudgeInstructions | None) -> bytes:
    """A request in few bytes: what it has in common with others, the instructions, is not kept again.

    >>> told = JudgeInstructions("1f", "rate it " * 100, "{}")
    >>> body = ('{"system": "' + told.system + '"}').encode()
    >>> len(pack_request(body, told)) < 40, unpack_request(pack_request(body, told), told) == body
    (True, True)
    """
    way = _PLAIN if body.isascii() else _UTF8  # some SDKs write every letter of Hangul as \uXXXX
    whole = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _dictionary(told, way))
    return way + whole.compress(body) + whole.flush()


def unpack_request(found: bytes, told: JudgeInstructions | None) -> bytes:
    """A request as it was sent."""
    whole = zlib.decompressobj(-15, _dictionary(told, found[:1]))
    return whole.decompress(found[1:]) + whole.flush()


@lru_cache(maxsize=64)
def _dictionary(told: JudgeInstructions | None, way: bytes) -> bytes:
    if told is None:
        return b""
    system = json.dumps(told.system, ensure_ascii=way == _PLAIN)
    return f"{system}{told.schema}".encode("utf-8", "replace")[-_WINDOW:]


class ProtocolUse(NamedTuple):
    """Answered calls of one rater that were asked in one way: by which version of the model, how many, and when.

    asking is None where another tool asked, or an earlier version that did not note it.
    """

    rater: str
    asking: JudgingProtocol | None
    version: str | None
    calls: int
    first: str
    last: str


def answered_calls(
    connection: Connection,
    by: str,
    more: str = "",
    raters: Collection[str] | None = None,
    items: Collection[str] | None = None,
) -> list[DatabaseRow]:
    """Calls that gave the ratings in force, one row for all that share the columns `by`, the earliest first: the one query for how ratings came about.

    more: what else is wanted of each, such as `count(*) AS n`. What came with an import that was taken back is not among them.
    """
    chosen = {"rater": raters, "item": items}
    given = {f"{name}s": list(wanted) for name, wanted in chosen.items() if wanted is not None}
    only = "".join(f" AND {name} = ANY(:{name}s)" for name, wanted in chosen.items() if wanted is not None)
    return connection.rows(
        f"""SELECT {by}{", " if more else ""}{more} FROM calls WHERE state = 'answered'
        AND coalesce(arrival, '') NOT IN (SELECT arrival FROM taken_back){only}
        GROUP BY {by} ORDER BY min(number)""",
        **given,
    )


def askings(connection: Connection) -> dict[str | None, JudgingProtocol]:
    """Every way of asking that is on record, by its hash."""
    rows = connection.rows("SELECT hash, written FROM askings")
    return {row.hash: JudgingProtocol.read(row.written) for row in rows}


def asked_ways(connection: Connection) -> list[ProtocolUse]:
    """How every judge was asked, the earliest way first."""
    more = "count(*) AS n, min(at) AS first, max(at) AS last"
    rows, known = answered_calls(connection, "rater, asking, version", more), askings(connection)
    uses = [ProtocolUse(r.rater, known.get(r.asking), r.version, r.n, r.first, r.last) for r in rows]
    return sorted(uses, key=lambda use: use.rater)


class KnownQuestion(NamedTuple):
    """A question to a model that is no judgement, and has left: the reply as it came, None while none has; and what it may cost at most, where that is known."""

    reply: str | None
    worst: float | None


def asked_question(connection: Connection, asked: str) -> KnownQuestion | None:
    """What is known of a question, by its hash; None where it was never asked."""
    row = connection.row("SELECT reply, worst FROM questions WHERE asked = :asked", asked=asked)
    return None if row is None else KnownQuestion(row.reply, row.worst)


def begin_question(connection: Connection, asked: str, model: str, worst: float | None) -> None:
    """Keep a question before it leaves; one that left before, and whose answer never came, leaves again."""
    connection.execute("DELETE FROM questions WHERE asked = :asked AND reply IS NULL", asked=asked)
    connection.execute(
        "INSERT INTO questions (asked, model, worst, at) VALUES (:asked, :model, :worst, :at)",
        asked=asked,
        model=model,
        worst=worst,
        at=now(),
    )


def finish_question(connection: Connection, asked: str, reply: str) -> None:
    """Keep what came back."""
    connection.execute(
        "UPDATE questions SET reply = :reply, at = :at WHERE asked = :asked",
        reply=reply,
        at=now(),
        asked=asked,
    )
