"""For whom the mean of a score speaks: for these raters, for raters like them, for people or for AI judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.summary import OverItems, Summary

if TYPE_CHECKING:
    from haechi.stats.figure import Why

PANELS = ("human", "ai")
_OWNERS = {
    "student",
    "user",
    "participant",
    "learner",
    "dialogue",
    "conversation",
    "학생",
    "사용자",
    "참여자",
    "대화",
}
"""Fields that are no property of an item but say whose it is."""


@dataclass(frozen=True)
class Population:
    """One score of the whole set for others than these raters.

    new_raters: the interval of its mean over items if raters are a sample as items are, or why there is none.
    by_kind: its mean over the items that people, and that AI judges rated; nothing where only one of them did.
    cluster_by, clustered: the field whose values items share, as sessions share a student, and the interval of the mean
    over such clusters, or why there is none; None where items have no such field.
    """

    new_raters: tuple[float, float] | Why
    by_kind: Mapping[str, OverItems]
    cluster_by: str | None = None
    clustered: tuple[float, float] | Why | None = None

    def as_json(self) -> dict[str, Any]:
        """What stands beside `ci95` in `haechi score --json`."""
        from haechi.stats.figure import Why
        from haechi.text import language

        said: dict[str, Any] = {"ci95_new_raters": None}
        if isinstance(self.new_raters, Why):
            said["why_no_ci95_new_raters"] = self.new_raters.say(language())
        else:
            said["ci95_new_raters"] = list(self.new_raters)
        if self.clustered is not None:
            said |= {"cluster_by": self.cluster_by, "ci95_clustered": None}
            if isinstance(self.clustered, Why):
                said["why_no_ci95_clustered"] = self.clustered.say(language())
            else:
                said["ci95_clustered"] = list(self.clustered)
        if self.by_kind:
            said["by_kind"] = {
                kind: {
                    "mean_over_items": of.mean,
                    "n": of.n,
                    "ci95": None if of.ci95 is None else list(of.ci95),
                }
                for kind, of in self.by_kind.items()
            }
        return said


def obvious_cluster(meta: Sequence[str]) -> str | None:
    """The field that says whose the items are, if one of them does.

    >>> obvious_cluster(["mode", "student"]), obvious_cluster(["student", "user"]), obvious_cluster(["mode"])
    ('student', None, None)
    """
    found = [name for name in meta if name.casefold().removesuffix("_id") in _OWNERS]
    return found[0] if len(found) == 1 else None


def populations(
    batches: Batches, rubric: Rubric, names: Sequence[str], cluster_by: str | None = None
) -> dict[str, Population]:
    """Every score of what people and judges rated; of agent runs, which code measures, only clusters are looked at.

    >>> import haechi
    >>> from haechi.scoring.batches import in_memory
    >>> rows = [(f"i{i}", r, "human", float((i * 7 + n) % 3 == 0)) for i in range(9) for n, r in enumerate("abc")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "kind", "sympathy"], orient="row")
    >>> found = populations(in_memory(frame), haechi.rubric("diary-comment"), ["sympathy"])
    >>> [round(end, 2) for end in found["sympathy"].new_raters], dict(found["sympathy"].by_kind)
    ([0.05, 0.84], {})
    """
    by_code = rubric.item == "run"
    if by_code and cluster_by is None:
        return {}
    from haechi.stats.population import new_raters_interval
    from haechi.stats.reasons import ONE_RATER

    sums = {} if by_code else _crossed(batches, rubric, names)
    kinds = {} if by_code else _by_kind(batches, rubric, names)
    clusters = _clustered(batches, rubric, names, cluster_by) if cluster_by else {}
    found = {}
    for name in names:
        low, high = rubric.range(name)
        interval = ONE_RATER if by_code else new_raters_interval(sums[name], (low, high), (low + high) / 2)
        panels = {kind: of[name] for kind, of in kinds.items()}
        found[name] = Population(interval, panels, cluster_by if clusters else None, clusters.get(name))
    return found


def _clustered(
    batches: Batches, rubric: Rubric, names: Sequence[str], field: str
) -> dict[str, tuple[float, float] | Why]:
    """Of every score the interval over clusters; nothing where every item is one of its own."""
    from haechi.stats.population import clustered_interval

    pieces = []
    for frame in batches(["item", "rater", field, *names]):
        items = panel_means(frame, names, ["item"], [field])
        sums = [pl.col(name).sum().alias(f"sum:{name}") for name in names]
        sizes = [pl.col(name).count().alias(f"n:{name}") for name in names]
        pieces.append(items.drop_nulls(field).group_by(field).agg(pl.len().alias("n:"), *sums, *sizes))
    found = pl.concat(pieces).group_by(field).sum().sort(field)
    if not found.height or found["n:"].max() == 1:
        return {}
    return {
        name: clustered_interval(
            found[f"sum:{name}"].to_numpy(), found[f"n:{name}"].to_numpy(), rubric.range(name)
        )
        for name in names
    }


def _crossed(batches: Batches, rubric: Rubric, names: Sequence[str]) -> dict[str, Any]:
    """Of every score the sums over items and raters, of a rater with replicates the mean of these."""
    from haechi.stats.population import CrossedSums

    raters: dict[str, int] = {}
    found: dict[str, Any] = {}
    for frame in batches(["item", "rater", *names]):
        means = [pl.col(name).cast(pl.Float64).mean() for name in names]
        own = frame.group_by("item", "rater", maintain_order=True).agg(means)
        for rater in own["rater"].unique(maintain_order=True):
            raters.setdefault(rater, len(raters))
        code = own["rater"].replace_strict(raters, return_dtype=pl.Int64)
        place = own["item"].rank("dense").cast(pl.Int64) - 1
        for name in names:
            known = own[name].is_not_null()
            item, rater = place.filter(known).to_numpy(), code.filter(known).to_numpy()
            values = own[name].filter(known).to_numpy() - sum(rubric.range(name)) / 2
            sums = CrossedSums.of(item, rater, values, len(raters))
            found[name] = found[name] + sums if name in found else sums
    return found


def _by_kind(batches: Batches, rubric: Rubric, names: Sequence[str]) -> dict[str, Mapping[str, OverItems]]:
    summary = Summary(rubric, [("kind",)], names)
    for frame in batches(["item", "rater", "kind", *names]):
        summary.add(frame)
    rows = {row.by["kind"]: row.scores for row in summary.rows() if row.by}
    if not all(kind in rows for kind in PANELS):
        return {}
    return {kind: {name: of.over_items for name, of in rows[kind].items()} for kind in PANELS}
