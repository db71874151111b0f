"""A plan before a study, which shows itself in commands and notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.analysis.planning import NO_SPREAD, Assumptions, Goal, make_plan
from haechi.data.arguments import check_above_zero, check_share
from haechi.errors import HaechiError
from haechi.report.plan_result import PlanResult
from haechi.stats.bootstrap import SEED
from haechi.stats.figure import Why
from haechi.stats.planning import Spread
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.analysis.analysis import Analysis

ONE_PANEL = Why(
    "이 스터디에서는 평가자의 몫을 나눌 수 없어, 같은 평가자들이 그대로 평가하는 경우만 계산했습니다",
    "this study cannot tell what raters contribute, so the plan is for the same raters only",
)
GoalAmount = float | Mapping[str, float]


def plan(
    source: str | Path | None = None,
    *,
    width: GoalAmount | None = None,
    difference: GoalAmount | None = None,
    gate: GoalAmount | None = None,
    share: float | None = None,
    pass_k: int | None = None,
    alt_test: bool = False,
    sd: float | None = None,
    icc: float | None = None,
    rater_sd: float = 0.0,
    mean: float | None = None,
    raters: int | None = None,
    repeats: int | None = None,
    power: float | None = None,
    paired: bool = False,
    correlation: float = 0.5,
    lower: bool = False,
    new_raters: bool = False,
    human_error: float | None = None,
    judge_error: float | None = None,
    epsilon: float = 0.2,
    cost_item: float = 0.0,
    cost_rating: float = 0.0,
    seed: int = SEED,
) -> PlanResult:
    """How many items and raters a study needs: for one goal, from assumptions or from a pilot study.

    Goals: the `width` of a mean's 95 % interval; a `difference` to be found (`paired` or between two groups); a `gate` that
    a true mean above it shall pass; the width of a `share`, or of pass^k over repeated runs; the `alt_test`. In a pilot
    study a goal may name its score, `width={"total": 1.0}`. Assumptions: `sd` and `icc` of single ratings, the true
    `mean`, the `rater_sd` between raters (of which `icc` says nothing), error rates.

    >>> found = plan(width=0.5, sd=1.2, icc=0.6, raters=3)
    >>> found.best.items, found.best.ratings, [(one.items, one.raters) for one in found.designs][:3]
    (68, 204, [(91, 1), (74, 2), (68, 3)])
    """
    for name, given in {"icc": icc, "share": share, "epsilon": epsilon}.items():
        check_share(given, name)
    check_above_zero(raters=raters, repeats=repeats)
    goal = _goal(width, difference, gate, share, pass_k, alt_test)
    usual = 0.95 if goal.kind == "gate" else 0.8
    goal = replace(
        goal,
        power=usual if power is None else power,
        paired=paired,
        correlation=correlation,
        lower=lower,
        new_raters=new_raters,
    )
    if source is not None:
        goal, assumed = _pilot(source, goal, mean)
    else:
        assumed = _assumed(goal, sd, icc, rater_sd, mean, share, human_error, judge_error, epsilon, raters)
    _check(goal, assumed)
    found = make_plan(goal, assumed, repeats if goal.kind == "pass" else raters, cost_item, cost_rating, seed)
    return PlanResult(found.goal, found.assumed, found.designs, found.best)


def _goal(
    width: GoalAmount | None,
    difference: GoalAmount | None,
    gate: GoalAmount | None,
    share: float | None,
    pass_k: int | None,
    alt_test: bool,
) -> Goal:
    """The one goal that was given."""
    amounts = {"width": width, "difference": difference, "gate": gate}
    given = {kind: amount for kind, amount in amounts.items() if amount is not None}
    if alt_test and not given:
        return Goal("alt-test")
    if len(given) != 1 or alt_test or (share is not None and "width" not in given):
        goals = (
            "width, difference, gate, alt_test"
            if not given
            else ", ".join([*given, *["alt_test"] * alt_test])
        )
        raise HaechiError.of(
            "plan",
            goals if given else Text("목표 없음", "no goal"),
            Text("목표 하나", "one goal"),
            Text(
                "width, difference, gate, alt_test 중 하나를 주세요. share에는 width가 필요합니다",
                "give one of width, difference, gate and alt_test; a share needs a width",
            ),
        )
    ((kind, amount),) = given.items()
    name, value = next(iter(amount.items())) if isinstance(amount, Mapping) else (None, amount)
    if share is not None:
        return Goal("share" if pass_k is None else "pass", value, k=pass_k or 1)
    return {
        "width": Goal("width", value, name),
        "difference": Goal("difference", value, name),
        "gate": Goal("gate", value, name),
    }[kind]


def _assumed(
    goal: Goal,
    sd: float | None,
    icc: float | None,
    rater_sd: float,
    mean: float | None,
    share: float | None,
    human_error: float | None,
    judge_error: float | None,
    epsilon: float,
    raters: int | None,
) -> Assumptions:
    if goal.kind == "alt-test":
        human, judge = _need("human_error", human_error), _need("judge_error", judge_error)
        rates = {"human_error": human, "judge_error": judge, "epsilon": epsilon}
        return Assumptions(NO_SPREAD, rates, human_error=human, judge_error=judge, epsilon=epsilon)
    if goal.kind in ("share", "pass"):
        found: dict[str, Any] = {"share": share} | ({"icc": icc or 0.0} if goal.kind == "pass" else {})
        return Assumptions(NO_SPREAD, found, share=share, icc=icc or 0.0)
    sd = _need("sd", sd)
    found = {"sd": sd, "icc": icc} | ({"rater_sd": rater_sd} if rater_sd else {})
    found |= {} if mean is None else {"mean": mean}
    if icc is None:  # an item's score as it is, whoever makes it
        return Assumptions(Spread(sd**2, rater_sd**2, 0.0), found, mean, only_raters=raters or 1)
    return Assumptions(Spread(sd**2 * icc, rater_sd**2, sd**2 * (1 - icc)), found, mean)


def _need(name: str, value: float | None) -> float:
    if value is not None:
        return value
    option = f"--{name.replace('_', '-')}"
    raise HaechiError.of(
        option,
        Text("값 없음", "no value"),
        Text("가정한 값", "an assumed value"),
        Text(
            f"{option}을 주거나 예비 스터디 폴더를 주세요", f"give {option}, or the folder of a pilot study"
        ),
    )


def _pilot(source: str | Path, goal: Goal, mean: float | None) -> tuple[Goal, Assumptions]:
    """The assumptions that a study's own figures make."""
    from haechi.analysis.analysis import Analysis

    if not goal.is_about_scores:
        found = Text(f"스터디 {source}", f"the study {source}")
        expected = Text("폭, 차이, 통과 기준 중 하나", "a width, a difference or a gate")
        raise HaechiError.of("plan", found, expected, Text("스터디를 빼세요", "leave out the study"))
    figures = Analysis(source)
    name = goal.score or figures.main
    if name not in figures.names:
        known = ", ".join(figures.names)
        todo = Text("이름을 고치세요", "correct the name")
        raise HaechiError.of(f"--{goal.kind} {name}", name, Text(f"점수: {known}", f"a score: {known}"), todo)
    return replace(goal, score=name), pilot_of(figures, name, mean)


def pilot_of(figures: Analysis, name: str, mean: float | None = None) -> Assumptions:
    """What a study says about one of its scores."""
    report, whole = figures.raters_agreement, figures.whole[name]
    true = whole.mean.value if mean is None else mean
    found = report.criteria[name].components if report is not None and name in report.criteria else None
    about: dict[str, Any] = {"score": name, "mean": true, "items": figures.n_rated}
    if found is not None and not isinstance(found, Why):
        spread = Spread(found.item, found.rater, found.residual)
        return Assumptions(
            spread, about | {"components": found.as_json(), "raters": found.shape.raters}, true
        )
    sd = whole.sd.value or 0.0
    many = max(1, len(figures.raters))
    only = about | {"sd": sd, "raters": many}
    return Assumptions(Spread(sd**2, 0.0, 0.0), only, true, only_raters=many, note=ONE_PANEL)


def _check(goal: Goal, assumed: Assumptions) -> None:
    """Goals that no study can have."""
    spread, option = assumed.spread, f"--{goal.kind}"
    if goal.is_about_scores and not 0 < spread.item + spread.residual < math.inf:
        todo = Text("--sd를 주세요", "give --sd")
        found = Text("점수가 모두 같음", "all scores are the same")
        raise HaechiError.of(option, found, Text("흩어진 점수", "scores that differ"), todo)
    if goal.kind == "gate":
        limit, mean = goal.value or 0.0, assumed.mean
        if mean is None or mean <= limit:
            found = Text("기댓값 없음", "no expected mean") if mean is None else Text(f"{mean:g} ≤ {limit:g}")
            expected = Text(f"{limit:g}보다 큰 기대 평균", f"an expected mean above {limit:g}")
            todo = Text(
                "--mean으로 기대 평균을 주거나 한계를 낮추세요",
                "give the expected mean by --mean, or lower the limit",
            )
            raise HaechiError.of("--mean", found, expected, todo)
    elif goal.value is not None and not goal.value > 0:
        raise HaechiError.of(option, f"{goal.value:g}", Text("0보다 큰 수", "a number above 0"), _CORRECT)
    if goal.kind == "pass" and assumed.share in (0.0, 1.0):
        raise HaechiError.of("--share", f"{assumed.share:g}", Text("0과 1 사이", "between 0 and 1"), _CORRECT)
    if not 0 < goal.power < 1:
        raise HaechiError.of("--power", f"{goal.power:g}", Text("0과 1 사이", "between 0 and 1"), _CORRECT)


_CORRECT = Text("값을 고치세요", "correct the value")
