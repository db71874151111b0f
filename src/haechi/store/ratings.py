"""Ratings in the database: append-only; a correction is a new row that names its predecessor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from haechi.data.rating import JudgementKey, Rating
from haechi.data.rating_reader import PlacedRating
from haechi.data.rating_rules import rated_twice
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.database import now
from haechi.store.display_order import Seen, note_shown
from haechi.store.imports import ImportKind, record_import
from haechi.store.items import add_bare_items
from haechi.store.unknown_items import UnknownItems
from haechi.text import Text

_BATCH = 500


@dataclass
class Appended:
    """What an import of ratings did; its number in the history, None if it changed nothing."""

    new: int = 0
    unchanged: int = 0
    corrected: int = 0
    bare_items: int = 0
    skipped: list[Problem] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    said: list[Text] = field(default_factory=list)
    number: int | None = None

    def add(self, other: Appended) -> None:
        """Count what another append did."""
        self.new += other.new
        self.unchanged += other.unchanged
        self.corrected += other.corrected
        self.bare_items += other.bare_items
        self.skipped += other.skipped


def append_ratings(
    connection: Connection,
    stream: Iterable[PlacedRating],
    rubric_version: str,
    arrival: str | None,
    correct: bool = False,
    skip_bad: bool = False,
    fill: bool = False,
    newcomers: UnknownItems | None = None,
    place: str = "",
) -> Appended:
    """Append ratings from a stream; unless `skip_bad`, bad rows raise and the transaction is undone.

    `correct` takes a differing rating as a correction. `fill` takes a value where there was none, and leaves
    what is there when there is no better one. `newcomers` decides about items that the study does not know; without it
    they are made. `place` is what a problem with all of the stream calls it. Without an `arrival` each arrives with its place
    in the stream, such as the call of a judge that gave it.
    """
    done = Appended()
    known, tips = _Raters(connection), _Tips(connection)
    rows = iter(stream)
    while batch := list(islice(rows, _BATCH)):
        good = [(at, good) for at, rating in batch if (good := known.accepted(at, rating, done))]
        if newcomers is not None:
            welcome = newcomers.welcome(rating.item for _, rating in good)
            good = [(at, rating) for at, rating in good if rating.item in welcome]
        done.bare_items += add_bare_items(connection, (rating.item for _, rating in good), arrival or "")
        _append_batch(connection, good, rubric_version, arrival, correct, fill, done, tips)
        if done.skipped and not skip_bad:  # nothing will be written, but every mistake is counted
            done.skipped += [p for _, bad in rows if isinstance(bad, HaechiError) for p in bad.problems]
    unknown = newcomers.problem(place) if newcomers is not None else None
    done.skipped += [unknown] if unknown else []
    if done.skipped and not skip_bad:
        raise HaechiError(unique_problems(done.skipped))
    return done


def number_ratings(
    connection: Connection, what: ImportKind, arrival: str, files: Sequence[Path], done: Appended
) -> None:
    """Number an import of ratings that changed something."""
    counts = {"new": done.new, "corrected": done.corrected, "items": done.bare_items}
    if any(counts.values()):
        done.number = record_import(connection, what, arrival, files, counts)


class _Raters:
    """The study's raters; a new name is registered with its kind, and keeps it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._kinds: dict[str, str] = dict(connection.rows("SELECT name, kind FROM raters"))

    def accepted(self, place: str, rating: Rating | HaechiError, done: Appended) -> Rating | None:
        if isinstance(rating, HaechiError):
            done.skipped.extend(rating.problems)
            return None
        if rating.rater not in self._kinds:
            new = "INSERT INTO raters (name, kind, at) VALUES (:name, :kind, :at)"
            self._connection.execute(new, name=rating.rater, kind=rating.kind, at=now())
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
            done.skipped.append(Problem(place, found, expected, todo, place))
            return None
        return rating


def _append_batch(
    connection: Connection,
    batch: list[tuple[str, Rating]],
    rubric_version: str,
    arrival: str | None,
    correct: bool,
    fill: bool,
    done: Appended,
    tips: _Tips,
) -> None:
    ends = tips.of([rating.key for _, rating in batch])
    current = _current(connection, [rating.key for _, rating in batch])
    fresh: dict[JudgementKey, tuple[Any, ...]] = {}
    orders: dict[JudgementKey, Seen] = {}
    moment = now()
    for place, rating in batch:
        stored = current.get(rating.key)
        if rating.order is not None:
            orders[rating.key] = (rating.item, rating.rater, rating.replicate, rating.order)
        if rating.key in fresh or (stored is not None and stored.arrival == arrival and not fill):
            done.skipped.append(rated_twice(place, *rating.key))
            continue
        if stored is not None:
            if _says(stored, rating) or (fill and rating.status != "ok"):
                done.unchanged += 1
                continue
            if not correct and not (fill and stored.status != "ok"):
                done.skipped.append(_differs(place, rating, stored.value))
                continue
        done.new += stored is None
        done.corrected += stored is not None
        before = ends.get(rating.key, stored.number if stored is not None else None)
        fresh[rating.key] = _row(rating, before, rubric_version, arrival or place, moment)
    connection.insert("ratings", COLUMNS, fresh.values())
    if orders:
        note_shown(connection, (seen for key, seen in orders.items() if key in fresh), anew=True)
        note_shown(connection, (seen for key, seen in orders.items() if key not in fresh))


def append_after(
    connection: Connection, rating: Rating, stored: DatabaseRow | None, rubric_version: str, arrival: str
) -> bool:
    """Append a rating of a known item and rater after `stored`, the one in force; nothing if it says the same.

    One that was given before the one in force is kept, and the newer one is put in force again behind it; says whether that
    was so.
    """
    if stored is not None and _says(stored, rating):
        return False
    before = _Tips(connection).of([rating.key]).get(rating.key, stored.number if stored is not None else None)
    connection.insert("ratings", COLUMNS, [_row(rating, before, rubric_version, arrival, now())])
    if stored is None or not _is_older(rating.at, stored.at):
        return False
    late = _current(connection, [rating.key])[rating.key]
    newer = f"SELECT {', '.join(COLUMNS[:-1])} FROM ratings WHERE number = :number"
    connection.insert("ratings", COLUMNS, [(*connection.rows(newer, number=stored.number)[0], late.number)])
    return True


def _is_older(one: str | None, other: str) -> bool:
    """Whether a moment is known to be before another; imported ones may be written in ways of their own."""
    try:
        return one is not None and datetime.fromisoformat(one) < datetime.fromisoformat(other)
    except (ValueError, TypeError):
        return False


class _Tips:
    """Where a chain of ratings goes on: after its last one, which need not be in force once something was taken back."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._needed = connection.value("SELECT arrival FROM taken_back LIMIT 1") is not None

    def of(self, keys: list[JudgementKey]) -> dict[JudgementKey, int]:
        """The numbers of the last ratings of some judgements, where they may differ from those in force."""
        if not self._needed or not keys:
            return {}
        found = self._connection.rows_for(_LAST, keys)
        return {(row.item, row.criterion, row.rater, row.replicate): row.number for row in found}


_KEY = ("item", "criterion", "rater", "replicate")
_SAID = ("value", "evidence", "status", "reason", "stance")
COLUMNS = (*_KEY, *_SAID, "rubric", "arrival", "at", "replaces")


def _says(stored: DatabaseRow, rating: Rating) -> bool:
    """Whether a rating says what is stored: a reason may come back in one of the languages that it is kept in."""
    reason = stored.reason
    if reason is not None and rating.reason in Text.of_kept(reason):
        reason = rating.reason
    return (stored.value, stored.evidence, stored.status, reason, stored.stance) == rating.said


def _row(
    rating: Rating, replaces: int | None, rubric_version: str, arrival: str, moment: str
) -> tuple[Any, ...]:
    return (*rating.key, *rating.said, rubric_version, arrival, rating.at or moment, replaces)


def _current(connection: Connection, keys: list[JudgementKey]) -> dict[JudgementKey, DatabaseRow]:
    """The ratings in force of some judgements."""
    if not keys:
        return {}
    found = connection.rows_for(_OF_JUDGEMENTS, keys)
    return {(row.item, row.criterion, row.rater, row.replicate): row for row in found}


# A join, because each key is then looked up in the index: for `IN` SQLite reads the whole table.
_OF_JUDGEMENTS = f"""WITH wanted ({", ".join(_KEY)}) AS (VALUES :wanted)
    SELECT {", ".join(f"given.{name}" for name in ("number", *_KEY, *_SAID, "arrival"))}
    FROM wanted JOIN ratings_in_force AS given ON {" AND ".join(f"given.{name} = wanted.{name}" for name in _KEY)}"""


_LAST = f"""WITH wanted ({", ".join(_KEY)}) AS (VALUES :wanted)
    SELECT {", ".join(f"given.{name}" for name in _KEY)}, max(given.number) AS number
    FROM wanted JOIN ratings AS given ON {" AND ".join(f"given.{name} = wanted.{name}" for name in _KEY)}
    GROUP BY {", ".join(f"given.{name}" for name in _KEY)}"""


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
    return Problem(place, found, Text("저장된 것과 같은 평가", "the same rating as stored"), todo, place)
