"""The distributions equal scipy's on thousands of points, and 50 digits where scipy itself is not exact."""

from __future__ import annotations

import math
import random

import pytest
import scipy.special as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.stats import distributions as own
from haechi.stats.noncentral import noncentral_chi2_ends, noncentral_f_ends, noncentral_t_below

POINTS = 1500
SMALLEST = 1e-200


def near(found, expected, tolerance=1e-12):
    return expected < SMALLEST or found == pytest.approx(expected, rel=tolerance, abs=0)


def points(seed):
    """Degrees of freedom from a tenth to ten thousand, probabilities down to 1e-12 from either end."""
    draw = random.Random(seed)
    for _ in range(POINTS):
        df1, df2 = (10 ** draw.uniform(-1, draw.choice((1, 2, 4))) for _ in range(2))
        p = draw.choice((draw.random(), 10 ** draw.uniform(-12, 0), 1 - 10 ** draw.uniform(-12, 0)))
        yield draw, df1, df2, min(max(p, 1e-12), 1 - 1e-12)


def test_tails():
    for draw, df1, df2, _ in points(1):
        t, z, f = draw.gauss(0, 10), draw.gauss(0, 8), 10 ** draw.uniform(-6, 3)
        x = max(0.0, df1 + draw.gauss(0, 4) * math.sqrt(2 * df1))
        assert near(own.normal_below(z), oracle.ndtr(z)), z
        assert near(own.t_below(t, df1), oracle.stdtr(df1, t)), (t, df1)
        assert near(own.t_two_sided(t, df1), 2 * oracle.stdtr(df1, -abs(t))), (t, df1)
        assert near(own.f_above(f, df1, df2), oracle.fdtrc(df1, df2, f)), (f, df1, df2)
        assert near(own.chi2_above(x, df1), oracle.chdtrc(df1, x), 1e-11), (x, df1)
        n = int(10 ** draw.uniform(0, 3))
        k, share = draw.randint(-1, n), draw.random()
        assert near(own.binomial_below(k, n, share), oracle.bdtr(k, n, share) if k >= 0 else 0, 1e-11)


def test_quantiles():
    for _, df1, df2, p in points(2):
        assert own.normal_quantile(p) == pytest.approx(oracle.ndtri(p), rel=1e-14)
        assert own.t_quantile(p, df1) == pytest.approx(oracle.stdtrit(df1, p), rel=1e-12), (p, df1)
        assert own.f_quantile(p, df1, df2) == pytest.approx(oracle.fdtri(df1, df2, p), rel=1e-12)
        found, expected = own.beta_quantile(p, df1 / 2, df2 / 2), oracle.betaincinv(df1 / 2, df2 / 2, p)
        assert found == pytest.approx(expected, rel=1e-12), (p, df1, df2)


# From mpmath 1.4 with 50 digits, where scipy has lost some of its own.
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (own.chi2_above(9501413.385246048, 9522531.492156278), 0.99999935898613804864),
        (own.chi2_above(6674.765089043456, 4632.032916488075), 1.47330287886143059e-78),
        (own.binomial_below(449775, 936049, 0.4974462412070466), 4.3471885086427650161e-236),
        (own.binomial_below(4023, 9124, 0.5517042046050551), 5.76103303045410429e-100),
        (own.t_two_sided(36.3600820600198, 1334.3200419593836), 9.77036158407856007e-202),
        (own.t_quantile(0.19061490387215974, 2.8852580257940774), -1.03066279946314174),
        (own.normal_below(-28.355205171711074), 3.61012441080775435e-177),
    ],
)
def test_far_and_large(found, expected):
    assert found == pytest.approx(expected, rel=5e-13, abs=0)


@settings(deadline=None)
@given(st.floats(1e-9, 1 - 1e-9), st.floats(0.1, 1e8), st.floats(0.1, 1e8))
def test_a_quantile_has_its_tail(p, df1, df2):
    f = own.f_quantile(p, df1, df2)
    if 1e-290 < f < 1e290:
        # What the rounding of f alone can move is √(degrees of freedom) · 1e-16.
        rounding = 1e-12 + 1e-15 * math.sqrt(df1 + df2)
        assert 1 - own.f_above(f, df1, df2) == pytest.approx(p, rel=rounding, abs=1e-15 + rounding * (1 - p))
        assert own.f_quantile(1 - p, df2, df1) == pytest.approx(1 / f, rel=1e-6)
    t = own.t_quantile(p, df1)
    assert own.t_below(t, df1) == pytest.approx(p, rel=1e-11)


@pytest.mark.parametrize("df", [0.1, 1, 2.5, 30, 1e3, 1e6, 1e12, math.inf])
def test_student_becomes_normal(df):
    assert own.t_quantile(0.5, df) == 0
    assert own.t_quantile(0.025, df) == pytest.approx(-own.t_quantile(0.975, df), rel=1e-13)
    assert own.t_two_sided(0.0, df) == 1
    if df > 1e5:
        assert own.t_quantile(0.975, df) == pytest.approx(own.Z95, rel=2 / df + 1e-14)


def test_ends_of_what_is_possible():
    assert (own.normal_quantile(0), own.normal_quantile(1)) == (-math.inf, math.inf)
    assert (own.f_quantile(0, 3, 4), own.f_quantile(1, 3, 4)) == (0, math.inf)
    assert (own.beta_quantile(0, 3, 4), own.beta_quantile(1, 3, 4)) == (0, 1)
    assert (own.f_above(0, 3, 4), own.f_above(math.inf, 3, 4)) == (1, 0)
    assert (own.chi2_above(0, 3), own.chi2_above(math.inf, 3)) == (1, 0)
    assert own.t_two_sided(math.inf, 3) == 0
    undefined = (own.t_two_sided(math.nan, 3), own.f_above(math.nan, 1, 2), own.f_quantile(0.5, 0, 2))
    assert all(map(math.isnan, undefined))


def test_noncentral_ends_have_their_tails():
    draw = random.Random(3)
    for _ in range(200):
        df1, df2, f = draw.randint(1, 30), 10 ** draw.uniform(0.3, 4), 10 ** draw.uniform(-0.5, 1.5)
        x = df1 * 10 ** draw.uniform(-0.3, 3)
        ends = zip((0.975, 0.025), noncentral_f_ends(f, df1, df2), noncentral_chi2_ends(x, df1), strict=True)
        for p, of_f, of_x in ends:
            if of_f:
                assert oracle.ncfdtr(df1, df2, of_f, f) == pytest.approx(p, rel=1e-10)
            if of_x:
                assert oracle.chndtr(x, df1, of_x) == pytest.approx(p, rel=1e-10)
            # No effect at all is an end where it makes so large a value likely.
            assert (of_f == 0) == (1 - oracle.fdtrc(df1, df2, f) < p)
            assert (of_x == 0) == (1 - oracle.chdtrc(df1, x) < p)


def test_noncentral_t():
    draw = random.Random(4)
    for _ in range(500):
        df, away, t = (
            draw.choice((1, 2, 3, 10 ** draw.uniform(0, 4))),
            draw.uniform(-6, 12),
            draw.uniform(-3, 13),
        )
        expected = oracle.nctdtr(df, away, t)
        if math.isnan(expected):  # scipy gives up far below the middle
            expected = 0.0
        assert noncentral_t_below(t, df, away) == pytest.approx(expected, rel=1e-10, abs=1e-14), (t, df, away)
    assert (noncentral_t_below(2, 10, 1e6), noncentral_t_below(2, 10, -1e6)) == (0, 1)
