"""The findings on a change: what is not the same about the raters and the rubric, what got better, what got worse."""

from __future__ import annotations

from collections.abc import Collection

from haechi.analysis.change import StudyChange
from haechi.analysis.score_change import ScoreChange
from haechi.analysis.zero_by_rule import zero_by_rule
from haechi.report.document import Finding
from haechi.report.numbers import p_words, shows_nothing
from haechi.report.table import Estimate, Tone, say
from haechi.report.words import said, score_label, with_particle


def test_name(one: ScoreChange) -> str:
    """The test that was made, in words; nothing where nothing varies to be tested."""
    if one.p is None:
        return ""
    return {
        "paired t": said("짝지은 t", "paired t"),
        "Welch t": "Welch t",
        "Welch t within raters": said("평가자별 Welch t", "Welch t within raters"),
        "t over clusters": said("묶음을 고려한 t", "t over clusters"),
        "none": "",
    }[one.test]


def test_words(one: ScoreChange) -> str:
    """The test and its p-value, which is corrected where several scores are one question."""
    return f"{test_name(one)} {p_words('p' if one.p_corrected == one.p else 'p(Holm)', one.p_corrected)}"


def change_findings(found: StudyChange) -> tuple[Finding, ...]:
    """What is not the same about the raters and the rubric; what got better, what got worse; then what flipped."""
    made = [*_not_the_same(found), *_not_all(found)]
    ruled = {*zero_by_rule(found.before.scored), *zero_by_rule(found.after.scored)}
    made += _ruled(found, ruled)
    for one in sorted(found.scores, key=lambda one: (one.direction, one.name != found.after.main)):
        if one.name in ruled:
            continue
        same = one.difference.value is not None and shows_nothing(one.difference.value)
        direction = 0 if same else one.direction
        if direction == 0 and one.name != found.after.main:
            continue
        label = score_label(found.after.rubric, one.name)
        size = say(abs(one.difference.value or 0.0))
        unclear = (
            said(
                f"{with_particle(label, '은/는')} 소수점 아래 두 자리까지 그대로입니다.",
                f"{label} is the same to two decimals.",
            )
            if same
            else _not_shown(found, label, one)
        )
        words = {
            -1: said(
                f"{with_particle(label, '이/가')} {size}점 나빠졌습니다.", f"{label} got worse by {size}."
            ),
            0: unclear,
            1: said(
                f"{with_particle(label, '이/가')} {size}점 나아졌습니다.", f"{label} got better by {size}."
            ),
        }
        tones: dict[int, Tone] = {-1: "problem", 0: "plain", 1: "good"}
        figure = f"B − A = {say(Estimate.of(one.difference))}"
        if one.difference.value is None:
            words[0] = said(
                f"{label}의 변화는 계산할 수 없습니다.", f"The change in {label} cannot be computed."
            )
            figure = (
                Estimate.of(one.difference).why
                if one.refused
                else f"A: n = {one.before.n:,}, B: n = {one.after.n:,}"
            )
        elif one.p_corrected is not None:
            figure += f", {test_words(one)}"
        made.append(Finding("change", tones[direction], words[direction], figure))
    flipped = found.flips
    if flipped.up or flipped.down:
        words_ = said(
            "가능한 범위의 가운데를 넘어 뒤바뀐 항목이 있습니다.",
            "Some items crossed the middle of the range.",
        )
        figure = said(
            f"위로 {flipped.up:,}개, 아래로 {flipped.down:,}개", f"{flipped.up:,} up, {flipped.down:,} down"
        )
        made.append(Finding("flipped", "caution" if flipped.down else "plain", words_, figure, flipped.items))
    return tuple(made)


def _not_shown(found: StudyChange, label: str, one: ScoreChange) -> str:
    """That no change was shown is not that there is none."""
    words = said(f"{label}의 변화는 확인되지 않았습니다.", f"No change in {label} was shown.")
    low = one.difference.ci95[0] if one.difference.ci95 else 0.0
    least, most = found.after.rubric.range(one.name)
    low = max(low, least - most)  # no loss is larger than the scale
    if low < 0 and not shows_nothing(low):
        words += said(
            f" 자료는 {say(-low)}점까지의 하락도 배제하지 않습니다.",
            f" A loss of up to {say(-low)} is compatible with the data.",
        )
    return words


def _ruled(found: StudyChange, names: Collection[str]) -> list[Finding]:
    """What is 0 by rule in either study did not change: it was not measured there."""
    if not names:
        return []
    rubric = found.after.rubric
    listed = ", ".join(score_label(rubric, name) for name in found.after.names if name in names)
    words = said(
        f"{listed}: 잴 것이 없어 규칙에 따라 0점인 값이 있으므로 변화로 보지 않습니다. 이 값이 든 총점의 변화도 그만큼 조심해 읽으세요.",
        f"{listed}: some values are 0 by rule, for want of anything to measure, so no change is told; mind that totals hold them.",
    )
    sides = ((label, zero_by_rule(side.scored)) for label, side in (("A", found.before), ("B", found.after)))
    figure = "; ".join(
        f"{label}: " + ", ".join(f"{one.score} {one.n:,}/{one.of:,}" for one in own.values())
        for label, own in sides
        if own
    )
    return [Finding("ruled", "caution", words, figure)]


def _not_the_same(found: StudyChange) -> list[Finding]:
    """What a reader must know before any difference."""
    made, panel = [], found.sides.panel
    if panel.words is not None:
        before, after = (len({cell.rater for cell in side.who_rated}) for side in (found.before, found.after))
        common = len(panel.common)
        figure = said(
            f"평가자 수: A {before:,}, B {after:,}, 공통 {common:,}",
            f"raters: A {before:,}, B {after:,}, common {common:,}",
        )
        made.append(Finding("panel", "caution", panel.words.say(), figure))
    versions = found.before.rubric.version, found.after.rubric.version
    if versions[0] != versions[1]:
        words = said(
            "두 스터디의 루브릭 버전이 다릅니다. 기준의 뜻이 달라졌을 수 있습니다.",
            "The studies use different versions of the rubric; criteria may not mean the same.",
        )
        made.append(Finding("version", "caution", words, f"A {versions[0]}, B {versions[1]}"))
    return made


def _not_all(found: StudyChange) -> list[Finding]:
    """That pairs leave out items, of the main score or else of the first that lacks some."""
    sides = found.before.samples, found.after.samples
    partial = [
        one for one in found.scores if one.pairs and any(one.pairs < side[one.name].n for side in sides)
    ]
    if not partial:
        return []
    one = next((one for one in partial if one.name == found.after.main), partial[0])
    label, (first, second) = score_label(found.after.rubric, one.name), (side[one.name].n for side in sides)
    words = said(
        "모든 항목을 비교한 것은 아닙니다. 같은 평가자가 양쪽에서 점수를 준 항목만 비교합니다.",
        "Not all items are compared, only those that the same raters scored in both.",
    )
    figure = said(
        f"{label}: A {first:,}개, B {second:,}개 중 {one.pairs:,}개",
        f"{label}: {one.pairs:,} of {first:,} items in A and {second:,} in B",
    )
    return [Finding("compared", "caution", words, figure)]
