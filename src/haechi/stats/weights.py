"""How much two scale points agree: the weights of weighted kappa and Gwet's AC2."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from haechi.stats.ratings import Floats

Weights = Literal["identity", "linear", "quadratic"]
MOST_CATEGORIES = 1_000  # beyond this the values are a quantity, not categories


def weight_matrix(values: Floats, kind: Weights) -> Floats:
    """(q, q) agreement weights between scale points, 1 on the diagonal and 0 between the two ends.

    identity: 1 if a = b else 0;  linear: 1 − |a−b|/range;  quadratic: 1 − ((a−b)/range)².
    The distances are those of the scale points themselves, so a point that nobody used changes nothing
    about the distance between the others.

    >>> import numpy as np
    >>> weight_matrix(np.array([1.0, 2.0, 5.0]), "linear")[0].tolist()
    [1.0, 0.75, 0.0]
    """
    return _weights(values.tobytes(), kind)


@lru_cache(maxsize=16)
def _weights(scale: bytes, kind: Weights) -> Floats:
    """Of many pairs of raters the scale is the same."""
    values = np.frombuffer(scale)
    if kind == "identity":
        return np.eye(values.size)
    if kind not in ("linear", "quadratic"):
        raise ValueError(f"weights must be identity, linear or quadratic, found {kind!r}")
    distance = np.abs(values[:, None] - values[None, :])
    if values.size > 1:
        distance /= values[-1] - values[0]
    weights: Floats = 1 - (distance if kind == "linear" else distance**2)
    weights.setflags(write=False)
    return weights
