"""The rules of a ratings table: which columns it has, what stands in for an empty cell, what may stand in them, what
comes twice. Rows are read by them one at a time; whole columns by looking at every different cell once.

A row is one judgement, or one item with a column for each criterion, of which empty cells say nothing. Empty is a cell
without text, or a number that is none (NaN). Of a row that breaks several rules the first of this list is told: item,
rater, kind, status and value together, replicate, criterion, value on its scale, stance.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from haechi.data.criterion_names import CriterionNames
from haechi.data.files import Unstored, refuse
from haechi.data.line_names import named_line, own_line, scale_of
from haechi.data.rating import Rating
from haechi.data.stances import ADJUDICATION, STANCES, stance_named
from haechi.data.verdicts import RefusedVote, a_first
from haechi.errors import HaechiError, Problem
from haechi.rubrics import Rubric
from haechi.rubrics.values import Off, fold, number, plain
from haechi.text import Text

KINDS = ("human", "ai", "code")
STATUSES = ("ok", "missing", "error")
KEY = ("item", "criterion", "rater", "replicate")
"""A judgement: two rows with the same are a duplicate. A study takes the same again as known, other files refuse it."""
OVERALL, HUMAN = "overall", "human"
LONGEST_NAME = 300
_MOST_REPLICATES = 1_000_000
_CORRECT = Text("고친 뒤 다시 실행하세요", "correct it and run again")


class BrokenRule(Exception):
    """A rule that a row breaks."""

    def __init__(self, field: str, found: str | Text, expected: Text, todo: Text = _CORRECT) -> None:
        super().__init__(field, found)
        self._field, self._said = field, (found, expected, todo)

    def at(self, place: str, column: str = "") -> Problem:
        """The problem with the place of the row, and the column if it holds the value."""
        about = column if column and self._field in ("value", "") else self._field
        return Problem(f"{place}, {about}" if about else place, *self._said, place)


def text_of(raw: Any) -> str | None:
    """A cell as trimmed text, 3 rather than 3.0; None if it is empty.

    >>> text_of(" q1 "), text_of(3.0), text_of(float("nan")), text_of("  ")
    ('q1', '3', None, None)
    """
    if isinstance(raw, Unstored):
        found = Text(
            f"결과가 저장되지 않은 수식({raw.cell})", f"a formula without a stored result ({raw.cell})"
        )
        todo = Text(
            "엑셀에서 열어 저장한 뒤 다시 실행하세요", "open the file in Excel, save it, and run again"
        )
        raise BrokenRule("", found, Text("계산된 값", "a computed value"), todo)
    if isinstance(raw, float):
        return None if math.isnan(raw) else str(int(raw)) if raw.is_integer() else str(raw)
    return None if raw is None else str(raw).strip() or None


class RatingRules:
    """The rules; with a rubric criteria, values and stances are checked against it.

    >>> RatingRules().rating({"item": "a", "rater": "r1", "value": "４", "replicate": 2.0})
    Rating(item='a', criterion='overall', rater='r1', kind='human', value='4', evidence=None, replicate=2, status='ok', \
reason=None, stance=None, at=None, order=None)
    """

    def __init__(self, rubric: Rubric | None = None) -> None:
        self._rubric = rubric
        self._values = ValueReader(rubric) if rubric is not None else None
        self.names = self._values.names if self._values is not None else None
        self.of_runs = rubric is not None and rubric.item == "run"
        self.of_pairs = rubric is not None and rubric.item == "pair"

    def rating(
        self,
        fields: Mapping[str, Any],
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
    ) -> Rating:
        """One row as a rating; what is given beside it stands in where the row says nothing."""
        said = {name: text_of(raw) for name, raw in fields.items()}
        if "value" not in fields and "status" not in fields:
            found = Text("값 없음", "no value")
            names = ", ".join(self.first_criteria())
            raise BrokenRule(
                "", found, Text(f"value 열, 또는 {names} … 열", f"a column value, or columns {names} …")
            )
        item = self.name("item", said.get("item"))
        by = rater or self.name("rater", said.get("rater"))
        kind = self.kind(said.get("kind"), kind)
        status = self.status(said.get("status"), said.get("value"))
        replicate = self.replicate(said.get("replicate"))
        criterion = self.criterion(said.get("criterion"))
        value = self.value(criterion, said.get("value"))
        stance = self.stance(said.get("stance") or stance, kind)
        others = {name: said.get(name) for name in ("evidence", "reason", "at")}
        others["order"] = self.order(said.get("order"))
        return Rating(
            item, criterion, by, kind, value, replicate=replicate, status=status, stance=stance, **others
        )

    def name(self, field: str, text: str | None) -> str:
        """The name of an item or a rater."""
        if text is None or len(text) > LONGEST_NAME or any(ord(character) < 32 for character in text):
            called = Text("평가자", "rater") if field == "rater" else Text("항목", "item")
            found = repr(text[:60]) if text else Text(f"{called.ko} 칸이 비어 있음", f"no {called.en}")
            expected = Text(f"{called.ko} 이름", f"the name of the {called.en}")
            raise BrokenRule(field, found, expected)
        return text

    def kind(self, text: str | None, default: str | None = None) -> str:
        """What kind of rater it is."""
        return _one_of("kind", text, KINDS) or default or HUMAN

    def status(self, text: str | None, value: str | None) -> str:
        """Whether there is a value; a status must say the same as the cell of the value."""
        status = _one_of("status", text, STATUSES) or ("missing" if value is None else "ok")
        if (status == "ok") != (value is not None):
            expected = Text("status가 ok이면 값, 아니면 빈 칸", "a value when status is ok, and only then")
            raise BrokenRule("value", repr(value or "")[:80], expected)
        return status

    def replicate(self, text: str | None) -> int:
        """Which time the rater rated it."""
        value = 1.0 if text is None else number(fold(text))
        if value is None or not value.is_integer() or not 1 <= value <= _MOST_REPLICATES:
            raise BrokenRule("replicate", repr(text)[:80], Text("1 이상의 정수", "a whole number, 1 or more"))
        return int(value)

    def criterion(self, text: str | None) -> str:
        """The criterion that is named; one score for the whole item needs no name."""
        if self._values is None:
            return text or OVERALL
        try:
            return self._values.criterion(fold(text) if text else OVERALL)
        except HaechiError as error:
            if text:
                raise _broken("criterion", error) from None
        names = ", ".join(self.first_criteria())
        raise BrokenRule(
            "criterion",
            Text("기준 없음", "no criterion"),
            Text(f"criterion 열: {names} …", f"a column criterion: {names} …"),
        )

    def value(self, criterion: str, text: str | None) -> str | None:
        """The value as it is kept."""
        if text is None:
            return None
        if self._values is None:
            if text in ("inf", "-inf"):  # as a column of numbers writes it
                raise BrokenRule("value", text, Text("유한한 수", "a finite number"))
            return unicodedata.normalize("NFKC", text)
        try:
            return self._values.value(criterion, text)
        except HaechiError as error:
            raise _broken("value", error) from None

    def stance(self, text: str | None, kind: str) -> str | None:
        """From which stance it was rated, if the rubric knows several."""
        given = fold(text) if text else None
        if self._rubric is None:  # whose stances nobody knows
            return given
        stances = self._rubric.stances
        if not given:
            return "judge" if kind == "ai" and "judge" in stances else None
        known = stances or tuple(stance for stance in STANCES if stance != ADJUDICATION)
        stance = given if given in known else stance_named(given)
        if stance not in (*known, ADJUDICATION):
            names = ", ".join(_with_korean(one) for one in known)
            raise BrokenRule("stance", repr(given[:80]), Text(f"다음 중 하나: {names}", f"one of {names}"))
        return stance

    def order(self, text: str | None) -> str | None:
        """Which of the two answers of a pair was shown first, `ab` or `ba`."""
        if text is None or not self.of_pairs:
            return None
        try:
            return "ab" if a_first({"a": None, "b": None, "order": text}) else "ba"
        except RefusedVote as refused:
            expected = Text("ab(A를 먼저 보임) 또는 ba", "ab (A was shown first) or ba")
            raise BrokenRule("order", refused.found, expected) from None

    def first_criteria(self) -> list[str]:
        """Some names of criteria, for words."""
        return list(self._rubric.rateables)[:4] if self._rubric is not None else [OVERALL]


def _with_korean(stance: str) -> str:
    korean = next((name for name in STANCES.get(stance, ()) if not name.isascii()), None)
    return f"{stance} ({korean})" if korean else stance


def _one_of(field: str, text: str | None, known: tuple[str, ...]) -> str | None:
    said = fold(text).lower() if text else None
    if said and said not in known:
        names = ", ".join(known)
        raise BrokenRule(field, repr(said[:80]), Text(f"다음 중 하나: {names}", f"one of {names}"))
    return said


def _broken(field: str, error: HaechiError) -> BrokenRule:
    problem = error.problems[0]
    return BrokenRule(field, problem.found, problem.expected, problem.todo)


def rated_twice(place: str, item: str, criterion: str, rater: str, replicate: int) -> Problem:
    """A row with the judgement of an earlier row."""
    expected = Text(
        "항목·기준·평가자·반복마다 한 줄", "one row for each item, criterion, rater and replicate"
    )
    todo = Text(
        "--keep last, --keep first, --keep all(모두 반복 평가로) 중 하나를 붙이거나 replicate 열에 번호를 매기세요. "
        "다른 열까지 보아야 항목이 정해지면 --map item=열 --map item=다른열",
        "add --keep last, --keep first or --keep all (all of them as replicates), or number them in a column replicate; "
        "if the item is told by another column too, --map item=COLUMN --map item=OTHER",
    )
    said = f"{item} × {criterion} × {rater} × {replicate}"
    return Problem(place, Text(f"중복: {said}", f"twice: {said}"), expected, todo, place)


class ValueReader:
    """Checks the names of criteria and their values against a rubric.

    >>> import haechi
    >>> reader = ValueReader(haechi.rubric("maice-qac"))
    >>> reader.criterion("A1.concept_accuracy"), reader.value("total", "40")
    ('A1_math_expertise.concept_accuracy', '40')
    """

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self.names = CriterionNames(rubric)

    def criterion(self, given: str) -> str:
        """The name under which ratings of this criterion are kept."""
        name = self.names.sure(given) or own_line(self._rubric, given)
        name = name or self.names.numbered([given]).get(given) or named_line(self._rubric, given)
        if name is None:
            names = ", ".join(list(self._rubric.rateables)[:6])
            expected = Text(
                f"{self._rubric.id}의 기준({names} …)", f"a criterion of {self._rubric.id} ({names} …)"
            )
            near = self.names.nearest(given, 1)
            todo = Text(f"{near[0]}인지 확인하세요", f"did you mean {near[0]}?") if near else None
            raise refuse("criterion", repr(given[:80]), expected, todo)
        rateable = self._rubric.known_names.get(name)
        return name if rateable is None else rateable.name

    def value(self, criterion: str, raw: Any) -> str:
        """The value as it is kept; raises when it is not on the scale."""
        try:
            return self._value(criterion, raw)
        except Off as off:
            raise refuse("value", repr(raw)[:80], off.expected) from None

    def _value(self, criterion: str, raw: Any) -> str:
        rateable = self._rubric.known_names.get(criterion)
        if (other := scale_of(self._rubric, criterion)) is not None:
            return other.read(raw)
        if rateable is not None:
            try:
                return rateable.scale.read(raw)
            except Off:
                # People write what a verdict is worth; a number can mean one only.
                meant = rateable.scale.spoken(str(raw)) if number(fold(raw)) is not None else None
                if meant is None:
                    raise
                return meant
        low, high = self._rubric.range(criterion)  # a total that the rater gave directly
        value = number(fold(raw))
        if value is None or not low <= value <= high:
            raise Off(
                Text(f"{plain(low)}–{plain(high)} 사이의 수", f"a number from {plain(low)} to {plain(high)}")
            )
        return plain(value)
