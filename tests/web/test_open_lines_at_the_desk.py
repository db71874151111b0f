"""Lines of an expectation that code leaves open are asked at the desk, for the item that has them."""

from __future__ import annotations

import csv
import json

import pytest
from browser import chromium, in_a_browser, press, served, step_by_key, visit, wait_saved
from desks import open_desk

LINE = "답변이 “친절”한가"


@pytest.fixture
def desk(open_desk, tmp_path):
    payload = json.dumps({"assistantMessage": "네, 추가했습니다", "dataUIList": []}, ensure_ascii=False)
    rows = [["Query ID", "방/반복", "질의", "기대결과", "오류", "Raw JSON"]]
    rows.append(["q1", "1/1", "일정 추가", f"1) {LINE}\n2) 이유를 설명하는가", "", payload])
    rows.append(["q1", "2/1", "일정 추가", f"1) {LINE}\n2) 이유를 설명하는가", "timeout", ""])
    rows.append(["q2", "1/1", "일정 보기", "@check formType=LINK", "", payload])
    file = tmp_path / "runs.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        csv.writer(out).writerows(rows)
    return open_desk("hiring-agent", items=file)


def positions(rater):
    listed = [item["position"] for item in rater.state["work"]["items"]]
    shown = {position: rater.get(f"/desk/items/{position}") for position in listed}
    open_one = next(p for p, item in shown.items() if item["groups"])
    other = next(p for p, item in shown.items() if not item["groups"])
    return open_one, other, shown


def test_an_item_is_done_when_its_own_questions_are_answered_too(desk):
    rater = desk.rater()
    open_one, other, shown = positions(rater)
    assert len(shown) == 2, "of a failed run nothing is asked"
    (group,) = shown[open_one]["groups"]
    assert [field["question"] for field in group["fields"]] == [LINE, "이유를 설명하는가"]
    first, second = (field["name"] for field in group["fields"])
    assert rater.answer("intent", "GOOD", position=open_one).json()["finished"] is False
    assert rater.answer(first, "1", position=open_one).json()["finished"] is False
    assert rater.answer(second, "0", position=open_one, evidence="이유 없음").json()["finished"] is True
    assert rater.answer("intent", "GOOD", position=other).json()["finished"] is True
    scored = desk.study.scores().frame.filter(rater="teacher-1")["accuracy"].to_list()
    assert sorted(scored) == [0, 3], "ratio .5 is 3 points; the other run has no LINK"


def test_another_items_question_and_another_value_are_refused(desk):
    rater = desk.rater()
    open_one, other, shown = positions(rater)
    name = shown[open_one]["groups"][0]["fields"][0]["name"]
    assert rater.answer(name, "1", position=other).status_code == 422
    assert rater.answer("accuracy.line_000000000000", "1", position=open_one).status_code == 422
    assert rater.answer(name, "3", position=open_one).status_code == 422
    assert desk.ratings() == []


@in_a_browser
def test_in_the_browser_the_lines_stand_below_the_rubric(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        while not page.locator("[data-field^='accuracy.line_']").count():
            step_by_key(page, "n")
        assert LINE in page.inner_text(".form")
        press(page, "4")
        page.keyboard.press("Enter")
        press(page, "1")
        page.keyboard.press("Enter")
        press(page, "0")
        wait_saved(page)
    assert sorted(row["value"] for row in desk.ratings()) == ["0", "1", "GOOD"]
