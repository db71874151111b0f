"""What judging came to, as `haechi judge` tells it: for machines, and in lines for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from haechi.cli.judging_money import money, say_saved
from haechi.cli.output import Output
from haechi.text import Text, dollars, plural

if TYPE_CHECKING:
    from haechi.judge.batch import SubmissionResult
    from haechi.judge.records import JudgeResult

_REASONS = 3  # of failed requests


def judged_json(one: JudgeResult) -> dict[str, Any]:
    """A judge that was asked now."""
    counts: dict[str, Any] = {
        "answered": one.done.answered,
        "partial": one.done.partial,
        "failed": one.done.failed,
    }
    counts["reasons"] = dict(one.done.reasons)
    more = {"repaired": one.done.repaired, "rejudge": list(one.done.rejudge), "open_elsewhere": one.elsewhere}
    stopped = one.stopped.say() if one.stopped else None
    return {
        "rater": one.rater,
        **counts,
        **more,
        "paid_now": one.done.cost,
        "perhaps_paid": one.perhaps,
        "saved": asdict(one.done.saved),
        "stopped": stopped,
    }


def say_judged(one: JudgeResult, recorded: dict[str, Any] | None, output: Output) -> None:
    """A judge that was asked now; recorded: what all its calls have cost."""
    done, all_time = one.done, money((recorded or {}).get("cost"))
    saved = say_saved(done.saved)
    mark = "✗" if _in_vain(one) else "!" if done.failed or one.stopped else "✓"
    output.say(
        Text(
            f"{mark} {one.rater}: 호출 {done.calls:,}건 — 응답 {done.answered:,}, 일부 {done.partial:,}, 실패 {done.failed:,} · "
            f"이번에 지불 {_paid(one)}{saved} · 기록된 합계 {all_time}",
            f"{mark} {one.rater}: {plural(done.calls, 'call')} — {done.answered:,} answered, {done.partial:,} partial, {done.failed:,} failed · "
            f"paid now {_paid(one)}{saved} · recorded {all_time}",
        ).say()
    )
    for reason, times in done.reasons.most_common(_REASONS):
        output.say(Text(f"  실패 {times:,}건: {reason}", f"  {times:,} failed: {reason}").say())
    if one.elsewhere:
        output.say(
            Text(
                f"! {one.elsewhere:,}건은 배치나 다른 프로세스에 있습니다 (haechi collect)",
                f"! {one.elsewhere:,} are in a batch or with another process (haechi collect)",
            ).say()
        )
    if one.stopped is not None:
        output.say(f"! {one.stopped.say()}")
    if done.rejudge:
        lacking = len(done.rejudge)
        output.note(
            Text(
                f"결측이 있는 항목 {lacking:,}개는 같은 명령을 다시 실행하면 그것만 묻습니다.",
                f"{lacking:,} items lack values; the same command again asks only for those.",
            )
        )


def _in_vain(one: JudgeResult) -> bool:
    """Whether all requests failed, so that nothing was judged."""
    return bool(one.done.failed) and not one.done.answered and not one.done.partial


def _paid(one: JudgeResult) -> str:
    """What was paid, and what may have been paid for requests to which no answer came; without a price nobody knows."""
    paid = dollars(one.done.cost)
    if one.done.without_price:
        nothing = not one.done.cost
        known = (
            Text("모름 (가격 모름)", "unknown (no price)")
            if nothing
            else Text(f"{paid} (가격 모름)", f"{paid} (price unknown)")
        )
        paid = known.say()
    worst = dollars(one.perhaps)
    more = Text(
        f"(응답이 오지 않은 요청에 최대 {worst} 더)", f" (and up to {worst} for requests without an answer)"
    )
    return paid + (more.say() if one.perhaps else "")


def sent_json(one: SubmissionResult) -> dict[str, Any]:
    """A judge that was sent batches."""
    stopped = one.stopped.say() if one.stopped else None
    return {"rater": one.rater, "batches": one.batches, "requests": one.requests, "stopped": stopped}


def say_sent(one: SubmissionResult, output: Output) -> None:
    """A judge that was sent batches."""
    mark = "✗" if one.stopped and not one.requests else "✓"
    output.say(
        Text(
            f"{mark} {one.rater}: 요청 {one.requests:,}건을 배치 {len(one.batches)}개로 보냄",
            f"{mark} {one.rater}: {one.requests:,} requests sent, batches: {len(one.batches)}",
        ).say()
    )
    if one.stopped is not None:
        output.say(f"! {one.stopped.say()}")
