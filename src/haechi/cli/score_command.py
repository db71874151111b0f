"""`haechi score`: ratings or agent runs to scores."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.cluster_option import add_cluster, need_shared_folder, on_cluster
from haechi.cli.field_options import (
    add_by,
    add_cluster_by,
    add_exclude,
    add_missing,
    add_panel,
    add_where,
    say_where,
    where_of,
)
from haechi.cli.file_options import about_files, add_targets, runs_of
from haechi.cli.output import Output
from haechi.cli.reading_options import READING, reading_of_file
from haechi.errors import HaechiError
from haechi.text import Text, language

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from haechi.analysis.two_stage import TwoStage
    from haechi.scoring.score_table import ScoreTable

DESCRIPTION = Text(
    "스터디나 파일의 평가를 루브릭의 계산법대로 점수로 만듭니다. 에이전트 실행은 코드가 스스로 채점합니다.",
    "Turn the ratings of a study or a file into scores by the rubric's arithmetic. Agent runs are rated by code.",
)
SCORING = Text("채점하는 중", "scoring")
EXAMPLE = """
haechi score tutoring --by mode,level
haechi score runs.csv --rubric hiring-agent -o scores.xlsx
haechi score export.xlsx --rubric hiring-agent --sheet 2 --header-row 3 --map payload="응답 원문"
haechi score november/ december/*.parquet --rubric hiring-agent -o scores.parquet
haechi score "Form Responses.csv" --rubric ubica --map item="Which show?" --keep last
haechi score tutoring --exclude C1 --json
haechi score tutoring --cluster-by student
haechi score chats --where stance=participant --by system
haechi score runs/ --rubric hiring-agent --cluster tcp://scheduler:8786 -o scores/
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    target = Text(
        "스터디 폴더, 또는 평가표 파일, 또는 실행 기록 파일·폴더·글롭 여럿 (S3의 Parquet도: s3://…)",
        "a study; or a file of ratings; or any number of files, folders and globs of agent runs "
        "(also Parquet in S3: s3://…)",
    )
    add_targets(parser, target)
    add_by(parser, Text("묶어 볼 필드", "fields to group by"))
    add_where(parser)
    add_panel(parser)
    add_exclude(parser)
    add_missing(parser)
    out = Text(
        "점수표를 쓸 파일: .csv .parquet .xlsx. --cluster와 함께면 Parquet 파일들을 쓸 폴더",
        "write the table of scores: .csv .parquet .xlsx; with --cluster, the folder for Parquet files",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE|DIR", help=out.say())
    add_cluster_by(parser)
    add_cluster(parser)


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.response_times import described_times, response_times
    from haechi.data.writing import write_tables
    from haechi.report.tables.human_scale import human_table
    from haechi.report.tables.own_criteria import rule_words, tag_table
    from haechi.report.tables.scores import beside_table, grouped_tables, score_table
    from haechi.scoring.score_table import floors_not_applied

    scored = _on_cluster(chosen, output) if chosen.cluster else _scored(chosen, output)
    if chosen.output and not chosen.cluster:
        write_tables(_with_texts(chosen, scored), chosen.output)
    say_where(chosen, output)
    for text in about_files(chosen.targets, scored.rubric, reading_of_file(chosen, chosen.targets[0])):
        output.note(text)
    stages = _stages(chosen)
    if output.as_json:
        without = scored.without_texts
        for text in floors_not_applied(scored.rubric, without) if without else ():
            output.note(text)  # which a table has below it
        scored.write_json(
            sys.stdout.write, {} if stages is None else {"two_stage": stages.as_json(language())}
        )
        return 0
    seconds = None  # a cluster only counts
    if not chosen.cluster:
        seconds = described_times(scored, response_times(scored.batches, scored.rubric))
    human = None
    if not chosen.cluster and scored.human.is_there:
        human = human_table(scored.rubric, scored.human, scored.names)
    more = [one for one in (human, beside_table(scored)) if one is not None]
    if stages is not None:
        from haechi.report.tables.two_stage import stages_table

        more.append(stages_table(scored.rubric, stages))
        output.note(Text(f"! {_PARTLY.ko.format(stages.then)}", f"! {_PARTLY.en.format(stages.then)}"))
    tables = [score_table(scored, seconds), *more, *grouped_tables(scored)]
    output.show(
        *tables, *(made for own in scored.own if (made := tag_table(own, own.undeclared)) is not None)
    )
    for own in scored.own:
        output.note(Text(rule_words(own)))
    for text in _remarks(scored, _lacking(chosen, scored)):
        output.note(text)
    if chosen.output:
        output.say(f"✓ {chosen.output}")
    return 0


_PARTLY = Text(
    "{}에게는 두 단계 평가에서 고른 항목만 물었습니다. 위 표는 그 평가를 그대로 더한 것이고, 보정한 평균은 '두 단계 평가' 표에 있습니다",
    "{} was asked only about items chosen in two stages: the scores count its ratings as they are, its corrected mean stands under 'Two stages of judging'",
)


def _stages(chosen: argparse.Namespace) -> TwoStage | None:
    """Two stages of a study, whose strong judge saw a part only; of a selection of it there is no estimate."""
    from haechi.store.folder import is_study

    target = Path(chosen.targets[0])
    if chosen.cluster or len(chosen.targets) > 1 or where_of(chosen) or not is_study(target):
        return None
    from haechi.analysis.two_stage import two_stage
    from haechi.study.scores import StoredStudy

    found = two_stage(StoredStudy(target))
    return found if found is not None and found.scores and found.asked < found.items else None


def _with_texts(chosen: argparse.Namespace, scored: ScoreTable) -> Iterator[pl.DataFrame]:
    """The rows that are written; those of agent runs, for people and unless there are very many, with what is read of a run."""
    from haechi.report.run_columns import MOST_TEXTS, run_columns

    for_people = chosen.output.suffix.lower() != ".parquet"
    if scored.rubric.item != "run" or scored.rows > MOST_TEXTS or not for_people:
        return scored.tables()
    runs = {item.id: item for item in runs_of(chosen.targets, reading_of_file(chosen, chosen.targets[0]))}
    return (
        table.join(run_columns(table, runs), on="item", how="left", maintain_order="left")
        for table in scored.tables()
    )


def _scored(chosen: argparse.Namespace, output: Output) -> ScoreTable:
    import haechi

    with output.working(SCORING) as advance:
        return haechi.score(
            chosen.targets,
            chosen.rubric,
            chosen.by,
            chosen.missing,
            tuple(chosen.exclude),
            advance,
            where_of(chosen),
            chosen.cluster_by,
            reading_of_file(chosen, chosen.targets[0]),
            chosen.panel,
        )


def _on_cluster(chosen: argparse.Namespace, output: Output) -> ScoreTable:
    from haechi.data.sources import files_of
    from haechi.scoring.distributed_scores import score_runs_on_cluster
    from haechi.scoring.given_rubric import run_rubric

    for option in ("where", "panel", *READING):
        if getattr(chosen, option.replace("-", "_")):
            todo = Text(f"--{option}나 --cluster를 빼세요", f"leave out --{option} or --cluster")
            raise HaechiError.of("--cluster", f"--{option}", Text("전체 실행", "all runs"), todo)
    rubric = run_rubric(chosen.rubric, tuple(chosen.exclude))
    paths = files_of(chosen.targets)
    need_shared_folder(chosen.cluster, chosen.output)
    only_counted = _only_counted(chosen, output)
    with on_cluster(chosen.cluster, output) as engine, output.working(SCORING) as advance:
        scored = score_runs_on_cluster(
            engine,
            paths,
            rubric,
            chosen.by,
            tuple(chosen.exclude),
            chosen.missing,
            chosen.output,
            not only_counted,
            advance,
        )
    if only_counted and chosen.cluster_by is None:
        output.note(
            Text(
                "구간은 실행을 서로 독립으로 보고 구했습니다. 같은 질의의 실행을 묶으려면 --cluster-by query를 붙이세요.",
                "The intervals take runs as independent; --cluster-by query makes the runs of a query one cluster.",
            )
        )
    return scored.clustered(chosen.cluster_by) if chosen.cluster_by and not only_counted else scored


def _only_counted(chosen: argparse.Namespace, output: Output) -> bool:
    """Whether a cluster only counts, and writes its tables; then there are no items to look for clusters of runs among."""
    return chosen.output is not None and not output.as_json and chosen.cluster_by in (None, "none")


def _lacking(chosen: argparse.Namespace, scored: ScoreTable) -> list[str]:
    """The scores that most items lack, in a study also the items that nobody rated."""
    from haechi.report.tables.scores import few_scores
    from haechi.store.folder import is_study

    row, target = scored.summary[0], Path(chosen.targets[0])
    n_items = row.n_items
    if is_study(target):
        from haechi.study.scores import StoredStudy

        n_items = StoredStudy(target).selecting(where_of(chosen)).count_measured()
    return few_scores(scored.rubric, {name: of.over_items.n for name, of in row.scores.items()}, n_items)


def _remarks(scored: ScoreTable, few: list[str]) -> list[Text]:
    """What is said below the table: how it was counted, and what is lacking."""
    return [*_counted(scored), *_by_rule(scored), *_missed(scored, few)]


def _counted(scored: ScoreTable) -> Iterator[Text]:
    """What was left out, and what became of answers that are not there."""
    if scored.excluded:
        names = ", ".join(scored.excluded)
        yield Text(
            f"제외한 기준: {names} (전체 점수는 나머지 기준으로 계산했습니다)",
            f"left out: {names}; overall scores are computed from the rest",
        )
    of_items = any(criterion.scale.of_items for criterion in scored.rubric.criteria)
    in_parts = of_items or any(criterion.scale.parts for criterion in scored.rubric.criteria)
    averaged = of_items or any(derived.by in ("mean", "weighted_mean") for derived in scored.rubric.scores)
    if scored.missing == "unmet" and in_parts:
        yield Text(
            "답이 없는 요소는 미충족(0)으로 계산했습니다.", "Elements without an answer count as unmet (0)."
        )
    elif scored.missing == "renormalise" and averaged:
        yield Text(
            "평균은 결측인 지표를 빼고 가중치를 다시 맞추었습니다.",
            "Means were renormalised over the metrics that are there.",
        )
    elif scored.missing != scored.rubric.missing:
        said = scored.missing
        yield Text(
            f"--missing {said}은(는) 이 루브릭에서 바꾸는 것이 없습니다.",
            f"--missing {said} changes nothing in this rubric.",
        )


def _by_rule(scored: ScoreTable) -> Iterator[Text]:
    """Which scores of runs are 0 by rule, and how the others came about."""
    from haechi.analysis.zero_by_rule import said_beside, zero_by_rule

    for name, one in zero_by_rule(scored).items():
        yield Text(
            f"{name}: {'모든 실행이' if one.n == one.of else f'실행 {one.of:,}건 중 {one.n:,}건이'} 규칙에 따라 0점입니다({one.why}).",
            f"{name}: 0 by rule for {'all runs' if one.n == one.of else f'{one.n:,} of {one.of:,} runs'} ({one.why}).",
        )
    yield from (beside for name in scored.names if (beside := said_beside(scored, name)) is not None)
    if (counts := scored.counts) is not None:
        about = {"check_ratio": [counts.about_checks], "ratio_a": [counts.about_halves, counts.about_labels]}
        counted = (c for c in scored.rubric.criteria if c.score in scored.names)
        told = (said for c in counted for measure in c.scale.measured for said in about.get(measure, ()))
        yield from (said for said in told if said is not None)


def _missed(scored: ScoreTable, few: list[str]) -> Iterator[Text]:
    """Which scores most items lack, and how many are missing in all."""
    from haechi.report.tables.scores import is_partial

    if few:
        names = ", ".join(few)
        yield Text(
            f"{names}: 아직 평가하지 않은 것을 포함한 전체 항목의 절반 넘게 값이 없습니다. 평균은 값이 있는 항목만의 평균이니, 평가를 더하거나 --exclude로 빼고 보세요.",
            f"{names}: more than half of all items, those that nobody rated included, have no value, and the means "
            "are those of the rest; add ratings, or use --exclude.",
        )
    scores = scored.summary[0].scores.items()
    lost = sum(of.missing for name, of in scores if not is_partial(scored.rubric, name))
    if lost:
        yield Text(
            f"결측 점수 {lost:,}개. 이유는 --json 또는 -o 파일의 missing에 있습니다.",
            f"{lost:,} scores are missing; --json and -o say why.",
        )
