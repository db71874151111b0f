"""Agent runs repeated: does a query succeed every time, and does it score alike?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from haechi.report.compared_items import ComparedItems
from haechi.stats import Figure, Stability, pass_hat_k, stability
from haechi.stats.figure import Lang
from haechi.stats.ratings import Floats

_MOST_K = 5


@dataclass(frozen=True)
class RepeatedScore:
    """One score over the runs of every query; a run passes when it reaches the highest score."""

    passes_at: float
    pass_hat_k: Mapping[int, Figure]
    stability: Stability

    def as_json(self, lang: Lang, queries: tuple[str, ...]) -> dict[str, Any]:
        """For machines; the share of the most frequent score stands beside the query's name."""
        said = self.stability.as_json(lang)
        said["per_query"] = dict(zip(queries, said["per_query"], strict=True))
        passes = {str(k): found.as_json(lang) for k, found in self.pass_hat_k.items()}
        return {"passes_at": self.passes_at, "pass_hat_k": passes, "stability": said}


@dataclass(frozen=True)
class RepeatedRuns:
    """All scores over the runs of every query, all rounds together."""

    queries: tuple[str, ...]
    criteria: Mapping[str, RepeatedScore]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        criteria = {name: found.as_json(lang, self.queries) for name, found in self.criteria.items()}
        return {"n_queries": len(self.queries), "criteria": criteria}


def repeated_runs(items: ComparedItems, seed: int) -> RepeatedRuns | None:
    """pass^k and stability of every score; None where runs do not say which query they answer."""
    if "query" not in items.frame.columns:
        return None
    runs = items.frame.unique("item", maintain_order=True)
    queries = runs["query"].unique(maintain_order=True)
    codes = pl.DataFrame({"query": queries, "row": np.arange(len(queries))})
    runs = runs.join(codes, on="query", how="left", maintain_order="left").with_columns(
        column=pl.int_range(pl.len()).over("query")
    )
    at = runs["row"].to_numpy(), runs["column"].to_numpy()
    found = {}
    for name in items.names:
        matrix = np.full((len(queries), int(at[1].max()) + 1), np.nan)
        matrix[at] = runs[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        found[name] = _score(matrix, items.rubric.range(name)[1], seed)
    return RepeatedRuns(tuple(map(str, queries.to_list())), found)


def _score(matrix: Floats, highest: float, seed: int) -> RepeatedScore:
    passed = np.where(np.isnan(matrix), np.nan, matrix >= highest)
    most = min(_MOST_K, matrix.shape[1])
    passes = {k: pass_hat_k(passed, k, seed) for k in range(1, most + 1)}
    return RepeatedScore(highest, passes, stability(matrix, seed))
