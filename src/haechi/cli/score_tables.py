"""Scores for the eye: one table for the set, one for each grouping."""

from __future__ import annotations

from typing import Any

from haechi.cli.output import table
from haechi.report.scored import Scored
from haechi.text import Text

_BARS = "▁▂▃▄▅▆▇█"


def score_tables(scored: Scored) -> list[Any]:
    """The tables of scored items, the whole set first."""
    rows = scored.summary()
    things: list[Any] = [_whole(scored, rows[0])]
    for fields in scored.groupings:
        groups = [row for row in rows[1:] if tuple(row["by"]) == fields]
        things.append(_grouped(scored, fields, groups))
    return things


def _whole(scored: Scored, row: dict[str, Any]) -> Any:
    rubric = scored.rubric
    raters = scored.frame["rater"].n_unique()
    title = Text(
        f"{rubric.title.ko}  ·  항목 {row['n_items']:,}개, 평가자 {raters}명",
        f"{rubric.title.say('en')}  ·  {row['n_items']:,} items, {raters} raters",
    )
    if rubric.item == "run":
        title = Text(
            f"{rubric.title.ko}  ·  실행 {row['n']:,}건", f"{rubric.title.say('en')}  ·  {row['n']:,} runs"
        )
    columns = [
        Text("점수", "score"),
        Text("이름", "name"),
        "n",
        Text("평균", "mean"),
        "SD",
        Text("중앙값", "median"),
    ]
    made = table(
        title,
        [*columns, Text("범위", "range"), Text("분포", "distribution"), Text("빠짐", "missing")],
        numeric_from=2,
    )
    made.columns[7].justify = "left"
    for name, figures in row["scores"].items():
        low, high = rubric.range(name)
        style = "bold" if rubric.criterion(name) is None else ""
        made.add_row(
            name,
            rubric.name(name).say(),
            f"{figures['n']:,}",
            _mean(figures),
            _number(figures.get("sd")),
            _number(figures.get("median")),
            f"{low:g}–{high:g}",
            _spark(figures["distribution"]),
            f"[yellow]{figures['missing']:,}[/]" if figures["missing"] else "",
            style=style,
        )
    return made


def _grouped(scored: Scored, fields: tuple[str, ...], groups: list[dict[str, Any]]) -> Any:
    names = list(groups[0]["scores"])
    by = ", ".join(fields)
    title = Text(f"{by}별 평균", f"means by {by}")
    made = table(title, [*fields, "n", *names], numeric_from=len(fields))
    for row in groups:
        values = [str(value) if value is not None else "–" for value in row["by"].values()]
        made.add_row(*values, f"{row['n']:,}", *(_mean(row["scores"][name]) for name in names))
    return made


def _mean(figures: dict[str, Any]) -> str:
    if figures["mean"] is None:
        return "[dim]–[/]"
    interval = figures.get("ci95")
    ends = f" [dim]\\[{interval[0]:.2f}, {interval[1]:.2f}][/]" if interval else ""
    return f"{figures['mean']:.2f}{ends}"


def _number(value: float | None) -> str:
    return "[dim]–[/]" if value is None else f"{value:.2f}"


def _spark(distribution: dict[str, int] | None) -> str:
    if not distribution or not any(distribution.values()):
        return ""
    most = max(distribution.values())
    bars = (
        _BARS[round(count / most * (len(_BARS) - 1))] if count else " " for count in distribution.values()
    )
    ends = list(distribution)
    return f"[dim]{ends[0]}[/] {''.join(bars)} [dim]{ends[-1]}[/]"
