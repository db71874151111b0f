"""Anchors beside judging: a judge that is asked in a new way sees them too, live or in a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from haechi.cli.output import Output

if TYPE_CHECKING:
    from haechi.judge.asks import Judge
    from haechi.judge.budget import Budget
    from haechi.study.study import Study


def _has_anchors(study: Study) -> bool:
    return (study.folder / "anchors").is_dir()  # most have none, and need not import what looks at them


def see_anchors(study: Study, judge: Judge, output: Output, left: float | None) -> None:
    """Ask a judge that was asked in a new way, or answered by a new version, about the anchors too; left: what may be paid."""
    if not _has_anchors(study) or (left is not None and left <= 0):
        return
    from haechi.analysis.anchors import anchors_of, needs_look
    from haechi.cli.anchors_command import look_again

    anchors = anchors_of(study)
    if anchors is not None and needs_look(study, judge.rater):
        look_again(anchors, judge, output, left)


def judges_in_a_new_way(study: Study, judges: Sequence[Judge]) -> list[Judge]:
    """The judges that are about to be asked in a way by which they have not seen the anchors."""
    if not _has_anchors(study):
        return []
    from haechi.analysis.anchors import will_need_look

    return [judge for judge in judges if will_need_look(study, judge)]


def send_anchors(study: Study, judges: Sequence[Judge], budget: Budget, output: Output) -> None:
    """Send the anchors to judges in a batch of their own, with what the job may still pay."""
    if not judges:
        return
    from haechi.analysis.anchors import anchors_of
    from haechi.cli.anchors_command import send_look

    anchors = anchors_of(study)
    for judge in judges if anchors is not None else ():
        with study.database.read() as connection:
            left = None if budget.most is None else budget.room(connection)
        if anchors is not None and (left is None or left > 0):
            send_look(anchors, judge, output, left)
