"""One rating as it is kept; those who only read a table of ratings need no database for it."""

from __future__ import annotations

from haechi.frozen import frozen

JudgementKey = tuple[str, str, str, int]


@frozen
class Rating:
    """One judgement: item × criterion × rater × replicate, with a value or the reason why there is none."""

    item: str
    criterion: str
    rater: str
    kind: str
    value: str | None
    evidence: str | None = None
    replicate: int = 1
    status: str = "ok"
    reason: str | None = None
    stance: str | None = None
    at: str | None = None
    order: str | None = None
    """Of a pair, which of its two answers was shown first: `ab` or `ba`."""

    @property
    def key(self) -> JudgementKey:
        """What was judged, by whom."""
        return self.item, self.criterion, self.rater, self.replicate

    @property
    def said(self) -> tuple[str | None, ...]:
        """What the judgement says."""
        return self.value, self.evidence, self.status, self.reason, self.stance
