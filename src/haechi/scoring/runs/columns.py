"""Records of a file as columns of runs: quickly where they are regular, else one record at a time.

What a record means is decided elsewhere, by a `RunReading`; the quick way only takes records whose meaning
is plain, and must come to the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from haechi.data.names import BLANK
from haechi.expectations.values import canonical, text
from haechi.frozen import frozen
from haechi.scoring.batches import KEPT
from haechi.scoring.runs.measure import RUN_SCHEMA

FIELDS = ("id", "round_repeat", "repeat", *(name for name in RUN_SCHEMA if name != "item"))
_JSON = ("payload", "accuracy_checks")
_UNTRIMMED = (*_JSON, "expected", "query_text")
_LONGEST_ID = 200

RunRecord = dict[str, Any]


@frozen
class RunReading:
    """How records become runs. It is sent to other processes, so its functions stand at the top of a module.

    `names` finds the key of each of the `FIELDS` among the keys of a record, or None if such a record must be
    shaped; `shape` makes a run of any record (a row of `RUN_SCHEMA`) or raises an error that names the place.
    `keep` names further keys, which are carried along to group by.
    """

    names: Callable[[Sequence[str]], Mapping[str, str] | None]
    shape: Callable[[str, RunRecord], Mapping[str, Any]]
    keep: tuple[str, ...] = ()


FieldKeys = tuple[Any, ...]
"""A key for every field; None for a field that the record does not have."""


def keys_of(shape: Sequence[str], reading: RunReading) -> FieldKeys | None:
    """The keys of all `FIELDS` and kept columns in a record with the keys `shape`; None if it must be shaped."""
    names = reading.names(shape)
    if names is None:
        return None
    if any(name not in shape and ("meta" in names or name == "repeat") for name in reading.keep):
        return None  # what is kept stands inside another field
    if "meta" in names and "version" not in names:
        return None  # the version may stand there
    kept = (name if name in shape else None for name in reading.keep)
    return (*(names.get(field) for field in FIELDS), *kept)


def runs_of(raw: Iterable[Sequence[Any] | pl.Series], reading: RunReading) -> pl.DataFrame | None:
    """Runs from the columns of regular records, in the order of `keys_of`; None if a value is unusual."""
    kept = [KEPT + name for name in reading.keep]
    columns = [_column(name, values) for name, values in zip((*FIELDS, *kept), raw, strict=True)]
    typed = [column for column in columns if column is not None]
    if len(typed) < len(columns):
        return None
    trimmed = pl.selectors.string().exclude(_UNTRIMMED).str.strip_chars(BLANK)
    given = pl.DataFrame(typed).with_columns(pl.when(trimmed != "").then(trimmed).name.keep())
    if not given.select(_regular()).item():
        return None
    both = pl.col("round_repeat").str.split_exact("/", 1)
    given = given.with_columns(
        round=pl.coalesce(both.struct[0], "round"), repeat=pl.coalesce(both.struct[1], "repeat")
    )
    version = pl.coalesce(pl.format("@{}", "version"), pl.lit(""))
    numbers = (pl.col(name).fill_null("1") for name in ("round", "repeat"))
    item = pl.format("{}{}#{}/{}", "query", version, *numbers)
    return given.with_columns(item=pl.coalesce("id", item)).select(*RUN_SCHEMA, *kept)


def _column(name: str, values: Sequence[Any] | pl.Series) -> pl.Series | None:
    """A typed column, or None if the values do not fit."""
    if isinstance(values, pl.Series):
        fits = values.dtype == pl.String or values.dtype.is_integer() or values.dtype == pl.Null
        if name == "latency_ms":
            return (
                values.cast(pl.Float64).alias(name)
                if values.dtype.is_numeric() or not values.count()
                else None
            )
        return values.cast(pl.String).alias(name) if fits else None
    try:
        return pl.Series(name, values, RUN_SCHEMA.get(name, pl.String))
    except TypeError:
        pass
    if name in _JSON:
        return pl.Series(name, [_as_json(value) for value in values], pl.String)
    if name == "latency_ms" or not all(value is None or type(value) in (str, int) for value in values):
        return None
    return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)


def _as_json(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else canonical(value).decode()


def _regular() -> pl.Expr:
    """Whether every run has what it needs in its usual form."""
    odd = pl.any_horizontal(
        pl.col("query").is_null(),
        pl.col("id").str.contains(r"[\x00-\x1f]") | (pl.col("id").str.len_bytes() > _LONGEST_ID),
        ~pl.col("round_repeat").str.contains(r"^[0-9]+/[0-9]+$"),
        ~pl.col("latency_ms").is_between(0, float("inf"), closed="left"),
    )
    return ~odd.any()


def shape_runs(records: Iterable[tuple[str, RunRecord]], reading: RunReading) -> pl.DataFrame:
    """Runs from records, each with its place, one at a time."""
    rows = []
    for place, record in records:
        row = reading.shape(place, record)
        rows.append(
            {name: row.get(name) for name in RUN_SCHEMA}
            | {
                KEPT + name: text((row.get("meta") or {}).get(name, record.get(name)))
                for name in reading.keep
            }
        )
    return pl.DataFrame(rows, schema=dict(RUN_SCHEMA) | {KEPT + name: pl.String for name in reading.keep})
