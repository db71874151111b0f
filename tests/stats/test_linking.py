"""A line between two scales: right for items like the anchors, and refused where anchors bend and the items are not like them."""

from __future__ import annotations

import numpy as np
import pytest
from bench.linking import held

from haechi.stats.linking import FAR, mean_sigma


def test_a_bent_relation_is_not_carried_far_from_the_anchors():
    old = np.linspace(-2, 2, 40)
    link = mean_sigma(old, np.exp(0.6 * old) + 0.05 * (-1) ** np.arange(40))
    assert link.why is None
    assert link.curved < 0.001
    assert link.why_not_at(0.0) is None, "for items like the anchors a line is right however it bends"
    assert link.why_not_at(0.9 * FAR * old.std(ddof=1)) is None
    assert "not in line" in link.why_not_at(1.0).en
    assert "굽어" in link.why_not_at(-1.0).ko


def test_a_line_is_carried_anywhere():
    old = np.linspace(-2, 2, 40)
    link = mean_sigma(old, 0.5 + 0.8 * old + 0.05 * (-1) ** np.arange(40))
    assert link.curved > 0.1
    assert link.why_not_at(2.0) is None


def test_scores_of_two_values_cannot_bend():
    old = np.array([0.0, 1.0] * 10)
    assert mean_sigma(old, np.roll(old, 2) * 0.5).curved is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("relation", "refused", "holds"), [("a line", (0, 0.2), 0.92), ("bends up", (0.8, 1), 0)]
)
def test_what_the_page_says_of_forty_anchors(relation, refused, holds):
    share, line, curve = held(relation, 0.7, 40, 150)
    assert refused[0] <= share <= refused[1]
    assert line >= holds
    assert curve < 0.98
