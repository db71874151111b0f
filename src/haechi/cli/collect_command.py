"""`haechi collect`: fetch finished batches."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haechi.cli.output import Output
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from haechi.judge.batch_status import BatchNews
    from haechi.study.study import Study

DESCRIPTION = Text(
    "보낸 배치 가운데 끝난 것을 받아 옵니다. 여러 번 실행해도 안전합니다.",
    "Fetch what finished of the submitted batches. Safe to repeat.",
)
EXAMPLE = """
haechi collect tutoring
haechi collect tutoring --cancel
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    cancel = Text(
        "진행 중인 배치를 멈춤(끝난 응답은 받음)", "stop running batches (finished answers are kept)"
    )
    parser.add_argument("--cancel", action="store_true", help=cancel.say())
    give_up = Text(
        "끝난 배치에서 끝내 오지 않는 결과를 포기함(다시 묻고, 다시 지불할 수 있음)",
        "give up results of ended batches that never come (they are asked, and may be paid, again)",
    )
    parser.add_argument("--give-up", action="store_true", help=give_up.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from dataclasses import asdict

    from haechi.analysis.anchors import anchors_to_ask
    from haechi.cli.batch_lines import show_news
    from haechi.judge.judges import collect
    from haechi.store.folder import ANCHORS
    from haechi.study.study import Study

    study = Study(chosen.folder)
    with output.working(Text("응답을 받는 중", "fetching replies")) as advance:
        news = collect(study, chosen.cancel, advance, chosen.give_up)
        anchors = anchors_to_ask(study) if (study.folder / ANCHORS).is_dir() else None
        of_anchors = [] if anchors is None else collect(anchors, chosen.cancel, advance, chosen.give_up)
    if output.as_json:
        rows = [
            {
                "batch": one.remote,
                "rater": one.rater,
                "state": one.state,
                "requests": one.requests,
                "answered": one.done.answered,
                "partial": one.done.partial,
                "failed": one.done.failed,
                "repaired": one.done.repaired,
                "rejudge": list(one.done.rejudge),
                "paid_now": one.done.cost,
                "saved": asdict(one.done.saved),
                "says": one.words,
            }
            for one in [*news, *of_anchors]
        ]
        output.result({"batches": rows})
    if not (news or of_anchors) and not output.as_json:
        output.say(Text("나가 있는 배치가 없습니다.", "No batch is out.").say())
    show_news([*news, *of_anchors], output)
    if anchors is not None:
        _ask_for_looks(study, news, output)
    return 1 if any(one.problem for one in [*news, *of_anchors]) else 0


def _ask_for_looks(study: Study, news: list[BatchNews], output: Output) -> None:
    """Say which judges answer by a version that has not seen the anchors; asking them costs, and is not done in silence."""
    from haechi.analysis.anchors import needs_look

    for rater in dict.fromkeys(one.rater for one in news if one.done.answered):
        if needs_look(study, rater):
            output.note(
                Text(
                    f"{rater}: 앵커를 아직 보지 않은 버전이 답했습니다. haechi anchors {quoted(study.folder)} --model … --batch로 보여 주면 이전 점수와 이어집니다.",
                    f"{rater}: a version answered that has not seen the anchors. haechi anchors {quoted(study.folder)} --model … --batch shows them, which links its scores to earlier ones.",
                )
            )
