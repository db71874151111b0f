"""Tables of a comparison: the groups, the tests that fit their number, repeated runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from haechi.report.table import Cell, Column, Estimate, ScoreName, Table, table
from haechi.report.tables.group_tests import pairs_table, test_tables
from haechi.report.tables.human_scale import human_groups_table
from haechi.report.tables.margins import outside_table
from haechi.report.words import INTERVAL, fields_label, said, score_label, score_name
from haechi.rubrics import Rubric
from haechi.scoring.repeats import PassRule
from haechi.scoring.summary_row import ScoreFigures
from haechi.text import Text, language

if TYPE_CHECKING:  # `haechi score` shows means without comparing
    from haechi.analysis.comparison import Comparison
    from haechi.analysis.group_bridges import BridgedGroups
    from haechi.analysis.repeated_runs import RepeatedRuns


def groups_table(found: Comparison) -> Table:
    """Every score of every group in full, group under group."""
    by = fields_label(found.items.by)
    shares = any(group.share for criterion in found.measured.values() for group in criterion.groups)
    columns = [
        Column(said("점수", "score"), "words"),
        Column(by, "words"),
        Column(said("항목 수", "items"), "count", short="n"),
        Column(said("평균 [95 % 구간]", "mean [95 % interval]"), short=said("평균 [95 %]", "mean [95 %]")),
        Column("SD", leave_out=1),
        Column(said("중앙값", "median"), leave_out=2),
        *([Column(said("충족 비율", "share met"), "share")] if shares else []),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.measured.items():
        for place, group in enumerate(criterion.groups):
            of = group.described
            share = [Estimate.of(group.share) if group.share else ""] if shares else []
            rows.append(
                [
                    "" if place else score_name(found.items.rubric, name),
                    str(of.name),
                    of.n,
                    *map(Estimate.of, (of.mean, of.sd, of.median)),
                    *share,
                ]
            )
    return table(said(f"{by}별 점수", f"Scores by {by}"), columns, rows)


def means_table(
    rubric: Rubric,
    by: Sequence[str],
    labels: Sequence[str],
    counts: Sequence[int],
    means: Mapping[str, Sequence[Cell]],
    more: Sequence[Sequence[Cell]] = (),
    unit: Text = INTERVAL,
) -> Table:
    """The mean of every score in every group; the longer side goes down the page, so that the table fits."""
    fields, items = fields_label(by), said("항목 수", "items")
    title = said(f"{fields}별 {unit.ko}", f"{unit.en.capitalize()} by {fields}")
    if len(labels) > len(means):
        tall: list[list[Cell]] = [
            [label, counts[place], *(own[place] for own in means.values())]
            for place, label in enumerate(labels)
        ]
        heads = [score_name(rubric, name).words for name in means]
        return table(title, [fields, Column(items, "count"), *heads], tall)
    rows: list[list[Cell]] = [[items, *counts]]
    rows += [[score_name(rubric, name), *own] for name, own in means.items()]
    return table(title, [said("점수", "score"), *labels], [*rows, *more])


def share_rows(rubric: Rubric, groups: Sequence[Mapping[str, ScoreFigures]]) -> dict[str, list[Cell]]:
    """The share of 1s over raters and items of every yes-or-no criterion.

    It has no interval: ratings of one item are not independent, and the mean over items has one that knows it.
    groups: the figures of every group by score, as the summary of scores has them.
    """
    rows: dict[str, list[Cell]] = {}
    for name in groups[0] if groups else ():
        if not rubric.is_met(name):
            continue
        words = said("충족 비율(모든 평가)", "share met, all ratings")
        rows[name] = [about(rubric, name, words)]
        rows[name] += [Estimate(group[name].mean, kind="share") for group in groups]
    return rows


def about(rubric: Rubric, name: str, words: str) -> ScoreName:
    """The name of a row that says something more about a score."""
    own = score_name(rubric, name)
    return ScoreName(f"{own.key} · {words}", f"{own.words} · {words}")


def repeats_table(rubric: Rubric, repeats: RepeatedRuns, group: str = "") -> Table:
    """What the repeated runs of a query come to, or the trials of an item; of all groups or of one."""
    most = max(k for found in repeats.criteria.values() for k in found.pass_hat_k)
    title = said(
        f"같은 질의의 반복 실행 · 질의 {repeats.n_queries:,}개",
        f"Repeated runs of a query · {repeats.n_queries:,} queries",
    )
    title = f"{group} · {title}" if group else title
    columns = [
        Column(said("점수", "score"), "words"),
        *(Column(f"pass^{k}", "share") for k in range(1, most + 1)),
        Column(said("항상 동일", "always same"), "share", brief=True),
        Column(said("최빈 점수 비율", "share of modal score"), "share", brief=True),
        Column(said("질의 안 SD", "SD within")),
    ]
    rows: list[list[Cell]] = [
        [
            score_name(rubric, name),
            *(Estimate.of(found.pass_hat_k[k]) for k in range(1, most + 1)),
            *map(Estimate.of, (found.stability.always_same, found.stability.modal_share)),
            Estimate.of(found.stability.within_sd),
        ]
        for name, found in repeats.criteria.items()
    ]
    marks = {found.passes_at for found in repeats.criteria.values()}
    if all(rubric.is_met(name) for name in repeats.criteria):
        note = said("충족이면 통과입니다.", "A run passes when it is met.")
    elif len(marks) == 1:
        (mark,) = marks
        note = said(
            f"{mark:g}점 이상이면 통과이고, 실패한 실행은 통과가 아닙니다.",
            f"A run passes with {mark:g} points or more, and never if it failed.",
        )
    else:
        own = _stated(rubric, repeats)
        note = said(
            f"척도의 5분의 3 이상(0–5점이면 3점{own.ko})이면 통과이고, 실패한 실행은 통과가 아닙니다.",
            f"A run passes from three fifths of the scale (3 of 0 to 5 points{own.en}), and never if it failed.",
        )
    if repeats.clustered_by == "query":
        note += said(
            " 반복은 한 버전의 실행입니다. 여러 버전에 물은 질의는 버전마다 평균에 들어가고, 구간은 질의를 한 묶음으로 보고 구했습니다.",
            " Repeats are runs of one version. A query that was asked of several is in the mean with each of them, and one "
            "cluster in the intervals.",
        )
    elif repeats.clustered_by == "item":
        note += said(
            " 여러 집단이 시행한 항목은 집단마다 평균에 들어가고, 구간은 항목을 한 묶음으로 보고 구했습니다.",
            " An item that several groups tried is in the mean with each of them, and one cluster in the intervals.",
        )
    return table(title, columns, rows, note)


def _stated(rubric: Rubric, repeats: RepeatedRuns) -> Text:
    """The marks that the study states itself."""
    marks = (
        f"{score_label(rubric, name)} {found.passes_at:g}"
        for name, found in repeats.criteria.items()
        if found.passes_at != PassRule.of(rubric, name, {}).mark
    )
    listed = ", ".join(marks)
    return Text(f". study.yaml에 따라 {listed}", f"; by study.yaml {listed}") if listed else Text("", "")


def human_groups(found: Comparison) -> Table | None:
    """The main score of every group as people would have given it; nothing where it cannot be said of any."""
    rubric = found.items.rubric
    main = rubric.main_score(found.items.names)
    human = found.human(main)
    if human is None or all(one.mean.value is None for one in human.groups.values()):
        return None
    return human_groups_table(rubric, main, found.items.by, human.groups, human.differences)


def bridged_table(rubric: Rubric, found: BridgedGroups) -> Table:
    """The difference of two groups that anchors bring to one scale, score by score."""
    first, second = found.labels
    columns = [
        Column(said("점수", "score"), "words"),
        Column(first),
        Column(said(f"{second}({first}의 척도)", f"{second} (on the scale of {first})")),
        Column(said(f"{first} − {second} [95 % 구간]", f"{first} − {second} [95 % interval]")),
        Column("p", "p"),
        Column(said("보정한 p", "corrected p"), "p"),
    ]
    rows: list[list[Cell]] = [
        [
            score_name(rubric, name),
            one.after.value,
            one.before.value,
            Estimate.of(one.difference),
            one.p,
            one.p_corrected,
        ]
        for name, one in found.scores.items()
    ]
    title = said("앵커로 이어 비교", "Compared over anchors")
    return table(title, columns, rows, found.note.say(language()))


def compare_tables(found: Comparison) -> list[Table | str]:
    """The groups, then the tests that fit their number and design."""
    shown: list[Table | str] = [groups_table(found)] if found.measured else []
    if found.bridged is None or any(one.refused is None for one in found.criteria.values()):
        shown += test_tables(found)
    if len(found.items.groups) > 2 and found.measured:
        none = said(
            "서로 다르다고 할 수 있는 쌍은 없습니다 (p < .05).",
            "No pair of groups was shown to differ (p < .05).",
        )
        pairs = pairs_table(found)
        shown.append(pairs if pairs.rows else none)
    if found.bridged is not None:
        shown.append(bridged_table(found.items.rubric, found.bridged))
    if (human := human_groups(found)) is not None:
        shown.append(human)
    shown += [outside_table(found, one) for one in found.outside]
    if found.repeats:
        shown.append(repeats_table(found.items.rubric, found.repeats))
        shown += [
            repeats_table(found.items.rubric, one, label) for label, one in found.repeats.groups.items()
        ]
    return shown
