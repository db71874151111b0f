"""The same desk on PostgreSQL, against a real server that the tests start."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from desks import desk, open_desk
from visitors import DATA, FILES, Desk

from haechi.errors import HaechiError
from haechi.store.desk import ItemDistribution
from haechi.store.rater_fields import keep_fields
from haechi.store.raters import ADJUDICATOR, invite_guest, invite_survey
from haechi.store.survey_links import read_survey_links
from haechi.store.talks import Spent, end_talk, is_said, note_ask, note_cost, say, spent_in_talk
from haechi.study.study import Study
from haechi.web.options import Options

FIELDS = ("sensibleness", "specificity", "sympathy")


@pytest.fixture
def study(empty_database, tmp_path):
    made = Study.new(tmp_path / "diaries", "diary-comment", database=empty_database)
    made.add([DATA / FILES["diary-comment"]])
    yield made
    made.database.close()


def rate_all(rater):
    while waiting := [item for item in rater.get("/desk/work")["items"] if not item["finished"]]:
        for item in waiting:
            for field in FIELDS:
                assert rater.answer(field, "1", position=item["position"]).status_code == 200


def test_the_study_is_found_again_through_its_folder(study, empty_database):
    assert f"database: {empty_database}" in (study.folder / "study.yaml").read_text("utf-8")
    again = Study(study.folder)
    assert again.count_items() == 24
    assert not (study.folder / "study.db").exists()
    again.database.close()


def test_overlap_holds_when_many_raters_ask_at_once(study):
    desk = Desk(study, Options(given={"overlap": 2}, lang="en"))
    raters = [desk.rater(f"teacher-{n}") for n in range(5)]
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(rate_all, raters))
    per_item = Counter(row["item"] for row in desk.ratings() if row["criterion"] == "sympathy")
    assert set(per_item.values()) == {2}
    assert len(per_item) == 24


def test_a_double_click_from_many_tabs_is_one_rating(study):
    desk = Desk(study, Options(lang="en"))
    rater = desk.rater()
    marks = rater.marks()
    bodies = [{"id": f"click-{n % 5:04d}", **marks, "field": "sympathy", "value": "1"} for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: rater.post("/desk/answers", body).status_code, bodies))
    assert set(answers) == {200}
    assert len(desk.ratings()) == 1


def test_ratings_cannot_be_changed_by_whoever_holds_the_connection(study):
    desk = Desk(study, Options(lang="en"))
    desk.rater().answer("sympathy", "1")
    for statement in ("UPDATE ratings SET value = '0'", "DELETE FROM ratings"):
        with pytest.raises(HaechiError, match="append-only"), study.database.write() as connection:
            connection.execute(statement)
    assert [row["value"] for row in desk.ratings()] == ["1"]


def test_the_owner_decides_and_exports(study):
    desk = Desk(study, Options(lang="en"))
    rate_all(desk.rater("teacher-1"))
    owner = desk.owner()
    assert "24 / 24" in owner.entered.text
    assert owner.client.get("/owner/export.zip").status_code == 200
    assert ADJUDICATOR not in {row["rater"] for row in desk.ratings()}


def test_text_that_postgresql_cannot_keep_is_cleaned(study):
    desk = Desk(study, Options(lang="en"))
    assert desk.rater().answer("sympathy", "1", evidence="before\0after").status_code == 200
    assert desk.ratings()[0]["evidence"] == "beforeafter"


def test_an_address_that_does_not_answer_is_explained_without_its_password(tmp_path):
    address = "postgresql://someone:secret@127.0.0.1:1/nothing"
    with pytest.raises(HaechiError) as error:
        Study.new(tmp_path / "x", "ubica", database=address)
    assert "running" in error.value.problems[0].expected.en
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("address", ["mysql://x", "postgres", 7])
def test_other_addresses_are_refused(tmp_path, address):
    with pytest.raises(HaechiError):
        Study.new(tmp_path / "x", "ubica", database=address)
    assert not (tmp_path / "x").exists()


def test_participants_their_links_and_their_conversations(empty_database, tmp_path):
    study = Study.new(tmp_path / "luna", "ubica", database=empty_database)
    token = invite_survey(study.database, "class-3", 1, 7)
    assert invite_survey(study.database, "class-3", 2, 7) != token  # a new link of the same name counts on
    with study.database.write() as connection:
        (link,) = read_survey_links(connection)
        invite_guest(connection, study.rubric, "guest-1", 1, link, own=True)
        keep_fields(connection, "guest-1", {"age_band": "20s", "job": None})
        say(connection, "guest-1", "user", "안녕", "message-1")
        note_cost(connection, note_ask(connection, "guest-1", "openai:luna", 0.5), 0.25)
        say(connection, "guest-1", "assistant", "반가워요")
        assert is_said(connection, "guest-1", "message-1")
        assert end_talk(connection, "guest-1", "openai:luna") == "talk-guest-1"
    with study.database.write() as connection:
        assert end_talk(connection, "guest-1", "openai:luna") == "talk-guest-1"  # done again it is the same
    with study.database.read() as connection:
        (link,) = read_survey_links(connection)
        assert (link.began, link.holding, link.state) == (1, 1, "open")
        assert spent_in_talk(connection, "guest-1") == Spent(1, 0.25)
    assert study.rater_fields() == ["rater.age_band", "rater.job"]
    assert [item.id for item in study.items()] == ["talk-guest-1"]
    study.database.close()


def test_pairs_are_kept_with_the_order_in_which_they_were_seen(empty_database, tmp_path):
    from haechi.analysis.ranking import ranking
    from haechi.analysis.study_votes import study_votes

    duels = Study.new(tmp_path / "duels", "diary-duel", database=empty_database)
    try:
        duels.add([DATA / "diary-duel" / "pairs.jsonl"])
        duels.import_votes(DATA / "diary-duel" / "votes.csv")
        assert ranking(study_votes(duels)).position.swapped_pairs == 36
        rater = Desk(duels, Options(lang="en")).rater("kim")
        assert rater.state["work"]["items"]
        assert rater.answer("overall", "b").status_code == 200
        assert ranking(study_votes(duels)).strengths.n == 181
    finally:
        duels.database.close()
