"""A study as it is kept: its items and ratings, read and selected."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from haechi.data.fields import CRITERION, EVERYTHING, OF_ROWS, RATER_PREFIX, Selection, Where, meta_value
from haechi.data.item import Item
from haechi.data.names import META_PREFIX
from haechi.data.progress import Advance, no_progress
from haechi.data.reasons import saying
from haechi.data.sources import SourceFile, StudySources
from haechi.errors import HaechiError
from haechi.rubrics import parse_rubric
from haechi.store.folder import kept_database, read_settings
from haechi.store.items import count_items, read_items
from haechi.store.rater_fields import read_fields
from haechi.store.ratings_in_force import rating_frame
from haechi.store.run_files import RunFile, check_files, files_in_force, known_ids, read_runs
from haechi.text import Text, readable

if TYPE_CHECKING:
    import polars as pl

    from haechi.scoring.judge_panel import Panel

_ITEMS = 8_192


class StudyItems:
    """A study folder to read from: its items and ratings in force, all or what is selected."""

    selection: Selection = EVERYTHING
    """What of the study is looked at; all of it, unless `selecting` says otherwise."""

    panel: Panel = "mean"
    """How its AI judges count together: as `study.yaml` says, unless `paneled` says otherwise."""

    _only: frozenset[str] | None = None

    made_of: StudySources | None = None
    """The files that it stands for as long as somebody looks at them; None for a study that is kept."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.settings = read_settings(self.folder)
        self.database = kept_database(self.folder, self.settings.database)
        self.rubric_text = self._rubric_text()
        self.rubric = parse_rubric(self.rubric_text, f"{self.settings.rubric}.yaml")
        if self.settings.panel is not None:
            self.panel = self.settings.panel

    def _rubric_text(self) -> str:
        query = "SELECT text FROM rubrics WHERE version = :version"
        with self.database.read() as connection:
            text = connection.value(query, version=self.settings.version)
        if text is None:
            found = Text(f"루브릭 버전 {self.settings.version} 없음", f"no rubric {self.settings.version}")
            expected = Text("study.yaml의 version과 같은 루브릭", "the rubric that study.yaml names")
            todo = Text("study.yaml의 version을 되돌리세요", "restore the version in study.yaml")
            raise HaechiError.of(str(self.folder), found, expected, todo)
        return str(text)

    def selecting(self, where: Where) -> Self:
        """The same study as if it had only what fits: items by their meta fields, ratings by `rater`, `kind`, `stance`.

        Of several values of a field any will do, all fields must fit; of what is selected already, less is left. `criterion`
        chooses scores, which are computed from everything all the same.

        >>> import tempfile
        >>> from haechi.study.study import Study
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
            chosen.selection = self.selection.narrowed(wished)
            return chosen
        wished = wished.among([*self.meta_fields(), *OF_ROWS, *self.rater_fields(), CRITERION])
        meta, ratings = self.meta(wished.of_items.wanted), self.ratings()
        there = {name: meta[name].unique() for name in wished.of_items.wanted}
        there |= {name: ratings[name].unique() for name in wished.of_raters.wanted}
        wished.of_rows.check_values({name: values.to_list() for name, values in there.items()})
        chosen.selection = self.selection.narrowed(wished)
        return chosen

    def paneled(self, panel: Panel | None) -> Self:
        """The same study whose AI judges count together in another way: by their mean, their median, or as the majority says."""
        if panel is None or panel == self.panel:
            return self
        chosen = copy.copy(self)
        chosen.panel = panel
        return chosen

    def only(self, ids: Collection[str]) -> Self:
        """The same study as if it had only these items, which are read without the others; not for agent runs, which are measured together."""
        chosen = copy.copy(self)
        chosen._only = frozenset(ids)
        return chosen

    @property
    def place(self) -> str:
        """What errors call it."""
        return self.made_of.place if self.made_of else str(self.folder)

    @property
    def name(self) -> str:
        """The name of its folder, as text."""
        return readable(self.folder.resolve().name)

    @property
    def title(self) -> str:
        """What its report is called: its own title, else that of its rubric."""
        return self.settings.title or self.rubric.title.say()

    def sources(self) -> tuple[SourceFile, ...]:
        """The files that the items came from: those that it stands for, else what was added and is in force (date of adding)."""
        if self.made_of:
            return self.made_of.files
        from haechi.store.database import local
        from haechi.store.imports import imports_of

        with self.database.read() as connection:
            steps = [one for one in imports_of(connection) if one.what == "items" and not one.taken_back]
        files = [
            SourceFile(f["name"], f["sha256"], local(step.at)[:10]) for step in steps for f in step.files
        ]
        return tuple(dict.fromkeys(files))

    def run_files(self) -> list[RunFile]:
        """The Parquet files that hold the study's agent runs; none if the database has them."""
        if self.rubric.item != "run":
            return []
        with self.database.read() as connection:
            files = files_in_force(connection, self.folder)
        check_files(files)
        return files

    def bring_rows(self, advance: Advance = no_progress) -> None:
        """Make sure that the database has a row for every item, as people and AI judges need who work item by item.

        Only runs in files lack one; the first time takes some seconds for every 100,000 of them.
        """
        if self.rubric.item == "run" and self.run_files():
            from haechi.store.large import copy_runs  # and all that writes

            copy_runs(self.database, self.folder, advance)

    def items(self, ids: Collection[str] | None = None) -> Iterator[Item]:
        """The items, one after the other; with `ids` only those."""
        return self._selected(self._all_items(ids))

    def _selected(self, items: Iterator[Item]) -> Iterator[Item]:
        if not self.selection or self.rubric.item == "run":
            return items
        return (item for item in items if self.selection.fits(item.meta))

    def _all_items(self, ids: Collection[str] | None, content: bool = True) -> Iterator[Item]:
        if self._only is not None:
            ids = self._only if ids is None else self._only.intersection(ids)
        files = self.run_files()
        rated = known_ids(files, self._bare_ids()) if files else set()
        with self.database.read() as connection:
            # Where there are files, rows that are not bare are copies of the runs in them.
            for item in read_items(connection, ids, bool(files), content):
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
        if self._only is not None:
            return len(self._only)
        files = self.run_files()
        if files:
            bare = self._bare_ids()
            return sum(file.runs for file in files) + len(bare) - len(known_ids(files, bare))
        with self.database.read() as connection:
            return count_items(connection)

    def _metas(self) -> Iterator[Item]:
        """The items for their meta fields: those in the database without their content."""
        return self._selected(self._all_items(None, content=False))

    def _selected_items(self) -> list[str]:
        """The ids of the items that fit."""
        return [item.id for item in self._metas()]

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
        kept = self.kept_ratings()
        return kept.with_columns(saying("reason")) if kept["reason"].count() else kept

    def kept_ratings(self) -> pl.DataFrame:
        """As `all_ratings`, with reasons as they are kept: in both languages."""
        with self.database.read() as connection:
            return rating_frame(connection, self._only, with_order=self.rubric.item == "pair")

    def rater_fields(self) -> list[str]:
        """What raters say about themselves, as fields to select and group by, such as `rater.age_band`."""
        with self.database.read() as connection:
            return [RATER_PREFIX + field for field in read_fields(connection)]

    def meta(self, fields: Collection[str]) -> pl.DataFrame:
        """Some meta fields of all items, as text; null where an item has none."""
        import polars as pl

        return pl.concat(self.meta_pieces(fields))

    def meta_pieces(self, fields: Collection[str]) -> Iterator[pl.DataFrame]:
        """As `meta`, some items at a time; one piece at least."""
        import polars as pl

        schema = dict.fromkeys(["item", *fields], pl.String)
        items, last = self._metas(), False
        while not last:
            some = list(islice(items, _ITEMS))
            last = len(some) < _ITEMS
            columns: dict[str, list[Any]] = {"item": [item.id for item in some]}
            for field in fields:
                columns[field] = [meta_value(item.meta, field) for item in some]
            yield pl.DataFrame(columns, schema=schema)

    def meta_fields(self) -> list[str]:
        """The meta fields that items have, in the order of their first appearance; known answers (`attention`) are none.

        A field with the name of a score or of a column of its own is called `meta.NAME`.
        """
        ours = ("item", *OF_ROWS, CRITERION, "replicate", "missing", "place")
        taken = {*ours, *self.rubric.score_names}
        files = self.run_files()
        if files:
            every = ("query", "round", "category", *(field for file in files for field in file.fields))
            found = dict.fromkeys(every)
        else:
            found = dict.fromkeys(field for item in self._metas() for field in item.meta)
        return [
            f"{META_PREFIX}{field}"
            if field in taken or ":" in field or field.startswith(RATER_PREFIX)
            else field
            for field in found
            if field != "attention"
        ]
