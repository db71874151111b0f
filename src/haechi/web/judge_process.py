"""AI judges at work behind the page: the command in a process of its own, which outlives the page and the server.

What was started is a file in the study's folder, what was asked and answered is the study's journal: a server that is
started anew, or another one, sees how far it is, and goes on with the same job and the same limit where it broke off.
"""

from __future__ import annotations

import math
import os
import threading
import uuid
from dataclasses import asdict, replace
from typing import Any

from haechi.analysis.audit_variants import audited_of
from haechi.analysis.trial import trial_study
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.asks import Judge
from haechi.judge.budget import Budget, check_price
from haechi.judge.judges import calls_due, check_batches, first_cost
from haechi.judge.providers import provider_of
from haechi.judge.providers.base import need_key
from haechi.judge.providers.models import Model
from haechi.store.batches import batches_so_far
from haechi.store.connection import DatabaseRow
from haechi.store.database import now
from haechi.store.jobs import workers_of
from haechi.store.journal import calls_of, ended_calls
from haechi.study.study import Study
from haechi.text import Text, dollars
from haechi.web.background import Background, RunState
from haechi.web.commands import command, option_words
from haechi.web.field_names import JUDGES
from haechi.web.judging_options import JudgingOptions, judges_for, second_judges

_FOLDER = ".judging"


@frozen
class StartedJudging:
    """A run as it was begun: the job that its processes share, and how many calls were due."""

    job: str
    total: int
    at: str
    wanted: JudgingOptions


@frozen
class JudgingStatus:
    """How a run stands: at work, ended with a result, or broken off."""

    begun: StartedJudging
    state: RunState
    done: int
    failed: int
    paid: float | None
    result: dict[str, Any]


class JudgeProcess:
    """The judges of one study, one run at a time; and the fetching of what was sent in batches."""

    def __init__(self, study: Study) -> None:
        self._study = study
        folder = study.folder / _FOLDER
        self._run = Background(folder, "result", self._at_work)
        self.collecting = Background(folder, "collected")
        self._lock = threading.Lock()

    def standing(self) -> JudgingStatus | None:
        """How the newest run stands; None if there was none."""
        begun = self._begun()
        if begun is None:
            return None
        state, result = self._run.outcome()
        with self._place(begun).database.read() as connection:
            done, failed, paid = ended_calls(connection, begun.job)
        return JudgingStatus(begun, state, done, failed, paid, result)

    def batches(self) -> list[DatabaseRow]:
        """The batches of the study, newest first."""
        with self._study.database.read() as connection:
            return batches_so_far(connection)

    def start(self, wanted: JudgingOptions) -> None:
        """Begin to judge; refuses what could not be done before anything is paid."""
        with self._lock:
            expected = Text("끝났거나 멈춘 AI 평가", "judges that have ended or were stopped")
            self._run.check_idle(self._study.name, Text("진행 중인 AI 평가", "AI judges at work"), expected)
            total = checked(self._study, wanted)
            begun = StartedJudging(uuid.uuid4().hex, total, now(), wanted)
            self._launch(begun, wanted.limit)

    def go_on(self) -> None:
        """Go on with a run that broke off, within the same limit: what was paid counts."""
        with self._lock:
            begun = self._begun()
            if begun is None or self._run.is_working:
                return
            checked(self._study, begun.wanted, begun.job)
            with self._place(begun).database.read() as connection:
                asked = calls_of(connection, begun.job)
            limit = begun.wanted.limit
            left = None if limit is None else limit - asked
            if left is None or left > 0:
                self._launch(begun, left)

    def stop(self) -> None:
        """End a run in order: what is on its way is waited for and kept."""
        self._run.stop()

    def collect(self, cancel: bool = False) -> None:
        """Fetch what has finished of the batches, or stop those that have not and fetch the rest."""
        with self._lock:
            if not self.collecting.running:
                self.collecting.start("collect", str(self._study.folder), *(["--cancel"] if cancel else []))

    def _launch(self, begun: StartedJudging, limit: int | None) -> None:
        options = option_words(replace(begun.wanted, limit=limit).options())
        self._run.begin(asdict(begun), "judge", str(self._study.folder), *options, "--job", begun.job)

    def _begun(self) -> StartedJudging | None:
        known = self._run.begun
        try:
            return (
                StartedJudging(**{**known, "wanted": JudgingOptions.kept(known["wanted"])}) if known else None
            )
        except (KeyError, TypeError):  # of another version
            return None

    def _at_work(self) -> list[str]:
        begun = self._begun()
        if begun is None:
            return []
        with self._place(begun).database.read() as connection:
            return workers_of(connection, begun.job)

    def _place(self, begun: StartedJudging) -> Study:
        """The study in which judges are asked."""
        if begun.wanted.audit is not None:
            return audited_of(self._study) or self._study
        return self._study if begun.wanted.trial is None else trial_study(self._study)


def checked(study: Study, wanted: JudgingOptions, job: str | None = None) -> int:
    """How many calls are due; what would be refused later is refused now: models, keys, prices, too low a limit.

    job: what it has spent counts.
    """
    place, judges = judges_for(study, wanted)
    for judge in (*judges, *second_judges(study, wanted)):
        need_own_key(judge.model)
        check_price(judge, wanted.max_cost)
        if wanted.batch:
            check_batches(judge)
    _check_room(place, judges, wanted, job)
    return sum(calls_due(place, judge, wanted.repeat, wanted.limit) for judge in judges)


def least_cost(place: Study, judges: list[Judge], wanted: JudgingOptions) -> float:
    """The limit below which one of the judges could not be asked anything."""
    return max((first_cost(place, judge, wanted.repeat, wanted.batch) for judge in judges), default=0.0)


def whole_cents(amount: float) -> str:
    """An amount to pay, rounded up as limits are typed.

    >>> whole_cents(0.0312), whole_cents(2)
    ('0.04', '2.00')
    """
    return f"{math.ceil(100 * amount) / 100:.2f}"


def _check_room(place: Study, judges: list[Judge], wanted: JudgingOptions, job: str | None) -> None:
    with place.database.read() as connection:
        room = Budget(wanted.max_cost, job).room(connection)
    least = least_cost(place, judges, wanted)
    if least <= room:
        return
    field, enough, worst = JUDGES["--max-cost"], whole_cents(least), dollars(least)
    raise HaechiError.of(
        field.say(),
        Text(f"쓸 수 있는 금액 {dollars(max(room, 0.0))}", f"{dollars(max(room, 0.0))} to spend"),
        Text(
            f"{worst} 이상(요청 하나에 들 수 있는 최대 비용)",
            f"at least {worst}, the most one request can cost",
        ),
        Text(
            f"‘추정’의 ‘{field.ko}’에 {enough} 이상을 적고 시작하세요",
            f"under ‘Estimate’, write {enough} or more in ‘{field.say('en')}’ and start",
        ),
    )


def need_own_key(model: Model) -> None:
    """Refuse a model whose key is in none of its environment variables; servers at an address may need none."""
    keys = provider_of(model.provider).keys
    if model.url is None and keys and not any(os.environ.get(name) for name in keys):
        raise need_key(model.provider)


def judge_command(study: Study, wanted: JudgingOptions) -> str:
    """The command that does the same."""
    return command("judge", study.folder, options=wanted.options())
