"""`haechi report` and `haechi check` on files: what `haechi score` takes, with the figures of a study made from it."""

from __future__ import annotations

import csv
import hashlib
import json
import tempfile
from pathlib import Path

import polars as pl
import pytest

from haechi.testing import assert_score


@pytest.fixture(scope="module")
def tables(demo, tmp_path_factory):
    """The ratings of the example studies as tables: long and wide, with the meta fields of items in the wide ones."""
    from haechi.study.study import Study

    folder = tmp_path_factory.mktemp("tables")
    for rubric in ("ubica", "diary-comment", "maice-qac"):
        study = Study(demo / rubric)
        long = study.ratings()
        long.write_csv(folder / f"{rubric}-long.csv")
        first = long.filter(pl.col("replicate") == 1, pl.col("status") == "ok")
        wide = first.pivot("criterion", index=["item", "rater", "kind"], values="value")
        meta = study.meta(study.meta_fields())
        wide.join(meta, on="item", how="left").write_excel(folder / f"{rubric}-wide.xlsx")
    return folder


def _run(query: int, round_: int, seconds: float) -> list[str]:
    entry = {"uiValue": {"formType": "ACTION", "actionType": "ADD" if query % 3 else "EDIT"}}
    payload = {"assistantMessage": "추가했습니다", "dataUIList": [entry], "responseTimeSec": seconds}
    check = "@check formType=ACTION; actionType=ADD"
    raw = json.dumps(payload, ensure_ascii=False)
    return [f"q{query}-{round_}", f"q{query}", "면접 추가", check, "기본", f"{round_}/1", raw]


HEADER = ["Item ID", "Query ID", "질의", "기대결과", "카테고리", "방/반복", "Raw JSON"]
RUNS = [_run(query, round_, query + round_ / 3) for query in range(1, 6) for round_ in (1, 2)]


@pytest.fixture
def runs(tmp_path):
    """Two files of agent runs."""
    for name, rows in (("a.csv", RUNS[:5]), ("b.csv", RUNS[5:])):
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([HEADER, *rows])
    return tmp_path / "a.csv", tmp_path / "b.csv"


def _means(told) -> dict[str, float]:
    """The mean of every score over items, each the mean of its raters, from the entries of `haechi score --json`."""
    rows = [{"item": one["item"], **one["scores"]} for one in told["items"]]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    items = frame.group_by("item").agg(pl.exclude("item").cast(pl.Float64).mean())
    return {
        name: value
        for name, value in items.drop("item").mean().row(0, named=True).items()
        if value is not None
    }


@pytest.mark.parametrize("shape", ["long.csv", "wide.xlsx"])
@pytest.mark.parametrize("rubric", ["ubica", "diary-comment", "maice-qac"])
def test_a_ratings_table_has_the_figures_of_its_scores_and_of_its_study(
    haechi, tables, tmp_path, rubric, shape
):
    file = tables / f"{rubric}-{shape}"
    report = haechi("report", file, "--rubric", rubric, "-o", tmp_path / "out", "--json").json
    listed = haechi("check", file, "--rubric", rubric, "--list", "--json").json
    means = _means(haechi("score", file, "--rubric", rubric, "--json").json)
    assert len(means) >= 5
    assert {name: listed[name]["value"] for name in means} == pytest.approx(means)
    haechi("new", tmp_path / "study", "--rubric", rubric)
    assert haechi("import", tmp_path / "study", file).code == 0
    study = haechi("report", tmp_path / "study", "-o", tmp_path / "other", "--json").json
    assert report["figures"] == listed == study["figures"]
    assert report["findings"] == study["findings"]
    for name in ("scores.csv", "summary.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_files_of_runs_are_one_set(haechi, runs, tmp_path):
    chosen = (*runs, "--rubric", "hiring-agent")
    report = haechi("report", *chosen, "-o", tmp_path / "out", "--json").json
    means = _means(haechi("score", *chosen, "--json").json)
    assert {name: report["figures"][name]["value"] for name in means} == pytest.approx(means)
    assert report["figures"]["accuracy"]["n"] == len(RUNS)
    haechi("new", tmp_path / "study", "--rubric", "hiring-agent")
    haechi("add", tmp_path / "study", *runs)
    assert haechi("check", tmp_path / "study", "--list", "--json").json == report["figures"]


def test_the_report_says_which_files_it_was_made_from(haechi, runs, tmp_path):
    haechi("report", *runs, "--rubric", "hiring-agent", "-o", tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    for file in runs:
        assert file.name in text
        assert hashlib.sha256(file.read_bytes()).hexdigest() in text
    assert "haechi report a.csv b.csv --rubric hiring-agent -o report" in text
    assert "haechi-" not in text  # no trace of where the files were gathered
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "File a.csv + 1" in page


def test_gates_hold_or_fail_on_a_file(haechi, runs, tmp_path):
    chosen = ("check", *runs, "--rubric", "hiring-agent")
    assert haechi(*chosen, "--min", "accuracy=1").code == 0
    failed = haechi(*chosen, "--min", "accuracy=101", "--json")
    assert (failed.code, failed.json["passed"], failed.json["study"]) == (1, False, "a.csv + 1")
    kept = tmp_path / "baseline.json"
    kept.write_text(haechi(*chosen, "--list", "--json").out, "utf-8")
    assert haechi(*chosen, "--no-regression", kept).code == 0


def test_further_columns_make_groups_and_are_selected_by(haechi, tables):
    chosen = (tables / "maice-qac-wide.xlsx", "--rubric", "maice-qac")
    told = haechi("check", *chosen, "--by", "mode", "--list", "--json").json
    only = haechi("check", *chosen, "--where", "mode=agent", "--list", "--json").json
    assert told["total@mode=agent"]["value"] == only["total"]["value"]
    clustered = haechi("check", *chosen, "--cluster-by", "level", "--list", "--json").json["total"]
    assert clustered["value"] == told["total"]["value"]
    assert clustered["ci95"] != told["total"]["ci95"]
    assert only["total"]["value"] == pytest.approx(
        _means(haechi("score", *chosen, "--where", "mode=agent", "--json").json)["total"]
    )


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("item,rater,sympathy\nd1,kim,7\nd2,kim,x\n", ["--rubric", "diary-comment"]),
        ("item,rater,sympathy\nd1,kim,1\nd1,kim,0\n", ["--rubric", "diary-comment"]),
        (
            "item,rater,sympathy,group\nd1,kim,1,a\nd1,lee,1,b\n",
            ["--rubric", "diary-comment", "--by", "group"],
        ),
        ("item,rater,sympathy\nd1,kim,1\n", ["--rubric", "diary-comment", "--by", "nowhere"]),
        ("item,rater,sympathy\nd1,kim,1\n", ["--rubric", "no-such-rubric"]),
        ("item,rater,sympathy\nd1,kim,1\n", []),
        ("foo,bar\n1,2\n", ["--rubric", "diary-comment"]),
        ("", ["--rubric", "diary-comment"]),
        ("Query ID,Raw JSON\n", ["--rubric", "hiring-agent"]),
    ],
)
def test_what_score_refuses_is_refused_in_the_same_words(haechi, write, tmp_path, content, options):
    file = write("table.csv", content)
    score = haechi("score", file, *options)
    check = haechi("check", file, *options, "--list")
    report = haechi("report", file, *options, "-o", tmp_path / "out")
    assert (score.code, check.code, report.code) == (1, 1, 1)
    assert score.err == check.err == report.err != ""
    assert not (tmp_path / "out").exists()


def test_studies_and_files_are_not_mixed(haechi, demo, write, tmp_path):
    file = write("table.csv", "item,rater,sympathy\nd1,kim,1\n")
    for command in (["check", "--list"], ["report", "-o", tmp_path / "out"]):
        ran = haechi(command[0], demo / "diary-comment", file, "--rubric", "diary-comment", *command[1:])
        assert ran.code == 1
        assert "1 of 2 are studies" in ran.err
    assert "2 of 2 are studies" in haechi("check", demo / "ubica", demo / "ubica", "--list").err


def test_nothing_stays_behind(haechi, runs, tmp_path, monkeypatch):
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    assert haechi("check", *runs, "--rubric", "hiring-agent", "--min", "accuracy=1").code == 0
    assert haechi("check", *runs, "--rubric", "hiring-agent", "--min", "no-such-figure=1").code == 1
    assert [path for path in Path(aside).iterdir() if path.name.startswith("haechi-")] == []


def test_a_score_of_a_file_is_asserted(write):
    file = write("table.csv", "item,rater,sympathy\nd1,kim,1\nd2,kim,0\n")
    assert_score(file, "sympathy", min=0.5, rubric="diary-comment")
    with pytest.raises(AssertionError, match=r"sympathy ≥ 0\.6"):
        assert_score(file, "sympathy", min=0.6, rubric="diary-comment")
