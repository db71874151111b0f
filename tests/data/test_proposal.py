"""What a page shows before files are taken: plain data in both languages, which writes nothing and raises nothing."""

from __future__ import annotations

import json

import pytest

import haechi
from haechi.data.proposal import ReadingOptions, propose
from haechi.data.tables import TableReading
from haechi.study.study import Study

FORM = "닉네임,들은 방송,합리성\n별하,1부,O\n라온,1부,X\n"


@pytest.fixture
def study(tmp_path):
    return Study.new(tmp_path / "s", "diary-comment")


def test_a_question_is_answered_by_a_mapping_and_the_answer_is_taken(study, write):
    asked = study.propose(write("f.csv", FORM), "ratings")
    plain = asked.as_json("ko")
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["ready"], plain["ratings"], len(plain["asked"])) == (False, 0, 1)
    assert plain["columns"][2]["sample"] == ["O", "X"]
    assert plain["fields"]["sensibleness"] == "합리성"
    with pytest.raises(Exception, match="들은 방송"):
        study.take(asked)
    answered = asked.mapped({"item": "들은 방송"})
    assert (answered.ready, answered.count, study.ratings().height) == (True, 2, 0)
    assert (study.take(answered).new, study.ratings().height) == (2, 2)


def test_a_later_answer_about_a_column_replaces_the_earlier(study, write):
    file = write("f.csv", FORM)
    twice = study.propose(file, "ratings").mapped({"rater": "들은 방송"}).mapped({"item": "들은 방송"})
    assert twice.wishes.reading.map == (("item", "들은 방송"),)
    assert twice.ready


def test_what_is_wrong_with_a_file_is_part_of_the_proposal(study, write, tmp_path):
    assert not study.propose(tmp_path / "nothing.csv", "ratings").ready
    bad = study.propose(write("b.csv", "번호,평가자,합리성\nd1,kim,7\nd2,kim,1\n"), "ratings").as_json("en")
    assert (bad["ratings"], bad["problems"][0]["at"]) == (1, "b.csv:2, 합리성")


def test_items_and_conversations(study, write, tmp_path):
    diaries = study.propose(write("d.csv", "번호,일기,GPT 코멘트,모델B 코멘트\nd1,비,네,응\n"), "items")
    assert (diaries.count, diaries.as_json("en")["columns"][1]["sample"]) == (2, ["비"])
    assert study.take(diaries).new == 2
    chats = Study.new(tmp_path / "c", "ubica")
    talk = write("talk.txt", "2026년 11월 3일 오후 3:12, 민서 : 안녕\n2026년 11월 3일 오후 3:13, 루나 : 네\n")
    who = chats.propose(talk, "items")
    assert "민서 (1), 루나 (1)" in who.as_json("en")["problems"][0]["found"]
    said = chats.propose(talk, "items", ReadingOptions(assistant=("루나",)))
    assert (said.count, said.as_json("en")["formats"]) == (1, ["talk.txt: read as KakaoTalk"])
    assert chats.take(said).new == 1


def test_the_format_of_a_file_with_another_ending(study, write):
    file = write("d.dat", "번호,일기,코멘트\nd1,비,네\n")
    assert not study.propose(file, "items").ready
    named = study.propose(file, "items", ReadingOptions(TableReading(format="csv")))
    assert (named.ready, study.take(named).new) == (True, 1)
    wrong = study.propose(file, "items", ReadingOptions(TableReading(format="kakaotalk"))).as_json("en")[
        "problems"
    ]
    assert wrong[0]["at"] == "--format"
    ratings = write("r.dat", "번호,평가자,합리성\nd1,kim,1\n")
    assert study.propose(ratings, "ratings", ReadingOptions(TableReading(format="csv"))).ready


def test_a_mapping_to_a_column_that_is_not_there_is_told(study, write):
    found = propose(
        [write("f.csv", FORM)], study.rubric, "ratings", ReadingOptions().mapped({"item": "방송"})
    )
    assert found.as_json("en")["problems"][0]["next"] == 'did you mean "들은 방송"?'


def test_joined_fields_can_be_tried_and_the_ids_named(haechi, study, write):
    study.add({"id": ["d1", "d2"], "context": ["비", "눈"], "response": ["네", "응"]})
    table = write("g.csv", "코드,반,비고\nd1,3,x\nd2,4,y\n")
    options = ("--join", "--map", "id=코드", "--map", "ignore=비고")
    tried = haechi("add", study.folder, table, *options, "--dry-run", "--json").json
    assert (tried["joined"], tried["fields"], tried["dry_run"]) == (2, ["반"], True)
    assert [item.meta for item in study.items()] == [{}, {}]
    haechi("add", study.folder, table, *options)
    assert [item.meta for item in study.items()] == [{"반": "3"}, {"반": "4"}]
    assert haechi("add", study.folder, table, "--join", "--map", "반=코드").code == 1


def test_a_sheet_is_chosen_for_conversations_too(haechi, tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["id", "role", "content"])
    book.active.append(["a", "user", "첫째"])
    second = book.create_sheet("둘")
    second.append(["id", "role", "content"])
    second.append(["b", "user", "둘째"])
    book.save(tmp_path / "b.xlsx")
    haechi("new", tmp_path / "s", "--rubric", "ubica")
    haechi("add", tmp_path / "s", tmp_path / "b.xlsx", "--sheet", "둘")
    assert [item.id for item in Study(tmp_path / "s").items()] == ["b"]


def test_columns_of_questions_and_answers_are_shown_as_the_file_has_them(write):
    file = write("qa.csv", "대화 번호,질문,답변,방송\nL-01,왜 늦었어?,길이 막혔어,1부\n")
    found = propose([file], haechi.rubric("ubica"), "items")
    (table,) = found.tables
    assert [(one.column, one.meaning.ko) for one in table.columns] == [
        ("대화 번호", "항목"),
        ("질문", "질문"),
        ("답변", "답변"),
        ("방송", "메타"),
    ]
    assert table.columns[1].sample == ("왜 늦었어?",)
    assert found.count == 1
