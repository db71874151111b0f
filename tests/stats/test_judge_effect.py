"""Effects on a judge: the slope equals other libraries', a lean that is there is found, and one that is not is seldom called one."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from bench.audit import changed_items, rate, stored_items

from haechi.stats import Clustered, judge_effect, paired_effect, slope
from haechi.stats.judge_effect import holm_effects


def drawn(seed: int, n: int = 60, groups: int = 9):
    rng = np.random.default_rng(seed)
    whose = rng.integers(0, groups, n)
    x = rng.normal(size=n)
    return rng.normal(size=n) + 0.4 * x + rng.normal(size=groups)[whose], x, whose


def by_definition(y, x, whose):
    """CR2 and Satterthwaite with the whole hat matrix, as Bell and McCaffrey write it."""
    design = np.column_stack([np.ones(x.size), x])
    bread = np.linalg.inv(design.T @ design)
    rest = np.eye(x.size) - design @ bread @ design.T
    variance, forms = 0.0, []
    for group in np.unique(whose):
        own = np.flatnonzero(whose == group)
        size, ways = np.linalg.eigh(rest[np.ix_(own, own)])
        weights = (ways @ np.diag(size**-0.5) @ ways.T) @ design[own] @ bread[:, 1]
        variance += (weights @ (rest @ y)[own]) ** 2
        forms.append(rest[:, own] @ weights)
    together = np.array(forms) @ np.array(forms).T
    return (bread @ design.T @ y)[1], variance**0.5, np.trace(together) ** 2 / (together**2).sum()


@pytest.mark.parametrize("seed", range(5))
def test_the_slope_is_that_of_its_definition_and_of_statsmodels(seed):
    y, x, whose = drawn(seed)
    found, test = slope(y, x, whose)
    value, error, df = by_definition(y, x, whose)
    assert found.value == pytest.approx(value)
    assert found.value / test.statistic == pytest.approx(error)
    assert test.df[0] == pytest.approx(df)
    alone, test = slope(y, x)
    theirs = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC2")
    assert (alone.value, test.statistic) == (
        pytest.approx(theirs.params[1]),
        pytest.approx(theirs.tvalues[1]),
    )


def test_of_two_groups_it_is_the_difference_of_their_means():
    y, x, whose = drawn(7)
    group = (x > 0).astype(float)
    found, test = slope(y, group, whose)
    other, theirs = Clustered.of(y, group, whose).contrast([1, -1])
    sign = 1 if group[0] else -1
    assert found.value == pytest.approx(sign * other.value)
    assert test.p == pytest.approx(theirs.p)
    assert found.ci95 == pytest.approx(sorted(sign * end for end in other.ci95))


@pytest.mark.parametrize(
    ("y", "x", "whose", "why"),
    [
        ([1, 2, 3], [1, 1, 1], None, "the same everywhere"),
        ([1, 2], [1, 2], None, "at least 3 clusters"),
        ([1, 2, 3, 5], [0, 0, 0, 1], None, "one cluster alone decides"),
    ],
)
def test_a_slope_that_nothing_shows_is_refused(y, x, whose, why):
    found, test = slope(y, x, whose)
    assert found.value is None
    assert why in found.why.en
    assert test.p is None


def test_a_line_without_any_error_has_no_interval():
    found, test = slope([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    assert found.value == pytest.approx(1)
    assert found.ci95 is None
    assert test.p is None


def test_people_decide_where_they_rated_enough():
    rng = np.random.default_rng(3)
    trait = np.repeat([0.0, 1.0], 30)
    worth = 3 + trait + rng.normal(0, 0.3, 60)  # what has the trait is better, and people say so too
    judge, people = worth + rng.normal(0, 0.3, 60), worth + rng.normal(0, 0.3, 60)
    alone, beside = judge_effect(judge, trait), judge_effect(judge, trait, people)
    assert alone.found
    assert not alone.is_adjusted
    assert beside.is_adjusted
    assert not beside.found
    people[10:] = np.nan  # too few to take off
    few = judge_effect(judge, trait, people)
    assert few.against_people.why.en == "at least 20 items are needed, there are 10"
    assert (few.is_adjusted, few.found) == (False, True)


def test_too_few_with_a_trait_are_refused():
    few = judge_effect(np.arange(50.0), [1.0] * 9 + [0.0] * 41)
    assert few.points.why.en == "at least 10 items that differ from the rest are needed, there are 9"


def test_items_that_all_move_alike_are_tested_by_their_signs():
    same = np.array([1, 2, 3, 4, 5, 1, 2, 3, 4, 5.0])
    found = paired_effect(same + 0.5, same)
    assert found.points.ci95 is None
    assert found.test.p == pytest.approx(2**-9)
    clustered = paired_effect(same + 0.5, same, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert clustered.test.p == pytest.approx(2**-4)
    assert not holm_effects({"a": clustered})["a"].found, "five students are too few for it"


@pytest.mark.slow
@pytest.mark.parametrize(("items", "clusters"), [(10, None), (30, None), (30, 10), (100, 12)])
def test_a_judge_that_leans_to_nothing_is_seldom_accused(items, clusters):
    assert rate(changed_items(items, clusters), 1_000) <= 0.065  # .05 and two standard errors


@pytest.mark.slow
@pytest.mark.parametrize(("items", "clusters"), [(40, None), (120, 15)])
def test_what_people_give_too_is_seldom_called_a_lean(items, clusters):
    assert rate(stored_items(items, clusters), 1_000) <= 0.065


@pytest.mark.slow
def test_a_lean_is_found():
    assert rate(changed_items(60, shift=0.3), 300, "0") >= 0.9
    assert rate(stored_items(120, lean=0.2), 300, "length") >= 0.9
