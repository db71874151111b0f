"""The items of a comparison: one row per item and group, and which item of one group belongs to which other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from haechi.errors import HaechiError, Problem
from haechi.raters.tables import read_ratings
from haechi.report.panel import panel_means
from haechi.report.score_sources import score_file, score_study, without
from haechi.rubrics import Rubric, find_rubric
from haechi.scoring.ratings import KEYS, score_ratings
from haechi.stats.figure import Why
from haechi.text import Text

_OWN = ("rater", "kind")
_SHOWN_PROBLEMS = 20


@dataclass(frozen=True)
class ComparedItems:
    """Scores of items by group.

    frame: a row per item and group with its score, the mean over raters; by: the fields that make the groups;
    meta: other fields; pair: the field whose equal values make pairs of two groups, and how it was chosen.
    """

    rubric: Rubric
    frame: pl.DataFrame
    names: tuple[str, ...]
    by: tuple[str, ...]
    meta: tuple[str, ...]
    pair: dict[str, str] | None
    left_out: int

    @cached_property
    def groups(self) -> dict[str, tuple[dict[str, str], pl.DataFrame]]:
        """The groups by label, in order."""
        parts = self.frame.partition_by(list(self.by), as_dict=True, maintain_order=True)
        ordered = sorted(parts.items(), key=lambda part: [_order(value) for value in part[0]])
        return {
            " · ".join(map(str, values)): (dict(zip(self.by, map(str, values), strict=True)), part)
            for values, part in ordered
        }

    def pairs(self) -> tuple[pl.DataFrame, pl.DataFrame] | None:
        """Both groups reduced to the values of the pair field that both have, in the same order."""
        if self.pair is None or len(self.groups) != 2:
            return None
        field = self.pair["field"]
        first, second = (
            part.group_by(field, maintain_order=True).agg(pl.col(name).mean() for name in self.names)
            for _, part in self.groups.values()
        )
        shared = first.select(field).join(second.select(field), on=field, maintain_order="left")
        return (
            shared.join(first, on=field, how="left", maintain_order="left"),
            shared.join(second, on=field, how="left", maintain_order="left"),
        )

    @property
    def notes(self) -> tuple[Why, ...]:
        """What was left out, and how pairs were found."""
        notes: list[Why] = []
        if self.left_out:
            fields = ", ".join(self.by)
            notes.append(
                Why(
                    f"{fields} 값이 없는 항목 {self.left_out:,}개를 뺐습니다.",
                    f"{self.left_out:,} items without a value of {fields} were left out.",
                )
            )
        if self.pair and self.pair["chosen"] == "found":
            field = self.pair["field"]
            notes.append(
                Why(
                    f"두 집단의 {field} 값이 하나씩 맞물려 짝지어 비교했습니다(--pair none으로 끔).",
                    f"Both groups have each {field} exactly once, so they are compared in pairs too (--pair none "
                    "turns it off).",
                )
            )
        return tuple(notes)


def compared_items(
    target: Path, by: str, rubric: str | None = None, pair: str | None = None, exclude: tuple[str, ...] = ()
) -> ComparedItems:
    """The items of a study or a file, grouped by one or more fields (`mode` or `mode,level`)."""
    fields = tuple(dict.fromkeys(part.strip() for part in by.split(",")))
    if target.is_dir():
        scored = score_study(target, [",".join(fields)], exclude, None, lambda _: None)
        made, frame, known = scored.rubric, pl.concat(scored.batches()), scored.meta
    elif rubric is None:
        todo = Text("--rubric ID를 붙이세요", "give --rubric ID")
        expected = Text("스터디 폴더, 또는 파일과 --rubric", "a study, or a file with --rubric")
        raise HaechiError.of(
            str(target), Text("파일인데 --rubric 없음", "a file without --rubric"), expected, todo
        )
    elif find_rubric(rubric).item == "run":
        scored = score_file(target, rubric, [",".join(fields)], exclude, None, lambda _: None)
        made, frame, known = scored.rubric, pl.concat(scored.batches()), scored.meta
    else:
        made = without(find_rubric(rubric), exclude)
        wanted = tuple(
            dict.fromkeys(name for name in (*fields, pair) if name and name not in (*_OWN, "item", "none"))
        )
        frame, known = _of_table(target, made, wanted), wanted
    return grouped_items(made, frame, fields, known, pair)


def _of_table(path: Path, rubric: Rubric, fields: tuple[str, ...]) -> pl.DataFrame:
    """The scores of a ratings table; groups come from further columns, which must be the same for an item."""
    ratings = read_ratings(path, rubric, keep=fields)
    scores = score_ratings(ratings, rubric).frame
    if not fields:
        return scores
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
    return scores.join(meta, on="item", how="left", maintain_order="left")


def grouped_items(
    rubric: Rubric, frame: pl.DataFrame, by: tuple[str, ...], known: Sequence[str], pair: str | None
) -> ComparedItems:
    """The items of a table of scores, one row per item and rater, grouped by some of its columns."""
    names = tuple(name for name in rubric.score_names if name in frame.columns)
    meta = tuple(name for name in known if name in frame.columns and name not in (*by, *KEYS))
    keys = list(dict.fromkeys([*by, "item"]))
    items = panel_means(frame, names, keys, meta)
    grouped = items.drop_nulls(list(by))
    if grouped.is_empty():
        found = Text(f"{', '.join(by)} 값이 있는 항목 없음", f"no item with a value of {', '.join(by)}")
        expected = Text("집단을 나눌 수 있는 필드", "a field that makes groups")
        raise HaechiError.of("--by", found, expected, Text("--by를 고치세요", "correct --by"))
    made = ComparedItems(rubric, grouped, names, by, meta, None, items.height - grouped.height)
    return ComparedItems(rubric, grouped, names, by, meta, _pair(made, pair), made.left_out)


def _pair(items: ComparedItems, wished: str | None) -> dict[str, str] | None:
    """The field that makes pairs: the one asked for, else one whose values both groups have exactly once."""
    candidates = [name for name in ("item", *items.meta) if name not in items.by]
    if wished == "none":
        return None
    if wished is not None:
        if wished not in candidates or len(items.groups) != 2:
            names = ", ".join(candidates)
            found: str | Text = wished
            if wished in candidates:
                count = len(items.groups)
                found = Text(f"집단 {count}개", f"{count} groups")
            expected = Text(
                f"집단이 둘일 때 다음 중 하나: {names}", f"one of {names}, and two groups to compare"
            )
            todo = Text("--pair나 --by를 고치세요", "correct --pair or --by")
            raise HaechiError.of("--pair", found, expected, todo)
        return {"field": wished, "chosen": "asked"}
    if len(items.groups) != 2:
        return None
    first, second = (part for _, part in items.groups.values())
    for name in candidates:
        if _one_to_one(first[name], second[name]):
            return {"field": name, "chosen": "found"}
    return None


def _one_to_one(first: pl.Series, second: pl.Series) -> bool:
    if len(first) < 2 or first.null_count() or second.null_count():
        return False
    alone = first.n_unique() == len(first) and second.n_unique() == len(second)
    return alone and set(first.to_list()) == set(second.to_list())


def _order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then words."""
    try:
        return (0, float(value), "")
    except (TypeError, ValueError):
        return (1, 0.0, str(value))
