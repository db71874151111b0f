"""Many workers judge one study: chunks are leased, the budget and the pace are one, and a dead worker costs little."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import provider_worker
import pytest
from provider_server import Server, running
from provider_settings import KEYS, MODELS, addresses

from haechi.judge.attempts import Pace
from haechi.judge.budget import Budget
from haechi.judge.chunks import claim
from haechi.judge.judges import judge_live, judges_of
from haechi.judge.limiter import Limiter
from haechi.judge.throttle import Throttle
from haechi.store.connection import Connection
from haechi.store.database import Database
from haechi.store.jobs import join_job
from haechi.store.journal import finish_calls, let_go, release_dead
from haechi.store.paces import known_pace, take_slots
from haechi.study.study import Study

WORKERS, ITEMS, AT_ONCE = 4, 200, 8


@dataclass
class Clocked(Server):
    """The providers, with the time of every live request."""

    arrivals: list[float] = field(default_factory=list)

    async def handle(self, method: str, path: str, headers: Any, body: bytes) -> Any:
        self.arrivals.append(time.monotonic())
        return await super().handle(method, path, headers, body)


@pytest.fixture
def provider() -> Iterator[Clocked]:
    with running(Clocked(latency=0.05)) as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Study]:
    address = request.getfixturevalue("empty_database") if request.param == "postgresql" else None
    made = Study.new(tmp_path / "study", "diary-comment", database=address)
    file = tmp_path / "items.jsonl"
    items = ({"id": f"d{n}", "context": f"항목<d{n}> 비", "response": "네"} for n in range(ITEMS))
    file.write_text("\n".join(map(json.dumps, items)))
    made.add([file])
    yield made
    made.database.close()


def worker(study: Study, provider: Server, *more: object) -> BaseProcess:
    environment = {**KEYS, **addresses(provider.url), "HAECHI_LANG": "en"}
    command = ["judge", str(study.folder), "--model", MODELS[0], "--at-once", str(AT_ONCE), *map(str, more)]
    return provider_worker.start(command, environment)


def until(condition: Callable[[], bool], *processes: BaseProcess) -> None:
    while not condition() and any(process.is_alive() for process in processes):
        time.sleep(0.005)


def ended(processes: list[BaseProcess]) -> list[int | None]:
    for process in processes:
        process.join(120)
    return [process.exitcode for process in processes]


def one(study: Study, query: str) -> Any:
    with study.database.read() as connection:
        return connection.value(query)


def test_a_killed_worker_gives_its_items_to_the_others(study, provider):
    rate, began = 3000, time.monotonic()
    processes = [worker(study, provider, "--rate", rate, "--max-cost", 5) for _ in range(WORKERS)]
    until(lambda: sum(provider.paid.values()) >= ITEMS // 4, *processes)
    processes[0].kill()
    assert ended(processes)[1:] == [0, 0, 0]
    ratings = study.ratings()
    assert (ratings.height, set(ratings["status"])) == (ITEMS * 3, {"ok"})
    assert one(study, "SELECT count(*) FROM calls WHERE state = 'answered'") == ITEMS
    assert one(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == 0
    assert one(study, "SELECT count(*) FROM workers") <= 1, "the dead one at most"
    with study.database.read() as connection:
        lost = Counter(connection.values("SELECT item FROM calls WHERE state = 'lost'"))
    assert all(times <= 1 + lost[item] for (item, _), times in provider.paid.items())
    assert one(study, "SELECT count(DISTINCT holder) FROM calls WHERE state = 'lost'") <= 1, (
        "only the dead one's"
    )
    # Not answered in the dead one's time: those on their way, and a store of 32 for when the next place is free.
    # How many were answered and not yet written down depends on how busy the machine is; they were paid again.
    paid_once = [item for (item, _), times in provider.paid.items() if item in lost and times == 1]
    assert len(paid_once) <= AT_ONCE + 32
    assert one(study, "SELECT sum(cost) FROM calls") <= 5
    # The first slot is not before the start, so the last of n requests is not before n - 1 gaps.
    assert (len(provider.arrivals) - 1) * 60 / rate <= provider.arrivals[-1] - began


def test_all_workers_together_stay_below_the_line(study, provider):
    (judge,) = judges_of(study, [MODELS[0]])
    budget, (question, *_) = Budget(), judge.questions(1)
    most = 0.08  # of about 0.18 for all items; the worst case of one call is 0.033
    processes = [worker(study, provider, "--max-cost", most, "--job", "night") for _ in range(WORKERS)]
    assert set(ended(processes)) == {1}, "each says that it stopped before the end"
    paid = one(study, "SELECT sum(cost) FROM calls")
    item = list(study.items())[0]  # noqa: RUF015 - to the end, so that the connection is given back
    worst = budget.bound(judge.request("", item, judge.only(question, question.names))[0], judge.price)
    assert most - worst < paid <= most, "nothing more fits, and nothing was too much"
    assert one(study, "SELECT paid FROM jobs WHERE name = 'night'") == pytest.approx(paid)
    assert set(provider.paid.values()) == {1}
    assert one(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == 0
    late = worker(study, provider, "--max-cost", most, "--job", "night")
    assert ended([late]) == [1]
    assert one(study, "SELECT sum(cost) FROM calls") == paid, "who comes later finds the money spent"


def test_workers_at_the_same_time_are_one_job(study, provider):
    provider.latency = 0.3
    first = worker(study, provider)
    until(lambda: len(provider.arrivals) > 0, first)
    second = worker(study, provider)
    assert ended([first, second]) == [0, 0]
    assert one(study, "SELECT count(DISTINCT job) FROM calls") == 1
    assert one(study, "SELECT count(DISTINCT holder) FROM calls") == 2
    assert set(provider.paid.values()) == {1}


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.at(tmp_path / "study.db")


def test_a_dead_worker_is_no_company(database):
    with database.write() as connection:
        first = join_job(connection, "elsewhere|1|a")
        assert join_job(connection, "elsewhere|2|b") == first
        connection.execute("UPDATE workers SET held_until = 1")
        assert join_job(connection, "elsewhere|3|c") != first
        assert join_job(connection, "elsewhere|4|d", first) == first


def test_slots_of_two_workers_are_evenly_spaced(database):
    with database.write() as connection:
        began = time.time()
        delays = take_slots(connection, "m", 3, rate=60) + take_slots(connection, "m", 2, rate=60)
        passed = time.time() - began
        other = take_slots(connection, "another", 1, rate=60)
    # One a second; between the two requests for slots a little time passes, and the second counts from there.
    assert delays[:3] == [0, 1, 2]
    assert 3 - passed - 0.01 <= delays[3] <= 3, "the database's clock has milliseconds"
    assert delays[4] == pytest.approx(delays[3] + 1)
    assert other == [0]


def test_one_worker_is_told_to_wait_and_the_other_slows_down_too(database):
    async def write(work: Callable[[Connection], Any]) -> Any:
        with database.write() as connection:
            return work(connection)

    async def hear(gate: Throttle) -> None:
        gate.heed(await write(lambda connection: known_pace(connection, "m")))

    async def run() -> None:
        told, other = Limiter(8), Limiter(8)
        gates = [Throttle(limiter, "m", None, write) for limiter in (told, other)]
        for gate in gates:
            await hear(gate)
        entered = [await gates[0].enter() for _ in range(3)]
        for moment in entered:
            await gates[0].leave(moment, busy=True, after=3600)
        for gate in (*gates, *gates):
            await hear(gate)
        assert (told.limit, other.limit) == (4, 4), "requests that were on their way together count once"
        with pytest.raises(TimeoutError):  # the other one waits, too
            await asyncio.wait_for(gates[1].enter(), 0.05)
        late = Throttle(Limiter(8), "m", None, write)
        await hear(late)
        assert late._limiter.limit == 8, "what happened before a worker began is past"

    asyncio.run(run())


def test_what_may_have_been_paid_counts_as_its_worst_case(server, make_study):
    study = make_study(2)
    (judge,) = judges_of(study, [MODELS[0]])
    server.faults.extend(["", "disconnect", "429"])  # only the second may have been paid without an answer
    budget = Budget(1.0)
    done = judge_live(study, judge, budget=budget, pace=Pace(at_once=1, first_wait=0.01))
    assert (done.done.answered, done.stopped) == (2, None)
    with study.database.read() as connection:
        spent = budget.spent(connection)
    assert spent.paid == pytest.approx(done.done.cost)
    # The most that one call can cost: 16,000 tokens out at 2 dollars per million, and its prompt.
    assert (0.032 < spent.reserved < 0.036, spent.live) == (True, 0)


def test_nothing_is_asked_again_beyond_the_line(server, make_study):
    study = make_study(1)
    (judge,) = judges_of(study, [MODELS[0]])
    server.faults.extend(["disconnect"] * 6)
    done = judge_live(study, judge, budget=Budget(0.05), pace=Pace(at_once=1, first_wait=0.01))
    assert (done.done.failed, len(server.faults)) == (1, 5), "a second request would not fit beside the first"


def test_what_a_dead_worker_had_on_its_way_counts_until_its_answer_comes(make_study):
    study = make_study(3)
    (judge,) = judges_of(study, [MODELS[0]])
    budget, (question, *_) = Budget(0.2, "night"), judge.questions(1)
    with study.database.write_alone() as connection:
        budget.join(connection)
        asks = claim(connection, judge, question, 0, 3, budget).asks
        let_go(connection, budget.worker, [ask.request.id for ask in asks])
        on_its_way = budget.spent(connection)
        connection.execute("UPDATE calls SET held_until = 1")
        assert release_dead(connection) == 3
        lost = budget.spent(connection)
        assert (lost.reserved, lost.live) == (pytest.approx(on_its_way.reserved), 0)
        assert release_dead(connection) == 0, "and it counts once"
        late = [{"id": ask.request.id, "state": "answered", "cost": 0.001} for ask in asks]
        finish_calls(connection, late)
        assert budget.spent(connection) == pytest.approx((0.003, 0, 0))
