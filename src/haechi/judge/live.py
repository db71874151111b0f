"""Live judging: many requests at once, every answer kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from functools import partial
from typing import TypeVar

from haechi.judge.answers import Answers
from haechi.judge.asks import Ask, Judge
from haechi.judge.attempts import HOPELESS, Attempts, Departures, Pace
from haechi.judge.budget import Budget
from haechi.judge.chunks import claim
from haechi.judge.limiter import Limiter
from haechi.judge.providers.base import Client, Misconfigured
from haechi.judge.records import JudgeResult, JudgingTotals, ReturnedAnswer
from haechi.judge.throttle import Throttle
from haechi.store.connection import Connection
from haechi.store.database import Database
from haechi.store.due_items import JudgeQuestion
from haechi.store.holders import RENEWED_EVERY
from haechi.store.jobs import Spending, renew_worker
from haechi.store.journal import count_open, held_by_others, let_go, release, release_dead, renew
from haechi.store.paces import known_pace
from haechi.store.writing_thread import WritingThread
from haechi.text import Text

T = TypeVar("T")
_STAND_BY = 0.5  # seconds between looks at what other workers hold
_FEWEST = 32  # questions that wait at the beginning, when few are asked at once


class LiveRun:
    """One judge over all the items of a study that lack its values."""

    def __init__(
        self,
        database: Database,
        judge: Judge,
        client: Client,
        pace: Pace,
        budget: Budget,
        advance: Callable[[JudgingTotals], None],
    ) -> None:
        self._judge, self._journal = judge, WritingThread(database)
        self._pace, self._budget, self._advance = pace, budget, advance
        self._limiter = Limiter(pace.at_once, pace.first_wait)
        self._throttle = Throttle(self._limiter, judge.model.spec, pace.rate, self._journal.write)
        leave = Departures(self._note_departures).leave
        self._attempts = Attempts(client, judge, pace, self._throttle, leave, self._may_ask_again)
        self._answers = Answers(judge, budget)
        self._holder = budget.worker
        self._result = JudgeResult(judge.rater)
        self._queue: deque[Ask] = deque()  # claimed, not yet sent
        self._open: dict[str, Ask] = {}  # claimed, not yet recorded
        self._taken: set[str] = set()  # claims that others took over while this process slept
        self._pending: list[ReturnedAnswer] = []  # answered, not yet recorded
        self._busy = 0
        self._left: int | None = None  # of the limit
        self._stopping = False
        self._error: BaseException | None = None
        self._changed = asyncio.Event()

    async def run(self, questions: list[JudgeQuestion], limit: int | None = None) -> JudgeResult:
        """Ask everything that is due, at most `limit` calls; ends when no other worker holds anything either."""
        self._left = limit
        # Some more than may be on their way at once: while their departure is noted, no place stays empty.
        hands = self._pace.at_once + 1 + self._pace.at_once // 3
        tasks = [asyncio.create_task(self._guarded(self._work)) for _ in range(hands)]
        tasks += [asyncio.create_task(self._guarded(work)) for work in (self._beat, self._record)]
        try:
            await self._write(self._begin)
            await self._produce(questions)
            await self._until(lambda: not self._open or self._stopping)
        finally:
            try:
                await self._wind_up(tasks)
            finally:
                self._journal.close()
        if self._error is not None:
            raise self._error
        return self._result

    async def _wind_up(self, tasks: list[asyncio.Task[None]]) -> None:
        """What is on its way is paid for: wait for it and keep it, also when the run was stopped or has failed."""
        self._stop(None)
        recording = tasks[-1]
        await self._until(lambda: not self._busy)  # each call has its own limit of time
        await self._until(lambda: not self._pending or recording.done())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._pending:  # whoever records has failed, perhaps for a moment only
            await self._guarded(self._record_some)
        state = "cancelled" if self._error is None else "lost"
        self._result.elsewhere = await self._write(partial(self._end, state=state))

    def _begin(self, connection: Connection) -> None:
        self._result.lost += release_dead(connection)
        self._budget.join(connection)

    def _end(self, connection: Connection, state: str) -> int:
        release(connection, self._holder, state)
        self._budget.leave(connection)
        return count_open(connection, self._judge.rater)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the run ends with it and nothing is lost
            self._error = self._error or error
            self._stop(None)

    async def _produce(self, questions: list[JudgeQuestion]) -> None:
        """Claim all that is due, then stand by: what another worker gives back or loses is taken over."""
        await self._claim_all(questions, given_back=False)
        while not self._stopping and self._left != 0:
            held = await self._write(self._held_by_others)
            if not await self._claim_all(questions, given_back=True):
                if not held:
                    return
                await self._pause()

    async def _claim_all(self, questions: list[JudgeQuestion], given_back: bool) -> int:
        """Claim chunk after chunk, each when the last one is nearly sent; says how many calls it were."""
        taken = 0
        for question in questions:
            after = 0
            while not self._stopping and self._left != 0:
                await self._until(lambda: len(self._queue) < self._enough() / 2 or self._stopping)
                wished = self._enough() - len(self._queue)
                count = wished if self._left is None else min(wished, self._left)
                take = partial(
                    claim,
                    judge=self._judge,
                    question=question,
                    after=after,
                    count=count,
                    budget=self._budget,
                    given_back=given_back,
                )
                claimed = await self._write(take)
                after, taken = claimed.after, taken + len(claimed.asks)
                self._left = None if self._left is None else self._left - len(claimed.asks)
                self._add(claimed.asks)
                if claimed.short is not None:
                    await self._wait_for_money(claimed.short, claimed.next_cost)
                elif not claimed.asks:
                    break
        return taken

    def _enough(self) -> int:
        """How many claimed questions should wait, so that a place never stays empty while others are claimed."""
        return max(_FEWEST, 2 * int(self._limiter.limit))

    async def _wait_for_money(self, spent: Spending, next_cost: float) -> None:
        """What is on its way will cost less than its worst case: go on when it has, stop when that is all."""
        if not spent.live:
            self._stop(self._budget.words(spent, next_cost))
            return
        await self._pause()
        await self._write(self._held_by_others)

    async def _pause(self) -> None:
        """Wait for something to happen here, or long enough for it to have happened elsewhere."""
        self._changed.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), _STAND_BY)

    def _held_by_others(self, connection: Connection) -> int:
        self._result.lost += release_dead(connection)
        return held_by_others(connection, self._judge.rater, self._holder)

    def _add(self, asks: list[Ask]) -> None:
        self._open.update((ask.request.id, ask) for ask in asks)
        if not self._stopping:
            self._queue.extend(asks)
            self._changed.set()

    def _stop(self, why: Text | None) -> None:
        self._result.stopped = self._result.stopped or why
        self._stopping = True
        self._queue.clear()
        self._attempts.stop()
        self._changed.set()

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def _work(self) -> None:
        while True:
            await self._until(lambda: bool(self._queue))
            while self._queue:
                self._busy += 1
                try:
                    await self._ask(self._queue.popleft())
                finally:
                    self._busy -= 1
                    self._changed.set()

    async def _ask(self, ask: Ask) -> None:
        try:
            returned = await self._attempts.ask(ask)
        except Misconfigured as error:
            problem = error.problems[0]
            self._stop(Text(problem.say("ko"), problem.say("en")))
            return
        if returned is not None:
            self._pending.append(returned)
        elif ask.request.id in self._taken:
            self._open.pop(ask.request.id, None)
        if self._attempts.hopeless is not None:
            self._stop(self._attempts.hopeless)

    async def _note_departures(self, calls: Collection[str]) -> set[str]:
        """Note what leaves; a process that was asleep may have lost its claims to another one, which asks now."""
        # What was answered is written before more is asked: as much as may be on its way can be lost with the process, no more.
        await self._until(lambda: len(self._pending) <= self._pace.at_once or self._stopping)
        ours: set[str] = await self._journal.write(partial(let_go, holder=self._holder, ids=calls))
        self._taken |= set(calls) - ours
        return ours

    async def _may_ask_again(self, ask: Ask) -> bool:
        bound = self._budget.bound(ask.request, self._judge.price)
        self._result.perhaps += bound
        return not bound or await self._write(partial(self._budget.may_ask_again, bound=bound))

    async def _record(self) -> None:
        while True:
            await self._until(lambda: bool(self._pending))
            await self._record_some()

    async def _record_some(self) -> None:
        """Write what came back, all that has gathered since the last time together."""
        some = list(self._pending)
        reads = await asyncio.to_thread(self._answers.read, some)  # no other worker waits for that
        keep = partial(self._answers.keep, reads=reads, asked={} if self._stopping else self._open)
        follow_ups = await self._write(keep)
        for read in reads:
            self._result.done.add(read)
            self._open.pop(read.returned.id, None)
        del self._pending[: len(some)]
        self._add(follow_ups)
        self._changed.set()
        self._advance(self._result.done)
        if not self._result.done.answered and self._result.done.failed >= HOPELESS:
            why = next(iter(reads[-1].outcome.parsed.missing.values()))
            self._stop(
                Text(f"처음 응답이 모두 실패함: {why.ko}", f"all the first replies failed: {why.say('en')}")
            )

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(RENEWED_EVERY)
            await self._renew()

    async def _renew(self) -> None:
        def renewed(connection: Connection) -> None:
            renew_worker(connection, self._holder)
            renew(connection, self._holder)

        await self._write(renewed)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        """Do something in a transaction, and hear what other workers have learnt."""
        model = self._judge.model.spec
        result, signal = await self._journal.write(
            lambda connection: (work(connection), known_pace(connection, model))
        )
        self._throttle.heed(signal)
        return result
