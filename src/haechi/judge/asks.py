"""What a judge is asked, item by item: prompts are made when they are needed and never kept."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import orjson

from haechi.data.item import Item
from haechi.data.item_questions import asks_by_item, item_questions, rulable_names, ruled_names
from haechi.data.judging_protocol import BACKWARDS, Decoding, JudgingProtocol
from haechi.data.line_names import own_criteria
from haechi.data.pair_order import as_shown, shown_order
from haechi.frozen import frozen
from haechi.judge.providers.base import Request
from haechi.judge.providers.models import Model
from haechi.judge.providers.money import Price
from haechi.prompt.example_items import ExampleItem
from haechi.prompt.naming import asked_parts
from haechi.prompt.prompt import Prompt, prompt
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.due_items import DueItem, JudgeQuestion
from haechi.store.journal import write_calls
from haechi.store.judging_protocols import JudgeInstructions, keep_asking, keep_told
from haechi.text import Lang

MAX_TOKENS = 16_000
_TRIAL_TOKENS = 3_000

Per = Literal["rubric", "criterion"]
ITEM_QUESTIONS = "item_questions"
"""The part of a judge that is asked criterion by criterion: what an item asks itself."""
AT_ONCE = 100
"""Questions of an item in one request at most: the providers' schemas hold no more than some hundreds of values."""


class Examples(NamedTuple):
    """Items that people rated, as judges are shown them: the set that they are, its hash, and what is shown."""

    name: str
    hash: str
    shown: tuple[ExampleItem, ...]


class RequestKey(NamedTuple):
    """How a request was made: the hash of all of it, and what the judge is told in it."""

    prompt: str
    told: JudgeInstructions


@frozen
class Judge:
    """A model as a rater of one rubric. Another language or granularity is another rater: they grade differently.

    >>> import haechi
    >>> from haechi.judge.providers.models import parse_model
    >>> judge = Judge(parse_model("openai:gpt-5-mini"), haechi.rubric("maice-qac"), per="criterion")
    >>> judge.rater, len(judge.questions(1))
    ('gpt-5-mini/criterion', 8)
    """

    model: Model
    rubric: Rubric
    per: Per = "rubric"
    lang: Lang = "ko"
    names: dict[str, str] = field(default_factory=dict)
    price: Price | None = None
    own: int = 0
    """How many criteria of its own an item has at most."""
    decoding: Decoding = field(default_factory=Decoding)
    both_orders: bool = True
    """Of a pair: whether every time is asked twice, the second time with the two answers the other way round."""
    examples: Examples | None = None
    """Items that people rated, which the judge is shown; it is not asked about them."""
    among: str | None = None
    """The set of items that alone it is asked about."""
    backwards: bool = False
    """Whether the criteria are asked in the reverse of their order."""

    @property
    def rater(self) -> str:
        """The judge's name among the raters of a study; the same model at another server is another judge."""
        per = "/criterion" if self.per == "criterion" else ""
        shown = f"/examples{len(self.examples.shown)}" if self.examples is not None else ""
        turned = BACKWARDS if self.backwards else ""
        return f"{self.model.label}{per}{'/en' if self.lang == 'en' else ''}{shown}{turned}"

    @property
    def max_tokens(self) -> int:
        """The longest answer that is asked for, in tokens."""
        return self.decoding.max_tokens or (_TRIAL_TOKENS if self.model.is_trial else MAX_TOKENS)

    @cached_property
    def asking(self) -> JudgingProtocol:
        """How this judge is asked, as the journal keeps it."""
        parts = dict.fromkeys(question.part for question in self.questions(1) if question.names)
        made = (self._made(None, (part,) if part else None) for part in parts)
        told = [one.instructions.digest for one in made]
        return JudgingProtocol(
            rubric=self.rubric.version,
            model=self.model.reference,
            address=self.model.address,
            lang=self.lang,
            per=self.per,
            prompt=told[0] if len(told) == 1 else hashlib.sha256("\n".join(told).encode()).hexdigest()[:16],
            decoding=replace(self.decoding, max_tokens=self.max_tokens),
            orders=("both" if self.both_orders else "one") if self.rubric.item == "pair" else None,
            examples=self.examples.hash if self.examples is not None else None,
            sdk=self.model.sdk,
            price=self.price.model_dump(exclude_none=True) if self.price is not None else None,
        )

    @cached_property
    def _closed(self) -> dict[str, tuple[str, ...]]:
        """The names of ratings by criterion, without open comments: those may stay empty."""
        found: dict[str, tuple[str, ...]] = {}
        everything = self.rubric.rateables if asks_by_item(self.rubric) else asked_parts(self.rubric)
        for name, rateable in everything.items():
            if rateable.criterion is not None and rateable.scale.counted:
                key = rateable.criterion.key
                found[key] = (*found.get(key, ()), name)
        return found

    def questions(self, repeat: int) -> list[JudgeQuestion]:
        """Everything this judge is asked about an item; what an item asks itself is asked with the rubric, or for itself."""
        closed = self._closed
        whole = {"": tuple(name for names in closed.values() for name in names)}
        parts = dict(closed if self.per == "criterion" else whole)
        own = {}
        for number in range(self._requests if asks_by_item(self.rubric) else 0):
            part = (ITEM_QUESTIONS if self.per == "criterion" else "") + (f"+{number}" if number else "")
            parts.setdefault(part, ())
            own[part] = partial(self.own_names, number)
        left_out = self.examples.name if self.examples is not None else None
        ruled, rulable = partial(ruled_names, self.rubric), rulable_names(self.rubric)
        return [
            JudgeQuestion(
                *(self.rater, replicate, part, names, own.get(part)),
                ruled=None if rulable.isdisjoint(names) else ruled,
                left_out=left_out,
                among=self.among,
            )
            for replicate in range(1, self.times(repeat) + 1)
            for part, names in parts.items()
        ]

    def times(self, repeat: int) -> int:
        """How often an item is asked about."""
        return 2 * repeat if self.rubric.item == "pair" and self.both_orders else repeat

    @property
    def _at_once(self) -> int:
        """How many questions of an item one request has; criterion by criterion every criterion of its own is asked alone."""
        return 1 if self.per == "criterion" and own_criteria(self.rubric) else AT_ONCE

    @property
    def _requests(self) -> int:
        return max(1, -(-self.own // self._at_once))

    def own_names(self, number: int, item: Item) -> tuple[str, ...]:
        """The names of what is asked about one item alone, in the request of this number."""
        names, many = tuple(item_questions(self.rubric, item)), self._at_once
        return names[number * many : (number + 1) * many]

    def only(self, question: JudgeQuestion, lacks: tuple[str, ...]) -> tuple[str, ...] | None:
        """What is asked: all of the rubric, one criterion, or what an earlier reply left out; and what the item asks."""
        own = tuple(name for name in lacks if name not in question.names)
        if len(lacks) - len(own) < len(question.names) or not question.names:
            return lacks
        part = (question.part,) if question.part else None
        return (*asked_parts(self.rubric, part), *own) if own else part

    def request(
        self, identifier: str, item: Item, only: tuple[str, ...] | None, replicate: int = 1
    ) -> tuple[Request, RequestKey]:
        """The request about one item, and how it was made."""
        made = self._made(as_shown(item, shown_order(item.id, self.rater, replicate)), only)
        told = JudgeInstructions(made.instructions.digest, made.system, made.instructions.written_schema)
        request = Request(identifier, made.system, made.user, made.schema, self.max_tokens, self.decoding)
        return request, RequestKey(made.hash, told)

    @cached_property
    def _told(self) -> Rubric:
        """The rubric as it is told: its criteria in their order, or the other way round."""
        return self.rubric.but(criteria=self.rubric.criteria[::-1]) if self.backwards else self.rubric

    def _made(self, item: Item | None, only: tuple[str, ...] | None) -> Prompt:
        return prompt(
            self._told,
            item.content if item is not None else None,
            lang=self.lang,
            only=only,
            names=self.names or None,
            max_length=self.model.is_trial,
            own=item_questions(self.rubric, item) if item is not None else None,
            shown=self.examples.shown if self.examples is not None else (),
        )


@frozen
class Ask:
    """One request on its way, with what is needed to read its answer."""

    request: Request
    question: JudgeQuestion
    item: Item
    only: tuple[str, ...] | None
    made: RequestKey
    follow_up: bool = False


def new_asks(judge: Judge, question: JudgeQuestion, due: list[DueItem]) -> Iterator[Ask]:
    """Requests for items, each under a new id."""
    for one in due:
        yield new_ask(judge, question, one.item, judge.only(question, one.lacks))


def new_ask(
    judge: Judge, question: JudgeQuestion, item: Item, only: tuple[str, ...] | None, follow_up: bool = False
) -> Ask:
    """A request for an item under a new id."""
    request, made = judge.request(uuid.uuid4().hex, item, only, question.replicate)
    return Ask(request, question, item, only, made, follow_up)


def note_asks(
    connection: Connection, judge: Judge, rows: Sequence[tuple[JudgeInstructions, dict[str, Any]]]
) -> None:
    """Write what will be asked into the journal: the calls, how they are asked, and what the judge is told."""
    if rows:
        keep_asking(connection, judge.asking)
        keep_told(connection, {told.hash: told for told, _ in rows}.values())
        write_calls(connection, [row for _, row in rows])


def call_row(ask: Ask, judge: Judge, way: str, **held: Any) -> dict[str, Any]:
    """A call as the journal keeps it; `held` says by whom or in which batch, for which job, and at what worst cost."""
    return {
        "id": ask.request.id,
        "item": ask.item.id,
        "rater": ask.question.rater,
        "model": judge.model.reference,
        "replicate": ask.question.replicate,
        "part": ask.question.part,
        "asked": None if ask.only is None else orjson.dumps(ask.only).decode(),
        "prompt": ask.made.prompt,
        "asking": judge.asking.hash,
        "instructions": ask.made.told.hash,
        "lang": judge.lang,
        "way": way,
        "state": "sent",
        "attempts": 0 if way == "live" else 1,
        "at": now(),
        **held,
    }
