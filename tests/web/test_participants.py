"""Participants: the study's own questions, links for several people, languages, stances."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest
from desks import open_desk
from starlette.testclient import TestClient
from visitors import ADDRESS, DATA, FILES, Browser, Desk

from haechi.store.raters import invite_survey
from haechi.store.survey_links import close_survey_link
from haechi.study.study import Study
from haechi.web.options import Options

UBICA = (
    *("situational_consistency", "persona_consistency", "immersion", "engagement", "realism", "creativity"),
    *("surprise_appeal", "flow", "language"),
)
QUESTIONS = """
participants:
  consent: {ko: 참여는 자유입니다., en: You may stop whenever you like.}
  questions:
    - key: age_band
      question: {ko: 나이대, en: Age band}
      choices: [{value: 20s, name: {ko: 20대, en: twenties}}, {value: 30s, name: {ko: 30대, en: thirties}}]
      required: true
    - {key: years, question: {ko: 사용 경력, en: Years of use}, type: number, low: 0, high: 60}
"""


@pytest.fixture
def asking(tmp_path):
    """A desk of a study with questions of its own."""
    Study.new(tmp_path / "luna", "ubica", "루나", "시청자").add([DATA / FILES["ubica"]])
    with (tmp_path / "luna" / "study.yaml").open("a", encoding="utf-8") as file:
        file.write(QUESTIONS)
    return Desk(Study(tmp_path / "luna"), Options(given={"public_survey": True}, lang="en"))


def client_of(desk, **more):
    return TestClient(desk.app, base_url=ADDRESS, **more)


def begin(desk, answers, **more):
    """Somebody who takes part; gives the visitor and the response."""
    guest = Browser(desk.app, "", entrance="survey?", place="/survey/desk")
    return guest, guest.client.post("/survey", data=answers, **more)


def rate(guest, value):
    for field in UBICA:
        assert guest.answer(field, value).status_code == 200


def test_the_questions_stand_below_the_consent_text(asking):
    page = client_of(asking).get("/survey").text
    assert "You may stop whenever you like." in page
    assert "twenties" in page
    assert 'name="years"' in page


def test_answers_that_do_not_fit_are_asked_again_and_nothing_is_kept(asking):
    _, again = begin(asking, {"age_band": "20s", "years": "<b>many</b>"})
    assert again.status_code == 422
    assert "Please give: a number from 0 to 60" in again.text
    assert "&lt;b&gt;many&lt;/b&gt;" in again.text
    assert begin(asking, {})[1].status_code == 422
    with asking.study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM desk_raters") == 0


def test_what_participants_say_goes_with_their_ratings(asking, haechi):
    for answers, value in (({"age_band": "20s", "years": "3"}, "5"), ({"age_band": "30s"}, "2")):
        guest, begun = begin(asking, answers)
        assert begun.url.path == "/survey/desk"
        rate(guest, value)
        assert guest.post("/survey/submit", {}).status_code == 200
    folder = asking.study.folder
    grouped = haechi("score", folder, "--by", "rater.age_band", "--json").json
    means = {row["by"]["rater.age_band"]: row["scores"]["overall"]["mean"] for row in grouped["summary"][1:]}
    assert means == {"20s": 5.0, "30s": 2.0}
    assert {row["rater.years"] for row in grouped["items"]} == {"3", None}
    only = haechi("score", folder, "--where", "rater.age_band=20s", "--json").json
    assert [row["scores"]["overall"] for row in only["items"]] == [5.0]
    assert haechi("score", folder, "--where", "rater.age_band=90s").code == 1
    assert haechi("score", folder, "--by", "rater.shoe").code == 1
    assert haechi("compare", folder, "--by", "rater.age_band", "--json").code == 0
    archive = zipfile.ZipFile(io.BytesIO(asking.owner().client.get("/owner/export.zip").content))
    for name in ("ratings.csv", "raters.csv"):
        rows = list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))
        assert {row["rater.age_band"] for row in rows} == {"20s", "30s"}, name


def test_every_command_reads_a_study_with_fields_of_raters(asking, haechi, tmp_path):
    for age in ("20s", "30s"):
        guest, _ = begin(asking, {"age_band": age})
        rate(guest, "4")
    folder = asking.study.folder
    for command in (
        ("agree", folder, "--json"),
        ("agree", folder, "--where", "rater.age_band=20s", "--json"),
        ("report", folder, "-o", tmp_path / "out", "--by", "rater.age_band"),
        ("report", folder, "-o", tmp_path / "hidden", "--anonymous"),
        ("check", folder, "--min", "overall=1"),
        ("export", folder, "--as", "hf", "-o", tmp_path / "hf"),
    ):
        done = haechi(*command)
        assert done.code == 0, (command, done.err)


def test_whoever_declines_leaves_nothing_behind(asking):
    client = client_of(asking)
    assert "Nothing was kept" in client.post("/survey/decline", data={"age_band": "20s"}).text
    with asking.study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM desk_raters") == 0


def test_the_page_speaks_the_language_of_the_browser_until_somebody_chooses(asking):
    client = client_of(asking, headers={"accept-language": "ko-KR,ko;q=0.9,en;q=0.5"})
    assert "참여는 자유입니다" in client.get("/survey").text
    assert "You may stop" in client.get("/survey?lang=en").text
    assert "You may stop" in client.get("/survey").text


def test_a_submission_with_open_questions_is_refused(open_desk):
    desk = open_desk("ubica", public_survey=True)
    guest = desk.guest()
    guest.answer("immersion", "4")
    assert guest.post("/survey/submit", {}).status_code == 409
    rate(guest, "3")
    assert guest.post("/survey/submit", {}).status_code == 200
    assert guest.answer("immersion", "5").status_code == 403


def linked(desk, token):
    """Somebody who comes through a link for several people and agrees."""
    client = client_of(desk, headers={"accept": "text/html", "accept-language": "en"})
    seen = client.get(f"/join/{token}")
    return client, (client.post("/survey", data={"link": token}) if seen.status_code == 200 else seen)


def test_a_link_takes_so_many_participants_and_no_more(open_desk):
    desk = open_desk("ubica")
    token = invite_survey(desk.study.database, "class-3", 2, 7)
    assert [linked(desk, token)[1].status_code for _ in range(2)] == [200, 200]
    late, page = linked(desk, token)
    assert page.status_code == 403
    assert "has all its participants" in page.text
    assert late.post("/survey", data={"link": token}).status_code == 403
    assert late.post("/survey", data={}).status_code == 404  # there is no public survey beside it


def test_whoever_left_long_ago_gives_the_place_on_the_link_back(open_desk):
    desk = open_desk("ubica")
    token = invite_survey(desk.study.database, "class-3", 1, 7)
    gone, _ = linked(desk, token)
    assert linked(desk, token)[1].status_code == 403
    with desk.study.database.write() as connection:
        connection.execute("UPDATE desk_raters SET at = '2020-01-01T00:00:00+00:00'")
    assert linked(desk, token)[1].status_code == 200
    assert gone.get("/survey/desk/state").status_code == 200  # and may still come back


def test_an_expired_or_closed_link_says_that_the_survey_is_over(open_desk):
    desk = open_desk("ubica")
    token = invite_survey(desk.study.database, "class-3", None, 7)
    begun, _ = linked(desk, token)
    with desk.study.database.write() as connection:
        assert close_survey_link(connection, "class-3") == 1
    assert "survey is over" in linked(desk, token)[1].text
    assert begun.get(f"/join/{token}").url.path == "/survey/desk"  # who has begun may go on
    with desk.study.database.write() as connection:
        connection.execute("UPDATE survey_links SET closed = NULL, expires = '2020-01-01T00:00:00+00:00'")
    assert "survey is over" in linked(desk, token)[1].text
    assert linked(desk, "never-was")[1].status_code == 403


def test_links_for_several_people_from_the_command_line(open_desk, haechi):
    folder = open_desk("ubica").study.folder
    made = haechi("raters", "survey", folder, "class-3", "--most", "40", "--json").json
    assert "/join/" in made["link"]
    listed = haechi("raters", "list", folder, "--json").json["surveys"]
    assert [(row["name"], row["state"], row["most"]) for row in listed] == [("class-3", "open", 40)]
    assert haechi("raters", "survey", folder, "class-4", "--most", "0").code == 1
    assert haechi("raters", "revoke", folder, "class-3").code == 0
    assert haechi("raters", "list", folder, "--json").json["surveys"][0]["state"] == "closed"
    assert "survey link" in haechi("raters", "list", folder).out


def test_stances_say_who_had_the_conversation(open_desk):
    desk = open_desk("ubica", public_survey=True)
    desk.rater("teacher-1").answer("immersion", "4")
    desk.guest().answer("immersion", "4")
    link = desk.program().post("/api/surveys", json={"item": "u01"}).json()["link"]
    own = Browser(desk.app, link.rpartition("/")[2], place="/survey/desk")
    proof = own.entered.text.partition('name="proof" value="')[2].partition('"')[0]
    own.client.post("/survey", data={"proof": proof})
    own.answer("immersion", "4")
    stances = {row["rater"].partition("-")[0]: row["stance"] for row in desk.ratings()}
    assert stances == {"teacher": "third_party", "guest": "third_party", "participant": "participant"}
