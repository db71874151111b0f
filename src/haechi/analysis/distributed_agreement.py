"""Agreement of raters by a cluster: ratings are brought together by item, and equal rows are counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from haechi.analysis.agreement import (
    COMPLETE_ITEMS,
    FIRST_REPLICATE,
    THESE_RATERS,
    AgreementReport,
    PanelAgreement,
)
from haechi.analysis.coefficient_registry import COEFFICIENTS
from haechi.analysis.rating_table import ColumnKey, RatingTable
from haechi.cluster.engine import Engine
from haechi.data.duplicates import Hashes, repeated_numbers
from haechi.data.files import refuse
from haechi.data.parquet_ratings import LargeTable, RatingColumn
from haechi.data.rating_rules import rated_twice
from haechi.data.sources import Source, absolute
from haechi.data.splits import RowSplit, cut_rows
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.stats import SEED, Agreement, agreement
from haechi.stats.figure import Why
from haechi.stats.patterns import PatternTally
from haechi.stats.ratings import Level
from haechi.text import Text

ONLY_COUNTED = Why(
    "클러스터에서는 평가를 세기만 하고 항목을 모으지 않습니다. 평가자 성향, 다시 읽을 항목, 사람과 AI의 비교는 "
    "--cluster 없이 볼 수 있습니다.",
    "A cluster counts ratings and does not gather items: raters' habits, the reading list and people against "
    "AI are shown without --cluster.",
)
ROWS_TO_A_BUCKET = 4_000_000  # ratings that one worker holds at once
_MOST_BUCKETS, _MOST_SPLITS, _ROWS_TO_A_SPLIT = 64, 1024, 1 << 18
_SHOWN_PROBLEMS = 20


@frozen
class BucketRatings:
    """Ratings on their way to the bucket of their items: `rows` has item (a hash), cell and value."""

    cells: tuple[RatingColumn, ...]
    rows: pl.DataFrame


@frozen
class CountedRows:
    """What a bucket comes to: a tally for every criterion; or the items that were judged twice, by what they were."""

    tallies: dict[str, PatternTally]
    twice: dict[ColumnKey, Hashes]


def agreement_on_cluster(
    engine: Engine,
    paths: Sequence[Source],
    level: Level | None = None,
    scale: tuple[float, ...] | None = None,
    seed: int = SEED,
    rows_to_a_bucket: int = ROWS_TO_A_BUCKET,
) -> AgreementReport:
    """Reliability of the ratings in long Parquet tables of numbers, as `haechi agree` gives it for one file."""
    splits, rows = _splits(absolute(paths))
    engine.check_inputs([splits[0].path])
    buckets = min(_MOST_BUCKETS, max(2, -(-rows // rows_to_a_bucket)))
    read = engine.map(partial(read_split, buckets=buckets), splits)
    *pieces, cells = engine.transpose(read, buckets + 1)
    order = tuple(dict.fromkeys(cell for some in engine.gather(cells) for cell in some))
    counted = engine.gather(engine.map(partial(count_bucket, order=order), pieces))
    _refuse_duplicates(engine, splits, counted)
    criteria = tuple(dict.fromkeys(cell.criterion for cell in order))
    tallies = {name: PatternTally.sum([one.tallies[name] for one in counted]) for name in criteria}
    if scale is not None:
        _check_scale(tallies, scale)
    return _report(order, tallies, level or "interval", scale, seed)


def _splits(paths: Sequence[Source]) -> tuple[list[RowSplit], int]:
    """A few hundred thousand rows each, or as many as make a thousand tasks; and the rows of all files."""
    tables = [_table(path) for path in paths]
    rows = sum(table.n_rows for table in tables)
    if not rows:
        expected = Text("한 건 이상의 평가", "at least one rating")
        raise refuse(str(paths[0]), Text("평가 없음", "no ratings"), expected)
    step = max(_ROWS_TO_A_SPLIT, -(-rows // _MOST_SPLITS))
    return [split for table in tables for split in cut_rows(table.path, step)], rows


def _table(path: Source, split: RowSplit | None = None) -> LargeTable:
    table = LargeTable.open(path, split) if isinstance(path, Path) else None
    if table is not None:
        return table
    expected = Text(
        "수로 된 긴 Parquet 평가표(item, rater, value)",
        "a long Parquet table of numbers (item, rater, value)",
    )
    todo = Text(
        "Parquet로 저장하거나 --cluster 없이 실행하세요", "save it as Parquet, or run without --cluster"
    )
    raise refuse(str(path), Text("다른 표", "another table"), expected, todo)


def read_split(split: RowSplit, buckets: int) -> list[BucketRatings | tuple[RatingColumn, ...]]:
    """Read a split and give every bucket the ratings of its items; at the end the cells, in their order."""
    frames = [_NO_ROWS]
    table = _table(Path(split.path), split)
    for piece in table.pieces():
        columns = {"item": piece.item, "cell": piece.cell.astype(np.int64), "value": piece.value}
        frames.append(pl.DataFrame(columns, schema=_NO_ROWS.schema))
    rows, cells = pl.concat(frames), tuple(table.cells)
    bucket = pl.col("item") % buckets
    return [*(BucketRatings(cells, rows.filter(bucket == number)) for number in range(buckets)), cells]


_NO_ROWS = pl.DataFrame(schema={"item": pl.UInt64, "cell": pl.Int64, "value": pl.Float64})


def count_bucket(pieces: Sequence[BucketRatings], order: tuple[RatingColumn, ...]) -> CountedRows:
    """The tallies of a bucket's items, all of whose ratings are here, whichever file they came from."""
    place = {cell: number for number, cell in enumerate(order)}
    rows = pl.concat(
        some.rows.with_columns(
            pl.col("cell").replace_strict(
                range(len(some.cells)), [place[c] for c in some.cells], return_dtype=pl.Int64
            )
        )
        for some in pieces
    )
    numbers = rows.select(pl.col("item").unique().sort())
    items = numbers["item"].to_numpy()
    table = RatingTable()
    table.n_items = items.size
    by_cell = rows.partition_by("cell", as_dict=True)
    for number, cell in enumerate(
        order
    ):  # also those without ratings here: all buckets have the same columns
        own = by_cell.get((number,), _NO_ROWS)
        at = np.searchsorted(items, own["item"].to_numpy())
        table.put(ColumnKey(*cell.key), cell.kind, at, own["value"].to_numpy())
    twice = {}
    for key in table.twice():
        cells = [number for number, cell in enumerate(order) if cell.key == key]
        twice[key] = repeated_numbers(rows.filter(pl.col("cell").is_in(cells))["item"].to_numpy())
    if twice:
        return CountedRows({}, twice)
    return CountedRows({name: PatternTally.of(table.rated(name).ratings) for name in table.criteria}, {})


def _refuse_duplicates(engine: Engine, splits: Sequence[RowSplit], counted: Sequence[CountedRows]) -> None:
    """Name the rows that rate the same thing as an earlier one, whichever file that stands in."""
    twice: dict[ColumnKey, list[Hashes]] = {}
    for key, items in (one for of_bucket in counted for one in of_bucket.twice.items()):
        twice.setdefault(key, []).append(items)
    if not twice:
        return
    wanted = {key: np.concatenate(items) for key, items in twice.items()}
    rows = engine.gather(engine.map(partial(rows_of, twice=wanted), splits))
    seen: set[tuple[str, ColumnKey]] = set()
    problems = []
    for place, item, key in (row for some in rows for row in some):
        if (item, key) in seen:
            problems.append(rated_twice(place, item, *key))
        seen.add((item, key))
    raise HaechiError(tuple(problems[:_SHOWN_PROBLEMS]))


def rows_of(split: RowSplit, twice: dict[ColumnKey, Hashes]) -> list[tuple[str, str, ColumnKey]]:
    """The places and names of some items where they were judged."""
    table = _table(Path(split.path), split)
    found = []
    for piece in table.pieces():
        of_piece: dict[int, ColumnKey] = {}
        for key, items in twice.items():
            own = np.array([cell.key == key for cell in table.cells])[piece.cell]
            of_piece |= dict.fromkeys(np.flatnonzero(own & np.isin(piece.item, items)).tolist(), key)
        for row in sorted(of_piece):
            number = piece.first_row + row
            found.append((f"{table.path.name}, row {number}", table.item_in_row(number), of_piece[row]))
    return found


def _check_scale(tallies: dict[str, PatternTally], scale: tuple[float, ...]) -> None:
    points = ", ".join(f"{point:g}" for point in scale)
    expected = Text(f"--scale의 값: {points}", f"a point of --scale: {points}")
    todo = Text("값이나 --scale을 고치세요", "correct the value or --scale")
    for name, tally in tallies.items():
        off = tally.rows[~(np.isnan(tally.rows) | np.isin(tally.rows, scale))]
        if off.size:
            raise HaechiError.of(name, f"{off[0]:g}", expected, todo)


def _report(
    order: tuple[RatingColumn, ...],
    tallies: dict[str, PatternTally],
    level: Level,
    scale: tuple[float, ...] | None,
    seed: int,
) -> AgreementReport:
    kinds: dict[str, str] = {}
    for cell in order:
        kinds.setdefault(cell.rater, cell.kind)

    def figures(kind: str | None) -> dict[str, Agreement]:
        found = {}
        for name, tally in tallies.items():
            rated = {cell.rater for cell in order if cell.criterion == name}
            raters = [rater for rater in kinds if rater in rated]
            at = [number for number, rater in enumerate(raters) if kind in (None, kinds[rater])]
            own = PatternTally.of(tally.rows[:, at], tally.count) if kind else tally
            names = [raters[number] for number in at]
            found[name] = agreement(
                own.rows, names, level, scale, count=own.count, seed=seed, known=COEFFICIENTS.all()
            )
        return found

    panels = (
        PanelAgreement(figures("human"), figures("ai"), {})
        if {"human", "ai"} <= set(kinds.values())
        else None
    )
    repeated = any(cell.replicate > 1 for cell in order)
    notes = (COMPLETE_ITEMS, *([FIRST_REPLICATE] if repeated else []), THESE_RATERS, ONLY_COUNTED)
    labels: dict[str, tuple[str, ...]] = dict.fromkeys(tallies, ())
    return AgreementReport(figures(None), labels, panels, None, notes, seed)
