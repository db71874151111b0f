"""Two fields at once: does the difference that one makes depend on the other?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.clusters import Clustered
from haechi.stats.distributions import f_above
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.noncentral import noncentral_f_ends
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats
from haechi.stats.reasons import BELOW_CHANCE, fewer_than
from haechi.stats.two_samples import Moments, contrast

FLAT_CELL = Why(
    "값이 한 가지뿐인 칸이 있어 분산으로 가중할 수 없습니다",
    "a cell does not vary, so it cannot be weighted by its variance",
)
EMPTY_CELL = Why("값이 하나도 없는 칸이 있습니다", "a cell has no values")
INDEPENDENT = Why(
    "값을 서로 독립으로 보는 수치라 묶음이 있으면 구하지 않습니다",
    "it takes values as independent, so there is none of values in clusters",
)
NO_SPREAD = Why("칸 안에서 값이 달라지지 않습니다", "values do not vary within cells")


@frozen
class Interaction:
    """Whether the differences between rows are the same in every column.

    anova: the F test of the interaction, which takes the cells' variances for equal; welch_james: the same without that;
    partial_eta_squared: the share of what is left over that the interaction explains; difference: of two rows and two
    columns the difference of the differences, (first row − second) in the first column less that in the second; clustered: of
    values in clusters the F test that counts them, where the other two have no say.
    """

    anova: Outcome
    welch_james: Outcome
    partial_eta_squared: Figure
    difference: Figure | None = None
    clustered: Outcome | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {
            "anova": self.anova.as_json(lang),
            "welch_james": self.welch_james.as_json(lang),
            "partial_eta_squared": self.partial_eta_squared.as_json(lang),
        }
        said |= {"difference": self.difference.as_json(lang)} if self.difference is not None else {}
        return said | ({"clustered": self.clustered.as_json(lang)} if self.clustered is not None else {})


def interaction(cells: Sequence[Sequence[Moments]]) -> Interaction:
    """Does the difference between the rows depend on the column?

    Formula: ANOVA, F of the saturated model against rows + columns, fitted to the cell means with their counts as weights (what
    types II and III call the interaction). Welch–James: a Wald test of all differences of differences with the variance
    of each cell and Johansen's approximate degrees of freedom; of one row and several columns it would be Welch's ANOVA.
    η²p = F df₁ / (F df₁ + df₂), interval from noncentral F, λ / (λ + df₂); where it would end below η²p there is none.

    cells: (rows, columns) moments, a value or more in each, for Welch–James two. References: Johansen 1980, Biometrika 67, 85–92; Steiger
    2004, Psychological Methods 9, 164–182. statsmodels: anova_lm(typ = 2). R: car::Anova, welchADF::welchADF.test,
    effectsize::eta_squared(alternative = "two.sided").

    >>> cells = [[Moments(5, 3.0, 1.0), Moments(5, 3.5, 1.0)], [Moments(5, 3.1, 1.0), Moments(5, 5.6, 1.0)]]
    >>> found = interaction(cells)
    >>> round(found.anova.statistic, 4), round(found.welch_james.p, 4), round(found.difference.value, 4)
    (5.0, 0.0399, 2.0)
    """
    n, smallest = sum(one.n for row in cells for one in row), min(one.n for row in cells for one in row)
    if smallest < 1:
        return Interaction(
            no_outcome("anova", EMPTY_CELL, n),
            no_outcome("welch_james", EMPTY_CELL, n),
            undefined(EMPTY_CELL, n),
        )
    with np.errstate(all="ignore"):
        test, effect = _anova(cells, n)
        difference = None
        if smallest > 1 and len(cells) == len(cells[0]) == 2:
            flat = [one for row in cells for one in row]
            difference, _ = contrast(flat, (1.0, -1.0, -1.0, 1.0), "interaction")
        return Interaction(test, _welch_james(cells, n), effect, difference)


def interaction_of_clusters(own: Clustered, rows: int, columns: int) -> Interaction:
    """The same where values come in clusters, by all differences of differences; see `Clustered.wald`.

    own: the groups are the cells, row by row. What takes values as independent is left out.

    >>> cells, whose = [0, 1, 2, 3] * 4, [place // 4 for place in range(16)]
    >>> own = Clustered.of([3, 4, 2, 6, 3, 5, 3, 7, 2, 3, 3, 5, 4, 5, 3, 7], cells, whose)
    >>> found = interaction_of_clusters(own, 2, 2)
    >>> round(found.clustered.p, 4), found.difference.value, found.anova.p
    (0.0182, 2.25, None)
    """
    n = int(own.n.sum())
    empty = bool((own.n.sum(axis=0) < 1).any())
    test = (
        no_outcome("cluster_f", EMPTY_CELL, n)
        if empty
        else own.wald(_differences(rows, columns), "cluster_f")
    )
    difference = own.contrast((1.0, -1.0, -1.0, 1.0))[0] if rows == columns == 2 else None
    return Interaction(
        no_outcome("anova", INDEPENDENT, n),
        no_outcome("welch_james", INDEPENDENT, n),
        undefined(INDEPENDENT, n),
        difference,
        test,
    )


def _differences(rows: int, columns: int) -> Floats:
    """All differences of differences over the cells, row by row."""
    first, second = (np.eye(k - 1, k) - np.eye(k - 1, k, 1) for k in (rows, columns))
    every: Floats = np.kron(first, second).astype(np.float64)
    return every


def _anova(cells: Sequence[Sequence[Moments]], n: int) -> tuple[Outcome, Figure]:
    rows, columns = len(cells), len(cells[0])
    size, mean, sd = (
        np.array([[getattr(one, name) for one in row] for row in cells], dtype=np.float64)
        for name in ("n", "mean", "sd")
    )
    within = float(((size - 1) * sd**2).sum())
    df1, df2 = (rows - 1) * (columns - 1), n - rows * columns
    if df2 < 1:
        why = fewer_than(2, "칸마다 값", "values in each cell", 1)
        return no_outcome("anova", why, n), undefined(why, n)
    if within == 0:
        return no_outcome("anova", NO_SPREAD, n), undefined(NO_SPREAD, n)
    weight = np.sqrt(size).ravel()
    additive = _additive(rows, columns)
    fitted = additive @ np.linalg.lstsq(additive * weight[:, None], mean.ravel() * weight, rcond=None)[0]
    between = float((size.ravel() * (mean.ravel() - fitted) ** 2).sum())
    f = between / df1 / (within / df2)
    low, high = noncentral_f_ends(f, df1, df2)
    share = f * df1 / (f * df1 + df2)
    ends = low / (low + df2), high / (high + df2)
    effect = figure(share, n, ends) if share <= ends[1] else figure(share, n, None, BELOW_CHANCE)
    return outcome("anova", f, f_above(f, df1, df2), n, df=(df1, df2)), effect


def _additive(rows: int, columns: int) -> Floats:
    """The design of rows + columns over the cells: an intercept, and every row and column but the first."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    parts = [
        np.ones(rows * columns),
        *(row == i for i in range(1, rows)),
        *(column == j for j in range(1, columns)),
    ]
    design: Floats = np.column_stack(parts).astype(np.float64)
    return design


def _welch_james(cells: Sequence[Sequence[Moments]], n: int) -> Outcome:
    flat = [one for row in cells for one in row]
    if (smallest := min(one.n for one in flat)) < 2:
        return no_outcome("welch_james", fewer_than(2, "칸마다 값", "values in each cell", smallest), n)
    if any(one.sd == 0 for one in flat):
        return no_outcome("welch_james", FLAT_CELL, n)
    wald = _differences(len(cells), len(cells[0]))
    mean = np.array([one.mean for one in flat])
    variance = np.array([one.sd**2 / one.n for one in flat])
    variance_scale = variance.max()
    inverse = np.linalg.inv(wald @ np.diag(variance / variance_scale) @ wald.T)
    away = wald @ mean
    statistic = float(away @ inverse @ away) / variance_scale
    # Each cell's share of the contrasts, for the degrees of freedom that estimated variances leave.
    hat = np.diag(variance / variance_scale) @ wald.T @ inverse @ wald
    lost = sum(hat[i, i] ** 2 / (one.n - 1) for i, one in enumerate(flat))
    c = wald.shape[0]
    scale = c + 2 * lost - 6 * lost / (c + 2)
    df2 = c * (c + 2) / (3 * lost)
    f = statistic / scale
    return outcome("welch_james", f, f_above(f, c, df2), n, df=(c, df2))
