"""Tables of a comparison: the groups, the tests that fit their number, repeated runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from haechi.report.table import Cell, Column, Estimate, ScoreName, Table, table
from haechi.report.tables.corrected import p_cells, p_columns
from haechi.report.tables.designs import apart, design_tables, more_tables, outside_table
from haechi.report.tables.human_scale import human_groups_table
from haechi.report.words import INTERVAL, fields_label, left_out, said, score_name
from haechi.rubrics import Rubric
from haechi.scoring.summary_row import ScoreFigures
from haechi.stats.figure import Figure
from haechi.stats.interpretation import CUT_OFFS, interpret
from haechi.stats.outcome import Outcome
from haechi.text import Text, language

if TYPE_CHECKING:  # `haechi score` shows means without comparing
    from haechi.analysis.comparison import Comparison
    from haechi.analysis.group_bridges import BridgedGroups
    from haechi.analysis.repeated_runs import RepeatedRuns

_MOST_PAIRS, _FEW_PAIRS = 20, 6
_SURE = 0.05


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
        return table(title, [fields, Column(items, "count"), *means], tall)
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


def test_tables(found: Comparison) -> list[Table]:
    """The tests that fit the number of groups and their design; what the findings speak of comes first."""
    labels = list(found.items.groups)
    if len(labels) < 2:
        return []
    if not found.measured:
        return list(more_tables(found))
    first = [paired_table(found)] if found.items.pair and len(labels) == 2 else []
    plain = [two_table(found)] if len(labels) == 2 else [many_table(found)]
    return [*first, *design_tables(found), *plain, *more_tables(found)]


def two_table(found: Comparison) -> Table:
    """Two groups: the difference of every score, its size, and how sure it is."""
    columns = [
        Column(said("점수", "score"), "words"),
        Column(
            said("차이 [95 % 구간]", "difference [95 % interval]"),
            short=said("차이 [95 %]", "difference [95 %]"),
        ),
        Column("Hedges g", short="Hedges g [95 %]"),
        Column(said("효과", "effect"), "words", leave_out=4),
        Column("Cliff δ", "coefficient", brief=True, leave_out=3),
        *p_columns(found, said("Welch t의 p", "p, Welch t"), "p (Welch t)"),
        *p_columns(found, said("Mann–Whitney p", "p, Mann–Whitney"), "p (M–W)", 2),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.measured.items():
        row: list[Cell] = [score_name(found.items.rubric, name)]
        if (two := criterion.two) is not None:
            reading = interpret("cohen_d", two.hedges_g)
            row += [
                Estimate.of(two.difference),
                Estimate.of(two.hedges_g),
                reading.words(language()) if reading else "",
                Estimate.of(two.cliff_delta),
                *p_cells(found, two.welch_t),
                *p_cells(found, two.mann_whitney),
            ]
        rows.append(row)
    source = CUT_OFFS["cohen_d"].source
    note = said(
        f"효과는 g의 95 % 구간 양 끝을 말로 옮긴 것입니다({source}).",
        f"The effect is what both ends of the 95 % interval of g are called ({source}).",
    )
    return table(apart(found, versus(found)), columns, rows, note)


def versus(found: Comparison) -> str:
    """Which group is taken from which."""
    first, second = found.items.groups
    return f"{first} − {second}"


def paired_table(found: Comparison) -> Table:
    """Two groups whose items make pairs."""
    field = (found.items.pair or {}).get("field", "")
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("쌍", "pairs"), "count"),
        Column(
            said("짝의 차이 [95 % 구간]", "difference of pairs [95 % interval]"),
            short=said("차이 [95 %]", "difference [95 %]"),
        ),
        Column("d_z", short="d_z [95 %]"),
        *p_columns(found, said("짝지은 t의 p", "p, paired t"), "p (t)"),
        Column(said("Wilcoxon p", "p, Wilcoxon"), "p", short="Wilcoxon", leave_out=1),
        Column(
            said("부호 순열 검정 p", "p, sign flip"),
            "p",
            short=said("부호 순열", "sign flip"),
            leave_out=2,
        ),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.measured.items():
        if (one := criterion.paired) is not None:
            rows.append(
                [
                    score_name(found.items.rubric, name),
                    one.difference.n,
                    Estimate.of(one.difference),
                    Estimate.of(one.cohen_dz),
                    *p_cells(found, one.t_test),
                    one.wilcoxon.p,
                    one.sign_flip.p,
                ]
            )
    both = versus(found)
    title = said(f"짝 비교({field}): {both}", f"In pairs by {field}: {both}")
    return table(apart(found, title, paired=True), columns, rows)


def many_table(found: Comparison) -> Table:
    """Three or more groups: whether they differ at all."""
    columns = [
        Column(said("점수", "score"), "words"),
        Column("Welch F"),
        *p_columns(found, said("Welch 분산분석 p", "Welch ANOVA p"), "p"),
        Column("Kruskal–Wallis H"),
        *p_columns(found, "Kruskal–Wallis p", "p"),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.measured.items():
        if (many := criterion.many) is not None:
            tests = (many.welch_anova, many.kruskal_wallis)
            cells = [cell for test in tests for cell in (test.statistic, *p_cells(found, test))]
            rows.append([score_name(found.items.rubric, name), *cells])
    return table(apart(found, said("집단 간 검정", "Tests between the groups")), columns, rows)


class PairRow(NamedTuple):
    """Two groups of one score: the difference to speak of, its effect size and its test."""

    score: str
    a: str
    b: str
    difference: Figure
    effect: Figure | None
    test: Outcome


def pair_rows(found: Comparison) -> list[PairRow]:
    """Every two of three groups or more: by clusters, on the same items, or as groups of their own."""
    from haechi.analysis.compared_criterion import without_interval

    rows = []
    for name, criterion in found.measured.items():
        if criterion.clustered is not None:
            plain = criterion.many.pairs if criterion.many is not None else ()
            sizes = {(pair.a, pair.b): pair.comparison.hedges_g for pair in plain}
            for one in criterion.clustered.pairs:
                effect = without_interval(sizes[one.a, one.b])
                rows.append(PairRow(name, one.a, one.b, one.difference, effect, one.test))
        elif criterion.same is not None:
            for same in criterion.same.pairs:
                both = same.comparison
                rows.append(PairRow(name, same.a, same.b, both.difference, both.cohen_dz, both.t_test))
        elif criterion.many is not None:
            for pair in criterion.many.pairs:
                two = pair.comparison
                rows.append(PairRow(name, pair.a, pair.b, two.difference, two.hedges_g, two.welch_t))
    return rows


def pairs_table(found: Comparison) -> Table:
    """The pairs of groups that differ, the surest first; all pairs of the main score where there are few; else no rows."""
    items = found.items
    main, every = items.rubric.main_score(items.names), pair_rows(found)
    sure = [one for one in every if (one.test.decisive if one.test.decisive is not None else 1.0) < _SURE]
    own = [one for one in every if one.score == main]
    if len(own) <= _FEW_PAIRS:
        sure += [one for one in own if one not in sure]
    sure.sort(key=lambda one: (one.test.decisive is None, one.test.decisive or 0.0))
    paired = items.pair is not None and items.clusters is None
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("쌍", "pair"), "words"),
        Column(
            said("차이 [95 % 구간]", "difference [95 % interval]"),
            short=said("차이 [95 %]", "difference [95 %]"),
        ),
        Column("d_z" if paired else "Hedges g", short="d_z" if paired else "g", brief=True),
        *p_columns(found, "p", "p", within=True),
    ]
    rows: list[list[Cell]] = [
        [
            score_name(items.rubric, one.score),
            f"{one.a} − {one.b}",
            Estimate.of(one.difference),
            Estimate.of(one.effect) if one.effect is not None else "",
            *p_cells(found, one.test, within=True),
        ]
        for one in sure[:_MOST_PAIRS]
    ]
    how = said("짝지은 t", "paired t") if paired else said("묶음을 고려한 t", "t over clusters")
    how = how if paired or items.clusters else "Welch t"
    title, more = said(f"집단의 쌍 ({how})", f"Pairs of groups ({how})"), left_out(len(sure) - len(rows))
    return table(title, columns, rows, more)


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
        note = said(
            "척도의 5분의 3 이상(0–5점이면 3점)이면 통과이고, 실패한 실행은 통과가 아닙니다.",
            "A run passes from three fifths of the scale (3 of 0 to 5 points), and never if it failed.",
        )
    return table(title, columns, rows, note)


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
