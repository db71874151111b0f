"""A study: one folder that binds rubric, items, raters and ratings; made, its history, and its draws."""

from __future__ import annotations

from pathlib import Path
from typing import Self, get_args

from haechi.data.arguments import check_word
from haechi.data.frames import Paths, as_files
from haechi.data.proposal import FileContent, ReadingOptions, ReadingProposal, propose
from haechi.errors import HaechiError
from haechi.rubrics import builtin_ids, builtin_text, find_rubric
from haechi.store.database import now
from haechi.store.draws import Draw, declare_drawn, draw_items
from haechi.store.folder import Settings, checked_database, open_database, write_settings
from haechi.store.imports import Import, Undone, imports_of, undo
from haechi.store.items import Added
from haechi.store.ratings import Appended
from haechi.study.imports import StudyImports
from haechi.text import Text


class Study(StudyImports):
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

    def propose(
        self, files: Paths, what: FileContent, wishes: ReadingOptions | None = None
    ) -> ReadingProposal:
        """How files of items, ratings or votes would be read, as plain data too (`Proposal.as_json`); `take` then takes them."""
        check_word(what, get_args(FileContent), "what")
        with as_files(files) as given:
            return propose(map(Path, given), self.rubric, what, wishes)

    def take(
        self,
        proposal: ReadingProposal,
        skip_bad: bool = False,
        create_items: bool = False,
        correct: bool = False,
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
        if proposal.what == "votes":
            done = Appended()
            for file in proposal.files:
                one = self.import_votes(file, wishes.rater, wishes.kind, correct, wishes.reading)
                done.add(one)
                done.number = one.number or done.number
            return done
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

    def history(self) -> list[Import]:
        """All additions, imports and undoings, numbered; the first one first."""
        with self.database.read() as connection:
            return imports_of(connection)

    def draw(self, items: int, seed: int = 0) -> Draw:
        """Draw so many more items at random for people to rate; the draw is kept, and figures speak for all items by it."""
        self.bring_rows()
        with self.database.write_alone() as connection:
            return draw_items(connection, items, seed)

    def declare_drawn(self, words: str) -> Draw:
        """Say that the items which people rated were chosen at random, and how."""
        self.bring_rows()
        with self.database.write_alone() as connection:
            return declare_drawn(connection, words)
