"""The desk that asks people only what matters: the next item is drawn by what it tells, until enough is known."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from haechi.data.random_part import read_goal
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.korean.particles import particle
from haechi.rubrics import Rubric
from haechi.stats.figure import Figure
from haechi.stats.human_scale import HumanScale
from haechi.stats.item_draws import FIRST, inclusion_of_draws, items_alone, next_chances
from haechi.store.connection import Connection
from haechi.store.draws import (
    Draw,
    begin_draw,
    count_drawable,
    drawable,
    keep_drawn,
    last_draw,
)
from haechi.study.study import Study
from haechi.text import Text

_AHEAD = 2  # items that a rater holds at most: every answer may change what is asked next
_EVERY = 3  # so many new ratings make it worth while to look again


def goal_of(rubric: Rubric) -> str:
    """A goal as it may be written for a rubric: its main score to a twentieth of its range.

    >>> import haechi
    >>> goal_of(haechi.rubric("diary-comment")), goal_of(haechi.rubric("maice-qac"))
    ('mean3=±0.05', 'total=±1.6')
    """
    name = rubric.main_score(rubric.score_names)
    low, high = rubric.range(name)
    return f"{name}=±{(high - low) / 20:.2g}"


def check_goal(study: Study, goal: str | None) -> None:
    """Refuse a goal that cannot be reached or understood, before anybody is asked."""
    if goal is None:
        return
    names = study.rubric.score_names
    expected = Text(
        f"점수=±폭의 절반(예: {goal_of(study.rubric)})", f"SCORE=±HALF, such as {goal_of(study.rubric)}"
    )
    todo = Text("--until을 고치세요", "correct --until")
    try:
        name, half = read_goal(goal)
    except ValueError:
        raise HaechiError.of("--until", goal, expected, todo) from None
    if name not in names:
        expected = Text(f"다음 중 하나: {', '.join(names)}", f"one of {', '.join(names)}")
        raise HaechiError.of("--until", name, expected, todo)
    low, high = study.rubric.range(name)
    if not 0 < half < (high - low) / 2:
        expected = Text(
            f"0보다 크고 {(high - low) / 2:g}보다 작은 수", f"more than 0, less than {(high - low) / 2:g}"
        )
        raise HaechiError.of("--until", f"{half:g}", expected, todo)
    if study.rubric.item == "run":
        found = Text("에이전트 실행의 루브릭", "a rubric for agent runs")
        expected = Text("대화나 답변의 루브릭", "a rubric for dialogues or replies")
        todo = Text("haechi draw로 뽑아 사람에게 물으세요", "draw runs for people with haechi draw instead")
        raise HaechiError.of("--until", found, expected, todo)
    if "ai" not in study.all_ratings()["kind"].unique():
        found = Text("AI 평가가 없음", "no ratings by AI judges")
        expected = Text("AI 평가자가 먼저 평가한 스터디", "a study that AI judges have rated")
        todo = Text("haechi judge로 먼저 평가하세요", "let AI judges rate first, with haechi judge")
        raise HaechiError.of("--until", found, expected, todo)


@frozen
class AdaptiveProgress:
    """How far the asking is: the mean with the interval to look at, the human ratings so far, and what they saved.

    alone: how many items people would have had to rate without judges and without choosing, for as much.
    """

    score: str
    goal: float
    mean: Figure
    ratings: int
    items: int
    alone: float | None

    @property
    def reached(self) -> bool:
        """Whether nobody has to be asked any more."""
        return bool(self.mean.details.get("reached", False))


@frozen
class _Seen:
    """What was known at the last look: the items, what judges and people gave them, and the estimate."""

    goal: str
    finished: int
    items: tuple[str, ...]
    judges: Any
    people: Any
    standing: AdaptiveProgress


class AdaptiveDesk:
    """Draws the next item for whoever comes; safe to use from many threads."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lock = threading.Lock()
        self._seen: _Seen | None = None

    def standing(self, goal: str | None) -> AdaptiveProgress | None:
        """How far it is, as of now; None where nothing is asked for."""
        return None if goal is None else self.look(goal, every=1).standing

    def look(self, goal: str, every: int = _EVERY) -> _Seen:
        """Estimate anew, if enough ratings have come since the last time."""
        with self._lock:
            with self._study.database.read() as connection:
                finished = _finished(connection)
                there = count_drawable(connection)
            seen = self._seen
            if (
                seen is None
                or seen.goal != goal
                or len(seen.items) != there
                or abs(finished - seen.finished) >= every
            ):
                self._seen = seen = self._look(goal, finished)
            return seen

    def _look(self, goal: str, finished: int) -> _Seen:
        name, half = read_goal(goal)
        with self._study.database.read() as connection:
            items = tuple(drawable(connection))
        human = self._study.scores().human
        found = human.panels(name)
        place = {item: at for at, item in enumerate(found.items)}
        at = [place.get(item, -1) for item in items]
        people, judges = (
            np.vstack([side, np.full(side.shape[1], np.nan)])[at] for side in (found.people, found.judges)
        )
        estimate: HumanScale = human[name]
        ratings = int((~np.isnan(people)).sum())
        standing = AdaptiveProgress(
            name, half, estimate.these_items, ratings, estimate.n_human, items_alone(estimate)
        )
        return _Seen(goal, finished, items, judges, people, standing)

    def draw(self, connection: Connection, rater: str, goal: str, seed: int) -> None:
        """Make sure that a rater has something to do, unless enough is known: draw items, each with its chance."""
        seen = self._seen
        if seen is None or seen.goal != goal or seen.standing.reached:
            return
        connection.alone()  # two who ask at once do not draw the same item
        draw = self._current(connection, goal, seed, len(seen.items))
        waiting = _waiting(connection, rater, draw.number)
        drawn = set(draw.item_ids)
        known = np.array([item in drawn for item in seen.items])
        rated = ~np.isnan(seen.people).all(axis=1)
        position, probability = len(drawn), self._probability(seen, draw)
        while waiting < _AHEAD and not known.all():
            chances = next_chances(seen.judges, seen.people, known, probability)
            # Which item comes next is no secret; the same seed draws the same again.
            at = int(np.random.default_rng([seed, draw.number, position]).choice(len(known), p=chances))
            who = None if rated[at] else rater  # what is rated already counts, and nobody is asked again
            keep_drawn(connection, draw.number, [(seen.items[at], float(chances[at]))], position, who)
            known[at] = True
            position += 1
            waiting += who is not None

    def _probability(self, seen: _Seen, draw: Draw) -> Any:
        """With which probability the items drawn before came in; what was rated without a draw is not looked at."""
        found = np.full(len(seen.items), 1.0)
        if draw.drawn:
            place = {item: at for at, item in enumerate(seen.items)}
            chances = inclusion_of_draws([chance for _, chance in draw.drawn], draw.items)
            for (item, _), chance in zip(draw.drawn, chances, strict=True):
                if item in place:
                    found[place[item]] = max(float(chance), 1e-6)
        return found

    def _current(self, connection: Connection, goal: str, seed: int, items: int) -> Draw:
        """The draw that goes on; a new one where there is none of this kind, or other items are to be drawn from."""
        known = last_draw(connection)
        if known is not None and known.how == "until" and known.items == items and known.goal == goal:
            return known
        number = begin_draw(connection, "until", items, seed, goal=goal)
        if known is not None and known.how == "until" and known.items == items:
            # Another goal: what was drawn on the way to the former one was drawn all the same.
            connection.execute(
                """INSERT INTO drawn_items (draw, position, item, rater, chance, at)
                SELECT :number, position, item, rater, chance, at FROM drawn_items WHERE draw = :before""",
                number=number,
                before=known.number,
            )
        found = last_draw(connection)
        if found is None:
            raise LookupError("a draw that has just begun is there")
        return found


def _finished(connection: Connection) -> int:
    """How many items raters have finished; imported ratings count by their number."""
    own = connection.value("SELECT count(*) FROM assignments WHERE kind = 'item' AND finished IS NOT NULL")
    return int(own) + int(connection.value("SELECT count(*) FROM imports"))


def _waiting(connection: Connection, rater: str, draw: int) -> int:
    """How many items were drawn for a rater that they have still to rate."""
    return int(
        connection.value(
            """SELECT count(*) FROM drawn_items WHERE draw = :draw AND rater = :rater AND item NOT IN (
            SELECT item FROM assignments WHERE rater = :rater AND (finished IS NOT NULL OR skipped IS NOT NULL))""",
            draw=draw,
            rater=rater,
        )
    )


def words_of(standing: AdaptiveProgress, label: str) -> list[Text]:
    """How far the asking is, in sentences for the owner.

    >>> from haechi.stats.figure import Figure
    >>> mean = Figure(24.6, 120, (23.2, 26.0), details={"reached": False, "half_width": 1.4})
    >>> [one.en for one in words_of(AdaptiveProgress("total", 1.0, mean, 37, 37, 61.0), "Total")]
    ['People are asked until Total of these items is known to within ±1. Now it is 24.60 ±1.40, after 37 ratings.']
    """
    goal, n = f"±{standing.goal:g}", standing.ratings
    if standing.mean.value is None or "half_width" not in standing.mean.details:
        return [
            Text(
                f"이 항목들의 {label}{particle(label, '을/를')} {goal} 안에서 알 때까지 사람에게 묻습니다. 지금까지 평가 {n:,}건. 처음 {FIRST}개를 평가하면 값을 볼 수 있습니다.",
                f"People are asked until {label} of these items is known to within {goal}. {n:,} ratings so far; the first figure comes "
                f"after {FIRST} items.",
            )
        ]
    now = f"{standing.mean.value:.2f} ±{standing.mean.details['half_width']:.2f}"
    if not standing.reached:
        return [
            Text(
                f"이 항목들의 {label}{particle(label, '을/를')} {goal} 안에서 알 때까지 사람에게 묻습니다. 지금은 평가 {n:,}건으로 {now}입니다.",
                f"People are asked until {label} of these items is known to within {goal}. Now it is {now}, after {n:,} ratings.",
            )
        ]
    said = [
        Text(
            f"목표에 이르러 더 묻지 않습니다: 사람이 모두 평가했다면 이 항목들의 {label}{particle(label, '은/는')} {now}입니다(사람 평가 {n:,}건).",
            f"The goal is reached and nobody is asked any more: had people rated everything, {label} of these items would be {now} "
            f"({n:,} human ratings).",
        )
    ]
    if standing.alone is not None and standing.alone > standing.items:
        alone = round(standing.alone)
        said.append(
            Text(
                f"AI 평가 없이 고르게 뽑아 이만큼 알려면 항목 {alone:,}개를 평가해야 했을 것입니다. {alone - standing.items:,}개를 덜 물었습니다.",
                f"Without judges, and with items drawn alike, people would have had to rate {alone:,} items: {alone - standing.items:,} more.",
            )
        )
    return said
