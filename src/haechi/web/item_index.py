"""All items of a study with the figures a team looks for them by: kept up with new ratings, sorted and cut."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.analysis_cache import StudyState, state_of
from haechi.data.stances import ADJUDICATION
from haechi.frozen import frozen
from haechi.study.study import Study
from haechi.web.item_figures import COLUMNS, ItemFigures, Unlike
from haechi.web.item_order import ItemOrder
from haechi.web.listed_items import ListedItems, list_items, plain

SORTS = ("", "score", "-score", "-disagreement", "-apart", "-missing")
ONLY = ("", "unrated", "missing", "disputed", "decided", "unfounded", "tries")
PAGE = 50
_KEPT, _ORDERS = 64, 16
_AT_ONCE = 500  # items that are looked at anew by themselves; of more, all are
_WAITING = 100  # items that wait to be looked at anew until somebody wants to see their figures
_NEWER = 2_000  # items that have changed before they are put with the others
_CHOSEN = "\0chosen"
_PIECES = 100  # times that some have changed before these are put together


@frozen
class ItemQuery:
    """Which items somebody wants to see, and in which order: what the address of the page says."""

    search: str = ""
    score: str = ""
    sort: str = ""
    rater: str = ""
    only: str = ""
    low: float | None = None
    high: float | None = None
    meta: tuple[tuple[str, str], ...] = ()

    @property
    def by_figures(self) -> bool:
        """Whether what raters said decides which items are found, or in which order."""
        asked = (self.sort, self.rater, self.low is not None, self.high is not None)
        return any(asked) or self.only not in ("", "tries")


@frozen
class FoundItems:
    """The items that were wanted: the rows of a table, in an order; only the order is kept for every search."""

    frame: pl.DataFrame
    order: pl.Series

    def __len__(self) -> int:
        return len(self.order)

    def rows(self, page: int) -> list[dict[str, Any]]:
        """The rows of a page: number, item, preview and figures."""
        return self.frame[self.order.slice(page * PAGE, PAGE)].to_dicts()

    def number(self, at: int) -> int | None:
        """The number of the item at a place in the order; None where there is none."""
        return int(self.frame["number"][self.order[at]]) if 0 <= at < len(self.order) else None

    def place(self, number: int) -> int | None:
        """The place of an item in the order; None where it was not found."""
        row = self.frame["number"].index_of(number)
        return self.order.index_of(row) if row is not None else None


class ItemIndex:
    """The items of one study as they are now; safe to use from many threads.

    What raters said of most items does not change: `newer` holds the figures of those of which something was said since
    the index was made, `newest` those of the last times, each by itself. And most of what was said just now is on no page that anybody looks at: these items wait until
    their figures are wanted.
    """

    def __init__(self, study: Study, state: StudyState, items: ListedItems, figures: ItemFigures) -> None:
        self._study, self.state, self._items = study, state, items
        self._base, self._newer = figures, figures.none()
        self._newest: list[ItemFigures] = []
        self._lock = threading.RLock()
        self._waiting: set[str] = set()
        self._raters = set(figures.raters)
        self._figures: dict[str, pl.DataFrame] = {}
        self._orders: dict[tuple[str, str], ItemOrder] = {}
        self._found: OrderedDict[ItemQuery, FoundItems] = OrderedDict()
        self._unfounded: pl.Series | None = None

    def follow(self, state: StudyState, items: set[str], raters: set[str]) -> None:
        """Something new was said of some items by some raters."""
        with self._lock:
            self.state = state
            self._waiting |= items
            self._raters |= raters
            if len(self._waiting) > _WAITING:
                self._catch_up()

    def _catch_up(self) -> None:
        """Look anew at the items of which something was said; only these are put anew, where they can stand by themselves."""
        if not self._waiting:
            return
        self._found.clear()
        try:
            newer = ItemFigures.of(Analysis(self._study.only(self._waiting)), like=self.scores)
        except Unlike:
            self._base, self._unfounded = ItemFigures.of(Analysis(self._study)), None
            self._raters = set(self._base.raters)
            self._newer, self._newest, self._figures, self._orders = self._base.none(), [], {}, {}
        else:
            self._newest.append(newer)
            if newer.has_evidence:
                self._unfounded = None
            for name in self._figures:
                self._put(name, newer)
            if len(self._newest) > _PIECES:
                self._put_together()
        self._waiting = set()

    def _put_together(self) -> None:
        if self._newest:
            self._newer, self._newest = self._newer.followed_by(*self._newest), []
        if len(self._newer.items) > _NEWER:
            self._base, self._newer = self._base.followed_by(self._newer), self._newer.none()

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
        return sorted(self._raters)

    @property
    def fields(self) -> Mapping[str, tuple[str, ...]]:
        """The meta fields by which items can be chosen, with their values."""
        return self._items.fields

    def __len__(self) -> int:
        return self._items.frame.height

    def find(self, wanted: ItemQuery) -> FoundItems:
        """The items that are wanted, in the order that is wanted."""
        with self._lock:
            if wanted.by_figures:
                self._catch_up()
            if wanted not in self._found:
                score = wanted.score if wanted.score in self.scores else self.main
                self._found[wanted] = FoundItems(self._of_score(score), self._rows(score, wanted))
                while len(self._found) > _KEPT:
                    self._found.popitem(last=False)
            self._found.move_to_end(wanted)
            return self._found[wanted]

    def rows(self, wanted: ItemQuery, page: int) -> list[dict[str, Any]]:
        """The rows of a page of the items that are wanted: number, item, preview and figures."""
        with self._lock:
            rows = self.find(wanted).rows(page)
            if self._waiting.isdisjoint(row["item"] for row in rows):
                return rows
            self._catch_up()
            return self.find(wanted).rows(page)

    def scores_of(self, item: str) -> list[dict[str, Any]]:
        """The scores of an item, rater by rater; scores that nobody has are left out."""
        with self._lock:
            if item in self._waiting:
                self._catch_up()
            newer = (one for one in (*reversed(self._newest), self._newer) if item in one.items)
            own = next(newer, self._base).rows_of(item)
        names = sorted(
            (name for name in self.scores if own[name].null_count() < own.height),
            key=lambda name: name != self.main,
        )
        return own[["rater", "kind", *names]].to_dicts()

    def _chosen(self, wanted: ItemQuery) -> list[pl.Expr]:
        """What has to be true of an item that is wanted."""
        keep = [self._has(name, value) for name, value in wanted.meta]
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
        return keep

    def _has(self, field: str, value: str) -> pl.Expr:
        """Whether a meta field has a value; nothing has one of a field that the study does not have."""
        return pl.col(f"meta.{field}") == value if field in self.fields else pl.lit(False)

    def _named(self, only: str) -> pl.Series:
        if only == "tries":
            return self._items.trying
        if only == "decided":
            self._put_together()
            return pl.concat([self._base.decided, self._newer.decided]).unique()
        if self._unfounded is None:
            self._unfounded = self._study.evidence().unfounded["item"]
        return self._unfounded

    def _rated_by(self, rater: str) -> pl.Series:
        self._put_together()
        return pl.concat([self._base.rated_by(rater), self._newer.rated_by(rater)]).unique()

    def _rows(self, score: str, wanted: ItemQuery) -> pl.Series:
        """The rows of the items that are wanted, in the order that is wanted; nothing else of them is moved."""
        frame, order = self._of_score(score), self._order(score, wanted.sort)
        if not (chosen := self._chosen(wanted)):
            return order
        keep = frame.with_columns(pl.all_horizontal(chosen).alias(_CHOSEN))[_CHOSEN]
        return order.filter(keep.gather(order))

    def _order(self, score: str, sort: str) -> pl.Series:
        """The rows of all items in the order of a figure; without one as they stand."""
        frame = self._of_score(score)
        if not sort:
            return pl.int_range(frame.height, dtype=pl.UInt32, eager=True)
        if (score, sort) not in self._orders:
            if len(self._orders) == _ORDERS:
                del self._orders[next(iter(self._orders))]  # the one that was made first
            self._orders[score, sort] = ItemOrder(frame, sort)
        return self._orders[score, sort].of(frame)

    def _of_score(self, name: str) -> pl.DataFrame:
        if name not in self._figures:
            frame = self._items.frame.join(self._base.of_score(name), "item", "left", maintain_order="left")
            self._figures[name] = frame.with_columns(pl.col("raters", "missing").fill_null(0))
            self._put_together()
            self._put(name, self._newer)
        return self._figures[name]

    def _put(self, name: str, newer: ItemFigures) -> None:
        """Put the figures of some items anew into the table of all, and the items where they belong by these."""
        places, own = self._items.places, newer.of_score(name)
        items = own["item"].to_list()
        rows = [places[item] for item in items if item in places]
        if not rows:
            return
        if len(rows) < len(items):
            own = own.filter(pl.Series([item in places for item in items], dtype=pl.Boolean))
        frame, at = self._figures[name].clone(), pl.Series(rows, dtype=pl.UInt32)
        for column in COLUMNS:
            frame.replace_column(frame.get_column_index(column), frame[column].scatter(at, own[column]))
        self._figures[name] = frame
        for (score, _), order in self._orders.items():
            if score == name:
                order.change(rows)


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
            if self._index is None or not (self._index.state == state or self._followed(self._index, state)):
                self._index = self._made(state)
            return self._index

    def _made(self, state: StudyState) -> ItemIndex:
        if self._items is None or self._items.state != state.items:
            self._items = list_items(self._study, state)
        return ItemIndex(self._study, state, self._items, ItemFigures.of(Analysis(self._study)))

    def _followed(self, index: ItemIndex, state: StudyState) -> bool:
        """Tell the index what was said since; False where all of it has to be made anew."""
        if index.state._replace(ratings=state.ratings) != state or not index.scores:
            return False
        if self._study.rubric.item == "run":  # which are measured together
            return False
        with self._study.database.read() as connection:
            newer = "SELECT DISTINCT item, rater, stance FROM ratings WHERE number > :last AND number <= :now"
            said = connection.rows(newer, last=index.state.ratings or 0, now=state.ratings)
            items = {row.item for row in said}
            raters = {row.rater for row in said if row.stance != ADJUDICATION}
        if len(items) > _AT_ONCE:
            return False
        index.follow(state, items, raters)
        return True
