"""How scores are distributed: how often each point of every criterion was given, and every item on the main score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.chart_items import NOTHING_BEHIND
from haechi.report.charts import (
    Dot,
    DotRow,
    ItemsBehind,
    LevelRow,
    SwarmRow,
    browser_items,
    by_value,
    dot_chart,
    dot_values,
    dots_of_items,
    dots_of_sample,
    items_behind,
    level_values,
    likert_bars,
    plot,
    swarm,
    swarm_values,
)
from haechi.report.document import Plot, SectionPart
from haechi.report.figure_items import behind_scores
from haechi.report.numbers import scale_end, span
from haechi.report.table import Cell, Column, Estimate, table
from haechi.report.words import panel_of, said, score_label
from haechi.rubrics.values import plain
from haechi.scoring.panel import panel_means
from haechi.stats import Group
from haechi.stats.ratings import Floats
from haechi.stats.sample import Sample

_BINS = 8


def distributions(figures: Analysis) -> list[SectionPart]:
    """The points of the criteria, and the main score where it has none of its own."""
    rubric, summary = figures.rubric, figures.scored.summary[0].scores
    counted = {n: summary[n].distribution or {} for n in figures.names if summary[n].distribution}
    listed = {c.score for c in rubric.criteria if not c.scale.of_items}
    few = {n: counts for n, counts in counted.items() if n in listed or rubric.item == "run"}
    few = {n: counts for n, counts in few.items() if any(counts.values())}
    labels = {n: few.pop(n) for n in list(few) if not rubric.has_mean(n)}
    parts: list[SectionPart] = [_labels(figures, name, counts) for name, counts in labels.items()]
    if few:
        runs = rubric.item == "run"
        counting = said("실행 수", "number of runs") if runs else said("평가 수", "number of ratings")
        title = said(f"점수 분포 ({counting})", f"Distribution of scores ({counting})")
        alt = said(
            "기준마다 각 점수가 몇 번 나왔는지 나타낸 막대. 척도의 가운데보다 낮은 점수는 왼쪽, 높은 점수는 오른쪽이고 양 끝의 수는 그 비율",
            "Bars of how often each score was given: those below the middle of the scale at the left, those above it at "
            "the right, with their shares at the ends",
        )
        levels = sorted({level for counts in few.values() for level in counts}, key=float)
        rows = [
            [score_label(rubric, n), *(counts.get(level) for level in levels)] for n, counts in few.items()
        ]
        given = [
            LevelRow(
                score_label(rubric, n), counts, sum(rubric.range(n)) / 2, _items_of_levels(figures, n, counts)
            )
            for n, counts in few.items()
        ]
        draw = partial(likert_bars, title, alt, given, said("점수", "points"))
        shown = table(
            title, [said("기준", "criterion"), *(level.replace("-", "−") for level in levels)], rows
        )
        parts.append(plot(title, alt, draw, shown, level_values(given)))
    main = figures.main
    if main not in (*few, *labels) and figures.whole[main].n > 2:
        parts.append(_main_distribution(figures, main))
    return parts


def _labels(figures: Analysis, name: str, counts: Mapping[str, int]) -> Plot:
    """How often every label was given; labels have no middle and no order."""
    criterion, total = figures.rubric.criterion(name), sum(counts.values())
    called = criterion.scale.category if criterion is not None else scale_end
    label, items = score_label(figures.rubric, name), _items_of_levels(figures, name, counts)
    title = said(
        f"{label}: 답의 비율 (평가 {total:,}건)", f"{label}: shares of the labels ({total:,} ratings)"
    )
    alt = said(f"{label}의 답마다 나온 비율", f"How often every label of {label} was given")
    rows = by_value(
        DotRow(called(float(level)), (Estimate(n / total),), (items.get(level, NOTHING_BEHIND),))
        for level, n in counts.items()
    )
    told: list[list[Cell]] = [[called(float(level)), n, n / total] for level, n in counts.items()]
    columns = [
        Column(label, "words"),
        Column(said("평가 수", "ratings"), "count"),
        Column(said("비율", "share"), "share"),
    ]
    axis = said("비율", "share of the ratings")
    return plot(
        title,
        alt,
        partial(dot_chart, title, alt, rows, 0.0, 1.0, axis=axis),
        table(title, columns, told),
        dot_values(rows),
    )


def _items_of_levels(figures: Analysis, name: str, counts: Mapping[str, int]) -> dict[str, ItemsBehind]:
    """The items that were given each level of a score; of very many those whose mean is about that."""
    if not figures.places:
        return {
            level: browser_items(name, low=float(level) - 0.5, high=float(level) + 0.5) for level in counts
        }
    rows = pl.concat(list(figures.batches(["item", name]))).drop_nulls(name)
    found: dict[str, list[str]] = {}
    for value, items in (
        rows.group_by(name, maintain_order=True).agg(pl.col("item").unique(maintain_order=True)).iter_rows()
    ):
        level = plain(value) if plain(value) in counts else plain(math.floor(value + 0.5))
        found.setdefault(level, []).extend(items)
    places = figures.places
    return {
        level: items_behind(sorted(items, key=lambda item: places[item]), places)
        for level, items in found.items()
    }


def _main_distribution(figures: Analysis, main: str) -> Plot:
    """Every item in its place on the scale; people and AI judges each in a row of their own."""
    label = score_label(figures.rubric, main)
    low, high = figures.rubric.range(main)
    title = said(f"{label} 분포 (항목 수)", f"Distribution of {label} (number of items)")
    alt = said(
        f"{label}: 항목마다 점 하나, 값이 비슷하면 위로 쌓임. 아래의 마름모는 평균, 선은 95 % 구간",
        f"{label}: a dot for every item, stacked where items are alike; below them the mean as a diamond with its 95 % interval",
    )
    found = _main_scores(figures, main)
    rows = [
        SwarmRow(
            panel_of(figures, kind).say() if kind else label,
            own.dots(figures.places, main),
            Estimate.of(group.mean),
            behind_scores(figures, [main], {"kind": kind} if kind else None)[main],
        )
        for kind, (group, own) in found.items()
    ]
    edges = np.linspace(low, high, _BINS + 1)
    counted = [np.histogram(own.values, bins=edges)[0] for _, own in found.values()]
    told: list[list[Cell]] = [
        [span(edges[at], edges[at + 1], 3), *(int(counts[at]) for counts in counted)] for at in range(_BINS)
    ]
    heads = [row.name for row in rows] if len(rows) > 1 else [said("항목 수", "items")]
    draw = partial(swarm, title, alt, rows, low, high, axis=label)
    return plot(title, alt, draw, table(title, [label, *heads], told), swarm_values(rows))


def _main_scores(figures: Analysis, main: str) -> dict[str, tuple[Group, ItemScores]]:
    """The main score of every item, by the kind of its raters where there are several; of agent runs of all together."""
    known = {} if figures.rubric.item == "run" else figures.of_kind
    kinds = [kind for kind in ("human", "ai") if kind in known and known[kind].mean.value is not None]
    if len(kinds) < 2:
        return {"": (figures.whole[main], scores_in(figures.batches(["item", "rater", main]), main))}
    frames = list(figures.batches(["item", "rater", "kind", main]))
    return {
        kind: (known[kind], scores_in((frame.filter(pl.col("kind") == kind) for frame in frames), main))
        for kind in kinds
    }


class ItemScores(NamedTuple):
    """Items and a score of each."""

    items: pl.Series
    values: Floats

    def dots(self, places: Mapping[str, int], score: str) -> tuple[Dot, ...]:
        """The items as dots, which lead to them, or to the item browser where a page cannot list them."""
        if not places:
            return dots_of_sample(Sample.of(self.values), score)
        return dots_of_items(self.items.to_list(), self.values, places)


def scores_in(frames: Iterable[pl.DataFrame], name: str) -> ItemScores:
    """A score of the items in some rows; an item's is the mean of its raters."""
    means = pl.concat([panel_means(frame, [name], ["item"]) for frame in frames]).drop_nulls(name)
    return ItemScores(means["item"], means[name].to_numpy())
