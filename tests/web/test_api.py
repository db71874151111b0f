"""The HTTP interface."""

from __future__ import annotations

import json

import pytest
from desks import desk, open_desk
from starlette.testclient import TestClient
from visitors import ADDRESS, DATA, FILES

from haechi.store import large

TALK = {
    "id": "live-1",
    "messages": [{"role": "user", "content": "안녕"}, {"role": "assistant", "content": "반가워요"}],
    "meta": {"build": "2026-11-16"},
}


def test_a_program_pushes_conversations_and_pulls_what_people_said(open_desk):
    desk = open_desk("ubica")
    program = desk.program()
    assert program.post("/api/items", json=TALK).json() == {"new": 1, "unchanged": 0, "filled": 0}
    assert program.post("/api/items", json=[TALK]).json() == {"new": 0, "unchanged": 1, "filled": 0}
    assert desk.study.count_items() == 15
    desk.rater().answer("immersion", "4")
    found = program.get("/api/ratings").json()["ratings"]
    assert [(row["criterion"], row["value"]) for row in found] == [("immersion", "4")]
    assert program.get("/api/ratings", params={"item": "live-1"}).json() == {"ratings": []}
    scores = program.get("/api/scores").json()
    assert scores["rubric"] == "ubica"
    assert scores["items"][0]["scores"]["immersion"] == 4


def test_scores_before_anybody_has_rated_are_an_empty_list(desk):
    said = desk.program().get("/api/scores")
    assert said.status_code == 200
    assert said.json()["items"] == []


def test_a_study_with_runs_in_files_is_rated_and_takes_no_pushed_runs(open_desk, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 10)
    desk = open_desk("hiring-agent")
    assert desk.rater().answer("intent", "GOOD").status_code == 200
    rated = [entry for entry in desk.program().get("/api/scores").json()["items"] if entry["kind"] == "human"]
    assert [entry["scores"]["intent"] for entry in rated] == [4]
    refused = desk.program().post("/api/items", json={"item_id": "new", "query_id": "q", "raw_json": "{}"})
    assert refused.status_code == 422
    assert "haechi add" in refused.text
    assert desk.study.count_items() == 40


def test_a_bad_item_is_named_and_nothing_of_its_list_is_kept(open_desk):
    desk = open_desk("ubica")
    program = desk.program()
    refused = program.post(
        "/api/items", json=[TALK, {"id": "x", "messages": [{"role": "king", "content": "?"}]}]
    )
    assert refused.status_code == 422
    assert refused.json()["error"][0]["at"] == "items[1], messages[0], role"
    assert desk.study.count_items() == 14


@pytest.mark.parametrize("body", [b"", b"7", b"[7]", b"null", b"{", b'{"id": "\\ud800"}'])
def test_damaged_bodies_are_refused(open_desk, body):
    desk = open_desk("ubica")
    assert desk.program().post("/api/items", content=body).status_code == 422
    assert desk.study.count_items() == 14


def test_nothing_without_a_token(open_desk):
    desk = open_desk("ubica")
    stranger = TestClient(desk.app, base_url=ADDRESS)
    assert stranger.get("/api/ratings").status_code == 401
    assert stranger.get("/api/scores").status_code == 401
    assert stranger.post("/api/items", json=TALK).status_code == 401
    assert stranger.post("/api/surveys", json={"item": "u01"}).status_code == 401
    rater = desk.rater()
    bearer = {"Authorization": f"Bearer {rater.token}"}
    assert stranger.get("/api/ratings", headers=bearer).status_code == 403
    assert stranger.get("/api/health").json() == {"status": "ok"}


def test_every_route_is_described_and_every_description_has_a_route(open_desk):
    from haechi.web import api
    from haechi.web.site import Site

    desk = open_desk("ubica")
    described = TestClient(desk.app, base_url=ADDRESS).get("/api/openapi.json").json()
    routes = {
        (route.path, (set(route.methods) - {"HEAD"}).pop().lower())
        for route in api.routes(Site(desk.study, desk.options))
        if route.path != "/api/openapi.json"
    }
    assert routes == {(path, method) for path, ways in described["paths"].items() for method in ways}


def test_links_from_the_command_line(tmp_path, haechi):
    folder = tmp_path / "luna"
    haechi("new", folder, "--rubric", "ubica")
    haechi("add", folder, DATA / FILES["ubica"])
    made = haechi("raters", "add", folder, "teacher-1", "--quota", "3", "--json")
    assert made.json["link"].startswith("http://127.0.0.1:8000/enter/")
    listed = haechi("raters", "list", folder, "--json").json["raters"]
    assert [(row["name"], row["state"]) for row in listed] == [("teacher-1", "open")]
    assert haechi("raters", "revoke", folder, "teacher-1").code == 0
    assert haechi("raters", "revoke", folder, "nobody").code == 1
    assert haechi("raters", "list", folder, "--json").json["raters"][0]["state"] == "revoked"
    for bad in (["--quota", "0"], ["--days", "-1"], ["--stance", "king"]):
        assert haechi("raters", "add", folder, "teacher-2", *bad).code == 1
    assert haechi("raters", "add", folder).code == 1
    assert json.loads(haechi("raters", "program", folder, "bot", "--json").out)["token"]
