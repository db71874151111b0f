"""A whole ratings table as columns: for commands that score or compare a file without a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from haechi.data import read_rows
from haechi.data.fields import field_among
from haechi.data.files import BAD, check_exists, no_parquet, refuse
from haechi.data.names import BLANK, RATING_FIELDS, name_fields
from haechi.data.rating_rules import KEY, LONGEST_NAME, Broken, RatingRules, rated_twice, text_of
from haechi.errors import HaechiError, Problem
from haechi.rubrics import Rubric
from haechi.text import Text

_CHUNK = 50_000
_SHOWN_PROBLEMS = 20
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
PLACE, ROW = "\0place", "\0row"
"""Where a row stands in words, and its number: columns beside those of the file."""
_GIVEN, _READ, _OK = "\0given", "\0read", "\0ok "


def read_ratings(
    path: Path,
    rubric: Rubric | None = None,
    wide: bool = False,
    keep: Sequence[str] = (),
    plain: bool = False,
) -> pl.DataFrame:
    """Read a ratings table; with a rubric, criteria and values are checked against it.

    Every distinct value is checked once, not every row. With `wide` the first column is the item and every
    other column a rater. `keep` names further columns to keep as text, and `place` says where a row stood. A `plain`
    table is one of outcomes: nobody need be named as its rater, a column such as `trial` numbers repetitions, and an item
    may come once for every value of what is kept.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.csv"
    >>> _ = file.write_text("item,rater,value\\na,r1,3\\na,r2,４\\n", "utf-8")
    >>> read_ratings(file).select("item", "criterion", "rater", "value", "status").rows()
    [('a', 'overall', 'r1', '3', 'ok'), ('a', 'overall', 'r2', '4', 'ok')]
    """
    rules = RatingRules(rubric)
    frame = _frame(path)
    columns = _own(frame)
    frame = (
        _melted(frame, path, keep)
        if wide
        else _named(_outcomes(frame) if plain else frame, path, keep, rules)
    )
    if frame.is_empty():
        raise refuse(
            str(path), Text("평가 없음", "no ratings"), Text("한 건 이상의 평가", "at least one rating")
        )
    frame = checked_ratings(frame, rules, columns)
    _refuse_duplicates(frame, keep if plain else ())
    return frame.select(*COLUMNS, *keep, pl.col(PLACE).alias("place"))


def _frame(path: Path) -> pl.DataFrame:
    """The table as text columns, with the place of every row."""
    if path.suffix.lower() == ".parquet":
        check_exists(path)
        try:
            frame = pl.read_parquet(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise no_parquet(path.name, error) from None
        place = pl.format(f"{path.name}, row {{}}", pl.int_range(1, pl.len() + 1))
        return frame.with_columns(place.alias(PLACE)).with_row_index(ROW)
    return pl.concat(_chunks(path), how="diagonal").with_row_index(ROW)


def _own(frame: pl.DataFrame) -> list[str]:
    """The columns of the file itself."""
    return [name for name in frame.columns if name not in (PLACE, ROW)]


def _chunks(path: Path) -> Iterator[pl.DataFrame]:
    rows = read_rows(path)
    while chunk := list(islice(rows, _CHUNK)):
        bad = [row.data[BAD] for row in chunk if BAD in row.data]
        if bad:
            raise HaechiError(tuple(problem for error in bad for problem in error.problems)[:_SHOWN_PROBLEMS])
        names = dict.fromkeys(name for row in chunk for name in row.data)
        columns: dict[str, list[Any]] = {
            name: [text_of(row.data.get(name)) for row in chunk] for name in names
        }
        columns[PLACE] = [row.place for row in chunk]
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _named(frame: pl.DataFrame, path: Path, keep: Sequence[str], rules: RatingRules) -> pl.DataFrame:
    known, others = name_fields({name: name for name in _own(frame)}, RATING_FIELDS)
    try:
        criteria = rules.criteria_among(known, others)
    except Broken as broken:
        places = frame[PLACE].head(_SHOWN_PROBLEMS)
        raise HaechiError(tuple(broken.at(place) for place in places)) from None
    if criteria:  # a column per criterion, as in a form
        index = [name for name in frame.columns if name not in criteria]
        frame = frame.with_columns(_as_text(frame.schema[name], name) for name in criteria)
        frame = frame.unpivot(criteria, index=index, variable_name="criterion", value_name="value")
        frame, known = (
            frame.filter(pl.col("value").is_not_null()),
            {**known, "criterion": "criterion", "value": "value"},
        )
    for needed in ("item", "rater", "value"):
        if needed not in known:
            found = Text(f"열: {', '.join(_own(frame))}", f"columns {', '.join(_own(frame))}")
            todo = Text(
                "열 이름을 item, rater, value로 바꾸세요. 평가자마다 열이 따로 있으면 haechi agree --wide를 쓰세요",
                "name the columns item, rater and value; where every rater has a column, see haechi agree --wide",
            )
            raise refuse(str(path), found, Text(f"{needed} 열", f"a column {needed}"), todo)
    wanted = [pl.col(name).alias(field) for field, name in known.items()]
    wanted += [
        pl.col(field_among(name, _own(frame), f"{path.name}, --by/--where")).alias(name) for name in keep
    ]
    return frame.select(PLACE, ROW, *wanted)


_TRIAL = ("trial", "trial_id", "attempt", "repetition", "repeat", "run", "run_id", "sample", "시행", "반복")
_SUCCESS = ("success", "reward", "passed", "pass", "correct", "outcome", "solved", "성공", "정답", "통과")
_ITEM = ("task_id", "task", "query", "query_id", "prompt", "prompt_id", "problem_id", "질의", "문제", "과제")
_NOBODY = "–"


def _outcomes(frame: pl.DataFrame) -> pl.DataFrame:
    """A table of outcomes by the names that ratings have: the item, its repetition numbered from 1, who rated, the value."""
    known, others = name_fields({name: name for name in _own(frame)}, RATING_FIELDS)
    spelt = {name.strip().casefold(): name for name in others}
    for field, names in (("item", _ITEM), ("value", _SUCCESS), ("replicate", _TRIAL)):
        found = next((spelt[name] for name in names if name in spelt), None)
        if field not in known and found is not None:
            frame, known[field] = frame.with_columns(pl.col(found).alias(field)), field
    if "rater" not in known:
        frame = frame.with_columns(pl.lit(_NOBODY).alias("rater"))
    if "replicate" in known:
        number = pl.col(known["replicate"]).cast(pl.String).cast(pl.Float64, strict=False)
        first = frame.select(number.min()).item()
        if first is not None and first < 1 and float(first).is_integer():
            shifted = (number - first + 1).cast(pl.Int64).cast(pl.String)
            frame = frame.with_columns(shifted.alias(known["replicate"]))
    return frame


def _melted(frame: pl.DataFrame, path: Path, keep: Sequence[str]) -> pl.DataFrame:
    columns = [name for name in _own(frame) if name not in keep]
    if len(columns) < 2:
        expected = Text(
            "첫 열은 항목, 나머지 열은 평가자", "first column the item, every other column a rater"
        )
        raise refuse(str(path), ", ".join(columns), expected)
    for name in keep:
        if name not in frame.columns:
            found = Text(f"열: {', '.join(columns)}", f"columns {', '.join(columns)}")
            raise refuse(str(path), found, Text(f"{name} 열", f"a column {name}"))
    frame = frame.with_columns(_as_text(frame.schema[name], name) for name in (*columns, *keep))
    return frame.unpivot(
        columns[1:], index=[PLACE, ROW, columns[0], *keep], variable_name="rater", value_name="value"
    ).rename({columns[0]: "item"})


def checked_ratings(frame: pl.DataFrame, rules: RatingRules, columns: Sequence[str]) -> pl.DataFrame:
    """The ratings in columns named as the fields are, each cell looked at once; rows that break a rule are refused.

    What a rule says of a row is asked of the rules for rows: the same row is refused in the same words.
    """
    texts = frame.with_columns(_as_text(frame.schema[name], name) for name in _own(frame))
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
        _refuse(texts.filter(wrong.to_series()), rules, columns)
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
        except Broken:
            found.append((*cells, None, False))
    dtype = pl.Int64 if field == "replicate" else pl.String
    schema = {**dict.fromkeys(keys, pl.String), _READ: dtype, _OK + field: pl.Boolean}
    table = pl.DataFrame(found, schema=schema, orient="row")
    joined = frame.join(table, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.col(_READ).alias(field)).drop(_READ)


def _refuse(rows: pl.DataFrame, rules: RatingRules, columns: Sequence[str]) -> None:
    """Say of the first wrong rows, in the order of the file, which rule they break."""
    problems: list[Problem] = []
    for row in rows.sort(ROW, maintain_order=True).head(_SHOWN_PROBLEMS).iter_rows(named=True):
        try:
            rules.rating({name: row[name] for name in COLUMNS}, columns)
        except Broken as broken:
            problems.append(broken.at(row[PLACE]))
    raise HaechiError(tuple(problems))


def _as_text(dtype: pl.DataType, name: str) -> pl.Expr:
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


def _refuse_duplicates(frame: pl.DataFrame, more: Sequence[str] = ()) -> None:
    twice = frame.filter(~pl.struct(*KEY, *more).is_first_distinct())
    if twice.is_empty():
        return
    shown = twice.sort(ROW, maintain_order=True).head(_SHOWN_PROBLEMS)
    raise HaechiError(tuple(rated_twice(*row) for row in shown.select(PLACE, *KEY).rows()))
