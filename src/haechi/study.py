"""A study: one folder that binds rubric, items, raters and ratings."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from haechi.errors import HaechiError
from haechi.items import Item, items_of, read_rows
from haechi.items.files import Row
from haechi.raters.people import ratings_of
from haechi.rubrics import Rubric, builtin_ids, builtin_text, find_rubric, parse_rubric
from haechi.rubrics.model import Missing
from haechi.store import (
    Added,
    Appended,
    Database,
    Settings,
    add_items,
    append_ratings,
    current_ratings,
    read_items,
    read_settings,
    write_settings,
)
from haechi.store.database import now
from haechi.store.folder import checked_database
from haechi.store.tables import rubrics
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

    from haechi.providers.results import Provider
    from haechi.raters.evidence import EvidenceFigures
    from haechi.raters.importing import Imported
    from haechi.scoring.ratings import Scores

_DATABASE = "study.db"
_PIECE = 50_000
_META = "meta."

Advance = Callable[[int], None]


def _quiet(_: int) -> None:
    """Progress that nobody watches."""


def _rows(file: str | Path, advance: Advance) -> Iterator[Row]:
    for row in read_rows(Path(file)):
        advance(1)
        yield row


def _open(folder: Path, address: str | None) -> Database:
    return Database.connect(address) if address else Database.at(folder / _DATABASE)


class Study:
    """A study folder.

    >>> import tempfile, haechi
    >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
    >>> study.rubric.id, study.count_items()
    ('diary-comment', 0)
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.settings = read_settings(self.folder)
        self.database = self._database()
        self.rubric = self._rubric()

    @classmethod
    def new(
        cls,
        folder: str | Path,
        rubric: str | Path,
        assistant_name: str | None = None,
        user_name: str | None = None,
        database: str | None = None,
    ) -> Study:
        """Make a study; it keeps the rubric inside, so that later edits of the file do not change it.

        database: the address of an empty PostgreSQL database; without it the study keeps its own file.
        """
        checked = find_rubric(rubric)
        text = (
            builtin_text(str(rubric)) if str(rubric) in builtin_ids() else Path(rubric).read_text("utf-8-sig")
        )
        path = Path(folder)
        if (path / "study.yaml").exists():
            todo = Text("다른 폴더를 고르세요", "choose another folder")
            found = Text("이미 스터디가 있음", "a study is there already")
            raise HaechiError.of(str(path), found, Text("새 폴더", "a new folder"), todo)
        address = checked_database(database, str(path))
        path.mkdir(parents=True, exist_ok=True)
        opened = _open(path, address)
        with opened.write() as connection:
            # A study that was interrupted before study.yaml was written may be begun again.
            known = sa.select(rubrics.c.version).where(rubrics.c.version == checked.version)
            if connection.execute(known).first() is None:
                row = {"version": checked.version, "id": checked.id, "text": text, "at": now()}
                connection.execute(sa.insert(rubrics), row)
        opened.close()
        write_settings(path, Settings(checked.id, checked.version, assistant_name, user_name, address))
        return cls(path)

    def _database(self) -> Database:
        path = self.folder / _DATABASE
        if self.settings.database is None and not path.exists():
            expected = Text("study.yaml 옆의 study.db", "study.db beside study.yaml")
            todo = Text("백업에서 되살리세요", "restore it from a backup")
            raise HaechiError.of(str(path), Text("데이터베이스가 없음", "no database"), expected, todo)
        return _open(self.folder, self.settings.database)

    def _rubric(self) -> Rubric:
        query = sa.select(rubrics.c.text).where(rubrics.c.version == self.settings.version)
        with self.database.read() as connection:
            text = connection.execute(query).scalar_one_or_none()
        if text is None:
            found = Text(f"루브릭 {self.settings.version}이(가) 없음", f"no rubric {self.settings.version}")
            expected = Text("study.yaml의 version과 같은 루브릭", "the rubric that study.yaml names")
            todo = Text("study.yaml의 version을 되돌리세요", "restore the version in study.yaml")
            raise HaechiError.of(str(self.folder), found, expected, todo)
        return parse_rubric(text, f"{self.settings.rubric}.yaml")

    def add(
        self,
        files: Iterable[str | Path],
        replace: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
    ) -> Added:
        """Add items from files, all or none; the same files again change nothing."""
        placed = (pair for file in files for pair in items_of(_rows(file, advance), self.rubric.item))
        with self.database.write() as connection:
            return add_items(connection, placed, uuid.uuid4().hex, replace, skip_bad)

    def import_ratings(
        self,
        files: Iterable[str | Path],
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
    ) -> Appended:
        """Append ratings from tables, all or none; the same tables again change nothing."""
        rows = (row for file in files for row in _rows(file, advance))
        ignored: dict[str, None] = {}
        placed = ratings_of(rows, self.rubric, rater, kind, stance, ignored)
        with self.database.write() as connection:
            done = append_ratings(
                connection, placed, self.rubric.version, uuid.uuid4().hex, correct=correct, skip_bad=skip_bad
            )
        done.ignored = list(ignored)
        return done

    def import_results(
        self,
        files: Iterable[str | Path],
        provider: Provider,
        rater: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
    ) -> Imported:
        """Take over the result files of a provider's batch interface, all or none.

        A reply that is known already is left alone; a value is filled in where there was none.
        """
        from haechi.raters.importing import import_results

        paths = [Path(file) for file in files]
        return import_results(self.database, self.rubric, paths, provider, rater, correct, skip_bad, advance)

    def items(self) -> Iterator[Item]:
        """The items, one after the other."""
        with self.database.read() as connection:
            yield from read_items(connection)

    def count_items(self) -> int:
        """How many items there are."""
        with self.database.read() as connection:
            return int(connection.execute(sa.text("SELECT count(*) FROM items")).scalar_one())

    def ratings(self) -> pl.DataFrame:
        """The ratings in force, as a data frame in the order of the ratings table."""
        import polars as pl

        query = current_ratings()
        schema = {
            column.name: pl.Int64 if column.name == "replicate" else pl.String
            for column in query.selected_columns
        }
        pieces = [pl.DataFrame(schema=schema)]
        with self.database.read() as connection:
            # Piece by piece: rows of Python objects take many times the room of columns.
            found = connection.execution_options(yield_per=_PIECE).execute(query)
            for rows in found.partitions():
                pieces.append(pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row"))
        return pl.concat(pieces)

    def meta(self, fields: Collection[str]) -> pl.DataFrame:
        """Some meta fields of all items, as text; null where an item has none."""
        import polars as pl

        columns: dict[str, list[Any]] = {"item": [], **{field: [] for field in fields}}
        for item in self.items():
            columns["item"].append(item.id)
            for field in fields:
                value = item.meta.get(field, item.meta.get(field.removeprefix(_META)))
                columns[field].append(None if value is None else str(value))
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def meta_fields(self) -> list[str]:
        """The meta fields that items have, in the order of their first appearance.

        A field with the name of a score or of a column of its own is called `meta.NAME`.
        """
        taken = {"item", "rater", "kind", "replicate", "missing", "place", *self.rubric.score_names}
        found = dict.fromkeys(field for item in self.items() for field in item.meta)
        return [f"{_META}{field}" if field in taken or ":" in field else field for field in found]

    def evidence(self) -> EvidenceFigures:
        """How much of the AI judges' evidence stands in the transcripts, per judge and element."""
        import polars as pl

        from haechi.raters.evidence import evidence_figures

        given = self.ratings().filter(pl.col("kind") == "ai", pl.col("evidence").is_not_null())
        said: dict[str, list[tuple[str, str, str]]] = {}
        for row in given.select("item", "rater", "criterion", "evidence").iter_rows():
            said.setdefault(row[0], []).append((row[1], row[2], row[3]))
        return evidence_figures(self.items(), said, self.rubric)

    def scores(self, missing: Missing | None = None, exclude: tuple[str, ...] = ()) -> Scores:
        """The scores by the rubric's arithmetic; recomputed each time, never stored.

        Decisions on disputed items and items that only test attention are no measurements and stay out.
        """
        import polars as pl

        from haechi.scoring.ratings import score_ratings

        rubric = self.rubric.without(exclude) if exclude else self.rubric
        ruled = any(floor.rule for floor in rubric.floors)
        floored, attention = [], []
        for item in self.items():
            if item.kind != "bare" and ruled and not item.has_assistant_message:
                floored.append(item.id)
            if item.kind != "bare" and "attention" in item.meta:
                attention.append(item.id)
        ratings = self.ratings().filter(
            pl.col("stance").fill_null("") != "adjudication", ~pl.col("item").is_in(attention)
        )
        return score_ratings(ratings, rubric, floored, missing)
