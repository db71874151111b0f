"""Values that others published, frozen here so that this file needs no other library."""

import numpy as np
import pytest

from haechi import stats
from haechi.stats.examples import KRIPPENDORFF, SHROUT_FLEISS

# Fleiss 1971, table 1: how many of six psychiatrists chose each of five diagnoses, one number per patient.
FLEISS_1971 = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)

# R's `attitude` data (Chatterjee & Price): 30 departments, seven questions.
ATTITUDE = """
43 51 30 39 61 92 45  63 64 51 54 63 73 47  71 70 68 69 76 86 48  61 63 45 47 54 84 35  81 78 56 66 71 83 47
43 55 49 44 54 49 34  58 67 42 56 66 68 35  71 75 50 55 70 66 41  72 82 72 67 71 83 31  67 61 45 47 62 80 41
64 53 53 58 58 67 34  67 60 47 39 59 74 41  69 62 57 42 55 63 25  68 83 83 45 59 77 35  77 77 54 72 79 77 46
81 90 50 72 60 54 36  74 85 64 69 79 79 63  65 60 65 75 55 80 60  65 70 46 57 75 85 46  50 58 68 54 64 78 52
50 40 33 34 43 64 33  64 61 52 62 66 80 41  53 66 52 50 63 80 37  40 37 42 58 50 57 49  63 54 42 48 66 75 33
66 77 66 63 88 76 72  78 75 58 74 80 78 49  48 57 44 45 51 83 38  85 85 71 71 77 74 55  82 82 39 59 64 78 39
"""


def fleiss_1971() -> np.ndarray:
    return np.array(
        [[k for k, times in enumerate(row) for _ in range(int(times))] for row in FLEISS_1971.split()], float
    )


def attitude() -> np.ndarray:
    return np.array(ATTITUDE.split(), float).reshape(30, 7)


@pytest.mark.parametrize(
    ("form", "name", "value", "interval"),
    [
        ("ICC(1,1)", "ICC(1)", 0.1657417684, (-0.1329, 0.7226)),
        ("ICC(2,1)", "ICC(A,1)", 0.2897637795, (0.0188, 0.7611)),
        ("ICC(3,1)", "ICC(C,1)", 0.7148407148, (0.3425, 0.9459)),
        ("ICC(1,k)", "ICC(k)", 0.4427971337, (-0.8844, 0.9124)),
        ("ICC(2,k)", "ICC(A,k)", 0.6200505476, (0.0711, 0.9272)),  # psych's convention
        ("ICC(3,k)", "ICC(C,k)", 0.9093155424, (0.6757, 0.9859)),
    ],
)
def test_shrout_and_fleiss_1979(form, name, value, interval):
    found = stats.icc(SHROUT_FLEISS)[form]
    assert found.value == pytest.approx(value, abs=1e-10)
    assert found.ci95 == pytest.approx(interval, abs=5e-5)
    assert found.n == 6
    assert found.details["mcgraw_wong"] == name


@pytest.mark.parametrize(
    ("level", "value"),
    [
        ("nominal", 0.7434210526),
        ("ordinal", 0.8153875038),
        ("interval", 0.8491071429),
        ("ratio", 0.7974027747),
    ],
)
def test_krippendorff_2011_four_coders(level, value):
    found = stats.krippendorff_alpha(KRIPPENDORFF, level)
    assert found.value == pytest.approx(value, abs=1e-10)
    assert (found.n, found.details["n_values"]) == (11, 40)  # unit 12 has a single value and cannot be paired
    assert found.ci95[0] < value < found.ci95[1]


def test_fleiss_1971():
    found = stats.fleiss_kappa(fleiss_1971())
    assert found.value == pytest.approx(0.4302445201, abs=1e-10)
    assert found.n == 30


def test_cronbach_of_attitude():
    found = stats.cronbach_alpha(attitude())
    assert found.value == pytest.approx(0.8431427696, abs=1e-10)
    assert found.ci95 == pytest.approx((0.7393757, 0.9157731), abs=5e-8)  # Feldt


@pytest.mark.parametrize(
    ("weights", "value"), [("identity", 0.77544), ("linear", 0.85874), ("quadratic", 0.91400)]
)
def test_gwet_on_krippendorffs_table(weights, value):
    found = stats.gwet_ac(KRIPPENDORFF, weights, categories=(1, 2, 3, 4, 5))
    assert found.value == pytest.approx(value, abs=5e-6)
    assert found.details["coefficient"] == ("AC1" if weights == "identity" else "AC2")


def pairs_of(table: list[list[int]]) -> tuple[list[int], list[int]]:
    cells = [(i, j) for i, row in enumerate(table) for j, times in enumerate(row) for _ in range(times)]
    return [i for i, _ in cells], [j for _, j in cells]


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        # Cohen 1968: po .70, pe .60·.50 + .30·.30 + .10·.20 = .41, κ = .29/.59
        ([[44, 7, 9], [5, 20, 5], [1, 3, 6]], 0.29 / 0.59),
        # Fleiss, Cohen & Everitt 1969: po .70, pe .60·.65 + .30·.25 + .10·.10 = .475, κ = .225/.525 = .429
        ([[106, 10, 4], [22, 28, 10], [2, 12, 6]], 0.225 / 0.525),
    ],
)
def test_cohens_kappa(table, kappa):
    assert stats.cohen_kappa(*pairs_of(table)).value == pytest.approx(kappa, abs=1e-12)


def test_weighted_kappa_by_hand():
    # a = 1 1 2 5, b = 1 2 2 5 on a scale 1 to 5. Disagreement |a−b|: observed 1 in 4 pairs.
    # All pairs of a and b: 1→(0,1,1,4) twice, 2→(1,0,0,3), 5→(4,3,3,0), sum 12 + 4 + 10 = 26 of 16.
    # κ = 1 − (1/4)/(26/16) = 1 − 4/26. Squared: 1→(0,1,1,16) twice, 2→(1,0,0,9), 5→(16,9,9,0), sum 80.
    a, b = [1, 1, 2, 5], [1, 2, 2, 5]
    for categories in (None, (1, 2, 3, 4, 5)):
        assert stats.cohen_kappa(a, b, "linear", categories).value == pytest.approx(1 - 4 / 26)
        assert stats.cohen_kappa(a, b, "quadratic", categories).value == pytest.approx(1 - 4 / 80)
    # Counting positions among the labels that occur (1, 2, 5 → 0, 1, 2) would give another figure.
    assert stats.cohen_kappa([0, 0, 1, 2], [0, 1, 1, 2], "linear").value != pytest.approx(1 - 4 / 26)


def test_declared_scale_sets_gwets_chance_term():
    ratings = [[1, 1], [2, 2], [5, 5], [1, 2]]
    # prevalence of 1, 2, 5: 3/8, 3/8, 2/8; Σπ(1−π) = 42/64. q = 3: pe = 42/128; q = 5: pe = 42/256. pa = 3/4.
    assert stats.gwet_ac(ratings).value == pytest.approx((3 / 4 - 42 / 128) / (1 - 42 / 128))
    declared = stats.gwet_ac(ratings, categories=(1, 2, 3, 4, 5))
    assert declared.value == pytest.approx((3 / 4 - 42 / 256) / (1 - 42 / 256))


def test_bland_altman_by_hand():
    # differences 1, 0, 1, 2: mean 1, SD √(2/3); t(.975, 3) = 3.182446
    found = stats.bland_altman([4, 5, 3, 4], [3, 5, 2, 2])
    sd = (2 / 3) ** 0.5
    assert found.sd == pytest.approx(sd)
    assert found.bias.ci95 == pytest.approx((1 - 3.182446 * sd / 2, 1 + 3.182446 * sd / 2), abs=1e-6)
    assert found.lower.value == pytest.approx(1 - 1.959964 * sd, abs=1e-6)
    assert found.upper.value == pytest.approx(1 + 1.959964 * sd, abs=1e-6)


def test_wilson_by_hand():
    # z² = 3.841459; 3 of 4: (.75 + z²/8 ± z √(.75·.25/4 + z²/64)) / (1 + z²/4), which is .30064 and .95441
    assert stats.wilson(3, 4).ci95 == pytest.approx((0.3006418, 0.9544127), abs=1e-7)
    assert stats.wilson(0, 10).ci95 == pytest.approx((0.0, 0.2775328), abs=1e-7)
    assert stats.wilson(10, 10).ci95 == pytest.approx((1 - 0.2775328, 1.0), abs=1e-7)
