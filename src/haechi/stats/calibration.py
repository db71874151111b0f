"""From a judge's scores to those that people would give: a curve that never falls, and never met the item it is used for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from haechi.stats.figure import Why
from haechi.stats.isotonic import isotonic
from haechi.stats.ratings import Floats, Given, Integers, as_values

FOLDS = 10
UNLIKELY = 0.001
"""Of a random part so seldom as many of the judge's scores lie beyond those of the part."""

Curve = Callable[[Floats], Floats]


def calibration(human: Given, judge: Given, weights: Given | None = None) -> Curve:
    """The curve from a judge's score to the score that people give, which never falls.

    Formula: c(x) = (m(x) + ȳ + b (x − f̄)) / 2, half-way between the isotonic curve m and the straight line of least squares,
    b = max(0, Σ w (f − f̄)(y − ȳ) / Σ w (f − f̄)²), both weighted, f the judge's and y the human score.
    The line is steady where ratings are few, the isotonic curve follows floors, ceilings and bends; of 25 ratings the
    mean of both predicts about as well as the line where that is right, and better where it is not.

    human, judge, weights: (n,) without NaN. Reference: our own mean of the two; for the curve that of `isotonic`.
    R: none; (isoreg(f, y)$yf + fitted(lm(y ~ f))) / 2 of f that ascend, where the line rises and weights are equal.

    >>> curve = calibration([1, 2, 2, 4], [2, 3, 4, 5])
    >>> [round(float(value), 2) for value in curve(np.array([2.0, 3.5, 9.0]))]
    [0.95, 2.12, 5.6]
    """
    y, f = as_values(human), as_values(judge)
    w = np.ones(y.size) if weights is None else as_values(weights)
    steps, line = isotonic(f, y, w), _line(y, f, w)
    return lambda x: (steps(x) + line(x)) / 2


def _line(y: Floats, f: Floats, w: Floats) -> Curve:
    w = w / w.sum()
    middle, height = float(w @ f), float(w @ y)
    spread = float(w @ (f - middle) ** 2)
    slope = max(0.0, float(w @ ((f - middle) * (y - height))) / spread) if spread > 0 else 0.0
    return lambda x: height + slope * (x - middle)


def cross_fitted(
    human: Floats,
    judge: Floats,
    others: Floats,
    weights: Floats,
    folds: int = FOLDS,
    clusters: Integers | None = None,
) -> tuple[Floats, Floats]:
    """What the curve says of the rated items, each by a curve that was made without it; and of others, the mean of the curves.

    human, judge, weights: (n,) the rated items; others: (items,) the judge's scores of others. The folds are
    taken in the order of the judge's scores, so that every curve sees the whole range. clusters: (n,) codes; items of one
    stay in one fold.

    >>> y = np.array([1.0, 2, 3, 4, 5, 6])
    >>> own, of_others = cross_fitted(y, y, y, np.ones(6), folds=3)
    >>> own.round(2).tolist()
    [1.5, 2.0, 3.0, 4.0, 5.0, 5.5]
    """
    places, at = np.unique(others, return_inverse=True)
    own, of_places = np.empty(human.size), np.zeros(places.size)
    for held, curve in _without_each_fold(human, judge, weights, folds, clusters):
        own[held] = curve(judge[held])
        of_places += curve(places) * float(held.mean())
    return own, of_places[at]


def curve_error(
    human: Floats, judge: Floats, everywhere: Floats, weights: Floats, folds: int = FOLDS
) -> Floats:
    """(items,) the squared standard error of the curve at every item: how much it moves when a fold is left out.

    Formula: (K − 1)/K Σ (c₋ₖ − c̄)², the jackknife over folds. Arguments as of `cross_fitted`.

    >>> y = np.array([1.0, 2, 2, 4, 5, 7])
    >>> curve_error(y, np.arange(6.0), np.array([0.0, 2.0, 5.0]), np.ones(6), folds=3).round(2).tolist()
    [0.04, 0.16, 0.74]
    """
    curves = [curve(everywhere) for _, curve in _without_each_fold(human, judge, weights, folds)]
    found: Floats = (len(curves) - 1) * np.var(curves, axis=0)
    return found


def _without_each_fold(
    human: Floats, judge: Floats, weights: Floats, folds: int, clusters: Integers | None = None
) -> Iterator[tuple[NDArray[np.bool_], Curve]]:
    """Every fold and the curve that was made without it."""
    if clusters is None:
        fold = _folds(judge, folds)
    else:
        fold = _folds(np.bincount(clusters, judge) / np.bincount(clusters), folds)[clusters]
    for number in range(int(fold.max()) + 1):
        held = fold == number
        yield held, calibration(human[~held], judge[~held], weights[~held])


def _folds(scores: Floats, folds: int) -> Integers:
    """A fold for each of them, dealt out in the order of the scores."""
    fold = np.empty(scores.size, dtype=np.int64)
    fold[np.argsort(scores, kind="stable")] = np.arange(scores.size) % min(folds, scores.size)
    return fold


def why_beyond(part: Floats, everywhere: Floats) -> Why | None:
    """Why the judge's scores of the rated part say nothing of the others: too many lie beyond them.

    Of n random items a share x of all lies beyond their range with probability (1 − x)ⁿ + n x (1 − x)ⁿ⁻¹, or less; below
    one in a thousand the part is taken for chosen, not drawn.

    >>> why_beyond(np.arange(20.0), np.arange(100.0)).en
    "80 % of the judge's scores lie beyond those of the items that people rated: this part is not a random one"
    """
    n = part.size
    share = float(((everywhere < part.min()) | (everywhere > part.max())).mean())
    if (1 - share) ** n + n * share * (1 - share) ** (n - 1) >= UNLIKELY:
        return None
    return Why(
        f"AI 점수의 {share:.0%}가 사람이 평가한 항목의 AI 점수 범위를 벗어납니다. 무작위로 뽑은 항목으로 볼 수 없습니다".replace(
            "%", " %"
        ),
        f"{share:.0%} of the judge's scores lie beyond those of the items that people rated: this part is not a random one".replace(
            "%", " %"
        ),
    )
