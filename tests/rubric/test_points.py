"""Which values a score can take is said once; lists for readers follow from it."""

from __future__ import annotations

import pytest

from haechi.rubrics import find_rubric, parse_rubric
from haechi.scoring.figures import figures_of


@pytest.mark.parametrize(
    ("identifier", "name", "points"),
    [
        ("hiring-agent", "stability", (0, 5)),  # OK or FAILED, nothing in between
        ("hiring-agent", "consistency", None),  # a formula
        ("hiring-agent", "overall", None),  # a weighted mean
        ("hiring-agent", "accuracy", (0, 1, 2, 3, 4, 5)),
        ("maice-qac", "A1", (1, 2, 3, 4, 5)),  # met + 1 of four elements
        ("maice-qac", "A1_math_expertise.concept_accuracy", (0, 1)),  # one element
        ("maice-qac", "A", tuple(range(3, 16))),  # three times 1–5
        ("maice-qac", "insufficient", (0, 1)),  # a floor
        ("diary-comment", "ssa", (0, 0.5, 1)),  # the mean of two yes-or-no questions
        ("ubica", "sum", tuple(range(9, 46))),  # nine times 1–5
    ],
)
def test_the_values_that_a_score_can_take(identifier: str, name: str, points: tuple[float, ...]) -> None:
    rubric = find_rubric(identifier)
    name = rubric.floors[0].key if name == "insufficient" else name
    assert rubric.points(name) == points


def test_the_distributions_of_runs_stand_side_by_side() -> None:
    rubric = find_rubric("hiring-agent")
    assert figures_of([(5.0, 2)], "stability", rubric)["distribution"] == {
        **dict.fromkeys(("0", "1", "2", "3", "4"), 0), "5": 2,
    }  # fmt: skip


def test_a_checklist_lists_all_its_levels_whatever_its_formula() -> None:
    elements = "".join(f"        - {{key: {key}, name: {key}, question: {key}}}\n" for key in ("a", "b"))
    rubric = parse_rubric(
        "id: x\ntitle: x\nabout: x\nitem: reply\nspeakers: {user: u, assistant: a}\ntask: x\ncriteria:\n"
        f"  - key: c\n    name: c\n    scale:\n      type: checklist\n      formula: 2 * met\n      elements:\n{elements}"
    )
    assert figures_of([(4.0, 1)], "c", rubric)["distribution"] == {"0": 0, "2": 0, "4": 1}
