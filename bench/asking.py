"""Asking an agent on this machine with a fixed latency: what does `haechi run` add to a call?

    python -m bench asking [--calls 1000]

Bare: `asyncio.gather` over httpx2, 64 at a time, answers thrown away.
Ours: the journal before and after every call, the answer read, the item in the study.
CPU is that of the process that asks.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.judge import AT_ONCE, LATENCY, Speed, measured, server
from bench.results import Ratio, Result

DESCRIPTION = """
url: {url}/ask
body: {{q: $query, id: $id, turn: $turn, session: $session}}
answer: {{payload: data, message: data.assistantMessage}}
"""


def bare(url: str, count: int) -> Speed:
    """The HTTP client alone."""
    import httpx2

    async def run() -> Speed:
        places = asyncio.Semaphore(AT_ONCE)
        async with httpx2.AsyncClient(timeout=None) as client:

            async def one(number: int) -> None:
                async with places:
                    (await client.post(f"{url}/ask", json={"q": f"질의 {number}", "id": str(number)})).json()

            with measured(count) as speeds:
                await asyncio.gather(*map(one, range(count)))
            return speeds[0]

    return asyncio.run(run())


def ours(url: str, count: int) -> Speed:
    """A run over a study."""
    from haechi.agents.run import RunOptions, ask, plan_run
    from haechi.agents.spec import agent_of
    from haechi.agents.suite import Case
    from haechi.judge.attempts import Pace
    from haechi.study.study import Study

    with tempfile.TemporaryDirectory() as folder:
        study = Study.new(Path(folder) / "study", "hiring-agent")
        file = Path(folder) / "agent.yaml"
        file.write_text(DESCRIPTION.format(url=url), "utf-8")
        agent = agent_of(str(file))
        wish = RunOptions([Case(f"q{number}", (f"질의 {number}",)) for number in range(count)])
        with measured(count) as speeds:
            asked = ask(study, agent, wish, Pace(at_once=AT_ONCE), plan_run(study, agent, wish))
        if asked.answered != count:
            raise RuntimeError(f"{asked.answered} of {count} answered")
        study.database.close()
        return speeds[0]


def main(options: Sequence[str] = ()) -> list[Result]:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1000)
    count = parser.parse_known_args(list(options))[0].calls
    with server("agent_server.py") as url:
        bare(url, AT_ONCE)  # imports and the server's first requests are not measured
        found = {"bare": bare(url, count), "ours": ours(url, count)}
    rows = tuple((name, f"{speed.rate:.0f}", f"{speed.cpu:.2f}") for name, speed in found.items())
    ratios = (
        Ratio("milliseconds of CPU that a call takes", found["ours"].cpu, "<=", 5),
        Ratio("calls a second, ours to bare", found["ours"].rate / found["bare"].rate, ">="),
    )
    title = f"{count} calls to an agent that takes {LATENCY * 1000:.0f} ms, {AT_ONCE} at once"
    return [Result(title, ("", "calls/s", "CPU ms/call"), rows, ratios)]
