"""How good: every score with its interval, its profile and its distribution."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.analysis import Analysis
from haechi.report.charts import DotRow, distribution_bars, dot_chart, histogram
from haechi.report.document import Part, Plot, Section
from haechi.report.table import Cell, Estimate, Table, table
from haechi.report.tables.scores import beside_table, score_table
from haechi.report.words import said, score_label
from haechi.rubrics import Rubric
from haechi.stats import Figure

_BINS = 8


def scores_section(figures: Analysis) -> Section | None:
    """The scores of the whole set; of pairs none, whose two sides always add up to one."""
    if figures.rubric.item == "pair":
        return None
    parts: list[Part] = [_profile(figures), *_distributions(figures)]
    parts += [part for part in (beside_table(figures.scored), _anchors(figures)) if part]
    return Section("scores", said("점수", "Scores"), tuple(parts))


def criteria_of(figures: Analysis) -> list[str]:
    """The scores that are criteria, not computed from others."""
    return [name for name in figures.names if figures.rubric.criterion(name) is not None]


def common_range(rubric: Rubric, names: Sequence[str]) -> tuple[float, float] | None:
    """The range that all these scores share, if they do."""
    ranges = {rubric.range(name) for name in names}
    return next(iter(ranges)) if len(ranges) == 1 else None


def on_axis(figure: Figure, rubric: Rubric, name: str, shared: tuple[float, float] | None) -> Estimate:
    """A figure on the plot's axis: as it is, or as a share of the score's own range."""
    found = Estimate.of(figure)
    if shared or found.value is None:
        return found
    low, high = rubric.range(name)

    def part(value: float | None) -> float | None:
        return None if value is None else (value - low) / (high - low)

    return Estimate(part(found.value), part(found.low), part(found.high))


def _profile(figures: Analysis) -> Part:
    rubric, names = figures.rubric, criteria_of(figures)
    names += [one.key for one in rubric.scores if one.by == "tag" and one.key in figures.names]
    shown = score_table(figures.scored, figures.whole, figures.seconds)
    if len(names) < 2:
        return shown
    shared = common_range(rubric, names)
    low, high = shared or (0.0, 1.0)
    rows = [
        DotRow(score_label(rubric, n), (on_axis(figures.whole[n].mean, rubric, n, shared),)) for n in names
    ]
    title = said("기준별 프로필", "Profile of the criteria")
    axis = (
        ""
        if shared
        else said("범위에서의 위치 (0 = 최저, 1 = 최고)", "place in the range (0 lowest, 1 highest)")
    )
    alt = said(
        f"기준 {len(names)}개의 평균을 점으로, 95 % 구간을 선으로 나타낸 그림",
        f"The means of {len(names)} criteria as dots, with their 95 % intervals as lines",
    )
    picture = dot_chart(title, alt, rows, low, high, axis=axis)
    return Plot(title, picture, alt, shown, folded=False)


def _distributions(figures: Analysis) -> list[Part]:
    rubric, summary = figures.rubric, figures.scored.summary[0].scores
    counted = {n: summary[n].distribution or {} for n in figures.names if summary[n].distribution}
    listed = {c.score for c in rubric.criteria if not c.scale.of_items}
    few = {n: counts for n, counts in counted.items() if n in listed or rubric.item == "run"}
    parts: list[Part] = []
    if few:
        runs = rubric.item == "run"
        counting = said("실행 수", "number of runs") if runs else said("평가 수", "number of ratings")
        title = said(f"점수 분포 ({counting})", f"Distribution of scores ({counting})")
        alt = said("기준마다 각 점수가 몇 번 나왔는지 나타낸 막대", "Bars of how often each score was given")
        levels = sorted({level for counts in few.values() for level in counts}, key=float)
        rows = [
            [score_label(rubric, n), *(counts.get(level) for level in levels)] for n, counts in few.items()
        ]
        labelled = {score_label(rubric, n): counts for n, counts in few.items()}
        picture = distribution_bars(title, alt, labelled, said("점수", "points"))
        parts.append(Plot(title, picture, alt, table(title, [said("기준", "criterion"), *levels], rows)))
    main = figures.main
    if main not in few and figures.whole[main].n > 2:
        parts.append(_main_distribution(figures, main))
    return parts


def _main_distribution(figures: Analysis, main: str) -> Plot:
    import numpy as np

    sample = figures.samples[main]
    label = score_label(figures.rubric, main)
    low, high = figures.rubric.range(main)
    edges = np.linspace(low, high, _BINS + 1)
    counts, _ = np.histogram(sample.values, bins=edges, weights=sample.count)
    title = said(f"{label}의 분포 (항목 수)", f"Distribution of {label} (number of items)")
    alt = said(f"{label}의 항목별 평균을 막대로 나타낸 그림", f"Bars of how many items have which {label}")
    rows: list[list[Cell]] = [
        [f"{start:.4g}–{end:.4g}", int(count)]
        for start, end, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    shown = table(title, [label, said("항목 수", "items")], rows)
    return Plot(title, histogram(title, alt, sample, [], label, low, high, _BINS), alt, shown)


def _anchors(figures: Analysis) -> Table | None:
    """What the mean of a criterion means in the words of the instrument."""
    rows: list[list[Cell]] = []
    for name in criteria_of(figures):
        criterion, mean = figures.rubric.criterion(name), figures.whole[name].mean.value
        near = criterion.scale.words_near(mean) if criterion is not None and mean is not None else None
        if near is not None:
            level, words = near
            rows.append([score_label(figures.rubric, name), f"{level} · {words.say()}", mean])
    if not rows:
        return None
    columns = [
        said("기준", "criterion"),
        said("가장 가까운 단계의 설명", "the nearest level in words"),
        said("평균", "mean"),
    ]
    return table(said("점수의 뜻", "What the scores mean"), columns, rows, words=2)
