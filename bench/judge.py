"""Judging against a server on this machine with a fixed latency: how much of the SDK's own speed is left?

    python -m bench judge [--calls 1500] [--pending 100000] [--inspect PYTHON]

Bare: `asyncio.gather` over the OpenAI SDK, 64 at a time, prompts made beforehand, replies thrown away.
Ours: `haechi judge` with the journal, the parsing and the ratings.
inspect_ai: the same prompts and a scorer that reads the values, in the interpreter that PYTHON names, because its
dependencies are its own.
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
from typing import Any

from bench.results import Ratio, Result

AT_ONCE = 64
LATENCY = 0.05
ROOT = Path(__file__).parents[1]


@contextmanager
def server() -> Iterator[str]:
    """The test server in a process of its own."""
    command = [sys.executable, str(ROOT / "tests" / "judge" / "provider_server.py"), str(LATENCY)]
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


def bare(count: int) -> float:
    """Calls per second of the SDK alone."""
    import openai

    import haechi
    from haechi.compile.prompt import prompt

    rubric = haechi.rubric("diary-comment")
    prompts = [prompt(rubric, item) for item in items(count)]

    async def run() -> float:
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
        began = time.perf_counter()
        await asyncio.gather(*(one(made) for made in prompts))
        seconds = time.perf_counter() - began
        await client.close()
        return count / seconds

    return asyncio.run(run())


def a_study(folder: Path, count: int) -> Any:
    """A study of that many diaries."""
    from haechi.study import Study

    study = Study.new(folder / "study", "diary-comment")
    file = folder / "items.jsonl"
    with file.open("w") as out:
        out.writelines(json.dumps(item) + "\n" for item in items(count))
    study.add([file])
    return study


def peak_of(folder: str, calls: int) -> float:
    """The most MiB that a process held while it judged some items of a study; run in a process of its own."""
    from haechi.raters.attempts import Pace
    from haechi.raters.judge import judge_live, judges_of
    from haechi.study import Study

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


def ours(count: int) -> float:
    """Calls per second of a whole judge run."""
    from haechi.raters.attempts import Pace
    from haechi.raters.judge import judge_live, judges_of

    with tempfile.TemporaryDirectory() as folder:
        study = a_study(Path(folder), count)
        (judge,) = judges_of(study, ["openai:gpt-5-mini"])
        began = time.perf_counter()
        done = judge_live(study, judge, pace=Pace(at_once=AT_ONCE))
        seconds = time.perf_counter() - began
        assert done.done.answered == count
        assert study.ratings().height == 3 * count
        return count / seconds


INSPECT = """
import json, sys, time
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
began = time.perf_counter()
log, = eval(task, model="openai/gpt-5-mini", model_args={"responses_api": False}, max_samples=64, display="none", log_dir=sys.argv[2])
assert log.status == "success", log.error
print(len(samples) / (time.perf_counter() - began))
"""


def inspect(count: int, python: str) -> float:
    """Calls per second of inspect_ai with the same prompts."""
    import haechi
    from haechi.compile.prompt import prompt

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
    return float(done.stdout.split()[-1])


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
        best = dict.fromkeys(contestants, 0.0)
        for _ in range(chosen.rounds):
            for name, run in contestants.items():
                best[name] = max(best[name], run(chosen.calls))
        calls = min(500, chosen.calls)
        peaks = {count: pending(count, calls) for count in (calls, chosen.pending)}
    limit = best["bare SDK"]
    rows = tuple((name, f"{rate:.0f}", f"{rate / limit:.2f}") for name, rate in best.items())
    ratios = [Ratio("haechi judge / bare SDK", best["haechi judge"] / limit, ">=", 0.9)]
    if chosen.inspect:
        ahead = best["haechi judge"] / best["inspect_ai"]
        ratios.append(Ratio("haechi judge / inspect_ai", ahead, ">=", 1.0))
    title = f"{chosen.calls:,} calls, {AT_ONCE} at a time, each answered after {LATENCY * 1000:.0f} ms"
    said = (f"{peak:.0f} MiB with {count:,} items waiting" for count, peak in peaks.items())
    notes = (f"Largest memory of a process that judges {calls:,}: {', '.join(said)}.",)
    return [Result(title, ("", "calls/s", "of bare"), rows, tuple(ratios), notes)]
