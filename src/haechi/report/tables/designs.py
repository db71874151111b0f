"""Tables of what the design of a comparison allows to ask: order, same items, clusters, two fields, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.data.fields import field_name
from haechi.report.table import Cell, Column, Estimate, Table, table
from haechi.report.tables.margins import margin_table
from haechi.report.tables.p_values import p_cells, p_columns
from haechi.report.words import left_out, said, score_name

if TYPE_CHECKING:
    from haechi.analysis.comparison import Comparison

_MOST_ROWS = 40


def _score() -> Column:
    return Column(said("점수", "score"), "words")


def _difference(ko: str = "차이", en: str = "difference") -> Column:
    return Column(
        said(f"{ko} [95 % 구간]", f"{en} [95 % interval]"), short=said(f"{ko} [95 %]", f"{en} [95 %]")
    )


def design_tables(found: Comparison) -> list[Table]:
    """The tables that findings speak of before those of plain groups."""
    made = [trend_table(found), clustered_table(found), same_table(found), interaction_table(found)]
    return [one for one in [*made, inside_table(found)] if one.rows]


def more_tables(found: Comparison) -> list[Table]:
    """Tables after those of plain groups: verdicts on the same items, counts, margins."""
    return [one for one in (mcnemar_table(found), counts_table(found), margin_table(found)) if one.rows]


def title_apart(found: Comparison, title: str, paired: bool = False) -> str:
    """The title of tests that take items as independent: it says of what they know nothing; `paired`: of pairs they do."""
    if found.items.pair and not paired:
        return f"{said('짝을 무시하고 비교', 'Regardless of pairs')}: {title}"
    if found.items.clusters:
        return f"{said('묶음을 무시하고 비교', 'Regardless of clusters')}: {title}"
    return title


def trend_table(found: Comparison) -> Table:
    """Ordered groups: how far a score moves with every step."""
    columns = [
        _score(),
        _difference("한 단계의 변화", "change per step"),
        *p_columns(found, said("선형 추세 p", "p, linear trend"), said("p (선형)", "p (linear)")),
        Column("Jonckheere–Terpstra p", "p", short="p (J–T)"),
        Column("Kendall τ", "coefficient", leave_out=1),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        spoken = criterion.of_trend
        if criterion.trend is not None and spoken is not None and spoken.difference is not None:
            rows.append(
                [
                    score_name(found.items.rubric, name),
                    Estimate.of(spoken.difference),
                    *p_cells(found, spoken.test),
                    criterion.trend.jonckheere.p,
                    Estimate.of(criterion.trend.tau),
                ]
            )
    listed = " → ".join(found.items.order.values) if found.items.order else ""
    return table(said(f"순서에 따른 추세: {listed}", f"Trend along {listed}"), columns, rows)


def clustered_table(found: Comparison) -> Table:
    """Two groups whose items come in clusters; of more, whether they differ at all."""
    clusters, two = found.items.clusters, len(found.items.groups) == 2
    title = said("묶음을 고려한 비교", "Comparison over clusters")
    if clusters is not None:
        title = said(
            f"{title}({field_name(clusters.field).ko}, {clusters.n:,}개)",
            f"{title} ({clusters.field}, {clusters.n:,})",
        )
    if two:
        columns = [_score(), _difference(), *p_columns(found, said("t의 p", "p, t"), "p (t)")]
    else:
        columns = [_score(), Column("F"), *p_columns(found, "p", "p")]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        own = criterion.clustered
        if own is None:
            continue
        shown: list[Cell] = [score_name(found.items.rubric, name)]
        if two:
            shown += [Estimate.of(own.pairs[0].difference), *p_cells(found, own.pairs[0].test)]
        elif own.omnibus is not None:
            shown += [own.omnibus.statistic, *p_cells(found, own.omnibus)]
        rows.append(shown)
    if two:
        title += ": " + " − ".join(found.items.groups)
    return table(title, columns, rows)


def same_table(found: Comparison) -> Table:
    """Three systems or more on the same items: whether they differ at all."""
    binary = any(one.same is not None and one.same.cochran_q for one in found.criteria.values())
    columns = [
        _score(),
        Column(said("항목", "items"), "count"),
        Column("Friedman χ²"),
        *p_columns(found, "Friedman p", "p"),
        Column("Kendall W", "coefficient"),
        *([Column("Cochran Q"), Column("Cochran p", "p")] if binary else []),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        if (same := criterion.same) is None:
            continue
        shown: list[Cell] = [score_name(found.items.rubric, name), same.friedman.n, same.friedman.statistic]
        shown += [*p_cells(found, same.friedman), Estimate.of(same.kendall_w)]
        if binary:
            q = same.cochran_q
            shown += [q.statistic, q.p] if q is not None else ["", ""]
        rows.append(shown)
    field = (found.items.pair or {}).get("field", "")
    title = said(f"같은 항목({field_name(field).ko})의 비교", f"On the same items ({field})")
    return table(title_apart(found, title, paired=True), columns, rows)


def mcnemar_table(found: Comparison) -> Table:
    """Two systems on the same items, met or unmet."""
    groups = list(found.items.groups)
    first, second = (groups[0], groups[1]) if len(groups) == 2 else ("", "")
    columns = [
        _score(),
        Column(said("둘 다 충족", "both met"), "count"),
        Column(said(f"{first}만", f"{first} only"), "count"),
        Column(said(f"{second}만", f"{second} only"), "count"),
        Column(said("둘 다 미충족", "neither"), "count"),
        *p_columns(found, said("McNemar 정확 p", "p, McNemar exact"), said("p (정확)", "p (exact)")),
        Column("mid-p", "p"),
        Column(said("승산비", "odds ratio"), leave_out=1),
    ]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        if (own := criterion.mcnemar) is not None:
            counts = own.both_met, own.first_only, own.second_only, own.neither
            cells: list[Cell] = [score_name(found.items.rubric, name), *counts, *p_cells(found, own.exact)]
            rows.append([*cells, own.mid_p.p, Estimate.of(own.odds_ratio)])
    title = said("같은 항목의 충족 여부(McNemar)", "Met or unmet on the same items (McNemar)")
    return table(title, columns, rows, _signs_of_clusters(found) if found.items.changes else "")


def _signs_of_clusters(found: Comparison) -> str:
    own = found.items.clusters.field if found.items.clusters else ""
    return said(
        f"p는 {field_name(own).ko} 값이 같은 항목을 한 묶음으로 보고, 묶음마다 바뀐 방향의 부호를 뒤집어 구했습니다.",
        f"p: the items of one {own} are a cluster, and the signs of the clusters' net changes are flipped.",
    )


def interaction_table(found: Comparison) -> Table:
    """Two fields: whether the difference of the first depends on the second."""
    four = any(one.interaction is not None and one.interaction.difference for one in found.criteria.values())
    columns = [
        _score(),
        Column("F"),
        *p_columns(found, said("분산분석 p", "p, ANOVA"), "p (ANOVA)"),
        Column("Welch–James p", "p", short="p (W–J)"),
        Column("η²p", "coefficient"),
        *([_difference("차이의 차이", "difference of differences")] if four else []),
    ]
    clustered = any(
        one.interaction is not None and one.interaction.clustered for one in found.criteria.values()
    )
    if clustered:
        heads = p_columns(
            found, said("묶음을 고려한 p", "p, over clusters"), said("p (묶음)", "p (clusters)")
        )
        columns = [_score(), Column("F"), *heads, *columns[len(columns) - four :]]
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        if (own := criterion.interaction) is None:
            continue
        test = own.clustered or own.anova
        shown: list[Cell] = [score_name(found.items.rubric, name), test.statistic, *p_cells(found, test)]
        if not clustered:
            shown += [own.welch_james.p, Estimate.of(own.partial_eta_squared)]
        if four:
            shown.append(Estimate.of(own.difference) if own.difference is not None else "")
        rows.append(shown)
    by = found.items.by
    first, second = by if len(by) == 2 else ("", "")
    title = said(
        f"상호작용: {first}의 차이가 {second}에 따라 다른가",
        f"Interaction: does the difference by {first} depend on {second}?",
    )
    return table(title, columns, rows)


def inside_table(found: Comparison) -> Table:
    """The first field inside every value of the second, of the main score."""
    items = found.items
    main = items.rubric.main_score(items.names)
    columns = [
        Column(items.by[-1] if items.by else "", "words"),
        Column(said("쌍", "pair"), "words"),
        _difference(),
        *([] if items.clusters else [Column("Hedges g", short="g", brief=True)]),
        *p_columns(found, said("묶음 p", "p, clusters") if items.clusters else "Welch p", "p", within=True),
    ]
    rows: list[list[Cell]] = []
    for one in found.criteria[main].inside:
        pairs: list[list[Cell]] = [
            [
                f"{pair.a} − {pair.b}",
                Estimate.of(pair.comparison.difference),
                Estimate.of(pair.comparison.hedges_g),
                *p_cells(found, pair.comparison.welch_t, within=True),
            ]
            for pair in one.pairs
        ]
        pairs += [
            [f"{pair.a} − {pair.b}", Estimate.of(pair.difference), *p_cells(found, pair.test, within=True)]
            for pair in one.clustered
        ]
        rows += [["" if place else one.level, *cells] for place, cells in enumerate(pairs)]
    first, second = items.by if len(items.by) == 2 else ("", "")
    label = score_name(items.rubric, main)
    title = said(
        f"{second}마다 본 {first}의 차이: {label.words}", f"{first} inside every {second}: {label.words}"
    )
    more = left_out(len(rows) - _MOST_ROWS)
    return table(title, columns, rows[:_MOST_ROWS], more)


def counts_table(found: Comparison) -> Table:
    """How many items fall into every category, and whether groups differ in that."""
    groups = list(found.items.groups)
    columns = [
        _score(),
        Column(said("등급", "verdict"), "words"),
        *(Column(label, "count") for label in groups),
        Column("χ²"),
        Column("p", "p"),
        Column(said("정확 p", "p, exact"), "p", short=said("정확 p", "exact p")),
        Column("Cramér V", "coefficient"),
    ]
    words = {"met": said("충족", "met"), "unmet": said("미충족", "unmet")}
    rows: list[list[Cell]] = []
    for name, criterion in found.criteria.items():
        if (own := criterion.counts) is None or len(groups) > _MOST_COLUMNS:
            continue
        exact = own.tests.exact
        for place, category in enumerate(own.categories):
            test: list[Cell] = ["", "", "", ""]
            if place == 0:
                test = [own.tests.chi_squared.statistic, own.tests.chi_squared.p]
                test += ["" if exact is None else exact.p, Estimate.of(own.tests.cramer_v)]
            label = "" if place else score_name(found.items.rubric, name)
            rows.append([label, words.get(category, category), *(row[place] for row in own.counts), *test])
    title = said("등급별 항목 수", "Items by verdict")
    return table(title_apart(found, title, paired=True), columns, rows)


_MOST_COLUMNS = 6
