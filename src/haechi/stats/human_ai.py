"""People and AI judges side by side: panel mean against panel mean, and every judge against the people."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.bland_altman import LimitsOfAgreement, bland_altman
from haechi.stats.cohen import cohen_kappa
from haechi.stats.correlation import kendall, pearson, spearman
from haechi.stats.figure import Figure, Lang, undefined
from haechi.stats.pairs import NEEDS, if_permitted
from haechi.stats.proportion import proportion
from haechi.stats.ratings import LEVELS, Floats, Given, Level, as_ratings, paired_values
from haechi.stats.reasons import NEED_NUMBERS

NAMES = ("pearson", "spearman", "kendall", "mean_difference")


@frozen
class AgainstPeople:
    """AI values against the human panel; the mean difference is AI − people.

    For numbers the panel is its mean; for nominal values its majority, and items on which people tie are left
    out and counted in n_ties.
    """

    n: int
    pearson: Figure
    spearman: Figure
    kendall: Figure
    mean_difference: Figure
    limits: LimitsOfAgreement
    majority_agreement: Figure
    majority_kappa: Figure
    n_ties: int

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {"n": self.n}
        said |= {name: getattr(self, name).as_json(lang) for name in NAMES}
        said["limits_of_agreement"] = {
            "lower": self.limits.lower.as_json(lang),
            "upper": self.limits.upper.as_json(lang),
        }
        return said | {
            "majority_agreement": self.majority_agreement.as_json(lang),
            "majority_kappa": self.majority_kappa.as_json(lang),
            "n_ties": self.n_ties,
        }


@frozen
class HumanAI:
    """The AI panel against the human panel, and each judge against the human panel."""

    panel: AgainstPeople
    each: Callable[[], tuple[tuple[Hashable, AgainstPeople], ...]]

    @cached_property
    def judges(self) -> tuple[tuple[Hashable, AgainstPeople], ...]:
        """Each judge by its name, compared when somebody first asks: most look at the panel."""
        return self.each()

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The shape of one criterion in the `human_ai` block of `haechi agree --json`."""
        judges = [{"rater": name, **one.as_json(lang)} for name, one in self.judges]
        return self.panel.as_json(lang) | {"judges": judges}


def human_ai(
    humans: Given, judges: Given, names: Sequence[Hashable] | None = None, level: Level = "interval"
) -> HumanAI:
    """Do AI judges order and score the items as people do?

    Formula: per item f̄, the mean of the AI raters who scored it, against ȳ, the mean of the people who did; items that
    one side left out are dropped. r, ρ and τ-b of (f̄, ȳ), bias = mean(f̄ − ȳ), limits bias ± 1.96 SD(f̄ − ȳ). Of what most
    chose on each side, ties left out, the share of equal ones and Cohen's κ = (po − pe)/(1 − pe); of nominal ratings only
    these.

    humans: (items, people), judges: (items, judges), NaN where missing, the same items in the same order.
    References: those of `pearson`, `spearman`, `kendall`, `bland_altman`, `proportion` and `cohen_kappa`.
    R: f <- rowMeans(judges, na.rm = TRUE), y <- rowMeans(humans, na.rm = TRUE); cor.test(f, y, method = …),
    BlandAltmanLeh::bland.altman.stats(f, y), irr::kappa2 of the two majorities.

    >>> found = human_ai([[4, 5], [2, 3], [3, 3], [5, 4]], [[4, 4], [2, 2], [4, 3], [5, 5]], ["g", "c"])
    >>> found.panel.n, round(found.panel.pearson.value, 4), found.panel.mean_difference.value
    (4, 0.8893, 0.0)
    >>> [name for name, _ in found.judges]
    ['g', 'c']
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, found {level!r}")
    people, models = as_ratings(humans), as_ratings(judges)
    if people.shape[0] != models.shape[0]:
        raise ValueError(
            f"people and judges must have the same items: {people.shape[0]} and {models.shape[0]}"
        )
    labels = list(names) if names is not None else list(range(models.shape[1]))
    if len(labels) != models.shape[1]:
        raise ValueError(f"{models.shape[1]} judges, but {len(labels)} names")
    given = panel_mean(people), *majority(people)
    return HumanAI(
        _compare(models, *given, level),
        lambda: tuple((label, _compare(models[:, [j]], *given, level)) for j, label in enumerate(labels)),
    )


def _compare(
    ai: Floats, right: Floats, human_choice: Floats, human_ties: NDArray[np.bool_], level: Level
) -> AgainstPeople:
    """AI values against the means of the people, what most of them chose, and where they tie."""
    left = panel_mean(ai)
    n = int(paired_values(left, right)[0].size)
    ai_choice, ai_ties = majority(ai)
    ties = int((ai_ties & ~np.isnan(right) | human_ties & ~np.isnan(left)).sum())
    chosen = paired_values(ai_choice, human_choice)
    agreement = proportion((chosen[0] == chosen[1]).astype(np.float64))
    kappa = cohen_kappa(*chosen)
    if level == "nominal":
        none = undefined(NEED_NUMBERS, n)
        limits = LimitsOfAgreement(none, none, none, None)
        return AgainstPeople(n, none, none, none, none, limits, agreement, kappa, ties)
    limits = bland_altman(left, right)
    figures = {
        "pearson": pearson(left, right),
        "spearman": spearman(left, right),
        "kendall": kendall(left, right),
        "mean_difference": limits.bias,
    }
    kept = {name: if_permitted(NEEDS.get(name), found, level) for name, found in figures.items()}
    return AgainstPeople(
        n, **kept, limits=limits, majority_agreement=agreement, majority_kappa=kappa, n_ties=ties
    )


def panel_mean(ratings: Floats) -> Floats:
    """(items,) the mean of those who rated the item, NaN where nobody did.

    >>> import numpy as np
    >>> panel_mean(np.array([[1.0, 2.0], [np.nan, 3.0]])).tolist()
    [1.5, 3.0]
    """
    known = ~np.isnan(ratings)
    count = known.sum(axis=1)
    with np.errstate(all="ignore"):
        total: Floats = np.where(known, ratings, 0.0).sum(axis=1) / np.where(count > 0, count, np.nan)
    return total


def majority(ratings: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """(items,) the value given most often, NaN where nobody rated or several values tie; and where they tie.

    >>> import numpy as np
    >>> value, tie = majority(np.array([[1.0, 1.0, 2.0], [1.0, 2.0, np.nan]]))
    >>> value.tolist(), tie.tolist()
    ([1.0, nan], [False, True])
    """
    most = np.zeros(ratings.shape[0], dtype=np.int64)
    lowest, highest = np.full(ratings.shape[0], np.nan), np.full(ratings.shape[0], np.nan)
    for column in ratings.T:
        count = (ratings == column[:, None]).sum(axis=1)
        more, same = count > most, (count == most) & (count > 0)
        lowest = np.where(more, column, np.where(same, np.fmin(lowest, column), lowest))
        highest = np.where(more, column, np.where(same, np.fmax(highest, column), highest))
        np.maximum(most, count, out=most)
    tie = lowest < highest
    return np.where(tie, np.nan, lowest), tie
