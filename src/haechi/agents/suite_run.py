"""Asking an agent: many conversations at once, every turn written before it leaves and when it comes back."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from haechi.agents.items import item_of, messages_of, restore_reply, store_reply
from haechi.agents.plan import DueConversation, RunPlan
from haechi.agents.reply import Agent, AgentReply, AgentTurn, failed_reply
from haechi.judge.attempts import HOPELESS, Pace
from haechi.judge.limiter import Limiter, pause_before
from haechi.judge.providers.base import Misconfigured, TryAgain
from haechi.judge.throttle import Throttle
from haechi.store.agent_calls import SentTurn, note_again, note_ended, note_sent
from haechi.store.connection import Connection
from haechi.store.database import Database, now
from haechi.store.holders import LEASE, new_holder
from haechi.store.imports import record_import
from haechi.store.items import add_items
from haechi.store.writing_thread import WritingThread
from haechi.text import Text

_SETUP = frozenset({401, 402, 403, 404})  # nobody will be answered, if the first one is refused so

_FIRST_TRIES = 2


@dataclass
class SuiteRunResult:
    """What a run came to: conversations answered and failed now, their times, and its number in the history."""

    answered: int = 0
    failed: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    total_ms: list[float] = field(default_factory=list, repr=False)
    first_ms: list[float] = field(default_factory=list, repr=False)
    number: int | None = None
    stopped: Text | None = None

    @property
    def calls(self) -> int:
        """All that have ended."""
        return self.answered + self.failed

    cost, money = 0.0, ""  # nobody knows what an agent costs


class _Stopped(Exception):
    """Nothing more is sent."""


class SuiteRun:
    """One run: a plan, an agent, and a study of one kind of item.

    source: the suite's file, which the history names; retried: whether items take the place of failed ones.
    """

    def __init__(
        self,
        database: Database,
        kind: str,
        agent: Agent,
        pace: Pace,
        source: Path | None = None,
        retried: bool = False,
        advance: Callable[[SuiteRunResult], None] = lambda _: None,
    ) -> None:
        self._kind, self._agent, self._pace = kind, agent, pace
        self._source, self._retried, self._advance = source, retried, advance
        self._journal = WritingThread(database)
        self._throttle = Throttle(Limiter(pace.at_once), agent.name, pace.rate, self._journal.write)
        self._holder, self._arrival = new_holder(), uuid.uuid4().hex
        self._asked = SuiteRunResult()
        self._due: deque[DueConversation] = deque()
        self._unreachable, self._stopping = 0, False

    async def run(self, made: RunPlan) -> SuiteRunResult:
        """Ask all that is due. What is on its way when the run is stopped comes back and is kept."""
        self._due.extend(made.due)
        workers = [asyncio.create_task(self._work()) for _ in range(min(self._pace.at_once, len(made.due)))]
        try:
            await self._ended(workers)
        finally:
            self._stop(None)
            await asyncio.wait(workers) if workers else None
            self._journal.close()
        return self._asked

    async def _ended(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Wait for all; the first error of one stops the others, which keep what is on its way."""
        rest = set(workers)
        while rest:
            done, rest = await asyncio.wait(rest, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()

    def _stop(self, why: Text | None) -> None:
        self._asked.stopped = self._asked.stopped or why
        self._stopping = True
        self._due.clear()
        self._throttle.shut()

    async def _work(self) -> None:
        while self._due:
            with suppress(_Stopped):
                await self._converse(self._due.popleft())

    async def _converse(self, due: DueConversation) -> None:
        """Ask turn after turn, up to the last one or the first that fails."""
        case, replies = due.conversation.case, [restore_reply(text) for text in due.known.replies]
        session = (due.known.session if replies else None) or uuid.uuid4().hex
        sent = (due.conversation.item, self._agent.name, case.digest)
        last = due.known.last
        while len(replies) < len(case.turns) and not (replies and replies[-1].error):
            turn = AgentTurn(
                case.turns[len(replies)],
                messages_of(due.conversation, replies),
                case.context,
                (replies[-1].session if replies else None) or session,
                due.conversation.item,
                len(replies) + 1,
            )
            row = SentTurn(sent[0], turn.turn, *sent[1:], session, self._arrival, self._holder)
            last, reply = await self._turn(turn, row, last)
            replies.append(reply)
            await self._journal.write(partial(self._keep, number=last, due=due, replies=replies))
        self._count(due.conversation.item, replies[-1])

    async def _turn(self, turn: AgentTurn, row: SentTurn, after: int) -> tuple[int, AgentReply]:
        """Ask one turn, again as long as the agent is too busy to hear it; gives its number too."""
        held, number = self._pace.timeout + 2 * LEASE, None
        for attempt in range(1, self._pace.attempts + 1):
            entered = await self._throttle.enter()
            if self._stopping:
                self._throttle.give_back(entered)
                await self._give_up(number)
            try:
                if number is None:
                    number = await self._journal.write(
                        partial(note_sent, turn=row, after=after, seconds=held)
                    )
                else:
                    await self._journal.write(partial(note_again, number=number, seconds=held))
                if number is None:  # another process has gone on with it
                    raise _Stopped
                reply = await self._asked_once(turn)
            except TryAgain as error:
                await self._throttle.leave(entered, error.busy, error.after)
                if attempt < self._patience(error):
                    await self._throttle.wait(pause_before(attempt, error.after, self._pace.first_wait))
                    continue
                reply = failed_reply(str(error))
                self._unreachable += not error.busy
            except Misconfigured as error:
                self._throttle.give_back(entered)
                await self._refused(error, number)
            except BaseException:
                self._throttle.give_back(entered)
                raise
            else:
                await self._throttle.leave(entered)
                self._unreachable = 0
            break
        await self._check_hope(reply, number)
        return number or 0, reply

    def _patience(self, error: TryAgain) -> int:
        """How often one turn is asked; an agent that nobody has reached yet is hardly there."""
        return self._pace.attempts if error.busy or self._asked.answered else _FIRST_TRIES

    async def _asked_once(self, turn: AgentTurn) -> AgentReply:
        """One reply with its times; none in time is a reply too."""
        began, first = time.monotonic(), list[float]()

        def note_first() -> None:
            if not first:
                first.append(time.monotonic())

        try:
            async with asyncio.timeout(self._pace.timeout):
                reply = await self._agent.ask(turn, note_first)
        except TimeoutError:
            reply = failed_reply(f"timeout: no answer in {self._pace.timeout:g} s")
        seen = (first[0] - began) * 1000 if first else None
        return reply.timed(seen, (time.monotonic() - began) * 1000)

    async def _check_hope(self, reply: AgentReply, number: int | None) -> None:
        """An agent that is not there, or does not accept the first request, is no failing run: nothing is recorded."""
        nobody = not self._asked.answered
        if reply.error and nobody and (reply.refused in _SETUP or self._unreachable):
            words = Text(
                f"에이전트가 받지 않음: {reply.error}", f"the agent does not accept it: {reply.error}"
            )
            self._stop(words)
            await self._give_up(number)
        if self._unreachable >= HOPELESS:
            self._stop(Text(f"에이전트에 닿지 않음: {reply.error}", f"the agent is gone: {reply.error}"))

    async def _refused(self, error: Misconfigured, number: int | None) -> None:
        problem = error.problems[0]
        self._stop(Text(problem.say("ko"), problem.say("en")))
        await self._give_up(number)

    async def _give_up(self, number: int | None) -> None:
        if number is not None:
            await self._journal.write(partial(note_ended, number=number, state="cancelled"))
        raise _Stopped

    def _keep(
        self, connection: Connection, number: int, due: DueConversation, replies: Sequence[AgentReply]
    ) -> None:
        """Close a turn; with the last one the item comes into the study."""
        last, conversation = replies[-1], due.conversation
        note_ended(connection, number, "failed" if last.error else "answered", store_reply(last))
        if len(replies) < len(conversation.case.turns) and not last.error:
            return
        item = item_of(self._kind, conversation, replies, self._agent.name, now())
        if item is None:
            return
        if self._asked.number is None:
            files = [self._source] if self._source else []
            self._asked.number = record_import(connection, "items", self._arrival, files, {})
        add_items(connection, [(item.id, item)], self._arrival, replace=self._retried)

    def _count(self, item: str, last: AgentReply) -> None:
        if last.error:
            self._asked.failed += 1
            self._asked.failures[item] = last.error
        else:
            self._asked.answered += 1
            self._asked.total_ms += [last.total_ms] if last.total_ms is not None else []
            self._asked.first_ms += [last.first_ms] if last.first_ms is not None else []
        self._advance(self._asked)
