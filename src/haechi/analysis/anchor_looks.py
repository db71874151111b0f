"""Looks at anchors: judges are asked about them once more, when somebody wishes it, and by themselves when they are asked in a new way."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.errors import tell
from haechi.judge.asks import Judge
from haechi.judge.batch import SubmissionResult
from haechi.judge.budget import Budget, check_price
from haechi.judge.judges import judge_in_batches, judge_live
from haechi.judge.records import JudgeResult
from haechi.store.folder import ANCHORS
from haechi.study.study import Study
from haechi.text import Text


def look_again(anchors: Study, judges: Sequence[Judge], budget: Budget, batch: bool = False) -> None:
    """Ask judges about all anchors once more, and tell what that came to; of a batch, a look that is out is not sent again."""
    from haechi.analysis.anchors import next_look

    for judge in judges:  # before the first question is paid
        check_price(judge, budget.most)
    for judge in judges:
        look = next_look(anchors, judge.rater)
        if batch:
            _tell_sent(judge_in_batches(anchors, judge, look, budget=budget))
        else:
            _tell_done(judge_live(anchors, judge, look, budget=budget))


def look_where_new(
    study: Study, judges: Sequence[Judge], done: Sequence[JudgeResult], budget: Budget
) -> None:
    """After judges were asked live: those that were asked in a new way, or answered by a new version, see the anchors too.

    One that had to stop sees them when it goes on.
    """
    if not _has_anchors(study):
        return
    from haechi.analysis.anchors import needs_look

    whole = {one.rater for one in done if one.stopped is None}
    new = [judge for judge in judges if judge.rater in whole and needs_look(study, judge.rater)]
    _look_with_the_rest(study, new, budget)


def judges_in_a_new_way(study: Study, judges: Sequence[Judge]) -> list[Judge]:
    """The judges that are about to be asked in a way by which they have not seen the anchors."""
    if not _has_anchors(study):
        return []
    from haechi.analysis.anchors import will_need_look

    return [judge for judge in judges if will_need_look(study, judge)]


def send_anchors(study: Study, judges: Sequence[Judge], budget: Budget) -> None:
    """Send the anchors to judges in a batch of their own."""
    _look_with_the_rest(study, judges, budget, batch=True)


def _look_with_the_rest(study: Study, judges: Sequence[Judge], budget: Budget, batch: bool = False) -> None:
    """A look for what the job may still pay; under its name the anchors know what it has paid for them."""
    if not judges:
        return
    from haechi.analysis.anchors import anchors_to_ask

    anchors = anchors_to_ask(study)
    with study.database.read() as connection:
        most = None if budget.most is None else budget.room(connection)
    if anchors is not None and (most is None or most > 0):
        look_again(anchors, judges, Budget(most, budget.job), batch)


def _has_anchors(study: Study) -> bool:
    return (study.folder / ANCHORS).is_dir()  # most have none, and need not import what looks at them


def _tell_done(one: JudgeResult) -> None:
    words = Text(
        f"{one.rater}: 앵커 호출 {one.done.calls:,}건, 이번에 지불 {one.done.money}.",
        f"{one.rater}: {one.done.calls:,} calls about anchors, paid now {one.done.money}.",
    )
    for told in (words, *one.unfinished):
        tell(told)


def _tell_sent(one: SubmissionResult) -> None:
    tell(
        Text(
            f"{one.rater}: 앵커 {one.requests:,}건을 배치로 보냈습니다. haechi collect가 받습니다.",
            f"{one.rater}: {one.requests:,} anchors sent as a batch; haechi collect fetches them.",
        )
    )
    if one.stopped is not None:
        tell(Text(f"! {one.stopped.ko}", f"! {one.stopped.say('en')}"))
