"""Which groups differ, and by how much."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.analysis.comparison import Comparison
from haechi.report.charts import DotRow, dot_chart
from haechi.report.document import Part, Plot, Section
from haechi.report.sections.scores import common_range, criteria_of, on_axis
from haechi.report.table import Cell, Estimate, Table
from haechi.report.tables.comparison import (
    about,
    human_groups,
    means_table,
    pairs_table,
    share_rows,
    test_tables,
)
from haechi.report.words import fields_label, said, score_label
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
    parts: list[Part] = [_plot(figures, comparison)]
    parts += test_tables(comparison)
    if len(comparison.items.groups) > 2 and (pairs := pairs_table(comparison)).rows:
        parts.append(pairs)
    if (human := human_groups(comparison)) is not None:
        parts.append(human)
    parts += [note.say(language()) for note in (comparison.correction, *comparison.items.notes)]
    return Section(
        f"by-{by}", said(f"집단 비교: {fields_label(comparison.items.by)}", f"Groups by {by}"), tuple(parts)
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


def _plot(figures: Analysis, comparison: Comparison) -> Plot:
    rubric, labels = figures.rubric, list(comparison.items.groups)
    by = fields_label(comparison.items.by)
    names = criteria_of(figures) if len(labels) <= _SIDE_BY_SIDE else [figures.main]
    title = said(f"{by}별 비교", f"Groups by {by}")
    alt = said(
        f"집단 {len(labels)}개의 평균과 95 % 구간을 나란히 나타낸 그림",
        f"Means of {len(labels)} groups with 95 % intervals, side by side",
    )
    shared = common_range(rubric, names)
    low, high = shared or (0.0, 1.0)
    axis = "" if shared else said("범위에서의 위치", "place in the range")
    own = {
        name: tuple(on_axis(g.described.mean, rubric, name, shared) for g in comparison.criteria[name].groups)
        for name in names
    }
    if len(labels) <= _SIDE_BY_SIDE:
        rows = [DotRow(score_label(rubric, name), found) for name, found in own.items()]
        picture = dot_chart(title, alt, rows, low, high, labels, axis=axis)
    else:
        main = names[0]
        rows = [DotRow(label, (found,)) for label, found in zip(labels, own[main], strict=True)]
        picture = dot_chart(title, alt, rows, low, high, axis=score_label(rubric, main))
    return Plot(title, picture, alt, group_table(figures, comparison), folded=False)
