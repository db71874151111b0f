"""`haechi compare` on the designs that studies have: order, same items, persons, two fields, margins, tables of outcomes."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.stats.weightstats import ttost_paired

from haechi import stats
from haechi.stats.population import clustered_mean

RANDOM = np.random.default_rng(5)


@pytest.fixture
def sessions(haechi, tmp_path):
    """Twelve students with two to four sessions each, in two modes and two levels, and an exam."""
    rows, n = [], 0
    for student in range(12):
        ability = RANDOM.normal(0, 1)
        for session in range(1, 3 + student % 3):
            n += 1
            meta = {
                "student": f"s{student}",
                "mode": "agent" if student % 2 else "free",
                "level": "상" if (n % 2) else "하",
                "session": session,
                "exam": round(70 + 8 * ability + RANDOM.normal(0, 3)) if student else "결시",
            }
            value = int(np.clip(round(3 + ability + 0.4 * session + RANDOM.normal(0, 0.6)), 1, 5))
            rows.append({"item": f"c{n}", "rater": "kim", "value": value, **meta})
    frame = pd.DataFrame(rows)
    path = tmp_path / "sessions.csv"
    frame.to_csv(path, index=False)
    return path, frame


def _long(values):
    """A table of (items, systems) as rows of a file."""
    rows = [
        f"q{i},kim,{int(value)},{'ABCD'[j]}" for i, row in enumerate(values) for j, value in enumerate(row)
    ]
    return "item,rater,value,system\n" + "\n".join(rows) + "\n"


def test_three_systems_on_the_same_items_without_a_rubric(haechi, write):
    table = RANDOM.integers(1, 6, (14, 3))
    said = haechi("compare", write("r.csv", _long(table)), "--by", "system", "--json").json
    assert said["paired_by"] == {"field": "base_item", "chosen": "found"}
    found = said["criteria"]["overall"]["same_items"]
    theirs = scipy.stats.friedmanchisquare(*table.T)
    assert found["friedman"]["statistic"] == pytest.approx(theirs.statistic)
    assert found["friedman"]["p"] == pytest.approx(theirs.pvalue)
    assert len(found["pairs"]) == 3
    first = found["pairs"][0]
    assert first["paired_t"]["p"] == pytest.approx(scipy.stats.ttest_rel(table[:, 0], table[:, 1]).pvalue)
    assert first["paired_t"]["correction"] == "holm"
    assert first["difference"]["ci95"]


def test_verdicts_of_three_systems_and_of_two(haechi, write):
    table = RANDOM.integers(0, 2, (16, 3))
    said = haechi("compare", write("r.csv", _long(table)), "--by", "system", "--json").json
    found = said["criteria"]["overall"]
    assert found["same_items"]["cochran_q"]["p"] == pytest.approx(
        stats.same_items(table.astype(float), binary=True).cochran_q.p
    )
    assert found["same_items"]["pairs"][0]["mcnemar"]["exact"]["p"] is not None
    assert found["counts"]["counts"] == [[int(c.sum()), int(16 - c.sum())] for c in table.T]
    both = haechi("compare", write("s.csv", _long(table[:, :2])), "--by", "system", "--json").json
    found = both["criteria"]["overall"]["mcnemar"]
    only = int(((table[:, 0] == 1) & (table[:, 1] == 0)).sum())
    assert found["first_only"] == only
    assert both["criteria"]["overall"]["counts"]["exact"]["p"] == pytest.approx(
        scipy.stats.fisher_exact([[t, 16 - t] for t in table[:, :2].sum(axis=0)]).pvalue
    )


def test_levels_rise(haechi, demo):
    """Means of 16.9, 21.3, 27.2 and 34.5 are no chance, whatever the test of any difference at all says."""
    said = haechi("compare", demo / "maice-qac", "--by", "level", "--json").json
    assert said["order"] == ["Q1", "Q2", "Q3", "Q4"]
    found = said["criteria"]["total"]
    assert found["trend"]["linear"]["p"] < 0.05 < found["many_samples"]["welch_anova"]["p"]
    means = [group["mean"]["value"] for group in found["groups"]]
    assert found["trend"]["per_step"]["value"] == pytest.approx(np.polyfit([1, 2, 3, 4], means, 1)[0])
    plain = haechi("compare", demo / "maice-qac", "--by", "level", "--order", "none", "--json").json
    assert plain["order"] is None
    assert "trend" not in plain["criteria"]["total"]
    turned = haechi("compare", demo / "maice-qac", "--by", "level", "--order", "Q4,Q3,Q2,Q1", "--json").json
    assert turned["criteria"]["total"]["trend"]["per_step"]["value"] == pytest.approx(
        -found["trend"]["per_step"]["value"]
    )
    refused = haechi("compare", demo / "maice-qac", "--by", "level", "--order", "Q1,Q2", "--json")
    assert refused.code == 1
    assert "Q4" in refused.json["error"][0]["expected"]


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_the_report_says_that_levels_rise(haechi, demo, tmp_path, lang):
    haechi("report", demo / "maice-qac", "-o", tmp_path / "out", "--by", "level", "--lang", lang)
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert (
        "한 단계에 평균 5.88점씩 높아집니다" if lang == "ko" else "rises from Q1 to Q4, by 5.88 a step"
    ) in text
    assert "16.88 → 21.33 → 27.17 → 34.53" in text


def test_sessions_of_a_student_are_one_cluster(haechi, sessions):
    path, frame = sessions
    said = haechi("compare", path, "--by", "mode", "--cluster-by", "student", "--json").json
    assert said["clustered_by"]["field"] == "student"
    assert said["clustered_by"]["clusters"] == 12
    found = said["criteria"]["overall"]["clustered"]["pairs"][0]
    groups = sorted(frame["mode"].unique())
    own = stats.Clustered.of(frame.value, frame["mode"], frame.student)
    sign = 1 if frame["mode"][0] == groups[0] else -1
    difference, test = own.contrast([sign, -sign])
    assert found["difference"]["value"] == pytest.approx(difference.value)
    assert found["cluster_t"]["p"] == pytest.approx(test.p)
    unknown = haechi("compare", path, "--by", "mode", "--cluster-by", "moon", "--json")
    assert unknown.code == 1


def test_a_share_of_items_in_clusters_has_no_interval_that_takes_them_as_independent(haechi, write):
    rows = "".join(f"i{i},kim,{i % 3 > 0:d},s{i // 3},{'AB'[i % 2]}\n" for i in range(24))
    path = write("r.csv", "item,rater,value,student,mode\n" + rows)
    for more, whole in (((), False), (("--cluster-by", "none"), True)):
        said = haechi("compare", path, "--by", "mode", *more, "--json").json
        for group in said["criteria"]["overall"]["groups"]:
            assert (group["proportion"].get("ci95") is not None) is whole
            assert group["mean"]["ci95"] is not None


def test_first_against_last(haechi, sessions):
    path, frame = sessions
    said = haechi("compare", path, "--by", "session", "--pair", "student", "--first-last", "--json").json
    ordered = frame.sort_values("session").groupby("student").value
    change = (ordered.last() - ordered.first()).to_numpy()
    found = said["criteria"]["overall"]["paired"]
    assert [group["by"]["session"] for group in said["groups"]] == ["last", "first"]
    assert found["difference"]["value"] == pytest.approx(change.mean())
    assert found["paired_t"]["p"] == pytest.approx(scipy.stats.ttest_1samp(change, 0).pvalue)
    refused = haechi("compare", path, "--by", "session", "--first-last", "--json")
    assert refused.code == 1
    assert "--pair" in refused.json["error"][0]["expected"]


def test_the_interaction_of_two_fields_and_one_inside_the_other(haechi, sessions):
    path, frame = sessions
    said = haechi("compare", path, "--by", "mode,level", "--cluster-by", "none", "--json").json
    found = said["criteria"]["overall"]
    theirs = sm.stats.anova_lm(smf.ols("value ~ C(mode) * C(level)", frame).fit(), typ=2)
    assert found["interaction"]["anova"]["p"] == pytest.approx(theirs.loc["C(mode):C(level)", "PR(>F)"])
    assert [one["level"] for one in found["inside"]] == ["하", "상"]
    low = frame[frame.level == "하"]
    p = scipy.stats.ttest_ind(
        low.value[low["mode"] == "agent"], low.value[low["mode"] == "free"], equal_var=False
    ).pvalue
    assert found["inside"][0]["pairs"][0]["welch_t"]["p"] == pytest.approx(p)


def test_two_fields_over_clusters(haechi, sessions):
    path, frame = sessions
    found = haechi("--lang", "en", "compare", path, "--by", "mode,level", "--json").json["criteria"][
        "overall"
    ]
    cells = list(frame["mode"] + frame["level"])
    order = [mode + level for mode in ("agent", "free") for level in ("하", "상")]
    own = stats.Clustered.of(frame.value, cells, frame.student).of_groups(
        [list(dict.fromkeys(cells)).index(cell) for cell in order]
    )
    difference, test = own.contrast([1, -1, -1, 1])
    said = found["interaction"]
    assert said["clustered"]["p"] == pytest.approx(test.p)
    assert said["difference"]["ci95"] == pytest.approx(difference.ci95)
    assert said["anova"]["p"] is None
    assert "independent" in said["anova"]["why"]
    low = own.of_groups([0, 2]).contrast([1, -1])
    assert found["inside"][0]["pairs"][0]["cluster_t"]["p"] == pytest.approx(low[1].p)


def test_mcnemar_flips_the_signs_of_clusters(haechi, write):
    """Two systems on 24 prompts of 6 students: one student's four prompts are not four students."""
    table = np.column_stack([RANDOM.random(24) < 0.8, RANDOM.random(24) < 0.4]).astype(int)
    head, *rows = _long(table).splitlines()
    rows = [f"{row},s{int(row.split(',')[0][1:]) // 4}" for row in rows]
    found = haechi(
        "compare", write("met.csv", "\n".join([f"{head},student", *rows])), "--by", "system", "--json"
    ).json
    assert (found["paired_by"]["chosen"], found["clustered_by"]["field"]) == ("found", "student")
    own = found["criteria"]["overall"]["mcnemar"]
    net = (table[:, 0] - table[:, 1]).reshape(6, 4).sum(axis=1)
    flips = np.array([signs @ net for signs in itertools.product((-1, 1), repeat=6)])
    assert own["first_only"] - own["second_only"] == net.sum()
    assert own["clusters"] == (net != 0).sum()
    assert own["exact"]["p"] == pytest.approx((np.abs(flips) >= abs(net.sum())).mean())
    assert own["odds_ratio"].get("ci95") is None


def test_a_margin(haechi, write):
    table = RANDOM.integers(2, 5, (20, 2))
    path = write("r.csv", _long(table))
    said = haechi("compare", path, "--by", "system", "--margin", "0.8", "--json").json
    found = said["criteria"]["overall"]["equivalence"][0]
    p, _, _ = ttost_paired(table[:, 0].astype(float), table[:, 1].astype(float), -0.8, 0.8)
    assert found["p"] == pytest.approx(p)
    assert found["equivalent"] == (p < 0.05)
    for wrong in ("tone=1", "-1", "much"):
        assert haechi("compare", path, "--by", "system", f"--margin={wrong}", "--json").code == 1


def test_a_number_from_outside(haechi, sessions):
    path, frame = sessions
    said = haechi("compare", path, "--with", "exam", "--cluster-by", "none", "--json").json["with"]["exam"]
    known = frame[frame.exam != "결시"]
    assert said["left_out"] == len(frame) - len(known)
    found = said["criteria"]["overall"]
    theirs = scipy.stats.pearsonr(known.value, known.exam.astype(float))
    assert found["pearson"]["value"] == pytest.approx(theirs.statistic)
    ends = theirs.confidence_interval()
    assert found["pearson"]["ci95"] == pytest.approx([ends.low, ends.high])
    by_student = haechi("compare", path, "--with", "exam", "--cluster-by", "student", "--json").json["with"][
        "exam"
    ]
    assert by_student["unit"] == "student"
    assert by_student["criteria"]["overall"]["pearson"]["n"] == 11
    assert haechi("compare", path, "--with", "mode", "--json").code == 1
    assert haechi("compare", path).code == 2


def test_trials_from_0_without_raters(haechi, write):
    outcomes = {"m1": [[1, 1, 0], [1, 1, 1], [0, 1, 0]], "m2": [[0, 0, 0], [1, 0, 1], [0, 1, 1]]}
    rows = [
        f"t{i},{trial},{model},{reward}"
        for model, tasks in outcomes.items()
        for i, rewards in enumerate(tasks)
        for trial, reward in enumerate(rewards)
    ]
    path = write("runs.csv", "task_id,trial,model,reward\n" + "\n".join(rows) + "\n")
    repeats = haechi("compare", path, "--by", "model", "--json").json["repeats"]
    for model, tasks in outcomes.items():
        found = repeats["groups"][model]["criteria"]["overall"]["pass_hat_k"]
        for k in (1, 2, 3):
            assert found[str(k)]["value"] == pytest.approx(stats.pass_hat_k(tasks, k).value)
    assert (repeats["n_queries"], repeats["clustered_by"]) == (3, "item"), "three tasks, tried by both models"
    both = clustered_mean([2 / 3 + 0, 1 + 2 / 3, 1 / 3 + 2 / 3], [2, 2, 2], (0, 1))
    pooled = repeats["criteria"]["overall"]["pass_hat_k"]["1"]
    assert (pooled["value"], pooled["n"]) == (pytest.approx(both.value), 3)
    assert pooled["ci95"] == pytest.approx(both.ci95)


def test_labels_are_counted(haechi, write):
    rows = "".join(f"i{i},kim,{['good', 'ok', 'bad'][(i * i) % 3]},{'AB'[i % 2]}\n" for i in range(20))
    said = haechi(
        "compare", write("r.csv", "item,rater,value,system\n" + rows), "--by", "system", "--json"
    ).json
    found = said["criteria"]["overall"]["counts"]
    assert found["categories"] == ["good", "ok"]
    table = np.array(found["counts"])
    assert found["chi_squared"]["p"] == pytest.approx(
        scipy.stats.chi2_contingency(table, correction=False).pvalue
    )


def test_pairs_of_groups_that_a_table_leaves_out_are_counted(haechi, write):
    rows = "".join(f"i{g}-{i},kim,{g * 10 + i},g{g}\n" for g in range(8) for i in range(4))
    path = write("r.csv", "item,rater,value,group\n" + rows)
    said = haechi("compare", path, "--by", "group", "--lang", "en").out
    assert "8 more rows in --json." in said
    pairs = haechi("compare", path, "--by", "group", "--json").json["criteria"]["overall"]["many_samples"][
        "pairs"
    ]
    assert len(pairs) == 28


def test_labels_have_no_mean(haechi, write):
    rows = "".join(
        f"i{i},{rater},{['good', 'ok', 'bad'][(i * i + shift) % 3]},{'ABC'[i % 3]},{i}\n"
        for i in range(24)
        for rater, shift in (("kim", 0), ("lee", 0), ("choi", 1))
    )
    path = write("r.csv", "item,rater,value,system,exam\n" + rows)
    said = haechi("compare", path, "--by", "system", "--with", "exam", "--json").json
    found = said["criteria"]["overall"]
    assert all(group["mean"]["value"] is None and group["n"] == 8 for group in found["groups"])
    assert found["many_samples"]["welch_anova"]["p"] is None
    assert "nominal" in found["refused"] or "명목" in found["refused"]
    assert said["with"]["exam"]["criteria"]["overall"]["pearson"]["value"] is None
    for lang, mean, pair in (("ko", "평균 [", "쌍은 없습니다"), ("en", "mean [", "No pair")):
        shown = haechi("compare", path, "--by", "system", "--lang", lang).out
        assert "χ²" in shown
        assert mean not in shown
        assert pair not in shown


def test_a_criterion_named_like_a_column_is_refused(haechi, write):
    rows = "".join(f"i{i},kim,kind,{i % 5},{'AB'[i % 2]}\n" for i in range(8))
    path = write("r.csv", "item,rater,criterion,value,system\n" + rows)
    failed = haechi("compare", path, "--by", "system")
    assert failed.code == 1
    assert "kind" in failed.err
    assert "Traceback" not in failed.err


def test_a_wide_table_with_a_further_column(haechi, write):
    path = write("w.csv", "item,ann,bo,level\na,3,4,상\nb,2,2,중\nc,1,2,하\nd,4,5,상\ne,3,2,중\nf,1,1,하\n")
    said = haechi("compare", path, "--wide", "--by", "level", "--json").json
    assert said["order"] == ["하", "중", "상"]
    assert [g["mean"]["value"] for g in said["criteria"]["overall"]["groups"]] == [1.25, 2.25, 4.0]


def _rated(groups):
    """Rows of groups that were rated by different people: {group: {rater: values}}."""
    rows = [
        f"{group}{i},{rater},{value},{group}"
        for group, raters in groups.items()
        for rater, values in raters.items()
        for i, value in enumerate(values)
    ]
    return "item,rater,value,system\n" + "\n".join(rows) + "\n"


def test_groups_are_compared_over_the_raters_that_both_have(haechi, write):
    both = {"ann": [3, 3, 2, 4, 3], "bo": [3, 2, 3, 4, 2]}
    path = write("r.csv", _rated({"A": both, "B": {**both, "lenient": [5, 5, 5, 5, 5]}}))
    said = haechi("compare", path, "--by", "system", "--pair", "none", "--json").json
    assert said["panel"]["compared"] == "common"
    assert said["panel"]["others"] == ["lenient"]
    assert said["criteria"]["overall"]["two_samples"]["difference"]["value"] == 0
    apart = write("s.csv", _rated({"A": {"ann": [3, 3, 2, 4]}, "B": {"gpt": [5, 5, 4, 5]}}))
    rows = apart.read_text("utf-8").replace("item,rater,", "item,rater,kind,").replace(",ann,", ",ann,human,")
    apart.write_text(rows.replace(",gpt,", ",gpt,ai,"), "utf-8")
    said = haechi("compare", apart, "--by", "system", "--json").json
    assert said["panel"]["compared"] == "none"
    two = said["criteria"]["overall"]["two_samples"]
    assert two["difference"]["value"] is None
    assert "no rater is common" in two["welch_t"]["why"]


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_everything_is_said_in_both_languages(haechi, sessions, lang):
    path, _ = sessions
    ran = haechi(
        *("compare", path, "--by", "mode", "--cluster-by", "student"),
        *("--with", "exam", "--margin", "0.5", "--lang", lang),
    )
    assert ran.code == 0
    assert ("묶음을 고려한 비교(학생, 12개)" if lang == "ko" else "over clusters (student, 12)") in ran.out
    assert ("동등성" if lang == "ko" else "equivalence") in ran.out
