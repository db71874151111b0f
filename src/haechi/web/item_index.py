"""All items of a study with the figures a team looks for them by: kept up with new ratings, sorted and cut."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.opened import State, state_of
from haechi.store.raters import ADJUDICATOR
from haechi.study import Study
from haechi.web.item_figures import COLUMNS, ItemFigures, Unlike
from haechi.web.listed_items import ListedItems, list_items, plain

SORTS = ("", "score", "-score", "-disagreement", "-apart", "-missing")
ONLY = ("", "unrated", "missing", "disputed", "decided", "unfounded", "tries")
PAGE = 50
_KEPT = 64
_AT_ONCE = 500  # items that are looked at anew by themselves; of more, all are
_NEWER = 2_000  # items that have changed before they are put with the others


@dataclass(frozen=True)
class Wanted:
    """Which items somebody wants to see, and in which order: what the address of the page says."""

    search: str = ""
    score: str = ""
    sort: str = ""
    rater: str = ""
    only: str = ""
    low: float | None = None
    high: float | None = None
    meta: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Found:
    """The items that were wanted: the rows of a table, in an order; only the order is kept for every search."""

    frame: pl.DataFrame
    order: pl.Series

    def __len__(self) -> int:
        return len(self.order)

    def rows(self, page: int) -> list[dict[str, Any]]:
        """The rows of a page: number, item, preview and figures."""
        return self.frame[self.order.slice(page * PAGE, PAGE)].to_dicts()

    @cached_property
    def numbers(self) -> pl.Series:
        """The numbers of the items."""
        return self.frame["number"].gather(self.order)


class ItemIndex:
    """The items of one study as they are now; safe to use from many threads.

    What raters said of most items does not change: `newer` holds the figures of those of which something was said since
    the index was made.
    """

    def __init__(self, study: Study, state: State, items: ListedItems, figures: ItemFigures) -> None:
        self._study, self.state, self._items = study, state, items
        self._base, self._newer = figures, figures.none()
        self._lock = threading.RLock()
        self._figures: dict[str, pl.DataFrame] = {}
        self._found: OrderedDict[Wanted, Found] = OrderedDict()
        self._unfounded: pl.Series | None = None

    def with_newer(self, state: State, newer: ItemFigures) -> ItemIndex:
        """The index after something new was said of some items; only these are put anew."""
        after = ItemIndex(self._study, state, self._items, self._base)
        after._newer = self._newer.followed_by(newer)
        if len(after._newer.items) > _NEWER:
            after._base, after._newer = self._base.followed_by(after._newer), newer.none()
        with self._lock:
            known = dict(self._figures)
            after._unfounded = None if newer.has_evidence else self._unfounded
        after._figures = {name: self._put(frame, newer, name) for name, frame in known.items()}
        return after

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores."""
        return self._base.scores

    @property
    def main(self) -> str:
        """The score that stands for the whole."""
        return self._base.main

    @property
    def raters(self) -> list[str]:
        """Everybody who rated."""
        return sorted({*self._base.raters, *self._newer.raters} - {ADJUDICATOR})

    @property
    def fields(self) -> Mapping[str, tuple[str, ...]]:
        """The meta fields by which items can be chosen, with their values."""
        return self._items.fields

    def __len__(self) -> int:
        return self._items.frame.height

    def find(self, wanted: Wanted) -> Found:
        """The items that are wanted, in the order that is wanted."""
        with self._lock:
            if wanted not in self._found:
                frame = self._of_score(wanted.score if wanted.score in self.scores else self.main)
                self._found[wanted] = Found(frame, self._ordered(frame, wanted))
                while len(self._found) > _KEPT:
                    self._found.popitem(last=False)
            self._found.move_to_end(wanted)
            return self._found[wanted]

    def scores_of(self, item: str) -> list[dict[str, Any]]:
        """The scores of an item, rater by rater; scores that nobody has are left out."""
        own = (self._newer if item in self._newer.items else self._base).rows_of(item)
        names = sorted(
            (name for name in self.scores if own[name].null_count() < own.height),
            key=lambda name: name != self.main,
        )
        return list(own.select("rater", "kind", *names).iter_rows(named=True))

    def _chosen(self, wanted: Wanted) -> pl.Expr:
        """Whether an item is wanted."""
        keep = [pl.lit(True)]
        keep += [self._has(name, value) for name, value in wanted.meta]
        if wanted.low is not None:
            keep.append(pl.col("score") >= wanted.low)
        if wanted.high is not None:
            keep.append(pl.col("score") <= wanted.high)
        if wanted.only == "unrated":
            keep.append(pl.col("raters") == 0)
        elif wanted.only == "missing":
            keep.append((pl.col("missing") > 0) | pl.col("score").is_null())
        elif wanted.only == "disputed":
            keep.append(pl.col("disagreement") > 0)
        elif wanted.only in ("decided", "unfounded", "tries"):
            keep.append(pl.col("item").is_in(self._named(wanted.only).implode()))
        if wanted.rater:
            keep.append(pl.col("item").is_in(self._rated_by(wanted.rater).implode()))
        if wanted.search.strip():
            keep.append(pl.lit(self._items.texts.str.contains(plain(wanted.search.strip()), literal=True)))
        return pl.all_horizontal(keep)

    def _has(self, field: str, value: str) -> pl.Expr:
        """Whether a meta field has a value; nothing has one of a field that the study does not have."""
        return pl.col(f"meta.{field}") == value if field in self.fields else pl.lit(False)

    def _named(self, only: str) -> pl.Series:
        if only == "tries":
            return self._items.trying
        if only == "decided":
            return self._rated_by(ADJUDICATOR)
        if self._unfounded is None:
            found = Analysis(self._study).quotes.unfounded
            self._unfounded = pl.Series([one.item for one in found], dtype=pl.String)
        return self._unfounded

    def _rated_by(self, rater: str) -> pl.Series:
        return pl.concat([self._base.rated_by(rater), self._newer.rated_by(rater)]).unique()

    def _ordered(self, frame: pl.DataFrame, wanted: Wanted) -> pl.Series:
        """The rows of the items that are wanted, in the order that is wanted; nothing else of them is moved."""
        rows = frame.lazy().with_row_index("row").filter(self._chosen(wanted))
        if not wanted.sort:
            return rows.select("row").collect()["row"]
        name = wanted.sort.removeprefix("-")
        key = pl.col(name).abs() if name == "apart" else pl.col(name)
        sorted_rows = rows.select("row", key.alias("key")).sort(
            "key", descending=wanted.sort.startswith("-"), nulls_last=True, maintain_order=True
        )
        return sorted_rows.collect()["row"]

    def _of_score(self, name: str) -> pl.DataFrame:
        if name not in self._figures:
            frame = self._items.frame.join(self._base.of_score(name), "item", "left", maintain_order="left")
            frame = frame.with_columns(pl.col("raters", "missing").fill_null(0))
            self._figures[name] = self._put(frame, self._newer, name)
        return self._figures[name]

    def _put(self, frame: pl.DataFrame, newer: ItemFigures, name: str) -> pl.DataFrame:
        """A table of all items with the figures of some of them put anew."""
        places, own = self._items.places, newer.of_score(name)
        own = own.filter(pl.Series([item in places for item in own["item"]], dtype=pl.Boolean))
        rows = [places[item] for item in own["item"]]
        if not rows:
            return frame
        return frame.with_columns(frame[column].scatter(rows, own[column]) for column in COLUMNS)


class ItemIndexes:
    """Keeps the index of a study, and keeps it up with what comes."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lock = threading.Lock()
        self._index: ItemIndex | None = None
        self._items: ListedItems | None = None

    def now(self) -> ItemIndex:
        """The index of the study as it is now."""
        with self._lock:
            state = state_of(self._study)
            if self._index is None or self._index.state != state:
                self._index = self._kept_up(state) or self._made(state)
            return self._index

    def _made(self, state: State) -> ItemIndex:
        if self._items is None or self._items.state != state.items:
            self._items = list_items(self._study, state)
        return ItemIndex(self._study, state, self._items, ItemFigures.of(Analysis(self._study)))

    def _kept_up(self, state: State) -> ItemIndex | None:
        """The index with what was said since; None where all of it has to be made anew."""
        index = self._index
        if index is None or index.state._replace(ratings=state.ratings) != state or not index.scores:
            return None
        if self._study.rubric.item == "run":  # which are measured together
            return None
        with self._study.database.read() as connection:
            newer = "SELECT item FROM ratings WHERE number > :last AND number <= :now"
            said_of = set(connection.values(newer, last=index.state.ratings or 0, now=state.ratings))
        if len(said_of) > _AT_ONCE:
            return None
        try:
            figures = ItemFigures.of(Analysis(self._study.only(said_of)), like=index.scores)
        except Unlike:
            return None
        return index.with_newer(state, figures)
