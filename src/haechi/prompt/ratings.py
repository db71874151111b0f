"""From replies to rows of ratings, and the count of what came of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Protocol, TypeVar

from haechi.frozen import frozen
from haechi.prompt.enquiry import enquiry
from haechi.prompt.naming import asked_parts
from haechi.prompt.reply import ParsedReply, parse, unanswered
from haechi.rubrics import Rubric
from haechi.text import Text

_REPAIRED = Text("깨진 응답을 고쳐 읽음", "read from a repaired reply")


class ReceivedReply(Protocol):
    """What is needed of a provider's reply; its id is the item's."""

    @property
    def custom_id(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def model(self) -> str | None: ...
    @property
    def error(self) -> Text | None: ...
    @property
    def cut(self) -> bool: ...


@frozen
class ReplyOutcome:
    """What one reply came to: its ratings, also those that are missing."""

    item: str
    rater: str
    parsed: ParsedReply
    rows: tuple[dict[str, Any], ...]

    @property
    def given(self) -> int:
        """How many values there are."""
        return len(self.parsed.values)

    @property
    def state(self) -> str:
        """`complete`, `partial` or `failed`."""
        return self.parsed.state

    @property
    def repaired(self) -> bool:
        """Whether the reply had to be mended."""
        return self.parsed.repaired


class ReplyCounts(Protocol):
    """What is needed of an outcome to count it."""

    @property
    def item(self) -> str: ...
    @property
    def rater(self) -> str: ...
    @property
    def given(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def repaired(self) -> bool: ...


AnyCounted = TypeVar("AnyCounted", bound=ReplyCounts)


def ratings_of(
    reply: ReceivedReply,
    rubric: Rubric,
    *,
    rater: str | None = None,
    only: Collection[str] | None = None,
    replicate: int = 1,
) -> ReplyOutcome:
    """One reply as rows of ratings; the model's own name is the rater unless one is given.

    Reasons are kept in both languages, so that importing a file again changes nothing, whoever does it.

    >>> import haechi
    >>> from types import SimpleNamespace
    >>> rubric = haechi.rubrics.find_rubric("diary-comment")
    >>> reply = SimpleNamespace(custom_id="d1", model="m", text='{"sensibleness": 1}', error=None, cut=False)
    >>> outcome = ratings_of(reply, rubric)
    >>> [(row["criterion"], row["value"], row["status"]) for row in outcome.rows]
    [('sensibleness', '1', 'ok'), ('specificity', None, 'missing'), ('sympathy', None, 'missing')]
    """
    request = enquiry(rubric, only)
    wanted = [request.own.get(name, name) for name in asked_parts(request.rubric, request.only)]
    failed = reply.error
    parsed = (
        unanswered(rubric, only, failed) if failed is not None else parse(reply.text, rubric, only, reply.cut)
    )
    by = rater or reply.model or "unknown"
    same = {
        "item": reply.custom_id,
        "rater": by,
        "kind": "ai",
        "replicate": replicate,
        "stance": "judge" if "judge" in rubric.stances else None,
    }
    rows = []
    for name in wanted:
        given = parsed.values.get(name)
        if given is not None:
            flag = _REPAIRED.kept if parsed.repaired else None
            said = {"value": given.value, "evidence": given.evidence or None, "status": "ok", "reason": flag}
        else:
            status = "error" if failed is not None else "missing"
            why = parsed.missing[name].kept
            said = {"value": None, "evidence": None, "status": status, "reason": why}
        rows.append({**same, "criterion": name, **said})
    return ReplyOutcome(reply.custom_id, by, parsed, tuple(rows))


def best_of(outcomes: Iterable[AnyCounted]) -> list[AnyCounted]:
    """One outcome per item and rater: providers send a line twice now and then, and a request is sent again.

    The first with the most values counts, whole; two replies are never mixed.
    """
    best: dict[tuple[str, str], AnyCounted] = {}
    for outcome in outcomes:
        key = (outcome.item, outcome.rater)
        if key not in best or outcome.given > best[key].given:
            best[key] = outcome
    return list(best.values())


def tally(outcomes: Iterable[ReplyCounts]) -> dict[str, Any]:
    """How many replies are complete, partial, failed and repaired, and which items have to be judged again.

    >>> tally([])
    {'replies': 0, 'complete': 0, 'partial': 0, 'failed': 0, 'repaired': 0, 'rejudge': []}
    """
    counted = list(outcomes)
    states = [outcome.state for outcome in counted]
    again = [outcome.item for outcome in counted if outcome.state != "complete"]
    return {
        "replies": len(counted),
        "complete": states.count("complete"),
        "partial": states.count("partial"),
        "failed": states.count("failed"),
        "repaired": sum(outcome.repaired for outcome in counted),
        "rejudge": list(dict.fromkeys(again)),
    }
