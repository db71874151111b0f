"""Tables against a number that was set beforehand: a margin between groups, a number from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.data.fields import field_name
from haechi.report.table import Cell, Column, Estimate, Table, table
from haechi.report.words import said, score_name, with_particle

if TYPE_CHECKING:
    from haechi.analysis.comparison import Comparison
    from haechi.analysis.outside_number import OutsideNumber


def margin_table(found: Comparison) -> Table:
    """Every two groups against the margin that was set."""
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("쌍", "pair"), "words"),
        Column(said("한계 ±", "margin ±")),
        Column(said("차이의 90 % 구간", "90 % interval")),
        Column(said("동등성 p", "p, equivalence"), "p"),
        Column(said("결론", "conclusion"), "words"),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        for one in criterion.equivalence:
            own = one.found
            low, high = own.ci90 or (None, None)
            middle = None if low is None or high is None else (low + high) / 2
            rows.append(
                [
                    score_name(found.items.rubric, name),
                    f"{one.a} − {one.b}",
                    own.margin,
                    Estimate(middle, low, high),
                    own.p,
                    _conclusion(
                        own.is_equivalent, own.first_not_worse.p, own.second_not_worse.p, one.a, one.b
                    ),
                ]
            )
    return table(said("한계와 견준 차이(동등성·비열등성)", "Against the margin"), columns, rows)


def _conclusion(same: bool | None, first: float | None, second: float | None, a: str, b: str) -> str:
    if same is None or first is None or second is None:
        return said("알 수 없음", "not known")
    if same:
        return said("한계 안에서 같음", "equivalent")
    if first < 0.05:
        return said(f"{a}: 한계보다 나쁘지 않음", f"{a} not worse")
    if second < 0.05:
        return said(f"{b}: 한계보다 나쁘지 않음", f"{b} not worse")
    return said("확인되지 않음", "not shown")


def outside_table(found: Comparison, one: OutsideNumber) -> Table:
    """Every score against a number from outside."""
    columns = [
        Column(said("점수", "score"), "words"),
        Column("n", "count"),
        Column(
            said("Pearson r [95 % 구간]", "Pearson r [95 % interval]"),
            "coefficient",
            short="Pearson r [95 %]",
        ),
        Column(
            said("Spearman ρ [95 % 구간]", "Spearman ρ [95 % interval]"),
            "coefficient",
            short="Spearman ρ [95 %]",
        ),
    ]
    rows: list[list[Cell]] = [
        [
            score_name(found.items.rubric, name),
            own.pearson.n,
            Estimate.of(own.pearson),
            Estimate.of(own.spearman),
        ]
        for name, own in one.scores.items()
    ]
    unit = (
        said("항목마다", "over items")
        if one.unit == "item"
        else said(f"{field_name(one.unit).ko}마다", f"over {one.unit}")
    )
    title = said(
        f"{with_particle(field_name(one.field).ko, '과/와')}의 상관({unit})",
        f"Correlation with {one.field} ({unit})",
    )
    note = (
        said(
            f"{with_particle(field_name(one.field).ko, '이/가')} 수가 아닌 항목 {one.left_out:,}개를 뺐습니다.",
            f"{one.left_out:,} items whose {one.field} is no number were left out.",
        )
        if one.left_out
        else ""
    )
    return table(title, columns, rows, note)
