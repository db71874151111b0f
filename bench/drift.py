"""How soon a changed judge is found from anchors, and how often one that did not change raises the alarm.

python -m bench.drift            # about a minute
"""

from __future__ import annotations

import numpy as np

from haechi.stats.drift import drift

SEED = 20_261_118


def false_alarms(reliability: float, anchors: int = 40, looks: int = 100, times: int = 200) -> float:
    """The share of judges without a change that raise an alarm in any of so many daily looks."""
    rng = np.random.default_rng(SEED)
    return float(np.mean([drift(_looks(rng, reliability, anchors, looks + 1)).alarm for _ in range(times)]))


def power(
    reliability: float, after: int, shift: float = 0.2, before: int = 15, anchors: int = 40, times: int = 200
) -> float:
    """The share of judges that shift by so many SD after `before` looks and are found within `after` more."""
    rng = np.random.default_rng(SEED)
    found = 0
    for _ in range(times):
        given = _looks(rng, reliability, anchors, before + after)
        given[before:] += shift
        at = drift(given).at
        found += at is not None and at >= before
    return found / times


def _looks(rng: np.random.Generator, reliability: float, anchors: int, looks: int) -> np.ndarray:
    """Scores with standard deviation 1; `reliability`: the correlation of two judgements of the same anchor."""
    quality = rng.normal(0, reliability**0.5, anchors)
    return quality + rng.normal(0, (1 - reliability) ** 0.5, (looks, anchors))


def main() -> None:
    """Print the table of the docs."""
    for reliability in (0.95, 0.9, 0.8, 0.7, 0.5):
        needed = next(
            (n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64) if power(reliability, n) >= 0.9), None
        )
        print(f"r = {reliability}: looks after the change until power .9: {needed}")
    for reliability in (0.9, 0.5):
        print(f"r = {reliability}: false alarms over 100 looks: {false_alarms(reliability):.3f}")


if __name__ == "__main__":
    main()
