"""Do anchors carry a mean to another scale? A line against curves that never fall, where the true relation is a line or bends.

`python -m bench.linking` draws 400 studies of every kind and prints the table of docs/comparability.md (seed 19): of the mean
of 150 items that were judged in the old way, how often the 95 % interval on the new scale holds the truth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np

from haechi.stats.distributions import t_quantile
from haechi.stats.linking import mean_sigma

SEED, RUNS, ITEMS, AGAIN = 19, 400, 150, 100
Random = np.random.Generator
RELATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "a line": lambda q: 0.5 + 0.8 * q,
    "bends up": lambda q: np.exp(0.6 * q),
    "has a ceiling": lambda q: 2 * np.tanh(0.9 * (q + 0.3)),
}


def judged(random: Random, n: int, apart: float, relation: str) -> tuple[np.ndarray, np.ndarray]:
    """What a judge gives in the old way and in the new one; it repeats itself by .9, and the items lie so far from the anchors."""
    quality = random.normal(apart, 1, n)
    old, new = quality, RELATIONS[relation](quality)
    return old + random.normal(0, 1 / 3, n), new + random.normal(0, 0.27, n)


def equipercentile(old: np.ndarray, new: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The curve that gives every quantile of the old scores that of the new; beyond the anchors a line goes on."""
    x, y = np.sort(old), np.sort(new)
    beyond = np.minimum(values - x[0], 0) + np.maximum(values - x[-1], 0)
    return np.interp(values, x, y) + beyond * y.std() / x.std()


def by_line(old: np.ndarray, new: np.ndarray, values: np.ndarray) -> tuple[float, float] | None:
    """The mean on the new scale and half of its interval; None where the link is refused."""
    link, mean = mean_sigma(old, new), float(values.mean())
    if link.why is not None or link.why_not_at(mean) is not None:
        return None
    error = np.hypot(link.se(mean), link.slope * values.std(ddof=1) / np.sqrt(values.size))
    return link.at(mean), t_quantile(0.975, link.n - 2) * float(error)


def by_curve(random: Random, old: np.ndarray, new: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """The same by equipercentile linking, its error by drawing anchors and items again."""
    means = []
    for _ in range(AGAIN):
        at, of = random.integers(0, old.size, old.size), random.integers(0, values.size, values.size)
        means.append(equipercentile(old[at], new[at], values[of]).mean())
    half = t_quantile(0.975, old.size - 2) * float(np.std(means, ddof=1))
    return float(equipercentile(old, new, values).mean()), half


def held(relation: str, apart: float, anchors: int, runs: int) -> tuple[float, float, float]:
    """Of so many studies: how often the line was refused, how often it held where not, and how often the curve held."""
    truth = judged(np.random.default_rng(1), 400_000, apart, relation)[1].mean()
    line, curve = [], []
    for run in range(runs):
        random = np.random.default_rng([SEED, anchors, run])
        given = *judged(random, anchors, 0.0, relation), judged(random, ITEMS, apart, relation)[0]
        found = by_line(*given)
        line += [] if found is None else [abs(found[0] - truth) <= found[1]]
        mean, half = by_curve(random, *given)
        curve.append(abs(mean - truth) <= half)
    return 1 - len(line) / runs, float(np.mean(line)) if line else float("nan"), float(np.mean(curve))


def rows(runs: int) -> Iterator[str]:
    """The table."""
    yield "| relation | items from the anchors, SD | line refused, % | line holds, % | curve holds, % |"
    yield "|---|---:|---:|---:|---:|"
    for relation in RELATIONS:
        for apart in (-0.7, 0.0, 0.7):
            refused, line, curve = (100 * share for share in held(relation, apart, 40, runs))
            yield f"| {relation} | {apart:g} | {refused:.1f} | {line:.1f} | {curve:.1f} |"


if __name__ == "__main__":
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        print(row, flush=True)
