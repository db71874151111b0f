"""What became of a batch, for people who sent it."""

from __future__ import annotations

from dataclasses import dataclass, field

from haechi.errors import Problem
from haechi.judge.providers.base import Misconfigured
from haechi.judge.records import JudgingTotals
from haechi.store.connection import DatabaseRow
from haechi.text import Text


@dataclass
class BatchNews:
    """What became of one batch."""

    remote: str
    rater: str
    state: str
    requests: int
    done: JudgingTotals = field(default_factory=JudgingTotals)
    words: str = ""
    problem: Problem | None = None
    heeded: bool = False
    """Whether its refusals say how the model is to be asked: the next batch asks so."""


def stay_out(news: BatchNews, state: str, found: Text, expected: Text, todo: Text) -> BatchNews:
    """A batch that stays out, and what stands in its way."""
    news.state, news.words = state, found.say()
    news.problem = Problem(f"{news.rater} {news.remote}", found, expected, todo)
    return news


def unreachable(row: DatabaseRow, error: Misconfigured) -> BatchNews:
    """A batch whose provider cannot be asked as things are."""
    problem = error.problems[0]
    news = BatchNews(row.remote or row.id, row.rater, "unknown", row.requests, words=problem.say())
    news.problem = problem
    return news
