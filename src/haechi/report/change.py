"""The report of two studies of the same instrument: what got better, what got worse, which items flipped."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

from haechi.analysis.analysis import Analysis
from haechi.analysis.change import StudyChange, change
from haechi.analysis.score_change import ScoreChange
from haechi.analysis.zero_by_rule import zero_by_rule
from haechi.data.fields import field_name
from haechi.data.writing import write_tables
from haechi.report.behind_figures import behind_scores
from haechi.report.charts import DotRow, by_value, dot_chart, dot_values, plot
from haechi.report.document import Finding, Part, Report, Section, with_first
from haechi.report.folder import report_folder, write_pages
from haechi.report.numbers import p_words, shows_nothing
from haechi.report.pictures import Draw
from haechi.report.reproducibility import reproducibility
from haechi.report.sections.scores import common_range, criteria_of, on_axis
from haechi.report.table import Cell, Column, Estimate, Tone, say, table
from haechi.report.tables.scores import one_class_each
from haechi.report.words import INTERVAL, UNIT, said, score_label, with_particle

FILES = ("report.md", "report.html", "changes.csv")


def build_change(found: StudyChange) -> Report:
    """The report of a change."""
    sections = [_scores(found), _flipped(found)]
    before, after = found.before.study.name, found.after.study.name
    return Report(
        title=found.after.study.title,
        subtitle=f"{found.labels[0]} → {found.labels[1]}",
        facts=_facts(found),
        findings=with_first(_findings(found)),
        sections=tuple(section for section in sections if section is not None),
        methods=_methods(found),
        reproducibility=tuple(
            (f"{label[:1]} · {name}", value)
            for label, side in zip(found.labels, (found.before, found.after), strict=True)
            for name, value in reproducibility(side)
        ),
        commands=(f"haechi report {before} {after} -o changes",),
    )


def write_change(before: Analysis, after: Analysis, out: Path, draw: Draw | None = None) -> Report:
    """Compare two studies and write report.md, report.html and changes.csv, with PNG plots on request."""
    found = change(before, after)
    report = build_change(found)
    with report_folder(out) as folder:
        write_pages(report, folder, draw)
        write_tables(found.items(), folder / "changes.csv")
    return report


def test_name(one: ScoreChange) -> str:
    """The test that was made, in words."""
    return {
        "paired t": said("짝지은 t", "paired t"),
        "Welch t": "Welch t",
        "Welch t within raters": said("평가자별 Welch t", "Welch t within raters"),
        "t over clusters": said("묶음을 고려한 t", "t over clusters"),
        "none": "",
    }[one.test]


def tested(one: ScoreChange) -> str:
    """The test and its p-value, which is corrected where several scores are one question."""
    return f"{test_name(one)} {p_words('p' if one.p_corrected == one.p else 'p(Holm)', one.p_corrected)}"


def _facts(found: StudyChange) -> tuple[tuple[str, str], ...]:
    main = next((one for one in found.scores if one.name == found.after.main), found.scores[-1])
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


def _findings(found: StudyChange) -> tuple[Finding, ...]:
    """What is not the same about the raters and the rubric; what got better, what got worse; then what flipped."""
    made = [*_not_the_same(found), *_not_all(found)]
    ruled = {*zero_by_rule(found.before.scored), *zero_by_rule(found.after.scored)}
    made += _ruled(found, ruled)
    for one in sorted(found.scores, key=lambda one: (one.direction, one.name != found.after.main)):
        if one.name in ruled:
            continue
        same = one.difference.value is not None and shows_nothing(one.difference.value)
        direction = 0 if same else one.direction
        if direction == 0 and one.name != found.after.main:
            continue
        label = score_label(found.after.rubric, one.name)
        unclear = (
            said(
                f"{with_particle(label, '은/는')} 소수점 아래 두 자리까지 그대로입니다.",
                f"{label} is the same to two decimals.",
            )
            if same
            else _not_shown(label, one)
        )
        words = {
            -1: said(f"{with_particle(label, '이/가')} 나빠졌습니다.", f"{label} got worse."),
            0: unclear,
            1: said(f"{with_particle(label, '이/가')} 나아졌습니다.", f"{label} got better."),
        }
        tones: dict[int, Tone] = {-1: "problem", 0: "plain", 1: "good"}
        figure = f"B − A = {say(Estimate.of(one.difference))}"
        if one.difference.value is None:
            words[0] = said(
                f"{label}의 변화는 계산할 수 없습니다.", f"The change in {label} cannot be computed."
            )
            figure = (
                Estimate.of(one.difference).why
                if one.refused
                else f"A: n = {one.before.n:,}, B: n = {one.after.n:,}"
            )
        elif one.p_corrected is not None:
            figure += f", {tested(one)}"
        made.append(Finding("change", tones[direction], words[direction], figure))
    flipped = found.flips
    if flipped.up or flipped.down:
        words_ = said(
            "가능한 범위의 가운데를 넘어 뒤바뀐 항목이 있습니다.",
            "Some items crossed the middle of the range.",
        )
        figure = said(
            f"위로 {flipped.up:,}개, 아래로 {flipped.down:,}개", f"{flipped.up:,} up, {flipped.down:,} down"
        )
        made.append(Finding("flipped", "caution", words_, figure, flipped.items))
    return tuple(made)


def _not_shown(label: str, one: ScoreChange) -> str:
    """That no change was shown is not that there is none."""
    words = said(f"{label}의 변화는 확인되지 않았습니다.", f"No change in {label} was shown.")
    low = one.difference.ci95[0] if one.difference.ci95 else 0.0
    if low < 0 and not shows_nothing(low):
        words += said(
            f" 자료는 {say(-low)}점까지의 하락도 배제하지 않습니다.",
            f" A loss of up to {say(-low)} is compatible with the data.",
        )
    return words


def _ruled(found: StudyChange, names: Collection[str]) -> list[Finding]:
    """What is 0 by rule in either study did not change: it was not measured there."""
    if not names:
        return []
    rubric = found.after.rubric
    listed = ", ".join(score_label(rubric, name) for name in found.after.names if name in names)
    words = said(
        f"{listed}: 잴 것이 없어 규칙에 따라 0점인 값이 있으므로 변화로 보지 않습니다. 이 값이 든 총점의 변화도 그만큼 조심해 읽으세요.",
        f"{listed}: some values are 0 by rule, for want of anything to measure, so no change is told; mind that totals hold them.",
    )
    sides = ((label, zero_by_rule(side.scored)) for label, side in (("A", found.before), ("B", found.after)))
    figure = "; ".join(
        f"{label}: " + ", ".join(f"{one.score} {one.n:,}/{one.of:,}" for one in own.values())
        for label, own in sides
        if own
    )
    return [Finding("ruled", "caution", words, figure)]


def _not_the_same(found: StudyChange) -> list[Finding]:
    """What a reader must know before any difference."""
    made, panel = [], found.sides.panel
    if panel.words is not None:
        before, after = (len({cell.rater for cell in side.who_rated}) for side in (found.before, found.after))
        common = len(panel.common)
        figure = said(
            f"평가자 수: A {before:,}, B {after:,}, 공통 {common:,}",
            f"raters: A {before:,}, B {after:,}, common {common:,}",
        )
        made.append(Finding("panel", "caution", panel.words.say(), figure))
    versions = found.before.rubric.version, found.after.rubric.version
    if versions[0] != versions[1]:
        words = said(
            "두 스터디의 루브릭 버전이 다릅니다. 기준의 뜻이 달라졌을 수 있습니다.",
            "The studies use different versions of the rubric; criteria may not mean the same.",
        )
        made.append(Finding("version", "caution", words, f"A {versions[0]}, B {versions[1]}"))
    return made


def _not_all(found: StudyChange) -> list[Finding]:
    """That pairs leave out items, of the main score or else of the first that lacks some."""
    sides = found.before.samples, found.after.samples
    partial = [
        one for one in found.scores if one.pairs and any(one.pairs < side[one.name].n for side in sides)
    ]
    if not partial:
        return []
    one = next((one for one in partial if one.name == found.after.main), partial[0])
    label, (first, second) = score_label(found.after.rubric, one.name), (side[one.name].n for side in sides)
    words = said(
        "모든 항목을 비교한 것은 아닙니다. 같은 평가자가 양쪽에서 점수를 준 항목만 비교합니다.",
        "Not all items are compared, only those that the same raters scored in both.",
    )
    figure = said(
        f"{label}: A {first:,}개, B {second:,}개 중 {one.pairs:,}개",
        f"{label}: {one.pairs:,} of {first:,} items in A and {second:,} in B",
    )
    return [Finding("compared", "caution", words, figure)]


def _counted(one: ScoreChange) -> str:
    """How many items are behind a change: pairs, or those of each side."""
    return f"{one.pairs:,}" if one.pairs > 1 else f"{one.before.n:,} · {one.after.n:,}"


def _scores(found: StudyChange) -> Section:
    rubric, names = (
        found.after.rubric,
        [n for n in criteria_of(found.after) if n in found.sides.names],
    )
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
            Estimate.of(one.before),
            Estimate.of(one.after),
            Estimate.of(one.difference),
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
    shown = table(INTERVAL.say().capitalize(), columns, rows)
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
    parts: list[Part] = [
        plot(
            title,
            alt,
            partial(dot_chart, title, alt, dots, low, high, found.labels),
            shown,
            dot_values(dots, found.labels),
            folded=False,
        )
    ]
    parts.append(UNIT.say())
    if (clusters := found.after.scored.about_clusters) is not None:
        parts.append(clusters.say())
    return Section(
        "scores", said("무엇이 나아지고 나빠졌는가", "What got better and what got worse"), tuple(parts)
    )


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
        f"Two studies (A: {n[0]:,} items, B: {n[1]:,}, {found.sides.paired.n:,} shared) were compared on "
        f"{found.after.rubric.reference}. Paired t tests were used where the same raters scored two or more items in both, over these items; else "
        "Welch's, within raters where not everyone rated every item; p was corrected by Holm's method over the criteria beside the main score.",
    )
    if (field := found.after.scored.cluster) is not None:
        tests += said(
            f" {field_name(field).ko} 값이 같은 항목은 한 군집으로 보고 군집 강건 분산(CR2)과 Satterthwaite 자유도를 썼다.",
            f" Items of one {field} were a cluster: variances are cluster-robust (CR2) with Satterthwaite's degrees of freedom.",
        )
    return tests + panel
