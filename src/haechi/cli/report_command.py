"""`haechi report`: what people act on, as Markdown, HTML, CSV, Parquet and Excel."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.report.document import Report

DESCRIPTION = Text(
    "스터디의 보고서를 폴더에 씁니다: report.md, report.html(그림 포함, 네트워크 불필요), scores.csv, summary.csv, "
    "ratings.parquet, scores.xlsx. 스터디 둘을 주면 무엇이 나아지고 나빠졌는지 비교합니다.",
    "Write the report of a study into a folder: report.md, report.html (with plots, needs no network), scores.csv, "
    "summary.csv, ratings.parquet, scores.xlsx. With two studies: what got better and what got worse.",
)
EXAMPLE = """
haechi report tutoring -o report
haechi report tutoring -o report --by mode --anonymous --lang en
haechi report version-1 version-2 -o changes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    studies = Text(
        "스터디 폴더. 둘이면 첫째에서 둘째로의 변화",
        "a study; two for the change from the first to the second",
    )
    parser.add_argument("studies", metavar="DIR", nargs="+", type=Path, help=studies.say())
    out = Text("보고서를 쓸 폴더", "the folder to write")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=out.say())
    by = Text(
        "비교할 메타 필드. 여러 번 쓸 수 있고, 쉼표는 교차",
        "meta field to compare by; repeat for more, comma to cross",
    )
    parser.add_argument("--by", action="append", default=[], metavar="FIELD[,FIELD]", help=by.say())
    exclude = Text("빼고 계산할 기준", "a criterion to leave out")
    parser.add_argument("--exclude", action="append", default=[], metavar="NAME", help=exclude.say())
    policy = Text("빠진 값: haechi score와 같음", "missing values, as in haechi score")
    parser.add_argument("--missing", choices=("missing", "unmet", "renormalise"), help=policy.say())
    anonymous = Text("사람 평가자의 이름을 person-1 …로 바꿈", "call the people person-1 …")
    parser.add_argument("--anonymous", action="store_true", help=anonymous.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.report.folder import FILES, write_report
    from haechi.report.gathered import gather

    if len(chosen.studies) > 2:
        from haechi.errors import HaechiError

        expected = Text("스터디 하나 또는 둘", "one study or two")
        todo = Text("둘씩 비교하세요", "compare two at a time")
        raise HaechiError.of("DIR", str(len(chosen.studies)), expected, todo)
    if len(chosen.studies) == 2:
        return _change(chosen, output)
    with output.working(Text("보고서를 만드는 중", "making the report")):
        figures = gather(
            chosen.studies[0], chosen.by, tuple(chosen.exclude), chosen.missing, chosen.anonymous
        )
        report = write_report(figures, chosen.output)
    return _say(chosen, output, FILES, report)


def _change(chosen: argparse.Namespace, output: Output) -> int:
    from haechi.report.change import FILES, write_change
    from haechi.report.gathered import gather

    with output.working(Text("두 스터디를 비교하는 중", "comparing the studies")):
        before, after = (
            gather(folder, chosen.by, tuple(chosen.exclude), chosen.missing, chosen.anonymous)
            for folder in chosen.studies
        )
        report = write_change(before, after, chosen.output)
    return _say(chosen, output, FILES, report)


def _say(chosen: argparse.Namespace, output: Output, files: tuple[str, ...], report: Report) -> int:
    from rich.text import Text as Line

    if output.as_json:
        findings = [
            {"rule": f.rule, "tone": f.tone, "words": f.words, "figure": f.figure, "items": list(f.items)}
            for f in report.findings
        ]
        output.result({"folder": str(chosen.output), "files": list(files), "findings": findings})
        return 0
    colour = {"good": "green", "caution": "yellow", "problem": "red", "plain": "dim"}
    for finding in report.findings:
        parts = ("● ", colour[finding.tone]), f"{finding.words} ", (f"({finding.figure})", "dim")
        output.show(Line.assemble(*parts))
    output.say(f"✓ {chosen.output}: {', '.join(files)}")
    return 0
