"""Options of `haechi judge` for better judging: examples, a second judge, a trial of ways."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from haechi.cli.argument_types import count, share
from haechi.cli.decoding_options import decoding_of
from haechi.cli.judging_run import ask_watched, is_unfinished, note_unfinished, other_ways, show_estimates
from haechi.cli.output import Output
from haechi.text import Text, first_few, language

if TYPE_CHECKING:
    from haechi.analysis.two_stage import TwoStage
    from haechi.judge.asks import Judge
    from haechi.study.study import Study

_NAMED = 10  # items


def add_better(parser: argparse.ArgumentParser) -> None:
    """The options."""
    examples = Text(
        "사람이 평가한 항목 N개를 예시로 보임. 그 항목은 이 평가자에게 묻지 않음",
        "show N items that people rated as examples; the judge is not asked about those",
    )
    parser.add_argument("--examples", type=count, metavar="N", help=examples.say())
    then = Text(
        "--model의 평가가 갈린 항목과 나머지의 무작위 일부만 이 평가자에게 다시 묻고, 전체의 평균을 보정해 추정함",
        "ask this judge only where those of --model are apart, and about a random part of the rest; the mean of all is estimated from that",
    )
    parser.add_argument("--then", metavar="PROVIDER:MODEL[@URL]", help=then.say())
    apart = Text(
        "--then: 대표 점수가 척도의 이 비율보다 더 다르면 갈린 것으로 봄 (기본: 0.1)",
        "--then: apart means that main scores differ by more than this share of the scale (default: 0.1)",
    )
    parser.add_argument("--apart", type=share, metavar="SHARE", help=apart.say())
    part = Text(
        "--then: 갈리지 않은 항목 가운데 무작위로 다시 묻는 비율 (기본: 0.1, 적어도 20개)",
        "--then: the share of the other items that is drawn at random (default: 0.1, at least 20 items)",
    )
    parser.add_argument("--random-part", type=share, metavar="SHARE", help=part.say())
    trial = Text(
        "사람이 평가한 항목 N개(기본: 30)에서 여러 방법을 견주어 봄: 루브릭 전체, 기준 하나씩, 예시와 함께. 결과는 스터디의 수치에 들어가지 않음",
        "try ways of judging on N items that people rated (default: 30): whole rubric, criterion by criterion, with examples; nothing of it "
        "enters the study's figures",
    )
    parser.add_argument("--try", dest="trial", type=count, nargs="?", const=30, metavar="N", help=trial.say())


def with_examples(
    study: Study, judges: list[Judge], chosen: argparse.Namespace, output: Output
) -> list[Judge]:
    """The judges with the examples that they are shown."""
    if not chosen.examples:
        return judges
    from haechi.judge.examples import examples_for
    from haechi.store.item_sets import find_set

    found = examples_for(study, chosen.examples, chosen.prompt_lang, draw=not chosen.dry_run)
    with study.database.read() as connection:
        known = find_set(connection, found.name)
    names = [member.item for member in known.members] if known is not None else []
    listed = first_few(names, _NAMED)
    output.note(
        Text(
            f"예시로 보이는 항목 {len(found.shown)}개{f'({listed})' if listed else ''}는 이 AI 평가자에게 묻지 않습니다. 그래서 일치도에도 들어가지 않습니다.",
            f"The {len(found.shown)} items that are shown as examples{f' ({listed})' if listed else ''} are not asked of this judge, and so are in no agreement figure of it.",
        )
    )
    return [replace(judge, examples=found) for judge in judges]


def strong_judge(study: Study, chosen: argparse.Namespace) -> Judge:
    """The judge of `--then`, asked as those of `--model` are."""
    from haechi.judge.judges import judges_of

    (strong,) = judges_of(study, [chosen.then], chosen.per, chosen.prompt_lang, decoding=decoding_of(chosen))
    return strong


def second_judge(study: Study, judges: list[Judge], chosen: argparse.Namespace, output: Output) -> Judge:
    """The judge that is asked in the second stage, with the set of its items, which is kept."""
    from haechi.analysis.two_stage import choose_second
    from haechi.judge.second_stage import APART, CHECK, SecondStageRule
    from haechi.store.item_sets import keep_set, size_of

    strong = strong_judge(study, chosen)
    said = {"margin": chosen.apart, "share": chosen.random_part}
    plan = SecondStageRule(**{name: value for name, value in said.items() if value is not None})
    made = choose_second(study, [judge.rater for judge in judges], strong.rater, plan)
    with study.database.write_alone() as connection:
        kept = keep_set(connection, made)
    apart, checks = size_of(kept.members, APART), size_of(kept.members, CHECK)
    output.note(
        Text(
            f"{strong.rater}에게 묻는 항목: 갈린 항목 {apart:,}개, 나머지에서 무작위 {checks:,}개 (모두 {kept.how['items']:,}개 중)",
            f"{strong.rater} is asked about {apart:,} items on which the first judges are apart, and {checks:,} drawn from the rest (of {kept.how['items']:,})",
        )
    )
    return replace(strong, among=kept.name)


def told_stages(study: Study) -> tuple[dict[str, Any], TwoStage | None]:
    """What the two stages came to, for machines and for people."""
    from haechi.analysis.two_stage import two_stage

    found = two_stage(study)
    return ({} if found is None else {"two_stage": found.as_json(language())}), found


def run_trial(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """Try ways of judging, and show them side by side."""
    from haechi.analysis.trial import check_alone, trial_of, trial_study, variants_of
    from haechi.judge.budget import Budget
    from haechi.judge.estimates import estimate
    from haechi.report.tables.trial import recommendation, trial_table

    check_alone("try", other_ways(chosen))
    trial = trial_study(study, chosen.trial)
    judges = variants_of(trial, chosen.model, chosen.prompt_lang, decoding_of(chosen))
    if chosen.dry_run:
        show_estimates([estimate(trial, judge) for judge in judges], output)
        return 0
    done = ask_watched(trial, judges, chosen, Budget(chosen.max_cost, chosen.job), output)
    tried = trial_of(trial, [one.rater for one in done])
    if output.as_json:
        output.result({"trial": tried.as_json(language()), "folder": str(trial.folder)})
    else:
        output.show(trial_table(trial.rubric, tried))
        for line in recommendation(tried):
            output.say(line)
    note_unfinished(done, output)
    output.note(
        Text(
            f"이 평가는 {trial.folder}에 따로 두었고, 스터디의 수치에는 들어가지 않습니다. 처음부터 다시 하려면 그 폴더를 지우세요.",
            f"These ratings are kept apart in {trial.folder} and enter no figure of the study. To begin anew, remove that folder.",
        )
    )
    return 1 if is_unfinished(done) else 0
