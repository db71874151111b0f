"""What came into a study, numbered: additions and imports from files, and undoings of these. Nothing is removed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.database import local, now
from haechi.text import Text

ImportKind = Literal["items", "meta", "ratings", "replies", "undo"]
WHAT: dict[ImportKind, Text] = {
    "items": Text("항목", "items"),
    "meta": Text("메타", "meta"),
    "ratings": Text("평가", "ratings"),
    "replies": Text("배치 결과", "batch results"),
    "undo": Text("되돌리기", "undo"),
}
COUNTED = {
    "new": Text("새로", "new"),
    "filled": Text("채움", "filled in"),
    "replaced": Text("바꿈", "replaced"),
    "corrected": Text("수정", "corrected"),
    "items": Text("새 항목", "items made"),
    "joined": Text("연결", "joined"),
    "later": Text("나중 항목용", "for later items"),
    "asked": Text("물음", "asked"),
}
"""What a step is called, and what is counted of it."""
_PIECE = 1 << 20
_COLUMNS = ("number", "what", "arrival", "about", "taken_back", "files", "counts", "at")


@frozen
class Import:
    """One numbered step: what came, from which files, what it came to, and whether it is taken back.

    Of an undoing, `about` is the step that it took back, or restored (`restores`).
    """

    number: int
    what: ImportKind
    at: str
    files: tuple[Mapping[str, str], ...]
    counts: Mapping[str, int]
    taken_back: bool = False
    about: int | None = None
    restores: bool = False

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        said = {"number": self.number, "what": self.what, "at": self.at}
        if self.about is not None:
            return said | {"about": self.about, "restores": self.restores}
        files = [dict(file) for file in self.files]
        return said | {"files": files, "counts": dict(self.counts), "taken_back": self.taken_back}


@frozen
class Undone:
    """What an undoing did: its own number, the step that it was about, and how much that step holds.

    restored: the step had been taken back and is in force again; left_bare: items without content that stay because they
    are rated.
    """

    number: int
    about: Import
    restored: bool
    items: int
    ratings: int
    left_bare: int

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "number": self.number,
            "about": self.about.number,
            "restored": self.restored,
            "items": self.items,
            "ratings": self.ratings,
            "left_bare": self.left_bare,
        }


def record_import(
    connection: Connection, what: ImportKind, arrival: str, files: Sequence[Path], counts: Mapping[str, int]
) -> int:
    """Give what has just come a number, in the transaction that wrote it."""
    about_files = [{"name": file.name, "sha256": file_hash(file)} for file in files]
    return _append(connection, what, arrival, None, None, orjson.dumps(about_files).decode(), counts)


def _append(
    connection: Connection,
    what: ImportKind,
    arrival: str | None,
    about: int | None,
    taken_back: int | None,
    files: str,
    counts: Mapping[str, int],
) -> int:
    connection.alone()  # two that come at once do not get the same number
    number = int(connection.value("SELECT coalesce(max(number), 0) + 1 FROM imports"))
    row = (number, what, arrival, about, taken_back, files, orjson.dumps(dict(counts)).decode(), now())
    connection.insert("imports", _COLUMNS, [row])
    return number


def file_hash(file: Path) -> str:
    """The SHA-256 of a file, read piece by piece."""
    found = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE):
            found.update(piece)
    return found.hexdigest()


def imports_of(connection: Connection) -> list[Import]:
    """All steps, the first one first."""
    gone = set(
        connection.values("SELECT number FROM imports WHERE arrival IN (SELECT arrival FROM taken_back)")
    )
    rows = connection.rows(f"SELECT {', '.join(_COLUMNS)} FROM imports ORDER BY number")
    return [_import(connection, row, gone) for row in rows]


def _import(connection: Connection, row: DatabaseRow, gone: set[int]) -> Import:
    counts = orjson.loads(row.counts)
    if (
        row.what == "items" and not counts
    ):  # an agent's answers, which come one by one after the number is given
        counts = {"asked": _holds(connection, row.arrival)[0]}
    return Import(
        row.number,
        row.what,
        row.at,
        tuple(orjson.loads(row.files)),
        counts,
        row.number in gone,
        row.about,
        row.taken_back == 0,
    )


class Unnumbered(NamedTuple):
    """How many ratings a rater gave on a day, as days begin on this machine."""

    day: str
    rater: str
    kind: str
    ratings: int


def unnumbered_ratings(connection: Connection) -> list[Unnumbered]:
    """Ratings that came from no file, or before imports were numbered, by day and rater."""
    by_minute = connection.rows(
        """SELECT substr(at, 1, 16) AS minute, rater, kind, count(*) AS ratings
        FROM ratings_in_force JOIN (SELECT name, kind FROM raters) AS known ON known.name = rater
        WHERE arrival NOT IN (SELECT arrival FROM imports WHERE arrival IS NOT NULL)
        GROUP BY substr(at, 1, 16), rater, kind"""
    )
    days: Counter[tuple[str, str, str]] = Counter()
    for row in by_minute:
        days[local(f"{row.minute}+00:00")[:10], row.rater, row.kind] += row.ratings
    return [Unnumbered(*who, count) for who, count in sorted(days.items())]


def undo(connection: Connection, number: int | None, place: str) -> Undone:
    """Take a step back: an undoing of an undoing restores. Without a number the newest import that is in force."""
    connection.alone()
    steps = {step.number: step for step in imports_of(connection)}
    wanted = _wanted(steps, number, place)
    about = steps[wanted.about] if wanted.about is not None else wanted
    back = not about.taken_back
    latest = max((step.number for step in steps.values() if step.about == about.number), default=None)
    if wanted.number not in {latest, about.number if back else latest}:
        raise _refused(place, wanted.number, latest)
    arrival = connection.value("SELECT arrival FROM imports WHERE number = :number", number=about.number)
    _check_files(connection, arrival, back, place)
    before = _rated_without_content(connection)
    made = _append(connection, "undo", None, about.number, int(back), "[]", {})
    _keep_taken_back(connection)
    items, ratings = _holds(connection, arrival)
    left = max(0, _rated_without_content(connection) - before) if back else 0
    return Undone(made, about, not back, items, ratings, left)


def _keep_taken_back(connection: Connection) -> None:
    """Note anew which arrivals are not in force, as it follows from the undoings."""
    connection.execute("DELETE FROM taken_back")
    connection.execute(
        """INSERT INTO taken_back (arrival) SELECT arrival FROM imports
        WHERE arrival IS NOT NULL AND (
            SELECT latest.taken_back FROM imports AS latest WHERE latest.about = imports.number
            ORDER BY latest.number DESC LIMIT 1) = 1"""
    )
    connection.execute(
        """INSERT INTO taken_back (arrival) SELECT 'runs/' || name FROM run_files
        WHERE arrival IN (SELECT arrival FROM taken_back)"""
    )


def _wanted(steps: Mapping[int, Import], number: int | None, place: str) -> Import:
    in_force = [step for step in steps.values() if step.about is None and not step.taken_back]
    if number is None and in_force:
        return in_force[-1]
    if number is not None and number in steps:
        return steps[number]
    found = Text("되돌릴 것이 없음", "nothing to take back") if number is None else str(number)
    names = ", ".join(map(str, steps)) or Text("없음", "none").say()
    expected = Text(f"이력의 번호: {names}", f"a number of the history: {names}")
    raise HaechiError.of(place, found, expected, _see(place))


def _refused(place: str, number: int, latest: int | None) -> HaechiError:
    """The step has been taken back already; the undoing to take back is named."""
    found = Text(f"{number}번은 이미 되돌렸음", f"{number} has been taken back already")
    expected = Text("아직 되돌리지 않은 번호", "a number that is in force")
    todo = Text(f"다시 살리려면 haechi undo {place} {latest}", f"to restore it: haechi undo {place} {latest}")
    return HaechiError.of(place, found, expected, todo)


def _see(place: str) -> Text:
    return Text(f"haechi history {place}로 번호를 보세요", f"haechi history {place} lists the numbers")


def _check_files(connection: Connection, arrival: str, back: bool, place: str) -> None:
    """Files of runs that others were made from go after these, and come before them."""
    gone = "(SELECT arrival FROM taken_back)"
    needed = (
        f"""SELECT DISTINCT replaced_by AS other FROM run_files WHERE arrival = :arrival
        AND replaced_by IS NOT NULL AND replaced_by <> :arrival AND replaced_by NOT IN {gone}"""
        if back
        else f"""SELECT DISTINCT arrival AS other FROM run_files WHERE replaced_by = :arrival AND arrival IN {gone}"""
    )
    others = connection.values(
        f"SELECT number FROM imports WHERE arrival IN ({needed}) ORDER BY number", arrival=arrival
    )
    if others:
        names = ", ".join(map(str, others))
        found = Text(f"{names}번이 이 실행들을 바꿈", f"{names} replaced runs of it")
        expected = Text(f"{names}번 먼저", f"{names} first")
        todo = Text(
            f"haechi undo {place} {others[-1]}을(를) 먼저 실행하세요",
            f"first haechi undo {place} {others[-1]}",
        )
        raise HaechiError.of(place, found, expected, todo)


def _holds(connection: Connection, arrival: str) -> tuple[int, int]:
    """How many items and ratings came with an import."""
    runs = connection.value("SELECT sum(runs) FROM run_files WHERE arrival = :arrival", arrival=arrival)
    items = connection.value(
        """SELECT count(*) FROM (
            SELECT id FROM items WHERE arrival = :arrival AND kind <> 'bare'
            UNION SELECT id FROM replaced_items WHERE arrival = :arrival AND kind <> 'bare'
            UNION SELECT item FROM joined_meta WHERE arrival = :arrival) AS every""",
        arrival=arrival,
    )
    ratings = connection.value("SELECT count(*) FROM ratings WHERE arrival = :arrival", arrival=arrival)
    return int(runs or 0) + int(items), int(ratings)


def _rated_without_content(connection: Connection) -> int:
    return int(connection.value("SELECT count(*) FROM items_in_force WHERE kind = 'bare'"))
