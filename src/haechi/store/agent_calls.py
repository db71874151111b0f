"""What was asked of agents under test, turn by turn, and what came back.

A turn is written before it leaves (`sent`), and its end when it is known: `answered`, `failed`, or `lost` when the
process that asked is gone. All turns of one attempt at a conversation have one `session`; the newest one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from haechi.store.connection import Connection, DatabaseRow
from haechi.store.database import now
from haechi.store.holders import clock, is_dead

CallState = Literal["sent", "answered", "failed", "lost", "cancelled"]


@dataclass
class ConversationState:
    """What is known of a conversation: `last` is the number of its newest turn, the rest that of its newest session in force.

    state: how the last turn stands that was not lost, None if nothing counts yet.
    """

    last: int = 0
    agent: str | None = None
    asked: str | None = None
    session: str | None = None
    state: CallState | None = None
    replies: list[str] = field(default_factory=list)


class SentTurn(NamedTuple):
    """A turn that is about to leave."""

    item: str
    turn: int
    agent: str
    asked: str
    session: str
    arrival: str
    holder: str


def known_conversations(connection: Connection, items: Sequence[str]) -> dict[str, ConversationState]:
    """What is known of the conversations of some items; what was taken back does not count."""
    sessions: dict[str, dict[str, list[DatabaseRow]]] = {}
    last: dict[str, int] = {}
    for row in connection.rows(
        """SELECT number, item, agent, asked, session, state, reply,
            arrival IN (SELECT arrival FROM taken_back) AS gone
        FROM agent_calls WHERE item = ANY(:items) ORDER BY number""",
        items=list(items),
    ):
        last[row.item] = row.number
        if row.state not in ("lost", "cancelled"):
            sessions.setdefault(row.item, {}).setdefault(row.session, []).append(row)
    return {item: _known(number, sessions.get(item, {}).values()) for item, number in last.items()}


def _known(last: int, sessions: Iterable[list[DatabaseRow]]) -> ConversationState:
    """The newest session that is in force: an item came with the last turn of its session, and goes with it."""
    in_force = [turns for turns in sessions if not turns[-1].gone]
    if not in_force:
        return ConversationState(last)
    turns = in_force[-1]
    newest = turns[-1]
    replies = [turn.reply for turn in turns if turn.state == "answered"]
    return ConversationState(last, newest.agent, newest.asked, newest.session, newest.state, replies)


def note_sent(connection: Connection, turn: SentTurn, after: int, seconds: float) -> int | None:
    """Write a turn before it leaves, held for some seconds; None if somebody else has gone on with the conversation.

    after: the number of the newest turn that the caller knows.
    """
    newest = connection.value("SELECT max(number) FROM agent_calls WHERE item = :item", item=turn.item)
    if (newest or 0) != after:
        return None
    return int(
        connection.value(
            """INSERT INTO agent_calls
                (item, turn, agent, asked, session, arrival, state, holder, held_until, attempts, at)
            VALUES (:item, :turn, :agent, :asked, :session, :arrival, 'sent', :holder, :until, 1, :at)
            RETURNING number""",
            until=clock(connection) + seconds,
            at=now(),
            **turn._asdict(),
        )
    )


def note_again(connection: Connection, number: int, seconds: float) -> None:
    """A turn that the agent was too busy for leaves once more."""
    connection.execute(
        "UPDATE agent_calls SET attempts = attempts + 1, held_until = :until WHERE number = :number",
        until=clock(connection) + seconds,
        number=number,
    )


def note_ended(connection: Connection, number: int, state: CallState, reply: str | None = None) -> None:
    """Write how a turn ended."""
    connection.execute(
        "UPDATE agent_calls SET state = :state, reply = :reply, answered_at = :at WHERE number = :number",
        state=state,
        reply=reply,
        at=now(),
        number=number,
    )


class EndedTurns(NamedTuple):
    """How many turns were answered and failed."""

    answered: int
    failed: int


def newest_turn(connection: Connection) -> int:
    """The number of the newest turn; 0 if there is none."""
    return int(connection.value("SELECT max(number) FROM agent_calls") or 0)


def ended_turns(connection: Connection, after: int) -> EndedTurns:
    """What became of the turns that were asked after one, whoever asked them."""
    rows = connection.rows(
        "SELECT state, count(*) AS n FROM agent_calls WHERE number > :after GROUP BY state", after=after
    )
    counted = {row.state: row.n for row in rows}
    return EndedTurns(counted.get("answered", 0), counted.get("failed", 0))


def release_lost(connection: Connection) -> int:
    """End the open turns of processes that are gone; says how many there were."""
    moment = clock(connection)
    held = connection.rows("SELECT number, holder, held_until FROM agent_calls WHERE state = 'sent'")
    lost = [row.number for row in held if is_dead(row.holder, row.held_until, moment)]
    for number in lost:
        note_ended(connection, number, "lost")
    return len(lost)
