"""Everything about the agreement of raters on one criterion, from one matrix, encoded once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.bootstrap import REPLICATES, SEED
from haechi.stats.coefficients import OWN, Coefficient, Counted
from haechi.stats.components import ComponentMethod, Components, Ratings, components_from
from haechi.stats.figure import Figure, Lang, Why, undefined
from haechi.stats.generalizability import Generalizability, generalizability_of
from haechi.stats.icc import icc_by_reml, icc_from, no_icc
from haechi.stats.interpretation import CUT_OFFS, LANDIS_KOCH, CutOffs, interpret
from haechi.stats.lazy import LazyMapping
from haechi.stats.many_pairs import LEFT_OUT, MANY_RATERS, MOST_RATERS, in_short, many_pairs
from haechi.stats.mean_squares import MeanSquares, mean_squares
from haechi.stats.pairs import RaterPair, if_permitted, rater_pair
from haechi.stats.patterns import count_patterns, encode
from haechi.stats.ratings import LEVELS, Floats, Given, Integers, Level, as_ratings
from haechi.stats.reasons import NEED_NUMBERS

FEW_VALUES = 10
MANY_VALUES = Why(
    f"서로 다른 값이 {FEW_VALUES}가지보다 많은 점수에서는 값이 똑같은지 세는 계수가 뜻하는 바가 거의 없어, 말로 옮기거나 표에 싣지 않습니다",
    f"of scores with more than {FEW_VALUES} different values, a coefficient that counts equal ones says next to nothing: it "
    "is put in no words and in no table",
)
_FEW = 10_000
"""Of more items everything is computed at once: what it needs would take too much room until somebody asks."""


@frozen
class Agreement:
    """Reliability and agreement on one criterion.

    n_items: items with a rating; n_complete: items rated by all `raters`, which Cronbach's alpha uses; n_ratings: all
    ratings, which the other figures use; components: the variances of items, raters and the residual, or why there
    are none; icc_method: how ICC and components were estimated; coefficients: those in `known`, by name.
    """

    n_items: int
    n_complete: int
    n_ratings: int
    raters: tuple[Hashable, ...]
    level: Level
    icc: Mapping[str, Figure]
    components: Components | Why
    icc_method: ComponentMethod
    coefficients: Mapping[str, Figure]
    seed: int
    known: Mapping[str, Coefficient] = field(repr=False, compare=False)
    find_pairs: Callable[[], tuple[RaterPair, ...]] = field(repr=False, compare=False)

    @cached_property
    def pairs(self) -> tuple[RaterPair, ...]:
        """Every pair of raters; there are many, and most readers ask for none."""
        return self.find_pairs()

    @property
    def reported_mean(self) -> tuple[str, Figure]:
        """The reliability of an item's mean, and its name: ICC(2,k) where all k raters rated all items, else that of
        as many raters as an item has."""
        found = self.icc["ICC(2,k)"]
        here = found.details.get("per_item")
        if here is None:
            return "ICC(2,k)", found
        low, high = here["ci95"]
        return f"ICC(2,{here['raters']:.3g})", replace(
            found, value=here["value"], ci95=(low, high), details={}
        )

    @property
    def generalizability(self) -> Generalizability:
        """What the components say about more or fewer raters."""
        return generalizability_of(self.icc, self.components)

    @property
    def cronbach_alpha(self) -> Figure:
        """Cronbach's alpha of the raters."""
        return self.coefficients["cronbach_alpha"]

    @property
    def krippendorff_alpha(self) -> Figure:
        """Krippendorff's alpha."""
        return self.coefficients["krippendorff_alpha"]

    @property
    def fleiss_kappa(self) -> Figure:
        """Fleiss' kappa."""
        return self.coefficients["fleiss_kappa"]

    @property
    def gwet_ac(self) -> Figure:
        """Gwet's AC1 for nominal ratings, else AC2 with quadratic weights."""
        return self.coefficients["gwet_ac"]

    @property
    def gwet_ac1(self) -> Figure:
        """Gwet's AC1."""
        return self.coefficients["gwet_ac1"]

    @property
    def percent_agreement(self) -> Figure:
        """The share of pairs of ratings that are the same."""
        return self.coefficients["percent_agreement"]

    def for_tables(self, name: str) -> Figure:
        """A coefficient as people are shown it: one that counts equal values has none to show where hardly any are equal.

        >>> totals = agreement([[n, n + 0.5] for n in range(12)], level="interval")
        >>> totals.percent_agreement.value, totals.for_tables("percent_agreement").value
        (0.0, None)
        """
        found = self.coefficients[name]
        if found.note is MANY_VALUES and self.known[name].needs == "categories":
            return undefined(MANY_VALUES, found.n)
        return found

    @property
    def is_many_valued(self) -> bool:
        """Whether the values are amounts of so many kinds that two of them are hardly ever the same."""
        return any(found.note is MANY_VALUES for found in self.coefficients.values())

    def as_json(self, lang: Lang = "en", readings: bool = True) -> dict[str, Any]:
        """The shape that `haechi agree --json` promises; words in one language.

        readings: whether figures are put in words, which is not right where people and judges are pooled.
        """
        said: dict[str, Any] = {
            "n_items": self.n_items,
            "n_raters": len(self.raters),
            "n_complete": self.n_complete,
            "n_ratings": self.n_ratings,
            "level": self.level,
            "raters": list(self.raters),
            "icc": {
                name: _read(found, CUT_OFFS["icc"] if readings else None, lang)
                for name, found in self.icc.items()
            },
            "icc_method": self.icc_method,
            "components": _variances(self.components, lang),
            "generalizability": self.generalizability.as_json(lang),
        }
        for name, found in self.coefficients.items():
            said[name] = _read(found, self.known[name].cut_offs if readings else None, lang)
        if len(self.raters) > MOST_RATERS:
            said["pairs"] = [in_short(pair, lang) for pair in self.pairs]
            said["pairs_left_out"] = {"figures": list(LEFT_OUT), "why": MANY_RATERS.say(lang)}
        else:
            said["pairs"] = [pair.as_json(lang) for pair in self.pairs]
        return said | {"seed": self.seed}


def _read(found: Figure, cut_offs: CutOffs | None, lang: Lang) -> dict[str, Any]:
    reading = interpret(cut_offs, found) if cut_offs and found.note is not MANY_VALUES else None
    return found.as_json(lang) | ({"reading": reading.as_json(lang)} if reading else {})


def _variances(found: Components | Why, lang: Lang) -> dict[str, Any]:
    if isinstance(found, Why):
        return dict.fromkeys(("item", "rater", "residual")) | {"why": found.say(lang)}
    return found.as_json()


def agreement(
    ratings: Given,
    raters: Sequence[Hashable] | None = None,
    level: Level = "interval",
    categories: Sequence[float] | None = None,
    *,
    count: Given | None = None,
    bootstrap: int = REPLICATES,
    seed: int = SEED,
    known: Mapping[str, Coefficient] = OWN,
) -> Agreement:
    """All agreement figures of one criterion: ICC, Cronbach, Krippendorff, Fleiss, Gwet, percent, and every
    pair.

    Formula: every figure has that of its own function. The share of the variance that lies between items: `icc`, by
    `components` where ratings are missing, and `cronbach_alpha`, which is ICC(3,k) of complete items. What agrees, less
    what would by chance, (po − pe)/(1 − pe): `krippendorff_alpha`, `fleiss_kappa`, `gwet_ac`; with chance left in,
    `percent_agreement`. Of every two raters `pearson`, `spearman`, `kendall`, `cohen_kappa` and `bland_altman`.

    ratings: (items, raters), NaN where missing; a rater without any rating is left out.
    level: what the values are; a figure that the level does not permit is undefined, with that reason.
    categories: the declared scale points, from which the weights of κ and AC come. Gwet's coefficient is AC1
    for nominal ratings, else AC2 with quadratic weights (AC1 stands beside it).
    count: (items,) how many items each row stands for, where equal rows were counted before (see `patterns.PatternTally`).
    known: the coefficients to compute, by name.
    References: those of the functions; Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., beside each other.
    R: psych::ICC, psych::alpha, irr::kripp.alpha, irrCAC::fleiss.kappa.raw, irrCAC::gwet.ac1.raw, irrCAC::pa.coeff.raw,
    psych::cohen.kappa.

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
    squares = mean_squares(array, times)
    n_complete = _complete(array, times) if isinstance(squares, Why) else squares.n
    icc, variances, method = _icc(array, times, squares, found.n_items, level)
    counted = Counted(found, squares, n_complete, len(names), level, bootstrap, seed)

    def coefficient(name: str) -> Figure:
        one = known[name]
        return _noted(one, if_permitted(one.needs, one.compute(counted), level), level, len(values))

    pairs = partial(_pairs, names, codes, values, level, times)
    few = len(array) <= _FEW
    coefficients = LazyMapping(known, coefficient)
    forms = LazyMapping(icc, lambda form: if_permitted("numbers", icc[form], level))
    return Agreement(
        n_items=found.n_items,
        n_complete=n_complete,
        n_ratings=int(found.count @ found.size),
        raters=names,
        level=level,
        icc=forms if few else dict(forms),
        components=variances,
        icc_method=method,
        coefficients=coefficients if few else dict(coefficients),
        seed=seed,
        known=known,
        find_pairs=pairs if few else partial(tuple, pairs()),
    )


def _pairs(
    names: tuple[Hashable, ...],
    codes: NDArray[np.integer],
    values: Floats,
    level: Level,
    times: Integers | None,
) -> tuple[RaterPair, ...]:
    """Every two raters; of many of them only what is quick to compute."""
    if len(names) > MOST_RATERS:
        return many_pairs(names, codes, values, level, times)
    return tuple(
        rater_pair((names[i], names[j]), codes[:, i], codes[:, j], values, level, times)
        for i, j in combinations(range(len(names)), 2)
    )


def _noted(one: Coefficient, found: Figure, level: Level, kinds: int) -> Figure:
    """What counts equal values says little of amounts of many kinds; the figure stays, and says so."""
    of_categories = one.needs == "categories" or one.cut_offs is LANDIS_KOCH
    if found.value is None or level not in ("interval", "ratio") or kinds <= FEW_VALUES or not of_categories:
        return found
    return replace(found, note=MANY_VALUES)


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


def _icc(
    array: Floats, count: Integers | None, squares: MeanSquares | Why, n_items: int, level: Level
) -> tuple[Mapping[str, Figure], Components | Why, ComponentMethod]:
    """The six forms and the components: of complete ratings from mean squares, else by REML."""
    incomplete = _complete(array, count) < n_items
    if level == "nominal":
        return no_icc(NEED_NUMBERS, n_items), NEED_NUMBERS, "reml" if incomplete else "anova"
    if incomplete:
        return *icc_by_reml(Ratings.of(array, count)), "reml"
    if isinstance(squares, Why):
        return no_icc(squares, n_items), squares, "anova"
    return icc_from(squares), components_from(squares), "anova"


def _complete(array: Floats, count: Integers | None) -> int:
    """How many items all raters rated."""
    if not array.shape[1]:
        return 0
    full = ~np.isnan(array).any(axis=1)
    return int(full.sum() if count is None else count[full].sum())
