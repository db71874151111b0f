"""Votes of a table into a study of pairs: each becomes a rating of the pair that it is about, of the pair's own a and b."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from haechi.data.item import Item
from haechi.data.pair_order import systems_of
from haechi.data.rating import Rating
from haechi.data.votes import VoteTable
from haechi.errors import HaechiError, Problem
from haechi.rubrics import Rubric
from haechi.rubrics.scales import turn_verdict
from haechi.store.connection import Connection
from haechi.store.items import add_items, read_items
from haechi.store.ratings import Appended, append_ratings, number_ratings
from haechi.text import Text

_SHOWN = 5
_VALUES = {1.0: "a", 0.0: "b", 0.5: "tie"}


class _Pair(NamedTuple):
    id: str
    a: str
    b: str


def pair_id(base: str, a: str, b: str) -> str:
    """The id of a pair of two systems' answers to the same; a form shows ids, so it does not name the systems.

    >>> pair_id("d1", "x", "y")
    'd1/1d10dc'
    """
    hidden = hashlib.sha256("\0".join((base, a, b)).encode()).hexdigest()[:6]
    return f"{base}/{hidden}"


def import_votes(
    connection: Connection,
    rubric: Rubric,
    table: VoteTable,
    rater: str | None,
    kind: str | None,
    correct: bool,
    files: list[Path],
) -> Appended:
    """Append votes, all or none. A pair that the study does not have becomes an item without content.

    A vote names the pair by its id, or what both answered and the two systems; several votes of a rater on one pair
    are replicates, as those of both orders are.
    """
    known = _known(connection)
    criteria = [c.key for c in rubric.criteria if c.scale.compares]
    arrival, new = uuid.uuid4().hex, dict[str, Item]()
    placed: list[tuple[str, Rating]] = []
    times: Counter[tuple[str, str, str]] = Counter()
    problems: list[Problem] = []
    for row in table.frame.iter_rows(named=True):
        base, place = str(row["item"]), f"{row['item']} ({row['a']}, {row['b']})"
        pair = known.get((base, frozenset((row["a"], row["b"]))))
        if pair is None and base in known.ids:
            problems.append(_not_in_pair(place, known.ids[base]))
            continue
        if pair is None:
            pair = _Pair(pair_id(base, row["a"], row["b"]), row["a"], row["b"])
            known.add(base, pair)
            meta = {"system_a": pair.a, "system_b": pair.b, "base": base}
            new[pair.id] = Item(pair.id, "bare", {}, meta)
        by = rater or row["rater"]
        if not by:
            problems.append(_no_rater(place))
            continue
        criterion = _criterion(row["criterion"], criteria)
        if criterion is None:
            problems.append(_no_criterion(place, row["criterion"], criteria))
            continue
        straight = row["a"] == pair.a
        value = None if row["won"] is None else _VALUES[row["won"]]
        value = value if straight or value is None else turn_verdict(value)
        times[pair.id, criterion, by] += 1
        replicate = times[pair.id, criterion, by]
        status = "ok" if value is not None else "missing"
        order = ("ab" if row["a_first"] == straight else "ba") if table.knows_order else None
        by_kind = kind or row["kind"]
        rating = Rating(pair.id, criterion, by, by_kind, value, None, replicate, status, order=order)
        placed.append((place, rating))
    if problems:
        raise HaechiError(tuple(problems[:_SHOWN]))
    added = add_items(connection, ((item.id, item) for item in new.values()), arrival)
    done = append_ratings(connection, iter(placed), rubric.version, arrival, correct)
    done.bare_items += added.new
    done.said += list(table.notes)
    number_ratings(connection, "ratings", arrival, files, done)
    return done


class _Known:
    """The pairs of a study, by what they are about and by their ids."""

    def __init__(self) -> None:
        self.ids: dict[str, _Pair] = {}
        self._pairs: dict[tuple[str, frozenset[str]], _Pair] = {}

    def add(self, base: str, pair: _Pair) -> None:
        self._pairs[base, frozenset((pair.a, pair.b))] = pair

    def get(self, key: tuple[str, frozenset[str]]) -> _Pair | None:
        base, systems = key
        own = self.ids.get(base)
        if own is not None and {own.a, own.b} == systems:
            return own
        return self._pairs.get(key)


def _known(connection: Connection) -> _Known:
    known = _Known()
    for item in _pairs(connection):
        a, b = systems_of(item.meta)
        if a is not None and b is not None:
            pair = _Pair(item.id, a, b)
            known.ids[item.id] = pair
            if "base" in item.meta:
                known.add(str(item.meta["base"]), pair)
    return known


def _pairs(connection: Connection) -> Iterator[Item]:
    return (item for item in read_items(connection, None) if "system_a" in item.meta)


def _criterion(said: str, criteria: list[str]) -> str | None:
    if said in criteria:
        return said
    return criteria[0] if said == "overall" and len(criteria) == 1 else None


def _not_in_pair(place: str, pair: _Pair) -> Problem:
    return Problem(
        place,
        Text("이 쌍에 없는 시스템의 투표", "a vote on a system that is not in the pair"),
        Text(f"{pair.id}의 시스템: {pair.a}, {pair.b}", f"the systems of {pair.id}: {pair.a} and {pair.b}"),
        Text("시스템 이름이나 항목을 고치세요", "correct the systems or the item"),
    )


def _no_rater(place: str) -> Problem:
    expected = Text("평가자 열, 또는 --rater 이름", "a column rater, or --rater NAME")
    return Problem(
        place, Text("평가자 없음", "no rater"), expected, Text("--rater를 붙이세요", "add --rater")
    )


def _no_criterion(place: str, said: str, criteria: list[str]) -> Problem:
    names = ", ".join(criteria)
    expected = Text(f"다음 중 하나: {names}", f"one of {names}")
    todo = Text("criterion 열을 고치거나 더하세요", "correct or add the column criterion")
    return Problem(f"{place}, criterion", said, expected, todo)
