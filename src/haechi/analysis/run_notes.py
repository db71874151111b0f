"""What the runs of a study say beside their scores, found in one pass: failures and failing checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from haechi.scoring.batches import Batches
from haechi.scoring.runs.failures import FAILURE, answered, failed, unanswered
from haechi.text import first_few

COLUMNS = ("query", "details:failing", FAILURE, "details:error")
_FEW, _MOST_NAMED = 5, 20


def with_failed_runs(batches: Batches, kinds: Sequence[str], drawn: Collection[str] | None = None) -> Batches:
    """The same rows, but every kind of raters has the failed runs: they are 0 by rule, and nobody is asked about them.

    drawn: the runs that people were to rate, where these were drawn: of the failed ones people then have only those.

    >>> from haechi.scoring.batches import in_memory
    >>> rows = {"item": ["r1", "r2"], "kind": ["ai", "code"], "overall": [4.0, 0.0], "details:failure": [None, "error"]}
    >>> made = with_failed_runs(in_memory(pl.DataFrame(rows)), ["ai", "human"])
    >>> next(made(["item", "kind", "overall"])).rows()
    [('r1', 'ai', 4.0), ('r2', 'ai', 0.0), ('r2', 'human', 0.0)]
    """
    among = pl.lit(True) if drawn is None else pl.col("item").is_in(list(drawn))

    def shared(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        wanted = None if columns is None else list(dict.fromkeys([*columns, "item", "kind", FAILURE]))
        for frame in batches(wanted):
            once = frame.filter(failed()).unique("item", keep="first", maintain_order=True)
            own = {kind: once if kind != "human" else once.filter(among) for kind in kinds}
            rows = (of.with_columns(kind=pl.lit(kind)) for kind, of in own.items())
            whole = pl.concat([frame.filter(~failed()), *rows])
            yield whole if columns is None else whole.select(columns)

    return shared


@dataclass
class RunOccurrences:
    """How often something happened, and the first few places.

    >>> listed = RunOccurrences()
    >>> for query in ("q1", "q1", "q2"):
    ...     listed.add("formType", [query], 1)
    >>> listed.most(1)
    [('formType', 'q1, q2', 3)]
    """

    _counts: Counter[Any] = field(default_factory=Counter)
    _places: dict[Any, dict[str, None]] = field(default_factory=dict)

    def add(self, what: Any, places: Iterable[str], n: int) -> None:
        """It happened `n` times, there among others."""
        self._counts[what] += n
        known = self._places.setdefault(what, {})
        for place in places:
            if len(known) <= _FEW:
                known.setdefault(place)

    def most(self, count: int) -> list[tuple[Any, str, int]]:
        """The most frequent first, of equal ones in alphabetical order."""
        ordered = sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))[:count]
        return [(what, self._shown(what), n) for what, n in ordered]

    def _shown(self, what: Any) -> str:
        places = list(self._places[what])
        return first_few(places, _FEW)


@dataclass
class RunNotes:
    """checks: failing checks by what they ask for, with queries; errors: by failure and pattern, with runs.

    n_failed and n_unanswered: how many runs failed, and how many came back without an answer, which is no failure; `first_failed`
    and `first_unanswered` are the first few of them.
    """

    checks: RunOccurrences = field(default_factory=RunOccurrences)
    errors: RunOccurrences = field(default_factory=RunOccurrences)
    n_failed: int = 0
    n_unanswered: int = 0
    first_failed: tuple[str, ...] = ()
    first_unanswered: tuple[str, ...] = ()

    def add(self, runs: pl.DataFrame) -> None:
        """Look at some runs."""
        for checks, query in (
            runs.select("details:failing", "query").drop_nulls("details:failing").iter_rows()
        ):
            for check in checks.split("; "):
                self.checks.add(check.partition("=")[0].strip() or check, [str(query)], 1)
        lost, empty = (runs.filter(one())["item"] for one in (failed, unanswered))
        self.n_failed, self.n_unanswered = self.n_failed + len(lost), self.n_unanswered + len(empty)
        self.first_failed = _first(self.first_failed, lost)
        self.first_unanswered = _first(self.first_unanswered, empty)
        alike = runs.filter(~answered()).group_by(FAILURE, "details:error", maintain_order=True)
        for failure, error, items, n in alike.agg(pl.col("item").head(_FEW + 1), pl.len()).iter_rows():
            self.errors.add((failure, error_pattern(error) if error else ""), items, n)


def _first(known: tuple[str, ...], more: pl.Series) -> tuple[str, ...]:
    return (*known, *more.head(_MOST_NAMED).to_list())[:_MOST_NAMED]


def error_pattern(text: str) -> str:
    """An error without what changes from one to the next: numbers, ids, quoted words.

    >>> error_pattern("TimeoutError: 60s at req 'a-17'")
    "TimeoutError: #s at req '…'"
    """
    first = (text.strip().splitlines() or [""])[0]
    shorter = re.sub(r"(['\"]).*?\1", r"\1…\1", first)
    return re.sub(r"\b[0-9a-fA-F]{8,}\b|\d+", "#", shorter)[:120]
