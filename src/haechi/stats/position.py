"""Whether what is shown first wins more often, and whether verdicts stay the same when the two are swapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.proportion import wilson, wilson_ends
from haechi.stats.ratings import Floats, Given, Integers, as_values, codes_of

NO_DECIDED = Why("승부가 난 투표가 없습니다", "no vote was decided")
NOT_SWAPPED = Why("두 순서로 모두 물은 쌍이 없습니다", "no pair was asked in both orders")


@frozen
class Position:
    """first_wins: the share of decided votes that went to what was shown first; same_verdict: of the pairs that one rater
    saw in both orders, the share with the same verdict; swapped_pairs: how many these are; contradicting: the votes of the others.
    """

    first_wins: Figure
    same_verdict: Figure
    contradicting: tuple[tuple[int, int], ...] = ()

    @property
    def swapped_pairs(self) -> int:
        """How many pairs one rater saw in both orders."""
        return self.same_verdict.n

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {
            "first_wins": self.first_wins.value,
            "ci95": list(self.first_wins.ci95) if self.first_wins.ci95 else None,
            "n": self.first_wins.n,
            "swapped_pairs": self.swapped_pairs,
            "same_verdict": self.same_verdict.value,
            "same_verdict_ci95": list(self.same_verdict.ci95) if self.same_verdict.ci95 else None,
        }
        why = self.first_wins.why or self.first_wins.why_no_ci
        return said | ({"why": why.say(lang)} if why else {})


def position(
    first: Given, second: Given, won: Given, unit: Given | None = None, clusters: Sequence[Given] = ()
) -> Position:
    """How often the first of two wins, and how often a verdict survives a swap.

    Formula: first_wins s = first ones that won / the n votes that are no tie; Wilson's interval, with clusters of
    s(1 − s)/V votes in the place of n, V = G/(G − 1) Σ_c (Σ (won − s))² / n² over G clusters (G votes where V is 0), if
    these are fewer; of several kinds of clusters the fewest. same_verdict = pairs of votes with the same verdict / all pairs:
    votes of the same `unit` (rater and item) on the same two in both orders, the first of one order with the first of the
    other, and so on; two ties are the same verdict. Wilson's interval.

    first, second: (votes,) names; won: (votes,) 1 the first, 0 the second, 0.5 a tie, NaN left out. References: Wilson 1927;
    Franco, Little, Louis & Slud 2019, Journal of Survey Statistics and Methodology 7, 334–364 (clusters); Zheng et al.
    2023, NeurIPS, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena (swapped pairs). R: binom::binom.wilson; with
    clusters close to survey::svyciprop(~won, design, method = "wilson", df = Inf).

    >>> found = position([*"xyxy"], [*"yxyx"], [1, 0, 1, 1], unit=[1, 1, 2, 2])
    >>> found.first_wins.value, found.swapped_pairs, found.same_verdict.value, found.contradicting
    (0.75, 2, 0.5, ((2, 3),))
    """
    ends = as_values(won)
    return Position(_first_wins(ends, clusters), *_swapped(first, second, ends, unit))


def _first_wins(ends: Floats, clusters: Sequence[Given]) -> Figure:
    won, lost = ends == 1.0, ends == 0.0
    n = int(np.count_nonzero(won)) + int(np.count_nonzero(lost))
    if not n:
        return undefined(NO_DECIDED, 0)
    share, worth = np.count_nonzero(won) / n, float(n)
    decided = won | lost if clusters else won
    for codes in (codes_of(one)[0][decided] for one in clusters):
        away = np.bincount(codes, ends[decided] - share)
        groups = int(np.unique(codes).size)
        variance = float(away @ away) / n**2 * (groups / max(groups - 1, 1))
        worth = min(worth, share * (1 - share) / variance if variance > 0 else groups)
    return figure(share, n, wilson_ends(share, worth))


def _swapped(
    first: Given, second: Given, ends: Floats, unit: Given | None
) -> tuple[Figure, tuple[tuple[int, int], ...]]:
    codes = None if unit is None else codes_of(unit)[0]
    if codes is None or int(codes.max(initial=0)) + 1 >= codes.size:  # every vote is a unit of its own
        return undefined(NOT_SWAPPED, 0), ()
    both = np.concatenate([_plain(first), _plain(second)])
    names = codes_of(both)[0]
    one, other = names[: ends.size], names[ends.size :]
    k = int(names.max()) + 1
    pair = (codes * k + np.minimum(one, other)) * k + np.maximum(one, other)
    turned = one > other
    verdict = np.where(
        ends == 0.5, 2, (ends == 1) ^ turned
    )  # 1: the one of the two that comes first in `names`
    known = np.flatnonzero(~np.isnan(ends))
    order = known[np.lexsort((known, turned[known], pair[known]))]
    straight, back = _halves(pair[order], turned[order])
    many = np.minimum(straight, back)
    starts = np.concatenate([[0], np.cumsum(straight + back)[:-1]]).astype(np.int64)
    within = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    here = order[np.repeat(starts, many) + within]
    there = order[np.repeat(starts + straight, many) + within]
    if not here.size:
        return undefined(NOT_SWAPPED, 0), ()
    same = verdict[here] == verdict[there]
    apart = tuple(sorted(zip(here[~same].tolist(), there[~same].tolist(), strict=True)))
    return wilson(int(same.sum()), int(same.size)), apart


def _halves(pair: Integers, turned: Any) -> tuple[Integers, Integers]:
    """Of every pair that follows another in sorted order: how many votes stand straight, and how many turned."""
    begins = (
        np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]])) if pair.size else np.zeros(0, int)
    )
    back = np.add.reduceat(turned.astype(np.int64), begins) if pair.size else np.zeros(0, np.int64)
    size = np.diff(np.concatenate([begins, [pair.size]]))
    return size - back, back


def _plain(names: Given) -> Any:
    return names.to_numpy() if hasattr(names, "to_numpy") else np.asarray(names)
