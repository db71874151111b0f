"""One list of rules: the same table gives the same ratings or the same errors, however it is read."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import haechi
from haechi.analysis.distributed_agreement import count_bucket, read_split
from haechi.analysis.rating_sources import file_ratings
from haechi.data import parquet_ratings
from haechi.data.rating import Rating
from haechi.data.rating_columns import read_ratings
from haechi.data.rating_reader import RatingReader
from haechi.data.rating_rules import BrokenRule, RatingRules
from haechi.data.splits import cut_rows
from haechi.errors import HaechiError, Problem, collect_told, unique_problems

RUBRIC = haechi.rubric("diary-comment")
TWICE = "one row for each item, criterion, rater and replicate"
Told = list[tuple[str, str]]

NAMES = st.sampled_from(["a", "b", " c ", "２", "d\u3000", "x" * 300])
ODD_NAMES = st.sampled_from(["", "  ", "x" * 301, "a\u0001b", None])
KINDS = st.sampled_from(["human", "AI ", "ｃｏｄｅ", "", None])
STATUSES = st.sampled_from(["", None, "OK", " ok"])
REPLICATES = st.sampled_from(["", None, "1", "２", " 3 ", "2.0"])
ODD_REPLICATES = st.sampled_from(["0", "-1", "1.5", "x", "1_000", "1000001"])
CRITERIA = st.sampled_from(["sympathy", "Sensibleness", " specificity"])
VALUES = st.sampled_from(["1", "0", " １", "0.0"])


def mostly(usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What is usual, and an oddity now and then."""
    return st.integers(0, 11).flatmap(lambda chance: odd if chance == 0 else usual)


LONG = st.fixed_dictionaries(
    {
        "item": mostly(NAMES, ODD_NAMES),
        "criterion": mostly(CRITERIA, st.sampled_from(["nonsense", "", None])),
        "rater": mostly(st.sampled_from(["r1", " r2"]), ODD_NAMES),
        "value": mostly(VALUES, st.sampled_from(["7", "x", "", " ", None])),
        "kind": mostly(KINDS, st.just("robot")),
        "status": mostly(STATUSES, st.sampled_from(["error", "missing", "lost"])),
        "replicate": mostly(REPLICATES, ODD_REPLICATES),
        "stance": mostly(st.sampled_from(["", None]), st.just("judge")),
        "note": st.just("x"),  # so that no row is empty
    }
)
WIDE = st.fixed_dictionaries(
    {
        "항목": mostly(NAMES, ODD_NAMES),
        "평가자": mostly(st.sampled_from(["r1", " r2"]), ODD_NAMES),
        "sympathy": mostly(VALUES, st.sampled_from(["", "  ", None, "9"])),
        "Specificity": mostly(VALUES, st.sampled_from(["", None, "maybe"])),
        "note": st.just("x"),  # so that no row is empty
    }
)


def written(folder: Path, rows: Sequence[dict[str, Any]], kind: str) -> Path:
    """The rows as a file; rows are named alike in all of them, so that places can be compared."""
    path = folder / f"r.{kind}"
    rows = [{name: row[name] for name in rows[0]} for row in rows]
    if kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    else:
        pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String)).write_parquet(path)
    return path


def told(error: HaechiError) -> Told:
    return [(problem.at, problem.say("en")) for problem in error.problems]


def one_by_one(path: Path) -> tuple[list[Rating], Told]:
    """Row by row, as `haechi import` reads; what comes twice is found as other files have it."""
    good: list[Rating] = []
    bad: list[Problem] = []
    try:
        for _, found in RatingReader(RUBRIC).of_file(path):
            if isinstance(found, HaechiError):
                bad += found.problems
            else:
                good.append(found)
    except HaechiError as error:  # of the table as a whole
        return [], told(error)
    twice = [problem for problem in bad if problem.expected.en == TWICE]
    return good, told(
        HaechiError(unique_problems([problem for problem in bad if problem not in twice] or twice))
    )


def in_columns(path: Path) -> tuple[list[Rating], Told]:
    """All at once, as `haechi score FILE` reads."""
    try:
        with collect_told():
            frame = read_ratings(path, RUBRIC)
    except HaechiError as error:
        return [], told(error)
    return [Rating(**row) for row in frame.drop("place").iter_rows(named=True)], []


def key(rating: Rating) -> tuple[Any, ...]:
    return (*rating.key, rating.kind, str(rating.said))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@settings(max_examples=40, deadline=None)
@given(rows=st.one_of(st.lists(LONG, min_size=1, max_size=9), st.lists(WIDE, min_size=1, max_size=9)))
def test_rows_and_columns_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, kind: str, rows: list[dict[str, Any]]
) -> None:
    path = written(tmp_path_factory.mktemp("rows"), rows, kind)
    good, bad = one_by_one(path)
    ratings, errors = in_columns(path)
    if bad:
        assert errors == bad
    elif len({rating.key for rating in good}) < len(good):
        assert errors
        assert all("one row for each" in words for _, words in errors)
    elif not good:
        assert all("no ratings" in words for _, words in errors)
    else:
        assert not errors
        assert sorted(map(key, ratings)) == sorted(map(key, good))


NUMBERS = st.fixed_dictionaries(
    {
        "item": mostly(NAMES, ODD_NAMES),
        "criterion": mostly(st.sampled_from(["x", "y ", ""]), st.none()),
        "rater": mostly(st.sampled_from(["r1", " r2"]), ODD_NAMES),
        "value": mostly(
            st.sampled_from([1.0, 2.0, 0.5]), st.sampled_from([None, float("nan"), float("inf")])
        ),
        "kind": mostly(KINDS, st.just("robot")),
        "status": mostly(STATUSES, st.sampled_from(["error", "missing", "lost"])),
        "replicate": mostly(REPLICATES, ODD_REPLICATES),
    }
)


def ratings_in(table: Any, criteria: Sequence[str]) -> dict[str, Any]:
    return {
        name: (
            rated.raters,
            rated.kinds,
            sorted(map(repr, rated.ratings.tolist())),
            {rater: sorted(map(repr, of.tolist())) for rater, of in rated.replicates.items()},
        )
        for name in criteria
        for rated in [table.rated(name)]
    }


def _row(criterion: str | None, rater: str, kind: str | None = None) -> dict[str, Any]:
    more = {"kind": kind, "status": None, "replicate": None}
    return {"item": "a", "criterion": criterion, "rater": rater, "value": None, **more}


@settings(max_examples=50, deadline=None)
@example(rows=[_row(None, " r2"), _row(None, "r1"), _row("x", "r1")])  # raters in the order of the file
@example(rows=[_row("x", "r2"), _row(None, "r1", "AI "), _row("x", "r1", "human")])  # and what they are first
@given(rows=st.lists(NUMBERS, min_size=1, max_size=12))
def test_a_large_table_says_what_a_small_one_says(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("large")
    schema = dict.fromkeys(rows[0], pl.String) | {"value": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema)
    frame.write_parquet(folder / "r.parquet", row_group_size=4)
    small = folder / "small"
    small.mkdir()
    # As text it is no table of numbers: the same rows go the way of small tables.
    text = pl.col("value").cast(pl.String).str.strip_suffix(".0")
    frame.with_columns(pl.when(pl.col("value").is_not_nan()).then(text)).write_parquet(small / "r.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_ratings, "_ROWS", 5)
        assert outcome(folder / "r.parquet") == outcome(small / "r.parquet")
    assert parquet_ratings.LargeTable.open(small / "r.parquet") is None


def counted_in(words: str) -> int:
    found = re.search(r"\((\d+) places", words)
    return int(found[1]) if found else 1


def outcome(path: Path) -> Any:
    try:
        table = file_ratings(path)
    except HaechiError as error:
        return told(error)
    return ratings_in(table, sorted(table.criteria))


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(NUMBERS, min_size=1, max_size=12))
def test_parts_of_a_large_table_come_to_the_same_tally(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("parts") / "r.parquet"
    schema = dict.fromkeys(rows[0], pl.String) | {"value": pl.Float64}
    pl.DataFrame(rows, schema=schema).write_parquet(path, row_group_size=4)
    whole = outcome(path)
    refused: list[Problem] = []
    parts = []
    for split in cut_rows(path, 4):
        try:
            parts.append(read_split(split, 1))
        except HaechiError as error:
            refused += error.problems
    if refused:  # every part tells its mistakes once, and the whole table tells those of all parts once
        assert refused[0].at == whole[0][0]
        assert sum(problem.count for problem in refused) == sum(counted_in(words) for _, words in whole)
        return
    order = tuple(dict.fromkeys(cell for _, cells in parts for cell in cells))
    counted = count_bucket([some for some, _ in parts], order)
    if isinstance(whole, list):
        assert counted.twice
        return
    assert not counted.twice
    table = file_ratings(path)
    for name in table.criteria:
        ratings = table.rated(name).ratings
        rated = ratings[~np.isnan(ratings).all(axis=1)]
        tally = counted.tallies[name]
        assert sorted(map(repr, np.repeat(tally.rows, tally.count, axis=0).tolist())) == sorted(
            map(repr, rated.tolist())
        )


def test_columns_for_criteria_beside_a_column_of_values_are_refused_everywhere(tmp_path: Path) -> None:
    rows = [{"item": "a", "rater": "r", "sympathy": "1", "score": "3"}] * 2
    for kind in ("csv", "jsonl", "parquet"):
        path = written(tmp_path, rows, kind)
        _, bad = one_by_one(path)
        assert len(bad) == 1  # once, not row by row
        assert in_columns(path) == ([], bad)


def test_of_several_broken_rules_the_first_is_told() -> None:
    with pytest.raises(BrokenRule) as broken:
        RatingRules().rating({"item": "a", "rater": "r", "kind": "robot", "status": "lost", "value": 1})
    assert broken.value.at("r.csv:2").at == "r.csv:2, kind"
