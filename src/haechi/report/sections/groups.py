"""Which groups differ, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.analysis import StudyFigures
from haechi.analysis.comparison import ComparedCriterion, Comparison
from haechi.report.charts import DotRow, dot_chart
from haechi.report.document import Cell, Estimate, Part, Plot, Section, Table, p_value, table
from haechi.report.sections.scores import common_range, criteria_of, is_binary, on_axis
from haechi.report.words import INTERVAL, said, score_label
from haechi.text import language

_SIDE_BY_SIDE = 4


def group_sections(figures: StudyFigures) -> list[Section]:
    """A section for every grouping."""
    return [_section(figures, comparison) for comparison in figures.comparisons]


def _section(figures: StudyFigures, comparison: Comparison) -> Section:
    by = ", ".join(comparison.items.by)
    parts: list[Part] = [_plot(figures, comparison)]
    tests = test_table(figures, comparison)
    if tests:
        parts.append(tests)
    parts += [note.say(language()) for note in comparison.items.notes]
    return Section(f"by-{by}", said(f"집단 비교: {by}", f"Groups by {by}"), tuple(parts))


def group_table(figures: StudyFigures, comparison: Comparison) -> Table:
    """The mean of every score in every group; shares of met for yes-or-no criteria, from all ratings."""
    labels = list(comparison.items.groups)
    by = ", ".join(comparison.items.by)
    names = list(comparison.criteria)
    means = {
        name: [Estimate.of(g.described.mean) for g in comparison.criteria[name].groups] for name in names
    }
    title = said(f"{by}별 {INTERVAL.ko}", f"{INTERVAL.en.capitalize()} by {by}")
    counts = [group.n for group in comparison.items.groups.values()]
    if len(labels) > len(names):
        rows: list[list[Cell]] = [
            [label, counts[i], *(means[name][i] for name in names)] for i, label in enumerate(labels)
        ]
        return table(title, [by, said("항목 수", "items"), *names], rows)
    rows = [[said("항목 수", "items"), *counts]]
    rows += [[score_label(figures.rubric, name), *means[name]] for name in names]
    rows += _shares(figures, comparison)
    return table(title, [said("점수", "score"), *labels], rows)


def _shares(figures: StudyFigures, comparison: Comparison) -> list[list[Cell]]:
    """Share of 1s over raters and items with Wilson's interval, and the items that most raters call met."""
    summary = {
        tuple(map(str, row.by.values())): row.scores
        for row in figures.scored.summary[1:]
        if tuple(row.by) == comparison.items.by
    }
    rows: list[list[Cell]] = []
    for name in comparison.criteria:
        if not is_binary(figures.rubric, name):
            continue
        label = score_label(figures.rubric, name)
        met: list[Cell] = [f"{label} · {said('충족 비율(모든 평가)', 'share met, all ratings')}"]
        most: list[Cell] = [f"{label} · {said('다수가 충족이라 한 항목', 'items most raters call met')}"]
        for group in comparison.criteria[name].groups:
            of = summary[tuple(group.by.values())][name]
            low, high = of.share_ci95 or (None, None)
            met.append(Estimate(of.mean, low, high))
            most.append(Estimate.of(group.share) if group.share else None)
        rows += [met, most]
        ties = [group.n_ties for group in comparison.criteria[name].groups]
        if any(ties):
            rows.append([f"{label} · {said('반반으로 갈린 항목', 'ties')}", *ties])
    return rows


def test_table(figures: StudyFigures, comparison: Comparison) -> Table | None:
    """Differences, effect sizes and corrected p-values."""
    labels = list(comparison.items.groups)
    if len(labels) < 2:
        return None
    first = comparison.criteria[next(iter(comparison.criteria))]
    if first.two is not None:
        return _two(figures, labels, comparison)
    columns = [said("점수", "score"), said("Welch 분산분석 p", "Welch ANOVA p"), said("Holm 보정", "Holm")]
    columns += ["Kruskal–Wallis p", said("Holm 보정", "Holm")]
    rows: list[list[Cell]] = []
    for name, found in comparison.criteria.items():
        if found.many is not None:
            anova, ranks = found.many.welch_anova, found.many.kruskal_wallis
            rows.append(
                [
                    score_label(figures.rubric, name),
                    *map(p_value, (anova.p, anova.p_corrected, ranks.p, ranks.p_corrected)),
                ]
            )
    note = said(
        "p는 기준들에 걸쳐 Holm 방법으로 보정했습니다.", "p-values are corrected over the criteria (Holm)."
    )
    return table(said("집단 간 검정", "Tests between the groups"), columns, rows, note)


def _two(figures: StudyFigures, labels: Sequence[str], comparison: Comparison) -> Table:
    pairs = comparison.items.pair is not None
    columns = [said("점수", "score"), said("차이 [95 % 구간]", "difference [95 % interval]"), "Hedges g"]
    columns += [said("Welch t의 p", "p, Welch t"), "Holm", said("Mann–Whitney p", "p, Mann–Whitney"), "Holm"]
    columns += (
        [said("짝의 차이", "difference of pairs"), said("짝지은 t의 p", "p, paired t"), "Holm"]
        if pairs
        else []
    )
    rows = [
        _row(score_label(figures.rubric, name), found, pairs) for name, found in comparison.criteria.items()
    ]
    title = f"{labels[0]} − {labels[1]}"
    return table(title, columns, rows)


def _row(name: str, found: ComparedCriterion, pairs: bool) -> list[Cell]:
    if found.two is None:
        return [name]
    t, u = found.two.welch_t, found.two.mann_whitney
    row: list[Cell] = [name, Estimate.of(found.two.difference), Estimate.of(found.two.hedges_g)]
    row += [p_value(p) for p in (t.p, t.p_corrected, u.p, u.p_corrected)]
    if pairs and found.paired is not None:
        test = found.paired.t_test
        row += [Estimate.of(found.paired.difference), p_value(test.p), p_value(test.p_corrected)]
    return row


def _plot(figures: StudyFigures, comparison: Comparison) -> Plot:
    rubric, labels = figures.rubric, list(comparison.items.groups)
    by = ", ".join(comparison.items.by)
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
