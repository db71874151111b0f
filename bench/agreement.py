"""Agreement statistics next to pingouin, krippendorff, statsmodels and scikit-learn, in the same run.

`python -m bench agreement` takes all sizes; `python -m bench agreement 284 10000` only those.
A peer that took long at one size is not asked at the next.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.results import Ratio, Result
from haechi import stats

SIZES = (284, 10_000, 100_000, 1_000_000)
PATIENCE = 800.0  # milliseconds; a peer that needs more is not asked at ten times the size
SCALE = (1, 2, 3, 4, 5)

# Milliseconds of a numpy prototype on two quiet cores, the target being 1.5 times these.
PROTOTYPE: dict[str, tuple[float, ...]] = {
    "six ICCs with intervals, long table": (1.1, 1.5, 4.4, 66),
    "Krippendorff ordinal, 1-5": (0.12, 0.29, 1.9, 35),
    "Krippendorff interval, 8-40": (0.26, 0.33, 4.5, 9),
    "Fleiss kappa with interval": (0.06, 0.22, 2.1, 42),
    "quadratic kappa, two raters": (0.07, 0.15, 1.2, 21),
}


@dataclass(frozen=True)
class Data:
    """One size of ratings by three raters: a scale of five points, and a total of 8 to 40."""

    points: np.ndarray
    totals: np.ndarray
    item: np.ndarray
    rater: np.ndarray


def data(n: int, seed: int = 1) -> Data:
    """Simulated items whose quality three raters see with noise."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=(n, 1))
    points = np.clip(np.rint(3 + quality + random.normal(0, 0.7, (n, 3))), 1, 5)
    totals = np.clip(np.rint(24 + 6 * quality + random.normal(0, 3, (n, 3))), 8, 40)
    return Data(points, totals, np.repeat(np.arange(n), 3), np.tile(np.arange(3), n))


def milliseconds(call: Callable[[], object]) -> float:
    """The best of several calls; fewer the longer they take."""
    best, spent, calls = float("inf"), 0.0, 0
    while calls < 3 or (spent < 0.3 and calls < 200):
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent, calls = min(best, took), spent + took, calls + 1
        if took > 2:
            break
    return best * 1000


def ours(d: Data) -> dict[str, Callable[[], object]]:
    """What Haechi is timed on."""
    a, b = d.points[:, 0].copy(), d.points[:, 1].copy()
    long = d.totals.ravel()
    return {
        "six ICCs with intervals, long table": lambda: stats.icc(stats.matrix(d.item, d.rater, long).ratings),
        "Cronbach alpha with interval": lambda: stats.cronbach_alpha(d.totals),
        "Krippendorff ordinal, 1-5": lambda: stats.krippendorff_alpha(d.points, "ordinal", bootstrap=0),
        "Krippendorff interval, 8-40": lambda: stats.krippendorff_alpha(d.totals, "interval", bootstrap=0),
        "Krippendorff ordinal, 1000 bootstraps": lambda: stats.krippendorff_alpha(d.points, "ordinal"),
        "Krippendorff interval, 1000 bootstraps": lambda: stats.krippendorff_alpha(d.totals, "interval"),
        "Fleiss kappa with interval": lambda: stats.fleiss_kappa(d.points),
        "quadratic kappa, two raters": lambda: stats.cohen_kappa(a, b, "quadratic", SCALE),
        "everything `haechi agree` prints": lambda: stats.agreement(
            d.points, level="ordinal", categories=SCALE
        ),
    }


def peers(d: Data) -> dict[str, tuple[str, Callable[[], object]]]:
    """The same by the libraries that people use today."""
    import krippendorff
    import pandas as pd
    import pingouin
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    long = pd.DataFrame({"item": d.item, "rater": d.rater, "value": d.totals.ravel()})
    wide = pd.DataFrame(d.totals)
    points, totals, whole = d.points.T, d.totals.T, d.points.astype(int)
    return {
        "six ICCs with intervals, long table": (
            "pingouin",
            lambda: pingouin.intraclass_corr(long, "item", "rater", "value"),
        ),
        "Cronbach alpha with interval": ("pingouin", lambda: pingouin.cronbach_alpha(wide)),
        "Krippendorff ordinal, 1-5": (
            "krippendorff",
            lambda: krippendorff.alpha(points, level_of_measurement="ordinal"),
        ),
        "Krippendorff interval, 8-40": (
            "krippendorff",
            lambda: krippendorff.alpha(totals, level_of_measurement="interval"),
        ),
        "Fleiss kappa with interval": ("statsmodels", lambda: fleiss_kappa(aggregate_raters(whole)[0])),
        "quadratic kappa, two raters": (
            "scikit-learn",
            lambda: cohen_kappa_score(whole[:, 0], whole[:, 1], labels=SCALE, weights="quadratic"),
        ),
    }


def run(sizes: Sequence[int] = SIZES) -> list[dict[str, object]]:
    """Time everything; one row per statistic and size."""
    rows: list[dict[str, object]] = []
    too_slow: set[str] = set()
    stats.icc([[1, 2], [2, 3], [4, 4]])  # what is imported and made once stays outside the clock
    for n in sizes:
        d = data(n)
        others = peers(d)
        for name, call in ours(d).items():
            mine = milliseconds(call)
            row: dict[str, object] = {"statistic": name, "items": n, "haechi_ms": mine}
            if name in PROTOTYPE and n in SIZES:
                row["target_ms"] = 1.5 * PROTOTYPE[name][SIZES.index(n)]
            if name in others and name not in too_slow:
                peer, their_call = others[name]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    theirs = milliseconds(their_call)
                row |= {"peer": peer, "peer_ms": theirs, "times_faster": theirs / mine}
                if theirs > PATIENCE:
                    too_slow.add(name)
            rows.append(row)
    return rows


def main(arguments: Sequence[str] = ()) -> list[Result]:
    """A table of milliseconds, and how much faster than each peer at each size."""
    rows, ratios = [], []
    for row in run([int(word) for word in arguments] or SIZES):
        target, theirs, faster = row.get("target_ms"), row.get("peer_ms"), row.get("times_faster")
        rows.append(
            (
                f"{row['statistic']}",
                f"{row['items']:,}",
                f"{row['haechi_ms']:.3f}",
                "" if target is None else f"{target:.3f}",
                "" if theirs is None else f"{theirs:.2f}",
                f"{row.get('peer', '')}",
            )
        )
        if isinstance(faster, float):
            ratios.append(
                Ratio(f"{row['peer']} / ours, {row['statistic']}, {row['items']:,}", faster, ">=", 1)
            )
    head = ("statistic", "items", "ours, ms", "target, ms", "peer, ms", "peer")
    return [Result("Three raters", head, tuple(rows), tuple(ratios))]
