"""Scores against a number from outside, such as an exam: correlations with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from haechi.analysis.compared_groups import ComparedItems
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.scoring.panel import panel_means
from haechi.stats import Figure, pearson, spearman
from haechi.stats.figure import Lang, undefined
from haechi.stats.reasons import NEED_NUMBERS
from haechi.text import Text

_NUMBER = "\0number"


@frozen
class OutsideCorrelation:
    """One score against the number."""

    pearson: Figure
    spearman: Figure

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {"pearson": self.pearson.as_json(lang), "spearman": self.spearman.as_json(lang)}


@frozen
class OutsideNumber:
    """A field with numbers, and every score against it; `unit` is what is counted: items, or the clusters they make."""

    field: str
    unit: str
    scores: Mapping[str, OutsideCorrelation]
    left_out: int

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        scores = {name: found.as_json(lang) for name, found in self.scores.items()}
        return {"unit": self.unit, "left_out": self.left_out, "criteria": scores}


def correlations(items: ComparedItems, field: str) -> OutsideNumber:
    """Pearson's r and Spearman's ρ of every score with the field, over the items whose field is a number.

    Where items come in clusters a person counts once, with the mean of their items.
    """
    cluster = items.clusters.field if items.clusters is not None else None
    kept = [field, *([cluster] if cluster else [])]
    columns = list(dict.fromkeys(["item", "rater", *kept, *items.names]))
    pieces = [panel_means(frame, items.names, ["item"], kept) for frame in items.batches(columns)]
    number = pl.col(field).cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    frame = pl.concat(pieces).with_columns(pl.when(number.is_finite()).then(number).alias(_NUMBER))
    known = frame.drop_nulls(_NUMBER)
    if known.is_empty():
        seen = frame[field].drop_nulls().cast(pl.String).unique(maintain_order=True).head(3).to_list()
        expected = Text("수가 들어 있는 필드", "a field with numbers")
        raise HaechiError.of(
            "--with", f"{field}: {', '.join(seen)}", expected, Text("--with를 고치세요", "correct --with")
        )
    if cluster:
        means = [pl.col(name).mean() for name in (_NUMBER, *items.names)]
        known = known.drop_nulls(cluster).group_by(cluster, maintain_order=True).agg(means)
    x = known[_NUMBER].to_numpy()
    scores = {}
    for name in items.names:
        if not items.rubric.has_mean(name):
            none = undefined(NEED_NUMBERS, known[name].drop_nulls().len())
            scores[name] = OutsideCorrelation(none, none)
            continue
        y = known[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        scores[name] = OutsideCorrelation(pearson(x, y), spearman(x, y))
    return OutsideNumber(field, cluster or "item", scores, frame.height - frame.drop_nulls(_NUMBER).height)
