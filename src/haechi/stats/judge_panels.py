"""Which judges are enough: every panel that can be made of them, against people, with what it costs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import field
from itertools import combinations
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.corrections import holm
from haechi.stats.correlation import pearson
from haechi.stats.distributions import t_two_sided
from haechi.stats.figure import Figure, Lang, Why, undefined
from haechi.stats.human_ai import panel_mean
from haechi.stats.ratings import Floats, Given, as_ratings
from haechi.stats.reasons import fewer_than

MOST_JUDGES = 8
LEAST_ITEMS = 20
CLOSE = 0.01
FOLDS = 10
_NO_PANEL = Why(
    "AI 평가자들의 평균이나 사람의 평균에 분산이 없습니다", "the judges' or the people's means do not vary"
)


@frozen
class JudgePanel:
    """Some judges: how their mean correlates with the people's, what they cost, and whether they are shown to be worse.

    worse_p: of the hypothesis that the panel is as good as the best, Holm's correction over all panels; None for the best.
    """

    judges: tuple[Hashable, ...]
    correlation: Figure
    cost: float
    worse_p: float | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"judges": list(self.judges), "cost": self.cost, "worse_p": self.worse_p}
        return said | {"correlation": self.correlation.as_json(lang)}


@frozen
class JudgePanels:
    """All panels, the best first; the cheapest within .01 of the best, and what that choice is worth on other items.

    held_out: the correlation of panels chosen without the items on which they are then tried; told_apart: whether
    any panel is shown to be worse than the best; searched: "all", or "greedy" where there are more than 8 judges.
    """

    n: int
    panels: tuple[JudgePanel, ...]
    cheapest: JudgePanel | None
    held_out: Figure
    told_apart: bool
    searched: str
    why: Why | None = None
    close: float = field(default=CLOSE)

    @property
    def best(self) -> JudgePanel | None:
        """The panel with the highest correlation on these items."""
        return self.panels[0] if self.panels else None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines; of the panels the best twenty."""
        said: dict[str, Any] = {"n": self.n, "within": self.close, "searched": self.searched}
        said |= {
            name: None if one is None else one.as_json(lang)
            for name, one in (("best", self.best), ("cheapest", self.cheapest))
        }
        said |= {"held_out": self.held_out.as_json(lang), "told_apart": self.told_apart}
        said["panels"] = [one.as_json(lang) for one in self.panels[:20]]
        return said | ({"why": self.why.say(lang)} if self.why else {})


def judge_panels(
    people: Given,
    judges: Given,
    names: Sequence[Hashable] | None = None,
    costs: Sequence[float] | None = None,
) -> JudgePanels:
    """The cheapest panel of judges whose mean correlates with the people's within .01 of the best panel's.

    Every subset of up to 8 judges is tried (of more, judges are added one by one, always the one that helps most), over
    items that all judges and at least one person rated. The panel that looks best of many is partly lucky. So the choice
    is made again ten times without a tenth of the items, and what it chose is tried on these: `held_out`. And every panel
    is tested against the best one: where nothing is shown to be worse, `told_apart` is False, and any panel may do.

    Formula: r of a panel = Pearson's r of the mean of its judges with the mean of the people; cheapest: the lowest cost
    where r ≥ r_best − .01, of equal costs the higher r. worse_p: t = (z_best − z)/s with z = artanh r, s² = (g − 1)/g Σ (D₋ − D̄)²,
    D₋ the difference of the two z without one of g = min(n, 200) groups of items; Student's t with g − 1 degrees of
    freedom, two-sided, Holm over all panels.

    people: (items, people), judges: (items, judges), NaN where missing; costs: (judges,) of any unit, else 1 each.
    Reference: our own choice; Efron & Stein 1981, Annals of Statistics 9, 586–596, on the jackknife. R: none; cor of
    rowMeans(judges[, S]) and rowMeans(people) for every S of utils::combn, bootstrap::jackknife, p.adjust(p, "holm").

    >>> import numpy as np
    >>> random = np.random.default_rng(1)
    >>> true = random.normal(size=200)
    >>> good, same, poor = true + random.normal(0, 0.4, 200), true + random.normal(0, 0.4, 200), random.normal(size=200)
    >>> found = judge_panels(true[:, None], np.column_stack([good, same, poor]), ["a", "b", "noise"])
    >>> found.best.judges, found.cheapest.judges, found.told_apart, len(found.panels)
    (('a', 'b'), ('a', 'b'), True, 7)
    """
    human, machine = as_ratings(people), as_ratings(judges)
    if human.shape[0] != machine.shape[0]:
        raise ValueError(
            f"people and judges must have the same items: {human.shape[0]} and {machine.shape[0]}"
        )
    k = machine.shape[1]
    labels: list[Hashable] = list(names) if names is not None else list(range(k))
    price = np.ones(k) if costs is None else np.asarray(costs, dtype=np.float64)
    if len(labels) != k or price.size != k:
        raise ValueError(f"{k} judges, but {len(labels)} names and {price.size} costs")
    truth = panel_mean(human)
    kept = ~np.isnan(truth) & ~np.isnan(machine).any(axis=1)
    x, y = machine[kept], truth[kept]
    if k < 2 or y.size < LEAST_ITEMS:
        words = "모든 AI 평가자와 사람이 평가한 항목", "items that all judges and people rated"
        few = fewer_than(2, "AI 평가자", "judges", k)
        return _nothing(y.size, few if k < 2 else fewer_than(LEAST_ITEMS, *words, y.size))
    with np.errstate(all="ignore"):
        return _panels(x, y, labels, price)


def _nothing(n: int, why: Why) -> JudgePanels:
    return JudgePanels(n, (), None, undefined(why, n), False, "none", why)


def _panels(x: Floats, y: Floats, labels: list[Hashable], price: Floats) -> JudgePanels:
    members = _subsets(x, y)
    means = _means(x, members)
    r = _correlations(means, y, np.ones((1, y.size)))[0]
    if not np.isfinite(r).any():
        return _nothing(y.size, _NO_PANEL)
    order = sorted(np.flatnonzero(np.isfinite(r)).tolist(), key=lambda i: (-r[i], len(members[i])))
    best = order[0]
    worse = _worse(means, y, best, order)
    cost = [float(price[list(one)].sum()) for one in members]
    made = {
        i: JudgePanel(tuple(labels[j] for j in members[i]), pearson(means[:, i], y), cost[i], worse.get(i))
        for i in order
    }
    chosen = _cheapest(r, cost)
    return JudgePanels(
        y.size,
        tuple(made.values()),
        made[chosen],
        _held_out(means, y, cost),
        any(p < 0.05 for p in worse.values()),
        "all" if x.shape[1] <= MOST_JUDGES else "greedy",
    )


def _subsets(x: Floats, y: Floats) -> list[tuple[int, ...]]:
    k = x.shape[1]
    if k <= MOST_JUDGES:
        return [one for size in range(1, k + 1) for one in combinations(range(k), size)]
    alone = [(j,) for j in range(k)]
    found: list[tuple[int, ...]] = [*alone]
    chosen: tuple[int, ...] = ()
    while len(chosen) < k:
        more = [(*chosen, j) for j in range(k) if j not in chosen]
        r = np.nan_to_num(_correlations(_means(x, more), y, np.ones((1, y.size)))[0], nan=-2.0)
        chosen = more[int(r.argmax())]
        found.append(tuple(sorted(chosen)))
    return list(dict.fromkeys(found))


def _means(x: Floats, members: Sequence[tuple[int, ...]]) -> Floats:
    """(items, panels)"""
    weights = np.zeros((x.shape[1], len(members)))
    for i, one in enumerate(members):
        weights[list(one), i] = 1 / len(one)
    return x @ weights


def _correlations(means: Floats, y: Floats, weights: Floats) -> Floats:
    """(weightings, panels) Pearson's r with every item weighted; weights: (weightings, items)."""
    x, y = means - means.mean(axis=0), y - y.mean()
    n = weights.sum(axis=1, keepdims=True)
    mx, my = weights @ x / n, (weights @ y)[:, None] / n
    xy, xx = weights @ (x * y[:, None]) / n - mx * my, weights @ x**2 / n - mx**2
    yy = (weights @ y**2)[:, None] / n - my**2
    r: Floats = np.where((xx > 1e-12) & (yy > 1e-12), xy / np.sqrt(xx * yy), np.nan)
    return np.clip(r, -1.0, 1.0)


def _cheapest(r: Floats, cost: Sequence[float]) -> int:
    """The cheapest of those within .01 of the best; of equally cheap ones the better."""
    close: list[int] = np.flatnonzero(r >= np.nanmax(r) - CLOSE).tolist()
    return min(close, key=lambda i: (cost[i], -r[i]))


def _groups(n: int, most: int) -> Floats:
    """(groups, items): 0 for the items of the group, 1 for the others."""
    groups = min(n, most)
    left_out = (np.arange(n) % groups)[None, :] == np.arange(groups)[:, None]
    stay: Floats = (~left_out).astype(np.float64)
    return stay


def _worse(means: Floats, y: Floats, best: int, order: Sequence[int]) -> dict[int, float]:
    others = [i for i in order if i != best]
    if not others:
        return {}
    keep = _groups(y.size, 200)
    g = len(keep)
    whole = _fisher(_correlations(means, y, np.ones((1, y.size))))[0]
    without = _fisher(_correlations(means, y, keep))
    away = without[:, [best]] - without[:, others]
    error = np.sqrt((g - 1) / g * ((away - away.mean(axis=0)) ** 2).sum(axis=0))
    t = (whole[best] - whole[others]) / error
    raw = [t_two_sided(float(one), g - 1) if math.isfinite(one) else 1.0 for one in t]
    return dict(zip(others, holm(raw).tolist(), strict=True))


def _fisher(r: Floats) -> Floats:
    z: Floats = np.arctanh(np.clip(r, -0.9999, 0.9999))
    return z


def _held_out(means: Floats, y: Floats, cost: Sequence[float]) -> Figure:
    """The correlation of what was chosen without an item's tenth, on that tenth; all tenths together."""
    folds = np.arange(y.size) % FOLDS
    tried = np.full(y.size, np.nan)
    for fold in range(FOLDS):
        here = folds == fold
        r = _correlations(means[~here], y[~here], np.ones((1, int((~here).sum()))))[0]
        if np.isfinite(r).any():
            tried[here] = means[here, _cheapest(r, cost)]
    return pearson(tried, y)
