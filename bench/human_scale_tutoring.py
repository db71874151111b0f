"""Tutoring as it really is, and agent runs: sessions of a student hang together, judges err together, some runs fail by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench.coverage import Case, Random
from haechi import stats

SESSIONS, STUDENTS, CRITERIA = 284, 58, 8
QAC, ONE = (8.0, 40.0), (1.0, 5.0)
RUNS, QUERIES = 200, 60


@dataclass(frozen=True)
class Tutoring:
    """(sessions, raters, criteria) what two teachers and three judges gave, (sessions,) whose session, and in which mode."""

    people: np.ndarray
    judges: np.ndarray
    student: np.ndarray
    mode: np.ndarray


def tutoring(random: Random, n: int = SESSIONS, students: int = STUDENTS) -> Tutoring:
    """Eight criteria from 1 to 5: teachers with an ICC of .55, judges 3.5, 4.6 and 6 of 40 above them that correlate by .94."""
    weights = random.dirichlet(np.full(students, 1.5)) if students < n else np.full(students, 1 / students)
    student, mode = random.choice(students, n, p=weights), random.integers(0, 2, n)
    common = random.normal(0, 0.45, students)[student] + random.normal(0, 0.5, n) + 0.25 * mode
    quality = common[:, None] + random.normal(0, 0.45, (n, CRITERIA)) + np.linspace(-0.3, 0.3, CRITERIA)
    halo, noise = random.normal(0, 0.55, (n, 2, 1)), random.normal(0, 0.8, (n, 2, CRITERIA))
    people = 3 + quality[:, None, :] + halo + np.array([0.1, -0.1])[None, :, None] + noise
    shared = random.normal(0, 0.35, (n, 1, 1)) + random.normal(0, 0.3, (n, 1, CRITERIA))
    shared = shared + random.normal(0, 0.2, students)[student][:, None, None]
    lenient, own = np.array([0.48, 0.62, 0.8])[None, :, None], random.normal(0, 0.35, (n, 3, CRITERIA))
    judges = 3 + 0.7 * quality[:, None, :] + shared + lenient + own
    return Tutoring(*(np.clip(np.rint(one), *ONE) for one in (people, judges)), student, mode)


@cache
def _very_many() -> tuple[np.ndarray, np.ndarray]:
    """(sessions, criteria) the teachers' means and (sessions,) the modes of very many sessions, a student each."""
    found = tutoring(np.random.default_rng(1), 300_000, 300_000)
    return found.people.mean(axis=1), found.mode


def _of(total: Callable[[np.ndarray, np.ndarray], float]) -> Callable[[], float]:
    return lambda: total(*_very_many())


def cases() -> Iterator[Case]:
    """Every figure that a study of this kind shows, from 25, 40 and 60 sessions that teachers rated; and of agent runs."""
    words = f"{SESSIONS} tutoring sessions of {STUDENTS} students"
    for n in (25, 40, 60):
        yield Case("mean people would give", f"{words}; n = {n}", _total(n), _of(lambda y, _: float(y.sum(1).mean())), 0.94)  # fmt: skip
        yield Case("mean people would give", f"{words}, one criterion; n = {n}", _criterion(n), _of(lambda y, _: float(y[:, 0].mean())), 0.94)  # fmt: skip
        yield Case("pass rate of people", f"{words}, at least 24; n = {n}", _passed(n, 24), _of(lambda y, _: float((y.sum(1) >= 24).mean())), 0.94)  # fmt: skip
        yield Case("pass rate of people", f"{words}, at least 34; n = {n}", _passed(n, 34), _of(lambda y, _: float((y.sum(1) >= 34).mean())), 0.93)  # fmt: skip
    for n in (40, 60):
        yield Case("mean people would give", f"{words}, one of two modes; n = {n} of both", _group(n), _of(lambda y, m: float(y[m == 0].sum(1).mean())), 0.94)  # fmt: skip
        yield Case("difference of two systems", f"{words}, two modes; n = {n} of both", _difference(n), _of(lambda y, m: float(y[m == 0].sum(1).mean() - y[m == 1].sum(1).mean())), 0.94)  # fmt: skip
    for n in (25, 40):
        yield Case("mean people would give", f"{RUNS} agent runs of {QUERIES} queries, 12 % fail by rule; n = {n}", _runs(n), _runs_truth, 0.94)  # fmt: skip


def _drawn(found: Tutoring, random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """What teachers gave a random part, and the chance of every session."""
    people = found.people.copy()
    people[random.permutation(len(people))[n:]] = np.nan
    return people, np.full(len(people), n / len(people))


def _total(n: int) -> Callable[[Random], stats.Figure]:
    def draw(random: Random) -> stats.Figure:
        found = tutoring(random)
        people, chance = _drawn(found, random, n)
        sums = people.sum(2), found.judges.sum(2)
        return stats.human_scale_mean(*sums, chance, QAC, found.student).mean

    return draw


def _criterion(n: int) -> Callable[[Random], stats.Figure]:
    def draw(random: Random) -> stats.Figure:
        found = tutoring(random)
        people, chance = _drawn(found, random, n)
        one = people[:, :, 0], found.judges[:, :, 0]
        return stats.human_scale_mean(*one, chance, ONE, found.student).mean

    return draw


def _passed(n: int, at_least: float) -> Callable[[Random], stats.Figure]:
    def draw(random: Random) -> stats.Figure:
        found = tutoring(random)
        people, chance = _drawn(found, random, n)
        sums = people.sum(2), found.judges.sum(2)
        return stats.human_pass_rate(*sums, at_least, chance, found.student).mean

    return draw


def _groups(random: Random, n: int) -> list[stats.HumanScale]:
    found = tutoring(random)
    people, chance = _drawn(found, random, n)
    sides = []
    for mode in (0, 1):
        own = found.mode == mode
        codes = np.unique(found.student[own], return_inverse=True)[1]
        sums = people[own].sum(2), found.judges[own].sum(2)
        sides.append(stats.human_scale_mean(*sums, chance[own], QAC, codes))
    return sides


def _group(n: int) -> Callable[[Random], stats.Figure]:
    return lambda random: _groups(random, n)[0].mean


def _difference(n: int) -> Callable[[Random], stats.Figure]:
    def draw(random: Random) -> stats.Figure:
        one, other = _groups(random, n)
        return stats.human_scale_difference(one, other, QAC)

    return draw


def _agent(random: Random, runs: int, queries: int) -> tuple[np.ndarray, ...]:
    """(runs,) which failed, of which query; what two people and a kind judge gave from 0 to 5."""
    query = random.integers(0, queries, runs)
    bad = random.beta(0.6, 4.4, queries)[query]
    quality = random.normal(3.2, 0.8, runs) + random.normal(0, 0.5, queries)[query]
    people = quality[:, None] + random.normal(0, 0.6, (runs, 2))
    judge = quality + 0.9 + random.normal(0, 0.5, runs)
    given = [np.clip(np.rint(one), 0, 5) for one in (people, judge)]
    return random.random(runs) < bad, query, *given


@cache
def _runs_truth() -> float:
    failed, _, people, _ = _agent(np.random.default_rng(1), 300_000, 300_000)
    return float(np.where(failed, 0, people.mean(axis=1)).mean())


def _runs(n: int) -> Callable[[Random], stats.Figure]:
    def draw(random: Random) -> stats.Figure:
        failed, query, people, judge = _agent(random, RUNS, QUERIES)
        people[failed] = np.nan
        people[random.permutation(RUNS)[n:]] = np.nan
        chance, by_rule = np.full(RUNS, n / RUNS), np.where(failed, 0.0, np.nan)
        return stats.human_scale_mean(people, judge, chance, (0.0, 5.0), query, by_rule).mean

    return draw
