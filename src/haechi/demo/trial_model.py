"""How agreement exposes a model that is no judge: the trial model's recorded answers beside the other raters'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from haechi.frozen import frozen
from haechi.stats import Figure, cohen_kappa, pearson, wilson
from haechi.text import language

if TYPE_CHECKING:
    from haechi.study.study import Study


@frozen
class TrialAccuracy:
    """One rater against the people: the share of elements with the same value, its kappa, and r of the totals."""

    rater: str
    kind: str
    agreement: Figure
    kappa: Figure
    total: Figure

    def as_json(self) -> dict[str, Any]:
        """The figures for machines."""
        named = {"agreement": self.agreement, "kappa": self.kappa, "total_pearson": self.total}
        figures = {name: found.as_json(language()) for name, found in named.items()}
        return {"rater": self.rater, "kind": self.kind, **figures}


def standings(study: Study) -> list[TrialAccuracy]:
    """Every rater of a study against the people in it, people against each other."""
    values = (
        study.ratings().filter(pl.col("status") == "ok").select("item", "criterion", "rater", "kind", "value")
    )
    totals = study.scores().frame.select("item", "rater", "kind", "total").drop_nulls()
    raters = values.select("rater", "kind").unique(maintain_order=True).iter_rows()
    return [_standing(rater, kind, values, totals) for rater, kind in raters]


def _standing(rater: str, kind: str, values: pl.DataFrame, totals: pl.DataFrame) -> TrialAccuracy:
    is_own, is_other = pl.col("rater") == rater, (pl.col("rater") != rater) & (pl.col("kind") == "human")
    own, others = values.filter(is_own), values.filter(is_other)
    pairs = own.join(others, on=["item", "criterion"]).select(pl.col("value", "value_right").cast(pl.Float64))
    same = int((pairs["value"] == pairs["value_right"]).sum())
    mean = totals.filter(is_other).group_by("item").agg(pl.col("total").mean().alias("people"))
    both = totals.filter(is_own).join(mean, on="item")
    return TrialAccuracy(
        rater,
        kind,
        wilson(same, pairs.height),
        cohen_kappa(pairs["value"].to_numpy(), pairs["value_right"].to_numpy(), categories=(0, 1)),
        pearson(both["total"].to_numpy(), both["people"].to_numpy()),
    )
