"""The dashboard of agent runs shows the trend of the report: the same figures, with what else changed."""

from __future__ import annotations

import html
import json
import re

import pytest
from browser import chromium, in_a_browser, serious, served, visit
from visitors import Desk

from haechi.analysis.analysis import Analysis
from haechi.report.build import build_report
from haechi.report.table import say
from haechi.study.study import Study
from haechi.web.options import Options


@pytest.fixture
def desk(tmp_path):
    rows = []
    for version, prompt, wrong in (("1.4", "p1", 3), ("1.5", "p2", 1)):
        for query in range(6):
            for repeat in ("1/1", "2/1"):
                shown = "LINK" if query >= wrong else "ROW"
                payload = {
                    "assistantMessage": "네",
                    "dataUIList": [{"uiValue": {"formType": shown}}],
                    "responseTimeSec": 4 + query,
                }
                rows.append(
                    {
                        "query_id": f"q{query}",
                        "방/반복": repeat,
                        "version": version,
                        "prompt": prompt,
                        "expected": "@check formType=LINK" if query else "<b>1)</b> formType=LINK",
                        "payload": payload,
                    }
                )
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    study = Study.new(tmp_path / "agent", "hiring-agent")
    study.add([file])
    return Desk(study, Options(lang="en"))


def test_the_figures_are_those_of_the_report(desk):
    page = html.unescape(re.sub(r"<[^>]+>", "", desk.owner().client.get("/owner").text))
    assert "Over the versions" in page
    section = next(one for one in build_report(Analysis(desk.study)).sections if one.key == "trend")
    tables = [getattr(part, "table", part) for part in section.parts if not isinstance(part, str)][:3]
    cells = [
        say(cell, column.kind)
        for table in tables
        for row in table.rows
        for cell, column in zip(row, table.columns, strict=True)
    ]
    assert len(cells) > 20
    assert [cell for cell in cells if cell not in page] == []
    assert "p1" in page, "what else changed is said beside it"


def test_runs_of_one_version_and_round_have_none(tmp_path):
    study = Study.new(tmp_path / "agent", "hiring-agent")
    study.add({"query_id": ["q1"], "payload": ["{}"]})
    assert 'id="trend"' not in Desk(study, Options(lang="en")).owner().client.get("/owner").text


@in_a_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_read_it(desk, visit, width):
    owner = desk.owner()
    with served(desk) as address:
        page = visit(
            f"{address}/enter/{owner.token}",
            wait="#trend svg >> visible=true",
            viewport={"width": width, "height": 800},
        )
        assert page.locator("#trend svg circle").count() >= 8
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
