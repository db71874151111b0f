"""`haechi align`: where AI judges differ from people, a rubric that says more, and what it gained."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.argument_types import amount
from haechi.cli.output import Output
from haechi.errors import HaechiError
from haechi.text import Text, dollars, language, quoted

if TYPE_CHECKING:
    from haechi.analysis.alignment import Alignment
    from haechi.analysis.written_guidance import ModelWriter
    from haechi.study.study import Study

DESCRIPTION = Text(
    "AI 평가자가 사람과 어디서 얼마나 어긋나는지 보이고, 그 사례로 루브릭의 새 버전을 제안하고, 새 버전이 정말 나은지를 아무도 보지 않은 항목에서 잽니다. "
    "사람이 평가한 항목의 절반은 처음에 무작위로 떼어 두고 보여 주지 않습니다. 제안은 파일로만 쓰며, 사람이 읽고 고친 뒤에 씁니다.",
    "Show where and how far AI judges differ from people, propose a new version of the rubric out of the cases, and measure on items that nobody "
    "looked at whether it is better. Half of the items that people rated are set aside at random at first, and not shown. A proposal is only a file: a person reads and edits it before it is used.",
)
EXAMPLE = """
haechi align tutoring
haechi align tutoring --propose -o tutoring-2.yaml
haechi align tutoring --propose --model openai:gpt-5-mini --max-cost 0.5 -o tutoring-3.yaml
haechi align tutoring --with tutoring-2.yaml --model openai:gpt-5-mini
haechi align tutoring --with tutoring-2 --judge gpt-5-mini
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    what = parser.add_mutually_exclusive_group()
    propose = Text(
        "어긋난 사례를 안내와 예시로 더한 루브릭을 -o 파일에 씀",
        "write a rubric with the cases as guidance and examples to the file of -o",
    )
    what.add_argument("--propose", action="store_true", help=propose.say())
    using = Text(
        "떼어 둔 항목에서 이 루브릭 파일(--model과 함께), 또는 이 루브릭으로 평가한 스터디를 이전과 비교",
        "compare on the items set aside: a rubric file (with --model), or a study that was judged with it",
    )
    what.add_argument("--with", dest="using", type=Path, metavar="FILE|DIR", help=using.say())
    judge = Text("볼 AI 평가자 (기본: 모두)", "which AI judge (default: all)")
    parser.add_argument("--judge", metavar="NAME", help=judge.say())
    model = Text(
        "--with: 새 버전으로 평가할 모델(이전과 같은 방식으로 물음). --propose: 안내 문장을 쓸 모델(없으면 사례를 그대로 씀)",
        "--with: the model that judges with the new version, asked as before. --propose: a model that writes the guidance (without one the cases themselves)",
    )
    parser.add_argument("--model", metavar="PROVIDER:MODEL[@URL]", help=model.say())
    most = Text("--model에 이번에 쓸 최대 금액", "the most to spend now on --model")
    parser.add_argument("--max-cost", type=amount, metavar="USD", help=most.say())
    out = Text("제안한 루브릭을 쓸 파일: .yaml", "the file for the proposed rubric: .yaml")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=out.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.alignment import Alignment
    from haechi.study.study import Study

    _check(chosen)
    alignment = Alignment(Study(chosen.folder))
    if chosen.propose:
        return _propose(alignment, chosen, output)
    if chosen.using is not None:
        return _compare(alignment, chosen, output)
    return _list(alignment, chosen, output)


def _check(chosen: argparse.Namespace) -> None:
    """Refuse options that have no meaning together."""
    if chosen.propose and chosen.output is None:
        expected = Text("-o 새루브릭.yaml", "-o NEW.yaml")
        todo = Text("쓸 파일을 -o로 적으세요", "name the file with -o")
        raise HaechiError.of("--propose", Text("-o 없음", "no -o"), expected, todo)
    if chosen.output is not None and not chosen.propose:
        todo = Text("--propose와 함께 쓰세요", "use it with --propose")
        raise HaechiError.of("-o", str(chosen.output), Text("--propose", "--propose"), todo)
    if chosen.model is not None and chosen.using is None and not chosen.propose:
        todo = Text("--with나 --propose와 함께 쓰세요", "use it with --with or --propose")
        expected = Text("--with 파일, --propose", "--with FILE, --propose")
        raise HaechiError.of("--model", chosen.model, expected, todo)


def _list(alignment: Alignment, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.report.tables.alignment import disagreement_tables

    found = alignment.clusters(chosen.judge)
    if output.as_json:
        criteria = [one.as_json(language()) for one in found]
        output.result({"rubric": alignment.study.rubric.reference, **_parts(alignment), "criteria": criteria})
        return 0
    output.show(*disagreement_tables(found, alignment.study.rubric))
    _say_parts(alignment, output)
    output.note(
        Text(
            f"다음: haechi align {quoted(chosen.folder)} --propose -o 새루브릭.yaml",
            f"next: haechi align {quoted(chosen.folder)} --propose -o NEW.yaml",
        )
    )
    return 0


def _parts(alignment: Alignment) -> dict[str, object]:
    from haechi.store.alignment import SEED

    sizes = {part: int(alignment.rows_of(part).size) for part in ("training", "held_out")}
    return {**sizes, "cluster": alignment.cluster, "seed": SEED}


def _say_parts(alignment: Alignment, output: Output) -> None:
    """Which items were looked at, and which were not."""
    told = _parts(alignment)
    field = alignment.cluster
    together = (
        Text(f" {field} 값이 같은 항목은 함께 두었습니다.", f" Items of one {field} stay together.")
        if field
        else Text("", "")
    )
    output.note(
        Text(
            f"사람이 평가한 항목을 점수 수준이 고르게 둘로 나누었습니다(난수 시드 {told['seed']}): 위의 수치와 사례는 {told['training']:,}개에서 나왔고, "
            f"{told['held_out']:,}개는 효과를 잴 때까지 보여 주지 않습니다.{together.ko}",
            f"The items that people rated are in two parts, alike in level (seed {told['seed']}): figures and cases above are from {told['training']:,}; "
            f"{told['held_out']:,} are not shown, and measure what a new version gains.{together.say('en')}",
        )
    )


def _propose(alignment: Alignment, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.analysis.proposed_rubric import propose
    from haechi.analysis.written_guidance import ModelWriter, writer_of

    if chosen.output.exists():  # before anything is paid
        todo = Text("다른 이름을 고르거나 그 파일을 옮기세요", "choose another name, or move that file")
        raise HaechiError.of(
            str(chosen.output),
            Text("이미 있는 파일", "a file that exists"),
            Text("새 파일", "a new file"),
            todo,
        )
    writer = writer_of(alignment.study, chosen.model, chosen.max_cost)
    made = propose(alignment, chosen.judge, writer)
    try:
        chosen.output.write_text(made.text, "utf-8")
    except OSError as error:
        todo = Text("쓸 수 있는 곳을 적으세요", "name a place that can be written")
        raise HaechiError.of(
            str(chosen.output), str(error), Text("쓸 수 있는 파일", "a file that can be written"), todo
        ) from None
    if output.as_json:
        output.result({"file": str(chosen.output), **_parts(alignment), **made.as_json()})
        return 0
    for one in made.additions:
        lines, examples = len(one.standards), len(one.examples)
        items = ", ".join(one.items)
        output.say(
            Text(
                f"  {one.criterion}: 안내 {lines}줄, 예시 {examples}개 ({items})",
                f"  {one.criterion}: guidance {lines}, examples {examples} ({items})",
            ).say()
        )
    if made.left_out:
        names = ", ".join(made.left_out)
        output.note(
            Text(
                f"평가자에게 하는 말이 든 것으로 보이는 항목은 쓰지 않았습니다: {names}",
                f"Items that seem to speak to the judge were left out: {names}",
            )
        )
    if isinstance(writer, ModelWriter):
        _say_writer(writer, chosen.model, output)
    output.say(f"✓ {chosen.output} ({made.version})")
    _say_parts(alignment, output)
    output.note(
        Text(
            f"아직 아무것도 바뀌지 않았습니다. 파일을 읽고 고친 뒤(haechi rubrics check {quoted(chosen.output)}), "
            f"haechi align {quoted(chosen.folder)} --with {quoted(chosen.output)} --model …로 효과를 재세요.",
            f"Nothing is changed yet. Read and edit the file (haechi rubrics check {quoted(chosen.output)}), then measure it: "
            f"haechi align {quoted(chosen.folder)} --with {quoted(chosen.output)} --model …",
        )
    )
    return 0


def _say_writer(writer: ModelWriter, model: str, output: Output) -> None:
    paid = Text("값 모름", "cost unknown").say() if writer.cost is None else dollars(writer.cost)
    output.note(
        Text(
            f"안내는 {model}이(가) 썼습니다. 이번에 지불 {paid}.",
            f"The guidance was written by {model}; paid now {paid}.",
        )
    )
    if writer.refused:
        names = ", ".join(writer.refused)
        output.note(
            Text(
                f"모델의 글을 쓸 수 없어 사례를 그대로 넣은 기준: {names}",
                f"Criteria whose text by the model could not be used, with the cases themselves instead: {names}",
            )
        )


def _compare(alignment: Alignment, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.analysis.alignment_gain import alignment_gain, check_versions, common_judge
    from haechi.report.tables.alignment import gain_tables
    from haechi.store.folder import is_study
    from haechi.study.study import Study

    if is_study(chosen.using):
        made = Study(chosen.using)
        check_versions(alignment.study.rubric, made.rubric, str(chosen.using))
        old = new = common_judge(alignment, made, chosen.judge)
    else:
        judged = _judged(alignment, chosen, output)
        if judged is None:
            return 1
        made, old, new = judged
    found = alignment_gain(alignment, made, old, new)
    if output.as_json:
        output.result({"folder": str(made.folder), **found.as_json(language())})
    else:
        output.show(*gain_tables(found, alignment.study.rubric))
    return 0


def _judged(
    alignment: Alignment, chosen: argparse.Namespace, output: Output
) -> tuple[Study, str, str] | None:
    """Judge the items set aside with the new version; None where the judge could not go on."""
    from haechi.analysis.alignment_gain import aligned_study, new_judge
    from haechi.cli.judging_watch import judging
    from haechi.judge.budget import Budget
    from haechi.judge.judges import calls_due, judge_live
    from haechi.judge.records import JudgingTotals

    if chosen.model is None:
        todo = Text("--model을 더하세요", "add --model")
        raise HaechiError.of("--with", Text("--model 없음", "no --model"), Text("--model", "--model"), todo)
    made = aligned_study(alignment, chosen.using)
    old, judge = new_judge(alignment, made, chosen.model, chosen.judge)
    with judging(judge.rater, partial(calls_due, made, judge), JudgingTotals(), output.is_quiet) as advance:
        done = judge_live(made, judge, budget=Budget(chosen.max_cost), advance=advance)
    output.note(
        Text(
            f"떼어 둔 항목을 새 버전으로 평가한 결과는 {made.folder}에 따로 두었습니다.",
            f"What the new version gave for the items set aside is kept apart in {made.folder}.",
        )
    )
    if done.stopped is not None or done.done.failed:
        failed = done.done.failed
        stopped = done.stopped or Text(f"실패한 요청 {failed:,}건", f"{failed:,} requests failed")
        output.note(
            Text(
                f"! {stopped.ko}. 같은 명령을 다시 실행하면 이어서 묻습니다.",
                f"! {stopped.say('en')}. The same command again goes on.",
            )
        )
        return None
    return made, old, judge.rater
