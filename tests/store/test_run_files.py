"""Very many runs are kept as Parquet files, and everything says the same as with a row for each."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from haechi.errors import HaechiError
from haechi.store import clashes, large
from haechi.store.items import read_items
from haechi.study.study import Study

FEW = 20


def runs(count: int, start: int = 0) -> list[dict[str, Any]]:
    """Runs with repeats, failures, odd ids and meta fields of several kinds."""
    made = []
    for n in range(start, start + count):
        payload = {"assistantMessage": f"{n}번 추가했습니다", "responseTimeSec": n % 9, "dataUIList": []}
        run = {
            "item_id": f"r{n}",
            "query_id": f"q{n // 3}",
            "round": n % 3 + 1,
            "raw_json": json.dumps(payload),
        }
        run |= {
            "expected_result": "@check formType=LINK",
            "category": "기본" if n % 2 else None,
            "latency_ms": n,
        }
        run |= {
            "team": ["가", 7, None][n % 3],
            "응답": f" 답 {n} ",
            "meta": {"rater": n % 2, "query": "x"},
        }
        run |= {"error": "TimeoutError"} if n % 11 == 0 else {}
        made.append(run)
    return made


def lines(path: Path, records: list[dict[str, Any]], encoding: str = "utf-8") -> Path:
    path.write_bytes("\n".join(json.dumps(r, ensure_ascii=False) for r in records).encode(encoding))
    return path


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LARGE", FEW)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return lines(tmp_path / "runs.jsonl", runs(60))


@pytest.fixture
def study(tmp_path: Path, few: None, file: Path) -> Study:
    made = Study.new(tmp_path / "large", "hiring-agent")
    assert made.add([file]).backing == "parquet"
    return made


@pytest.fixture
def rows(tmp_path: Path, file: Path) -> Study:
    """The same runs with a row in the database for each."""
    made = Study.new(tmp_path / "rows", "hiring-agent")
    before, large.LARGE = large.LARGE, 1000
    assert made.add([file]).backing == "database"
    large.LARGE = before
    return made


def test_the_command_says_where_runs_are_kept(haechi, few, file, tmp_path):
    folder = tmp_path / "study"
    haechi("new", folder, "--rubric", "hiring-agent")
    ran = haechi("add", folder, file)
    assert "Kept as Parquet: this study began with more than 20 runs" in ran.out
    again = haechi("add", folder, file, "--json").json
    assert (again["new"], again["unchanged"], again["backing"], again["items"]) == (0, 60, "parquet", 60)
    assert "Parquet로 보관합니다" in haechi("add", folder, file, "--lang", "ko").out


def test_runs_come_back_as_they_were(study, rows):
    assert {item.id: item.digest for item in study.items()} == {i.id: i.digest for i in rows.items()}
    assert [item.id for item in study.items({"r3", "r59", "none"})] == ["r3", "r59"]
    assert (study.count_items(), set(study.meta_fields())) == (60, set(rows.meta_fields()))


@pytest.mark.parametrize("by", [(), ("--by", "team"), ("--by", "meta.rater,category"), ("--by", "rater")])
def test_scores_are_those_of_a_study_in_the_database(haechi, study, rows, write, by):
    verdicts = "item,criterion,rater,kind,value\n" + "".join(
        f"r{n},intent,qa-{rater},human,GOOD\n" for n in (1, 2, 58) for rater in (1, 2)
    )
    for one in (study, rows):
        assert haechi("import", one.folder, write("v.csv", verdicts), "--as", "ratings").code == 0
    ours, theirs = (haechi("score", one.folder, *by, "--json").json for one in (study, rows))
    assert ours["summary"] == theirs["summary"]
    keys = ("item", "rater", "replicate")
    both = [{tuple(entry[k] for k in keys): entry for entry in found["items"]} for found in (ours, theirs)]
    assert both[0] == both[1]
    assert study.count_items() == 60, "a run with a verdict counts once"
    agreed = [haechi("agree", one.folder, "--json").json["criteria"]["intent"] for one in (study, rows)]
    assert agreed[0] == agreed[1]


def test_replies_of_judges_about_runs_in_files_are_imported_like_those_about_rows(haechi, study, rows, write):
    def line(item: str) -> str:
        said = json.dumps({"intent": {"evidence": "'추가했습니다'라고 답함", "value": "GOOD"}})
        body = {"model": "gpt-5-mini", "choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
        return json.dumps({"custom_id": item, "response": {"status_code": 200, "body": body}, "error": None})

    results = write("results.jsonl", "\n".join(line(f"r{n}") for n in (1, 2, 58)))
    done = [haechi("import", s.folder, results, "--as", "openai-batch", "--json").json for s in (study, rows)]
    assert done[0] == done[1]
    assert (done[0]["ratings"]["new"], done[0]["bare_items"]) == (3, 0)
    ours, theirs = (haechi("score", one.folder, "--json").json for one in (study, rows))
    assert ours["summary"] == theirs["summary"]
    assert study.evidence().as_json() == rows.evidence().as_json() != {}
    assert study.count_items() == 60
    more = ("import", study.folder, write("more.jsonl", line("x1")), "--as", "openai-batch")
    assert "none of 1 item ids is in the study" in haechi(*more).err
    unknown = haechi(*more, "--create-items")
    assert "1 items were not there yet" in unknown.out
    verdict = write(
        "v.csv", "item,criterion,rater,kind,value\nr3,intent,qa,human,GOOD\nx2,intent,qa,human,GOOD\n"
    )
    told = haechi("import", study.folder, verdict, "--as", "ratings", "--create-items", "--json").json
    assert told["bare_items"] == 1


def test_a_report_reads_the_files(haechi, study, tmp_path):
    assert haechi("report", study.folder, "-o", tmp_path / "report").code == 0
    assert "r0" in (tmp_path / "report" / "report.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["parquet", "csv", "cp949"])
def test_every_format_comes_to_the_same_runs(few, tmp_path, kind):
    records = [{k: v for k, v in run.items() if k not in ("meta", "team")} for run in runs(60)]
    columns = list({name: None for record in records for name in record})
    path = tmp_path / f"other.{'jsonl' if kind == 'cp949' else kind}"
    if kind == "parquet":
        pl.DataFrame(records, infer_schema_length=None).write_parquet(path, row_group_size=7)
    elif kind == "csv":
        with path.open("w", newline="", encoding="utf-8-sig") as out:
            writer = csv.DictWriter(out, columns)
            writer.writeheader()
            writer.writerows(records)
    else:
        lines(path, records, "cp949")
    study = Study.new(tmp_path / "study", "hiring-agent")
    assert study.add([path]).new == 60
    added = study.add([lines(tmp_path / "plain.jsonl", records)])
    assert (added.new, added.unchanged) == (0, 60)


def test_later_files_are_kept_alike_and_only_what_is_new_is_added(study, tmp_path):
    shuffled = [*runs(60)[10:30], *runs(5, start=60)]
    random.Random(1).shuffle(shuffled)
    added = study.add([lines(tmp_path / "more.jsonl", shuffled)])
    assert (added.backing, added.new, added.unchanged, added.replaced) == ("parquet", 5, 20, 0)
    assert sorted(int(item.id[1:]) for item in study.items()) == list(range(65))
    assert sum(file.runs for file in study.run_files()) == 65


def test_a_study_with_rows_stays_with_rows(few, rows, tmp_path):
    assert rows.add([lines(tmp_path / "more.jsonl", runs(40, start=60))]).backing == "database"
    assert rows.count_items() == 100


def test_changed_runs_are_refused_unless_they_replace(study, tmp_path):
    other = [{**run, "category": "새"} for run in runs(3)] + runs(2, start=70)
    path = lines(tmp_path / "changed.jsonl", other)
    with pytest.raises(HaechiError, match="r0 is there already with other content"):
        study.add([path])
    assert study.count_items() == 60
    (before,) = study.run_files()
    added = study.add([path], replace=True)
    assert (added.new, added.replaced, study.count_items()) == (2, 3, 62)
    assert {i.content["category"] for i in study.items({"r0", "r1", "r2"})} == {"새"}
    assert before.path.exists(), "the old content is kept"
    assert before not in study.run_files()
    again = study.add([path])
    assert (again.new, again.unchanged) == (0, 5)


@pytest.mark.parametrize("at_once", [25_000_000, 7])
def test_an_id_that_comes_twice_is_refused(few, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(clashes, "AT_ONCE", at_once)  # 7: the ids are compared in several rounds
    study = Study.new(tmp_path / "study", "hiring-agent")
    first, second = lines(tmp_path / "a.jsonl", runs(30)), lines(tmp_path / "b.jsonl", runs(30, start=29))
    for files in ([lines(tmp_path / "c.jsonl", [*runs(30), *runs(1)])], [first, second]):
        with pytest.raises(HaechiError, match="twice"):
            study.add(files, skip_bad=True)
    assert (study.count_items(), list((study.folder / "runs").iterdir())) == (0, [])
    assert study.add([first]).new == 30
    assert study.add([second]).unchanged == 1


def test_bad_rows_are_named_and_nothing_is_added_unless_they_are_skipped(few, tmp_path):
    study = Study.new(tmp_path / "study", "hiring-agent")
    bad = [*runs(40), {"item_id": "x", "raw_json": "{}"}]
    path = lines(tmp_path / "bad.jsonl", bad)
    path.write_text(path.read_text("utf-8") + "\n\n{nonsense\n")
    with pytest.raises(HaechiError, match=r"bad\.jsonl:41, query_id") as refused:
        study.add([path])
    assert "bad.jsonl:43" in str(refused.value)
    assert study.count_items() == 0
    added = study.add([path], skip_bad=True)
    assert (added.new, len(added.skipped), study.count_items()) == (40, 2, 40)


def test_meta_fields_that_appear_late_can_be_grouped_by(few, tmp_path, haechi, monkeypatch):
    monkeypatch.setattr("haechi.store.staging._ROWS", 8)  # several groups of rows to a file
    study = Study.new(tmp_path / "study", "hiring-agent")
    study.add([lines(tmp_path / "a.jsonl", [*runs(30), *({**r, "late": "yes"} for r in runs(10, start=30))])])
    study.add([lines(tmp_path / "b.jsonl", runs(10, start=40))])
    summary = haechi("score", study.folder, "--by", "late", "--json").json["summary"]
    assert {row["by"].get("late"): row["n"] for row in summary[1:]} == {"yes": 10, None: 40}


def everything(study: Study) -> list[tuple[str, str, str]]:
    return [(item.id, item.kind, item.digest) for item in study.items()]


def test_runs_in_files_get_rows_when_somebody_rates_them_one_by_one(haechi, study, rows):
    before, scores = everything(study), haechi("score", study.folder, "--json").json
    for judged in (study, rows):
        ran = haechi("judge", judged.folder, "--model", "openai:gpt-5-mini", "--dry-run", "--json")
        assert ran.json["judges"][0]["calls"] == 54, "of six that failed the rules say everything"
    with study.database.read() as connection:
        kept = [(item.id, item.kind, item.digest) for item in read_items(connection)]
    assert kept == before
    assert everything(study) == before, "a run with a row is still one run"
    assert study.count_items() == 60
    assert haechi("score", study.folder, "--json").json == scores
    assert haechi("raters", "add", study.folder, "a").code == 0


def test_rows_follow_the_files(study, tmp_path):
    """What is added or replaced later, what was killed halfway, and what had ratings before."""
    verdict = "item,criterion,rater,value\nr3,intent,qa,GOOD\nnobody,intent,qa,FAILED\n"
    table = tmp_path / "v.csv"
    table.write_text(verdict, "utf-8")
    study.import_ratings([table], create_items=True)
    study.bring_rows()
    with study.database.write() as connection:  # as if the process had been killed in the middle
        connection.execute("DELETE FROM items WHERE id = 'r7'")
    study.bring_rows()
    study.bring_rows()
    changed = runs(1, start=5)[0] | {"응답": "다른 답"}
    study.add([lines(tmp_path / "more.jsonl", [changed, *runs(2, start=60)])], replace=True)
    with study.database.read() as connection:
        kept = {item.id: item.digest for item in read_items(connection)}
        again = connection.value("SELECT count(*) FROM replaced_items")
    assert kept == {item.id: item.digest for item in study.items()}
    assert (len(kept), study.count_items(), again) == (63, 63, 2)
    assert study.scores().frame.filter(pl.col("rater") == "qa")["item"].to_list() == ["r3"]


def test_a_missing_file_is_named(haechi, study):
    (kept,) = study.run_files()
    kept.path.unlink()
    ran = haechi("score", study.folder)
    assert ran.code == 1
    assert kept.path.name in ran.err


ADDING = """
import sys
from haechi.store import large
from haechi.study.study import Study
if __name__ == "__main__":
    large.LARGE = 20
    Study(sys.argv[1]).add([sys.argv[2]])
"""


def test_killed_while_adding_nothing_is_half_added(few, tmp_path):
    study = Study.new(tmp_path / "study", "hiring-agent")
    path = lines(tmp_path / "runs.jsonl", runs(4000))
    script = tmp_path / "adding.py"
    script.write_text(ADDING)
    chance = random.Random(2)
    for _ in range(6):
        command = [sys.executable, str(script), str(study.folder), str(path)]
        process = subprocess.Popen(command)
        while process.poll() is None and not any((study.folder / "runs").glob(".adding-*/*.parquet")):
            time.sleep(0.001)
        time.sleep(chance.random() ** 2 * 0.3)
        process.kill()
        process.wait()
        assert study.count_items() in (0, 4000)
    added = study.add([path])
    assert added.new + added.unchanged == 4000
    assert study.count_items() == 4000
    assert sorted(p.name for p in (study.folder / "runs").iterdir()) == sorted(
        f.path.name for f in study.run_files()
    ), "nothing that a killed process left stays behind"


KILLED = """
import os, signal, sys
from pathlib import Path
from haechi.store.large import _aside
with _aside(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_at_the_first_moment_leaves_a_folder_that_the_next_addition_clears(study, tmp_path):
    folder = study.folder / "runs"
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    (left,) = folder.glob(".adding-*")
    assert not any(left.iterdir())
    with large._aside(folder) as ours:  # of a process that lives, so it stays
        study.add([lines(tmp_path / "more.jsonl", runs(10, start=60))])
        assert [*folder.glob(".adding-*")] == [ours]
    assert not any(folder.glob(".adding-*"))
