"""What reports say of awkward data: few raters, few items, one kind of rater, nothing measured, a rater who guesses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.analysis.change import change
from haechi.report.build import build_report
from haechi.report.change import build_change
from haechi.report.document import Report
from haechi.study.study import Study
from haechi.text import choose_language


@pytest.fixture(params=["ko", "en"])
def lang(request) -> str:
    choose_language(request.param)
    return str(request.param)


def likert(folder: Path, ratings: dict[str, np.ndarray], kinds: dict[str, str] | None = None) -> Path:
    """A study with the nine Likert criteria: of every rater (items, 9), NaN where missing."""
    study = Study.new(folder, "ubica")
    keys = [c.key for c in study.rubric.criteria if c.scale.counted]
    n = len(next(iter(ratings.values())))
    items = [{"id": f"s{i}", "messages": [{"role": "user", "content": f"{i}"}]} for i in range(n)]
    rows = [
        {
            "item": f"s{i}",
            "rater": rater,
            "kind": (kinds or {}).get(rater, "human"),
            "criterion": key,
            "value": float(value),
        }
        for rater, table in ratings.items()
        for i, values in enumerate(table)
        for key, value in zip(keys, values, strict=True)
        if not np.isnan(value)
    ]
    (folder / "items.json").write_text(json.dumps(items), "utf-8")
    (folder / "ratings.json").write_text(json.dumps(rows), "utf-8")
    study.add([folder / "items.json"])
    study.import_ratings([folder / "ratings.json"])
    return folder


def report_of(folder: Path) -> Report:
    report = build_report(Analysis(folder))
    firsts = [finding for finding in report.findings if finding.first]
    assert len(firsts) == min(5, len(report.findings))
    for finding in report.findings:
        said = f"{finding.words} {finding.figure}"
        assert not re.search(r"\b(nan|None|inf)\b", said), finding
        assert "= 1.000" not in said, finding
        assert re.search(r"\d", finding.figure) or "–" in finding.figure, finding
    # No sentence of a paper begins with a numeral.
    assert not re.search(r"(?:^|[.!?] )\d", report.methods), report.methods
    assert not re.search(r"p\S* = (1\.000|\.000)", report.methods)
    return report


def ratings_of(n: int, *noise: float, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, (n, 1))
    return [np.clip(np.rint(true + rng.normal(0, one, (n, 9))), 1, 5) for one in noise]


def rules(report: Report) -> dict[str, list]:
    found: dict[str, list] = {}
    for finding in report.findings:
        found.setdefault(finding.rule, []).append(finding)
    return found


def test_two_raters_and_six_items(tmp_path, lang):
    ann, bo = ratings_of(6, 0.6, 0.6)
    found = rules(report_of(likert(tmp_path / "s", {"ann": ann, "bo": bo})))
    (overall,) = found["overall"]
    assert ("사람 2명의 평균" if lang == "ko" else "the mean of 2 people") in overall.words
    assert overall.numbers["overall.human"] == pytest.approx((ann.mean(axis=1) + bo.mean(axis=1)).mean() / 2)
    assert len(found["agreement"]) == 1
    assert "random" not in found


def test_three_raters_and_six_items_are_too_few_to_call_anybody_a_guesser(tmp_path, lang):
    tables = dict(zip(("ann", "bo", "cho"), ratings_of(6, 0.5, 0.5, 3.0), strict=True))
    found = rules(report_of(likert(tmp_path / "s", tables)))
    assert "random" not in found
    assert "shape" not in found


def test_one_rater(tmp_path, lang):
    (ann,) = ratings_of(8, 0.6)
    found = rules(report_of(likert(tmp_path / "s", {"ann": ann})))
    assert not {"agreement", "people", "severity", "random"} & set(found)
    assert ("사람 1명의 평가" if lang == "ko" else "one person's ratings") in found["overall"][0].words


@pytest.mark.parametrize("kind", ["human", "ai"])
def test_one_kind_of_rater_is_named(tmp_path, lang, kind):
    tables = dict(zip(("r1", "r2", "r3"), ratings_of(12, 0.5, 0.5, 0.5), strict=True))
    found = rules(report_of(likert(tmp_path / "s", tables, dict.fromkeys(tables, kind))))
    ko, en = {"human": ("사람 3명", "3 people"), "ai": ("AI 평가자 3명", "3 AI judges")}[kind]
    assert (ko if lang == "ko" else en) in found["overall"][0].words
    assert (ko if lang == "ko" else en) in found["agreement"][0].words
    assert "people" not in found
    assert [*found["overall"][0].numbers] == [f"overall.{kind}"]


@pytest.mark.parametrize("sure", [False, True])
def test_a_judge_runs_against_people_only_where_the_interval_says_so(tmp_path, lang, sure):
    rng = np.random.default_rng(4)
    person = np.repeat(rng.integers(1, 6, (12, 1)), 9, axis=1).astype(float)
    judge = 6 - person if sure else np.roll(person, 5, axis=0)
    judge[0] = 3.0
    folder = likert(tmp_path / "s", {"gpt": judge, "ann": person}, {"gpt": "ai"})
    (people,) = rules(report_of(folder))["people"]
    assert people.numbers["overall.pearson"] < 0
    assert (("반대로" if lang == "ko" else "runs against") in people.words) is sure
    assert (people.tone == "problem") is sure


def test_persons_are_clusters_and_not_proposed_as_groups(tmp_path, lang):
    ratings = {f"d{i}": {"ann": votes(i % 2, 1, 0), "bo": votes(1, i % 3 > 0, 0)} for i in range(12)}
    meta = {f"d{i}": {"student": f"s{i // 2}", "user": "AB"[i % 2], "반": "가나다"[i % 3]} for i in range(12)}
    figures = Analysis(diary_study(tmp_path / "s", ratings, meta))
    assert [one.items.by for one in figures.comparisons] == [("user",), ("반",)]
    assert figures.scored.cluster == "student"


def test_response_times_of_one_query_are_a_cluster(haechi, demo):
    from haechi.stats.population import clustered_mean

    rows = pl.concat(
        Analysis(demo / "hiring-agent").batches(["item", "query", "details:seconds", "details:tool_class"])
    )
    runs = rows.unique("item").drop_nulls("details:seconds").filter(pl.col("details:tool_class") == "SINGLE")
    own = runs.group_by("query").agg(s=pl.col("details:seconds").sum(), n=pl.len())
    expected = clustered_mean(own["s"].to_numpy(), own["n"].to_numpy(), (0.0, float("inf")))
    told = haechi("check", demo / "hiring-agent", "--min", "seconds=0", "--json").json["figures"]
    told = told["latency_single.seconds"]
    assert own["n"].max() > 1
    assert told["value"] == pytest.approx(expected.value)
    assert told["ci95"] == pytest.approx(expected.ci95)


def test_people_who_rated_a_third_of_what_judges_rated_are_a_headline_of_their_own(tmp_path, lang):
    judge, person = ratings_of(30, 0.4, 0.4)
    person[10:] = np.nan
    judge[10:] = 1.0  # what people did not see is bad
    folder = likert(tmp_path / "s", {"gpt": judge, "ann": person}, {"gpt": "ai"})
    report = report_of(folder)
    (overall,) = rules(report)["overall"]
    assert overall.numbers["overall.human"] == pytest.approx(np.nanmean(person))
    assert overall.numbers["overall.ai"] == pytest.approx(judge.mean())
    assert "n = 10" in overall.figure
    assert "n = 30" in overall.figure
    labels = " ".join(name for name, _ in report.facts)
    assert ("사람 1명의 평가" in labels) if lang == "ko" else ("one person's ratings" in labels)


def test_pooled_figures_are_put_in_no_words(tmp_path):
    a, b, c, d = ratings_of(12, 0.4, 0.4, 0.8, 0.8)
    kinds = {"gpt": "ai", "gem": "ai"}
    folder = likert(tmp_path / "s", {"ann": a, "bo": b, "gpt": c, "gem": d}, kinds)
    said = Analysis(folder).agree().as_json("en")
    assert "reading" not in json.dumps(said["criteria"]["overall"]["icc"])
    assert "reading" not in said["criteria"]["overall"]["krippendorff_alpha"]
    for block in ("human_human", "ai_ai"):
        assert said[block]["criteria"]["overall"]["icc"]["ICC(2,k)"]["reading"]["source"] == "Koo & Li 2016"
    # The total has 37 values: its κ keeps its value, has a note, and no word.
    kappa = said["human_human"]["criteria"]["sum"]["fleiss_kappa"]
    assert kappa["value"] is not None
    assert "more than 10 different values" in kappa["note"]
    assert "reading" not in kappa
    assert "reading" in said["human_human"]["criteria"]["realism"]["fleiss_kappa"]


def test_twenty_raters_of_many_turns_are_read_by_what_their_mean_is_worth(tmp_path, lang):
    tables = {f"r{j:02d}": table for j, table in enumerate(ratings_of(40, *[2.0] * 20))}
    (agreement,) = rules(report_of(likert(tmp_path / "s", tables)))["agreement"]
    of_mean = agreement.numbers["overall.ICC(2,k).human"]
    single = agreement.numbers["overall.Krippendorff α.human"]
    assert of_mean > 0.95 > single
    assert agreement.tone == "good"
    assert ("사람 20명의 평균" if lang == "ko" else "the mean of 20 people") in agreement.words


def test_a_rater_who_guesses_is_named(tmp_path, lang):
    ann, bo, cho = ratings_of(60, 0.5, 0.5, 0.5)
    dice = np.random.default_rng(5).integers(1, 6, (60, 9)).astype(float)
    folder = likert(tmp_path / "s", {"ann": ann, "bo": bo, "cho": cho, "dice": dice})
    (random,) = rules(report_of(folder))["random"]
    assert "dice" in random.words
    assert random.tone == "problem"
    others = np.mean([ann, bo, cho], axis=0)
    centred = [table - table.mean(axis=0) for table in (dice, others)]
    # Pooled over the criteria, each in units of its own spread over all raters.
    spread = np.std([ann, bo, cho, dice], axis=(0, 1))
    x, y = (one / spread for one in centred)
    assert random.numbers["dice.r"] == pytest.approx((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum()))


def test_scores_in_two_clusters_and_on_the_ceiling_are_findings(tmp_path, lang):
    rng = np.random.default_rng(3)
    true = np.where(np.arange(60) % 2, 1.8, 4.2)[:, None]
    table = np.clip(np.rint(true + rng.normal(0, 0.9, (60, 9))), 1, 5)
    table[:, 0] = 5  # everybody gets the highest point on the first criterion
    shapes = rules(report_of(likert(tmp_path / "s", {"ann": table})))["shape"]
    clusters = next(one for one in shapes if "low" in one.numbers)
    means = table.mean(axis=1)
    assert clusters.numbers["low"] == pytest.approx(means[means < 3].mean())
    assert clusters.numbers["high"] == pytest.approx(means[means > 3].mean())
    assert clusters.numbers["n_low"] == 30
    assert any(1.0 in one.numbers.values() for one in shapes)


def test_even_and_normal_scores_have_no_clusters(tmp_path):
    (table,) = ratings_of(60, 0.7)
    assert not [
        one
        for one in rules(report_of(likert(tmp_path / "s", {"ann": table}))).get("shape", ())
        if "low" in one.numbers
    ]


def test_a_criterion_that_nobody_can_use(tmp_path, lang):
    ann, bo, cho = ratings_of(40, 0.3, 0.3, 0.3)
    rng = np.random.default_rng(8)
    for table in (ann, bo, cho):
        table[:, 4] = rng.integers(1, 6, 40)  # realism means something else to everybody
        table[:, 8] = np.nan
    found = rules(report_of(likert(tmp_path / "s", {"ann": ann, "bo": bo, "cho": cho})))["unusable"]
    assert [next(iter(one.numbers)) for one in found] == ["language", "realism.alpha.human"]


def test_runs_in_which_nothing_could_be_measured(tmp_path, lang):
    study = Study.new(tmp_path / "s", "hiring-agent")
    runs = [
        {"query_id": f"q{i}", "payload": {"assistantMessage": "네"}, "intent_verdict": "GOOD"}
        for i in range(4)
    ]
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, runs)), "utf-8")
    study.add([tmp_path / "runs.jsonl"])
    found = rules(report_of(tmp_path / "s"))
    (ruled,) = found["ruled"]
    assert ruled.numbers["accuracy"] == ruled.numbers["latency_single"] == ruled.numbers["consistency"] == 4
    # Intent 4 weighs 20, stability 5 as much: 1.8 of 5 by the instrument, 4.5 of what was measured.
    assert found["overall"][0].numbers["overall.code"] == pytest.approx(1.8)
    assert ruled.numbers["overall_without_zero_by_rule"] == pytest.approx(4.5)
    weak = found["weakest"][0].words
    assert not any(name in weak for name in ("정확성", "Accuracy", "일관성", "Consistency"))


def test_one_item(tmp_path, lang):
    found = rules(report_of(diary_study(tmp_path / "s", {"d1": {"ann": votes(1, 0, 1)}})))
    assert found["overall"][0].numbers["mean3.human"] == pytest.approx(2 / 3)


def test_a_statistic_and_its_p_belong_together(tmp_path):
    """As statcheck does it: the p in the methods paragraph follows from the t before it."""
    choose_language("en")
    rng = np.random.default_rng(2)
    ratings = {
        f"d{i}": {"ann": votes(int(rng.random() < 0.4 + 0.4 * (i % 2)), int(rng.random() < 0.5), i % 3 % 2)}
        for i in range(30)
    }
    meta = {f"d{i}": {"system": "AB"[i % 2]} for i in range(30)}
    methods = report_of(diary_study(tmp_path / "s", ratings, meta)).methods
    found = re.findall(r"t\(([\d.]+)\) = (−?[\d.]+), p (=|<|>) (\.\d+)", methods)
    assert found, methods
    for df, t, sign, p in found:
        value = abs(float(t.replace("−", "-")))
        ends = [2 * stats.t.sf(value + d, float(df)) for d in (0.005, -0.005)]
        assert sign != "=" or ends[0] - 0.0005 <= float(p) <= ends[1] + 0.0005


def test_what_was_not_measured_before_has_not_changed(tmp_path):
    """A has no checks, B has: accuracy is 0 by rule in A, and 5 in B."""
    choose_language("en")
    checks = [{"path": "assistantMessage", "op": "exists"}]
    folders = []
    for name, more in (("a", {}), ("b", {"accuracy_checks": checks})):
        study = Study.new(tmp_path / name, "hiring-agent")
        run = {"payload": {"assistantMessage": "네", "responseTimeSec": 4}, "intent_verdict": "GOOD", **more}
        runs = [run | {"query_id": f"q{i}", "round": str(r)} for i in range(6) for r in (1, 2)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, runs)), "utf-8")
        study.add([tmp_path / f"{name}.jsonl"])
        folders.append(study.folder)
    report = build_change(change(Analysis(folders[0]), Analysis(folders[1])))
    assert not any(f.words.startswith("Accuracy got") for f in report.findings)
    (ruled,) = [f for f in report.findings if f.rule == "ruled"]
    assert ruled.figure == "A: accuracy 12/12"
