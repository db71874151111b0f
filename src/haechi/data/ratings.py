"""Ratings from tables that people (or other tools) filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from haechi.data.files import Row, refuse
from haechi.data.names import RATING_FIELDS, fold_name, name_fields
from haechi.data.rating import Rating
from haechi.data.readers import BAD
from haechi.data.shapes import plain_text
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.rubrics.values import Off, fold, number, plain
from haechi.text import Text

KINDS = ("human", "ai", "code")
_STATUSES = ("ok", "missing", "error")
_LONGEST = 300

Placed = tuple[str, Rating | HaechiError]


def ratings_of(
    rows: Iterable[Row],
    rubric: Rubric,
    rater: str | None = None,
    kind: str | None = None,
    stance: str | None = None,
    ignored: dict[str, None] | None = None,
) -> Iterator[Placed]:
    """The ratings in a table: one row per judgement, or one row per item with a column per criterion.

    Columns that mean nothing here are noted in `ignored`, so that a misspelt criterion does not go unseen.

    >>> import haechi
    >>> rows = [Row("r.csv:2", {"item": "d1", "criterion": "sympathy", "rater": "r1", "value": "１"})]
    >>> [rating.value for _, rating in ratings_of(rows, haechi.rubric("diary-comment"))]
    ['1']
    """
    reader = _Reader(rubric, rater, kind, stance)
    if ignored is not None:
        reader.ignored = ignored
    for row in rows:
        if BAD in row.data:
            yield row.place, row.data[BAD]
        else:
            yield from reader.read(row)


class ValueReader:
    """Checks the names of criteria and their values against a rubric.

    >>> import haechi
    >>> reader = ValueReader(haechi.rubric("maice-qac"))
    >>> reader.criterion("A1.concept_accuracy"), reader.value("total", "40")
    ('A1_math_expertise.concept_accuracy', '40')
    """

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        spoken = _spoken_names(rubric)
        exact = {fold_name(name): name for name in (*rubric.known_names, *(d.key for d in rubric.scores))}
        self._names = spoken | exact

    def knows(self, name: str) -> bool:
        """Whether the rubric has something of this name."""
        return fold_name(name) in self._names

    def criterion(self, given: str) -> str:
        """The name under which ratings of this criterion are kept."""
        name = self._names.get(fold_name(given))
        if name is None:
            names = ", ".join(list(self._rubric.rateables)[:6])
            expected = Text(
                f"{self._rubric.id}의 기준({names} …)", f"a criterion of {self._rubric.id} ({names} …)"
            )
            raise refuse("criterion", repr(given[:80]), expected)
        rateable = self._rubric.known_names.get(name)
        if rateable is None:
            return name
        if rateable.criterion is not None and rateable.criterion.rated_by == "code":
            expected = Text("사람이나 AI가 평가하는 기준", "a criterion that people or AI judges rate")
            raise refuse("criterion", given, expected)
        return rateable.name

    def value(self, criterion: str, raw: Any) -> str:
        """The value as it is kept; raises when it is not on the scale."""
        try:
            return self._value(criterion, raw)
        except Off as off:
            raise refuse("value", repr(raw)[:80], off.expected) from None

    def _value(self, criterion: str, raw: Any) -> str:
        rateable = self._rubric.known_names.get(criterion)
        if rateable is not None:
            return rateable.scale.read(raw)
        low, high = self._rubric.range(criterion)  # a total that the rater gave directly
        value = number(fold(raw))
        if value is None or not low <= value <= high:
            raise Off(
                Text(f"{plain(low)}–{plain(high)} 사이의 수", f"a number from {plain(low)} to {plain(high)}")
            )
        return plain(value)


def _spoken_names(rubric: Rubric) -> dict[str, str]:
    """What criteria and elements are called in Korean and English, where only one is called so."""
    called: dict[str, set[str]] = {}
    for criterion in rubric.criteria:
        for name in criterion.name:
            called.setdefault(fold_name(name), set()).add(criterion.key)
    for rateable in rubric.rateables.values():
        for name in rateable.element.name if rateable.element is not None else ():
            called.setdefault(fold_name(name), set()).add(rateable.name)
    return {name: next(iter(keys)) for name, keys in called.items() if name and len(keys) == 1}


class _Reader:
    def __init__(self, rubric: Rubric, rater: str | None, kind: str | None, stance: str | None) -> None:
        self._rubric, self._rater, self._kind, self._stance = rubric, rater, kind, stance
        self._values = ValueReader(rubric)
        self.ignored: dict[str, None] = {}

    def read(self, row: Row) -> Iterator[Placed]:
        known, rest = name_fields(row.data, RATING_FIELDS)
        columns = {name: rest[name] for name in rest if self._values.knows(name)}
        if "criterion" in known or not columns:
            yield self._placed(row.place, known, [*row.data])
            return
        if "value" in known:
            yield row.place, _two_shapes(row, columns)
            return
        self.ignored.update(dict.fromkeys(name for name in rest if name not in columns))
        for name, value in columns.items():
            if value not in (None, ""):
                yield self._placed(row.place, {**known, "criterion": name, "value": value})

    def _placed(self, place: str, fields: dict[str, Any], columns: list[str] | None = None) -> Placed:
        try:
            return place, self._rating(place, fields, columns or [])
        except HaechiError as error:
            return place, error

    def _rating(self, place: str, fields: dict[str, Any], columns: list[str]) -> Rating:
        if "value" not in fields and "status" not in fields:
            found = Text(f"열: {', '.join(columns)}", f"columns {', '.join(columns)}")
            criteria = ", ".join(list(self._rubric.rateables)[:4])
            expected = Text(f"value 열, 또는 {criteria} … 열", f"a column value, or columns {criteria} …")
            raise refuse(place, found, expected)
        criterion = self._criterion(place, fields, columns)
        status = self._one_of(place, "status", fields, _STATUSES)
        given = fold(fields["value"]) if fields.get("value") is not None else ""
        if not status:
            status = "ok" if given else "missing"
        if (status == "ok") != bool(given):
            expected = Text("status가 ok이면 값, 아니면 빈 칸", "a value when status is ok, and only then")
            raise refuse(f"{place}, value", repr(given), expected)
        value = _at(f"{place}, value", self._values.value, criterion, fields["value"]) if given else None
        kind = self._one_of(place, "kind", fields, KINDS) or self._kind or "human"
        return Rating(
            item=self._text(place, "item", fields),
            criterion=criterion,
            rater=self._rater or self._text(place, "rater", fields),
            kind=kind,
            value=value,
            evidence=_optional(fields.get("evidence")),
            replicate=self._replicate(place, fields.get("replicate")),
            status=status,
            reason=_optional(fields.get("reason")),
            stance=self._stance_of(place, fields, kind),
            at=_optional(fields.get("at")),
        )

    def _criterion(self, place: str, fields: dict[str, Any], columns: list[str]) -> str:
        """The criterion that is named; one score for the whole item needs no name."""
        if given := fields.get("criterion"):
            return _at(f"{place}, criterion", self._values.criterion, fold(given))
        try:
            return self._values.criterion("overall")
        except HaechiError:
            there = ", ".join(columns or fields)
            found = Text(f"기준 없음 (열: {there})", f"no criterion (columns {there})")
            criteria = ", ".join(list(self._rubric.rateables)[:4])
            expected = Text(f"criterion 열: {criteria} …", f"a column criterion: {criteria} …")
            raise refuse(f"{place}, criterion", found, expected) from None

    def _text(self, place: str, field: str, fields: dict[str, Any]) -> str:
        text = plain_text(fields.get(field))
        if not text or len(text) > _LONGEST or any(ord(character) < 32 for character in text):
            found = repr(text[:60]) if text else Text(f"{field} 없음", f"no {field}")
            todo = Text("--rater NAME을 붙이세요", "give --rater NAME") if field == "rater" else None
            raise refuse(
                f"{place}, {field}", found, Text(f"{field}의 이름", f"the name of the {field}"), todo
            )
        return text

    def _one_of(self, place: str, field: str, fields: dict[str, Any], known: tuple[str, ...]) -> str:
        text = fold(fields.get(field) or "").lower()
        if text and text not in known:
            names = ", ".join(known)
            raise refuse(
                f"{place}, {field}", repr(text[:80]), Text(f"다음 중 하나: {names}", f"one of {names}")
            )
        return text

    def _replicate(self, place: str, raw: Any) -> int:
        value = number(fold(raw)) if raw not in (None, "") else 1.0
        if value is None or not value.is_integer() or not 1 <= value <= 1_000_000:
            raise refuse(
                f"{place}, replicate", repr(raw)[:80], Text("1 이상의 정수", "a whole number, 1 or more")
            )
        return int(value)

    def _stance_of(self, place: str, fields: dict[str, Any], kind: str) -> str | None:
        given = fold(fields.get("stance") or "") or (self._stance or "")
        if not self._rubric.stances:
            return given or None
        if not given and kind == "ai" and "judge" in self._rubric.stances:
            return "judge"
        if given and given not in self._rubric.stances:
            names = ", ".join(self._rubric.stances)
            raise refuse(
                f"{place}, stance", repr(given[:80]), Text(f"다음 중 하나: {names}", f"one of {names}")
            )
        return given or None


def _optional(value: Any) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None


def _two_shapes(row: Row, columns: dict[str, Any]) -> HaechiError:
    names = ", ".join(columns)
    found = Text(
        f"기준별 열({names})과 값 열이 함께 있음", f"columns for criteria ({names}) beside a column of values"
    )
    expected = Text(
        "한 줄에 평가 하나, 또는 기준마다 열 하나", "one judgement a row, or one column a criterion"
    )
    return refuse(row.place, found, expected, Text("값(점수) 열을 지우세요", "remove the column of values"))


def _at(place: str, read: Callable[..., str], *arguments: Any) -> str:
    """What `read` gives; its problems are said to be at this place."""
    try:
        return read(*arguments)
    except HaechiError as error:
        raise HaechiError(tuple(replace(problem, at=place) for problem in error.problems)) from None
