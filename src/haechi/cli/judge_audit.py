"""`haechi judge --audit`: a judge asked about items with one change each."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from haechi.cli.decoding_options import decoding_of
from haechi.cli.numbers import count
from haechi.cli.output import Output
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.study import Study


def add_audit(parser: argparse.ArgumentParser) -> None:
    """The option."""
    words = Text(
        "뽑은 항목 N개(기본: 30)를 한 가지씩 바꾸어 물음: 길이, 존댓말과 반말, 이름, 지시, 빈 답, 되풀이, 기준과 답의 순서. 결과는 스터디의 수치에 들어가지 않음",
        "ask about N drawn items (default: 30) with one change each: length, polite or plain speech, names, instructions, empty and repeated answers, "
        "order of criteria and of answers; nothing of it enters the study's figures",
    )
    parser.add_argument("--audit", type=count, nargs="?", const=30, metavar="N", help=words.say())


def run_audit(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """Ask, and show what each change does."""
    from haechi.analysis.audit_variants import audit_judges, audit_study, audited_variants, check_alone
    from haechi.cli.judging_money import estimates_table, say_basis
    from haechi.cli.judging_watch import judging
    from haechi.judge.attempts import Pace
    from haechi.judge.budget import Budget, check_price
    from haechi.judge.estimates import estimate
    from haechi.judge.judges import calls_due, judge_live
    from haechi.judge.records import Done
    from haechi.report.tables.audit import variants_tables

    given = {"batch": chosen.batch, "repeat": chosen.repeat > 1, "one-order": chosen.one_order}
    check_alone([*given.items(), ("examples", chosen.examples), ("then", chosen.then)])
    audited = audit_study(study, chosen.audit)
    judges = audit_judges(audited, chosen.model, chosen.per, chosen.prompt_lang, decoding_of(chosen))
    expected = [estimate(audited, judge) for judge in judges]
    if chosen.dry_run and output.as_json:
        output.result({"dry_run": True, "judges": [asdict(one) for one in expected]})
    elif not output.as_json and any(one.calls for one in expected):
        output.show(estimates_table(expected))
        say_basis(expected, output)
    if chosen.dry_run:
        return 0
    budget = Budget(chosen.max_cost, chosen.job)
    pace = Pace(at_once=chosen.at_once, timeout=chosen.timeout, rate=chosen.rate)
    done = []
    for judge in judges:
        check_price(judge, budget.most)
    for judge in judges:
        with judging(judge.rater, partial(calls_due, audited, judge), Done(), output.is_quiet) as advance:
            done.append(judge_live(audited, judge, 1, chosen.limit, budget, pace, advance))
        if done[-1].stopped is not None:
            break
    found = audited_variants(audited)
    if output.as_json:
        told = [one.as_json(language()) for one in found]
        paid = sum(one.done.cost for one in done)
        output.result({"audit": told, "folder": str(audited.folder), "paid_now": paid})
    elif found:
        output.show(*variants_tables(found, study.rubric))
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
    output.note(
        Text(
            f"이 평가는 {audited.folder}에 따로 두었고, 스터디의 수치에는 들어가지 않습니다.",
            f"These ratings are kept apart in {audited.folder} and enter no figure of the study.",
        )
    )
    return 1 if any(one.stopped or one.done.failed for one in done) else 0
