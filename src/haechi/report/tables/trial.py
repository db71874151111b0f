"""Ways of judging side by side, and what may be said of them."""

from __future__ import annotations

from haechi.analysis.trial import JudgingWayPair, Trial
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.report.words import said, score_label
from haechi.rubrics import Rubric


def trial_table(rubric: Rubric, found: Trial) -> Table:
    """A row for every way of judging."""
    columns: list[Column | str] = [
        Column(said("방법", "way"), "words"),
        Column(said("사람과의 거리", "distance from people"), "share"),
        Column(said("사람과의 상관 r", "r with people"), "coefficient", leave_out=2),
        Column(said("항목당 비용($)", "dollars per item")),
        Column(said("항목당 초", "seconds per item"), leave_out=1),
    ]
    rows: list[list[Cell]] = [
        [
            one.rater,
            Estimate.of(one.distance, "share"),
            Estimate.of(one.correlation, "coefficient"),
            _dollars(one.dollars.value, one.dollars.ci95),
            Estimate.of(one.seconds),
        ]
        for one in found.variants
    ]
    label = score_label(rubric, found.score)
    note = said(
        f"사람이 평가한 항목 {found.items:,}개에서, {label} 점수가 사람들의 평균과 얼마나 떨어져 있는지를 척도 범위에 대한 비율로 나타냈습니다(작을수록 가까움). "
        f"예시로 보인 항목 {found.examples:,}개는 아무에게도 묻지 않았습니다.",
        f"On {found.items:,} items that people rated: how far {label} is from the mean of people, as a share of the scale (less is closer). "
        f"The {found.examples:,} items shown as examples were asked of nobody.",
    )
    return table(said("방법별 비교", "Ways of judging"), columns, rows, note)


def _dollars(value: float | None, ends: tuple[float, float] | None) -> str:
    if value is None:
        return said("모름", "unknown")
    return f"{value:.5f}" + (f" [{ends[0]:.5f}, {ends[1]:.5f}]" if ends else "")


def recommendation(found: Trial) -> list[str]:
    """What the trial says, and no more than that."""
    lines = []
    for worse, better in found.further.items():
        others = ", ".join(better)
        lines.append(
            said(
                f"{worse}는 {others}보다 사람의 평가에서 더 멀리 떨어져 있습니다(보정한 p < .05).",
                f"{worse} is further from people than {others} (corrected p < .05).",
            )
        )
    if not found.pairs or found.items < 2:
        return [said("비교할 수 있는 것이 없습니다.", "There is nothing to compare.")]
    if not lines:
        lines.append(_no_difference(found))
    best = found.recommended
    if best is None:
        lines.append(
            said(
                "가격을 모르는 방법이 있어 추천하지 않습니다.",
                "Some prices are unknown, so none is recommended.",
            )
        )
    else:
        lines.append(
            said(
                f"더 멀다는 것이 보이지 않은 방법 가운데 가장 싼 것은 {best.rater}입니다.",
                f"The cheapest of those that were not shown to be further is {best.rater}.",
            )
        )
    return lines


def _no_difference(found: Trial) -> str:
    reach = max((_reach(pair) for pair in found.pairs), default=0.0)
    if not reach:
        return said(
            f"방법 사이의 차이는 보이지 않았습니다. 항목 {found.items:,}개에서 모두 같은 거리였습니다.",
            f"No difference between the ways was shown: on all {found.items:,} items their distance is the same.",
        )
    return said(
        f"방법 사이의 차이는 보이지 않았습니다. 차이가 없다는 뜻은 아닙니다. 척도의 {say(100 * reach)} %까지의 차이는 이 자료와 어긋나지 않습니다.",
        f"No difference between the ways was shown. That does not mean there is none: one of up to {say(100 * reach)} % of the scale is compatible "
        "with these data.",
    )


def _reach(pair: JudgingWayPair) -> float:
    """The largest difference that is compatible with the data."""
    return max(abs(end) for end in pair.difference.ci95 or (0.0,))
