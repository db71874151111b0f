"""How good: every score with its interval, its profile and its distribution, and what the criteria that items bring say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from haechi.analysis.analysis import Analysis
from haechi.report.charts import DotRow, by_value, dot_chart, dot_values, plot
from haechi.report.document import Section, SectionPart
from haechi.report.figure_items import behind_scores
from haechi.report.sections.distributions import distributions
from haechi.report.table import Cell, Estimate, Table, table
from haechi.report.tables.own_criteria import criteria_tables, rule_words, tag_table
from haechi.report.tables.scores import beside_table, score_table
from haechi.report.words import said, score_label
from haechi.rubrics import Rubric
from haechi.stats import Figure


def scores_section(figures: Analysis) -> Section | None:
    """The scores of the whole set; of pairs none, whose two sides always add up to one."""
    if figures.rubric.item == "pair":
        return None
    parts: list[SectionPart] = [_profile(figures), *distributions(figures)]
    parts += [part for part in (beside_table(figures.scored), _anchors(figures)) if part]
    return Section("scores", said("점수", "Scores"), tuple(parts))


def own_criteria_section(figures: Analysis) -> Sequence[Section]:
    """A section for every list of own criteria; none where items bring none."""
    found = []
    for own in figures.scored.own:
        counted = said(
            f"항목 {own.n_items:,}개의 기준 {own.n_criteria:,}개를 판단했습니다.",
            f"{own.n_criteria:,} criteria of {own.n_items:,} items were judged.",
        )
        parts: list[SectionPart] = [f"{counted} {rule_words(own)}"]
        parts += [part for part in (tag_table(own), *criteria_tables(own)) if part is not None]
        key = f"own-{own.criterion.score}"
        found.append(Section(key, score_label(figures.rubric, own.criterion.score), tuple(parts)))
    return found


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


def _profile(figures: Analysis) -> SectionPart:
    rubric, names = figures.rubric, criteria_of(figures)
    names += [one.key for one in rubric.scores if one.by == "tag" and one.key in figures.names]
    shown = score_table(figures.scored, figures.seconds)
    if len(names) < 2:
        return shown
    shared = common_range(rubric, names)
    low, high = shared or (0.0, 1.0)
    items = behind_scores(figures, names)
    rows = by_value(
        DotRow(score_label(rubric, n), (on_axis(figures.whole[n].mean, rubric, n, shared),), (items[n],))
        for n in names
    )
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
    draw = partial(dot_chart, title, alt, rows, low, high, axis=axis)
    return plot(title, alt, draw, shown, dot_values(rows), folded=False)


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
