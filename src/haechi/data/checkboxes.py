"""Checkbox questions of forms: one cell lists the options that somebody ticked, each of them a criterion of the rubric."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from haechi.data.criterion_names import CriterionNames
from haechi.data.files import Row
from haechi.data.names import RATING_FIELDS, fold_name
from haechi.data.rating_rules import BrokenRule, RatingRules
from haechi.data.tables import InputTable
from haechi.data.understanding import short_name
from haechi.text import Text

_LOOKED_AT = 300
_RECOGNISED = 0.8
_SIGN = re.compile(r"\s*[,;\n]\s*")
_NONE = frozenset(
    map(
        fold_name,
        ["해당 없음", "해당사항 없음", "없음", "모두 아님", "none", "none of the above", "n/a", "-"],
    )
)


def without_checkboxes(
    table: InputTable, rules: RatingRules, mapped: frozenset[str] = frozenset()
) -> InputTable:
    """The table with a column of 1 and 0 for every option of a checkbox question, in place of the lists of what was ticked.

    The options are the elements of one criterion, or the criteria that are met or not. An empty cell is no answer, an
    option such as 해당 없음 says that none holds; a cell with an option that is not known stays as it is, to be refused.
    Columns that somebody `mapped`, by their folded names, are left alone.

    >>> import haechi
    >>> rows = [Row("f.csv:2", {"번호": "d1", "충족한 기준": "합리성, 공감성"}), Row("f.csv:3", {"번호": "d2", "충족한 기준": "없음"})]
    >>> made = without_checkboxes(InputTable("f.csv", rows), RatingRules(haechi.rubric("diary-comment")))
    >>> made.columns[1:], [list(row.data.values()) for row in made]
    (['sensibleness', 'specificity', 'sympathy'], [['d1', '1', '0', '1'], ['d2', '0', '0', '0']])
    """
    if rules.names is None:
        return table
    questions = {
        column: options
        for column in table.columns
        if fold_name(column) not in mapped and (options := _options(column, table, rules.names, rules))
    }
    taken = [name for options in questions.values() for name in options]
    known = {rules.names.sure(column) for column in table.columns if column not in questions}
    if not questions or len(set(taken)) < len(taken) or known & set(taken):
        return table
    columns = table.columns
    made = InputTable(table.name, (), table.sheet)
    made.said, made.about_file = table.said, table.about_file
    made.fill(_ticked(table, questions, rules.names))
    shown = ", ".join(f"'{short_name(column)}'" for column in columns if column in questions)
    made.said.append(
        Text(
            f"{table.name}: {shown} 열은 체크박스로 읽었습니다. 고른 것은 1, 고르지 않은 것은 0, 빈 칸은 결측입니다.",
            f"{table.name}: {shown} was read as checkboxes: 1 for what was ticked, 0 for what was not, none for empty cells.",
        )
    )
    return made


def _options(column: str, table: InputTable, names: CriterionNames, rules: RatingRules) -> tuple[str, ...]:
    """What a column offers to tick; nothing where its values are no lists of options."""
    if any(fold_name(column) in spellings for spellings in RATING_FIELDS.values()):
        return ()
    cells = [
        cell
        for row in table.peek(_LOOKED_AT)
        if isinstance(cell := row.data.get(column), str) and cell.strip()
    ]
    lists = [found for cell in cells if (found := _listed(cell, names.sure)) is not None]
    if not lists or len(lists) < _RECOGNISED * len(cells):
        return ()
    ticked = {name for found in lists for name in found}
    own = names.parts_of(names.sure(column))
    family = own if ticked <= set(own) else names.siblings(ticked)
    several = any(len(found) > 1 for found in lists)
    return tuple(family) if family and (own == family or several) and _are_met_or_not(family, rules) else ()


def _are_met_or_not(names: tuple[str, ...], rules: RatingRules) -> bool:
    try:
        return all((rules.value(name, "0"), rules.value(name, "1")) == ("0", "1") for name in names)
    except BrokenRule:
        return False


def _listed(cell: str, sure: Callable[[str], str | None]) -> list[str] | None:
    """The criteria that a cell lists; None where one is not known. A label may hold a comma itself."""
    if fold_name(cell) in _NONE:
        return []
    parts = [part for part in _SIGN.split(cell.strip()) if part]
    found, at = [], 0
    while at < len(parts):
        for end in range(len(parts), at, -1):
            name = sure(", ".join(parts[at:end]))
            if name is not None:
                found.append(name)
                at = end
                break
        else:
            return None
    return found


def _ticked(
    table: InputTable, questions: Mapping[str, tuple[str, ...]], names: CriterionNames
) -> Iterator[Row]:
    for row in table:
        data: dict[str, object] = {}
        for column, cell in row.data.items():
            if column not in questions:
                data[column] = cell
                continue
            found = _listed(cell, names.sure) if isinstance(cell, str) and cell.strip() else None
            for name in questions[column]:
                data[name] = cell if found is None else str(int(name in found))
        yield Row(row.place, data)
