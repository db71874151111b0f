"""Items that come from one person: clusters, so that twelve sessions of three students do not count as twelve students."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from haechi.analysis.pairs import Sided, clustered
from haechi.scoring.batches import Batches
from haechi.scoring.population import is_person
from haechi.stats.clusters import Clustered
from haechi.stats.figure import Why

if TYPE_CHECKING:
    from haechi.analysis.compared_items import ComparedItems


@dataclass(frozen=True)
class Clustering:
    """The field whose values are one cluster, how it was chosen, and what every cluster has; items without one counted."""

    field: str
    chosen: str
    scores: Mapping[str, Clustered]
    n: int
    left_out: int

    @property
    def note(self) -> Why:
        """What a reader must know."""
        off = self.chosen == "found"
        gone = self.left_out
        return Why(
            f"{self.field} 값이 같은 항목은 서로 닮을 수 있어 묶음({self.n:,}개)을 단위로 오차를 계산했습니다"
            + (" (--cluster-by none으로 끔)." if off else ".")
            + (f" {self.field} 값이 없는 항목 {gone:,}개는 이 검정에서 뺐습니다." if gone else ""),
            f"Items of one {self.field} may be alike, so the error is that of the {self.n:,} clusters"
            + (" (--cluster-by none turns it off)." if off else ".")
            + (f" {gone:,} items without a {self.field} are left out of these tests." if gone else ""),
        )

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {"field": self.field, "chosen": self.chosen, "clusters": self.n, "left_out": self.left_out}


def find_clusters(batches: Batches, items: ComparedItems, meta: Sequence[str]) -> Clustering | None:
    """The clusters of a field that was asked for, else of one that names people and has several items of one of them."""
    wished = items.asked.cluster
    if wished == "none":
        return None
    fields = [wished] if wished is not None else [name for name in meta if is_person(name)]
    for name in fields:
        if name in items.by:
            continue
        sides = Sided(batches, items.names, items.by, tuple(items.compared.values()), name)
        scores, left_out = clustered(sides)
        sizes = max((int(own.n.sum(axis=1).max(initial=0)) for own in scores.values()), default=0)
        n = max((int((own.n.sum(axis=1) > 0).sum()) for own in scores.values()), default=0)
        if wished is not None or (sizes > 1 and n > 2):
            return Clustering(name, "asked" if wished else "found", scores, n, left_out)
    return None
