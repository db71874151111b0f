"""`haechi agree`: how far raters agree, and whether AI judges can stand in for people."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from haechi.cli.argument_types import refused, share
from haechi.cli.cluster_option import add_cluster, on_cluster
from haechi.cli.field_options import add_panel, add_seed, add_where, say_where, where_of
from haechi.cli.output import Output
from haechi.cli.reading_options import READING, add_table, reading_of_file
from haechi.errors import HaechiError
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.analysis.judge_quality import QualityPart
    from haechi.report.agreement_result import AgreementResult

DESCRIPTION = Text(
    "평가자들이 얼마나 일치하는지 봅니다: ICC, Cronbach α, Krippendorff α, κ, AC, 상관, 평가자 성향, "
    "그리고 AI 평가자가 사람을 대신할 수 있는지. 스터디나 아무 평가표에나 씁니다.",
    "How far raters agree: ICC, Cronbach's α, Krippendorff's α, κ, AC, correlations, raters' habits, and whether "
    "AI judges can stand in for people. Works on a study and on any ratings table.",
)
_PARTS = {
    "judges": Text(
        "AI 평가자의 민감도와 특이도, 보정한 비율, 패널이 독립인 몇 명 몫인지, 비용이 가장 적은 패널",
        "sensitivity and specificity of the judges, corrected rates, what the panel is worth, the cheapest good panel",
    ),
    "rasch": Text(
        "다국면 Rasch: 평가자의 엄격함과 기준의 어려움(로짓), 항목의 공정한 평균",
        "many-facet Rasch: severity of raters and difficulty of criteria in logits, fair averages of items",
    ),
    "labels": Text(
        "Dawid–Skene: 범주형과 0/1 기준의 참인 비율과 평가자별 혼동 행렬",
        "Dawid–Skene: of labels and of 0 and 1 how often each is true, and every rater's confusion matrix",
    ),
}
WORKING = Text("일치도를 계산하는 중", "computing agreement")
EXAMPLE = """
haechi agree tutoring
haechi agree tutoring --elements --json
haechi agree tutoring --where kind=human --where mode=agent
haechi agree ratings.csv --level ordinal --scale 1-5
haechi agree "Form Responses.csv" --rubric ubica --map item="Which show?" --keep last
haechi agree coders.xlsx --wide --level nominal
haechi agree tutoring --judges --rasch
haechi agree ratings/ --cluster local --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.stats.bootstrap import SEED

    target = Text(
        "스터디 폴더, 또는 평가표(item, rater, value [, criterion]). --cluster와 함께면 Parquet 파일·폴더·글롭 여럿",
        "a study, or a ratings table (item, rater, value [, criterion]); with --cluster any number of Parquet "
        "files, folders and globs",
    )
    parser.add_argument("targets", metavar="DIR|FILE", nargs="+", help=target.say())
    level = Text(
        "측정 수준 (기본: 루브릭의 척도, 루브릭이 없으면 수는 interval, 범주형은 명목(nominal))",
        "level of measurement (default: the rubric's scale; without one interval, or nominal for labels)",
    )
    parser.add_argument("--level", choices=("nominal", "ordinal", "interval", "ratio"), help=level.say())
    wide = Text("첫 열은 항목, 나머지 열은 평가자인 표", "first column the item, every other column a rater")
    parser.add_argument("--wide", action="store_true", help=wide.say())
    elements = Text("루브릭의 요소 하나하나도", "the rubric's single elements too")
    parser.add_argument("--elements", action="store_true", help=elements.say())
    rubric = Text("평가표의 루브릭", "the rubric of a table")
    parser.add_argument("--rubric", metavar="ID|FILE", help=rubric.say())
    scale = Text(
        "루브릭이 없을 때 척도의 점들, 예: 1-5 또는 0,1,2. 가중 κ와 AC에 쓰임",
        "the scale points where there is no rubric, as 1-5 or 0,1,2; weights of κ and AC come from them",
    )
    parser.add_argument("--scale", type=_points, metavar="LOW-HIGH", help=scale.say())
    epsilon = Text(
        "대체 평가자 검정의 ε: 전문가 0.2(기본), 훈련된 사람 0.15, 크라우드 0.1",
        "ε of the alternative annotator test: 0.2 for experts (default), 0.15 trained, 0.1 crowd",
    )
    parser.add_argument("--epsilon", type=share, default=0.2, metavar="E", help=epsilon.say())
    for option, text in _PARTS.items():
        parser.add_argument(f"--{option}", action="store_true", help=text.say())
    add_where(parser)
    add_panel(parser)
    add_table(parser)
    add_cluster(parser)
    add_seed(parser, SEED)


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    counted = _on_cluster(chosen, output) if chosen.cluster else None
    with output.working(WORKING):
        report = counted or _report(chosen)
        if output.as_json:
            told = report.as_json(language()) | _instrument(chosen, report)
        else:
            from haechi.cli.agree_tables import agree_tables

            tables = agree_tables(report, report.rubric, frozenset(_parts(chosen)))
    if output.as_json:
        output.result(told)
        return 0
    say_where(chosen, output)
    changes = [one.words for one in report.judge_changes or ()]
    notes = [Text(note.ko, note.en) for note in report.notes]
    changes += [report.chosen_part.words] if report.chosen_part is not None else []
    notes += [Text(f"! {words.ko}", f"! {words.say('en')}") for words in changes]
    output.show_figures(tables, notes, report.seed)
    return 0


def _parts(chosen: argparse.Namespace) -> list[QualityPart]:
    parts: tuple[QualityPart, ...] = ("judges", "rasch", "labels")
    return [part for part in parts if getattr(chosen, part)]


def _instrument(chosen: argparse.Namespace, report: AgreementResult) -> dict[str, Any]:
    parts = _parts(chosen)
    if not parts or report.instrument is None:
        return {}
    return {"judges": report.instrument.as_json(frozenset(parts), language())}


def _report(chosen: argparse.Namespace) -> AgreementResult:
    if len(chosen.targets) > 1:
        found = Text(f"파일 {len(chosen.targets)}개", f"{len(chosen.targets)} files")
        todo = Text("--cluster local을 붙이세요", "give --cluster local")
        raise HaechiError.of(str(chosen.targets[1]), found, Text("파일 하나", "one file"), todo)
    from haechi.report.agreement_result import agree

    return agree(
        chosen.targets[0],
        chosen.rubric,
        wide=chosen.wide,
        elements=chosen.elements,
        level=chosen.level,
        scale=chosen.scale,
        epsilon=chosen.epsilon,
        seed=chosen.seed,
        where=where_of(chosen),
        reading=reading_of_file(chosen, chosen.targets[0]),
        panel=chosen.panel,
    )


def _on_cluster(chosen: argparse.Namespace, output: Output) -> AgreementResult:
    from haechi.analysis.distributed_agreement import agreement_on_cluster
    from haechi.data.sources import files_of
    from haechi.report.agreement_result import AgreementResult

    for option in ("wide", "rubric", "elements", "where", "panel", *_PARTS, *READING):
        if getattr(chosen, option.replace("-", "_")):
            expected = Text("수로 된 긴 평가표", "long tables of numbers")
            todo = Text(f"--{option}나 --cluster를 빼세요", f"leave out --{option} or --cluster")
            raise HaechiError.of("--cluster", f"--{option}", expected, todo)
    paths = files_of(chosen.targets)
    with on_cluster(chosen.cluster, output) as engine, output.working(WORKING):
        return AgreementResult.of(
            agreement_on_cluster(engine, paths, chosen.level, chosen.scale, chosen.seed)
        )


def _points(text: str) -> tuple[float, ...]:
    """Scale points: `1-5`, or a list such as `0,1,2`."""
    low, dash, high = text.partition("-")
    try:
        if dash and "," not in text:
            points = [float(point) for point in range(int(low), int(high) + 1)]
        else:
            points = sorted({float(point) for point in text.split(",")})
    except ValueError:
        points = []
    if not 2 <= len(points) <= 1000:
        raise refused(text, Text("1-5 또는 0,1,2 같은 값", "points such as 1-5 or 0,1,2"))
    return tuple(points)
