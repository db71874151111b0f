"""A difference between two studies is taken over raters that both have, or not at all."""

from __future__ import annotations

import json

import pytest
from scipy import stats
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.analysis.change import change
from haechi.errors import HaechiError
from haechi.report.change import build_change
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
    assert first.words == "빠진 평가자: ai-lenient. 양쪽에 다 있는 평가자만으로 비교합니다: ai-strict, ann."


@pytest.mark.parametrize("name", KEPT)
def test_no_gate_fails_because_a_lenient_judge_left(haechi, study, kept, name):
    baseline = kept(study("a", WITH_LENIENT), name)
    ran = haechi("check", study("b", BEFORE), "--no-regression", baseline, "--json")
    assert ran.code == 0
    assert [one["value"] for one in ran.json["checks"]] == pytest.approx([0.0] * 5)
    assert (ran.json["panel"]["compared"], ran.json["panel"]["removed"]) == ("common", ["ai-lenient"])


@pytest.mark.parametrize("name", KEPT)
def test_a_lenient_judge_more_hides_no_loss(haechi, study, kept, name):
    worse = {item: dict.fromkeys(("ai-strict", "ann"), votes(0, 0, 0)) for item in BEFORE}
    baseline = kept(study("a", {item: dict.fromkeys(rated, LENIENT) for item, rated in BEFORE.items()}), name)
    hidden = {item: rated | {"ai-lenient": LENIENT} for item, rated in worse.items()}
    ran = haechi("check", study("b", hidden), "--no-regression", baseline, "--json")
    assert ran.code == 1
    assert [one["value"] for one in ran.json["checks"]] == pytest.approx([-1.0] * 5)


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
    assert {one["value"] for one in ran.json["checks"]} == {None}
    assert all("no rater is common to both" in one["why"] for one in ran.json["checks"])


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
    return {f"s{i}": {f"{prefix}{i}": one} for i, one in enumerate(given)}


@pytest.mark.parametrize("name", KEPT)
def test_participants_are_two_samples_of_people(haechi, study, kept, name):
    """Everyone rates their own session; sessions that happen to have the same id are no pair."""
    first, second = [strict(i) for i in range(10)], [votes(1, i % 2, 1) for i in range(8)]
    before, after = study("a", _participants("p", first)), study("b", _participants("q", second))
    ran = haechi("check", after, "--no-regression", kept(before, name), "--json")
    if name == "report":  # scores.csv does not say who is a person
        assert {one["passed"] for one in ran.json["checks"]} == {False}
        return
    assert ran.json["panel"]["compared"] == "people"
    assert "two independent samples of people" in ran.json["panel"]["words"]
    means = [[sum(one.values()) / 3 for one in side] for side in (first, second)]
    expected = stats.ttest_ind(means[1], means[0], equal_var=False)
    mean3 = next(one for one in ran.json["checks"] if one["gate"].startswith("mean3"))
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
    passed = [one for one in ran.json["checks"] if one["passed"] and one["ci95"][0] < 0]
    assert passed
    for check in passed:
        most = f"{-check['ci95'][0]:.2g}"
        assert check["why"] == f"no loss was shown; a loss of up to {most} is compatible with the data"
    korean = haechi("check", two, "--no-regression", one, "--lang", "ko", "--json").json["checks"]
    assert not any("나빠지지" in check["gate"] + check["why"] for check in korean)
    assert any(
        check["why"].startswith("나빠졌다는 근거가 없습니다. 다만 최대 ")
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
