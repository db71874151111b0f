"""Items one by one: scores side by side, what to read next, failures with reasons, comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.data.fields import field_name
from haechi.data.item import Item
from haechi.data.stances import is_measurement
from haechi.prompt.material import run_texts
from haechi.report.document import Section, SectionPart
from haechi.report.table import AuthoredText, Cell, ItemLink, Table, table
from haechi.report.words import said, score_label, shortened
from haechi.scoring.panel import panel_means

MOST_ITEMS = 200
_MOST_COMMENTS = 200
_MOST_FAILURES = 5


def items_section(figures: Analysis) -> Section:
    """Every item's main scores by rater; of many items those that need a look."""
    parts: list[SectionPart] = [_side_by_side(figures)]
    return Section("items", said("항목별 점수", "Scores by item"), tuple(parts))


def _side_by_side(figures: Analysis) -> Table:
    main, label = figures.main, score_label(figures.rubric, figures.main)
    has_mean = figures.rubric.has_mean(main)
    total = figures.n_rated
    chosen = None if total <= MOST_ITEMS else _worth_showing(figures)
    fields = [field for comparison in figures.comparisons for field in comparison.items.by]
    fields = [field for field in dict.fromkeys(fields) if field in figures.scored.meta]
    columns = ["rater", *fields, main]
    every = figures.rows_of(chosen, columns) if chosen else pl.concat(figures.batches(["item", *columns]))
    own = panel_means(every, [main], ["item", "rater"])
    raters = list(dict.fromkeys(cell.rater for cell in figures.who_rated))
    given = {(item, rater): value for item, rater, value in own.iter_rows()}
    means = {
        item: (mean, meta) for item, mean, *meta in panel_means(every, [main], ["item"], fields).iter_rows()
    }
    rows = [(item, *means[item]) for item in chosen or means]
    shown: list[list[Cell]] = [
        [
            ItemLink(item),
            *(str(v) if v is not None else "–" for v in meta),
            *(_named(figures, value) for value in _given(given, item, raters)),
            *([mean] if has_mean else [] if len(raters) > 1 else [_named(figures, mean)]),
        ]
        for item, mean, meta in rows
    ]
    note = ""
    if total > len(rows):
        note = said(
            f"항목 {total:,}개 중 점수가 가장 낮거나 평가가 가장 갈린 {len(rows):,}개입니다. 전부는 scores.csv에 있습니다.",
            f"{len(rows):,} of {total:,} items: the lowest, and those raters differ on most. scores.csv has all.",
        )
    heads = [
        said("항목", "item"),
        *(field_name(field).say() for field in fields),
        *(raters if len(raters) > 1 else []),
    ]
    heads += [said("평균", "mean")] if has_mean else [] if len(raters) > 1 else [said("답", "label")]
    return table(label, heads, shown, note, words=1 + len(fields))


def _worth_showing(figures: Analysis) -> list[str]:
    """Items without a score or with the lowest, then those on which raters differ most."""
    found, half = figures.extremes, MOST_ITEMS // 2
    worst = pl.concat([found.without["item"], found.lowest["item"]]).head(half)
    return list(dict.fromkeys([*worst.to_list(), *found.apart["item"].head(half).to_list()]))


def _named(figures: Analysis, value: float | None) -> Cell:
    """A value; a label by its name, unless a rater who was asked repeatedly gave several."""
    criterion = figures.rubric.criterion(figures.main)
    if value is None or criterion is None or criterion.scale.has_mean:
        return value
    return criterion.scale.category(value) if value in (criterion.scale.points or ()) else None


def _given(given: Mapping[tuple[str, str], float | None], item: str, raters: list[str]) -> list[float | None]:
    return [given.get((item, rater)) for rater in raters] if len(raters) > 1 else []


def failures_section(figures: Analysis) -> Section | None:
    """Examples of each unmet yes-or-no criterion with the raters' reasons; per system where systems differ."""
    binary = [name for name in figures.names if figures.rubric.is_met(name)]
    if not binary:
        return None
    group = figures.comparisons[0].items.by[0] if figures.comparisons else None
    chosen = {name: made for name in binary if (made := _failures(figures, name, group))}
    if not chosen:
        return None
    wanted = {failure.item for made in chosen.values() for failure in made}
    replies = {item.id: _reply(item) for item in figures.study.items(wanted)}
    columns = [said("항목", "item"), *([field_name(group).say()] if group else []), said("답", "reply")]
    columns += [said("평가자의 이유", "raters' reasons"), said("미충족 평가", "unmet ratings")]
    parts: list[SectionPart] = []
    for name, made in chosen.items():
        rows: list[list[Cell]] = [
            [
                ItemLink(one.item),
                *one.group,
                AuthoredText(replies.get(one.item, "–")),
                AuthoredText(one.reasons),
                one.unmet,
            ]
            for one in made
        ]
        parts.append(table(score_label(figures.rubric, name), columns, rows, words=len(columns) - 1))
    return Section("failures", said("충족하지 못한 예", "Examples that fail"), tuple(parts))


class _Failure(NamedTuple):
    """An item that some raters call unmet, with the group it belongs to and their reasons."""

    item: str
    group: tuple[str, ...]
    reasons: str
    unmet: int


def _failures(figures: Analysis, name: str, group: str | None) -> list[_Failure]:
    """The items that most raters call unmet, as their mean says; a few of every group."""
    criterion = figures.rubric.criterion(name)
    key = criterion.key if criterion else name
    unmet = figures.ratings.filter((pl.col("criterion") == key) & (pl.col("value") == "0"), is_measurement())
    means = panel_means(figures.rows_of(unmet["item"].unique(), ["rater", name]), [name], ["item"])
    unmet = unmet.join(means.filter(pl.col(name) < 0.5), on="item", how="semi", maintain_order="left")
    by_item = unmet.group_by("item", maintain_order=True).agg(
        n=pl.len(),
        reasons=pl.concat_str([pl.col("rater"), pl.lit(": "), pl.col("evidence")]).drop_nulls(),
    )
    by_item = by_item.sort(pl.col("n") + pl.col("reasons").list.len(), descending=True, maintain_order=True)
    meta = dict(figures.rows_of(by_item["item"].to_list(), [group]).iter_rows()) if group else {}
    taken: dict[str | None, int] = {}
    found = []
    for item, n, reasons in by_item.iter_rows():
        system = meta.get(item)
        taken[system] = taken.get(system, 0) + 1
        if taken[system] > _MOST_FAILURES or len(taken) > 8:
            continue
        own = (str(system),) if group else ()
        found.append(_Failure(item, own, shortened(" / ".join(reasons)) or "–", n))
    return found


def _reply(item: Item) -> str:
    if item.kind == "bare":
        return "–"
    if item.kind == "dialogue":
        replies = [str(m["content"]) for m in item.content["messages"] if m["role"] == "assistant"]
        return shortened(replies[-1]) if replies else "–"
    if item.kind == "pair":
        return shortened(" ⁄ ".join(str(item.content[name]) for name in ("response_a", "response_b")))
    reply = run_texts(item.content).answer if item.kind == "run" else str(item.content["response"])
    return shortened(reply or "–")


def comments(figures: Analysis) -> pl.DataFrame:
    """What raters wrote in answer to open questions: item, rater, kind, criterion, comment."""
    asked = [c.key for c in figures.rubric.criteria if not c.scale.counted]
    return figures.ratings.filter(pl.col("criterion").is_in(asked) & (pl.col("status") == "ok")).select(
        "item", "rater", "kind", "criterion", comment="value"
    )


def comments_section(figures: Analysis) -> Section | None:
    """The comments, listed; they enter no figure."""
    given = comments(figures)
    if given.is_empty():
        return None
    shown: list[list[Cell]] = [
        [ItemLink(row["item"]), row["rater"], AuthoredText(shortened(row["comment"]))]
        for row in given.head(_MOST_COMMENTS).iter_rows(named=True)
    ]
    note = said("의견은 어떤 수치에도 들어가지 않습니다.", "Comments enter no figure.")
    if given.height > _MOST_COMMENTS:
        note += said(f" {given.height:,}건 중 {_MOST_COMMENTS}건.", f" {_MOST_COMMENTS} of {given.height:,}.")
    columns = [said("항목", "item"), said("평가자", "rater"), said("의견", "comment")]
    return Section("comments", said("의견", "Comments"), (table("", columns, shown, note, words=3),))
