"""Items that come from one person: clusters, so that twelve sessions of three students do not count as twelve students."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from haechi.analysis.comparison_options import ComparisonOptions
from haechi.analysis.group_pairs import GroupPairs, clustered
from haechi.data.fields import field_name
from haechi.frozen import frozen
from haechi.stats.clusters import Clustered
from haechi.stats.figure import Why


@frozen
class Clustering:
    """The field whose values are one cluster, how it was chosen, and what every cluster has; `alone`: the
    items without a value, clusters of their own."""

    field: str
    chosen: str
    scores: Mapping[str, Clustered]
    n: int
    alone: int

    @property
    def note(self) -> Why:
        """What a reader must know."""
        off, alone = self.chosen == "found", self.alone
        return Why(
            f"{field_name(self.field).ko} 값이 같은 항목은 서로 닮을 수 있어 묶음({self.n:,}개)을 단위로 오차를 계산했습니다"
            + (" (--cluster-by none으로 끔)." if off else ".")
            + (
                f" {field_name(self.field).ko} 값이 없는 항목 {alone:,}개는 각각 한 묶음으로 셌습니다."
                if alone
                else ""
            ),
            f"Items of one {self.field} may be alike, so the error is that of the {self.n:,} clusters"
            + (" (--cluster-by none turns it off)." if off else ".")
            + (f" {alone:,} items without a {self.field} are clusters of their own." if alone else ""),
        )

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {"field": self.field, "chosen": self.chosen, "clusters": self.n, "alone": self.alone}


def find_clusters(of: GroupPairs, asked: ComparisonOptions, paired: bool) -> Clustering | None:
    """The clusters of the field that was asked for, or found; nothing where what was found does not matter here.

    It does not where every cluster has one item, nor where it has one in every group and items are `paired`. of: the groups
    that are compared.
    """
    field = asked.clusters
    if field is None or field in of.by:
        return None
    scores, alone = clustered(replace(of, field=field))
    if asked.found:
        cells = [own.n if paired else own.n.sum(axis=1) for own in scores.values()]
        if max((int(own.max(initial=0)) for own in cells), default=0) < 2:
            return None
    n = max((int((own.n.sum(axis=1) > 0).sum()) for own in scores.values()), default=0)
    return Clustering(field, "found" if asked.found else "asked", scores, n, alone)
