"""Versions of an agent: what became of every query is known by construction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import comb
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest

import haechi as package
from haechi.analysis.analysis import Analysis
from haechi.analysis.named_figures import NamedFigures
from haechi.errors import HaechiError
from haechi.report.build import build_report
from haechi.report.folder import write_report
from haechi.report.table import Estimate, say
from haechi.stats.population import clustered_mean
from haechi.stats.repeats import flip_chance, pass_hat_k
from haechi.study.study import Study
from haechi.text import choose_language

FATE = {
    "kept": ("ppp", "ppp"),
    "fixed": ("fff", "ppp"),
    "broken": ("ppp", "fff"),
    "healed": ("eee", "ppp"),
    "shaky": ("pfp", "ppp"),
    "stumbles": ("ppp", "pep"),
    "lost": ("fff", "fff"),
    "gone": ("ppp", ""),
    "new": ("", "ppp"),
    "unchecked": ("nnn", "nnn"),
}
"""The runs of every query in v1 and v2: p passes, f fails its check, e ends in an error, n has nothing to check."""


def runs_of(
    fate: Mapping[str, tuple[str, ...]], versions: tuple[str, ...] = ("v1", "v2")
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for query, by_version in fate.items():
        for version, outcomes in zip(versions, by_version, strict=True):
            for number, outcome in enumerate(outcomes, 1):
                shown = {"formType": "CHART" if outcome == "f" else "LINK"}
                payload = {
                    "assistantMessage": f"{query} 목록을 조회했습니다",
                    "dataUIList": [{"uiValue": shown}],
                    "responseTimeSec": (4.0 if version == versions[0] else 7.0) + number / 10,
                }
                rows.append(
                    {
                        "query_id": query,
                        "version": version,
                        "round": str(number),
                        "질의": f"{query} 보여 줘",
                        "expected": "" if outcome == "n" else "@check formType=LINK",
                        "error": "TimeoutError: 60s" if outcome == "e" else "",
                        "raw_json": "" if outcome == "e" else json.dumps(payload, ensure_ascii=False),
                        "prompt": f"prompt of {version}",
                    }
                )
    return rows


def study_of(folder: Path, rows: list[dict[str, object]]) -> Study:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "runs.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    study = Study.new(folder / "study", "hiring-agent")
    study.add([file])
    return study


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    choose_language("en")
    return Analysis(study_of(tmp_path_factory.mktemp("versions"), runs_of(FATE)))


def test_the_same_query_of_two_versions_is_two_runs(figures: Analysis) -> None:
    assert figures.n_items == sum(len(outcomes) for fate in FATE.values() for outcomes in fate)
    assert {"kept@v1#1/1", "kept@v2#1/1"} <= {item.id for item in figures.study.items()}


def test_what_became_of_every_query(figures: Analysis) -> None:
    assert figures.trend is not None
    (step,) = figures.trend.steps
    became = dict(step.queries.select("query", "became").iter_rows())
    assert became == {
        "kept": "both_passed",
        "fixed": "fixed",
        "broken": "broken",
        "healed": "fixed",
        "shaky": "flaky",
        "stumbles": "flaky",
        "lost": "both_failed",
        "gone": "gone",
        "new": "new",
        "unchecked": "undecided",
    }
    assert step.counts["fixed"] == 2
    # 1 broken against 2 fixed: exact binomial, 2 · P(B ≤ 1) with 3 tosses = 1
    assert step.test.exact.p == 1.0


def test_three_repeats_of_each_version_are_enough_and_one_is_not(figures: Analysis, tmp_path: Path) -> None:
    assert figures.trend is not None
    assert figures.trend.steps[0].of("fixed", "broken")["sure"].to_list() == [True, True, True]
    once = {query: tuple(outcomes[:1] for outcomes in fate) for query, fate in FATE.items()}
    trend = Analysis(study_of(tmp_path, runs_of(once))).trend
    assert trend is not None
    assert trend.steps[0].of("fixed", "broken")["sure"].to_list() == [False, False, False]
    assert trend.steps[0].counts["flaky"] == 0
    # 1 + 1 runs, p = 1/2: one way or the other half of the time; unequal numbers by the largest of p^n(1-p)^m + p^m(1-p)^n
    assert flip_chance(1, 1) == 0.5
    assert flip_chance(1, 10) == pytest.approx((10 / 11) ** 10 * (1 / 11), abs=1e-6)


def test_the_trend_has_the_figures_of_the_comparison_and_of_the_gates(figures: Analysis) -> None:
    assert figures.trend is not None
    compared, named = figures.comparison("version"), NamedFigures(figures)
    for name, groups in figures.trend.scores.items():
        for number, (value, group) in enumerate(zip(figures.trend.values, groups, strict=True)):
            other = compared.groups[name][number].described.mean
            assert (group.mean.value, group.mean.ci95) == (other.value, other.ci95)
            gate = named[f"{name}@version={value}"]
            assert (gate.value, gate.ci95) == (group.mean.value, group.mean.ci95)


def test_gates_know_what_broke_and_how_slow_a_version_is(figures: Analysis) -> None:
    named = NamedFigures(figures)
    assert {f"queries.{word}": named[f"queries.{word}"].value for word in ("broken", "fixed", "flaky")} == {
        "queries.broken": 1,
        "queries.fixed": 2,
        "queries.flaky": 2,
    }
    seconds = pl.concat(figures.batches(["version", "details:seconds"])).filter(pl.col("version") == "v2")
    expected = seconds["details:seconds"].drop_nulls().quantile(0.95, "linear")
    assert named["latency_single.p95@version=v2"].value == pytest.approx(expected)
    assert "queries.broken" in set(named)


def test_another_prompt_is_named_beside_the_trend(figures: Analysis) -> None:
    assert figures.trend is not None
    (one,) = figures.trend.changed
    assert (one.what, one.name, one.was, one.now) == ("field", "prompt", ("prompt of v1",), ("prompt of v2",))


def test_another_judge_is_named_beside_the_trend(tmp_path: Path) -> None:
    study = study_of(tmp_path, runs_of({"a": ("p", "p"), "b": ("p", "f")}))
    rows = [
        {
            "item": item.id,
            "rater": f"judge-{item.meta['version']}",
            "kind": "ai",
            "criterion": "intent",
            "value": "GOOD",
        }
        for item in study.items()
    ]
    (tmp_path / "ratings.json").write_text(json.dumps(rows), "utf-8")
    study.import_ratings([tmp_path / "ratings.json"])
    trend = Analysis(study).trend
    assert trend is not None
    assert {(one.what, one.was, one.now) for one in trend.changed} >= {
        ("raters", ("judge-v1",), ("judge-v2",))
    }


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_report_sheet_and_csv_say_the_same(figures: Analysis, tmp_path: Path, lang: str) -> None:
    choose_language(lang)  # type: ignore[arg-type]
    write_report(figures, tmp_path / "out")
    csv = pl.read_csv(tmp_path / "out" / "queries.csv")
    assert dict(csv.select("query", "became").iter_rows())["broken"] == "broken"
    assert csv.filter(pl.col("query") == "broken")["failing"].item() == "formType=LINK ×3"
    assert csv["question"].to_list()[0] == "kept 보여 줘"
    book = openpyxl.load_workbook(tmp_path / "out" / "scores.xlsx")
    rows = list(book["queries" if lang == "en" else "질의"].values)
    assert list(rows[0]) == csv.columns if lang == "en" else rows[0][:2] == ("질의 ID", "질의")
    assert len(rows) == csv.height + 1
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert figures.trend is not None
    for group in figures.trend.scores["accuracy"]:
        assert say(Estimate.of(group.mean)) in text
    for shown in ("3/3 → 0/3", "broken 보여 줘", "prompt of v2", "p95"):
        assert shown in text
        assert shown in page


def test_the_finding_names_the_run_that_broke(figures: Analysis) -> None:
    choose_language("en")
    report = build_report(figures)
    (found,) = (one for one in report.findings if one.rule == "versions")
    assert found.words == "v1 → v2: queries broken 1, fixed 2, flaky 2."
    assert found.items == ("broken@v2#1/1",)
    assert found.numbers["fixed"] == 2
    assert "broken@v2#1/1" in report.passages


def sections(study: Study) -> list[str]:
    choose_language("en")
    return [section.key for section in build_report(Analysis(study)).sections]


def test_one_version_in_one_round_has_no_trend(tmp_path: Path) -> None:
    study = study_of(tmp_path, runs_of({"a": ("p",), "b": ("f",)}, ("v1",)))
    assert Analysis(study).trend is None
    assert "trend" not in sections(study)


def test_rounds_of_one_version_are_repeats_and_nothing_is_fixed(tmp_path: Path) -> None:
    study = study_of(tmp_path, runs_of({"a": ("pf",), "b": ("pp",)}, ("v1",)))
    figures = Analysis(study)
    assert figures.trend is not None
    assert (figures.trend.field, figures.trend.values) == ("round", ("1", "2"))
    choose_language("en")
    report = build_report(figures)
    assert not [one for one in report.findings if one.rule == "versions"]
    (counts,) = (table for table in report.tables() if table.title == "What became of the queries")
    assert [column.title for column in counts.columns][1:3] == ["only the later", "only the earlier"]
    assert "queries.broken" not in set(NamedFigures(figures))


@pytest.mark.parametrize("outcome", ["e", "n", "f"])
def test_all_failed_and_nothing_to_check(tmp_path: Path, outcome: str) -> None:
    study = study_of(tmp_path, runs_of(dict.fromkeys("abc", (outcome * 2, outcome * 2))))
    figures = Analysis(study)
    assert figures.trend is not None
    counts = figures.trend.steps[0].counts
    assert counts["undecided" if outcome == "n" else "both_failed"] == 3
    assert "trend" in sections(study)
    assert figures.trend.steps[0].test.exact.p is None


def test_no_query_in_common(tmp_path: Path) -> None:
    figures = Analysis(study_of(tmp_path, runs_of({"a": ("pp", ""), "b": ("", "ff")})))
    assert figures.trend is not None
    counts = figures.trend.steps[0].counts
    assert (counts["gone"], counts["new"], sum(counts.values())) == (1, 1, 2)


def test_versions_stand_in_their_order_and_every_step_is_told(tmp_path: Path) -> None:
    versions = ("1.10.0", "1.9.0", "1.2.0")
    figures = Analysis(study_of(tmp_path, runs_of({"a": ("p", "f", "p"), "b": ("p", "p", "p")}, versions)))
    assert figures.trend is not None
    assert figures.trend.values == ("1.2.0", "1.9.0", "1.10.0")
    assert [(s.before, s.after, s.counts["broken"], s.counts["fixed"]) for s in figures.trend.steps] == [
        ("1.2.0", "1.9.0", 1, 0),
        ("1.9.0", "1.10.0", 0, 1),
    ]


def test_a_study_of_files_of_runs_knows_versions_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from haechi.store import large

    expected = Analysis(study_of(tmp_path / "rows", runs_of(FATE))).trend
    monkeypatch.setattr(large, "LARGE", 10)
    study = study_of(tmp_path / "files", runs_of(FATE))
    assert study.run_files()
    found = Analysis(study).trend
    assert found is not None
    assert expected is not None
    assert found.as_json() == expected.as_json()


def test_what_a_new_version_does_otherwise_is_no_change_between_rounds(figures: Analysis) -> None:
    changed = figures.changed_queries
    assert changed is not None
    assert sorted(changed.most["query"].to_list()) == ["shaky · v1", "stumbles · v2"]
    assert changed.n_queries == sum(bool(outcomes) for fate in FATE.values() for outcomes in fate)


def test_a_version_for_every_run_is_no_version(tmp_path: Path) -> None:
    rows = [
        row | {"version": f"t{number}"} for number, row in enumerate(runs_of({"a": ("p" * 101,)}, ("v1",)))
    ]
    study = study_of(tmp_path, [row | {"round": "1"} for row in rows])
    assert Analysis(study).trend is None
    assert "trend" not in sections(study)


def test_a_long_history_goes_down_the_page(tmp_path: Path) -> None:
    versions = tuple(f"v{number}" for number in range(1, 8))
    figures = Analysis(study_of(tmp_path, runs_of({"a": ("p",) * 7, "b": ("pf",) * 7}, versions)))
    choose_language("en")
    (table,) = (one for one in build_report(figures).tables() if one.title == "Every metric over time")
    assert [row[0] for row in table.rows] == list(versions)
    assert [column.title for column in table.columns][:3] == ["version", "Intent", "Accuracy"]


def test_names_that_are_markup_stay_names(tmp_path: Path) -> None:
    odd = ("<script>alert(1)</script>", "| x | [y](http://z)")
    study = study_of(tmp_path, runs_of({"a": ("pp", "ff"), "b": ("ff", "pp")}, odd))
    write_report(Analysis(study), tmp_path / "out")
    assert "<script>alert" not in (tmp_path / "out" / "report.html").read_text("utf-8")
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "<script>alert" not in text.replace("\\<", "")
    lines = [line for line in text.splitlines() if not line.startswith("<details>")]  # no Markdown in there
    assert not [line for line in lines if "](http://z)" in line]


def test_the_command_gives_the_trend_to_machines(tmp_path: Path) -> None:
    import subprocess
    import sys

    study = study_of(tmp_path, runs_of({"a": ("ppp", "fff"), "b": ("ppp", "ppp")}))
    command = [
        sys.executable,
        "-m",
        "haechi.cli.start",
        "report",
        str(study.folder),
        "-o",
        str(tmp_path / "out"),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    trend = json.loads(done.stdout)["trend"]
    assert (trend["field"], trend["values"], trend["steps"][0]["queries"]["broken"]) == (
        "version",
        ["v1", "v2"],
        1,
    )


def test_exports_without_a_version_are_told_apart_by_the_one_that_is_given(tmp_path: Path) -> None:
    """The same export twice, of two versions; both number their runs alike."""
    study = Study.new(tmp_path / "study", "hiring-agent")
    for version, outcome in (("1.4", "f"), ("1.5", "p")):
        rows = [
            row | {"Item ID": f"run-{row['query_id']}"}
            for row in runs_of({"a": (outcome,), "b": ("p",)}, ("x",))
        ]
        file = tmp_path / f"{version}.jsonl"
        file.write_text(
            "\n".join(json.dumps({k: v for k, v in row.items() if k != "version"}) for row in rows), "utf-8"
        )
        study.add([file], agent_version=version)
        assert study.add([file], agent_version=version).unchanged == 2
    assert {item.id for item in study.items()} == {f"run-{q}@{v}" for q in "ab" for v in ("1.4", "1.5")}
    trend = Analysis(study).trend
    assert trend is not None
    assert (trend.values, trend.steps[0].counts["fixed"]) == (("1.4", "1.5"), 1)


def test_a_version_is_refused_where_there_are_no_runs(tmp_path: Path) -> None:
    study = Study.new(tmp_path / "study", "ubica")
    with pytest.raises(HaechiError, match="--agent-version"):
        study.add([tmp_path / "x.csv"], agent_version="1.5")


def test_a_query_of_another_version_is_another_for_score_compare_report_and_gates(haechi, tmp_path):
    """Six queries, asked twice of each version: v1 always passes, v2 never, so no query is now this, now that."""
    study = study_of(tmp_path, runs_of({f"q{n}": ("pp", "ff") for n in range(6)}))
    known = {"queries": 12, "all_pass": 6, "all_fail": 6, "mixed": 0, "pass_from": 3}
    for of in ((study.folder,), (tmp_path / "runs.jsonl", "--rubric", "hiring-agent")):
        assert haechi("score", *of, "--json").json["summary"][0]["repeats"] == known
    results = Analysis(study).query_results
    assert results is not None
    in_report = {v: {str(k): one.value for k, one in results.passes(v).items()} for v in ("v1", "v2")}
    assert in_report == {"v1": {"1": 1, "2": 1}, "v2": {"1": 0, "2": 0}}
    assert {k: one.value for k, one in results.passes().items()} == {1: 0.5, 2: 0.5}
    said = haechi("compare", study.folder, "--by", "version", "--json").json["repeats"]
    whole = said["criteria"]["accuracy"]
    assert (said["n_queries"], {k: one["value"] for k, one in whole["pass_hat_k"].items()}) == (
        6,
        {"1": 0.5, "2": 0.5},
    )
    assert said["clustered_by"] == "query"
    assert whole["stability"]["always_same"]["value"] == 1
    assert whole["stability"]["per_query"]["q0 · v1"] == 1
    of_versions = {
        version: {k: one["value"] for k, one in group["criteria"]["accuracy"]["pass_hat_k"].items()}
        for version, group in said["groups"].items()
    }
    assert of_versions == in_report
    assert list(said["groups"]["v1"]["criteria"]["accuracy"]["stability"]["per_query"]) == [
        f"q{n}" for n in range(6)
    ]
    gates = [f"pass^2@version={version}" for version in ("v1", "v2")]
    checked = haechi(
        "check", study.folder, "--json", *(part for gate in gates for part in ("--min", f"{gate}=0"))
    )
    assert [gate["value"] for gate in checked.json["gates"]] == [1, 0]
    haechi("score", study.folder, "-o", tmp_path / "scores.csv")
    assert not any("repeated" in name for name in pl.read_csv(tmp_path / "scores.csv").columns)


def test_versions_of_a_query_are_one_cluster_in_the_intervals_over_all_versions(haechi, tmp_path):
    """Nine queries whose two versions always do alike say no more than the nine of one version."""
    alike = {f"q{n}": (runs, runs) for n, runs in enumerate(["pp"] * 4 + ["pf"] * 2 + ["ff"] * 3)}
    study = study_of(tmp_path, runs_of(alike))
    said = haechi("compare", study.folder, "--by", "version", "--json").json["repeats"]
    results = Analysis(study).query_results
    assert results is not None
    whole, one = (of["criteria"]["accuracy"] for of in (said, said["groups"]["v1"]))
    assert (said["n_queries"], said["clustered_by"]) == (9, "query")
    assert said["groups"]["v1"].get("clustered_by") is None
    shares = {"1": np.array([1] * 4 + [0.5] * 2 + [0] * 3), "2": np.array([1] * 4 + [0] * 5)}
    for k, of_query in shares.items():
        by_hand = clustered_mean(2 * of_query, np.full(9, 2), (0, 1))
        pooled, alone = whole["pass_hat_k"][k], one["pass_hat_k"][k]
        assert (pooled["value"], pooled["n"]) == (alone["value"], alone["n"]) == (by_hand.value, 9)
        assert pooled["ci95"] == pytest.approx(by_hand.ci95)
        assert np.diff(pooled["ci95"]) >= np.diff(alone["ci95"]) - 1e-9, (
            "the second version tells nothing new"
        )
        assert results.passes()[int(k)].ci95 == by_hand.ci95
    for name in ("modal_share", "always_same"):
        assert whole["stability"][name]["n"] == one["stability"][name]["n"] == 9
    written = haechi("compare", study.folder, "--by", "version", "--lang", "en").out
    assert "one cluster in the intervals" in " ".join(written.split())


def test_two_queries_that_always_fail_stay_two_in_two_versions(haechi, tmp_path):
    study = study_of(tmp_path, runs_of({"a": ("ff", "ff"), "b": ("f", "f")}))
    said = haechi("compare", study.folder, "--by", "version", "--json").json["repeats"]
    found = said["criteria"]["accuracy"]["pass_hat_k"]
    assert found["1"]["ci95"] == pytest.approx(pass_hat_k([[0], [0]], 1).ci95), "as of two queries"
    assert (found["1"]["n"], found["2"]["n"], found["2"]["n_too_few"]) == (2, 1, 1)
    assert found["2"]["ci95"] is None, "one query says nothing about others"


def test_pass_hat_k_is_that_of_the_formula_in_report_and_gates(haechi, tmp_path):
    """Of each query C(c, k) / C(n, k) over its runs, averaged: τ-bench's estimator by hand."""
    passed = {"q1": (1, 1, 1, 1), "q2": (1, 1, 0, 0), "q3": (0, 0, 0, 1)}
    rows = {"query_id": [], "방/반복": [], "accuracy_checks": [], "payload": []}
    for query, runs in passed.items():
        for n, ok in enumerate(runs, 1):
            rows["query_id"].append(query)
            rows["방/반복"].append(f"1/{n}")
            rows["accuracy_checks"].append('[{"path": "toolOrder", "op": "regex", "value": "find.*close"}]')
            rows["payload"].append(
                json.dumps({"assistantMessage": "네", "toolOrder": "find > close" if ok else "find"})
            )
    study = Study.new(tmp_path / "agent", "hiring-agent")
    study.add(rows)
    for k in (1, 2, 3, 4):
        by_hand = sum(comb(sum(runs), k) / comb(4, k) for runs in passed.values()) / 3
        checked = haechi("check", study.folder, "--min", f"pass^{k}=0", "--json").json["gates"][0]
        assert checked["value"] == pytest.approx(by_hand)
        if k == 2:
            assert haechi("check", study.folder, "--min", f"pass^{k}={by_hand + 0.01}").code == 1
    haechi("report", study.folder, "-o", tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "| pass^1 | pass^2 | pass^3 | pass^4 |" in text.replace("\\", "")


def test_what_the_study_states_is_what_a_run_needs_to_pass_everywhere(haechi, tmp_path: Path) -> None:
    """Three points pass by themselves, and not where `study.yaml` asks for four: then v2 fixed two queries of three."""
    rows = runs_of({"kept": ("pp", "pp"), "one": ("ff", "pp"), "two": ("ff", "pp")})
    for row in rows:  # of two checks, one holds in every run
        row["expected"] = (
            '1) assistantMessage에 "조회"와 관련된 내용이 언급\n2) formType 값이 "LINK"인 항목이 존재'
        )
    study = study_of(tmp_path, rows)

    def said() -> dict[str, object]:
        named = haechi("check", study.folder, "--list", "--json").json
        of_versions = haechi("compare", study.folder, "--by", "version", "--json").json["repeats"]["groups"]
        compared = {value: one["criteria"]["accuracy"] for value, one in of_versions.items()}
        own = package.Study(study.folder)
        whole = own.scores().as_json()["summary"][0]["repeats"]
        assert haechi("score", study.folder, "--json").json["summary"][0]["repeats"] == whole
        return {
            "score": (whole["pass_from"], whole["all_fail"]),
            "compare": (compared["v1"]["passes_at"], compared["v1"]["pass_hat_k"]["2"]["value"]),
            "gates": (named["pass^2@version=v1"]["value"], named["queries.fixed"]["value"]),
        }

    assert said() == {"score": (3, 0), "compare": (3, 1), "gates": (1, 0)}
    with (study.folder / "study.yaml").open("a") as settings:
        settings.write("pass: {accuracy: 4}\n")
    third = pytest.approx(1 / 3)
    assert said() == {"score": (4, 2), "compare": (4, third), "gates": (third, 2)}
    written = haechi("compare", study.folder, "--by", "version", "--lang", "en").out
    assert "three fifths of the scale (3 of 0 to 5 points; by study.yaml Accuracy 4)" in written
    haechi("report", study.folder, "-o", tmp_path / "report", "--lang", "en")
    report = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "A run passes with 4 points or more (Accuracy)" in report
    assert "| v1 → v2 | 2 |" in report
