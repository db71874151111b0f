"""For whom the mean of a score speaks: for these raters, for raters like them, for people or for AI judges."""

from __future__ import annotations

import re
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

    Ends = tuple[float, float] | Why  # an interval, or why there is none

PANELS = ("human", "ai")
_PEOPLE = {"student", "user", "participant", "subject", "learner", "person", "pupil", "respondent", "speaker"}
_PEOPLE |= {"학생", "사용자", "참여자", "참가자", "피험자", "학습자", "응답자", "화자"}
_TALKS = frozenset(["dialogue", "conversation", "대화"])
_NUMBERED = ("id", "no", "번호", "name", "이름", "code")
_BY, _WHOSE, _ALONE = "by:", "whose:", "alone:"  # kept apart from the columns of a study


@dataclass(frozen=True)
class Population:
    """One score of the whole set for others than these raters.

    new_raters: the interval of its mean over items if raters are a sample as items are, or why there is none.
    by_kind: its mean over the items that people, and that AI judges rated; nothing where only one of them did.
    cluster_by, clustered: the field whose values items share, as sessions share a student, and the interval of the mean
    over such clusters, or why there is none; None where items have no such field.
    """

    new_raters: Ends
    by_kind: Mapping[str, OverItems]
    cluster_by: str | None = None
    clustered: Ends | None = None

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
    found = [name for name in meta if is_person(name) or _noun(name) in _TALKS]
    return found[0] if len(found) == 1 else None


def is_person(field: str) -> bool:
    """Whether a field names people.

    >>> is_person("student_id"), is_person("학생 번호"), is_person("student_level")
    (True, True, False)
    """
    return _noun(field) in _PEOPLE


def _noun(field: str) -> str:
    """What a field is called without its number; nothing where more words remain than one."""
    words = [word.casefold() for word in re.split(r"[\s_\-.]+|(?<=[a-z])(?=[A-Z])", field) if word]
    kept = [word for word in words if word not in _NUMBERED]
    return kept[0].removesuffix("번호").removesuffix("id") if len(kept) == 1 else ""


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
    clusters = clustered_intervals(batches, rubric, names, cluster_by).get((), {}) if cluster_by else {}
    found = {}
    for name in names:
        low, high = rubric.range(name)
        interval = ONE_RATER if by_code else new_raters_interval(sums[name], (low, high), (low + high) / 2)
        panels = {kind: of[name] for kind, of in kinds.items()}
        found[name] = Population(interval, panels, cluster_by if clusters else None, clusters.get(name))
    return found


def clustered_intervals(
    batches: Batches, rubric: Rubric, names: Sequence[str], field: str, by: Sequence[str] = ()
) -> dict[tuple[str | None, ...], dict[str, Ends]]:
    """Of every group every score's interval over clusters, by the values of the fields `by`; `()` is the whole set.

    An item without a value of the field is a cluster of its own. Nothing where every item is one, or where the groups
    are the clusters themselves.
    """
    from haechi.stats.population import clustered_interval

    if field in by:
        return {}
    sums = [pl.col(name).sum().alias(f"sum:{name}") for name in names]
    sizes = [pl.col(name).count().alias(f"n:{name}") for name in names]
    text = pl.col(field).cast(pl.String)
    whose = [pl.coalesce(text, pl.col("item")).alias(_WHOSE), text.is_null().alias(_ALONE)]
    groups = [pl.col(name).cast(pl.String).alias(_BY + name) for name in by]
    pieces = []
    for frame in batches(list(dict.fromkeys(["item", "rater", *by, field, *names]))):
        items = panel_means(frame, names, list(dict.fromkeys([*by, "item"])), [field])
        pieces.append(items.group_by(*groups, *whose).agg(pl.len().alias("n:"), *sums, *sizes))
    keys = [_BY + name for name in by]
    found = pl.concat(pieces).group_by(*keys, _WHOSE, _ALONE).sum().sort(*keys, _WHOSE, _ALONE)
    if not found.height or found["n:"].max() == 1:
        return {}
    parts = found.partition_by(keys, as_dict=True) if keys else {(): found}
    return {
        key: {
            name: clustered_interval(
                own[f"sum:{name}"].to_numpy(), own[f"n:{name}"].to_numpy(), rubric.range(name)
            )
            for name in names
        }
        for key, own in parts.items()
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
