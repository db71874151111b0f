"""How the columns of a ratings table are read: by their names, by the wording of the rubric's questions, by their values."""

from __future__ import annotations

import re
from dataclasses import replace

from haechi.data.column_names import (
    NUMBERS,
    SUBMITTED,
    SURVEY_TOOLS,
    asks_for_name,
    is_model,
)
from haechi.data.criterion_columns import CriterionColumns
from haechi.data.criterion_names import without_number
from haechi.data.mapping import mapped_columns
from haechi.data.names import JOINED, ORDER_FIELDS, RATING_FIELDS, fold_name, name_fields
from haechi.data.rated_columns import LONGEST_ID, share
from haechi.data.rating_rules import KINDS, OVERALL, STATUSES, RatingRules
from haechi.data.scale_columns import ScaleColumns
from haechi.data.tables import InputTable, TableReading
from haechi.data.understanding import IGNORED, Understanding, sample_values
from haechi.errors import Problem
from haechi.text import Text

_OR_TEXT = frozenset({"대화", "dialogue", "conversation", "세션", "session"})
_WORDS = {"kind": KINDS, "status": STATUSES}
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_DATE = re.compile(r"\d{4}\s*[-/.년]\s*\d{1,2}\s*[-/.월]\s*\d{1,2}|\d{1,2}/\d{1,2}/\d{4}")


def understand_ratings(
    table: InputTable,
    rules: RatingRules,
    reading: TableReading,
    rater: str | None = None,
    of_several: bool = False,
) -> Understanding:
    """How a table is read; `of_several`: it is one of several sheets with the same columns.

    >>> import haechi
    >>> from haechi.data.files import Row
    >>> rows = [Row("f.csv:2", {"대화 번호": "d1", "성함": "민수", "합리성": "O"})]
    >>> found = understand_ratings(InputTable("f.csv", rows), RatingRules(haechi.rubric("diary-comment")), TableReading())
    >>> [(one.column, one.field, one.criterion) for one in found.columns]
    [('대화 번호', 'item', None), ('성함', 'rater', None), ('합리성', 'value', 'sensibleness')]
    """
    return _Reader(table, rules, reading, rater, of_several).understanding()


class _Reader(CriterionColumns, ScaleColumns):
    """Goes through the columns from what is certain to what is not."""

    def understanding(self) -> Understanding:
        mapped = mapped_columns(self.reading.map, self.columns, self.place, self.names)
        fields = {one.field for one in mapped if not one.criterion}
        self.found |= {one.column: one for one in mapped if one.field not in ("item", "rater")}
        self.more = [one for one in mapped if one.column not in self.found]
        self._fields(fields)
        if "criterion" not in self._held() and self.names is not None:
            self._criteria(self.names)
        self._mapped()
        self._people(fields)
        if self.names is not None and not self._is_long():
            self._similar(self.names)
        if self.names is None:
            self._scales(fields)
        for column in self._open():
            self._put(column, IGNORED, certainty=0.0, evidence=Text("알 수 없는 열", "not known"))
        self._check_long()
        rater = self._rater()
        rows = self._rows_are_items()
        item, own = self._item() if not rows else (None, False)
        order = {column: place for place, column in enumerate(self.columns)}
        readings = [*self.found.values(), *self.more]
        shadowed = {one.column for one in self.more}
        readings = [one for one in readings if one.field != IGNORED or one.column not in shadowed]
        readings.sort(key=lambda one: order[one.column])
        readings = [replace(one, sample=sample_values(self._values(one.column))) for one in readings]
        kind = "ai" if any(one.field == "rater" and is_model(one.column) for one in readings) else None
        return Understanding(
            self.place, tuple(readings), tuple(self.assumed), tuple(self.asked), rater, item, kind, own, rows
        )

    def _fields(self, mapped: set[str]) -> None:
        """Columns that are called as a field is, also in one of two header rows."""
        parts = {part: column for column in self._open() for part in _called(column)}
        known, others = name_fields({part: part for part in parts}, RATING_FIELDS)
        if self.rules.of_pairs:
            known |= name_fields(others, ORDER_FIELDS)[0]
        survey = sum(fold_name(part) in SURVEY_TOOLS for part in parts) >= 3
        numbers = self._answer_numbers()
        for field, part in known.items():
            column = parts[part] if field != "rater" else self._telling_name(parts[part])
            if column == numbers and field == "item":
                why = Text("폼이 응답에 매긴 번호", "the form numbers its answers")
                self._put(column, "response", certainty=0.9, evidence=why)
            if field in mapped or column in self.found or (survey and fold_name(part) in SURVEY_TOOLS):
                continue
            if field in _WORDS and "value" not in known and not self._says_one_of(column, _WORDS[field]):
                continue  # something else that is called so, such as the state of a task
            if fold_name(part) in _OR_TEXT and self._typical_length(column) > LONGEST_ID:
                continue  # the conversation itself
            if self.names is not None and JOINED in column and self.names.sure(column):
                continue
            self._put(column, field, certainty=1.0 if column == parts[part] else 0.9)
            if column != parts[part]:
                why = Text("모든 줄에서 같은 이름", "the same name in every row")
                self._put(parts[part], IGNORED, evidence=why)
        if survey:
            for part, column in parts.items():
                kind = SURVEY_TOOLS.get(fold_name(part))
                if kind and column not in self.found:
                    why = Text("설문 도구가 넣는 열", "a column of the survey tool")
                    self._put(column, kind, certainty=0.9, evidence=why)

    def _answer_numbers(self) -> str | None:
        """The column in which a form numbers its answers, before the one that says when they came."""
        first, second = [*self.columns, "", ""][:2]
        if fold_name(first) not in NUMBERS or fold_name(second) not in SUBMITTED:
            return None
        values = self._values(first)
        counted = [str(number) for number in range(1, len(values) + 1)]
        return first if values in (counted, counted[::-1]) else None

    def _telling_name(self, column: str) -> str:
        """The column that names people; of several that of the form itself (참여자: 비회원) may tell nobody apart."""
        if len(set(self._values(column))) != 1 or len(self.rows) < 2:
            return column
        known = RATING_FIELDS["rater"]
        others = [
            c for c in self._open() if c != column and any(fold_name(part) in known for part in _called(c))
        ] or [c for c in self._open() if c != column and asks_for_name(c) and self._names_people(c)]
        telling = [c for c in others if len(set(self._values(c))) > 1]
        return telling[0] if len(telling) == 1 else column

    def _people(self, mapped: set[str]) -> None:
        """Who answered and when: by the words of the question, and by what the values look like."""
        for column in self._open():
            values = self._values(column)
            if values and share(values, _EMAIL.fullmatch) > 0.9:
                why = Text("값이 이메일 주소", "the values are e-mail addresses")
                self._put(column, "email", evidence=why)
            elif values and share(values, _DATE.match) > 0.9:
                self._put(column, IGNORED, evidence=Text("값이 날짜", "the values are dates"))
        if "rater" in self._held() | mapped or self.rater:
            return
        numbered = self._numbered()
        named = [
            column
            for column in self._open()
            if column not in numbered and asks_for_name(column) and self._names_people(column)
        ]
        if named and not any(one.rater for one in self.found.values()):
            why = Text("이름을 묻는 열", "it asks for a name")
            self._put(named[0], "rater", certainty=0.9, evidence=why, alternatives=tuple(named[1:]))

    def _check_long(self) -> None:
        """One judgement a row needs its value and its criterion; a column for each criterion goes without."""
        held, wide = self._held(), any(one.criterion for one in self.found.values() if one.field == "value")
        if wide and "value" in held:
            column = next(
                one.column for one in self.found.values() if one.field == "value" and not one.criterion
            )
            names = ", ".join(one.column for one in self.found.values() if one.criterion)
            found = Text(
                f"기준별 열({names})과 값 열({column})이 함께 있음",
                f"columns for criteria ({names}) beside a column of values ({column})",
            )
            expected = Text(
                "한 줄에 평가 하나, 또는 기준마다 열 하나", "one judgement a row, or one column a criterion"
            )
            todo = Text(f'--map {IGNORED}="{column}" 옵션을 붙이세요', f'add --map {IGNORED}="{column}"')
            self.asked.append(Problem(self.place, found, expected, todo))
        elif not wide and not held & {"value", "status"}:
            self._miss("value", ", ".join(self.rules.first_criteria()))
        elif not wide and "criterion" not in held and self.names is not None and not self.names.sure(OVERALL):
            self._miss("criterion", ", ".join(self.rules.first_criteria()))

    def _rater(self) -> str | None:
        """Who rated, where no column says so."""
        held = self._held() | {one.field for one in self.more}
        if self.rater:
            return self.reading.rater  # who is named beside a study's file is put in by its reader
        if "rater" in held or any(one.rater for one in self.found.values()):
            return None
        if self.of_several:
            return self.sheet
        for kind in ("response", "email"):
            column = next((one for one in self.found.values() if one.field == kind), None)
            if column is not None:
                why = Text(
                    "이름을 묻는 열이 없어 응답마다 다른 값",
                    "no column asks for a name; this one tells answers apart",
                )
                self.found[column.column] = replace(column, field="rater", certainty=0.9, evidence=why)
                return None
        moment = [one.column for one in self.found.values() if one.field == "at"]
        answers = [c for c in moment if len(set(self._values(c))) == len(self._values(c)) > 0]
        self._miss("rater", "rater, 평가자, 이름", answers)
        return None

    def _item(self) -> tuple[str | None, bool]:
        """What was rated, where no column says so: the sheet, or everybody their own conversation."""
        held = self._held() | {one.field for one in self.more}
        if self.reading.item or "item" in held or any(one.item for one in self.found.values()):
            return self.reading.item, False
        if self.of_several and "rater" in held:
            return self.sheet, False
        wide = any(one.criterion for one in self.found.values() if one.field == "value")
        if wide and "rater" not in held and not self._candidates() and self.asked:
            return None, False  # with the rater the item will be known
        if not wide or "rater" not in held or self._candidates():
            self._miss("item", "item, id, 대화 번호", self._candidates())
            return None, False
        column = next(one.column for one in (*self.found.values(), *self.more) if one.field == "rater")
        self.assumed.append(
            Text(
                f"{self.place}: 항목 열이 없어 응답마다 그 사람({column})의 대화를 평가한 것으로 읽었습니다. "
                "한 대화를 여럿이 평가했으면 --item ID를 붙이세요.",
                f"{self.place}: no column names the item, so every answer is taken to be about the person's own conversation "
                f"({column}); if all rated one conversation, give --item ID.",
            )
        )
        return None, True


def _called(column: str) -> tuple[str, ...]:
    """What a column is called: its whole name, each of its header rows, and these without the number of a question."""
    parts = (column, *column.split(JOINED))
    return (*parts, *(without_number(part) for part in parts))
