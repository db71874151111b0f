"""Rater behaviour, repeats and groups, by hand."""

import math

import numpy as np
import pytest

from haechi import stats
from haechi.stats.figure import Figure

NAN = math.nan


def test_severity_compares_with_the_others_on_the_same_items():
    # rater 0: 1 − (3+4)/2 = −2.5, 2 − 3 = −1 → mean −1.75, SD √(1.125), t(.975, 1) = 12.7062
    table = [[1, 3, 4], [2, 3, NAN], [5, NAN, NAN]]
    strict = stats.rater_behaviour(table, ["a", "b", "c"])[0]
    half = 12.7062047 * math.sqrt(1.125 / 2)
    assert (strict.n, strict.severity.n, strict.severity.value) == (3, 2, -1.75)
    assert strict.severity.ci95 == pytest.approx((-1.75 - half, -1.75 + half), abs=1e-5)


def test_spread_and_central_tendency():
    table = np.array([[1, 3], [5, 3], [3, 4], [3, 2]], float)
    wide, narrow = stats.rater_behaviour(table, categories=(1, 2, 3, 4, 5))
    # SDs: 1 5 3 3 → √(8/3); 3 3 4 2 → √(2/3); the ratio is 2
    assert wide.spread.value == pytest.approx(math.sqrt(8 / 3))
    assert wide.spread_ratio.value == pytest.approx(2.0)
    assert narrow.spread_ratio.value == pytest.approx(0.5)
    assert (wide.ends.value, narrow.ends.value) == (0.5, 0.0)
    assert (wide.middle.value, narrow.middle.value) == (0.5, 0.5)
    assert wide.use == {1.0: 1, 2.0: 0, 3.0: 2, 4.0: 0, 5.0: 1}
    assert narrow.as_json()["use"] == {"1": 0, "2": 1, "3": 2, "4": 1, "5": 0}


def test_values_that_differ_late_are_counted_each():
    table = [[1.2345678, 1.0], [1.2345679, 2.0], [1.2345680, 3.0]]
    said = stats.rater_behaviour(table)[0].as_json()["use"]
    assert sum(said.values()) == 3
    assert said["1.2345678"] == 1


def test_an_even_scale_has_two_middle_points():
    (one,) = stats.rater_behaviour([[1], [2], [3], [3]], categories=(1, 2, 3, 4))
    assert (one.middle.value, one.ends.value) == (0.75, 0.25)


def test_halo_of_one_impression():
    impression = np.array([1, 2, 3, 4, 5.0])
    found = stats.halo(np.column_stack([impression, impression, 6 - impression]), ["x", "y", "z"])
    assert [r.value for _, _, r in found.pairs] == [1.0, -1.0, -1.0]
    assert found.mean.value == pytest.approx(-1 / 3)
    assert found.as_json()["pairs"][1]["b"] == "z"


def test_reading_list_puts_the_worst_first():
    table = [[3, 3, 3], [1, 5, 5], [2, 4, NAN], [NAN, NAN, 1]]
    found = stats.disagreements(table, ["a", "b", "c", "d"])
    assert [(one.item, one.n, one.lowest, one.highest) for one in found] == [("b", 3, 1, 5), ("c", 2, 2, 4)]
    assert found[0].spread == pytest.approx(np.std([1, 5, 5], ddof=1))
    assert len(stats.disagreements(table, top=1)) == 1
    # nominal: share differing from the most frequent value, 1/3 against 1/2
    assert [one.item for one in stats.disagreements(table, ["a", "b", "c", "d"], level="nominal")] == [
        "c",
        "b",
    ]


def test_criteria_with_the_lowest_agreement():
    figures = {"a": Figure(0.7, 9), "b": Figure(-0.1, 9), "c": Figure(None, 9), "d": Figure(0.0, 9)}
    assert [name for name, _ in stats.lowest_agreement(figures, top=2)] == ["b", "d"]


def test_self_consistency_of_names_and_numbers():
    found = stats.self_consistency([[1, 1], [2, 3], [4, 4]])
    # within-item variances 0, .5, 0: root of the mean
    assert found.within_sd.value == pytest.approx(math.sqrt(0.5 / 3))
    assert found.agreement.value == pytest.approx(2 / 3)
    names = stats.self_consistency([[1, 1], [2, 3]], level="nominal")
    assert names.icc.value is None
    assert names.agreement.value == 0.5


def test_pass_hat_k_by_hand():
    # successes of runs: 3/3, 2/3, 1/3 and 1/1; C(c,2)/C(3,2) = 1, 1/3, 0; the last query has too few runs
    table = [[1, 1, 1], [1, 1, 0], [0, 0, 1], [1, NAN, NAN]]
    found = stats.pass_hat_k(table, 2)
    assert found.value == pytest.approx(4 / 9)
    assert (found.n, found.details["n_too_few"], found.details["k"]) == (3, 1, 2)
    assert stats.pass_hat_k(table, 1).value == pytest.approx((1 + 2 / 3 + 1 / 3 + 1) / 4)
    assert stats.pass_hat_k(table, 4).why.en == "at least 4 runs of a query are needed, there are 3"


def test_stability_per_query():
    found = stats.stability([[5, 5, 5], [5, 4, NAN], [1, 1, 2], [3, NAN, NAN]])
    assert found.per_query[:3].tolist() == pytest.approx([1, 1 / 2, 2 / 3])
    assert found.as_json()["per_query"][3] is None
    assert found.modal_share.value == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)
    assert found.always_same.value == pytest.approx(1 / 3)
    assert found.within_sd.value == pytest.approx(math.sqrt((0 + 0.5 + 1 / 3) / 3))


def test_groups_keep_their_order_and_count_what_is_missing():
    values, modes = [4, 5, NAN, 2, 2], ["free", "free", "free", "agent", "agent"]
    free, agent = stats.describe(values, modes)
    assert (free.name, free.n, free.n_missing, free.mean.value, free.median.value) == ("free", 2, 1, 4.5, 4.5)
    assert free.sd.value == pytest.approx(math.sqrt(0.5))
    assert agent.sd.value == 0.0
    assert agent.mean.ci95 is None
    assert (
        agent.mean.why_no_ci.en == "the data show no spread, so there is no interval; that is not certainty"
    )


def test_cliffs_delta_by_hand():
    # x = 1 2 3, y = 2 2: 1 loses twice, 2 ties twice, 3 wins twice: δ = 0. Row means −1, 0, 1; columns 0, 0.
    # Σ(row)² = 2, Σ(column)² = 0, Σ d² = 4; (2²·2 + 3²·0 − 4)/(3·2·2·1) = 4/12, above the floor 1/5.
    # interval: ±z√v √(1 + z²v)/(1 + z²v) = ±√(z²v/(1 + z²v)), z²v = 3.841459/3
    found = stats.two_samples([1, 2, 3], [2, 2]).cliff_delta
    assert found.value == 0
    half = math.sqrt(3.841459 / 3 / (1 + 3.841459 / 3))
    assert found.ci95 == pytest.approx((-half, half), abs=1e-6)


def test_hedges_correction():
    # f = 8: J = Γ(4)/(√4 Γ(3.5)) = 6/(2 · 3.3233509) = 0.9027
    found = stats.two_samples([5, 4, 4, 5, 3], [3, 2, 4, 2, 2])
    assert found.hedges_g.value / found.cohen_d.value == pytest.approx(6 / (2 * 3.3233509), abs=1e-6)


def test_sign_flips_of_many_items_are_seeded():
    random = np.random.default_rng(1)
    a, b = random.normal(0.3, 1, 60), random.normal(0, 1, 60)
    first, second = stats.paired(a, b, seed=3), stats.paired(a, b, seed=3)
    assert first == second
    assert first.sign_flip.p == pytest.approx(first.t_test.p, abs=0.03)
    assert first.as_json()["seed"] == 3


def test_what_rounding_leaves_is_no_severity():
    ratings = [[0.3, 0.1, 0.2, 0.6], [0.3, 0.6, 0.1, 0.2], [0.4, 0.4, 0.3, 0.5]]
    severity = stats.rater_behaviour(ratings)[0].severity
    assert (severity.value, severity.ci95) == (0.0, None)
