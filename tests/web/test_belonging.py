"""An answer is kept only for the study, the link, the item and the rubric it was given for."""

from __future__ import annotations

import shutil

import pytest
from desks import desk, open_desk
from visitors import Browser, Desk

from haechi.store.desk import ItemDistribution
from haechi.store.invitations import revoke
from haechi.study.study import Study
from haechi.web.app import create_app
from haechi.web.options import Options


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("study", "an answer for another study"),
        ("link", "an answer given with another link"),
        ("item", "an answer for another item"),
        ("rubric", "an answer for another rubric version"),
    ],
)
def test_an_answer_for_something_else_is_refused_with_the_reason(desk, mark, said):
    rater = desk.rater()
    refused = rater.answer("sympathy", "1", **{mark: "0" * 32})
    assert refused.status_code == 409
    assert said in refused.json()["error"]
    assert rater.answer("sympathy", "1", **{mark: None}).status_code == 409
    assert desk.ratings() == []
    assert rater.answer("sympathy", "1").status_code == 200


def test_an_answer_of_one_study_is_none_of_another(open_desk):
    """The same items, the same rater, the same place; only the study differs."""
    first, second = open_desk(), open_desk("ubica")
    there, here = first.rater("t1"), second.rater("t1")
    assert there.state["marks"]["study"] != here.state["marks"]["study"]
    body = {"id": "answer-0001", **there.marks(), "field": "immersion", "value": "4"}
    assert here.post("/desk/answers", body).status_code == 409
    assert second.ratings() == []


def test_an_answer_for_a_position_that_holds_another_item_by_now_is_refused(open_desk):
    desk = open_desk()
    before = desk.rater().marks(1)
    with desk.study.database.write() as connection:
        revoke(connection, "teacher-1")  # gives back what was not begun
    after = Desk(desk.study, Options(given={"seed": 5}, lang="en")).rater()
    assert before["item"] != after.marks(1)["item"]
    assert after.answer("sympathy", "1", item=before["item"]).status_code == 409


def test_a_new_link_goes_on_where_an_expired_one_ended_but_not_a_revoked_one(desk):
    link = desk.rater().state["marks"]["link"]
    again = desk.rater()
    assert again.state["other_links"] == [link]
    assert again.answer("sympathy", "1", link=link).status_code == 200
    with desk.study.database.write() as connection:
        revoke(connection, "teacher-1")
    anew = desk.rater()
    assert anew.state["other_links"] == []
    assert anew.answer("sympathy", "0", link=link).status_code == 409
    assert desk.rater("teacher-2").answer("sympathy", "1", link=link).status_code == 409


def test_a_moved_or_copied_study_is_the_same_study(desk, tmp_path):
    """What waits in browsers must find its study again after a restore or a move to another machine."""
    rater = desk.rater()
    marks = rater.marks()
    desk.study.database.close()
    shutil.copytree(desk.study.folder, tmp_path / "copy")
    copy = Browser(create_app(Study(tmp_path / "copy"), desk.options), rater.token)
    assert copy.marks() == marks


def test_marks_do_not_tell_that_an_item_comes_again(open_desk):
    desk = open_desk(repeat_every=10)
    rater = desk.rater()
    while waiting := [item for item in rater.get("/desk/work")["items"] if not item["finished"]]:
        for item in waiting:
            for field in ("sensibleness", "specificity", "sympathy"):
                rater.answer(field, "1", position=item["position"])
    marks = [rater.marks(item["position"])["item"] for item in rater.get("/desk/work")["items"]]
    assert len(set(marks)) == len(marks) == 26  # 24 comments, two of them twice
