"""The number of requests at once follows what the provider bears."""

from __future__ import annotations

import asyncio
import time

from haechi.judge.limiter import Limiter


def test_it_doubles_until_the_provider_is_busy_then_halves_and_grows_by_one_per_round():
    async def run() -> None:
        limiter = Limiter(64)
        assert limiter.limit == 16
        for entered in [await limiter.enter() for _ in range(16)]:
            limiter.leave(entered)  # every success adds a place: a round of n doubles n
        assert limiter.limit == 32
        together = [await limiter.enter() for _ in range(32)]
        for entered in together:
            limiter.leave(entered, busy=True)
        assert limiter.limit == 16, "requests that were on their way together count once"
        for entered in [await limiter.enter() for _ in range(16)]:
            limiter.leave(entered)
        # sixteen successes, each adding 1/limit: about one more place after a round
        assert 16.9 < limiter.limit < 17.1

    asyncio.run(run())


def test_a_wish_to_wait_holds_back_everybody():
    async def run() -> None:
        limiter = Limiter(8)
        limiter.leave(await limiter.enter(), busy=True, after=0.1)
        began = time.monotonic()
        await asyncio.gather(limiter.enter(), limiter.enter())
        assert time.monotonic() - began >= 0.1

    asyncio.run(run())


def test_never_more_than_the_limit_are_inside():
    async def run() -> None:
        limiter, most = Limiter(3), 0

        async def one(number: int) -> None:
            nonlocal most
            entered = await limiter.enter()
            most = max(most, limiter.running)
            await asyncio.sleep(0.001)
            limiter.leave(entered, busy=number % 5 == 0)

        await asyncio.gather(*(one(number) for number in range(60)))
        assert most == 3
        assert limiter.running == 0

    asyncio.run(run())


def test_whoever_waits_is_let_go_when_everything_is_shut():
    async def run() -> None:
        paused, full = Limiter(1), Limiter(1)
        paused.close(3600)
        await full.enter()
        waits = [paused.enter(), paused.wait(3600), full.enter()]
        waiting = [asyncio.create_task(wait) for wait in waits]  # type: ignore[var-annotated]
        await asyncio.sleep(0.01)
        assert not any(one.done() for one in waiting)
        paused.shut()
        full.shut()
        await asyncio.wait_for(asyncio.gather(*waiting), 60)

    asyncio.run(run())
