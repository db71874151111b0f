"""Judging in batches: put together from the database, noted, and sent."""

from __future__ import annotations

import asyncio
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from haechi.judge.asks import Judge, call_row, new_asks, note_asks
from haechi.judge.budget import Budget
from haechi.judge.limiter import pause_before
from haechi.judge.providers.base import Client, Limits, Misconfigured, TryAgain
from haechi.judge.providers.faults import translate_free
from haechi.store.batches import begin_batch, close_open_calls, end_batch, mark_batch, renew_batch
from haechi.store.connection import Connection
from haechi.store.database import Database, now
from haechi.store.due_items import DueItem, JudgeQuestion, due_items
from haechi.store.holders import RENEWED_EVERY
from haechi.store.jobs import renew_worker
from haechi.store.judging_protocols import JudgeInstructions, pack_request
from haechi.text import Text

_CHUNK = 200
_TRIES = 3
_NOTHING = Text("물을 것이 없음", "nothing to ask")


@dataclass
class SubmissionResult:
    """What a submission did."""

    rater: str
    batches: list[str] = field(default_factory=list)
    requests: int = 0
    bound: float = 0.0
    stopped: Text | None = None


class BatchRun:
    """Puts everything that is due into batches, within the provider's limits, and sends them."""

    def __init__(self, database: Database, judge: Judge, client: Client, budget: Budget) -> None:
        self._database, self._judge, self._client, self._budget = database, judge, client, budget
        self._result = SubmissionResult(judge.rater)

    async def run(self, questions: list[JudgeQuestion], limit: int | None = None) -> SubmissionResult:
        """Send batches until nothing is due; each is complete in itself and can be collected alone."""
        cursor = _Cursor(questions, limit)
        with self._database.write_alone() as connection:
            self._budget.join(connection)
        try:
            while cursor.question is not None and self._result.stopped is None:
                await self._one(cursor)
        finally:
            with self._database.write_alone() as connection:
                self._budget.leave(connection)
        return self._result

    async def _one(self, cursor: _Cursor) -> None:
        with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
            path = Path(folder) / "requests.jsonl"
            identifier = f"haechi-{uuid.uuid4().hex}"
            count = self._put_together(identifier, path, cursor)
            if count:
                await self._send(identifier, path, count)

    def _put_together(self, identifier: str, path: Path, cursor: _Cursor) -> int:
        """Claim items and write their requests; one chunk is in memory at a time."""
        with self._database.write_alone() as connection:
            begin_batch(
                connection, identifier, self._judge.rater, self._judge.model.spec, self._budget.worker
            )
        load = _Load(self._client.limits)
        with path.open("wb") as file:
            while not load.full and (question := cursor.question) is not None:
                room = min(_CHUNK, load.room, cursor.left)
                with self._database.write_alone() as connection:
                    due = due_items(connection, question, self._judge.rubric.item, cursor.after, room)
                    rows = self._fill(connection, file, load, cursor, question, due, identifier)
                    note_asks(connection, self._judge, rows)
                    self._renew(connection, identifier)
                if len(due) < room and not load.full:
                    cursor.next_question()
        if load.count:
            self._mark(identifier, state="sending", requests=load.count)
        else:
            with self._database.write_alone() as connection:
                end_batch(connection, identifier, "cancelled", _NOTHING.kept)
        return load.count

    def _renew(self, connection: Connection, identifier: str) -> None:
        renew_batch(connection, identifier)
        renew_worker(connection, self._budget.worker)

    def _fill(
        self,
        connection: Connection,
        file: BinaryIO,
        load: _Load,
        cursor: _Cursor,
        question: JudgeQuestion,
        due: list[DueItem],
        identifier: str,
    ) -> list[tuple[JudgeInstructions, dict[str, Any]]]:
        rows, room = [], self._budget.room(connection)
        for one, ask in zip(due, new_asks(self._judge, question, due), strict=True):
            line = self._client.line(ask.request)
            bound = self._budget.bound(ask.request, self._judge.price, batch=True)
            if not load.takes(line):
                break
            if bound > room:
                spent = self._budget.spent(connection)
                self._result.stopped, load.full = self._budget.words(spent, bound), True
                break
            room -= bound
            file.write(line)
            load.add(line)
            self._result.bound += bound
            cursor.taken(one.number)
            held: dict[str, Any] = {"batch": identifier, "job": self._budget.job, "reserved": bound}
            held |= {"request": pack_request(line.rstrip(b"\n"), ask.made.told)}
            rows.append((ask.made.told, call_row(ask, self._judge, "batch", **held)))
        return rows

    async def _send(self, identifier: str, path: Path, count: int) -> None:
        holding = asyncio.create_task(self._hold(identifier))
        try:
            tried = await self._submit(identifier, path)
        except Misconfigured as error:
            problem = error.problems[0]
            self._not_sent(identifier, Text(problem.say("ko"), problem.say("en")))
            raise
        finally:
            holding.cancel()
        if tried.remote is not None:
            self._mark(identifier, state="submitted", remote=tried.remote)
            self._result.batches.append(tried.remote)
            self._result.requests += count
            return
        self._result.stopped = tried.why
        if tried.doubtful:
            self._mark(identifier, reason=tried.words.kept, held_until=0.0)
        else:
            self._not_sent(identifier, tried.words)

    def _mark(self, identifier: str, **changes: Any) -> None:
        with self._database.write_alone() as connection:
            mark_batch(connection, identifier, submitted_at=now(), **changes)

    def _not_sent(self, identifier: str, words: Text) -> None:
        with self._database.write_alone() as connection:
            close_open_calls(connection, identifier, "cancelled", words.kept)
            end_batch(connection, identifier, "failed", words.kept)

    async def _submit(self, identifier: str, path: Path) -> _Tried:
        """Send a batch. What may have arrived is only looked for from then on, since it may be listed late."""
        since, words, doubtful = time.time(), Text(""), False
        for attempt in range(1, _TRIES + 1):
            after = None
            try:
                remote = await self._look_for(identifier, since, path) if words.ko else None
                if remote is None and not doubtful:
                    remote = await self._client.submit(path, identifier)
                if remote is not None:
                    return _Tried(remote)
            except TryAgain as error:
                words, after = error.words, error.after
                doubtful = doubtful or error.doubtful
            except Misconfigured:
                if not doubtful:
                    raise
                break
            if attempt < _TRIES:
                await asyncio.sleep(pause_before(attempt, after))
        return _Tried(None, words, doubtful)

    async def _look_for(self, identifier: str, since: float, path: Path) -> str | None:
        with translate_free():
            return await self._client.find(identifier, since, _ids(path).__contains__)

    async def _hold(self, identifier: str) -> None:
        while True:
            with self._database.write_alone() as connection:
                self._renew(connection, identifier)
            await asyncio.sleep(RENEWED_EVERY)


class _Tried(NamedTuple):
    """What came of sending a batch: its id, or why there is none and whether it may have arrived all the same."""

    remote: str | None
    words: Text = Text("")
    doubtful: bool = False

    @property
    def why(self) -> Text:
        if self.doubtful:
            return Text(
                f"보냈는지 알 수 없음: {self.words.ko}. haechi collect가 찾아보고, 도착하지 않았을 때만 다시 보냅니다",
                f"not known whether it arrived: {self.words.say('en')}; haechi collect looks for it, and it is sent again only if it did not arrive",
            )
        return Text(
            f"보내지 못함: {self.words.ko}. 같은 명령을 다시 실행하세요",
            f"could not be sent: {self.words.say('en')}; run the same command again",
        )


class _Load:
    """How full a batch is."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.count = self._bytes = 0
        self.full = False

    @property
    def room(self) -> int:
        return self._limits.requests - self.count

    def takes(self, line: bytes) -> bool:
        self.full = self.count > 0 and self._bytes + len(line) > self._limits.bytes
        return not self.full

    def add(self, line: bytes) -> None:
        self.count, self._bytes = self.count + 1, self._bytes + len(line)
        self.full = self.count >= self._limits.requests


class _Cursor:
    """Where a submission is: which question, after which item, and how many more may be asked."""

    def __init__(self, questions: list[JudgeQuestion], limit: int | None) -> None:
        self._questions, self.after = list(questions), 0
        self.left = limit if limit is not None else 2**62

    @property
    def question(self) -> JudgeQuestion | None:
        return self._questions[0] if self._questions and self.left > 0 else None

    def taken(self, number: int) -> None:
        self.after, self.left = number, self.left - 1

    def next_question(self) -> None:
        del self._questions[0]
        self.after = 0


def _ids(path: Path) -> frozenset[str]:
    with path.open("rb") as file:
        lines = (orjson.loads(line) for line in file)
        return frozenset(str(line.get("custom_id") or line.get("key")) for line in lines)
