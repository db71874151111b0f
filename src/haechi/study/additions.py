"""What comes into a study as items, and as fields of its items."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from haechi.data.frames import Columns, Frame, Paths, as_files
from haechi.data.item_files import brings_criteria, count_rows, items_in
from haechi.data.joins import joined_criteria, joined_rows
from haechi.data.line_names import own_criteria
from haechi.data.progress import Advance, no_progress
from haechi.data.readers import read_rows
from haechi.data.reading_notes import ReadingNotes
from haechi.data.splits import more_rows_than
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.store import large
from haechi.store.connection import Connection
from haechi.store.imports import record_import
from haechi.store.items import (
    Added,
    add_items,
    items_of_prompts,
    known_items,
    number_addition,
    runs_of_queries,
)
from haechi.store.joined_meta import JoinedMeta, join_meta
from haechi.store.large import add_runs, has_copies, keeps_files, keeps_rows
from haechi.store.run_files import known_ids
from haechi.store.unknown_items import UnknownItems
from haechi.study.scores import StoredStudy
from haechi.text import Text


class StudyAdditions(StoredStudy):
    """A study to which items are added."""

    def add(
        self,
        files: Paths | Frame | Columns,
        replace: bool = False,
        skip_bad: bool = False,
        advance: Advance = no_progress,
        format: str | None = None,
        assistant: str | Sequence[str] = (),
        reading: TableReading = AS_FOUND,
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
        notes = ReadingNotes(format, assistants, reading, version=agent_version, criteria=criteria)
        with as_files(files) as given:
            return self._add([Path(file) for file in given], replace, skip_bad, advance, notes)

    def _add(
        self, paths: list[Path], replace: bool, skip_bad: bool, advance: Advance, notes: ReadingNotes
    ) -> Added:
        takes_files = self._takes_files(paths, notes.reading)
        if notes.version is not None and (takes_files or self.rubric.item != "run"):
            raise _no_version(notes.version, takes_files)
        if takes_files:
            added = add_runs(self.database, self.folder, paths, replace, skip_bad, advance)
            with self.database.read() as connection:
                rated = has_copies(connection)
            if rated:  # who rates run by run sees the new ones too
                self.bring_rows()
            return added
        placed = (pair for path in paths for pair in items_in(path, self.rubric.item, notes, advance))
        writing = self.database.write_alone if self.rubric.item == "run" else self.database.write
        with writing() as connection:
            if not keeps_files(connection):
                arrival = uuid.uuid4().hex
                added = add_items(connection, placed, arrival, replace, skip_bad)
                number_addition(connection, arrival, paths, added)
                return dataclasses.replace(added, notes=notes)
        return self._add(
            paths, replace, skip_bad, advance, notes
        )  # another process made files of them just now

    def _takes_files(self, paths: list[Path], reading: TableReading) -> bool:
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

    def join(
        self,
        files: Paths | Frame | Columns,
        replace: bool = False,
        skip_bad: bool = False,
        advance: Advance = no_progress,
        create_items: bool = False,
        reading: TableReading = AS_FOUND,
        dry_run: bool = False,
    ) -> JoinedMeta:
        """Join meta fields to items from a table with their ids and no text, all or none.

        A value that differs from the item's own is refused, unless `replace`. Ids that the study does not know are refused
        too, unless `create_items` keeps their fields for items that come later; a study without items keeps all.
        reading: how the tables are to be read. dry_run: only tell what would be joined.

        >>> import tempfile
        >>> from haechi.study.study import Study
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
                        count_rows(read_rows(path, reading), advance),
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

    def _newcomers(self, create: bool) -> Callable[[Connection], UnknownItems]:
        """Who decides about ratings of items that are not there."""
        files = self.run_files()

        def in_files(ids: Collection[str]) -> set[str]:
            return set(known_ids(files, list(ids))) if files else set()

        return lambda connection: UnknownItems(connection, create, in_files, has_files=bool(files))


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
