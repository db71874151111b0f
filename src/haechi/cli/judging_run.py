"""Judges that a command asks: what that would take, the asking itself, watched, and what stood in its way."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from haechi.cli.judging_money import CostForecast, estimates_table, say_basis
from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from haechi.judge.asks import Judge
    from haechi.judge.budget import Budget
    from haechi.judge.estimates import CostEstimate
    from haechi.judge.records import JudgeResult, JudgingTotals
    from haechi.study.study import Study

_NOTHING: Mapping[str, Any] = {}


def other_ways(chosen: argparse.Namespace) -> list[tuple[str, Any]]:
    """What was said of how judges are asked, for ways of asking that leave no choice."""
    said = {"batch": chosen.batch, "repeat": chosen.repeat > 1, "one-order": chosen.one_order}
    said |= {"per": chosen.per != "rubric", "examples": chosen.examples, "then": chosen.then}
    return list(said.items())


def show_estimates(found: list[CostEstimate], output: Output, about: Mapping[str, Any] = _NOTHING) -> None:
    """What judges would take; about: what machines are told beside it."""
    if output.as_json:
        output.result({"dry_run": True, "judges": [asdict(one) for one in found], **about})
        return
    output.show(estimates_table(found))
    say_basis(found, output)


def ask_judges(
    study: Study,
    judges: Sequence[Judge],
    chosen: argparse.Namespace,
    budget: Budget,
    output: Output,
    repeat: int = 1,
    then: Callable[[Judge, list[JudgeResult]], None] = lambda _, __: None,
) -> list[JudgeResult]:
    """Ask judges one after the other, until one has to stop; then: what is done after each that did not, with all so far."""
    from haechi.cli.judging_watch import judging
    from haechi.judge.attempts import Pace
    from haechi.judge.budget import check_price
    from haechi.judge.judges import calls_due, calls_left, judge_live
    from haechi.judge.records import JudgingTotals

    for judge in judges:  # before the first question is paid
        check_price(judge, budget.most)
    pace = Pace(at_once=chosen.at_once, timeout=chosen.timeout, rate=chosen.rate)
    done: list[JudgeResult] = []
    for judge in judges:
        total = partial(calls_due, study, judge, repeat, chosen.limit)
        left = partial(calls_left, study, judge, repeat)
        foresight = CostForecast(judge.rater, left, (chosen.limit, chosen.max_cost), output)
        with judging(judge.rater, total, JudgingTotals(), output.is_quiet) as advance:
            watch = partial(_watched, advance, foresight)
            done.append(judge_live(study, judge, repeat, chosen.limit, budget, pace, watch))
        if done[-1].stopped is not None:
            break
        then(judge, done)
    return done


def _watched(
    show: Callable[[JudgingTotals], None], foresee: Callable[[JudgingTotals], None], so_far: JudgingTotals
) -> None:
    show(so_far)
    foresee(so_far)


def note_unfinished(done: Iterable[JudgeResult], output: Output) -> None:
    """Say what stopped judges, and how many of their requests failed."""
    for one in done:
        if one.stopped is not None:
            output.note(Text(f"! {one.stopped.ko}", f"! {one.stopped.say('en')}"))
        if one.done.failed:
            failed = one.done.failed
            output.note(
                Text(
                    f"! {one.rater}: 실패한 요청 {failed:,}건. 같은 명령을 다시 실행하면 이어서 묻습니다.",
                    f"! {one.rater}: {failed:,} requests failed. The same command again goes on.",
                )
            )


def is_unfinished(done: Iterable[JudgeResult]) -> bool:
    """Whether a judge was stopped, or did not answer everything."""
    return any(one.stopped or one.done.failed for one in done)
