"""The report of two studies of the same instrument: what got better, what got worse, which items flipped."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from haechi.analysis.analysis import Analysis
from haechi.analysis.change import StudyChange, change
from haechi.analysis.score_change import ScoreChange
from haechi.data.fields import field_name
from haechi.data.writing import write_tables
from haechi.report.change_answer import change_answer, main_change
from haechi.report.change_findings import change_findings, test_name
from haechi.report.charts import DotRow, by_value, dot_chart, dot_values, plot
from haechi.report.document import Plot, Report, Section, SectionPart, with_first
from haechi.report.figure_items import behind_scores
from haechi.report.folder import report_folder, write_pages
from haechi.report.pictures import Painter
from haechi.report.reproducibility import reproducibility
from haechi.report.sections.scores import common_range, criteria_of, on_axis
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.report.tables.scores import one_class_each
from haechi.report.words import INTERVAL, UNIT, said, score_label, with_particle
from haechi.text import plural

FILES = ("report.md", "report.html", "changes.csv")


def build_change(found: StudyChange) -> Report:
    """The report of a change."""
    sections, findings = [_scores(found), _flipped(found)], with_first(change_findings(found))
    before, after = found.before.study.name, found.after.study.name
    return Report(
        title=found.after.study.title,
        subtitle=f"{found.labels[0]} → {found.labels[1]}",
        facts=_facts(found),
        findings=findings,
        answer=change_answer(found, findings),
        sections=tuple(section for section in sections if section is not None),
        methods=_methods(found),
        reproducibility=tuple(
            (f"{label[:1]} · {name}", value)
            for label, side in zip(found.labels, (found.before, found.after), strict=True)
            for name, value in reproducibility(side)
        ),
        commands=(f"haechi report {before} {after} -o changes",),
    )


def write_change(before: Analysis, after: Analysis, out: Path, draw: Painter | None = None) -> Report:
    """Compare two studies and write report.md, report.html and changes.csv, with PNG plots on request."""
    found = change(before, after)
    report = build_change(found)
    with report_folder(out) as folder:
        write_pages(report, folder, draw)
        write_tables(found.items(), folder / "changes.csv")
    return report


def _facts(found: StudyChange) -> tuple[tuple[str, str], ...]:
    main = main_change(found)
    label = score_label(found.after.rubric, main.name)
    asked = dict.fromkeys(one.rater for one in found.sides.panel.asked.differences)
    named = [(said("다르게 물은 AI 평가자", "judges not asked alike"), ", ".join(asked))] if asked else []
    return (
        *named,
        (f"{label} · A", say(Estimate.of(main.before))),
        (f"{label} · B", say(Estimate.of(main.after))),
        ("B − A", say(Estimate.of(main.difference))),
        (said("짝지은 항목", "paired items"), f"{main.pairs:,}"),
    )


def _counted(one: ScoreChange) -> str:
    """How many items are behind a change: pairs, or those of each side."""
    return f"{one.pairs:,}" if one.pairs > 1 else f"{one.before.n:,} · {one.after.n:,}"


def _scores(found: StudyChange) -> Section:
    parts: list[SectionPart] = [_plot(found, _score_table(found)), UNIT.say()]
    if (clusters := found.after.scored.about_clusters) is not None:
        parts.append(clusters.say())
    return Section(
        "scores", said("무엇이 나아지고 나빠졌는가", "What got better and what got worse"), tuple(parts)
    )


def _score_table(found: StudyChange) -> Table:
    """Every score before and after, and the response times."""
    rubric = found.after.rubric
    columns: list[Column | str] = [
        said("점수", "score"),
        "A",
        "B",
        "B − A",
        Column("n", "words"),
        Column("p", "p"),
        Column(said("p, Holm 보정", "p, Holm"), "p"),
        said("검정", "test"),
    ]
    rows: list[list[Cell]] = [
        [
            score_label(rubric, one.name),
            *map(Estimate.of, (one.before, one.after, one.difference)),
            _counted(one),
            one.p,
            one.p_corrected,
            test_name(one),
        ]
        for one in found.scores
    ]
    for name, group in one_class_each(found.after.seconds).items():
        if name in found.before.seconds:
            label = said("응답 시간(초)", "response time (s)") + (
                f" · {score_label(rubric, name)}" if name else ""
            )
            rows.append([label, Estimate.of(found.before.seconds[name].mean), Estimate.of(group.mean)])
    return table(INTERVAL.say().capitalize(), columns, rows)


def _plot(found: StudyChange, shown: Table) -> Plot:
    """The criteria before and after, side by side."""
    rubric, names = found.after.rubric, [n for n in criteria_of(found.after) if n in found.sides.names]
    shared = common_range(rubric, names)
    low, high = shared or (0.0, 1.0)
    own = {one.name: one for one in found.scores}
    items = [behind_scores(side, names) for side in (found.before, found.after)]
    dots = by_value(
        DotRow(
            score_label(rubric, n),
            tuple(on_axis(f, rubric, n, shared) for f in (own[n].before, own[n].after)),
            tuple(side[n]._replace(places=None, query=None) for side in items),  # this page shows no items
        )
        for n in names
    )
    title = said("앞과 뒤", "Before and after")
    alt = said(
        "기준마다 두 스터디의 평균과 95 % 구간",
        "Means of both studies with 95 % intervals, criterion by criterion",
    )
    draw = partial(dot_chart, title, alt, dots, low, high, found.labels)
    return plot(title, alt, draw, shown, dot_values(dots, found.labels), folded=False)


def _flipped(found: StudyChange) -> Section | None:
    label, own = score_label(found.after.rubric, found.after.main), found.flips
    if not own.changed:
        return None
    words = {"up": said("위로", "up"), "down": said("아래로", "down")}
    rows: list[list[Cell]] = [
        [row["item"], words.get(row["flipped"], ""), row["before"], row["after"], row["change"]]
        for row in own.most.iter_rows(named=True)
    ]
    columns = [said("항목", "item"), said("가운데를 지남", "crossed the middle"), "A", "B", "B − A"]
    note = said(
        f"달라진 항목 {own.changed:,}개 중 {own.most.height}개. 모든 점수는 changes.csv에 있습니다.",
        f"{own.most.height} of {own.changed:,} items that changed; changes.csv has every score.",
    )
    return Section(
        "flipped", said("달라진 항목", "Items that changed"), (table(label, columns, rows, note, words=2),)
    )


def _methods(found: StudyChange) -> str:
    n = found.before.n_rated, found.after.n_rated
    panel = f" {found.sides.panel.words.say()}" if found.sides.panel.words else ""
    tests = said(
        f"두 스터디(A: 항목 {n[0]:,}개, B: {n[1]:,}개, 공통 {found.sides.paired.n:,}개)를 {with_particle(found.after.rubric.reference, '으로/로')} 비교하였다. "
        "같은 평가자가 양쪽에서 점수를 준 항목이 둘 이상이면 그 항목만으로 짝지은 t 검정을, 아니면 Welch t 검정을 쓰고(평가자마다 맡은 "
        "항목이 다르면 평가자별로), p는 대표 점수를 뺀 기준들에 걸쳐 Holm 방법으로 보정하였다.",
        f"Two studies (A: {plural(n[0], 'item')}, B: {n[1]:,}, {found.sides.paired.n:,} shared) were compared on "
        f"{found.after.rubric.reference}. Paired t tests were used where the same raters scored two or more items in both, over these items; else "
        "Welch's, within raters where not everyone rated every item; p was corrected by Holm's method over the criteria beside the main score.",
    )
    if (field := found.after.scored.cluster) is not None:
        tests += said(
            f" {field_name(field).ko} 값이 같은 항목은 한 군집으로 보고 군집 강건 분산(CR2)과 Satterthwaite 자유도를 썼다.",
            f" Items of one {field} were a cluster: variances are cluster-robust (CR2) with Satterthwaite's degrees of freedom.",
        )
    return tests + panel
