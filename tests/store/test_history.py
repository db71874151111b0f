"""What came in is numbered and can be taken back, in both databases, without anything being removed."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from haechi.analysis.analysis_cache import open_analysis
from haechi.data.rating import Rating
from haechi.errors import HaechiError
from haechi.store import large
from haechi.store.database import RuleBroken
from haechi.store.due_items import JudgeQuestion, count_due
from haechi.store.ratings import append_ratings
from haechi.study.study import Study

ITEMS = {"id": ["d1", "d2"], "context": ["비", "눈"], "response": ["우산", "장갑"], "mode": ["x", "y"]}


@pytest.fixture(params=["sqlite", "postgresql"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Study]:
    address = request.getfixturevalue("empty_database") if request.param == "postgresql" else None
    made = Study.new(tmp_path / "study", "diary-comment", database=address)
    yield made
    made.database.close()


def rated(rater: str, *values: int) -> dict[str, list[object]]:
    ids = [f"d{n}" for n in range(1, len(values) + 1)]
    return {"item": ids, "rater": [rater] * len(values), "sympathy": list(values)}


def values(study: Study) -> dict[tuple[str, str], str]:
    return {(row["item"], row["rater"]): row["value"] for row in study.ratings().iter_rows(named=True)}


def test_an_import_is_taken_back_and_restored(study):
    assert study.add(ITEMS).number == 1
    assert study.import_ratings(rated("kim", 1, 0)).number == 2
    assert study.import_ratings(rated("kim", 1, 0)).number is None, "it changed nothing"
    assert study.import_ratings(rated("lee", 0, 0)).number == 3
    done = study.undo(2)
    assert (done.number, done.about.number, done.ratings, done.restored) == (4, 2, 2, False)
    assert values(study) == {("d1", "lee"): "0", ("d2", "lee"): "0"}
    assert study.scores().frame["rater"].to_list() == ["lee", "lee"]
    assert study.undo(4).restored
    assert len(values(study)) == 4
    assert not study.undo(5).restored  # of the restoring
    assert len(values(study)) == 2
    assert [step.taken_back for step in study.history()] == [False, True, False, False, False, False]
    assert study.import_ratings(rated("kim", 1, 0)).new == 2, "the same file again, anew"
    assert len(values(study)) == 4


def test_without_a_number_the_newest_in_force(study):
    study.add(ITEMS)
    study.import_ratings(rated("kim", 1, 0))
    assert [study.undo().about.number for _ in range(2)] == [2, 1]
    assert study.count_items() == 0
    with pytest.raises(HaechiError, match="nothing to take back"):
        study.undo()
    for wrong in (1, 9):
        with pytest.raises(HaechiError):
            study.undo(wrong)


def test_a_correction_is_taken_back_alone(study):
    study.import_ratings(rated("kim", 1, 0))
    study.import_ratings(rated("kim", 0), correct=True)
    study.undo(2)
    assert values(study) == {("d1", "kim"): "1", ("d2", "kim"): "0"}
    study.undo(3)
    study.undo(1)
    assert values(study) == {("d1", "kim"): "0"}, "what came later stays"
    study.import_ratings(rated("kim", 0, 1), create_items=True)
    assert values(study) == {("d1", "kim"): "0", ("d2", "kim"): "1"}
    study.undo(2)
    study.import_ratings(rated("kim", 1, 1), create_items=True)
    assert values(study) == {("d1", "kim"): "1", ("d2", "kim"): "1"}


def test_a_replaced_item_comes_back(study):
    study.add(ITEMS)
    study.add({**ITEMS, "response": ["우산!", "장갑"]}, replace=True)
    assert [item.content["response"] for item in study.items()] == ["우산!", "장갑"]
    assert study.undo().items == 1
    assert [item.content["response"] for item in study.items()] == ["우산", "장갑"]
    study.undo(3)
    assert [item.content["response"] for item in study.items()] == ["우산!", "장갑"]
    study.undo(1)
    assert [item.content["response"] for item in study.items()] == ["우산!"]
    assert study.add({**ITEMS, "response": ["우산!", "장갑"]}).new == 1


def test_rated_items_stay_without_content(study):
    study.add(ITEMS)
    study.import_ratings(rated("kim", 1))
    assert study.undo(1).left_bare == 1
    assert [(item.id, item.kind) for item in study.items()] == [("d1", "bare")]
    assert study.scores().frame["item"].to_list() == ["d1"]
    assert study.add(ITEMS).filled == 1
    assert [item.kind for item in study.items()] == ["reply", "reply"]


def test_items_of_the_first_ratings_stay_for_the_second(study):
    study.import_ratings(rated("kim", 1, 0))
    study.import_ratings(rated("lee", 0))
    study.undo(1)
    assert [item.id for item in study.items()] == ["d1"]
    study.undo(2)
    assert study.count_items() == 0
    assert study.import_ratings(rated("park", 1, 1, 1)).bare_items == 3, "a study without items takes them"


def test_judges_see_what_is_in_force(study):
    study.add(ITEMS)
    study.add({"id": ["d3"], "context": ["해"], "response": ["모자"]})
    asked = JudgeQuestion("judge", 1, "", ("sympathy",))
    for due in (3, 2):
        with study.database.read() as connection:
            assert count_due(connection, asked, "reply") == due
        study.undo()


def test_what_is_open_notices_an_undoing(tmp_path):
    study = Study.new(tmp_path / "study", "diary-comment")
    study.add(ITEMS)
    study.import_ratings(rated("kim", 1))
    study.import_ratings(rated("lee", 1, 0))
    assert open_analysis(study.folder).n_rated == 2
    study.undo()
    assert open_analysis(study.folder).n_rated == 1


def test_the_record_is_append_only(study):
    study.add(ITEMS)
    for change in ("UPDATE imports SET what = 'meta'", "DELETE FROM imports"):
        with (
            pytest.raises((HaechiError, RuleBroken), match="append-only"),
            study.database.write() as connection,
        ):
            connection.execute(change)


def test_a_batch_is_taken_back_and_taken_anew(study, write):
    study.add(ITEMS)
    said = json.dumps({"sensibleness": 1, "specificity": 1, "sympathy": 0})
    body = {"model": "gpt", "choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
    lines = [{"custom_id": f"d{n}", "response": {"status_code": 200, "body": body}} for n in (1, 2)]
    file = write("results.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert study.import_results([file], "openai").ratings.number == 2
    assert study.import_results([file], "openai").ratings.number is None
    assert study.undo().ratings == 6
    assert study.ratings().is_empty()
    assert study.import_results([file], "openai").ratings.new == 6
    study.undo(3)
    assert study.ratings().height == 6


def runs(path: Path, count: int, start: int = 0, said: str = "네") -> Path:
    made = (
        {"item_id": f"r{n}", "query_id": f"q{n}", "round": 1, "raw_json": {"assistantMessage": said}}
        for n in range(start, start + count)
    )
    path.write_text("".join(json.dumps(run) + "\n" for run in made), "utf-8")
    return path


def test_runs_in_files_are_taken_back_and_restored(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 20)
    study = Study.new(tmp_path / "study", "hiring-agent")
    first, more = runs(tmp_path / "a.jsonl", 30), runs(tmp_path / "b.jsonl", 5, 30)
    study.add([first])
    study.add([more])
    study.bring_rows()
    changed = runs(tmp_path / "c.jsonl", 3, 1, "아니요")
    study.add([changed], replace=True)
    assert study.count_items() == 35
    with pytest.raises(HaechiError, match="3 replaced runs of it"):
        study.undo(1)
    assert study.undo(3).items >= 3
    assert ["네" in item.content["payload"] for item in study.items(["r1"])] == [True]
    assert study.undo(2).items == 5
    assert study.count_items() == 30
    assert study.scores().rows == 30
    study.bring_rows()
    with study.database.read() as connection:
        assert count_due(connection, JudgeQuestion("judge", 1, "", ("intent",)), "run") == 30
    assert study.add([more]).new == 5, "the same file again, anew"
    assert study.count_items() == 35
    study.undo(4)
    assert study.count_items() == 35
    assert ["아니요" in item.content["payload"] for item in study.items(["r1"])] == [True]


def test_a_study_from_before_goes_on(tmp_path):
    study = Study.new(tmp_path / "study", "diary-comment")
    study.add(ITEMS)
    study.import_ratings(rated("kim", 1, 0))
    old = sqlite3.connect(tmp_path / "study" / "study.db")
    old.executescript("DROP TRIGGER imports_are_not_removed; DELETE FROM imports;")
    old.close()
    assert study.history() == []
    assert study.import_ratings(rated("lee", 1, 0)).number == 1
    study.undo()
    assert values(study) == {("d1", "kim"): "1", ("d2", "kim"): "0"}


UNDOING = """
import sys
from haechi.study.study import Study
study = Study(sys.argv[1])
print("ready", flush=True)
while True:
    study.undo(study.undo(1).number)
"""


def test_killed_while_undoing_nothing_is_half_undone(tmp_path):
    study = Study.new(tmp_path / "study", "diary-comment")
    study.import_ratings(rated("kim", *([1] * 300)))
    script = tmp_path / "undoing.py"
    script.write_text(UNDOING)
    chance = random.Random(1)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, str(script), str(study.folder)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.random() / 10)
            process.send_signal(signal.SIGKILL)
        (first, *_) = study.history()
        assert study.ratings().height == (0 if first.taken_back else 300)
        if first.taken_back:
            study.undo(study.history()[-1].number)


def test_meta_is_joined_taken_back_and_kept_for_later(study):
    study.add(ITEMS)
    done = study.join({"session": ["d1", "d2"], "반": ["1", "2"]})
    assert (done.joined, done.later, done.number) == (2, 0, 2)
    assert [item.meta for item in study.items()] == [{"mode": "x", "반": "1"}, {"mode": "y", "반": "2"}]
    assert study.join({"session": ["d1", "d2"], "반": ["1", "2"]}).number is None
    assert study.add(ITEMS).unchanged == 2, "the same file again changes nothing"
    study.import_ratings(rated("kim", 1, 0))
    assert [row.by for row in study.scores(by="반").summary] == [{}, {"반": "1"}, {"반": "2"}]
    with pytest.raises(HaechiError, match="mode of d1: 'x' in the study, 'z' in the file"):
        study.join({"id": ["d1"], "mode": ["z"]})
    study.join({"id": ["d1"], "mode": ["z"]}, replace=True)
    assert next(study.items()).meta["mode"] == "z"
    study.undo()
    assert next(study.items()).meta["mode"] == "x"
    study.undo(2)
    assert "반" not in next(study.items()).meta
    with pytest.raises(HaechiError, match="1 item ids that the study does not have"):
        study.join({"id": ["d1", "d7"], "반": ["1", "2"]})
    assert study.join({"id": ["d1", "d7"], "반": ["1", "2"]}, create_items=True).later == 1
    assert study.count_items() == 2
    study.add({"id": ["d7"], "context": ["해"], "response": ["모자"]})
    assert [item.meta for item in study.items(["d7"])] == [{"반": "2"}]


def test_the_commands(haechi, tmp_path, write):
    study = tmp_path / "study"
    assert haechi("new", study, "--rubric", "diary-comment").code == 0
    items = write("items.csv", "id,context,response\nd1,비,우산\nd2,눈,장갑\n")
    assert haechi("add", study, items, "--json").json["import"] == 1
    joined = haechi(
        "add", study, write("groups.csv", "session,mode,level\nd1,agent,Q1\nd2,free,Q2\n"), "--join"
    )
    assert "meta joined to 2 items" in joined.out
    ratings = write("r.csv", "item,rater,sympathy\nd1,kim,1\nd2,kim,0\n")
    assert "haechi undo" in haechi("import", study, ratings, "--as", "ratings").err
    assert haechi("score", study, "--by", "level", "--json").json["summary"][1]["by"] == {"level": "Q1"}
    wrong = write("wrong.csv", "item,rater,sympathy\nd1,lee,1\nd11,lee,0\n")
    refused = haechi("import", study, wrong, "--as", "ratings")
    assert refused.code == 1
    assert "d11 → d1" in refused.err
    assert (
        haechi("import", study, wrong, "--as", "ratings", "--create-items", "--json").json["bare_items"] == 1
    )
    assert haechi("undo", study, "--json").json == {
        **{"number": 5, "about": 4, "restored": False, "items": 0, "ratings": 2, "left_bare": 0}
    }
    told = haechi("history", study, "--json").json
    assert [(step["number"], step["what"]) for step in told["imports"]] == [
        (1, "items"),
        (2, "meta"),
        (3, "ratings"),
        (4, "ratings"),
        (5, "undo"),
    ]
    assert told["imports"][0]["files"][0]["name"] == "items.csv"
    assert len(told["imports"][0]["files"][0]["sha256"]) == 64
    assert told["imports"][3]["taken_back"]
    assert "5: took back" not in haechi("history", study).out
    assert "4: took back" in haechi("history", study).out
    assert haechi("undo", study, "9").code == 1
    assert haechi("undo", study, "x").code == 2


def test_times_are_those_of_this_machine_and_days_too(haechi, tmp_path, write, monkeypatch):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    haechi("add", tmp_path / "s", write("d.csv", "id,context,response\nd1,비,네\n"))
    study = Study(tmp_path / "s")
    rating = Rating("d1", "sympathy", "kim", "human", "1")
    with study.database.write() as connection:
        append_ratings(connection, [("", rating)], study.rubric.version, "by hand")
    stored = haechi("history", tmp_path / "s", "--json").json
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")  # fourteen hours ahead of UTC
    time.tzset()
    try:
        shown = haechi("history", tmp_path / "s").out
        told = haechi("history", tmp_path / "s", "--json").json
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "+14:00" in shown
    assert told["imports"][0]["at"] == stored["imports"][0]["at"]
    assert told["imports"][0]["at"].endswith("+00:00")
    moment = datetime.fromisoformat(told["imports"][0]["at"]) + timedelta(hours=14)
    assert told["others"][0]["day"] == f"{moment:%Y-%m-%d}"
