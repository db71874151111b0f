"""`haechi rank`: which system is the stronger, from votes between two."""

from __future__ import annotations

import argparse
from pathlib import Path

from haechi.cli.field_options import add_seed, add_where, say_where, where_of
from haechi.cli.output import Output
from haechi.cli.reading_options import add_reading, reading_of_file
from haechi.text import Text, language

DESCRIPTION = Text(
    "둘 중 어느 답이 나은지 고른 투표에서 시스템의 강도와 순위를 구합니다: 브래들리–테리 모형, 무승부(데이비드슨), 순서 효과, "
    "평가자·항목 묶음을 셈에 넣은 구간. 순위는 자료가 허락하는 만큼만 말합니다.",
    "Strengths and ranks of systems from votes between two answers: Bradley–Terry with ties (Davidson), the effect of the order, "
    "intervals over raters and items. Ranks say no more than the votes allow.",
)
EXAMPLE = """
haechi rank duels
haechi rank votes.csv
haechi rank arena.json --reference gpt-4o
haechi rank votes.csv --where kind=human --by language
haechi rank votes.csv --cluster-by item,rater --adjust length
haechi rank judge.jsonl --json
haechi rank 투표.xlsx --map winner=결과 -o ranking.xlsx
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.stats.bootstrap import SEED

    target = Text(
        "두 답을 견준 스터디, 또는 투표표: item, a, b, winner [, rater, kind, order, criterion]. 아레나 내보내기와 두 순서 평가 기록도 읽음",
        "a study that compares two answers, or a table of votes item, a, b, winner [, rater, kind, order, criterion]; also exports of arenas and judges' logs of both orders",
    )
    parser.add_argument("target", metavar="DIR|FILE", help=target.say())
    reference = Text(
        "강도 0인 기준 시스템 (기본: 이름순으로 첫째)",
        "the system whose strength is 0 (default: the first name in the alphabet)",
    )
    parser.add_argument("--reference", metavar="NAME", help=reference.say())
    by = Text("이 필드의 값마다 따로 순위를 구함", "rank inside every value of this field")
    parser.add_argument("--by", metavar="FIELD[,FIELD]", default="", help=by.say())
    add_where(parser)
    clusters = Text(
        "오차를 묶을 필드: item, rater, item,rater, 다른 열, none (기본: 투표가 여럿인 항목·평가자가 충분히 많으면 묶음)",
        "what errors are over: item, rater, item,rater, another column, or none (default: items and raters with several votes, if there are enough)",
    )
    parser.add_argument("--cluster-by", metavar="FIELD[,FIELD]", help=clusters.say())
    adjust = Text(
        "이 수의 차이가 보탠 몫을 덜어 낸 강도: 열 FIELD_a와 FIELD_b. length는 두 답의 글자 수",
        "strengths without what a difference in this number contributes: columns FIELD_a and FIELD_b; length also counts the letters of the answers",
    )
    parser.add_argument("--adjust", metavar="FIELD", action="append", default=[], help=adjust.say())
    mapped = Text(
        "파일의 어느 열이 무엇인지: item, a, b, winner, rater, order … (되풀이)",
        "which column of the file is what: item, a, b, winner, rater, order … (repeatable)",
    )
    add_reading(parser, mapped)
    add_seed(parser, SEED)
    out = Text("강도를 쓸 파일: .csv .parquet .xlsx", "write the strengths: .csv .parquet .xlsx")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=out.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.report.ranking_result import rank

    with output.working(Text("순위를 구하는 중", "ranking")):
        found = rank(
            chosen.target,
            reference=chosen.reference,
            by=chosen.by,
            where=where_of(chosen),
            cluster_by=chosen.cluster_by,
            adjust=chosen.adjust,
            seed=chosen.seed,
            reading=reading_of_file(chosen, chosen.target),
        )
        tables = [] if output.as_json else found.tables()
    if chosen.output:
        from haechi.data.writing import write_tables

        write_tables([found.frame()], chosen.output)
    if output.as_json:
        output.result(found.as_json(language()))
        return 0
    say_where(chosen, output)
    output.show_figures(tables, [Text(note.ko, note.en) for note in found.notes], found.seed)
    if chosen.output:
        output.say(f"✓ {chosen.output}")
    return 0
