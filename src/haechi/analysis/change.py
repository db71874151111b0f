"""Two studies of the same instrument: how every score changed, over the raters that both have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.panel_change import name_list
from haechi.analysis.score_change import ScoreChange
from haechi.analysis.shared_items import AT, Flips, changes, flips
from haechi.analysis.sides import Sides
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text


@frozen
class StudyChange:
    """Everything about the change from one study to another; `flips` is about the main score."""

    before: Analysis
    after: Analysis
    labels: tuple[str, str]
    sides: Sides
    scores: tuple[ScoreChange, ...]

    @cached_property
    def flips(self) -> Flips:
        """The items whose main score changed."""
        return flips(self.sides.shared([self.after.main]), self.after.main, self.after.rubric)

    def items(self) -> Iterator[pl.DataFrame]:
        """Every shared item and score: before, after, change, and whether it crossed the middle of the range."""
        names = self.sides.names
        for both in self.sides.shared(names):
            yield changes(both, names, self.after.rubric).drop(AT)


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
    sides = Sides.of(after.rubric, names, before.side, after.side, after.scored.cluster)
    scores = sides.changes(after.seed)
    if not any(map(after.rubric.has_mean, names)):
        raise _only_labels(after)
    if all(one.refused for one in scores):
        raise _nothing_to_compare(before, after, sides)
    return StudyChange(before, after, labels, sides, scores)


def _only_labels(after: Analysis) -> HaechiError:
    """Labels have no mean, and so no difference of two."""
    found = Text("범주형 기준뿐인 루브릭", "a rubric of labels only")
    expected = Text("평균을 낼 수 있는 점수", "a score that has a mean")
    todo = Text(
        "두 버전을 한 스터디에 넣고 haechi compare DIR --by version으로 답의 분포를 비교하세요",
        "put both versions into one study and compare how often each label was given: haechi compare DIR --by version",
    )
    return HaechiError.of(str(after.study.folder), found, expected, todo)


def _nothing_to_compare(before: Analysis, after: Analysis, sides: Sides) -> HaechiError:
    """Two panels that say nothing about each other."""
    who = [name_list(sorted({cell.rater for cell in side.who_rated})) for side in (before, after)]
    found = Text(
        f"공통 평가자 없음 (A: {who[0].ko} · B: {who[1].ko})",
        f"no common rater (A: {who[0].en}; B: {who[1].en})",
    )
    if sides.panel.asked.apart:
        named = sides.panel.asked.named or found
        todo = Text(
            "한쪽을 같은 모델·프롬프트로 다시 평가하거나(haechi judge), 앞 스터디의 앵커를 지금 AI 평가자로 평가해 이으세요(haechi anchors)",
            "judge one of them again with the same model and prompt (haechi judge), or let the judge of today judge anchors of the earlier one (haechi anchors)",
        )
        expected = Text(
            "양쪽에서 똑같이 물은 AI 평가자, 또는 공통의 사람",
            "a judge that was asked alike in both, or a common person",
        )
        return HaechiError.of(str(after.study.folder), named, expected, todo)
    if sides.panel.how != "none":
        found = Text("양쪽에서 같은 항목을 평가한 평가자 없음", "no item that the same rater rated in both")
    expected = Text(
        "두 스터디를 모두 평가한 평가자. 평가자가 다르면 점수의 차이인지 평가자의 차이인지 알 수 없습니다",
        "a rater who rated in both; the difference of other raters cannot be told from that of the scores",
    )
    todo = Text(
        "한쪽 평가자가 다른 쪽도 평가하게 하세요 (haechi judge, haechi serve)",
        "let a rater of one study rate the other too (haechi judge, haechi serve)",
    )
    if sides.panel.how == "none" and {*before.raters.values(), *after.raters.values()} == {"human"}:
        todo = Text(
            f"{todo.ko}. 저마다 자기 세션을 평가한 참여자라면 두 스터디의 항목 id를 서로 다르게 하세요",
            f"{todo.en}; if they are participants with sessions of their own, give the items ids that differ",
        )
    return HaechiError.of(str(after.study.folder), found, expected, todo)
