"""What a page sends when someone answers, and how it becomes a rating."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from haechi.data.rating import Rating
from haechi.data.rating_rules import ValueReader
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.store.desk import CLEARED, Assignment
from haechi.store.notes import NoteKind
from haechi.text import Text
from haechi.web.bodies import LARGEST

LONGEST_TEXT = 20_000
Mark = Annotated[str, Field(max_length=100)] | None
NoteText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]*$")
]


class DeskAnswer(BaseModel):
    """One answer. Without `field` only the time is told; `cleared` takes an earlier answer back.

    `study`, `link`, `item` and `rubric` are the marks that say what it was given for. `given` is when, in milliseconds
    of the server's clock as the page reckons it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    study: Mark = None
    link: Mark = None
    item: Mark = None
    rubric: Mark = None
    position: Annotated[int, Field(ge=1, le=LARGEST)]
    field: Annotated[str, Field(max_length=200)] | None = None
    status: Literal["ok", "missing", "cleared"] = "ok"
    value: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = None
    reason: Annotated[str, Field(max_length=2000)] | None = None
    evidence: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = None
    seconds: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] = 0.0
    given: Annotated[int, Field(ge=0, le=LARGEST)] | None = None

    @property
    def moment(self) -> str | None:
        """When it was given, to the second; a page whose clock is ahead is not believed that it comes from the future."""
        if self.given is None:
            return None
        given = min(self.given / 1000, datetime.now(UTC).timestamp())
        return datetime.fromtimestamp(given, UTC).isoformat(timespec="seconds")


class Remark(BaseModel):
    """What a rater writes to the owner about an item: a comment, a flag, or why it is skipped."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    position: Annotated[int, Field(ge=1, le=LARGEST)]
    item: Annotated[str, Field(max_length=100)]
    kind: NoteKind
    text: NoteText


def rating_of(
    answer: DeskAnswer,
    assignment: Assignment,
    rubric: Rubric,
    values: ValueReader,
    stance: str | None,
    own: Collection[str] = (),
) -> Rating | None:
    """The rating that an answer gives; raises a HaechiError when the value is not on the scale.

    own: the names of the questions that the item brings.
    """
    if answer.field is None:
        return None
    if answer.field not in {*rubric.rateables, *own, *(floor.key for floor in rubric.floors)}:
        found = Text("서식에 없는 문항의 답", "an answer to a question that the form has not")
        expected = Text("서식에 있는 문항", "a question of the form")
        raise HaechiError.of("field", found, expected, Text("새로고침하세요", "reload the page"))
    criterion = answer.field
    value: str | None = None
    if answer.status == "ok":
        value = values.value(criterion, _clean(answer.value) or "")
    cleared = answer.status == "cleared" or value == ""  # an emptied comment is no comment
    reason = CLEARED if cleared else _clean(answer.reason)
    return Rating(
        item=assignment.item,
        criterion=criterion,
        rater=assignment.rater,
        kind="human",
        value=None if cleared else value,
        evidence=_clean(answer.evidence),
        replicate=assignment.replicate,
        status="missing" if cleared or answer.status == "missing" else "ok",
        reason=reason if cleared or answer.status == "missing" else None,
        stance=stance,
        at=answer.moment,
    )


def _clean(text: str | None) -> str | None:
    """Trimmed words, or None; PostgreSQL cannot keep the character NUL."""
    return (text or "").replace("\0", "").strip() or None


def required_fields(rubric: Rubric) -> frozenset[str]:
    """The names that must be answered before an item is done."""
    return frozenset(name for name, rateable in rubric.rateables.items() if rateable.scale.counted)
