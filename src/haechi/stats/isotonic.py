"""The best curve that never falls: pool adjacent violators."""

from __future__ import annotations

import numpy as np

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Given, as_values


@frozen
class Isotonic:
    """A curve that never falls: its corners, straight lines between them, level beyond the first and the last."""

    x: Floats
    y: Floats

    def __call__(self, x: Given) -> Floats:
        """The curve at these places."""
        found: Floats = np.interp(as_values(x), self.x, self.y)
        return found


def isotonic(x: Given, y: Given, weights: Given | None = None) -> Isotonic:
    """The curve that never falls and lies closest to the points, by least squares.

    Formula: minimise Σ w (y − c(x))² over c that do not decrease. Points of one x count as their mean; then neighbours
    that fall are pooled to their mean until none falls.

    x, y, weights: (n,) without NaN. Reference: Ayer, Brunk, Ewing, Reid & Silverman 1955, Annals of Mathematical
    Statistics 26, 641–647. R: isoreg; Python: sklearn.isotonic.IsotonicRegression.

    >>> curve = isotonic([1, 2, 3, 4], [1, 3, 2, 4])
    >>> curve.y.tolist(), curve([0, 1.5, 9]).tolist()
    ([1.0, 2.5, 2.5, 4.0], [1.0, 1.75, 4.0])
    """
    places, at = np.unique(as_values(x), return_inverse=True)
    weight = np.ones(at.size) if weights is None else as_values(weights)
    total: Floats = np.bincount(at, weight).astype(np.float64)
    means: Floats = np.bincount(at, weight * as_values(y)) / total
    return Isotonic(places, _pooled(means, total))


def _pooled(means: Floats, weights: Floats) -> Floats:
    """Blocks of neighbours, each the mean of its points, that rise from one to the next."""
    blocks: list[tuple[float, float, int]] = []  # value, weight, how many points
    for point in zip(means.tolist(), weights.tolist(), [1] * means.size, strict=True):
        block: tuple[float, float, int] = point
        while blocks and blocks[-1][0] >= block[0]:
            before = blocks.pop()
            both = before[1] + block[1]
            value = (before[0] * before[1] + block[0] * block[1]) / both
            block = (value, both, before[2] + block[2])
        blocks.append(block)
    return np.repeat([block[0] for block in blocks], [block[2] for block in blocks])
