"""The number people would have given: against its definition, and as often right as it says."""

import numpy as np
import pytest
from bench.asking_people import DESKS, WAYS, follow, mean_ratings
from bench.coverage import simulate, table
from bench.human_scale import PAGE, QAC, RUNS, cases, part_of, sessions
from sklearn.isotonic import IsotonicRegression

from haechi import stats
from haechi.stats.calibration import calibration, cross_fitted
from haechi.stats.human_scale import FEWEST

CASES = list(cases())


def _study(n=25, items=200, seed=1):
    people, judges = sessions(np.random.default_rng(seed), items)
    return part_of(people, n), judges


def test_the_curve_that_never_falls_is_that_of_scikit_learn():
    random = np.random.default_rng(3)
    x, y, w = random.integers(0, 12, 60), random.normal(size=60), random.random(60) + 0.1
    expected = IsotonicRegression(out_of_bounds="clip").fit(x, y, w)
    places = np.linspace(-2, 14, 50)
    assert stats.isotonic(x, y, w)(places) == pytest.approx(expected.predict(places))


def test_a_curve_never_falls_however_the_judge_errs():
    random = np.random.default_rng(4)
    f = random.normal(size=40)
    curve = calibration(-f + random.normal(size=40), f)
    assert (np.diff(curve(np.linspace(-3, 3, 99))) >= -1e-12).all()


def test_no_item_calibrates_itself():
    random = np.random.default_rng(5)
    f = np.sort(random.normal(size=30))
    y = f + random.normal(size=30)
    own, _ = cross_fitted(y, f, f, np.ones(30))
    for item in range(30):
        other = y.copy()
        other[item] += 100
        assert cross_fitted(other, f, f, np.ones(30))[0][item] == own[item]


def test_a_judge_that_says_nothing_is_not_followed():
    people, _ = _study()
    found = stats.human_scale_mean(people, np.full(200, 30.0), bounds=QAC)
    assert found.weight == 0.0
    assert found.mean.value == pytest.approx(found.human_only.value)


def test_where_people_rated_everything_it_is_their_mean():
    people, judges = _study(60, 60)
    found = stats.human_scale_mean(people, judges, bounds=QAC)
    assert found.mean.value == pytest.approx(people.mean(), abs=1e-12)
    assert found.these_items.ci95 is None
    assert "counted" in found.these_items.why_no_ci.en


def test_equal_chances_said_or_not_are_the_same_figure():
    people, judges = _study()
    known = stats.human_scale_mean(people, judges, np.full(200, 25 / 200), QAC)
    assert known.mean == stats.human_scale_mean(people, judges, bounds=QAC).mean


def test_unequal_chances_are_weighed_and_not_forgotten():
    random, errors = np.random.default_rng(6), []
    for _ in range(300):
        y = random.normal(3, 1, 200)
        chance = np.where(y > 3, 0.4, 0.1)  # people were asked about good items four times as often
        human = np.where(random.random(200) < chance, y, np.nan)
        weighed = stats.human_scale_mean(human, np.zeros(200), chance).mean.value
        errors.append((weighed - y.mean(), np.nanmean(human) - y.mean()))
    right, wrong = np.mean(errors, axis=0)
    assert abs(right) < 0.05
    assert wrong > 0.3


@pytest.mark.parametrize(
    ("human", "judge", "said"),
    [
        ([3.0] * 9 + [None] * 50, list(range(59)), f"at least {FEWEST} items rated by people"),
        ([3.0, 4.0] * 10 + [None] * 80, list(range(100)), "not a random one"),
        ([None] * 20, list(range(20)), "there are 0"),
    ],
)
def test_what_cannot_be_said_is_refused_with_the_reason(human, judge, said):
    found = stats.human_scale_mean(human, judge)
    assert found.mean.value is None
    assert said in found.mean.why.en


def test_a_share_has_a_width_where_people_never_said_yes_and_the_judge_never_erred():
    judge = np.zeros(200)
    found = stats.human_scale_mean(part_of(np.zeros((200, 1)), 25), judge, bounds=(0, 1)).mean
    assert (found.value, found.ci95[0]) == (0.0, 0.0)
    assert found.ci95[1] > 0.1
    assert stats.human_scale_mean(part_of(np.ones((200, 1)), 25), judge, bounds=(0, 1)).mean.ci95[0] < 0.9


def test_an_interval_stays_on_the_scale():
    people, judges = np.full((200, 1), 5.0), np.full((200, 1), 5.0)
    people[::9], judges[::7] = 4, 3
    found = stats.human_scale_mean(part_of(people, 25), judges, bounds=(1, 5))
    assert found.mean.ci95[1] <= 5


def test_people_like_these_are_less_certain_than_these_people():
    people, judges = _study()
    found = stats.human_scale_mean(people, judges, bounds=QAC)
    (low, high), (lower, higher) = found.mean.ci95, found.new_raters.ci95
    assert lower < low < high < higher
    alone = stats.human_scale_mean(people[:, :1], judges, bounds=QAC)
    assert alone.new_raters.ci95 is None
    assert "people" in alone.new_raters.why_no_ci.en


def test_severities_do_not_depend_on_who_happened_to_rate_more():
    people, judges = _study(60)
    people[:, 1] -= 6  # one is 6 points more severe than before
    both = stats.human_scale_mean(people, judges).mean.value
    people[:40, 1] = np.nan
    assert stats.human_scale_mean(people, judges).mean.value == pytest.approx(both, abs=1.2)


def test_the_words_for_machines_hold_all_three_intervals():
    said = stats.human_scale_mean(*_study(), bounds=QAC).as_json("ko")
    assert {"value", "ci95", "ci95_these_items", "ci95_new_raters", "n_human", "judge_only"} <= said.keys()


def test_draws_with_equal_chances_are_a_random_sample():
    chances = [1 / (50 - drawn) for drawn in range(20)]
    assert stats.inclusion_of_draws(chances, 50) == pytest.approx(np.full(20, 0.4))


def test_draws_by_chance_estimate_without_bias():
    random, errors = np.random.default_rng(8), []
    y = random.gamma(2, 2, 40)
    for _ in range(2000):
        left, order, chances = np.ones(40, dtype=bool), [], []
        for _ in range(15):
            q = np.where(left, 0.3 / left.sum() + 0.7 * y / y[left].sum(), 0)
            order.append(random.choice(40, p=q / q.sum()))
            chances.append(q[order[-1]])
            left[order[-1]] = False
        weights = 1 / stats.inclusion_of_draws(chances, 40)
        errors.append((weights @ y[order]) / 40 - y.mean())
    assert abs(np.mean(errors)) < 3 * np.std(errors) / len(errors) ** 0.5


def test_what_is_drawn_more_often_is_what_judges_disagree_on():
    people, judges = sessions(np.random.default_rng(9), 200, 5.0, 0.7, 0.8)
    chances = stats.next_chances(judges, part_of(people, 60), np.arange(200) < 60)
    assert chances.sum() == pytest.approx(1)
    assert (chances[:60] == 0).all()
    assert (chances[60:] >= 0.3 / 140).all()
    spread = (judges - judges.mean(axis=0)).std(axis=1)[60:]
    assert np.corrcoef(chances[60:], spread)[0, 1] > 0.5


def test_an_interval_to_be_looked_at_all_the_time_is_wider_until_the_goal_is_reached():
    people, judges = _study(60)
    found = stats.human_scale_mean(people, judges, np.full(200, 0.3), QAC)
    early, late = (stats.always_valid(found, goal).these_items for goal in (0.5, 5.0))
    assert not early.details["reached"]
    assert late.details["reached"]
    assert early.ci95[0] < late.ci95[0] < found.these_items.ci95[0]
    assert stats.always_valid(found, 0.5).mean.ci95[0] < early.ci95[0]


def test_every_design_is_on_the_page():
    rows = [line.split("|")[1:3] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    known = {tuple(cell.strip() for cell in row) for row in rows}
    assert {(case.interval, case.design) for case in CASES} <= known
    assert {(desk.words, way) for desk in DESKS for way in WAYS} <= known


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.interval}: {case.design}")
def test_an_interval_holds_as_often_as_it_says(case):
    found = simulate(case, RUNS)
    assert found.is_as_wanted(), table([found])
    (written,) = (
        line
        for line in PAGE.read_text("utf-8").splitlines()
        if f"| {case.interval} | {case.design} |" in line
    )
    assert float(written.split("|")[3]) == pytest.approx(100 * found.share, abs=300 / RUNS**0.5 / 10)


@pytest.mark.slow
@pytest.mark.parametrize("desk", DESKS, ids=lambda desk: desk.words)
def test_the_desk_asks_for_half_of_what_equal_draws_ask_for_and_its_intervals_hold(desk):
    equal, own = follow(desk, WAYS[0]), follow(desk, WAYS[3])
    assert mean_ratings(own) <= 0.55 * mean_ratings(equal)
    error = 3 * (0.94 * 0.06 / len(own)) ** 0.5
    assert np.mean([one.always for one in own]) >= 0.94 - error


def test_two_groups_that_do_not_vary_have_a_difference_without_an_interval():
    met, unmet = ([[1.0, 1.0]] * 6, [1.0] * 6), ([[0.0, 0.0]] * 6, [0.0] * 6)
    first, second = (stats.human_scale_mean(*one, bounds=(0.0, 1.0)) for one in (met, unmet))
    found = stats.human_scale_difference(first, second, (0.0, 1.0))
    assert (found.value, found.ci95) == (1.0, None)
    assert "no variance" in found.why_no_ci.en
