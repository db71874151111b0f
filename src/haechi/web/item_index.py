"""All items of a study with the figures a team looks for them by: computed once for a state of the study, then sorted and cut."""

from __future__ import annotations

import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.opened import State, state_of
from haechi.data.item import Item
from haechi.data.meta_values import MetaValues
from haechi.errors import HaechiError
from haechi.prompt.injection import tried
from haechi.prompt.material import texts
from haechi.rubrics import Rubric
from haechi.scoring.panel import panel_means
from haechi.store.raters import ADJUDICATOR
from haechi.study import Study

SORTS = ("", "score", "-score", "-disagreement", "-apart", "-missing")
ONLY = ("", "unrated", "missing", "disputed", "decided", "unfounded", "tries")
PAGE = 50
_PREVIEW = 120
_KEPT = 64


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


@dataclass
class _Items:
    """What is known of the items themselves: `number`, `item`, `preview`, and their meta fields as `meta.NAME`."""

    study: Study
    state: tuple[int | None, ...]
    frame: pl.DataFrame
    fields: Mapping[str, tuple[str, ...]]

    @cached_property
    def texts(self) -> pl.Series:
        """Everything that can be searched, in the order of the items; read when somebody first searches."""
        rubric = self.study.rubric
        known = {item.id: _plain("\n".join(_searched(item, rubric))) for item in self.study.items()}
        return pl.Series("text", [known.get(item, "") for item in self.frame["item"]], dtype=pl.String)

    @cached_property
    def trying(self) -> pl.Series:
        """The items that seem to speak to a judge; read when somebody first asks for them."""
        found = tried(self.study.items(), self.study.rubric)
        return pl.Series([item for item, _ in found], dtype=pl.String)


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
    """The items of one study as they are now; safe to use from many threads."""

    def __init__(self, analysis: Analysis, state: State, items: _Items) -> None:
        self._analysis, self.state, self._items = analysis, state, items
        self._lock = threading.RLock()
        self._figures: dict[str, pl.DataFrame] = {}
        self._found: OrderedDict[Wanted, Found] = OrderedDict()
        given = analysis.ratings
        try:
            self.scores: tuple[str, ...] = analysis.names
            self.main = analysis.main
            self.rows = pl.concat(analysis.batches(["item", "rater", "kind", *self.scores]))
        except HaechiError:
            if not given.is_empty():
                raise
            # Nobody has rated anything yet: there are items, and nothing about them.
            self.scores, self.main = (), ""
            self.rows = pl.DataFrame(schema={"item": pl.String, "rater": pl.String, "kind": pl.String})
        self.raters: list[str] = sorted(set(given["rater"].unique()) - {ADJUDICATOR})

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
                chosen = self._sorted(frame.with_row_index("row").filter(self._chosen(wanted)), wanted.sort)
                self._found[wanted] = Found(frame, chosen["row"])
                while len(self._found) > _KEPT:
                    self._found.popitem(last=False)
            self._found.move_to_end(wanted)
            return self._found[wanted]

    def scores_of(self, item: str) -> list[dict[str, Any]]:
        """The scores of an item, rater by rater; scores that nobody has are left out."""
        own = self.rows.filter(pl.col("item") == item)
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
            theirs = self._analysis.ratings.filter(pl.col("rater") == wanted.rater)["item"].unique()
            keep.append(pl.col("item").is_in(theirs.implode()))
        if wanted.search.strip():
            keep.append(pl.lit(self._items.texts.str.contains(_plain(wanted.search.strip()), literal=True)))
        return pl.all_horizontal(keep)

    def _has(self, field: str, value: str) -> pl.Expr:
        """Whether a meta field has a value; nothing has one of a field that the study does not have."""
        return pl.col(f"meta.{field}") == value if field in self.fields else pl.lit(False)

    def _named(self, only: str) -> pl.Series:
        if only == "tries":
            return self._items.trying
        if only == "unfounded":
            return pl.Series([one.item for one in self._analysis.quotes.unfounded], dtype=pl.String)
        return self._analysis.ratings.filter(pl.col("rater") == ADJUDICATOR)["item"].unique()

    @staticmethod
    def _sorted(frame: pl.DataFrame, sort: str) -> pl.DataFrame:
        if not sort:
            return frame
        key = pl.col("apart").abs() if sort == "-apart" else pl.col(sort.removeprefix("-"))
        return frame.sort(key, descending=sort.startswith("-"), nulls_last=True, maintain_order=True)

    def _of_score(self, name: str) -> pl.DataFrame:
        if name not in self._figures:
            self._figures[name] = self._with_figures(name)
        return self._figures[name]

    def _with_figures(self, name: str) -> pl.DataFrame:
        """The items with a score: its mean over all, over people and over judges, and what the ratings lack or dispute."""
        frame = self._items.frame
        if name:
            for column, kind in (("score", None), ("people", "human"), ("judges", "ai")):
                rows = self.rows if kind is None else self.rows.filter(kind=kind)
                mean = panel_means(rows, [name], ["item"]).select("item", pl.col(name).alias(column))
                frame = frame.join(mean, "item", "left", maintain_order="left")
        else:
            frame = frame.with_columns(
                pl.lit(None, pl.Float64).alias(one) for one in ("score", "people", "judges")
            )
        given = self._analysis.ratings.filter(pl.col("rater") != ADJUDICATOR)
        counted = given.group_by("item").agg(
            pl.col("rater").n_unique().alias("raters"), (pl.col("status") != "ok").sum().alias("missing")
        )
        agreement = self._analysis.raters_agreement
        apart = {one.item: one.relative for one in agreement.disputed} if agreement is not None else {}
        disputed = pl.DataFrame(
            {"item": list(apart), "disagreement": list(apart.values())},
            schema={"item": pl.String, "disagreement": pl.Float64},
        )
        return (
            frame.join(counted, "item", "left", maintain_order="left")
            .join(disputed, "item", "left", maintain_order="left")
            .with_columns(
                pl.col("raters", "missing").fill_null(0), (pl.col("judges") - pl.col("people")).alias("apart")
            )
        )


class ItemIndexes:
    """Keeps the index of a study until something new has come."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lock = threading.Lock()
        self._index: ItemIndex | None = None
        self._items: _Items | None = None

    def now(self) -> ItemIndex:
        """The index of the study as it is now."""
        with self._lock:
            state = state_of(self._study)
            if self._index is None or self._index.state != state:
                if self._items is None or self._items.state != state.items:
                    self._items = _read(self._study, state)
                self._index = ItemIndex(Analysis(self._study), state, self._items)
            return self._index


def _read(study: Study, state: State) -> _Items:
    with study.database.read() as connection:
        numbers: dict[str, int] = dict(connection.rows("SELECT id, number FROM items_in_force"))
    rows: list[tuple[int, str, str]] = []
    meta: list[dict[str, str]] = []
    values = MetaValues()
    for item in study.items():
        rows.append((numbers[item.id], item.id, _preview(item)))
        meta.append(values.add(item.meta))
    fields = values.fields
    schema = {"number": pl.Int64, "item": pl.String, "preview": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.Series(f"meta.{name}", [own.get(name) for own in meta], dtype=pl.String) for name in fields
    )
    return _Items(study, state.items, frame, fields)


def _preview(item: Item) -> str:
    """The first words of an item, which say more than its id."""
    content = item.content
    if item.kind == "dialogue":
        said = next((m["content"] for m in content["messages"] if m["role"] == "user"), "")
    else:
        said = content.get("query_text") or content.get("context") or ""
    return " ".join(str(said)[: 4 * _PREVIEW].split())[:_PREVIEW]


def _searched(item: Item, rubric: Rubric) -> Iterator[str]:
    yield item.id
    if item.kind == rubric.item:
        yield from texts(rubric, item.content)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
