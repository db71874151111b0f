"""`haechi import`: ratings from people, other tools and judges' result files."""

from __future__ import annotations

import argparse

from haechi.cli.output import Output
from haechi.text import Text

DESCRIPTION = Text(
    "평가를 가져옵니다. 표는 한 줄에 평가 하나(item, criterion, rater, value …)이거나, 한 줄에 항목 하나와 기준별 열입니다.",
    "Import ratings: one row per judgement (item, criterion, rater, value …), or one row per item with a column "
    "per criterion.",
)
EXAMPLE = """
haechi import tutoring teachers.csv --as ratings
haechi import diaries form.xlsx --as ratings --rater teacher-1 --kind human
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    parser.add_argument("files", metavar="FILE", nargs="+", help=".csv .xlsx .jsonl .json .parquet")
    parser.add_argument("--as", dest="form", choices=("ratings",), required=True)
    rater = Text(
        "평가자 이름(표에 rater 열이 없을 때, 또는 대신)", "the rater's name (instead of a column rater)"
    )
    parser.add_argument("--rater", metavar="NAME", help=rater.say())
    kind = Text(
        "평가자의 종류 (기본: 표의 kind 열, 없으면 human)",
        "the rater's kind (default: column kind, else human)",
    )
    parser.add_argument("--kind", choices=("human", "ai", "code"), help=kind.say())
    stance = Text(
        "평가자의 입장(ubica: participant, third_party, judge)",
        "the stance (ubica: participant, third_party, judge)",
    )
    parser.add_argument("--stance", help=stance.say())
    correct = Text(
        "저장된 것과 다른 평가를 수정으로 받음(옛 값도 보관)",
        "take differing ratings as corrections (the old stay)",
    )
    parser.add_argument("--correct", action="store_true", help=correct.say())
    skip = Text("잘못된 줄은 건너뛰고 목록을 보여 줌", "leave out bad rows and list them")
    parser.add_argument("--skip-bad", action="store_true", help=skip.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.study import Study

    study = Study(chosen.folder)
    with output.working(Text("평가를 읽는 중", "reading ratings")) as advance:
        done = study.import_ratings(
            chosen.files,
            rater=chosen.rater,
            kind=chosen.kind,
            stance=chosen.stance,
            correct=chosen.correct,
            skip_bad=chosen.skip_bad,
            advance=advance,
        )
    if output.as_json:
        skipped = [problem.as_json() for problem in done.skipped]
        counts = {"new": done.new, "unchanged": done.unchanged, "corrected": done.corrected}
        output.result({**counts, "bare_items": done.bare_items, "skipped": skipped})
        return 0
    output.show(
        Text(
            f"✓ 새 평가 {done.new:,}건, 그대로 {done.unchanged:,}건, 수정 {done.corrected:,}건",
            f"✓ {done.new:,} new ratings, {done.unchanged:,} unchanged, {done.corrected:,} corrected",
        ).say()
    )
    if done.bare_items:
        output.show(
            Text(
                f"! 아직 없던 항목 {done.bare_items:,}개를 내용 없이 만들었습니다. haechi add로 채울 수 있습니다.",
                f"! {done.bare_items:,} items were not there yet and were made without content; haechi add fills them.",
            ).say()
        )
    output.skipped(done.skipped)
    output.note(Text(f"다음: haechi score {study.folder}", f"next: haechi score {study.folder}"))
    return 0
