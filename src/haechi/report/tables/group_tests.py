"""Tables of tests between groups: two, pairs of items, many, and every two of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from haechi.data.fields import field_name
from haechi.report.table import Cell, Column, Estimate, Table, table
from haechi.report.tables.designs import design_tables, more_tables, title_apart
from haechi.report.tables.p_values import p_cells, p_columns
from haechi.report.words import left_out, said, score_name
from haechi.stats.figure import Figure
from haechi.stats.interpretation import CUT_OFFS, interpret
from haechi.stats.outcome import Outcome
from haechi.text import language

if TYPE_CHECKING:  # `haechi score` shows means without comparing
    from haechi.analysis.comparison import Comparison

_MOST_PAIRS, _FEW_PAIRS = 20, 6
_SURE = 0.05


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
    source = CUT_OFFS["cohen_d"].source
    note = said(
        f"효과는 g의 95 % 구간 양 끝을 말로 옮긴 것입니다({source}).",
        f"The effect is what both ends of the 95 % interval of g are called ({source}).",
    )
    columns = [
        Column(said("점수", "score"), "words"),
        Column(
            said("차이 [95 % 구간]", "difference [95 % interval]"),
            short=said("차이 [95 %]", "difference [95 %]"),
        ),
        Column("Hedges g", short="Hedges g [95 %]"),
        Column(said("효과", "effect"), "words", leave_out=4, note=note),
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
    return table(title_apart(found, versus(found)), columns, rows)


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
    title = said(f"짝 비교({field_name(field).ko}): {both}", f"In pairs by {field}: {both}")
    return table(title_apart(found, title, paired=True), columns, rows)


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
    return table(title_apart(found, said("집단 간 검정", "Tests between the groups")), columns, rows)


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
