"""Who is the stronger: of a study of pairs the strengths, who won against whom, and what the order of display does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from haechi.analysis.analysis import Analysis
from haechi.report.chart_items import NOTHING_BEHIND, ItemsBehind
from haechi.report.charts import DotRow, dot_chart, dot_values, grid_values, heat_map, plot
from haechi.report.document import Finding, Plot, Section, SectionPart
from haechi.report.figure_items import behind_systems
from haechi.report.numbers import percent
from haechi.report.table import Estimate, Tone, say
from haechi.report.tables.ranking import about_ranks, sentences, strength_table, title_of, win_matrix
from haechi.report.words import said, score_label
from haechi.text import language

if TYPE_CHECKING:
    from haechi.analysis.ranking import Ranking


def ranking_section(figures: Analysis) -> Section | None:
    """The ranking of every criterion; None where nothing is compared."""
    found = figures.ranking
    if found is None:
        return None
    parts: list[SectionPart] = []
    for one in (found, *found.others.values()):
        items = behind_systems(figures, one.criterion)
        parts += _parts(one, score_label(figures.rubric, one.criterion), items)
    parts += [note.say(language()) for note in found.notes]
    return Section("ranking", said("순위", "Ranking"), tuple(parts))


def strengths_plot(found: Ranking, label: str, items: Mapping[tuple[str, ...], ItemsBehind]) -> Plot | None:
    """Every system's strength as a dot; None where none is known."""
    figures = [Estimate.of(one.strength) for one in found.strengths.systems]
    known = [one for one in figures if one.value is not None]
    if not known:
        return None
    rows = [
        DotRow(str(one.name), (figure,), (items.get((str(one.name),), NOTHING_BEHIND),))
        for one, figure in zip(found.strengths.systems, figures, strict=True)
    ]
    low = min(one.low if one.low is not None else one.value or 0.0 for one in known)
    high = max(one.high if one.high is not None else one.value or 0.0 for one in known)
    room = max(high - low, 0.5) * 0.05
    title = said(f"강도 · {label}", f"Strengths · {label}")
    alt = said(
        "시스템마다 강도와 95 % 구간을 나타낸 그림", "The strength of every system with its 95 % interval"
    )
    axis = said("로그 오즈", "log-odds")
    draw = partial(dot_chart, title, alt, rows, low - room, high + room, zero=True, axis=axis)
    return plot(title, alt, draw, strength_table(found), dot_values(rows), folded=False)


def _parts(found: Ranking, label: str, items: Mapping[tuple[str, ...], ItemsBehind]) -> Iterator[SectionPart]:
    yield strengths_plot(found, label, items) or strength_table(found)
    matrix = win_matrix(found)
    if matrix is not None:
        names = [str(one.name) for one in found.strengths.systems]
        cells = {
            (name, across): Estimate(cell if isinstance(cell, float) else None)
            for name, row in zip(names, matrix.rows, strict=True)
            for across, cell in zip(names, row[1:], strict=True)
        }
        alt = said(
            "줄의 시스템이 열의 시스템에게 이긴 비율",
            "How often the system of the row won against that of the column",
        )
        title = f"{matrix.title} · {label}"
        met = {(a, b): items.get((a, b), NOTHING_BEHIND) for a, b in cells}
        draw = partial(heat_map, title, alt, names, cells, met)
        yield plot(title, alt, draw, matrix, grid_values(names, cells))
    yield from sentences(found)


def ranking_findings(figures: Analysis) -> Iterator[Finding]:
    """Who is first and how sure that is; and verdicts that follow the order rather than the answers."""
    found = figures.ranking
    if found is None:
        return
    words = " ".join(one.say() for one in about_ranks(found))
    if not words:
        return
    top = found.strengths.systems[0]
    tone: Tone = "problem" if found.strengths.why is not None else "plain"
    numbers = {f"win_rate.{one.name}": one.win_rate for one in found.strengths.systems}
    figure = f"{title_of(found)}; " + ", ".join(
        f"{one.name} {say(Estimate.of(one.strength))}" for one in found.strengths.systems[:5]
    )
    if top.first is not None:
        numbers["first"] = top.first
    yield Finding("overall", tone, words, figure, numbers=numbers)
    place = found.position
    ends = place.first_wins.ci95
    if found.knows_order and ends is not None and not ends[0] <= 0.5 <= ends[1]:
        share = say(Estimate.of(place.first_wins, "share"))
        ahead = (place.first_wins.value or 0.0) > 0.5
        words = said(
            f"{'먼저' if ahead else '나중에'} 보인 답을 고르는 쪽으로 기웁니다: 먼저 보인 답이 이긴 비율 {share}.",
            f"Verdicts lean to the answer shown {'first' if ahead else 'second'}: the first won {share} of the decided votes.",
        )
        if place.same_verdict.value is not None:
            same = percent(place.same_verdict.value)
            words += said(
                f" 순서를 바꾸면 {same}만 같은 판단이었습니다.",
                f" Swapped, {same} of the verdicts stayed the same.",
            )
        numbers = {"first_wins": place.first_wins.value, "same_verdict": place.same_verdict.value}
        yield Finding(
            "order", "caution", words, f"first_wins = {share}, n = {place.first_wins.n:,}", numbers=numbers
        )
