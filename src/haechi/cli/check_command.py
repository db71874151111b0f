"""`haechi check`: a gate for CI on any score, agreement or latency figure."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.argument_types import count, refused
from haechi.cli.field_options import add_by, add_cluster_by, add_panel, add_where, say_where, where_of
from haechi.cli.file_options import add_targets, chosen_study
from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.analysis.named_figures import NamedFigures
    from haechi.report.gates import GateResults

DESCRIPTION = Text(
    "수치가 정한 선을 지키는지 봅니다. 지키면 0, 하나라도 어기면 1로 끝납니다.",
    "See whether figures keep within limits. Exits with 0 if all do, with 1 if one does not.",
)
EXAMPLE = """
haechi check tutoring --min total=25 --min-lower agree.total.icc2_1=0.6
haechi check runs --max latency_single.seconds=8 --no-regression baseline
haechi check tutoring --min total@mode=agent=30 --junit gates.xml --markdown summary.md
haechi check tutoring --min-lower total=20 --cluster-by student
haechi check tutoring --list --json > baseline.json
haechi check tutoring --no-regression baseline.json
haechi check tutoring --baseline baseline.json --max-drop total=1.5
haechi check runs.csv --rubric hiring-agent --min accuracy=4
haechi check runs --max seconds.p95=20 --no-regression baseline.json --looks 100
"""
_GATES = {
    "min": Text(
        "값이 이 이상. 점수는 항목 단위 평균",
        "the value must be at least this; of a score the mean over items",
    ),
    "max": Text("값이 이 이하", "the value must be at most this"),
    "min-lower": Text(
        "95 %% 구간의 아래 끝이 이 이상", "the lower end of the 95 %% interval must be at least this"
    ),
    "max-upper": Text(
        "95 %% 구간의 위 끝이 이 이하", "the upper end of the 95 %% interval must be at most this"
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    target = Text(
        "스터디 폴더, 또는 haechi score가 받는 파일(--rubric과 함께)",
        "a study, or the files that haechi score takes, with --rubric",
    )
    add_targets(parser, target)
    for kind, text in _GATES.items():
        parser.add_argument(
            f"--{kind}", action="append", default=[], type=_limit, metavar="NAME=VALUE", help=text.say()
        )
    baseline = Text(
        "이 기준보다 뚜렷이 나빠진 점수가 없어야 함. 스터디, 보고서 폴더, scores.csv, summary.csv, 또는 --json 출력 파일",
        "no score may be clearly worse than here: a study, a report's folder, scores.csv, summary.csv, or a file of "
        "--json output",
    )
    parser.add_argument("--no-regression", type=Path, metavar="BASELINE", help=baseline.say())
    drop = Text(
        "기준보다 이만큼 이상 나빠졌을 가능성이 없어야 함(차이의 95 %% 구간의 아래 끝이 −VALUE보다 위). --baseline이나 --no-regression과 함께",
        "a loss of this much since the baseline must be ruled out: the lower end of the difference's 95 %% interval is "
        "above −VALUE; with --baseline or --no-regression",
    )
    parser.add_argument(
        "--max-drop", action="append", default=[], type=_drop, metavar="NAME=VALUE", help=drop.say()
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="BASELINE",
        help=Text(
            "--max-drop의 기준. --no-regression과 같은 것을 받지만 다른 점수는 보지 않음",
            "the baseline of --max-drop; as --no-regression takes it, without a look at the other scores",
        ).say(),
    )
    looks = Text(
        "이 통과 기준을 N번 확인하는 동안(매일이라면 N일) 거짓 경보가 최대 5 %%가 되게, 더 넓은 구간으로 판단. --min과 --max는 구간 "
        "전체가 선을 벗어날 때만 실패",
        "judge by wider intervals, so that over N looks (N days, if daily) a false alarm comes at most 5 %% of the time; --min "
        "and --max then fail only where the whole interval is beyond the limit",
    )
    parser.add_argument("--looks", type=count, default=1, metavar="N", help=looks.say())
    add_by(parser, Text("집단 수치(NAME@FIELD=값)의 필드", "fields of group figures (NAME@FIELD=value)"))
    add_where(parser)
    add_panel(parser)
    add_cluster_by(parser)
    parser.add_argument(
        "--junit", type=Path, metavar="FILE", help=Text("JUnit XML로도 쓰기", "also write JUnit XML").say()
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help=Text("Markdown 요약을 파일 끝에 덧붙이기", "append a Markdown summary to a file").say(),
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help=Text("쓸 수 있는 이름과 값", "the names one can use, with their values").say(),
    )


def _limit(text: str) -> tuple[str, float]:
    """NAME=VALUE; the name may hold = itself, as in total@mode=agent=30."""
    name, equals, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if not equals or not name or not math.isfinite(limit):
        raise refused(text, Text("이름=수, 예를 들어 total=25", "NAME=NUMBER, such as total=25"))
    return name.strip(), limit


def _drop(text: str) -> tuple[str, float]:
    name, limit = _limit(text)
    if limit <= 0:
        raise refused(text, Text("0보다 큰 수, 예를 들어 total=0.5", "a number above 0, such as total=0.5"))
    return name, limit


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.analysis import Analysis
    from haechi.analysis.gates import SIGNS, Gate
    from haechi.analysis.named_figures import NamedFigures
    from haechi.report.gates import check

    gates = [
        Gate(kind, name, limit) for kind in SIGNS for name, limit in getattr(chosen, kind.replace("-", "_"))
    ]
    drops = [gate for gate in gates if gate.kind == "max-drop"]
    baseline = chosen.baseline or chosen.no_regression
    if (drops and baseline is None) or (chosen.baseline and (chosen.no_regression or not drops)):
        todo = Text(
            "--max-drop에는 --baseline이나 --no-regression 중 하나가, --baseline에는 --max-drop이 필요합니다",
            "--max-drop needs one of --baseline and --no-regression, and --baseline needs --max-drop",
        )
        output.note(Text(f"{todo.ko}.", f"{todo.en}."))
        return 2
    if not gates and not chosen.no_regression and not chosen.list:
        todo = Text(
            "--min 이름=값을 주거나 --list로 이름을 보세요",
            "give --min NAME=VALUE, or see the names with --list",
        )
        output.note(Text(f"통과 기준이 없습니다. {todo.ko}.", f"There is no gate: {todo.en}."))
        return 2
    with chosen_study(chosen, output) as study:
        with output.working(Text("수치를 계산하는 중", "computing the figures")):
            figures = Analysis(
                study,
                chosen.by,
                where=where_of(chosen),
                cluster_by=chosen.cluster_by,
                panel=chosen.panel,
            )
            if chosen.list:
                return _list(output, NamedFigures(figures))
            no_regression = chosen.no_regression is not None
            checks = check(figures, gates, baseline, no_regression=no_regression, looks=chosen.looks)
        say_where(chosen, output)
        _tell(chosen, output, checks)
        return 0 if checks.passed else 1


def _tell(chosen: argparse.Namespace, output: Output, checks: GateResults) -> None:
    from haechi.data.atomic_files import whole_file
    from haechi.report.gates import junit, summary

    note = checks.note
    if chosen.junit:
        with whole_file(chosen.junit) as temporary:
            temporary.write_text(junit(checks.study, checks.gates), "utf-8")
    if chosen.markdown:
        with chosen.markdown.open("a", encoding="utf-8") as file:
            file.write(summary(checks.study, checks.gates, note))
    if output.as_json:
        output.result(checks.as_json())
        return
    if checks.problems:
        output.problems(checks.problems)
    if note:
        output.say(note)
    output.show(*checks.tables())
    output.say(checks.verdict)


def _list(output: Output, named: NamedFigures) -> int:
    from haechi.report.gates import figures_table

    if output.as_json:
        output.result({name: figure.as_json() for name, figure in named.items()})
        return 0
    output.show(figures_table(named))
    return 0
