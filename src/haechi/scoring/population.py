"""For whom the mean of a score speaks: for these raters, for raters like them, for people or for AI judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from haechi.data.fields import field_name
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.summary import Summary
from haechi.scoring.summary_row import OverItems
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.stats.figure import Why

    Ends = tuple[float, float] | Why  # an interval, or why there is none

PANELS = ("human", "ai")
POOLED = Text("평균은 사람과 AI 평가자를 합친 것입니다.", "Means pool people and AI judges.")


@frozen
class Population:
    """One score of the whole set for others than these raters.

    new_raters: the interval of its mean over items if raters are a sample as items are, or why there is none.
    by_kind: its mean over the items that people, and that AI judges rated; nothing where only one of them did.
    """

    new_raters: Ends
    by_kind: Mapping[str, OverItems]

    def as_json(self) -> dict[str, Any]:
        """What stands beside `ci95` in `haechi score --json`."""
        from haechi.stats.figure import Why
        from haechi.text import language

        said: dict[str, Any] = {"ci95_new_raters": None}
        if isinstance(self.new_raters, Why):
            said["why_no_ci95_new_raters"] = self.new_raters.say(language())
        else:
            said["ci95_new_raters"] = list(self.new_raters)
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


def populations(batches: Batches, rubric: Rubric, names: Sequence[str]) -> dict[str, Population]:
    """Every score of what people and judges rated; nothing of agent runs, which code measures.

    >>> import haechi
    >>> from haechi.scoring.batches import in_memory
    >>> rows = [(f"i{i}", r, "human", float((i * 7 + n) % 3 == 0)) for i in range(9) for n, r in enumerate("abc")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "kind", "sympathy"], orient="row")
    >>> found = populations(in_memory(frame), haechi.rubric("diary-comment"), ["sympathy"])
    >>> [round(end, 2) for end in found["sympathy"].new_raters], dict(found["sympathy"].by_kind)
    ([0.05, 0.84], {})
    """
    if rubric.item == "run":
        return {}
    from haechi.stats.population import new_raters_interval

    sums, kinds = _crossed(batches, rubric, names), _by_kind(batches, rubric, names)
    found = {}
    for name in names:
        low, high = rubric.range(name)
        interval = new_raters_interval(sums[name], (low, high), (low + high) / 2)
        found[name] = Population(interval, {kind: of[name] for kind, of in kinds.items()})
    return found


def not_of_clusters(field: str) -> Why:
    """Why there is no interval for other raters where items come in clusters."""
    from haechi.stats.figure import Why

    return Why(
        f"{field_name(field).ko} 값이 같은 항목의 묶음과 새 평가자를 함께 생각한 구간은 구하지 않습니다",
        f"no interval is computed for new raters and clusters of items (of one {field}) at once",
    )


def _crossed(batches: Batches, rubric: Rubric, names: Sequence[str]) -> dict[str, Any]:
    """Of every score the sums over items and raters, of a rater with replicates the mean of these."""
    from haechi.stats.population import CrossedSums

    raters: dict[str, int] = {}
    found: dict[str, Any] = {}
    for frame in batches(["item", "rater", *names]):
        own = panel_means(frame, names, ["item", "rater"])
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
