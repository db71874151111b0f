"""Who scores lower or higher than the others on the same items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from haechi.analysis.analysis import Analysis
from haechi.report.document import Finding
from haechi.report.finding_items import of_rater, with_items
from haechi.report.sections.reliability import headline
from haechi.report.table import Estimate, say
from haechi.report.tables.habits import has_both
from haechi.report.words import said, with_particle
from haechi.stats import Figure
from haechi.text import Text

SEVERE = 0.05
"""A rater stands out whose severity is more than this share of the score's range, and surely not 0."""
_NAMED = 5


def severity_finding(figures: Analysis) -> Iterator[Finding]:
    """Who surely scores lower or higher than the others, all in one sentence.

    Among people alone, or judges alone, that is called strict or lenient; beside a lenient judge every person is lower.
    """
    main = headline(figures)
    low, high = figures.rubric.range(main)
    raters = figures.agreement.raters if figures.agreement else ()
    told: dict[str, Figure] = {}
    for rater in raters:
        severity = rater.criteria[main].behaviour.severity if main in rater.criteria else None
        if severity is None or severity.value is None or severity.ci95 is None:
            continue
        sure = severity.ci95[0] > 0 or severity.ci95[1] < 0
        if sure and abs(severity.value) >= SEVERE * (high - low):
            told[rater.rater] = severity
    if not told:
        return
    furthest = sorted(told, key=lambda rater: -abs(told[rater].value or 0.0))[:_NAMED]
    named = {rater: told[rater] for rater in furthest}
    more = len(told) - len(named)
    both = has_both(raters, main)
    lower = Text("낮게", "lower") if both else Text("낮게(엄격함)", "lower (stricter)")
    higher = Text("높게", "higher") if both else Text("높게(후함)", "higher (more lenient)")
    how = {rater: lower if (f.value or 0) < 0 else higher for rater, f in named.items()}
    ko = ", ".join(
        f"{with_particle(rater, '은/는')} {say(abs(f.value or 0))}점 {how[rater].say('ko')}"
        for rater, f in named.items()
    )
    en = ", ".join(f"{rater} {say(abs(f.value or 0))} {how[rater].say('en')}" for rater, f in named.items())
    others = (
        Text(
            "사람과 AI 평가자를 합한 나머지 평가자 전체의 평균보다",
            "all other raters, people and AI judges together",
        )
        if both
        else Text("다른 평가자들보다", "the others")
    )
    words = said(
        f"같은 항목에 {others.say('ko')} {ko} 줍니다."
        + (f" 차이가 그보다 작은 평가자가 {more}명 더 있습니다." if more else ""),
        f"On the same items some raters score otherwise than {others.say('en')}: {en}"
        + (f"; {more} more by less." if more else "."),
    )
    if len(raters) == 2:
        words = _of_two([one.rater for one in raters], told)
    whose = said("본인 − 다른 평가자", "own − others")
    figure = f"{whose} ({main}): " + "; ".join(
        f"{rater} = {say(Estimate.of(f))}, n = {f.n:,}" for rater, f in named.items()
    )
    numbers = {f"{main}.severity.{rater}": f.value for rater, f in told.items()}
    if figures.scored.cluster is not None:
        figure += said("; 구간은 묶음을 고려하지 않음", "; intervals take no account of clusters")
    finding = Finding("severity", "caution", words, figure, numbers=numbers)
    yield with_items(finding, of_rater(figures, main, furthest[0]))


def _of_two(raters: Sequence[str], told: Mapping[str, Figure]) -> str:
    """The difference of two raters, which is one and not two."""
    one = next(iter(told))
    other = next(rater for rater in raters if rater != one)
    apart = told[one].value or 0.0
    higher, lower = (one, other) if apart > 0 else (other, one)
    return said(
        f"같은 항목에 {with_particle(higher, '이/가')} {lower}보다 {say(abs(apart))}점 높게 줍니다.",
        f"On the same items {higher} scores {say(abs(apart))} higher than {lower}.",
    )
