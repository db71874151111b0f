"""AI judges over a study: asked live or in batches, continued where the last run ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from haechi.data.judging_protocol import EFFORTS, LARGEST_SEED, TEMPERATURES, Decoding
from haechi.data.line_names import own_criteria
from haechi.data.own_criteria import own_criteria_of
from haechi.data.progress import Advance, no_progress
from haechi.errors import HaechiError
from haechi.judge.asks import Judge, Per, new_asks
from haechi.judge.attempts import Pace
from haechi.judge.batch import BatchRun, SubmissionResult
from haechi.judge.batch_status import BatchNews
from haechi.judge.budget import Budget, check_price
from haechi.judge.collect import Collector
from haechi.judge.judged_study import JudgedStudy
from haechi.judge.live import LiveRun
from haechi.judge.loops import run_to_end
from haechi.judge.providers import provider_of
from haechi.judge.providers.models import Model, parse_model
from haechi.judge.providers.prices import Prices
from haechi.judge.records import JudgeResult, JudgingTotals
from haechi.judge.servers import prepare, remember
from haechi.store.connection import Connection
from haechi.store.due_items import count_due, due_items
from haechi.store.items import read_items
from haechi.store.journal import count_open
from haechi.text import Lang, Text

_TRIAL_PATIENCE = 1800.0


def judges_of(
    study: JudgedStudy,
    models: list[str],
    per: Per = "rubric",
    lang: Lang = "ko",
    advance: Advance = no_progress,
    both_orders: bool = True,
    decoding: Decoding | None = None,
) -> list[Judge]:
    """The judges that are named `PROVIDER:MODEL[@URL]`, each once, for a study that they can ask item by item."""
    prices = Prices.read(study.folder)
    names = {"assistant": study.settings.assistant_name, "user": study.settings.user_name}
    given = {role: name for role, name in names.items() if name}
    parsed = [parse_model(text) for text in models]
    decoding = decoding or Decoding()
    _check_values(decoding)
    for model in parsed:
        _check_decoding(model, decoding)
    judges = [
        Judge(
            model,
            study.rubric,
            per,
            lang,
            given,
            prices.of(model),
            both_orders=both_orders,
            decoding=decoding,
        )
        for model in parsed
    ]
    raters = [judge.rater for judge in judges]
    for rater in raters:
        if raters.count(rater) > 1:
            expected = Text("서로 다른 모델", "different models")
            todo = Text("한 번만 적으세요. 되풀이는 --repeat입니다", "name it once; --repeat asks again")
            raise HaechiError.of("--model", rater, expected, todo)
    study.bring_rows(advance)
    return [replace(judge, own=_most_criteria(study)) for judge in judges]


def _check_decoding(model: Model, decoding: Decoding) -> None:
    """Refuse what a provider does not take, before anything is asked: left out in silence, it would seem to be set."""
    takes = provider_of(model.provider).takes
    for name, value in replace(decoding, max_tokens=None).given.items():
        if name not in takes:
            option = _OPTIONS[name]
            known = ", ".join(_OPTIONS[one] for one in _OPTIONS if one in takes) or "-"
            raise HaechiError.of(
                f"{option}, {model.spec}",
                Text(
                    f"{option} {value}: {model.provider}에는 이 설정이 없음",
                    f"{option} {value}: {model.provider} has no such setting",
                ),
                Text(f"{model.provider}이(가) 받는 것: {known}", f"what {model.provider} takes: {known}"),
                Text(f"{option} 없이 다시 실행하세요", f"run again without {option}"),
            )


def _check_values(decoding: Decoding) -> None:
    """Refuse what no provider takes."""
    found, (low, high) = decoding, TEMPERATURES
    wrong = {
        "temperature": found.temperature is not None and not low <= found.temperature <= high,
        "seed": found.seed is not None and not 0 <= found.seed <= LARGEST_SEED,
        "effort": found.effort is not None and found.effort not in EFFORTS,
        "max_tokens": found.max_tokens is not None and found.max_tokens < 1,
    }
    expected = {
        "temperature": Text(f"{low:g}에서 {high:g}까지의 수", f"a number from {low:g} to {high:g}"),
        "seed": Text("0 이상의 정수", "a whole number, 0 or more"),
        "effort": Text(f"{', '.join(EFFORTS)} 중 하나", f"one of {', '.join(EFFORTS)}"),
        "max_tokens": Text("1 이상의 정수", "a whole number, 1 or more"),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            todo = Text("값을 고치세요", "correct the value")
            raise HaechiError.of(name, str(getattr(found, name))[:80], expected[name], todo)


_OPTIONS = {
    "temperature": "--temperature",
    "seed": "--seed",
    "effort": "--reasoning-effort",
    "logprobs": "--logprobs",
}


def _most_criteria(study: JudgedStudy) -> int:
    """How many criteria of its own an item has at most."""
    if not own_criteria(study.rubric):
        return 0
    with study.database.read() as connection:
        return max((len(own_criteria_of(item.content)) for item in read_items(connection)), default=0)


def calls_due(study: JudgedStudy, judge: Judge, repeat: int = 1, limit: int | None = None) -> int:
    """How many calls a run would begin with."""
    with study.database.read() as connection:
        due = _due(connection, study, judge, repeat)
    return due if limit is None else min(due, limit)


def _due(connection: Connection, study: JudgedStudy, judge: Judge, repeat: int) -> int:
    return sum(count_due(connection, question, study.rubric.item) for question in judge.questions(repeat))


def first_cost(study: JudgedStudy, judge: Judge, repeat: int = 1, batch: bool = False) -> float:
    """The most that the first request can cost: with less room nothing is asked. Nothing where nothing is due."""
    with study.database.read() as connection:
        for question in judge.questions(repeat):
            due = due_items(connection, question, study.rubric.item, 0, 1)
            for ask in new_asks(judge, question, due):
                return Budget().bound(ask.request, judge.price, batch)
    return 0.0


def calls_left(study: JudgedStudy, judge: Judge, repeat: int = 1) -> int:
    """How many calls are due or on their way, here or elsewhere: at one moment, or what leaves meanwhile counts twice."""
    with study.database.read() as connection:
        return _due(connection, study, judge, repeat) + count_open(connection, judge.rater)


def ask_judges(
    study: JudgedStudy,
    judges: Sequence[Judge],
    repeat: int = 1,
    limit: int | None = None,
    budget: Budget | None = None,
    pace: Pace | None = None,
    watch: Callable[[Judge], AbstractContextManager[Callable[[JudgingTotals], None]]] = lambda _: nullcontext(
        lambda _: None
    ),
) -> list[JudgeResult]:
    """Ask judges now, one after the other, until one has to stop; watch: who looks on while a judge is asked."""
    budget = budget or Budget()
    for judge in judges:  # before the first question is paid
        check_price(judge, budget.most)
    done: list[JudgeResult] = []
    for judge in judges:
        with watch(judge) as advance:
            done.append(judge_live(study, judge, repeat, limit, budget, pace, advance))
        if done[-1].stopped is not None:
            break
    return done


def judge_live(
    study: JudgedStudy,
    judge: Judge,
    repeat: int = 1,
    limit: int | None = None,
    budget: Budget | None = None,
    pace: Pace | None = None,
    advance: Callable[[JudgingTotals], None] = lambda _: None,
) -> JudgeResult:
    """Ask a judge now about everything that lacks its values."""
    budget, pace = budget or Budget(), pace or Pace()
    check_price(judge, budget.most)
    if judge.model.is_trial:  # it answers one after the other: waiting in its queue is no failure
        pace = replace(pace, at_once=1, timeout=max(pace.timeout, _TRIAL_PATIENCE))

    async def run() -> JudgeResult:
        client = judge.model.client(pace.timeout)
        try:
            await prepare(study.database, judge.model, client)
            live = LiveRun(study.database, judge, client, pace, budget, advance)
            return await live.run(judge.questions(repeat), limit)
        finally:
            remember(study.database, judge.model, client)
            await client.close()

    with study.database.kept_open():
        return run_to_end(run())


def check_batches(judge: Judge) -> None:
    """Refuse a judge that takes no batches."""
    if not provider_of(judge.model.provider).batches:
        expected = Text("실시간 평가", "live judging")
        todo = Text("--batch 없이 실행하세요", "run it without --batch")
        raise HaechiError.of(judge.model.reference, "--batch", expected, todo)


def judge_in_batches(
    study: JudgedStudy, judge: Judge, repeat: int = 1, limit: int | None = None, budget: Budget | None = None
) -> SubmissionResult:
    """Send what lacks a judge's values as batches; `collect` fetches the answers later."""
    check_batches(judge)
    budget = budget or Budget()
    check_price(judge, budget.most)

    async def run() -> SubmissionResult:
        client = judge.model.client()
        try:
            await prepare(study.database, judge.model, client)
            return await BatchRun(study.database, judge, client, budget).run(judge.questions(repeat), limit)
        finally:
            await client.close()

    with study.database.kept_open():
        return run_to_end(run())


def collect(
    study: JudgedStudy,
    cancel: bool = False,
    advance: Advance = no_progress,
    give_up: bool = False,
) -> list[BatchNews]:
    """Fetch what finished of the submitted batches; with `cancel` stop those that are running.

    give_up: close batches that have ended although results are missing; those are asked again.
    """
    collector = Collector(
        study.database,
        study.rubric,
        Prices.read(study.folder),
        advance,
        lambda spec: parse_model(spec).client(),
    )
    with study.database.kept_open():
        return run_to_end(collector.collect(cancel, give_up))
