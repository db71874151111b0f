"""Findings in words. Every rule is documented in docs/reports.md, and no finding stands without its figure."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.report.comparison import ComparedCriterion, Comparison
from haechi.report.document import Estimate, Finding, Tone, p_words, percent, say
from haechi.report.gathered import StudyFigures
from haechi.report.sections.items import items_to_read
from haechi.report.sections.reliability import headline
from haechi.report.sections.scores import criteria_of, is_partial
from haechi.report.words import said, score_label, with_particle
from haechi.stats import Figure, interpret, wilson
from haechi.text import language

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's cut-offs: conclusions may be drawn; only tentative ones."""
UNFOUNDED = 0.05
SIGNIFICANT = 0.05
SEVERE = 0.05
"""A rater stands out whose severity is more than this share of the score's range, and surely not 0."""
LOST = 0.05
FEW = 0.5
"""A mean of less than this share of the items says little about the rest."""
_NAMED = 5


def findings(figures: StudyFigures) -> tuple[Finding, ...]:
    """What a reader should know first, in the order in which it matters."""
    rules = (
        _few,
        _overall,
        _weakest,
        _failed_runs,
        _groups,
        _agreement,
        _people,
        _severity,
        _evidence,
        _missing,
    )
    found = [finding for rule in rules for finding in rule(figures)]
    return (*found, *_changed(figures), *_read(figures))


def _few(figures: StudyFigures) -> Iterator[Finding]:
    """The scores that most items lack, before anything is said about their means."""
    lacking = [name for name in figures.names if _is_few(figures, name)]
    if not lacking:
        return
    names = ", ".join(score_label(figures.rubric, name) for name in lacking)
    words = said(
        f"{names}: 항목 대부분에 값이 없어, 평균은 값이 있는 항목만의 것입니다. 판정을 더하거나 --exclude로 빼고 보세요.",
        f"{names}: most items have no value, so the means are those of the few that have one. "
        "Add verdicts, or leave them out with --exclude.",
    )
    known = "; ".join(f"{name} {figures.whole[name].n:,}/{figures.n_items:,}" for name in lacking)
    yield Finding("few", "problem", words, known)


def _is_few(figures: StudyFigures, name: str) -> bool:
    known = figures.whole[name].n
    return 0 < known < FEW * figures.n_items and not is_partial(figures.rubric, name)


def _overall(figures: StudyFigures) -> Iterator[Finding]:
    group, label = figures.whole[figures.main], score_label(figures.rubric, figures.main)
    mean = group.mean
    if mean.value is None:
        return
    low, high = figures.rubric.range(figures.main)
    place = percent((mean.value - low) / (high - low))
    words = said(
        f"{label}: 평균 {mean.value:.2f}점으로, 가능한 범위 {low:g}–{high:g}의 {place} 지점입니다.",
        f"{label}: {mean.value:.2f} on average, {place} of the way from {low:g} to {high:g}.",
    )
    yield Finding("overall", "plain", words, f"{figures.main} = {say(Estimate.of(mean))}, n = {group.n:,}")


def _weakest(figures: StudyFigures) -> Iterator[Finding]:
    """The criterion whose mean lies lowest in its range; "clearly" only if the next one's interval is above."""
    places = []
    for name in criteria_of(figures):
        mean = figures.whole[name].mean
        low, high = figures.rubric.range(name)
        if mean.value is not None and not _is_few(figures, name):
            places.append(((mean.value - low) / (high - low), name))
    if len(places) < 2:
        return
    (_, worst), (_, second) = sorted(places)[:2]
    one, other = figures.whole[worst].mean, figures.whole[second].mean
    clear = one.ci95 and other.ci95 and one.ci95[1] < other.ci95[0]
    name, following = score_label(figures.rubric, worst), score_label(figures.rubric, second)
    words = said(f"가장 약한 기준은 {name}입니다", f"The weakest criterion is {name}")
    words += (
        said(f". 다음인 {following}보다 뚜렷이 낮습니다.", f", clearly below the next, {following}.")
        if clear
        else said(
            f". 다음인 {with_particle(following, '과/와')}는 구간이 겹칩니다.",
            f"; its interval overlaps that of the next, {following}.",
        )
    )
    figure = f"{worst} = {say(Estimate.of(one))}; {second} = {say(Estimate.of(other))}"
    yield Finding("weakest", "caution", words, figure)


def _groups(figures: StudyFigures) -> Iterator[Finding]:
    for comparison in figures.comparisons:
        found = comparison.criteria[figures.main]
        labels = list(comparison.items.groups)
        if found.two is not None:
            yield _two(figures, comparison, found, labels)
        elif found.many is not None and found.many.welch_anova.p_corrected is not None:
            yield _many(figures, comparison, found)


def _two(
    figures: StudyFigures, comparison: Comparison, found: ComparedCriterion, labels: list[str]
) -> Finding:
    both, label = found.two, score_label(figures.rubric, figures.main)
    by = ", ".join(comparison.items.by)
    test, name, effect = (both.welch_t, "Welch t", both.hedges_g) if both else (None, "", None)
    difference = both.difference if both else None
    if found.paired is not None and found.paired.difference.value is not None:
        test, name, effect = found.paired.t_test, said("짝지은 t", "paired t"), found.paired.cohen_dz
        difference = found.paired.difference
    p = test.p_corrected if test else None
    if difference is None or difference.value is None or p is None:
        words = said(f"{by} 집단은 비교할 수 없습니다.", f"The groups of {by} cannot be compared.")
        return Finding("groups", "plain", words, f"n = {comparison.items.n}")
    higher, lower = (labels[0], labels[1]) if difference.value > 0 else (labels[1], labels[0])
    size = f"{abs(difference.value):.2f}"
    if p < SIGNIFICANT:
        words = said(
            f"{by}: {with_particle(label, '은/는')} {higher} 쪽이 {lower} 쪽보다 {size}점 높습니다.",
            f"By {by}: {label} is {size} higher for {higher} than for {lower}.",
        )
    else:
        words = said(
            f"{by}: {label}의 차이({size}점)는 우연으로도 설명됩니다.",
            f"By {by}: the difference in {label} ({size}) may be chance.",
        )
    figure = f"{labels[0]} − {labels[1]} = {say(Estimate.of(difference))}, {name} {p_words('p(Holm)', p)}"
    if effect is not None and effect.value is not None:
        figure += f", g = {effect.value:.2f}" if name == "Welch t" else f", dz = {effect.value:.2f}"
    return Finding("groups", "caution" if p < SIGNIFICANT else "plain", words, figure)


def _many(figures: StudyFigures, comparison: Comparison, found: ComparedCriterion) -> Finding:
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
    figure = (
        f"{highest[1]} {highest[0]:.2f}, {lowest[1]} {lowest[0]:.2f}, Welch ANOVA {p_words('p(Holm)', p)}"
    )
    return Finding("groups", "caution" if p is not None and p < SIGNIFICANT else "plain", words, figure)


def _agreement(figures: StudyFigures) -> Iterator[Finding]:
    """Krippendorff's α of the main score, for AI judges and for people where there are both."""
    found, main = figures.agreement, headline(figures)
    if found is None:
        return
    blocks = [(said("평가자들", "The raters"), found.criteria)]
    if found.panels:
        blocks = [
            (said("AI 평가자들", "The AI judges"), found.panels.ai_ai),
            (said("사람 평가자들", "The people"), found.panels.human_human),
        ]
    if all(main not in block or len(block[main].raters) < 2 for _, block in blocks):
        blocks = [(said("평가자들", "The raters"), found.criteria)]  # one person and one judge, say
    for who, block in blocks:
        if main not in block or len(block[main].raters) < 2:
            continue
        alpha = block[main].krippendorff_alpha
        tone, words = _trust(who, alpha)
        figure = f"Krippendorff α({main}) = {say(Estimate.of(alpha))}"
        icc = block[main].icc["ICC(2,1)"]
        figure += f", ICC(2,1) = {say(Estimate.of(icc))}" if icc.value is not None else ""
        yield Finding("agreement", tone, words, figure)


def _trust(who: str, alpha: Figure) -> tuple[Tone, str]:
    if alpha.value is None:
        reason = alpha.why.say(language()) if alpha.why else ""
        return "caution", said(
            f"{who}의 일치도를 계산할 수 없습니다: {reason}", f"{who}: agreement is not defined: {reason}"
        )
    unsure = alpha.ci95 is not None and alpha.ci95[0] < TENTATIVE <= alpha.value
    tail = (
        said(
            " 다만 구간의 아래 끝은 그에 못 미칩니다.",
            " But the lower end of the interval does not reach that.",
        )
        if unsure
        else ""
    )
    if alpha.value >= RELIABLE:
        return "caution" if unsure else "good", said(
            f"{who}의 판단은 믿을 만큼 일치합니다.", f"{who} agree well enough to be believed."
        ) + tail
    if alpha.value >= TENTATIVE:
        return "caution", said(
            f"{who}의 판단은 잠정적인 결론에 쓸 만큼만 일치합니다.",
            f"{who} agree only enough for tentative conclusions.",
        ) + tail
    return "problem", said(
        f"{who}의 판단은 점수를 믿을 만큼 일치하지 않습니다.",
        f"{who} do not agree enough for the score to be believed.",
    )


def _people(figures: StudyFigures) -> Iterator[Finding]:
    found, main = figures.agreement, headline(figures)
    if found is None or found.panels is None or main not in found.panels.human_ai:
        return
    panel = found.panels.human_ai[main].panel
    reading = interpret("correlation", panel.pearson)
    if reading is None or panel.pearson.value is None:
        return
    gap = panel.mean_difference
    biased = gap.ci95 is not None and (gap.ci95[0] > 0 or gap.ci95[1] < 0)
    against = panel.pearson.value < 0
    words = (
        said(
            "AI 평균은 사람 평균과 반대로 움직입니다.",
            "The judges' mean runs against the people's: what people score high, judges score low.",
        )
        if against
        else said(
            f"AI 평균과 사람 평균의 상관: {reading.word.ko}.",
            f"The correlation of the judges' mean with the people's is {reading.word.en}.",
        )
    )
    if gap.value is not None:
        words += " " + (
            said(
                f"AI가 사람보다 {gap.value:+.2f}점 다르게 줍니다.",
                f"The judges score {gap.value:+.2f} beside the people.",
            )
            if biased
            else said("점수 수준의 차이는 뚜렷하지 않습니다.", "Their levels do not clearly differ.")
        )
    figure = f"r = {say(Estimate.of(panel.pearson))}, AI − {said('사람', 'people')} = {say(Estimate.of(gap))}, n = {panel.n}"
    good = panel.pearson.value >= 0.7 and not biased
    tone: Tone = "problem" if against else "good" if good else "caution"
    yield Finding("people", tone, words, figure)


def _severity(figures: StudyFigures) -> Iterator[Finding]:
    main = headline(figures)
    low, high = figures.rubric.range(main)
    for rater in figures.agreement.raters if figures.agreement else ():
        severity = rater.criteria[main].behaviour.severity if main in rater.criteria else None
        if severity is None or severity.value is None or severity.ci95 is None:
            continue
        sure = severity.ci95[0] > 0 or severity.ci95[1] < 0
        if not sure or abs(severity.value) < SEVERE * (high - low):
            continue
        strict = severity.value < 0
        words = said(
            f"평가자 {with_particle(rater.rater, '은/는')} 다른 평가자들보다 {'엄격' if strict else '후'}합니다.",
            f"{rater.rater} is {'stricter' if strict else 'more lenient'} than the other raters.",
        )
        figure = f"{said('차이', 'severity')} = {say(Estimate.of(severity))} ({main}), n = {severity.n}"
        yield Finding("severity", "caution", words, figure)


def _evidence(figures: StudyFigures) -> Iterator[Finding]:
    share = figures.quoted.share()
    if share.value is None:
        return
    items = tuple(dict.fromkeys(one.item for one in figures.quoted.unfounded))[:_NAMED]
    words = said(
        f"AI 평가자가 인용한 근거의 {percent(share.value)}는 원문의 그 자리에 없습니다.",
        f"{percent(share.value)} of the evidence that AI judges quote does not stand where they say.",
    )
    tone: Tone = "caution" if share.value > UNFOUNDED else "good"
    yield Finding("evidence", tone, words, f"{say(Estimate.of(share))}, n = {share.n}", items)


def _missing(figures: StudyFigures) -> Iterator[Finding]:
    if is_partial(figures.rubric, figures.main):
        return
    n, total = figures.notable.n_lost, figures.n_rows
    if not n:
        return
    label = score_label(figures.rubric, figures.main)
    words = said(
        f"{label} 값 {n:,}건이 빠져 있습니다. 다시 평가할 항목입니다.",
        f"{n:,} values of {label} are missing; these items need another judgement.",
    )
    items = figures.notable.lost[:_NAMED]
    yield Finding(
        "missing",
        "caution" if n / total > LOST else "plain",
        words,
        f"{n:,}/{total:,} = {percent(n / total)}",
        items,
    )


def _failed_runs(figures: StudyFigures) -> Iterator[Finding]:
    if figures.run_notes is None:
        return
    failed, runs = figures.run_notes.n_failed, figures.n_rated
    words = said(f"실행 {failed:,}건이 실패했습니다.", f"{failed:,} runs failed.")
    items = figures.run_notes.failed[:_NAMED]
    tone: Tone = "problem" if failed else "good"
    yield Finding(
        "failures", tone, words, f"{failed}/{runs} = {say(Estimate.of(wilson(failed, runs)))}", items
    )


def _changed(figures: StudyFigures) -> Iterator[Finding]:
    changed = figures.changed_queries
    if changed is None or not changed.n:
        return
    n, queries = changed.n, changed.n_queries
    words = said(
        f"질의 {queries:,}개 중 {n:,}개는 회차마다 결과가 달랐습니다.",
        f"{n:,} of {queries:,} queries did not give the same result in every round.",
    )
    figure = f"{say(Estimate.of(wilson(n, queries)))}, n = {queries}"
    yield Finding("changed", "caution", words, figure)


def _read(figures: StudyFigures) -> Iterator[Finding]:
    chosen = items_to_read(figures)
    if not chosen:
        return
    items = tuple(chosen)[:_NAMED]
    words = said("다음으로 읽어 볼 항목:", "Read these items next:")
    yield Finding("read", "plain", words, f"{items[0]}: {chosen[items[0]]}", items)
