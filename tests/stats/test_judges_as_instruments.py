"""Judges as instruments: values of R and of published tables, frozen, and what the figures refuse to say."""

import numpy as np
import pytest

from haechi import stats

# Dawid & Skene 1979, table 1: 45 patients; the first anaesthetist saw every form three times.
ANAESTHETISTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
# Simulated: 50 items × 3 raters × 2 criteria on three points.
RATED = """
101011 012111 001020 000020 212122 101010 222022 102222 202022 100001 000011 100112 001001 100111 100001 100222 201011
111122 000120 022000 112120 101121 000110 210120 212221 200111 201010 000011 101110 011001 001010 001000 210222 000010
100010 210112 101021 202222 001010 111112 000010 001110 201211 101010 112112 101010 000000 221122 210211 102211
"""


def digits(text):
    return np.array([[float(one) for one in row] for row in text.split()])


@pytest.mark.parametrize(
    ("counts", "value", "ends"),
    [  # R: the formulas of asht::prevSeSp, cut off at 0 and 1
        ((60, 200, 45, 50, 90, 100), 0.25, (0.146891664342241, 0.354339543601573)),
        ((3, 150, 28, 30, 55, 60), 0.0, (0.0, 0.0111340297050968)),
        ((80, 120, 19, 20, 17, 20), 0.6458333333333333, (0.485715596407306, 0.836099897606827)),
    ],
)
def test_the_corrected_rate_counts_all_three_samples(counts, value, ends):
    found = stats.corrected_prevalence(*counts)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.ci95 == pytest.approx(ends, abs=1e-12)


def test_a_judge_no_better_than_a_coin_corrects_nothing():
    found = stats.judge_accuracy([1, 0] * 20, [1, 1, 0, 0] * 10)
    assert (found.sensitivity.value, found.specificity.value) == (0.5, 0.5)
    assert found.corrected.value is None
    assert "no more than 1" in found.corrected.why.en
    assert found.apparent.value == 0.5
    nobody = stats.judge_accuracy([1, 0, 1], [None, None, None])
    assert nobody.sensitivity.value is None
    assert nobody.corrected.value is None
    with pytest.raises(ValueError, match="zeros and ones"):
        stats.judge_accuracy([1, 2], [1, 0])


def test_the_corrected_interval_holds():
    random, covered = np.random.default_rng(4), 0
    for _ in range(400):
        true = random.random(300) < 0.3
        judge = np.where(random.random(300) < np.where(true, 0.85, 0.1), 1.0, 0.0)
        people = np.where(np.arange(300) < 80, true, np.nan)
        low, high = stats.judge_accuracy(judge, people).corrected.ci95
        covered += low <= 0.3 <= high
    assert covered / 400 >= 0.93


def test_what_a_panel_is_worth_is_kish():
    people = [[3], [4], [2], [5], [1], [3], [4], [2], [5], [1]]
    judges = [[3, 3], [5, 5], [2, 3], [5, 4], [2, 2], [3, 3], [4, 5], [1, 1], [5, 5], [1, 2]]
    found = stats.effective_judges(people, judges)  # R: r <- cor(e)[1, 2]; 2 / (1 + r)
    assert found.details["correlation"] == pytest.approx(0.64194799639339, abs=1e-12)
    assert found.value == pytest.approx(1.21806537380787, abs=1e-12)
    assert "one person per item" in found.note.en


@pytest.mark.parametrize(("shared", "worth"), [(0.5, 1.5), (0.0, 3.0)])
def test_errors_of_people_are_not_those_of_judges(shared, worth):
    random, found = np.random.default_rng(2), []
    for _ in range(60):
        true, common = random.normal(size=(60, 1)), random.normal(size=(60, 1))
        people = true + random.normal(0, 0.6, (60, 3))
        own = random.normal(size=(60, 3))
        found.append(stats.effective_judges(people, true + shared**0.5 * common + (1 - shared) ** 0.5 * own))
    assert np.mean([one.value for one in found]) == pytest.approx(worth, rel=0.08)
    ends = [one.ci95 for one in found if one.ci95]  # one that has no width is none
    assert np.mean([low <= worth <= high + 1e-9 for low, high in ends]) >= 0.88


@pytest.mark.parametrize(
    ("people", "judges", "why"),
    [
        (np.ones((30, 1)), np.ones((30, 1)), "2 judges"),
        (np.ones((5, 1)), np.ones((5, 2)), "at least 10 items"),
        (np.ones((30, 2)), np.ones((30, 2)), "no errors"),
    ],
)
def test_panels_without_errors_have_no_worth(people, judges, why):
    assert why in stats.effective_judges(people, judges).why.en


def test_the_cheapest_panel_does_not_fool_itself():
    random, best, held_out, told_apart = np.random.default_rng(6), [], [], 0
    for _ in range(30):
        true, common = random.normal(size=(40, 1)), random.normal(size=(40, 1))
        judges = true + 0.6 * common + 0.1 * random.normal(size=(40, 5))  # all alike
        found = stats.judge_panels(true + random.normal(0, 0.3, (40, 2)), judges)
        best.append(found.best.correlation.value)
        held_out.append(found.held_out.value)
        told_apart += found.told_apart
        assert len(found.cheapest.judges) == 1
    assert np.mean(held_out) < np.mean(best)
    assert told_apart <= 4


def test_costs_decide_among_panels_that_are_as_good():
    random = np.random.default_rng(8)
    true = random.normal(size=(200, 1))
    dear, cheap = true + random.normal(0, 0.3, (200, 1)), true + random.normal(0, 0.3, (200, 1))
    noise = random.normal(size=(200, 1))
    found = stats.judge_panels(
        true, np.hstack([dear, cheap, noise]), ["dear", "cheap", "noise"], [10, 1, 0.1]
    )
    assert found.best.judges == ("dear", "cheap")
    assert next(one for one in found.panels if one.judges == ("noise",)).worse_p < 0.001
    many = stats.judge_panels(true, np.hstack([true + random.normal(0, 1, (200, 1)) for _ in range(10)]))
    assert (many.searched, found.searched) == ("greedy", "all")
    assert "at least 20 items" in stats.judge_panels(true[:9], true[:9].repeat(2, axis=1)).why.en


def test_dawid_and_skene_as_published():
    found = stats.dawid_skene(digits(ANAESTHETISTS), ["1", "1", "1", "2", "3", "4", "5"], smoothing=0)
    assert np.round(found.shares, 2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert np.round(found.confusion["1"], 2).tolist() == [
        [0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44],
    ]  # fmt: skip
    assert np.round(found.confusion["2"], 2).tolist() == [
        [0.83, 0.17, 0, 0], [0.05, 0.63, 0.31, 0], [0, 0, 1, 0], [0, 0, 0, 1],
    ]  # fmt: skip
    assert found.most_likely[[0, 10, 12]].tolist() == [1.0, 4.0, 1.0]
    smoothed = stats.dawid_skene(digits(ANAESTHETISTS), ["1", "1", "1", "2", "3", "4", "5"])
    assert smoothed.smoothing == 0.01
    assert (smoothed.confusion["2"] > 0).all()


def test_labels_that_nobody_gave_and_too_many_of_them():
    assert "no rating" in stats.dawid_skene([[None, None]]).why.en
    assert "two raters" in stats.dawid_skene([[1], [2]]).why.en
    assert "amounts" in stats.dawid_skene(np.random.default_rng(1).normal(size=(60, 2))).why.en
    gap = stats.dawid_skene([[0, 0, 1], [None, None, None], [1, 1, 1], [0, 0, 0]])
    assert np.isnan(gap.most_likely[1])


def test_severity_as_conditional_likelihood_has_it():
    # R: optim over the conditional likelihood, all 3⁶ patterns enumerated.
    cube = digits(RATED).reshape(-1, 3, 2)
    found = stats.many_facet_rasch(cube, ["a", "b", "c"], ["x", "y"])
    assert [one.measure.value for one in found.raters] == pytest.approx(
        [0.4330736, 0.1510676, -0.5841411], abs=1e-6
    )
    errors = [one.measure.details["se"] for one in found.raters[:2]]
    assert errors == pytest.approx([0.1416470, 0.1357870], abs=1e-6)
    assert [one.measure.value for one in found.criteria] == pytest.approx([-0.4931072, 0.4931072], abs=1e-6)
    assert found.thresholds == pytest.approx((-0.7057260, 0.7057260), abs=1e-6)
    assert found.log_likelihood == pytest.approx(-162.498780336, abs=1e-8)
    assert found.extreme == 1
    assert np.isfinite(found.measures).all()
    assert ((found.fair >= 0) & (found.fair <= 2)).all()
    assert 0.5 < found.raters[0].infit < 1.5


def test_severity_of_yes_or_no_as_erm_has_it():
    # R: eRm::LLTM with a design of raters and criteria, etapar, se.eta and loglik; its optimiser stops a little earlier.
    cube = (digits(RATED).reshape(-1, 3, 2) >= 1).astype(float)
    found = stats.many_facet_rasch(cube)
    assert [one.measure.value for one in found.raters[:2]] == pytest.approx([0.6350967, 0.1916209], abs=2e-6)
    assert [one.measure.details["se"] for one in found.raters[:2]] == pytest.approx(
        [0.20132, 0.19635], abs=1e-5
    )
    assert found.criteria[0].measure.value == pytest.approx(-0.7061929, abs=2e-6)
    assert found.log_likelihood == pytest.approx(-83.62407097, abs=1e-8)


def test_two_raters_yes_or_no_can_be_done_by_hand():
    # Where they differ, 3 times "kind" said yes and once "strict": half of log(3 / 1).
    found = stats.many_facet_rasch([[0, 1], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1]])
    assert found.raters[0].measure.value == pytest.approx(np.log(3) / 2, abs=1e-9)
    assert found.raters[0].measure.details["se"] == pytest.approx(np.sqrt(4 / 3) / 2, abs=1e-6)


def test_severity_is_found_again_with_gaps():
    random = np.random.default_rng(3)
    true = np.array([0.8, 0.1, -0.9])
    place = random.normal(0, 1.2, (400, 1)) - true
    logits = place[..., None] * np.arange(4) - np.array([0, -1.2, -1.2, 0])
    chance = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    given = (random.random((400, 3, 1)) > chance.cumsum(axis=-1)).sum(axis=-1).astype(float)
    given[random.random(given.shape) < 0.3] = np.nan
    found = stats.many_facet_rasch(given)
    for one, value in zip(found.raters, true, strict=True):
        assert abs(one.measure.value - value) < 3 * one.measure.details["se"]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[0, 1, None, None], [1, 0, None, None], [None, None, 0, 1], [None, None, 1, 0]], "linked"),
        ([[0, 1], [0, 1], [0, 1]], "no end"),
        ([[1], [2]], "at least two raters"),
        (np.random.default_rng(1).normal(size=(40, 2)), "few ordered points"),
    ],
)
def test_what_has_no_severity_says_why(table, why):
    assert why in stats.many_facet_rasch(table).why.en


def random_panel(random, n, raters, noise):
    return np.clip(np.rint(3 + random.normal(size=(n, 1)) + random.normal(0, noise, (n, raters))), 1, 5)


def test_a_random_rater_is_named_and_nobody_else():
    random = np.random.default_rng(9)
    found = wrong = 0
    for _ in range(40):
        votes = random_panel(random, 120, 5, 0.7)
        votes[:, 2] = random.integers(1, 6, 120)
        flags = [one.flag for one in stats.random_raters(votes)]
        found += flags[2] == "random"
        wrong += any(flags[:2] + flags[3:])
    assert found >= 34
    assert wrong == 0


def test_good_and_weak_raters_raise_few_alarms():
    random, good, weak = np.random.default_rng(10), 0, 0
    for _ in range(100):
        votes = random_panel(random, 60, 4, 1.0)
        good += any(one.flag for one in stats.random_raters(votes))
        votes[:, 0] = np.clip(np.rint(votes[:, 1:].mean(axis=1) * 0.4 + 1.8 + random.normal(0, 1, 60)), 1, 5)
        weak += stats.random_raters(votes)[0].flag is not None
    assert good == 0
    assert weak <= 5


def test_too_few_items_or_raters_accuse_nobody_and_labels_and_reversed_scales_are_seen():
    random = np.random.default_rng(12)
    few = stats.random_raters(random_panel(random, 19, 4, 0.5))
    assert all(one.flag is None and "at least 20 items" in one.correlation.why.en for one in few)
    assert "at least 3 raters" in stats.random_raters(random_panel(random, 90, 2, 0.5))[0].correlation.why.en
    votes = random_panel(random, 80, 4, 0.6)
    votes[:, 1] = 6 - votes[:, 1]
    assert [one.flag for one in stats.random_raters(votes)] == [None, "reversed", None, None]
    labels = np.repeat(random.integers(0, 3, (120, 1)), 4, axis=1).astype(float)
    labels[:, 3] = random.integers(0, 3, 120)
    found = stats.random_raters(labels, raters=["a", "b", "c", "dice"], levels=["nominal"])
    assert [one.flag for one in found] == [None, None, None, "random"]


def test_anaesthetists_through_the_command_are_as_published(haechi, write):
    rows = [
        f"{patient},o{1 if seen < 3 else seen - 1},{seen + 1 if seen < 3 else 1},{'abcd'[int(label) - 1]}"
        for patient, labels in enumerate(ANAESTHETISTS.split())
        for seen, label in enumerate(labels)
    ]
    path = write("r.csv", "item,rater,replicate,value\n" + "\n".join(rows) + "\n")
    said = haechi("agree", path, "--labels", "--lang", "en")
    found = said.out.partition("how often true")[2].splitlines()
    assert found[0].split() == ["40", "%", "42", "%", "11", "%", "7", "%"]
    assert found[1].split()[1:] == [
        "89",
        "%",
        "88",
        "%",
        "66",
        "%",
        "44",
        "%",
    ]  # the one who saw all three times
