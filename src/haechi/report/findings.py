"""Findings in words. Every rule is documented in docs/reports.md, and no finding stands without its figure."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.analysis.compared_criterion import without_interval
from haechi.analysis.zero_by_rule import WITHOUT, totals_without, zero_by_rule
from haechi.data.agent_run import VERSION
from haechi.report.advice import with_advice
from haechi.report.criteria_findings import criteria_findings
from haechi.report.document import Finding, with_first
from haechi.report.finding_items import by_rule, with_items
from haechi.report.group_findings import group_findings
from haechi.report.numbers import number, p_words, percent, scale_end, span
from haechi.report.once import once
from haechi.report.own_findings import own_findings
from haechi.report.rater_findings import rater_findings
from haechi.report.sections.ranking import ranking_findings
from haechi.report.sections.reading import items_to_read
from haechi.report.table import Estimate, Tone, say
from haechi.report.tables.scores import few_scores, is_partial
from haechi.report.words import (
    is_of_few,
    of_versions,
    panel_of,
    said,
    score_label,
    with_particle,
    without_result,
)
from haechi.stats import wilson

LOST = 0.05
_NAMED = 5
_TONES: tuple[Tone, ...] = ("problem", "caution")
_ORDER = (
    "few", "overall", "order", "unusable", "ruled", "agreement", "random", "people", "human", "failures", "wrong", "weakest",
    "missed", "versions",
    "groups", "changed", "shape", "severity", "missing", "evidence", "read",
)  # fmt: skip
"""What a reader would do next: see how good it is, mend the data, then the raters, then the system; then read."""


@once
def findings(figures: Analysis) -> tuple[Finding, ...]:
    """All findings, those first that a reader would act on first: how good, then problems, cautions and the rest."""
    rules = (
        ranking_findings,
        _overall,
        _few,
        _ruled,
        criteria_findings,
        _failed_runs,
        group_findings,
        rater_findings,
    )
    more = (own_findings, _missing, _versions, _changed, _read)
    found = [finding for rule in (*rules, *more) for finding in rule(figures)]
    return with_first([with_advice(finding) for finding in sorted(found, key=_rank)])


def _rank(finding: Finding) -> tuple[int, int, int]:
    tone = _TONES.index(finding.tone) if finding.tone in _TONES else len(_TONES)
    place = _ORDER.index(finding.rule) if finding.rule in _ORDER else len(_ORDER)
    before = {"few": 0, "overall": 1}  # a mean of a few items is no headline before that is said
    return before.get(finding.rule, 2), tone, place


def _few(figures: Analysis) -> Iterator[Finding]:
    """The scores that most items lack, before anything is said about their means."""
    lacking = _lacking(figures)
    if not lacking:
        return
    names = ", ".join(score_label(figures.rubric, name) for name in lacking)
    ko, en = ("실행", "runs") if figures.rubric.item == "run" else ("항목", "items")
    words = said(
        f"{names}: {ko} 대부분에 값이 없어, 평균은 값이 있는 {ko}만의 것입니다. 평가를 더하거나 --exclude로 빼고 보세요.",
        f"{names}: most {en} have no value, so the means are those of the few that have one. "
        "Add ratings, or leave them out with --exclude.",
    )
    counts = {name: figures.whole[name].n for name in lacking}
    known = "; ".join(f"{name} {n:,}/{figures.n_items:,}" for name, n in counts.items())
    items = figures.extremes.lost[:_NAMED] if figures.main in lacking else ()
    yield Finding("few", "problem", words, known, items, {**counts, "items": figures.n_items})


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
    if without is not None and without.mean is not None and not is_of_few(figures):
        label = score_label(figures.rubric, main)
        whole = figures.whole[main].mean.value
        same = whole is not None and number(whole) == number(without.mean)
        words += said(
            f" 이를 {'빼도' if same else '빼면'} {with_particle(label, '은/는')} {number(without.mean)}점입니다.",
            f" Without them {label} is {'still ' if same else ''}{number(without.mean)}.",
        )
        figure += f"; {main}{WITHOUT} = {say(Estimate(without.mean, *(without.ci95 or (None, None))))}, n = {without.n:,}"
    numbers: dict[str, float | None] = {one.score: one.n for one in zeros.values()}
    if without is not None:
        numbers[main + WITHOUT] = without.mean
    finding = Finding("ruled", "caution", words, figure, numbers=numbers)
    yield with_items(finding, by_rule(figures, next(iter(zeros))))


def _overall(figures: Analysis) -> Iterator[Finding]:
    """The main score as each panel gave it: people and AI judges are never one figure."""
    if figures.rubric.item == "pair":  # of which the ranking tells
        return
    label = score_label(figures.rubric, figures.main)
    low, high = figures.rubric.range(figures.main)
    rated = figures.panels
    if not rated or is_of_few(figures):
        return
    told = []
    for kind, group in rated.items():
        mean = group.mean.value or 0.0
        told.append(
            (panel_of(figures, kind), number(mean), percent((mean - low) / (high - low)), f"{group.n:,}")
        )
    if len(told) == 1 and (low, high) == (0, 1):  # of which the mean is the place
        ((who, mean_, _, _),) = told
        words = said(
            f"{with_particle(label, '은/는')} 0–1점 가운데 {mean_}점입니다({who[0]}).",
            f"{label}: {mean_} of 1, {who[1]}.",
        )
    elif len(told) == 1:
        ((who, mean_, place, _),) = told
        words = said(
            f"{with_particle(label, '은/는')} {mean_}점({who[0]})으로, 가능한 범위 {span(low, high)}점의 {place} 지점입니다.",
            f"{label}: {mean_}, {who[1]}, {place} of the way from {scale_end(low)} to {scale_end(high)}.",
        )
    else:
        ko = ", ".join(f"{who[0]} {mean_}점(항목 {n}개)" for who, mean_, _, n in told)
        en = "; ".join(f"{mean_}, {who[1]} ({n} items)" for who, mean_, _, n in told)
        words = said(
            f"{label}: {ko}. 가능한 범위는 {span(low, high)}점이며, 사람과 AI의 점수는 한 수치로 합치지 않았습니다.",
            f"{label}, from {scale_end(low)} to {scale_end(high)}: {en}. People and judges are not pooled.",
        )
    figure = "; ".join(
        f"{figures.main}{f' · {kind}' if len(rated) > 1 else ''} = {say(Estimate.of(group.mean))}, n = {group.n:,}"
        for kind, group in rated.items()
    )
    numbers = {f"{figures.main}.{kind}": group.mean.value for kind, group in rated.items()}
    yield Finding("overall", "plain", words, figure, numbers=numbers)


def _missing(figures: Analysis) -> Iterator[Finding]:
    if is_partial(figures.rubric, figures.main) or figures.main in _lacking(figures):
        return  # not to be expected, or the first finding
    n, total = figures.extremes.n_lost, figures.n_rows
    if not n:
        return
    label = score_label(figures.rubric, figures.main)
    words = said(
        f"{label} 값 {n:,}건이 결측입니다. 다시 평가할 항목입니다.",
        f"{n:,} values of {label} are missing; these items need another judgement.",
    )
    of_items = any(criterion.scale.of_items for criterion in figures.rubric.criteria)
    if figures.rubric.item == "run" or of_items:  # nobody was asked yet, or a list has nothing to earn
        words = said(
            f"{label} 값 {n:,}건이 결측입니다. 무엇이 없는지는 ‘결측과 제외’에 있습니다.",
            f"{n:,} values of {label} are missing; “Missing and excluded” says what they lack.",
        )
    tone: Tone = "caution" if n / total > LOST else "plain"
    if n == total:
        tone, words = (
            "problem",
            said(
                f"{with_particle(label, '은/는')} 값이 하나도 없습니다. 까닭은 ‘결측과 제외’에 있습니다.",
                f"There is no value of {label}; “Missing and excluded” says why.",
            ),
        )
    items = figures.extremes.lost[:_NAMED]
    yield Finding(
        "missing",
        tone,
        words,
        f"{n:,}/{total:,} = {percent(n / total)}",
        items,
        {"missing": n, "values": total},
    )


def _failed_runs(figures: Analysis) -> Iterator[Finding]:
    if figures.run_notes is None:
        return
    notes, runs = figures.run_notes, figures.n_rated
    failed, empty = notes.n_failed, notes.n_unanswered
    items = (*notes.first_failed, *notes.first_unanswered)[:_NAMED]
    tone: Tone = "problem" if failed or empty else "good"
    share = wilson(failed, runs)
    if figures.scored.cluster is not None:
        share = without_interval(share)
    figure = f"{failed}/{runs} = {say(Estimate.of(share), 'share')}"
    numbers = {"failed": failed, "unanswered": empty, "runs": runs}
    yield Finding("failures", tone, without_result(notes), figure, items, numbers)


def _changed(figures: Analysis) -> Iterator[Finding]:
    changed = figures.changed_queries
    if changed is None or not changed.n:
        return
    n, queries = changed.n, changed.n_queries
    words = said(
        f"질의 {queries:,}개{of_versions(figures).ko} 중 {n:,}개는 실행마다 결과가 같지 않았습니다(성공 여부, 화면 데이터, 의도, 점수).",
        f"{n:,} of {queries:,} queries{of_versions(figures).en} did not do the same in every round (success, data, intent, scores).",
    )
    figure = f"{say(Estimate.of(wilson(n, queries)), 'share')}, n = {queries}"
    items = tuple(item for runs in changed.most["items"].to_list() for item in runs)[:_NAMED]
    yield Finding("changed", "caution", words, figure, items, {"changed": n, "queries": queries})


def _versions(figures: Analysis) -> Iterator[Finding]:
    """What became of the queries from the last version but one to the last."""
    found = figures.trend
    if found is None or found.field != VERSION or not found.steps:
        return
    step = found.steps[-1]
    counts, changed = step.counts, step.of("fixed", "broken")
    told = {word: counts[word] for word in ("broken", "fixed", "flaky", "both_passed", "both_failed")}
    unsure = changed.height - int(changed["sure"].sum())
    words = said(
        f"{step.before} → {step.after}: 깨진 질의 {told['broken']:,}개, 고쳐진 질의 {told['fixed']:,}개, 불안정한 질의 {told['flaky']:,}개.",
        f"{step.before} → {step.after}: queries broken {told['broken']:,}, fixed {told['fixed']:,}, flaky {told['flaky']:,}.",
    )
    if unsure:
        words += said(
            f" 그중 {unsure:,}개는 반복이 모자라 우연일 수 있습니다(버전마다 {step.repeats_needed}번 이상 필요).",
            f" Of the broken and fixed, {unsure:,} may be chance: it takes {step.repeats_needed} runs of each version to say so.",
        )
    figure = said("모두 통과", "both passed") + f" {told['both_passed']:,}, "
    figure += said("모두 실패", "both failed") + f" {told['both_failed']:,}"
    if step.test.exact.p is not None:
        figure += f"; {p_words('McNemar p', step.test.exact.p)}"
    tone: Tone = "problem" if told["broken"] else "caution" if told["flaky"] else "plain"
    items = tuple(step.of("broken")["item"].head(_NAMED).to_list())
    numbers: dict[str, float | None] = {**told, "p": step.test.exact.p}
    yield Finding("versions", tone, words, figure, items, numbers)


def _read(figures: Analysis) -> Iterator[Finding]:
    chosen = items_to_read(figures)
    if not chosen:
        return
    items = tuple(chosen)[:_NAMED]
    words = said("다음으로 읽어 볼 항목:", "Read these items next:")
    yield Finding("read", "plain", words, f"{items[0]}: {chosen[items[0]]}", items, {"items": len(items)})
