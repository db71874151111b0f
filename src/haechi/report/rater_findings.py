"""Findings about those who rated: do they agree, with each other and with people; who is strict; are quotes true."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.report.document import Finding
from haechi.report.numbers import percent
from haechi.report.sections.reliability import headline
from haechi.report.table import Estimate, Tone, say
from haechi.report.words import said, with_particle
from haechi.stats import Figure, interpret
from haechi.text import language

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's cut-offs: conclusions may be drawn; only tentative ones."""
UNFOUNDED = 0.05
SEVERE = 0.05
"""A rater stands out whose severity is more than this share of the score's range, and surely not 0."""
_NAMED = 5


def rater_findings(figures: Analysis) -> Iterator[Finding]:
    """Whether the scores can be believed, by the rules of docs/reports.md."""
    for rule in (_agreement, _people, _severity, _evidence):
        yield from rule(figures)


def _agreement(figures: Analysis) -> Iterator[Finding]:
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
        figure = f"Krippendorff α({main}) = {say(Estimate.of(alpha), 'coefficient')}"
        icc = block[main].icc["ICC(2,1)"]
        figure += f", ICC(2,1) = {say(Estimate.of(icc), 'coefficient')}" if icc.value is not None else ""
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


def _people(figures: Analysis) -> Iterator[Finding]:
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
                f"AI가 사람보다 {say(abs(gap.value))}점 {'높게' if gap.value > 0 else '낮게'} 줍니다.",
                f"The judges score {say(abs(gap.value))} {'higher' if gap.value > 0 else 'lower'} than the people.",
            )
            if biased
            else said("점수 수준의 차이는 뚜렷하지 않습니다.", "Their levels do not clearly differ.")
        )
    figure = f"r = {say(Estimate.of(panel.pearson), 'coefficient')}, "
    figure += f"AI − {said('사람', 'people')} = {say(Estimate.of(gap))}, n = {panel.n:,}"
    good = panel.pearson.value >= 0.7 and not biased
    tone: Tone = "problem" if against else "good" if good else "caution"
    yield Finding("people", tone, words, figure)


def _severity(figures: Analysis) -> Iterator[Finding]:
    main = headline(figures)
    low, high = figures.rubric.range(main)
    for rater in figures.agreement.raters if figures.agreement else ():
        severity = rater.criteria[main].behaviour.severity if main in rater.criteria else None
        if severity is None or severity.value is None or severity.ci95 is None:
            continue
        sure = severity.ci95[0] > 0 or severity.ci95[1] < 0
        if not sure or abs(severity.value) < SEVERE * (high - low):
            continue
        strict, size = severity.value < 0, say(abs(severity.value))
        words = said(
            f"평가자 {with_particle(rater.rater, '은/는')} 같은 항목에 다른 평가자들보다 {size}점 "
            f"{'낮게 줍니다(엄격함)' if strict else '높게 줍니다(후함)'}.",
            f"{rater.rater} is {'stricter' if strict else 'more lenient'} than the other raters: "
            f"{size} {'lower' if strict else 'higher'} on the same items.",
        )
        whose = said("본인 − 다른 평가자", "own − others")
        figure = f"{whose} = {say(Estimate.of(severity))} ({main}), n = {severity.n:,}"
        yield Finding("severity", "caution", words, figure)


def _evidence(figures: Analysis) -> Iterator[Finding]:
    share = figures.quotes.share()
    if share.value is None:
        return
    items = tuple(dict.fromkeys(one.item for one in figures.quotes.unfounded))[:_NAMED]
    words = said(
        f"AI 평가자가 인용한 근거의 {percent(share.value)}는 원문의 그 자리에 없습니다.",
        f"{percent(share.value)} of the evidence that AI judges quote does not stand where they say.",
    )
    tone: Tone = "caution" if share.value > UNFOUNDED else "good"
    yield Finding("evidence", tone, words, f"{say(Estimate.of(share), 'share')}, n = {share.n}", items)
