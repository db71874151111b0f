"""One question to a provider, asked again as long as that can help."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection

import orjson

from haechi.frozen import frozen
from haechi.judge.asks import Ask, Judge
from haechi.judge.limiter import pause_before
from haechi.judge.providers.base import Client, TryAgain
from haechi.judge.providers.exchange import note_exchanges
from haechi.judge.providers.money import about_tokens
from haechi.judge.records import ReturnedAnswer
from haechi.judge.throttle import Throttle
from haechi.text import Text

HOPELESS = 20  # failures in a row, without one answer, after which a provider is given up for this run


@frozen
class Pace:
    """How fast and how patiently a provider is asked."""

    at_once: int = 32
    timeout: float = 300.0
    attempts: int = 6
    first_wait: float = 0.5
    patience: float = 900.0
    """Seconds without one answer after which a provider that is only ever busy is given up."""
    rate: float | None = None
    """Requests per minute of all processes that judge the study with this model; None for no such limit."""


class Departures:
    """Notes what leaves before it does, so that of a process that is gone nobody takes for lost what never left.

    It notes in groups: all that gather while one group is being written make the next.

    note: writes that these calls leave, and gives those that still may.
    """

    def __init__(self, note: Callable[[Collection[str]], Awaitable[set[str]]]) -> None:
        self._note = note
        self._waiting: dict[str, asyncio.Future[bool]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def leave(self, call: str) -> bool:
        """Whether the call may leave; it is on the disk by then that it does."""
        may: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[call] = may
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await may

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, {}
            try:
                ours = await self._note(group)
            except Exception as error:  # noqa: BLE001 - it is raised by whoever waits
                for may in group.values():
                    if not may.done():
                        may.set_exception(error)
                continue
            for call, may in group.items():
                if not may.done():
                    may.set_result(call in ours)


class Attempts:
    """Asks a provider, through the throttle.

    leave: notes that a request leaves, and says if it may; may_ask_again: notes that a request without an answer may have
    been paid, and says if another one fits too.
    """

    def __init__(
        self,
        client: Client,
        judge: Judge,
        pace: Pace,
        throttle: Throttle,
        leave: Callable[[str], Awaitable[bool]],
        may_ask_again: Callable[[Ask], Awaitable[bool]],
    ) -> None:
        self._client, self._judge, self._pace, self._throttle = client, judge, pace, throttle
        self._leave, self._may_ask_again = leave, may_ask_again
        self._failures, self._stopping = 0, False
        self._last_answer = time.monotonic()
        self.hopeless: Text | None = None
        """Why there is no use in asking this provider any more."""

    def stop(self) -> None:
        """Send nothing more; what is on its way comes back."""
        self._stopping = True
        self._throttle.shut()

    async def ask(self, ask: Ask) -> ReturnedAnswer | None:
        """The answer, or why there is none after several attempts; None if nothing was sent before a stop."""
        return self._too_long(ask) or await self._asked(ask)

    def _too_long(self, ask: Ask) -> ReturnedAnswer | None:
        window = self._judge.price.window if self._judge.price else None
        window = window or getattr(getattr(self._client, "dialect", None), "window", None)
        system, user = ask.request.system, ask.request.user
        if window is None or len(system) + len(user) <= window:  # the count is never above that
            return None
        about = about_tokens(system) + about_tokens(user)
        # The count is a guess, so only what is far too long is refused here; the provider says the rest.
        if about * 0.7 <= window:
            return None
        why = Text(
            f"약 {about:,}토큰으로 모델의 창({window:,}토큰)보다 김. 자르지 않았음",
            f"about {about:,} tokens, more than the model's window of {window:,}; nothing was cut",
        )
        return _returned(ask, None, why, 0.0, 0)

    async def _asked(self, ask: Ask) -> ReturnedAnswer | None:
        words, began, attempt, busy = Text(""), time.monotonic(), 0, 0
        while attempt - busy < self._pace.attempts and not (attempt and self._stopping):
            # Noting takes a moment. Where a place is free, it is taken after that and not kept empty meanwhile.
            free = self._throttle.lets_all_through
            if free and not await self._leave(ask.request.id):
                return None
            entered = await self._throttle.enter()
            if self._stopping:
                self._throttle.give_back(entered)
                break
            if not free and not await self._left(ask.request.id, entered):
                return None
            attempt += 1
            try:
                async with asyncio.timeout(self._pace.timeout):
                    with note_exchanges() as exchange:
                        line = await self._client.ask(ask.request)
            except (TryAgain, TimeoutError) as error:
                after = getattr(error, "after", None)
                await self._throttle.leave(entered, getattr(error, "busy", False), after)
                words = getattr(error, "words", None) or _no_answer_in(self._pace.timeout)
                # It may have been paid all the same: that counts, and another request must fit beside it.
                if getattr(error, "doubtful", True) and not await self._may_ask_again(ask):
                    break
                busy += getattr(error, "busy", False)  # being asked to wait is no failure
                if busy and time.monotonic() - self._last_answer > self._pace.patience:
                    self.hopeless = _only_busy(words)
                    return None  # nobody has refused this item
                if attempt - busy < self._pace.attempts and not self._stopping:
                    await self._throttle.wait(pause_before(attempt, after, self._pace.first_wait))
                continue
            except BaseException:
                self._throttle.give_back(entered, busy=True)
                raise
            await self._throttle.leave(entered)
            self._failures, self._last_answer = 0, time.monotonic()
            seconds = time.monotonic() - entered
            came = _returned(ask, orjson.dumps(line).decode(), None, seconds, attempt)
            return came._replace(exchange=exchange)
        if attempt == busy:  # nothing was sent, or nothing but a request to wait came back before the stop
            return None
        failure = Text(f"제공자가 답하지 않음: {words.ko}", f"the provider did not answer: {words.say('en')}")
        self._failures += 1
        if self._failures >= HOPELESS:
            self.hopeless = failure
        return _returned(ask, None, failure, time.monotonic() - began, attempt)

    async def _left(self, call: str, entered: float) -> bool:
        """Note a departure from inside; the place is given back if there is none."""
        may = False
        try:
            may = await self._leave(call)
        finally:
            if not may:
                self._throttle.give_back(entered)
        return may


def _only_busy(words: Text) -> Text:
    return Text(
        f"제공자가 오랫동안 바쁘다고만 답함: {words.ko}. 나중에 같은 명령을 다시 실행하면 이어서 묻습니다.",
        f"the provider has long said only that it is busy: {words.say('en')}. The same command goes on later.",
    )


def _no_answer_in(seconds: float) -> Text:
    return Text(f"{seconds:g}초 동안 응답이 없음", f"no answer in {seconds:g} s")


def _returned(
    ask: Ask, line: str | None, failure: Text | None, seconds: float, attempts: int
) -> ReturnedAnswer:
    question = ask.question
    asked = (ask.request.id, ask.item.id, question.rater, question.replicate, ask.only)
    return ReturnedAnswer(*asked, line, failure, seconds, attempts, told=ask.made.told)
