"""`haechi compare` on studies, files and broken questions."""

from __future__ import annotations

import statistics
import unicodedata
from pathlib import Path

import pytest
from statsmodels.stats.multitest import multipletests

import haechi.demo as haechi_demo
from haechi.rubrics import find_rubric
from terminals import printed


def test_two_groups_from_the_scores_themselves(haechi, demo):
    """Group means recomputed from `haechi score`: item = mean over raters, group = mean over items."""
    entries = haechi("score", demo / "maice-qac", "--json").json["items"]
    items: dict[tuple[str, str], list[float]] = {}
    for entry in entries:
        if entry["scores"]["total"] is not None:
            items.setdefault((entry["meta"]["mode"], entry["item"]), []).append(entry["scores"]["total"])
    expected = {
        mode: statistics.mean(statistics.mean(v) for (m, _), v in items.items() if m == mode)
        for mode in ("agent", "freepass")
    }
    said = haechi("compare", demo / "maice-qac", "--by", "mode", "--json").json
    total = said["criteria"]["total"]
    found = {group["by"]["mode"]: group["mean"]["value"] for group in total["groups"]}
    assert found == pytest.approx(expected)
    assert total["two_samples"]["difference"]["value"] == pytest.approx(
        expected["agent"] - expected["freepass"]
    )
    assert [group["n"] for group in said["groups"]] == [6, 6]
    assert said["paired_by"] is None
    assert said["correction"]["over"] == "criteria"


def test_a_family_is_what_a_reader_would_name(haechi, demo):
    """The headline is one question; criteria and areas are corrected among themselves; every p keeps its statistic."""
    said = haechi("compare", demo / "maice-qac", "--by", "mode", "--json").json
    families = said["correction"]["families"]
    assert {name: len(of) for name, of in families.items()} == {"headline": 1, "criteria": 8, "areas": 3}
    for of in families.values():
        tests = [said["criteria"][name]["two_samples"]["welch_t"] for name in of]
        surest = min(tests, key=lambda test: test["p"])
        assert surest["p_corrected"] == pytest.approx(len(of) * surest["p"])
        assert all(test["correction"] == "holm" for test in tests)


@pytest.mark.parametrize("method", ["bh", "bonferroni", "none"])
def test_the_correction_is_chosen(haechi, demo, method):
    said = haechi("compare", demo / "maice-qac", "--by", "mode", "--correct", method, "--json").json
    tests = [
        said["criteria"][name]["two_samples"]["welch_t"]
        for name in said["correction"]["families"]["criteria"]
    ]
    if method == "none":
        assert all("p_corrected" not in test for test in tests)
        return
    theirs = multipletests([test["p"] for test in tests], method={"bh": "fdr_bh"}.get(method, method))[1]
    assert [test["p_corrected"] for test in tests] == pytest.approx(list(theirs))
    assert {test["correction"] for test in tests} == {method}


def test_pairs_are_found_asked_for_or_refused(haechi, demo):
    study = demo / "diary-comment"
    said = haechi("compare", study, "--by", "system", "--json").json
    assert said["paired_by"] == {"field": "diary", "chosen": "found"}
    assert said["criteria"]["ssa"]["paired"]["difference"]["n"] == 12
    difference = said["criteria"]["ssa"]["two_samples"]["difference"]["value"]
    assert said["criteria"]["ssa"]["paired"]["difference"]["value"] == pytest.approx(difference)
    assert any("diary" in note for note in said["notes"])
    asked = haechi("compare", study, "--by", "system", "--pair", "diary", "--json").json
    assert asked["paired_by"]["chosen"] == "asked"
    alone = haechi("compare", study, "--by", "system", "--pair", "none", "--json").json
    assert alone["paired_by"] is None
    assert "paired" not in alone["criteria"]["ssa"]
    refused = haechi("compare", study, "--by", "system", "--pair", "moon", "--json")
    assert refused.code == 1
    assert "diary" in refused.json["error"][0]["expected"]


def test_the_same_items_by_two_raters_are_pairs(haechi, write):
    rows = "".join(
        f"d{i},{name},{rater},{int((i + k) % (2 + r) == 0)}\n"
        for i in range(6)
        for k, name in enumerate(("sensibleness", "specificity", "sympathy"))
        for r, rater in enumerate(("r1", "r2"))
    )
    path = write("r.csv", "item,criterion,rater,value\n" + rows)
    said = haechi("compare", path, "--rubric", "diary-comment", "--by", "rater", "--json").json
    assert said["paired_by"] == {"field": "item", "chosen": "found"}


def test_binary_criteria_have_shares_with_wilson_intervals(haechi, demo):
    groups = haechi("compare", demo / "diary-comment", "--by", "system", "--json").json["criteria"][
        "sympathy"
    ]["groups"]
    for group in groups:
        share = group["proportion"]
        assert share["n"] + group["n_ties"] == 12
        low, high = share["ci95"]
        assert 0 <= low < share["value"] < high <= 1
    assert (
        "proportion"
        not in haechi("compare", demo / "maice-qac", "--by", "mode", "--json").json["criteria"]["A1"][
            "groups"
        ][0]
    )


def test_more_than_two_groups(haechi, demo):
    found = haechi("compare", demo / "maice-qac", "--by", "level", "--json").json["criteria"]["total"][
        "many_samples"
    ]
    assert len(found["pairs"]) == 6
    assert found["welch_anova"]["p_corrected"] >= found["welch_anova"]["p"]
    crossed = haechi("compare", demo / "maice-qac", "--by", "mode,level", "--json").json
    assert len(crossed["groups"]) == 8
    assert crossed["groups"][0]["by"] == {"mode": "agent", "level": "Q1"}


def test_repeated_runs(haechi, demo):
    """20 queries in two rounds: pass^1 is the share of runs with 3 points or more, pass^2 of queries with both."""
    said = haechi("compare", demo / "hiring-agent", "--by", "round", "--json").json
    entries = haechi("score", demo / "hiring-agent", "--json").json["items"]
    runs: dict[str, list[bool]] = {}
    for entry in entries:
        runs.setdefault(entry["meta"]["query"], []).append(entry["scores"]["stability"] == 5)
    found = said["repeats"]["criteria"]["stability"]
    assert found["passes_at"] == 3
    assert found["pass_hat_k"]["1"]["value"] == pytest.approx(
        statistics.mean(statistics.mean(r) for r in runs.values())
    )
    assert found["pass_hat_k"]["2"]["value"] == pytest.approx(statistics.mean(all(r) for r in runs.values()))
    assert found["stability"]["per_query"]["q01"] in (0.5, 1.0)
    gates = haechi("check", demo / "hiring-agent", "--min", "pass^1=0", "--min", "pass^2=0", "--json").json
    of_accuracy = said["repeats"]["criteria"]["accuracy"]["pass_hat_k"]
    assert [gate["value"] for gate in gates["gates"]] == [of_accuracy[k]["value"] for k in "12"]
    assert said["paired_by"]["field"] == "query"


def test_runs_in_a_file_and_columns_of_a_table_make_groups(haechi, demo, write):
    from importlib.resources import files

    runs = files("haechi.demo") / "data" / "hiring-agent" / "runs.csv"
    said = haechi("compare", runs, "--rubric", "hiring-agent", "--by", "round", "--json").json
    assert [group["n"] for group in said["groups"]] == [20, 20]
    rows = "".join(
        f"d{i},{name},r1,{int(i % 3 == 0)},{'AB'[i % 2]}\n"
        for i in range(8)
        for name in ("sensibleness", "specificity", "sympathy")
    )
    path = write("r.csv", "item,criterion,rater,value,system\n" + rows)
    said = haechi("compare", path, "--rubric", "diary-comment", "--by", "system", "--json").json
    assert [group["by"] for group in said["groups"]] == [{"system": "A"}, {"system": "B"}]
    torn = write("t.csv", "item,criterion,rater,value,system\nd1,sympathy,r1,1,A\nd1,specificity,r1,1,B\n")
    ran = haechi("compare", torn, "--rubric", "diary-comment", "--by", "system", "--json")
    assert ran.code == 1
    assert "d1" in ran.json["error"][0]["at"]


def test_excluding_a_criterion_changes_the_total(haechi, demo):
    whole = haechi("compare", demo / "maice-qac", "--by", "mode", "--json").json["criteria"]
    less = haechi("compare", demo / "maice-qac", "--by", "mode", "--exclude", "C1", "--json").json["criteria"]
    assert "C1" not in less
    assert less["total"]["groups"][0]["mean"]["value"] < whole["total"]["groups"][0]["mean"]["value"]


def test_wrong_questions(haechi, demo, write):
    assert haechi("compare", demo / "ubica").code == 2
    ran = haechi("compare", demo / "maice-qac", "--by", "weather", "--json")
    assert ran.code == 1
    assert "mode" in ran.json["error"][0]["expected"]
    path = write("r.csv", "item,criterion,rater,value\nd1,sympathy,r1,1\n")
    assert haechi("compare", path, "--by", "system", "--json").code == 1
    missing = haechi("compare", path, "--rubric", "diary-comment", "--by", "system", "--json")
    assert missing.code == 1
    assert "system" in missing.err


def test_groups_too_small_are_null_with_a_reason(haechi, write):
    rows = "".join(
        f"d{i},{name},r1,1,{'AB'[i]}\n"
        for i in range(2)
        for name in ("sensibleness", "specificity", "sympathy")
    )
    path = write("r.csv", "item,criterion,rater,value,system\n" + rows)
    ran = haechi("compare", path, "--rubric", "diary-comment", "--by", "system", "--json")
    assert ran.code == 0
    two = ran.json["criteria"]["ssa"]["two_samples"]
    assert two["welch_t"]["p"] is None
    assert two["welch_t"]["why"] == "at least 2 values in each group are needed, there are 1"
    assert haechi("compare", path, "--rubric", "diary-comment", "--by", "system").code == 0


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize(
    ("study", "by"),
    [
        ("maice-qac", "mode"),
        ("maice-qac", "level"),
        ("ubica", "system"),
        ("diary-comment", "system"),
        ("hiring-agent", "round"),
    ],
)
def test_tables_fit_a_hundred_columns(demo, monkeypatch, lang, study, by):
    from haechi.analysis.analysis import Analysis
    from haechi.report.tables.comparison import compare_tables

    monkeypatch.setenv("HAECHI_LANG", lang)
    lines = printed(compare_tables(Analysis(demo / study).comparison(by)), 100)
    width = max(
        sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip()) for line in lines
    )
    assert width <= 100
    assert not any("…" in line for line in lines)


def test_both_languages_and_the_seed_on_stderr(haechi, demo):
    korean = haechi("compare", demo / "diary-comment", "--by", "system", "--lang", "ko")
    assert "짝 비교(일기)" in korean.out
    assert "집단마다 일기 값이 하나씩 빠짐없이 있어" in korean.out + korean.err
    assert "Holm" in korean.err
    assert "난수 시드 2026" in korean.err
    english = haechi("compare", demo / "diary-comment", "--by", "system")
    assert "In pairs by diary" in english.out
    assert "mean over its raters" in english.err


def test_a_rise_that_is_the_same_everywhere_has_no_spread(haechi, write):
    # flow rises by 1 for every q, so overall, the mean of nine criteria, rises by 1/9 and sum by 1.
    names = [name for name in find_rubric("ubica").rateables if name != "comment"]
    rows = "".join(
        f"{mode}{i},r,{name},{1 + (i * (k + 2) + k) % 4 + (mode == 'b' and name == 'flow')},{mode},q{i}\n"
        for i in range(20)
        for mode in "ab"
        for k, name in enumerate(names)
    )
    path = write("r.csv", "item,rater,criterion,value,mode,q\n" + rows)
    said = haechi("compare", path, "--rubric", "ubica", "--by", "mode", "--pair", "q", "--json").json
    for name, rise in (("overall", 1 / 9), ("sum", 1)):
        found = said["criteria"][name]["paired"]
        assert found["difference"]["value"] == pytest.approx(-rise)
        assert found["cohen_dz"]["value"] is None
        assert found["paired_t"]["p"] is None
    assert (
        said["criteria"]["overall"]["paired"]["wilcoxon"]["p"]
        == said["criteria"]["sum"]["paired"]["wilcoxon"]["p"]
    )


def test_groups_whose_values_hold_the_mark_between_them_stay_apart(haechi, write):
    rows = "".join(
        f"p{i},r,sensibleness,1,a · b,c\nq{i},r,sensibleness,0,a,b · c\ns{i},r,sensibleness,{i % 2},a,c\n"
        for i in range(4)
    )
    path = write("r.csv", "item,rater,criterion,value,x,y\n" + rows)
    said = haechi("compare", path, "--rubric", "diary-comment", "--by", "x,y", "--json").json
    assert [(group["by"], group["n"]) for group in said["groups"]] == [
        ({"x": "a", "y": "b · c"}, 4),
        ({"x": "a", "y": "c"}, 4),
        ({"x": "a · b", "y": "c"}, 4),
    ]
    found = said["criteria"]["sensibleness"]
    assert [group["mean"]["value"] for group in found["groups"]] == [0, 0.5, 1]
    assert len({group["group"] for group in found["groups"]}) == 3
    assert len(found["many_samples"]["pairs"]) == 3


def test_a_column_is_found_by_its_own_name_in_a_file_of_runs(haechi):
    runs = Path(haechi_demo.__file__).parent / "data" / "hiring-agent" / "runs.csv"
    ours, theirs = (
        haechi("compare", runs, "--rubric", "hiring-agent", "--by", name, "--json")
        for name in ("category", "카테고리")
    )
    assert ours.json == theirs.json


@pytest.mark.parametrize(
    ("field", "given", "order"),
    [
        ("level", ["Q10", "Q2", "", "Q1"], ["Q1", "Q2", "Q10", None]),
        ("version", ["v1.10", "v1.9"], ["v1.9", "v1.10"]),
        ("turn", ["10", "end", "9"], ["9", "10", "end"]),
        ("수준", ["상", "하", "중"], ["하", "중", "상"]),
    ],
)
def test_groups_stand_in_one_order_everywhere(haechi, write, field, given, order):
    rows = [f"c{n},kim,sympathy,{n % 3 % 2},{given[n % len(given)]}" for n in range(24)]
    file = write("ratings.csv", f"item,rater,criterion,value,{field}\n" + "\n".join(rows) + "\n")
    chosen = (file, "--rubric", "diary-comment", "--by", field, "--json")
    scored = haechi("score", *chosen).json["summary"][1:]
    assert [row["by"][field] for row in scored] == order
    compared = haechi("compare", *chosen).json["criteria"]["sympathy"]["groups"]
    assert [group["by"][field] for group in compared] == [value for value in order if value]


def test_rankings_of_groups_stand_in_the_order_of_all_groups(haechi, write):
    votes = "".join(f"q{n},A,B,{'AB'[n % 2]},Q{level}\n" for level in (10, 9) for n in range(4))
    file = write("votes.csv", "item,a,b,winner,level\n" + votes)
    groups = haechi("rank", file, "--by", "level", "--json").json["groups_by"]
    assert [one["by"] for one in groups] == [{"level": "Q9"}, {"level": "Q10"}]
