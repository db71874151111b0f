"""The next chunk of what is asked live: claimed in the journal, each request with its worst cost, before it leaves."""

from __future__ import annotations

from typing import NamedTuple

from haechi.judge.asks import Ask, Judge, call_row, new_asks, note_asks
from haechi.judge.budget import Budget
from haechi.store.connection import Connection
from haechi.store.due_items import JudgeQuestion, due_items
from haechi.store.jobs import Spending


class ClaimedChunk(NamedTuple):
    """A chunk: what to ask, the number of its last item, and, if money set its end, what the job has spent."""

    asks: list[Ask]
    after: int
    short: Spending | None = None
    next_cost: float = 0.0
    """What the request that no longer fits could have cost."""


def claim(
    connection: Connection,
    judge: Judge,
    question: JudgeQuestion,
    after: int,
    count: int,
    budget: Budget,
    given_back: bool = False,
) -> ClaimedChunk:
    """Take the next items for live judging: written into the journal, with their worst cost, before they leave.

    given_back: take only what another worker held and gave back or lost.
    """
    due = due_items(connection, question, judge.rubric.item, after, count, given_back)
    asks, rows, room, bound, short = [], [], budget.room(connection), 0.0, False
    for one, ask in zip(due, new_asks(judge, question, due), strict=True):
        bound = budget.bound(ask.request, judge.price)
        if bound > room:
            short = True
            break
        room -= bound
        held = {"holder": budget.worker, "job": budget.job, "reserved": bound}
        asks.append(ask)
        rows.append((ask.made.told, call_row(ask, judge, "live", **held)))
        after = one.number
    note_asks(connection, judge, rows)
    return ClaimedChunk(asks, after, budget.spent(connection) if short else None, bound)
