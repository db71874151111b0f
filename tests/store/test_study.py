"""A study keeps what it was given: all or nothing, once, and never overwritten."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import tempfile
import time
from pathlib import Path

import pytest

from haechi.analysis.analysis import Analysis
from haechi.errors import HaechiError
from haechi.study.study import Study
from processes import start_haechi

HEAD = "item,criterion,rater,kind,value\n"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.new(tmp_path / "study", "diary-comment")


def _items(path: Path, count: int, prefix: str = "d") -> Path:
    with path.open("w") as file:
        for number in range(count):
            file.write(
                json.dumps({"id": f"{prefix}{number}", "context": "일기 " * 20, "response": "코멘트"}) + "\n"
            )
    return path


def test_adding_the_same_file_again_changes_nothing(study, tmp_path):
    file = _items(tmp_path / "a.jsonl", 1200)
    assert study.add([file]).new == 1200
    again = study.add([file])
    assert (again.new, again.unchanged) == (0, 1200)
    assert study.count_items() == 1200


def test_a_changed_item_is_refused_unless_asked_and_the_old_content_is_kept(study, write):
    study.add([write("a.csv", "id,context,response\nd1,비,우산\nd2,눈,장갑\n")])
    changed = write("b.csv", "id,context,response\nd0,새,항목\nd1,비,장화\n")
    with pytest.raises(HaechiError, match=r"b.csv:3: found item d1 is there already"):
        study.add([changed])
    assert study.count_items() == 2, "nothing of a refused file is written"
    assert study.add([changed], replace=True).replaced == 1
    assert next(item for item in study.items() if item.id == "d1").content["response"] == "장화"
    with study.database.read() as connection:
        old = connection.value("SELECT content FROM replaced_items")
    assert json.loads(old)["response"] == "우산"


def test_connections_are_kept_open_for_a_while_and_no_longer(study, tmp_path):
    def logs() -> list[Path]:
        return list(study.folder.glob("*-wal"))

    def waits_for_the_disk() -> bool:
        with study.database.read() as connection:
            return bool(connection.value("PRAGMA synchronous") == 2)

    with study.database.kept_open():
        assert waits_for_the_disk()
        study.add([_items(tmp_path / "a.jsonl", 3)])
        assert logs(), "nothing was written back to the main file yet"
        assert Study(study.folder).count_items() == 3
    assert not logs()
    assert not waits_for_the_disk()
    assert study.count_items() == 3


def test_a_duplicated_id_is_named_and_nothing_is_written(study, write):
    file = write("a.csv", "id,context,response\nd1,비,우산\nd1,비,우산\n")
    with pytest.raises(HaechiError, match=r"a.csv:3: found id d1 twice"):
        study.add([file])
    assert study.count_items() == 0


def test_skip_bad_keeps_the_good_rows_and_lists_the_others(study, write):
    file = write("a.csv", "id,context,response\nd1,비,우산\n,x,y\nd2,a,b,c\nd3,눈,장갑\n")
    added = study.add([file], skip_bad=True)
    assert added.new == 2
    assert [problem.at for problem in added.skipped] == ["a.csv:3, id", "a.csv:4"]


def test_values_are_read_as_people_write_them_and_kept_as_the_scale_has_them(study, write):
    rows = "d1,sympathy,r1,human,１\nd1,sensibleness,r1,human,충족\nd1,specificity,r1,human,0.0\n"
    study.import_ratings([write("r.csv", HEAD + rows)])
    assert dict(study.ratings().select("criterion", "value").rows()) == {
        "sympathy": "1",
        "sensibleness": "1",
        "specificity": "0",
    }


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("d1,sympathy,r1,human,6", "value"),
        ("d1,sympathy,r1,human,maybe", "value"),
        ("d1,sympathy,r1,human,NaN", "value"),
        ("d1,sympathy,r1,human,Infinity", "value"),
        ("d1,kindness,r1,human,1", "criterion"),
        ("d1,sympathy,,human,1", "rater"),
        (",sympathy,r1,human,1", "item"),
        ("d1,sympathy,r1,robot,1", "kind"),
    ],
)
def test_a_bad_rating_is_named_by_line_and_field_and_nothing_is_written(study, write, row, field):
    file = write("r.csv", HEAD + "d0,sympathy,r1,human,1\n" + row + "\n")
    with pytest.raises(HaechiError) as caught:
        study.import_ratings([file])
    assert caught.value.problems[0].at == f"r.csv:3, {field}"
    assert study.ratings().is_empty()
    assert study.count_items() == 0


def test_a_table_with_a_column_per_criterion(study, write):
    done = study.import_ratings(
        [write("form.csv", "item,메모,sensibleness,sympathy\nd1,메모,1,0\nd2,,0,\n")], rater="teacher-1"
    )
    assert done.new == 3
    assert study.ratings()["rater"].unique().to_list() == ["teacher-1"]


def test_ratings_of_unknown_items_make_bare_items_that_add_fills(study, write):
    done = study.import_ratings([write("r.csv", HEAD + "d1,sympathy,r1,human,1\nd2,sympathy,r1,human,0\n")])
    assert done.bare_items == 2
    added = study.add([write("a.csv", "id,context,response\nd1,비,우산\n")])
    assert (added.new, added.filled) == (0, 1)
    assert study.count_items() == 2


def test_importing_again_changes_nothing_and_a_different_value_needs_correct(study, write):
    first = write("r.csv", HEAD + "d1,sympathy,r1,human,1\n")
    study.import_ratings([first])
    assert study.import_ratings([first]).unchanged == 1
    second = write("s.csv", HEAD + "d1,sympathy,r1,human,0\n")
    with pytest.raises(HaechiError, match="but 1 is stored"):
        study.import_ratings([second])
    assert study.import_ratings([second], correct=True).corrected == 1
    assert study.ratings()["value"].to_list() == ["0"]
    with study.database.read() as connection:
        chain = connection.rows("SELECT number, value, replaces FROM ratings ORDER BY number")
    assert chain == [(1, "1", None), (2, "0", 1)]


def test_two_rows_for_one_judgement_are_refused_not_averaged(study, write):
    with pytest.raises(HaechiError, match=r"twice: d1 × sympathy × r1 × 1;.*--keep last"):
        study.import_ratings([write("r.csv", HEAD + "d1,sympathy,r1,human,1\nd1,sympathy,r1,human,0\n")])


def test_a_rater_has_one_kind(study, write):
    study.import_ratings([write("r.csv", HEAD + "d1,sympathy,r1,human,1\n")])
    with pytest.raises(HaechiError, match="r1 is human in this study"):
        study.import_ratings([write("s.csv", HEAD + "d2,sympathy,r1,ai,1\n")])


def test_a_missing_rating_keeps_its_reason_and_is_no_zero(study, write):
    text = "item,criterion,rater,value,status,reason\nd1,sympathy,r1,,missing,판단할 수 없음\n"
    study.import_ratings([write("r.csv", text)])
    scores = study.scores()
    assert scores.frame["sympathy"].to_list() == [None]
    assert "판단할 수 없음" in scores.reasons["sympathy"][0]


@pytest.mark.parametrize("statement", ["UPDATE ratings SET value = '1'", "DELETE FROM ratings"])
def test_the_database_itself_refuses_to_change_ratings(study, write, statement):
    study.import_ratings([write("r.csv", HEAD + "d1,sympathy,r1,human,0\n")])
    connection = sqlite3.connect(study.folder / "study.db")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)


def test_a_study_from_a_newer_version_is_left_alone(study):
    settings = study.folder / "study.yaml"
    settings.write_text(settings.read_text().replace("haechi: 1", "haechi: 99"))
    with pytest.raises(HaechiError, match=r"format 99.*upgrade haechi"):
        Study(study.folder)
    settings.write_text(settings.read_text().replace("haechi: 99", "haechi: 1"))
    connection = sqlite3.connect(study.folder / "study.db")
    connection.execute("INSERT INTO migrations VALUES (9999, 'future', 'now')")
    connection.commit()
    with pytest.raises(HaechiError, match="format 9999"):
        Study(study.folder)


def test_a_folder_without_a_study_a_broken_database_and_a_taken_folder(tmp_path, study):
    with pytest.raises(HaechiError, match=r"no study\.yaml"):
        Study(tmp_path)
    with pytest.raises(HaechiError, match="a study is there already"):
        Study.new(study.folder, "ubica")
    for leftover in study.folder.glob("study.db*"):
        leftover.unlink()
    (study.folder / "study.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(HaechiError, match="not a database"):
        Study(study.folder)


def test_two_processes_adding_at_once_lose_nothing(study, tmp_path):
    files = [_items(tmp_path / f"{name}.jsonl", 3000, prefix=name) for name in "abcd"]
    running = [start_haechi("add", study.folder, file) for file in files]
    for process in running:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert study.count_items() == 12_000


def test_the_same_file_added_by_two_processes_at_once_is_added_once(study, tmp_path):
    file = _items(tmp_path / "a.jsonl", 3000)
    running = [start_haechi("add", study.folder, file) for _ in range(3)]
    for process in running:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert study.count_items() == 3000


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_import_leaves_all_or_nothing(study, tmp_path, blow):
    file = _items(tmp_path / "a.jsonl", 20_000)
    rng = random.Random(7)
    for _ in range(3):
        process = start_haechi("add", study.folder, file)
        time.sleep(rng.uniform(0.6, 1.6))
        process.send_signal(blow)
        _, err = process.communicate(timeout=60)
        assert study.count_items() in (0, 20_000)
        if blow == signal.SIGINT and process.returncode == 130:
            assert "Nothing half-written" in err
    assert study.add([file]).skipped == []
    assert study.count_items() == 20_000


@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_told_to_stop_does_so_in_order(tmp_path, blow):
    """SIGTERM ended it without a word unless something was being asked at that moment."""
    file = _items(tmp_path / "a.jsonl", 100_000)
    for turn in ("first", "again"):  # on a busy machine it may be done before it is told
        study = Study.new(tmp_path / turn, "diary-comment")
        process = start_haechi("add", study.folder, file)
        while not (study.folder / "study.db-wal").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(blow)
        _, err = process.communicate(timeout=60)
        if process.returncode != 0:
            break
        assert study.count_items() == 100_000
    assert process.returncode == 130, err
    assert "the same command again does the rest" in err
    assert study.count_items() == 0


def test_a_full_disk_is_said_and_nothing_is_half_written(study, tmp_path):
    file = _items(tmp_path / "a.jsonl", 20_000)

    def no_more_space() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    process = start_haechi("add", study.folder, file, preexec_fn=no_more_space)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "free space on the disk" in err
    assert study.count_items() == 0
    assert study.add([file]).new == 20_000


def test_a_folder_that_may_not_be_written_to_is_named(write, haechi):
    open_to_all = Path(tempfile.mkdtemp())
    open_to_all.chmod(0o755)
    study = Study.new(open_to_all / "study", "diary-comment")
    file = write("a.csv", "id,context,response\nd1,비,우산\n")
    haechi("add", study.folder, file, "--json")  # everything is imported before the rights are given up
    for path in [study.folder, *study.folder.iterdir()]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setuid(65534)  # root may write anywhere
        code = 9
        try:
            Study(study.folder).add([])
        except HaechiError as error:
            code = 1 if "permissions" in str(error) else 8
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 1
    shutil.rmtree(open_to_all)


def test_decisions_and_attention_items_are_no_measurements(study, write):
    attention = json.dumps(
        {"id": "d9", "context": "비", "response": "우산", "meta": {"attention": {"sympathy": 1}}}
    )
    study.add([write("a.jsonl", attention)])
    rows = "d1,sympathy,r1,human,1,\nd1,sympathy,adjudicator,human,0,adjudication\nd9,sympathy,r1,human,1,\n"
    table = write("r.csv", "item,criterion,rater,kind,value,stance\n" + rows)
    study.import_ratings([table], create_items=True)
    assert study.scores().frame.select("item", "rater", "sympathy").rows() == [("d1", "r1", 1.0)]
    assert study.ratings().height == 3
    analysis = Analysis(study)
    assert (study.count_items(), analysis.n_items, analysis.n_rated) == (2, 1, 1), "d9 is nothing to measure"
    assert study.selecting({"rater": "r1"}).count_measured() == 1


def test_an_item_that_tests_attention_is_taken_off_what_it_is_among(study, write):
    """Of what is selected without it, nothing is to be taken off."""
    given = {"context": "비", "response": "네"}
    items = [
        {"id": "d1", **given, "meta": {"system": "A"}},
        {"id": "d2", **given, "meta": {"system": "B"}},
        {"id": "d9", **given, "meta": {"system": "B", "attention": {"sympathy": 1}}},
    ]
    study.add([write("items.jsonl", "\n".join(map(json.dumps, items)))])
    assert (study.count_items(), study.count_measured()) == (3, 2)
    assert study.selecting({"system": "A"}).count_measured() == 1
    assert study.selecting({"system": "B"}).count_measured() == 1
    assert study.only(["d1", "d2"]).count_measured() == 2


def test_who_decides_is_told_by_the_stance_and_not_by_the_name(study, write):
    """A decision under another name counted as a person's rating where items are drawn."""
    rows = "d1,sympathy,head,human,0,adjudication\nd2,sympathy,adjudicator,human,1,\n"
    table = write("r.csv", "item,criterion,rater,kind,value,stance\n" + rows)
    study.import_ratings([table], create_items=True)
    assert study.rated_by_people() == {"d2"}
    assert study.scores().frame["item"].to_list() == ["d2"]


def test_what_only_mentions_attention_is_an_item_like_others(study):
    study.add(
        {"id": ["d1", "d2"], "context": ["비"] * 2, "response": ["네"] * 2, "note": ['"attention":', "x"]}
    )
    assert study.count_measured() == 2
