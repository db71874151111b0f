"""A whole ratings table as columns: for commands that score or compare a file without a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from haechi.data.column_names import SUMMARIES
from haechi.data.column_rules import (
    COLUMN,
    COLUMNS,
    PLACE,
    ROW,
    ROW_NUMBER,
    as_text,
    checked_ratings,
    each_once,
    own_columns,
)
from haechi.data.fields import field_among
from haechi.data.files import BAD, Row, check_exists, no_parquet, refuse
from haechi.data.outcome_tables import by_outcome, outcome_fields
from haechi.data.rater_columns import rater_columns
from haechi.data.rating_rules import BrokenRule, RatingRules, text_of
from haechi.data.rating_tables import rating_tables
from haechi.data.rating_understanding import understand_ratings
from haechi.data.readers import read_tables
from haechi.data.tables import AS_FOUND, InputTable, TableReading, like_tables
from haechi.data.understanding import IGNORED, Understanding
from haechi.errors import HaechiError, tell, unique_problems
from haechi.rubrics import Rubric
from haechi.text import Text

_CHUNK = 50_000
_SAMPLE = 300
_ITEM = "\0item"


More = Callable[[Sequence[str]], Sequence[str]]
"""Chooses further columns to keep from those of a file."""


def no_more(_: Sequence[str]) -> Sequence[str]:
    """No further columns."""
    return ()


def read_ratings(
    path: Path,
    rubric: Rubric | None = None,
    wide: bool = False,
    keep: Sequence[str] = (),
    reading: TableReading = AS_FOUND,
    plain: bool = False,
    more: More = no_more,
) -> pl.DataFrame:
    """Read a ratings table; with a rubric, criteria and values are checked against it.

    Every distinct value is checked once, not every row. With `wide` the first column is the item and every
    other column a rater. `keep` names further columns to keep as text, and `place` says where a row stood. How the
    columns were read is told, where it is not certain. A `plain` table is one of outcomes: nobody need be named as its
    rater, a column such as `trial` numbers repetitions, and an item may come once for every value of what is kept.
    `more` chooses further columns to keep from those of the file; of these it takes only what nothing else is read from.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.csv"
    >>> _ = file.write_text("item,rater,value\\na,r1,3\\na,r2,４\\n", "utf-8")
    >>> read_ratings(file).select("item", "criterion", "rater", "value", "status").rows()
    [('a', 'overall', 'r1', '3', 'ok'), ('a', 'overall', 'r2', '4', 'ok')]
    """
    rules = RatingRules(rubric)
    if wide:
        frame = _melted(_frame(path, reading), path, keep, reading)
    elif plain and (found := _outcomes(path, keep, reading, more)) is not None:
        frame = found
    else:
        frame = pl.concat(_named(path, rules, keep, reading, more), how="diagonal_relaxed")
    if frame.is_empty():
        raise refuse(
            str(path), Text("평가 없음", "no ratings"), Text("한 건 이상의 평가", "at least one rating")
        )
    try:
        frame = checked_ratings(frame, rules)
    except HaechiError as error:
        raise HaechiError(unique_problems(error.problems)) from None
    frame = each_once(frame, reading, keep if plain else ())
    own = [name for name in more(frame.columns) if name not in (*COLUMNS, *keep)]
    return frame.select(*COLUMNS, *keep, *own, pl.col(PLACE).alias("place"))


def _frame(path: Path, reading: TableReading) -> pl.DataFrame:
    """The whole file as text columns, with the place of every row."""
    if path.suffix.lower() == ".parquet":
        return _parquet(path).with_row_index(ROW)
    tables = like_tables(read_tables(path, reading))
    frame = pl.concat([_texts(table) for table in tables], how="diagonal").with_row_index(ROW)
    for text in (said for table in tables for said in table.said):
        tell(text)
    return frame


def _parquet(path: Path) -> pl.DataFrame:
    check_exists(path)
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise no_parquet(path.name, error) from None
    place = pl.format(f"{path.name}, row {{}}", pl.int_range(1, pl.len() + 1))
    return frame.with_columns(place.alias(PLACE))


def _texts(table: InputTable) -> pl.DataFrame:
    return pl.concat(_chunks(table), how="diagonal")


def _chunks(table: InputTable) -> Iterator[pl.DataFrame]:
    rows = iter(table)
    while chunk := list(islice(rows, _CHUNK)):
        problems = [problem for row in chunk if BAD in row.data for problem in row.data[BAD].problems]
        names = dict.fromkeys(name for row in chunk for name in row.data)
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in chunk:
            for name, cells in columns.items():
                try:
                    cells.append(text_of(row.data.get(name)))
                except BrokenRule as broken:
                    problems.append(broken.at(row.place, name))
        if problems:
            raise HaechiError(unique_problems(problems))
        columns[PLACE] = [row.place for row in chunk]
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _named(
    path: Path,
    rules: RatingRules,
    keep: Sequence[str],
    reading: TableReading,
    more: More,
) -> Iterator[pl.DataFrame]:
    """The tables of a file with columns named as the fields are."""
    found: list[tuple[Understanding, pl.DataFrame]] = []
    if path.suffix.lower() == ".parquet":
        frame = _parquet(path)
        first = frame.head(_SAMPLE).rows(named=True)
        table = InputTable(path.name, [Row(row.pop(PLACE), row) for row in first])
        found.append((understand_ratings(table, rules, reading), frame))
    else:
        for table, how in rating_tables(path, rules, reading):
            frame = _texts(table)
            found.append((how.with_more(*table.said), frame))  # what was found out while it was read
    before = 0
    for how, rows in found:
        how.checked()
        frame = rows.with_row_index(ROW, before)
        before += rows.height
        for text in how.said():
            tell(text)
        used = (one.column for one in how.columns if one.field != IGNORED)
        yield by_fields(frame, how, _kept(frame, path, keep, more, used))


def _outcomes(path: Path, keep: Sequence[str], reading: TableReading, more: More) -> pl.DataFrame | None:
    """A table of outcomes; None where no column is an item or none a value."""
    frame = _frame(path, reading)
    known = outcome_fields(own_columns(frame), reading, path.name)
    if known is None:
        return None
    return by_outcome(frame, known, reading.item, _kept(frame, path, keep, more, known.values()))


def _kept(
    frame: pl.DataFrame, path: Path, keep: Sequence[str], more: More, used: Iterable[str]
) -> dict[str, str]:
    """The further columns to keep, by their names; of those that `more` chooses only what nothing else is read from."""
    own = own_columns(frame)
    kept = {name: field_among(name, own, f"{path.name}, --by/--where") for name in keep}
    taken = {*COLUMNS, *kept, *used}
    return kept | {name: name for name in more(own) if name not in taken}


def by_fields(frame: pl.DataFrame, how: Understanding, keep: Mapping[str, str]) -> pl.DataFrame:
    """The rows with columns named as the fields are, one row for every judgement; `keep` are further columns."""
    held = {one.field: one.column for one in how.columns if one.criterion is None and one.field in COLUMNS}
    given = {field: pl.col(column) for field, column in held.items()}
    given |= {field: pl.lit(name) for field, name in (("rater", how.rater), ("item", how.item)) if name}
    if how.own_items:
        given["item"] = given["rater"]
    if how.row_items:
        given["item"] = ROW_NUMBER
    if how.kind:
        given["kind"] = given.get("kind", pl.lit(None, pl.String)).fill_null(how.kind)
    reasons = {one.criterion: one.column for one in how.columns if one.field == "evidence" and one.criterion}
    others = [pl.col(PLACE), pl.col(ROW), *(pl.col(column).alias(name) for name, column in keep.items())]
    pieces = []
    for one in how.values:
        fields = {
            **given,
            "criterion": pl.lit(one.criterion),
            "value": as_text(frame.schema[one.column], one.column),
        }
        fields |= {field: pl.lit(name) for field, name in (("rater", one.rater), ("item", one.item)) if name}
        fields |= {"evidence": pl.col(reasons[one.criterion])} if one.criterion in reasons else {}
        fields[COLUMN] = pl.lit(one.column)
        piece = frame.select(*others, *(expression.alias(field) for field, expression in fields.items()))
        pieces.append(piece.filter(pl.col("value").is_not_null()))
    if not pieces:
        pieces = [frame.select(*others, *(expression.alias(field) for field, expression in given.items()))]
    named = pl.concat(pieces, how="diagonal_relaxed")
    item = pl.col("item").cast(pl.String).str.to_lowercase().str.replace_all(r"[\s_-]+", "")
    return named.filter(~item.is_in(list(SUMMARIES)).fill_null(value=False))


def _melted(frame: pl.DataFrame, path: Path, keep: Sequence[str], reading: TableReading) -> pl.DataFrame:
    """A table with a column for each rater as judgements."""
    columns = own_columns(frame)
    for name in keep:
        if name not in columns:
            found = Text(f"열: {', '.join(columns)}", f"columns {', '.join(columns)}")
            raise refuse(str(path), found, Text(f"{name} 열", f"a column {name}"))
    frame = frame.with_columns(as_text(frame.schema[name], name) for name in columns)
    item, raters = rater_columns({name: frame[name] for name in columns}, path.name, keep, reading)
    named = frame.with_columns((pl.col(item) if item is not None else ROW_NUMBER).alias(_ITEM))
    return named.unpivot(
        raters, index=[PLACE, ROW, _ITEM, *keep], variable_name="rater", value_name="value"
    ).rename({_ITEM: "item"})
