"""The survey: consent, one answer for each participant, and somebody else at the same computer."""

from __future__ import annotations

import re

from desks import open_desk
from starlette.testclient import TestClient
from visitors import ADDRESS, Browser

UBICA = [
    "situational_consistency",
    "persona_consistency",
    "immersion",
    "engagement",
    "realism",
    "creativity",
    "surprise_appeal",
    "flow",
    "language",
]
TALK = {
    "id": "live-1",
    "messages": [{"role": "user", "content": "안녕"}, {"role": "assistant", "content": "반가워요"}],
    "meta": {"build": "2026-11-16"},
}


def test_a_survey_link_asks_for_consent_and_is_answered_once(open_desk):
    desk = open_desk("ubica")
    program = desk.program()
    program.post("/api/items", json=TALK)
    link = program.post("/api/surveys", json={"item": "live-1"}).json()["link"]
    guest = Browser(desk.app, link.rpartition("/")[2], place="/survey/desk")
    assert "voluntary" in guest.entered.text
    assert guest.client.get("/survey/desk/state", follow_redirects=False).status_code == 303
    proof = re.search(r'name="proof" value="(\w+)"', guest.entered.text)[1]
    assert guest.client.post("/survey", data={"proof": "x"}).status_code == 403
    assert guest.client.post("/survey", data={"proof": proof}).url.path == "/survey/desk"
    for field in UBICA:
        assert guest.answer(field, "5").status_code == 200
    assert [item["finished"] for item in guest.get("/survey/desk/work")["items"]] == [True]
    assert guest.post("/survey/submit", {}).status_code == 200
    assert guest.client.get("/survey").text.count("Thank you") == 1
    assert guest.answer("immersion", "1").status_code == 403
    assert "Thank you" in guest.client.get(f"/enter/{guest.token}").text
    rows = desk.ratings()
    assert {row["item"] for row in rows} == {"live-1"}
    assert {row["stance"] for row in rows} == {"participant"}
    assert program.post("/api/surveys", json={"item": "nothing"}).status_code == 404


def test_participants_who_have_finished_are_no_guessers(open_desk):
    """Behind one address of a school many have finished, and look again: nobody else is kept waiting for that."""
    desk = open_desk("ubica", public_survey=True)
    for _ in range(21):  # as many wrong links would make everybody there wait
        guest = desk.guest()
        for field in UBICA:
            guest.answer(field, "5")
        assert guest.post("/survey/submit", {}).status_code == 200
        assert guest.client.get("/survey/desk/work").status_code == 403
        assert "Thank you" in guest.client.get("/survey").text
    assert TestClient(desk.app, base_url=ADDRESS).get("/enter/a-mistyped-link").status_code == 403


def test_anyone_may_answer_a_public_survey(open_desk):
    desk = open_desk("ubica", public_survey=True, consent="Only for research.")
    names = set()
    for _ in range(2):
        client = TestClient(desk.app, base_url=ADDRESS)
        assert "Only for research." in client.get("/survey").text
        assert client.post("/survey", data={}).url.path == "/survey/desk"
        state = client.get("/survey/desk/state").json()
        assert len(state["work"]["items"]) == 1
        names.add(state["me"])
    assert len(names) == 2


def test_there_is_no_public_survey_unless_the_owner_opens_one(open_desk):
    desk = open_desk("ubica")
    client = TestClient(desk.app, base_url=ADDRESS)
    assert client.get("/survey").status_code == 404
    assert client.post("/survey", data={}).status_code == 404


def test_a_whole_lecture_starts_at_once_and_a_flood_is_told_how_long_to_wait(open_desk):
    desk = open_desk("ubica", public_survey=True)
    started = [
        TestClient(desk.app, base_url=ADDRESS).post("/survey", data={}, follow_redirects=False)
        for _ in range(121)
    ]
    assert [answer.status_code for answer in started] == [303] * 120 + [429]
    late = TestClient(desk.app, base_url=ADDRESS).post("/survey", data={}, headers={"accept": "text/html"})
    assert f"You can start in {late.headers['retry-after']} seconds" in late.text
    assert "wrong" not in late.text


def test_a_second_participant_at_the_same_computer_begins_anew(open_desk):
    desk = open_desk("ubica", public_survey=True)
    first = desk.guest()
    for field in UBICA:
        first.answer(field, "4")
    first.post("/survey/submit", {})
    thanks = first.client.get("/survey").text
    assert "Thank you" in thanks
    proof = re.search(r'name="proof" value="(\w+)"', thanks)[1]
    assert first.client.post("/survey/another", data={"proof": "x"}).status_code == 403
    assert "voluntary" in first.client.post("/survey/another", data={"proof": proof}).text
    first.client.post("/survey", data={})
    second = first.client.get("/survey/desk/state").json()
    assert second["me"] != first.state["me"]
    assert [item["finished"] for item in second["work"]["items"]] == [False]


def test_a_rater_who_takes_part_in_the_survey_stays_the_rater(open_desk):
    desk = open_desk("ubica", public_survey=True)
    rater = desk.rater("teacher-1")
    rater.client.post("/survey", data={})
    assert rater.client.get("/survey/desk/state").json()["me"].startswith("guest-")
    assert rater.client.get("/desk/state").json()["me"] == "teacher-1"


LONG_AGO = "2020-01-01T00:00:00+00:00"


def silent_since(desk, moment):
    """As if everything so far had happened at a moment."""
    with desk.study.database.write() as connection:
        connection.execute("UPDATE assignments SET at = :at", at=moment)
        connection.execute("UPDATE answers SET at = :at", at=moment)


def held(guest):
    return len(guest.get("/survey/desk/work")["items"])


def test_the_place_of_a_guest_who_left_goes_to_somebody_else(open_desk):
    desk = open_desk("ubica", public_survey=True, overlap=1, items_per_guest=100)
    gone = desk.guest()
    count = held(gone)
    while gone.get("/survey/desk/work")["left"]:  # until every item has its one rater
        for position in range(1, count + 1):
            for field in UBICA:
                gone.answer(field, "4", position=position)
        count = held(gone)
    unfinished = [item for item in gone.get("/survey/desk/work")["items"] if not item["finished"]]
    assert unfinished
    begun = unfinished[0]["position"]
    gone.answer("immersion", "2", position=begun)
    late = desk.guest()
    assert held(late) == 0
    silent_since(desk, LONG_AGO)
    assert held(late) == len(unfinished)
    kept = [row for row in desk.ratings() if row["value"] == "2"]
    assert len(kept) == 1  # what was answered stays
    assert gone.answer("immersion", "3", position=begun).status_code == 200  # and may be gone on with


def test_a_guest_who_is_still_at_it_keeps_the_place(open_desk):
    desk = open_desk("ubica", public_survey=True, overlap=1, items_per_guest=100)
    busy = desk.guest()
    before = held(busy)
    silent_since(desk, LONG_AGO)
    busy.answer("immersion", "4")
    late = desk.guest()
    held(late)
    assert held(busy) == before


def test_the_dashboard_counts_guests_and_does_not_list_them(open_desk):
    desk = open_desk("ubica", public_survey=True)
    guests = [desk.guest() for _ in range(3)]
    for guest in guests[:2]:
        for field in UBICA:
            guest.answer(field, "4")
    page = desk.owner().entered.text
    assert "3 began · 2 finished · 2 items rated" in page
    assert "guest-" not in page
