"""One score of the groups that are compared: what every test says, and which of them to speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from haechi.frozen import frozen
from haechi.stats import Figure, Group, ManySamples, Paired, TwoSamples
from haechi.stats.contingency import Contingency
from haechi.stats.equivalence import Equivalence
from haechi.stats.figure import Lang, Why
from haechi.stats.interaction import Interaction
from haechi.stats.many_samples import SamplePair
from haechi.stats.mcnemar import McNemar
from haechi.stats.outcome import Outcome
from haechi.stats.same_items import SameItems
from haechi.stats.trend import Trend


@frozen
class GroupScores:
    """One group on one criterion; `share` and `n_ties` for yes-or-no criteria: items that most raters call met."""

    by: Mapping[str, str]
    described: Group
    share: Figure | None
    n_ties: int = 0

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"by": dict(self.by), **self.described.as_json(lang)}
        if self.share is not None:
            said |= {"proportion": self.share.as_json(lang), "n_ties": self.n_ties}
        return said


@frozen
class ClusteredPair:
    """Two groups whose items come in clusters."""

    a: str
    b: str
    difference: Figure
    test: Outcome

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"a": self.a, "b": self.b, "difference": self.difference.as_json(lang)}
        return said | {"cluster_t": self.test.as_json(lang)}


@frozen
class ClusteredGroups:
    """Groups whose items come in clusters: every pair, of three groups or more all at once, and the slope of ordered ones."""

    pairs: tuple[ClusteredPair, ...]
    omnibus: Outcome | None = None
    per_step: Figure | None = None
    linear: Outcome | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {"pairs": [pair.as_json(lang) for pair in self.pairs]}
        for name in ("omnibus", "per_step", "linear"):
            if (found := getattr(self, name)) is not None:
                said[name] = found.as_json(lang)
        return said


@frozen
class LevelPairs:
    """The groups of the first field inside one value of the second, by clusters where items come in such."""

    level: str
    pairs: tuple[SamplePair, ...] = ()
    clustered: tuple[ClusteredPair, ...] = ()

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        pairs = [pair.as_json(lang) for pair in self.pairs] + [pair.as_json(lang) for pair in self.clustered]
        return {"level": self.level, "pairs": pairs}


@frozen
class WithinMargin:
    """Two groups against a margin."""

    a: str
    b: str
    found: Equivalence

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {"a": self.a, "b": self.b, **self.found.as_json(lang)}


@frozen
class CategoryCounts:
    """How many items of every group fall into every category, and whether groups differ in that."""

    categories: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    tests: Contingency

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"categories": list(self.categories), "counts": [list(row) for row in self.counts]}
        return said | self.tests.as_json(lang)


class MainTest(NamedTuple):
    """The test to speak of: its name, the outcome, the difference it is about and the effect size with its sign."""

    name: Why
    test: Outcome
    difference: Figure | None = None
    effect: Figure | None = None
    sign: str = ""


def without_interval(effect: Figure) -> Figure:
    """A figure whose interval takes values as independent, beside what does not."""
    return replace(effect, ci95=None, why_no_ci=_CLUSTERED)


_CLUSTERED = Why("묶음을 고려한 구간이 없습니다", "there is no interval over clusters")


@frozen
class ComparedCriterion:
    """One criterion: the groups, and the tests that fit their number and design; `refused` where no difference is taken."""

    groups: tuple[GroupScores, ...]
    two: TwoSamples | None = None
    paired: Paired | None = None
    mcnemar: McNemar | None = None
    many: ManySamples | None = None
    same: SameItems | None = None
    trend: Trend | None = None
    interaction: Interaction | None = None
    inside: tuple[LevelPairs, ...] = ()
    clustered: ClusteredGroups | None = None
    counts: CategoryCounts | None = None
    equivalence: tuple[WithinMargin, ...] = ()
    refused: Why | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {"groups": [group.as_json(lang) for group in self.groups]}
        if self.refused is not None:
            said["refused"] = self.refused.say(lang)
        for name, key in _JSON.items():
            if (found := getattr(self, name)) is not None:
                said[key] = found.as_json(lang)
        if self.inside:
            said["inside"] = [one.as_json(lang) for one in self.inside]
        if self.equivalence:
            said["equivalence"] = [one.as_json(lang) for one in self.equivalence]
        return said

    @property
    def of_two(self) -> MainTest | None:
        """What to say of two groups: by clusters where items come in such, in pairs where they pair up, else Welch's t.

        Ranks are asked where nothing varies for a t.
        """
        if self.two is None:
            return None
        if self.clustered is not None:
            pair = self.clustered.pairs[0]
            name = Why("묶음을 고려한 t", "t over clusters")
            return MainTest(name, pair.test, pair.difference, without_interval(self.two.hedges_g), "g")
        if self.paired is not None and self.paired.difference.value is not None:
            names = Why("짝지은 t", "paired t"), Why("Wilcoxon", "Wilcoxon")
            t, ranks = self.paired.t_test, self.paired.wilcoxon
            difference, effect, sign = self.paired.difference, self.paired.cohen_dz, "dz"
        else:
            names = Why("Welch t", "Welch t"), Why("Mann–Whitney", "Mann–Whitney")
            t, ranks = self.two.welch_t, self.two.mann_whitney
            difference, effect, sign = self.two.difference, self.two.hedges_g, "g"
        if t.p is None and ranks.p is not None:
            return MainTest(names[1], ranks, difference, effect, sign)
        return MainTest(names[0], t, difference, effect, sign)

    @property
    def of_many(self) -> MainTest | None:
        """What to say of three groups or more: whether they differ at all."""
        if self.many is None:
            return None
        if self.clustered is not None and self.clustered.omnibus is not None:
            return MainTest(Why("묶음을 고려한 F", "F over clusters"), self.clustered.omnibus)
        if self.same is not None and self.same.friedman.p is not None:
            return MainTest(Why("Friedman", "Friedman"), self.same.friedman, None, self.same.kendall_w, "W")
        if self.many.welch_anova.p is None and self.many.kruskal_wallis.p is not None:
            return MainTest(Why("Kruskal–Wallis", "Kruskal–Wallis"), self.many.kruskal_wallis)
        return MainTest(Why("Welch 분산분석", "Welch ANOVA"), self.many.welch_anova)

    @property
    def of_trend(self) -> MainTest | None:
        """What to say of ordered groups: the slope, by clusters where items come in such; ranks where nothing varies."""
        if self.trend is None:
            return None
        name = Why("선형 추세", "linear trend")
        if self.clustered is not None and self.clustered.linear is not None:
            return MainTest(name, self.clustered.linear, self.clustered.per_step, self.trend.tau, "τ")
        if self.trend.linear.p is None and self.trend.jonckheere.p is not None:
            ranks = Why("Jonckheere–Terpstra", "Jonckheere–Terpstra")
            return MainTest(ranks, self.trend.jonckheere, self.trend.per_step, self.trend.tau, "τ")
        return MainTest(name, self.trend.linear, self.trend.per_step, self.trend.tau, "τ")


_JSON = {
    "two": "two_samples",
    "paired": "paired",
    "mcnemar": "mcnemar",
    "many": "many_samples",
    "same": "same_items",
    "trend": "trend",
    "interaction": "interaction",
    "clustered": "clustered",
    "counts": "counts",
}
