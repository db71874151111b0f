"""The workbench: who gets in, what is made, how files come in, and what is refused; every page says why."""

from __future__ import annotations

import re
import threading
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import openpyxl
import pytest
from benches import DIARIES, Bench, bench
from starlette.testclient import TestClient
from visitors import ADDRESS, DATA

from haechi.rubrics import builtin_text
from haechi.store.raters import invite_owner, invite_rater, invite_survey
from haechi.study.study import Study
from haechi.web.remedies import FIELDS
from haechi.web.shelf import Shelf
from haechi.web.site import HERE


def text_of(response):
    return unescape(response.text)


def test_without_the_owners_link_nothing_is_shown_and_nothing_is_done(bench):
    bench.make()
    stranger = TestClient(bench.app, base_url=ADDRESS)
    page = stranger.get("/")
    assert "diaries" not in page.text
    assert "the link that haechi serve printed" in page.text
    asked = [
        ("GET", "/new"),
        ("POST", "/new"),
        ("POST", "/new/preview"),
        ("GET", "/new/start.yaml"),
        ("GET", "/s/diaries/owner"),
        ("GET", "/s/diaries/owner/files"),
        ("POST", "/s/diaries/owner/files"),
        ("POST", "/s/diaries/owner/files/undo"),
        ("GET", "/s/diaries/owner/raters"),
        ("POST", "/s/diaries/owner/raters"),
        ("POST", "/s/diaries/owner/raters/revoke"),
    ]
    assert {stranger.request(method, path).status_code for method, path in asked} == {401}
    assert stranger.get("/enter/wrong").status_code == 403


def test_a_form_without_its_proof_changes_nothing(bench):
    assert bench.client.post("/new", data={"name": "x", "rubric": "ubica"}).status_code == 403
    assert list(bench.folder.iterdir()) == []


def test_a_rater_of_a_study_is_no_owner_of_it_nor_of_the_workbench(bench):
    bench.make()
    token = invite_rater(bench.study().database, bench.study().rubric, "kim")
    rater = TestClient(bench.app, base_url=ADDRESS)
    assert rater.get(f"/enter/{token}").url.path == "/s/diaries/desk"
    assert rater.get("/s/diaries/desk/state").json()["me"] == "kim"
    assert rater.get("/s/diaries/owner/files").status_code == 401
    assert "diaries" not in rater.get("/").text


def test_two_studies_do_not_sign_each_others_raters_out(bench):
    rater = TestClient(bench.app, base_url=ADDRESS)
    for name in ("first", "second"):
        bench.make(name)
        rater.get(f"/enter/{invite_rater(bench.study(name).database, bench.study(name).rubric, name)}")
    assert [rater.get(f"/s/{name}/desk/state").json()["me"] for name in ("first", "second")] == [
        "first",
        "second",
    ]


def test_the_owner_of_one_study_learns_nothing_of_the_others(bench):
    for name in ("mine", "theirs"):
        bench.make(name)
    given = bench.tray("item,rater,공감성\nd1,kim,1\n", "r.csv", "ratings", "mine")
    bench.post(given, given)
    owner = TestClient(bench.app, base_url=ADDRESS, headers={"accept": "text/html"})
    assert owner.get(f"/enter/{invite_owner(bench.study('mine').database)}").url.path == "/s/mine/owner"
    pages = [owner.get(f"/s/mine/owner{page}") for page in ("", "/files", "/raters", "/report", "/browse")]
    assert {page.status_code for page in pages} == {200}
    assert not any("theirs" in page.text for page in pages)
    assert owner.get("/s/mine/owner/report?since=theirs").status_code == 404
    assert owner.get("/s/theirs/owner").status_code == 401
    assert "theirs" in bench.client.get("/s/mine/owner/report").text


def test_a_cookie_of_an_earlier_start_does_not_shut_a_study_s_owner_out(bench):
    bench.make()
    anew = Bench(bench.folder)
    anew.client.cookies = bench.client.cookies
    assert anew.client.get("/s/diaries/owner").status_code == 401
    assert anew.client.get(f"/enter/{invite_owner(bench.study().database)}").url.path == "/s/diaries/owner"
    assert anew.client.get("/s/diaries/owner").status_code == 200


def test_no_cache_keeps_a_page_whatever_a_study_is_called(bench):
    bench.make("static")
    pages = ("/", "/s/static/owner", "/s/static/owner/files", "/s/static/static/no-such-file")
    assert {bench.client.get(page).headers["cache-control"] for page in pages} == {"no-store"}
    files = ("/static/base.css", "/s/static/static/typeset.css", "/s/static/static/chart.css")
    assert {bench.client.get(file).headers["cache-control"] for file in files} == {"no-cache"}


def test_megabytes_of_a_stranger_are_not_read(bench):
    stranger = TestClient(bench.app, base_url=ADDRESS)
    for path in ("/new", "/new/preview"):
        # Whoever reads it first says that it is too long.
        assert stranger.post(path, content=b"a" * 5_000_000).status_code == 401


def test_a_name_that_no_folder_can_have_is_no_study(bench):
    assert bench.client.get(f"/s/{'a' * 3000}/owner").status_code == 404


@pytest.mark.parametrize("url", ["https://" + "a" * 3000, "javascript:alert(1)", "http://[::1", "no address"])
def test_an_address_that_cannot_be_is_refused_before_a_link_is_made(bench, url):
    bench.make()
    page = "/s/diaries/owner/raters"
    assert bench.post(page, page, names="kim", url=url).status_code == 422
    surveys = "/s/diaries/owner/surveys"
    assert bench.post(surveys, surveys, name="class", url=url).status_code == 422
    with bench.study().database.read() as connection:
        made = "SELECT (SELECT count(*) FROM invitations) + (SELECT count(*) FROM survey_links)"
        assert connection.value(made) == 0


def test_a_study_is_made_and_stands_in_the_list_with_a_sentence(bench):
    made = bench.make("일기 코멘트")
    assert made.status_code == 200
    assert made.url.path == "/s/일기 코멘트/owner/files"
    assert Study(bench.folder / "일기 코멘트").rubric.id == "diary-comment"
    page = text_of(bench.client.get("/"))
    assert "일기 코멘트" in page
    assert "There are no items yet." in page


def test_names_go_into_the_questions(bench):
    bench.make("luna", "ubica", assistant="루나", user="시청자")
    settings = bench.study("luna").settings
    assert (settings.assistant_name, settings.user_name) == ("루나", "시청자")


@pytest.mark.parametrize(
    "name",
    ["", "..", ".hidden", "a/b", "../up", "a\\b", "a\x00b", "CON", "x" * 300, "end.", 'qu"ote', "/etc"],
)
def test_a_name_that_is_no_folder_is_refused_and_nothing_is_made(bench, name):
    refused = bench.make(name)
    assert refused.status_code == 422
    assert "a name that can be a folder" in text_of(refused)
    assert list(bench.folder.iterdir()) == []
    assert {path.name for path in bench.folder.parent.iterdir()} == {"studies"}


@pytest.mark.parametrize(
    "path", ["/s/../owner", "/s/%2e%2e/owner", "/s/..%2f..%2fetc/owner", "/s/.git/owner", "/s/nobody/owner"]
)
def test_a_path_leads_out_of_the_folder_nowhere(bench, path):
    (bench.folder.parent / "study.yaml").write_text("haechi: 1", "utf-8")
    assert bench.client.get(path).status_code == 404


def test_a_name_that_is_taken_is_refused_and_the_study_stays(bench):
    bench.make()
    before = (bench.folder / "diaries" / "study.yaml").read_bytes()
    refused = bench.make(rubric="ubica")
    assert refused.status_code == 422
    assert "a name that is taken" in text_of(refused)
    assert (bench.folder / "diaries" / "study.yaml").read_bytes() == before
    (bench.folder / "notes").mkdir()
    assert bench.make("notes").status_code == 422


def test_of_two_owners_who_choose_the_same_name_one_gets_it(bench):
    proof, codes = bench.proof("/new"), []

    def make(rubric):
        owner = Bench.__new__(Bench)
        owner.client = TestClient(bench.app, base_url=ADDRESS, headers={"accept": "text/html"})
        owner.client.get(f"/enter/{bench.home.token}")
        sent = owner.client.post(
            "/new", data={"name": "same", "rubric": rubric}, headers={"X-Haechi-Form": proof}
        )
        codes.append(sent.status_code)

    threads = [threading.Thread(target=make, args=(name,)) for name in ("ubica", "diary-comment") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200, 422, 422, 422]
    assert Study(bench.folder / "same").rubric.id in ("ubica", "diary-comment")


def test_an_own_rubric_is_checked_line_by_line_and_made(bench):
    broken = "id: mine\ntitle: x\ncriteria:\n  - key: a\n"
    page = bench.post("/new", "/new/preview", rubric="own", text=broken)
    assert 'data-line="4"' in page.text
    refused = bench.make("mine", "own", text=broken)
    assert refused.status_code == 422
    assert "rubric.yaml:4" in text_of(refused)
    assert broken.splitlines()[3] in text_of(refused)  # what was typed is still there
    assert list(bench.folder.iterdir()) == []
    whole = builtin_text("diary-comment").replace("id: diary-comment", "id: mine")
    page = bench.post("/new", "/new/preview", rubric="own", text=whole)
    assert "The rubric is in order" in page.text
    assert bench.make("mine", "own", text=whole).status_code == 200
    assert bench.study("mine").rubric.id == "mine"


def test_a_rubric_is_never_read_from_a_path_of_the_server(bench, tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_text(builtin_text("ubica"), "utf-8")
    assert "UBICA" not in bench.post("/new", "/new/preview", rubric=str(secret), text="").text
    assert bench.make("x", str(secret)).status_code == 422


def test_a_folder_that_takes_no_new_ones_is_named():
    """Nobody can make a folder in /proc, not even root, whom a read-only mode does not stop."""
    refused = Bench(Path("/proc")).enter().make()
    assert refused.status_code == 422
    assert "a folder that may be written to" in text_of(refused)


def test_a_broken_study_says_why_and_the_others_stay_open(bench):
    bench.make("good")
    bench.make("bad")
    (bench.folder / "bad" / "study.db").unlink()
    page = text_of(bench.client.get("/"))
    assert "It cannot be opened." in page
    assert "restore it from a backup" in page
    assert "/s/good/owner" in page


def test_a_folder_made_anew_is_another_study(bench):
    bench.make()
    token = invite_rater(bench.study().database, bench.study().rubric, "kim")
    for file in (bench.folder / "diaries").iterdir():
        file.unlink()
    (bench.folder / "diaries").rmdir()
    bench.make(rubric="ubica")
    assert "UBICA" in bench.client.get("/s/diaries/owner").text
    assert bench.client.get(f"/enter/{token}").status_code == 403


def test_files_are_shown_as_they_are_read_and_stored_only_when_confirmed(bench):
    bench.make()
    tray = bench.tray(DIARIES, "일기.csv")
    page = text_of(bench.client.get(tray))
    assert "Add 3 items" in page
    assert f"haechi add {bench.folder}/diaries 일기.csv" in page
    assert bench.study().count_items() == 0
    done = bench.post(tray, tray)
    assert "items: new 3" in text_of(done)
    assert [item.id for item in bench.study().items()] == ["d1", "d2", "d3"]
    assert [file["name"] for file in bench.study().history()[0].files] == ["일기.csv"]


def test_another_column_is_chosen_and_the_command_says_so(bench):
    bench.make()
    tray = bench.tray(DIARIES.replace("코멘트", "AI가 쓴 글"), "일기.csv")
    page = bench.client.get(tray)
    assert "disabled" in page.text
    again = bench.client.get(tray, params={"map": ["response=AI가 쓴 글", ""]})
    assert "Add 3 items" in again.text
    assert "--map 'response=AI가 쓴 글'" in text_of(again)
    bench.post(tray, tray, map=["response=AI가 쓴 글"])
    assert bench.study().count_items() == 3


def test_what_to_do_about_a_file_is_said_in_the_words_of_the_page(bench):
    """Who has never seen a terminal cannot add an option."""
    bench.make("talks", "ubica", assistant="루나", user="시청자")
    chat = "".join(f"[{name}] [오후 3:1{n}] 안녕\n" for n, name in enumerate(("민서", "루나", "도윤")))
    day = "--------------- 2026년 11월 3일 화요일 ---------------\n"
    who = text_of(bench.client.get(bench.tray(day + chat, "talk.txt", study="talks")))
    assert "choose below: ‘Who the AI is in a chat’" in who
    answers = "닉네임,들은 방송,몰입감 및 만족감\n별하,1부,4\n라온,1부,3\n"
    item = text_of(bench.client.get(bench.tray(answers, "form.csv", "ratings", "talks")))
    assert "choose below: the column ‘들은 방송’ as item; ‘All rows rate this item (id)’" in item
    bench.make("duels", "diary-duel")
    pairs = '{"q": "비", "one": "네", "other": "아뇨"}\n'
    columns = text_of(bench.client.get(bench.tray(pairs, "pairs.jsonl", study="duels")))
    assert "choose below: a column as context; a column as response A; a column as response B" in columns
    paper = text_of(bench.client.get(bench.tray(b"%PDF-1.7", "paper.pdf", study="talks")))
    assert "correct the file and upload it again" in paper
    assert "haechi-files-" not in paper  # where the server keeps it


def test_the_words_of_the_page_are_on_the_page():
    page = (HERE / "templates" / "tray.html").read_text("utf-8")
    for words in FIELDS.values():
        assert f'say("{words.ko}", "{words.en}")' in page


def test_ratings_of_unknown_items_are_listed_and_nothing_is_written_until_it_is_wished(bench):
    bench.make()
    items = bench.tray(DIARIES, "d.csv")
    bench.post(items, items)
    tray = bench.tray("item,rater,공감성\nd1,kim,1\nd9,kim,0\n", "r.csv", "ratings")
    before = text_of(bench.client.get(tray))
    assert "item ids that the study does not have" in before
    assert "disabled" in before
    refused = bench.post(tray, tray)
    assert refused.status_code == 422
    assert "1 item ids that the study does not have (1 ratings): d9" in text_of(refused)
    assert "2 new ratings" in text_of(bench.client.get(tray, params={"create_items": "yes"}))
    assert bench.study().ratings().is_empty()
    assert bench.study().count_items() == 3
    bench.post(tray, tray, create_items="yes")
    assert bench.study().ratings()["item"].to_list() == ["d1", "d9"]


def test_what_came_in_is_taken_back_and_restored(bench):
    bench.make()
    tray = bench.tray(DIARIES, "d.csv")
    bench.post(tray, tray)
    page = "/s/diaries/owner/files"
    assert "took back 1" in text_of(bench.post(page, f"{page}/undo", number="1"))
    assert bench.study().count_items() == 0
    bench.post(page, f"{page}/undo", number="2")
    assert bench.study().count_items() == 3
    assert bench.post(page, f"{page}/undo", number="77").status_code == 422
    assert bench.post(page, f"{page}/undo", number="x").status_code == 400


def test_more_about_items_is_joined(bench):
    bench.make()
    items = bench.tray(DIARIES, "d.csv")
    bench.post(items, items)
    tray = bench.tray("id,mode\nd1,agent\nd2,plain\n", "m.csv", "meta")
    assert "Items to join: 2" in text_of(bench.client.get(tray))
    bench.post(tray, tray)
    assert [item.meta["mode"] for item in bench.study().items(["d1", "d2"])] == ["agent", "plain"]


def test_results_of_a_batch_come_in(bench):
    bench.make(rubric="maice-qac")
    sessions = bench.tray((DATA / "maice-qac/sessions.jsonl").read_bytes(), "sessions.jsonl")
    bench.post(sessions, sessions)
    tray = bench.tray((DATA / "maice-qac/openai-batch.jsonl").read_bytes(), "out.jsonl", "openai-batch")
    page = text_of(bench.client.get(tray))
    assert f"haechi import {bench.folder}/diaries out.jsonl --as openai-batch" in page
    assert bench.study().ratings().is_empty()
    bench.post(tray, tray)
    assert bench.study().ratings()["kind"].unique().to_list() == ["ai"]


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"", "empty.csv", "empty"),
        (b"PK\x03\x04broken", "book.xlsx", "book.xlsx"),
        (b'{"id": 1,', "half.json", "half.json"),
        (b"\xff\xfe\x00\x01" * 40, "noise.parquet", "noise.parquet"),
        ("a,b\n1,2\n", "other.csv", "context"),
    ],
)
def test_a_broken_file_is_named_with_what_to_do(bench, content, name, says):
    bench.make()
    tray = bench.tray(content, name)
    page = text_of(bench.client.get(tray))
    assert 'role="alert"' in page
    assert says in page
    assert bench.post(tray, tray).status_code == 422
    assert bench.study().count_items() == 0


def test_names_of_files_never_lead_out_of_their_tray(bench):
    bench.make()
    tray = bench.tray(DIARIES, "../../../../tmp/evil/..\\..\\일기.csv")
    assert '<strong dir="auto">일기.csv</strong>' in bench.client.get(tray).text
    hostile = bench.tray(DIARIES, '<img src=x onerror="alert(1)">.csv')
    assert "<img src=x" not in bench.client.get(hostile).text


def test_two_files_of_one_name_are_two(bench):
    bench.make()
    page = "/s/diaries/owner/files"
    first = bench.upload(DIARIES, "d.csv").json()["tray"]
    headers = {"X-Haechi-Form": bench.proof(page)}
    more = DIARIES.replace("d1", "e1").replace("d2", "e2").replace("d3", "e3").encode()
    bench.client.post(page, params={"tray": first, "name": "d.csv"}, content=more, headers=headers)
    assert "Add 6 items" in bench.client.get(f"{page}/{first}").text


def test_a_file_that_is_too_large_is_refused_while_it_arrives(bench, monkeypatch):
    monkeypatch.setattr("haechi.web.uploads._LARGEST", 1000)
    bench.make()
    refused = bench.upload(b"x" * 2000, "big.csv")
    assert refused.status_code == 422
    assert refused.json()["error"][0]["found"] == "more than 512 MiB"


def test_a_tray_that_is_gone_leads_back_to_the_files(bench):
    bench.make()
    tray = bench.tray(DIARIES, "d.csv")
    bench.post(tray, tray)
    again = bench.client.get(tray)
    assert again.url.path == "/s/diaries/owner/files"
    assert "taken or removed already" in text_of(again)


def test_the_trays_of_one_study_are_not_those_of_another(bench):
    bench.make("one")
    bench.make("two")
    name = bench.tray(DIARIES, "d.csv", study="one").rsplit("/", 1)[1]
    assert bench.client.get(f"/s/two/owner/files/{name}").url.path == "/s/two/owner/files"


def test_a_workbook_of_two_sheets_is_read_by_the_sheet_that_is_chosen(bench):
    bench.make()
    book = openpyxl.Workbook()
    book.active.append(["설명", "이 파일은 …"])
    sheet = book.create_sheet("항목")
    for line in DIARIES.splitlines():
        sheet.append(line.split(","))
    content = BytesIO()
    book.save(content)
    tray = bench.tray(content.getvalue(), "book.xlsx")
    assert "Add 3 items" in bench.client.get(tray, params={"sheet": "항목"}).text


def test_raters_are_invited_all_or_none_and_their_links_are_closed(bench):
    bench.make()
    page = "/s/diaries/owner/raters"
    refused = bench.post(page, page, names="kim\nadjudicator", days="30")
    assert refused.status_code == 422
    with bench.study().database.read() as connection:
        assert connection.value("SELECT count(*) FROM invitations") == 0
    made = text_of(bench.post(page, page, names="kim\nlee, kim", days="7", quota="2"))
    links = [part.split("<")[0] for part in made.split('<code tabindex="0">')[1:] if part.startswith("http")]
    assert len(links) == 2
    assert made.count('class="qr"') == 2
    rater = TestClient(bench.app, base_url=ADDRESS)
    assert rater.get(links[0]).url.path == "/s/diaries/desk"
    assert "/enter/" not in bench.client.get(page).text  # shown once
    bench.post(page, f"{page}/revoke", name="kim")
    assert rater.get("/s/diaries/desk/state").status_code == 403
    assert bench.post(page, f"{page}/revoke", name="nobody").status_code == 404


def test_a_link_to_a_survey_leads_to_its_study(bench):
    bench.make("first")
    bench.make("second")
    token = invite_survey(bench.study("second").database, "class", 5, 7.0)
    guest = TestClient(bench.app, base_url=ADDRESS)
    assert guest.get(f"/join/{token}").url.path == f"/s/second/join/{token}"
    assert guest.get("/join/wrong").status_code == 403


def test_the_workbench_stands_behind_a_proxy_under_a_path(tmp_path):
    bench = Bench(tmp_path, base="/bench").enter()
    made = bench.client.post(
        "/bench/new",
        data={"name": "diaries", "rubric": "ubica"},
        headers={"X-Haechi-Form": bench.proof("/bench/new")},
    )
    assert made.url.path == "/bench/s/diaries/owner/files"
    assert 'href="/bench/s/diaries/owner/raters"' in made.text


def test_every_visitor_hears_their_own_language_also_in_errors(bench):
    bench.make()
    korean = Bench.__new__(Bench)
    korean.client = TestClient(bench.app, base_url=ADDRESS, headers={"accept": "text/html"})
    korean.client.get(f"/enter/{bench.home.token}")
    korean.client.get("/language/ko?back=new")
    tray = bench.tray("a,b\n1,2\n", "other.csv")
    assert "열: a, b" in korean.client.get(tray).text
    assert "Found" not in korean.client.get(tray).text
    assert "Found" in bench.client.get(tray).text
    assert (
        korean.client.get("/language/en?back=//evil.example", follow_redirects=False).headers["location"]
        == "/"
    )


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("/nothing", "/"),
        ("/s/diaries/owner/browse?item=99", "/s/diaries/owner"),
        ("/s/diaries/owner/items/99", "/s/diaries/owner"),
        ("/s/diaries/nothing", "/s/diaries/desk"),
    ],
)
def test_a_page_that_is_not_there_leads_back_to_where_one_was(bench, path, leads):
    bench.make()
    page = bench.client.get(path)
    assert page.status_code == 404
    assert re.findall(r'<main.*?<a href="(.*?)"', page.text, re.DOTALL) == [leads]


def test_an_export_is_called_by_its_study_two_of_one_rubric_are_two_files(bench):
    for name in ("diaries", "일기 둘"):
        bench.make(name)
        sent = bench.client.get(f"/s/{quote(name)}/owner/export.zip")
        assert sent.headers["content-disposition"] == f"attachment; filename*=utf-8''{quote(name)}.zip"


DUELS = (
    "question_id,model_a,model_b,question,answer_a,answer_b,judge,winner\n"
    "81,해솔,누리,비가 왔다,우산은 챙겼나요?,그랬군요,kim,model_a\n"
    "82,해솔,누리,시험을 봤다,고생했어요,잘 봤어요?,kim,tie\n"
    "82,해솔,누리,시험을 봤다,고생했어요,잘 봤어요?,lee,model_b\n"
)


def test_votes_between_two_systems_are_recognised_as_on_the_command_line(bench, haechi, tmp_path):
    bench.make("duels", "diary-duel")
    page = bench.tray(DUELS, "votes.csv", "ratings", "duels")
    shown = bench.client.get(page).text
    assert "Import 3 votes" in shown
    assert "--as votes" in shown
    for column, meaning in (("model_a", "system A"), ("winner", "winner"), ("judge", "rater")):
        row = shown.partition(f'dir="auto">{column}</th>')[2].partition("</tr>")[0]
        assert f"selected>{meaning}<" in row
    assert "3 new ratings, 0 unchanged, 0 corrected" in shown
    done = bench.post(page, page)
    assert done.url.path == "/s/duels/owner/files"
    taken = bench.study("duels").ratings().select("item", "rater", "value", "criterion").sort("item", "rater")
    # the command makes the same of the same file
    other = tmp_path / "other"
    file = tmp_path / "votes.csv"
    file.write_text(DUELS, "utf-8")
    haechi("new", str(other), "--rubric", "diary-duel")
    haechi("import", str(other), str(file))
    assert Study(other).ratings().select(taken.columns).sort("item", "rater").equals(taken)
    again = bench.client.get(bench.tray(DUELS, "votes.csv", "ratings", "duels")).text
    assert "0 new ratings, 3 unchanged" in again


def test_votes_without_a_rater_are_asked_for_one_in_the_words_of_the_page(bench):
    bench.make("duels", "diary-duel")
    votes = "번호,왼쪽,오른쪽,고른 쪽\n1,해솔,누리,해솔\n"
    page = bench.tray(votes, "votes.csv", "ratings", "duels")
    mapped = {"map": "winner=고른 쪽"}
    asked = bench.client.get(page, params=mapped).text
    assert "One rater gave all (name)" in asked.partition("<form")[0]
    told = {**mapped, "rater": "kim"}
    assert "Import 1 votes" in bench.client.get(page, params=told).text
    bench.post(page, page, **told)
    assert bench.study("duels").ratings()["rater"].to_list() == ["kim"]


def test_the_columns_of_pairs_can_be_chosen_on_the_page(bench):
    bench.make("duels", "diary-duel")
    page = bench.tray("글,하나,둘\n비가 왔다,우산은요?,그랬군요\n", "pairs.csv", "items", "duels")
    assert 'value="response_a=하나"' in bench.client.get(page).text
    chosen = {"map": ["context=글", "response_a=하나", "response_b=둘"]}
    assert "Add 1 items" in bench.client.get(page, params=chosen).text


def test_korean_pages_call_criteria_scores_and_stances_by_their_names(tmp_path):
    bench = Bench(tmp_path, "ko").enter()
    shown = text_of(bench.post("/new", "/new/preview", name="a", rubric="ubica"))
    assert "점수: 특정 상황에서 보인 반응의 일관성, " in shown
    bench.make("talks", "ubica", assistant="루나", user="시청자")
    tray = bench.tray("대화 번호,닉네임,몰입감 및 만족감\n1,별하,4\n", "form.csv", "ratings", "talks")
    page = text_of(bench.client.get(tray))
    assert "selected>값 · 몰입감 및 만족감<" in page
    assert '<option value="third_party">제3자 (남의 대화)</option>' in page
    chosen = text_of(bench.client.get(tray, params={"map": "ignore=닉네임"}))
    assert "여기서 고름" in chosen
    assert "--map으로 정함" not in chosen
    raters = text_of(bench.client.get("/s/talks/owner/raters"))
    assert '<option value="third_party">제3자 (남의 대화)</option>' in raters


def test_who_rated_is_counted_in_the_words_of_reports(demo):
    standing = {one.name: one.standing for one in Shelf(demo).entries()}["maice-qac"]
    assert standing.ko.endswith("(사람 2명, AI 평가자 3명).")
    assert standing.en.endswith("(2 people, 3 AI judges).")
