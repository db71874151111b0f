"""Judges that a command asks: what that would take, the asking itself, watched, and what stood in its way."""

from __future__ import annotations

import argparse
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from haechi.cli.judging_money import CostForecast, estimates_table, say_basis
from haechi.cli.judging_watch import judging
from haechi.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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


def ask_watched(
    study: Study,
    judges: Sequence[Judge],
    chosen: argparse.Namespace,
    budget: Budget,
    output: Output,
    repeat: int = 1,
) -> list[JudgeResult]:
    """Ask judges as a command does: at its pace, with a bar and a forecast of what that will cost."""
    from haechi.judge.attempts import Pace
    from haechi.judge.judges import ask_judges, calls_due, calls_left
    from haechi.judge.records import JudgingTotals

    @contextmanager
    def watch(judge: Judge) -> Iterator[Callable[[JudgingTotals], None]]:
        total = partial(calls_due, study, judge, repeat, chosen.limit)
        left = partial(calls_left, study, judge, repeat)
        foresee = CostForecast(judge.rater, left, (chosen.limit, chosen.max_cost), output)
        with judging(judge.rater, total, JudgingTotals(), output.is_quiet) as show:

            def advance(so_far: JudgingTotals) -> None:
                show(so_far)
                foresee(so_far)

            yield advance

    pace = Pace(at_once=chosen.at_once, timeout=chosen.timeout, rate=chosen.rate)
    return ask_judges(study, judges, repeat, chosen.limit, budget, pace, watch)


def note_unfinished(done: Iterable[JudgeResult], output: Output) -> None:
    """Say what stopped judges, and how many of their requests failed."""
    for one in done:
        for words in one.unfinished:
            output.note(words)


def is_unfinished(done: Iterable[JudgeResult]) -> bool:
    """Whether a judge was stopped, or did not answer everything."""
    return any(one.unfinished for one in done)
