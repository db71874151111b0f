"""`haechi history`: what came into a study, from which files, and what was taken back."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.store.imports import Import

DESCRIPTION = Text(
    "스터디에 들어온 것을 번호와 함께 보여 줍니다: 더한 항목, 가져온 평가와 배치 결과, 되돌리기. 평가 화면과 AI 평가에서 바로 들어온 평가는 "
    "파일에서 온 것이 아니라 번호가 없고, 평가자와 날짜별로 묶어 보여 줍니다.",
    "List what came into a study, numbered: items added, ratings and batch results imported, and undoings. Ratings from the "
    "desk and from live judging came from no file and have no number; they are listed by rater and day.",
)
EXAMPLE = """
haechi history tutoring
haechi history tutoring --json
"""

_STEPS = (
    Text("번호", "number"),
    Text("시각", "time"),
    Text("무엇", "what"),
    Text("파일", "file"),
    Text("수", "counts"),
    Text("상태", "state"),
)
_OTHERS = (Text("날짜", "day"), Text("평가자", "rater"), Text("종류", "kind"), Text("평가", "ratings"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.store.imports import unnumbered_ratings
    from haechi.study.study import Study

    study = Study(chosen.folder)
    steps = study.history()
    with study.database.read() as connection:
        others = unnumbered_ratings(connection)
    if output.as_json:
        output.result(
            {"imports": [step.as_json() for step in steps], "others": [row._asdict() for row in others]}
        )
        return 0
    from haechi.report.table import table

    if not steps and not others:
        output.say(Text("아직 들어온 것이 없습니다.", "Nothing has come in yet.").say())
    if steps:
        titles = [head.say() for head in _STEPS]
        output.show(table(Text("이력", "history").say(), titles, [*map(_row, steps)], words=len(titles)))
    if others:
        title = Text("파일 없이 들어온 평가(번호 없음)", "ratings that came from no file (not numbered)")
        output.show(
            table(title.say(), [head.say() for head in _OTHERS], [tuple(row) for row in others], words=3)
        )
    return 0


def _row(step: Import) -> tuple[str, ...]:
    from haechi.store.database import local
    from haechi.store.imports import COUNTED, WHAT

    words = WHAT[step.what].say()
    if step.about is not None:
        verb = Text("다시 살림", "restored") if step.restores else Text("되돌림", "took back")
        return str(step.number), local(step.at), words, "", "", f"{step.about}: {verb.say()}"
    files = ", ".join(f"{file['name']} ({file['sha256'][:8]})" for file in step.files)
    counts = ", ".join(f"{COUNTED[name].say()} {count:,}" for name, count in step.counts.items() if count)
    state = Text("되돌림", "taken back").say() if step.taken_back else ""
    return str(step.number), local(step.at), words, files, counts, state
