"""Can AI judges stand in for people, and what are their ratings worth beside a few human ones?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from haechi.analysis.rating_table import Rated
from haechi.stats import AltTest, PredictionPowered, alt_test, prediction_powered_mean
from haechi.stats.alt_test import ENOUGH_ITEMS, ENOUGH_PEOPLE, LEAST_ITEMS
from haechi.stats.figure import Lang, Why
from haechi.stats.human_ai import panel_mean

Costs = Callable[[], Mapping[str, float]]
"""What every judge cost, where that is known of all of them."""

SMALL_TEST = Why(
    f"이 검정은 사람 {ENOUGH_PEOPLE}명 이상, 항목 {ENOUGH_ITEMS}개 이상에서 쓰도록 제안되었고, 항목을 {LEAST_ITEMS}개보다 적게 평가한 "
    "사람은 뺍니다. 그보다 적으면 수치만 보이고 판단하지 않습니다.",
    f"The test was proposed for {ENOUGH_PEOPLE} or more people and {ENOUGH_ITEMS} or more items, and leaves out people "
    f"with fewer than {LEAST_ITEMS}; with less there are only the figures, and no verdict.",
)


@dataclass(frozen=True)
class JudgedCriterion:
    """One criterion: the alternative annotator test of every judge, and the prediction-powered mean."""

    alt_tests: dict[str, AltTest]
    mean: PredictionPowered | None


@dataclass(frozen=True)
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
            name: found.mean.as_json(lang) for name, found in self.criteria.items() if found.mean is not None
        }
        small = [name for name in self.criteria if self.is_small(name)]
        caution = {"caution": SMALL_TEST.say(lang), "small": small} if small else {}
        return {
            "alt_test": {"epsilon": self.epsilon, "criteria": tests, **caution},
            "prediction_powered": {"criteria": means},
        }


def judge_people(rated: Rated, epsilon: float) -> JudgedCriterion:
    """Test every AI judge against the people; names are compared by equality, amounts by distance.

    >>> import numpy as np
    >>> from haechi.analysis.rating_table import Declared
    >>> values = np.array([[1.0, 1, 1], [2, 3, 2], [4, 4, 4]])
    >>> rated = Rated("x", values, ("ann", "bo", "gpt"), ("human", "human", "ai"), Declared("interval"))
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
    is_amount = not rated.declared.labels
    mean = prediction_powered_mean(panel_mean(people), panel_mean(judges)) if is_amount else None
    return JudgedCriterion(tests, mean)
