"""The alternative annotator test by hand and by its definition, and prediction-powered means."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_designs import ratings

from haechi import stats

PEOPLE = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0]], float)
JUDGE = np.array([1, 1, 0, 1], float)


def test_four_items_by_hand():
    # Leaving out the first person, the judge gave the same values: four ties, W^f = W^h = 1.
    # Second: on item 3 the others say 0 0, the judge 0, the person 1: the judge wins; else ties.
    # Third: on item 2 the others say 1 1, the judge 1, the person 0: the judge wins; else ties.
    # Four items are too few to test anybody: there are the figures, and no verdict.
    found = stats.alt_test(PEOPLE, JUDGE, raters=["a", "b", "c"])
    assert [one.judge_advantage for one in found.people] == [1.0, 1.0, 1.0]
    assert [one.human_advantage for one in found.people] == [1.0, 0.75, 0.75]
    for one in found.people:
        assert (one.p, one.p_corrected, one.test, one.judge_wins) == (None, None, None, None)
    assert (found.replaces, found.winning_rate, found.advantage, found.n_items) == (None, None, 1.0, 4)
    assert found.verdict.en == (
        "cannot be decided: at least 3 people with 30 or more items are needed, there are 0; "
        "at least 50 items are needed, there are 4"
    )
    assert found.verdict.ko == (
        "판단할 수 없습니다: 항목을 30개 이상 평가한 사람이 3명 이상 필요한데 0명입니다; 항목 50개 이상이 필요한데 4개입니다"
    )


def test_with_thirty_items_there_are_tests_and_with_fifty_a_verdict():
    differences = np.tile([0.0, 0.0, -1.0, 0.0], 8)
    p = scipy.stats.ttest_1samp(differences, 0.2, alternative="less").pvalue
    found = stats.alt_test(np.tile(PEOPLE, (8, 1)), np.tile(JUDGE, 8))
    assert [one.p for one in found.people] == pytest.approx([0.0, p, p])
    assert {one.test for one in found.people} == {"t"}
    assert (found.replaces, found.winning_rate) == (None, 1.0)
    assert found.why.en == "at least 50 items are needed, there are 32"
    enough = stats.alt_test(np.tile(PEOPLE, (13, 1)), np.tile(JUDGE, 13))
    assert (enough.replaces, enough.winning_rate, enough.why) == (True, 1.0, None)
    assert enough.as_json("ko")["verdict"] == (
        "사람을 대신할 수 있습니다: 평균적으로 사람보다 ε = 0.2 넘게 못하지 않다는 것이 사람 3명 중 3명에 대해 "
        "확인되었습니다(승률 1.00 ≥ 0.5). 다른 사람들에게 사람만큼 가까울 확률은 1.00입니다"
    )


def test_two_people_are_too_few_for_a_verdict():
    found = stats.alt_test(np.tile(PEOPLE[:, :2], (20, 1)), np.tile(JUDGE, 20))
    assert (found.replaces, found.n_items) == (None, 80)
    assert found.why.en == "at least 3 people with 30 or more items are needed, there are 2"


def test_who_rated_fewer_than_thirty_items_is_not_tested_but_helps_to_judge_others():
    people, judge = np.tile(PEOPLE, (20, 1)), np.tile(JUDGE, 20)
    people = np.column_stack([people, np.where(np.arange(80) < 29, 1 - judge, np.nan)])
    found = stats.alt_test(people, judge, raters=["a", "b", "c", "d"])
    assert [one.rater for one in found.people if one.p is None] == ["d"]
    assert (found.people[3].n, found.people[3].judge_wins) == (29, None)
    assert (found.replaces, found.winning_rate) == (True, 1.0)
    assert found.verdict.en.endswith("; 1 with fewer than 30 items left out")
    alone = stats.alt_test(people[:, :3], judge)
    assert found.people[1].judge_advantage < alone.people[1].judge_advantage


def test_a_bad_judge_does_not_replace_people():
    found = stats.alt_test(np.ones((60, 3)), np.zeros(60))
    assert (found.replaces, found.winning_rate) == (False, 0.0)
    assert found.verdict.en.startswith(
        "not shown to be able to stand in for people: that it is, on average, not more than ε = 0.2 worse is shown for "
        "none of 3 people (winning rate 0.00 < 0.5)"
    )
    assert found.verdict.ko.startswith(
        "사람을 대신할 수 있다는 근거가 부족합니다: 사람 3명 중 AI가 평균적으로 ε = 0.2 넘게 뒤지지 않는다고 확인된 사람이 "
        "없습니다(승률 0.00 < 0.5)"
    )


def test_what_was_only_not_shown_is_not_called_impossible():
    # One of 60 items in six is missed: the judge is within ε of one person of three, and near the others.
    people = np.zeros((60, 3))
    people[::4, 2] = 1
    judge = np.zeros(60)
    judge[1::6] = 1
    found = stats.alt_test(people, judge)
    assert (found.replaces, found.too_few) == (False, None)
    assert found.advantage > 0.8
    assert "is shown for 1 of 3 people" in found.verdict.en
    assert "확인된 사람은 1명입니다" in found.verdict.ko
    assert "대신할 수 없습니다" not in found.verdict.ko
    assert "only" not in found.verdict.en


def _verdicts(n, person_errs, judge_errs, epsilon, runs=300):
    """How often a judge is said to replace three people, all of whom err on a truth of 0 so often."""
    random, said = np.random.default_rng(n), 0
    for _ in range(runs):
        people = (random.random((n, 3)) < person_errs).astype(float)
        judge = (random.random(n) < judge_errs).astype(float)
        said += stats.alt_test(people, judge, epsilon=epsilon).replaces is True
    return said / runs


@pytest.mark.parametrize("n", [29, 30, 50, 75])
@pytest.mark.parametrize(("person_errs", "judge_errs"), [(0.02, 0.15), (0.0, 0.1)])
def test_a_judge_that_is_worse_by_epsilon_replaces_nobody_more_often_than_it_may(n, person_errs, judge_errs):
    # People at 2 %, the judge at 15 %: worse by .13. People without a fault, the judge at 10 %: worse by ε exactly,
    # where t alone says yes on 11 % of sets of 50, because few differences are not 0.
    assert _verdicts(n, person_errs, judge_errs, epsilon=0.1) <= (0.05 if n >= 50 else 0.0)


def test_a_good_judge_is_found_out_with_enough_items():
    assert _verdicts(100, 0.1, 0.1, epsilon=0.2, runs=100) > 0.8


def test_what_only_t_shows_is_not_decided():
    # 50 items, of which the judge misses two that all people have right: t has p = .019, the score test .079.
    judge = np.zeros(50)
    judge[:2] = 1
    found = stats.alt_test(np.zeros((50, 3)), judge, epsilon=0.1)
    assert [one.judge_wins for one in found.people] == [True] * 3
    assert found.people[0].p_score == pytest.approx(scipy.stats.norm.cdf(-3 / math.sqrt(50 * 0.1 * 0.9)))
    assert found.replaces is None
    assert "score test" in found.verdict.en


def by_definition(people, judge, metric):
    """The paper's definition in loops: the differences W^h − W^f and mean of W^f for every person."""

    def alignment(value, others):
        if metric == "accuracy":
            return sum(value == other for other in others) / len(others)
        return -math.sqrt(sum((value - other) ** 2 for other in others) / len(others))

    found = []
    for left_out in range(people.shape[1]):
        differences, wins = [], []
        for row, value in zip(people, judge, strict=True):
            others = [r for j, r in enumerate(row) if j != left_out and not math.isnan(r)]
            if math.isnan(value) or math.isnan(row[left_out]) or not others:
                continue
            machine, person = alignment(value, others), alignment(row[left_out], others)
            wins.append(machine >= person)
            differences.append(float(person >= machine) - float(machine >= person))
        if wins:
            found.append((np.array(differences, float), float(np.mean(wins))))
    return found


@settings(max_examples=40, deadline=None)
@given(
    ratings(items=(30, 45), raters=(2, 4)),
    st.integers(0, 2**16),
    st.sampled_from(["accuracy", "neg_rmse"]),
    st.sampled_from([0.1, 0.15, 0.2]),
)
def test_definition(people, seed, metric, epsilon):
    judge = np.random.default_rng(seed).integers(1, 6, people.shape[0]).astype(float)
    found = stats.alt_test(people, judge, metric, epsilon=epsilon)
    expected = by_definition(people, judge, metric)
    assert [one.n for one in found.people] == [differences.size for differences, _ in expected]
    for one, (differences, advantage) in zip(found.people, expected, strict=True):
        assert one.judge_advantage == pytest.approx(advantage)
        assert (one.p is None) == (differences.size < 30)
        if differences.size >= 30 and np.ptp(differences) > 0:
            p = scipy.stats.ttest_1samp(differences, epsilon, alternative="less").pvalue
            assert one.p == pytest.approx(p, abs=1e-12)


def test_who_is_missing_is_said():
    alone = stats.alt_test(PEOPLE[:, :1], JUDGE)
    assert alone.replaces is None
    assert alone.why.en == "at least two human raters are needed"
    assert alone.as_json("ko")["verdict"] == "판단할 수 없습니다: 사람 평가자가 두 명 이상이어야 합니다"
    apart = stats.alt_test([[1, np.nan], [np.nan, 1]], [1, 1])
    assert apart.why.en == "no item was rated by the judge and by two or more people"


def test_prediction_powered_by_hand():
    # labelled: y = 4 3 5 2, f = 4 3 4 2, y − f = 0 0 1 0 (mean 1/4, variance 1/4); free f = 5 4 3 3 2 4
    # (mean 7/2, variance 11/10). θ = 15/4; variance 1.1/6 + 0.25/4; var(y) = 5/3.
    human = np.array([4, 3, 5, 2, *[np.nan] * 6])
    found = stats.prediction_powered_mean(human, [4, 3, 4, 2, 5, 4, 3, 3, 2, 4])
    variance = 1.1 / 6 + 0.25 / 4
    df = variance**2 / ((1.1 / 6) ** 2 / 5 + (0.25 / 4) ** 2 / 3)
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt(variance)
    assert found.mean.value == 3.75
    assert found.mean.ci95 == pytest.approx((3.75 - half, 3.75 + half), abs=1e-6)
    assert found.effective == pytest.approx(5 / 3 / variance)
    assert found.saved == pytest.approx(5 / 3 / variance - 4)
    assert (found.n_human, found.n_judge, found.weight) == (4, 6, 1.0)
    assert found.human_only.value == 3.5
    students = scipy.stats.t.interval(0.95, 3, 3.5, math.sqrt(5 / 3 / 4))
    assert found.human_only.ci95 == pytest.approx(students, abs=1e-9)


def test_a_useless_judge_costs_ratings_unless_tuned():
    random = np.random.default_rng(7)
    human = np.where(np.arange(400) < 80, random.normal(3, 1, 400), np.nan)
    noise = random.normal(3, 2, 400)
    assert stats.prediction_powered_mean(human, noise).saved < -40
    tuned = stats.prediction_powered_mean(human, noise, tuned=True)
    assert 0 <= tuned.weight < 0.2
    assert tuned.saved > -5


def test_interval_covers_although_the_judge_is_biased():
    # 95 % of 400 samples, give or take three standard errors of √(.05·.95/400)
    random, covered = np.random.default_rng(8), 0
    for _ in range(400):
        truth = random.normal(3, 1, 300)
        judge = truth + 0.7 + random.normal(0, 0.4, 300)
        found = stats.prediction_powered_mean(np.where(np.arange(300) < 60, truth, np.nan), judge)
        covered += found.mean.ci95[0] <= 3 <= found.mean.ci95[1]
        assert found.judge_only.ci95[0] > 3  # the judge alone would be sure, and wrong
    assert covered / 400 == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 400))
