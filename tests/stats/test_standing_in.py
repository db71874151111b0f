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
    # Leaving out the first person, the judge gave the same values: four ties, W^f = W^h = 1, so 0 0 0 0.
    # Second: on item 3 the others say 0 0, the judge 0, the person 1: the judge wins; else ties: 0 0 −1 0.
    # Third: on item 2 the others say 1 1, the judge 1, the person 0: the judge wins; else ties: 0 −1 0 0.
    # Minus ε = 0.2 all are negative: of 16 equally likely sign patterns one is as extreme, p = 1/16.
    # Benjamini–Yekutieli with three equal p: 1/16 · (1 + 1/2 + 1/3) = 0.1146 > 0.05: nobody is beaten.
    found = stats.alt_test(PEOPLE, JUDGE, raters=["a", "b", "c"])
    assert [one.p for one in found.people] == [1 / 16] * 3
    assert [one.p_corrected for one in found.people] == pytest.approx([(1 + 1 / 2 + 1 / 3) / 16] * 3)
    assert [one.judge_advantage for one in found.people] == [1.0, 1.0, 1.0]
    assert [one.human_advantage for one in found.people] == [1.0, 0.75, 0.75]
    assert {one.test for one in found.people} == {"wilcoxon"}
    assert (found.replaces, found.winning_rate, found.advantage) == (False, 0.0, 1.0)
    assert found.verdict.en.startswith("does not replace people: closer to the others than 0 of 3 people")
    assert found.verdict.ko.startswith("사람을 대신할 수 없습니다: 사람 3명 중 0명보다")


def test_with_thirty_items_the_t_test_decides():
    found = stats.alt_test(np.tile(PEOPLE, (8, 1)), np.tile(JUDGE, 8))
    differences = np.tile([0.0, 0.0, -1.0, 0.0], 8)
    p = scipy.stats.ttest_1samp(differences, 0.2, alternative="less").pvalue
    assert [one.p for one in found.people] == pytest.approx([0.0, p, p])
    assert {one.test for one in found.people} == {"t"}
    assert (found.replaces, found.winning_rate) == (True, 1.0)
    assert found.as_json("ko")["verdict"].startswith("사람을 대신할 수 있습니다")


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
    half = 1.959964 * math.sqrt(variance)
    assert found.mean.value == 3.75
    assert found.mean.ci95 == pytest.approx((3.75 - half, 3.75 + half), abs=1e-6)
    assert found.effective == pytest.approx(5 / 3 / variance)
    assert found.saved == pytest.approx(5 / 3 / variance - 4)
    assert (found.n_human, found.n_judge, found.weight) == (4, 6, 1.0)
    assert found.human_only.value == 3.5


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
