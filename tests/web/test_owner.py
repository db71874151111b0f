"""The owner's dashboard, adjudication and export."""

from __future__ import annotations

import io
import re
import zipfile

import polars as pl
import pytest
from desks import desk, open_desk
from starlette.testclient import TestClient
from visitors import ADDRESS

from haechi.analysis.analysis import Analysis
from haechi.data.rating import Rating
from haechi.report.tables.agreement import criteria_table
from haechi.store import large
from haechi.store.desk import read_assignments
from haechi.store.raters import invite_owner
from haechi.store.ratings import append_ratings
from haechi.study.study import Study
from haechi.web.app import create_app
from haechi.web.figures import figures_of
from haechi.web.options import Options

FIELDS = ("sensibleness", "specificity", "sympathy")


def rate_by(desk, rater, judge):
    """Rate everything; `judge(item id, field)` says the value."""
    while waiting := [item for item in rater.get("/desk/work")["items"] if not item["finished"]]:
        with desk.study.database.read() as connection:
            items = {a.position: a.item for a in read_assignments(connection, rater.state["me"])}
        for one in waiting:
            for field in FIELDS:
                value = judge(items[one["position"]], field)
                assert rater.answer(field, value, position=one["position"], seconds=20).status_code == 200


def two_raters(desk):
    """Two raters who differ on the sympathy of the two comments on the first diary, and nowhere else."""
    rate_by(desk, desk.rater("teacher-1"), lambda item, _: "1" if item.endswith("-a") else "0")
    differ = {("d01-a", "sympathy"): "0", ("d01-b", "sympathy"): "1"}
    usual = {True: "1", False: "0"}
    rate_by(
        desk,
        desk.rater("teacher-2"),
        lambda item, field: differ.get((item, field), usual[item.endswith("-a")]),
    )


def test_the_owner_sees_progress_agreement_and_the_disputed_items(desk):
    two_raters(desk)
    owner = desk.owner()
    assert owner.entered.url.path == "/owner"
    page = owner.entered.text
    assert "teacher-1" in page
    assert "24 / 24" in page
    assert "1.00" in page  # full agreement on sensibleness
    assert page.index("d01-a") < page.index("d01-b")
    assert "d02-a" not in page
    assert "20 s" in page


def test_the_figures_are_those_of_the_statistics_part(desk):
    two_raters(desk)
    figures = figures_of(Analysis(desk.study))
    found = {one.score: one for one in figures.agreement}
    # 22 of 24 comments agree; both raters give twelve times 1: nominal α = 1 − (1/12) / (24·24·2/(48·47)) = 0.8368…
    assert abs(found["sympathy"].alpha.value - (1 - (2 / 24) / (2 * 24 * 24 / (48 * 47)))) < 1e-12
    assert found["sympathy"].alpha.ci95[0] < found["sympathy"].alpha.value
    assert found["sensibleness"].percent.value == 1
    assert [one.item for one in figures.disputed] == ["d01-a", "d01-b"]
    assert len(found["sympathy"].growth) > 3


def test_people_whose_ratings_came_from_a_file_are_not_said_to_be_missing(desk):
    rows = [
        (f"ratings.csv:{place}", Rating(item.id, field, rater, "human", value))
        for place, item in enumerate(desk.study.items())
        for rater, value in (("민수", "1"), ("영희", "0"))
        for field in FIELDS
    ]
    with desk.study.database.write() as connection:
        append_ratings(connection, rows, desk.study.rubric.version, "test")
    page = desk.owner().entered.text
    assert "Ratings from files: 2 people" in page
    assert "Nobody rates as a person yet" not in page
    assert "items done by nobody" not in page
    assert "Read the report" in page or "Decide" in page

    rate_by(desk, desk.rater("teacher-1"), lambda *_: "1")
    page = desk.owner().entered.text
    assert "Ratings from files: 2 people" in page
    assert "(ratings from files aside)" in page


def test_the_dashboard_writes_numbers_as_the_report_does(desk):
    two_raters(desk)
    page = desk.owner().entered.text
    assert "−0.0" in page  # a difference below 0 with a minus that is one
    assert not re.search(r"[>\[]-\d", page)
    assert "92 %" in page  # sympathy: 22 of 24 items alike


def test_severity_is_relative_to_the_others(desk):
    rate_by(desk, desk.rater("strict"), lambda *_: "0")
    rate_by(desk, desk.rater("kind"), lambda *_: "1")
    figures = figures_of(Analysis(desk.study))
    assert {one.rater: one.severity.value for one in figures.severity} == {"strict": -1.0, "kind": 1.0}


def test_repeated_items_show_how_far_a_rater_agrees_with_himself(open_desk):
    desk = open_desk(repeat_every=10)
    seen = []

    def changing(item, field):
        seen.append((item, field))
        return "0" if field == "sympathy" and seen.count((item, field)) > 1 else "1"

    rate_by(desk, desk.rater(), changing)
    figures = figures_of(Analysis(desk.study))
    # two comments came twice; of three criteria each, sympathy changed
    assert figures.consistency["teacher-1"].value == 4 / 6


def case_number(page):
    return int(re.search(r"/owner/items/(\d+)", page)[1])


def test_a_decision_is_a_rating_of_its_own(desk):
    two_raters(desk)
    owner = desk.owner()
    number = case_number(owner.entered.text)
    page = owner.client.get(f"/owner/items/{number}").text
    proof = re.search(r'data-csrf="(\w+)"', page)[1]
    body = {"item": number, "field": "sympathy", "value": "1", "reason": "속상한 마음을 읽어 줌"}
    assert owner.post("/owner/decisions", body, proof).status_code == 200
    decided = [row for row in desk.ratings() if row["rater"] == "adjudicator"]
    assert [(row["value"], row["evidence"], row["stance"]) for row in decided] == [
        ("1", "속상한 마음을 읽어 줌", "adjudication")
    ]
    assert (
        len([row for row in desk.ratings() if row["item"] == decided[0]["item"]]) == 7
    )  # 2 × 3, and the decision
    again = owner.client.get("/owner").text
    assert "decided" in again
    # the decision is no third rater: agreement stays what it was
    assert {one.raters for one in figures_of(Analysis(desk.study)).agreement} == {2}


def test_a_decision_needs_a_reason_a_value_and_the_form_of_this_page(desk):
    two_raters(desk)
    owner = desk.owner()
    number = case_number(owner.entered.text)
    proof = re.search(r'data-csrf="(\w+)"', owner.client.get(f"/owner/items/{number}").text)[1]
    good = {"item": number, "field": "sympathy", "value": "1", "reason": "because"}
    for change in ({"reason": "  "}, {"value": "7"}, {"field": "ssa"}, {"item": 10**9}, {"item": 2**63}):
        assert owner.post("/owner/decisions", {**good, **change}, proof).status_code == 422, change
    assert owner.post("/owner/decisions", good, proof="x").status_code == 403


def test_everything_can_be_exported(desk):
    two_raters(desk)
    archive = zipfile.ZipFile(io.BytesIO(desk.owner().client.get("/owner/export.zip").content))
    names = {
        "ratings.csv",
        "ratings-history.csv",
        "scores.csv",
        "assignments.csv",
        "notes.csv",
        "raters.csv",
        "items.jsonl",
        "rubric.yaml",
    }
    assert set(archive.namelist()) == names
    ratings = pl.read_csv(archive.read("ratings.csv"))
    assert ratings.height == 144  # 2 raters × 24 comments × 3 criteria
    assert ratings.columns[:5] == ["item", "criterion", "rater", "kind", "value"]
    assert pl.read_csv(archive.read("assignments.csv"))["seconds"].to_list() == [20.0] * 48
    assert len(archive.read("items.jsonl").splitlines()) == 24


def test_an_exported_table_can_be_imported_again(desk, haechi, tmp_path):
    two_raters(desk)
    archive = zipfile.ZipFile(io.BytesIO(desk.owner().client.get("/owner/export.zip").content))
    archive.extract("ratings.csv", tmp_path)
    again = haechi("import", desk.study.folder, tmp_path / "ratings.csv", "--as", "ratings", "--json")
    assert (again.code, again.json["unchanged"]) == (0, 144)


def test_an_empty_study_has_a_dashboard_too(open_desk):
    for rubric in ("ubica", "maice-qac", "hiring-agent", "diary-comment"):
        page = open_desk(rubric).owner().entered
        assert page.status_code == 200
        assert "There are no ratings yet" in page.text


def judged(desk, values, criterion="sympathy"):
    """Ratings by AI judges: `values` maps a judge to the values of the first items, None where it failed."""
    ids = [item.id for item in desk.study.items()]
    rows = [
        (
            "test",
            Rating(
                item,
                criterion,
                rater,
                "ai",
                value,
                status="ok" if value else "error",
                reason=None if value else "timeout",
            ),
        )
        for rater, given in values.items()
        for item, value in zip(ids, given, strict=False)
    ]
    with desk.study.database.write() as connection:
        append_ratings(connection, rows, desk.study.rubric.version, "test")


def cells(page, rater):
    """The cells of an AI rater's row."""
    row = re.search(
        rf'<section class="card judges">.*?<tr><th scope="row">{rater}</th>(.*?)</tr>', page, re.DOTALL
    )[1]
    return [
        re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
    ]


def test_a_study_rated_by_ai_only_shows_its_ratings(desk):
    judged(desk, {"judge-a": ["1", "1", "0", None], "judge-b": ["1", "0", "0"]})
    page = desk.owner().entered.text
    assert "There are no ratings yet" not in page
    assert "no ratings by people yet" in page
    # items of 24, ratings with a value, without, mean: (1 + 1 + 0) / 3
    assert cells(page, "judge-a")[:4] == ["4 / 24", "3", "1", "0.67"]
    assert cells(page, "judge-b")[:4] == ["3 / 24", "3", "0", "0.33"]
    assert "Agreement among AI raters" in page
    figures = figures_of(Analysis(desk.study))
    assert figures.agreement == ()
    (found,) = figures.judges_agreement
    # two of three items agree
    assert (found.score, found.items, found.percent.value) == ("sympathy", 3, 2 / 3)


def test_whom_a_part_of_the_page_is_about_is_said(desk):
    judged(desk, {"judge-a": ["1", "1", "0"], "judge-b": ["0", "0", "1"]})
    owner = desk.owner()
    assert "There are no raters yet" not in owner.entered.text
    assert "Nobody rates as a person yet" in owner.entered.text
    assert "Among people and AI alike" in owner.entered.text
    assert owner.entered.text.count("2 raters") == 3
    owner.client.get("/language/ko?back=owner")
    page = owner.client.get("/owner").text
    assert "아직 사람 평가자가 없습니다" in page
    assert "사람과 AI 모두의 평가에서" in page


def test_one_ai_judge_has_no_agreement(desk):
    judged(desk, {"judge-a": ["1", "0"]})
    page = desk.owner().entered.text
    assert cells(page, "judge-a")[:4] == ["2 / 24", "2", "0", "0.50"]
    assert "Agreement among AI raters" not in page


def disputed_run(desk):
    """Two raters who differ on one run; gives its item."""
    asked = next(item for item in desk.study.items() if not item.content.get("error"))
    for name, value in (("t1", "PERFECT"), ("t2", "FAILED")):
        rows = [("test", Rating(asked.id, "intent", name, "human", value))]
        with desk.study.database.write() as connection:
            append_ratings(connection, rows, desk.study.rubric.version, f"test-{name}")
    return asked


@pytest.mark.parametrize("limit", [10, 1000], ids=["parquet", "database"])
def test_the_owner_reads_the_question_the_answer_and_the_expectation_of_a_run(open_desk, monkeypatch, limit):
    monkeypatch.setattr(large, "LARGE", limit)
    desk = open_desk("hiring-agent")
    assert bool(desk.study.run_files()) == (limit == 10)
    asked = disputed_run(desk)
    owner = desk.owner()
    listed = re.search(r'<ol class="disputed-list">.*?</ol>', owner.entered.text, re.DOTALL)[0]
    assert asked.content["query_text"] in listed
    page = owner.client.get(f"/owner/items/{case_number(owner.entered.text)}").text
    head = re.search(r"<header.*?</header>", page, re.DOTALL)[0]
    assert asked.content["query_text"] in head
    for part in ("query_text", "response"):
        assert asked.content[part] in page, part
    assert "formType of a UI entry is &#39;ACTION&#39;" in page


def test_an_id_is_not_passed_off_as_the_question(open_desk, write):
    """Without a column of queries there is no question to show, and that is said."""
    table = 'Query ID,Raw JSON,응답\nq-77,"{""assistantMessage"": "" ""}",네 알겠습니다\n'
    desk = open_desk("hiring-agent", items=write("runs.csv", table))
    rater = desk.rater()
    assert rater.state["work"]["items"]
    view = rater.get("/desk/items/1")["view"]
    assert (view["query"], view["query_id"], view["message"]["text"]) == (None, "q-77", "네 알겠습니다")
    disputed_run(desk)
    owner = desk.owner()
    page = owner.client.get(f"/owner/items/{case_number(owner.entered.text)}").text
    assert "The file has no text of the query (query ID q-77)" in page


def test_a_rater_is_no_owner_and_no_program(desk):
    rater = desk.rater()
    for path in ("/owner", "/owner/export.zip"):
        assert rater.client.get(path).status_code == 401, path
    owner = desk.owner()
    (mine,), (theirs,) = rater.client.cookies.keys(), owner.client.cookies.keys()
    cookies = {theirs: rater.token, mine: owner.token}
    client = TestClient(desk.app, base_url=ADDRESS, cookies=cookies)
    assert client.get("/owner").status_code == 403
    assert client.get("/desk/state").status_code == 403


def test_a_judge_that_leans_is_told_in_the_visitor_s_language(desk):
    judged(desk, {"judge-a": ["1"] * 12, "judge-b": ["1", "0"] * 6})
    owner = desk.owner()
    assert "judge-a: it gave all of its 12 items the same score" in owner.entered.text
    assert "judge-b: it gave" not in owner.entered.text
    owner.client.get("/language/ko?back=owner")
    assert "judge-a: 항목 12개에 모두 같은 점수를 주었습니다" in owner.client.get("/owner").text


@pytest.fixture(scope="module")
def sessions(demo):
    """The dashboard's page of the demo's study with totals of many values and few items, and its figures."""
    study = Study(demo / "maice-qac")
    visitor = TestClient(create_app(study, Options(lang="en")), base_url="http://127.0.0.1:8000")
    page = visitor.get(f"/enter/{invite_owner(study.database)}").text
    return page, figures_of(Analysis(study)), study


def test_equal_values_are_counted_only_where_the_report_does(sessions):
    page, figures, study = sessions
    analysis = Analysis(study)
    for kind, rows in (("human", figures.agreement), ("ai", figures.judges_agreement)):
        shown = criteria_table(study.rubric, "", analysis.agreement.among[kind])
        same = {row[0].key: row[-1].value for row in shown.rows}
        assert {one.score: one.percent.value for one in rows} == same
    assert [one.score for one in figures.agreement if one.percent.value is None] == ["A", "B", "total"]
    assert len(re.findall('title="of scores with more than 10 different values', page)) == 6


def test_an_interval_of_agreement_is_drawn_to_its_end(sessions):
    page, figures, _ = sessions
    for rows in (figures.agreement, figures.judges_agreement):
        low = min(0, *(one.alpha.ci95[0] for one in rows))
        for one in rows:
            ends = [f"{10 + (end - low) / (1 - low) * 100:.1f}" for end in one.alpha.ci95]
            assert f'class="range" x1="{ends[0]}" x2="{ends[1]}"' in page, one.score
