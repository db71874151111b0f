"""Items that two studies share: brought together by id, however many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from haechi.analysis.counts import GroupCounts
from haechi.analysis.group_pairs import SIDE
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import brought_together
from haechi.stats.sample import Sample

AT, WHOSE = "\0at", "\0whose"
_SIDE, _AFTER = "\0side", "\0after"
_LISTED, _NAMED = 50, 5


def shared_items(
    before: Iterable[pl.DataFrame], after: Iterable[pl.DataFrame], names: Sequence[str], rows: int
) -> Iterator[pl.DataFrame]:
    """The items of both sides: the scores before under their names, those after beside them, and their number before.

    A side has a row per item and rater. An item's score is the mean over the raters who gave it on both sides. Where both
    say of which cluster an item is (`WHOSE`), it is what the second says.

    >>> one = pl.DataFrame({"item": ["a", "b"], "rater": ["r", "r"], "x": [1.0, 2.0]})
    >>> two = pl.DataFrame({"item": ["b", "b"], "rater": ["r", "s"], "x": [4.0, 9.0]})
    >>> [piece.rows() for piece in shared_items([one], [two], ["x"], 4)]
    [[('b', 2.0, 1, 4.0)]]
    """
    keys = ["item", "rater"]
    for piece in brought_together(_both(before, after, names), "item", rows):
        first, second = (piece.filter(pl.col(_SIDE) == side).drop(_SIDE) for side in (0, 1))
        both = first.drop(WHOSE, strict=False).join(
            second.drop(AT), on=keys, suffix=_AFTER, maintain_order="left"
        )
        both = both.drop("rater")
        yield both if both["item"].n_unique() == both.height else _over_raters(both, names)


def _over_raters(both: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """One row per item, the mean over those of its rows that have the score on both sides."""
    known = {name: pl.col(name).is_not_null() & pl.col(name + _AFTER).is_not_null() for name in names}
    sides = [pl.col(name + end).filter(known[name]).mean() for end in ("", _AFTER) for name in names]
    whose = [WHOSE] if WHOSE in both.columns else []
    made = both.group_by("item", maintain_order=True).agg(*sides, pl.col(AT, *whose).first())
    return made.select("item", *names, AT, *whose, *(name + _AFTER for name in names))


def _both(
    before: Iterable[pl.DataFrame], after: Iterable[pl.DataFrame], names: Sequence[str]
) -> Iterator[pl.DataFrame]:
    for side, pieces in enumerate((before, after)):
        number = 0
        for piece in pieces:
            scores = (pl.col(name).cast(pl.Float64) for name in names)
            at = pl.int_range(number, number + piece.height, dtype=pl.Int64).alias(AT)
            whose = [WHOSE] if WHOSE in piece.columns else []
            yield piece.select("item", "rater", *whose, *scores, at, pl.lit(side, pl.Int8).alias(_SIDE))
            number += piece.height


def both_sides(shared: Iterable[pl.DataFrame], names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Shared items with their cluster, a row for each side that `SIDE` names, every score where both sides have it."""
    for both in shared:
        for side, end in enumerate(("", _AFTER)):
            known = (pl.col(name).is_not_null() & pl.col(name + _AFTER).is_not_null() for name in names)
            scores = [
                pl.when(own).then(pl.col(name + end)).alias(name)
                for name, own in zip(names, known, strict=True)
            ]
            yield both.select("item", WHOSE, pl.lit(side, pl.Int32).alias(SIDE), *scores)


@frozen
class PairedScores:
    """Every score of the items that have it on both sides: before, after, and after − before; how many items there are."""

    before: dict[str, Sample]
    after: dict[str, Sample]
    differences: dict[str, Sample]
    n: int


def paired_scores(shared: Iterable[pl.DataFrame], names: Sequence[str]) -> PairedScores:
    """Count the scores of shared items.

    >>> one = pl.DataFrame({"item": ["a", "b"], "rater": ["r", "r"], "x": [1.0, 2.0]})
    >>> two = pl.DataFrame({"item": ["a", "b"], "rater": ["r", "r"], "x": [3.0, None]})
    >>> found = paired_scores(shared_items([one], [two], ["x"], 4), ["x"])
    >>> found.differences["x"].each().tolist(), found.n
    ([2.0], 2)
    """
    sides = [GroupCounts(names, []) for _ in range(3)]
    n = 0
    for both in shared:
        n += both.height
        first, second = ([pl.col(name + end) for name in names] for end in ("", _AFTER))
        change = [(two - one).alias(name) for one, two, name in zip(first, second, names, strict=True)]
        kept = [
            [
                pl.when(gap.is_not_null()).then(of).alias(name)
                for of, gap, name in zip(side, change, names, strict=True)
            ]
            for side in (first, second)
        ]
        for counts, columns in zip(sides, [*kept, change], strict=True):
            counts.add(both.select(columns))
    before, after, differences = (counts.groups()[()].scores for counts in sides)
    return PairedScores(before, after, differences, n)


def changes(both: pl.DataFrame, names: Sequence[str], rubric: Rubric) -> pl.DataFrame:
    """A row for every score of shared items: before, after, change, and whether it crossed the middle of the range."""
    made = [
        both.select("item", AT, score=pl.lit(name), before=pl.col(name), after=pl.col(name + _AFTER))
        for name in names
    ]
    middle = {name: sum(rubric.range(name)) / 2 for name in names}
    line = pl.col("score").replace_strict(middle, return_dtype=pl.Float64)
    up = (pl.col("before") < line) & (pl.col("after") >= line)
    down = (pl.col("before") >= line) & (pl.col("after") < line)
    word = pl.when(up).then(pl.lit("up")).when(down).then(pl.lit("down"))
    return pl.concat(made).with_columns(change=pl.col("after") - pl.col("before"), flipped=word)


@frozen
class Flips:
    """How many items crossed the middle, the first of them, how many changed at all, and those that changed most."""

    up: int
    down: int
    items: tuple[str, ...]
    changed: int
    most: pl.DataFrame


def flips(pieces: Iterable[pl.DataFrame], name: str, rubric: Rubric) -> Flips:
    """The items whose score changed; of equal changes the earlier item first."""
    up = down = changed = 0
    first, most = [], []
    for both in pieces:
        own = changes(both, [name], rubric)
        crossed = own.drop_nulls("flipped")
        up += crossed.filter(pl.col("flipped") == "up").height
        down += crossed.filter(pl.col("flipped") == "down").height
        first.append(crossed.select("item", AT).head(_NAMED))
        moved = own.filter(pl.col("change") != 0)
        changed += moved.height
        most.append(_widest(moved))
    named = pl.concat(first).sort(AT).head(_NAMED)["item"].to_list()
    return Flips(up, down, tuple(named), changed, _widest(pl.concat(most)))


def _widest(moved: pl.DataFrame) -> pl.DataFrame:
    return moved.sort(pl.col("change").abs(), AT, descending=[True, False]).head(_LISTED)
