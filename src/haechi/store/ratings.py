"""Ratings in the database: append-only; a correction is a new row that names its predecessor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

import sqlalchemy as sa

from haechi.data.rating import JudgementKey, Rating
from haechi.errors import HaechiError, Problem
from haechi.store.database import now
from haechi.store.items import add_bare_items
from haechi.store.tables import raters
from haechi.store.tables import ratings as table
from haechi.text import Text

_BATCH = 500
_SHOWN_PROBLEMS = 20
_KEY = ("item", "criterion", "rater", "replicate")

Placed = tuple[str, Rating | HaechiError]


@dataclass
class Appended:
    """What an import of ratings did."""

    new: int = 0
    unchanged: int = 0
    corrected: int = 0
    bare_items: int = 0
    skipped: list[Problem] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def add(self, other: Appended) -> None:
        """Count what another append did."""
        self.new += other.new
        self.unchanged += other.unchanged
        self.corrected += other.corrected
        self.bare_items += other.bare_items
        self.skipped += other.skipped


def append_ratings(
    connection: sa.Connection,
    stream: Iterable[Placed],
    rubric_version: str,
    arrival: str,
    correct: bool = False,
    skip_bad: bool = False,
    fill: bool = False,
) -> Appended:
    """Append ratings from a stream; unless `skip_bad`, bad rows raise and the transaction is undone.

    `correct` takes a differing rating as a correction. `fill` takes a value where there was none, and leaves
    what is there when there is no better one.
    """
    done = Appended()
    known = _Raters(connection)
    rows = iter(stream)
    while batch := list(islice(rows, _BATCH)):
        good = [(place, good) for place, rating in batch if (good := known.accepted(place, rating, done))]
        done.bare_items += add_bare_items(connection, (rating.item for _, rating in good), arrival)
        _append_batch(connection, good, rubric_version, arrival, correct, fill, done)
        if len(done.skipped) >= _SHOWN_PROBLEMS and not skip_bad:
            break
    if done.skipped and not skip_bad:
        raise HaechiError(tuple(done.skipped[:_SHOWN_PROBLEMS]))
    return done


class _Raters:
    """The study's raters; a new name is registered with its kind, and keeps it."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        known = connection.execute(sa.select(raters.c.name, raters.c.kind))
        self._kinds: dict[str, str] = {row.name: row.kind for row in known}

    def accepted(self, place: str, rating: Rating | HaechiError, done: Appended) -> Rating | None:
        if isinstance(rating, HaechiError):
            done.skipped.extend(rating.problems)
            return None
        if rating.rater not in self._kinds:
            row = {"name": rating.rater, "kind": rating.kind, "at": now()}
            self._connection.execute(sa.insert(raters), row)
            self._kinds[rating.rater] = rating.kind
        known = self._kinds[rating.rater]
        if known != rating.kind:
            found = Text(f"{rating.rater}: {rating.kind}", f"{rating.rater} as {rating.kind}")
            expected = Text(
                f"이 스터디에서 {rating.rater}: {known}", f"{rating.rater} is {known} in this study"
            )
            todo = Text(
                "--kind를 맞추거나 --rater로 다른 이름을 쓰세요", "use that --kind, or another --rater name"
            )
            done.skipped.append(Problem(place, found, expected, todo))
            return None
        return rating


def _append_batch(
    connection: sa.Connection,
    batch: list[tuple[str, Rating]],
    rubric_version: str,
    arrival: str,
    correct: bool,
    fill: bool,
    done: Appended,
) -> None:
    current = _current(connection, [rating.key for _, rating in batch])
    fresh: dict[JudgementKey, dict[str, Any]] = {}
    for place, rating in batch:
        stored = current.get(rating.key)
        if rating.key in fresh or (stored is not None and stored.arrival == arrival):
            done.skipped.append(_twice(place, rating))
            continue
        if stored is not None:
            said = (stored.value, stored.evidence, stored.status, stored.reason, stored.stance)
            if said == rating.said or (fill and rating.status != "ok"):
                done.unchanged += 1
                continue
            if not correct and not (fill and stored.status != "ok"):
                done.skipped.append(_differs(place, rating, stored.value))
                continue
        done.new += stored is None
        done.corrected += stored is not None
        fresh[rating.key] = _row(
            rating, rubric_version, arrival, stored.number if stored is not None else None
        )
    if fresh:
        connection.execute(sa.insert(table), list(fresh.values()))


def append_after(
    connection: sa.Connection, rating: Rating, stored: sa.Row[Any] | None, rubric_version: str, arrival: str
) -> None:
    """Append a rating of a known item and rater after `stored`, the one in force; nothing if it says the same."""
    if stored is not None and rating.said == (
        *(stored.value, stored.evidence, stored.status),
        *(stored.reason, stored.stance),
    ):
        return
    replaces = stored.number if stored is not None else None
    connection.execute(sa.insert(table), _row(rating, rubric_version, arrival, replaces))


def _row(rating: Rating, rubric_version: str, arrival: str, replaces: int | None) -> dict[str, Any]:
    return {
        "item": rating.item,
        "criterion": rating.criterion,
        "rater": rating.rater,
        "replicate": rating.replicate,
        "value": rating.value,
        "evidence": rating.evidence,
        "status": rating.status,
        "reason": rating.reason,
        "stance": rating.stance,
        "rubric": rubric_version,
        "arrival": arrival,
        "at": rating.at or now(),
        "replaces": replaces,
    }


def _current(connection: sa.Connection, keys: list[JudgementKey]) -> dict[JudgementKey, sa.Row[Any]]:
    """The newest rating of each judgement: the one that no other replaces."""
    if not keys:
        return {}
    given = {f"{name}{n}": part for n, key in enumerate(keys) for name, part in zip(_KEY, key, strict=True)}
    rows = connection.execute(_ratings_of(len(keys)), given).all()
    replaced = {row.replaces for row in rows}
    newest = (row for row in rows if row.number not in replaced)
    return {(row.item, row.criterion, row.rater, row.replicate): row for row in newest}


@cache
def _ratings_of(count: int) -> sa.TextClause:
    """The query for all ratings of some judgements.

    A join, because each key is then looked up in the index: for `IN` SQLite reads the whole table. Words, because
    SQLAlchemy composes lists of rows anew each time, which takes longer than the look-up.
    """
    rows = ", ".join(f"({', '.join(f':{name}{n}' for name in _KEY)})" for n in range(count))
    same = " AND ".join(f"ratings.{name} = wanted.{name}" for name in _KEY)
    return sa.text(
        f"WITH wanted ({', '.join(_KEY)}) AS (VALUES {rows}) "
        f"SELECT ratings.* FROM wanted JOIN ratings ON {same} ORDER BY ratings.number"
    )


def current_ratings() -> sa.Select[Any]:
    """The query for all ratings in force, with the kind of their rater, in the order they were made."""
    later = table.alias("later")
    columns = [table.c[name] for name in ("item", "criterion", "rater")]
    rest = [
        table.c[name]
        for name in ("value", "evidence", "replicate", "status", "reason", "stance", "rubric", "at")
    ]
    return (
        sa.select(*columns, raters.c.kind, *rest)
        .join(raters, raters.c.name == table.c.rater)
        .outerjoin(later, later.c.replaces == table.c.number)
        .where(later.c.number.is_(None))
        .order_by(table.c.number)
    )


def _twice(place: str, rating: Rating) -> Problem:
    said = f"{rating.item} × {rating.criterion} × {rating.rater} × {rating.replicate}"
    expected = Text(
        "항목·기준·평가자·반복마다 한 줄", "one row for each item, criterion, rater and replicate"
    )
    todo = Text(
        "한 줄만 남기세요. 반복 평가라면 replicate 열에 번호를 매기세요",
        "keep one; number repeated ratings in the column replicate",
    )
    return Problem(place, Text(f"중복: {said}", f"twice: {said}"), expected, todo)


def _differs(place: str, rating: Rating, stored: str | None) -> Problem:
    said = f"{rating.item} × {rating.criterion} × {rating.rater}"
    found = Text(
        f"{said}: 이미 {stored}(으)로 저장되어 있는데 {rating.value}",
        f"{said}: {rating.value}, but {stored} is stored",
    )
    todo = Text(
        "고친 값이라면 --correct를 붙이세요(옛 값도 남습니다)",
        "if it is a correction use --correct (the old one is kept)",
    )
    return Problem(place, found, Text("저장된 것과 같은 평가", "the same rating as stored"), todo)
