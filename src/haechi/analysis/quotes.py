"""How much of the raters' evidence stands in the items: quotes looked up, rater by rater."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from haechi.frozen import frozen
from haechi.prompt.evidence_counts import UNFOUNDED, Evidence, looked_up
from haechi.stats import Figure
from haechi.stats.population import clustered_mean
from haechi.study.scores import StoredStudy

MOST_CHECKED = 5_000
"""Pieces of evidence that are looked up; of more, a seeded sample."""
_SEED = 2026


class Unfounded(NamedTuple):
    """Evidence whose quote is not where the rater says it is."""

    item: str
    criterion: str
    rater: str
    status: str
    evidence: str


@frozen
class QuotedEvidence:
    """Counts per rater: verified, wrong_message, not_found, no_quote; and what was not found.

    quoted: of every rater and item how many quotes are not where they should be, and how many there are.
    """

    counts: Mapping[str, Mapping[str, int]]
    quoted: Mapping[tuple[str, str], tuple[int, int]]
    unfounded: tuple[Unfounded, ...]
    checked: int
    total: int

    def share(self, rater: str | None = None) -> Figure:
        """The share of pieces with a quote whose quote is not where it should be, for one rater or for all.

        The interval is over items: quotes from one item are not independent.
        """
        wrong, quotes = Counter[str](), Counter[str]()
        for (name, item), (unfounded, n) in self.quoted.items():
            if rater in (None, name):
                wrong[item] += unfounded
                quotes[item] += n
        return clustered_mean([wrong[item] for item in quotes], list(quotes.values()), (0.0, 1.0))


def check_quotes(study: StoredStudy, ratings: pl.DataFrame) -> QuotedEvidence:
    """Look up the quotes in the evidence of AI judges; people's reasons are their own words."""
    given = ratings.filter(pl.col("evidence").is_not_null() & (pl.col("kind") == "ai"))
    total = given.height
    if total > MOST_CHECKED:
        given = given.sample(MOST_CHECKED, seed=_SEED)
    if given.is_empty():
        return QuotedEvidence({}, {}, (), 0, 0)
    wanted: dict[str, list[Evidence]] = {}
    for item, *said in given.select("item", "rater", "criterion", "evidence").iter_rows():
        wanted.setdefault(item, []).append((said[0], said[1], said[2]))
    counts: dict[str, Counter[str]] = {}
    quoted: dict[tuple[str, str], tuple[int, int]] = {}
    wrong = []
    for item, (rater, criterion, words), status in looked_up(study.items(wanted), wanted, study.rubric):
        counts.setdefault(rater, Counter())[status] += 1
        if status in UNFOUNDED or status == "verified":
            before, n = quoted.get((rater, item), (0, 0))
            quoted[rater, item] = before + (status in UNFOUNDED), n + 1
        if status in UNFOUNDED:
            wrong.append(Unfounded(item, criterion, rater, status, words))
    checked = sum(own.total() for own in counts.values())
    return QuotedEvidence(counts, quoted, tuple(wrong), checked, total)
