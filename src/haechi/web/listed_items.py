"""The items of a study as they are listed, searched and cut; nothing of what raters said."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from haechi.analysis.analysis_cache import StudyState
from haechi.data.item import Item
from haechi.data.meta_values import MetaValues
from haechi.prompt.injection import injection_tries
from haechi.prompt.material import texts
from haechi.rubrics import Rubric
from haechi.study.study import Study

_PREVIEW = 120


@dataclass
class ListedItems:
    """What is known of the items themselves: `number`, `item`, `preview`, and their meta fields as `meta.NAME`."""

    study: Study
    state: tuple[int | None, ...]
    frame: pl.DataFrame
    fields: Mapping[str, tuple[str, ...]]

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of every item."""
        return {item: row for row, item in enumerate(self.frame["item"])}

    @cached_property
    def texts(self) -> pl.Series:
        """Everything that can be searched, in the order of the items; read when somebody first searches."""
        rubric = self.study.rubric
        known = {item.id: plain("\n".join(_searched(item, rubric))) for item in self.study.items()}
        return pl.Series("text", [known.get(item, "") for item in self.frame["item"]], dtype=pl.String)

    @cached_property
    def trying(self) -> pl.Series:
        """The items that seem to speak to a judge; read when somebody first asks for them."""
        found = injection_tries(self.study.items(), self.study.rubric)
        return pl.Series([item for item, _ in found], dtype=pl.String)


def list_items(study: Study, state: StudyState) -> ListedItems:
    """Read all items."""
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
    return ListedItems(study, state.items, frame, fields)


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


def plain(text: str) -> str:
    """A text as it is searched."""
    return unicodedata.normalize("NFC", text).casefold()
