"""The journal on PostgreSQL, where two processes really write at the same time."""

from __future__ import annotations

import json
import threading
from typing import Any

from provider_settings import MODELS

from haechi.judge.judges import collect, judge_in_batches, judge_live, judges_of
from haechi.study.study import Study

ITEMS = 40


def test_three_runs_at_once_and_a_batch_pay_every_item_once(empty_database, server, tmp_path, write):
    study = Study.new(tmp_path / "study", "diary-comment", database=empty_database)
    lines = (json.dumps({"id": f"d{n}", "context": f"항목<d{n}>", "response": "네"}) for n in range(ITEMS))
    study.add([write("items.jsonl", "\n".join(lines))])
    server.latency = 0.01
    results: list[Any] = []

    def run() -> None:
        results.append(judge_live(study, judges_of(study, [MODELS[0]])[0]))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(result.done.answered for result in results) == ITEMS
    assert set(server.paid.values()) == {1}
    server.paid.clear()
    (judge,) = judges_of(study, [MODELS[1]])
    assert judge_in_batches(study, judge).requests == ITEMS
    collect(study)
    assert set(server.paid.values()) == {1}
    assert study.ratings().height == 2 * ITEMS * 3
    assert set(study.ratings()["status"]) == {"ok"}
    with study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM calls WHERE state = 'sent'") == 0
    study.database.close()
