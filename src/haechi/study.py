"""A study: one folder that binds rubric, items, raters and ratings."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from haechi.data.frames import Columns, Files, Frame, as_files
from haechi.data.hearing import Hearing
from haechi.data.item_files import brings_criteria, counted, items_in
from haechi.data.joins import joined_criteria, joined_rows
from haechi.data.line_names import own_criteria
from haechi.data.plain_ratings import NotPlain, is_large, plain_pieces, plain_table
from haechi.data.proposal import Proposal, What, Wishes, propose
from haechi.data.ratings import RatingReader
from haechi.data.readers import AS_FOUND, read_rows
from haechi.data.splits import more_rows_than
from haechi.data.tables import Reading
from haechi.errors import HaechiError
from haechi.rubrics import builtin_ids, builtin_text, find_rubric
from haechi.store import large
from haechi.store.connection import Connection
from haechi.store.database import RuleBroken, now
from haechi.store.draws import Draw, declare_drawn, draw_items
from haechi.store.folder import Settings, checked_database, write_settings
from haechi.store.imports import Import, Undone, imports_of, record_import, undo
from haechi.store.items import (
    Added,
    add_items,
    items_of_prompts,
    known_items,
    number_addition,
    runs_of_queries,
)
from haechi.store.joined import JoinedMeta, join_meta
from haechi.store.large import add_runs, has_copies, keeps_files, keeps_rows
from haechi.store.many_ratings import append_pieces
from haechi.store.newcomers import Newcomers
from haechi.store.own_ratings import named_by_items
from haechi.store.ratings import Appended, append_ratings, number_ratings
from haechi.store.run_files import known_ids
from haechi.stored_study import Advance, StoredStudy, open_database, quiet
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.cluster.engine import Engine
    from haechi.judge.imports import Imported


class Study(StoredStudy):
    """A study folder.

    >>> import tempfile, haechi
    >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
    >>> study.rubric.id, study.count_items()
    ('diary-comment', 0)
    """

    @classmethod
    def new(
        cls,
        folder: str | Path,
        rubric: str | Path,
        assistant_name: str | None = None,
        user_name: str | None = None,
        database: str | None = None,
        title: str | None = None,
    ) -> Self:
        """Make a study; it keeps the rubric inside, so that later edits of the file do not change it.

        database: the address of an empty PostgreSQL database; without it the study keeps its own file.
        title: what its report is called; without it, what the rubric is called.
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
        opened = open_database(path, address)
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
        settings = Settings(checked.id, checked.version, assistant_name, user_name, address, title=title)
        write_settings(path, settings)
        return cls(path)

    def add(
        self,
        files: Files | Frame | Columns,
        replace: bool = False,
        skip_bad: bool = False,
        advance: Advance = quiet,
        format: str | None = None,
        assistant: str | Sequence[str] = (),
        reading: Reading = AS_FOUND,
        agent_version: str | None = None,
    ) -> Added:
        """Add items from a file, several, or a data frame, all or none; the same again changes nothing.

        format: what the files are, where their content does not tell (`haechi.data.conversations.formats.FORMATS`).
        assistant: who the AI is in chats of named speakers. reading: how tables are to be read. agent_version: which version
        of the agent made the runs of files that do not say it.

        An empty study that gets more agent runs than `haechi.store.large.LARGE` keeps them as Parquet files from
        then on, and rows only when somebody rates run by run (`bring_rows`); `Added.backing` says which.
        """
        assistants = (assistant,) if isinstance(assistant, str) else tuple(assistant)
        criteria = bool(own_criteria(self.rubric))
        hearing = Hearing(format, assistants, reading, version=agent_version, criteria=criteria)
        with as_files(files) as given:
            return self._add([Path(file) for file in given], replace, skip_bad, advance, hearing)

    def _add(
        self, paths: list[Path], replace: bool, skip_bad: bool, advance: Advance, hearing: Hearing
    ) -> Added:
        takes_files = self._takes_files(paths, hearing.reading)
        if hearing.version is not None and (takes_files or self.rubric.item != "run"):
            raise _no_version(hearing.version, takes_files)
        if takes_files:
            added = add_runs(self.database, self.folder, paths, replace, skip_bad, advance)
            with self.database.read() as connection:
                rated = has_copies(connection)
            if rated:  # who rates run by run sees the new ones too
                self.bring_rows()
            return added
        placed = (pair for path in paths for pair in items_in(path, self.rubric.item, hearing, advance))
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

    def _takes_files(self, paths: list[Path], reading: Reading) -> bool:
        """Whether runs are kept as files; of those nobody can say how they are to be read."""
        if self.rubric.item != "run":
            return False
        with self.database.read() as connection:
            keeps = keeps_files(connection)
            decided = keeps or keeps_rows(connection)
        if reading != AS_FOUND:
            if keeps:
                raise _no_reading()
            return False
        return keeps if decided else more_rows_than(paths, large.LARGE)

    def import_ratings(
        self,
        files: Files | Frame | Columns,
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = quiet,
        create_items: bool = False,
        reading: Reading = AS_FOUND,
        dry_run: bool = False,
    ) -> Appended:
        """Append ratings from a table, several, or a data frame, all or none; the same again changes nothing.

        A study without items takes those of its first ratings; any other refuses ids that it does not know, unless
        `create_items` makes items of them, without content. reading: how the tables are to be read. dry_run: only tell what
        would come, and refuse what would be refused.
        """
        reader = RatingReader(self.rubric, rater, kind, stance, reading)
        before, newcomers = self._runs_with_ratings(), self._newcomers(create_items)
        with as_files(files) as given:
            paths = [Path(file) for file in given]
            done = None
            if not correct and not own_criteria(self.rubric) and all(map(is_large, paths)):
                done = self._import_plain(paths, reader, newcomers, advance, not dry_run)
            if done is None:
                done = self._import_read(
                    paths, paths, reader, newcomers, correct, skip_bad, advance, not dry_run
                )
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
        kept: bool = True,
    ) -> Appended:
        """Append the ratings of tables; the history names the files that they come from."""
        arrival = uuid.uuid4().hex
        with self.database.write(kept=kept) as connection:
            read = (pair for path in tables for pair in reader.of_file(path, advance))
            done = append_ratings(
                connection,
                named_by_items(connection, self.rubric, read) if own_criteria(self.rubric) else read,
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
        reader: RatingReader,
        newcomers: Callable[[Connection], Newcomers],
        advance: Advance,
        kept: bool,
    ) -> Appended | None:
        """Import large tables column by column; None if they have to be read row by row."""
        arrival = uuid.uuid4().hex
        try:
            tables = [plain_table(path, reader) for path in paths]
            with self.database.write(kept=kept) as connection:
                pieces = (piece for table in tables for piece in plain_pieces(table, reader))
                done = append_pieces(
                    connection, pieces, self.rubric.version, arrival, newcomers(connection), advance
                )
                number_ratings(connection, "ratings", arrival, paths, done)
            done.said = [text for table in tables for text in table.how.said()]
            done.ignored = list(dict.fromkeys(name for table in tables for name in table.how.ignored))
            return done
        except (NotPlain, RuleBroken):  # nothing of it was kept
            return None

    def import_votes(
        self,
        source: str | Path | Frame | Columns,
        rater: str | None = None,
        kind: str | None = None,
        correct: bool = False,
        reading: Reading = AS_FOUND,
        dry_run: bool = False,
    ) -> Appended:
        """Append votes between two systems (`item, a, b, winner` …) to a study of pairs; see `haechi.rank` for the tables.

        >>> import tempfile
        >>> study = Study.new(tempfile.mkdtemp() + "/duels", "diary-duel")
        >>> votes = {"item": ["d1", "d1"], "a": ["x", "y"], "b": ["y", "x"], "winner": ["x", "tie"], "rater": ["kim", "lee"]}
        >>> study.import_votes(votes).new, study.ratings()["value"].to_list()
        (2, ['a', 'tie'])
        """
        from haechi.data.votes import read_votes
        from haechi.store.votes import import_votes

        table = read_votes(source, reading)
        files = [Path(source)] if isinstance(source, str | Path) else []
        with self.database.write(kept=not dry_run) as connection:
            return import_votes(connection, self.rubric, table, rater, kind, correct, files)

    def propose(self, files: Files, what: What, wishes: Wishes | None = None) -> Proposal:
        """How files of items or ratings would be read, as plain data too (`Proposal.as_json`); `take` then takes them."""
        with as_files(files) as given:
            return propose(map(Path, given), self.rubric, what, wishes)

    def take(
        self, proposal: Proposal, skip_bad: bool = False, create_items: bool = False, correct: bool = False
    ) -> Added | Appended:
        """Bring in the files of a proposal as it says they are read, all or none.

        correct: what differs from what is stored takes its place (`add --replace`, `import --correct`).

        >>> import tempfile
        >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
        >>> file = Path(tempfile.mkdtemp()) / "r.csv"
        >>> _ = file.write_text("who,which,합리성\\nkim,d1,O\\n", "utf-8")
        >>> study.take(study.propose(file, "ratings").mapped({"item": "which", "rater": "who"})).new
        1
        """
        wishes = proposal.wishes
        if proposal.what == "items":
            return self.add(
                proposal.files,
                replace=correct,
                skip_bad=skip_bad,
                assistant=wishes.assistant,
                reading=wishes.reading,
            )
        return self.import_ratings(
            proposal.files,
            wishes.rater,
            wishes.kind,
            wishes.stance,
            correct=correct,
            skip_bad=skip_bad,
            create_items=create_items,
            reading=wishes.reading,
        )

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
        advance: Advance = quiet,
        create_items: bool = False,
        reading: Reading = AS_FOUND,
        dry_run: bool = False,
    ) -> JoinedMeta:
        """Join meta fields to items from a table with their ids and no text, all or none.

        A value that differs from the item's own is refused, unless `replace`. Ids that the study does not know are refused
        too, unless `create_items` keeps their fields for items that come later; a study without items keeps all.
        reading: how the tables are to be read. dry_run: only tell what would be joined.

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
        with as_files(files) as given, self.database.write(kept=not dry_run) as connection:
            paths = [Path(file) for file in given]
            known, of_query = partial(known_items, connection), partial(runs_of_queries, connection)
            of_prompt = partial(items_of_prompts, connection)
            rows = (
                row
                for path in paths
                for row in (
                    joined_criteria(path, self.rubric.item, reading, advance, known, of_prompt)
                    if own_criteria(self.rubric) and brings_criteria(path, reading)
                    else joined_rows(
                        counted(read_rows(path, reading), advance),
                        self.rubric.item,
                        known,
                        reading.map,
                        of_query,
                    )
                )
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
        advance: Advance = quiet,
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
        advance: Advance = quiet,
        engine: Engine | None = None,
        create_items: bool = False,
        dry_run: bool = False,
    ) -> Imported:
        """Take over the result files of a provider's batch interface, all or none.

        A reply that is known already is left alone; a value is filled in where there was none. With a cluster
        (`engine`) its workers read the replies. `create_items`: as for `import_ratings`. dry_run: only tell what would come.
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
                kept=not dry_run,
            )
        done.ratings.bare_items -= self._runs_with_ratings() - before
        return done

    def draw(self, items: int, seed: int = 0) -> Draw:
        """Draw so many more items at random for people to rate; the draw is kept, and figures speak for all items by it."""
        self._need_raters()
        with self.database.write_alone() as connection:
            return draw_items(connection, items, seed)

    def declare_drawn(self, words: str) -> Draw:
        """Say that the items which people rated were chosen at random, and how."""
        self._need_raters()
        with self.database.write_alone() as connection:
            return declare_drawn(connection, words)

    def _need_raters(self) -> None:
        """Runs that code measures are not estimated from a part."""
        if self.rubric.item == "run":
            found = Text("에이전트 실행의 루브릭", "a rubric for agent runs")
            expected = Text(
                "사람과 AI 평가자가 평가하는 루브릭", "a rubric by which people and AI judges rate"
            )
            todo = Text(
                "haechi score를 쓰세요: 코드가 모든 실행을 잽니다",
                "use haechi score: code measures every run",
            )
            raise HaechiError.of("haechi draw", found, expected, todo)


def _no_reading() -> HaechiError:
    found = Text("파일 읽는 방법의 선택", "how a file is to be read")
    expected = Text(
        "실행이 많은 스터디에서는 알려진 열 이름", "known names of columns, in a study with very many runs"
    )
    todo = Text(
        "파일의 열 이름을 바꾸고 --map, --sheet, --header-row를 빼세요",
        "rename the columns of the file, and leave out --map, --sheet, --header-row",
    )
    return HaechiError.of("haechi add", found, expected, todo)


def _no_version(found: str, many: bool) -> HaechiError:
    """A version for files that cannot be given one."""
    expected = Text("에이전트 실행의 루브릭", "a rubric that scores agent runs")
    todo = Text("--agent-version을 빼세요", "leave out --agent-version")
    if many:
        expected = Text(
            "실행이 많은 스터디에서는 파일의 version 열",
            "a column version in the files of a study with very many runs",
        )
        todo = Text("파일에 version 열을 더하세요", "add a column version to the files")
    return HaechiError.of("--agent-version", found, expected, todo)
