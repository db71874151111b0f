"""How much of the AI judges' evidence stands in the items: every quote looked up, by rater and by criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import polars as pl

from haechi.frozen import frozen
from haechi.prompt.evidence import UNFOUNDED, Status, check, transcript_of
from haechi.prompt.material import texts
from haechi.stats.figure import Figure, Why, undefined
from haechi.stats.population import clustered_mean
from haechi.study.items import StudyItems

NO_QUOTES = Why("원문을 인용한 근거가 없습니다", "no evidence quotes the transcript")


class Piece(NamedTuple):
    """A piece of evidence, and what became of its quotes; where the item has no text, nobody can tell."""

    item: str
    rater: str
    criterion: str
    evidence: str
    status: Status | Literal["no_text"]


@frozen
class QuotedEvidence:
    """What became of the quotes in some evidence."""

    pieces: tuple[Piece, ...]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many pieces that were looked up came to what; `no_quote` quotes nothing."""
        found = Counter(one.status for one in self.pieces)
        return {status: found[status] for status in get_args(Status)}

    @property
    def checked(self) -> int:
        """How many pieces were looked up."""
        return sum(self.counts.values())

    @cached_property
    def share(self) -> Figure:
        """Of the pieces that quote, the share whose quote is not where it should be.

        The interval is over items: quotes from one item are not independent.
        """
        wrong, quoting = Counter[str](), Counter[str]()
        for one in self.pieces:
            if one.status not in ("no_text", "no_quote"):
                quoting[one.item] += 1
                wrong[one.item] += one.status in UNFOUNDED
        if not quoting:
            return undefined(NO_QUOTES, 0)
        return clustered_mean(list(wrong.values()), list(quoting.values()), (0.0, 1.0))

    @cached_property
    def unfounded(self) -> tuple[Piece, ...]:
        """What was not found where it should be."""
        return tuple(one for one in self.pieces if one.status in UNFOUNDED)

    def by(self, field: Literal["rater", "criterion"]) -> dict[str, QuotedEvidence]:
        """The same of every rater, or of every criterion, of whose evidence some was looked up."""
        parts: dict[str, list[Piece]] = {}
        for one in self.pieces:
            if one.status != "no_text":
                parts.setdefault(getattr(one, field), []).append(one)
        return {name: QuotedEvidence(tuple(part)) for name, part in parts.items()}

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
    said: dict[str, list[tuple[str, str, str]]] = {}
    for item, *piece in given.select("item", "rater", "criterion", "evidence").iter_rows():
        said.setdefault(item, []).append((piece[0], piece[1], piece[2]))
    return QuotedEvidence(tuple(_looked_up(study, said)))


def _looked_up(study: StudyItems, said: dict[str, list[tuple[str, str, str]]]) -> Iterator[Piece]:
    """Item by item; bare items have no text."""
    for item in study.items(said):
        has_text = item.kind == study.rubric.item
        transcript = transcript_of(tuple(texts(study.rubric, item.content))) if has_text else None
        for rater, criterion, evidence in said[item.id]:
            status = check(evidence, transcript).status if transcript else "no_text"
            yield Piece(item.id, rater, criterion, evidence, status)
