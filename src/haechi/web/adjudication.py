"""A disputed item with all its ratings side by side, and the decision on it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from haechi.data import Item
from haechi.data.rating import Rating
from haechi.data.rating_rules import ValueReader
from haechi.errors import HaechiError
from haechi.prompt.form import Form
from haechi.rubrics import Rubric
from haechi.rubrics.scales import Choice
from haechi.store.connection import Connection
from haechi.store.items import read_item
from haechi.store.raters import ADJUDICATOR
from haechi.store.ratings import RATINGS, append_ratings
from haechi.text import Text


@dataclass(frozen=True)
class Column:
    """A rater of the item; `replicate` above 1 where somebody judged it again."""

    rater: str
    kind: str
    replicate: int


@dataclass(frozen=True)
class Row:
    """One question with what everybody said to it."""

    name: str
    label: str
    question: str
    choices: tuple[Choice, ...]
    cells: tuple[Any, ...]
    decision: Any
    disputed: bool


@dataclass(frozen=True)
class Case:
    """An item, its ratings and what was decided."""

    number: int
    item: Item
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


class Decision(BaseModel):
    """What the owner decides on one question, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    item: Annotated[int, Field(ge=1)]
    field: Annotated[str, Field(max_length=200)]
    value: Annotated[str, Field(max_length=20_000)]
    reason: Annotated[str, Field(max_length=20_000)]


def numbers_of(connection: Connection) -> dict[str, int]:
    """The numbers of all items; an id may hold any character, a number fits into an address."""
    return dict(connection.rows("SELECT id, number FROM items_in_force"))


def _id_of(connection: Connection, number: int) -> str | None:
    found: str | None = connection.value(
        "SELECT id FROM items_in_force WHERE number = :number", number=number
    )
    return found


def case_of(connection: Connection, number: int, form: Form) -> Case | None:
    """Everything about one item."""
    identifier = _id_of(connection, number)
    item = read_item(connection, identifier) if identifier is not None else None
    if item is None:
        return None
    query = f"{RATINGS} WHERE item = :item ORDER BY number"
    found = connection.rows(query, item=item.id)
    columns = tuple(
        dict.fromkeys(Column(r.rater, r.kind, r.replicate) for r in found if r.rater != ADJUDICATOR)
    )
    given = {(r.rater, r.replicate, r.criterion): r for r in found}
    rows = []
    for group in form.groups:
        for field in group.fields:
            cells = tuple(given.get((c.rater, c.replicate, field.name)) for c in columns)
            values = {cell.value for cell in cells if cell is not None and cell.status == "ok"}
            decision = given.get((ADJUDICATOR, 1, field.name))
            label = f"{group.score}. {field.label}" if group.score != group.key else field.label
            disputed = bool(field.choices) and len(values) > 1
            rows.append(Row(field.name, label, field.question, field.choices, cells, decision, disputed))
    return Case(number, item, columns, tuple(rows))


def decide(connection: Connection, decision: Decision, rubric: Rubric, values: ValueReader) -> None:
    """Keep a decision as a rating of its own rater; the ratings it decides about stay as they are."""
    if decision.field not in rubric.rateables:
        expected = Text("서식에 있는 문항", "a question of the form")
        raise HaechiError.of("field", decision.field, expected, Text("새로고침하세요", "reload the page"))
    reason = decision.reason.replace("\0", "").strip()
    if not reason:
        expected = Text("결정의 이유", "the reason of the decision")
        raise HaechiError.of("reason", Text("없음", "nothing"), expected, Text("이유를 적으세요", "write it"))
    identifier = _id_of(connection, decision.item)
    if identifier is None:
        expected = Text("있는 항목", "an item that exists")
        raise HaechiError.of("item", str(decision.item), expected, Text("새로고침하세요", "reload the page"))
    rating = Rating(
        item=identifier,
        criterion=decision.field,
        rater=ADJUDICATOR,
        kind="human",
        value=values.value(decision.field, decision.value),
        evidence=reason,
        stance="adjudication",
    )
    append_ratings(connection, [("decision", rating)], rubric.version, uuid.uuid4().hex, correct=True)
