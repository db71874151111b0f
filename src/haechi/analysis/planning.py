"""A plan before a study: how many items and raters a goal takes, from assumptions or from a pilot study."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.stats.bootstrap import SEED
from haechi.stats.figure import Lang, Why
from haechi.stats.planning import (
    Spread,
    alt_test_items,
    alt_test_probability,
    gate_probability,
    items_for,
    mean_width,
    pass_variance,
    share_width,
    t_power,
    width_curve,
)
from haechi.text import Text

GoalKind = Literal["width", "difference", "gate", "share", "pass", "alt-test"]
_MOST_RATERS, _MOST_NEW_RATERS = 6, 40
_MOST_DESIGNS = 10
_PEOPLE = (3, 4, 5)
_ALMOST = 1 + 1e-12


@frozen
class Goal:
    """What a study shall reach.

    value: the width, the difference, the gate's limit or, of a share, the width of its interval; power: the probability
    to reach it; paired: whether a difference is one of pairs, whose scores correlate so much; lower: whether a gate asks
    for the lower end of the interval; k: of pass^k; new_raters: whether a width speaks for new raters too.
    """

    kind: GoalKind
    value: float | None = None
    score: str | None = None
    power: float = 0.8
    paired: bool = False
    correlation: float = 0.5
    lower: bool = False
    k: int = 1
    new_raters: bool = False

    @property
    def is_about_scores(self) -> bool:
        """Whether it rests on the spread of scores, and not on a share or on how often raters err."""
        return self.kind in ("width", "difference", "gate")

    def as_json(self) -> dict[str, Any]:
        """What belongs to this kind of goal."""
        said: dict[str, Any] = {"kind": self.kind}
        said |= (
            {}
            if self.value is None
            else {("limit" if self.kind == "gate" else _NAMES[self.kind]): self.value}
        )
        said |= {"score": self.score} if self.score else {}
        if self.kind in ("difference", "gate", "alt-test"):
            said["power"] = self.power
        if self.kind == "difference":
            said |= {"paired": self.paired} | ({"correlation": self.correlation} if self.paired else {})
        if self.kind == "gate":
            said["end"] = "lower" if self.lower else "mean"
        if self.kind == "pass":
            said["k"] = self.k
        if self.kind in ("width", "share", "pass"):
            said["confidence"] = 0.95
        if self.kind == "width":
            said["speaks_for"] = "new raters, new items" if self.new_raters else "these raters, new items"
        return said


_NAMES: dict[GoalKind, str] = {
    "width": "width",
    "difference": "difference",
    "share": "width",
    "pass": "width",
}


class Design(NamedTuple):
    """A study that reaches the goal: items (of a difference between groups in each group), raters, runs of a query."""

    items: int
    raters: int
    ratings: int
    width: float | None = None
    power: float | None = None
    repeats: int | None = None
    cost: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Items, raters, width and ratings; the rest where it belongs to the goal."""
        said = {"items": self.items, "raters": self.raters, "width": self.width, "ratings": self.ratings}
        more = {"power": self.power, "repeats": self.repeats, "cost": self.cost}
        return said | {name: value for name, value in more.items() if value is not None}


NO_SPREAD = Spread(0.0, 0.0, 0.0)


@frozen
class Assumptions:
    """What a plan rests on: the variances of one rating, the true mean, a share; `said` has it as it was given.

    spread: for a goal about scores; `NO_SPREAD` for a share or a test of judges, which ask for none.
    """

    spread: Spread
    said: Mapping[str, Any]
    mean: float | None = None
    share: float | None = None
    icc: float = 0.0
    human_error: float = 0.0
    judge_error: float = 0.0
    epsilon: float = 0.2
    only_raters: int | None = None
    note: Why | None = None


@frozen
class StudyPlan:
    """The designs that reach a goal, the cheapest first, and the best of them: with the raters asked for, else the cheapest."""

    goal: Goal
    assumed: Assumptions
    designs: tuple[Design, ...]
    best: Design

    @property
    def curve(self) -> dict[str, Any] | None:
        """The width of a mean's interval against the items, for some numbers of raters."""
        if not self.goal.is_about_scores:
            return None
        raters = sorted({one.raters for one in self.designs})
        items = items_around(self.best.items)
        widths = width_curve(self.assumed.spread, items, raters, self.goal.new_raters)
        shown = {str(many): [w if math.isfinite(w) else None for w in row] for many, row in widths.items()}
        return {"items": items, "widths": shown}

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The contract of `haechi plan --json`."""
        said: dict[str, Any] = {
            "goal": self.goal.as_json(),
            "assumed": dict(self.assumed.said),
            "designs": [one.as_json() for one in self.designs],
            "best": self.best.as_json(),
        }
        if self.curve:
            said["curve"] = self.curve
        return said | ({"note": self.assumed.note.say(lang)} if self.assumed.note else {})


def items_around(items: int) -> list[int]:
    """Some numbers of items, from a few to twice as many.

    >>> items_around(40)
    [3, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80]
    """
    return sorted({max(3, math.ceil(2 * items * part / 10)) for part in (0.0, *range(1, 11))})


def make_plan(
    goal: Goal,
    assumed: Assumptions,
    raters: int | None = None,
    cost_item: float = 0.0,
    cost_rating: float = 0.0,
    seed: int = SEED,
) -> StudyPlan:
    """The designs that reach a goal; refused with a sentence where none does.

    >>> assumed = Assumptions(Spread(0.864, 0, 0.576), {"sd": 1.2, "icc": 0.6})
    >>> plan = make_plan(Goal("width", 0.5), assumed, raters=3)
    >>> plan.best.items, plan.best.ratings, round(plan.best.width, 3)
    (68, 204, 0.497)
    """
    found = [one for one in map(_planner(goal, assumed, seed), _choices(goal, assumed, raters)) if one]
    if cost_item or cost_rating:
        found = [
            one._replace(cost=one.items * _groups(goal) * cost_item + one.ratings * cost_rating)
            for one in found
        ]
    designs = sorted(found, key=lambda one: (one.ratings if one.cost is None else one.cost, one.items))
    asked = [one for one in designs if raters is None or (one.repeats or one.raters) == raters]
    if not asked:
        raise _impossible(goal)
    shown = [*designs[:_MOST_DESIGNS], *([] if asked[0] in designs[:_MOST_DESIGNS] else [asked[0]])]
    return StudyPlan(goal, assumed, tuple(shown), asked[0])


def _groups(goal: Goal) -> int:
    """How many groups of items there are."""
    return 2 if goal.kind == "difference" else 1


def _choices(goal: Goal, assumed: Assumptions, raters: int | None) -> Sequence[int]:
    """The numbers of raters to try; of runs, where pass^k is the goal."""
    if goal.kind == "share":
        return [1]
    if goal.kind == "alt-test":
        return [raters] if raters else _PEOPLE
    if assumed.only_raters:
        return [assumed.only_raters]
    least = goal.k if goal.kind == "pass" else 1
    most = _MOST_NEW_RATERS if goal.new_raters else least + _MOST_RATERS - 1
    return range(least, max(raters + 2 if raters else 0, most) + 1)


def _planner(goal: Goal, assumed: Assumptions, seed: int) -> Callable[[int], Design | None]:
    """How a design with so many raters is found."""
    if goal.kind == "alt-test":
        return lambda people: _alt_test(goal, assumed, people, seed)
    if goal.kind in ("share", "pass"):
        return lambda runs: _runs(goal, assumed, runs)
    return lambda raters: _scores(goal, assumed, raters)


def _scores(goal: Goal, assumed: Assumptions, raters: int) -> Design | None:
    spread, value = assumed.spread, goal.value or 0.0
    sd = math.sqrt(spread.of_item(raters))

    def width(items: int) -> float:
        return mean_width(spread, items, raters, goal.new_raters)

    def power(items: int) -> float:
        if goal.kind == "gate":
            return gate_probability((assumed.mean or 0.0) - value, sd, items, goal.lower)
        paired = goal.paired
        of_one = sd * math.sqrt(2 * (1 - goal.correlation)) if paired else sd
        return t_power(value / of_one, items, 1 if paired else 2)

    if goal.kind == "width":
        items = items_for(lambda n: width(n) <= value * _ALMOST)
        return (items and Design(items, raters, items * raters, width(items))) or None
    items = items_for(lambda n: power(n) >= goal.power)
    if items is None:
        return None
    return Design(items, raters, items * raters * _groups(goal), width(items), power(items))


def _runs(goal: Goal, assumed: Assumptions, runs: int) -> Design | None:
    share, value = assumed.share or 0.0, goal.value or 0.0
    variance = 0.0 if goal.kind == "share" else pass_variance(share, assumed.icc, runs, goal.k)

    def width(items: int) -> float:
        if goal.kind == "share":
            return share_width(share, items)
        return mean_width(Spread(variance, 0.0, 0.0), items, 1)

    items = items_for(lambda n: width(n) <= value * _ALMOST)
    if items is None:
        return None
    return Design(items, 1, items * runs, width(items), repeats=runs if goal.kind == "pass" else None)


def _alt_test(goal: Goal, assumed: Assumptions, people: int, seed: int) -> Design | None:
    def power(items: int) -> float:
        errors = assumed.human_error, assumed.judge_error
        return alt_test_probability(people, items, *errors, assumed.epsilon, seed)

    items = alt_test_items(lambda n: power(n) >= goal.power)
    return (items and Design(items, people, items * (people + 1), None, power(items))) or None


def _impossible(goal: Goal) -> HaechiError:
    found = {
        "width": Text(
            "항목을 아무리 늘려도 이 폭에 이르지 않습니다",
            "no number of items makes the interval so narrow",
        ),
        "alt-test": Text(
            "항목 2,000개로도 이 확률에 이르지 않습니다", "not even 2,000 items reach that probability"
        ),
    }.get(
        goal.kind,
        Text("항목 1,000만 개로도 이 목표에 이르지 않습니다", "not even 10 million items reach this goal"),
    )
    todo = (
        Text(
            "새 평가자까지 말하려면 평가자를 더 늘리거나 폭을 넓히세요",
            "take more raters, or a wider interval",
        )
        if goal.new_raters
        else Text("목표를 낮추거나 가정을 다시 보세요", "lower the goal, or look at the assumptions again")
    )
    return HaechiError.of(
        f"--{goal.kind}", found, Text("이룰 수 있는 목표", "a goal that can be reached"), todo
    )
