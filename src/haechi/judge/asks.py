"""What a judge is asked, item by item: prompts are made when they are needed and never kept."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import orjson

from haechi.data.item import Item
from haechi.data.item_questions import asks_by_item, item_questions
from haechi.data.line_names import own_criteria
from haechi.judge.providers.base import Request
from haechi.judge.providers.models import Model
from haechi.judge.providers.money import Price
from haechi.prompt.naming import asked
from haechi.prompt.prompt import prompt
from haechi.rubrics import Rubric
from haechi.store.database import now
from haechi.store.journal import Due, Question
from haechi.text import Lang

MAX_TOKENS = 16_000
_TRIAL_TOKENS = 3_000

Per = Literal["rubric", "criterion"]
ITEM_QUESTIONS = "item_questions"
"""The part of a judge that is asked criterion by criterion: what an item asks itself."""
AT_ONCE = 100
"""Questions of an item in one request at most: the providers' schemas hold no more than some hundreds of values."""


@dataclass(frozen=True)
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

    @property
    def rater(self) -> str:
        """The judge's name among the raters of a study."""
        per = "/criterion" if self.per == "criterion" else ""
        return f"{self.model.name}{per}{'/en' if self.lang == 'en' else ''}"

    @cached_property
    def _closed(self) -> dict[str, tuple[str, ...]]:
        """The names of ratings by criterion, without open comments: those may stay empty."""
        found: dict[str, tuple[str, ...]] = {}
        everything = self.rubric.rateables if asks_by_item(self.rubric) else asked(self.rubric)
        for name, rateable in everything.items():
            if rateable.criterion is not None and rateable.scale.counted:
                key = rateable.criterion.key
                found[key] = (*found.get(key, ()), name)
        return found

    def questions(self, repeat: int) -> list[Question]:
        """Everything this judge is asked about an item; what an item asks itself is asked with the rubric, or for itself."""
        closed = self._closed
        whole = {"": tuple(name for names in closed.values() for name in names)}
        parts = dict(closed if self.per == "criterion" else whole)
        own = {}
        for number in range(self._requests if asks_by_item(self.rubric) else 0):
            part = (ITEM_QUESTIONS if self.per == "criterion" else "") + (f"+{number}" if number else "")
            parts.setdefault(part, ())
            own[part] = partial(self.own_names, number)
        return [
            Question(self.rater, replicate, part, names, own.get(part))
            for replicate in range(1, repeat + 1)
            for part, names in parts.items()
        ]

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

    def only(self, question: Question, lacks: tuple[str, ...]) -> tuple[str, ...] | None:
        """What is asked: all of the rubric, one criterion, or what an earlier reply left out; and what the item asks."""
        own = tuple(name for name in lacks if name not in question.names)
        if len(lacks) - len(own) < len(question.names) or not question.names:
            return lacks
        part = (question.part,) if question.part else None
        return (*asked(self.rubric, part), *own) if own else part

    def request(self, identifier: str, item: Item, only: tuple[str, ...] | None) -> tuple[Request, str]:
        """The request about one item, and the hash of its prompt."""
        trial = self.model.is_trial
        made = prompt(
            self.rubric,
            item.content,
            lang=self.lang,
            only=only,
            names=self.names or None,
            max_length=trial,
            own=item_questions(self.rubric, item),
        )
        limit = _TRIAL_TOKENS if trial else MAX_TOKENS
        return Request(identifier, made.system, made.user, made.schema, limit), made.hash


@dataclass(frozen=True)
class Ask:
    """One request on its way, with what is needed to read its answer."""

    request: Request
    question: Question
    item: Item
    only: tuple[str, ...] | None
    follow_up: bool = False


def new_asks(judge: Judge, question: Question, due: list[Due]) -> Iterator[tuple[Ask, str]]:
    """Requests for items, each under a new id, with the hashes of their prompts."""
    for one in due:
        only = judge.only(question, one.lacks)
        request, digest = judge.request(uuid.uuid4().hex, one.item, only)
        yield Ask(request, question, one.item, only), digest


def call_row(ask: Ask, digest: str, judge: Judge, way: str, **held: Any) -> dict[str, Any]:
    """A call as the journal keeps it; `held` says by whom or in which batch, for which job, and at what worst cost."""
    return {
        "id": ask.request.id,
        "item": ask.item.id,
        "rater": ask.question.rater,
        "model": judge.model.reference,
        "replicate": ask.question.replicate,
        "part": ask.question.part,
        "asked": None if ask.only is None else orjson.dumps(ask.only).decode(),
        "prompt": digest,
        "lang": judge.lang,
        "way": way,
        "state": "sent",
        "at": now(),
        **held,
    }
