"""Practice before rating: one question about one item at a time, and at once whether the answer fits, and why.

The server holds the key and counts: practice is passed by answering, not by clicking on.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from haechi.data.files import Row
from haechi.data.item import Item
from haechi.data.shapes import items_of
from haechi.errors import HaechiError
from haechi.prompt.form import Field as Question
from haechi.prompt.form import Form, FormGroup
from haechi.rubrics import Rubric
from haechi.rubrics.practice import KnownAnswer, KnownItem, gold_items, practice_items
from haechi.store.connection import Connection
from haechi.store.desk import GOLD, desk_rater, note_once
from haechi.store.items import add_items, read_item
from haechi.store.large import keeps_files
from haechi.store.practice import Round, last_round, note_practice
from haechi.study.study import Study
from haechi.web.bodies import LARGEST
from haechi.web.item_view import view_of


class Tried(BaseModel):
    """What a rater answers to one step of practice."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: Annotated[int, Field(ge=0, le=LARGEST)]
    value: Annotated[str, Field(max_length=200)]


class _Step(NamedTuple):
    item: Item
    known: KnownAnswer


class Practice:
    """The practice of one study; without steps for a rubric that has neither examples nor items of ours."""

    def __init__(self, rubric: Rubric) -> None:
        self._steps = [
            _Step(item_of(one, rubric, f"practice-{index}"), known)
            for index, one in enumerate(practice_items(rubric))
            for known in one.answers
        ]

    def open_for(self, connection: Connection, rater: str) -> bool:
        """Whether a rater has still to practise."""
        known = desk_rater(connection, rater)
        return bool(self._steps) and (known is None or known.trained is None)

    def state(self, connection: Connection, rater: str, form: Form, pass_mark: float) -> dict[str, Any]:
        """The steps as the page shows them, without the key, and where the rater is."""
        at = self._round(connection, rater)
        return {
            "steps": [self._shown(step, form) for step in self._steps],
            "answered": sorted(at.answered),
            "right": at.right,
            "round": at.number,
            "needed": self._needed(pass_mark),
        }

    def answer(
        self, connection: Connection, rater: str, tried: Tried, form: Form, pass_mark: float
    ) -> dict[str, Any] | None:
        """Keep an answer and say what fits; None if there is no such step or choice."""
        if tried.step >= len(self._steps):
            return None
        known = self._steps[tried.step].known
        _, question = _asked(form, known.name)
        labels = {choice.value: choice.label for choice in question.choices}
        if tried.value not in labels:
            return None
        number = self._round(connection, rater).number
        note_practice(connection, rater, number, tried.step, tried.value, tried.value in known.right)
        now = last_round(connection, rater)
        done = len(now.answered) == len(self._steps)
        passed = done and now.right >= self._needed(pass_mark)
        if passed:
            note_once(connection, rater, "trained")
        return {
            "fits": tried.value in known.right,
            "answer": " · ".join(labels[value] for value in known.right),
            "why": known.why.say(form.lang),
            "done": done,
            "passed": passed,
            "right": now.right,
            "needed": self._needed(pass_mark),
        }

    def _needed(self, pass_mark: float) -> int:
        """How many answers must fit: the pass mark, rounded up."""
        return -(-round(pass_mark * len(self._steps) * 1000) // 1000)

    def _round(self, connection: Connection, rater: str) -> Round:
        """The round a rater is in; after one that was not passed the next begins."""
        last = last_round(connection, rater)
        return Round(last.number + 1) if len(last.answered) == len(self._steps) else last

    def _shown(self, step: _Step, form: Form) -> dict[str, Any]:
        group, question = _asked(form, step.known.name)
        choices = [{"value": c.value, "label": c.label, "text": c.text} for c in question.choices]
        return {
            "view": view_of(step.item, form),
            "name": question.label if group.question or len(group.fields) > 1 else group.name,
            "question": question.question or group.question,
            "standards": list(group.standards),
            "choices": choices,
        }


def item_of(one: KnownItem, rubric: Rubric, identifier: str, meta: dict[str, Any] | None = None) -> Item:
    """A known item as an item of a study."""
    record = {"id": identifier, **one.item, "meta": meta or {}}
    ((_, item),) = items_of([Row(identifier, record)], rubric.item)
    if isinstance(item, HaechiError):
        raise item
    return item


def add_gold(study: Study) -> None:
    """Put the gold items of a built-in rubric into its study, those that are not there; runs in files come in files only."""
    with study.database.write() as connection:
        if keeps_files(connection):
            return
        wanted = [
            item_of(one, study.rubric, f"{GOLD}{number}", {"attention": _attention(one)})
            for number, one in enumerate(gold_items(study.rubric), 1)
        ]
        new = [("gold", item) for item in wanted if read_item(connection, item.id) is None]
        add_items(connection, new, uuid.uuid4().hex)


def _attention(one: KnownItem) -> dict[str, list[str]]:
    return {known.name: list(known.right) for known in one.answers}


def _asked(form: Form, name: str) -> tuple[FormGroup, Question]:
    return next((group, field) for group in form.groups for field in group.fields if field.name == name)
