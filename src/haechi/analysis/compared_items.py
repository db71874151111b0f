"""The items of a comparison: one row per item and group, and which item of one group belongs to which other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from haechi.analysis.counts import ComparedGroup, Counted, Key, count_groups
from haechi.analysis.pairs import TwoGroups, differences, one_to_one
from haechi.data.fields import Where, split_fields
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.sources import score_files
from haechi.stats.figure import Why
from haechi.stats.sample import Sample
from haechi.text import Text


@dataclass(frozen=True)
class ComparedItems:
    """Scores of items by group, counted; an item's score is the mean over its raters.

    by: the fields that make the groups; groups: by label, in order; pair: the field whose equal values make pairs of
    two groups, and how it was chosen; differences: first − second of these pairs; batches: the rows behind it.
    """

    rubric: Rubric
    names: tuple[str, ...]
    by: tuple[str, ...]
    groups: Mapping[str, ComparedGroup]
    batches: Batches
    left_out: int = 0
    pair: dict[str, str] | None = None
    differences: Mapping[str, Sample] | None = None

    @property
    def n(self) -> int:
        """How many items are compared."""
        return sum(group.n for group in self.groups.values())

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
    target: Path,
    by: str,
    rubric: str | Path | Rubric | None = None,
    pair: str | None = None,
    exclude: tuple[str, ...] = (),
    where: Where | None = None,
) -> ComparedItems:
    """The items of a file, grouped by one or more fields (`mode` or `mode,level`)."""
    fields = split_fields(by)
    if rubric is None:
        todo = Text("--rubric ID를 붙이세요", "give --rubric ID")
        expected = Text("스터디 폴더, 또는 파일과 --rubric", "a study, or a file with --rubric")
        raise HaechiError.of(
            str(target), Text("파일인데 --rubric 없음", "a file without --rubric"), expected, todo
        )
    keep = () if pair in (None, "item", "none") else (pair,)
    scored = score_files([target], rubric, [",".join(fields)], exclude, keep=keep, where=where)
    (fields,) = scored.groupings  # by the names that columns have with us, however they are spelt
    return grouped_items(scored, fields, pair)


def grouped_items(scored: ScoreTable, by: tuple[str, ...], pair: str | None) -> ComparedItems:
    """The items of a table of scores, one row per item and rater, grouped by some of its fields."""
    (counted,) = count_groups(scored.batches, scored.names, [by])
    if all(None in key for key in counted):
        found = Text(f"{', '.join(by)} 값이 있는 항목 없음", f"no item with a value of {', '.join(by)}")
        expected = Text("집단을 나눌 수 있는 필드", "a field that makes groups")
        raise HaechiError.of("--by", found, expected, Text("--by를 고치세요", "correct --by"))
    meta = tuple(name for name in scored.meta if name not in (*by, *KEYS))
    groups = compared_groups(scored.rubric, scored.names, scored.batches, by, counted)
    return paired_groups(groups, meta, pair)


def compared_groups(
    rubric: Rubric,
    names: Sequence[str],
    batches: Batches,
    by: tuple[str, ...],
    counted: Mapping[Key, Counted],
) -> ComparedItems:
    """What was counted, as groups in order; items without a value of a field that makes the groups are left out."""
    ordered = sorted((key for key in counted if None not in key), key=lambda key: [*map(_order, key)])
    groups = {
        label: ComparedGroup(dict(zip(by, map(str, key), strict=True)), counted[key].n, counted[key].scores)
        for label, key in zip(_labels(ordered), ordered, strict=True)
    }
    left_out = sum(group.n for key, group in counted.items() if None in key)
    return ComparedItems(rubric, tuple(names), by, groups, batches, left_out)


def _labels(keys: Sequence[Key]) -> list[str]:
    """A label for every group; quoted where a value that holds the mark between them would make two the same.

    >>> _labels([("agent", "Q1")]), _labels([("a · b", "c"), ("a", "b · c")])
    (['agent · Q1'], ['"a · b" · "c"', '"a" · "b · c"'])
    """
    plain = [" · ".join(map(str, key)) for key in keys]
    if len(set(plain)) == len(plain):
        return plain
    return [" · ".join(json.dumps(str(value), ensure_ascii=False) for value in key) for key in keys]


def paired_groups(items: ComparedItems, meta: Sequence[str], wished: str | None) -> ComparedItems:
    """The same with the differences of pairs, where there is a field that makes pairs of two groups."""
    pair = _pair(items, meta, wished)
    if pair is None:
        return items
    return replace(items, pair=pair, differences=differences(_two_sides(items, pair["field"])))


def _two_sides(items: ComparedItems, field: str) -> TwoGroups:
    return TwoGroups(items.batches, items.names, items.by, tuple(items.groups.values()), field)


def _pair(items: ComparedItems, meta: Sequence[str], wished: str | None) -> dict[str, str] | None:
    """The field that makes pairs: the one asked for, else one whose values both groups have exactly once."""
    candidates = [name for name in ("item", *meta) if name not in items.by]
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
    sizes = [group.n for group in items.groups.values()]
    if len(sizes) != 2 or sizes[0] != sizes[1] or sizes[0] < 2:
        return None
    for name in candidates:
        if one_to_one(_two_sides(items, name)):
            return {"field": name, "chosen": "found"}
    return None


def _order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then words."""
    try:
        return (0, float(value), "")
    except (TypeError, ValueError):
        return (1, 0.0, str(value))
