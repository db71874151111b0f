"""Conversations of participants with the AI under test: every message is kept before it counts as sent."""

from __future__ import annotations

import uuid

from haechi.data.item import Item
from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.items import add_items


@frozen
class TalkMessage:
    """One message of a conversation."""

    turn: int
    role: str
    content: str
    at: str


@frozen
class Spent:
    """How often the AI was asked for somebody, and what that cost at most, in dollars."""

    asks: int
    cost: float


def read_talk(connection: Connection, rater: str) -> list[TalkMessage]:
    """A participant's conversation so far."""
    rows = connection.rows(
        "SELECT turn, role, content, at FROM talks WHERE rater = :rater ORDER BY turn", rater=rater
    )
    return [TalkMessage(*row) for row in rows]


def is_over(connection: Connection, rater: str) -> bool:
    """Whether a participant's conversation has become an item."""
    query = "SELECT count(*) FROM desk_raters WHERE name = :rater AND only_item IS NOT NULL"
    return bool(connection.value(query, rater=rater))


def is_said(connection: Connection, rater: str, identifier: str) -> bool:
    """Whether a message is there already: whoever hears no answer sends it again."""
    query = "SELECT count(*) FROM talks WHERE rater = :rater AND id = :id"
    return bool(connection.value(query, rater=rater, id=identifier))


def say(connection: Connection, rater: str, role: str, content: str, identifier: str | None = None) -> None:
    """Keep a message after the last one."""
    connection.execute(
        """INSERT INTO talks (rater, turn, role, id, content, at) VALUES (:rater,
        (SELECT coalesce(max(turn), 0) + 1 FROM talks WHERE rater = :rater), :role, :id, :content, :at)""",
        rater=rater,
        role=role,
        id=identifier,
        content=content,
        at=now(),
    )


def note_ask(connection: Connection, rater: str, model: str, most: float | None) -> int:
    """Note that the AI is about to be asked, which costs `most` at most; gives the number of the note."""
    return int(
        connection.value(
            "INSERT INTO talk_asks (rater, model, cost, at) VALUES (:rater, :model, :cost, :at) RETURNING number",
            rater=rater,
            model=model,
            cost=most,
            at=now(),
        )
    )


def note_cost(connection: Connection, number: int, cost: float) -> None:
    """Note what asking did cost."""
    connection.execute("UPDATE talk_asks SET cost = :cost WHERE number = :number", cost=cost, number=number)


def spent_in_talk(connection: Connection, rater: str) -> Spent:
    """What a participant's conversation took so far."""
    row = connection.rows(
        "SELECT count(*), coalesce(sum(cost), 0) FROM talk_asks WHERE rater = :rater", rater=rater
    )[0]
    return Spent(int(row[0]), float(row[1]))


def end_talk(connection: Connection, rater: str, model: str) -> str:
    """Make the conversation an item, which its participant is the first to rate; gives its id. Done again it is the same."""
    messages = [
        {"role": one.role, "content": one.content, "time": one.at} for one in read_talk(connection, rater)
    ]
    item = Item(f"talk-{rater}", "dialogue", {"messages": messages}, {"participant": rater, "model": model})
    add_items(connection, [("talk", item)], uuid.uuid4().hex)
    connection.execute(
        "UPDATE desk_raters SET only_item = :item WHERE name = :rater", item=item.id, rater=rater
    )
    return item.id
