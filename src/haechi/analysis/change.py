"""Two studies of the same instrument: how every score changed, over the raters that both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.comparison import ComparedCriterion, Comparison
from haechi.analysis.panel_change import NO_COMMON, listed
from haechi.analysis.shared_items import AT, Flips, changes, flips
from haechi.analysis.sides import Sides
from haechi.errors import HaechiError
from haechi.stats import Figure
from haechi.stats.figure import Why, undefined
from haechi.text import Text

SIGNIFICANT = 0.05

Test = Literal["paired t", "Welch t", "none"]


@dataclass(frozen=True)
class ScoreChange:
    """One score before and after; the difference is after − before, in pairs where items are the same.

    refused: nobody gave the score on both sides, so no difference is taken.
    """

    name: str
    before: Figure
    after: Figure
    difference: Figure
    p: float | None
    p_corrected: float | None
    test: Test
    refused: bool = False

    @property
    def is_untested(self) -> bool:
        """Whether there was a value before, and no difference to it can be taken."""
        return self.difference.value is None and self.before.value is not None

    @property
    def direction(self) -> int:
        """1 better, −1 worse, 0 not to be told from chance; what cannot be tested is told by its sign."""
        if self.difference.value is None or self.difference.value == 0:
            return 0
        if self.p_corrected is not None and self.p_corrected >= SIGNIFICANT:
            return 0
        return 1 if self.difference.value > 0 else -1


@dataclass(frozen=True)
class StudyChange:
    """Everything about the change from one study to another; `flips` is about the main score."""

    before: Analysis
    after: Analysis
    labels: tuple[str, str]
    comparison: Comparison
    shared: int
    sides: Sides

    @cached_property
    def scores(self) -> tuple[ScoreChange, ...]:
        """Every score that both studies have."""
        return score_changes(self.comparison, self.sides.refused)

    @cached_property
    def flips(self) -> Flips:
        """The items whose main score changed."""
        return flips(self.sides.shared([self.after.main]), self.after.main, self.after.rubric)

    def items(self) -> Iterator[pl.DataFrame]:
        """Every shared item and score: before, after, change, and whether it crossed the middle of the range."""
        names = list(self.comparison.criteria)
        for both in self.sides.shared(names):
            yield changes(both, names, self.after.rubric).drop(AT)


def score_changes(comparison: Comparison, refused: Sequence[str] = ()) -> tuple[ScoreChange, ...]:
    """The change of every score from the first of two groups to the second."""
    return tuple(
        refused_change(name) if name in refused else _score_change(name, found)
        for name, found in comparison.criteria.items()
    )


def refused_change(name: str) -> ScoreChange:
    """A score of which no difference is taken, because no rater gave it on both sides."""
    none = undefined(Why(*NO_COMMON), 0)
    return ScoreChange(name, none, none, none, None, None, "none", refused=True)


def _score_change(name: str, found: ComparedCriterion) -> ScoreChange:
    before, after = (group.described.mean for group in found.groups)
    if found.paired is not None and found.paired.difference.value is not None:
        difference, test = _turned(found.paired.difference), found.paired.t_test
        return ScoreChange(name, before, after, difference, test.p, test.p_corrected, "paired t")
    if found.two is None:
        return ScoreChange(name, before, after, Figure(None, 0), None, None, "none")
    test, difference = found.two.welch_t, _turned(found.two.difference)
    return ScoreChange(name, before, after, difference, test.p, test.p_corrected, "Welch t")


def change(before: Analysis, after: Analysis) -> StudyChange:
    """Compare two studies; they must use the same instrument."""
    if before.rubric.id != after.rubric.id:
        found = f"{before.rubric.id}, {after.rubric.id}"
        expected = Text("같은 루브릭으로 평가한 두 스터디", "two studies with the same rubric")
        raise HaechiError.of(
            str(after.study.folder), found, expected, Text("스터디를 확인하세요", "check the studies")
        )
    names = [name for name in before.names if name in after.names]
    labels = f"A · {before.study.name}", f"B · {after.study.name}"
    sides = Sides.of(after.rubric, names, before.side, after.side)
    if len(sides.refused) == len(names):
        raise _no_common_rater(before, after)
    return StudyChange(before, after, labels, *sides.compared(labels, after.seed), sides)


def _no_common_rater(before: Analysis, after: Analysis) -> HaechiError:
    """Two panels that say nothing about each other."""
    who = [listed(sorted({cell.rater for cell in side.who_rated})) for side in (before, after)]
    found = Text(
        f"공통 평가자 없음 (A: {who[0].ko} · B: {who[1].ko})",
        f"no common rater (A: {who[0].en}; B: {who[1].en})",
    )
    expected = Text(
        "두 스터디를 모두 평가한 평가자. 평가자가 다르면 점수의 차이인지 평가자의 차이인지 알 수 없습니다",
        "a rater who rated in both; the difference of other raters cannot be told from that of the scores",
    )
    todo = Text(
        "한쪽 평가자가 다른 쪽도 평가하게 하세요 (haechi judge, haechi serve)",
        "let a rater of one study rate the other too (haechi judge, haechi serve)",
    )
    return HaechiError.of(str(after.study.folder), found, expected, todo)


def _turned(found: Figure) -> Figure:
    """After − before, from before − after."""
    if found.value is None:
        return found
    ends = None if found.ci95 is None else (0.0 - found.ci95[1], 0.0 - found.ci95[0])
    return replace(found, value=0.0 - found.value, ci95=ends)
