"""`haechi import`: ratings from people, other tools and judges' result files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haechi.cli.cluster_option import add_cluster
from haechi.cli.import_forms import SCORED, Forms, form_of
from haechi.cli.other_imports import (
    about_bare_items,
    count_told,
    import_results,
    import_scores,
    import_votes,
    say_appended,
    say_next,
)
from haechi.cli.output import Output, say_number
from haechi.cli.reading_options import (
    add_dry_run,
    add_rated,
    add_reading,
    reading_of,
    show_proposal,
)
from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.store.ratings import Appended
    from haechi.study.study import Study

DESCRIPTION = Text(
    "평가를 가져옵니다. 표는 한 줄에 평가 하나(item, criterion, rater, value …)이거나, 한 줄에 항목 하나와 기준별 열입니다. "
    "AI 평가의 배치 결과 파일(openai-batch, anthropic-batch, gemini-batch)은 응답을 읽어 평가로 바꿉니다.",
    "Import ratings: one row per judgement (item, criterion, rater, value …), or one row per item with a column "
    "per criterion. Result files of the providers' batch interfaces are read reply by reply.",
)
EXAMPLE = """
haechi import tutoring teachers.csv --as ratings
haechi import diaries form.xlsx --as ratings --rater teacher-1 --kind human
haechi import listeners "Form Responses.csv" --as ratings --map item="Which show?" --dry-run
haechi import duels arena.csv --as votes
haechi import tutoring results.jsonl errors.jsonl --as openai-batch
haechi import tutoring results/*.jsonl --as openai-batch --cluster local
haechi import graded log.eval --as inspect --map sensibleness=model_graded_qa
"""


_AS = Text(
    "파일의 내용 (기본: 배치 결과나 다른 도구의 점수는 내용으로 알아보고, 아니면 ratings, 평가표)",
    "what the file holds (default: results of batches and scores of other tools are known by their content, else ratings, a table)",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.data.readers import endings

    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    parser.add_argument("files", metavar="FILE", nargs="+", help=endings())
    forms = Forms()
    parser.add_argument("--as", dest="form", choices=forms, metavar=forms.own(), help=_AS.say())
    rater = Text(
        "평가자 이름(표에 rater 열이 없을 때, 또는 대신)", "the rater's name (instead of a column rater)"
    )
    parser.add_argument("--rater", metavar="NAME", help=rater.say())
    kind = Text(
        "평가자의 종류 (기본: 표의 kind 열, 없으면 human)",
        "the rater's kind (default: column kind, else human)",
    )
    parser.add_argument("--kind", choices=("human", "ai", "code"), help=kind.say())
    stance = Text(
        "평가자의 입장(ubica: participant, third_party, judge)",
        "the stance (ubica: participant, third_party, judge)",
    )
    parser.add_argument("--stance", help=stance.say())
    correct = Text(
        "저장된 것과 다른 평가를 수정으로 받음(옛 값도 보관)",
        "take differing ratings as corrections (the old stay)",
    )
    parser.add_argument("--correct", action="store_true", help=correct.say())
    skip = Text("잘못된 줄은 건너뛰고 목록을 보여 줌", "leave out bad rows and list them")
    parser.add_argument("--skip-bad", action="store_true", help=skip.say())
    create = Text(
        "스터디에 없는 id의 항목을 내용 없이 만듦(항목이 하나도 없는 스터디는 첫 가져오기에서 스스로 만듦)",
        "make items, without content, for ids that the study does not know (a study without any takes those of its first "
        "import by itself)",
    )
    parser.add_argument("--create-items", action="store_true", help=create.say())
    mapped = Text(
        "어느 열이 무엇인지: item, rater, value …, 기준의 이름, 또는 ignore(읽지 않음). --as inspect, promptfoo, deepeval에서는 "
        "기준과 파일의 점수 이름. 되풀이",
        "which column is what: item, rater, value …, the name of a criterion, or ignore; with --as inspect, promptfoo, "
        "deepeval a criterion and what the file calls its scores (repeatable)",
    )
    add_reading(parser, mapped)
    add_rated(parser)
    add_dry_run(parser)
    add_cluster(parser)


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.study.study import Study

    study = Study(chosen.folder)
    if chosen.form is None:
        chosen.form = _form(study, chosen, output)
    if chosen.form in SCORED:
        return import_scores(study, chosen, output)
    if chosen.form == "votes":
        return import_votes(study, chosen, output)
    if chosen.form != "ratings":
        return import_results(study, chosen, output)
    if chosen.cluster:
        expected = Text(
            "배치 결과 파일(--as openai-batch 등)", "result files of batches (--as openai-batch …)"
        )
        todo = Text("--cluster를 빼세요", "leave out --cluster")
        raise HaechiError.of("--cluster", "--as ratings", expected, todo)
    if chosen.dry_run:
        return _dry_run(study, chosen, output)
    with output.working(Text("평가를 읽는 중", "reading ratings")) as advance:
        done = study.import_ratings(
            chosen.files,
            rater=chosen.rater,
            kind=chosen.kind,
            stance=chosen.stance,
            correct=chosen.correct,
            skip_bad=chosen.skip_bad,
            advance=advance,
            reading=reading_of(chosen),
            create_items=chosen.create_items,
        )
    _tell(study, done, output)
    return 0


def _form(study: Study, chosen: argparse.Namespace, output: Output) -> str:
    """What the files hold, by their content; said where it is not a table of ratings."""
    form = form_of(chosen.files)
    if form == "ratings" and study.rubric.item == "pair" and _are_votes(chosen):
        form = "votes"
    if form != "ratings":
        output.note(Text(f"내용을 보고 읽은 형식: --as {form}", f"by its content read as: --as {form}"))
    return form


def _tell(study: Study, done: Appended, output: Output) -> None:
    if output.as_json:
        skipped = [problem.as_json() for problem in done.skipped]
        more = {"bare_items": done.bare_items, "ignored_columns": done.ignored, "skipped": skipped}
        said = {"assumed": [text.say() for text in done.said], "import": done.number}
        output.result({**count_told(done), **more, **said})
        return
    say_appended(done, output)
    about_bare_items(done.bare_items, output)
    for text in done.said:
        output.say(f"! {text.say()}")
    if done.ignored:
        names = ", ".join(" ".join(name.split()) for name in done.ignored)
        output.say(
            Text(
                f"! 루브릭에 없는 열이라 읽지 않음: {names}", f"! not in the rubric and not read: {names}"
            ).say()
        )
    output.skipped(done.skipped)
    say_number(done.number, study.folder, output)
    say_next("score", study.folder, output)


def _are_votes(chosen: argparse.Namespace) -> bool:
    from pathlib import Path

    from haechi.data.votes import are_votes

    return all(are_votes(Path(file), reading_of(chosen)) for file in chosen.files)


def _dry_run(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.data.proposal import ReadingOptions

    wishes = ReadingOptions(reading_of(chosen), (), chosen.rater, chosen.kind, chosen.stance)
    return show_proposal(study.propose(chosen.files, "ratings", wishes), output)
