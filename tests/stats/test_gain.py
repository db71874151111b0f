"""What is called an improvement: never noise more than once in twenty, however often one looks; and how large a gain must be to be seen."""

from __future__ import annotations

import numpy as np
import pytest

from haechi.stats import paired_gain
from haechi.stats.gain import Gain

CRITERIA, STUDIES = 5, 1_000


class Planted:
    """Items on five scales from 1 to 5, two people, and a judge that gives `bias` points too much and errs anew each time."""

    def __init__(self, seed: int, items: int) -> None:
        self.random = np.random.default_rng(seed)
        self.items = items
        quality = self.random.normal(3, 0.8, (items, 1)) + self.random.normal(0, 0.5, (items, CRITERIA))
        people = [
            np.clip(np.rint(quality + self.random.normal(0, 0.5, quality.shape)), 1, 5) for _ in range(2)
        ]
        self.people = (people[0] + people[1]) / 2
        self.seen = quality + self.random.normal(0, 0.4, quality.shape)  # where the judge errs every time

    def judged(self, bias: float = 0.8, noise: float = 0.6) -> np.ndarray:
        """The judge's mean distance from people, by item, as a share of the scale."""
        given = np.clip(np.rint(self.seen + bias + self.random.normal(0, noise, self.seen.shape)), 1, 5)
        return np.abs(given - self.people).mean(axis=1) / 4


def loop(study: Planted, old: np.ndarray, look: int, bias: float = 0.8) -> tuple[Gain, np.ndarray]:
    """One round: the old judge as it stands, judged twice on 20 items, against a new one."""
    twice = np.column_stack([old, study.judged()])[:20]
    new = study.judged(bias)
    return paired_gain(old, new, twice, look), new


def false_improvements(items: int, loops: int, seed: int) -> float:
    """How often a judge that is only asked again is called better at least once; whoever believes it goes on from there."""
    wrong = 0
    for number in range(STUDIES):
        study = Planted(seed + number, items)
        old, improved = study.judged(), False
        for look in range(1, loops + 1):
            found, new = loop(study, old, look)
            improved |= found.improved
            old = new if found.improved else old
        wrong += improved
    return wrong / STUDIES


@pytest.mark.slow
@pytest.mark.parametrize(("items", "loops"), [(12, 1), (30, 1), (100, 1), (12, 5), (30, 5), (100, 5)])
def test_noise_is_seldom_called_an_improvement(items, loops):
    assert false_improvements(items, loops, 19_000) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "bias", "least", "most"),
    [(15, 0.4, 0.31, 0.41), (30, 0.4, 0.66, 0.76), (50, 0.4, 0.87, 0.97), (30, 0.0, 0.87, 0.97)],
)
def test_a_real_gain_is_seen(items, bias, least, most):
    found = [loop(study := Planted(29_000 + n, items), study.judged(), 1, bias)[0] for n in range(STUDIES)]
    assert least <= np.mean([one.improved for one in found]) <= most


def test_the_rule_needs_both_the_interval_and_more_than_judging_twice():
    old, new = np.linspace(0.2, 0.6, 20), np.linspace(0.1, 0.52, 20)
    calm, wild = np.column_stack([old, old]), np.column_stack([old, 1 - old])
    assert paired_gain(old, new, calm).improved
    assert not paired_gain(old, new, wild).improved, "the gain is below what judging twice varies"
    assert not paired_gain(new, old, calm).improved
    assert not paired_gain(old, new).improved
    assert paired_gain(old, new).noise.why.en.startswith("at least 10 items judged twice")
    assert not paired_gain(old[:9], new[:9], calm).improved
    assert paired_gain(old, old - 0.1, calm).ends is None, "without any spread nobody can tell how sure it is"


def test_clusters_widen_the_interval():
    random = np.random.default_rng(5)
    gain = np.repeat(random.normal(0.1, 0.2, 10), 5)
    old = np.full(50, 0.5)
    alone = paired_gain(old, old - gain, np.column_stack([old, old]))
    together = paired_gain(old, old - gain, np.column_stack([old, old]), clusters=np.repeat(np.arange(10), 5))
    assert together.gain.value == pytest.approx(alone.gain.value)
    assert together.ends[0] < alone.ends[0]


def test_a_look_that_is_none_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        paired_gain([0.1] * 12, [0.0] * 12, look=0)
