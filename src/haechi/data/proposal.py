"""How files would be read, before anything is written: what `--dry-run` prints and a page shows to be confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from haechi.data.item_files import items_in
from haechi.data.line_names import own_criteria
from haechi.data.names import ITEM_FIELDS, PAIR_FIELDS, RATING_FIELDS, RUN_FIELDS, VOTE_FIELDS
from haechi.data.rating_reader import RatingReader, refuse_twice
from haechi.data.reading_notes import ReadingNotes
from haechi.data.tables import AS_FOUND, TableReading
from haechi.data.understanding import FIELDS, IGNORED, Understanding
from haechi.data.votes import read_votes
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.text import Lang, Text

FileContent = Literal["items", "ratings", "votes"]


@frozen
class ReadingOptions:
    """What somebody says about files beside the files themselves, as the options of `haechi add` and `import` do."""

    reading: TableReading = AS_FOUND
    assistant: tuple[str, ...] = ()
    """Who the AI is in chats of named speakers (items)."""
    rater: str | None = None
    kind: str | None = None
    stance: str | None = None

    def mapped(self, fields: Mapping[str, str]) -> ReadingOptions:
        """The same with what somebody said of columns: the column for each field, or the field `ignore`.

        >>> ReadingOptions().mapped({"item": "들은 방송"}).reading.map
        (('item', '들은 방송'),)
        """
        kept = tuple((field, column) for field, column in self.reading.map if column not in fields.values())
        return replace(self, reading=replace(self.reading, map=(*kept, *fields.items())))


@frozen
class ReadingProposal:
    """How files are read: what every column is taken for, how many items or ratings that gives, and what is asked."""

    what: FileContent
    files: tuple[Path, ...]
    rubric: Rubric
    wishes: ReadingOptions
    tables: tuple[Understanding, ...] = ()
    count: int = 0
    formats: tuple[Text, ...] = ()
    """As what files of conversations are read."""
    said: tuple[Text, ...] = ()
    """What there is to know beside the columns."""
    problems: tuple[Problem, ...] = ()

    @property
    def asked(self) -> tuple[Problem, ...]:
        """What has to be answered before the files can be read."""
        return tuple(problem for table in self.tables for problem in table.asked)

    @property
    def assumed(self) -> tuple[Text, ...]:
        """What was taken for granted, to be said."""
        return (*(text for table in self.tables for text in table.assumed), *self.said)

    @property
    def ready(self) -> bool:
        """Whether the files can be taken as they are."""
        return not self.asked and not self.problems

    def mapped(self, fields: Mapping[str, str]) -> ReadingProposal:
        """How the files are read once somebody said which column holds which field; `ignore` is no field."""
        return propose(self.files, self.rubric, self.what, self.wishes.mapped(fields))

    def as_json(self, lang: Lang | None = None) -> dict[str, Any]:
        """The proposal as plain data: the columns of all tables, the `fields` a column can be, questions and errors."""
        columns = [
            {"table": one.place, **reading.as_json(lang)} for one in self.tables for reading in one.columns
        ]
        return {
            "what": self.what,
            "files": [path.name for path in self.files],
            "formats": [text.say(lang) for text in self.formats],
            "columns": columns,
            "fields": {name: text.say(lang) for name, text in fields_of(self.rubric, self.what).items()},
            "assumed": [text.say(lang) for text in self.assumed],
            "asked": [problem.as_json(lang) for problem in self.asked],
            "problems": [problem.as_json(lang) for problem in self.problems],
            self.what: self.count,
            "ready": self.ready,
        }


def propose(
    files: Iterable[Path], rubric: Rubric, what: FileContent, wishes: ReadingOptions | None = None
) -> ReadingProposal:
    """How files of items, ratings or votes would be read for a study with that rubric; writes nothing and raises nothing.

    What is wrong with the files is in `problems`, what has to be asked in `asked`. `Proposal.mapped` answers;
    `haechi.Study.take` brings in what is `ready`.

    >>> import tempfile, haechi
    >>> file = Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = file.write_text("닉네임,들은 방송,합리성\\n별하,1부,O\\n라온,1부,X\\n", "utf-8")
    >>> found = propose([file], haechi.rubric("diary-comment"), "ratings")
    >>> found.ready, found.asked[0].as_json("en")["next"]
    (False, 'add --map item="들은 방송" or --item ID')
    >>> answered = found.mapped({"item": "들은 방송"})
    >>> answered.ready, answered.count
    (True, 2)
    >>> [(one["column"], one["field"], one["criterion"]) for one in answered.as_json("en")["columns"]]
    [('닉네임', 'rater', None), ('들은 방송', 'item', None), ('합리성', 'value', 'sensibleness')]
    """
    proposal = ReadingProposal(what, tuple(map(Path, files)), rubric, wishes or ReadingOptions())
    try:
        return {"items": _items, "ratings": _ratings, "votes": _votes}[what](proposal)
    except HaechiError as error:
        return replace(proposal, problems=error.problems)


def fields_of(rubric: Rubric, what: FileContent) -> dict[str, Text]:
    """What a column can be, by the names that `--map` takes; ratings can also be of each criterion.

    >>> import haechi
    >>> list(fields_of(haechi.rubric("diary-comment"), "ratings"))[-4:]
    ['sensibleness', 'specificity', 'sympathy', 'ignore']
    """
    if what == "votes":
        return {name: FIELDS[name] for name in VOTE_FIELDS}
    of_items = {"run": RUN_FIELDS, "pair": PAIR_FIELDS}.get(rubric.item, ITEM_FIELDS)
    spelt = RATING_FIELDS if what == "ratings" else of_items
    names = {name: FIELDS.get(name, Text(name, name)) for name in spelt}
    criteria = {name: rubric.name(name) for name in rubric.rateables} if what == "ratings" else {}
    return {**names, **criteria, IGNORED: Text("읽지 않음", "not read")}


def _items(proposal: ReadingProposal) -> ReadingProposal:
    notes = ReadingNotes(
        None,
        proposal.wishes.assistant,
        proposal.wishes.reading,
        criteria=bool(own_criteria(proposal.rubric)),
    )
    count, problems = 0, list[Problem]()
    try:
        for path in proposal.files:
            for _, one in items_in(path, proposal.rubric.item, notes):
                if isinstance(one, HaechiError):
                    problems += one.problems
                else:
                    count += 1
    except HaechiError as error:
        problems += error.problems
    return replace(
        proposal,
        tables=tuple(how for columns in notes.columns for how in columns.understandings),
        count=count,
        formats=tuple(notes.read_as()),
        said=tuple(notes.said()),
        problems=unique_problems(problems),
    )


def _ratings(proposal: ReadingProposal) -> ReadingProposal:
    wishes = proposal.wishes
    reader = RatingReader(proposal.rubric, wishes.rater, wishes.kind, wishes.stance, wishes.reading)
    tables = [one for path in proposal.files for one in reader.tables(path)]
    understood = replace(proposal, tables=tuple(one.how for one in tables))
    if understood.asked:
        return understood
    count, problems = 0, list[Problem]()
    for _, one in refuse_twice(reader.of_files(proposal.files)):
        if isinstance(one, HaechiError):
            problems += one.problems
        else:
            count += 1
    in_columns = [text for one in tables for text in one.how.said()]
    said = tuple(text for text in reader.said if text not in in_columns)
    return replace(understood, count=count, said=said, problems=unique_problems(problems))


def _votes(proposal: ReadingProposal) -> ReadingProposal:
    read = [(path, read_votes(path, proposal.wishes.reading)) for path in proposal.files]
    return replace(
        proposal,
        tables=tuple(Understanding(path.name, table.columns) for path, table in read),
        count=sum(table.frame.height for _, table in read),
        said=tuple(note for _, table in read for note in table.notes),
    )
