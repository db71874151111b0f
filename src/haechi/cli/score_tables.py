"""Scores for the eye: one table for the set, one for each grouping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from haechi.cli.output import table
from haechi.rubrics import Rubric
from haechi.rubrics.scales import Binary
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.summary import Interval, ScoreFigures, SummaryRow
from haechi.text import Text

_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 10
_MEAN = Text("평균", "mean")
_OVER_ITEMS = Text("항목 단위 평균", "mean over items")
_OF_RATINGS = Text("평가 단위 평균", "mean of ratings")
_SECONDS = Text("평균 응답 시간(초)", "mean response time (s)")


def score_tables(scored: ScoreTable) -> list[Any]:
    """The tables of scored items, the whole set first."""
    rows = scored.summary
    things: list[Any] = [_whole(scored, rows[0])]
    for fields in scored.groupings:
        groups = [row for row in rows[1:] if tuple(row.by) == fields]
        things.append(_grouped(scored.rubric, fields, groups))
    return things


def _whole(scored: ScoreTable, row: SummaryRow) -> Any:
    rubric = scored.rubric
    raters = scored.raters
    title = Text(
        f"{rubric.title.ko}  ·  항목 {row.n_items:,}개, 평가자 {raters}명",
        f"{rubric.title.say('en')}  ·  {row.n_items:,} items, {raters} raters",
    )
    if rubric.item == "run":
        title = Text(
            f"{rubric.title.ko}  ·  실행 {row.n:,}건", f"{rubric.title.say('en')}  ·  {row.n:,} runs"
        )
    several = row.n_items != row.n
    means = (
        [*map(_two_lines, (_OVER_ITEMS, _OF_RATINGS)), Text("평가 수", "ratings")]
        if several
        else [_MEAN, "n"]
    )
    others = ["SD", Text("중앙값", "median"), Text("범위", "range"), Text("분포", "distribution")]
    columns = [*means, *others, Text("빠짐", "missing")]
    made = table(title, [Text("점수", "score"), Text("이름", "name"), *columns], numeric_from=2)
    made.columns[-2].justify = "left"
    for name, of in row.scores.items():
        low, high = rubric.range(name)
        items = of.over_items
        made.add_row(
            name,
            escape(rubric.name(name).say()),
            _estimate(items.mean, items.ci95),
            *([_number(of.mean)] if several else []),
            f"{of.n:,}",
            _number(items.sd),
            _number(of.median),
            f"{low:g}–{high:g}",
            _spark(of.distribution, low, high),
            f"[yellow]{of.missing:,}[/]" if of.missing and not _in_part(rubric, name) else "",
            style="bold" if rubric.criterion(name) is None else "",
        )
    if row.seconds is not None:
        seconds = row.seconds
        made.add_row("seconds", _SECONDS.say(), _number(seconds.mean), f"{seconds.n:,}", style="dim")
    _, distribution, span, median, deviation, count = range(len(made.columns) - 1, 1, -1)[:6]
    made.may_lose(median, deviation, span, 1, count, distribution)
    return made


def _in_part(rubric: Rubric, name: str) -> bool:
    """Whether a score exists only for some runs, so that its absence elsewhere is no loss."""
    criterion = rubric.criterion(name)
    return criterion is not None and criterion.only is not None


def lost_scores(scored: ScoreTable) -> int:
    """How many scores are missing that could be there."""
    scores = scored.summary[0].scores.items()
    return sum(figures.missing for name, figures in scores if not _in_part(scored.rubric, name))


def few_scores(scored: ScoreTable) -> list[str]:
    """The scores that more than half of the items lack, so that their means say little."""
    row = scored.summary[0]
    return [
        name
        for name, figures in row.scores.items()
        if 0 < 2 * figures.over_items.n < row.n_items and not _in_part(scored.rubric, name)
    ]


def _grouped(rubric: Rubric, fields: tuple[str, ...], groups: list[SummaryRow]) -> Any:
    """The means over items of every group; the longer side goes down the page, so that the table fits.

    The share of all ratings that say yes has a row of its own, with its interval.
    """
    by = escape(", ".join(fields))
    unit = _OVER_ITEMS if any(row.n_items != row.n for row in groups) else _MEAN
    title = Text(f"{by}별 {unit.ko}", f"{unit.en} by {by}")
    names = list(groups[0].scores)
    labels = [_label(row.by) for row in groups]
    counts = [f"{row.n_items:,}" for row in groups]
    if len(groups) > len(names):
        made = table(title, [by, "n", *names])
        for label, count, row in zip(labels, counts, groups, strict=True):
            made.add_row(label, count, *(_number(row.scores[name].over_items.mean) for name in names))
        return made
    made = table(title, [Text("점수", "score"), *labels])
    made.add_row("n", *counts, style="dim")
    for name in names:
        of = [row.scores[name] for row in groups]
        made.add_row(name, *(_number(one.over_items.mean) for one in of))
        criterion = rubric.criterion(name)
        if criterion is not None and isinstance(criterion.scale, Binary):
            made.add_row(f"  {_OF_RATINGS.say()}", *map(_share, of), style="dim")
    if groups[0].seconds is not None:
        made.add_row("seconds", *(_number(row.seconds.mean) for row in groups if row.seconds), style="dim")
    return made


def _two_lines(words: Text) -> Text:
    """A head that does not make its column wider than the figures need."""
    return Text(
        *(" ".join(said.split(" ")[:-1]) + "\n" + said.split(" ")[-1] for said in (words.ko, words.en))
    )


def _label(by: Mapping[str, str | None]) -> str:
    return escape(" · ".join("–" if value is None else str(value) for value in by.values()))


def _share(figures: ScoreFigures) -> str:
    return _estimate(figures.mean, figures.share_ci95)


def _estimate(value: float | None, interval: Interval | None) -> str:
    ends = f" [dim]\\[{interval[0]:.2f}, {interval[1]:.2f}][/]" if interval else ""
    return _number(value) + ends


def _number(value: float | None) -> str:
    return "[dim]–[/]" if value is None else f"{value:.2f}"


def _spark(distribution: Mapping[str, int] | None, low: float, high: float) -> str:
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
