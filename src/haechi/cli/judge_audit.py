"""`haechi judge --audit`: a judge asked about items with one change each."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haechi.cli.argument_types import count
from haechi.cli.decoding_options import decoding_of
from haechi.cli.judging_run import ask_watched, is_unfinished, note_unfinished, other_ways, show_estimates
from haechi.cli.output import Output
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.study.study import Study


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
    from haechi.analysis.audit_variants import audit_judges, audit_study, audited_variants
    from haechi.analysis.trial import check_alone
    from haechi.judge.budget import Budget
    from haechi.judge.estimates import estimate
    from haechi.report.tables.audit import variants_tables

    check_alone("audit", other_ways(chosen))
    audited = audit_study(study, chosen.audit)
    judges = audit_judges(audited, chosen.model, chosen.per, chosen.prompt_lang, decoding_of(chosen))
    expected = [estimate(audited, judge) for judge in judges]
    if chosen.dry_run or (not output.as_json and any(one.calls for one in expected)):
        show_estimates(expected, output)
    if chosen.dry_run:
        return 0
    done = ask_watched(audited, judges, chosen, Budget(chosen.max_cost, chosen.job), output)
    found = audited_variants(audited)
    if output.as_json:
        told = [one.as_json(language()) for one in found]
        paid = sum(one.done.cost for one in done)
        output.result({"audit": told, "folder": str(audited.folder), "paid_now": paid})
    elif found:
        output.show(*variants_tables(found, study.rubric))
    note_unfinished(done, output)
    output.note(
        Text(
            f"이 평가는 {audited.folder}에 따로 두었고, 스터디의 수치에는 들어가지 않습니다.",
            f"These ratings are kept apart in {audited.folder} and enter no figure of the study.",
        )
    )
    return 1 if is_unfinished(done) else 0
