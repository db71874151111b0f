"""The whole way of a QA lead: suite, two rounds, report, expectations edited in Excel, new scores without asking again, a gate."""

from __future__ import annotations

import json
import sys

import openpyxl
import pytest

AGENT = """
import json, sys
asked = json.load(sys.stdin)
if "일정" in asked["query"]:
    shown = [{"uiValue": {"formType": "ACTION", "actionType": "OPEN"}}]
    print(json.dumps({"assistantMessage": "면접 일정을 바꿨습니다.", "dataUIList": shown}))
else:
    calls = [{"name": "search_jobs", "arguments": {"region": "서울"}}, {"name": "close_job", "arguments": {"id": 7}}]
    print(json.dumps({"assistantMessage": "공고를 닫았습니다.", "executionProcesses": calls}))
"""
SUITE = """id,query,expected,category
q1,면접 일정 바꿔줘,"1) dataUIList 내 formType 값이 ""SELECT""인 항목이 존재하는가
2) 답변이 친절한가",일정
q2,서울 공고 닫아줘,"1) search_jobs 도구의 region 인자가 ""서울""인가
2) search_jobs를 호출한 뒤 close_job을 호출하는가
3) delete_job is not called",공고
"""


@pytest.fixture
def asked(haechi, write, tmp_path):
    """A study of two rounds."""
    write("agent.py", AGENT)
    agent = write("agent.yaml", f"name: bot\ncommand: [{json.dumps(sys.executable)}, agent.py]\n")
    folder = str(tmp_path / "qa")
    assert haechi("new", folder, "--rubric", "hiring-agent").code == 0
    ran = haechi(
        "run", folder, "--agent", str(agent), "--suite", str(write("suite.csv", SUITE)), "--rounds", "2"
    )
    assert ran.code == 0
    return folder


def accuracy(haechi, folder):
    return json.loads(haechi("score", folder, "--json").out)["summary"][0]["scores"]["accuracy"]["mean"]


def test_from_the_suite_to_the_gate(haechi, asked, tmp_path):
    assert accuracy(haechi, asked) == pytest.approx(
        2.5
    )  # q1 fails its one check by code, q2 passes all three
    workbook = tmp_path / "checks.xlsx"
    assert haechi("checks", asked, "-o", str(workbook)).code == 0
    opened = openpyxl.load_workbook(workbook)
    (sheet,) = opened.worksheets
    column = [cell.value for cell in sheet[1]].index("accuracyChecks") + 1
    for row in range(2, sheet.max_row + 1):
        cell = sheet.cell(row, column)
        cell.value = str(cell.value).replace("SELECT", "ACTION")
    opened.save(workbook)
    assert haechi("add", asked, str(workbook), "--join", "--replace").code == 0
    assert accuracy(haechi, asked) == pytest.approx(5.0)
    assert haechi("check", asked, "--min", "accuracy=5").code == 0
    assert haechi("check", asked, "--min", "accuracy=5", "--min", "intent=3").code == 1


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("ko", ["물어본 에이전트: bot.", "그중 2건은 성공했지만 화면 데이터(dataUIList)가 없습니다", "공고를 닫았습니다."]),
        ("en", ["The agent that was asked: bot.", "2 of them succeeded without data (dataUIList)", "공고를 닫았습니다."]),
    ],
)  # fmt: skip
def test_the_report_names_the_agent_and_says_what_consistency_cannot(haechi, asked, tmp_path, lang, words):
    assert haechi("report", asked, "-o", str(tmp_path / "out"), "--lang", lang).code == 0
    report = (tmp_path / "out" / "report.md").read_text("utf-8")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "(UTC)" not in report
    for one in words[:2]:
        assert one in report
    assert words[2] in page
    assert {"ko": "비교할 수 없습니다: ", "en": "to be compared: "}[lang] in report
