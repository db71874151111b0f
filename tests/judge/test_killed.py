"""kill -9 at any moment: nothing is lost, and what was paid twice is no more than what was on its way."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from typing import Any

import provider_worker
import pytest
from provider_server import Server
from provider_settings import KEYS, MODELS, addresses

from haechi.study.study import Study

AT_ONCE = 8


def start(server: Server, *arguments: str) -> BaseProcess:
    environment = {**KEYS, **addresses(server.url), "HAECHI_LANG": "en"}
    return provider_worker.start(list(arguments), environment)


def count(study: Study, query: str) -> int:
    with study.database.read() as connection:
        return int(connection.value(query))


def judge(study: Study, server: Server, model: str) -> BaseProcess:
    return start(server, "judge", str(study.folder), "--model", model, "--at-once", str(AT_ONCE))


def finish(process: BaseProcess) -> None:
    process.join(120)
    assert process.exitcode == 0


def kill(process: BaseProcess) -> None:
    process.kill()
    process.join()


def audit(study: Study, server: Server, model: str, items: int) -> None:
    """Exactly one accepted judgement each; every second payment is a call that the journal knows as lost."""
    names = len(study.rubric.rateables)
    frame = study.ratings()
    assert frame.height == items * names
    assert set(frame["status"]) == {"ok"}
    keys = "item, criterion, rater, replicate"
    twice = f"SELECT 1 FROM ratings WHERE status = 'ok' GROUP BY {keys} HAVING count(*) > 1"
    assert count(study, f"SELECT count(*) FROM ({twice}) AS twice") == 0, "no judgement was accepted twice"
    assert count(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == 0
    with study.database.read() as connection:
        lost = Counter(connection.values("SELECT item FROM calls WHERE state = 'lost'"))
    for (item, _), times in server.paid.items():
        assert times <= 1 + lost[item], f"{item} was paid {times} times"


def kill_live(study: Study, server: Server, model: str, items: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    killed = 0
    while killed < kills and study.ratings().height < items * 3:
        before = sum(server.paid.values())
        process = judge(study, server, model)
        target = before + chance.randrange(1, AT_ONCE * 3)
        while process.is_alive() and sum(server.paid.values()) < target:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.05)
        kill(process)
        killed += 1
    finish(judge(study, server, model))
    audit(study, server, model, items)
    # A kill loses at most what has left and is not yet written.
    doubled = sum(server.paid.values()) - items
    print(f"{killed} ended by kill -9: {doubled} answers paid once more")
    assert doubled <= killed * (2 * AT_ONCE + 1 + AT_ONCE // 3)


def test_killed_while_judging_live(server, make_study):
    server.latency = 0.02
    kill_live(make_study(60), server, MODELS[0], 60, kills=4, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_killed_fifty_times_while_judging_live(server, make_study, model):
    server.latency = 0.02
    kill_live(make_study(900), server, model, 900, kills=50, seed=5)


def test_what_never_left_is_not_lost(server, make_study):
    server.may_answer = 0
    study = make_study(60)
    process = judge(study, server, MODELS[0])
    while sum(server.seen.values()) < AT_ONCE:
        time.sleep(0.01)
    kill(process)
    claimed = count(study, "SELECT count(*) FROM calls")
    left = sum(server.seen.values())
    server.may_answer = 2**62
    finish(judge(study, server, MODELS[0]))
    lost = count(study, "SELECT count(*) FROM calls WHERE state = 'lost'")
    assert left <= lost <= AT_ONCE + AT_ONCE // 3 + 1, "those on their way, and those at the door"
    assert count(study, "SELECT count(*) FROM calls WHERE state = 'cancelled'") == claimed - lost
    assert count(study, "SELECT count(*) FROM calls WHERE state = 'lost' AND attempts < 1") == 0
    # Only what left may have been paid.
    with study.database.read() as connection:
        doubtful = connection.value("SELECT sum(doubtful) FROM jobs")
        worst = connection.value("SELECT sum(reserved) FROM calls WHERE state = 'lost'")
    assert doubtful == pytest.approx(worst)


def kill_batches(study: Study, server: Server, model: str, items: int, kills: int, seed: int) -> None:
    """Kill submissions and collections anywhere; no request may ever be paid twice."""
    chance = random.Random(seed)
    server.damage = {"expired"}  # so that there is always something to send again
    for number in range(kills):
        send = ("judge", str(study.folder), "--model", model, "--batch")
        process = start(server, *(("collect", str(study.folder)) if number % 2 else send))
        seen = sum(server.seen.values())
        while process.is_alive() and sum(server.seen.values()) == seen and not _preparing(study):
            time.sleep(0.001)
        time.sleep(chance.random() ** 2 * 0.1)
        kill(process)
    server.damage = set()
    for _ in range(3):
        finish(start(server, "judge", str(study.folder), "--model", model, "--batch"))
        finish(start(server, "collect", str(study.folder)))
    audit(study, server, model, items)
    assert set(server.paid.values()) == {1}, "a batch is never paid twice"


def _preparing(study: Study) -> bool:
    return count(study, "SELECT count(*) FROM batches WHERE state IN ('planned', 'sending')") > 0


@pytest.mark.parametrize("model", MODELS)
def test_killed_while_sending_and_collecting(server, make_study, model):
    kill_batches(make_study(30), server, model, 30, kills=4, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_killed_fifty_times_while_sending_and_collecting(server, make_study, model):
    kill_batches(make_study(300), server, model, 300, kills=50, seed=11)


def test_interrupting_keeps_what_is_on_its_way(server, make_study):
    study = make_study(80)
    server.latency = 0.3
    process = judge(study, server, MODELS[0])
    while sum(server.seen.values()) < AT_ONCE:
        time.sleep(0.01)
    os.kill(process.pid or 0, signal.SIGINT)
    process.join(60)
    assert process.exitcode == 130
    assert study.ratings().height == sum(server.paid.values()) * 3, "everything paid for is kept"
    assert count(study, "SELECT count(*) FROM calls WHERE state IN ('sent', 'lost')") == 0


def test_an_error_in_the_run_keeps_what_is_on_its_way(server, make_study):
    from haechi.judge.attempts import Pace
    from haechi.judge.judges import judge_live, judges_of

    study = make_study(80)
    server.latency = 0.3
    (one,) = judges_of(study, [MODELS[0]])

    def fail(_: Any) -> None:
        raise RuntimeError("no screen")

    with pytest.raises(RuntimeError, match="no screen"):
        judge_live(study, one, pace=Pace(at_once=AT_ONCE), advance=fail)
    assert sum(server.paid.values()) > AT_ONCE, "others were on their way"
    assert study.ratings().height == sum(server.paid.values()) * 3, "everything paid for is kept"
    assert count(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == 0


@pytest.mark.parametrize(("room", "calls"), [(2.6, 3), (1.2, 0)])
def test_a_claim_of_another_machine_expires_but_may_have_been_paid(server, make_study, room, calls):
    study = make_study(3)
    from haechi.judge.budget import Budget
    from haechi.judge.chunks import claim
    from haechi.judge.judges import judge_live, judges_of
    from haechi.store.journal import let_go

    (one,) = judges_of(study, [MODELS[0]])
    elsewhere = Budget()
    elsewhere.worker = "elsewhere/1|99|x"
    with study.database.write() as connection:
        elsewhere.join(connection)
        claimed = claim(connection, one, one.questions(1)[0], 0, 2, elsewhere)
        let_go(connection, elsewhere.worker, [ask.request.id for ask in claimed.asks])
        reserved = elsewhere.spent(connection).reserved
        connection.execute("UPDATE calls SET held_until = :soon", soon=time.time() + 1)
    # The other one's two calls are made again, and count as paid beside them; three together need 2.5 times as much.
    done: Any = judge_live(study, one, budget=Budget(reserved * room))
    assert (done.done.calls, done.lost, done.elsewhere, done.stopped is None) == (calls, 2, 0, calls == 3)
    assert study.ratings().height == 3 * calls
    assert set(server.paid.values()) <= {1}
