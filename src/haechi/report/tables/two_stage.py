"""Two stages of judging, as the command and the report show them."""

from __future__ import annotations

from haechi.analysis.two_stage import TwoStage
from haechi.report.table import Cell, Column, Estimate, Table, table
from haechi.report.words import said, score_name
from haechi.rubrics import Rubric


def stages_table(rubric: Rubric, found: TwoStage) -> Table:
    """Every score as the strong judge would have given it to all items, beside what is plainly there."""
    columns: list[Column | str] = [
        Column(said("점수", "score"), "words"),
        Column(said(f"{found.then}의 평균(보정)", f"mean of {found.then}, corrected")),
        Column(said("1차 평가자의 평균", "mean of the first judges"), leave_out=2),
        Column(said("본 항목만의 평균", "mean of what it saw"), leave_out=1),
    ]
    rows: list[list[Cell]] = [
        [score_name(rubric, one.name), Estimate.of(one.estimated), Estimate.of(one.first), one.seen]
        for one in found.scores
    ]
    return table(said("두 단계 평가", "Two stages of judging"), columns, rows, _about(found))


def _about(found: TwoStage) -> str:
    """Whom the strong judge was asked about, and what the columns say."""
    first, missing = ", ".join(found.first), found.asked - found.answered
    lacking = said(
        f" 응답이 없는 항목 {missing:,}개는 빠져 있습니다.",
        f" {missing:,} items without an answer are left out.",
    )
    if found.asked >= found.items:
        every = said(
            f"{first}의 의견이 갈린 항목이 많거나 항목이 적어 {found.then}에게 항목 {found.items:,}개를 모두 물었습니다. 보정할 것이 없습니다.",
            f"{found.then} was asked about all {found.items:,} items, because {first} were apart on many or there are few: there is nothing to correct.",
        )
        return every + (lacking if missing else "")
    share = f"{100 * found.asked / found.items:.0f} %"
    note = said(
        f"{first}의 의견이 갈린 항목 {found.apart:,}개와, 나머지에서 무작위로 뽑은 {found.checked:,}개(모두 {found.items:,}개 중 {share})만 "
        f"{found.then}에게 물었습니다. 보정한 평균은 모든 항목을 물었을 때의 추정값이고, 본 항목만의 평균은 갈린 항목에 치우쳐 있어 전체를 말하지 않습니다.",
        f"{found.then} was asked only about the {found.apart:,} items on which {first} were apart and {found.checked:,} drawn at random from the rest "
        f"({share} of {found.items:,}). The corrected mean estimates what it would have given all items; the mean of what it saw leans to the "
        "disputed ones and does not speak for all.",
    )
    return note + (lacking if missing else "")
