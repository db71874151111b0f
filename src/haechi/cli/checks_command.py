"""`haechi checks`: what became of every expectation of agent runs, before anything is scored."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.file_options import runs_of
from haechi.cli.output import Output, are_alone
from haechi.cli.reading_options import add_reading, reading_of_file
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from haechi.data.item import Item
    from haechi.rubrics import Rubric
    from haechi.scoring.open_lines import OpenLine

DESCRIPTION = Text(
    "에이전트 실행의 기대 결과가 어떤 체크가 되었는지, 채점하기 전에 줄마다 보여 줍니다. 이해하지 못한 줄은 추측하지 않고 열어 둡니다. -o로 쓴 파일의 "
    "accuracyChecks 열을 고쳐 haechi add --join --replace로 다시 넣습니다.",
    "Show line by line which checks the expectations of agent runs become, before anything is scored. A line that is not "
    "understood is not guessed: it stays open. Edit the column accuracyChecks of the file that -o writes, and bring it back by haechi add --join --replace.",
)
EXAMPLE = """
haechi checks runs.csv
haechi checks suite.csv
haechi checks agent -o checks.xlsx
haechi add agent checks.xlsx --join --replace
haechi checks agent --open -o open.xlsx
haechi import agent open.xlsx --rater kim
"""
_RUBRIC = "hiring-agent"
OPEN_COLUMNS = ("item", "criterion", "질의", "응답", "value")
_HEADS = (Text("질의 ID", "query"), Text("실행", "runs"), Text("줄", "line"), Text("체크", "check"))
_KINDS = {
    "open": Text("사람이나 AI 평가자가 확인", "open (a person or a judge)"),
    "heading": Text("제목", "heading"),
    "intent": Text("의도 충족에서 평가", "left to intent"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    target = Text(
        "스터디 폴더, 실행 기록 파일, 또는 물어볼 질의의 파일(suite)",
        "a study, a file of agent runs, or a suite of queries",
    )
    parser.add_argument("target", metavar="FILE|DIR", type=Path, help=target.say())
    waiting = Text(
        "코드가 확인할 수 없는 미정인 줄을 실행마다 보여 줌(아직 답이 없는 것만). -o로 쓴 파일의 value 칸에 예·아니오를 적어 haechi import로 가져옵니다",
        "the open lines of every run that nobody has answered yet; fill the column value of the file that -o writes with yes or no, and haechi import it",
    )
    parser.add_argument("--open", action="store_true", help=waiting.say())
    named = Text(
        f"--open: 실행 기록 파일의 답이 들어갈 기준을 정하는 루브릭 (기본: {_RUBRIC})",
        f"--open: of a file, the rubric whose criterion is answered (default: {_RUBRIC})",
    )
    parser.add_argument("--rubric", metavar="ID|FILE", help=named.say())
    mapped = Text(
        "파일의 어느 열이 무엇인지: query_id, expected, payload … (되풀이)",
        "of a file, which column is what: query_id, expected, payload … (repeatable)",
    )
    add_reading(parser, mapped)
    out = Text("고칠 수 있게 쓸 파일: .xlsx .csv", "write the checks for editing: .xlsx .csv")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=out.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    if not chosen.open and are_alone({"--rubric": chosen.rubric}, "--open", output):
        return 2
    if chosen.open:
        return _show_open(chosen, output)
    from haechi.scoring.expectation_list import editable_rows, expectations_of

    found = expectations_of(_items(chosen))
    if chosen.output:
        import polars as pl

        from haechi.data.writing import write_tables

        write_tables([pl.DataFrame(editable_rows(_items(chosen)))], chosen.output)
    told = [one.as_json() for one in found]
    counted = {name: sum(one[name] for one in told) for name in ("runs", "checks", "open")}
    written = [one for one in told if one["checks"] or one["open"]]
    absent = counted["runs"] - sum(one["runs"] for one in written)
    if output.as_json:
        output.result({**counted, "absent": absent, "expectations": told})
        return 0
    from haechi.report.table import table

    rows = [
        (
            ", ".join(one["queries"]),
            f"{one['runs']:,}",
            line["text"],
            line["check"] or _KINDS[line["kind"]].say(),
        )
        for one in told
        for line in one["lines"]
    ]
    if rows:
        output.show(
            table(Text("기대 결과", "expectations").say(), [head.say() for head in _HEADS], rows, words=4)
        )
    said = Text(
        f"실행 {counted['runs']:,}건의 기대 결과 {len(written):,}가지: 코드가 확인하는 체크 {counted['checks']:,}개, 사람이나 AI 평가자가 확인할 줄 {counted['open']:,}개, "
        f"기대 결과가 없는 실행 {absent:,}건",
        f"{len(written):,} expectations of {counted['runs']:,} runs: {counted['checks']:,} checks by code, {counted['open']:,} lines open; "
        f"{absent:,} runs without any",
    )
    output.say(said.say())
    return 0


def _items(chosen: argparse.Namespace) -> Iterable[Item]:
    """The runs of a study or a file; the cases of a suite, of which nobody has been asked yet, stand for runs."""
    from haechi.agents.suite import is_suite, read_suite, unasked_run

    reading = reading_of_file(chosen, str(chosen.target))
    if chosen.target.is_file() and is_suite(chosen.target, reading):
        return map(unasked_run, read_suite(chosen.target, reading))
    return runs_of([chosen.target], reading)


def _show_open(chosen: argparse.Namespace, output: Output) -> int:
    """The open lines that wait for somebody, run by run."""
    from haechi.rubrics import find_rubric
    from haechi.scoring.open_lines import waiting_lines
    from haechi.store.folder import is_study

    rubric, ratings = find_rubric(chosen.rubric or _RUBRIC), None
    if is_study(chosen.target):
        from haechi.scoring.given_rubric import for_study
        from haechi.study.scores import StoredStudy

        study = StoredStudy(chosen.target)
        for_study(study.rubric, study.place, chosen.rubric)
        rubric, ratings = study.rubric, study.all_ratings()
    rows = [
        _asked(line, rubric)
        for line in waiting_lines(
            runs_of([chosen.target], reading_of_file(chosen, str(chosen.target))), rubric, ratings
        )
    ]
    if chosen.output:
        import polars as pl

        from haechi.data.writing import write_tables

        write_tables([pl.DataFrame(rows, schema=dict.fromkeys(OPEN_COLUMNS, pl.String))], chosen.output)
    if output.as_json:
        output.result({"open": [{name: row[name] for name in OPEN_COLUMNS[:-1]} for row in rows]})
        return 0
    if rows and not chosen.output:
        from haechi.report.table import table

        heads = [Text("실행", "run"), Text("질의", "question"), Text("미정인 줄", "open line")]
        shown = [(row["item"], row["질의"], row["criterion"].partition(".")[2]) for row in rows]
        output.show(
            table(Text("미정인 줄", "open lines").say(), [head.say() for head in heads], shown, words=3)
        )
    output.say(Text(f"답을 기다리는 줄 {len(rows):,}개", f"{len(rows):,} lines wait for an answer").say())
    if chosen.output and rows:
        folder, file = quoted(chosen.target), quoted(chosen.output)
        output.note(
            Text(
                f"다음: value 칸에 예·아니오를 적고 haechi import {folder} {file} --rater 이름",
                f"next: fill in value, then haechi import {folder} {file} --rater NAME",
            )
        )
    return 0


def _asked(line: OpenLine, rubric: Rubric) -> dict[str, str]:
    """An open line as somebody answers it, and as `haechi import` takes it back."""
    from haechi.prompt.material import run_texts

    texts, criterion = run_texts(line.item.content), rubric.checked_criterion
    key = criterion.key if criterion is not None else ""
    cells = (line.item.id, f"{key}.{line.text}", texts.query, texts.answer, "")
    return dict(zip(OPEN_COLUMNS, map(str, cells), strict=True))
