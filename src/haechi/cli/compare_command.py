"""`haechi compare`: do groups of items differ, by how much, and how sure is that?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haechi.cli.field_options import add_where, say_where, where_of
from haechi.cli.output import Output
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.report.results import Compared

DESCRIPTION = Text(
    "집단을 비교합니다: 평균과 구간, 검정, 효과 크기. 두 집단이면 Welch t, Mann–Whitney, d, g, δ(짝이 있으면 짝 비교도), "
    "셋 이상이면 Welch 분산분석, Kruskal–Wallis와 Holm 보정 쌍 비교입니다.",
    "Compare groups: means with intervals, tests, effect sizes. Two groups: Welch's t, Mann–Whitney, d, g, δ (paired "
    "where there are pairs); more: Welch's ANOVA, Kruskal–Wallis and Holm-corrected pairs.",
)
EXAMPLE = """
haechi compare tutoring --by mode
haechi compare tutoring --by mode,level --exclude C1
haechi compare diaries --by system --pair diary
haechi compare chats --by stance --where system=A
haechi compare runs.csv --rubric hiring-agent --by round --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.stats.bootstrap import SEED

    target = Text("스터디 폴더, 또는 평가표나 실행 기록 파일", "a study, or a file of ratings or agent runs")
    parser.add_argument("target", metavar="DIR|FILE", help=target.say())
    by = Text(
        "집단을 나누는 필드(쉼표는 교차): 메타 필드, rater, kind, stance",
        "field that makes the groups (comma to cross): meta fields, rater, kind, stance",
    )
    parser.add_argument("--by", required=True, metavar="FIELD[,FIELD]", help=by.say())
    add_where(parser)
    pair = Text(
        "값이 같은 항목끼리 짝짓는 필드. none은 짝짓지 않음 (기본: 두 집단에 하나씩 있는 필드를 찾음)",
        "field whose equal values make pairs; none for no pairs (default: a field that both groups have once each)",
    )
    parser.add_argument("--pair", metavar="FIELD", help=pair.say())
    parser.add_argument(
        "--rubric", metavar="ID|FILE", help=Text("파일의 루브릭", "the rubric, for a file").say()
    )
    exclude = Text("빼고 계산할 기준", "a criterion to leave out")
    parser.add_argument("--exclude", action="append", default=[], metavar="NAME", help=exclude.say())
    seed = Text("재표집의 난수 시드", "the seed of the resampling")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"{seed.say()} ({SEED})")


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
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
    output.show(*tables)
    for note in found.notes:
        output.note(Text(note.ko, note.en))
    output.note(
        Text(
            f"난수 시드 {found.seed}. 모든 수치와 이유는 --json에 있습니다.",
            f"Random seed {found.seed}. --json has every figure and reason.",
        )
    )
    return 0


def _comparison(chosen: argparse.Namespace) -> Compared:
    from haechi.report.results import compare

    return compare(
        chosen.target,
        chosen.by,
        chosen.rubric,
        chosen.pair,
        tuple(chosen.exclude),
        chosen.seed,
        where_of(chosen),
    )
