"""The first and the last time of everyone: what a person's first and last items were, by a field that has an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from haechi.data.group_order import find_order
from haechi.errors import HaechiError
from haechi.scoring.batches import Batches
from haechi.scoring.tally import Counts
from haechi.text import Text

_PLACE, _FIRST, _LAST = "\0place", "\0first", "\0last"


def first_and_last(batches: Batches, by: Sequence[str], person: str | None) -> Batches:
    """The same rows with `last` and `first` in the field instead of its values; whatever is between has none.

    Who has a single value of the field has neither first nor last.
    """
    if len(by) != 1 or person in (None, "none"):
        found = Text(
            f"--by {', '.join(by)}, --pair {person or '없음'}",
            f"--by {', '.join(by)}, --pair {person or 'none'}",
        )
        expected = Text(
            "순서가 있는 필드 하나(--by)와 사람을 나타내는 필드(--pair)",
            "one field with an order (--by) and the field that names people (--pair)",
        )
        todo = Text(
            "예: --by session --pair student --first-last", "such as --by session --pair student --first-last"
        )
        raise HaechiError.of("--first-last", found, expected, todo)
    (field,), who = by, str(person)
    counts = Counts([who, field])
    for frame in batches([who, field]):
        counts.add(frame.drop_nulls())
    seen = counts.total()
    values = seen[field].cast(pl.String).unique(maintain_order=True).to_list()
    order = find_order(field, values)
    if order is None:
        few = ", ".join(values[:5])
        expected = Text(
            "번호, 날짜처럼 순서를 알 수 있는 값", "values with an order, such as numbers or dates"
        )
        todo = Text("순서가 있는 필드를 --by에 쓰세요", "give a field with an order as --by")
        raise HaechiError.of(f"--by {field}", few, expected, todo)
    places = {value: place for place, value in enumerate(order.values)}
    of_value = pl.col(field).cast(pl.String).replace_strict(places, default=None, return_dtype=pl.Int64)
    ends = seen.group_by(who).agg(of_value.min().alias(_FIRST), of_value.max().alias(_LAST))

    def renamed(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        for frame in batches(None if columns is None else list(dict.fromkeys([*columns, who, field]))):
            joined = frame.with_columns(of_value.alias(_PLACE)).join(
                ends, on=who, how="left", maintain_order="left"
            )
            word = (
                pl.when(pl.col(_FIRST) == pl.col(_LAST))
                .then(None)
                .when(pl.col(_PLACE) == pl.col(_LAST))
                .then(pl.lit("last"))
                .when(pl.col(_PLACE) == pl.col(_FIRST))
                .then(pl.lit("first"))
            )
            made = joined.with_columns(word.alias(field)).select(frame.columns)
            yield made if columns is None else made.select(columns)

    return renamed
