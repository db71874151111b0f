"""What must hold for any ratings: order of raters and items, names of categories, bounds, identity."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stats_designs import ratings, samples

from haechi import stats
from haechi.stats.figure import Figure

settings.register_profile("quick", max_examples=60, deadline=None)
settings.load_profile("quick")


def figures(table, level="interval"):
    """Every figure of one matrix that does not name a rater, by name."""
    found = stats.agreement(table, level=level, bootstrap=20)
    named = dict(found.icc)
    for name in ("cronbach_alpha", "krippendorff_alpha", "fleiss_kappa", "gwet_ac", "percent_agreement"):
        named[name] = getattr(found, name)
    return named


def same(a: Figure, b: Figure, interval: bool = True) -> None:
    assert (a.value is None) == (b.value is None)
    if a.value is None:
        assert a.why == b.why
        return
    assert a.value == pytest.approx(b.value, abs=1e-9)
    if interval and a.ci95 and b.ci95:
        assert a.ci95 == pytest.approx(b.ci95, abs=1e-7)


@given(ratings(), st.randoms(use_true_random=False))
def test_order_of_raters_and_items_does_not_matter(table, random):
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = table[rows][:, columns]
    before, after = figures(table), figures(shuffled)
    for name, figure in before.items():
        same(figure, after[name], interval=name != "krippendorff_alpha")


@given(ratings(), st.permutations([1.0, 2.0, 3.0, 4.0, 5.0]))
def test_names_of_categories_do_not_matter_to_nominal_figures(table, names):
    renamed = np.array([math.nan, *names])[np.nan_to_num(table).astype(int)]
    before, after = figures(table, "nominal"), figures(renamed, "nominal")
    for name in ("krippendorff_alpha", "fleiss_kappa", "gwet_ac", "percent_agreement"):
        same(before[name], after[name], interval=name != "krippendorff_alpha")


@given(ratings())
def test_ordinal_alpha_sees_only_the_order(table):
    stretched = np.array([math.nan, 1.0, 2.0, 30.0, 31.0, 1000.0])[np.nan_to_num(table).astype(int)]
    same(
        stats.krippendorff_alpha(table, "ordinal", bootstrap=0),
        stats.krippendorff_alpha(stretched, "ordinal", bootstrap=0),
    )


@given(ratings(), st.floats(0.01, 100), st.floats(-1000, 1000))
def test_interval_figures_do_not_change_with_unit_and_origin(table, unit, origin):
    before, after = figures(table), figures(unit * table + origin)
    for name in (*before,):
        if name.startswith("ICC") or name in ("cronbach_alpha", "krippendorff_alpha"):
            assert (before[name].value is None) == (after[name].value is None)
            if before[name].value is not None:
                assert after[name].value == pytest.approx(before[name].value, abs=1e-6)


@given(ratings())
def test_bounds_and_finite_json(table):
    for level in stats.LEVELS:
        for name, figure in figures(table, level).items():
            if figure.value is None:
                assert figure.why
                assert figure.why.ko
                assert figure.why.en
                continue
            assert math.isfinite(figure.value)
            assert figure.value <= 1 + 1e-9, name
            if figure.ci95:
                assert figure.ci95[0] <= figure.value + 1e-9 or name == "krippendorff_alpha"
                assert figure.ci95[0] <= figure.ci95[1] <= 1 + 1e-9


@given(ratings(raters=(1, 1), gaps=False, items=(2, 12)), st.integers(2, 5))
def test_identical_ratings_agree_completely(column, raters):
    table = np.repeat(column, raters, axis=1)
    assume(column.min() != column.max())
    for level in stats.LEVELS:
        for name, figure in figures(table, level).items():
            if level == "nominal" and (name.startswith("ICC") or name == "cronbach_alpha"):
                assert figure.value is None
            else:
                assert figure.value == pytest.approx(1.0, abs=1e-12), (level, name)


@given(ratings(raters=(2, 2)))
def test_pairs_are_symmetric(table):
    a, b = table.T
    for function in (stats.pearson, stats.spearman, stats.kendall, stats.cohen_kappa):
        same(function(a, b), function(b, a))
    for weights in ("linear", "quadratic"):
        same(stats.cohen_kappa(a, b, weights), stats.cohen_kappa(b, a, weights))
    forth, back = stats.bland_altman(a, b), stats.bland_altman(b, a)
    if forth.bias.value is not None:
        assert forth.bias.value == pytest.approx(-back.bias.value)


@given(ratings(raters=(2, 2), gaps=False, items=(2, 12)))
def test_quadratic_kappa_is_lins_concordance(table):
    # 1 − Σ(a−b)²/n / Σ_ij (a_i − b_j)²/n² and the denominator is var a + var b + (mean a − mean b)²
    a, b = table.T
    spread = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    assume(spread > 0)
    concordance = 2 * ((a - a.mean()) * (b - b.mean())).mean() / spread
    assert stats.cohen_kappa(a, b, "quadratic").value == pytest.approx(concordance, abs=1e-12)


@given(ratings(gaps=False, items=(2, 12), raters=(2, 5)))
def test_cronbach_is_icc_3_k_and_its_textbook_formula(table):
    alpha, form = stats.cronbach_alpha(table), stats.icc(table)["ICC(3,k)"]
    same(alpha, form)
    if alpha.value is not None:
        k, total = table.shape[1], table.sum(axis=1).var(ddof=1)
        assert alpha.value == pytest.approx(
            k / (k - 1) * (1 - table.var(axis=0, ddof=1).sum() / total), abs=1e-9
        )


@given(samples(), samples())
def test_swapping_groups_turns_every_sign(x, y):
    forth, back = stats.two_samples(x, y), stats.two_samples(y, x)
    for name in ("difference", "cohen_d", "hedges_g", "cliff_delta"):
        a, b = getattr(forth, name), getattr(back, name)
        assert (a.value is None) == (b.value is None)
        if a.value is not None:
            assert a.value == pytest.approx(-b.value, abs=1e-12)
            if a.ci95:
                assert a.ci95 == pytest.approx((-b.ci95[1], -b.ci95[0]), abs=1e-9)
    for name in ("welch_t", "mann_whitney"):
        assert getattr(forth, name).p == pytest.approx(getattr(back, name).p, abs=1e-12)
    assert forth.cliff_delta.value is None or -1 <= forth.cliff_delta.value <= 1


@given(st.lists(st.floats(0, 1), min_size=0, max_size=12))
def test_corrections_never_lower_a_p_value(p):
    for function in (stats.holm, stats.benjamini_yekutieli):
        adjusted = function(p)
        assert (adjusted >= np.array(p) - 1e-15).all()
        assert (adjusted <= 1).all()
        assert np.argsort(adjusted, kind="stable").size == len(p)


@given(ratings(points=(0, 1), raters=(1, 4)), st.randoms(use_true_random=False))
def test_pass_hat_k_falls_with_k(table, random):
    found = [stats.pass_hat_k(table, k) for k in (1, 2, 3)]
    complete = ~np.isnan(table).any(axis=1)
    if table.shape[1] >= 3 and complete.all():
        values = [figure.value for figure in found]
        assert values == sorted(values, reverse=True)
    for figure in found:
        assert figure.value is None or 0 <= figure.value <= 1


@given(ratings(raters=(2, 4)), st.integers(0, 2**32 - 1))
def test_an_interval_is_reproducible_and_holds_the_figure(table, seed):
    first = stats.krippendorff_alpha(table, "ordinal", seed=seed)
    assert first == stats.krippendorff_alpha(table, "ordinal", seed=seed)
    if first.ci95:
        assert first.ci95[0] < first.value < first.ci95[1]


@given(ratings(items=(2, 40), raters=(2, 3)))
def test_long_format_gives_the_matrix_back(table):
    rows, columns = np.nonzero(~np.isnan(table))
    assume(rows.size > 0)
    found = stats.matrix(rows, columns, table[rows, columns])
    assert np.array_equal(found.ratings, table[np.ix_(found.items, found.raters)], equal_nan=True)
    named = stats.matrix([f"i{i}" for i in rows], [f"r{j}" for j in columns], table[rows, columns])
    back = {
        (i, j): named.ratings[a, b] for a, i in enumerate(named.items) for b, j in enumerate(named.raters)
    }
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        assert back[f"i{i}", f"r{j}"] == table[i, j]
