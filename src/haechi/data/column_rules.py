"""The rules for ratings over whole columns: every distinct cell is looked at once, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from haechi.data.duplicates import repeated_numbers
from haechi.data.names import BLANK
from haechi.data.rating_rules import KEY, LONGEST_NAME, BrokenRule, RatingRules, rated_twice
from haechi.data.tables import Keep, TableReading
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
_GIVEN, _READ, _OK, _OF_RATER = "\0given", "\0read", "\0ok ", "\0of_rater"


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
    key = [*KEY, *more]
    if reading.keep is not None:
        return _counted(frame, reading.keep, key)
    twice = frame.filter(~pl.struct(key).is_first_distinct())
    if twice.is_empty():
        return frame
    shown = twice.sort(ROW, maintain_order=True).head(MOST_PROBLEMS)
    raise HaechiError(unique_problems(rated_twice(*row) for row in shown.select(PLACE, *KEY).rows()))


def counted_rows(judgements: Iterable[pl.DataFrame], keep: Keep) -> pl.DataFrame:
    """Which judgements count, of very many: their numbers, the first being 0, in their order, and their replicates.

    Twelve bytes of each are held, and every name once; more only of what a rater said of an item more than once.

    >>> given = pl.DataFrame({"item": ["a", "b", "a"], "criterion": "x", "rater": "kim", "replicate": 1})
    >>> [counted_rows([given], keep).rows() for keep in ("first", "last", "all")]
    [[(0, 1), (1, 1)], [(1, 1), (2, 1)], [(0, 1), (1, 1), (2, 2)]]
    """
    names = pl.Categorical(pl.Categories.random())
    held = pl.Series([""], dtype=pl.String).cast(
        names
    )  # a name keeps its number as long as one of them is there
    item, rater = (
        given.cast(names).to_physical().cast(pl.UInt64)
        for given in (pl.col("item"), pl.concat_str("criterion", "rater", separator="\0"))
    )
    coded = pl.concat(
        [
            pl.DataFrame(schema={_OF_RATER: pl.UInt64, "replicate": pl.Int32}),
            *(
                piece.select((item * 2**32 + rater).alias(_OF_RATER), pl.col("replicate").cast(pl.Int32))
                for piece in judgements
            ),
        ]
    ).with_row_index(ROW)
    del held
    several = pl.col(_OF_RATER).is_in(pl.Series(repeated_numbers(coded[_OF_RATER].to_numpy())).implode())
    chosen = _counted(coded.filter(several), keep, [_OF_RATER, "replicate"])
    return (
        pl.concat([coded.remove(several), chosen]).select(ROW, pl.col("replicate").cast(pl.Int64)).sort(ROW)
    )


def counted_pieces(read: Callable[[], Iterator[pl.DataFrame]], keep: Keep) -> Iterator[pl.DataFrame]:
    """The judgements of a long table that count, a piece at a time; the table is read twice."""
    counted, start = counted_rows(read(), keep), 0
    for piece in read():
        first, after = (counted[ROW].search_sorted(row) for row in (start, start + piece.height))
        if first < after:
            own = counted[first:after]
            yield piece[own[ROW] - start].with_columns(own["replicate"])
        start += piece.height


def _counted(frame: pl.DataFrame, keep: Keep, key: Sequence[str]) -> pl.DataFrame:
    """Of somebody who answered twice the first answer, the last, or all, numbered anew where two have the same number."""
    if keep != "all":
        return frame.unique(key, keep=keep, maintain_order=True)
    of_rater = [name for name in key if name != "replicate"]
    twice = frame.filter(pl.struct(key).is_duplicated()).select(of_rater).unique()
    numbered = frame.join(
        twice.with_columns(pl.lit(True).alias(_OK)),
        on=of_rater,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    time = pl.int_range(1, pl.len() + 1).cast(frame.schema["replicate"]).over(of_rater)
    anew = pl.when(pl.col(_OK)).then(time).otherwise("replicate").alias("replicate")
    return numbered.with_columns(anew).drop(_OK)
