"""What `haechi export` writes is read by the tools themselves: their models, their schema, their loader."""

import json
import os
import subprocess
import sys

import polars as pl
import pytest

import haechi
from haechi.scoring.runs.consistency import REPEATED
from haechi.study.study import Study


def _lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("study", ["ubica", "maice-qac", "diary-comment", "hiring-agent"])
def test_langfuse_takes_every_score_body(haechi, demo, tmp_path, study):
    from langfuse.api import CreateScoreRequest
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    ran = haechi("export", demo / study, "--as", "langfuse", "-o", tmp_path / "scores.jsonl", "--json")
    bodies = _lines(tmp_path / "scores.jsonl")
    assert ran.json["counts"] == {"scores": len(bodies)}
    assert len({body["id"] for body in bodies}) == len(bodies)
    for body in bodies:
        read = parse_obj_as(CreateScoreRequest, body)
        assert (read.trace_id, read.name, read.value) == (body["traceId"], body["name"], body["value"])


def test_every_rating_and_every_total_goes_out_once(haechi, demo, tmp_path):
    haechi("export", demo / "maice-qac", "--as", "langfuse", "-o", tmp_path / "scores.jsonl")
    said = {(b["traceId"], b["metadata"]["rater"], b["name"]): b for b in _lines(tmp_path / "scores.jsonl")}
    scores = {
        (row["item"], row["rater"], name): row["scores"][name]
        for row in haechi("score", demo / "maice-qac", "--json").json["items"]
        for name in ("A1", "A", "total")
        if row["scores"][name] is not None
    }
    assert scores
    assert {key: said[key]["value"] for key in scores} == scores
    ratings = pl.read_parquet(_report(haechi, demo / "maice-qac", tmp_path) / "ratings.parquet")
    for row in ratings.filter(pl.col("status") == "ok").iter_rows(named=True):
        body = said[row["item"], row["rater"], row["criterion"]]
        assert (body["value"], body.get("comment")) == (float(row["value"]), row["evidence"])


def _report(haechi, study, tmp_path):
    assert haechi("report", study, "-o", tmp_path / "report").code == 0
    return tmp_path / "report"


def test_what_has_no_value_is_counted_and_the_words_of_a_person_are_kept(haechi, demo, tmp_path):
    ran = haechi("export", demo / "ubica", "--as", "langfuse", "-o", tmp_path / "scores.jsonl", "--json")
    assert sum(ran.json["left_out"].values()) == 5
    comments = [body for body in _lines(tmp_path / "scores.jsonl") if body["name"] == "comment"]
    assert comments
    assert all(body["dataType"] == "TEXT" and body["value"] for body in comments)


@pytest.mark.parametrize("study", ["ubica", "maice-qac", "hiring-agent"])
def test_otlp_parses_every_event(haechi, demo, tmp_path, study):
    from google.protobuf.json_format import Parse
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData

    ran = haechi("export", demo / study, "--as", "otel", "-o", tmp_path / "events.jsonl", "--json")
    records = [
        record
        for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()
        for record in Parse(line, LogsData()).resource_logs[0].scope_logs[0].log_records
    ]
    assert len(records) == ran.json["counts"]["events"]
    for record in records:
        said = {attribute.key: attribute.value for attribute in record.attributes}
        assert record.event_name == "gen_ai.evaluation.result"
        assert said["gen_ai.evaluation.name"].string_value
        assert said["haechi.rubric.version"].string_value
        assert said["haechi.rater"].string_value
        scored = "gen_ai.evaluation.score.value" in said or "gen_ai.evaluation.explanation" in said
        assert scored or "error.type" in said


def test_an_event_belongs_to_the_trace_of_its_item(tmp_path, haechi):
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    study = _study(tmp_path, {"id": [trace, "d2"], "context": ["비", "눈"], "response": ["네", "네"]})
    study.import_ratings({"item": [trace, "d2"], "rater": ["kim", "kim"], "sympathy": [1, 0]})
    haechi("export", study.folder, "--as", "otel", "-o", tmp_path / "events.jsonl")
    (line,) = _lines(tmp_path / "events.jsonl")
    records = line["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert [record.get("traceId") for record in records] == [trace, None]


def _study(tmp_path, items):
    study = haechi.Study.new(tmp_path / "study", "diary-comment")
    study.add(items)
    return study


def test_the_dataset_is_loaded_by_its_own_library(haechi, demo, tmp_path):
    ran = haechi("export", demo / "maice-qac", "--as", "hf", "-o", tmp_path / "dataset", "--json")
    load = (
        "import sys, datasets; print({n: datasets.load_dataset(sys.argv[1], n, split='train').num_rows "
        "for n in ('items', 'ratings', 'scores')})"
    )
    shown = subprocess.run(
        [sys.executable, "-c", load, tmp_path / "dataset"],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip().splitlines()[-1] == str(ran.json["counts"])


def test_scores_of_a_dataset_say_in_words_why_they_are_missing(haechi, demo, tmp_path):
    haechi("export", demo / "hiring-agent", "--as", "hf", "-o", tmp_path / "dataset", "--lang", "en")
    scores = pl.read_parquet(tmp_path / "dataset" / "data" / "scores.parquet")
    told = scores["why:latency_single"].drop_nulls().unique().to_list()
    assert sorted(told) == ["no response time was recorded", "the run is in the other tool class"]


def test_the_dataset_of_runs_has_no_column_of_ours_alone(haechi, demo, tmp_path):
    haechi("export", demo / "hiring-agent", "--as", "hf", "-o", tmp_path / "dataset")
    scores = pl.read_parquet(tmp_path / "dataset" / "data" / "scores.parquet")
    inside = next(iter(Study(demo / "hiring-agent").scores().batches()))
    assert REPEATED in inside.columns, "by which repeats of a query are known while runs are scored"
    assert "query" in scores.columns
    assert REPEATED not in scores.columns


def test_pairs_are_those_whose_means_differ(haechi, tmp_path):
    items = {
        "id": ["a1", "a2", "a3", "b1", "b2"],
        "context": ["비"] * 3 + ["눈"] * 2,
        "response": ["좋은 답", "나쁜 답", "또 나쁜 답", "답", "다른 답"],
    }
    study = _study(tmp_path, items)
    for rater, values in {"kim": [1, 0, 0, 1, None], "lee": [1, 0, 0, 0, None]}.items():
        rated = [(item, value) for item, value in zip(items["id"], values, strict=True) if value is not None]
        given = {"item": [item for item, _ in rated], "rater": [rater] * len(rated)}
        marks = {name: [value for _, value in rated] for name in ("sensibleness", "specificity", "sympathy")}
        study.import_ratings(given | marks)
    ran = haechi("export", study.folder, "--as", "trl", "-o", tmp_path / "out", "--json")
    pairs = _lines(tmp_path / "out" / "preferences.jsonl")
    assert [(pair["items"], pair["score_chosen"], pair["score_rejected"]) for pair in pairs] == [
        (["a1", "a2"], 1.0, 0.0),
        (["a1", "a3"], 1.0, 0.0),
    ]
    assert pairs[0]["chosen"] == [{"role": "assistant", "content": "좋은 답"}]
    assert ran.json["left_out"] == {"no score": 1, "tie": 1}
    rewards = _lines(tmp_path / "out" / "rewards.jsonl")
    assert [record["reward"] for record in rewards] == [1.0, 0.0, 0.0, 0.5]


def test_a_folder_with_something_in_it_stays_as_it_is(haechi, demo, tmp_path):
    (tmp_path / "kept.txt").write_text("mine")
    ran = haechi("export", demo / "ubica", "--as", "hf", "-o", tmp_path)
    assert ran.code == 1
    assert "empty" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_only_what_people_said(haechi, demo, tmp_path):
    out = tmp_path / "scores.jsonl"
    assert (
        haechi("export", demo / "maice-qac", "--as", "langfuse", "-o", out, "--where", "kind=human").code == 0
    )
    assert {body["metadata"]["kind"] for body in _lines(out)} == {"human"}


@pytest.mark.parametrize("format", ["langfuse", "otel", "hf", "trl"])
def test_a_study_without_ratings_is_refused_as_score_refuses_it(haechi, tmp_path, format):
    study = _study(tmp_path, {"id": ["d1"], "context": ["비"], "response": ["네"]})
    ran = haechi("export", study.folder, "--as", format, "-o", tmp_path / "out")
    assert (ran.code, ran.err) == (1, haechi("score", study.folder).err)
    assert not (tmp_path / "out").exists()
