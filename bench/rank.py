"""`haechi.rank` of votes between two systems, next to a general logistic regression in the same run.

`python -m bench rank` takes a million votes of 100 systems; `python -m bench rank 100000` takes that many.

Two comparisons, each with two designs of the regression: a dense one, a row of +1 and −1 for every vote as the notebooks of arenas make
it, and the same as a sparse matrix. From names: both begin with the same data frame of names; the regression makes its design and
fits, `haechi.rank` reads the verdicts and ends with strengths, errors, intervals, ranks and the effect of the order. From numbers: the
regression is given the finished design, `stats.bradley_terry` the places of the systems. The regression has no penalty, and finds
strengths alone. Linear algebra runs on one thread: seconds of the processor must not count threads that wait.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from bench.results import Ratio, Result
from haechi import stats
from haechi.report.ranking_result import rank

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


def cpu(calls: Mapping[str, Callable[[], object]]) -> tuple[dict[str, float], dict[str, object]]:
    """Seconds of the processor, the best of five rounds in which all take their turn, and what each found."""
    best, found = dict.fromkeys(calls, math.inf), {}
    for _ in range(5):
        for name, call in calls.items():
            start = time.process_time()
            found[name] = call()
            best[name] = min(best[name], time.process_time() - start)
    return best, found


def design(frame: pl.DataFrame) -> csr_array:
    """What a regression is given: a row for every vote, all systems but the first as columns."""
    names = sorted(set(frame["a"].unique()) | set(frame["b"].unique()))
    n = frame.height
    signs, rows = np.repeat([1.0, -1.0], n), np.tile(np.arange(n), 2)
    columns = np.concatenate([_codes(frame, side, names) for side in "ab"])
    return csr_array((signs, (rows, columns)), shape=(n, len(names)))[:, 1:]


def dense_design(frame: pl.DataFrame) -> np.ndarray:
    """The same, all cells of it."""
    names = sorted(set(frame["a"].unique()) | set(frame["b"].unique()))
    x = np.zeros((frame.height, len(names) - 1))
    for side, sign in (("a", 1.0), ("b", -1.0)):
        place = _codes(frame, side, names) - 1
        there = np.flatnonzero(place >= 0)
        x[there, place[there]] = sign
    return x


def _ended(frame: pl.DataFrame) -> np.ndarray:
    return (frame["winner"] == "a").to_numpy()


def _codes(frame: pl.DataFrame, side: str, names: Sequence[str]) -> np.ndarray:
    return frame[side].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()


def main(arguments: Sequence[str] = ()) -> list[Result]:
    """CPU seconds of all, and how far their strengths lie apart."""
    n = int(arguments[0]) if arguments else VOTES
    frame = votes(n)
    names = sorted(set(frame["a"].unique()))
    one, other = (_codes(frame, side, names) for side in "ab")
    regression = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6, max_iter=1000)
    y, x, dense_x = _ended(frame), design(frame), dense_design(frame)
    rank(frame.head(1000), cluster_by="none")  # imports once, outside the clock
    calls: dict[str, Callable[[], object]] = {
        "ours": lambda: rank(frame),
        "bare": lambda: stats.bradley_terry(one, other, y.astype(float)),
        "sparse": lambda: regression.fit(x, y).coef_[0],
        "dense": lambda: regression.fit(dense_x, y).coef_[0],
        "sparse, named": lambda: regression.fit(design(frame), _ended(frame)),
        "dense, named": lambda: regression.fit(dense_design(frame), _ended(frame)),
    }
    with threadpool_limits(1):
        seconds, found = cpu(calls)
    strengths = {one.name: float(one.strength) for one in found["ours"].strengths.systems}  # type: ignore[attr-defined]
    apart = float(np.abs(np.array([strengths[name] for name in names])[1:] - found["sparse"]).max())  # type: ignore[operator]
    rows = [
        ("`haechi.rank`", f"{seconds['ours']:.3f}", ""),
        ("`stats.bradley_terry`", "", f"{seconds['bare']:.3f}"),
        *(
            (
                f"scikit-learn `LogisticRegression`, {kind} design",
                f"{seconds[f'{kind}, named']:.3f}",
                f"{seconds[kind]:.3f}",
            )
            for kind in ("dense", "sparse")
        ),
    ]
    ratios = tuple(
        ratio
        for kind, goal in (("dense", 20), ("sparse", None))
        for ratio in (
            Ratio(
                f"from names: {kind} regression to haechi.rank",
                seconds[f"{kind}, named"] / seconds["ours"],
                ">=",
                goal,
            ),
            Ratio(
                f"from numbers: {kind} regression to stats.bradley_terry",
                seconds[kind] / seconds["bare"],
                ">=",
                goal,
            ),
        )
    )
    notes = (
        f"The strengths of both differ by at most {apart:.0e}. The regression finds strengths alone, ours errors, intervals and ranks too.",
        "From names: a data frame of names to strengths, the regression's design included. From numbers: the finished design, or the places of the systems.",
    )
    title = f"{n:,} votes of {SYSTEMS} systems, CPU seconds"
    return [Result(title, ("what", "from names", "from numbers"), tuple(rows), ratios, notes)]
