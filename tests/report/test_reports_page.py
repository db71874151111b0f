"""docs/reports.md and its Korean sister say what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from haechi.analysis.analysis import Analysis
from haechi.analysis.named_figures import NamedFigures
from haechi.report.findings import findings
from haechi.report.folder import FILES
from haechi.study.study import Study

DOCS = Path(__file__).parents[2] / "docs"
PAGE, KOREAN = ((DOCS / name).read_text("utf-8") for name in ("reports.md", "reports.ko.md"))


def rules_of(page: str) -> list[str]:
    """The rules in the section about findings, which is the second."""
    rows = page.split("\n## ")[2].partition("|---|")[2]
    return re.findall(r"^\| ([a-z]+) \|", rows, re.M)


def test_every_rule_is_documented(gathered):
    documented = set(rules_of(PAGE))
    used = {finding.rule for figures in gathered.values() for finding in findings(figures)}
    assert used == documented - {
        "few",
        "unusable",
        "shape",
        "random",
        "order",
        "human",
        "versions",
        "missed",
        "wrong",
    }  # the examples have nothing of the kind


def test_scores_that_most_items_lack_are_named_first(tmp_path):
    runs = [
        {"query_id": "q1", "round": "1", "error": "TimeoutError", "raw_json": None},
        *({"query_id": "q1", "round": str(n), "raw_json": '{"assistantMessage": "네"}'} for n in (2, 3)),
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    study = Study.new(tmp_path / "study", "hiring-agent")
    study.add([file])
    first, *others = findings(Analysis(study.folder))
    assert (first.rule, first.figure) == ("few", "intent 1/3; overall 1/3")
    assert not any("intent" in finding.figure for finding in others if finding.rule == "weakest")


def test_every_file_is_documented():
    for name in FILES:
        assert f"| `{name}` |" in PAGE
        assert f"| `{name}` |" in KOREAN


def test_both_pages_say_the_same():
    assert rules_of(KOREAN) == rules_of(PAGE)
    assert KOREAN.count("\n## ") == PAGE.count("\n## ")
    for kind in ("yaml", "python"):  # what is copied and run is the same to the letter
        assert re.findall(f"```{kind}.*?```", KOREAN, re.DOTALL) == re.findall(
            f"```{kind}.*?```", PAGE, re.DOTALL
        )
    seconds = re.findall(r"([\d.]+) s of CPU", PAGE)
    assert seconds == re.findall(r"CPU ([\d.]+)초", KOREAN)
    assert "(reports.ko.md)" in PAGE
    assert "(reports.md)" in KOREAN


def test_the_names_of_gates_are_the_same_on_both_pages():
    def names(page: str) -> list[str]:
        return re.findall(r"^\| (`.+?) \|", page.split("\n## ")[7].partition("--no-regression")[2], re.M)

    assert names(KOREAN)[:6] == names(PAGE)[:6]


def test_the_names_of_the_page_exist(gathered):
    named = set().union(*(NamedFigures(figures) for figures in gathered.values()))
    named |= {
        "queries.broken",
        "queries.fixed",
        "queries.flaky",
        "latency_single.p95@version=v2",
    }  # test_trend.py
    section = PAGE.partition("`--list` shows")[2].partition("`--min` and")[0]
    for name in re.findall(r"`([a-zA-Z_.0-9@=]+)`", section):
        prefixed = name.endswith(".")
        assert name in named or (prefixed and any(one.startswith(name) for one in named)), name
