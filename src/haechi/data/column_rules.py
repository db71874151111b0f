"""The rules for ratings over whole columns: every distinct cell is looked at once, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from haechi.data.names import BLANK
from haechi.data.rating_rules import KEY, LONGEST_NAME, BrokenRule, RatingRules, rated_twice
from haechi.data.tables import TableReading
from haechi.errors import HaechiError, Problem, unique_problems

MOST_PROBLEMS = 10_000
COLUMNS = (
    "item",
    "criterion",
    "rater",
    "kind",
    "value",
    "evidence",
    "replicate",
    "status",
    "reason",
    "stance",
)
PLACE, ROW, COLUMN = "\0place", "\0row", "\0column"
"""Beside the columns of a file: where a row stands in words, its number, and in which column the value stands."""
ROW_NUMBER = (pl.col(ROW) + 1).cast(pl.String)
"""The number of a row, the first being 1, where rows are items without names."""
_GIVEN, _READ, _OK = "\0given", "\0read", "\0ok "


def own_columns(frame: pl.DataFrame) -> list[str]:
    """The columns of the file itself."""
    return [name for name in frame.columns if not name.startswith("\0")]


def checked_ratings(frame: pl.DataFrame, rules: RatingRules) -> pl.DataFrame:
    """The ratings in columns named as the fields are, each cell looked at once; rows that break a rule are refused.

    What a rule says of a row is asked of the rules for rows: the same row is refused in the same words.
    """
    texts = frame.with_columns(as_text(frame.schema[name], name) for name in own_columns(frame))
    absent = [name for name in COLUMNS if name not in texts.columns]
    texts = texts.with_columns(pl.lit(None, pl.String).alias(name) for name in absent)
    texts = texts.with_columns(pl.col("value").is_not_null().cast(pl.String).alias(_GIVEN))
    steps: list[tuple[str, list[str], Callable[..., Any]]] = [
        ("kind", ["kind"], rules.kind),
        (
            "status",
            ["status", _GIVEN],
            lambda status, given: rules.status(status, given if given == "true" else None),
        ),
        ("replicate", ["replicate"], rules.replicate),
        ("criterion", ["criterion"], rules.criterion),
        ("value", ["criterion", "value"], lambda name, value: rules.value(name, value) if name else None),
        ("stance", ["stance", "kind"], rules.stance),
    ]
    read, fits = texts, [is_name("item"), is_name("rater")]
    for field, keys, rule in steps:
        read = _read_once(read, field, keys, rule)
        fits.append(pl.col(_OK + field))
    wrong = read.select(~pl.all_horizontal(fits))
    if wrong.to_series().any():
        _refuse(texts.filter(wrong.to_series()), rules)
    return read.drop(pl.selectors.starts_with(_OK), _GIVEN)


def is_name(field: str) -> pl.Expr:
    """Where a column has names that the rules take."""
    name = pl.col(field)
    fits = (name.str.len_chars() <= LONGEST_NAME) & ~name.str.contains(r"[\x00-\x1f]")
    return fits.fill_null(value=False)


def _read_once(frame: pl.DataFrame, field: str, keys: list[str], rule: Callable[..., Any]) -> pl.DataFrame:
    """A column replaced by what a rule makes of it and of others; beside it, where the rule was kept."""
    found: list[tuple[Any, ...]] = []
    for cells in frame.select(keys).unique(maintain_order=True).rows():
        try:
            found.append((*cells, rule(*cells), True))
        except BrokenRule:
            found.append((*cells, None, False))
    dtype = pl.Int64 if field == "replicate" else pl.String
    schema = {**dict.fromkeys(keys, pl.String), _READ: dtype, _OK + field: pl.Boolean}
    table = pl.DataFrame(found, schema=schema, orient="row")
    joined = frame.join(table, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.col(_READ).alias(field)).drop(_READ)


def _refuse(rows: pl.DataFrame, rules: RatingRules) -> None:
    """Say of the wrong rows, in the order of the file, which rules they break."""
    problems: list[Problem] = []
    for row in rows.sort(ROW, maintain_order=True).head(MOST_PROBLEMS).iter_rows(named=True):
        try:
            rules.rating({name: row[name] for name in COLUMNS})
        except BrokenRule as broken:
            problems.append(broken.at(row[PLACE], row.get(COLUMN) or ""))
    raise HaechiError(tuple(problems))


def as_text(dtype: pl.DataType, name: str) -> pl.Expr:
    """The cells of a column as `text_of` gives them."""
    column = pl.col(name)
    if dtype.is_decimal():
        column = column.cast(pl.Float64)
    if dtype.is_float() or dtype.is_decimal():  # 3 rather than 3.0, as people write it
        whole = column.is_finite() & (column == column.floor()) & (column.abs() < 2**53)
        number = column.cast(pl.Int64, strict=False).cast(pl.String)
        text = column.cast(pl.String)
        return pl.when(whole).then(number).when(~column.is_nan()).then(text).alias(name)
    if dtype == pl.Boolean:
        return pl.when(column).then(pl.lit("True")).when(~column).then(pl.lit("False")).alias(name)
    text = column.cast(pl.String).str.strip_chars(BLANK)
    return pl.when(text != "").then(text).alias(name)


def each_once(frame: pl.DataFrame, reading: TableReading, more: Sequence[str] = ()) -> pl.DataFrame:
    """Each judgement once; what comes twice is refused, unless it was said which one counts."""
    if reading.keep == "all":
        times = pl.int_range(1, pl.len() + 1).over(KEY)
        return frame.with_columns(pl.when(times > 1).then(times).otherwise("replicate").alias("replicate"))
    if reading.keep is not None:
        return frame.unique(KEY, keep=reading.keep, maintain_order=True)
    twice = frame.filter(~pl.struct(*KEY, *more).is_first_distinct())
    if twice.is_empty():
        return frame
    shown = twice.sort(ROW, maintain_order=True).head(MOST_PROBLEMS)
    raise HaechiError(unique_problems(rated_twice(*row) for row in shown.select(PLACE, *KEY).rows()))
