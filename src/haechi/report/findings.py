"""Findings in words. Every rule is documented in docs/reports.md, and no finding stands without its figure."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.analysis.comparison import ComparedCriterion, Comparison
from haechi.analysis.zero_by_rule import zero_by_rule
from haechi.report.document import Finding
from haechi.report.numbers import number, p_words, percent, shows_nothing
from haechi.report.rater_findings import rater_findings
from haechi.report.sections.items import items_to_read
from haechi.report.sections.scores import criteria_of
from haechi.report.table import Estimate, Tone, say
from haechi.report.tables.scores import few_scores, is_partial
from haechi.report.words import said, score_label, with_particle
from haechi.stats import Paired, TwoSamples, wilson
from haechi.stats.figure import Figure
from haechi.stats.outcome import Outcome
from haechi.stats.sample import NOISE

SIGNIFICANT = 0.05
LOST = 0.05
_NAMED = 5


def findings(figures: Analysis) -> tuple[Finding, ...]:
    """What a reader should know first, in the order in which it matters."""
    rules = (
        _few,
        _ruled,
        _overall,
        _weakest,
        _failed_runs,
        _groups,
        rater_findings,
        _missing,
    )
    found = [finding for rule in rules for finding in rule(figures)]
    return (*found, *_changed(figures), *_read(figures))


def _few(figures: Analysis) -> Iterator[Finding]:
    """The scores that most items lack, before anything is said about their means."""
    lacking = _lacking(figures)
    if not lacking:
        return
    names = ", ".join(score_label(figures.rubric, name) for name in lacking)
    words = said(
        f"{names}: 항목 대부분에 값이 없어, 평균은 값이 있는 항목만의 것입니다. 평가를 더하거나 --exclude로 빼고 보세요.",
        f"{names}: most items have no value, so the means are those of the few that have one. "
        "Add verdicts, or leave them out with --exclude.",
    )
    known = "; ".join(f"{name} {figures.whole[name].n:,}/{figures.n_items:,}" for name in lacking)
    yield Finding("few", "problem", words, known)


def _lacking(figures: Analysis) -> list[str]:
    known = {name: figures.whole[name].n for name in figures.names}
    return few_scores(figures.rubric, known, figures.n_items)


def _ruled(figures: Analysis) -> Iterator[Finding]:
    """Scores that a rule made 0 for every run, which is no measurement."""
    for name, why in zero_by_rule(figures.scored).items():
        label = score_label(figures.rubric, name)
        words = said(
            f"{with_particle(label, '은/는')} 모든 실행에서 규칙에 따라 0점입니다({why}). 시스템이 못했다는 뜻이 아닙니다.",
            f"{label} is 0 by rule for every run ({why}), which says nothing about the system.",
        )
        yield Finding("ruled", "caution", words, f"{name} = 0.00, n = {figures.whole[name].n:,}")


def _overall(figures: Analysis) -> Iterator[Finding]:
    group, label = figures.whole[figures.main], score_label(figures.rubric, figures.main)
    mean = group.mean
    if mean.value is None:
        return
    low, high = figures.rubric.range(figures.main)
    place = percent((mean.value - low) / (high - low))
    words = said(
        f"{with_particle(label, '은/는')} {number(mean.value)}점으로, 가능한 범위 {low:g}–{high:g}점의 {place} 지점입니다.",
        f"{label}: {number(mean.value)} on average, {place} of the way from {low:g} to {high:g}.",
    )
    yield Finding("overall", "plain", words, f"{figures.main} = {say(Estimate.of(mean))}, n = {group.n:,}")


def _weakest(figures: Analysis) -> Iterator[Finding]:
    """The criteria whose mean lies lowest in its range; "clearly" only if the next one's interval is above."""
    places = {}
    left_out = {*zero_by_rule(figures.scored), *_lacking(figures)}
    for name in criteria_of(figures):
        mean = figures.whole[name].mean
        low, high = figures.rubric.range(name)
        if mean.value is not None and name not in left_out:
            places[name] = (mean.value - low) / (high - low)
    if len(places) < 2:
        return
    lowest = min(places.values())
    worst = [name for name, place in places.items() if place - lowest <= NOISE]
    others = [name for name in places if name not in worst]
    second = min(others, key=lambda name: (places[name], name)) if others else None
    words = _weakest_words(figures, worst, second)
    shown = [*worst, *([second] if second else [])]
    figure = "; ".join(f"{name} = {say(Estimate.of(figures.whole[name].mean))}" for name in shown)
    yield Finding("weakest", "caution" if second else "plain", words, figure)


def _weakest_words(figures: Analysis, worst: list[str], second: str | None) -> str:
    if second is None:
        return said(
            "모든 기준이 똑같아 가장 약한 기준이 따로 없습니다.",
            "No criterion is the weakest: all are equal.",
        )
    names = ", ".join(score_label(figures.rubric, name) for name in worst)
    following = score_label(figures.rubric, second)
    one = len(worst) == 1
    words = said(
        f"가장 약한 기준은 {names}입니다" + ("" if one else "(동률)"),
        f"The weakest criterion is {names}" if one else f"The weakest criteria, equally low, are {names}",
    )
    ends, next_ends = [figures.whole[name].mean.ci95 for name in worst], figures.whole[second].mean.ci95
    highest = max((end[1] for end in ends if end is not None), default=None)
    if None in ends or highest is None or next_ends is None:
        return words + said(
            f". 구간이 없어 다음인 {with_particle(following, '과/와')} 뚜렷이 다른지는 알 수 없습니다.",
            f"; without intervals one cannot tell whether {'it is' if one else 'they are'} clearly below the next, "
            f"{following}.",
        )
    if highest < next_ends[0]:
        return words + said(
            f". 다음인 {following}보다 뚜렷이 낮습니다.", f", clearly below the next, {following}."
        )
    return words + said(
        f". 다음인 {with_particle(following, '과/와')}는 구간이 겹칩니다.",
        f"; {'its interval overlaps' if one else 'their intervals overlap'} that of the next, {following}.",
    )


def _groups(figures: Analysis) -> Iterator[Finding]:
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


def _missing(figures: Analysis) -> Iterator[Finding]:
    if is_partial(figures.rubric, figures.main):
        return
    n, total = figures.extremes.n_lost, figures.n_rows
    if not n:
        return
    label = score_label(figures.rubric, figures.main)
    words = said(
        f"{label} 값 {n:,}건이 결측입니다. 다시 평가할 항목입니다.",
        f"{n:,} values of {label} are missing; these items need another judgement.",
    )
    tone: Tone = "caution" if n / total > LOST else "plain"
    if n == total:
        tone, words = (
            "problem",
            said(
                f"{with_particle(label, '은/는')} 값이 하나도 없습니다. 이유는 '결측과 제외'에 있습니다.",
                f"There is no value of {label}; 'Missing and excluded' says why.",
            ),
        )
    items = figures.extremes.lost[:_NAMED]
    yield Finding(
        "missing",
        tone,
        words,
        f"{n:,}/{total:,} = {percent(n / total)}",
        items,
    )


def _failed_runs(figures: Analysis) -> Iterator[Finding]:
    if figures.run_notes is None:
        return
    failed, runs = figures.run_notes.n_failed, figures.n_rated
    words = (
        said(f"실행 {failed:,}건이 실패했습니다.", f"{failed:,} runs failed.")
        if failed
        else said("실패한 실행은 없습니다.", "No run failed.")
    )
    items = figures.run_notes.failed[:_NAMED]
    tone: Tone = "problem" if failed else "good"
    yield Finding(
        "failures", tone, words, f"{failed}/{runs} = {say(Estimate.of(wilson(failed, runs)), 'share')}", items
    )


def _changed(figures: Analysis) -> Iterator[Finding]:
    changed = figures.changed_queries
    if changed is None or not changed.n:
        return
    n, queries = changed.n, changed.n_queries
    words = said(
        f"질의 {queries:,}개 중 {n:,}개는 회차마다 결과가 달랐습니다.",
        f"{n:,} of {queries:,} queries did not give the same result in every round.",
    )
    figure = f"{say(Estimate.of(wilson(n, queries)), 'share')}, n = {queries}"
    yield Finding("changed", "caution", words, figure)


def _read(figures: Analysis) -> Iterator[Finding]:
    chosen = items_to_read(figures)
    if not chosen:
        return
    items = tuple(chosen)[:_NAMED]
    words = said("다음으로 읽어 볼 항목:", "Read these items next:")
    yield Finding("read", "plain", words, f"{items[0]}: {chosen[items[0]]}", items)
