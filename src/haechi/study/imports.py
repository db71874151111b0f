"""What comes into a study as ratings: tables, votes, scores of other tools, results of batches."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.data.csv_ratings import PlainTable, plain_pieces, plain_table
from haechi.data.delimited import NotPlain, is_large
from haechi.data.frames import Columns, Frame, Paths, as_files
from haechi.data.item import Item
from haechi.data.line_names import own_criteria
from haechi.data.own_criteria import OwnNames, not_asked, own_criteria_of
from haechi.data.progress import Advance, no_progress
from haechi.data.rating import Rating
from haechi.data.rating_reader import RatingReader
from haechi.data.reading_notes import ReadingNotes
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.store.bulk_ratings import append_pieces
from haechi.store.connection import Connection
from haechi.store.database import RuleBroken
from haechi.store.items import read_items
from haechi.store.ratings import Appended, append_ratings, number_ratings
from haechi.store.unknown_items import UnknownItems
from haechi.study.additions import StudyAdditions

if TYPE_CHECKING:
    import polars as pl

    from haechi.cluster.engine import Engine
    from haechi.judge.imports import ImportResult

_BATCH = 500
_NOTHING = OwnNames([])
_Placed = tuple[str, Rating | HaechiError]


class StudyImports(StudyAdditions):
    """A study into which ratings are imported."""

    def import_ratings(
        self,
        files: Paths | Frame | Columns,
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = no_progress,
        create_items: bool = False,
        reading: TableReading = AS_FOUND,
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
            by_rows = correct or own_criteria(self.rubric) or reader.rules.of_pairs
            if not by_rows and all(map(is_large, paths)):
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
        newcomers: Callable[[Connection], UnknownItems],
        correct: bool,
        skip_bad: bool,
        advance: Advance,
        kept: bool = True,
    ) -> Appended:
        """Append the ratings of tables; the history names the files that they come from."""
        arrival = uuid.uuid4().hex
        with self.database.write(kept=kept) as connection:
            read = reader.of_files(tables, advance)
            done = append_ratings(
                connection,
                _named_by_items(connection, self.rubric, read) if own_criteria(self.rubric) else read,
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
        newcomers: Callable[[Connection], UnknownItems],
        advance: Advance,
        kept: bool,
    ) -> Appended | None:
        """Import large tables column by column; None if they have to be read row by row."""
        arrival = uuid.uuid4().hex
        try:
            tables = [plain_table(path, reader) for path in paths]
            with self.database.write(kept=kept) as connection:
                done = append_pieces(
                    connection,
                    _plain_ratings(tables, reader),
                    self.rubric.version,
                    arrival,
                    newcomers(connection),
                    advance,
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
        reading: TableReading = AS_FOUND,
        dry_run: bool = False,
    ) -> Appended:
        """Append votes between two systems (`item, a, b, winner` …) to a study of pairs; see `haechi.rank` for the tables.

        >>> import tempfile
        >>> from haechi.study.study import Study
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

    def import_scores(
        self,
        files: Paths,
        form: str,
        mapped: Sequence[tuple[str, str]] = (),
        rater: str | None = None,
        kind: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = no_progress,
        create_items: bool = False,
    ) -> tuple[Appended, ReadingNotes]:
        """Take the scores that another tool gave (Inspect, promptfoo, DeepEval) as ratings, all or none.

        mapped: criteria and the names of the scores that are meant by them. A rater is called after the scorer.
        """
        from haechi.data.conversations.score_tables import score_tables

        notes = ReadingNotes()
        with as_files(files) as given:
            paths = [Path(file) for file in given]
            with score_tables(paths, form, self.rubric, mapped, notes, skip_bad) as tables:
                reader = RatingReader(self.rubric, rater, kind, reading=TableReading(format="jsonl"))
                newcomers = self._newcomers(create_items)
                done = self._import_read(tables, paths, reader, newcomers, correct, skip_bad, advance)
        return done, notes

    def import_results(
        self,
        files: Paths,
        provider: str,
        rater: str | None = None,
        correct: bool = False,
        skip_bad: bool = False,
        advance: Advance = no_progress,
        engine: Engine | None = None,
        create_items: bool = False,
        dry_run: bool = False,
    ) -> ImportResult:
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


def _plain_ratings(tables: Sequence[PlainTable], reader: RatingReader) -> Iterator[pl.DataFrame]:
    """The ratings of large tables; of somebody who answered twice what was said to count."""
    from haechi.data.column_rules import counted_pieces

    def read() -> Iterator[pl.DataFrame]:
        return (piece for table in tables for piece in plain_pieces(table, reader))

    return read() if reader.keep is None else counted_pieces(read, reader.keep)


def _named_by_items(connection: Connection, rubric: Rubric, placed: Iterable[_Placed]) -> Iterator[_Placed]:
    """The same ratings under the names of the criteria that their items have; one that the item has not is an error.

    A criterion may be named by its key, its number or its words. An item that is not there has no criteria yet.
    """
    prefixes = tuple(f"{criterion.key}." for criterion in own_criteria(rubric))
    stream, known = iter(placed), dict[str, OwnNames]()
    while some := list(islice(stream, _BATCH)):
        ids = {one.item for _, one in some if isinstance(one, Rating) and one.criterion.startswith(prefixes)}
        known |= {item.id: _criteria_of(item) for item in read_items(connection, list(ids - known.keys()))}
        for place, one in some:
            if isinstance(one, Rating) and one.criterion.startswith(prefixes):
                yield place, _named(one, known.get(one.item, _NOTHING), place)
            else:
                yield place, one


def _criteria_of(item: Item) -> OwnNames:
    return OwnNames(own_criteria_of(item.content))


def _named(rating: Rating, names: OwnNames, place: str) -> Rating | HaechiError:
    of, _, given = rating.criterion.partition(".")
    key = names.key(given)
    if key is None:
        return not_asked(f"{place}, criterion", rating.item, given, bool(names)).in_row(place)
    return replace(rating, criterion=f"{of}.{key}")
