"""Survey links made, watched and closed by the owner in the browser, also in a folder of several studies."""

from __future__ import annotations

import re

from benches import bench
from desks import open_desk
from starlette.testclient import TestClient
from visitors import ADDRESS

PAGE = "/s/luna/owner/surveys"


def test_a_link_for_a_class_is_made_used_watched_and_closed(bench):
    bench.enter().make(name="luna", rubric="ubica")
    bench.study("luna").add(
        {
            "id": ["u1"],
            "messages": [[{"role": "user", "content": "안녕"}, {"role": "assistant", "content": "네"}]],
        }
    )
    made = bench.post(PAGE, PAGE, name="class-3", most="1", days="7")
    link = re.search(r"http://127\.0\.0\.1:8000(/join/[\w-]+)<", made.text)[1]
    assert "haechi raters survey" in made.text
    guest = TestClient(bench.app, base_url=ADDRESS, headers={"accept": "text/html"})
    welcome = guest.get(link)
    assert welcome.url.path == f"/s/luna{link}"
    token = link.rpartition("/")[2]
    assert guest.post("/s/luna/survey", data={"link": token}).url.path == "/s/luna/survey/desk"
    assert "full" in bench.client.get(PAGE).text
    assert bench.post(PAGE, f"{PAGE}/close", name="class-3").status_code == 200
    assert bench.post(PAGE, f"{PAGE}/close", name="class-3").status_code == 404
    late = TestClient(bench.app, base_url=ADDRESS, headers={"accept": "text/html", "accept-language": "en"})
    assert "survey is over" in late.get(link).text
    assert late.get("/join/never-was").status_code == 403


def test_a_wrong_limit_is_said_and_nothing_is_made(bench):
    bench.enter().make(name="luna", rubric="ubica")
    for fields in ({"name": "", "most": "3"}, {"name": "a", "most": "0"}, {"name": "a", "days": "x"}):
        assert bench.post(PAGE, PAGE, **fields).status_code == 422, fields
    assert "no survey link yet" in bench.client.get(PAGE).text


def test_only_the_owner_makes_links(open_desk):
    desk = open_desk("ubica")
    rater = desk.rater()
    assert rater.client.get("/owner/surveys").status_code == 401
    owner = desk.owner()
    assert (
        owner.client.post("/owner/surveys", data={"name": "a"}).status_code == 403
    )  # without the page's proof


def test_a_form_of_another_site_takes_nobody_s_place(open_desk):
    desk = open_desk("ubica", public_survey=True)
    client = TestClient(desk.app, base_url=ADDRESS)
    assert client.post("/survey", data={}, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.post("/survey", data={}, headers={"sec-fetch-site": "same-origin"}).status_code == 200
