"""Ratings from the rows of tables that people (or other tools) filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.data.column_names import SUMMARIES
from haechi.data.files import BAD, Row, Unstored
from haechi.data.names import TO_READ, fold_name
from haechi.data.progress import Advance, no_progress
from haechi.data.rating import JudgementKey, Rating
from haechi.data.rating_rules import KEY, BrokenRule, RatingRules, rated_twice, text_of
from haechi.data.rating_tables import UnderstoodTable, rating_tables
from haechi.data.rating_understanding import understand_ratings
from haechi.data.tables import AS_FOUND, InputTable, Keep, TableReading
from haechi.data.understanding import IGNORED, Understanding
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.text import Text, first_few

if TYPE_CHECKING:
    import polars as pl

PlacedRating = tuple[str, Rating | HaechiError]
_SHOWN, _AT_ONCE = 5, 50_000
_NO_MORE = -1, 0


class RatingReader:
    """Reads the ratings of files; afterwards it can say how they were read.

    `said` is what a person should know, `ignored` the columns that mean nothing here, so that a misspelt criterion does not
    go unseen.

    >>> import haechi, tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.csv"
    >>> _ = file.write_text("번호,평가자,공감성\\nd1,r1,１\\n", "utf-8")
    >>> [rating.value for _, rating in RatingReader(haechi.rubric("diary-comment")).of_file(file)]
    ['1']
    """

    def __init__(
        self,
        rubric: Rubric,
        rater: str | None = None,
        kind: str | None = None,
        stance: str | None = None,
        reading: TableReading = AS_FOUND,
    ) -> None:
        self.rules = RatingRules(rubric)
        self._given = rater, kind, stance
        self._reading = reading
        self.said: list[Text] = []
        self.ignored: dict[str, None] = {}
        self._people: dict[str, str] = {}

    @property
    def keep(self) -> Keep | None:
        """Which answer counts where somebody answered twice, if that was said."""
        return self._reading.keep

    def completed(self, named: pl.DataFrame) -> pl.DataFrame:
        """Ratings as columns with what was said beside the table: the rater of all, the kind and stance where it has none."""
        import polars as pl

        rater, kind, stance = self._given
        said = [pl.lit(rater).alias("rater")] if rater else []
        for name, given in (("kind", kind), ("stance", stance)):
            if given:
                own = pl.col(name).fill_null(given) if name in named.columns else pl.lit(given)
                said.append(own.alias(name))
        return named.with_columns(said)

    def tables(self, path: Path) -> list[UnderstoodTable]:
        """The tables of a file, and how they are read."""
        return rating_tables(path, self.rules, self._reading, self._given[0])

    def of_files(self, paths: Sequence[Path], advance: Advance = no_progress) -> Iterator[PlacedRating]:
        """The ratings of files that go together; of somebody who answered twice what was said to count.

        Where nothing was said all come, and a study refuses what it has: a reader would have to hold what it read.
        """
        read = (placed for path in paths for placed in self.of_file(path, advance))
        if self.keep is None:
            yield from read
            return
        from haechi.data.column_rules import counted_rows

        before = copy(self)
        before.said, before.ignored = [], {}
        judged = (one.key for path in paths for _, one in before.of_file(path) if isinstance(one, Rating))
        counted = counted_rows(_as_columns(judged), self.keep).iter_rows()
        number, replicate = next(counted, _NO_MORE)
        ratings = count()
        for place, one in read:
            if isinstance(one, HaechiError):
                yield place, one
            elif next(ratings) == number:
                yield place, replace(one, replicate=replicate)
                number, replicate = next(counted, _NO_MORE)

    def of_file(self, path: Path, advance: Advance = no_progress) -> Iterator[PlacedRating]:
        """The ratings of a file, each with its place; a bad row is an error there."""
        found = self.tables(path)
        asked = tuple(problem for one in found for problem in one.how.asked)
        if asked:
            raise HaechiError(asked)
        for table, how in found:
            self.said += how.said()
            self.ignored.update(dict.fromkeys(how.ignored))
            yield from self.of_table(table, how, advance)
            self.said += table.said

    def of_table(
        self, table: InputTable, how: Understanding, advance: Advance = no_progress
    ) -> Iterator[PlacedRating]:
        """The ratings of a table that is read in a certain way."""
        how.checked()
        known, unrated = set(table.columns), []
        for row in table:
            advance(1)
            if BAD in row.data:
                yield row.place, row.data[BAD]
                continue
            by = how
            if not row.data.keys() <= known:  # a record with fields that the first ones do not have
                single = InputTable(table.name, [row])
                by = understand_ratings(single, self.rules, self._reading, self._given[0]).checked()
            ratings = list(self._of_row(row, by))
            if not ratings:
                unrated.append(row.place)
            yield from ratings
        if unrated:
            self.said.append(_about_unrated(unrated))

    def _of_row(self, row: Row, how: Understanding) -> Iterator[PlacedRating]:
        try:
            fields = self._fields(row, how)
        except BrokenRule as broken:
            yield row.place, HaechiError((broken.at(row.place),))
            return
        item = text_of(fields.get("item"))
        if item and fold_name(item) in SUMMARIES:
            return
        if not how.values:
            if not _is_blank(row, fields):
                yield row.place, self._rating(row, fields)
            return
        evidence = {one.criterion: row.data.get(one.column) for one in how.columns if one.field == "evidence"}
        for one in how.values:
            cell = row.data.get(one.column)
            if not isinstance(cell, Unstored) and text_of(cell) is None:
                continue
            of_cell: dict[str, Any] = {**fields, "criterion": one.criterion, "value": cell}
            of_cell |= {name: said for name, said in (("rater", one.rater), ("item", one.item)) if said}
            of_cell |= {"evidence": evidence[one.criterion]} if one.criterion in evidence else {}
            yield row.place, self._rating(row, of_cell, one.column)

    def _rating(self, row: Row, fields: dict[str, Any], column: str = "") -> Rating | HaechiError:
        try:
            return self.rules.rating(fields, *self._given)
        except BrokenRule as broken:
            return HaechiError((broken.at(row.place, column),))

    def _fields(self, row: Row, how: Understanding) -> dict[str, Any]:
        """The fields that hold for the whole row."""
        held = (one for one in how.columns if one.criterion is None and one.field != IGNORED)
        fields = {one.field: row.data.get(one.column) for one in held}
        fields |= {name: said for name, said in (("rater", how.rater), ("item", how.item)) if said}
        if how.kind and not text_of(fields.get("kind")):
            fields["kind"] = how.kind
        if how.own_items:
            fields["item"] = fields.get("rater")
        if "email" in fields:
            self._tell_apart(fields, str(how.column("email")))
        return fields

    def _tell_apart(self, fields: dict[str, Any], column: str) -> None:
        """Refuse one name with two e-mail addresses: two people would become one."""
        rater, address = text_of(fields.get("rater")), text_of(fields.pop("email"))
        if self._given[0] or not rater or not address:
            return
        known = self._people.setdefault(rater, address.casefold())
        if known != address.casefold():
            found = Text(
                f"{rater}: 이메일 주소가 둘({known}, {address})",
                f"{rater} with two e-mail addresses ({known}, {address})",
            )
            expected = Text("사람마다 다른 이름", "a name of their own for everybody")
            todo = Text(f'--map rater="{column}" 옵션을 붙이세요', f'add --map rater="{column}"')
            raise BrokenRule("rater", found, expected, todo)


def refuse_twice(placed: Iterable[PlacedRating]) -> Iterator[PlacedRating]:
    """The ratings, and an error in place of each that an earlier one gave already; for tables that go into no study."""
    seen: set[JudgementKey] = set()
    for place, one in placed:
        if isinstance(one, Rating) and one.key in seen:
            yield place, HaechiError((rated_twice(place, *one.key),))
            continue
        if isinstance(one, Rating):
            seen.add(one.key)
        yield place, one


def _as_columns(judged: Iterator[JudgementKey]) -> Iterator[pl.DataFrame]:
    """Judgements as columns, some at a time."""
    import polars as pl

    while some := list(islice(judged, _AT_ONCE)):
        yield pl.DataFrame(some, schema=KEY, orient="row")


def _is_blank(row: Row, fields: dict[str, Any]) -> bool:
    """Whether a row of a form was left as it was handed out."""
    of_form = any(name in TO_READ for name in row.data)
    said = (fields.get(name) for name in ("value", "evidence", "status", "reason"))
    return of_form and all(not isinstance(cell, Unstored) and text_of(cell) is None for cell in said)


def _about_unrated(places: list[str]) -> Text:
    shown = first_few(places, _SHOWN)
    return Text(
        f"평가가 없는 줄 {len(places):,}개: {shown}", f"{len(places):,} rows without a rating: {shown}"
    )
