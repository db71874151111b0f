"""Everything about the agreement of raters on one criterion, from one matrix, encoded once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.stats.bootstrap import REPLICATES, SEED
from haechi.stats.cronbach import cronbach_from
from haechi.stats.figure import Figure, Lang, Why, undefined
from haechi.stats.fleiss import fleiss_from
from haechi.stats.gwet import gwet_from
from haechi.stats.icc import FORMS, MCGRAW_WONG, icc_from
from haechi.stats.interpretation import Statistic, interpret
from haechi.stats.krippendorff import alpha_from
from haechi.stats.mean_squares import mean_squares
from haechi.stats.pairs import RaterPair, permitted, rater_pair
from haechi.stats.patterns import count_patterns, encode
from haechi.stats.percent_agreement import percent_from
from haechi.stats.ratings import LEVELS, Floats, Given, Integers, Level, as_ratings

READINGS: dict[str, Statistic] = {
    "cronbach_alpha": "cronbach_alpha",
    "krippendorff_alpha": "krippendorff_alpha",
    "fleiss_kappa": "kappa",
    "gwet_ac": "gwet_ac",
    "gwet_ac1": "gwet_ac",
}
_FEW = 10_000
"""Of more items the pairs are computed at once: what they need would take too much room until somebody asks."""


@dataclass(frozen=True)
class Agreement:
    """Reliability and agreement on one criterion.

    n_items: items with a rating; n_complete: items rated by all `raters`, which ICC and Cronbach's alpha use;
    n_ratings: all ratings, which the other figures use.
    """

    n_items: int
    n_complete: int
    n_ratings: int
    raters: tuple[Hashable, ...]
    level: Level
    icc: Mapping[str, Figure]
    cronbach_alpha: Figure
    krippendorff_alpha: Figure
    fleiss_kappa: Figure
    gwet_ac: Figure
    gwet_ac1: Figure
    percent_agreement: Figure
    seed: int
    find_pairs: Callable[[], tuple[RaterPair, ...]] = field(repr=False, compare=False)

    @cached_property
    def pairs(self) -> tuple[RaterPair, ...]:
        """Every pair of raters; there are many, and most readers ask for none."""
        return self.find_pairs()

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The shape that `haechi agree --json` promises; words in one language."""
        said: dict[str, Any] = {
            "n_items": self.n_items,
            "n_raters": len(self.raters),
            "n_complete": self.n_complete,
            "n_ratings": self.n_ratings,
            "level": self.level,
            "raters": list(self.raters),
            "icc": {name: _read(found, "icc", lang) for name, found in self.icc.items()},
        }
        for name, statistic in READINGS.items():
            said[name] = _read(getattr(self, name), statistic, lang)
        said["percent_agreement"] = self.percent_agreement.as_json(lang)
        return said | {"pairs": [pair.as_json(lang) for pair in self.pairs], "seed": self.seed}


def _read(found: Figure, statistic: Statistic, lang: Lang) -> dict[str, Any]:
    reading = interpret(statistic, found)
    return found.as_json(lang) | ({"reading": reading.as_json(lang)} if reading else {})


def agreement(
    ratings: Given,
    raters: Sequence[Hashable] | None = None,
    level: Level = "interval",
    categories: Sequence[float] | None = None,
    *,
    count: Given | None = None,
    bootstrap: int = REPLICATES,
    seed: int = SEED,
) -> Agreement:
    """All agreement figures of one criterion: ICC, Cronbach, Krippendorff, Fleiss, Gwet, percent, and every
    pair.

    ratings: (items, raters), NaN where missing; a rater without any rating is left out.
    level: what the values are; a figure that the level does not permit is undefined, with that reason.
    categories: the declared scale points, from which the weights of κ and AC come. Gwet's coefficient is AC1
    for nominal ratings, else AC2 with quadratic weights (AC1 stands beside it).
    count: (items,) how many items each row stands for, where equal rows were counted before (see `patterns.Tally`).

    >>> from haechi.stats.examples import SHROUT_FLEISS
    >>> found = agreement(SHROUT_FLEISS, raters=["a", "b", "c", "d"])
    >>> found.n_complete, round(found.icc["ICC(3,k)"].value, 4), len(found.pairs)
    (6, 0.9093, 6)
    >>> agreement([[1, 2], [1, 1]], level="nominal").as_json()["icc"]["ICC(2,1)"]["why"]
    'not permitted for nominal ratings: the values are names, not amounts'
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, found {level!r}")
    array, names = _raters_with_ratings(as_ratings(ratings), raters)
    times = None if count is None else np.asarray(count, dtype=np.int64)
    codes, values = encode(array, categories)
    found = count_patterns(codes, values, times)
    icc, cronbach, n_complete = _variance_figures(array, times)
    gwet = gwet_from(found, "identity" if level == "nominal" else "quadratic")

    def pairs() -> tuple[RaterPair, ...]:
        return tuple(
            rater_pair((names[i], names[j]), codes[:, i], codes[:, j], values, level, times)
            for i, j in combinations(range(len(names)), 2)
        )

    return Agreement(
        n_items=found.n_items,
        n_complete=n_complete,
        n_ratings=int(found.count @ found.size),
        raters=names,
        level=level,
        icc={form: permitted("icc", one, level) for form, one in icc.items()},
        cronbach_alpha=permitted("cronbach_alpha", cronbach, level),
        krippendorff_alpha=alpha_from(found, len(names), level, bootstrap, seed),
        fleiss_kappa=permitted("fleiss_kappa", fleiss_from(found), level),
        gwet_ac=gwet,
        gwet_ac1=permitted("gwet_ac1", gwet if level == "nominal" else gwet_from(found), level),
        percent_agreement=permitted("percent_agreement", percent_from(found), level),
        seed=seed,
        find_pairs=pairs if len(array) <= _FEW else partial(tuple, pairs()),
    )


def _raters_with_ratings(
    array: Floats, raters: Sequence[Hashable] | None
) -> tuple[Floats, tuple[Hashable, ...]]:
    names = tuple(raters) if raters is not None else tuple(range(array.shape[1]))
    if len(names) != array.shape[1]:
        raise ValueError(f"{array.shape[1]} raters, but {len(names)} names")
    rated: NDArray[np.bool_] = np.logical_or.reduce(~np.isnan(array), axis=0)
    if rated.all():
        return array, names
    return array[:, rated], tuple(name for name, kept in zip(names, rated.tolist(), strict=True) if kept)


def _variance_figures(array: Floats, count: Integers | None) -> tuple[dict[str, Figure], Figure, int]:
    """The six ICCs and Cronbach's alpha, and how many items they rest on."""
    squares = mean_squares(array, count)
    if not isinstance(squares, Why):
        return icc_from(squares), cronbach_from(squares), squares.n
    n = 0
    if array.shape[1]:
        full = ~np.isnan(array).any(axis=1)
        n = int(full.sum() if count is None else count[full].sum())
    icc = {form: undefined(squares, n, mcgraw_wong=MCGRAW_WONG[form]) for form in FORMS}
    return icc, undefined(squares, n), n
