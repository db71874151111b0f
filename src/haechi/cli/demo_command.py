"""`haechi demo`: the instruments on bundled examples, end to end."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.cli.output import Output
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.demo.trial_model import TrialAccuracy
    from haechi.study.study import Study

DESCRIPTION = Text(
    "작은 예제 스터디를 만들어 채점하고 보고서를 씁니다. 키도 네트워크도 필요 없습니다.",
    "Make small example studies, score them and write their reports. No key, no network.",
)
EXAMPLE = """
haechi demo
haechi demo my-demo
haechi demo --tables
"""
_REPORTS = "reports"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    folder = Text("만들 폴더 (기본: haechi-demo)", "the folder to make (default: haechi-demo)")
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", type=Path, default=Path("haechi-demo"), help=folder.say()
    )
    tables = Text("모든 점수를 표로 보기", "all scores as tables")
    parser.add_argument("--tables", action="store_true", help=tables.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.demo import make_duels, make_own_criteria, make_studies, make_trial
    from haechi.demo.drawn_study import make_drawn
    from haechi.demo.trial_model import standings

    told: dict[str, Any] = {}
    for study in make_studies(chosen.folder):
        if output.as_json:
            summary = [row.as_json() for row in study.scores().checked().summary]
            told[study.rubric.id] = {"study": str(study.folder), "summary": summary}
        elif chosen.tables:
            _show_tables(study, output)
        else:
            _show_answer(study, chosen.folder / _REPORTS / study.name, output)
    duels = make_duels(chosen.folder)
    if output.as_json:
        told["diary-duel"] = {"study": str(duels.folder), "ranking": _ranked(duels)}
    elif not chosen.tables:
        _show_answer(duels, chosen.folder / _REPORTS / duels.name, output)
    own = make_own_criteria(chosen.folder)
    if output.as_json:
        summary = [row.as_json() for row in own.scores().checked().summary]
        told["own-criteria"] = {"study": str(own.folder), "summary": summary}
    elif not chosen.tables:
        _show_answer(own, chosen.folder / _REPORTS / own.name, output)
    drawn = make_drawn(chosen.folder)
    if output.as_json:
        scored = drawn.scores()
        human = {name: scored.human[name].as_json(language()) for name in scored.names}
        told["human_scale"] = {"study": str(drawn.folder), "scores": human}
    elif not chosen.tables:
        _show_human_scale(drawn, output)
    trial = make_trial(chosen.folder)
    raters = standings(trial)
    if output.as_json:
        told["trial"] = {"study": str(trial.folder), "raters": [one.as_json() for one in raters]}
        output.result(told)
        return 0
    if chosen.tables:
        _show_trial(raters, output)
    _say_next(chosen, output)
    return 0


def _ranked(duels: Study) -> list[dict[str, Any]]:
    from haechi.report.ranking_result import rank

    return [one.as_json() for one in rank(duels.folder).strengths.systems]


def _show_answer(study: Study, folder: Path, output: Output) -> None:
    """One study in a few lines: how good, how sure, what to look at; the report is written beside it."""
    from haechi.analysis.analysis import Analysis
    from haechi.report.answer import answer_of
    from haechi.report.folder import write_report
    from haechi.report.terminal import COLOURS, line

    figures = Analysis(study)
    report = write_report(figures, folder)
    answer = answer_of(figures, report.findings)
    output.show(line((f"{study.name}", "bold"), (f"  {study.rubric.title.say()}", "dim")))
    output.say(f"  {answer.good}", f"  {answer.sure}")
    if answer.look is not None:
        dot = COLOURS[answer.look.tone] or "dim"
        items = f" → {', '.join(answer.look.items)}" if answer.look.items else ""
        output.show(line(("  ● ", dot), f"{answer.look.words}{items}"))
    output.show(line((f"  {folder / 'report.html'}", "dim")), "")


def _show_human_scale(study: Study, output: Output) -> None:
    """What people would have given beside what judges gave, in one sentence."""
    from haechi.report.tables.human_scale import in_short
    from haechi.report.terminal import line

    scored = study.scores()
    main = study.rubric.main_score(scored.names)
    output.show(
        line((study.name, "bold"), (f"  {Text('사람이 평가했다면', 'If people had rated all').say()}", "dim"))
    )
    output.say(f"  {in_short(study.rubric, scored.human, main)}")
    output.show("")


def _show_tables(study: Study, output: Output) -> None:
    from haechi.analysis.response_times import described_times, response_times
    from haechi.report.tables.scores import grouped_tables, score_table

    scored = study.scores().checked()
    seconds = described_times(scored, response_times(scored.batches, scored.rubric))
    output.show(score_table(scored, seconds), *grouped_tables(scored), "")


def _say_next(chosen: argparse.Namespace, output: Output) -> None:
    """What can be done with the studies, the one command that shows them all first."""
    from haechi.text import quoted

    base, command = quoted(chosen.folder), _command()
    steps = {
        f"{command} serve {base}": Text("브라우저에서 모두 열기", "open all of them in the browser"),
        f"{command} agree {base}/maice-qac-trial": Text(
            "AI 평가자가 아닌 모델을 일치도가 어떻게 드러내는지",
            "how agreement exposes a model that is no judge",
        ),
        f"{command} demo {base} --tables": Text("모든 점수를 표로", "all scores as tables"),
    }
    width = max(map(len, steps)) + 2
    output.say(
        Text("다음에 해 볼 것:", "Try next:").say(),
        *(f"  {step.ljust(width)}{words.say()}" for step, words in steps.items()),
    )
    output.note(
        Text(
            "대화와 평가는 이 데모를 위해 지어낸 것이며, 이름이 적힌 모델의 실제 출력이 아닙니다. 다만 smollm2의 답은 실제 출력입니다.",
            "Conversations and ratings were made up for this demo; they are not real output of the models named, "
            "except for smollm2, whose answers are real.",
        )
    )


def _show_trial(raters: list[TrialAccuracy], output: Output) -> None:
    """What agreement says about the trial model: one table, one sentence."""
    from haechi.report.table import Column, Estimate, table
    from haechi.report.tables.agreement import grade_mark

    columns = [
        Column("", "words"),
        Column(Text("요소 일치", "same value").say(), "share", brief=True),
        Column(Text("κ(우연을 뺀 일치)", "κ (chance taken out)").say(), "coefficient", brief=True),
        Column(Text("총점 r", "r of totals").say(), "coefficient", brief=True),
        Column(Text("비교한 값", "compared").say(), "count"),
    ]
    title = Text(
        "교사와 견준 AI 평가자, 서로 견준 교사 (maice-qac)",
        "Judges against the teachers, teachers against each other (maice-qac)",
    )
    rows = [
        (
            one.rater,
            Estimate.of(one.agreement),
            grade_mark("kappa", one.kappa),
            Estimate.of(one.total),
            one.kappa.n,
        )
        for one in raters
    ]
    output.show(table(title.say(), columns, rows))
    output.say(
        Text(
            "AI 평가자는 두 교사와, 교사는 서로 견주었습니다. 요소 일치는 값이 같은 비율이고, Cohen κ는 거기서 우연히 같을 비율을 뺀 일치입니다. "
            "smollm2는 매개변수 1억 3,500만 개짜리 시험용 모델이며 AI 평가자가 아닙니다. "
            "같은 값이 꽤 많아 보여도, κ와 총점의 상관 r이 그 사실을 드러냅니다.",
            "Judges are compared with both teachers, the teachers with each other. Same value is the share of equal values; "
            "Cohen's κ is what is left of it when chance is taken out. "
            "smollm2 has 135 million parameters and is no judge: the share of equal values may look fair, "
            "but κ and r of the totals show it.",
        ).say()
    )


def _command() -> str:
    """How to call haechi from here: by name where the shell finds it, else by its path."""
    if shutil.which("haechi"):
        return "haechi"
    return os.path.relpath(Path(sys.executable).with_name("haechi"))
