"""A coefficient: the share of items on which all raters agree."""

from __future__ import annotations

from haechi.stats.coefficients import Coefficient, Counted
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.interpretation import CutOffs

_CUT_OFFS = CutOffs(
    "our handbook", (0.5, 0.9), (Why("드묾", "rare"), Why("보통", "usual"), Why("거의 늘", "near always"))
)


def _compute(found: Counted) -> Figure:
    several = found.patterns.at_least(2)
    if not several.n_items:
        return undefined(Why("둘 이상이 평가한 항목이 없음", "no item with two ratings"), 0)
    agreed = several.counts().max(axis=1) == several.size
    return figure(float(several.count[agreed].sum()) / several.n_items, several.n_items)


UNANIMOUS = Coefficient(Why("전원 일치", "unanimous"), _compute, _CUT_OFFS, "categories")
