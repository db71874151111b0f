"""Tests of groups and systems against independent libraries, and against values that R gave."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_oracle
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from haechi import stats
from haechi.stats.interaction import _welch_james
from haechi.stats.sample import Sample
from haechi.stats.two_samples import Moments, contrast

quick = settings(max_examples=30, deadline=None)
likert = st.integers(1, 5)

# 22 sessions of 8 students in three groups
Y = [3, 4, 2, 3, 5, 4, 4, 6, 5, 7, 6, 4, 5, 3, 6, 7, 2, 4, 5, 6, 3, 5]
GROUP = [*"aaabbbabbccccabcacbcab"]
STUDENT = [1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 8, 8, 8, 2]


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections(p):
    for ours, theirs in (
        (stats.bonferroni, "bonferroni"),
        (stats.benjamini_hochberg, "fdr_bh"),
        (stats.benjamini_yekutieli, "fdr_by"),
        (stats.holm, "holm"),
    ):
        assert ours(p) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


@quick
@given(st.lists(st.tuples(likert, likert, likert, likert), min_size=3, max_size=20))
def test_friedman(rows):
    table = np.array(rows, float)
    assume(any(len(set(row)) > 1 for row in rows))
    found, theirs = stats.same_items(table), scipy.stats.friedmanchisquare(*table.T)
    assert found.friedman.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert found.friedman.p == pytest.approx(theirs.pvalue, abs=1e-12)
    assert found.kendall_w.value == pytest.approx(theirs.statistic / (len(rows) * 3), abs=1e-12)
    one, two = table[:, 0], table[:, 2]
    pair = next(pair for pair in found.pairs if (pair.a, pair.b) == ("1", "3"))
    if np.ptp(one - two):
        assert pair.comparison.t_test.p == pytest.approx(scipy.stats.ttest_rel(one, two).pvalue, abs=1e-12)
        assert pair.comparison.t_test.p_corrected >= pair.comparison.t_test.p


def test_friedman_leaves_out_items_that_a_system_lacks():
    table = np.array([[1, 2, 3], [2, 3, 5], [1, np.nan, 2], [2, 4, 5], [3, 1, 4]])
    whole = table[~np.isnan(table).any(axis=1)]
    found = stats.same_items(table)
    assert found.friedman.n == 4
    assert found.friedman.p == pytest.approx(scipy.stats.friedmanchisquare(*whole.T).pvalue)
    assert {(pair.a, pair.b): pair.comparison.difference.n for pair in found.pairs} == {
        ("1", "2"): 4,
        ("1", "3"): 5,
        ("2", "3"): 4,
    }


@quick
@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=3, max_size=25))
def test_cochran_q(rows):
    assume(any(0 < sum(row) < 3 for row in rows))
    table = np.array(rows, float)
    found, theirs = stats.same_items(table, binary=True).cochran_q, cochrans_q(table)
    assert found.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-12)


@quick
@given(*[st.integers(0, 15)] * 4)
def test_mcnemar(a, b, c, d):
    assume(b + c)
    found = stats.mcnemar(a, b, c, d)
    assert found.exact.p == pytest.approx(mcnemar_oracle([[a, b], [c, d]], exact=True).pvalue, abs=1e-12)
    seen = scipy.stats.binom.pmf(min(b, c), b + c, 0.5)
    assert found.mid_p.p == pytest.approx(found.exact.p - (seen if b != c else seen / 2), abs=1e-9)
    if b and c:
        low, high = scipy.stats.binomtest(b, b + c).proportion_ci(method="exact")
        assert found.odds_ratio.ci95 == pytest.approx((low / (1 - low), high / (1 - high)))


def test_mcnemar_as_fagerland_lydersen_and_laake_print_it():
    # Airway hyper-responsiveness before and after transplantation: 1, 1, 7, 12; exact .070, mid-p .039
    found = stats.mcnemar(1, 1, 7, 12)
    assert round(found.exact.p, 3) == 0.070
    assert round(found.mid_p.p, 3) == 0.039


def _jonckheere_by_arrangement(groups):
    """All arrangements of the values, without any formula."""
    values, sizes = [v for g in groups for v in g], [len(g) for g in groups]
    ends = [0, *itertools.accumulate(sizes)]

    def statistic(order):
        own = [order[a:b] for a, b in itertools.pairwise(ends)]
        return sum((x < y) + (x == y) / 2 for i, j in itertools.combinations(own, 2) for x in i for y in j)

    every = [statistic(order) for order in itertools.permutations(values)]
    seen = statistic(values)
    below, above = (
        np.mean([test(one) for one in every]) for test in (lambda s: s <= seen, lambda s: s >= seen)
    )
    return seen, min(1.0, 2 * min(below, above)), np.var(every)


@pytest.mark.parametrize(
    "groups", [[[1, 2], [3, 2.5], [5, 4, 7]], [[4, 1], [2, 6], [3, 5]], [[5, 6, 7], [3, 4], [1, 2]]]
)
def test_jonckheere_is_exact_without_ties(groups):
    found = stats.trend(groups)
    statistic, p, _ = _jonckheere_by_arrangement(groups)
    assert found.jonckheere.method == "exact"
    assert found.jonckheere.statistic == statistic
    assert found.jonckheere.p == pytest.approx(p)


@pytest.mark.parametrize("groups", [[[1, 2, 2], [2, 3], [3, 3, 4]], [[1, 1], [1, 2, 3], [2, 2]]])
def test_jonckheere_has_the_variance_of_all_arrangements_where_values_tie(groups):
    found = stats.trend(groups)
    statistic, _, variance = _jonckheere_by_arrangement(groups)
    sizes = np.array([len(g) for g in groups])
    mean = (sizes.sum() ** 2 - (sizes**2).sum()) / 4
    p = 2 * scipy.stats.norm.sf(abs(statistic - mean) / math.sqrt(variance))
    assert found.jonckheere.statistic == statistic
    assert found.jonckheere.p == pytest.approx(p)
    values, places = np.concatenate(groups), np.repeat(np.arange(3), sizes)
    assert found.tau.value == pytest.approx(scipy.stats.kendalltau(places, values).statistic)


def test_the_slope_of_group_means_has_the_error_of_hc2():
    groups = [[3, 4, 2, 5], [4, 4, 6], [6, 5, 8, 7, 9]]
    found = stats.trend(groups)
    x = np.repeat([0, 1, 2], [4, 3, 5])
    dummies = np.eye(3)[x]
    fitted = sm.OLS(np.concatenate(groups), dummies).fit(cov_type="HC2", use_t=True)
    theirs = fitted.t_test([[-0.5, 0, 0.5]])
    assert found.per_step.value == pytest.approx(theirs.effect[0])
    assert found.linear.statistic == pytest.approx(theirs.tvalue[0, 0])
    uneven = stats.trend(groups, steps=[10, 20, 50])
    assert uneven.per_step.value == pytest.approx(
        np.polyfit([10, 20, 50], [np.mean(g) for g in groups], 1)[0]
    )


@quick
@given(st.lists(likert, min_size=3, max_size=9), st.lists(likert, min_size=3, max_size=9))
def test_two_groups_have_the_trend_of_welch(a, b):
    assume(np.ptp(a) or np.ptp(b))
    welch, trend = stats.two_samples(b, a), stats.trend([a, b])
    assert trend.per_step.value == pytest.approx(welch.difference.value, abs=1e-12)
    assert trend.linear.p == pytest.approx(welch.welch_t.p, abs=1e-12)


def test_clusters_as_clubsandwich_has_them():
    # R: m <- lm(y ~ 0 + g); V <- vcovCR(m, cluster = s, type = "CR2"); linear_contrast, coef_test, Wald_test
    found = stats.Clustered.of(Y, GROUP, STUDENT)
    difference, tested = found.contrast([1, -1, 0])
    assert difference.ci95[1] == pytest.approx(-0.79238771367899)
    assert tested.p == pytest.approx(0.00606632828259)
    slope, linear = found.contrast([-0.5, 0, 0.5])
    assert slope.ci95[1] == pytest.approx(1.82980403798453)
    assert linear.p == pytest.approx(0.00124032960928)
    mean, against_0 = found.contrast([0, 1, 0])
    assert mean.value == 4.875
    assert against_0.statistic == pytest.approx(13.4715609543)
    assert against_0.df[0] == pytest.approx(3.58536585366)
    omnibus = found.omnibus()
    q, below = omnibus.df
    eta = below + q - 1
    assert omnibus.statistic * eta / below == pytest.approx(17.95257621529347)  # Wald_test(test = "Naive-F")


def test_clusters_of_one_have_the_error_of_welch():
    found = stats.Clustered.of(Y, GROUP, range(len(Y)))
    _, clustered = found.contrast([1, -1, 0])
    a, b = ([y for y, g in zip(Y, GROUP, strict=True) if g == name] for name in "ab")
    assert clustered.statistic == pytest.approx(stats.two_samples(a, b).welch_t.statistic)


def test_clusters_that_hold_one_of_each_group_are_pairs():
    a, b = [3, 4, 2, 5, 4], [4, 6, 3, 5, 6]
    found = stats.Clustered.of([*a, *b], ["a"] * 5 + ["b"] * 5, [*range(5), *range(5)])
    difference, tested = found.contrast([1, -1])
    paired = stats.paired(a, b)
    assert tested.p == pytest.approx(paired.t_test.p)
    assert difference.ci95 == pytest.approx(paired.difference.ci95)


def test_a_group_of_one_cluster_shows_no_error():
    difference, tested = stats.Clustered.of([1, 2, 3, 4], [*"aabb"], [1, 1, 2, 3]).contrast([1, -1])
    assert difference.value is None
    assert "single cluster" in tested.why.en


@quick
@given(
    st.lists(likert, min_size=3, max_size=12),
    st.lists(likert, min_size=3, max_size=12),
    st.floats(0.1, 2.0),
)
def test_equivalence(a, b, margin):
    assume(np.ptp(a) and np.ptp(b))
    two = stats.two_samples(a, b)
    found = stats.equivalence(two.difference, two.welch_t, margin)
    p, lower, upper = ttost_ind(np.array(a), np.array(b), -margin, margin, usevar="unequal")
    assert found.p == pytest.approx(p, abs=1e-9)
    assert found.first_not_worse.p == pytest.approx(lower[1], abs=1e-9)
    assert found.second_not_worse.p == pytest.approx(upper[1], abs=1e-9)
    low, high = found.ci90
    assert found.is_equivalent == (-margin < low and high < margin)


def test_equivalence_in_pairs():
    a, b = np.array([3, 4, 3, 5, 4, 4, 2, 5]), np.array([3, 4, 4, 4, 4, 4, 3, 5])
    paired = stats.paired(a, b)
    found = stats.equivalence(paired.difference, paired.t_test, 0.8)
    assert found.p == pytest.approx(ttost_paired(a, b, -0.8, 0.8)[0])


@quick
@given(st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=2, max_size=4))
def test_chi_squared(rows):
    table = np.array(rows)
    assume((table.sum(axis=0) > 0).all() and (table.sum(axis=1) > 0).all())
    found = stats.contingency(table)
    theirs = scipy.stats.chi2_contingency(table, correction=False)
    assert found.chi_squared.p == pytest.approx(theirs.pvalue, abs=1e-12)
    assert found.smallest_expected == pytest.approx(theirs.expected_freq.min())
    assert found.cramer_v.value == pytest.approx(scipy.stats.contingency.association(table), abs=1e-12)


@quick
@given(*[st.integers(0, 12)] * 4)
def test_fisher(a, b, c, d):
    assume(min(a + b, c + d, a + c, b + d))
    found = stats.contingency([[a, b], [c, d]])
    assert found.exact.p == pytest.approx(scipy.stats.fisher_exact([[a, b], [c, d]]).pvalue, abs=1e-9)


def test_cramer_v_as_effectsize_has_it_and_a_table_with_small_counts():
    # R: effectsize::cramers_v(m, adjust = FALSE, alternative = "two.sided")
    found = stats.contingency([[9, 3, 5], [4, 8, 6]])
    assert found.cramer_v.value == pytest.approx(0.34894210458)
    assert found.cramer_v.ci95 == pytest.approx((0.0, 0.65000698990))
    assert found.exact is None
    small = stats.contingency([[5, 1, 0], [1, 4, 1], [0, 1, 5]])
    theirs = scipy.stats.chi2_contingency(
        [[5, 1, 0], [1, 4, 1], [0, 1, 5]],
        correction=False,
        method=scipy.stats.PermutationMethod(n_resamples=4999, rng=1),
    )
    assert small.exact.p == pytest.approx(theirs.pvalue, abs=0.01)


@quick
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=3, max_size=3))
def test_an_interval_of_v_holds_v(rows):
    found = stats.contingency(rows).cramer_v
    assume(found.value is not None)
    if found.ci95 is None:
        assert found.why_no_ci is not None
    else:
        assert found.ci95[0] <= found.value <= found.ci95[1]


def test_v_that_chance_alone_would_make_has_no_interval():
    found = stats.contingency([[3, 2, 2, 3], [2, 3, 3, 2], [2, 3, 3, 2]])
    assert found.cramer_v.value == pytest.approx(
        scipy.stats.contingency.association([[3, 2, 2, 3], [2, 3, 3, 2], [2, 3, 3, 2]])
    )
    assert found.cramer_v.ci95 is None
    assert "smaller than chance alone" in found.cramer_v.why_no_ci.en


def test_an_interval_of_partial_eta_squared_holds_it():
    for step in np.linspace(0, 1, 41):
        cells = [
            [Moments(6, 3.0, 1.0), Moments(6, 3.0, 1.0), Moments(6, 3.0, 1.0)],
            [Moments(6, 3.0, 1.0), Moments(6, 3.0 + step, 1.0), Moments(6, 3.0, 1.0)],
        ]
        found = stats.interaction(cells).partial_eta_squared
        assert found.ci95 is None or found.ci95[0] <= found.value <= found.ci95[1]


def test_interaction_as_car_and_effectsize_have_it():
    # R: Anova(lm(y ~ g * h), type = 2); eta_squared(alternative = "two.sided")
    frame = pd.DataFrame({"y": Y, "g": GROUP, "h": ["u", "v"] * 11})
    cells = [[Moments.of(Sample.of(frame.y[(frame.g == g) & (frame.h == h)])) for h in "uv"] for g in "abc"]
    found = stats.interaction(cells)
    assert found.anova.statistic == pytest.approx(0.77356, abs=5e-6)
    assert found.anova.p == pytest.approx(0.4778748, abs=5e-8)
    theirs = sm.stats.anova_lm(smf.ols("y ~ g * h", frame).fit(), typ=2)
    assert found.anova.p == pytest.approx(theirs.loc["g:h", "PR(>F)"])
    assert found.partial_eta_squared.value == pytest.approx(0.0881691867593)
    assert found.partial_eta_squared.ci95 == pytest.approx((0.0, 0.355314956586), abs=1e-5)


def test_welch_james_of_one_row_is_the_analysis_of_variance_of_welch():
    groups = [[3, 4, 2, 5], [4, 4, 6], [6, 5, 8, 7, 9]]
    flat = [[Moments.of(Sample.of(g)) for g in groups], [Moments(1_000_000, 0.0, 1e-6)] * 3]
    theirs = anova_oneway([np.array(g, float) for g in groups], use_var="unequal", welch_correction=True)
    found = _welch_james(flat, 12)  # a second row that is known to be 0 leaves the differences of the first
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-5)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-5)


def test_welch_james_of_two_by_two_is_one_contrast():
    cells = [[Moments(5, 3.0, 1.1), Moments(7, 3.5, 0.8)], [Moments(4, 3.1, 1.4), Moments(6, 5.6, 1.0)]]
    found = stats.interaction(cells)
    difference, tested = contrast([one for row in cells for one in row], (1, -1, -1, 1), "t")
    assert found.welch_james.statistic == pytest.approx(tested.statistic**2)
    assert found.welch_james.p == pytest.approx(tested.p, abs=1e-9)
    assert found.difference == difference


def test_permuted_tables_are_as_probable_as_all_arrangements():
    """3, 2 and 2 in groups of 4 and 3: 7! / (3! 2! 2!) = 210 ways to deal out the values, each counted."""
    table = [[3, 1, 0], [0, 1, 2]]
    values, expected = [0, 0, 0, 1, 1, 2, 2], np.outer([4, 3], [3, 2, 2]) / 7
    statistic = ((np.array(table) - expected) ** 2 / expected).sum()
    hits = total = 0
    for order in set(itertools.permutations(values)):
        dealt = np.array([np.bincount(part, minlength=3) for part in (order[:4], order[4:])])
        hits += ((dealt - expected) ** 2 / expected).sum() >= statistic * (1 - 1e-12)
        total += 1
    found = stats.contingency(table).exact
    assert total == 210
    assert found.p == pytest.approx(hits / total, abs=4 * (hits / total / 10_000) ** 0.5)
