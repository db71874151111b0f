"""How many ratings a desk asks people for until the mean is known as closely as wanted, and whether its interval holds.

Real-like tutoring sessions (two teachers with an ICC of about .56, three judges 5 of 40 too high that err together), four ways to ask:
every session drawn alike and rated by both teachers; by one of them; the same with the judges' help; and as the desk
does with `--until`. All stop by the same rule, looked at after every few ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.coverage import SEED, Random
from bench.human_scale import QAC, sessions
from haechi.stats.human_scale import HumanScale, human_scale_mean
from haechi.stats.item_draws import FIRST, always_valid, inclusion_of_draws, next_chances

RUNS = 200
EVERY = 5
WAYS = ("both teachers, people alone", "one teacher, people alone", "one teacher, judges help", "the desk")


@dataclass(frozen=True)
class Desk:
    """A study to ask about: how many items, the goal ±, and how much harder some sessions are than others."""

    items: int
    goal: float
    ambiguity: float

    @property
    def words(self) -> str:
        """For the table."""
        alike = {0.0: "all alike", 0.5: "some harder", 0.8: "some much harder"}[self.ambiguity]
        return f"{self.items} sessions, ±{self.goal:g}, {alike}"


@dataclass(frozen=True)
class Asked:
    """One desk to its end: the ratings, whether the last interval held, and whether all did that were looked at."""

    ratings: int
    held: bool
    always: bool
    error: float


DESKS = tuple(
    Desk(items, goal, ambiguity) for items, goal in ((150, 1.5), (300, 1.0)) for ambiguity in (0.0, 0.5, 0.8)
)


def ask(desk: Desk, way: str, random: Random) -> Asked:
    """Draw, rate, look, until the interval is as narrow as wanted."""
    people, judges = sessions(random, desk.items, 5.0, 0.7, desk.ambiguity)
    truth = float(people.mean())
    rated = np.full(people.shape, np.nan)
    drawn = np.zeros(desk.items, dtype=bool)
    order: list[int] = []
    chances: list[float] = []
    chance = next_chances(judges, rated, drawn) if way == WAYS[3] else None
    always = True
    while True:
        q = (~drawn) / (~drawn).sum() if chance is None else np.where(drawn, 0.0, chance)
        q = q / q.sum()
        item = int(random.choice(desk.items, p=q))
        who = slice(None) if way == WAYS[0] else (len(order) + 1) % 2
        rated[item, who] = people[item, who]
        drawn[item] = True
        order.append(item)
        chances.append(float(q[item]))
        if len(order) < FIRST or (len(order) % EVERY and len(order) < desk.items):
            continue
        found, probability = _look(way, rated, judges, order, chances)
        looked = always_valid(found, desk.goal, QAC).these_items
        if looked.ci95 is None:  # everything is rated
            return Asked(int((~np.isnan(rated)).sum()), True, always, 0.0)
        held = looked.ci95[0] <= truth <= looked.ci95[1]
        always = always and held
        if looked.details["reached"] or drawn.all():
            return Asked(int((~np.isnan(rated)).sum()), held, always, float(looked) - truth)
        if chance is not None:
            chance = next_chances(judges, rated, drawn, probability)


def _look(
    way: str, rated: np.ndarray, judges: np.ndarray, order: Sequence[int], chances: Sequence[float]
) -> tuple[HumanScale, np.ndarray]:
    probability = np.full(len(rated), np.nan)
    probability[list(order)] = inclusion_of_draws(chances, len(rated))
    f = np.zeros(len(rated)) if "alone" in way else judges
    return human_scale_mean(rated, f, probability, QAC), probability


def follow(desk: Desk, way: str, runs: int = RUNS) -> list[Asked]:
    """One desk in one way, so often; the same seed for all ways."""
    random = np.random.default_rng([SEED, desk.items, int(10 * desk.ambiguity)])
    return [ask(desk, way, random) for _ in range(runs)]


HEAD = """\
| study | way of asking | ratings | of the first way, % | last interval holds, % | all that were looked at hold, % |
|---|---|---:|---:|---:|---:|"""


def table(runs: int = RUNS) -> str:
    """Every desk in every way, as Markdown; printed line by line on the way."""
    lines = [HEAD]
    for desk in DESKS:
        first = 0.0
        for way in WAYS:
            asked = follow(desk, way, runs)
            ratings = mean_ratings(asked)
            first = first or ratings
            held, always = (
                100 * np.mean([getattr(one, name) for one in asked]) for name in ("held", "always")
            )
            lines.append(
                f"| {desk.words} | {way} | {ratings:.0f} | {100 * ratings / first:.0f} | {held:.1f} | {always:.1f} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines)


def mean_ratings(asked: Sequence[Asked]) -> float:
    """How many ratings were asked for, in the mean."""
    return float(np.mean([one.ratings for one in asked]))
