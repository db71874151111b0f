"""A strong judge that saw only a part: the mean it would have given everything, corrected for how that part was chosen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from haechi.frozen import frozen
from haechi.judge.second_stage import APART, CHECK, SecondStageRule, second_items
from haechi.scoring.panel import means_by_item
from haechi.stats.figure import Figure
from haechi.stats.human_scale import human_scale_mean
from haechi.store.connection import Connection
from haechi.store.item_sets import ItemSet, sets_of, size_of
from haechi.study.scores import StoredStudy
from haechi.text import Lang, Text


@frozen
class StageScore:
    """One score: the mean that the strong judge would have given all items, and what is plainly there beside it."""

    name: str
    estimated: Figure
    first: Figure
    seen: float | None
    """The mean of the strong judge's scores as they are: of items that were chosen because others disagreed."""


class ChosenPart(NamedTuple):
    """A judge that was asked only about items which were chosen because others were apart on them, and some more."""

    then: str
    first: tuple[str, ...]
    asked: int
    items: int

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {**self._asdict(), "first": list(self.first)}

    @property
    def words(self) -> Text:
        """What follows for figures that have this judge among the others."""
        first, counts = ", ".join(self.first), (f"{self.asked:,}", f"{self.items:,}")
        return Text(
            f"{self.then}에게는 두 단계 평가에서 {first}의 의견이 갈린 항목을 중심으로 {counts[1]}개 중 {counts[0]}개만 물었습니다. 이 평가자가 든 수치는 "
            "그 항목에 치우쳐 있어 전체를 말하지 않습니다. 보정한 평균은 haechi score와 보고서의 '두 단계 평가'에 있습니다.",
            f"{self.then} was asked in two stages about {counts[0]} of {counts[1]} items only, mostly those on which {first} were apart: figures with this judge lean to "
            "those and do not speak for all. Its corrected mean stands under 'Two stages of judging' in haechi score and in the report.",
        )


def chosen_part(connection: Connection) -> ChosenPart | None:
    """Whom the newest two stages of a study asked about a part only; None where there were none, or all was asked."""
    sets = sets_of(connection, "second")
    if not sets or len(sets[-1].members) >= int(sets[-1].how["items"]):
        return None
    newest = sets[-1]
    first = tuple(str(name) for name in newest.how["first"])
    return ChosenPart(str(newest.how["then"]), first, len(newest.members), int(newest.how["items"]))


@frozen
class TwoStage:
    """What two stages of judging come to."""

    first: tuple[str, ...]
    then: str
    items: int
    apart: int
    checked: int
    answered: int
    scores: tuple[StageScore, ...]

    @property
    def asked(self) -> int:
        """How many items the strong judge is asked about."""
        return self.apart + self.checked

    def as_json(self, lang: Lang) -> dict[str, Any]:
        """For machines."""
        counts = {
            "items": self.items,
            "apart": self.apart,
            "checked": self.checked,
            "answered": self.answered,
        }
        scores = {
            one.name: {
                "mean": one.estimated.as_json(lang),
                "first": one.first.as_json(lang),
                "seen": one.seen,
            }
            for one in self.scores
        }
        return {"first": list(self.first), "then": self.then, **counts, "scores": scores}


def choose_second(study: StoredStudy, first: list[str], then: str, plan: SecondStageRule) -> ItemSet:
    """The items that the strong judge is to be asked about, from the first judges' scores of all items that have content."""
    scored = study.rated_scores()
    main = study.rubric.main_score(scored.names)
    known = _by_rater(scored.frame, first, main)
    items = [item.id for item in study.items() if item.kind == study.rubric.item]
    scores = {item: [known[rater].get(item) for rater in first] for item in items}
    return second_items(scores, study.rubric.range(main), first, then, main, plan)


def two_stage(study: StoredStudy) -> TwoStage | None:
    """The newest two stages of a study; None where there were none.

    The estimate is that of `human_scale_mean` with the strong judge in the place of people: its scores on all items where the
    first judges were apart (chance 1) and on the random part of the others (chance n/N), helped by the first judges'
    scores on everything.
    """
    with study.database.read() as connection:
        sets = sets_of(connection, "second")
    if not sets:
        return None
    newest = sets[-1]
    first, then = [str(name) for name in newest.how["first"]], str(newest.how["then"])
    scored = study.rated_scores()
    frame = scored.frame.filter(pl.col("rater").is_in([*first, then]))
    chance = {member.item: member.chance for member in newest.members}
    alike = size_of(newest.members, CHECK) / max(1, int(newest.how["alike"]))
    items = sorted(set(frame["item"].to_list()))
    found = []
    answered = set(frame.filter(rater=then)["item"].to_list()) & set(chance)
    for name in scored.names:
        cheap = _by_rater(frame, first, name)
        strong = _by_rater(frame, [then], name)[then]
        judge = np.array([[_or_nan(cheap[rater].get(item)) for rater in first] for item in items])
        # What the strong judge said of other items was asked for in other ways: it is not part of the design.
        second = np.array([_or_nan(strong.get(item) if item in chance else None) for item in items])
        probability = np.array([chance.get(item, alike or 1.0) for item in items])
        if not items or np.isnan(second).all():
            continue
        estimate = human_scale_mean(second, judge, probability, study.rubric.range(name))
        seen = float(np.nanmean(second))
        found.append(StageScore(name, estimate.mean, estimate.judge_only, seen))
    sizes = (size_of(newest.members, APART), size_of(newest.members, CHECK))
    return TwoStage(tuple(first), then, int(newest.how["items"]), *sizes, len(answered), tuple(found))


def _by_rater(frame: pl.DataFrame, raters: list[str], name: str) -> dict[str, dict[str, float]]:
    """The scores of raters by item."""
    return {rater: means_by_item(frame.filter(rater=rater), name) for rater in raters}


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
