"""The pace at which all workers together ask one model: a shared rate, and pauses that one worker is told of."""

from __future__ import annotations

from typing import NamedTuple

from haechi.store.connection import Connection, DatabaseRow
from haechi.store.holders import clock

_LONGEST_PAUSE = 60.0


class Signal(NamedTuple):
    """What concerns every worker: when one was told that the model is busy, how long ago, and the pause left."""

    busy_at: float = 0.0
    ago: float = 0.0
    pause: float = 0.0


def known_pace(connection: Connection, model: str) -> Signal:
    """What the workers know of a model by now."""
    row = connection.row(_PACE, model=model)
    if row is None:
        return Signal()
    moment = clock(connection)
    return Signal(row.busy_at, moment - row.busy_at, max(0.0, row.closed_until - moment))


def note_busy(connection: Connection, model: str, ago: float, after: float | None) -> float:
    """One worker was told to slow down, about a request that left `ago` seconds before; gives `busy_at`.

    Requests that were on their way together count once, whoever sent them; a wish to wait holds back everybody.
    """
    row, moment = _row(connection, model), clock(connection)
    busy_at: float = moment if moment - ago > row.busy_at else row.busy_at
    closed = moment + min(after, _LONGEST_PAUSE) if after else 0.0
    connection.execute(
        "UPDATE paces SET busy_at = :busy_at, closed_until = :closed_until WHERE model = :model",
        busy_at=busy_at,
        closed_until=max(row.closed_until, closed),
        model=model,
    )
    return busy_at


def take_slots(connection: Connection, model: str, count: int, rate: float) -> list[float]:
    """Reserve the next `count` moments at which a request may leave: seconds from now, evenly spaced.

    rate: requests per minute. A slot that is not used is not used by anybody: the rate is never exceeded.
    """
    row, moment, gap = _row(connection, model), clock(connection), 60.0 / rate
    first = max(moment, row.next_at, row.closed_until)
    reserved = "UPDATE paces SET next_at = :next_at WHERE model = :model"
    connection.execute(reserved, next_at=first + count * gap, model=model)
    return [first - moment + number * gap for number in range(count)]


def _row(connection: Connection, model: str) -> DatabaseRow:
    connection.execute(
        """INSERT INTO paces (model, next_at, closed_until, busy_at) VALUES (:model, 0, 0, 0)
        ON CONFLICT DO NOTHING""",
        model=model,
    )
    (row,) = connection.rows(_PACE, model=model)
    return row


_PACE = "SELECT next_at, closed_until, busy_at FROM paces WHERE model = :model"
