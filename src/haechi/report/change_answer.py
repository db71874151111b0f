"""What a reader of two studies asks first: is it better, how sure is that, and what is to be looked at."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.change import StudyChange
from haechi.analysis.score_change import ScoreChange
from haechi.analysis.zero_by_rule import zero_by_rule
from haechi.korean.particles import particle
from haechi.report.document import Finding, ReportAnswer
from haechi.report.numbers import number, scale_end, shows_nothing, span
from haechi.report.table import Estimate, say
from haechi.report.words import said, score_label
from haechi.text import language, plural


def change_answer(found: StudyChange, findings: Sequence[Finding]) -> ReportAnswer:
    """How far the main score changed, over what, and the first finding that asks for a look."""
    main = main_change(found)
    look = (one for one in findings if one.tone in ("problem", "caution") and one.rule != "panel")
    return ReportAnswer(_good(found, main) + _ruled(found), _sure(found, main), next(look, None))


def main_change(found: StudyChange) -> ScoreChange:
    """The change of the main score; of the last score where the main one has none."""
    return next((one for one in found.scores if one.name == found.after.main), found.scores[-1])


def _good(found: StudyChange, one: ScoreChange) -> str:
    label, (low, high) = score_label(found.after.rubric, one.name), found.after.rubric.range(one.name)
    if one.difference.value is None or one.before.value is None or one.after.value is None:
        return said(f"{label}의 변화는 계산할 수 없습니다.", f"The change in {label} cannot be computed.")
    before, after = number(one.before.value), number(one.after.value)
    ko, en = f"{label}({span(low, high)}점)", f"{label} ({scale_end(low)} to {scale_end(high)})"
    if shows_nothing(one.difference.value):
        return said(
            f"{ko}: A와 B가 {after}{particle(after, '으로/로')} 같습니다.",
            f"{en}: the same in A and B, {after}.",
        )
    away = say(Estimate.of(one.difference))
    if one.direction == 0:
        return said(
            f"{ko}: A {before}, B {after}. 차이 B − A = {away}는 우연일 수 있습니다.",
            f"{en}: A {before}, B {after}. The difference, B − A = {away}, may be chance.",
        )
    up = one.direction > 0
    return said(
        f"{ko}: A {before}에서 B {after}{particle(after, '으로/로')} {'나아졌습니다' if up else '나빠졌습니다'}: {away}점.",
        f"{en} got {'better' if up else 'worse'}, from {before} in A to {after} in B: {away}.",
    )


def _ruled(found: StudyChange) -> str:
    """That the main score holds zeros by rule, which no change of the system made."""
    parts = found.after.rubric.criteria_of(found.after.main)
    ruled = [
        name for side in (found.before, found.after) for name in zero_by_rule(side.scored) if name in parts
    ]
    if not ruled:
        return ""
    return said(
        " 잴 것이 없어 규칙에 따라 0점인 값이 들어 있으니, 그만큼은 변화가 아닙니다.",
        " It holds values that are 0 by rule, for want of anything to measure, which are no change.",
    )


def _sure(found: StudyChange, one: ScoreChange) -> str:
    """Over what the difference was taken."""
    runs = found.after.rubric.item == "run"
    if one.difference.value is None:
        why = one.difference.why
        return f"{why.say(language())[:1].upper()}{why.say(language())[1:]}." if why else ""
    if one.pairs > 1:
        common = len(found.sides.panel.common)
        ko, en = ("실행", "run") if runs else ("항목", "item")
        who = (
            said(
                f"같은 평가자 {common:,}명이 ",
                "by the same rater" if common == 1 else f"by the same {common:,} raters",
            )
            if common and not runs
            else ""
        )
        return said(
            f"{who}양쪽에서 평가한 {ko} {one.pairs:,}개를 짝지어 비교했습니다."
            if who
            else f"양쪽에 있는 {ko} {one.pairs:,}개를 짝지어 비교했습니다.",
            f"Compared in pairs: {plural(one.pairs, en)} {f'rated in both {who}' if who else 'that are in both'}.",
        )
    return said(
        f"같은 항목이 둘 이상 없어, A의 {one.before.n:,}개와 B의 {one.after.n:,}개를 서로 다른 집단으로 비교했습니다.",
        f"Fewer than two items are in both: {one.before.n:,} of A and {one.after.n:,} of B are compared as groups of their own.",
    )
