"""Votes between two systems, reduced to what strengths depend on: how often who met whom, and how it ended."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Given, Integers, as_values, codes_of

FIRST, SECOND, TIE = 0, 1, 2
"""The columns of counts."""
POSITION = "position"


@frozen
class Single:
    """The votes one by one: the row of the table and the ending of each, and of every kind of clusters the one it belongs to."""

    row: Integers
    outcome: Integers
    clusters: tuple[Integers, ...] = ()


@frozen
class Votes:
    """A table of votes: who met whom, and how often the first won, the second won, and neither.

    names: the systems; first, second: (rows,) places in `names`; counts: (rows, 3); effects: (rows, effects) what may favour
    the first, by the names of `called`.
    """

    names: tuple[Hashable, ...]
    first: Integers
    second: Integers
    counts: Floats
    effects: Floats
    called: tuple[str, ...] = ()
    single: Single | None = None

    @classmethod
    def of(
        cls,
        first: Given,
        second: Given,
        won: Given,
        adjust: Mapping[str, Given] | None = None,
        clusters: Sequence[Given] = (),
        names: Sequence[Hashable] | None = None,
    ) -> Votes:
        """Votes given one by one; those without an ending, or without an effect that is asked for, are left out.

        won: (votes,) 1 if the first won, 0 if the second did, 0.5 for a tie; adjust: NAME → (votes,) first less second;
        clusters: (votes,) each; names: where first and second are places in it.

        >>> votes = Votes.of(["x", "x", "y"], ["y", "y", "x"], [1, 0.5, 0])
        >>> votes.names, votes.first.tolist(), votes.counts.astype(int).tolist()
        (('x', 'y'), [0, 1], [[1, 0, 1], [0, 1, 0]])
        """
        known, one, other = _places(first, second, names)
        ends, more = as_values(won), [as_values(values) for values in (adjust or {}).values()]
        shared = [codes_of(codes)[0] for codes in clusters]
        for column in (other, ends, *more, *shared):
            if column.size != one.size:
                raise ValueError(f"columns of votes differ in length: {one.size} and {column.size}")
        there = ~np.isnan(ends)
        lost, tied = ends == 0.0, ends == 0.5
        if not np.array_equal((ends == 1.0) | lost | tied, there):
            raise ValueError("won must be 1 (the first won), 0 (the second) or 0.5 (a tie)")
        if (one == other).any():
            raise ValueError(f"{known[int(one[one == other][0])]!r} cannot be compared with itself")
        outcome = lost * np.int8(SECOND) + tied * np.int8(TIE)
        for values in more:
            there &= ~np.isnan(values)
        if not there.all():
            one, other, outcome = one[there], other[there], outcome[there]
            more, shared = [values[there] for values in more], [codes[there] for codes in shared]
        if more:  # no two votes are alike any more: every vote is a row
            counts = np.zeros((one.size, 3))
            counts[np.arange(one.size), outcome] = 1.0
            single = Single(np.arange(one.size), outcome, tuple(shared))
            return cls(known, one, other, counts, np.column_stack(more), tuple(adjust or ()), single)
        k = len(known)
        pair = one * k + other
        cells = np.bincount(pair * 3 + outcome, minlength=k * k * 3).reshape(k * k, 3)
        used = np.flatnonzero(cells.any(axis=1))
        counts, nothing = cells[used].astype(np.float64), np.zeros((used.size, 0))
        if not shared:
            return cls(known, used // k, used % k, counts, nothing)
        place = np.zeros(k * k, dtype=np.int64)
        place[used] = np.arange(used.size)
        single = Single(place[pair], outcome, tuple(shared))
        return cls(known, used // k, used % k, counts, nothing, (), single)

    @classmethod
    def counted(cls, names: Sequence[Hashable], wins: Given, ties: Given | None = None) -> Votes:
        """Votes as publications print them: wins[i, j], how often i won against j; ties[i, j] each in one of two places.

        >>> Votes.counted(["x", "y"], [[0, 3], [1, 0]]).counts.astype(int).tolist()
        [[3, 1, 0]]
        """
        won = np.asarray(wins, dtype=np.float64)
        tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=np.float64)
        one, other = np.triu_indices(len(names), 1)
        counts = np.column_stack([won[one, other], won[other, one], tied[one, other] + tied[other, one]])
        met = counts.any(axis=1)
        return cls(tuple(names), one[met], other[met], counts[met], np.zeros((int(met.sum()), 0)))

    @property
    def won(self) -> Floats:
        """(systems, systems) how often the system of the row won against that of the column."""
        return self._matrix(FIRST, SECOND)

    @property
    def tied(self) -> Floats:
        """(systems, systems) how often neither won."""
        return self._matrix(TIE, TIE)

    def _matrix(self, ahead: int, behind: int) -> Floats:
        k = len(self.names)
        there = np.bincount(self.first * k + self.second, self.counts[:, ahead], k * k)
        back = np.bincount(self.second * k + self.first, self.counts[:, behind], k * k)
        return np.asarray(there + back, dtype=np.float64).reshape(k, k)

    def among(self, chosen: Integers) -> Votes:
        """The votes between some of the systems; `chosen` are places in `names`."""
        if chosen.size == len(self.names):
            return self
        place = np.full(len(self.names), -1)
        place[chosen] = np.arange(chosen.size)
        first, second = place[self.first], place[self.second]
        inside = (first >= 0) & (second >= 0)
        names = tuple(self.names[int(at)] for at in chosen)
        single = None
        if self.single is not None:
            stay = inside[self.single.row]
            row = (np.cumsum(inside) - 1)[self.single.row[stay]]
            single = Single(
                row, self.single.outcome[stay], tuple(codes[stay] for codes in self.single.clusters)
            )
        counts, effects = self.counts[inside], self.effects[inside]
        return Votes(names, first[inside], second[inside], counts, effects, self.called, single)

    def shown_first(self) -> Votes:
        """With the order of display as one more effect."""
        effects = np.column_stack([np.ones(len(self.first)), self.effects])
        return replace(self, effects=effects, called=(POSITION, *self.called))

    def only(self, effects: Sequence[str]) -> Votes:
        """With some of the effects."""
        at = [self.called.index(name) for name in effects]
        return replace(self, effects=self.effects[:, at], called=tuple(effects))


def _places(
    first: Given, second: Given, known: Sequence[Hashable] | None
) -> tuple[tuple[Hashable, ...], Integers, Integers]:
    """Names in the order of the alphabet, and where each of the two stands in it."""
    if known is not None:
        return tuple(known), np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    (one, ones), (other, others) = codes_of(first), codes_of(second)
    names = tuple(sorted({*ones, *others}, key=lambda name: (str(type(name)), name)))
    place = {name: at for at, name in enumerate(names)}

    def of(codes: Integers, called: Sequence[Hashable]) -> Integers:
        return np.array([place[name] for name in called], dtype=np.int64)[codes] if codes.size else codes

    return names, of(one, ones), of(other, others)
