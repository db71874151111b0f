"""Strengths from votes between two: published tables, other libraries, and what cannot be said."""

import numpy as np
import pytest

from haechi import stats
from haechi.stats.votes import Votes

# Stigler 1994, as printed by Agresti 2002, p. 448: citations among four journals; the cited one "wins".
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
CITATIONS = [[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142], [284, 276, 325, 188]]

# Agresti 1990, p. 372: seven teams of the American League, 1987; home wins and away wins of every pair.
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
BASEBALL = """
4-3 4-2 4-3 6-1 4-2 6-0   3-3 4-2 4-3 6-0 6-1 4-3   2-5 4-3 2-4 4-3 4-2 6-0   3-3 5-1 2-5 4-3 4-2 6-1
5-1 2-5 3-3 4-2 5-2 6-0   2-5 3-3 3-4 4-3 4-2 2-4   2-5 1-5 1-6 2-4 1-6 3-4
"""

# Springall 1973: nine treatments; for every pair wins of the second, wins of the first, ties.
SPRINGALL = """
2-16-7 0-21-1 5-10-10 2-15-7 0-22-2 12-3-9 13-9-5 10-12-3  6-11-5 17-2-7 9-6-8 8-12-6 24-2-0 16-3-5 15-2-7
22-2-4 14-4-5 11-4-7 24-1-3 22-0-3 17-2-6  3-14-9 2-18-4 12-6-5 10-6-6 8-9-11  5-11-9 20-0-2 15-2-5 13-5-9
27-1-0 19-1-5 18-2-2  2-13-8 2-21-5  6-8-8
"""


def baseball() -> Votes:
    rows = [(home, away) for home in TEAMS for away in TEAMS if home != away]
    first, second, won = [], [], []
    for (home, away), result in zip(rows, BASEBALL.split(), strict=True):
        for wins, end in zip(map(int, result.split("-")), (1, 0), strict=True):
            first += [home] * wins
            second += [away] * wins
            won += [end] * wins
    return first, second, won


def springall() -> Votes:
    wins, ties = np.zeros((9, 9)), np.zeros((9, 9))
    pairs = [(i, j) for i in range(9) for j in range(i + 1, 9)]
    for (i, j), cell in zip(pairs, SPRINGALL.split(), strict=True):
        wins[j, i], wins[i, j], ties[i, j] = map(int, cell.split("-"))
    return Votes.counted(range(1, 10), wins, ties)


def strengths(found: stats.BradleyTerry) -> dict:
    return {s.name: (s.strength.value, s.strength.details["se"]) for s in found.systems}


def test_citations_of_turner_and_firth_2012():
    found = strengths(stats.bradley_terry(Votes.counted(JOURNALS, CITATIONS)))
    printed = {"Comm Statist": (-2.94907, 0.10255), "JASA": (-0.47957, 0.06059), "JRSS-B": (0.26895, 0.07083)}
    for name, values in printed.items():
        assert found[name] == pytest.approx(values, abs=5e-6)
    assert found["Biometrika"] == (0, 0)


def test_baseball_of_agresti_without_and_with_home_advantage():
    found = strengths(stats.bradley_terry(*baseball()))
    printed = {  # BradleyTerry2's vignette, models 1 and 2
        "Boston": (1.1077, 0.3339),
        "Cleveland": (0.6839, 0.3319),
        "Detroit": (1.4364, 0.3396),
        "Milwaukee": (1.5814, 0.3433),
        "New York": (1.2476, 0.3359),
        "Toronto": (1.2945, 0.3367),
    }
    for name, values in printed.items():
        assert found[name] == pytest.approx(values, abs=5.1e-5)
    at_home = stats.bradley_terry(*baseball(), position=True)
    effect = at_home.effects["position"]
    assert (effect.value, effect.details["se"]) == pytest.approx((0.3023, 0.1309), abs=5.1e-5)
    found = strengths(at_home)
    printed = {
        "Boston": (1.1438, 0.3378),
        "Cleveland": (0.7047, 0.3350),
        "Detroit": (1.4754, 0.3446),
        "Milwaukee": (1.6196, 0.3474),
        "New York": (1.2813, 0.3404),
        "Toronto": (1.3271, 0.3403),
    }
    for name, values in printed.items():
        assert found[name] == pytest.approx(values, abs=5.1e-5)


def test_ties_of_davidson_against_r():
    # R 4.2: glm(y ~ pair + X + T - 1, family = poisson) on the trinomial table, X half of both where there is a tie.
    r = [-2.27322954558601, -3.29074993941604, -0.39761046447723, -1.89478943361277, -2.84284729328449]
    r += [1.28146667694757, 0.00489786626049, -0.60743834343377]
    errors = [0.2868181185251, 0.3225040885460, 0.2610119283720, 0.2791117010035, 0.3038978248446]
    errors += [0.2957692770415, 0.2647800597998, 0.2607815361472]
    found = stats.bradley_terry(springall())
    values = strengths(found)
    assert [values[name][0] for name in range(2, 10)] == pytest.approx(r, abs=1e-9)
    assert [values[name][1] for name in range(2, 10)] == pytest.approx(errors, abs=1e-8)
    assert np.log(found.ties.value) == pytest.approx(-0.14439169085856, abs=1e-9)
    low, high = np.log(found.ties.ci95)
    assert (high - low) / 2 / 1.959963984540054 == pytest.approx(0.0902063019276, abs=1e-8)
    assert found.n_ties == 198


def random_votes(n=600, k=5, seed=3, ties=0.0):
    random = np.random.default_rng(seed)
    strength = random.normal(0, 1, k)
    first = random.integers(0, k, n)
    second = (first + random.integers(1, k, n)) % k
    length = random.normal(0, 50, n)
    ahead = strength[first] - strength[second] + 0.4 + 0.01 * length
    won = (random.random(n) < 1 / (1 + np.exp(-ahead))).astype(float)
    won[random.random(n) < ties] = 0.5
    return first, second, won, length, random.integers(0, 40, n), random.integers(0, 25, n)


def design(first, second, *more):
    k = max(first.max(), second.max()) + 1
    x = np.zeros((first.size, k))
    x[np.arange(first.size), first] += 1
    x[np.arange(first.size), second] -= 1
    return np.column_stack([x[:, 1:], *more])


def test_clusters_and_covariates_against_statsmodels():
    import statsmodels.api as sm

    first, second, won, length, rater, _ = random_votes()
    x = design(first, second, np.ones(first.size), length / length.std())
    model = sm.Logit(won, x)
    plain = model.fit(disp=0, tol=1e-12)
    found = stats.bradley_terry(first, second, won, position=True, adjust={"length": length})
    values = strengths(found)
    assert [values[at][0] for at in range(1, 5)] == pytest.approx(plain.params[:4], abs=1e-8)
    assert [values[at][1] for at in range(1, 5)] == pytest.approx(plain.bse[:4], abs=1e-8)
    assert found.effects["position"].value == pytest.approx(plain.params[4], abs=1e-8)
    assert found.effects["length"].value == pytest.approx(plain.params[5], abs=1e-8)
    assert found.effects["length"].details["sd"] == pytest.approx(length.std())
    assert found.log_likelihood == pytest.approx(plain.llf, abs=1e-8)

    one = model.fit(
        disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": rater, "use_correction": False}
    )
    clustered = stats.bradley_terry(
        first, second, won, position=True, adjust={"length": length}, clusters=[rater]
    )
    errors = np.sqrt(40 / 39) * one.bse[:4]  # G / (G − 1), without statsmodels' (n − 1) / (n − k)
    assert [strengths(clustered)[at][1] for at in range(1, 5)] == pytest.approx(errors, abs=1e-8)
    assert clustered.clusters == (40,)


def test_two_kinds_of_clusters_are_the_sum_less_what_both_share():
    import statsmodels.api as sm

    first, second, won, _, rater, item = random_votes()
    model = sm.Logit(won, design(first, second))

    def variance(groups):
        many = np.unique(groups).size
        kind = {"cov_type": "cluster", "cov_kwds": {"groups": groups, "use_correction": False}}
        return model.fit(disp=0, tol=1e-12, **kind).cov_params() * many / (many - 1)

    expected = variance(rater) + variance(item) - variance(rater * 1000 + item)
    found = stats.bradley_terry(first, second, won, clusters=[rater, item])
    errors = [strengths(found)[at][1] for at in range(1, 5)]
    assert errors == pytest.approx(np.sqrt(np.diag(expected)), abs=1e-8)
    assert found.clusters == (40, 25)


def test_ties_and_position_against_a_poisson_regression_of_the_table():
    import statsmodels.api as sm

    first, second, won, *_ = random_votes(n=900, ties=0.25)
    k, rows, counts = 5, [], []
    pairs = sorted({*zip(first.tolist(), second.tolist(), strict=True)})
    for at, (i, j) in enumerate(pairs):
        for end, side in ((1.0, 0.5), (0.0, -0.5), (0.5, 0.0)):
            row = np.zeros(k - 1 + 2 + len(pairs))  # strengths, position, ties, and a constant for each pair
            for place, sign in ((i, side), (j, -side)):
                if place:
                    row[place - 1] += sign
            row[k - 1], row[k], row[k + 1 + at] = side, end == 0.5, 1.0
            rows.append(row)
            counts.append(int(((first == i) & (second == j) & (won == end)).sum()))
    expected = sm.GLM(np.array(counts), np.array(rows), sm.families.Poisson()).fit(tol=1e-14, maxiter=200)
    found = stats.bradley_terry(first, second, won, position=True)
    values = strengths(found)
    for at in range(1, k):
        assert values[at] == pytest.approx((expected.params[at - 1], expected.bse[at - 1]), abs=1e-6)
    effect = found.effects["position"]
    assert (effect.value, effect.details["se"]) == pytest.approx(
        (expected.params[k - 1], expected.bse[k - 1]), abs=1e-6
    )
    assert np.log(found.ties.value) == pytest.approx(expected.params[k], abs=1e-6)


def test_clusters_of_votes_with_ties_against_a_likelihood_differentiated_by_numbers():
    from statsmodels.tools.numdiff import approx_fprime_cs, approx_hess_cs

    first, second, won, _, rater, _ = random_votes(ties=0.2)
    k = 5

    def each(at):
        strong = np.concatenate([[0.0], at[: k - 1]])
        ahead = strong[first] - strong[second] + at[k - 1]
        ends = [np.exp(ahead / 2), np.exp(-ahead / 2), np.exp(at[k]) * np.ones(first.size)]
        chosen = np.where(won == 1, ends[0], np.where(won == 0, ends[1], ends[2]))
        return np.log(chosen / sum(ends))

    found = stats.bradley_terry(first, second, won, position=True, clusters=[rater])
    values = strengths(found)
    at = np.array([*(values[place][0] for place in range(1, k)), found.effects["position"].value])
    at = np.append(at, np.log(found.ties.value))
    scores = approx_fprime_cs(at, each)
    assert np.abs(scores.sum(axis=0)).max() < 1e-8  # the likelihood is largest there
    bread = np.linalg.inv(-approx_hess_cs(at, lambda value: each(value).sum()))
    sums = np.array([scores[rater == one].sum(axis=0) for one in np.unique(rater)])
    many = len(sums)
    errors = np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * many / (many - 1))
    assert [values[place][1] for place in range(1, k)] == pytest.approx(errors[: k - 1], abs=1e-6)
    assert found.effects["position"].details["se"] == pytest.approx(errors[k - 1], abs=1e-6)


def test_many_clusters_are_summed_as_few(monkeypatch):
    first, second, won, _, rater, _ = random_votes(ties=0.2)
    dense = stats.bradley_terry(first, second, won, position=True, clusters=[rater])
    monkeypatch.setattr("haechi.stats.paired_fit.DENSE", 0)
    sparse = stats.bradley_terry(first, second, won, position=True, clusters=[rater])
    for name, values in strengths(sparse).items():
        assert values == pytest.approx(strengths(dense)[name], abs=1e-10)


def test_the_order_of_votes_and_of_the_two_does_not_matter():
    first, second, won, *_ = random_votes(ties=0.2)
    once = strengths(stats.bradley_terry(first, second, won))
    turned = np.random.default_rng(1).random(first.size) < 0.5
    again = stats.bradley_terry(
        np.where(turned, second, first), np.where(turned, first, second), np.where(turned, 1 - won, won)
    )
    for name, (value, error) in strengths(again).items():
        assert (value, error) == pytest.approx(once[name], abs=1e-9)


def test_a_system_that_never_wins_has_no_strength_and_the_others_have():
    wins = [[0, 5, 4], [3, 0, 6], [0, 0, 0]]
    found = stats.bradley_terry(Votes.counted(["x", "y", "z"], wins))
    by_name = {system.name: system for system in found.systems}
    assert not found.separable
    assert by_name["z"].strength.value is None
    assert "never won" in by_name["z"].strength.why.en
    assert by_name["y"].strength.value == pytest.approx(np.log(3 / 5))
    assert by_name["z"].win_rate == 0
    assert by_name["x"].rank is None  # a lost vote is not proof of being last
    assert found.groups == (("x", "y"), ("z",))


def test_a_reference_that_never_wins_leaves_nothing_to_compare_with():
    found = stats.bradley_terry(Votes.counted(["x", "y"], [[0, 4], [0, 0]]))
    assert [system.strength.value for system in found.systems] == [None, None]
    assert found.as_json()["separable"] is False
    assert found.why.en.startswith("never won")


def test_groups_that_never_meet_say_so():
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 3, 2, 4, 1
    found = stats.bradley_terry(Votes.counted([*"abcd"], wins))
    by_name = {system.name: system.strength for system in found.systems}
    assert by_name["b"].value == pytest.approx(np.log(2 / 3))
    assert "never met" in by_name["c"].why.en
    assert "만난 적이 없어" in found.why.ko
    assert found.groups == (("a", "b"), ("c", "d"))


def test_a_position_that_cannot_be_told_from_the_systems_is_left_out_and_said():
    first, second = ["x"] * 5 + ["x"] * 5, ["y"] * 10
    found = stats.bradley_terry(first, second, [1, 1, 1, 0, 1, 1, 1, 0, 0, 1], position=True)
    assert found.effects["position"].value is None
    assert "cannot be told" in found.effects["position"].why.en
    assert strengths(found)["y"][0] == pytest.approx(np.log(3 / 7))


def test_ties_alone_say_that_all_are_equal_but_not_how_often():
    found = stats.bradley_terry(["x", "y"], ["y", "x"], [0.5, 0.5])
    assert not found.separable
    assert [system.strength.value for system in found.systems] == [None, None]
    assert [system.win_rate for system in found.systems] == [0.5, 0.5]


def test_nothing_and_one_system():
    assert stats.bradley_terry([], [], []).why.en == "there is no rating with a value"
    with pytest.raises(ValueError, match="with itself"):
        stats.bradley_terry(["x"], ["x"], [1])
    with pytest.raises(ValueError, match="none of the systems"):
        stats.bradley_terry(["x", "y"], ["y", "x"], [1, 1], reference="z")
    with pytest.raises(ValueError, match=r"0\.5"):
        stats.bradley_terry(["x"], ["y"], [2])


def test_one_cluster_gives_no_interval():
    found = stats.bradley_terry([*"xyx"], [*"yxy"], [1, 1, 0], clusters=[["r", "r", "r"]])
    strength = next(system.strength for system in found.systems if system.name == "y")
    assert strength.ci95 is None
    assert "single cluster" in strength.why_no_ci.en


def test_a_vote_without_an_ending_is_left_out():
    found = stats.bradley_terry([*"xyx"], [*"yxy"], [1, 1, np.nan])
    assert found.n == 2


def test_ranks_of_equals_rule_nothing_out_most_of_the_time():
    random = np.random.default_rng(5)
    k, covariance = 12, np.eye(12) * 0.04
    missed = 0
    for _ in range(200):
        truth = np.zeros(k)
        truth[0] = -1e-9  # by a hair the last
        found = stats.ranks(truth + random.normal(0, 0.2, k), covariance, draws=500)
        missed += not found.best[0] <= k <= found.worst[0]
    assert missed <= 20  # 5 % are expected at most; percentile ranks miss far more


def test_position_counts_swaps_inside_a_unit_only():
    found = stats.position([*"xyxyx"], [*"yxyxy"], [1, 1, 0.5, 0.5, 1], unit=["a", "a", "b", "b", "c"])
    assert found.swapped_pairs == 2
    assert found.same_verdict.value == 0.5
    assert found.first_wins.value == 1
    assert stats.position(["x"], ["y"], [1]).same_verdict.value is None
    assert stats.position(["x"], ["y"], [0.5]).first_wins.why.en == "no vote was decided"


def test_position_over_clusters_is_wider_where_raters_differ():
    ends = [1] * 50 + [0] * 50
    apart = stats.position(
        ["x"] * 100, ["y"] * 100, ends, clusters=[[0] * 25 + [1] * 25 + [2] * 25 + [3] * 25]
    )
    alone = stats.position(["x"] * 100, ["y"] * 100, ends)
    assert apart.first_wins.ci95[0] < alone.first_wins.ci95[0] < 0.5
