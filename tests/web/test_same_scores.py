"""From Python, on the command line and in the owner's archive a study has the same scores."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from haechi.demo import make_studies
from haechi.scoring.ratings import KEYS
from haechi.store import large
from haechi.study.study import Study
from haechi.web.export import write_export

INSTRUMENTS = ("ubica", "maice-qac", "hiring-agent", "diary-comment")
VERDICTS = "item,criterion,rater,kind,value\n" + "".join(
    f"{item},intent,qa-{rater},human,GOOD\n" for item in ("q1-1", "q2-1") for rater in (1, 2)
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scores") / "demo"
    assert len(list(make_studies(folder))) == len(INSTRUMENTS)
    return folder


def from_python(study: Study) -> list[dict[str, Any]]:
    """What `scores()` says, in the words of `haechi score --json`."""
    scores = study.scores()
    names = scores.names
    assert scores.frame.select(KEYS).equals(scores.reasons.select(KEYS))
    assert scores.frame.select(KEYS).equals(scores.elements.select(KEYS))
    rows = zip(scores.frame.iter_rows(named=True), scores.reasons.iter_rows(named=True), strict=True)
    return [
        {
            **{key: row[key] for key in KEYS},
            "scores": {name: row[name] for name in names},
            "missing": {name: why[name] for name in names if row[name] is None},
        }
        for row, why in rows
    ]


def from_command(haechi: Any, study: Study) -> list[dict[str, Any]]:
    wanted = (*KEYS, "scores", "missing")
    ran = haechi("score", study.folder, "--json")
    assert ran.code == 0, ran.err
    return [{key: entry[key] for key in wanted} for entry in ran.json["items"]]


def exported(study: Study) -> pl.DataFrame:
    archive = io.BytesIO()
    write_export(study, archive)
    schema = study.scores().frame.schema
    return pl.read_csv(zipfile.ZipFile(archive).read("scores.csv"), schema=schema)


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_scores_are_those_of_the_command_and_of_the_archive(haechi, demo, instrument):
    study = Study(demo / instrument)
    told = from_command(haechi, study)
    assert told
    assert from_python(study) == told
    flat = [{**{key: entry[key] for key in KEYS}, **entry["scores"]} for entry in told]
    assert exported(study).drop("stance", strict=False).to_dicts() == flat


@pytest.mark.parametrize("limit", [10, 1000], ids=["parquet", "database"])
def test_runs_with_verdicts_have_a_row_per_rater_wherever_they_are_kept(
    haechi, tmp_path, write, monkeypatch, limit
):
    runs = "item_id,query_id,raw_json\n" + "".join(
        f'q{query}-{n},q{query},"{{""assistantMessage"": ""추가했습니다""}}"\n'
        for query in range(10)
        for n in range(3)
    )
    monkeypatch.setattr(large, "LARGE", limit)
    study = Study.new(tmp_path / "runs", "hiring-agent")
    study.add([write("runs.csv", runs)])
    assert bool(study.run_files()) == (limit == 10)
    study.import_ratings([write("verdicts.csv", VERDICTS)])
    told = from_command(haechi, study)
    assert len(told) == 32
    assert from_python(study) == told
    assert exported(study).height == 32
    left_out = study.scores(exclude=("intent",)).frame
    assert "intent" not in left_out.columns


def test_a_study_without_anything_has_no_scores_and_is_exported_all_the_same(tmp_path):
    for instrument in INSTRUMENTS:
        study = Study.new(tmp_path / instrument, instrument)
        assert study.scores().frame.height == 0
        assert exported(study).height == 0
