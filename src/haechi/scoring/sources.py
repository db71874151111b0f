"""Where scores come from without a study: a ratings table, agent runs in files, or either in a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import polars as pl

from haechi.data.arguments import check_word
from haechi.data.column_rules import COLUMNS
from haechi.data.fields import EVERYTHING, Selection, Where, is_of_items, split_fields
from haechi.data.line_names import own_criteria
from haechi.data.progress import Advance, no_progress
from haechi.data.rating_columns import no_more, read_ratings
from haechi.data.sources import Source, files_of
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError, Problem
from haechi.rubrics import Rubric, find_rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import in_memory
from haechi.scoring.clusters import cluster_names, find_cluster
from haechi.scoring.judge_panel import Panel, check_no_panel
from haechi.scoring.rated_tables import rated_table, with_meta, without_criteria
from haechi.scoring.ratings import KEYS, score_ratings
from haechi.scoring.score_table import ScoreTable
from haechi.text import Text, quoted

_SHOWN_PROBLEMS = 20


def score_files(
    targets: Sequence[Path | str],
    rubric: str | Path | Rubric,
    by: Sequence[str] = (),
    exclude: tuple[str, ...] = (),
    missing: Missing | None = None,
    advance: Advance = no_progress,
    keep: Sequence[str] = (),
    where: Where | None = None,
    reading: TableReading = AS_FOUND,
    panel: Panel = "mean",
) -> ScoreTable:
    """The scores of files, folders and globs: agent runs for a rubric of runs, otherwise one table of ratings.

    by: the fields to group by, several with a comma between them; further columns of a ratings table may be among
    them, and `keep` names more of these to carry along. where: the rows to select. reading: how the files are to be
    read. panel: how AI judges count together.
    """
    check_word(missing, get_args(Missing), "missing")
    rubric = without_criteria(find_rubric(rubric), exclude)
    paths = files_of(targets)
    selection = Selection.of(where or {})
    if rubric.item == "run":
        check_no_panel(panel)
        from haechi.scoring.run_tables import score_runs_files  # and all that measures runs

        return score_runs_files(paths, rubric, by, exclude, missing, advance, selection, reading)
    table_file = one_table(paths, str(targets[0]))
    wished = [*keep, *(field for wish in by for field in split_fields(wish))]
    ratings, selection = selected_ratings(
        table_file, rubric, selection, wished, reading=reading, clusters=True
    )
    advance(ratings.height)
    scores = score_ratings(ratings, rubric, missing=missing, panel=panel)
    table = replace(rated_table(scores, exclude, missing, str(table_file)), without_texts="table")
    return with_meta(table, table_meta(table_file, ratings), by, selection).checked()


def one_table(paths: Sequence[Source], target: str) -> Path:
    """The one table of ratings that files are; several are refused."""
    if len(paths) > 1 or isinstance(paths[0], str):
        found = Text(f"파일 {len(paths):,}개", f"{len(paths):,} files")
        expected = Text("평가표 파일 하나", "one ratings table")
        todo = Text("haechi import로 스터디에 모으세요", "bring them together in a study with haechi import")
        raise HaechiError.of(target, found, expected, todo)
    return paths[0]


def selected_ratings(
    path: Path,
    rubric: Rubric | None = None,
    selection: Selection = EVERYTHING,
    wished: Sequence[str] = (),
    wide: bool = False,
    plain: bool = False,
    reading: TableReading = AS_FOUND,
    clusters: bool = False,
) -> tuple[pl.DataFrame, Selection]:
    """The ratings of a table that are wanted, with the columns that are wished or selected by under their own names.

    Without a rubric a criterion is a column like any other; with one the scores are chosen when they are there. clusters:
    also with the column that obviously makes clusters of items, if there is one.
    """
    if rubric is not None and own_criteria(rubric):
        found = Text(
            "평가만 있고 항목마다 다른 기준의 글과 배점이 없는 표",
            "ratings without the criteria and points that each item brings",
        )
        expected = Text("항목과 그 기준이 있는 스터디", "a study, which has the items and their criteria")
        steps = f"haechi new DIR --rubric {rubric.id} && haechi add DIR {{0}} && haechi import DIR {quoted(path.name)}"
        todo = Text(
            f"스터디를 만든 뒤 FILE 자리에 DIR을 쓰세요: {steps.format('항목.jsonl')}",
            f"make a study and name DIR in place of the file: {steps.format('items.jsonl')}",
        )
        raise HaechiError.of(str(path), found, expected, todo)
    fields = [name for name in (*wished, *selection.wanted) if is_of_items(name) and name not in KEYS]
    keep = () if wide and not plain else tuple(dict.fromkeys(fields))
    ratings = read_ratings(
        path, rubric, wide, keep, reading, plain, _cluster_columns if clusters and not wide else no_more
    )
    ratings = ratings.drop(_not_shared(ratings, keep))
    selection = selection.among([name for name in ratings.columns if name != "place"])
    return (selection.of_rows if rubric else selection).rows_in(ratings), selection


def _cluster_columns(columns: Sequence[str]) -> list[str]:
    return [name for kind in cluster_names(columns) for name in kind]


def _not_shared(ratings: pl.DataFrame, keep: Sequence[str]) -> list[str]:
    """The columns nobody asked for that do not make clusters of items, as one that differs within an item cannot."""
    found = [name for name in ratings.columns if name not in (*COLUMNS, *keep, "place")]
    values = ratings.group_by("item").agg(pl.col(name).n_unique() for name in found)
    own = find_cluster(in_memory(ratings), [name for name in found if values[name].max() == 1])
    return [name for name in found if name != own]


def table_meta(path: Path, ratings: pl.DataFrame) -> pl.DataFrame:
    """The items of a ratings table with its further columns, which must be the same for an item."""
    fields = tuple(name for name in ratings.columns if name not in (*COLUMNS, "place"))
    meta = ratings.select("item", *fields).unique(maintain_order=True)
    twice = meta.filter(~pl.col("item").is_first_distinct())
    if twice.height:
        expected = Text("항목마다 한 가지 값", "one value for each item")
        todo = Text("항목의 값을 하나로 맞추세요", "give every row of an item the same value")
        raise HaechiError(
            tuple(
                Problem(
                    f"{path.name}, {row['item']}", ", ".join(f"{f}={row[f]}" for f in fields), expected, todo
                )
                for row in twice.head(_SHOWN_PROBLEMS).iter_rows(named=True)
            )
        )
    return meta
