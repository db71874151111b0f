"""Somebody who answered twice: a file is scored, imported and reported with the same answers, or refused in the same words."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import haechi
from haechi.analysis.file_study import study_of
from haechi.data.proposal import ReadingOptions, propose
from haechi.data.rating_columns import read_ratings
from haechi.data.tables import Keep, TableReading
from haechi.errors import HaechiError
from haechi.study.study import Study

LONG = "item,criterion,rater,value,replicate\n" + "".join(
    f"d{n},sympathy,{rater},{value},{time}\n"
    for value, times in ((1, "122"), (0, "223"))
    for n in range(3)
    for rater, time in zip(("kim", "lee", "park"), times, strict=True)
)
WIDE = "item,rater,sympathy,specificity\n" + "d1,kim,1,0\nd2,kim,0,\n" + "d1,kim,0,1\nd2,lee,1,1\n"
COUNTED: dict[tuple[str, Keep], list[tuple[str, int, str]]] = {
    ("long", "first"): [("kim", 1, "1"), ("kim", 2, "0"), ("lee", 2, "1"), ("park", 2, "1"), ("park", 3, "0")],
    ("long", "last"): [("kim", 1, "1"), ("kim", 2, "0"), ("lee", 2, "0"), ("park", 2, "1"), ("park", 3, "0")],
    ("long", "all"): [
        ("kim", 1, "1"), ("kim", 2, "0"), ("lee", 1, "1"), ("lee", 2, "0"), ("park", 2, "1"), ("park", 3, "0"),
    ],
    ("wide", "first"): [("kim", 1, "0"), ("kim", 1, "1")],
    ("wide", "last"): [("kim", 1, "1"), ("kim", 1, "0")],
    ("wide", "all"): [("kim", 1, "0"), ("kim", 2, "1"), ("kim", 1, "1"), ("kim", 2, "0")],
}  # fmt: skip
"""Who answered about d1, which time, what; by criterion."""


def given(frame: pl.DataFrame) -> list[tuple[str, int, str]]:
    of_item = frame.filter(pl.col("item") == "d1").sort("criterion", "rater", "replicate")
    return of_item.select("rater", "replicate", "value").rows()


def file_of(folder: Path, shape: str, ending: str) -> Path:
    path = folder / f"{shape}.csv"
    path.write_text({"long": LONG, "wide": WIDE}[shape], "utf-8")
    if ending == "jsonl":
        pl.read_csv(path).write_ndjson(path := path.with_suffix(".jsonl"))
    return path


@pytest.mark.parametrize("ending", ["csv", "large csv", "jsonl"])
@pytest.mark.parametrize(("shape", "keep"), COUNTED)
def test_scoring_importing_and_reporting_take_the_same_answers(tmp_path, monkeypatch, ending, shape, keep):
    if ending == "large csv":
        monkeypatch.setattr("haechi.data.delimited.LEAST", 1)
        monkeypatch.setattr("haechi.data.delimited._BLOCK", 60)
    file, reading = file_of(tmp_path, shape, ending.split()[-1]), TableReading(keep=keep)
    assert given(read_ratings(file, haechi.rubric("diary-comment"), reading=reading)) == COUNTED[shape, keep]
    study = Study.new(tmp_path / "study", "diary-comment")
    done = study.import_ratings([file], reading=reading)
    assert given(study.ratings()) == COUNTED[shape, keep]
    assert done.new == study.ratings().height
    assert study.import_ratings([file], reading=reading).unchanged == done.new
    with study_of([file], "diary-comment", reading=reading) as of_file:
        assert given(of_file.ratings()) == COUNTED[shape, keep]
    proposed = propose([file], study.rubric, "ratings", ReadingOptions(reading))
    assert (proposed.count, proposed.problems) == (done.new, ())


@pytest.mark.parametrize("size", [1, 1 << 30])
@pytest.mark.parametrize("shape", ["long", "wide"])
def test_until_somebody_says_which_one_counts_all_refuse_it_in_the_same_words(
    tmp_path, monkeypatch, size, shape
):
    monkeypatch.setattr("haechi.data.delimited.LEAST", size)
    file, rubric = file_of(tmp_path, shape, "csv"), haechi.rubric("diary-comment")
    with pytest.raises(HaechiError) as scored:
        read_ratings(file, rubric)
    study = Study.new(tmp_path / "study", "diary-comment")
    with pytest.raises(HaechiError) as imported:
        study.import_ratings([file])
    proposed = propose([file], rubric, "ratings").problems
    said = {
        language: [problem.say(language) for problem in scored.value.problems] for language in ("ko", "en")
    }
    assert "twice: d" in said["en"][0]
    assert "add --keep last" in said["en"][0]
    assert "중복: d" in said["ko"][0]
    for problems in (imported.value.problems, proposed):
        for language, words in said.items():
            assert [problem.say(language) for problem in problems] == words
    assert study.ratings().is_empty()


def test_of_files_that_go_together_the_last_answer_is_in_the_last_one(tmp_path, monkeypatch):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("item,criterion,rater,value\nd1,sympathy,kim,1\nd2,sympathy,kim,1\n", "utf-8")
    second.write_text("item,criterion,rater,value\nd1,sympathy,kim,0\n", "utf-8")
    for size in (1, 1 << 30):
        monkeypatch.setattr("haechi.data.delimited.LEAST", size)
        study = Study.new(tmp_path / f"study-{size}", "diary-comment")
        study.import_ratings([first, second], reading=TableReading(keep="last"))
        assert dict(study.ratings().select("item", "value").rows()) == {"d1": "0", "d2": "1"}


def test_a_row_that_breaks_a_rule_is_told_beside_answers_that_come_twice(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(LONG + "d9,sympathy,kim,7,1\n", "utf-8")
    study = Study.new(tmp_path / "study", "diary-comment")
    done = study.import_ratings([file], skip_bad=True, reading=TableReading(keep="last"))
    assert (done.new, len(done.skipped)) == (15, 1)
    assert "'7'" in done.skipped[0].say("en")
