"""What became of batches, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from haechi.cli.judging_money import say_saved
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.cli.output import Output
    from haechi.judge.batch_status import BatchNews


def show_news(news: Iterable[BatchNews], output: Output) -> None:
    """A line for every batch, and what stood in the way of those that could not be reached."""
    for one in news:
        if not output.as_json:
            output.say(_line(one).say())
        if one.heeded:
            output.note(
                Text(
                    f"! {one.rater}: 모델이 거절한 설정을 알아냈습니다. haechi judge --batch를 다시 실행하면 받는 방식으로 다시 보냅니다",
                    f"! {one.rater}: what the model refuses is known now; haechi judge --batch again sends these in a way that it takes",
                )
            )
        if one.problem is not None:
            output.note(Text(f"! {one.problem.say('ko')}", f"! {one.problem.say('en')}"))


def _line(one: BatchNews) -> Text:
    sign = {"running": "…", "incomplete": "…", "unknown": "?", "never sent": "✗", "failed": "✗"}.get(
        one.state, "✓"
    )
    done, name = one.done, f"{sign} {one.rater} {one.remote}: {one.state}"
    saved = say_saved(done.saved)
    return Text(
        f"{name} · 응답 {done.answered:,}, 일부 {done.partial:,}, 실패 {done.failed:,} / {one.requests:,}{saved}",
        f"{name} · {done.answered:,} answered, {done.partial:,} partial, {done.failed:,} failed of {one.requests:,}{saved}",
    )
