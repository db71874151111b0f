"""Tables of a comparison: the groups, the tests that fit their number, repeated runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from haechi.report.table import Cell, Column, Estimate, ScoreName, Table, table
from haechi.report.words import INTERVAL, said, score_name
from haechi.rubrics import Rubric
from haechi.scoring.summary import ScoreFigures
from haechi.stats.interpretation import CUT_OFFS, interpret
from haechi.text import Text, language

if TYPE_CHECKING:  # `haechi score` shows means without comparing
    from haechi.analysis.comparison import Comparison
    from haechi.analysis.repeated_runs import RepeatedRuns

_MOST_PAIRS = 20
_SURE = 0.05
HOLM = Text("Holm 보정", "Holm")


def groups_table(found: Comparison) -> Table:
    """Every score of every group in full, group under group."""
    by = ", ".join(found.items.by)
    shares = any(group.share for criterion in found.criteria.values() for group in criterion.groups)
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
    for name, criterion in found.criteria.items():
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
    fields, items = ", ".join(by), said("항목 수", "items")
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
    """The share of 1s over raters and items with Wilson's interval, of every yes-or-no criterion.

    groups: the figures of every group by score, as the summary of scores has them.
    """
    rows: dict[str, list[Cell]] = {}
    for name in groups[0] if groups else ():
        if not is_binary(rubric, name):
            continue
        words = said("충족 비율(모든 평가)", "share met, all ratings")
        rows[name] = [about(rubric, name, words)]
        for of in (group[name] for group in groups):
            low, high = of.share_ci95 or (None, None)
            rows[name].append(Estimate(of.mean, low, high, kind="share"))
    return rows


def is_binary(rubric: Rubric, name: str) -> bool:
    """Whether a score is met or unmet."""
    criterion = rubric.criterion(name)
    return criterion is not None and criterion.scale.counts_met


def about(rubric: Rubric, name: str, words: str) -> ScoreName:
    """The name of a row that says something more about a score."""
    own = score_name(rubric, name)
    return ScoreName(f"{own.key} · {words}", f"{own.words} · {words}")


def test_tables(found: Comparison) -> list[Table]:
    """The tests that fit the number of groups; the pairs of three or more groups have a table of their own."""
    labels = list(found.items.groups)
    if len(labels) < 2:
        return []
    if len(labels) > 2:
        return [many_table(found)]
    return [two_table(found), *([paired_table(found)] if found.items.pair else [])]


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
        Column(said("Welch t의 p", "p, Welch t"), "p", short="p (Welch t)"),
        Column(HOLM.say(), "p", short="Holm"),
        Column(said("Mann–Whitney p", "p, Mann–Whitney"), "p", short="p (M–W)", leave_out=2),
        Column(f"{HOLM.say()} (M–W)", "p", short="Holm (M–W)", leave_out=1),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        row: list[Cell] = [score_name(found.items.rubric, name)]
        if (two := criterion.two) is not None:
            reading = interpret("cohen_d", two.hedges_g)
            row += [
                Estimate.of(two.difference),
                Estimate.of(two.hedges_g),
                reading.words(language()) if reading else "",
                Estimate.of(two.cliff_delta),
                two.welch_t.p,
                two.welch_t.p_corrected,
                two.mann_whitney.p,
                two.mann_whitney.p_corrected,
            ]
        rows.append(row)
    source = CUT_OFFS["cohen_d"].source
    note = said(f"효과 크기를 나타내는 말의 기준: {source}", f"words for effect sizes: {source}")
    return table(_versus(found), columns, rows, note)


def _versus(found: Comparison) -> str:
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
        Column(said("짝지은 t의 p", "p, paired t"), "p", short="p (t)"),
        Column(HOLM.say(), "p", short="Holm"),
        Column(said("Wilcoxon p", "p, Wilcoxon"), "p", short="Wilcoxon", leave_out=1),
        Column(
            said("부호 순열 검정 p", "p, sign flip"),
            "p",
            short=said("부호 순열", "sign flip"),
            leave_out=2,
        ),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        if (one := criterion.paired) is not None:
            rows.append(
                [
                    score_name(found.items.rubric, name),
                    one.difference.n,
                    Estimate.of(one.difference),
                    Estimate.of(one.cohen_dz),
                    one.t_test.p,
                    one.t_test.p_corrected,
                    one.wilcoxon.p,
                    one.sign_flip.p,
                ]
            )
    versus = _versus(found)
    return table(said(f"짝 비교({field}): {versus}", f"In pairs by {field}: {versus}"), columns, rows)


def many_table(found: Comparison) -> Table:
    """Three or more groups: whether they differ at all."""
    columns = [
        Column(said("점수", "score"), "words"),
        Column("Welch F"),
        Column(said("Welch 분산분석 p", "Welch ANOVA p"), "p", short="p"),
        Column(HOLM.say(), "p", short="Holm"),
        Column("Kruskal–Wallis H"),
        Column("Kruskal–Wallis p", "p", short="p"),
        Column(HOLM.say(), "p", short="Holm"),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        if (many := criterion.many) is not None:
            tests = (many.welch_anova, many.kruskal_wallis)
            cells = [cell for test in tests for cell in (test.statistic, test.p, test.p_corrected)]
            rows.append([score_name(found.items.rubric, name), *cells])
    note = said(
        "p는 기준들에 걸쳐 Holm 방법으로 보정했습니다.", "p-values are corrected over the criteria (Holm)."
    )
    return table(said("집단 간 검정", "Tests between the groups"), columns, rows, note)


def pairs_table(found: Comparison) -> Table:
    """The pairs of groups that differ after Holm's correction, the surest first; without rows if none does."""
    pairs = [
        (pair.comparison.welch_t.p_corrected, name, pair)
        for name, criterion in found.criteria.items()
        for pair in (criterion.many.pairs if criterion.many else ())
        if pair.comparison.welch_t.p_corrected is not None
    ]
    sure = sorted((one for one in pairs if (one[0] or 0.0) < _SURE), key=lambda one: one[0] or 0.0)
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("쌍", "pair"), "words"),
        Column(
            said("차이 [95 % 구간]", "difference [95 % interval]"),
            short=said("차이 [95 %]", "difference [95 %]"),
        ),
        Column("Hedges g", short="g", brief=True),
        Column("Holm p", "p"),
    ]
    rows: list[list[Cell]] = [
        [
            score_name(found.items.rubric, name),
            f"{pair.a} − {pair.b}",
            Estimate.of(pair.comparison.difference),
            Estimate.of(pair.comparison.hedges_g),
            p,
        ]
        for p, name, pair in sure[:_MOST_PAIRS]
    ]
    return table(
        said("서로 다른 쌍 (Holm 보정 p < .05)", "Pairs that differ (Holm-corrected p < .05)"), columns, rows
    )


def repeats_table(rubric: Rubric, repeats: RepeatedRuns) -> Table:
    """What the repeated runs of a query come to."""
    most = max(k for found in repeats.criteria.values() for k in found.pass_hat_k)
    title = said(
        f"같은 질의의 반복 실행 · 질의 {repeats.n_queries:,}개, 만점이면 통과",
        f"Repeated runs of a query · {repeats.n_queries:,} queries, a run passes with the highest score",
    )
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
    return table(title, columns, rows)


def compare_tables(found: Comparison) -> list[Table | str]:
    """The groups, then the tests that fit their number."""
    shown: list[Table | str] = [groups_table(found), *test_tables(found)]
    if len(found.items.groups) > 2:
        none = said(
            "Holm 보정 뒤에 서로 다르다고 할 수 있는 쌍은 없습니다 (p < .05).",
            "No pair of groups differs after Holm's correction (p < .05).",
        )
        pairs = pairs_table(found)
        shown.append(pairs if pairs.rows else none)
    if found.repeats:
        shown.append(repeats_table(found.items.rubric, found.repeats))
    return shown
