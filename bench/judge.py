"""Judging against a server on this machine with a fixed latency: how much of the SDK's own speed is left?

    python -m bench judge [--calls 1500] [--pending 100000] [--inspect PYTHON]

Bare: `asyncio.gather` over the OpenAI SDK, 64 at a time, prompts made beforehand, replies thrown away.
Ours: `haechi judge` with the journal, the parsing and the ratings.
inspect_ai: the same prompts and a scorer that reads the values, with the log it writes by default, in the interpreter
that PYTHON names, because its dependencies are its own.
CPU is that of the process that asks: it is what is left of a difference when the machine is busy with other things.
Pending: the peak memory of a process that judges some of very many items, beside one that has few.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.results import Ratio, Result

AT_ONCE = 64
LATENCY = 0.05
ROOT = Path(__file__).parents[1]


@contextmanager
def server(program: str = "judge/provider_server.py") -> Iterator[str]:
    """A server of the tests in a process of its own; its address."""
    command = [sys.executable, str(ROOT / "tests" / program), str(LATENCY)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def items(count: int) -> list[dict[str, Any]]:
    """Diaries with comments."""
    text = "오늘은 비가 와서 소풍을 못 갔다. 대신 집에서 동생과 보드게임을 했다. "
    return [
        {"id": f"d{n}", "context": f"항목<d{n}> {text * 3}", "response": "아쉬웠겠어요!"}
        for n in range(count)
    ]


class Speed(NamedTuple):
    """Calls per second, and milliseconds of CPU for each."""

    rate: float
    cpu: float


@contextmanager
def measured(count: int) -> Iterator[list[Speed]]:
    """How fast that many calls were made, when they are done."""
    speeds: list[Speed] = []
    cpu, began = _cpu(), time.perf_counter()
    yield speeds
    seconds = time.perf_counter() - began
    speeds.append(Speed(count / seconds, (_cpu() - cpu) / count * 1000))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def bare(count: int) -> Speed:
    """The SDK alone."""
    import openai

    import haechi
    from haechi.prompt.prompt import prompt

    rubric = haechi.rubric("diary-comment")
    prompts = [prompt(rubric, item) for item in items(count)]

    async def run() -> Speed:
        client = openai.AsyncOpenAI(max_retries=0)
        places = asyncio.Semaphore(AT_ONCE)

        async def one(made: Any) -> None:
            form = {"name": "ratings", "strict": True, "schema": made.schema}
            async with places:
                await client.chat.completions.create(
                    model="gpt-5-mini",
                    messages=[
                        {"role": "system", "content": made.system},
                        {"role": "user", "content": made.user},
                    ],
                    response_format={"type": "json_schema", "json_schema": form},  # type: ignore[arg-type]
                )

        await asyncio.gather(*(one(made) for made in prompts[:AT_ONCE]))  # connections are open now
        with measured(count) as speeds:
            await asyncio.gather(*(one(made) for made in prompts))
        await client.close()
        return speeds[0]

    return asyncio.run(run())


def a_study(folder: Path, count: int) -> Any:
    """A study of that many diaries."""
    from haechi.study.study import Study

    study = Study.new(folder / "study", "diary-comment")
    file = folder / "items.jsonl"
    with file.open("w") as out:
        out.writelines(json.dumps(item) + "\n" for item in items(count))
    study.add([file])
    return study


def peak_of(folder: str, calls: int) -> float:
    """The most MiB that a process held while it judged some items of a study; run in a process of its own."""
    from haechi.judge.attempts import Pace
    from haechi.judge.judges import judge_live, judges_of
    from haechi.study.study import Study

    study = Study(Path(folder) / "study")
    (judge,) = judges_of(study, ["openai:gpt-5-mini"])
    assert judge_live(study, judge, limit=calls, pace=Pace(at_once=AT_ONCE)).done.answered == calls
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def pending(count: int, calls: int) -> float:
    """The same with that many items waiting."""
    with tempfile.TemporaryDirectory() as folder:
        a_study(Path(folder), count)
        with multiprocessing.get_context("spawn").Pool(1) as alone:
            return alone.apply(peak_of, (folder, calls))


def ours(count: int) -> Speed:
    """A whole judge run."""
    from haechi.judge.attempts import Pace
    from haechi.judge.judges import judge_live, judges_of

    with tempfile.TemporaryDirectory() as folder:
        study = a_study(Path(folder), count)
        (judge,) = judges_of(study, ["openai:gpt-5-mini"])
        with measured(count) as speeds:
            done = judge_live(study, judge, pace=Pace(at_once=AT_ONCE))
        assert done.done.answered == count
        assert study.ratings().height == 3 * count
        return speeds[0]


INSPECT = """
import json, resource, sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import generate
from inspect_ai.util import json_schema

prompts = json.load(open(sys.argv[1]))
samples = [Sample(input=[ChatMessageSystem(content=p["system"]), ChatMessageUser(content=p["user"])], target="") for p in prompts]

@scorer(metrics=[mean()])
def values():
    async def score(state, target):
        given = json.loads(state.output.completion)
        return Score(value={name: one["value"] for name, one in given.items()})
    return score

from inspect_ai.util import JSONSchema
schema = ResponseSchema(name="ratings", json_schema=JSONSchema.model_validate(prompts[0]["schema"]), strict=True)
task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=values(),
            config=GenerateConfig(response_schema=schema, max_connections=64, max_retries=0))
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

used, began = cpu(), time.perf_counter()
log, = eval(task, model="openai/gpt-5-mini", model_args={"responses_api": False}, max_samples=64, display="none", log_dir=sys.argv[2])
assert log.status == "success", log.error
print(len(samples) / (time.perf_counter() - began), (cpu() - used) / len(samples) * 1000)
"""


def inspect(count: int, python: str) -> Speed:
    """The same prompts with inspect_ai."""
    import haechi
    from haechi.prompt.prompt import prompt

    rubric = haechi.rubric("diary-comment")
    made = [prompt(rubric, item) for item in items(count)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prompts.json"
        file.write_text(json.dumps([{"system": m.system, "user": m.user, "schema": m.schema} for m in made]))
        done = subprocess.run(
            [python, "-c", INSPECT, str(file), folder],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    rate, cpu = map(float, done.stdout.split()[-2:])
    return Speed(rate, cpu)


def main(argv: list[str] | None = None) -> list[Result]:
    """Run the three, turn by turn."""
    parser = argparse.ArgumentParser(prog="bench.judge", description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--inspect", metavar="PYTHON", help="an interpreter that has inspect_ai")
    parser.add_argument("--pending", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(argv)
    os.environ["OPENAI_API_KEY"] = "none"
    with server() as url:
        os.environ["OPENAI_BASE_URL"] = f"{url}/v1"
        contestants: dict[str, Any] = {"bare SDK": bare, "haechi judge": ours}
        if chosen.inspect:
            contestants["inspect_ai"] = lambda count: inspect(count, chosen.inspect)
        # Turn by turn, so that a busy moment of the machine does not hit one contestant alone.
        rounds = [
            {name: run(chosen.calls) for name, run in contestants.items()} for _ in range(chosen.rounds)
        ]
        calls = min(500, chosen.calls)
        peaks = {count: pending(count, calls) for count in (calls, chosen.pending)}
    best = {
        name: Speed(max(one[name].rate for one in rounds), min(one[name].cpu for one in rounds))
        for name in contestants
    }
    limit, haechi = best["bare SDK"], best["haechi judge"]
    rows = tuple(
        (name, f"{speed.rate:.0f}", f"{speed.rate / limit.rate:.2f}", f"{speed.cpu:.1f}")
        for name, speed in best.items()
    )
    ratios = [
        Ratio("haechi judge / bare SDK", haechi.rate / limit.rate, ">=", 1.0),
        Ratio("CPU of haechi judge / bare SDK", haechi.cpu / limit.cpu, "<=", 1.0),
    ]
    if chosen.inspect:
        ratios.append(Ratio("haechi judge / inspect_ai", haechi.rate / best["inspect_ai"].rate, ">=", 1.0))
    title = f"{chosen.calls:,} calls, {AT_ONCE} at a time, each answered after {LATENCY * 1000:.0f} ms"
    said = (f"{peak:.0f} MiB with {count:,} items waiting" for count, peak in peaks.items())
    notes = (f"Largest memory of a process that judges {calls:,}: {', '.join(said)}.",)
    return [Result(title, ("", "calls/s", "of bare", "CPU ms a call"), rows, tuple(ratios), notes)]
