"""A difference between two studies is taken over raters that both have, or not at all."""

from __future__ import annotations

import json
import shutil

import pytest
from scipy import stats
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.analysis.change import change
from haechi.analysis.panel_change import name_list, panel_change
from haechi.errors import HaechiError
from haechi.report.change import build_change
from haechi.study.study import Study
from haechi.text import choose_language

KEPT = ("study", "score.json", "report", "list.json")


def strict(i):
    return votes(i % 2, int(i % 3 == 0), int(i % 4 == 0))


LENIENT = votes(1, 1, 1)
BEFORE = {f"d{i}": {"ai-strict": strict(i), "ann": strict(i + 1)} for i in range(12)}
WITH_LENIENT = {item: rated | {"ai-lenient": LENIENT} for item, rated in BEFORE.items()}


@pytest.fixture
def study(tmp_path):
    def make(name, ratings):
        return diary_study(tmp_path / name, ratings)

    return make


@pytest.fixture
def kept(haechi, tmp_path):
    """What a command keeps of a study."""

    def make(folder, name):
        if name == "study":
            return folder
        target = tmp_path / f"{folder.name}-{name}"
        if name == "report":
            assert haechi("report", folder, "-o", target).code == 0
            return target
        command = {"score.json": ["score", folder], "list.json": ["check", folder, "--list"]}[name]
        target.write_text(haechi(*command, "--json").out, "utf-8")
        return target

    return make


def test_a_lenient_judge_more_makes_nothing_better(study):
    report = build_change(change(Analysis(study("a", BEFORE)), Analysis(study("b", WITH_LENIENT))))
    first, *others = report.findings
    assert first.rule == "panel"
    assert first.words == (
        "Raters added: ai-lenient. Compared over the raters common to both: ai-strict, ann."
    )
    assert first.figure == "raters: A 2, B 3, common 2"
    assert [one.words for one in others] == ["Mean of all three is the same to two decimals."]
    assert dict(report.facts)["B − A"].startswith("0.00")


def test_the_korean_report_names_the_raters_too(study):
    choose_language("ko")
    first = build_change(change(Analysis(study("a", WITH_LENIENT)), Analysis(study("b", BEFORE)))).findings[0]
    choose_language(None)
    assert first.words == "없어진 평가자: ai-lenient. 양쪽에 다 있는 평가자만으로 비교합니다: ai-strict, ann."


@pytest.mark.parametrize("name", KEPT)
def test_no_gate_fails_because_a_lenient_judge_left(haechi, study, kept, name):
    baseline = kept(study("a", WITH_LENIENT), name)
    ran = haechi("check", study("b", BEFORE), "--no-regression", baseline, "--json")
    assert ran.code == 0
    assert [one["value"] for one in ran.json["gates"]] == pytest.approx([0.0] * 5)
    assert (ran.json["panel"]["compared"], ran.json["panel"]["removed"]) == ("common", ["ai-lenient"])


@pytest.mark.parametrize("name", KEPT)
def test_a_lenient_judge_more_hides_no_loss(haechi, study, kept, name):
    worse = {item: dict.fromkeys(("ai-strict", "ann"), votes(0, 0, 0)) for item in BEFORE}
    baseline = kept(study("a", {item: dict.fromkeys(rated, LENIENT) for item, rated in BEFORE.items()}), name)
    hidden = {item: rated | {"ai-lenient": LENIENT} for item, rated in worse.items()}
    ran = haechi("check", study("b", hidden), "--no-regression", baseline, "--json")
    assert ran.code == 1
    assert [one["value"] for one in ran.json["gates"]] == pytest.approx([-1.0] * 5)


def test_another_judge_model_is_refused(haechi, study, tmp_path):
    other = {item: {"ai-lenient": LENIENT} for item in BEFORE}
    before = {item: {"ai-strict": rated["ai-strict"]} for item, rated in BEFORE.items()}
    one, two = study("a", before), study("b", other)
    with pytest.raises(HaechiError, match=r"no common rater \(A: ai-strict; B: ai-lenient\)"):
        change(Analysis(one), Analysis(two))
    ran = haechi("report", one, two, "-o", tmp_path / "out")
    assert ran.code == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", KEPT)
def test_a_gate_against_another_judge_model_fails_with_the_reason(haechi, study, kept, name):
    before = {item: {"ai-strict": rated["ai-strict"]} for item, rated in BEFORE.items()}
    other = {item: {"ai-lenient": LENIENT} for item in BEFORE}
    ran = haechi("check", study("b", other), "--no-regression", kept(study("a", before), name), "--json")
    assert ran.code == 1
    assert {one["value"] for one in ran.json["gates"]} == {None}
    assert all("no rater is common to both" in one["why"] for one in ran.json["gates"])


def test_other_people_on_the_same_items_are_refused(study):
    one = study("a", {f"d{i}": {"ann": strict(i), "bo": strict(i)} for i in range(6)})
    two = study("b", {f"d{i}": {"cho": strict(i), "dan": strict(i)} for i in range(6)})
    with pytest.raises(HaechiError, match="no common rater"):
        change(Analysis(one), Analysis(two))


def test_an_item_is_compared_over_the_raters_it_had_in_both(study):
    """Both raters rate in both studies, but who rated which item changed, and only that."""
    one = {f"d{i}": {"ann": LENIENT} | ({"bo": votes(0, 0, 0)} if i < 6 else {}) for i in range(12)}
    two = {f"d{i}": {"ann": LENIENT} | ({"bo": votes(0, 0, 0)} if i < 2 else {}) for i in range(12)}
    found = {
        score.name: score for score in change(Analysis(study("a", one)), Analysis(study("b", two))).scores
    }
    assert found["mean3"].difference.value == 0


def _participants(prefix, given):
    return {f"{prefix}-session-{i}": {f"{prefix}{i}": one} for i, one in enumerate(given)}


@pytest.mark.parametrize("name", KEPT)
def test_participants_are_two_samples_of_people(haechi, study, kept, name):
    """Everyone rates their own session."""
    first, second = [strict(i) for i in range(10)], [votes(1, i % 2, 1) for i in range(8)]
    before, after = study("a", _participants("p", first)), study("b", _participants("q", second))
    ran = haechi("check", after, "--no-regression", kept(before, name), "--json")
    if name == "report":  # scores.csv does not say who is a person
        assert {one["passed"] for one in ran.json["gates"]} == {False}
        return
    assert ran.json["panel"]["compared"] == "people"
    assert "two independent samples of people" in ran.json["panel"]["words"]
    means = [[sum(one.values()) / 3 for one in side] for side in (first, second)]
    expected = stats.ttest_ind(means[1], means[0], equal_var=False)
    mean3 = next(one for one in ran.json["gates"] if one["score"] == "mean3")
    assert mean3["value"] == pytest.approx(sum(means[1]) / 8 - sum(means[0]) / 10)
    assert mean3["ci95"] == pytest.approx([*expected.confidence_interval()])


def test_a_participant_with_several_items_is_one_value(study):
    one = study("a", {f"s{i}": {f"p{i // 3}": strict(i)} for i in range(12)})
    two = study("b", {f"t{i}": {f"q{i // 3}": LENIENT} for i in range(12)})
    found = change(Analysis(one), Analysis(two))
    assert {(score.before.n, score.after.n) for score in found.scores} == {(4, 4)}
    assert "independent samples of people" in build_change(found).findings[0].words


@pytest.mark.parametrize("name", ["old.json", "summary.csv", "means.csv"])
def test_what_does_not_say_who_rated_is_compared_and_says_so(haechi, study, kept, tmp_path, name):
    folder = study("a", BEFORE)
    target = tmp_path / name
    if name == "old.json":  # as versions wrote it that did not keep the raters
        told = json.loads(kept(folder, "list.json").read_text("utf-8"))
        target.write_text(json.dumps({k: v for k, v in told.items() if k != "raters" and "@" not in k}))
    elif name == "summary.csv":
        target = kept(folder, "report") / name
    else:
        target.write_text("item,mean:mean3\n" + "".join(f"d{i},0.5\n" for i in range(12)))
    ran = haechi("check", folder, "--no-regression", target, "--json")
    assert ran.json["panel"]["compared"] == "unknown"
    assert "does not say who rated" in ran.json["panel"]["words"]
    assert "does not say who rated" in haechi("check", folder, "--no-regression", target).out


def test_what_is_passed_does_not_say_that_nothing_got_worse(haechi, study):
    one = study("a", BEFORE)
    two = study("b", {f"d{i}": {"ai-strict": strict(i), "ann": strict(i + 3)} for i in range(12)})
    ran = haechi("check", two, "--no-regression", one, "--json")
    passed = [one for one in ran.json["gates"] if one["passed"] and (one["ci95"] or [0])[0] < 0]
    assert passed
    for check in passed:
        most = f"{-check['ci95'][0]:.2g}"
        assert check["why"] == f"no loss was shown; a loss of up to {most} is compatible with the data"
    korean = haechi("check", two, "--no-regression", one, "--lang", "ko", "--json").json["gates"]
    assert not any("나빠지지" in check["name"] + (check["why"] or "") for check in korean)
    assert any(
        check["why"]
        and check["why"].startswith("나빠졌다는 근거가 없습니다. 다만 최대 ")
        and check["why"].endswith("만큼의 하락은 데이터와 어긋나지 않습니다")
        for check in korean
    )


def test_pseudonyms_are_those_of_both_studies(haechi, study, tmp_path):
    people = ["kim", "lee", "park", "choi"]
    one = study("a", {f"d{i}": {p: strict(i + n) for n, p in enumerate(people)} for i in range(8)})
    two = study("b", {f"d{i}": {p: strict(i + n) for n, p in enumerate(people) if n} for i in range(8)})
    ran = haechi("report", one, two, "-o", tmp_path / "out", "--anonymous", "--json")
    first, *others = ran.json["findings"]
    assert first["figure"] == "raters: A 4, B 3, common 3"
    assert not any(name in first["words"] for name in people)
    assert [one["words"] for one in others] == ["Mean of all three is the same to two decimals."]


STRICT = votes(0, 0, 0)


def _desk(items, strict_share):
    """One rater per item: ann, who is strict, has the first items, and bo, who is lenient, has the rest."""
    return {
        item: {"ann": votes(0, n % 5 == 0, 0)} if n < strict_share else {"bo": votes(1, n % 5 != 0, 1)}
        for n, item in enumerate(items)
    }


SWAPPED = _desk([f"d{i}" for i in range(40)], 36), _desk([f"d{39 - i}" for i in range(40)], 4)


def test_swapped_shares_of_the_same_items_are_refused(haechi, study, tmp_path):
    one, two = (study(name, given) for name, given in zip("ab", SWAPPED, strict=True))
    with pytest.raises(HaechiError, match="no item that the same rater rated in both"):
        change(Analysis(one), Analysis(two))
    ran = haechi("report", one, two, "-o", tmp_path / "out")
    assert ran.code == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", KEPT)
def test_swapped_shares_are_no_gain_at_a_gate(haechi, study, kept, name):
    one, two = (study(name, given) for name, given in zip("ab", SWAPPED, strict=True))
    for before, after in ((one, two), (two, one)):
        ran = haechi("check", after, "--no-regression", kept(before, name), "--json")
        if name == "list.json":  # which items they were was not kept, so everyone is compared with themselves
            assert all(abs(check["value"]) < 0.1 for check in ran.json["gates"])
            continue
        assert ran.code == 1
        assert all("no item was rated by the same rater" in check["why"] for check in ran.json["gates"])


def test_different_items_are_compared_within_raters(study):
    one = study("a", _desk([f"d{i}" for i in range(40)], 36))
    two = study("b", _desk([f"e{i}" for i in range(40)], 4))
    found = {score.name: score for score in change(Analysis(one), Analysis(two)).scores}
    # ann gave 0 to all but one in five, bo 1; neither changed.
    assert found["sympathy"].difference.value == 0
    assert found["mean3"].test == "Welch t within raters"
    own = {"ann": (8 / 36, 1 / 4), "bo": (4 / 4, 29 / 36)}
    expected = sum(after - before for before, after in own.values()) / 2
    assert found["specificity"].difference.value == pytest.approx(expected)
    assert {score.direction for score in found.values()} == {0}


def test_a_rater_with_one_item_tells_nothing_about_the_error_and_is_left_out(study):
    one = study("a", {f"d{i}": {"ann" if i else "bo": strict(i)} for i in range(20)})
    two = study("b", {f"e{i}": {"ann" if i < 10 else "bo": strict(i)} for i in range(20)})
    found = next(s for s in change(Analysis(one), Analysis(two)).scores if s.name == "mean3")
    own = [[sum(strict(i).values()) / 3 for i in items] for items in (range(1, 20), range(10))]
    assert (found.before.n, found.after.n) == (19, 10)
    assert found.p == pytest.approx(stats.ttest_ind(*own, equal_var=False).pvalue)


def test_raters_who_all_rated_all_are_compared_by_their_mean(study):
    one = study("a", {f"d{i}": {"ann": strict(i), "bo": strict(i + 1)} for i in range(12)})
    two = study("b", {f"e{i}": {"ann": strict(i), "bo": LENIENT} for i in range(10)})
    before, after = Analysis(one), Analysis(two)
    found = next(score for score in change(before, after).scores if score.name == "mean3")
    expected = stats.ttest_ind(after.samples["mean3"].each(), before.samples["mean3"].each(), equal_var=False)
    assert (found.test, found.p) == ("Welch t", pytest.approx(expected.pvalue))


@pytest.mark.parametrize("name", KEPT)
def test_new_people_on_the_same_items_are_no_two_samples(haechi, study, kept, name):
    one = study("a", {f"d{i}": {f"p{i}": votes(0, i % 5 == 0, 0)} for i in range(30)})
    two = study("b", {f"d{i}": {f"q{i}": votes(1, i % 5 != 0, 1)} for i in range(30)})
    ran = haechi("check", two, "--no-regression", kept(one, name), "--json")
    assert ran.code == 1
    assert ran.json["panel"]["compared"] == "none"
    with pytest.raises(HaechiError, match=r"no common rater[^$]*give the items ids that differ"):
        change(Analysis(one), Analysis(two))


def test_before_and_after_are_over_what_is_compared(study):
    """A has 40 items, B five of them, which are the strictest."""
    ratings = {f"d{i}": {"ann": STRICT if i < 5 else LENIENT} for i in range(40)}
    found = change(
        Analysis(study("a", ratings)),
        Analysis(study("b", {item: given for item, given in ratings.items() if item in list(ratings)[:5]})),
    )
    for score in found.scores:
        assert score.after.value - score.before.value == pytest.approx(score.difference.value)
        assert (score.before.n, score.after.n, score.pairs) == (5, 5, 5)
    report = build_change(found)
    first = report.findings[0]
    assert (first.rule, first.figure) == ("compared", "Mean of all three: 5 of 40 items in A and 5 in B")
    assert dict(report.facts)["paired items"] == "5"


def test_every_score_has_the_number_of_its_own_pairs(study):
    """Only six of twelve items have a specificity on both sides, and so a mean of all."""
    one = {f"d{i}": {"ann": strict(i)} for i in range(12)}
    two = {
        f"d{i}": {"ann": strict(i) if i < 6 else {k: v for k, v in strict(i).items() if k != "specificity"}}
        for i in range(12)
    }
    found = change(Analysis(study("a", one)), Analysis(study("b", two)))
    pairs = {score.name: score.pairs for score in found.scores}
    assert pairs == {"sensibleness": 12, "specificity": 6, "sympathy": 12, "ssa": 6, "mean3": 6}
    report = build_change(found)
    assert dict(report.facts)["paired items"] == "6"


def test_verdicts_of_a_person_on_some_runs_are_counted_by_score(demo, tmp_path):
    """What code measured stays; a person adds verdicts on twenty runs."""
    one, two = demo / "hiring-agent", tmp_path / "with-person"
    shutil.copytree(one, two)
    items = Analysis(one).rated_items[:20]
    rows = [
        {"item": item, "rater": "kim", "kind": "human", "criterion": "intent", "value": "PARTIAL"}
        for item in items
    ]
    (tmp_path / "kim.json").write_text(json.dumps(rows), "utf-8")
    Study(two).import_ratings([tmp_path / "kim.json"])
    found = change(Analysis(one), Analysis(two))
    pairs = {score.name: score.pairs for score in found.scores}
    expected = (36, 17, 15)  # the expectation of four runs is prose that waits for a person
    assert (pairs["accuracy"], pairs["intent"], pairs["overall"]) == expected
    for score in found.scores:
        if score.test == "paired t":
            gap = score.after.value - score.before.value
            assert gap == pytest.approx(score.difference.value, abs=1e-9)
            assert score.before.n == score.after.n == score.pairs == score.difference.n


def test_a_gate_does_not_hold_on_the_few_runs_that_nobody_judged_anew(haechi, demo, tmp_path):
    judged = shutil.copytree(demo / "hiring-agent", tmp_path / "judged")
    made = Study(judged)
    runs = [item.id for item in made.items()][:36]
    verdicts = tmp_path / "kim.csv"
    verdicts.write_text(
        "item,criterion,rater,value\n" + "".join(f"{run},intent,kim,FAILED\n" for run in runs), "utf-8"
    )
    made.import_ratings([verdicts])
    given = ("--no-regression", demo / "hiring-agent", "--max-drop", "overall=0.5", "--json")
    told = {gate["name"]: gate for gate in haechi("check", judged, *given).json["gates"]}
    for name in ("no-regression intent", "no-regression overall", "max-drop overall"):
        assert not told[name]["passed"]
        assert "items were rated by the same raters in both" in told[name]["why"]
    assert told["no-regression accuracy"]["passed"]


def test_a_name_of_another_kind_is_no_rater_gone_and_added():
    found = panel_change({"kim": "human", "ann": "human"}, {"kim": "ai", "ann": "human"}, False)
    assert found.words.en == (
        "kim is a person in A and an AI judge in B. Compared over the raters common to both: ann."
    )
    assert found.words.ko.startswith(
        "이름이 같은 kim의 종류가 다릅니다. A에서는 사람, B에서는 AI 평가자입니다."
    )
    assert found.as_json()["added"] == found.as_json()["removed"] == []


def test_more_names_are_counted_without_calling_models_people():
    assert name_list([f"ai-{i}" for i in range(7)]).ko == "ai-0, ai-1, ai-2, ai-3, ai-4 외 2"
