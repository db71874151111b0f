"""Dawid and Skene: the true labels and every rater's errors, from labels alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Lang, Why
from haechi.stats.ratings import Floats, Given, as_ratings, distinct
from haechi.stats.reasons import NOTHING, ONE_RATER

SMOOTHING = 0.01
MOST_CLASSES = 50
_ROUNDS, _CLOSE = 2_000, 1e-9
_TOO_MANY = Why(
    f"서로 다른 이름이 {MOST_CLASSES}개를 넘습니다. 범주가 아닌 양으로 보입니다",
    f"there are more than {MOST_CLASSES} labels: these look like amounts, not names",
)


@frozen
class DawidSkene:
    """What the labels are worth: how often each is true, what every rater makes of it, and what each item is.

    shares: (classes,) how often each label is true; confusion: rater → (true, given) probabilities, rows add up to 1;
    posterior: (items, classes), of an item that nobody rated the shares; most_likely: (items,) a label, NaN where nobody rated.
    """

    labels: tuple[float, ...]
    shares: Floats
    confusion: Mapping[Hashable, Floats]
    posterior: Floats
    most_likely: Floats
    log_likelihood: float | None
    rounds: int
    smoothing: float
    why: Why | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines; the items are left out."""
        if self.why:
            return {"why": self.why.say(lang)}
        confusion = {str(rater): matrix.tolist() for rater, matrix in self.confusion.items()}
        return {
            "labels": list(self.labels),
            "shares": self.shares.tolist(),
            "confusion": confusion,
            "log_likelihood": self.log_likelihood,
            "rounds": self.rounds,
            "smoothing": self.smoothing,
        }


@np.errstate(all="ignore")
def dawid_skene(
    ratings: Given, raters: Sequence[Hashable] | None = None, smoothing: float = SMOOTHING
) -> DawidSkene:
    """The most likely true labels, how often each is true, and the confusion matrix of every rater.

    Formula: EM from the shares of each item's labels. M: p_c = (Σ_i T_ic + s) / (I + s·C) and, of rater k,
    π_cl = (Σ_i T_ic n_il + s) / (Σ_il T_ic n_il + s·C). E: T_ic ∝ p_c Π_kl π_cl^n_il. n_il counts how often a rater gave an
    item a label: columns of the same name are one rater who rated repeatedly. s is a pseudo-count in every cell, so that
    what never happened is not impossible; s = 0 is maximum likelihood, as published. Reference: Dawid & Skene 1979,
    Applied Statistics 28, 20–28. R: rater::rater("dawid_skene", method = "optim"); Python: crowdkit DawidSkene.

    ratings: (items, columns) codes of labels, NaN where missing; raters: (columns,).

    >>> found = dawid_skene([[0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]], ["ann", "bo", "cho"])
    >>> found.most_likely.tolist(), np.round(found.confusion["cho"], 2).tolist()
    ([0.0, 1.0, 0.0, 1.0, 0.0, 1.0], [[0.33, 0.67], [0.33, 0.67]])
    """
    array = as_ratings(ratings)
    names = list(raters) if raters is not None else list(range(array.shape[1]))
    if len(names) != array.shape[1]:
        raise ValueError(f"{array.shape[1]} columns, but {len(names)} names")
    if smoothing < 0:
        raise ValueError(f"smoothing must not be negative, found {smoothing}")
    known = ~np.isnan(array)
    labels = distinct(array[known])
    who = list(dict.fromkeys(names))
    why = NOTHING if not labels.size else ONE_RATER if len(who) < 2 else None
    why = why or (_TOO_MANY if labels.size > MOST_CLASSES else None)
    if why is not None:
        empty = np.empty((array.shape[0], 0))
        return DawidSkene(
            (), np.empty(0), {}, empty, np.full(array.shape[0], np.nan), None, 0, smoothing, why
        )
    counts = np.stack([_counts(array[:, [one == name for one in names]], labels) for name in who], axis=1)
    truth, shares, confusion, likelihood, rounds = _em(counts, smoothing)
    likely = np.where(known.any(axis=1), labels[truth.argmax(axis=1)], np.nan)
    each = dict(zip(who, confusion, strict=True))
    return DawidSkene(tuple(labels.tolist()), shares, each, truth, likely, likelihood, rounds, smoothing)


def _counts(columns: Floats, labels: Floats) -> Floats:
    """(items, labels): how often one rater gave each."""
    given: Floats = (columns[:, :, None] == labels).sum(axis=1).astype(np.float64)
    return given


def _em(counts: Floats, s: float) -> tuple[Floats, Floats, Floats, float, int]:
    """counts: (items, raters, labels) → posterior, shares, (raters, true, given), log-likelihood, rounds."""
    rated = counts.sum(axis=(1, 2)) > 0
    truth = counts.sum(axis=1)
    truth = np.where(rated[:, None], truth, 1.0)
    truth /= truth.sum(axis=1, keepdims=True)
    before, rounds = -np.inf, 0
    while True:
        rounds += 1
        shares = truth[rated].sum(axis=0) + s
        shares /= shares.sum()
        given = np.einsum("ic,ikl->kcl", truth, counts) + s
        whole = given.sum(axis=2, keepdims=True)
        # A label that is nobody's truth has no row of its own: it says nothing.
        confusion = np.where(whole > 0, given / whole, 1 / counts.shape[2])
        # 0 · log 0 is 0: what was not given does not count.
        logs = np.log(np.maximum(confusion, 1e-300))
        scores = np.einsum("ikl,kcl->ic", counts, logs) + np.log(np.maximum(shares, 1e-300))
        top = scores.max(axis=1, keepdims=True)
        exact = np.exp(scores - top)
        truth = exact / exact.sum(axis=1, keepdims=True)
        likelihood = float((top[:, 0] + np.log(exact.sum(axis=1)))[rated].sum())
        if rounds == _ROUNDS or abs(likelihood - before) <= _CLOSE * max(1.0, abs(likelihood)):
            return truth, shares, confusion, likelihood, rounds
        before = likelihood
