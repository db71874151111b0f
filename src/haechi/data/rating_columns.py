"""A whole ratings table as columns: for commands that score or compare a file without a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from haechi.data.column_names import SUMMARIES
from haechi.data.fields import field_among
from haechi.data.files import BAD, Row, check_exists, no_parquet, refuse
from haechi.data.mapping import mapped_columns
from haechi.data.names import BLANK, RATING_FIELDS, name_fields
from haechi.data.rating_rules import KEY, LONGEST_NAME, Broken, RatingRules, rated_twice, text_of
from haechi.data.rating_tables import rating_tables
from haechi.data.rating_understanding import understand_ratings
from haechi.data.readers import read_tables
from haechi.data.tables import AS_FOUND, Reading, Table, alike
from haechi.data.understanding import IGNORED, Understanding
from haechi.errors import HaechiError, Problem, once, tell
from haechi.rubrics import Rubric
from haechi.text import Text

_CHUNK = 50_000
_SAMPLE = 300
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
PLACE, ROW, _COLUMN = "\0place", "\0row", "\0column"
"""Where a row stands in words, its number, and in which column of the file the value stands."""
_GIVEN, _READ, _OK = "\0given", "\0read", "\0ok "


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
    reading: Reading = AS_FOUND,
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
    outcomes = _outcomes(_frame(path, reading), path, keep, reading, more) if plain and not wide else None
    if outcomes is not None:
        pieces = [outcomes]
    elif wide:
        pieces = [_melted(_frame(path, reading), path, keep)]
    else:
        pieces = list(_named(path, rules, keep, reading, more))
    frame = pl.concat(pieces, how="diagonal_relaxed")
    if frame.is_empty():
        raise refuse(
            str(path), Text("평가 없음", "no ratings"), Text("한 건 이상의 평가", "at least one rating")
        )
    try:
        frame = checked_ratings(frame, rules)
    except HaechiError as error:
        raise HaechiError(once(error.problems)) from None
    frame = _once(frame, reading, keep if plain else ())
    own = [name for name in more(frame.columns) if name not in (*COLUMNS, *keep)]
    return frame.select(*COLUMNS, *keep, *own, pl.col(PLACE).alias("place"))


def _frame(path: Path, reading: Reading) -> pl.DataFrame:
    """The whole file as text columns, with the place of every row."""
    if path.suffix.lower() == ".parquet":
        return _parquet(path).with_row_index(ROW)
    tables = alike(read_tables(path, reading))
    return pl.concat([_texts(table) for table in tables], how="diagonal").with_row_index(ROW)


def _parquet(path: Path) -> pl.DataFrame:
    check_exists(path)
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise no_parquet(path.name, error) from None
    place = pl.format(f"{path.name}, row {{}}", pl.int_range(1, pl.len() + 1))
    return frame.with_columns(place.alias(PLACE))


def _own(frame: pl.DataFrame) -> list[str]:
    """The columns of the file itself."""
    return [name for name in frame.columns if not name.startswith("\0")]


def _texts(table: Table) -> pl.DataFrame:
    return pl.concat(_chunks(table), how="diagonal")


def _chunks(table: Table) -> Iterator[pl.DataFrame]:
    rows = iter(table)
    while chunk := list(islice(rows, _CHUNK)):
        problems = [problem for row in chunk if BAD in row.data for problem in row.data[BAD].problems]
        names = dict.fromkeys(name for row in chunk for name in row.data)
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in chunk:
            for name, cells in columns.items():
                try:
                    cells.append(text_of(row.data.get(name)))
                except Broken as broken:
                    problems.append(broken.at(row.place, name))
        if problems:
            raise HaechiError(once(problems))
        columns[PLACE] = [row.place for row in chunk]
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _named(
    path: Path,
    rules: RatingRules,
    keep: Sequence[str],
    reading: Reading,
    more: More,
) -> Iterator[pl.DataFrame]:
    """The tables of a file with columns named as the fields are."""
    found: list[tuple[Understanding, pl.DataFrame]] = []
    if path.suffix.lower() == ".parquet":
        frame = _parquet(path)
        first = frame.head(_SAMPLE).rows(named=True)
        table = Table(path.name, [Row(row.pop(PLACE), row) for row in first])
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
        kept = {name: field_among(name, _own(frame), f"{path.name}, --by/--where") for name in keep}
        used = {*COLUMNS, *kept, *(one.column for one in how.columns if one.field != IGNORED)}
        kept |= {name: name for name in more(_own(frame)) if name not in used}
        yield by_fields(frame, how, kept)


def by_fields(frame: pl.DataFrame, how: Understanding, keep: Mapping[str, str]) -> pl.DataFrame:
    """The rows with columns named as the fields are, one row for every judgement; `keep` are further columns."""
    held = {one.field: one.column for one in how.columns if one.criterion is None and one.field in COLUMNS}
    given = {field: pl.col(column) for field, column in held.items()}
    given |= {field: pl.lit(name) for field, name in (("rater", how.rater), ("item", how.item)) if name}
    if how.own_items:
        given["item"] = given["rater"]
    if how.kind:
        given["kind"] = given.get("kind", pl.lit(None, pl.String)).fill_null(how.kind)
    reasons = {one.criterion: one.column for one in how.columns if one.field == "evidence" and one.criterion}
    others = [pl.col(PLACE), pl.col(ROW), *(pl.col(column).alias(name) for name, column in keep.items())]
    pieces = []
    for one in how.values:
        fields = {
            **given,
            "criterion": pl.lit(one.criterion),
            "value": _as_text(frame.schema[one.column], one.column),
        }
        fields |= {field: pl.lit(name) for field, name in (("rater", one.rater), ("item", one.item)) if name}
        fields |= {"evidence": pl.col(reasons[one.criterion])} if one.criterion in reasons else {}
        fields[_COLUMN] = pl.lit(one.column)
        piece = frame.select(*others, *(expression.alias(field) for field, expression in fields.items()))
        pieces.append(piece.filter(pl.col("value").is_not_null()))
    if not pieces:
        pieces = [frame.select(*others, *(expression.alias(field) for field, expression in given.items()))]
    named = pl.concat(pieces, how="diagonal_relaxed")
    item = pl.col("item").cast(pl.String).str.to_lowercase().str.replace_all(r"[\s_-]+", "")
    return named.filter(~item.is_in(list(SUMMARIES)).fill_null(value=False))


_TRIAL = ("trial", "trial_id", "attempt", "repetition", "repeat", "run", "run_id", "sample", "시행", "반복")
_SUCCESS = ("success", "reward", "passed", "pass", "correct", "outcome", "solved", "성공", "정답", "통과")
_ITEM = ("task_id", "task", "query", "query_id", "prompt", "prompt_id", "problem_id", "질의", "문제", "과제")
_NOBODY = "–"


def _outcomes(
    frame: pl.DataFrame, path: Path, keep: Sequence[str], reading: Reading, more: More
) -> pl.DataFrame | None:
    """A table of outcomes by the names that ratings have: the item, its repetition numbered from 1, who rated, the value.

    None where no column is an item or none a value.
    """
    said = {one.field: one.column for one in mapped_columns(reading.map, _own(frame), path.name, None)}
    left = [name for name in _own(frame) if name not in said.values()]
    known, others = name_fields({name: name for name in left}, RATING_FIELDS)
    known |= {field: column for field, column in said.items() if field != IGNORED}
    spelt = {name.strip().casefold(): name for name in others}
    for field, names in (("item", _ITEM), ("value", _SUCCESS), ("replicate", _TRIAL)):
        found = next((spelt[name] for name in names if name in spelt), None)
        if field not in known and found is not None:
            known[field] = found
    if ("item" not in known and not reading.item) or "value" not in known:
        return None
    given = {field: pl.col(name) for field, name in known.items() if field in COLUMNS}
    given |= {"item": pl.lit(reading.item)} if reading.item else {}
    given |= {} if "rater" in given else {"rater": pl.lit(_NOBODY)}
    if "replicate" in given:
        number = given["replicate"].cast(pl.String).cast(pl.Float64, strict=False)
        first = frame.select(number.min()).item()
        if first is not None and first < 1 and float(first).is_integer():
            given["replicate"] = (number - first + 1).cast(pl.Int64).cast(pl.String)
    kept = {name: field_among(name, _own(frame), f"{path.name}, --by/--where") for name in keep}
    used = {*COLUMNS, *kept, *known.values()}
    kept |= {name: name for name in more(_own(frame)) if name not in used}
    others_ = [pl.col(column).alias(name) for name, column in kept.items()]
    return frame.select(PLACE, ROW, *(of.alias(name) for name, of in given.items()), *others_)


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


def checked_ratings(frame: pl.DataFrame, rules: RatingRules) -> pl.DataFrame:
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
        except Broken:
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
        except Broken as broken:
            problems.append(broken.at(row[PLACE], row.get(_COLUMN) or ""))
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


def _once(frame: pl.DataFrame, reading: Reading, more: Sequence[str] = ()) -> pl.DataFrame:
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
    raise HaechiError(once(rated_twice(*row) for row in shown.select(PLACE, *KEY).rows()))
