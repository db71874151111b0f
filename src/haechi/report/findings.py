"""Findings in words. Every rule is documented in docs/reports.md, and no finding stands without its figure."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.analysis.zero_by_rule import WITHOUT, totals_without, zero_by_rule
from haechi.report.document import Finding
from haechi.report.group_findings import group_findings
from haechi.report.numbers import number, percent
from haechi.report.rater_findings import rater_findings
from haechi.report.sections.items import items_to_read
from haechi.report.sections.scores import criteria_of
from haechi.report.table import Estimate, Tone, say
from haechi.report.tables.scores import few_scores, is_partial
from haechi.report.words import said, score_label, with_particle
from haechi.stats import wilson
from haechi.stats.sample import NOISE

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
        group_findings,
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
    """Scores that a rule made 0, which is no measurement, and the total without them."""
    zeros = zero_by_rule(figures.scored)
    if not zeros:
        return
    named = "; ".join(
        said(
            f"{score_label(figures.rubric, one.score)} {one.n:,}/{one.of:,}건({one.why})",
            f"{score_label(figures.rubric, one.score)} in {one.n:,} of {one.of:,} runs ({one.why})",
        )
        for one in zeros.values()
    )
    words = said(
        f"잴 것이 없어 규칙에 따라 0점인 값이 있습니다: {named}. 시스템이 못했다는 뜻이 아닙니다.",
        f"Some scores are 0 by rule because there was nothing to measure: {named}. That says nothing about the system.",
    )
    main, without = figures.main, totals_without(figures.scored).get(figures.main)
    figure = ", ".join(f"{one.score} {one.n:,}/{one.of:,}" for one in zeros.values())
    if without is not None and without.mean is not None:
        label = score_label(figures.rubric, main)
        words += said(
            f" 이를 빼면 {with_particle(label, '은/는')} {number(without.mean)}점입니다.",
            f" Without them {label} is {number(without.mean)}.",
        )
        figure += f"; {main}{WITHOUT} = {say(Estimate(without.mean, *(without.ci95 or (None, None))))}, n = {without.n:,}"
    yield Finding("ruled", "caution", words, figure)


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
