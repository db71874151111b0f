"""Can AI judges stand in for people, and what would people have given where they rated only a part?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from haechi.analysis.rating_table import CriterionRatings
from haechi.data.random_part import UNKNOWN_HOW
from haechi.frozen import frozen
from haechi.scoring.human_scale import NOT_OF_THESE, HumanScores, of_no_part
from haechi.stats import AltTest, alt_test
from haechi.stats.alt_test import ENOUGH_ITEMS, ENOUGH_PEOPLE, LEAST_ITEMS
from haechi.stats.figure import Lang, Why
from haechi.stats.human_scale import HumanScale, human_scale_mean
from haechi.stats.ratings import Floats

Costs = Callable[[], Mapping[str, float]]
"""What every judge cost, where that is known of all of them."""

Human = Callable[[], HumanScores]
"""What people would have given, asked for when it is needed: it takes the scores of all items."""

SMALL_TEST = Why(
    f"이 검정은 사람 {ENOUGH_PEOPLE}명 이상, 항목 {ENOUGH_ITEMS}개 이상에서 쓰도록 제안되었고, 항목을 {LEAST_ITEMS}개보다 적게 평가한 "
    "사람은 뺍니다. 그보다 적으면 수치만 보이고 판단하지 않습니다.",
    f"The test was proposed for {ENOUGH_PEOPLE} or more people and {ENOUGH_ITEMS} or more items, and leaves out people "
    f"with fewer than {LEAST_ITEMS}; with less there are only the figures, and no verdict.",
)


@frozen
class JudgedCriterion:
    """One criterion: the alternative annotator test of every judge, and the mean that people would have given."""

    alt_tests: dict[str, AltTest]
    estimate: Callable[[], HumanScale | None]

    @cached_property
    def had_people_rated(self) -> HumanScale | None:
        """That mean, computed when it is first asked for; of parts of a score, and of names, there is none."""
        return self.estimate()


@frozen
class StandIns:
    """All criteria; `epsilon` is what the judge's lower cost is worth in the alternative annotator test."""

    epsilon: float
    criteria: Mapping[str, JudgedCriterion]

    def is_small(self, name: str) -> bool:
        """Whether a criterion has fewer people or items than the test was made for."""
        return any(test.too_few for test in self.criteria[name].alt_tests.values())

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The blocks `alt_test` and `prediction_powered`."""
        tests = {
            name: [{"rater": judge, **test.as_json(lang)} for judge, test in found.alt_tests.items()]
            for name, found in self.criteria.items()
        }
        means = {
            name: _predicted(found.had_people_rated, lang)
            for name, found in self.criteria.items()
            if found.had_people_rated is not None
        }
        small = [name for name in self.criteria if self.is_small(name)]
        caution = {"caution": SMALL_TEST.say(lang), "small": small} if small else {}
        return {
            "alt_test": {"epsilon": self.epsilon, "criteria": tests, **caution},
            "prediction_powered": {"criteria": means},
        }


def _predicted(found: HumanScale, lang: Lang) -> dict[str, Any]:
    return {
        "mean": found.mean.as_json(lang),
        "human_only": found.human_only.as_json(lang),
        "judge_only": found.judge_only.as_json(lang),
        "n_human": found.n_human,
        "n_judge": found.n_items - found.n_human,
        "weight": found.weight,
        "effective_human_ratings": found.effective,
        "human_ratings_saved": found.saved,
    }


def judge_people(rated: CriterionRatings, epsilon: float, human: Human | None = None) -> JudgedCriterion:
    """Test every AI judge against the people; names are compared by equality, amounts by distance.

    human: what people would have given, as every other surface has it; of ratings without a study nobody knows whether the
    items that people rated are a random part.

    >>> import numpy as np
    >>> from haechi.analysis.rating_table import ValueScale
    >>> values = np.array([[1.0, 1, 1], [2, 3, 2], [4, 4, 4]])
    >>> rated = CriterionRatings("x", values, ("ann", "bo", "gpt"), ("human", "human", "ai"), ValueScale("interval"))
    >>> judge_people(rated, 0.2).alt_tests["gpt"].advantage
    1.0
    """
    people, names = rated.of("human")
    judges, judge_names = rated.of("ai")
    nominal = rated.declared.level == "nominal"
    metric = "accuracy" if nominal else "neg_rmse"
    tests = {
        judge: alt_test(people, judges[:, j], metric, epsilon=epsilon, raters=names)  # type: ignore[arg-type]
        for j, judge in enumerate(judge_names)
    }
    return JudgedCriterion(tests, lambda: _had_people_rated(rated, people, judges, human))


def _had_people_rated(
    rated: CriterionRatings, people: Floats, judges: Floats, human: Human | None
) -> HumanScale | None:
    both = bool(people.size and judges.size)
    known = human() if human is not None and both else None
    if known is not None and known.is_there:
        return known[rated.name] if rated.name in known.names else None
    if rated.declared.labels:
        return None
    estimated = human_scale_mean(people, judges)
    why = UNKNOWN_HOW if known is None else NOT_OF_THESE
    return of_no_part(estimated, why) if both else estimated
