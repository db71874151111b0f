"""Scores for the eye: one table for the set, one for each grouping."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from haechi.cli.output import table
from haechi.rubrics import Rubric
from haechi.scoring.score_table import Scored
from haechi.text import Text

_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 10
_MEAN = Text("평균", "mean")
_OVER_ITEMS = Text("항목 단위 평균", "mean over items")
_OF_RATINGS = Text("평가 단위 평균", "mean of ratings")
_SECONDS = Text("평균 응답 시간(초)", "mean response time (s)")


def score_tables(scored: Scored) -> list[Any]:
    """The tables of scored items, the whole set first."""
    rows = scored.summary
    things: list[Any] = [_whole(scored, rows[0])]
    for fields in scored.groupings:
        groups = [row for row in rows[1:] if tuple(row["by"]) == fields]
        things.append(_grouped(fields, groups))
    return things


def _whole(scored: Scored, row: dict[str, Any]) -> Any:
    rubric = scored.rubric
    raters = scored.raters
    title = Text(
        f"{rubric.title.ko}  ·  항목 {_items(row):,}개, 평가자 {raters}명",
        f"{rubric.title.say('en')}  ·  {_items(row):,} items, {raters} raters",
    )
    if rubric.item == "run":
        title = Text(
            f"{rubric.title.ko}  ·  실행 {row['n']:,}건", f"{rubric.title.say('en')}  ·  {row['n']:,} runs"
        )
    several = _items(row) != row["n"]
    means = (
        [*map(_two_lines, (_OVER_ITEMS, _OF_RATINGS)), Text("평가 수", "ratings")]
        if several
        else [_MEAN, "n"]
    )
    others = ["SD", Text("중앙값", "median"), Text("범위", "range"), Text("분포", "distribution")]
    columns = [*means, *others, Text("빠짐", "missing")]
    made = table(title, [Text("점수", "score"), Text("이름", "name"), *columns], numeric_from=2)
    made.columns[-2].justify = "left"
    for name, of in row["scores"].items():
        low, high = rubric.range(name)
        over_items = [_number(_over_items(of))] if several else []
        made.add_row(
            name,
            escape(rubric.name(name).say()),
            *over_items,
            _mean(of),
            f"{of['n']:,}",
            _number(of.get("sd")),
            _number(of.get("median")),
            f"{low:g}–{high:g}",
            _spark(of["distribution"], low, high),
            f"[yellow]{of['missing']:,}[/]" if of["missing"] and not _in_part(rubric, name) else "",
            style="bold" if rubric.criterion(name) is None else "",
        )
    if "seconds" in row:
        seconds = row["seconds"]
        made.add_row("seconds", _SECONDS.say(), _number(seconds["mean"]), f"{seconds['n']:,}", style="dim")
    _, distribution, span, median, deviation, count = range(len(made.columns) - 1, 1, -1)[:6]
    made.may_lose(median, deviation, span, 1, count, distribution)
    return made


def _in_part(rubric: Rubric, name: str) -> bool:
    """Whether a score exists only for some runs, so that its absence elsewhere is no loss."""
    criterion = rubric.criterion(name)
    return criterion is not None and criterion.only is not None


def lost_scores(scored: Scored) -> int:
    """How many scores are missing that could be there."""
    scores = scored.summary[0]["scores"].items()
    return sum(figures["missing"] for name, figures in scores if not _in_part(scored.rubric, name))


def few_scores(scored: Scored) -> list[str]:
    """The scores that more than half of the items or ratings lack, so that their means say little."""
    scores = scored.summary[0]["scores"].items()
    return [
        name
        for name, figures in scores
        if figures["missing"] > figures["n"] > 0 and not _in_part(scored.rubric, name)
    ]


def _grouped(fields: tuple[str, ...], groups: list[dict[str, Any]]) -> Any:
    """The means of every group; the longer side goes down the page, so that the table fits.

    Where items have several ratings these are means over items; the share of all ratings with its interval then
    has a row of its own.
    """
    by = escape(", ".join(fields))
    several = any(_items(row) != row["n"] for row in groups)
    unit, shown = (_OVER_ITEMS, lambda of: _number(_over_items(of))) if several else (_MEAN, _mean)
    title = Text(f"{by}별 {unit.ko}", f"{unit.en} by {by}")
    names = list(groups[0]["scores"])
    labels = [_label(row["by"]) for row in groups]
    counts = [f"{_items(row):,}" for row in groups]
    if len(groups) > len(names):
        made = table(title, [by, "n", *names])
        for label, count, row in zip(labels, counts, groups, strict=True):
            made.add_row(label, count, *(shown(row["scores"][name]) for name in names))
        return made
    made = table(title, [Text("점수", "score"), *labels])
    made.add_row("n", *counts, style="dim")
    for name in names:
        of = [row["scores"][name] for row in groups]
        made.add_row(name, *map(shown, of))
        if several and any(one.get("ci95") for one in of):
            made.add_row(f"  {_OF_RATINGS.say()}", *map(_mean, of), style="dim")
    if "seconds" in groups[0]:
        made.add_row("seconds", *(_number(row["seconds"]["mean"]) for row in groups), style="dim")
    return made


def _items(row: dict[str, Any]) -> int:
    """How many items a row of the summary is about; of agent runs every run is one."""
    items: int = row.get("n_items", row["n"])
    return items


def _two_lines(words: Text) -> Text:
    """A head that does not make its column wider than the figures need."""
    return Text(
        *(" ".join(said.split(" ")[:-1]) + "\n" + said.split(" ")[-1] for said in (words.ko, words.en))
    )


def _over_items(figures: dict[str, Any]) -> float | None:
    """The mean that reports and gates use."""
    mean: float | None = figures.get("mean_over_items", figures["mean"])
    return mean


def _label(by: dict[str, Any]) -> str:
    return escape(" · ".join("–" if value is None else str(value) for value in by.values()))


def _mean(figures: dict[str, Any]) -> str:
    if figures["mean"] is None:
        return "[dim]–[/]"
    interval = figures.get("ci95")
    ends = f" [dim]\\[{interval[0]:.2f}, {interval[1]:.2f}][/]" if interval else ""
    return f"{figures['mean']:.2f}{ends}"


def _number(value: float | None) -> str:
    return "[dim]–[/]" if value is None else f"{value:.2f}"


def _spark(distribution: dict[str, int] | None, low: float, high: float) -> str:
    """Bars for the distribution; many different values are gathered into ten stretches of the range."""
    if not distribution or not any(distribution.values()):
        return ""
    counts = list(distribution.values())
    if len(counts) > _MOST_BARS:
        counts = [0] * _MOST_BARS
        for value, count in distribution.items():
            counts[min(int((float(value) - low) / (high - low) * _MOST_BARS), _MOST_BARS - 1)] += count
    most = max(counts)
    bars = (_BARS[round(count / most * (len(_BARS) - 1))] if count else "·" for count in counts)
    return f"[dim]{low:g}[/] {''.join(bars)} [dim]{high:g}[/]"
