"""What came back in live judging is read and kept, and what a reply left out is asked once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haechi.judge.asks import Ask, Judge, call_row, new_ask, note_asks
from haechi.judge.budget import Budget
from haechi.judge.records import ReadAnswer, ReturnedAnswer, read_all, record
from haechi.store.connection import Connection
from haechi.store.journal import open_calls


class Answers:
    """Reads and writes the answers of one judge."""

    def __init__(self, judge: Judge, budget: Budget) -> None:
        self._judge, self._budget = judge, budget

    def read(self, some: list[ReturnedAnswer]) -> list[ReadAnswer]:
        """What the answers say."""
        judge = self._judge
        return read_all(some, judge.rubric, judge.model.provider, judge.price, batch=False)

    def keep(self, connection: Connection, reads: list[ReadAnswer], asked: Mapping[str, Ask]) -> list[Ask]:
        """Write answers, and claim what they left out; gives what is to be asked again.

        asked: the questions that may be asked again, by their ids.
        """
        ours = open_calls(connection, [read.returned.id for read in reads])
        record(connection, self._judge.rubric, reads)
        room, again = self._budget.room(connection), []
        for read in reads:
            ask = asked.get(read.returned.id)
            if ask is not None and read.returned.id in ours and _worth_asking_again(read, ask):
                follow_up, row = self._again(read, ask)
                if row["reserved"] <= room:
                    room -= row["reserved"]
                    again.append((follow_up, row))
        note_asks(connection, self._judge, [(ask.made.told, row) for ask, row in again])
        return [ask for ask, _ in again]

    def _again(self, read: ReadAnswer, ask: Ask) -> tuple[Ask, dict[str, Any]]:
        only = self._judge.only(ask.question, tuple(read.outcome.parsed.unanswered))
        again = new_ask(self._judge, ask.question, ask.item, only, follow_up=True)
        bound = self._budget.bound(again.request, self._judge.price)
        held = {"holder": self._budget.worker, "job": self._budget.job, "reserved": bound}
        return again, call_row(again, self._judge, "live", **held)


def _worth_asking_again(read: ReadAnswer, ask: Ask) -> bool:
    """What a reply left out is asked once more; a refusal or an error waits for the next run."""
    return bool(read.outcome.parsed.unanswered) and read.reply.error is None and not ask.follow_up
