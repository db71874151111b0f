"""How one score changed from one side to the other: in pairs, or between groups that the same raters rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

from haechi.analysis.panel_change import NO_COMMON
from haechi.frozen import frozen
from haechi.scoring.rule_zeros import nothing_measured
from haechi.stats import SEED, Figure, holm
from haechi.stats.clusters import Clustered
from haechi.stats.figure import Why, undefined
from haechi.stats.groups import describe_one
from haechi.stats.mean_interval import Bounds
from haechi.stats.paired import paired_differences
from haechi.stats.sample import Sample
from haechi.stats.two_samples import Moments, welch_t
from haechi.text import Text

SIGNIFICANT = 0.05

ChangeTest = Literal["paired t", "Welch t", "Welch t within raters", "t over clusters", "none"]


@frozen
class ScoreChange:
    """One score before and after; the difference is after − before, and all three are over the same rows.

    pairs: how many items the same raters rated on both sides, which are compared where there are two or more;
    scored: how many items have the score on both sides at most, whoever gave it, where that is known;
    refused: nothing that is compared would be free of who rated, so no difference is taken;
    df: the degrees of freedom of the test, and of the interval of the difference; over clusters these are fewer.
    """

    name: str
    before: Figure
    after: Figure
    difference: Figure
    p: float | None
    p_corrected: float | None
    test: ChangeTest
    refused: bool = False
    pairs: int = 0
    scored: int = 0
    df: float | None = None

    def over_clusters(self, own: Clustered, weights: Sequence[float]) -> ScoreChange:
        """The same difference with the error of clusters; `own` has them by group, `weights` make it of the groups' means."""
        if self.difference.value is None or self.p is None:
            return self
        found, tested = own.contrast(weights)
        why = None if found.ci95 is not None else found.why_no_ci or found.why
        difference = replace(self.difference, ci95=found.ci95, why_no_ci=why, details=found.details)
        df = tested.df[0] if tested.df else None
        return replace(self, difference=difference, p=tested.p, df=df, test="t over clusters")

    @property
    def is_partial(self) -> bool:
        """Whether the pairs are less than half of what was scored, so that they do not speak for the rest."""
        return 0 < 2 * self.pairs < self.scored

    @property
    def is_untested(self) -> bool:
        """Whether there was a value before, and no difference to it can be taken."""
        return self.difference.value is None and self.before.value is not None

    @property
    def direction(self) -> int:
        """1 better, −1 worse, 0 not to be told from chance; what cannot be tested is told by its sign."""
        return self.direction_at(SIGNIFICANT)

    def direction_at(self, level: float) -> int:
        """The same at another level of significance."""
        value = self.difference.value or 0.0
        if value == 0 or (self.p_corrected is not None and self.p_corrected >= level):
            return 0
        return 1 if value > 0 else -1


@frozen
class SideScores:
    """One score on one side: over the items, and as every rater gave it."""

    whole: Moments
    by_rater: Mapping[str, Moments]


def same_shares(before: SideScores, after: SideScores) -> bool:
    """Whether the same raters gave a score to every item of both sides, so that no mean is more one rater's than the other.

    >>> every, few = Moments(40, 3.0, 1.0), Moments(4, 3.0, 1.0)
    >>> one = SideScores(every, {"ann": every, "bo": every})
    >>> same_shares(one, one), same_shares(one, SideScores(every, {"ann": every, "bo": few}))
    (True, False)
    """
    complete = (rater.n == side.whole.n for side in (before, after) for rater in side.by_rater.values())
    return before.by_rater.keys() == after.by_rater.keys() and all(complete)


BY_RULE = Text(
    "한쪽은 잴 것이 없어 규칙에 따라 모두 0점이므로 변화로 보지 않습니다",
    "one side is 0 by rule throughout, for want of anything to measure, which is no change",
)


def refused_change(name: str, why: Text = NO_COMMON) -> ScoreChange:
    """A score of which no difference is taken."""
    none = undefined(Why(*why), 0)
    return ScoreChange(name, none, none, none, None, None, "none", refused=True)


def measured_change(found: ScoreChange, before: bool, after: bool) -> ScoreChange:
    """The change of a score that is 0 by rule on every run of a side: no interval there, and no change to or from what was measured.

    >>> one = paired_change("accuracy", Sample.of([3, 4, 5]), Sample.of([0, 0, 0]), Sample.of([-3, -4, -5]))
    >>> measured_change(one, False, True).refused, measured_change(one, False, False).refused
    (True, False)
    """
    if not before and not after:
        return found
    first, second = (
        replace(one, ci95=None, why_no_ci=nothing_measured()) if ruled else one
        for one, ruled in ((found.before, before), (found.after, after))
    )
    made = refused_change(found.name, BY_RULE) if found.difference.value else found
    return replace(made, before=first, after=second)


def paired_change(
    name: str,
    before: Sample,
    after: Sample,
    differences: Sample,
    seed: int = SEED,
    bounds: Bounds | None = None,
) -> ScoreChange:
    """The change over pairs of the same items, which the same raters rated; bounds: the ends of the score's range.

    >>> one, two = Sample.of([1, 2, 3]), Sample.of([2, 2, 5])
    >>> paired_change("total", one, two, Sample.of([1, 0, 2])).difference.value
    1.0
    """
    found = paired_differences(differences.without_noise(max(before.largest, after.largest)), seed)
    first, second = (describe_one(name, side, side.n, bounds).mean for side in (before, after))
    n, test = differences.n, found.t_test
    df = test.df[0] if test.df else None
    return ScoreChange(name, first, second, found.difference, test.p, None, "paired t", pairs=n, df=df)


def unpaired_change(name: str, before: SideScores, after: SideScores, whole: bool) -> ScoreChange:
    """The change between different items: over the `whole` of each side, else as every rater of both sides saw it.

    >>> ann, bo = Moments(4, 0.0, 0.5), Moments(36, 1.0, 0.5)
    >>> mostly_bo = SideScores(Moments(40, 0.9, 0.6), {"ann": ann, "bo": bo})
    >>> mostly_ann = SideScores(Moments(40, 0.1, 0.6), {"ann": Moments(36, 0.0, 0.5), "bo": Moments(4, 1.0, 0.5)})
    >>> unpaired_change("total", mostly_ann, mostly_bo, whole=False).difference.value
    0.0
    """
    first, second = before.whole, after.whole
    sizes = [first.n, second.n]
    test: ChangeTest = "Welch t"
    if not whole and first.n and second.n:
        raters = common_raters(before, after)
        if not raters:
            return refused_change(name)
        own = [(before.by_rater[rater], after.by_rater[rater]) for rater in raters]
        first, second = (_together(side) for side in zip(*own, strict=True))
        sizes = [
            min(n, sum(one.n for one in side)) for n, side in zip(sizes, zip(*own, strict=True), strict=True)
        ]
        test = "Welch t within raters"
    difference, tested = welch_t(second, first)
    one, two = (Figure(of.mean if n else None, n) for of, n in zip((first, second), sizes, strict=True))
    df = tested.df[0] if tested.df else None
    return ScoreChange(name, one, two, difference, tested.p, None, test, df=df)


def common_raters(before: SideScores, after: SideScores) -> list[str]:
    """The raters of both sides; those with several values on both, if there are any: one value has no error."""
    both = [rater for rater in before.by_rater if rater in after.by_rater]
    return [one for one in both if min(before.by_rater[one].n, after.by_rater[one].n) > 1] or both


def holm_changes(changes: Sequence[ScoreChange], main: str) -> tuple[ScoreChange, ...]:
    """The same with p corrected by Holm over the scores that were tested; that of the main one is a question of its own.

    >>> one, two = (Figure(value, 5) for value in (3.0, 2.0))
    >>> changes = [ScoreChange(name, one, two, Figure(-1.0, 5), 0.04, None, "paired t") for name in ("a", "b", "total")]
    >>> [(change.name, change.p_corrected) for change in holm_changes(changes, "total")]
    [('a', 0.08), ('b', 0.08), ('total', 0.04)]
    """
    parts = [one.p for one in changes if one.p is not None and one.name != main]
    found = iter(holm(parts).tolist() if parts else [])
    return tuple(
        one if one.p is None else replace(one, p_corrected=one.p if one.name == main else next(found))
        for one in changes
    )


def _together(raters: Sequence[Moments]) -> Moments:
    """The mean of several raters' means. How they go together is not known, so its error is the largest possible.

    >>> _together([Moments(4, 1.0, 1.0), Moments(4, 2.0, 3.0)])
    Moments(n=4, mean=1.5, sd=2.0)
    """
    n = min(one.n for one in raters)
    error = sum(one.sd / sqrt(one.n) for one in raters) / len(raters)
    return Moments(n, sum(one.mean for one in raters) / len(raters), error * sqrt(n))
