"""Tables of raters' habits: how each uses the scale beside the others."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.habits import Habits, RaterHabits
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.report.words import said, score_name
from haechi.rubrics import Rubric
from haechi.stats import Figure

_FEW_POINTS = 10


def has_both(raters: Sequence[RaterHabits], name: str) -> bool:
    """Whether people and AI judges scored it: the others of a rater are then both, and who differs from them need not be strict."""
    return {"human", "ai"} <= {one.kind for one in raters if name in one.criteria}


def habits_table(rubric: Rubric | None, name: str, raters: Sequence[RaterHabits]) -> Table:
    """How each rater uses the scale on one score, and how that compares with the others."""
    label = score_name(rubric, name).words
    together = [one.with_others for one in raters]
    notes = [_flagged(str(one.rater), one.flag, one.correlation, one.typical) for one in together if one.flag]
    if has_both(raters, name):
        notes.append(
            said(
                "다른 평가자는 사람과 AI 평가자를 합한 나머지 모두입니다.",
                "The others are all other raters, people and AI judges together.",
            )
        )
    rows = [_row(rater, rater.criteria[name]) for rater in raters if name in rater.criteria]
    return table(
        said(f"평가자 성향 · {label}", f"Raters' habits · {label}"), _columns(), rows, " ".join(notes)
    )


def _columns() -> list[Column]:
    return [
        Column(said("평가자", "rater"), "words"),
        Column("n", "count"),
        Column(
            said("다른 평가자와의 차이 [95 % 구간]", "own − others [95 % interval]"),
            short=said("다른 평가자 대비", "own − others"),
        ),
        Column("SD", leave_out=5),
        Column(said("산포 비", "spread ratio"), leave_out=2),
        Column(
            said("가운데 점수", "middle"), "share", short=said("가운데", "middle"), brief=True, leave_out=4
        ),
        Column(said("양 끝 점수", "ends"), "share", short=said("양끝", "ends"), brief=True, leave_out=3),
        Column(said("후광 r", "halo r"), "coefficient"),
        Column(
            said("자기 일관성", "same again"),
            "share",
            short=said("자기 일관", "self"),
            brief=True,
            leave_out=1,
        ),
        Column(
            said("다른 평가자와의 상관", "r with the others"),
            "coefficient",
            short=said("상관", "r"),
            brief=True,
        ),
    ]


def _row(rater: RaterHabits, habits: Habits) -> list[Cell]:
    of = habits.behaviour
    few = len(of.use) <= _FEW_POINTS  # on a fine scale hardly any value is the middle or an end
    return [
        rater.rater,
        of.n,
        *map(Estimate.of, (of.severity, of.spread, of.spread_ratio)),
        Estimate.of(of.middle) if few else None,
        Estimate.of(of.ends) if few else None,
        Estimate.of(rater.halo.mean),
        Estimate.of(habits.consistency.agreement) if habits.consistency else None,
        Estimate.of(
            rater.with_others.correlation, "coefficient", "problem" if rater.with_others.flag else "plain"
        ),
    ]


def _flagged(rater: str, flag: str, r: Figure, typical: float | None) -> str:
    """That somebody seems to answer at random, or upside down."""
    own, usual = say(r.value, "coefficient"), say(typical, "coefficient")
    if flag == "reversed":
        return said(
            f"{rater}: 다른 평가자들과 반대로 움직입니다(상관 {own}, 보통 {usual}). 척도를 거꾸로 쓴 것이 아닌지 확인하세요.",
            f"{rater} runs against the others (r = {own}, typical {usual}): was the scale read upside down?",
        )
    return said(
        f"{rater}: 다른 평가자들과 상관이 없습니다(상관 {own}, 보통 {usual}). 무작위로 답한 것으로 보입니다.",
        f"{rater} goes with nobody (r = {own}, typical {usual}), as somebody does who answers at random.",
    )
