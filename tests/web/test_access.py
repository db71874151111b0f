"""Links, cookies, forms: who gets in, and what nobody gets."""

from __future__ import annotations

import sqlite3

from desks import desk, open_desk
from starlette.testclient import TestClient

from haechi.store.invitations import revoke
from haechi.store.raters import invite_rater

ADDRESS = "http://127.0.0.1:8000"


def test_a_link_opens_the_desk_and_leaves_a_safe_cookie(desk):
    rater = desk.rater()
    assert rater.entered.status_code == 200
    assert rater.entered.url.path == "/desk"
    cookie = rater.entered.history[0].headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert rater.state["me"] == "teacher-1"


def test_the_cookie_travels_only_encrypted_where_the_desk_is_https(desk):
    token = invite_rater(desk.study.database, desk.study.rubric, "teacher-1")
    client = TestClient(desk.app, base_url="https://study.example")
    first = client.get(f"/enter/{token}", follow_redirects=False)
    assert "Secure" in first.headers["set-cookie"]


def test_only_the_hash_of_a_token_is_stored(desk):
    rater = desk.rater()
    rows = sqlite3.connect(desk.study.folder / "study.db").execute("SELECT * FROM invitations").fetchall()
    assert rows
    assert not any(rater.token in str(value) for row in rows for value in row)


def test_a_revoked_link_and_its_cookie_stop_working_at_once(desk):
    rater = desk.rater()
    assert rater.client.get("/desk/work").status_code == 200
    with desk.study.database.write() as connection:
        assert revoke(connection, "teacher-1") == 1
    assert rater.client.get("/desk/work").status_code == 403
    assert rater.client.get(f"/enter/{rater.token}").status_code == 403


def test_an_expired_link_does_not_open(desk):
    rater = desk.rater()
    with desk.study.database.write() as connection:
        connection.execute("UPDATE invitations SET expires = '2020-01-01T00:00:00+00:00'")
    assert rater.client.get("/desk/work").status_code == 403


def test_a_page_without_a_link_says_what_to_do(desk):
    client = TestClient(desk.app, base_url=ADDRESS)
    page = client.get("/desk", headers={"accept": "text/html"})
    assert page.status_code == 401
    assert "new one" in page.text
    assert client.get("/desk/state").status_code == 401


def test_guessing_tokens_is_slowed_down(desk):
    client = TestClient(desk.app, base_url=ADDRESS)
    answers = [client.get(f"/enter/guess-{n}").status_code for n in range(25)]
    assert answers[0] == 403
    assert answers[-1] == 429


def test_wrong_links_lock_nobody_out_who_has_a_right_one(desk):
    rater = desk.rater()
    for n in range(25):
        rater.client.get(f"/enter/{n}-guess")
    assert rater.client.get("/enter/another-guess").status_code == 429
    assert rater.client.get("/desk/work").status_code == 200
    assert rater.client.get(f"/enter/{rater.token}").status_code == 200


def test_guesses_that_share_a_beginning_are_counted_whatever_their_address(desk):
    codes = []
    for n in range(25):
        client = TestClient(desk.app, base_url=ADDRESS, client=(f"10.0.0.{n}", 5000))
        codes.append(client.get(f"/enter/Xq81mPz0aaKd-{n:04d}").status_code)
    assert codes == [403] * 20 + [429] * 5


def test_a_page_that_reloads_with_a_closed_or_mistyped_link_is_no_guesser(desk):
    rater = desk.rater()
    with desk.study.database.write() as connection:
        revoke(connection, "teacher-1")
    assert {rater.client.get("/desk/work").status_code for _ in range(30)} == {403}
    assert {rater.client.get("/enter/mistyped").status_code for _ in range(30)} == {403}
    assert rater.client.get("/enter/mistyped-too").status_code == 403


def test_two_desks_on_one_host_do_not_sign_each_other_out(open_desk):
    """A browser sends the cookies of a host to all of its ports."""
    first, second = open_desk("diary-comment"), open_desk("ubica")
    one, other = first.rater("teacher-1"), second.rater("teacher-2")
    both = {**one.client.cookies, **other.client.cookies}
    for one_desk, name in ((first, "teacher-1"), (second, "teacher-2")):
        client = TestClient(one_desk.app, base_url=ADDRESS, cookies=both)
        assert client.get("/desk/state").json()["me"] == name


def test_a_closed_link_says_who_closed_it_and_what_is_kept(desk):
    rater = desk.rater()
    html = {"accept": "text/html"}
    with desk.study.database.write() as connection:
        revoke(connection, "teacher-1")
    assert "owner closed it. Saved answers are kept" in rater.client.get("/desk", headers=html).text
    assert rater.client.get("/desk/work").json() == {"error": 403, "why": "revoked"}
    with desk.study.database.write() as connection:
        connection.execute("UPDATE invitations SET revoked = NULL, expires = '2020-01-01T00:00:00+00:00'")
    assert "has expired" in rater.client.get("/desk", headers=html).text


def test_a_form_of_another_site_is_refused(desk):
    rater = desk.rater()
    body = {"id": "answer-00001", **rater.marks(), "field": "sympathy", "value": "1"}
    assert rater.post("/desk/answers", body, proof="").status_code == 403
    assert rater.post("/desk/answers", body, proof="0" * 32).status_code == 403
    assert desk.ratings() == []
    assert rater.post("/desk/answers", body).status_code == 200


def test_every_response_forbids_scripts_of_others(desk):
    rater = desk.rater()
    for path in ("/", "/desk", "/desk/state", "/nowhere", "/static/desk.js"):
        headers = rater.client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"], path
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert rater.client.get("/desk/state").headers["cache-control"] == "no-store"


def test_no_page_has_a_script_or_style_of_its_own(desk):
    page = desk.rater().client.get("/desk").text
    assert "<script>" not in page
    assert "style=" not in page
    assert "<style" not in page


def test_positions_of_others_cannot_be_listed(open_desk):
    desk = open_desk(overlap=1)
    first, second = desk.rater("teacher-1"), desk.rater("teacher-2")
    mine = {item["position"] for item in first.state["work"]["items"]}
    assert second.state["work"]["items"]
    assert first.client.get(f"/desk/items/{max(mine) + 1}").status_code == 404
    assert first.answer("sympathy", "1", position=max(mine) + 1).status_code == 409


def test_a_proxy_may_leave_the_sub_path_on_or_take_it_off(open_desk):
    desk = open_desk(base="/rating")
    token = invite_rater(desk.study.database, desk.study.rubric, "teacher-1")
    for before in ("/rating", ""):
        client = TestClient(desk.app, base_url=ADDRESS)
        entered = client.get(f"{before}/enter/{token}", follow_redirects=False)
        assert entered.headers["location"] == "/rating/desk"
        assert "Path=/rating/" in entered.headers["set-cookie"]
        assert client.get("/rating/desk/state").status_code == 200
