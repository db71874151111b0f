"""`haechi.rank` of votes between two systems, next to a general logistic regression in the same run.

`python -m bench rank` takes a million votes of 100 systems; `python -m bench rank 100000` takes that many.

The regression is given the finished design, a row of +1 and −1 for every vote as the notebooks of arenas make it, or the same as a
sparse matrix; it finds strengths without a penalty, but neither errors nor ranks. `haechi.rank` begins with names in a data
frame and ends with strengths, errors, intervals and ranks, `stats.bradley_terry` begins with numbers in place of the names.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from bench.results import Ratio, Result
from haechi import stats
from haechi.report.ranked import rank

VOTES, SYSTEMS = 1_000_000, 100


def votes(n: int, k: int = SYSTEMS, seed: int = 1) -> pl.DataFrame:
    """Votes of a model whose strengths are known."""
    random = np.random.default_rng(seed)
    strength = random.normal(0, 1, k)
    first = random.integers(0, k, n)
    second = (first + random.integers(1, k, n)) % k
    won = random.random(n) < 1 / (1 + np.exp(strength[second] - strength[first]))
    names = np.array([f"model-{at:03d}" for at in range(k)])
    item = np.arange(n)
    return pl.DataFrame(
        {"item": item, "a": names[first], "b": names[second], "winner": np.where(won, "a", "b")}
    )


def cpu(call: Callable[[], object]) -> tuple[float, object]:
    """Seconds of the processor, the better of two."""
    best, found = math.inf, None
    for _ in range(2):
        start = time.process_time()
        found = call()
        best = min(best, time.process_time() - start)
    return best, found


def design(frame: pl.DataFrame) -> tuple[csr_array, np.ndarray]:
    """What a regression is given: a row for every vote, all systems but the first as columns."""
    names = sorted(set(frame["a"]) | set(frame["b"]))
    codes = [_codes(frame, side, names) for side in "ab"]
    n = frame.height
    x = csr_array(
        (np.repeat([1.0, -1.0], n), (np.tile(np.arange(n), 2), np.concatenate(codes))),
        shape=(n, len(names)),
    )
    return x[:, 1:], (frame["winner"] == "a").to_numpy()


def _codes(frame: pl.DataFrame, side: str, names: Sequence[str]) -> np.ndarray:
    place = {name: at for at, name in enumerate(names)}
    return frame[side].replace_strict(place, return_dtype=pl.Int64).to_numpy()


def main(arguments: Sequence[str] = ()) -> list[Result]:
    """CPU seconds of all, and how far their strengths lie apart."""
    n = int(arguments[0]) if arguments else VOTES
    frame = votes(n)
    x, y = design(frame)
    names = sorted(set(frame["a"]))
    one, other = (_codes(frame, side, names) for side in "ab")
    rank(frame.head(1000), cluster_by="none")  # imports once, outside the clock
    ours, found = cpu(lambda: rank(frame))
    bare, _ = cpu(lambda: stats.bradley_terry(one, other, y.astype(float)))
    regression = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6, max_iter=1000)
    sparse, fitted = cpu(lambda: regression.fit(x, y))
    dense_x = x.toarray()
    dense, _ = cpu(lambda: regression.fit(dense_x, y))
    strengths = {one.name: float(one.strength) for one in found.strengths.systems}  # type: ignore[attr-defined]
    apart = float(np.abs(np.array([strengths[name] for name in names])[1:] - fitted.coef_[0]).max())  # type: ignore[attr-defined]
    rows = [
        ("haechi.rank, from names", f"{ours:.2f}"),
        ("stats.bradley_terry, from numbers", f"{bare:.2f}"),
        ("scikit-learn LogisticRegression", f"{dense:.2f}"),
        ("scikit-learn LogisticRegression, sparse design", f"{sparse:.2f}"),
    ]
    ratios = (
        Ratio("LogisticRegression to stats.bradley_terry, CPU", dense / bare, ">=", 20),
        Ratio("LogisticRegression to haechi.rank, CPU", dense / ours, ">="),
        Ratio("LogisticRegression of a sparse design to stats.bradley_terry, CPU", sparse / bare, ">="),
    )
    return [
        Result(
            f"{n:,} votes of {SYSTEMS} systems: strengths, and of ours errors, intervals and ranks too",
            ("what", "CPU seconds"),
            tuple(rows),
            ratios,
            (f"The strengths of both differ by at most {apart:.0e}.",),
        )
    ]
