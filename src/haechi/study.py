"""A study: one folder that binds rubric, items, raters and ratings."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from haechi.data import Item, items_of, read_rows
from haechi.data.fields import CRITERION, EVERYTHING, OF_ROWS, Selection, Where, meta_value
from haechi.data.files import Row
from haechi.data.frames import Columns, Files, Frame, as_files
from haechi.data.hearing import Hearing
from haechi.data.item_columns import ItemColumns
from haechi.data.joins import joined_rows
from haechi.data.names import META_PREFIX
from haechi.data.plain_ratings import NotPlain, is_plain, plain_pieces
from haechi.data.rating_rules import RatingRules
from haechi.data.ratings import RatingReader
from haechi.data.readers import AS_FOUND
from haechi.data.splits import more_rows_than
from haechi.data.tables import Reading
from haechi.errors import HaechiError, Problem, once
from haechi.rubrics import Rubric, builtin_ids, builtin_text, find_rubric, parse_rubric
from haechi.rubrics.model import Missing
from haechi.store import large
from haechi.store.connection import Connection
from haechi.store.database import Database, RuleBroken, now
from haechi.store.folder import Settings, checked_database, read_settings, write_settings
from haechi.store.imports import Import, Undone, imports_of, record_import, undo
from haechi.store.items import Added, add_items, count_items, known_items, number_addition, read_items
from haechi.store.joined import JoinedMeta, join_meta
from haechi.store.large import add_runs, copy_runs, has_copies, keeps_files, keeps_rows
from haechi.store.many_ratings import append_pieces
from haechi.store.newcomers import Newcomers
from haechi.store.ratings import RATING_COLUMNS, RATINGS, Appended, append_ratings, number_ratings
from haechi.store.run_files import RunFile, check_files, files_in_force, known_ids, read_runs
from haechi.text import Text, readable

if TYPE_CHECKING:
    import polars as pl

    from haechi.cluster.engine import Engine
    from haechi.data.understanding import Understanding
    from haechi.judge.imports import Imported
    from haechi.prompt.founded import EvidenceFigures
    from haechi.scoring.run_tables import StoredRuns
    from haechi.scoring.score_table import ScoreTable

_DATABASE = "study.db"
_PIECE, _ITEMS = 50_000, 8_192

Advance = Callable[[int], None]


def _quiet(_: int) -> None:
    """Progress that nobody watches."""


def _counted(rows: Iterable[Row], advance: Advance) -> Iterator[Row]:
    for row in rows:
        advance(1)
        yield row


def _open(folder: Path, address: str | None) -> Database:
    return Database.connect(address) if address else Database.at(folder / _DATABASE)


@dataclasses.dataclass(frozen=True)
class SourceFile:
    """A file as a reader finds it again; `date` is when it was last changed (UTC)."""

    name: str
    sha256: str
    date: str


@dataclasses.dataclass(frozen=True)
class MadeOf:
    """The files that a study was made of to look at them: what errors call them, and the rubric as it was given."""

    place: str
    files: tuple[SourceFile, ...]
    rubric: str


class Study:
    """A study folder.

    >>> import tempfile, haechi
    >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
    >>> study.rubric.id, study.count_items()
    ('diary-comment', 0)
    """

    selection: Selection = EVERYTHING
    """What of the study is looked at; all of it, unless `selecting` says otherwise."""

    made_of: MadeOf | None = None
    """The files that it stands for as long as somebody looks at them; None for a study that is kept."""

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
    ) -> Self:
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
        if path.exists() and not path.is_dir():
            todo = Text("다른 이름을 고르세요", "choose another name")
            raise HaechiError.of(str(path), Text("파일", "a file"), Text("새 폴더", "a new folder"), todo)
        address = checked_database(database, str(path))
        path.mkdir(parents=True, exist_ok=True)
        opened = _open(path, address)
        with opened.write() as connection:
            # A study that was interrupted before study.yaml was written may be begun again.
            connection.execute(
                """INSERT INTO rubrics (version, id, text, at) VALUES (:version, :id, :text, :at)
                ON CONFLICT DO NOTHING""",
                version=checked.version,
                id=checked.id,
                text=text,
                at=now(),
            )
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
        query = "SELECT text FROM rubrics WHERE version = :version"
        with self.database.read() as connection:
            text = connection.value(query, version=self.settings.version)
        if text is None:
            found = Text(f"루브릭 버전 {self.settings.version} 없음", f"no rubric {self.settings.version}")
            expected = Text("study.yaml의 version과 같은 루브릭", "the rubric that study.yaml names")
            todo = Text("study.yaml의 version을 되돌리세요", "restore the version in study.yaml")
            raise HaechiError.of(str(self.folder), found, expected, todo)
        return parse_rubric(text, f"{self.settings.rubric}.yaml")

    def add(
        self,
        files: Files | Frame | Columns,
        replace: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
        format: str | None = None,
        assistant: str | Sequence[str] = (),
        reading: Reading = AS_FOUND,
    ) -> Added:
        """Add items from a file, several, or a data frame, all or none; the same again changes nothing.

        format: what the files are, where their content does not tell (`haechi.data.conversations.formats.FORMATS`).
        assistant: who the AI is in chats of named speakers. reading: how tables are to be read.

        An empty study that gets more agent runs than `haechi.store.large.LARGE` keeps them as Parquet files from
        then on, and rows only when somebody rates run by run (`bring_rows`); `Added.backing` says which.
        """
        hearing = Hearing(format, (assistant,) if isinstance(assistant, str) else tuple(assistant), reading)
        with as_files(files) as given:
            return self._add([Path(file) for file in given], replace, skip_bad, advance, hearing)

    def _add(
        self, paths: list[Path], replace: bool, skip_bad: bool, advance: Advance, hearing: Hearing
    ) -> Added:
        if self._takes_files(paths):
            added = add_runs(self.database, self.folder, paths, replace, skip_bad, advance)
            with self.database.read() as connection:
                rated = has_copies(connection)
            if rated:  # who rates run by run sees the new ones too
                self.bring_rows()
            return added
        placed = (pair for path in paths for pair in self._placed(path, advance, hearing))
        writing = self.database.write_alone if self.rubric.item == "run" else self.database.write
        with writing() as connection:
            if not keeps_files(connection):
                arrival = uuid.uuid4().hex
                added = add_items(connection, placed, arrival, replace, skip_bad)
                number_addition(connection, arrival, paths, added)
                return dataclasses.replace(added, hearing=hearing)
        return self._add(
            paths, replace, skip_bad, advance, hearing
        )  # another process made files of them just now

    def _placed(
        self, path: Path, advance: Advance, hearing: Hearing
    ) -> Iterator[tuple[str, Item | HaechiError]]:
        kind, columns = self.rubric.item, ItemColumns(self.rubric.item, hearing.reading, hearing.note)
        hearing.columns.append(columns)
        if kind != "dialogue":
            rows = read_rows(path, hearing.reading)
        else:
            from haechi.data.conversations.formats import conversation_rows

            rows = conversation_rows(path, hearing)
        return items_of(columns.rows(_counted(rows, advance)), kind, hearing)

    def understand_items(
        self, files: Files | Frame | Columns, hearing: Hearing
    ) -> tuple[list[Understanding], int, tuple[Problem, ...]]:
        """How `add` would read: the columns, how many items there are, and what is wrong; writes nothing."""
        with as_files(files) as given:
            read = [one for file in given for _, one in self._placed(Path(file), _quiet, hearing)]
        found = [how for columns in hearing.columns for how in columns.understandings]
        problems = [problem for one in read if isinstance(one, HaechiError) for problem in one.problems]
        return found, sum(not isinstance(one, HaechiError) for one in read), once(problems)

    def selecting(self, where: Where) -> Self:
        """The same study as if it had only what fits: items by their meta fields, ratings by `rater`, `kind`, `stance`.

        Of several values of a field any will do, all fields must fit. `criterion` chooses scores, which are computed
        from everything all the same.

        >>> import tempfile
        >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
        >>> _ = study.add({"id": ["d1", "d2"], "context": ["비", "눈"], "response": ["네", "네"], "모델": ["A", "B"]})
        >>> [item.id for item in study.selecting({"모델": "B"}).items()]
        ['d2']
        """
        if not where:
            return self
        chosen = copy.copy(self)
        wished = Selection.of(where)
        if self.rubric.item == "run":  # what code measures is known when it is scored
            chosen.selection = wished
            return chosen
        wished = wished.among([*self.meta_fields(), *OF_ROWS, CRITERION])
        meta, ratings = self.meta(wished.of_items.wanted), self.ratings()
        there = {name: meta[name].unique() for name in wished.of_items.wanted}
        there |= {name: ratings[name].unique() for name in wished.of_raters.wanted}
        wished.of_rows.check_values({name: values.to_list() for name, values in there.items()})
        chosen.selection = wished
        return chosen

    @property
    def place(self) -> str:
        """What errors call it."""
        return self.made_of.place if self.made_of else str(self.folder)

    @property
    def name(self) -> str:
        """The name of its folder, as text."""
        return readable(self.folder.resolve().name)

    def _takes_files(self, paths: list[Path]) -> bool:
        if self.rubric.item != "run":
            return False
        with self.database.read() as connection:
            decided = keeps_files(connection) or keeps_rows(connection)
            if decided:
                return keeps_files(connection)
        return more_rows_than(paths, large.LARGE)

    def run_files(self) -> list[RunFile]:
        """The Parquet files that hold the study's agent runs; none if the database has them."""
        with self.database.read() as connection:
            files = files_in_force(connection, self.folder)
        check_files(files)
        return files

    def bring_rows(self, advance: Advance = _quiet) -> None:
        """Make sure that the database has a row for every item, as people and AI judges need who work item by item.

        Only runs in files lack one; the first time takes some seconds for every 100,000 of them.
        """
        if self.rubric.item == "run" and self.run_files():
            copy_runs(self.database, self.folder, advance)

    def import_ratings(
        self,
        files: Files | Frame | Columns,
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
        create_items: bool = False,
        reading: Reading = AS_FOUND,
    ) -> Appended:
        """Append ratings from a table, several, or a data frame, all or none; the same again changes nothing.

        A study without items takes those of its first ratings; any other refuses ids that it does not know, unless
        `create_items` makes items of them, without content. reading: how the tables are to be read.
        """
        reader = RatingReader(self.rubric, rater, kind, stance, reading)
        before, newcomers = self._runs_with_ratings(), self._newcomers(create_items)
        with as_files(files) as given:
            paths = [Path(file) for file in given]
            done = None
            if reading == AS_FOUND and rater is kind is stance is None and all(map(is_plain, paths)):
                done = self._import_plain(paths, reader.rules, newcomers, advance)
            if done is None:
                done = self._import_read(paths, paths, reader, newcomers, correct, skip_bad, advance)
        done.bare_items -= self._runs_with_ratings() - before
        return done

    def _import_read(
        self,
        tables: Sequence[Path],
        origins: Sequence[Path],
        reader: RatingReader,
        newcomers: Callable[[Connection], Newcomers],
        correct: bool,
        skip_bad: bool,
        advance: Advance,
    ) -> Appended:
        """Append the ratings of tables; the history names the files that they come from."""
        arrival = uuid.uuid4().hex
        with self.database.write() as connection:
            placed = (pair for path in tables for pair in reader.of_file(path, advance))
            done = append_ratings(
                connection,
                placed,
                self.rubric.version,
                arrival,
                correct=correct,
                skip_bad=skip_bad,
                newcomers=newcomers(connection),
                place=", ".join(path.name for path in origins),
            )
            number_ratings(connection, "ratings", arrival, origins, done)
        done.ignored, done.said = list(reader.ignored), reader.said
        return done

    def _import_plain(
        self,
        paths: Sequence[Path],
        rules: RatingRules,
        newcomers: Callable[[Connection], Newcomers],
        advance: Advance,
    ) -> Appended | None:
        """Import long tables that need no understanding, column by column; None if they have to be read row by row."""
        arrival = uuid.uuid4().hex
        try:
            with self.database.write() as connection:
                pieces = (piece for path in paths for piece in plain_pieces(path, rules))
                done = append_pieces(
                    connection, pieces, self.rubric.version, arrival, newcomers(connection), advance
                )
                number_ratings(connection, "ratings", arrival, paths, done)
                return done
        except (NotPlain, RuleBroken):  # nothing of it was kept
            return None

    def understand_ratings(
        self,
        files: Files | Frame | Columns,
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
        reading: Reading = AS_FOUND,
    ) -> tuple[list[Understanding], int, tuple[Problem, ...]]:
        """How `import_ratings` would read: the columns, how many ratings there are, and what is wrong; writes nothing."""
        reader = RatingReader(self.rubric, rater, kind, stance, reading)
        with as_files(files) as given:
            tables = [one for file in given for one in reader.tables(Path(file))]
            found = [one.how for one in tables]
            if any(how.asked for how in found):
                return found, 0, ()
            read = [rating for table, how in tables for _, rating in reader.of_table(table, how)]
        problems = [problem for one in read if isinstance(one, HaechiError) for problem in one.problems]
        return found, sum(not isinstance(one, HaechiError) for one in read), once(problems)

    def _newcomers(self, create: bool) -> Callable[[Connection], Newcomers]:
        """Who decides about ratings of items that are not there."""
        files = self.run_files()

        def in_files(ids: Collection[str]) -> set[str]:
            return set(known_ids(files, list(ids))) if files else set()

        return lambda connection: Newcomers(connection, create, in_files, has_files=bool(files))

    def undo(self, number: int | None = None) -> Undone:
        """Take back an addition or an import, by default the newest that is in force; nothing is removed.

        Taking back an undoing, by its own number, restores. What people and AI judges rate without files has no number
        and stays.

        >>> import tempfile
        >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
        >>> _ = study.import_ratings({"item": ["d1"], "rater": ["kim"], "sympathy": [1]})
        >>> study.undo().ratings, study.ratings().height, study.undo(2).restored, study.ratings().height
        (1, 0, True, 1)
        """
        with self.database.write() as connection:
            return undo(connection, number, str(self.folder))

    def join(
        self,
        files: Files | Frame | Columns,
        replace: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
        create_items: bool = False,
    ) -> JoinedMeta:
        """Join meta fields to items from a table with their ids and no text, all or none.

        A value that differs from the item's own is refused, unless `replace`. Ids that the study does not know are refused
        too, unless `create_items` keeps their fields for items that come later; a study without items keeps all.

        >>> import tempfile
        >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
        >>> _ = study.add({"id": ["d1"], "context": ["비"], "response": ["우산"]})
        >>> study.join({"id": ["d1"], "mode": ["agent"]}).joined, next(study.items()).meta
        (1, {'mode': 'agent'})
        """
        if self.run_files():
            found = Text("Parquet 파일로 보관하는 실행", "runs that are kept as Parquet files")
            expected = Text("데이터베이스에 있는 항목", "items in the database")
            todo = Text(
                "필드를 넣은 파일을 add --replace로 더하세요",
                "add a file that has the fields, with --replace",
            )
            raise HaechiError.of(str(self.folder), found, expected, todo)
        arrival, newcomers = uuid.uuid4().hex, self._newcomers(create_items)
        with as_files(files) as given, self.database.write() as connection:
            paths = [Path(file) for file in given]
            known = partial(known_items, connection)
            rows = (
                row
                for path in paths
                for row in joined_rows(_counted(read_rows(path), advance), self.rubric.item, known)
            )
            place = ", ".join(path.name for path in paths)
            done = join_meta(connection, rows, arrival, newcomers(connection), place, replace, skip_bad)
            if done.joined:
                counts = {"joined": done.joined - done.later, "later": done.later}
                done.number = record_import(connection, "meta", arrival, paths, counts)
        return done

    def history(self) -> list[Import]:
        """All additions, imports and undoings, numbered; the first one first."""
        with self.database.read() as connection:
            return imports_of(connection)

    def import_scores(
        self,
        files: Files,
        form: str,
        mapped: Sequence[tuple[str, str]] = (),
        rater: str | None = None,
        kind: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
        create_items: bool = False,
    ) -> tuple[Appended, Hearing]:
        """Take the scores that another tool gave (Inspect, promptfoo, DeepEval) as ratings, all or none.

        mapped: criteria and the names of the scores that are meant by them. A rater is called after the scorer.
        """
        from haechi.data.conversations.score_tables import score_tables

        hearing = Hearing()
        with as_files(files) as given:
            paths = [Path(file) for file in given]
            with score_tables(paths, form, self.rubric, mapped, hearing, skip_bad) as tables:
                reader = RatingReader(self.rubric, rater, kind, reading=Reading(format="jsonl"))
                newcomers = self._newcomers(create_items)
                done = self._import_read(tables, paths, reader, newcomers, correct, skip_bad, advance)
        return done, hearing

    def import_results(
        self,
        files: Files,
        provider: str,
        rater: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = _quiet,
        engine: Engine | None = None,
        create_items: bool = False,
    ) -> Imported:
        """Take over the result files of a provider's batch interface, all or none.

        A reply that is known already is left alone; a value is filled in where there was none. With a cluster
        (`engine`) its workers read the replies. `create_items`: as for `import_ratings`.
        """
        from haechi.judge.imports import import_results

        before = self._runs_with_ratings()
        with as_files(files) as given:
            paths = [Path(file) for file in given]
            done = import_results(
                self.database,
                self.rubric,
                paths,
                provider,
                rater,
                correct,
                skip_bad,
                advance,
                engine,
                self._newcomers(create_items),
            )
        done.ratings.bare_items -= self._runs_with_ratings() - before
        return done

    def items(self, ids: Collection[str] | None = None) -> Iterator[Item]:
        """The items, one after the other; with `ids` only those."""
        every = self._all_items(ids)
        if not self.selection or self.rubric.item == "run":
            return every
        return (item for item in every if self.selection.fits(item.meta))

    def _all_items(self, ids: Collection[str] | None) -> Iterator[Item]:
        files = self.run_files()
        rated = known_ids(files, self._bare_ids()) if files else set()
        with self.database.read() as connection:
            for item in read_items(
                connection, ids, bare=bool(files)
            ):  # other rows are copies of runs in files
                if item.id not in rated:
                    yield item
        yield from read_runs(files, ids)

    def _runs_with_ratings(self) -> int:
        """How many runs in files are also a bare row, which their ratings refer to."""
        files = self.run_files()
        return len(known_ids(files, self._bare_ids())) if files else 0

    def _bare_ids(self) -> list[str]:
        with self.database.read() as connection:
            return connection.values("SELECT id FROM items_in_force WHERE kind = 'bare'")

    def count_items(self) -> int:
        """How many items there are."""
        if self.selection.of_items:
            return len(self._selected_items())
        return self._count_all()

    def _count_all(self) -> int:
        files = self.run_files()
        if files:
            bare = self._bare_ids()
            return sum(file.runs for file in files) + len(bare) - len(known_ids(files, bare))
        with self.database.read() as connection:
            return count_items(connection)

    def _selected_items(self) -> list[str]:
        """The ids of the items that fit."""
        if self.rubric.item != "run":
            return [item.id for item in self.items()]
        batches = self.scores().batches(["item"])
        return list(
            dict.fromkeys(item for frame in batches for item in frame["item"].unique(maintain_order=True))
        )

    def items_digest(self) -> str:
        """A hash of all items, the same for the same items; of the files that hold them, where there are such."""
        files = self.run_files()
        parts = (file.sha256 for file in files) if files else (item.digest for item in self.items())
        return hashlib.sha256("".join(sorted(parts)).encode()).hexdigest()

    def ratings(self) -> pl.DataFrame:
        """The ratings in force, as a data frame in the order of the ratings table."""
        import polars as pl

        every = self.all_ratings()
        if not self.selection or every.is_empty():
            return every
        kept = every.filter(self.selection.of_raters.rows)
        if self.selection.of_items:
            kept = kept.filter(pl.col("item").is_in(self._selected_items()))
        if kept.is_empty() and self.rubric.item != "run":
            raise self.selection.nothing()
        return kept

    def all_ratings(self) -> pl.DataFrame:
        """As `ratings`, whatever is selected."""
        import polars as pl

        schema = dict.fromkeys(RATING_COLUMNS, pl.String) | {"replicate": pl.Int64}
        pieces = [pl.DataFrame(schema=schema)]
        with self.database.read() as connection:
            # Piece by piece: rows of Python objects take many times the room of columns.
            for rows in connection.stream(f"{RATINGS} ORDER BY number", _PIECE):
                pieces.append(pl.DataFrame(rows, schema=schema, orient="row"))
        return pl.concat(pieces)

    def meta(self, fields: Collection[str]) -> pl.DataFrame:
        """Some meta fields of all items, as text; null where an item has none."""
        import polars as pl

        return pl.concat(self.meta_pieces(fields))

    def meta_pieces(self, fields: Collection[str]) -> Iterator[pl.DataFrame]:
        """As `meta`, some items at a time; one piece at least."""
        import polars as pl

        schema = dict.fromkeys(["item", *fields], pl.String)
        items, last = self.items(), False
        while not last:
            some = list(islice(items, _ITEMS))
            last = len(some) < _ITEMS
            columns: dict[str, list[Any]] = {"item": [item.id for item in some]}
            for field in fields:
                columns[field] = [meta_value(item.meta, field) for item in some]
            yield pl.DataFrame(columns, schema=schema)

    def meta_fields(self) -> list[str]:
        """The meta fields that items have, in the order of their first appearance.

        A field with the name of a score or of a column of its own is called `meta.NAME`.
        """
        ours = ("item", *OF_ROWS, CRITERION, "replicate", "missing", "place")
        taken = {*ours, *self.rubric.score_names}
        files = self.run_files()
        if files:
            every = ("query", "round", "category", *(field for file in files for field in file.fields))
            found = dict.fromkeys(every)
        else:
            found = dict.fromkeys(field for item in self.items() for field in item.meta)
        return [f"{META_PREFIX}{field}" if field in taken or ":" in field else field for field in found]

    def evidence(self) -> EvidenceFigures:
        """How much of the AI judges' evidence stands in the transcripts, per judge and element."""
        import polars as pl

        from haechi.prompt.founded import evidence_figures

        given = self.ratings().filter(pl.col("kind") == "ai", pl.col("evidence").is_not_null())
        said: dict[str, list[tuple[str, str, str]]] = {}
        for row in given.select("item", "rater", "criterion", "evidence").iter_rows():
            said.setdefault(row[0], []).append((row[1], row[2], row[3]))
        return evidence_figures(self.items(said), said, self.rubric)

    def scores(
        self,
        by: str | Sequence[str] = (),
        missing: Missing | None = None,
        exclude: tuple[str, ...] = (),
        advance: Advance = _quiet,
        where: Where | None = None,
    ) -> ScoreTable:
        """The scores by the rubric's arithmetic, the rows and values of `haechi score`; recomputed, never stored.

        by: fields to group the summary by, several with a comma between them; without it the rubric's proposal.
        where: what to select, such as `{"mode": "agent", "rater": ["kim", "lee"]}`; see `selecting`.
        Agent runs have one row each, and one per rater where raters gave verdicts.
        """
        if where:
            return self.selecting(where).scores(by, missing, exclude, advance)
        from haechi.scoring.sources import with_meta, without

        wished = [by] if isinstance(by, str) else by
        rubric = without(self.rubric, exclude)
        if rubric.item == "run":
            from haechi.scoring.run_tables import score_stored_runs

            return score_stored_runs(
                self._stored_runs(), rubric, wished, exclude, missing, advance, self.selection
            )
        rated = self.rated_scores(missing, exclude)
        advance(rated.rows)
        table = with_meta(rated, self.meta(self.meta_fields()), wished, self.selection)
        return dataclasses.replace(table, quoted=lambda: self.evidence().as_json())

    def _stored_runs(self) -> StoredRuns:
        from haechi.scoring.run_tables import StoredRuns

        files = self.run_files()
        return StoredRuns(
            place=self.place,
            files=[file.path for file in files],
            items=() if files else self.items(),
            count=self._count_all(),
            fields=self.meta_fields(),
            ratings=self.all_ratings(),
        )

    def rated_scores(self, missing: Missing | None = None, exclude: tuple[str, ...] = ()) -> ScoreTable:
        """What the ratings alone come to, without what code measures: what raters can agree on.

        Items that only test attention are no measurements and stay out.
        """
        import polars as pl

        from haechi.scoring.ratings import score_ratings
        from haechi.scoring.sources import rated_table, without

        rubric = without(self.rubric, exclude)
        given = self.ratings()
        ruled = any(floor.rule for floor in rubric.floors)
        floored, attention = [], []
        for item in self.items(set(given["item"].unique())):
            if item.kind != "bare":
                floored += [item.id] if ruled and not item.has_assistant_message else []
                attention += [item.id] if "attention" in item.meta else []
        scores = score_ratings(given.filter(~pl.col("item").is_in(attention)), rubric, floored, missing)
        return rated_table(scores, exclude, missing, self.place).of_criteria(self.selection)
