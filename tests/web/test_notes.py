"""Notes between raters and the owner, items that are skipped, and raters for a group of items."""

from __future__ import annotations

import pytest
from browser import chromium, in_a_browser, serious, served, visit
from desks import desk, open_desk
from visitors import Browser

from haechi.store.desk import read_assignments
from haechi.store.raters import invite_rater

FIELDS = ("sensibleness", "specificity", "sympathy")


def remark(rater, kind, text, position=1):
    marks = rater.marks(position)
    return rater.post(
        "/desk/notes", {"position": position, "item": marks["item"], "kind": kind, "text": text}
    )


def test_a_skipped_item_goes_to_somebody_else_and_is_not_answered_any_more(open_desk):
    desk = open_desk(overlap=1)
    first, second = desk.rater("ann", quota=2), desk.rater("bo")
    assert len(first.state["work"]["items"]) == 2
    assert remark(first, "skip", "일기가 비어 있어요").status_code == 200
    work = first.get("/desk/work")
    assert [one["skipped"] for one in work["items"]] == [
        True,
        False,
        False,
    ]  # another one took its place in the quota
    assert first.answer("sympathy", "1", position=1).status_code == 422
    with desk.study.database.read() as connection:
        skipped = next(a.item for a in read_assignments(connection, "ann") if a.skipped)
    while waiting := [one["position"] for one in second.get("/desk/work")["items"] if not one["finished"]]:
        for position in waiting:
            for field in FIELDS:
                second.answer(field, "1", position=position)
    assert skipped in {row["item"] for row in desk.ratings()}


@pytest.mark.parametrize(
    "change",
    [{"text": "  "}, {"kind": "insult"}, {"text": "x" * 2001}, {"position": 2**63}, {"text": "a\0b"}],
)
def test_a_note_that_cannot_be_kept_is_refused(desk, change):
    rater = desk.rater()
    body = {"position": 1, "item": rater.marks()["item"], "kind": "flag", "text": "이상함", **change}
    assert rater.post("/desk/notes", body).status_code == 422


def test_a_note_belongs_to_the_item_it_was_written_about(desk):
    rater = desk.rater()
    body = {"position": 2, "item": rater.marks(1)["item"], "kind": "flag", "text": "이상함"}
    assert rater.post("/desk/notes", body).status_code == 404


def test_raters_do_not_see_what_others_wrote(desk):
    ann, bo = desk.rater("ann"), desk.rater("bo")
    for position in range(1, 9):
        remark(ann, "comment", "앤의 비밀 메모", position)
    shown = [str(bo.get(f"/desk/items/{one['position']}")) for one in bo.state["work"]["items"]]
    assert not any("비밀" in one for one in shown)


def test_notes_do_not_tell_that_an_item_comes_again(open_desk):
    desk = open_desk(repeat_every=6)
    rater = desk.rater("ann")
    for position in range(1, 6):
        remark(rater, "comment", "처음 본 항목", position)
        for field in FIELDS:
            rater.answer(field, "1", position=position)
    rater.get("/desk/work")
    with desk.study.database.read() as connection:
        again = next(a for a in read_assignments(connection, "ann") if a.kind == "repeat")
    assert rater.get(f"/desk/items/{again.position}")["notes"] == []


@in_a_browser
def test_a_rater_asks_and_the_owner_answers(desk, visit):
    rater, owner = desk.rater("ann"), desk.owner()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.click("button[aria-label=Notes]")
        page.click("text=Flag a problem")
        assert "Write a note first" in page.inner_text("dialog")
        page.fill("dialog textarea", "코멘트가 <b>중간</b>에 끊겼어요")
        assert serious(page) == []
        page.click("text=Flag a problem")
        page.wait_for_selector("dialog", state="detached")
        board = visit(f"{address}/enter/{owner.token}", wait="#notes")
        assert "Answer 1 note of raters" in board.inner_text(".answer")
        assert "코멘트가 <b>중간</b>에 끊겼어요" in board.inner_text("#notes")
        assert serious(board) == []
        board.fill("form.reply input", "그대로 평가해 주세요")
        board.click("form.reply button")
        board.wait_for_selector("#notes .note.owner")
        page.reload()
        page.wait_for_selector(".item")
        page.click("button[aria-label=Notes]")
        assert "그대로 평가해 주세요" in page.inner_text("dialog .notes")


@in_a_browser
def test_an_item_is_skipped_in_the_browser_with_a_note(desk, visit):
    rater = desk.rater("ann")
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.click("button[aria-label=Notes]")
        page.fill("dialog textarea", "아는 사람의 일기예요")
        page.click("text=Skip this item")
        page.wait_for_function("() => document.querySelector('.top .count').innerText.startsWith('2 ')")
        page.reload()
        page.wait_for_selector(".item")
        assert page.inner_text(".top .count").startswith("2 ")


def test_a_rater_for_a_group_gets_its_items_only(desk):
    where = {"system": ["모델 A"]}
    rater = Browser(desk.app, invite_rater(desk.study.database, desk.study.rubric, "ann", where=where))
    work = rater.state["work"]
    assert len(work["items"]) + work["left"] == 12
    with desk.study.database.read() as connection:
        mine = {a.item for a in read_assignments(connection, "ann")}
    assert {item.meta["system"] for item in desk.study.items(mine)} == {"모델 A"}


def test_a_group_by_what_was_joined_later_is_a_group(desk, haechi, write):
    first, *_ = desk.study.items()
    haechi("add", desk.study.folder, write("more.csv", f"item,class\n{first.id},A\n"), "--join")
    assert haechi("raters", "add", desk.study.folder, "ann", "--where", "class=A").code == 0
    rater = Browser(
        desk.app, invite_rater(desk.study.database, desk.study.rubric, "bo", where={"class": ["A"]})
    )
    assert len(rater.state["work"]["items"]) == 1


def test_a_group_that_nobody_is_in_is_refused(desk, haechi):
    refused = haechi("raters", "add", desk.study.folder, "ann", "--where", "system=모델 Z")
    assert refused.code == 1
    assert "모델 Z" in refused.err
    assert haechi("raters", "add", desk.study.folder, "ann", "--where", "system=모델 A").code == 0
