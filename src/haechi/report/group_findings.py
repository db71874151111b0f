"""Findings about groups: do they differ, and in what; does a score rise along an order; is a difference shown to be small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from haechi.analysis.analysis import Analysis
from haechi.analysis.compared_criterion import CategoryCounts, ComparedCriterion, MainTest
from haechi.analysis.comparison import Comparison
from haechi.report.document import Finding
from haechi.report.numbers import NumberKind, number, p_words, shows_nothing
from haechi.report.table import Estimate, say
from haechi.report.words import fields_label, groups_key, said, score_label, with_particle
from haechi.scoring.population import POOLED
from haechi.stats.corrections import CORRECTION_NAMES
from haechi.stats.figure import Figure
from haechi.text import language

if TYPE_CHECKING:
    from haechi.analysis.group_bridges import BridgedGroups

SIGNIFICANT = 0.05


def group_findings(figures: Analysis) -> Iterator[Finding]:
    """Whether groups differ in the main score, by the rules of docs/reports.md."""
    ranked = figures.ranking is not None
    for comparison in figures.comparisons:
        if ranked and comparison.items.by == ("system",):  # of which the ranking tells
            continue
        if (finding := _finding(figures, comparison)) is not None:
            yield replace(finding, section=groups_key(comparison.items.by))


def _finding(figures: Analysis, comparison: Comparison) -> Finding | None:
    found = comparison.criteria[figures.main]
    if comparison.bridged is not None:
        return _bridged(figures, comparison, comparison.bridged)
    if found.counts is not None and not figures.rubric.has_mean(figures.main):
        return _labels(figures, comparison, found.counts)
    if found.refused is not None:
        return _refused(comparison, found)
    finding = _of_means(figures, comparison, found)
    if finding is None or not comparison.items.pools_kinds:
        return finding
    return replace(finding, words=f"{finding.words} {POOLED.say()}")


def _of_means(figures: Analysis, comparison: Comparison, found: ComparedCriterion) -> Finding | None:
    """What the test says that fits the number and order of the groups."""
    if found.two is not None:
        return _two(figures, comparison, found)
    if found.of_trend is not None and found.of_trend.test.p is not None:
        return _trend(figures, comparison, found, found.of_trend)
    if found.of_many is not None and found.of_many.test.p is not None:
        return _many(figures, comparison, found, found.of_many)
    return None


def _bridged(figures: Analysis, comparison: Comparison, bridged: BridgedGroups) -> Finding:
    """Two groups that were not judged alike, over anchors."""
    one, (first, second) = bridged.scores[figures.main], bridged.labels
    label, by = score_label(figures.rubric, figures.main), fields_label(comparison.items.by)
    figure = f"{first} − {second} = {say(Estimate.of(one.difference))}, {p_words('p', one.p)}"
    if one.difference.value is None or one.p is None or not one.direction:
        words = said(
            f"{by} 집단의 {label} 차이는 보이지 않았습니다(AI 평가자를 다르게 물어 앵커로 이어 비교).",
            f"No difference of {label} between the groups of {by} was shown (a judge was not asked alike; compared over anchors).",
        )
    else:
        higher = first if one.difference.value > 0 else second
        words = said(
            f"{by} 집단 가운데 {higher}의 {with_particle(label, '이/가')} 높습니다(AI 평가자를 다르게 물어 앵커로 이어 비교).",
            f"Of the groups of {by}, {higher} has the higher {label} (a judge was not asked alike; compared over anchors).",
        )
    numbers = {f"{figures.main}.bridged": one.difference.value, "p": one.p}
    return Finding("groups", "plain", words, figure, numbers=numbers)


def _labels(figures: Analysis, comparison: Comparison, found: CategoryCounts) -> Finding | None:
    """Labels have no mean: whether groups fall into them equally often."""
    exact, chi = found.tests.exact, found.tests.chi_squared
    p = exact.p if exact is not None and exact.p is not None else chi.p
    if p is None:
        return None
    by, label = fields_label(comparison.items.by), score_label(figures.rubric, figures.main)
    differs = p < SIGNIFICANT
    words = (
        said(
            f"{by}별로 {label}의 분포가 다릅니다.",
            f"The labels of {label} are not equally frequent in the groups of {by}.",
        )
        if differs
        else said(
            f"{by}별 {label} 분포의 차이는 확인되지 않았습니다. 차이가 없다는 뜻은 아닙니다.",
            f"No difference between the groups of {by} in the labels of {label} was shown, which is not to say that there is none.",
        )
    )
    if comparison.items.clusters is not None:
        words += said(
            " 이 검정은 항목의 묶음을 고려하지 않은 것입니다.",
            " The test takes no account of clusters of items.",
        )
    degrees = ", ".join(f"{df:g}" for df in chi.df)
    figure = f"χ²({degrees}) = {say(chi.statistic)}, {p_words('p', chi.p)}"
    if exact is not None and exact.p is not None:
        figure += f", {p_words(said('정확 p', 'exact p'), exact.p)}"
    figure += f", Cramér V = {say(Estimate.of(found.tests.cramer_v), 'coefficient')}, n = {chi.n:,}"
    return Finding("groups", "caution" if differs else "plain", words, figure, numbers={"p": p})


def _refused(comparison: Comparison, found: ComparedCriterion) -> Finding:
    by, why = fields_label(comparison.items.by), found.refused
    words = said(
        f"{by} 집단은 서로 견줄 수 없습니다: {why.ko if why else ''}.",
        f"The groups of {by} cannot be compared: {why.en if why else ''}.",
    )
    return Finding("groups", "caution", words, f"n = {comparison.items.n}")


def _two(figures: Analysis, comparison: Comparison, found: ComparedCriterion) -> Finding:
    labels = list(comparison.items.groups)
    label, by = score_label(figures.rubric, figures.main), fields_label(comparison.items.by)
    spoken = found.of_two
    if spoken is None or spoken.difference is None or spoken.difference.value is None:
        why = spoken.difference.why if spoken is not None and spoken.difference is not None else None
        known = [group.described.n for group in found.groups]
        words = said(
            f"{by} 집단은 {label} 값이 모자라 비교할 수 없습니다" + (f": {why.ko}." if why else "."),
            f"The groups of {by} have too few values of {label} to be compared"
            + (f": {why.en}." if why else "."),
        )
        return Finding("groups", "plain", words, ", ".join(map("n = {:,}".format, known)))
    p, difference = spoken.test.decisive, spoken.difference
    value = spoken.difference.value
    higher, lower = (labels[0], labels[1]) if value > 0 else (labels[1], labels[0])
    size = say(abs(value))
    differs = p is not None and p < SIGNIFICANT and not shows_nothing(value)
    if shows_nothing(value):
        words = said(
            f"{by}: {with_particle(label, '은/는')} 소수점 아래 두 자리까지 차이가 없습니다.",
            f"By {by}: {label} does not differ to two decimals.",
        ) + _up_to(figures, difference)
    elif differs:
        words = said(
            f"{by}: {with_particle(label, '은/는')} {higher} 쪽이 {lower} 쪽보다 {size}점 높습니다.",
            f"By {by}: {label} is {size} higher for {higher} than for {lower}.",
        )
    else:
        words = _not_shown(figures, label, by, difference)
    words += _same_or_not(found)
    figure = f"{labels[0]} − {labels[1]} = {say(Estimate.of(difference))}"
    return Finding("groups", "caution" if differs else "plain", words, f"{figure}, {_test(spoken)}")


def _not_shown(figures: Analysis, label: str, by: str, difference: Figure) -> str:
    """No difference was shown, and how large a one would still fit the data; nothing is said to be absent."""
    words = said(
        f"{by}: {label}의 차이는 확인되지 않았습니다.", f"By {by}: no difference in {label} was shown."
    )
    return words + _up_to(figures, difference)


def _up_to(figures: Analysis, difference: Figure) -> str:
    """The largest difference that the data allow, which is at most the range; nothing without a width to speak of."""
    most = max(map(abs, difference.ci95)) if difference.ci95 else 0.0
    if shows_nothing(most):
        return ""
    low, high = figures.rubric.range(figures.main)
    if most >= high - low:
        return said(
            " 다만 이 자료로는 아무리 큰 차이도 배제할 수 없습니다.",
            " These data rule out no difference, however large.",
        )
    return said(
        f" 다만 {say(most)}점까지의 차이는 있을 수 있습니다.",
        f" A difference of up to {say(most)} is compatible with the data.",
    )


def _same_or_not(found: ComparedCriterion) -> str:
    """What a margin that was set beforehand allows to say."""
    if not found.equivalence or found.equivalence[0].found.is_equivalent is None:
        return ""
    margin, shown = say(found.equivalence[0].found.margin), found.equivalence[0].found.is_equivalent
    if shown:
        return said(
            f" 차이가 ±{margin}점 안이라는 것이 확인되었습니다(동등성 검정).",
            f" It is shown to lie within ±{margin} (equivalence).",
        )
    return said(
        f" 차이가 ±{margin}점 안이라고도 할 수 없습니다.", f" Nor is it shown to lie within ±{margin}."
    )


def _test(spoken: MainTest) -> str:
    """The test with its own p; the corrected one, where there is one, by its name."""
    name, test = spoken.name.say(language()), spoken.test
    if test.p is None:
        return said(f"검정 없음: {test.why.ko}", f"no test: {test.why.en}") if test.why else name
    words = f"{name} {p_words('p', test.p)}"
    if test.p_corrected is not None and test.p_corrected != test.p:
        words += f", {p_words(f'p({CORRECTION_NAMES[test.correction]})', test.p_corrected)}"
    if spoken.effect is not None and spoken.effect.value is not None:
        kind: NumberKind = "coefficient" if spoken.sign in ("τ", "W") else "score"
        words += f", {spoken.sign} = {say(Estimate.of(spoken.effect), kind)}"
    return words


def _trend(figures: Analysis, comparison: Comparison, found: ComparedCriterion, spoken: MainTest) -> Finding:
    """Ordered groups: the trend, which a test of any difference at all would give away."""
    by, label = fields_label(comparison.items.by), score_label(figures.rubric, figures.main)
    means = [group.described.mean.value for group in found.groups]
    row = " → ".join(say(mean) if mean is not None else "–" for mean in means)
    p, slope = spoken.test.decisive, spoken.difference
    shown = p is not None and p < SIGNIFICANT and slope is not None and slope.value is not None
    first, *_, last = comparison.items.groups
    if shown and slope is not None and slope.value is not None:
        up, size = slope.value > 0, say(abs(slope.value))
        words = said(
            f"{by}: {with_particle(label, '은/는')} {first}에서 {last}까지 한 단계에 평균 {size}점씩 {'높아집니다' if up else '낮아집니다'}.",
            f"By {by}: {label} {'rises' if up else 'falls'} from {first} to {last}, by {size} a step.",
        )
    else:
        words = said(
            f"{by}: {with_particle(label, '이/가')} 순서를 따라 오르거나 내린다는 것은 확인되지 않았습니다.",
            f"By {by}: {label} was not shown to rise or fall along the order.",
        )
        if slope is not None and slope.ci95 is not None:
            low, high = figures.rubric.range(figures.main)
            most = say(min(max(map(abs, slope.ci95)), (high - low) / (len(means) - 1)))
            words += said(
                f" 다만 한 단계에 {most}점까지의 변화는 있을 수 있습니다.",
                f" A change of up to {most} a step is compatible with the data.",
            )
    whole = found.of_many
    figure = f"{row}, {_test(spoken)}"
    if slope is not None:
        per_step = said("한 단계", "per step")
        figure = f"{row}, {per_step} = {say(Estimate.of(slope))}, {_test(spoken)}"
    if whole is not None and whole.test.p is not None:
        figure += f"; {_test(whole._replace(effect=None))}"
    return Finding("groups", "caution" if shown else "plain", words, figure)


def _many(figures: Analysis, comparison: Comparison, found: ComparedCriterion, spoken: MainTest) -> Finding:
    by, label = fields_label(comparison.items.by), score_label(figures.rubric, figures.main)
    p = spoken.test.decisive
    differs = p is not None and p < SIGNIFICANT
    means = [
        (g.described.mean.value, str(g.described.name))
        for g in found.groups
        if g.described.mean.value is not None
    ]
    lowest, highest = min(means), max(means)
    if differs:
        words = said(
            f"{by}별 {with_particle(label, '이/가')} 다릅니다. 가장 높은 집단은 {highest[1]}, 가장 낮은 집단은 {lowest[1]}입니다.",
            f"{label} differs by {by}: highest for {highest[1]}, lowest for {lowest[1]}.",
        )
    else:
        words = said(
            f"{by}별 {label} 차이는 확인되지 않았습니다. 차이가 없다는 뜻은 아닙니다.",
            f"No difference in {label} by {by} was shown, which is not to say that there is none.",
        )
    figure = f"{highest[1]} {number(highest[0])}, {lowest[1]} {number(lowest[0])}, {_test(spoken)}"
    return Finding("groups", "caution" if differs else "plain", words, figure)
