"""How much of the judges' evidence stands in the transcripts: a figure of the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from haechi.data.item import Item
from haechi.prompt.evidence import check, transcript_of
from haechi.prompt.material import texts
from haechi.rubrics import Rubric

Evidence = tuple[str, str, str]  # rater, criterion, words
UNFOUNDED = ("not_found", "wrong_message")


@dataclass
class EvidenceCounts:
    """What was found when evidence was looked up; a share over no quotes is None, not 0."""

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def quoted(self) -> int:
        """How many pieces of evidence quote something."""
        return self.counts.total() - self.counts["no_quote"]

    @property
    def unfounded_share(self) -> float | None:
        """The share of quoting evidence whose quote is not where it is said to be."""
        return sum(self.counts[status] for status in UNFOUNDED) / self.quoted if self.quoted else None

    def as_json(self) -> dict[str, Any]:
        """The figures for machines."""
        names = ("verified", "wrong_message", "not_found", "no_quote")
        found = {name: self.counts[name] for name in names}
        why = None if self.quoted else "no evidence quotes the transcript"
        share = {"value": self.unfounded_share} | ({"why": why} if why else {})
        return {**found, "unfounded_share": share}


@dataclass
class EvidenceFigures:
    """The evidence of a study by judge, and by judge and element."""

    judges: dict[str, EvidenceCounts] = field(default_factory=dict)
    elements: dict[str, dict[str, EvidenceCounts]] = field(default_factory=dict)

    def add(self, rater: str, criterion: str, status: str) -> None:
        """Count one piece of evidence."""
        self.judges.setdefault(rater, EvidenceCounts()).counts[status] += 1
        self.elements.setdefault(rater, {}).setdefault(criterion, EvidenceCounts()).counts[status] += 1

    def as_json(self) -> dict[str, Any]:
        """The figures for machines."""
        return {
            rater: {
                **found.as_json(),
                "elements": {name: one.as_json() for name, one in self.elements[rater].items()},
            }
            for rater, found in self.judges.items()
        }


def looked_up(
    items: Iterable[Item], evidence: Mapping[str, Sequence[Evidence]], rubric: Rubric
) -> Iterator[tuple[str, Evidence, str]]:
    """Every piece of evidence with the id of its item and what became of its quote; bare items have no text."""
    for item in items:
        said = evidence.get(item.id, ())
        if said and item.kind == rubric.item:
            transcript = transcript_of(tuple(texts(rubric, item.content)))
            for one in said:
                yield item.id, one, check(one[2], transcript).status


def evidence_figures(
    items: Iterable[Item], evidence: Mapping[str, Sequence[Evidence]], rubric: Rubric
) -> EvidenceFigures:
    """Look up all evidence, item by item; `evidence` holds what was said about each item.

    >>> import haechi
    >>> item = Item("d1", "reply", {"context": "비가 왔다", "response": "우산은 챙기셨어요?"}, {})
    >>> said = [("m", "sympathy", "'우산은 챙기셨어요?'라고 물음"), ("m", "sympathy", "'힘내세요'라고 함")]
    >>> evidence_figures([item], {"d1": said}, haechi.rubric("diary-comment")).judges["m"].unfounded_share
    0.5
    """
    figures = EvidenceFigures()
    for _, (rater, criterion, _), status in looked_up(items, evidence, rubric):
        figures.add(rater, criterion, status)
    return figures
