"""`haechi run`: ask the agent under test."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.cli.argument_types import amount, count, refused
from haechi.cli.output import Output, say_number
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from haechi.agents.plan import RunPlan
    from haechi.agents.reply import Agent
    from haechi.agents.run import RunOptions
    from haechi.agents.suite_run import SuiteRunResult
    from haechi.study.study import Study

DESCRIPTION = Text(
    "질의 모음을 평가할 에이전트에게 묻고, 돌아온 답을 항목으로 더합니다. 같은 명령을 다시 실행하면 아직 답이 없는 것만 이어서 묻습니다. "
    "비밀 값은 환경 변수에서만 읽고 어디에도 쓰지 않습니다.",
    "Ask the agent under test a suite of queries; what comes back becomes items. Running the same command again asks only "
    "what has no answer yet. Secrets are read from the environment and never written.",
)
EXAMPLE = """
haechi run hiring --agent agent.yaml --suite suite.xlsx --dry-run
haechi run hiring --agent agent.yaml --suite suite.xlsx --rounds 2 --agent-version 1.4
haechi run hiring --agent openai:qwen3@http://localhost:8000/v1 --suite suite.csv --at-once 8
haechi run hiring --agent agent.yaml --suite suite.xlsx --retry-failed
"""
_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    agent = Text(
        "에이전트: openai:MODEL[@URL] 또는 YAML 파일(HTTP 주소나 명령의 설명, docs/running-agents.ko.md)",
        "the agent: openai:MODEL[@URL], or a YAML file that describes an HTTP address or a command (docs/running-agents.md)",
    )
    parser.add_argument("--agent", metavar="SPEC", required=True, help=agent.say())
    suite = Text(
        "질의 모음: id, 질의(query) 또는 turns, context, 기대결과, 카테고리, 반복 횟수 (없으면 스터디에 있는 질의)",
        "the suite: id, query or turns, context, expected, category, repeats (default: the queries of the study)",
    )
    parser.add_argument("--suite", metavar="FILE", type=Path, help=suite.say())
    rounds = Text("모음 전체를 N번 물음 (기본: 1)", "ask the whole suite N times (default: 1)")
    parser.add_argument("--rounds", type=count, default=1, metavar="N", help=rounds.say())
    version = Text("에이전트의 버전: 메타 필드 version", "the agent's version: the meta field version")
    parser.add_argument("--agent-version", type=_version, metavar="NAME", help=version.say())
    once = Text("동시에 묻는 대화의 최대 수 (기본: 4)", "most conversations at once (default: 4)")
    parser.add_argument("--at-once", type=count, default=4, metavar="N", help=once.say())
    rate = Text("1분에 보내는 요청의 최대 수", "most requests per minute")
    parser.add_argument("--rate", type=amount, metavar="N", help=rate.say())
    timeout = Text("한 번의 답을 기다리는 초 (기본: 120)", "seconds to wait for one answer (default: 120)")
    parser.add_argument("--timeout", type=amount, default=120.0, metavar="S", help=timeout.say())
    limit = Text("이번에 최대 N개", "at most N now")
    parser.add_argument("--limit", type=count, metavar="N", help=limit.say())
    retry = Text("실패한 것만 다시 물음", "ask again only what has failed")
    parser.add_argument("--retry-failed", action="store_true", help=retry.say())
    dry = Text("묻지 않고 무엇을 어디로 보낼지만 보여 줌", "only show what would be sent where")
    parser.add_argument("--dry-run", action="store_true", help=dry.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.agents.run import RunOptions, ask, cases_of, plan_run
    from haechi.agents.spec import agent_of
    from haechi.agents.suite_run import SuiteRunResult
    from haechi.cli.judging_watch import judging
    from haechi.judge.attempts import Pace
    from haechi.study.study import Study

    study = Study(chosen.folder)
    wish = RunOptions(
        cases_of(study, chosen.suite),
        chosen.suite,
        chosen.rounds,
        chosen.agent_version,
        chosen.retry_failed,
        chosen.limit,
    )
    agent = agent_of(chosen.agent)
    made = plan_run(study, agent, wish, kept=not chosen.dry_run)
    if chosen.dry_run:
        return _tell(agent, wish, made, output)
    pace = Pace(at_once=chosen.at_once, timeout=chosen.timeout, rate=chosen.rate)
    with judging(agent.name, lambda: len(made.due), SuiteRunResult(), output.is_quiet) as advance:
        asked = ask(study, agent, wish, pace, made, advance)
    if output.as_json:
        output.result(_as_json(agent, wish, made, asked))
    else:
        _say(study, agent, wish, made, asked, output)
    return 1 if asked.stopped or (asked.failed and not asked.answered) else 0


def _tell(agent: Agent, wish: RunOptions, made: RunPlan, output: Output) -> int:
    if output.as_json:
        output.result({"dry_run": True, **agent.about, **_before(wish, made), "calls": made.calls})
        return 0
    about = agent.about
    output.say(
        Text(f"에이전트: {about['agent']}, {about['at']}", f"agent: {about['agent']}, {about['at']}").say()
    )
    if about["variables"]:
        names = ", ".join(about["variables"])
        output.say(Text(f"보내는 환경 변수: {names}", f"variables that are sent: {names}").say())
    output.say(
        Text(
            f"물을 것 {len(made.due):,}개(요청 {made.calls:,}번): 질의 {len(wish.cases):,}개, {wish.rounds:,}회",
            f"to ask: {len(made.due):,} ({made.calls:,} requests); {len(wish.cases):,} queries, rounds: {wish.rounds:,}",
        ).say()
    )
    _say_before(made, output)
    return 0


def _say_before(made: RunPlan, output: Output) -> None:
    if made.answered or made.failed:
        output.say(
            Text(
                f"이미 물은 것: 답 {made.answered:,}, 실패 {made.failed:,}",
                f"asked before: {made.answered:,} answered, {made.failed:,} failed",
            ).say()
        )
    if made.elsewhere:
        output.say(
            Text(
                f"! {made.elsewhere:,}개는 다른 프로세스가 묻고 있습니다",
                f"! {made.elsewhere:,} are being asked by another process",
            ).say()
        )


def _say(
    study: Study, agent: Agent, wish: RunOptions, made: RunPlan, asked: SuiteRunResult, output: Output
) -> None:
    mark = "✗" if asked.stopped or (asked.failed and not asked.answered) else "✓"
    name = f"{agent.name} {wish.version}" if wish.version else agent.name
    times = _times(asked)
    output.say(
        Text(
            f"{mark} {name}: 답 {asked.answered:,}, 실패 {asked.failed:,}"
            + (f" · {times.ko}" if times else ""),
            f"{mark} {name}: {asked.answered:,} answered, {asked.failed:,} failed"
            + (f" · {times.en}" if times else ""),
        ).say()
    )
    _say_before(made, output)
    for words, times_seen in Counter(asked.failures.values()).most_common(_SHOWN):
        output.say(f"  {times_seen:,} × {words[:200]}")
    if asked.stopped is not None:
        output.say(f"! {asked.stopped.say()}")
    left = len(made.due) - asked.calls
    folder = quoted(study.folder)
    if left:
        output.note(
            Text(
                f"남은 {left:,}개는 같은 명령을 다시 실행하면 이어서 묻습니다.",
                f"{left:,} are left; the same command again goes on with them.",
            )
        )
    if asked.failed:
        output.note(Text("실패한 것만 다시: --retry-failed", "only the failed ones again: --retry-failed"))
    say_number(asked.number, study.folder, output)
    command = f"haechi score {folder}" if study.rubric.item == "run" else f"haechi judge {folder} --model …"
    output.note(Text(f"다음: {command}", f"next: {command}"))


def _times(asked: SuiteRunResult) -> Text | None:
    middle, first = _median(asked.total_ms), _median(asked.first_ms)
    if middle is None:
        return None
    seconds, begun = middle / 1000, (first or 0) / 1000
    return Text(
        f"응답 중앙값 {seconds:.2f}초, 첫 글자 {begun:.2f}초",
        f"median {seconds:.2f} s, first token {begun:.2f} s",
    )


def _median(values: list[float]) -> float | None:
    from statistics import median

    return median(values) if values else None


def _before(wish: RunOptions, made: RunPlan) -> dict[str, Any]:
    return {
        "version": wish.version,
        "queries": len(wish.cases),
        "rounds": wish.rounds,
        "due": len(made.due),
        "answered_before": made.answered,
        "failed_before": made.failed,
        "open_elsewhere": made.elsewhere,
    }


def _as_json(agent: Agent, wish: RunOptions, made: RunPlan, asked: SuiteRunResult) -> dict[str, Any]:
    return {
        "agent": agent.name,
        **_before(wish, made),
        "answered": asked.answered,
        "failed": asked.failed,
        "failures": [{"item": item, "error": words} for item, words in asked.failures.items()],
        "median_ms": _median(asked.total_ms),
        "median_first_token_ms": _median(asked.first_ms),
        "left": len(made.due) - asked.calls,
        "import": asked.number,
        "stopped": asked.stopped.say() if asked.stopped else None,
    }


def _version(text: str) -> str:
    if not 0 < len(text) <= 100 or not text.isprintable():
        raise refused(text, Text("100자 이하의 이름", "a name of at most 100 characters"))
    return text
