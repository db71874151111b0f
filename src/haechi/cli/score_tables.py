"""Scores for the eye: one table for the set, one for each grouping."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from haechi.cli.output import table
from haechi.report.scored import Scored
from haechi.rubrics import Rubric
from haechi.text import Text

_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 10
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
        f"{rubric.title.ko}  ·  항목 {row.get('n_items', row['n']):,}개, 평가자 {raters}명",
        f"{rubric.title.say('en')}  ·  {row.get('n_items', row['n']):,} items, {raters} raters",
    )
    if rubric.item == "run":
        title = Text(
            f"{rubric.title.ko}  ·  실행 {row['n']:,}건", f"{rubric.title.say('en')}  ·  {row['n']:,} runs"
        )
    figures: list[Text | str] = [
        "n",
        Text("평균", "mean"),
        "SD",
        Text("중앙값", "median"),
        Text("범위", "range"),
    ]
    words = [Text("분포", "distribution"), Text("빠짐", "missing")]
    made = table(title, [Text("점수", "score"), Text("이름", "name"), *figures, *words], numeric_from=2)
    made.columns[7].justify = "left"
    for name, of in row["scores"].items():
        low, high = rubric.range(name)
        made.add_row(
            name,
            escape(rubric.name(name).say()),
            f"{of['n']:,}",
            _mean(of),
            _number(of.get("sd")),
            _number(of.get("median")),
            f"{low:g}–{high:g}",
            _spark(of["distribution"], low, high),
            f"[yellow]{of['missing']:,}[/]" if of["missing"] and not _in_part(rubric, name) else "",
            style="bold" if rubric.criterion(name) is None else "",
        )
    if "seconds" in row:
        seconds = row["seconds"]
        made.add_row("seconds", _SECONDS.say(), f"{seconds['n']:,}", _number(seconds["mean"]), style="dim")
    return made


def _in_part(rubric: Rubric, name: str) -> bool:
    """Whether a score exists only for some runs, so that its absence elsewhere is no loss."""
    criterion = rubric.criterion(name)
    return criterion is not None and criterion.only is not None


def lost_scores(scored: Scored) -> int:
    """How many scores are missing that could be there."""
    scores = scored.summary[0]["scores"].items()
    return sum(figures["missing"] for name, figures in scores if not _in_part(scored.rubric, name))


def _grouped(fields: tuple[str, ...], groups: list[dict[str, Any]]) -> Any:
    """The means of every group; the longer side goes down the page, so that the table fits."""
    by = escape(", ".join(fields))
    title = Text(f"{by}별 평균", f"means by {by}")
    names = list(groups[0]["scores"])
    labels = [_label(row["by"]) for row in groups]
    if len(groups) > len(names):
        made = table(title, [by, "n", *names])
        for label, row in zip(labels, groups, strict=True):
            made.add_row(label, f"{row['n']:,}", *(_mean(row["scores"][name]) for name in names))
        return made
    made = table(title, [Text("점수", "score"), *labels])
    made.add_row("n", *(f"{row['n']:,}" for row in groups), style="dim")
    for name in names:
        made.add_row(name, *(_mean(row["scores"][name]) for row in groups))
    if "seconds" in groups[0]:
        made.add_row("seconds", *(_number(row["seconds"]["mean"]) for row in groups), style="dim")
    return made


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
