"""A rubric of runs may call what its checks score as it likes: everything that says when a run passes asks the rubric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from haechi.rubrics import builtin_text
from haechi.study.study import Study

FATE = {"kept": ("pp", "pp"), "fixed": ("ff", "pp"), "broken": ("pp", "ff"), "flaky": ("pf", "pp")}
"""The runs of every query in v1 and v2: p passes, f fails its check."""


class Runs(NamedTuple):
    """The same runs, as a file and in a study of the instrument whose checked criterion has another key and name."""

    file: Path
    rubric: Path
    study: Path


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Runs:
    folder = tmp_path_factory.mktemp("tools")
    text = builtin_text("hiring-agent").replace("id: hiring-agent", "id: tool-agent")
    text = text.replace("- key: accuracy", "- key: tool_use\n    short: tools")
    text = text.replace("accuracy: 30", "tools: 30").replace(
        "{ko: 정확성, en: Accuracy}", "{ko: 도구 사용, en: Tool use}"
    )
    made = Runs(folder / "runs.jsonl", folder / "tool-agent.yaml", folder / "study")
    made.rubric.write_text(text, "utf-8")
    rows = [
        {
            "query_id": query,
            "version": version,
            "round": str(number),
            "expected": "1) formType=LINK\n2) 답변이 친절한가",
            "raw_json": {
                "assistantMessage": "조회했습니다",
                "dataUIList": [{"uiValue": {"formType": "LINK" if outcome == "p" else "CHART"}}],
                "responseTimeSec": 4.0,
            },
        }
        for query, fates in FATE.items()
        for version, outcomes in zip(("v1", "v2"), fates, strict=True)
        for number, outcome in enumerate(outcomes, 1)
    ]
    made.file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    Study.new(made.study, made.rubric).add([made.file])
    return made


def test_score_counts_its_repeats(haechi, runs: Runs) -> None:
    known = {"queries": 8, "all_pass": 5, "all_fail": 2, "mixed": 1, "pass_from": 3}
    for of in ((runs.study,), (runs.file, "--rubric", runs.rubric)):
        assert haechi("score", *of, "--json").json["summary"][0]["repeats"] == known
    shown = haechi("score", runs.study, "--lang", "en")
    assert "16 of 32 checks by code, 16 open" in shown.out + shown.err
    assert "The halves of consistency" in shown.out + shown.err


def test_gates_and_compare_have_its_chance_to_pass_every_time(haechi, runs: Runs) -> None:
    of_gates = {
        name: one["value"] for name, one in haechi("check", runs.study, "--list", "--json").json.items()
    }
    groups = haechi("compare", runs.study, "--by", "version", "--json").json["repeats"]["groups"]
    for version, chance in {"v1": 0.5, "v2": 0.75}.items():
        assert of_gates[f"pass^2@version={version}"] == chance
        assert groups[version]["criteria"]["tools"]["pass_hat_k"]["2"]["value"] == chance
    assert of_gates["queries.fixed"] == of_gates["queries.broken"] == of_gates["queries.flaky"] == 1


def test_the_report_says_by_its_name_when_a_run_passes(haechi, runs: Runs, tmp_path: Path) -> None:
    for lang, words in {
        "ko": "도구 사용 3점 이상이면 통과",
        "en": "A run passes with 3 points or more (Tool use)",
    }.items():
        assert haechi("report", runs.study, "-o", tmp_path / lang, "--lang", lang).code == 0
        written = (tmp_path / lang / "report.md").read_text("utf-8")
        assert words in written
        assert "1/1 = 1.00" in written, "the arithmetic of its points is worked once"


def test_the_arithmetic_is_that_of_the_rubric(haechi, runs: Runs, tmp_path: Path) -> None:
    """Of consistency only what was said counts here, and of that four points at most."""
    own = tmp_path / "words.yaml"
    text = runs.rubric.read_text("utf-8").replace("(ratio_a + ratio_b) / 2 * 5", "1 + ratio_a * 3")
    own.write_text(text.replace("[ratio_a, ratio_b]", "[ratio_a]"), "utf-8")
    assert haechi("report", runs.file, "--rubric", own, "-o", tmp_path / "out", "--lang", "en").code == 0
    assert "| 1 + 1.00 × 3 = 4.00 |" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_open_lines_of_a_file_are_answered_under_its_key(haechi, runs: Runs) -> None:
    told = haechi("checks", runs.file, "--open", "--rubric", runs.rubric, "--json").json["open"]
    assert {one["criterion"] for one in told} == {"tool_use.답변이 친절한가"}
    assert haechi("checks", runs.file, "--rubric", runs.rubric).code == 2
    assert haechi("checks", runs.study, "--open", "--rubric", "hiring-agent").code == 1
