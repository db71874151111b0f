"""Criteria that items bring, in tables: what was earned by tag, which criteria were missed, and how far raters agree on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from haechi.report.numbers import number
from haechi.report.table import AuthoredText, Cell, Column, Estimate, ItemLink, Table, table
from haechi.report.words import said, score_label
from haechi.rubrics.scales.own_criteria import RULE
from haechi.text import cut

if TYPE_CHECKING:
    from haechi.scoring.own_figures import CriterionFigures, OwnFigures, TagFigures

MOST_TAGS, MOST_CRITERIA = 40, 10
_LONGEST = 120


def rule_words(own: OwnFigures) -> str:
    """How the score was made, and what another rule makes of the same answers."""
    words = [RULE.say() + "."]
    if own.cut:
        words.append(
            said(
                f"감점이 더 커서 0으로 자른 점수가 {own.cut:,}개 있습니다.",
                f"{own.cut:,} scores were below 0 and are 0: more was taken off than earned.",
            )
        )
    if own.mean_then_cut is not None:
        shown = number(own.mean_then_cut)
        words.append(
            said(
                f"항목 점수는 자르지 않고 그 평균만 0–1로 자르면(HealthBench의 규칙) {shown}입니다.",
                f"By HealthBench's rule, which cuts the mean and not the scores of items, it is {shown}.",
            )
        )
    return " ".join(words)


def tag_table(own: OwnFigures, tags: Sequence[TagFigures] | None = None) -> Table | None:
    """What was earned of the criteria with each tag; None without tags."""
    shown = own.tags if tags is None else tags
    if not shown:
        return None
    label = score_label(own.rubric, own.criterion.score)
    columns = [
        Column(said("태그", "tag"), "words"),
        Column(said("기준", "criteria"), "count"),
        Column(said("항목", "items"), "count"),
        Column(said("얻은 비율", "earned"), "score"),
    ]
    rows = [[one.tag, one.criteria, one.items, one.mean] for one in shown[:MOST_TAGS]]
    more = len(shown) - MOST_TAGS
    note = said(
        "항목마다 그 태그의 기준만으로 얻은 점수 ÷ 양수 배점(0–1)이고, 항목의 평균입니다. 항목 수는 그 점수가 있는 항목입니다.",
        "Of every item what was earned of the positive points of its criteria with the tag (0–1); the mean is over items, "
        "of which those count that have such a score.",
    )
    note += said(f" 태그 {more:,}개는 싣지 않았습니다.", f" {more:,} tags are left out.") if more > 0 else ""
    return table(said(f"{label}: 태그별", f"{label} by tag"), columns, rows, note)


def criteria_tables(own: OwnFigures) -> Iterator[Table]:
    """The criteria that were mostly missed, and what should not be and was."""
    missed = said("가장 많이 놓친 기준", "Criteria that were mostly missed")
    wrong = said("없어야 할 일이 있었던 기준", "What should not be, and was")
    for title, found, what in (
        (missed, own.hardest, said("미충족", "unmet")),
        (wrong, own.wrong, said("충족", "met")),
    ):
        if found:
            columns = [
                Column(said("기준", "criterion"), "words"),
                Column(said("배점", "points"), "score", digits=0),
                Column(what, "share"),
                Column(said("답", "answers"), "count"),
                Column(said("그런 항목", "in items"), "words", leave_out=1),
            ]
            rows = [_row(one) for one in found[:MOST_CRITERIA]]
            more = len(found) - MOST_CRITERIA
            note = said(
                "답은 평가자마다 항목의 기준 하나에 하나이고(되풀이한 답 가운데 가장 잦은 것), 항목은 평가자 과반이 그렇다고 한 것입니다.",
                "A rater has one answer about a criterion of an item, of repeated ones the most frequent; "
                "items are those of which most raters say so.",
            )
            note += (
                said(f" 그 밖에 {more:,}개 더 있습니다.", f" There are {more:,} more.") if more > 0 else ""
            )
            yield table(title, columns, rows, note)


def _row(one: CriterionFigures) -> list[Cell]:
    text = " ".join(one.text.split())
    items: Cell = ItemLink(one.failing[0]) if len(one.failing) == 1 else f"{len(one.failing):,}"
    words = AuthoredText(cut(text, _LONGEST))
    return [words, one.points, one.failed, one.answers, items]


def verdict_table(own: OwnFigures) -> Table | None:
    """How far raters agree on what is met, each criterion of each item a unit; None with a single rater."""
    found = own.agreement
    if len(found["all"].whole.raters) < 2:
        return None
    whose = {
        "all": said("모든 평가자", "all raters"),
        "human": said("사람", "people"),
        "ai": said("AI 평가자", "AI judges"),
    }
    columns = [
        Column(said("누가", "who"), "words"),
        Column(said("항목 × 기준", "item × criterion"), "count"),
        Column(said("항목", "items"), "count", leave_out=2),
        Column(said("평가자", "raters"), "count", leave_out=1),
        Column(said("일치", "same"), "share", brief=True),
        Column("Krippendorff α", "coefficient", short="Kripp. α", brief=True),
        Column("Fleiss κ", "coefficient", brief=True),
        Column("Gwet AC1", "coefficient", short="AC1", brief=True),
    ]
    rows: list[list[Cell]] = []
    for kind, one in found.items():
        of = [
            one.coefficients[name]
            for name in ("percent_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac1")
        ]
        counts = [one.whole.n_items, one.n_clusters, len(one.whole.raters)]
        rows.append([whose[kind], *counts, *map(Estimate.of, of)])
    label = score_label(own.rubric, own.criterion.score)
    note = said(
        "항목의 기준 하나하나가 단위입니다. 한 항목의 기준은 서로 독립이 아니므로, 구간은 항목을 통째로 빼 가며 구했습니다.",
        "Every criterion of every item is a unit. Criteria of one item are not independent: the intervals leave out whole items.",
    )
    return table(
        said(f"{label}: 충족 판단의 일치", f"{label}: agreement on what is met"), columns, rows, note
    )
