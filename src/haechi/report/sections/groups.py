"""Which groups differ, and by how much."""

from __future__ import annotations

from functools import partial

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.comparison import Comparison
from haechi.report.charts import (
    Dot,
    DotRow,
    SwarmRow,
    by_value,
    dot_chart,
    dot_values,
    dots_of_sample,
    plot,
    swarm,
    swarm_values,
)
from haechi.report.document import Plot, Section, SectionPart
from haechi.report.figure_items import behind_scores
from haechi.report.sections.distributions import scores_in
from haechi.report.sections.scores import common_range, criteria_of, on_axis
from haechi.report.table import Cell, Column, Estimate, Table, table
from haechi.report.tables.comparison import about, human_groups, means_table, share_rows
from haechi.report.tables.group_tests import pairs_table, test_tables
from haechi.report.words import fields_label, groups_key, said, score_label
from haechi.text import language

_SIDE_BY_SIDE = 4


def group_sections(figures: Analysis) -> list[Section]:
    """A section for every grouping; systems that are compared two at a time have their ranking instead."""
    ranked = figures.rubric.item == "pair"
    return [
        _section(figures, one) for one in figures.comparisons if not (ranked and one.items.by == ("system",))
    ]


def _section(figures: Analysis, comparison: Comparison) -> Section:
    by = ", ".join(comparison.items.by)
    few = len(comparison.items.groups) <= _SIDE_BY_SIDE and bool(criteria_of(figures))
    parts: list[SectionPart] = [_spread(figures, comparison)] if figures.rubric.has_mean(figures.main) else []
    if any(map(figures.rubric.has_mean, figures.names)):
        parts.append(_profiles(figures, comparison) if few else group_table(figures, comparison))
    parts += test_tables(comparison)
    if len(comparison.items.groups) > 2 and (pairs := pairs_table(comparison)).rows:
        parts.append(pairs)
    if (human := human_groups(comparison)) is not None:
        parts.append(human)
    parts += [note.say(language()) for note in (*comparison.about_correction, *comparison.items.notes)]
    return Section(
        groups_key(comparison.items.by),
        said(f"집단 비교: {fields_label(comparison.items.by)}", f"Groups by {by}"),
        tuple(parts),
    )


def group_table(figures: Analysis, comparison: Comparison) -> Table:
    """The mean of every score in every group; shares of met for yes-or-no criteria, from all ratings."""
    means = {
        name: [Estimate.of(group.described.mean) for group in found.groups]
        for name, found in comparison.criteria.items()
    }
    counts = [group.n for group in comparison.items.groups.values()]
    labels, more = list(comparison.items.groups), _shares(figures, comparison)
    return means_table(figures.rubric, comparison.items.by, labels, counts, means, more)


def _shares(figures: Analysis, comparison: Comparison) -> list[list[Cell]]:
    """The share of met over all ratings, and the items that most raters call met."""
    summary = {
        tuple(map(str, row.by.values())): row.scores
        for row in figures.scored.summary[1:]
        if tuple(row.by) == comparison.items.by
    }
    first = next(iter(comparison.criteria.values()))
    shares = share_rows(figures.rubric, [summary[tuple(group.by.values())] for group in first.groups])
    rows: list[list[Cell]] = []
    for name, met in shares.items():
        groups = comparison.criteria[name].groups
        words = said("다수가 충족이라 한 항목", "items most raters call met")
        most = [Estimate.of(group.share, "share") if group.share else None for group in groups]
        rows += [met, [about(figures.rubric, name, words), *most]]
        ties = [group.n_ties for group in groups]
        if any(ties):
            rows.append([about(figures.rubric, name, said("반반으로 갈린 항목", "ties")), *ties])
    return rows


def _spread(figures: Analysis, comparison: Comparison) -> Plot:
    """The main score of every item in every group: a mean alone does not show two clusters."""
    rubric, main, items = figures.rubric, figures.main, comparison.items
    label, by = score_label(rubric, main), fields_label(items.by)
    low, high = rubric.range(main)
    title = said(f"{by}별 {label} 분포", f"{label} by {by}, item by item")
    alt = said(
        "집단마다 항목 하나가 점 하나이고, 값이 비슷하면 위로 쌓임. 아래의 마름모는 평균, 선은 95 % 구간",
        "A dot for every item of every group, stacked where items are alike; below them the mean as a diamond with its 95 % interval",
    )
    found = dict(zip(items.groups, comparison.criteria[main].groups, strict=True))
    rows = [
        SwarmRow(
            name,
            _dots(figures, items, name),
            Estimate.of(group.described.mean),
            behind_scores(figures, [main], items.groups[name].by)[main],
        )
        for name, group in found.items()
    ]
    if items.order is None:
        rows.sort(key=lambda row: -float("inf") if row.mean.value is None else row.mean.value, reverse=True)
    columns = [
        Column(by, "words"),
        Column("n", "count"),
        Column(said("평균 [95 % 구간]", "mean [95 % interval]")),
    ]
    columns += [Column("SD"), Column(said("중앙값", "median"))]
    told: list[list[Cell]] = [
        [name, own.n, Estimate.of(own.mean), own.sd.value, own.median.value]
        for name, own in ((name, group.described) for name, group in found.items())
    ]
    draw = partial(swarm, title, alt, rows, low, high, axis=label)
    return plot(title, alt, draw, table(title, columns, told), swarm_values(rows))


def _dots(figures: Analysis, items: ComparedItems, name: str) -> tuple[Dot, ...]:
    """The items of a group as dots; of very many only the counts are known."""
    group, main = items.groups[name], figures.main
    if not figures.places:
        asked = {field: value for field, value in group.by.items() if field in figures.scored.meta}
        return dots_of_sample(group.scores[main], main, asked)
    own = [pl.col(field).cast(pl.String) == value for field, value in group.by.items()]
    columns = list(dict.fromkeys(["item", "rater", main, *group.by]))
    found = scores_in((frame.filter(*own) for frame in figures.batches(columns)), main)
    return found.dots(figures.places, main)


def _profiles(figures: Analysis, comparison: Comparison) -> Plot:
    """Every criterion of a few groups side by side."""
    rubric, labels, names = figures.rubric, list(comparison.items.groups), criteria_of(figures)
    by = fields_label(comparison.items.by)
    title = said(f"{by}별 비교", f"Groups by {by}")
    alt = said(
        f"집단 {len(labels)}개의 평균과 95 % 구간을 나란히 나타낸 그림",
        f"Means of {len(labels)} groups with 95 % intervals, side by side",
    )
    shared = common_range(rubric, names)
    low, high = shared or (0.0, 1.0)
    axis = "" if shared else said("범위에서의 위치", "place in the range")
    items = [behind_scores(figures, names, group.by) for group in comparison.items.groups.values()]
    rows = by_value(
        DotRow(
            score_label(rubric, name),
            tuple(on_axis(g.described.mean, rubric, name, shared) for g in comparison.criteria[name].groups),
            tuple(own[name] for own in items),
        )
        for name in names
    )
    draw = partial(dot_chart, title, alt, rows, low, high, labels, axis=axis)
    shown = group_table(figures, comparison)
    return plot(title, alt, draw, shown, dot_values(rows, labels), folded=False)
