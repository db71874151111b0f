"""How much of the AI judges' evidence stands in the items: every quote looked up, by rater and by criterion."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any, Literal, get_args

import polars as pl

from haechi.data.item import Item
from haechi.frozen import frozen
from haechi.prompt.evidence import UNFOUNDED, Status, status_of, transcript_of
from haechi.prompt.material import texts
from haechi.rubrics import Rubric
from haechi.stats.figure import Figure, Why, undefined
from haechi.stats.population import clustered_mean
from haechi.study.items import StudyItems

NO_QUOTES = Why("원문을 인용한 근거가 없습니다", "no evidence quotes the transcript")
_STATUS = pl.Enum(get_args(Status))
_UNFOUNDED = pl.col("status").is_in(UNFOUNDED)


@frozen
class QuotedEvidence:
    """What became of the quotes in some evidence.

    pieces: item, rater, criterion, evidence, status; where the item has no text, nobody can tell, and there is no status.
    """

    pieces: pl.DataFrame

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many pieces that were looked up came to what; `no_quote` quotes nothing."""
        found = Counter(self.pieces["status"])
        return {status: found[status] for status in get_args(Status)}

    @property
    def total(self) -> int:
        """How many pieces there are."""
        return self.pieces.height

    @property
    def checked(self) -> int:
        """How many pieces were looked up."""
        return self.total - self.pieces["status"].null_count()

    @cached_property
    def share(self) -> Figure:
        """Of the pieces that quote, the share whose quote is not where it should be.

        The interval is over items: quotes from one item are not independent.
        """
        quoting = self.pieces.filter(pl.col("status") != "no_quote")
        items = quoting.group_by("item", maintain_order=True).agg(wrong=_UNFOUNDED.sum(), len=pl.len())
        if items.is_empty():
            return undefined(NO_QUOTES, 0)
        return clustered_mean(items["wrong"].to_numpy(), items["len"].to_numpy(), (0.0, 1.0))

    @cached_property
    def unfounded(self) -> pl.DataFrame:
        """The pieces with a quote that was not found where it should be."""
        return self.pieces.filter(_UNFOUNDED)

    def by(self, field: Literal["rater", "criterion"]) -> dict[str, QuotedEvidence]:
        """The same of every rater, or of every criterion, of whose evidence some was looked up."""
        looked_up = self.pieces.filter(pl.col("status").is_not_null())
        parts = looked_up.partition_by(field, maintain_order=True)
        return {part[field][0]: QuotedEvidence(part) for part in parts}

    def as_json(self) -> dict[str, Any]:
        """For machines: the figures of every judge, and of every element that it gave evidence for."""
        return {
            rater: {
                **own._figures(),
                "elements": {name: one._figures() for name, one in own.by("criterion").items()},
            }
            for rater, own in self.by("rater").items()
        }

    def _figures(self) -> dict[str, Any]:
        return {**self.counts, "unfounded_share": self.share.as_json()}


def quoted_evidence(study: StudyItems) -> QuotedEvidence:
    """Look up the quotes in the evidence of a study's AI judges; people's reasons are their own words.

    >>> import tempfile
    >>> from haechi.study.study import Study
    >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
    >>> _ = study.add({"id": ["d1"], "context": ["비가 왔다"], "response": ["우산은 챙기셨어요?"]})
    >>> said = ["'우산은 챙기셨어요?'라고 물음", "'힘내세요'라고 함"]
    >>> rows = {"item": ["d1"] * 2, "rater": ["m"] * 2, "kind": ["ai"] * 2, "value": [1, 1], "evidence": said}
    >>> _ = study.import_ratings(rows | {"criterion": ["sympathy", "specificity"]})
    >>> quoted_evidence(study).share.value
    0.5
    """
    given = study.ratings().filter(pl.col("kind") == "ai", pl.col("evidence").is_not_null())
    given = given.select("item", "rater", "criterion", "evidence").sort("item", maintain_order=True)
    counts = given.group_by("item", maintain_order=True).len()
    places = {
        item: (end - n, n) for item, n, end in counts.with_columns(end=pl.col("len").cum_sum()).iter_rows()
    }
    items, found = list[str](), list[Status | None]()
    for item in study.items(places):
        items.append(item.id)
        found += _statuses(study.rubric, item, given["evidence"].slice(*places[item.id]).to_list())
    pieces = pl.DataFrame({"item": items}, {"item": pl.String}).join(
        given, on="item", maintain_order="left_right"
    )
    return QuotedEvidence(pieces.with_columns(status=pl.Series(found, dtype=_STATUS)))


def _statuses(rubric: Rubric, item: Item, said: list[str]) -> list[Status | None]:
    """What became of every piece of evidence about an item; bare items have no text."""
    if item.kind != rubric.item:
        return [None] * len(said)
    transcript = transcript_of(tuple(texts(rubric, item.content)))
    return [status_of(evidence, transcript) for evidence in said]
