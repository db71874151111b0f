"""`haechi report`: what people act on, as Markdown, HTML, CSV, Parquet and Excel."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.field_options import (
    add_by,
    add_cluster_by,
    add_exclude,
    add_missing,
    add_panel,
    add_where,
    where_of,
)
from haechi.cli.file_options import add_targets, chosen_study
from haechi.cli.output import Output, are_alone
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.analysis.analysis import Analysis
    from haechi.report.document import Report
    from haechi.report.pictures import Painter
    from haechi.study.scores import StoredStudy

DESCRIPTION = Text(
    "스터디의 보고서를 폴더에 씁니다: report.md, report.html(그림 포함, 네트워크 불필요), scores.csv, summary.csv, "
    "ratings.parquet, scores.xlsx, paper.html(논문에 붙일 표). 파일은 --rubric과 함께 씁니다. 스터디 둘을 주면 무엇이 나아지고 나빠졌는지 비교합니다.",
    "Write the report of a study, or of files with --rubric, into a folder: report.md, report.html (with plots, needs no network), scores.csv, "
    "summary.csv, ratings.parquet, scores.xlsx, paper.html (tables for a paper). With two studies: what got better and what got worse.",
)
EXAMPLE = """
haechi report tutoring -o report
haechi report tutoring -o report --by mode --anonymous --lang en
haechi report tutoring -o report --cluster-by student
haechi report tutoring -o report --png
haechi report ratings.xlsx --rubric ubica -o report
haechi report "Form Responses.csv" --rubric ubica --map item="Which show?" -o report
haechi report november/ december/*.parquet --rubric hiring-agent -o report
haechi report version-1 version-2 -o changes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    target = Text(
        "스터디 폴더(둘이면 첫째에서 둘째로의 변화), 또는 haechi score가 받는 파일(--rubric과 함께, 여럿이면 한데 모아서)",
        "a study, two for the change from the first to the second; or the files that haechi score takes, with --rubric, "
        "several as one set",
    )
    add_targets(parser, target)
    out = Text("보고서를 쓸 폴더", "the folder to write")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=out.say())
    add_by(parser, Text("비교할 필드", "fields to compare by"))
    add_where(parser)
    add_panel(parser)
    add_cluster_by(parser)
    add_exclude(parser)
    add_missing(parser)
    anonymous = Text("사람 평가자의 이름을 person-1 …로 바꿈", "call the people person-1 …")
    parser.add_argument("--anonymous", action="store_true", help=anonymous.say())
    png = Text(
        "plots 폴더의 그림을 SVG와 함께 PNG로도 쓰기. haechi[png]와 한글 글꼴이 필요합니다",
        "write the plots in the folder plots as PNG too, beside the SVG; needs haechi[png] and a font with Korean letters",
    )
    parser.add_argument("--png", action="store_true", help=png.say())
    font = Text(
        "--png에 쓸 글꼴 파일 또는 글꼴 폴더(기본: 시스템 글꼴)",
        "font file or folder of fonts for --png (default: the system's)",
    )
    parser.add_argument("--font", type=Path, metavar="FILE|DIR", help=font.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.report.folder import check_folder
    from haechi.report.pictures import painter

    if not chosen.png and are_alone({"--font": chosen.font}, "--png", output):
        return 2
    # What cannot be written is said before anything is computed.
    check_folder(chosen.output)
    draw = painter(chosen.font) if chosen.png else None
    with _studies(chosen, output) as studies:
        with output.working(Text("보고서를 만드는 중", "making the report")):
            files, report, figures = _write(chosen, studies, draw)
        if "scores.xlsx" in files:
            _note_sheets(output, figures)
        return _say(chosen, output, files, report, figures)


def _are_studies(chosen: argparse.Namespace) -> bool:
    """Whether several studies are named, and not one or files."""
    from haechi.store.folder import is_study

    return len(chosen.targets) > 1 and all(is_study(Path(target)) for target in chosen.targets)


@contextmanager
def _studies(chosen: argparse.Namespace, output: Output) -> Iterator[list[StoredStudy]]:
    """The study, or the two, that the report is about."""
    if not _are_studies(chosen):
        with chosen_study(chosen, output) as study:
            yield [study]
        return
    if len(chosen.targets) > 2:
        from haechi.errors import HaechiError

        expected = Text("스터디 하나 또는 둘", "one study or two")
        todo = Text("둘씩 비교하세요", "compare two at a time")
        raise HaechiError.of("DIR", str(len(chosen.targets)), expected, todo)
    from haechi.study.scores import StoredStudy

    yield [StoredStudy(target) for target in chosen.targets]


def _write(
    chosen: argparse.Namespace, studies: list[StoredStudy], draw: Painter | None
) -> tuple[list[str], Report, Analysis]:
    """Write the report of a study, or of the change to a second; its files and the (second) study's figures."""
    from haechi.analysis.analysis import Analysis
    from haechi.report import folder
    from haechi.report.pictures import ends_of, named_plots

    first, *second = (
        Analysis(
            study,
            chosen.by,
            tuple(chosen.exclude),
            chosen.missing,
            chosen.anonymous,
            beside=[other.folder for other in studies if other is not study],
            where=where_of(chosen),
            cluster_by=chosen.cluster_by,
            panel=chosen.panel,
        )
        for study in studies
    )
    if second:
        from haechi.report import change

        files, report = [*change.FILES], change.write_change(first, second[0], chosen.output, draw)
    else:
        report = folder.write_report(first, chosen.output, draw)
        files = [*folder.files_of(first)]
    files += [f"{name}{end}" for name in named_plots(report).values() for end in ends_of(draw)]
    return files, report, [first, *second][-1]


def _say(
    chosen: argparse.Namespace, output: Output, files: list[str], report: Report, figures: Analysis
) -> int:
    if output.as_json:
        from haechi.analysis.named_figures import NamedFigures

        findings = [finding.as_json() for finding in report.findings]
        named = {name: figure.as_json() for name, figure in NamedFigures(figures).items()}
        about = {"folder": str(chosen.output), "files": files, "rubric": figures.rubric.id}
        trend = {"trend": figures.trend.as_json()} if figures.trend is not None else {}
        output.result(about | {"findings": findings, "figures": named} | trend)
        return 0
    from haechi.report.terminal import COLOURS, Style, line

    for finding in (one for one in report.findings if one.first):
        items = f" → {', '.join(finding.items)}" if finding.items else ""
        dot: Style = COLOURS[finding.tone] or "dim"
        output.show(line(("● ", dot), f"{finding.words} ", (f"({finding.figure})", "dim"), items))
    more = sum(not finding.first for finding in report.findings)
    if more:
        place = f"{chosen.output}/report.html"
        output.say(
            Text(
                f"그 밖의 결과 {more}개는 {place}에 있습니다.",
                f"{more} more {'finding is' if more == 1 else 'findings are'} in {place}.",
            ).say()
        )
    told = [name for name in files if "/" not in name]
    drawn = len(files) - len(told)
    output.say(f"✓ {chosen.output}: {', '.join([*told, *([f'plots/ ({drawn})'] if drawn else [])])}")
    return 0


def _note_sheets(output: Output, figures: Analysis) -> None:
    """Say which sheets of the workbook do not hold all rows."""
    from haechi.report.workbook import MOST_ROWS, shortened_sheets

    for name, rows in shortened_sheets(figures).items():
        output.note(
            Text(
                f"scores.xlsx의 {name} 시트에는 {rows:,}줄 중 처음 {MOST_ROWS:,}줄만 있습니다. 전부는 scores.csv와 "
                "ratings.parquet에 있습니다.",
                f"the sheet {name} of scores.xlsx has the first {MOST_ROWS:,} of {rows:,} rows; scores.csv and "
                "ratings.parquet have all.",
            )
        )
