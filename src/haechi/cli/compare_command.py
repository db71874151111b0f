"""`haechi compare`: do groups of items differ, by how much, and how sure is that?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haechi.cli.field_options import (
    add_cluster_by,
    add_exclude,
    add_panel,
    add_seed,
    add_where,
    say_where,
    where_of,
)
from haechi.cli.output import Output
from haechi.cli.reading_options import add_table, reading_of_file
from haechi.errors import HaechiError
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.report.comparison_result import ComparisonResult

DESCRIPTION = Text(
    "집단을 비교합니다: 평균과 구간, 검정, 효과 크기. 집단의 수, 순서(Q1–Q4, 회차, 상·중·하), 같은 항목인지, 한 사람의 항목이 "
    "여럿인지에 맞는 검정을 고르고 무엇을 골랐는지 말합니다. 평가표는 루브릭 없이도 됩니다.",
    "Compare groups: means with intervals, tests, effect sizes. The tests fit the number of groups, their order (Q1–Q4, "
    "rounds, low to high), whether the items are the same, and whether several come from one person; the choice is said. "
    "A ratings table needs no rubric.",
)
EXAMPLE = """
haechi compare tutoring --by mode
haechi compare tutoring --by mode,level --correct bh
haechi compare diaries --by system --pair diary --margin 0.2
haechi compare tutoring --by session --pair student --first-last
haechi compare tutoring --by mode --cluster-by student --with exam
haechi compare chats --by stance --where system=A
haechi compare runs.csv --rubric hiring-agent --by round --json
haechi compare ratings.csv --by system
haechi compare book.xlsx --by 반 --sheet 2 --map item=학생 --map value=점수
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.stats.bootstrap import SEED

    target = Text("스터디 폴더, 또는 평가표나 실행 기록 파일", "a study, or a file of ratings or agent runs")
    parser.add_argument("target", metavar="DIR|FILE", help=target.say())
    by = Text(
        "집단을 나누는 필드: 메타 필드, rater, kind, stance. 쉼표로 둘을 쓰면 상호작용과, 둘째 필드의 값마다 본 첫째 필드의 차이도 봅니다",
        "field that makes the groups: meta fields, rater, kind, stance; two with a comma: their interaction, and the first "
        "inside every value of the second",
    )
    parser.add_argument("--by", metavar="FIELD[,FIELD]", default="", help=by.say())
    add_where(parser)
    add_panel(parser)
    _add_design(parser)
    add_table(parser)
    parser.add_argument(
        "--rubric", metavar="ID|FILE", help=Text("파일의 루브릭", "the rubric, for a file").say()
    )
    wide = Text("첫 열이 항목, 나머지 열이 평가자인 표", "the first column is the item, every other a rater")
    parser.add_argument("--wide", action="store_true", help=wide.say())
    add_exclude(parser)
    add_seed(parser, SEED)


def _add_design(parser: argparse.ArgumentParser) -> None:
    """What belongs together, what has an order, and what would matter."""
    pair = Text(
        "값이 같은 항목끼리 짝짓는 필드. none은 짝짓지 않음 (기본: 모든 집단에 하나씩 있는 필드를 찾음)",
        "field whose equal values make pairs; none for no pairs (default: a field that all groups have once each)",
    )
    parser.add_argument("--pair", metavar="FIELD", help=pair.say())
    ends = Text(
        "사람(--pair)마다 --by의 첫 값과 마지막 값을 비교",
        "compare the first and the last value of --by for every person (--pair)",
    )
    parser.add_argument("--first-last", action="store_true", help=ends.say())
    add_cluster_by(parser)
    order = Text(
        "집단의 순서. none은 순서 없음 (기본: 번호나 상·중·하 같은 이름에서 찾음)",
        "the groups in order; none for no order (default: found in numbers or words such as low, mid, high)",
    )
    parser.add_argument("--order", metavar="VALUE,VALUE,…|none", help=order.say())
    correct = Text("여러 번 검정한 p의 보정 방법 (holm)", "how p is corrected for several tests (holm)")
    parser.add_argument(
        "--correct", choices=("holm", "bh", "bonferroni", "none"), default="holm", help=correct.say()
    )
    margin = Text(
        "이보다 작으면 의미 없다고 미리 정한 차이(동등성·비열등성). 이름이 없으면 대표 점수",
        "a difference that would not matter, set beforehand (equivalence, non-inferiority); without a name, of the main score",
    )
    parser.add_argument("--margin", action="append", default=[], metavar="[NAME=]VALUE", help=margin.say())
    outside = Text(
        "점수와의 상관을 볼, 수가 든 필드(시험 점수 등)", "field with a number to correlate scores with"
    )
    parser.add_argument(
        "--with", dest="outside", action="append", default=[], metavar="FIELD", help=outside.say()
    )


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    if not chosen.by and not chosen.outside:
        output.note(
            Text(
                "--by FIELD가 필요합니다. --with만 쓸 때는 없어도 됩니다.",
                "--by FIELD is needed, unless --with is given.",
            )
        )
        return 2
    with output.working(Text("비교하는 중", "comparing")):
        found = _comparison(chosen)
        if output.as_json:
            told = found.as_json(language())
        else:
            tables = found.tables()
    if output.as_json:
        output.result(told)
        return 0
    say_where(chosen, output)
    output.show_figures(tables, [Text(note.ko, note.en) for note in found.notes], found.seed)
    return 0


def _comparison(chosen: argparse.Namespace) -> ComparisonResult:
    from haechi.report.comparison_result import compare

    order = chosen.order
    return compare(
        chosen.target,
        chosen.by,
        chosen.rubric,
        chosen.pair,
        tuple(chosen.exclude),
        chosen.seed,
        where_of(chosen),
        cluster_by=chosen.cluster_by,
        order=None if order is None else [] if order == "none" else [one.strip() for one in order.split(",")],
        correct=chosen.correct,
        margin=dict(map(_margin, chosen.margin)),
        outside=chosen.outside,
        first_last=chosen.first_last,
        wide=chosen.wide,
        reading=reading_of_file(chosen, chosen.target),
        panel=chosen.panel,
    )


def _margin(text: str) -> tuple[str, float]:
    """A margin as it is written, the name of its score before it; none for the main score."""
    name, _, size = text.rpartition("=")
    try:
        return name.strip(), float(size)
    except ValueError:
        expected = Text("수, 또는 점수=수 (예: total=2)", "a number, or SCORE=NUMBER such as total=2")
        raise HaechiError.of(
            "--margin", text, expected, Text("--margin을 고치세요", "correct --margin")
        ) from None
