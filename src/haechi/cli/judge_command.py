"""`haechi judge`: ask AI judges."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from haechi.cli.add_command import BRINGING_ROWS
from haechi.cli.argument_types import amount, count, refused
from haechi.cli.better_judging import (
    add_better,
    run_trial,
    second_judge,
    strong_judge,
    told_stages,
    with_examples,
)
from haechi.cli.decoding_options import add_decoding, decoding_of
from haechi.cli.judge_audit import add_audit, run_audit
from haechi.cli.judging_money import warn_of_old_prices
from haechi.cli.judging_notes import note_changes, note_tries, without_content
from haechi.cli.judging_results import judged_json, say_judged, say_sent, sent_json
from haechi.cli.judging_run import ask_watched, is_unfinished, show_estimates
from haechi.cli.output import Output, are_alone
from haechi.errors import HaechiError
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from haechi.judge.asks import Judge
    from haechi.judge.batch import SubmissionResult
    from haechi.study.study import Study

DESCRIPTION = Text(
    "AI 평가자에게 평가를 맡깁니다. 같은 명령을 다시 실행하면 남은 것만 이어서 묻습니다. 키는 환경 변수에서만 읽습니다.",
    "Let AI models judge. Running the same command again asks only what is left. Keys are read from the environment.",
)
EXAMPLE = """
haechi judge tutoring --model openai:gpt-5-mini --dry-run
haechi judge tutoring --model openai:gpt-5-mini --model anthropic:claude-haiku-4-5 --max-cost 5
haechi judge tutoring --model gemini:gemini-2.5-flash --batch
haechi judge tutoring --model openai:qwen3@http://localhost:8000/v1 --limit 10
haechi judge tutoring --model openai:gpt-5-mini --try
haechi judge tutoring --model openai:gpt-5-mini --examples 4
haechi judge tutoring --model openai:gpt-5-mini --audit 30 --max-cost 1
haechi judge tutoring --model openai:gpt-5-nano --model gemini:gemini-2.5-flash-lite --then openai:gpt-5
"""

_NO_JUDGE = Text(
    "smollm2는 연결을 시험하는 작은 모델(매개변수 1억 3,500만 개)입니다. AI 평가자가 아니며, 일치도 수치가 그것을 드러냅니다.",
    "smollm2 (135 million parameters) is there to try the wiring. It is no judge, and the agreement figures show it.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    model = Text(
        "AI 평가자, 여러 번 쓸 수 있음. @URL에는 그 주소의 키만 보냄: 환경 변수 HAECHI_KEY_<HOST>_<PORT>"
        "(점은 _, 하이픈은 __, 밑줄은 ___)",
        "a judge; may be given several times. A @URL gets its own key only: the variable HAECHI_KEY_<HOST>_<PORT> "
        "(a dot is _, a hyphen __, an underscore ___)",
    )
    parser.add_argument(
        "--model", metavar="PROVIDER:MODEL[@URL]", action="append", required=True, help=model.say()
    )
    batch = Text(
        "배치로 보냄(비용이 적음). haechi collect로 받음",
        "send as a batch (cheaper); haechi collect fetches it",
    )
    parser.add_argument("--batch", action="store_true", help=batch.say())
    repeat = Text("항목마다 K번 물음(일관성)", "ask K times about each item (self-consistency)")
    parser.add_argument("--repeat", type=count, default=1, metavar="K", help=repeat.say())
    one = Text(
        "두 답을 견주는 루브릭: 순서를 바꿔 두 번 묻지 않고, 무작위 순서로 한 번만 물음",
        "for a rubric that compares two answers: ask once, in a random order, and not in both orders",
    )
    parser.add_argument("--one-order", action="store_true", help=one.say())
    per = Text(
        "한 번에 루브릭 전체(기본) 또는 기준 하나씩",
        "the whole rubric at once (default), or each criterion alone",
    )
    parser.add_argument("--per", choices=("rubric", "criterion"), default="rubric", help=per.say())
    lang = Text("프롬프트의 언어 (기본: ko)", "the language of the prompt (default: ko)")
    parser.add_argument("--prompt-lang", choices=("ko", "en"), default="ko", help=lang.say())
    dry = Text("묻지 않고 호출 수와 비용만 추정", "only estimate calls and cost")
    parser.add_argument("--dry-run", action="store_true", help=dry.say())
    most = Text(
        "함께 평가하는 모든 프로세스가 이 금액을 넘기 전에 멈춤",
        "stop before all processes that judge together have paid more",
    )
    parser.add_argument("--max-cost", type=amount, metavar="USD", help=most.say())
    limit = Text("최대 N번 호출", "at most N calls")
    parser.add_argument("--limit", type=count, metavar="N", help=limit.say())
    once = Text("동시에 보내는 요청의 최대 수 (기본: 32)", "most requests at once (default: 32)")
    parser.add_argument("--at-once", type=count, default=32, metavar="N", help=once.say())
    rate = Text(
        "1분에 보내는 요청의 최대 수(함께 평가하는 모든 프로세스의 합)",
        "most requests per minute, of all processes that judge together",
    )
    parser.add_argument("--rate", type=amount, metavar="N", help=rate.say())
    job = Text(
        "작업 이름. 같은 이름은 언제 어디서 시작하든 --max-cost를 함께 씀 (기본: 같은 때에 평가하는 것끼리)",
        "the job: processes of one name share --max-cost, whenever they start (default: those at work together)",
    )
    parser.add_argument("--job", type=_job, metavar="NAME", help=job.say())
    add_decoding(parser)
    add_better(parser)
    add_audit(parser)
    timeout = Text("응답을 기다리는 초 (기본: 300)", "seconds to wait for an answer (default: 300)")
    parser.add_argument("--timeout", type=amount, default=300.0, metavar="S", help=timeout.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.cli.batch_lines import show_news
    from haechi.judge.budget import Budget, check_price
    from haechi.judge.judges import collect, judges_of
    from haechi.judge.second_stage import check_then
    from haechi.study.study import Study

    second = {"--apart": chosen.apart is not None, "--random-part": chosen.random_part is not None}
    if not chosen.then and are_alone(second, "--then", output):
        return 2
    study = Study(chosen.folder)
    if chosen.trial:
        return run_trial(study, chosen, output)
    if chosen.audit:
        return run_audit(study, chosen, output)
    if chosen.then:
        check_then(chosen.model, chosen.batch)
    if chosen.one_order and study.rubric.item != "pair":
        expected = Text(
            "두 답을 견주는 루브릭(item: pair)", "a rubric that compares two answers (item: pair)"
        )
        todo = Text("--one-order 없이 실행하세요", "run it without --one-order")
        raise HaechiError.of("--one-order", study.rubric.id, expected, todo)
    with output.working(BRINGING_ROWS) as advance:
        judges = judges_of(
            study,
            chosen.model,
            chosen.per,
            chosen.prompt_lang,
            advance,
            not chosen.one_order,
            decoding_of(chosen),
        )
    judges = with_examples(study, judges, chosen, output)
    about = {
        "without_content": without_content(study, output),
        "tries": note_tries(study, output),
        "changes": note_changes(study, judges, output),
    }
    warn_of_old_prices(judges, study.folder, output)
    if chosen.dry_run:
        return _estimate(study, judges, chosen, about, output)
    budget = Budget(chosen.max_cost, chosen.job)
    for judge in judges:
        check_price(judge, budget.most)
        if judge.model.is_trial:
            output.note(_NO_JUDGE)
    if chosen.batch:
        with output.working(Text("보낸 배치를 확인하는 중", "looking at the batches that are out")):
            news = collect(study)
        show_news(news, output)
        return _batches(study, judges, chosen, budget, about, output)
    return _live(study, judges, chosen, budget, about, output)


def _estimate(
    study: Study, judges: list[Judge], chosen: argparse.Namespace, about: dict[str, Any], output: Output
) -> int:
    from haechi.judge.estimates import estimate

    if chosen.then:  # at most everything
        judges = [*judges, strong_judge(study, chosen)]
    found = [estimate(study, judge, chosen.repeat, chosen.limit) for judge in judges]
    show_estimates(found, output, about)
    return 0


def _live(
    study: Study,
    judges: list[Judge],
    chosen: argparse.Namespace,
    budget: Any,
    about: dict[str, Any],
    output: Output,
) -> int:
    from haechi.analysis.anchor_looks import look_where_new

    done = ask_watched(study, judges, chosen, budget, output, chosen.repeat)
    stages = None
    if chosen.then and not any(one.stopped for one in done):
        judges = [*judges, second_judge(study, judges, chosen, output)]
        done += ask_watched(study, judges[-1:], chosen, budget, output, chosen.repeat)
        more, stages = told_stages(study)
        about = {**about, **more}
    look_where_new(study, judges, done, budget)
    recorded = _recorded(study)
    if output.as_json:
        judged = [judged_json(one) for one in done]
        paid = sum(one.done.cost for one in done)
        money = {"paid_now": paid, "job_paid": _job_paid(study, budget), "recorded": recorded}
        evidence = study.evidence().as_json()
        output.result({"judges": judged, **money, "evidence": evidence, **about})
    else:
        for one in done:
            say_judged(one, recorded.get(one.rater), output)
        if stages is not None:
            from haechi.report.tables.two_stage import stages_table

            output.show(stages_table(study.rubric, stages))
    return 1 if is_unfinished(done) else 0


def _recorded(study: Study) -> dict[str, dict[str, Any]]:
    from haechi.store.journal import spent_by_rater

    with study.database.read() as connection:
        return {row.rater: row.as_dict() for row in spent_by_rater(connection)}


def _job_paid(study: Study, budget: Any) -> float:
    with study.database.read() as connection:
        return float(budget.spent(connection).paid)


def _batches(
    study: Study,
    judges: list[Judge],
    chosen: argparse.Namespace,
    budget: Any,
    about: dict[str, Any],
    output: Output,
) -> int:
    from haechi.analysis.anchor_looks import judges_in_a_new_way, send_anchors
    from haechi.judge.judges import judge_in_batches

    sent: list[SubmissionResult] = []
    new = judges_in_a_new_way(study, judges)
    for judge in judges:
        with output.working(Text(f"{judge.rater} 보내는 중", f"sending to {judge.rater}")):
            sent.append(judge_in_batches(study, judge, chosen.repeat, chosen.limit, budget))
    send_anchors(study, new, budget)
    if output.as_json:
        output.result({"submitted": [sent_json(one) for one in sent], **about})
    for one in sent if not output.as_json else ():
        say_sent(one, output)
    output.note(
        Text(f"다음: haechi collect {quoted(study.folder)}", f"next: haechi collect {quoted(study.folder)}")
    )
    return 1 if any(one.stopped for one in sent) else 0


def _job(text: str) -> str:
    if not 0 < len(text) <= 200 or not text.isprintable():
        raise refused(text, Text("200자 이하의 이름", "a name of at most 200 characters"))
    return text
