"""Tables of outcomes: whether a task was solved, in each of its repetitions, without anybody who rated it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from haechi.data.column_rules import COLUMNS, PLACE, ROW
from haechi.data.mapping import mapped_columns
from haechi.data.names import RATING_FIELDS, name_fields
from haechi.data.tables import TableReading
from haechi.data.understanding import IGNORED

_TRIAL = ("trial", "trial_id", "attempt", "repetition", "repeat", "run", "run_id", "sample", "시행", "반복")

_SUCCESS = ("success", "reward", "passed", "pass", "correct", "outcome", "solved", "성공", "정답", "통과")

_ITEM = ("task_id", "task", "query", "query_id", "prompt", "prompt_id", "problem_id", "질의", "문제", "과제")

_NOBODY = "–"


def outcome_fields(columns: Sequence[str], reading: TableReading, place: str) -> dict[str, str] | None:
    """The columns of a table of outcomes by the fields that ratings have; None where no column is an item or none a value.

    >>> outcome_fields(["task_id", "trial", "reward", "model"], TableReading(), "runs.csv")
    {'item': 'task_id', 'value': 'reward', 'replicate': 'trial'}
    """
    mapped = mapped_columns(reading.map, columns, place, None)
    if any(one.criterion for one in mapped):  # columns of criteria are ratings
        return None
    said = {one.field: one.column for one in mapped}
    left = [name for name in columns if name not in said.values()]
    known, others = name_fields({name: name for name in left}, RATING_FIELDS)
    known |= {field: column for field, column in said.items() if field != IGNORED}
    spelt = {name.strip().casefold(): name for name in others}
    for field, names in (("item", _ITEM), ("value", _SUCCESS), ("replicate", _TRIAL)):
        found = next((spelt[name] for name in names if name in spelt), None)
        if field not in known and found is not None:
            known[field] = found
    return known if ("item" in known or reading.item) and "value" in known else None


def by_outcome(
    frame: pl.DataFrame, known: Mapping[str, str], item: str | None, keep: Mapping[str, str]
) -> pl.DataFrame:
    """The rows with columns named as the fields are: the item, its repetition numbered from 1, who rated, the value."""
    given = {field: pl.col(name) for field, name in known.items() if field in COLUMNS}
    given |= {"item": pl.lit(item)} if item else {}
    given |= {} if "rater" in given else {"rater": pl.lit(_NOBODY)}
    if "replicate" in given:
        number = given["replicate"].cast(pl.String).cast(pl.Float64, strict=False)
        first = frame.select(number.min()).item()
        if first is not None and first < 1 and float(first).is_integer():
            given["replicate"] = (number - first + 1).cast(pl.Int64).cast(pl.String)
    kept = [pl.col(column).alias(name) for name, column in keep.items()]
    return frame.select(PLACE, ROW, *(of.alias(name) for name, of in given.items()), *kept)
