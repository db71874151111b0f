"""`haechi demo`: the four instruments on bundled examples, end to end."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.demo.trial import Standing

DESCRIPTION = Text(
    "네 가지 평가 도구로 작은 스터디 네 개를 만들어 채점합니다. 키도 네트워크도 필요 없습니다.",
    "Make four small studies with the four instruments and score them. No key, no network.",
)
EXAMPLE = """
haechi demo
haechi demo my-demo
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    folder = Text("만들 폴더 (기본: haechi-demo)", "the folder to make (default: haechi-demo)")
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", type=Path, default=Path("haechi-demo"), help=folder.say()
    )


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.counts import item_figures
    from haechi.demo import make_studies, make_trial
    from haechi.demo.trial import standings
    from haechi.report.tables.scores import grouped_tables, score_table

    told = {}
    for study in make_studies(chosen.folder):
        scored = study.scores().checked()
        if output.as_json:
            told[study.rubric.id] = {
                "study": str(study.folder),
                "summary": [row.as_json() for row in scored.summary],
            }
        else:
            output.show(score_table(scored, *item_figures(scored)), *grouped_tables(scored), ())
    trial = make_trial(chosen.folder)
    raters = standings(trial)
    if output.as_json:
        told["trial"] = {"study": str(trial.folder), "raters": [one.as_json() for one in raters]}
        output.result(told)
        return 0
    _show_trial(raters, output)
    output.note(
        Text(
            "평점과 평가는 이 데모를 위해 지어낸 것이며, 이름이 적힌 모델의 실제 출력이 아닙니다. 다만 smollm2의 답은 실제 출력입니다.",
            "Ratings and judgements were made up for this demo; they are not real output of the models named, "
            "except for smollm2, whose answers are real.",
        )
    )
    base, command = chosen.folder, _command()
    output.say(
        Text("다음에 해 볼 것:", "Try next:").say(),
        f"  {command} score {base}/maice-qac --by mode,level",
        f"  {command} agree {base}/maice-qac-trial",
        f"  {command} report {base}/maice-qac -o report",
        f"  {command} check {base}/hiring-agent --min overall=3.5 --max latency_single.seconds=8",
        f"  {command} rubrics show ubica",
    )
    return 0


def _show_trial(raters: list[Standing], output: Output) -> None:
    """What agreement says about the trial model: one table, one sentence."""
    from haechi.report.table import Column, Estimate, table
    from haechi.report.tables.agreement import graded

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
            graded("kappa", one.kappa),
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
