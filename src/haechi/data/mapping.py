"""`--map FIELD=COLUMN`: which column somebody says a field is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from haechi.data.criterion_names import CriterionNames
from haechi.data.files import refuse
from haechi.data.names import JOINED, ORDER_FIELDS, RATING_FIELDS, fold_name
from haechi.data.understanding import IGNORED, ColumnReading, short_name
from haechi.errors import HaechiError
from haechi.text import Text

MAPPED = Text("--map으로 정함", "said by --map")


def read_map(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The fields and columns of the options.

    >>> read_map(["item=대화 번호", "rater=성함=이름"])
    (('item', '대화 번호'), ('rater', '성함=이름'))
    """
    pairs = []
    for text in given:
        field, sign, column = text.partition("=")
        if not sign or not field.strip() or not column.strip():
            expected = Text("FIELD=COLUMN, 예: item=대화 번호", "FIELD=COLUMN, such as item=session")
            raise refuse("--map", repr(text), expected, Text("--map을 고치세요", "correct --map"))
        pairs.append((field.strip(), column.strip()))
    return tuple(pairs)


def mapped_columns(
    pairs: Sequence[tuple[str, str]], columns: Sequence[str], place: str, names: CriterionNames | None
) -> list[ColumnReading]:
    """What `--map` says of the columns of a ratings table; a field or column that is not there is refused.

    Without a rubric any name is a criterion's, unless it is nearly a field's, and each of several columns of values is one.

    >>> pairs = [("value", "유창성"), ("value", "일관성"), ("coherence", "c")]
    >>> [one.criterion for one in mapped_columns(pairs, ["유창성", "일관성", "c"], "f.csv", None)]
    ['유창성', '일관성', 'coherence']
    """
    readings = []
    for field, column in pairs:
        criterion = None
        known = next(
            (
                name
                for name in (*RATING_FIELDS, *ORDER_FIELDS, IGNORED)
                if fold_name(name) == fold_name(field)
            ),
            None,
        )
        if known is None:
            spelt = (name for name, spellings in RATING_FIELDS.items() if fold_name(field) in spellings)
            known = next(spelt, None)
        if known is None and names is not None and (criterion := names.sure(field)):
            known = "value"
        if known is None and names is None and not _near(field, names):
            known, criterion = "value", field  # without a rubric a criterion has the name that it is given
        if known is None:
            raise _no_field(field, names)
        readings.append(
            ColumnReading(column_named(column, columns, place), known, criterion, evidence=MAPPED)
        )
    for field in ("item", "rater"):
        several = [one.column for one in readings if one.field == field]
        if len(several) > 1:
            found = Text(
                f"{field} 열이 여럿: {', '.join(several)}",
                f"several columns for {field}: {', '.join(several)}",
            )
            raise refuse(
                "--map",
                found,
                Text("열 하나", "one column"),
                Text("--map을 하나만 쓰세요", "give one --map for it"),
            )
    plain = [one for one in readings if one.field == "value" and not one.criterion]
    if names is None and len(plain) > 1:
        return [replace(one, criterion=one.column) if one in plain else one for one in readings]
    return readings


def column_named(name: str, columns: Sequence[str], place: str) -> str:
    """The column that is meant: by its name, by one of its header rows, by its number.

    >>> column_named("대화번호", ["대화 번호", "합리성"], "f.csv"), column_named("2", ["대화 번호", "합리성"], "f.csv")
    ('대화 번호', '합리성')
    """
    if name in columns:
        return name
    meant = [one for one in columns if fold_name(name) in map(fold_name, (one, *one.split(JOINED)))]
    if not meant and name.isdigit() and 1 <= int(name) <= len(columns):
        meant = [columns[int(name) - 1]]
    if len(meant) != 1:
        own = ", ".join(map(short_name, columns))
        near = get_close_matches(name, columns, 1, 0.5)
        todo = (
            Text(f'"{near[0]}"인지 확인하세요', f'did you mean "{near[0]}"?')
            if near
            else Text("--map의 열 이름을 고치세요", "correct the column in --map")
        )
        found = Text(f"--map의 열 {name!r}", f"--map names the column {name!r}")
        raise refuse(place, found, Text(f"파일의 열: {own}", f"a column of the file: {own}"), todo)
    return meant[0]


def _no_field(field: str, names: CriterionNames | None) -> HaechiError:
    fields = ", ".join((*RATING_FIELDS, IGNORED))
    near = _near(field, names)
    todo = (
        Text(f"{near[0]}인지 확인하세요", f"did you mean {near[0]}?")
        if near
        else Text("--map의 이름을 고치세요", "correct the field in --map")
    )
    expected = Text(f"{fields}, 또는 기준의 이름", f"{fields}, or the name of a criterion")
    return refuse("--map", field, expected, todo)


def _near(field: str, names: CriterionNames | None) -> list[str]:
    """The field or criterion that a misspelt one may be."""
    return get_close_matches(field, (*RATING_FIELDS, IGNORED), 1) or (
        names.nearest(field, 1) if names else []
    )
