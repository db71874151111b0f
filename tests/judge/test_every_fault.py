"""40 kinds of faults at every provider: nothing lost, nothing judged twice, no paid result thrown away.

Live, a second payment is possible where an answer was lost on its way, and then the journal has the attempt. In batches
nothing is ever paid twice.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import provider_batches
import pytest
from clouds import CLOUDS, environment
from provider_faults import FAULTS, INSTEAD
from provider_settings import MODELS
from test_batches import assert_all_judged_once, send
from test_live import judged, rows
from test_short_results import CREATE, LIST, RESULTS, STATE, UPLOAD

from haechi.judge.attempts import Pace
from haechi.judge.judges import collect
from haechi.judge.providers import provider_of
from haechi.judge.providers.models import Model

LIVE = (*(fault for fault in FAULTS if fault != "drip"), "408", "502", "503", "504", "reset", *INSTEAD)
ODD = ("partial", "once-empty", "fenced", "odd-characters")
DAMAGES = ("duplicate", "missing", "cut-at-line-end", "no-lines", "bare", "garbage", "expired", "unprocessed")
PAGES = {
    "page-results": RESULTS,
    "page-state": STATE,
    "page-list": LIST,
    "page-create": CREATE,
    "page-upload": UPLOAD,
}
BATCH = (*DAMAGES, *PAGES, "cut-results", "accept-then-hang", "refuse-first")
TAKE_BATCHES = (*MODELS, CLOUDS[0])
assert len(LIVE) + len(ODD) + len(BATCH) >= 40


@pytest.fixture
def server(server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    for name, value in environment(server.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    return server


@pytest.mark.slow
@pytest.mark.parametrize("model", [*MODELS, *CLOUDS])
@pytest.mark.parametrize("fault", LIVE)
def test_live(server, make_study, model, fault):
    study = make_study(6)
    server.faults.extend(["", fault, fault, "", "", fault])
    pace = Pace(at_once=3, timeout=5, first_wait=0.01)
    done = judged(study, model, pace=pace)
    if done.done.failed:  # given up for now, with a reason: the next run asks again
        assert done.done.reasons
        judged(study, model, pace=pace)
    assert_all_judged_once(study, server, 6)
    sent = Counter(dict(rows(study, "SELECT item, sum(attempts) FROM calls GROUP BY item")))
    for (item, _), times in server.paid.items():
        assert times <= sent[item], "the journal knows of every payment"


@pytest.mark.slow
@pytest.mark.parametrize("model", [*MODELS, *CLOUDS])
@pytest.mark.parametrize("odd", ODD)
def test_odd_answers(server, make_study, model, odd):
    study = make_study(4)
    server.odd = {"d1": odd, "d2": odd}
    judged(study, model)
    judged(study, model)
    assert study.ratings().height == 4 * 3
    assert set(study.ratings()["status"]) == {"ok"}
    assert sum(server.paid.values()) <= 4 + 2, "what was whole is not asked again"


@pytest.mark.slow
@pytest.mark.parametrize("model", TAKE_BATCHES)
@pytest.mark.parametrize("kind", BATCH)
def test_batches(server, make_study, monkeypatch, model, kind):
    from haechi.judge import lost_batches

    monkeypatch.setattr(lost_batches, "LATE", 0.5)
    study = make_study(9)
    if kind in DAMAGES:
        server.damage = {kind}
    elif kind in ("accept-then-hang", "refuse-first"):
        server.batch_faults.append(kind)
        monkeypatch.setattr(Model, "client", _impatient)
    server.page = PAGES.get(kind, "") if kind in ("page-create", "page-upload", "page-list") else ""
    send(study, model)
    server.page = PAGES.get(kind, "") if kind in ("page-results", "page-state") else ""
    server.cut = RESULTS if kind == "cut-results" else ""
    before = study.ratings().height
    collect(study)
    assert study.ratings().height >= before, "what arrived is kept"
    server.page = server.cut = ""
    server.damage = set()
    for batch in server.batches.values():  # what the provider has is fetched whole in the end
        if kind in DAMAGES[:6]:
            _mend(server, batch)
    for _ in range(3):
        collect(study)
        send(study, model)
    collect(study)
    assert_all_judged_once(study, server, 9)
    assert set(server.paid.values()) == {1}, "no batch answer is paid twice"


def _impatient(model: Model, timeout: float = 1.0) -> Any:
    return provider_of(model.provider).connect(model.name, model.url, timeout)


def _mend(server: Any, batch: Any) -> None:
    """Write the results of a batch again, whole, without asking the model again."""
    paid = Counter(server.paid)
    batch.results, batch.errors, batch.done, batch.failed = [], [], 0, 0
    provider_batches._finish(server, batch)
    server.paid.clear()
    server.paid.update(paid)
