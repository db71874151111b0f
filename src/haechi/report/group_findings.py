"""Findings about groups: do they differ, and in what."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.analysis.comparison import ComparedCriterion, Comparison
from haechi.report.document import Finding
from haechi.report.numbers import number, p_words, shows_nothing
from haechi.report.table import Estimate, say
from haechi.report.words import said, score_label, with_particle
from haechi.stats import Paired, TwoSamples
from haechi.stats.figure import Figure
from haechi.stats.outcome import Outcome

SIGNIFICANT = 0.05


def group_findings(figures: Analysis) -> Iterator[Finding]:
    """Whether groups differ in the main score, by the rules of docs/reports.md."""
    for comparison in figures.comparisons:
        found = comparison.criteria[figures.main]
        if found.two is not None:
            yield _two(figures, comparison, found.two, found.paired)
        elif found.many is not None and found.many.welch_anova.p_corrected is not None:
            yield _many(figures, comparison, found)


def _two(figures: Analysis, comparison: Comparison, both: TwoSamples, pairs: Paired | None) -> Finding:
    labels = list(comparison.items.groups)
    label, by = score_label(figures.rubric, figures.main), ", ".join(comparison.items.by)
    test, name, difference, effect = _tested(both, pairs)
    if difference.value is None:
        words = said(f"{by} 집단은 비교할 수 없습니다.", f"The groups of {by} cannot be compared.")
        return Finding("groups", "plain", words, f"n = {comparison.items.n}")
    p = test.p_corrected
    higher, lower = (labels[0], labels[1]) if difference.value > 0 else (labels[1], labels[0])
    size = say(abs(difference.value))
    differs = p is not None and p < SIGNIFICANT and not shows_nothing(difference.value)
    if shows_nothing(difference.value):
        words = said(
            f"{by}: {with_particle(label, '은/는')} 소수점 아래 두 자리까지 차이가 없습니다.",
            f"By {by}: {label} does not differ to two decimals.",
        )
    elif differs or p is None:
        words = said(
            f"{by}: {with_particle(label, '은/는')} {higher} 쪽이 {lower} 쪽보다 {size}점 높습니다.",
            f"By {by}: {label} is {size} higher for {higher} than for {lower}.",
        )
    else:
        words = said(
            f"{by}: {label}의 차이({size}점)는 우연으로도 설명됩니다.",
            f"By {by}: the difference in {label} ({size}) may be chance.",
        )
    figure = f"{labels[0]} − {labels[1]} = {say(Estimate.of(difference))}, "
    if p is not None:
        figure += f"{name} {p_words('p(Holm)', p)}"
    elif test.why is not None:
        figure += said(f"검정 없음: {test.why.ko}", f"no test: {test.why.en}")
    if effect.value is not None:
        figure += f", {'g' if effect is both.hedges_g else 'dz'} = {say(effect.value)}"
    return Finding("groups", "caution" if differs else "plain", words, figure)


def _tested(both: TwoSamples, pairs: Paired | None) -> tuple[Outcome, str, Figure, Figure]:
    """The test to speak of and its name, the difference, the effect; ranks are asked where nothing varies for a t."""
    if pairs is not None and pairs.difference.value is not None:
        t, ranks, difference, effect = pairs.t_test, pairs.wilcoxon, pairs.difference, pairs.cohen_dz
        names = said("짝지은 t", "paired t"), "Wilcoxon"
    else:
        t, ranks, difference, effect = both.welch_t, both.mann_whitney, both.difference, both.hedges_g
        names = "Welch t", "Mann–Whitney"
    if t.p_corrected is None and ranks.p_corrected is not None:
        return ranks, names[1], difference, effect
    return t, names[0], difference, effect


def _many(figures: Analysis, comparison: Comparison, found: ComparedCriterion) -> Finding:
    by, label = ", ".join(comparison.items.by), score_label(figures.rubric, figures.main)
    p = found.many.welch_anova.p_corrected if found.many else None
    means = [
        (g.described.mean.value, str(g.described.name))
        for g in found.groups
        if g.described.mean.value is not None
    ]
    lowest, highest = min(means), max(means)
    if p is not None and p < SIGNIFICANT:
        words = said(
            f"{by}에 따라 {with_particle(label, '이/가')} 다릅니다. 가장 높은 집단은 {highest[1]}, 가장 낮은 집단은 {lowest[1]}입니다.",
            f"{label} differs by {by}: highest for {highest[1]}, lowest for {lowest[1]}.",
        )
    else:
        words = said(
            f"{by}에 따른 {label}의 차이는 우연으로도 설명됩니다.",
            f"Differences in {label} by {by} may be chance.",
        )
    figure = f"{highest[1]} {number(highest[0])}, {lowest[1]} {number(lowest[0])}, Welch ANOVA {p_words('p(Holm)', p)}"
    return Finding("groups", "caution" if p is not None and p < SIGNIFICANT else "plain", words, figure)
