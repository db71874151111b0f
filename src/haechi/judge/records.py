"""What came back becomes ratings and a closed call in the journal, in one transaction."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from haechi.data.pair_order import rows_as_meant, shown_order
from haechi.data.rating import Rating
from haechi.frozen import frozen
from haechi.judge.providers.exchange import Exchange
from haechi.judge.providers.keys import keys_here, mask
from haechi.judge.providers.lines import BatchReply
from haechi.judge.providers.money import NOTHING_SAVED, CacheSavings, Price
from haechi.judge.providers.results import read_results
from haechi.prompt.ratings import ReplyOutcome, ratings_of
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.display_order import note_shown
from haechi.store.journal import finish_calls
from haechi.store.judging_protocols import JudgeInstructions, pack_request
from haechi.store.ratings import append_ratings
from haechi.text import Text, dollars


class ReturnedAnswer(NamedTuple):
    """An answer, or the words why there is none, with what is needed to read it."""

    id: str
    item: str
    rater: str
    replicate: int
    only: tuple[str, ...] | None
    line: str | None
    failure: Text | None = None
    seconds: float | None = None
    attempts: int = 1
    told: JudgeInstructions | None = None
    exchange: Exchange | None = None


@dataclass
class JudgingTotals:
    """What judging did: finished calls, what they cost now, and which items lack values."""

    answered: int = 0
    partial: int = 0
    failed: int = 0
    repaired: int = 0
    cost: float = 0.0
    without_price: int = 0
    saved: CacheSavings = NOTHING_SAVED
    rejudge: dict[str, None] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    """Why calls failed, and how often."""

    @property
    def calls(self) -> int:
        """All finished calls."""
        return self.answered + self.failed

    @property
    def money(self) -> str:
        """What they cost, in a few signs.

        >>> JudgingTotals(cost=0.5).money, JudgingTotals(cost=0.5, without_price=1).money
        ('$0.5000', '$0.5000+?')
        """
        if self.without_price and not self.cost:
            return Text("값 모름", "cost unknown").say()
        return dollars(self.cost) + ("+?" if self.without_price else "")

    def add(self, read: ReadAnswer) -> None:
        """Count one call."""
        outcome, cost = read.outcome, read.cost
        self.answered += outcome.state != "failed"
        self.partial += outcome.state == "partial"
        if outcome.state == "failed":
            self.failed += 1
            why = next(iter(outcome.parsed.missing.values()), None)
            self.reasons[why.say()[:200] if why is not None else "?"] += 1
        self.repaired += outcome.repaired
        self.cost += cost or 0.0
        self.without_price += cost is None
        self.saved += read.saved
        if outcome.state == "complete":
            self.rejudge.pop(outcome.item, None)
        else:
            self.rejudge[outcome.item] = None


@dataclass
class JudgeResult:
    """What a run of one judge came to."""

    rater: str
    done: JudgingTotals = field(default_factory=JudgingTotals)
    lost: int = 0
    perhaps: float = 0.0
    """What requests without an answer may have cost at most, in dollars."""
    elsewhere: int = 0
    stopped: Text | None = None

    @property
    def unfinished(self) -> tuple[Text, ...]:
        """What stopped it, and how many of its requests failed, in words; empty where neither did.

        >>> [words.en for words in JudgeResult("gpt-5-mini", JudgingTotals(failed=2)).unfinished]
        ['! gpt-5-mini: 2 requests failed. The same command again goes on.']
        """
        words = [] if self.stopped is None else [Text(f"! {self.stopped.ko}", f"! {self.stopped.say('en')}")]
        if failed := self.done.failed:
            words.append(
                Text(
                    f"! {self.rater}: 실패한 요청 {failed:,}건. 같은 명령을 다시 실행하면 이어서 묻습니다.",
                    f"! {self.rater}: {failed:,} requests failed. The same command again goes on.",
                )
            )
        return tuple(words)


@frozen
class ReadAnswer:
    """One returned answer, read."""

    returned: ReturnedAnswer
    line: str | None
    """The answer as it came, without keys that a server echoes."""
    reply: BatchReply
    outcome: ReplyOutcome
    cost: float | None
    saved: CacheSavings = NOTHING_SAVED


def read_all(
    some: Iterable[ReturnedAnswer], rubric: Rubric, provider: str, price: Price | None, batch: bool
) -> list[ReadAnswer]:
    """Read answers; keys do not get further than this."""
    keys = keys_here()
    return [read_returned(one, rubric, provider, price, batch, keys) for one in some]


def read_returned(
    returned: ReturnedAnswer,
    rubric: Rubric,
    provider: str,
    price: Price | None,
    batch: bool,
    keys: tuple[str, ...] | None = None,
) -> ReadAnswer:
    """Read an answer; `keys` are those that are masked, by default those of the environment."""
    saved = NOTHING_SAVED
    line = mask(returned.line, keys) if returned.line is not None else None
    if line is None:
        reply = BatchReply(error=returned.failure, custom_id=returned.item)
        cost: float | None = 0.0
    else:
        found = next(read_results([line], provider))
        reply = (
            found if isinstance(found, BatchReply) else BatchReply(error=_UNREADABLE, custom_id=returned.item)
        )
        reply = BatchReply(**{**vars(reply), "custom_id": returned.item})
        saved = price.saved(reply.usage or {}, batch) if price is not None else NOTHING_SAVED
        cost = price.cost(reply.usage or {}, batch) if price is not None and reply.usage else None
        cost = cost if reply.cost is None else reply.cost  # what was charged, not what a table says
        cost = 0.0 if cost is None and reply.error is not None and not reply.usage else cost
    outcome = ratings_of(
        reply, rubric, rater=returned.rater, only=returned.only, replicate=returned.replicate
    )
    if rubric.item == "pair":  # the judge speaks of what it saw first and second
        order = shown_order(returned.item, returned.rater, returned.replicate)
        outcome = replace(outcome, rows=rows_as_meant(rubric, outcome.rows, order))
    return ReadAnswer(returned, line, reply, outcome, cost, saved)


def record(connection: Connection, rubric: Rubric, reads: Sequence[ReadAnswer]) -> None:
    """Write answers: the call is closed, values fill what was missing and overwrite nothing."""
    # A rating arrives with the call that gave it: so it can be traced back to what was sent and received.
    rows = [(read.returned.id, Rating(**row)) for read in reads for row in read.outcome.rows]
    append_ratings(connection, rows, rubric.version, None, skip_bad=True, fill=True)
    if rubric.item == "pair":
        asked = ((read.returned.item, read.returned.rater, read.returned.replicate) for read in reads)
        note_shown(connection, [(*one, shown_order(*one)) for one in asked])
    finish_calls(connection, [_ending(read) for read in reads])


def _ending(read: ReadAnswer) -> dict[str, Any]:
    usage, returned, exchange = read.reply.usage or {}, read.returned, read.returned.exchange
    came = returned.line.encode("utf-8", "surrogatepass") if returned.line is not None else None
    if exchange is not None:
        came = exchange.received
    return {
        "id": returned.id,
        "request": pack_request(exchange.sent, returned.told) if exchange and exchange.sent else None,
        "reply_sha256": hashlib.sha256(came).hexdigest() if came is not None else None,
        "state": "failed" if read.outcome.state == "failed" else "answered",
        "attempts": returned.attempts,
        "reply": read.line,
        "reason": read.reply.error.kept if read.reply.error else None,
        "version": read.reply.model,
        **{f"{kind}_tokens": usage.get(kind) for kind in _TOKENS},
        "seconds": returned.seconds,
        "cost": read.cost,
        "saved_by_cache": read.saved.cache if usage and read.cost is not None else None,
        "saved_by_batch": read.saved.batch if usage and read.cost is not None else None,
        "answered_at": now(),
    }


_TOKENS = ("input", "cached", "cache_write", "output", "reasoning")
_UNREADABLE = Text("읽을 수 없는 응답", "an unreadable answer")
