"""`haechi undo`: take back an addition or an import as a whole."""

from __future__ import annotations

import argparse

from haechi.cli.output import Output
from haechi.text import Text, quoted

DESCRIPTION = Text(
    "더하거나 가져온 것을 통째로 되돌립니다. 지우지 않고 새 기록으로 남기므로 되돌리기를 다시 되돌릴 수 있습니다. 번호는 haechi history에 있고, "
    "없으면 가장 최근 것을 되돌립니다. 평가 화면과 AI 평가에서 바로 들어온 평가는 되돌리지 않습니다.",
    "Take back an addition or an import as a whole. Nothing is removed: it is one more record, and taking back an undoing "
    "restores. haechi history lists the numbers; without one the newest is taken back. Ratings from the desk and from live "
    "judging stay.",
)
EXAMPLE = """
haechi undo tutoring
haechi undo tutoring 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    number = Text("이력의 번호 (기본: 가장 최근 것)", "its number in the history (default: the newest)")
    parser.add_argument("number", metavar="N", type=int, nargs="?", help=number.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.store.imports import WHAT
    from haechi.study.study import Study

    study = Study(chosen.folder)
    done = study.undo(chosen.number)
    if output.as_json:
        output.result(done.as_json())
        return 0
    what = WHAT[done.about.what]
    names = ", ".join(file["name"] for file in done.about.files)
    verb = Text("다시 살렸습니다", "restored") if done.restored else Text("되돌렸습니다", "taken back")
    output.say(
        Text(
            f"✓ {done.about.number}번({what.ko}: {names})을 {verb.ko}: 항목 {done.items:,}개, 평가 {done.ratings:,}건",
            f"✓ {done.about.number} ({what.en}: {names}) {verb.en}: {done.items:,} items, {done.ratings:,} ratings",
        ).say()
    )
    if done.left_bare:
        output.say(
            Text(
                f"! 평가가 있는 항목 {done.left_bare:,}개는 내용 없이 남습니다. 다시 더하면 채워집니다.",
                f"! {done.left_bare:,} items that are rated stay, without content; adding them again fills them.",
            ).say()
        )
    output.note(
        Text(
            f"이력 {done.number}번. 취소하려면: haechi undo {quoted(study.folder)} {done.number}",
            f"number {done.number} of the history; to reverse it: haechi undo {quoted(study.folder)} {done.number}",
        )
    )
    return 0
