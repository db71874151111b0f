"""docs/reports.md says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from haechi.report.findings import findings
from haechi.report.folder import FILES
from haechi.report.gates import figures_by_name
from haechi.report.gathered import gather
from haechi.study import Study

PAGE = (Path(__file__).parents[2] / "docs" / "reports.md").read_text("utf-8")


def test_every_rule_is_documented(gathered):
    documented = set(
        re.findall(r"^\| (\w+) \|", PAGE.partition("## Findings")[2].partition("## Two")[0], re.M)
    )
    used = {finding.rule for figures in gathered.values() for finding in findings(figures)}
    assert used == documented - {
        "rule",
        "few",
        "ruled",
    }  # no example lacks most of its scores, or what to measure


def test_scores_that_most_items_lack_are_named_first(tmp_path):
    runs = [
        {"query_id": "q1", "round": "1", "error": "TimeoutError", "raw_json": None},
        *({"query_id": "q1", "round": str(n), "raw_json": '{"assistantMessage": "네"}'} for n in (2, 3)),
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    study = Study.new(tmp_path / "study", "hiring-agent")
    study.add([file])
    first, *others = findings(gather(study.folder))
    assert (first.rule, first.figure) == ("few", "intent 1/3; overall 1/3")
    assert not any("intent" in finding.figure for finding in others if finding.rule == "weakest")


def test_every_file_is_documented():
    for name in FILES:
        assert f"| `{name}` |" in PAGE


def test_the_names_of_the_page_exist(gathered):
    named = set().union(*(figures_by_name(figures) for figures in gathered.values()))
    section = PAGE.partition("`--list` shows")[2].partition("`--min` and")[0]
    for name in re.findall(r"`([a-zA-Z_.0-9@=]+)`", section):
        prefixed = name.endswith(".")
        assert name in named or (prefixed and any(one.startswith(name) for one in named)), name
