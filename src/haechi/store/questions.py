"""Questions to models that are no judgements, in the journal: what has left, what it may cost, and what came back."""

from __future__ import annotations

from typing import NamedTuple

from haechi.store.connection import Connection
from haechi.store.database import now


class Asked(NamedTuple):
    """A question that has left: the reply as it came, None while none has; and what it may cost at most, where that is known."""

    reply: str | None
    worst: float | None


def asked_question(connection: Connection, asked: str) -> Asked | None:
    """What is known of a question, by its hash; None where it was never asked."""
    row = connection.row("SELECT reply, worst FROM questions WHERE asked = :asked", asked=asked)
    return None if row is None else Asked(row.reply, row.worst)


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
