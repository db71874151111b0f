"""Findings follow from documented rules, and none stands without its figure."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.data.rating import Rating
from haechi.report.build import build_report
from haechi.report.document import Plot
from haechi.report.exports import query_rows
from haechi.report.findings import findings
from haechi.report.rating_methods import who_rated
from haechi.report.sections.run_summary import paragraph
from haechi.report.table import Table
from haechi.stats import krippendorff_alpha
from haechi.store.ratings import append_ratings
from haechi.study.study import Study
from haechi.text import choose_language


def by_rule(folder):
    found = {}
    for finding in findings(Analysis(folder)):
        found.setdefault(finding.rule, []).append(finding)
    return found


@pytest.mark.parametrize("name", ["ubica", "hiring-agent", "maice-qac", "diary-comment"])
def test_no_finding_stands_without_a_figure(gathered, name):
    for finding in findings(gathered[name]):
        assert re.search(r"\d", finding.figure), finding


def test_the_weakest_criterion_is_the_lowest_in_its_range(tmp_path):
    # sympathy is met on 1 of 8 items, the others on all: 1/8 with an interval below 1.
    ratings = {f"d{i}": {"ann": votes(1, 1, int(i == 0)), "bo": votes(1, 1, int(i == 0))} for i in range(8)}
    (weakest,) = by_rule(diary_study(tmp_path / "s", ratings))["weakest"]
    assert weakest.words.startswith(
        "The weakest criterion in its range is Sympathy (12 % of the way up), clearly"
    )
    assert weakest.numbers["sympathy.share"] == 1 / 8


MIXED = """
id: mixed
title: {ko: 섞인 척도, en: Mixed scales}
about: {ko: 시험, en: A trial}
task: {ko: 답변을 평가한다, en: Judge the reply}
item: reply
speakers: {user: {ko: 사용자, en: user}, assistant: {ko: 모델, en: model}}
criteria:
  - key: sorry
    name: {ko: 사과, en: Apology}
    question: {ko: 사과했는가?, en: Does it say sorry?}
    scale: {type: binary}
  - key: tone
    name: {ko: 말투, en: Tone}
    question: {ko: 말투가 어떤가?, en: How is the tone?}
    scale: {type: likert, anchors: {1: {ko: 하, en: a}, 2: {ko: 중하, en: b}, 3: {ko: 중, en: c}, 4: {ko: 중상, en: d}, 5: {ko: 상, en: e}}}
"""


def test_criteria_are_compared_as_shares_of_their_ranges(tmp_path):
    (tmp_path / "mixed.yaml").write_text(MIXED, "utf-8")
    study = Study.new(tmp_path / "s", str(tmp_path / "mixed.yaml"))
    rows = [
        {"item": f"c{i}", "rater": "ann", "kind": "human", "criterion": key, "value": value}
        for i in range(12)
        for key, value in (("sorry", i % 2), ("tone", 1 + i % 3))
    ]
    (tmp_path / "ratings.json").write_text(json.dumps(rows), "utf-8")
    items = [{"id": f"c{i}", "context": "질문", "response": "답"} for i in range(12)]
    (tmp_path / "items.json").write_text(json.dumps(items), "utf-8")
    study.add([tmp_path / "items.json"])
    study.import_ratings([tmp_path / "ratings.json"])
    # 0.50 of 0–1 is half of the range, 2.00 of 1–5 a quarter: the number is higher, the criterion weaker.
    (weakest,) = by_rule(tmp_path / "s")["weakest"]
    assert "Tone (25 % of the way up)" in weakest.words
    assert weakest.numbers["tone.share"] == 0.25
    assert weakest.numbers["sorry.share"] == 0.5
    differences = [i % 2 - (i % 3) / 4 for i in range(12)]
    half = 2.200985160082949 * np.std(differences, ddof=1) / 12**0.5  # t of 11 degrees of freedom, 97.5 %
    assert weakest.numbers["above_low"] == pytest.approx(np.mean(differences) - half)
    assert "may be chance" in weakest.words


def test_criteria_that_are_equally_low_are_all_named(tmp_path):
    # sensibleness and sympathy are met on 1 of 8 items each, specificity on all.
    ratings = {f"d{i}": {"ann": votes(int(i == 1), 1, int(i == 0))} for i in range(8)}
    folder = diary_study(tmp_path / "s", ratings)
    (weakest,) = by_rule(folder)["weakest"]
    assert weakest.words == (
        "The weakest criteria, equally low in their ranges, are Sensibleness, Sympathy (12 % of the way up), "
        "clearly below the next, Specificity."
    )
    assert weakest.figure.startswith("sensibleness 12 %; sympathy 12 %; specificity 100 %")
    choose_language("ko")
    assert "동률" in by_rule(folder)["weakest"][0].words


def test_no_criterion_is_the_weakest_where_all_are_equal(tmp_path):
    ratings = {f"d{i}": {"ann": votes(i % 2, i % 2, i % 2)} for i in range(8)}
    (weakest,) = by_rule(diary_study(tmp_path / "s", ratings))["weakest"]
    assert weakest.words == "No criterion is the weakest: all that have values are equal."


def test_overlapping_intervals_are_not_called_clear(tmp_path):
    ratings = {f"d{i}": {"ann": votes(i % 2, (i + 1) % 2, i % 3 == 0)} for i in range(8)}
    ratings = {
        i: {r: {c: int(v) for c, v in own.items()} for r, own in given.items()}
        for i, given in ratings.items()
    }
    (weakest,) = by_rule(diary_study(tmp_path / "s", ratings))["weakest"]
    assert "may be chance" in weakest.words


def test_raters_who_agree_are_believed_and_others_are_not(tmp_path):
    alike = {f"d{i}": {r: votes(i % 2, i % 2, i % 2) for r in ("ann", "bo")} for i in range(8)}
    (good,) = by_rule(diary_study(tmp_path / "good", alike))["agreement"]
    assert good.tone == "good"
    assert good.words == "The reliability of the mean of 2 people is excellent (Koo & Li 2016)."
    assert good.numbers["mean3.ICC(2,k).human"] == 1
    apart = {f"d{i}": {"ann": votes(i % 2, 1, 0), "bo": votes((i // 2) % 2, 0, 1)} for i in range(8)}
    folder = diary_study(tmp_path / "bad", apart)
    (bad,) = by_rule(folder)["agreement"]
    # mean3 is (votes)/3, the same scale for both raters.
    values = [[(i % 2 + 1) / 3, ((i // 2) % 2 + 1) / 3] for i in range(8)]
    alpha = krippendorff_alpha(values).value
    assert alpha < 0.667
    assert f"= {alpha:.2f}".replace("0.", ".") in bad.figure
    assert bad.tone == "problem"


def test_a_difference_between_groups_is_told_with_its_size(tmp_path):
    ratings, meta = {}, {}
    for i in range(16):
        good = i % 2 == 0
        value = int(good) if i not in (0, 1) else int(not good)  # one exception in each group
        ratings[f"d{i}"] = {"ann": votes(value, value, value)}
        meta[f"d{i}"] = {"system": "A" if good else "B"}
    (groups,) = by_rule(diary_study(tmp_path / "s", ratings, meta))["groups"]
    # A: 7 of 8 met, B: 1 of 8; the difference is 0.75.
    assert "0.75 higher for A than for B" in groups.words
    assert "Welch t p < .001" in groups.figure  # the headline is one question: nothing is corrected


def always_one_higher(folder, pairs):
    """Systems A and B on the same diaries; A's comments have one criterion more, always."""
    ratings, meta = {}, {}
    for i in range(pairs):
        for system in "AB":
            ratings[f"{system}{i}"] = {"ann": votes(i % 2, int(system == "A"), i % 3 % 2)}
            meta[f"{system}{i}"] = {"system": system, "diary": f"d{i}"}
    return diary_study(folder, ratings, meta)


def test_a_difference_that_is_the_same_for_every_pair_is_told(tmp_path):
    (groups,) = by_rule(always_one_higher(tmp_path / "s", 12))["groups"]
    # Twelve differences of 1/3: no variance for a t, and every rank on one side: Wilcoxon's p is 2/2¹².
    assert "0.33 higher for A than for B" in groups.words
    assert "Wilcoxon p < .001" in groups.figure
    assert groups.tone == "caution"
    choose_language("ko")
    (groups,) = by_rule(tmp_path / "s")["groups"]
    assert "A 쪽이 B 쪽보다 0.33점 높습니다" in groups.words


def test_two_groups_that_do_not_vary_are_told_why_there_is_no_test(tmp_path):
    ratings = {f"d{i}": {"ann": votes(1, 1, 0)} for i in range(6)}
    meta = {f"d{i}": {"system": "AB"[i % 2]} for i in range(6)}
    folder = diary_study(tmp_path / "s", ratings, meta)
    (groups,) = by_rule(folder)["groups"]
    assert "does not differ" in groups.words
    assert groups.figure.endswith("no test: neither group varies: there is no variance")
    choose_language("ko")
    (groups,) = by_rule(folder)["groups"]
    assert "검정 없음: 두 집단 모두" in groups.figure


def test_unfounded_quotes_are_counted(tmp_path):
    ratings = {
        "d1": {"ai-1": votes((1, "'코멘트 d1'라고 함"), (1, "'전혀 다른 문장'이라고 함"), 1)},
        "d2": {"ai-1": votes((1, "'일기 d2'를 언급"), (0, "일반적인 말"), 1)},
    }
    (evidence,) = by_rule(diary_study(tmp_path / "s", ratings))["evidence"]
    # Three pieces quote, one of them quotes what nobody said.
    assert evidence.words.startswith("33 % of the evidence")
    assert "n = 3" in evidence.figure
    assert evidence.items == ("d1",)


def test_missing_scores_name_their_items(tmp_path):
    ratings = {"d1": {"ann": votes(1, 1, 1)}, "d2": {"ann": {"sensibleness": 1, "specificity": 1}}}
    (missing,) = by_rule(diary_study(tmp_path / "s", ratings))["missing"]
    assert missing.items == ("d2",)
    assert missing.figure == "1/2 = 50 %"


def test_failed_runs_and_changed_queries_are_found(gathered):
    rules = {finding.rule: finding for finding in findings(gathered["hiring-agent"])}
    assert rules["failures"].tone == "problem"
    assert rules["failures"].figure.startswith("5/40")
    assert "of 20 queries" in rules["changed"].words


def test_links_lead_to_items_that_the_page_shows(gathered, written):
    page = (written / "maice-qac" / "report.html").read_text("utf-8")
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= set(re.findall(r'id="([^"]+)"', page))
    assert any(target.startswith("item-") for target in targets)


def test_the_methods_paragraph_holds_what_a_paper_needs(gathered):
    methods = build_report(gathered["maice-qac"]).methods
    for part in (
        "12 dialogues",
        "v4.3",
        "2 people",
        "3 AI judges",
        "gpt-5-mini",
        "missing",
        "95% CI",
        "ICC(2,1) = .89",
        "Holm",
        "Haechi 0.2.0",
    ):
        assert part in methods, part


def test_a_study_with_a_single_item_still_makes_a_report(tmp_path):
    folder = diary_study(tmp_path / "s", {"d1": {"ann": votes(1, 0, 1)}})
    report = build_report(Analysis(folder))
    assert report.findings
    assert next(iter(report.tables())).rows[0][3].value == 1.0


def test_judges_who_run_against_people_are_a_problem(tmp_path):
    ratings = {
        f"d{i}": {"ann": votes(i % 2, i % 2, 1), "ai-1": votes((i + 1) % 2, (i + 1) % 2, 1)} for i in range(8)
    }
    rules = by_rule(diary_study(tmp_path / "s", ratings))
    (people,) = rules["people"]
    assert people.tone == "problem"
    assert "runs against" in people.words
    assert people.figure.startswith("r = −1.00")
    # One person and one judge: neither is a panel, and both together are none either.
    assert "agreement" not in rules


@pytest.mark.parametrize(
    ("lang", "stricter", "kinder"),
    [("en", "0.44 lower", "0.44 higher"), ("ko", "0.44점 낮게", "0.44점 높게")],
)
def test_the_words_about_severity_agree_with_the_sign(tmp_path, lang, stricter, kinder):
    choose_language(lang)
    # On seven of eight items ann gives 1/3, bo 1 and cho 2/3; on the other all give 1: 7/8 × 1/2 from the others' mean.
    ratings = {
        f"d{i}": {
            "ann": votes(int(i == 0), int(i == 0), 1),
            "bo": votes(1, 1, 1),
            "cho": votes(1, int(i == 0), 1),
        }
        for i in range(8)
    }
    (severity,) = by_rule(diary_study(tmp_path / "s", ratings))["severity"]
    assert re.search(f"ann.{{0,3}} {stricter}", severity.words)
    assert re.search(f"bo.{{0,3}} {kinder}", severity.words)
    assert "ann = −0.44 [" in severity.figure
    assert "bo = 0.44 [" in severity.figure


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "On the same items bo scores 0.58 higher than ann."),
        ("ko", "같은 항목에 bo가 ann보다 0.58점 높게 줍니다."),
    ],
)
def test_two_raters_have_one_difference(tmp_path, lang, words):
    choose_language(lang)
    # ann gives 1/3 on seven items and 1 on one, bo gives 1 on all: 7/8 × 2/3 apart.
    ratings = {f"d{i}": {"ann": votes(int(i == 0), int(i == 0), 1), "bo": votes(1, 1, 1)} for i in range(8)}
    (severity,) = by_rule(diary_study(tmp_path / "s", ratings))["severity"]
    assert severity.words == words
    assert "ann = −0.58 [" in severity.figure


def test_a_score_that_two_replicates_lack_is_named_once(tmp_path):
    folder = diary_study(tmp_path / "s", {"d1": {"bo": votes(1, 1, 1)}})
    asked = [
        "sensibleness,1,1",
        "specificity,1,1",
        "sensibleness,1,2",
        "specificity,,2",
        "sympathy,,1",
        "sympathy,,2",
    ]
    rows = [f"d1,ai-1,ai,{row}" for row in asked]
    (tmp_path / "again.csv").write_text(
        "\n".join(["item,rater,kind,criterion,value,replicate", *rows]), "utf-8"
    )
    Study(folder).import_ratings([tmp_path / "again.csv"])
    (section,) = (one for one in build_report(Analysis(folder)).sections if one.key == "missing")
    (lost,) = (part for part in section.parts if isinstance(part, Table))
    assert [(row[0], row[1], row[3], row[4]) for row in lost.rows] == [
        ("ai-1", "Sympathy ×2", "d1", 2),
        ("ai-1", "Specificity", "d1", 1),
    ]


@pytest.mark.parametrize(
    ("lang", "among", "strict"),
    [
        ("en", "than all other raters, people and AI judges together: ", "strict|lenient"),
        ("ko", "사람과 AI 평가자를 합한 나머지 평가자 전체의 평균보다 ", "엄격|후함"),
    ],
)
def test_people_beside_a_lenient_judge_are_not_called_strict(tmp_path, lang, among, strict):
    choose_language(lang)
    people = {name: votes(0, 0, 1) for name in ("ann", "bo", "cho")}
    ratings = {f"d{i}": people | {"ai-1": votes(int(i > 0), 1, 1)} for i in range(8)}
    folder = diary_study(tmp_path / "s", ratings)
    (severity,) = by_rule(folder)["severity"]
    assert among in severity.words
    assert "ann" in severity.words
    assert not re.search(strict, severity.words)
    (section,) = (one for one in build_report(Analysis(folder)).sections if one.key == "agreement")
    together = re.compile("people and AI judges together|사람과 AI 평가자를 합한")
    (chart,) = (part for part in section.parts if isinstance(part, Plot) and together.search(part.alt))
    assert not re.search(strict, chart.title + chart.svg)
    assert together.search(chart.table.note)


def test_a_difference_that_rounds_to_nothing_is_none(tmp_path):
    # One vote of 200 in one of the groups is unmet: mean3 is 1/600 lower there.
    ratings = {f"d{i}": {"ann": votes(1, 1, int(i > 0))} for i in range(400)}
    meta = {item: {"system": "AB"[number % 2]} for number, item in enumerate(ratings)}
    (groups,) = by_rule(diary_study(tmp_path / "s", ratings, meta))["groups"]
    assert groups.words == "By system: Mean of all three does not differ to two decimals."
    assert groups.tone == "plain"
    assert "A − B = 0.00 [" in groups.figure


def runs_study(folder, *records):
    study = Study.new(folder, "hiring-agent")
    (folder / "runs.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    study.add([folder / "runs.jsonl"])
    return folder


def test_a_score_that_was_not_measured_is_not_called_weak(tmp_path):
    payload = {"assistantMessage": "추가했습니다", "responseTimeSec": 7}
    rules = by_rule(runs_study(tmp_path / "s", *({"query_id": q, "payload": payload} for q in ("q1", "q2"))))
    (ruled,) = rules["ruled"]
    assert "Accuracy in 2 of 2 runs" in ruled.words
    assert "Consistency in 2 of 2 runs" in ruled.words
    assert rules["weakest"][0].words.startswith("The weakest criterion in its range is Speed (single tool)")
    assert rules["failures"][0].words == "No run failed."
    (missing,) = rules["missing"]
    assert missing.tone == "problem"
    assert missing.words.startswith("There is no value of Overall")


def test_without_intervals_nothing_is_said_about_them(tmp_path):
    (weakest,) = by_rule(diary_study(tmp_path / "s", {"d1": {"ann": votes(1, 0, 1)}}))["weakest"]
    assert "too few items to tell" in weakest.words


def test_a_total_with_zeros_by_rule_has_the_total_without_them_beside(tmp_path):
    payload = {"assistantMessage": "추가했습니다", "responseTimeSec": 4}
    run = {"payload": payload, "intent_verdict": "PERFECT"}
    checked = run | {"query_id": "q1", "accuracy_checks": [{"path": "assistantMessage", "op": "exists"}]}
    runs = [
        checked,
        checked | {"round": "2"},
        run | {"query_id": "q2"},
        run | {"query_id": "q2", "round": "2"},
    ]
    folder = runs_study(tmp_path / "s", *runs)
    # All that was measured is 5; accuracy weighs 30 % and is 0 by rule for the two runs of q2: 5 and 3.5.
    (ruled,) = by_rule(folder)["ruled"]
    assert "Accuracy in 2 of 4 runs (there is nothing to check)" in ruled.words
    assert ruled.words.endswith("Without them Overall is 5.00.")
    figures = Analysis(folder)
    assert figures.whole["overall"].mean.value == pytest.approx(4.25)
    overall = figures.scored.summary[0].as_json()["scores"]["overall"]
    assert overall["without_zero_by_rule"]["mean"] == 5
    rows = {row[0].key: row for row in next(iter(build_report(figures).tables())).rows}
    assert rows["overall_without_zero_by_rule"][3].value == 5


def test_runs_without_a_time_are_said_and_classes_are_not_mixed(tmp_path):
    several = {"assistantMessage": "추가했습니다", "responseTimeSec": 30, "worker": [1, 2]}
    runs = [
        {"query_id": "q1", "payload": {"assistantMessage": "조회", "responseTimeSec": 4}},
        {"query_id": "q2", "round": "1", "payload": several},
        {"query_id": "q2", "round": "2", "payload": "", "error": "Timeout"},
        {"query_id": "q3", "payload": "", "error": "Timeout"},
    ]
    figures = Analysis(runs_study(tmp_path / "s", *runs))
    report = build_report(figures)
    assert [(name, value) for name, value in report.facts if "response time" in name] == [
        ("mean response time (s) · Speed (single tool)", "4.00"),
        ("mean response time (s) · Speed (several tools)", "30.00"),
    ]
    note = next(iter(report.tables())).note
    assert "leave out 2 runs without a recorded time" in note
    assert "1 failed runs whose tool class nothing tells" in note
    # The run of q2 that failed is one of several tools, as the other one says.
    assert figures.whole["latency_multi"].mean.value == 2


def test_the_headline_of_runs_counts_the_failed_ones_though_nobody_rated_them(tmp_path):
    answered = {"payload": {"assistantMessage": "추가했습니다", "responseTimeSec": 4}}
    folder = runs_study(
        tmp_path / "s",
        answered | {"query_id": "q1", "accuracy_checks": [{"path": "assistantMessage", "op": "exists"}]},
        {"query_id": "q2", "payload": "", "error": "Timeout"},
    )
    study = Study(folder)
    rated = next(item.id for item in study.items() if item.id.startswith("q1"))
    with study.database.write() as connection:
        rows = [("r.csv:1", Rating(rated, "intent", "judge", "ai", "PERFECT"))]
        append_ratings(connection, rows, study.rubric.version, "test")
    figures = Analysis(folder)
    (overall,) = by_rule(folder)["overall"]
    whole = figures.whole["overall"].mean.value
    assert overall.numbers == {"overall.ai": whole}
    assert whole == pytest.approx(study.scores().summary[0].scores["overall"].over_items.mean)
    assert "n = 2" in overall.figure


def error_and_empty_answer(folder, **more):
    """Two runs: one ends in an error, one comes back without an answer, and its check holds all the same."""
    check = [{"path": "responseTimeSec", "op": "exists"}]
    empty = {"payload": {"assistantMessage": "", "responseTimeSec": 4}, "accuracy_checks": check}
    return runs_study(
        folder, {"query_id": "q1", "payload": "", "error": "Timeout"}, {"query_id": "q2", **empty, **more}
    )


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_an_empty_answer_is_no_failed_run_in_finding_paragraph_and_queries(tmp_path, lang):
    choose_language(lang)
    figures = Analysis(error_and_empty_answer(tmp_path / "s"))
    (failures,) = (one for one in findings(figures) if one.rule == "failures")
    assert failures.numbers == {"failed": 1, "unanswered": 1, "runs": 2}
    said_so = "실행 1건이 실패했고, 1건은 답변도 화면 데이터도 없습니다."
    if lang == "en":
        said_so = "1 run failed; 1 returned neither a message nor data."
    assert failures.words == said_so
    assert said_so in paragraph(figures)
    rows = {row["query"]: row for row in query_rows(figures).iter_rows(named=True)}
    # The check of q2 held: a run cannot pass and have failed in one row.
    assert [rows["q2"][name] for name in ("passed", "failed", "unanswered")] == [1, 0, 1]
    assert [rows["q1"][name] for name in ("passed", "failed", "unanswered")] == [0, 1, 0]


def test_verdicts_in_the_files_are_named_beside_an_empty_answer(tmp_path):
    choose_language("en")
    figures = Analysis(error_and_empty_answer(tmp_path / "s", intent_verdict="WEAK"))
    # Two values of intent: the failed run has its own by rule, so the other stood in the file.
    assert "Intent was taken from the verdicts in the files" in who_rated(figures)


def test_with_people_and_judges_each_panel_counts_the_failed_runs(tmp_path):
    answered = {"payload": {"assistantMessage": "추가했습니다", "responseTimeSec": 4}}
    checks = {"accuracy_checks": [{"path": "assistantMessage", "op": "exists"}]}
    folder = runs_study(
        tmp_path / "s",
        *(answered | checks | {"query_id": f"q{n}"} for n in (1, 2, 3)),
        {"query_id": "q4", "payload": "", "error": "Timeout"},
    )
    study = Study(folder)
    ids = [item.id for item in study.items() if not item.id.startswith("q4")]
    rows = [("r.csv:1", Rating(item, "intent", "judge", "ai", "PERFECT")) for item in ids]
    rows += [("r.csv:1", Rating(item, "intent", "kim", "human", "GOOD")) for item in ids]
    with study.database.write() as connection:
        append_ratings(connection, rows, study.rubric.version, "test")
    (overall,) = by_rule(folder)["overall"]
    figures = Analysis(folder)
    of_run = {rater: frame["overall"] for (rater,), frame in figures.scored.frame.group_by("rater")}
    # Three rated runs and the failed one, which has no accuracy, no intent and no time: 0.
    assert overall.numbers == {
        "overall.human": pytest.approx((sum(of_run["kim"]) + sum(of_run["code"])) / 4),
        "overall.ai": pytest.approx((sum(of_run["judge"]) + sum(of_run["code"])) / 4),
    }
    assert overall.figure.count("n = 4") == 2
