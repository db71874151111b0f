"""Every way in which a figure can be undefined: a reason in two languages, never NaN, 0 or a crash."""

import json
import math

import numpy as np
import pytest

from haechi import stats
from haechi.stats.figure import Figure

NAN = math.nan
CASES = {
    "nothing at all": np.zeros((0, 0)),
    "no items": np.zeros((0, 3)),
    "no raters": np.zeros((3, 0)),
    "all missing": np.full((4, 3), NAN),
    "one rater": np.array([[1.0], [2.0], [3.0]]),
    "one item": np.array([[1.0, 2.0, 3.0]]),
    "one item, one rater": np.array([[4.0]]),
    "all identical": np.full((5, 3), 2.0),
    "all identical fractions": np.full((7, 3), 0.1),
    "items alike": np.array([[1.0, 2.0], [2.0, 1.0]]),
    "raters never meet": np.array([[1.0, NAN], [NAN, 2.0], [3.0, NAN]]),
    "one item shared": np.array([[1.0, 2.0], [NAN, 2.0], [3.0, NAN]]),
    "a rater without ratings": np.array([[1.0, NAN], [2.0, NAN]]),
    "one rater constant": np.array([[1.0, 3.0], [2.0, 3.0], [5.0, 3.0]]),
    "two items": np.array([[1.0, 2.0], [3.0, 5.0]]),
    "opposite": np.array([[1.0, 5.0], [5.0, 1.0], [1.0, 5.0], [5.0, 1.0]]),
    "huge": np.array([[1e308, -1e308], [-1e308, 1e308], [1e307, 2e307]]),
    "tiny": np.array([[1e-308, 2e-308], [3e-308, 1e-308], [2e-308, 2e-308]]),
    "negative": np.array([[-1.0, -2.0], [-3.0, -3.0], [2.0, 1.0]]),
    "zeros and ones": np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]),
    "hardly any difference": np.array([[1e9, 1e9 + 1e-6], [1e9 + 2, 1e9 + 2], [1e9, 1e9]]),
}


def well_formed(said) -> None:
    """Valid JSON throughout (no NaN, no infinity), and every absent value has a reason."""
    json.dumps(said, allow_nan=False)
    stack = [said]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            if "value" in one and one["value"] is None:
                assert one["why"]
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)


@pytest.mark.parametrize("level", stats.LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_agreement_never_crashes(name, level):
    for lang in ("ko", "en"):
        well_formed(stats.agreement(CASES[name], level=level, bootstrap=50).as_json(lang))


@pytest.mark.parametrize("name", CASES)
def test_everything_else_never_crashes(name):
    table = CASES[name]
    column = table[:, 0] if table.shape[1] else np.zeros(table.shape[0])
    last = table[:, -1] if table.shape[1] else column
    for one in stats.rater_behaviour(table):
        well_formed(one.as_json())
    for one in stats.disagreements(table):
        well_formed(one.as_json())
    results = [
        stats.halo(table),
        stats.self_consistency(table),
        stats.stability(table),
        stats.human_ai(table, table),
        stats.human_ai(table, table, level="nominal"),
        stats.alt_test(table, column),
        stats.alt_test(table, column, "neg_rmse"),
        stats.prediction_powered_mean(column, last),
        stats.prediction_powered_mean(column, last, tuned=True),
        stats.two_samples(column, last),
        stats.many_samples({"a": column, "b": last, "c": column}),
        stats.many_samples({}),
        stats.paired(column, last),
        stats.bland_altman(column, last),
        *stats.describe(column, ["g"] * column.size),
    ]
    for result in results:
        well_formed(result.as_json("ko"))


def why(figure: Figure) -> str:
    assert figure.value is None
    assert figure.why is not None
    assert figure.why.ko
    return figure.why.en


def test_reasons_name_what_is_missing():
    one_rater, identical, one_item = CASES["one rater"], CASES["all identical"], CASES["one item"]
    assert why(stats.icc(one_rater)["ICC(2,1)"]) == "at least two raters are needed"
    assert why(stats.krippendorff_alpha(one_rater)) == "at least two raters are needed"
    assert why(stats.fleiss_kappa(one_rater)) == "no item was rated by two or more raters"
    assert (
        why(stats.icc(one_item)["ICC(1,1)"]) == "at least 2 items rated by all raters are needed, there are 1"
    )
    assert "no variance" in why(stats.icc(identical)["ICC(3,k)"])
    assert "no variance" in why(stats.krippendorff_alpha(identical, "nominal"))
    assert "only one category" in why(stats.fleiss_kappa(identical))
    assert "only one category" in why(stats.cohen_kappa(identical[:, 0], identical[:, 1]))
    assert "constant" in why(stats.pearson([1, 2, 3], [2, 2, 2]))
    assert (
        why(stats.percent_agreement(CASES["raters never meet"])) == "no item was rated by two or more raters"
    )
    assert why(stats.krippendorff_alpha(CASES["all missing"])) == "there is no rating with a value"
    assert "negative" in why(stats.krippendorff_alpha(CASES["negative"], "ratio"))
    assert "items' means do not differ" in why(stats.cronbach_alpha(CASES["items alike"]))


def test_a_declared_scale_keeps_ac_defined_when_all_agree():
    # pa = 1, and with five declared points chance agreement is 5/(5·4)·Σπ(1−π) = 0, so AC1 = 1.
    assert stats.gwet_ac(CASES["all identical"], categories=(1, 2, 3, 4, 5)).value == 1.0
    assert stats.gwet_ac(CASES["all identical"]).value is None


def test_a_value_without_interval_says_why():
    short = stats.pearson([1, 2, 3], [1, 3, 2])
    assert short.value == pytest.approx(0.5)
    assert short.ci95 is None
    assert short.why_no_ci.en == "at least 4 pairs of values are needed, there are 3"
    assert short.as_json("ko")["ci95"] is None
    assert short.as_json("ko")["why_no_ci"] == short.why_no_ci.ko


def test_an_interval_without_width_is_no_certainty():
    perfect = stats.icc([[1, 1], [2, 2], [3, 3]])["ICC(2,1)"]
    assert (perfect.value, perfect.ci95) == (1.0, None)
    assert "not certainty" in perfect.why_no_ci.en


def test_too_many_categories_for_kappa_but_not_for_correlation():
    values = np.arange(3000.0)
    found = stats.agreement(np.column_stack([values, values + 0.5]), bootstrap=0)
    assert why(found.fleiss_kappa) == "6000 distinct values are no categories (at most 1000)"
    assert why(found.pairs[0].cohen_kappa) == "6000 distinct values are no categories (at most 1000)"
    assert found.pairs[0].pearson.value == pytest.approx(1.0)
    assert found.pairs[0].kendall.value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.icc([[1, np.inf], [2, 3]]), "infinite"),
        (lambda: stats.icc([["a", "b"], ["c", "d"]]), "encode_labels"),
        (lambda: stats.icc([1, 2, 3]), "two dimensions"),
        (lambda: stats.pearson([1, 2], [1, 2, 3]), "same length"),
        (lambda: stats.krippendorff_alpha([[1, 2]], "cardinal"), "level must be one of"),
        (lambda: stats.agreement([[1, 2]], level="cardinal"), "level must be one of"),
        (lambda: stats.agreement([[1, 2]], raters=["a"]), "2 raters, but 1 names"),
        (lambda: stats.gwet_ac([[1, 7]], categories=(1, 2, 3)), "outside the declared categories"),
        (lambda: stats.cohen_kappa([1], [2], "cubic"), "identity, linear or quadratic"),
        (lambda: stats.matrix([1, 1, 2, 2], ["a", "a", "b", "b"], [1, 2, 3, 4]), r"\(1, 'a'\), \(2, 'b'\)"),
        (lambda: stats.matrix([1, 2], ["a"], [1, 2]), "differ in length"),
        (lambda: stats.proportion([0, 0.5]), "zeros and ones"),
        (lambda: stats.pass_hat_k([[2]], 1), "zeros and ones"),
        (lambda: stats.pass_hat_k([[1]], 0), "at least 1"),
        (lambda: stats.holm([0.5, 1.5]), "between 0 and 1"),
        (lambda: stats.wilson(3, 2), "between 0 and n"),
        (lambda: stats.alt_test([[1, 2]], [1, 2]), "one value per item"),
        (lambda: stats.alt_test([[1, 2]], [1], "f1"), "accuracy or neg_rmse"),
        (lambda: stats.human_ai([[1]], [[1], [2]]), "same items"),
        (lambda: stats.encode_labels(["a", "z"], ["a"]), "outside the declared categories"),
    ],
)
def test_misuse_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rounding_is_no_spread():
    # The same score added up in another order differs in its last digit.
    other = [0.1 + 0.2, 0.3] * 6
    two = stats.two_samples([0.3] * 12, other)
    assert "no variance" in why(two.cohen_d)
    assert two.welch_t.p is None
    assert two.difference.value == 0
    assert two.mann_whitney.p is None
    assert two.cliff_delta.value == 0
    many = stats.many_samples({"a": [0.3] * 12, "b": other, "c": [0.6 / 2] * 12})
    assert many.kruskal_wallis.p is None
    assert "all differences are zero" in str(stats.paired([0.3] * 12, other).wilcoxon.why)


def test_equal_differences_are_equal_however_they_are_rounded():
    # Nine criteria of which one rises by 1: every mean rises by 1/9, give or take its last digit.
    before = np.arange(9, 36) / 9
    after = (np.arange(9, 36) + 1) / 9
    assert np.unique(before - after).size > 1
    found = stats.paired(before, after)
    assert "all differences are equal" in why(found.cohen_dz)
    assert found.t_test.p is None
    assert found.difference.value == pytest.approx(-1 / 9)
    signs = np.where(np.arange(27) % 3, 1, -1)
    exact, rounded = stats.paired(signs, 0 * signs), stats.paired(signs * before, signs * after)
    assert rounded.wilcoxon.p == exact.wilcoxon.p


def test_a_group_without_values_is_named_as_what_is_missing():
    found = stats.many_samples({"a": [1, 2], "b": [2, 3], "c": []})
    assert found.kruskal_wallis.as_json("en")["why"] == "a group has no values"
    assert found.kruskal_wallis.as_json("ko")["why"] == "값이 하나도 없는 집단이 있습니다"
    alone = stats.many_samples({"a": [1, 2]}).kruskal_wallis.as_json("en")
    assert alone["why"] == "at least 2 groups are needed, there are 1"
