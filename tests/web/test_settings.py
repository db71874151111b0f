"""How the desk is run is chosen in the browser, kept with the study, and holds at once."""

from __future__ import annotations

import re

import pytest
from benches import DIARIES, bench
from chats import chatting
from desks import desk, open_desk
from visitors import Browser, Desk

import haechi
from haechi.rubrics.practice import practice_items
from haechi.store.desk import read_assignments
from haechi.store.desk_settings import DeskSettings, read_desk_settings
from haechi.study.study import Study
from haechi.web.options import Options


def save(owner, **fields):
    """Send the form of the settings."""
    page = owner.client.get("/owner/settings", headers={"accept": "text/html"})
    proof = re.search(r'data-csrf="(\w+)"', page.text)[1]
    headers = {"X-Haechi-Form": proof, "accept": "text/html"}
    return owner.client.post("/owner/settings", data=fields, headers=headers)


def stored(desk):
    with desk.study.database.read() as connection:
        return read_desk_settings(connection)


def test_what_is_chosen_holds_at_once_and_after_a_new_start(desk):
    owner, before = desk.owner(), desk.rater("ann")
    assert len(before.state["work"]["items"]) == 8
    page = save(owner, overlap="1", repeat_every="6", seed="3", pass_mark="80", items_per_guest="2")
    assert page.status_code == 200
    assert "It holds from now on" in page.text
    assert "haechi serve" in page.text
    assert "--overlap 1 --seed 3 --repeat-every 6 --pass-mark 0.8" in page.text
    wanted = DeskSettings(overlap=1, seed=3, repeat_every=6, pass_mark=0.8, items_per_guest=2)
    assert stored(desk) == wanted
    taken = {one["item"] for one in items_of(desk, "ann")}
    assert not taken & {one["item"] for one in items_of(desk, "bo", desk.rater("bo"))}
    again = Desk(Study(desk.study.folder), Options(lang="en"))
    assert not taken & {one["item"] for one in items_of(again, "cho", again.rater("cho"))}


def items_of(desk, name, rater=None):
    if rater is not None:
        assert rater.state["work"]["items"]
    with desk.study.database.read() as connection:
        return [{"item": one.item} for one in read_assignments(connection, name)]


def test_what_the_command_line_says_goes_first_and_cannot_be_changed(desk):
    desk = Desk(desk.study, Options(given={"overlap": 2}, lang="en"))
    owner = desk.owner()
    save(owner, overlap="5", training="yes")
    assert stored(desk) == DeskSettings(training=True)
    page = owner.client.get("/owner/settings", headers={"accept": "text/html"}).text
    assert "set on the command line" in page
    assert re.search(r'name="overlap" value="2"[^>]* disabled', page)
    assert "--overlap 2 --training" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"overlap": "0"}, "a whole number above 0"),
        ({"pass_mark": "170"}, "a percentage, at most 100"),
        ({"seed": "-1"}, "a whole number, 0 or more"),
        ({"talk": "openai:x@http://127.0.0.1:9/v1"}, "a rubric for conversations"),
        ({"consent": "가" * 20_001}, "at most 20,000 characters"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(desk, fields, said):
    page = save(desk.owner(), training="yes", **fields)
    assert page.status_code == 422
    assert said in page.text
    assert stored(desk) == DeskSettings()
    assert re.search(r'name="training"[^>]* checked', page.text)  # what was chosen is still there


def test_practice_is_enforced_by_the_server(desk):
    rater, owner = desk.rater(), desk.owner()
    assert rater.answer("sympathy", "1").status_code == 200
    marks = rater.marks()
    save(owner, training="yes")
    body = {"id": "answer-90001", **marks, "field": "sympathy", "value": "0"}
    refused = rater.post("/desk/answers", body)
    assert (refused.status_code, refused.json()["why"]) == (403, "practice")
    assert rater.client.get("/desk/items/1").status_code == 403
    note = {"position": 1, "item": marks["item"], "kind": "comment", "text": "?"}
    assert rater.post("/desk/notes", note).status_code == 403
    assert rater.get("/desk/work")["items"] == []
    state = rater.get("/desk/state")
    for step, known in enumerate(
        known for one in practice_items(haechi.rubric("diary-comment")) for known in one.answers
    ):
        rater.post("/desk/practice", {"step": step, "value": known.right[0]})
    assert state["practice"] is not None
    assert rater.get("/desk/state")["practice"] is None
    assert rater.post("/desk/answers", body).status_code == 200  # the answer that waited arrives
    assert [row["value"] for row in desk.ratings()] == ["0"]


def test_somebody_who_practises_holds_no_items(open_desk):
    desk = open_desk(training=True, overlap=1)
    assert desk.rater("ann").state["work"]["items"] == []
    assert items_of(desk, "ann") == []


def test_gold_items_come_and_go_with_the_setting(desk):
    owner = desk.owner()
    save(owner, gold="yes")
    assert desk.rater("ann").state["work"]["items"]
    save(owner)
    assert desk.rater("bo").state["work"]["items"]
    with desk.study.database.read() as connection:
        kinds = {name: [a.kind for a in read_assignments(connection, name)] for name in ("ann", "bo")}
    assert "attention" in kinds["ann"]
    assert "attention" not in kinds["bo"]


def test_only_the_owner_sees_and_changes_them(desk):
    rater = desk.rater()
    assert rater.client.get("/owner/settings").status_code == 401
    assert rater.post("/owner/settings", {}).status_code == 401
    owner = desk.owner()
    assert owner.client.post("/owner/settings", data={"training": "yes"}).status_code == 403
    assert stored(desk) == DeskSettings()


def test_every_study_of_the_workbench_talks_with_an_ai_of_its_own(bench):
    with chatting() as chat:
        for name in ("luna", "sol"):
            bench.make(name, "ubica", assistant=name, user="시청자")
            page = f"/s/{name}/owner/settings"
            fields = {
                "public_survey": "yes",
                "talk": f"openai:{name}@{chat.url}",
                "talk_prompt": f"나는 {name}",
            }
            assert "It holds from now on" in bench.post(page, page, **fields).text
        bench.make("diaries")
        for name in ("luna", "sol"):
            with bench.client:
                place = f"/s/{name}/survey"
                bench.client.post(place, data={})
                proof = {"X-Haechi-Form": bench.client.get(f"{place}/talk/state").json()["csrf"]}
                sent = {"id": "message-1", "text": "안녕"}
                said = bench.client.post(f"{place}/talk/messages", json=sent, headers=proof)
                assert "들었어요" in said.text
                assert bench.client.post(f"{place}/talk/end", headers=proof).status_code == 200
            (item,) = bench.study(name).items()
            assert item.meta["model"] == f"openai:{name}"
    assert [one["model"] for one in chat.asked] == ["luna", "sol"]
    assert [one["messages"][0]["content"] for one in chat.asked] == ["나는 luna", "나는 sol"]
    assert bench.client.get("/s/diaries/survey/talk").status_code in (401, 404)


def test_an_ai_without_a_key_is_refused_before_anybody_talks(bench, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bench.make("luna", "ubica", assistant="루나", user="시청자")
    page = "/s/luna/owner/settings"
    refused = bench.post(page, page, talk="openai:gpt-5-mini")
    assert refused.status_code == 422
    assert "OPENAI_API_KEY" in refused.text


def test_raters_of_a_group_get_its_items_only(bench):
    bench.make()
    path = bench.tray(DIARIES, "diaries.csv")
    assert bench.post(path, path).status_code == 200
    page = "/s/diaries/owner/raters"
    shown = bench.client.get(page).text
    assert 'value="학년=3"' in shown
    assert 'value="학년=4"' in shown
    made = bench.post(page, page, names="김하나", where="학년=3")
    assert "--where 학년=3" in made.text
    token = re.search(r"/enter/([\w-]+)", made.text)[1]
    desk = Desk(bench.study(), Options(lang="en"))
    assert len(Browser(desk.app, token).state["work"]["items"]) == 2
    refused = bench.post(page, page, names="x", where="학년=9")
    assert refused.status_code == 422


def test_a_text_that_is_kept_with_the_study_needs_no_file(desk):
    owner = desk.owner()
    page = save(owner, consent="참여는 자유입니다.", overlap="2").text
    assert re.search(r"haechi serve \S+ --overlap 2<", page)
    assert "Consent text: kept with the study" in page
    told = Desk(desk.study, Options(given={"consent": "다른 글"}, lang="en")).owner()
    page = told.client.get("/owner/settings", headers={"accept": "text/html"}).text
    assert "--consent FILE" in page
    assert "kept with the study" not in page
