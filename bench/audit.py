"""How often an audit accuses a judge that leans to nothing, and how large a lean it finds.

python -m bench.audit            # about a minute
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from haechi.stats.judge_effect import JudgeEffect, holm_effects, judge_effect, paired_effect

SEED, TIMES = 20_261_118, 2_000
CHANGES, CRITERIA = 7, 5
Draw = Callable[[np.random.Generator], dict[str, JudgeEffect]]


def rate(draw: Draw, times: int = TIMES, name: str | None = None) -> float:
    """The share of audits in which any effect is found, or the one of that name."""
    rng = np.random.default_rng(SEED)
    found = 0
    for _ in range(times):
        effects = holm_effects(draw(rng))
        found += effects[name].found if name else any(one.found for one in effects.values())
    return found / times


def points(rng: np.random.Generator, quality: np.ndarray, noise: float = 0.7) -> np.ndarray:
    """What a judge gives: the mean of five scales from 1 to 5, each rounded, with fresh noise."""
    seen = quality[:, None] + rng.normal(0, noise, (quality.size, CRITERIA))
    return np.clip(np.rint(seen), 1, 5).mean(axis=1)


def changed_items(items: int, clusters: int | None = None, shift: float = 0.0, rare: bool = False) -> Draw:
    """Seven changes of the same items, none of which matters but by so many points for the first.

    clusters: items share the students whose level and whose reaction to a change they share; rare: a judge that changes one answer of twenty.
    """

    def draw(rng: np.random.Generator) -> dict[str, JudgeEffect]:
        whose = None if clusters is None else np.arange(items) % clusters
        level = 0.0 if whose is None else rng.normal(0, 0.5, clusters)[whose]
        quality = rng.normal(3, 0.8, items) + level
        as_is = points(rng, quality)
        found = {}
        for number in range(CHANGES):
            apart = 0.0 if whose is None else rng.normal(0, 0.3, clusters)[whose]
            again = points(rng, quality + apart + (shift if number == 0 else 0.0))
            if rare:
                flips = rng.choice([-0.2, 0.2], items) * (rng.random(items) < 0.05)
                again = as_is + flips + (shift if number == 0 else 0.0)
            found[str(number)] = paired_effect(again, as_is, whose)
        return found

    return draw


def stored_items(items: int, clusters: int | None = None, share: float = 0.3, lean: float = 0.0) -> Draw:
    """A judge and two people on the same items, whose quality goes with length; length, two traits of so large a share, and no other.

    lean: points for every doubling of the length that the judge gives and people do not.
    """

    def draw(rng: np.random.Generator) -> dict[str, JudgeEffect]:
        whose = None if clusters is None else np.arange(items) % clusters
        level = 0.0 if whose is None else rng.normal(0, 0.4, clusters)[whose]
        length = rng.normal(7, 1, items)
        quality = 3 + 0.3 * (length - 7) + level + rng.normal(0, 0.6, items)
        own = (
            0.0 if whose is None else rng.normal(0, 0.3, clusters)[whose]
        )  # where the judge errs on all of a student
        judge = points(rng, quality + own + lean * (length - 7))
        people = (points(rng, quality) + points(rng, quality)) / 2
        traits = {
            "length": length,
            **{name: (rng.random(items) < share).astype(float) for name in ("a", "b")},
        }
        return {name: judge_effect(judge, trait, people, whose) for name, trait in traits.items()}

    return draw


def main() -> None:
    """Print the tables of the docs."""
    for items, clusters in ((10, None), (30, None), (100, None), (30, 10), (100, 12)):
        print(
            f"changed, {items} items, clusters {clusters}: any false alarm {rate(changed_items(items, clusters)):.3f}"
        )
    print(f"changed, 30 items, a judge that is moved seldom: {rate(changed_items(30, rare=True)):.3f}")
    for items in (30, 60, 100):
        shown = [rate(changed_items(items, shift=shift), 500, "0") for shift in (0.1, 0.2, 0.3, 0.5)]
        print(f"changed, {items} items, found at 0.1, 0.2, 0.3, 0.5 points: {shown}")
    for items, clusters in ((40, None), (120, None), (120, 15)):
        print(
            f"stored, {items} items, clusters {clusters}: any false alarm {rate(stored_items(items, clusters)):.3f}"
        )
    for items in (60, 120, 300):
        shown = [rate(stored_items(items, lean=lean), 500, "length") for lean in (0.1, 0.2, 0.3)]
        print(f"stored, {items} items, found at 0.1, 0.2, 0.3 points per doubling: {shown}")


if __name__ == "__main__":
    main()
