"""The report behind the owner's link: the command's own files, under a policy that lets nothing run but its own script."""

from __future__ import annotations

import re
import zipfile
from base64 import b64encode
from hashlib import sha256
from html import unescape
from io import BytesIO

import pytest
from benches import DIARIES, bench
from starlette.testclient import TestClient
from visitors import ADDRESS

PAGE = "/s/diaries/owner/report"
RATINGS = "item,rater,sensibleness,specificity,sympathy\n" + "".join(
    f"d{n},{rater},{n % 2},1,{value}\n" for n in (1, 2, 3) for rater, value in (("kim", 1), ("lee", n % 2))
)


@pytest.fixture
def rated(bench):
    """A study with two raters, and an earlier one in which nobody was kind."""
    for name, ratings in (("diaries", RATINGS), ("before", RATINGS.replace(",1\n", ",0\n"))):
        bench.make(name)
        for content, what in ((DIARIES, "items"), (ratings, "ratings")):
            tray = bench.tray(content, f"{what}.csv", what, name)
            assert bench.post(tray, tray).status_code == 200
    return bench


def test_without_ratings_the_page_says_what_is_missing(bench):
    bench.make()
    page = bench.client.get(PAGE)
    assert page.status_code == 200
    assert 'role="alert"' not in page.text, "a study that has just begun is no fault"
    assert "Once there are ratings" in page.text
    assert "/s/diaries/owner/files" in page.text


def test_the_report_is_read_under_its_own_stricter_policy(rated):
    page = rated.client.get(f"{PAGE}/read")
    policy = page.headers["content-security-policy"]
    (script,) = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"; script-src 'sha256-{digest}'; " in policy
    assert policy.endswith("; frame-ancestors 'none'")
    assert "unsafe" not in policy
    assert "'self'" not in policy
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "2 raters" in unescape(page.text) or "kim" in page.text


def test_its_files_are_those_of_the_command(rated):
    archive = zipfile.ZipFile(BytesIO(rated.client.get(f"{PAGE}/files/report.zip").content))
    names = {"report.md", "report.html", "scores.csv", "summary.csv", "ratings.parquet", "scores.xlsx"}
    assert names <= set(archive.namelist())
    assert rated.client.get(f"{PAGE}/files/scores.csv").content == archive.read("scores.csv")
    assert f"haechi report {rated.folder}/diaries --output report" in unescape(rated.client.get(PAGE).text)


@pytest.mark.parametrize("name", ["study.db", "..%2f..%2fstudy.db", "../study.yaml", "x"])
def test_no_other_file_is_given_out(rated, name):
    assert rated.client.get(f"{PAGE}/files/{name}").status_code == 404


def test_it_follows_new_ratings_and_the_visitors_language(rated):
    before = rated.client.get(f"{PAGE}/files/scores.csv").text
    tray = rated.tray("item,rater,sympathy\nd1,park,0\n", "more.csv", "ratings")
    rated.post(tray, tray)
    assert rated.client.get(f"{PAGE}/files/scores.csv").text != before
    assert 'lang="en"' in rated.client.get(f"{PAGE}/read").text
    rated.client.get("/language/ko")
    assert 'lang="ko"' in rated.client.get(f"{PAGE}/read").text


def test_it_is_compared_with_an_earlier_study(rated):
    assert "<option>before</option>" in rated.client.get(PAGE).text
    page = unescape(rated.client.get(PAGE, params={"since": "before"}).text)
    assert f"haechi report {rated.folder}/before {rated.folder}/diaries --output changes" in page
    read = rated.client.get(f"{PAGE}/read", params={"since": "before"})
    assert "before" in read.text
    assert rated.client.get(f"{PAGE}/files/changes.csv", params={"since": "before"}).status_code == 200
    assert rated.client.get(PAGE, params={"since": "../before"}).status_code == 404
    assert rated.client.get(PAGE, params={"since": "nobody"}).status_code == 404


def test_only_the_owner_reads_it(rated):
    stranger = TestClient(rated.app, base_url=ADDRESS)
    for path in (PAGE, f"{PAGE}/read", f"{PAGE}/files/scores.csv", "/s/diaries/owner/judges"):
        assert stranger.get(path).status_code == 401


def test_the_plan_has_its_curve_and_its_command(rated):
    page = unescape(
        rated.client.get(
            "/s/diaries/owner/plan",
            params={"goal": "width", "value": "0.5", "sd": "1.2", "icc": "0.6", "raters": "3"},
        ).text
    )
    assert "68 items, 3 raters (204 ratings)" in page
    assert "haechi plan --width 0.5 --raters 3 --sd 1.2 --icc 0.6" in page
    assert 'class="chart"' in page
    assert " style=" not in page


def test_the_plan_rests_on_the_studys_own_ratings(rated):
    asked = {"goal": "width", "value": "0.5", "from": "study", "score": "sympathy"}
    page = unescape(rated.client.get("/s/diaries/owner/plan", params=asked).text)
    assert f"haechi plan {rated.folder}/diaries --width sympathy=0.5" in page
    assert 'class="answer"' in page


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"goal": "width", "value": ""}, "a number"),
        ({"goal": "width", "value": "wide"}, "a number above 0"),
        ({"goal": "width", "value": "0.5", "icc": "7", "sd": "1"}, "a number from 0 to 1"),
        ({"goal": "width", "value": "0.5"}, "--sd"),
        ({"goal": "gate", "value": "5", "sd": "1", "icc": "0.5", "mean": "4"}, "an expected mean above 5"),
    ],
)
def test_a_plan_that_cannot_be_says_why(rated, asked, says):
    page = unescape(rated.client.get("/s/diaries/owner/plan", params=asked).text)
    assert 'role="alert"' in page
    assert says in page


def test_a_plan_begins_with_a_width_that_fits_the_scale(rated):
    page = unescape(rated.client.get("/s/diaries/owner/plan").text)
    assert "--width 0.1 " in page  # a tenth of 0 to 1


def test_a_plan_that_the_ratings_do_not_allow_begins_with_assumptions(bench):
    bench.make()
    for content, what in ((DIARIES, "items"), (RATINGS.replace("0", "1"), "ratings")):
        tray = bench.tray(content, f"{what}.csv", what)
        assert bench.post(tray, tray).status_code == 200
    page = unescape(bench.client.get("/s/diaries/owner/plan").text)
    assert 'role="alert"' not in page, "nobody has asked for anything yet"
    assert "haechi plan --width 0.5 --raters 3 --sd 1 --icc 0.6" in page
    asked = {"goal": "width", "value": "0.1", "from": "study"}
    assert "all scores are the same" in bench.client.get("/s/diaries/owner/plan", params=asked).text
