"""A disputed item with all its ratings side by side, and the decision on it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from haechi.data.item import Item
from haechi.data.item_questions import item_questions
from haechi.data.rating import Rating
from haechi.data.rating_rules import ValueReader
from haechi.data.reasons import say_reason
from haechi.data.stances import ADJUDICATION
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.prompt.form import Form, item_groups
from haechi.rubrics import Rubric
from haechi.rubrics.scales import Choice
from haechi.store.connection import Connection
from haechi.store.desk import CLEARED
from haechi.store.items import read_item
from haechi.store.raters import ADJUDICATOR
from haechi.store.ratings import append_ratings
from haechi.store.ratings_in_force import RATINGS
from haechi.text import Text
from haechi.web.bodies import LARGEST

WITHDRAWN = "withdrawn by the owner"  # the reason of a rating that takes a decision back
_KINDS = ("human", "ai", "code")  # people first: they are what a decision is measured by


@frozen
class RaterColumn:
    """A rater of the item; `replicate` above 1 where somebody judged it again.

    `place` counts the raters of a kind in an order that differs from item to item: it stands for the name until the
    item is decided, and nobody can be recognised by it.
    """

    rater: str
    kind: str
    replicate: int
    place: int


@frozen
class AnswerCell:
    """What one rater said to one question; `by_floor` where it follows from a floor that the rater stated."""

    column: RaterColumn
    value: str | None
    reason: str | None
    evidence: str | None
    by_floor: bool = False


@frozen
class DisputedQuestion:
    """One question with what everybody said to it."""

    name: str
    kind: str
    label: str
    question: str
    choices: tuple[Choice, ...]
    cells: tuple[AnswerCell, ...]
    decision: Any

    @property
    def disputed(self) -> bool:
        """Whether raters differ; a rater who judged again does not differ from anybody by that."""
        given = (cell for cell in self.cells if cell.column.replicate == 1)
        return self.kind != "text" and len({cell.value for cell in given if cell.value is not None}) > 1


@frozen
class DisputedItem:
    """An item, its ratings and what was decided."""

    number: int
    item: Item
    rows: tuple[DisputedQuestion, ...]

    @property
    def decided(self) -> bool:
        """Whether everything in dispute is decided; only then names are shown."""
        return all(row.decision is not None for row in self.rows if row.disputed)


class Decision(BaseModel):
    """What the owner decides on one question, and why; without a value the decision is withdrawn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    item: Annotated[int, Field(ge=1, le=LARGEST)]
    field: Annotated[str, Field(max_length=200)]
    value: Annotated[str, Field(max_length=20_000)] | None
    reason: Annotated[str, Field(max_length=20_000)] = ""


def numbers_of(connection: Connection, ids: Collection[str]) -> dict[str, int]:
    """The numbers of items; an id may hold any character, a number fits into an address."""
    query = "SELECT id, number FROM items_in_force WHERE id = ANY(:ids)"
    return dict(connection.rows(query, ids=list(dict.fromkeys(ids))))


def _id_of(connection: Connection, number: int) -> str | None:
    found: str | None = connection.value(
        "SELECT id FROM items_in_force WHERE number = :number", number=number
    )
    return found


def case_of(
    connection: Connection,
    number: int,
    form: Form,
    rubric: Rubric,
    beside: Callable[[Item], Mapping[str, str]] | None = None,
) -> DisputedItem | None:
    """Everything about one item, the questions too that it brings; people first, then AI judges, then code.

    beside: what ratings of an item are called that the form does not ask for; these come last.
    """
    identifier = _id_of(connection, number)
    item = read_item(connection, identifier) if identifier is not None else None
    if item is None:
        return None
    found = connection.rows(f"{RATINGS} WHERE item = :item ORDER BY number", item=item.id)
    said = [row for row in found if row.reason != CLEARED]
    given = {(r.rater, r.replicate, r.criterion): r for r in said if r.stance != ADJUDICATION}
    decisions = sorted((r for r in said if r.stance == ADJUDICATION), key=lambda r: r.rater == ADJUDICATOR)
    decided = {row.criterion: row for row in decisions}  # here, before what came from a file
    columns = _columns(item.id, {(r.rater, r.kind, r.replicate) for r in given.values()})
    rows = []
    brings = item_groups(rubric, item, form.lang)
    groups = (*form.groups, *brings)
    for group in groups:
        for field in group.fields:
            cells = (_cell(column, field.name, form, given) for column in columns)
            decision = decided.get(field.name)
            label = f"{group.score}. {field.label}" if group.score != group.key else field.label
            brought = group in brings
            rows.append(
                DisputedQuestion(
                    field.name,
                    field.kind,
                    f"{group.name}: {field.question}" if brought else label,
                    field.label if brought else field.question,
                    field.choices,
                    tuple(cell for cell in cells if cell is not None),
                    decision if decision is not None and decision.status == "ok" else None,
                )
            )
    asked = {field.name for group in groups for field in group.fields}
    for name, label in (beside(item) if beside is not None else {}).items():
        cells = (_cell(column, name, form, given) for column in columns)
        own = tuple(cell for cell in cells if cell is not None)
        if own and name not in asked:
            rows.append(DisputedQuestion(name, "number", label, "", (), own, None))
    return DisputedItem(number, item, tuple(rows))


def _columns(item: str, found: Collection[tuple[str, str, int]]) -> list[RaterColumn]:
    """The raters of an item, those of a kind in an order of the item's own."""
    columns, places = [], dict[str, dict[str, int]]()
    for rater, kind, replicate in sorted(
        found, key=lambda one: (_KINDS.index(one[1]), _hidden(item, one[0]), one[2])
    ):
        place = places.setdefault(kind, {})
        columns.append(RaterColumn(rater, kind, replicate, place.setdefault(rater, len(place) + 1)))
    return columns


def _hidden(item: str, rater: str) -> bytes:
    return hashlib.sha256(f"{item}\0{rater}".encode()).digest()


def _cell(
    column: RaterColumn, field: str, form: Form, given: Mapping[tuple[str, int, str], Any]
) -> AnswerCell | None:
    """What a rater said to a question, or what follows from a floor."""
    row = given.get((column.rater, column.replicate, field))
    if row is not None:
        reason = None if row.status == "ok" else say_reason(row.reason) or row.status
        return AnswerCell(column, row.value, reason, row.evidence)
    for floor in form.floors:
        stated = given.get((column.rater, column.replicate, floor.name))
        if field in floor.fields and stated is not None and stated.value == "1":
            return AnswerCell(column, "0", None, None, by_floor=True)
    return None


def decide(connection: Connection, decision: Decision, rubric: Rubric, values: ValueReader) -> None:
    """Keep a decision as a rating of its own rater; the ratings it decides about stay as they are.

    A decision that is withdrawn stays in the history, behind a rating without a value.
    """
    identifier = _id_of(connection, decision.item)
    item = read_item(connection, identifier) if identifier is not None else None
    if decision.field not in {*rubric.rateables, *(item_questions(rubric, item) if item is not None else ())}:
        expected = Text("서식에 있는 문항", "a question of the form")
        raise HaechiError.of("field", decision.field, expected, Text("새로고침하세요", "reload the page"))
    reason = decision.reason.replace("\0", "").strip()
    if not reason and decision.value is not None:
        expected = Text("결정의 이유", "the reason of the decision")
        raise HaechiError.of("reason", Text("없음", "nothing"), expected, Text("이유를 적으세요", "write it"))
    if identifier is None:
        expected = Text("있는 항목", "an item that exists")
        raise HaechiError.of("item", str(decision.item), expected, Text("새로고침하세요", "reload the page"))
    kept = decision.value is not None
    rating = Rating(
        item=identifier,
        criterion=decision.field,
        rater=ADJUDICATOR,
        kind="human",
        value=values.value(decision.field, decision.value) if decision.value is not None else None,
        evidence=reason or None,
        status="ok" if kept else "missing",
        reason=None if kept else WITHDRAWN,
        stance=ADJUDICATION,
    )
    append_ratings(connection, [("decision", rating)], rubric.version, uuid.uuid4().hex, correct=True)
