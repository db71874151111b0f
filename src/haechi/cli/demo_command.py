"""`haechi demo`: the four instruments on bundled examples, end to end."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from haechi.cli.output import Output
from haechi.text import Text

DESCRIPTION = Text(
    "네 가지 평가 도구로 작은 스터디 네 개를 만들어 채점합니다. 열쇠도 네트워크도 필요 없습니다.",
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
    from haechi.cli.score_tables import score_tables
    from haechi.demo import make_studies
    from haechi.report.score_sources import score_study

    told = {}
    for study in make_studies(chosen.folder):
        scored = score_study(study.folder, [], (), None, lambda _: None)
        if output.as_json:
            told[study.rubric.id] = {"study": str(study.folder), "summary": scored.summary}
        else:
            output.show(*score_tables(scored), "")
    if output.as_json:
        output.result(told)
        return 0
    output.note(
        Text(
            "평점과 판정은 이 데모를 위해 지어낸 것이며, 이름이 적힌 모델의 실제 출력이 아닙니다.",
            "Ratings and judgements were made up for this demo; they are not real output of the models named.",
        )
    )
    base, command = chosen.folder, _command()
    output.say(
        Text("다음에 해 볼 것:", "Try next:").say(),
        f"  {command} score {base}/maice-qac --by mode,level",
        f"  {command} report {base}/maice-qac -o report",
        f"  {command} check {base}/hiring-agent --min overall=3.5 --max latency_single.seconds=8",
        f"  {command} rubrics show ubica",
    )
    return 0


def _command() -> str:
    """How to call haechi from here: by name where the shell finds it, else by its path."""
    if shutil.which("haechi"):
        return "haechi"
    return os.path.relpath(Path(sys.executable).with_name("haechi"))
