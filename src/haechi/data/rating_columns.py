"""A whole ratings table as columns: for commands that score or compare a file without a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from haechi.data import read_rows
from haechi.data.files import check_exists, no_parquet, refuse
from haechi.data.names import RATING_FIELDS, name_fields
from haechi.data.ratings import KINDS, ValueReader
from haechi.data.readers import BAD
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


def read_ratings(
    path: Path, rubric: Rubric | None = None, wide: bool = False, keep: Sequence[str] = ()
) -> pl.DataFrame:
    """Read a ratings table; with a rubric, criteria and values are checked against it.

    Every distinct value is checked once, not every row. With `wide` the first column is the item and every
    other column a rater. `keep` names further columns to keep as text, and `place` says where a row stood.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.csv"
    >>> _ = file.write_text("item,rater,value\\na,r1,3\\na,r2,４\\n", "utf-8")
    >>> read_ratings(file).select("item", "criterion", "rater", "value", "status").rows()
    [('a', 'overall', 'r1', '3', 'ok'), ('a', 'overall', 'r2', '4', 'ok')]
    """
    reader = ValueReader(rubric) if rubric is not None else None
    frame = _melted(_frame(path), path) if wide else _named(_frame(path), path, keep, reader)
    frame = _filled(frame, path)
    if reader is not None:
        frame = _checked(frame, ["criterion"], "criterion", lambda row: reader.criterion(row["criterion"]))
        pair = ["criterion", "value"]
        frame = _checked(frame, pair, "value", lambda row: reader.value(row["criterion"], row["value"]))
    else:
        frame = frame.with_columns(pl.col("value").str.normalize("NFKC"))
    _refuse_duplicates(frame)
    return frame.select(*COLUMNS, *keep, pl.col("\0place").alias("place"))


def _frame(path: Path) -> pl.DataFrame:
    """The table as text columns, with the place of every row."""
    if path.suffix.lower() == ".parquet":
        check_exists(path)
        try:
            frame = pl.read_parquet(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise no_parquet(path.name, error) from None
        place = pl.format(f"{path.name}, row {{}}", pl.int_range(1, pl.len() + 1))
        return frame.with_columns(place.alias("\0place"))
    return pl.concat(_chunks(path), how="diagonal")


def _chunks(path: Path) -> Iterator[pl.DataFrame]:
    rows = read_rows(path)
    while chunk := list(islice(rows, _CHUNK)):
        bad = [row.data[BAD] for row in chunk if BAD in row.data]
        if bad:
            raise HaechiError(tuple(problem for error in bad for problem in error.problems)[:_SHOWN_PROBLEMS])
        names = dict.fromkeys(name for row in chunk for name in row.data)
        columns: dict[str, list[Any]] = {name: [_text(row.data.get(name)) for row in chunk] for name in names}
        columns["\0place"] = [row.place for row in chunk]
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _named(frame: pl.DataFrame, path: Path, keep: Sequence[str], reader: ValueReader | None) -> pl.DataFrame:
    known, rest = name_fields({name: name for name in frame.columns if name != "\0place"}, RATING_FIELDS)
    criteria = [name for name in rest if reader is not None and reader.knows(name)]
    if criteria and not {"criterion", "value"} & set(known):  # a column per criterion, as in a form
        others = [name for name in frame.columns if name not in criteria]
        frame = frame.with_columns(_as_text(frame.schema[name], name) for name in criteria)
        frame = frame.unpivot(criteria, index=others, variable_name="criterion", value_name="value")
        blank = pl.col("value").is_null() | (pl.col("value").str.strip_chars() == "")
        frame, known = frame.filter(~blank), {**known, "criterion": "criterion", "value": "value"}
    for needed in ("item", "rater", "value"):
        if needed not in known:
            found = Text(f"열: {', '.join(frame.columns[:-1])}", f"columns {', '.join(frame.columns[:-1])}")
            todo = Text(
                "열 이름을 item, rater, value로 바꾸세요. 평가자마다 열이 따로 있으면 haechi agree --wide를 쓰세요",
                "name the columns item, rater and value; where every rater has a column, see haechi agree --wide",
            )
            raise refuse(str(path), found, Text(f"{needed} 열", f"a column {needed}"), todo)
    for name in keep:
        if name not in frame.columns:
            found = Text(f"열: {', '.join(frame.columns[:-1])}", f"columns {', '.join(frame.columns[:-1])}")
            raise refuse(str(path), found, Text(f"{name} 열", f"a column {name}"))
    wanted = (pl.col(name).alias(field) for field, name in known.items())
    return frame.select(pl.col("\0place"), *wanted, *keep)


def _melted(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    columns = [name for name in frame.columns if name != "\0place"]
    if len(columns) < 2:
        expected = Text(
            "첫 열은 항목, 나머지 열은 평가자", "first column the item, every other column a rater"
        )
        raise refuse(str(path), ", ".join(columns), expected)
    frame = frame.with_columns(pl.col(columns).cast(pl.String))
    return frame.unpivot(
        columns[1:], index=["\0place", columns[0]], variable_name="rater", value_name="value"
    ).rename({columns[0]: "item"})


def _filled(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Every column of the ratings table, trimmed, with its default; rows that contradict themselves are refused."""
    frame = frame.with_columns(_as_text(frame.schema[name], name) for name in frame.columns)
    stripped = pl.col(frame.columns).str.strip_chars()
    frame = frame.with_columns(pl.when(stripped != "").then(stripped).name.keep())
    absent = [name for name in COLUMNS if name not in frame.columns]
    frame = frame.with_columns(pl.lit(None, pl.String).alias(name) for name in absent)
    frame = frame.with_columns(
        pl.col("criterion").fill_null("overall"),
        pl.col("kind").str.to_lowercase().fill_null("human"),
        pl.col("replicate").fill_null("1").str.normalize("NFKC").cast(pl.Float64, strict=False),
        pl.coalesce(
            pl.col("status").str.to_lowercase(),
            pl.when(pl.col("value").is_null()).then(pl.lit("missing")).otherwise(pl.lit("ok")),
        ).alias("status"),
    )
    ok = pl.col("status") == "ok"
    replicate = pl.col("replicate")
    whole = replicate.is_not_null() & (replicate >= 1) & (replicate == replicate.floor())
    rules = [
        ("item", pl.col("item").is_not_null(), Text("항목의 이름", "the name of the item")),
        ("rater", pl.col("rater").is_not_null(), Text("평가자의 이름", "the name of the rater")),
        ("kind", pl.col("kind").is_in(KINDS), Text("human, ai, code 중 하나", "one of human, ai, code")),
        ("status", pl.col("status").is_in(("ok", "missing", "error")), Text("ok, missing, error 중 하나", "one of ok, missing, error")),
        ("value", ok == pl.col("value").is_not_null(), Text("status가 ok이면 값, 아니면 빈 칸", "a value when status is ok, and only then")),
        ("replicate", whole.fill_null(False), Text("1 이상의 정수", "a whole number, 1 or more")),
    ]  # fmt: skip
    for field, fits, expected in rules:
        _refuse_rows(frame.filter(~fits), field, expected)
    if frame.is_empty():
        raise refuse(
            str(path), Text("평가 없음", "no ratings"), Text("한 건 이상의 평가", "at least one rating")
        )
    return frame.with_columns(pl.col("replicate").cast(pl.Int64))


def _as_text(dtype: pl.DataType, name: str) -> pl.Expr:
    column = pl.col(name)
    if dtype.is_float():  # 3 rather than 3.0, as people write it
        whole = column.is_finite() & (column == column.floor()) & (column.abs() < 2**53)
        return (
            pl.when(whole)
            .then(column.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(column.cast(pl.String))
            .alias(name)
        )
    return column.cast(pl.String)


def _checked(
    frame: pl.DataFrame, keys: list[str], field: str, read: Callable[[dict[str, Any]], str]
) -> pl.DataFrame:
    """Replace a column by what `read` makes of it, looking at every distinct combination once."""
    distinct = frame.filter(pl.col(field).is_not_null()).select(keys).unique(maintain_order=True)
    good: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for row in distinct.iter_rows(named=True):
        try:
            good.append({**row, "\0read": read(row)})
        except HaechiError as error:
            matches = frame.filter(pl.all_horizontal(pl.col(key) == row[key] for key in keys))
            for place in matches["\0place"].head(_SHOWN_PROBLEMS):
                problems += [
                    Problem(f"{place}, {field}", p.found, p.expected, p.todo) for p in error.problems
                ]
    if problems:
        raise HaechiError(tuple(problems[:_SHOWN_PROBLEMS]))
    table = pl.DataFrame(good, schema=dict.fromkeys([*keys, "\0read"], pl.String))
    joined = frame.join(table, on=keys, how="left", maintain_order="left")
    return joined.with_columns(pl.col("\0read").alias(field)).drop("\0read")


def _refuse_rows(rows: pl.DataFrame, field: str, expected: Text) -> None:
    if rows.is_empty():
        return
    todo = Text("고친 뒤 다시 실행하세요", "correct it and run again")
    shown = rows.head(_SHOWN_PROBLEMS).select("\0place", field).rows()
    raise HaechiError(
        tuple(Problem(f"{place}, {field}", repr(found), expected, todo) for place, found in shown)
    )


def _refuse_duplicates(frame: pl.DataFrame) -> None:
    keys = ["item", "criterion", "rater", "replicate"]
    twice = frame.filter(~pl.struct(keys).is_first_distinct())
    if twice.is_empty():
        return
    todo = Text(
        "한 줄만 남기거나 replicate 열에 번호를 매기세요", "keep one, or number them in a column replicate"
    )
    expected = Text(
        "항목·기준·평가자·반복마다 한 줄", "one row for each item, criterion, rater and replicate"
    )
    problems = [
        Problem(row["\0place"], " × ".join(str(row[key]) for key in keys), expected, todo)
        for row in twice.head(_SHOWN_PROBLEMS).iter_rows(named=True)
    ]
    raise HaechiError(tuple(problems))
