"""How often the interval of the number people would have given holds: people rate a random part, judges everything.

`python -m bench human_scale` draws 1,000 samples of every design, follows 200 rating desks of each kind, and writes
`docs/statistics/human-scale-measured.md`; with a number it draws so many and prints the tables. The slow suite asserts
what is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from bench import human_scale_tutoring
from bench.coverage import MANY, SEED, Case, Random, simulate, table
from haechi import stats
from haechi.stats.mean_interval import Bounds

PAGE = Path(__file__).parents[1] / "docs" / "statistics" / "human-scale-measured.md"
ITEMS = 300
RUNS = 1_000
QAC = (8.0, 40.0)


@dataclass(frozen=True)
class World:
    """Where ratings come from: people (items, raters) and judges (items, judges) of so many items, and the scale."""

    words: str
    draw: Callable[[Random, int], tuple[np.ndarray, np.ndarray]]
    bounds: Bounds | None = None

    @cache  # noqa: B019 - the worlds are few, and stay
    def truth(self) -> float:
        """The mean of people over very many items."""
        return float(self.draw(np.random.default_rng(1), MANY)[0].mean())


def normal(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers without ends; the judge sees the same quality with noise, a little above."""
    quality = random.normal(3, 1, (n, 1))
    return quality + random.normal(0, 0.5, (n, 1)), quality + random.normal(0.3, 0.7, (n, 1))


def sessions(
    random: Random, n: int, shift: float = 5.0, slope: float = 0.7, ambiguity: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Tutoring sessions from 8 to 40: two teachers with an ICC of about .56 and three judges that err together.

    ambiguity: how much harder to judge some sessions are than others, for people and judges alike (0: all the same).
    """
    quality = random.normal(24, 5, (n, 1))
    hard = np.exp(random.normal(-(ambiguity**2), ambiguity, (n, 1)))
    people = quality + hard * random.normal(0, 4.2, (n, 2)) + np.array([0.8, -0.8])
    common = 24 + slope * (quality - 24) + shift + hard * random.normal(0, 2.2, (n, 1))
    judges = common + hard * random.normal(0, 1.8, (n, 3)) + np.array([1.0, 0.0, -1.0])
    return np.clip(np.rint(people), *QAC), np.clip(np.rint(judges), *QAC)


def likert(random: Random, n: int, middle: float = 4.5, raters: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Five points near the top, where half of what people give is a five; judges give more still."""
    quality = random.normal(middle, 1, (n, 1))
    people = np.clip(np.rint(quality + random.normal(0, 0.6, (n, raters))), 1, 5)
    return people, np.clip(np.rint(quality + 0.5 + random.normal(0, 0.8, (n, 3))), 1, 5)


def yes_no(
    random: Random, n: int, share: float = 0.1, hit: float = 0.8, reject: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Yes or no: of those that people say yes to the judge finds so many, and of the others it rejects so many."""
    people = random.random((n, 1)) < share
    judge = np.where(people, random.random((n, 1)) < hit, random.random((n, 1)) >= reject)
    return people.astype(float), judge.astype(float)


def weak(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A judge that hardly sees what people see."""
    quality = random.normal(24, 5, (n, 1))
    judge = 30 + 0.15 * (quality - 24) + random.normal(0, 4, (n, 1))
    return np.clip(np.rint(quality + random.normal(0, 3, (n, 1))), *QAC), np.clip(np.rint(judge), *QAC)


WORLDS = (
    World("normal values, r = .73", normal),
    World("8–40, judges 5 too high, slope .7", sessions, QAC),
    World("8–40, judges 6 too high, slope 1.4", lambda r, n: sessions(r, n, 6.0, 1.4), QAC),
    World("8–40, judges 4 too low, some sessions hard", lambda r, n: sessions(r, n, -4.0, 0.8, 0.5), QAC),
    World("8–40, a judge that sees next to nothing", weak, QAC),
    World("1–5, near the top", likert, (1.0, 5.0)),
    World("1–5, in the middle, two raters", lambda r, n: likert(r, n, 3.0, 2), (1.0, 5.0)),
    World("yes in 10 %, hit .80, rejected .95", yes_no, (0.0, 1.0)),
    World("yes in 10 %, hit 1.00, rejected .95", lambda r, n: yes_no(r, n, 0.1, 1.0), (0.0, 1.0)),
    World("yes in 10 %, hit .60, rejected 1.00", lambda r, n: yes_no(r, n, 0.1, 0.6, 1.0), (0.0, 1.0)),
    World("yes in 60 %, hit .85, rejected .80", lambda r, n: yes_no(r, n, 0.6, 0.85, 0.8), (0.0, 1.0)),
)


@cache
def _demo() -> tuple[np.ndarray, np.ndarray]:
    """The sessions of the demo: the totals of two teachers, and of three judges."""
    import tempfile

    from haechi.demo import make_studies

    with tempfile.TemporaryDirectory() as folder:
        study = next(one for one in make_studies(Path(folder) / "demo") if one.rubric.id == "maice-qac")
        totals = study.scores().frame.pivot("rater", index="item", values="total").drop_nulls()
    judges = [name for name in totals.columns if name not in ("item", "teacher-1", "teacher-2")]
    return totals["teacher-1", "teacher-2"].to_numpy(), totals[judges].to_numpy()


def resampled(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Sessions of the demo drawn again and again; every rating is moved by about a point, as no two sessions are the same."""
    at = random.integers(len(_demo()[0]), size=n)
    moved = [np.rint(one[at] + random.normal(0, 1.2, one[at].shape)) for one in _demo()]
    return np.clip(moved[0], *QAC), np.clip(moved[1], *QAC)


def fixed_set(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same doubly rated sessions each time, in another order: only which of them people rated differs."""
    people, judges = sessions(np.random.default_rng(SEED), n, 5.0, 0.7, 0.5)
    order = random.permutation(n)
    return people[order], judges[order]


RESAMPLED = World("doubly rated sessions of the demo, resampled", resampled, QAC)
FIXED = World("300 doubly rated sessions, another part each time", fixed_set, QAC)


def part_of(people: np.ndarray, n: int) -> np.ndarray:
    """What people gave the first n items, nothing else; items come in random order."""
    rated = people.copy()
    rated[n:] = np.nan
    return rated


def cases() -> Iterator[Case]:
    """Every interval in every design."""
    for world in WORLDS:
        share = world.bounds == (0.0, 1.0)
        for n in (10, 15, 25, 50, 100):
            if not share or n >= 25:
                yield _mean(world, n, 1.0 if share or n < 25 else 0.965)
    for world in (WORLDS[1], WORLDS[5], RESAMPLED, FIXED):
        yield _these_items(world, 25)
    yield _mean(RESAMPLED, 25, 0.97)
    yield from _other_designs()
    yield from human_scale_tutoring.cases()


def _mean(world: World, n: int, highest: float) -> Case:
    def draw(random: Random) -> stats.Figure:
        people, judges = world.draw(random, ITEMS)
        return stats.human_scale_mean(part_of(people, n), judges, bounds=world.bounds).mean

    return Case("mean people would give", f"{world.words}; n = {n}", draw, world.truth, 0.94, highest)


def _these_items(world: World, n: int) -> Case:
    def draw(random: Random) -> stats.Figure:
        people, judges = world.draw(random, ITEMS)
        found = stats.human_scale_mean(part_of(people, n), judges, bounds=world.bounds).these_items
        return beside(found, float(people.mean()))

    return Case("the same for these items", f"{world.words}; n = {n}", draw, 0.0, 0.94)


def beside(found: stats.Figure, truth: float) -> stats.Figure:
    """A figure as its distance from a truth that differs from sample to sample."""
    if found.value is None or found.ci95 is None:
        return found
    return stats.Figure(found.value - truth, found.n, (found.ci95[0] - truth, found.ci95[1] - truth))


def _other_designs() -> Iterator[Case]:
    def one_each(random: Random) -> stats.Figure:
        people, judges = sessions(random, ITEMS)
        people[np.arange(ITEMS), np.arange(ITEMS) % 2] = np.nan
        return stats.human_scale_mean(part_of(people, 30), judges, bounds=QAC).mean

    def unequal(random: Random) -> stats.Figure:
        people, judges = sessions(random, ITEMS, -4.0, 0.8, 0.5)
        size = 1 + judges.std(axis=1)
        chance = 30 * size / size.sum()
        people[random.random(ITEMS) >= chance] = np.nan
        return stats.human_scale_mean(people, judges, chance, QAC).mean

    def students(random: Random) -> stats.Figure:
        student = np.arange(ITEMS) % 60
        people = random.normal(24, 3, 60)[student][:, None] + random.normal(0, 4, (ITEMS, 1))
        judge = people + random.normal(0, 2, 60)[student][:, None] + random.normal(5, 3, (ITEMS, 1))
        people[random.permutation(ITEMS)[40:]] = np.nan
        return stats.human_scale_mean(people, judge, clusters=student).mean

    yield Case("mean people would give", "five sessions of each of 60 students; n = 40", students, 24.0, 0.93)
    truth = World("", sessions).truth
    uneven = World("", lambda r, n: sessions(r, n, -4.0, 0.8, 0.5)).truth
    yield Case("mean people would give", "8–40, one of two teachers per item; n = 30", one_each, truth, 0.94)
    yield Case("mean people would give", "8–40, chance by the judges' spread; n ≈ 30", unequal, uneven, 0.94)
    for raters in (2, 3, 5):
        yield _new_raters(raters)
    yield from _differences()

    def passed(random: Random) -> stats.Figure:
        people, judges = sessions(random, ITEMS)
        return stats.human_pass_rate(part_of(people, 50), judges, 24).mean

    def share() -> float:
        return float((sessions(np.random.default_rng(1), MANY)[0].mean(axis=1) >= 24).mean())

    yield Case("pass rate of people", "8–40, at least 24; n = 50", passed, share, 0.94)


def _new_raters(raters: int) -> Case:
    """Raters are a sample: their severities differ by 2 of 40, and another study would have others."""

    def draw(random: Random) -> stats.Figure:
        quality = random.normal(24, 4, (ITEMS, 1))
        people = quality + random.normal(0, 2, (1, raters)) + random.normal(0, 3, (ITEMS, raters))
        judge = quality + 5 + random.normal(0, 2.5, (ITEMS, 1))
        return stats.human_scale_mean(part_of(people, 25), judge).new_raters

    return Case(
        "mean people like these would give", f"{raters} raters, severities ± 2; n = 25", draw, 24.0, 0.94
    )


def _differences() -> Iterator[Case]:
    def unpaired(random: Random) -> stats.Figure:
        found = []
        for shift in (2.0, 0.0):
            people, judges = sessions(random, ITEMS)
            found.append(stats.human_scale_mean(part_of(people + shift, 25), judges + 1.5 * shift))
        return stats.human_scale_difference(*found)

    def paired(random: Random) -> stats.Figure:
        question = random.normal(24, 4, (ITEMS, 1))
        sides = []
        for shift in (2.0, 0.0):
            quality = question + shift + random.normal(0, 2, (ITEMS, 1))
            people = quality + random.normal(0, 3, (ITEMS, 2))
            sides.append((part_of(people, 25), quality + 5 + 0.5 * shift + random.normal(0, 2.5, (ITEMS, 1))))
        return stats.human_scale_paired(sides[0], sides[1]).mean

    yield Case("difference of two systems", "other items; n = 25 each", unpaired, 2.0, 0.94)
    yield Case("difference of two systems", "the same questions; n = 25", paired, 2.0, 0.94)


TOP = """\
# The number people would have given: measured

[한국어](human-scale-measured.ko.md)

Written by `python -m bench human_scale` (seed {seed}); [human-scale.md](human-scale.md) says what it is about. `make
test-slow` draws the same samples and fails when a share is not as wanted, give or take three standard errors of the
simulation.

## Do the intervals hold?
{items} items are judged, people rate a random part of n. Of {runs:,} samples of every design: how often the 95 % interval
contains the truth, and how wide it is.

```python
>>> import numpy as np
>>> from haechi import stats
>>> judge = np.arange(300) % 30 + 10.0                       # a judge, 5 too high
>>> human = np.where(np.arange(300) < 25, judge - 5 + np.arange(300) % 4, np.nan)
>>> stats.human_scale_mean(human, judge, bounds=(8, 40)).mean
20.64 [19.51, 21.80]

```

"""
ASKING = """
## How many ratings does the desk ask for?
Sessions as real ones are: two teachers with an ICC of about .56, three judges 5 of 40 points too high that err together.
{runs} studies are followed of each kind. Every way stops by the same rule, and its interval is looked at after every few
ratings. *People alone* do not look at the judges. *The desk* is `haechi serve --until`: one teacher per session, the
judges help, and sessions are drawn by what they tell. The last column asks most: that no interval anybody saw was wrong.

"""


def main(arguments: Sequence[str] = ()) -> None:
    """Print the tables; with the usual number of samples, write the page."""
    from bench import asking_people

    runs = int(arguments[0]) if arguments else RUNS
    found = []
    for case in cases():
        found.append(simulate(case, runs))
        mark = "" if found[-1].is_as_wanted() else "   ← not as wanted"
        print(table(found[-1:]).splitlines()[-1] + mark, flush=True)
    desks = max(2, asking_people.RUNS * runs // RUNS)
    asked = asking_people.table(desks)
    if runs == RUNS:
        top = TOP.format(seed=SEED, items=ITEMS, runs=RUNS)
        PAGE.write_text(top + table(found) + "\n" + ASKING.format(runs=desks) + asked + "\n", "utf-8")
