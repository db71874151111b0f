"""The commands as a newcomer types them: results on stdout, words on stderr, exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import openpyxl
import polars as pl
import pytest

from haechi.data.readers import read_rows

RATINGS = """item,criterion,rater,value
d1,sensibleness,r1,1
d1,specificity,r1,0
d1,sympathy,r1,1
d1,sensibleness,r2,1
d1,specificity,r2,1
d1,sympathy,r2,1
"""


def test_help_lists_the_commands_and_wrong_usage_is_2(haechi):
    for arguments in ([], ["--help"]):
        ran = haechi(*arguments)
        assert ran.code == 0
        assert "score" in ran.out
    assert haechi("nonsense").code == 2
    assert haechi("score").code == 2
    assert haechi("import", "x").code == 2
    assert "haechi score" in haechi("score", "--help").out
    assert haechi("--version").out.startswith("haechi ")


def test_both_languages(haechi):
    assert "점수 계산" in haechi("--lang", "ko").out
    assert "사용법" in haechi("score", "--help", "--lang=ko").out
    assert "usage" in haechi("score", "--help").out
    assert "파일이 없음" in haechi("score", "none.csv", "--rubric", "ubica", "--lang", "ko").err


def test_rubrics_list_show_and_check(haechi, write):
    assert [r["id"] for r in haechi("rubrics", "--json").json["rubrics"]] == [
        "diary-comment",
        "diary-duel",
        "hiring-agent",
        "maice-qac",
        "own-criteria",
        "ubica",
    ]
    for form, said in [
        ("yaml", "id: ubica"),
        ("markdown", "# "),
        ("prompt", "JSON"),
        ("schema", '"type": "object"'),
    ]:
        assert said in haechi("rubrics", "show", "ubica", "--as", form).out
    own = write(
        "mine.yaml",
        haechi("rubrics", "show", "diary-comment", "--as", "yaml").out.replace(
            "id: diary-comment", "id: mine"
        ),
    )
    assert haechi("rubrics", "check", own, "--json").json["id"] == "mine"
    broken = write("broken.yaml", own.read_text("utf-8").replace("by: mean", "by: median", 1))
    ran = haechi("rubrics", "check", broken)
    assert ran.code == 1
    line = 1 + broken.read_text("utf-8").split("by: median")[0].count("\n")
    assert f"broken.yaml:{line}" in ran.err


def test_what_a_judge_is_sent_does_not_depend_on_the_locale(haechi, monkeypatch):
    monkeypatch.setenv("HAECHI_LANG", "en")
    english_locale = haechi("rubrics", "show", "maice-qac", "--as", "prompt").out
    monkeypatch.setenv("HAECHI_LANG", "ko")
    assert haechi("rubrics", "show", "maice-qac", "--as", "prompt").out == english_locale
    assert haechi("rubrics", "show", "maice-qac", "--as", "prompt", "--lang", "en").out != english_locale


def test_own_rubric_works_from_new_to_score(haechi, write, tmp_path):
    text = haechi("rubrics", "show", "diary-comment", "--as", "yaml").out.replace(
        "id: diary-comment", "id: mine"
    )
    rubric = write("mine.yaml", text)
    folder = tmp_path / "study"
    assert haechi("new", folder, "--rubric", rubric).code == 0
    rubric.unlink()  # the study has its own copy
    assert haechi("import", folder, write("r.csv", RATINGS), "--as", "ratings").code == 0
    scored = haechi("score", folder, "--json").json
    assert scored["rubric"] == "mine"
    assert [entry["scores"]["ssa"] for entry in scored["items"]] == [0.5, 1.0]
    assert (
        haechi("score", write("r.csv", RATINGS), "--rubric", write("mine.yaml", text), "--json").json[
            "rubric"
        ]
        == "mine"
    )


def test_score_json_has_the_promised_shape(haechi, write):
    scored = haechi("score", write("r.csv", RATINGS), "--rubric", "diary-comment", "--json").json
    first = scored["items"][0]
    assert first["scores"] == {
        "sensibleness": 1,
        "specificity": 0,
        "sympathy": 1,
        "ssa": 0.5,
        "mean3": pytest.approx(2 / 3),
    }
    assert first["missing"] == {}
    whole = scored["summary"][0]
    assert whole["by"] == {}
    assert (whole["n"], whole["scores"]["specificity"]["mean"]) == (2, 0.5)
    assert whole["scores"]["specificity"]["distribution"] == {"0": 1, "1": 1}
    # There is one item, on which the two raters differ: its mean is known, no spread over items.
    over_items = {"mean_over_items": 0.5, "sd": None, "ci95": None}
    assert over_items.items() <= whole["scores"]["specificity"].items()
    assert (whole["n_items"], whole["scores"]["specificity"]["median"]) == (1, 0.5)
    assert [row["by"] for row in scored["summary"][1:]] == [{"rater": "r1"}, {"rater": "r2"}]


def test_majority_and_ties_with_three_or_more_raters(haechi, write):
    rows = [f"d1,sympathy,r{n},{value}" for n, value in enumerate([1, 1, 0, 0])] + ["d2,sympathy,r0,1"]
    rows += [f"d3,sympathy,r{n},{value}" for n, value in enumerate([1, 1, 0])]
    file = write("r.csv", "item,criterion,rater,value\n" + "\n".join(rows))
    panel = haechi("score", file, "--rubric", "diary-comment", "--json").json["panel"]
    assert {entry["item"]: entry["majority"]["sympathy"]["value"] for entry in panel} == {
        "d1": "tie",
        "d3": 1,
    }


@pytest.mark.parametrize(
    ("table", "at"),
    [
        ("item,rater,value\nd1,r1,6\n", "r.csv"),
        ("item,criterion,rater,value\nd1,sympathy,r1,maybe\n", "r.csv:2, value"),
        ("item,criterion,rater,value\nd1,sympathy,r1,1\nd1,sympathy,r1,1\n", "r.csv:3"),
        ("item,criterion,rater\nd1,sympathy,r1\n", "r.csv"),
        ("item,criterion,rater,value\nd1,sympathy,r1\n", "r.csv:2"),
        ("item,criterion,rater,value\n,sympathy,r1,1\n", "r.csv:2, item"),
        ("item,criterion,rater,value,status\nd1,sympathy,r1,1,missing\n", "r.csv:2, value"),
        ("item,criterion,rater,value,replicate\nd1,sympathy,r1,1,0.5\n", "r.csv:2, replicate"),
        ("", "r.csv"),
    ],
)
def test_bad_tables_are_named_in_json_and_words(haechi, write, table, at):
    file = write("r.csv", table)
    ran = haechi("score", file, "--rubric", "diary-comment", "--json")
    assert ran.code == 1
    problem = ran.json["error"][0]
    assert problem["at"].endswith(at)
    assert set(problem) == {"at", "found", "expected", "next"}
    assert at in ran.err


def test_exports_open_in_excel_and_come_back(haechi, write, tmp_path):
    file = write("r.csv", RATINGS.replace("d1", "=1+1"))
    for name in ("scores.csv", "scores.xlsx", "scores.parquet"):
        assert haechi("score", file, "--rubric", "diary-comment", "-o", tmp_path / name).code == 0
    raw = (tmp_path / "scores.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    lines = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    assert lines[0]["item"] == "'=1+1"
    assert next(read_rows(tmp_path / "scores.csv")).data["item"] == "=1+1"
    sheet = openpyxl.load_workbook(tmp_path / "scores.xlsx").active
    assert (sheet["A2"].value, sheet["A2"].data_type) == ("=1+1", "s")
    assert pl.read_parquet(tmp_path / "scores.parquet")["item"][0] == "=1+1"
    assert haechi("score", file, "--rubric", "diary-comment", "-o", tmp_path / "scores.doc").code == 1
    assert haechi("score", file, "--rubric", "diary-comment", "-o", tmp_path / "no" / "scores.csv").code == 1
    assert not list(tmp_path.glob(".scores*"))


def test_unknown_fields_and_criteria_are_named(haechi, write):
    file = write("r.csv", RATINGS)
    assert "planet" in haechi("score", file, "--rubric", "diary-comment", "--by", "planet").err
    assert "one of" in haechi("score", file, "--rubric", "diary-comment", "--exclude", "charm").err
    assert "--rubric" in haechi("score", file).err


def test_a_reader_that_goes_away_is_no_error(tmp_path, write):
    command = f"{sys.executable} -m haechi.cli.start rubrics show maice-qac | head -1"
    ran = subprocess.run(command, check=False, shell=True, capture_output=True, text=True)
    assert ran.stderr == ""


def test_json_is_all_there_is_on_stdout(haechi, write, tmp_path):
    folder = tmp_path / "s"
    for arguments in (
        ["new", folder, "--rubric", "diary-comment", "--json"],
        ["add", folder, write("a.csv", "id,일기,코멘트\nd1,비,우산\n,눈,장갑\n"), "--skip-bad", "--json"],
        ["import", folder, write("r.csv", RATINGS), "--as", "ratings", "--json"],
        ["score", folder, "--json"],
    ):
        ran = haechi(*arguments)
        assert ran.code == 0, ran.err
        json.loads(ran.out)


def test_ratings_without_a_criterion_are_refused_by_what_is_not_there(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    ran = haechi("import", tmp_path / "s", write("r.csv", "item,rater,value\nd1,a,1\n"), "--as", "ratings")
    assert ran.code == 1
    assert "no column for the criterion; the file has item, rater, value" in " ".join(ran.err.split())


def test_a_form_with_a_column_per_criterion(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    form = write("form.csv", "item,rater,합리성,구체성,sympaty\nd1,r1,○,×,1\n")
    done = haechi("import", tmp_path / "s", form, "--as", "ratings", "--json").json
    assert (done["new"], done["ignored_columns"]) == (3, [])
    assert "sympaty → value · sympathy" in done["assumed"][0]  # said, since it is only likely
    assert "sympaty" in haechi("import", tmp_path / "s", form, "--as", "ratings").out
    alone = haechi("score", form, "--rubric", "diary-comment", "--json").json["items"][0]["scores"]
    assert (alone["sensibleness"], alone["specificity"], alone["sympathy"]) == (1, 0, 1)
    both = write("both.csv", "item,rater,합리성,점수\nd1,r1,1,3\n")
    assert "beside a column of values" in haechi("import", tmp_path / "s", both, "--as", "ratings").err


def test_a_policy_is_stated_only_where_it_does_something(haechi, write):
    file = write("r.csv", RATINGS)
    assert "changes nothing" in haechi("score", file, "--rubric", "diary-comment", "--missing", "unmet").err
    assert (
        "renormalised" in haechi("score", file, "--rubric", "diary-comment", "--missing", "renormalise").err
    )


def test_the_language_may_come_before_the_command(haechi):
    assert "Built-in rubrics" in haechi("--lang", "en", "rubrics").out
    assert "내장 루브릭" in haechi("--lang=ko", "rubrics").out


def test_the_demo_leaves_other_peoples_folders_alone(haechi, tmp_path):
    (tmp_path / "mine" / "ubica").mkdir(parents=True)
    (tmp_path / "mine" / "ubica" / "data.csv").write_text("precious")
    assert haechi("demo", tmp_path / "mine").code == 1
    assert (tmp_path / "mine" / "ubica" / "data.csv").read_text() == "precious"


def test_an_interrupted_new_can_be_repeated_and_a_lost_database_is_said(haechi, tmp_path):
    folder = tmp_path / "s"
    haechi("new", folder, "--rubric", "ubica")
    (folder / "study.yaml").rename(tmp_path / "kept.yaml")
    assert haechi("new", folder, "--rubric", "ubica").code == 0
    for file in folder.glob("study.db*"):
        file.unlink()
    ran = haechi("score", folder)
    assert "restore it from a backup" in ran.err
    assert not (folder / "study.db").exists()


def test_meta_called_item_does_not_disturb(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    item = {
        "id": "d1",
        "context": "비",
        "response": "우산",
        "meta": {"item": "z", "rater": "y", "why:ssa": "x"},
    }
    haechi("add", tmp_path / "s", write("a.jsonl", json.dumps(item)))
    haechi("import", tmp_path / "s", write("r.csv", RATINGS), "--as", "ratings")
    scored = haechi("score", tmp_path / "s", "--by", "meta.item", "--json").json
    assert scored["items"][0]["meta"] == {"meta.item": "z", "meta.rater": "y", "meta.why:ssa": "x"}
    assert scored["summary"][1]["by"] == {"meta.item": "z"}
