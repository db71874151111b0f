"""Random designs against independent libraries, which are in the test environment only."""

import warnings

import krippendorff
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from stats_designs import ratings, samples
from statsmodels.stats import inter_rater
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.proportion import proportion_confint

from haechi import stats
from haechi.stats.icc import FORMS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pingouin's own imports warn
    import pingouin

quick = settings(max_examples=40, deadline=None)


@quick
@given(ratings(items=(1, 12)), st.sampled_from(stats.LEVELS))
def test_krippendorff_with_gaps(table, level):
    found = stats.krippendorff_alpha(table, level, bootstrap=0)
    pairable = table[(~np.isnan(table)).sum(axis=1) >= 2]
    values = pairable[~np.isnan(pairable)]
    if values.size == 0 or values.min() == values.max():
        assert found.value is None
        return
    assert found.n == pairable.shape[0]
    assert found.value == pytest.approx(krippendorff.alpha(pairable.T, level_of_measurement=level), abs=1e-12)


@quick
@given(
    ratings(points=(-2.5, 0.1, 0.7, 3.25), items=(2, 12)), st.sampled_from(["nominal", "ordinal", "interval"])
)
def test_krippendorff_of_fractions(table, level):
    found = stats.krippendorff_alpha(table, level, bootstrap=0)
    if found.value is not None:
        pairable = table[(~np.isnan(table)).sum(axis=1) >= 2]
        assert found.value == pytest.approx(
            krippendorff.alpha(pairable.T, level_of_measurement=level), abs=1e-9
        )


def test_krippendorff_of_a_continuous_quantity():
    random = np.random.default_rng(3)
    table = random.normal(50, 9, (60, 1)) + random.normal(0, 4, (60, 3))
    table[random.random(table.shape) < 0.1] = np.nan
    for level in stats.LEVELS:
        expected = krippendorff.alpha(table.T, level_of_measurement=level)
        assert stats.krippendorff_alpha(table, level, bootstrap=0).value == pytest.approx(expected, abs=1e-9)


@quick
@given(ratings(gaps=False, items=(3, 12), raters=(2, 5)))
def test_icc_and_cronbach_against_pingouin(table):
    found = stats.icc(table)
    squares = table.var(axis=0).sum() + table.var(axis=1).sum()
    assume(squares > 0 and found["ICC(2,1)"].value is not None and found["ICC(1,k)"].value is not None)
    n, k = table.shape
    error = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    within = table - table.mean(axis=1, keepdims=True)
    assume((error**2).sum() > 1e-9 and (within**2).sum() > 1e-9)  # pingouin divides by these
    long = pd.DataFrame(
        {"item": np.repeat(range(n), k), "rater": np.tile(range(k), n), "value": table.ravel()}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pingouin.intraclass_corr(long, "item", "rater", "value")["ICC"].to_numpy()
    ours = [
        found[form].value for form in ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")
    ]
    for mine, other in zip(ours, theirs, strict=True):
        if mine is not None:
            assert mine == pytest.approx(other, abs=1e-9)


def test_icc_intervals_against_pingouin():
    random = np.random.default_rng(5)
    table = random.normal(0, 1, (20, 1)) + random.normal(0, 0.4, (1, 4)) + random.normal(0, 0.7, (20, 4))
    long = pd.DataFrame(
        {"item": np.repeat(range(20), 4), "rater": np.tile(range(4), 20), "value": table.ravel()}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pingouin.intraclass_corr(long, "item", "rater", "value")
        alpha, ends = pingouin.cronbach_alpha(pd.DataFrame(table))
    column = next(name for name in theirs.columns if name.startswith("CI95"))
    found = stats.icc(table)
    for form, row in zip(FORMS, theirs[column], strict=True):
        assert found[form].ci95 == pytest.approx(tuple(row), abs=6e-3)  # pingouin rounds to two digits
    assert stats.cronbach_alpha(table).value == pytest.approx(alpha)
    assert stats.cronbach_alpha(table).ci95 == pytest.approx(tuple(ends), abs=1e-3)


@quick
@given(ratings(gaps=False, items=(2, 15), raters=(2, 5)))
def test_fleiss_against_statsmodels(table):
    found = stats.fleiss_kappa(table)
    if table.min() == table.max():
        assert found.value is None
    else:
        counts, _ = inter_rater.aggregate_raters(table.astype(int))
        assert found.value == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-12)


@quick
@given(
    ratings(gaps=False, items=(2, 15), raters=(2, 2)), st.sampled_from(["identity", "linear", "quadratic"])
)
def test_cohen_against_scikit_learn_and_statsmodels(table, weights):
    a, b = table.T
    assume(table.min() != table.max())
    scale = (1, 2, 3, 4, 5)
    found = stats.cohen_kappa(a, b, weights, categories=scale)
    name = None if weights == "identity" else weights
    expected = cohen_kappa_score(a, b, labels=scale, weights=name)
    assert found.value == pytest.approx(expected, abs=1e-12)


@quick
@given(samples(least=2), samples(least=2), st.booleans())
def test_correlations_against_scipy(x, y, fine):
    size = min(x.size, y.size)
    x, y = x[:size] / (3 if fine else 1), y[:size]
    if x.min() == x.max() or y.min() == y.max():
        assert stats.pearson(x, y).value is None
        assert stats.kendall(x, y).value is None
        return
    assert stats.spearman(x, y).value == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-9)
    assert stats.kendall(x, y).value == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-9)
    if size > 3:
        theirs = scipy.stats.pearsonr(x, y)
        assert stats.pearson(x, y).value == pytest.approx(theirs.statistic, abs=1e-9)
        ends = theirs.confidence_interval(0.95)
        if abs(theirs.statistic) < 1 - 1e-12:
            assert stats.pearson(x, y).ci95 == pytest.approx((ends.low, ends.high), abs=1e-6)
        else:
            assert stats.pearson(x, y).ci95 is None


def test_kendall_of_continuous_values_takes_the_sorting_way():
    random = np.random.default_rng(1)
    x = random.normal(size=3000)
    y = x + random.normal(size=3000)
    assert stats.kendall(x, y).value == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)


@quick
@given(samples(least=2, whole=False), samples(least=2, whole=False))
def test_two_samples_against_scipy(x, y):
    assume(np.ptp(x) > 1e-3 and np.ptp(y) > 1e-3)
    found = stats.two_samples(x, y)
    welch = scipy.stats.ttest_ind(x, y, equal_var=False)
    assert found.welch_t.statistic == pytest.approx(welch.statistic, rel=1e-6, abs=1e-9)
    assert found.welch_t.p == pytest.approx(welch.pvalue, abs=1e-9)
    ends = welch.confidence_interval(0.95)
    assert found.difference.ci95 == pytest.approx((ends.low, ends.high), rel=1e-6, abs=1e-6)
    u = scipy.stats.mannwhitneyu(
        x, y, method="exact" if found.mann_whitney.method == "exact" else "asymptotic"
    )
    assert found.mann_whitney.statistic == u.statistic
    assert found.mann_whitney.p == pytest.approx(u.pvalue, abs=1e-9)
    assert found.cliff_delta.value == pytest.approx(2 * u.statistic / (x.size * y.size) - 1, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found.cohen_d.value == pytest.approx(pingouin.compute_effsize(x, y, eftype="cohen"), abs=1e-9)


@quick
@given(st.lists(samples(least=2, whole=False), min_size=2, max_size=4))
def test_many_samples_against_scipy_and_statsmodels(groups):
    assume(all(np.ptp(group) > 1e-3 for group in groups))
    found = stats.many_samples({str(i): group for i, group in enumerate(groups)})
    kruskal = scipy.stats.kruskal(*groups)
    assert found.kruskal_wallis.statistic == pytest.approx(kruskal.statistic, abs=1e-9)
    assert found.kruskal_wallis.p == pytest.approx(kruskal.pvalue, abs=1e-9)
    welch = anova_oneway(groups, use_var="unequal", welch_correction=True)
    assert found.welch_anova.statistic == pytest.approx(welch.statistic, rel=1e-6)
    assert found.welch_anova.p == pytest.approx(welch.pvalue, abs=1e-9)
    raw = [pair.comparison.welch_t.p for pair in found.pairs]
    corrected = [pair.comparison.welch_t.p_corrected for pair in found.pairs]
    assert corrected == pytest.approx(pingouin.multicomp(raw, method="holm")[1], abs=1e-12)


@quick
@given(samples(least=3, most=9), samples(least=3, most=9))
def test_paired_against_scipy(x, y):
    size = min(x.size, y.size)
    x, y = x[:size], y[:size]
    assume(np.ptp(x - y) > 0)
    found = stats.paired(x, y)
    student = scipy.stats.ttest_rel(x, y)
    assert found.t_test.statistic == pytest.approx(student.statistic)
    assert found.t_test.p == pytest.approx(student.pvalue)
    ends = student.confidence_interval(0.95)
    assert found.difference.ci95 == pytest.approx((ends.low, ends.high))
    flipped = scipy.stats.permutation_test(
        (x, y), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", vectorized=True
    )
    assert found.sign_flip.p == pytest.approx(flipped.pvalue)


@quick
@given(st.lists(st.integers(-6, 6).filter(bool), min_size=2, max_size=9))
def test_wilcoxon_is_exact_with_ties(differences):
    d = np.array(differences, float)
    found = stats.paired(d, np.zeros(d.size))
    ranks = scipy.stats.rankdata(np.abs(d))
    signs = (np.arange(2**d.size)[:, None] >> np.arange(d.size)) & 1
    sums, observed = signs @ ranks, ranks[d > 0].sum()
    p = 2 * min((sums <= observed).mean(), (sums >= observed).mean())
    assert found.wilcoxon.statistic == observed
    assert found.wilcoxon.p == pytest.approx(min(1.0, p))


def test_wilcoxon_and_mann_whitney_in_the_large():
    random = np.random.default_rng(2)
    x, y = random.integers(1, 6, 80).astype(float), random.integers(1, 6, 80).astype(float)
    theirs = scipy.stats.wilcoxon(x, y, zero_method="wilcox", correction=False, method="asymptotic")
    assert stats.paired(x, y).wilcoxon.p == pytest.approx(theirs.pvalue, abs=1e-12)
    u = scipy.stats.mannwhitneyu(x, y, method="asymptotic")
    assert stats.two_samples(x, y).mann_whitney.p == pytest.approx(u.pvalue, abs=1e-12)


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_corrections_against_pingouin_and_statsmodels(p):
    assert stats.holm(p) == pytest.approx(pingouin.multicomp(p, method="holm")[1], abs=1e-12)
    assert stats.benjamini_yekutieli(p) == pytest.approx(multipletests(p, method="fdr_by")[1], abs=1e-12)


@quick
@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_against_statsmodels(counts):
    successes, n = counts
    low, high = proportion_confint(successes, n, method="wilson")
    assert stats.wilson(successes, n).ci95 == pytest.approx((max(0.0, low), min(1.0, high)), abs=1e-9)


def test_leaving_out_agrees_with_resampling_unit_by_unit():
    random = np.random.default_rng(11)
    table = np.clip(np.rint(random.normal(3, 1, (120, 1)) + random.normal(0, 0.8, (120, 3))), 1, 5)
    table[random.random(table.shape) < 0.1] = np.nan
    for level in stats.LEVELS:
        found = stats.krippendorff_alpha(table, level)
        drawn = [table[random.integers(0, 120, 120)] for _ in range(600)]
        values = [krippendorff.alpha(resample.T, level_of_measurement=level) for resample in drawn]
        assert found.ci95 == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=0.03)
