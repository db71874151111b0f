"""Findings about those who rated: do they agree, with each other and with people; who is strict; are quotes true."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.report.criteria_findings import ENOUGH, is_apart
from haechi.report.document import Finding
from haechi.report.finding_items import from_people, most_apart, of_rater, with_items
from haechi.report.numbers import number, percent
from haechi.report.sections.reliability import headline
from haechi.report.severity_finding import severity_finding
from haechi.report.table import Estimate, Tone, say
from haechi.report.words import raters_of, said, score_label, with_particle
from haechi.stats import Agreement, Figure, Reading, interpret
from haechi.text import language

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's cut-offs: conclusions may be drawn; only tentative ones."""
_POOR, _GOOD = 0.5, 0.75  # of an ICC, Koo & Li 2016
STRONG = 0.7
"""Where a correlation begins to be strong (Schober et al. 2018)."""
UNFOUNDED = 0.05
_NAMED = 5


def rater_findings(figures: Analysis) -> Iterator[Finding]:
    """Whether the scores can be believed, by the rules of docs/reports.md."""
    for rule in (_agreement, _random, _people, _human_scale, severity_finding, _evidence):
        yield from rule(figures)


def _agreement(figures: Analysis) -> Iterator[Finding]:
    """How reliable the reported mean of each panel is: people and AI judges each among themselves, never together."""
    found, main = figures.agreement, headline(figures)
    for kind, block in (found.among if found else {}).items():
        if main not in block or len(block[main].raters) < 2:
            continue
        one = block[main]
        who = raters_of(figures, kind, one).say()
        (name_of_mean, of_mean), single, alpha = (
            one.reported_mean,
            one.icc["ICC(2,1)"],
            one.krippendorff_alpha,
        )
        reading = interpret("icc", of_mean)
        tone, words = _trust(who, of_mean, reading) if reading else _single(kind, alpha)
        if not reading and is_apart(alpha):  # which the finding about the criterion says
            continue
        named = {name_of_mean: of_mean, "ICC(2,1)": single, "Krippendorff α": alpha}
        known = {name: figure for name, figure in named.items() if figure.value is not None}
        figure = ", ".join(f"{name} = {say(Estimate.of(f), 'coefficient')}" for name, f in known.items())
        if not known:
            same = say(Estimate.of(one.percent_agreement), "share")
            figure = said(f"단순 일치율 {same}", f"percent agreement {same}")
        numbers = {f"{main}.{name}.{kind}": f.value for name, f in known.items()}
        finding = Finding(
            "agreement",
            tone,
            words,
            f"{figure} ({main}, n = {one.n_items:,})",
            numbers=numbers,
            advice=_what_to_do(kind, one),
        )
        yield with_items(finding, most_apart(figures, main, kind))


def _what_to_do(kind: str, one: Agreement) -> str:
    """What may help, by what there is: disputed items, or none that two have rated, or no difference at all."""
    if one.n_ratings == one.n_items:
        return said("같은 항목을 두 명 이상이 평가하게 하세요.", "Have two or more rate the same items.")
    if one.n_items < ENOUGH and one.reported_mean[1].value is None:
        return said(
            f"항목을 더 평가하세요. {ENOUGH}개는 있어야 구간을 구합니다.",
            f"Have more items rated: an interval takes {ENOUGH}.",
        )
    if one.krippendorff_alpha.value is None:
        return said(
            "점수가 서로 다른 항목을 더 넣어야 평가자들이 맞는지 볼 수 있습니다.",
            "Whether raters agree shows on items that do not all score the same.",
        )
    if kind == "ai":
        return said(
            "AI 평가자들이 갈린 항목을 읽고 기준의 문구를 다듬거나, AI 평가자를 늘리세요.",
            "Read the items on which the judges differ and reword the criteria, or take more judges.",
        )
    return ""


def _trust(who: str, figure: Figure, reading: Reading) -> tuple[Tone, str]:
    """What the mean that is reported is worth, in a word where the interval allows one."""
    value = float(figure)
    ends = figure.ci95 or (value, value)
    tone: Tone = "good" if ends[0] >= _GOOD else "problem" if value < _POOR else "caution"
    if reading.is_supported:
        return tone, said(
            f"{who}: 신뢰도 ‘{reading.words('ko')}’({reading.source}).",
            f"The reliability of {who} is {reading.words('en')} ({reading.source}).",
        )
    low, high = reading.between or (reading.word, reading.word)
    return tone, said(
        f"{who}: 신뢰도는 ‘{low.ko}’에서 ‘{high.ko}’ 사이로, 이 자료만으로는 더 좁혀 말할 수 없습니다({reading.source}).",
        f"The reliability of {who} lies between {low.en} and {high.en}; these data do not say more ({reading.source}).",
    )


def _single(kind: str, alpha: Figure) -> tuple[Tone, str]:
    """Where no mean can be judged: how far single ratings agree."""
    who = said("사람들", "people") if kind == "human" else said("AI 평가자들", "the AI judges")
    if alpha.value is None:
        reason = alpha.why.say(language()) if alpha.why else ""
        return "caution", said(
            f"{who}의 일치도를 계산할 수 없습니다: {reason}.",
            f"The agreement of {who} is not defined: {reason}.",
        )
    reading = interpret("krippendorff_alpha", alpha)
    if reading is None:
        reason = alpha.why_no_ci.say(language()) if alpha.why_no_ci else ""
        shown = number(alpha.value, "coefficient")
        return "caution", said(
            f"{who}의 일치도는 이 자료에서 {shown}이지만, 얼마나 확실한지 말할 수 없습니다. {reason}.",
            f"The agreement of {who} is {shown} in these data, but how sure that is cannot be said: {reason}.",
        )
    tone: Tone = "good" if (alpha.ci95 or (alpha.value,))[0] >= RELIABLE else "caution"
    if alpha.value < TENTATIVE:
        tone = "problem"
    if reading.is_supported or reading.between is None:
        return tone, said(
            f"{who}의 평가 하나하나의 일치도: ‘{reading.words('ko')}’({reading.source}).",
            f"How far single ratings of {who} agree: {reading.words('en')} ({reading.source}).",
        )
    low, high = reading.between
    return tone, said(
        f"{who}의 평가 하나하나의 일치도는 ‘{low.ko}’에서 ‘{high.ko}’ 사이로, 이 자료만으로는 더 좁혀 말할 수 없습니다({reading.source}).",
        f"How far single ratings of {who} agree lies between “{low.en}” and “{high.en}”; these data do not say more "
        f"({reading.source}).",
    )


def _random(figures: Analysis) -> Iterator[Finding]:
    """Raters whose values have nothing to do with what the others see, or run against it."""
    everyone = [one.with_others for one in figures.agreement.raters] if figures.agreement else []
    for one in (one for one in everyone if one.flag):
        name = str(one.rater)
        words = said(
            f"{with_particle(name, '은/는')} 다른 평가자들과 상관없이 답한 것으로 보입니다. 평가를 확인하고 빼고도 계산해 보세요."
            if one.flag == "random"
            else f"{with_particle(name, '은/는')} 다른 평가자들과 반대로 답합니다. 척도를 거꾸로 썼는지 확인하세요.",
            f"{name} answers as if at random: look at the ratings, and compute without them too."
            if one.flag == "random"
            else f"{name} answers against the others: was the scale used upside down?",
        )
        usual = (
            "" if one.typical is None else said(", 보통 ", ", usually ") + number(one.typical, "coefficient")
        )
        figure = f"r = {say(Estimate.of(one.correlation), 'coefficient')}{usual}, n = {one.correlation.n:,}"
        finding = Finding("random", "problem", words, figure, numbers={f"{name}.r": one.correlation.value})
        yield with_items(finding, of_rater(figures, headline(figures), name))


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
    against = max(panel.pearson.ci95 or (panel.pearson.value,)) < 0
    words = (
        said(
            "AI 평균은 사람 평균과 반대로 움직입니다.",
            "The judges' mean runs against the people's: what people score high, judges score low.",
        )
        if against
        else said(
            f"AI 평균과 사람 평균의 상관: {reading.words('ko')}.",
            f"The correlation of the judges' mean with the people's: {reading.words('en')}.",
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
    sure = (panel.pearson.ci95 or (panel.pearson.value,))[0] >= STRONG
    tone: Tone = "problem" if against else "good" if sure and not biased else "caution"
    numbers = {f"{main}.pearson": panel.pearson.value, f"{main}.mean_difference": gap.value, "n": panel.n}
    yield with_items(Finding("people", tone, words, figure, numbers=numbers), from_people(figures, main))


def _human_scale(figures: Analysis) -> Iterator[Finding]:
    """How far the AI judges' mean is from what people would have given for everything."""
    human, main = figures.human, figures.main
    if not human.is_there or human.is_all or human[main].mean.value is None:
        return
    found = human[main]
    apart = float(found.judge_only) - float(found.mean)
    low, high = found.mean.ci95 or (float("-inf"), float("inf"))
    is_off = not low <= float(found.judge_only) <= high
    amount, estimate = number(abs(apart)), say(Estimate.of(found.mean))
    more = said("높습니다", "above") if apart > 0 else said("낮습니다", "below")
    label = score_label(figures.rubric, main)
    words = (
        said(
            f"사람이 모두 평가했다면 {with_particle(label, '은/는')} {estimate}점이었을 것입니다. AI 평가자의 평균은 그보다 {amount}점 {more}.",
            f"Had people rated everything, {label} would be {estimate}; the AI judges' mean is {amount} {more} it.",
        )
        if is_off
        else said(
            f"사람이 모두 평가했다면 {with_particle(label, '은/는')} {estimate}점이었을 것입니다. AI 평가자의 평균도 이 구간 안에 있습니다.",
            f"Had people rated everything, {label} would be {estimate}; the AI judges' mean lies inside.",
        )
    )
    figure = (
        f"{main} = {estimate}, AI {number(float(found.judge_only))} (n = {found.n_human:,}/{found.n_items:,})"
    )
    numbers = {f"human.{main}": found.mean.value, f"{main}.ai": found.judge_only.value}
    finding = Finding("human", "caution" if is_off else "good", words, figure, numbers=numbers)
    yield with_items(finding, from_people(figures, main))


def _evidence(figures: Analysis) -> Iterator[Finding]:
    share = figures.quotes.share
    if share.value is None:
        return
    items = tuple(figures.quotes.unfounded["item"].unique(maintain_order=True).head(_NAMED))
    words = said(
        f"AI 평가자가 인용한 근거의 {percent(share.value)}는 원문의 그 자리에 없습니다.",
        f"{percent(share.value)} of the evidence that AI judges quote does not stand where they say.",
    )
    tone: Tone = "caution" if share.value > UNFOUNDED else "good"
    figure = f"{say(Estimate.of(share), 'share')}, n = {share.n}"
    numbers = {"unfounded": share.value, "quoted": share.n}
    yield Finding("evidence", tone, words, figure, items, numbers)
