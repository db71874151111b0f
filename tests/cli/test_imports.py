"""A command imports what it needs: a file is scored without the database layer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import haechi.demo

DATA = Path(haechi.demo.__file__).parent / "data"
RUNS = ("score", DATA / "hiring-agent" / "runs.csv", "--rubric", "hiring-agent")
RATINGS = (DATA / "diary-comment" / "ratings.csv", "--rubric", "diary-comment")
DATABASE = {"sqlite3", "psycopg", "haechi.study.study", "haechi.store.database"}
BROWSER = {"starlette", "uvicorn", "jinja2", "haechi.web"}
JUDGES = {"openai", "anthropic", "google.genai", "httpx", "haechi.judge.providers", "asyncio"}
FILES = {"openpyxl", "xlsxwriter"}
FRAMES = {"polars", "numpy", "pyarrow"}
LARGE = {"pyarrow", "multiprocessing", "haechi.data.parquet_ratings"}
WHOLE_REPORT = {"haechi.prompt", "haechi.report.build", "haechi.report.html", "haechi.report.workbook"}
SENTENCES = {"haechi.expectations.korean_sentences", "haechi.expectations.english_sentences"}
EXPECTATIONS = {"haechi.expectations.checks", *SENTENCES}
ALWAYS = {"rich", *SENTENCES, *BROWSER, *JUDGES, *FILES, *LARGE, "psycopg", "scipy"}
REPORT = """
import atexit, sys
from haechi.cli.start import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.exit(main())
"""


def imported(*arguments: object) -> set[str]:
    """The modules that a command leaves behind in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", REPORT, *map(str, arguments)],
        env={**os.environ, "HAECHI_LANG": "en"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return set(ran.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (
            ("--help",),
            {"numpy", "polars", "typing", *ALWAYS, *DATABASE, *BROWSER, *JUDGES, *FILES},
        ),
        (RUNS, {"scipy", *DATABASE, *BROWSER, *JUDGES, *FILES}),
        (("score", *RATINGS), {"scipy", *DATABASE, *BROWSER, *JUDGES, *FILES}),
        (("agree", *RATINGS), {*DATABASE, *ALWAYS}),
        (("rubrics",), {*FRAMES, *DATABASE, *ALWAYS}),
        (("rubrics", "show", "ubica"), {*FRAMES, *DATABASE, *ALWAYS}),
    ],
    ids=["help", "runs", "ratings", "agree", "rubrics", "show"],
)
def test_a_command_imports_only_what_it_needs(arguments, needless):
    assert needless & imported(*arguments) == set()


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    return {
        study.folder.name: study.folder for study in haechi.demo.make_studies(tmp_path_factory.mktemp("demo"))
    }


def test_a_study_is_made_and_filled_without_data_frames(tmp_path):
    study, needless = tmp_path / "diaries", {*FRAMES, *ALWAYS}
    assert needless & imported("new", study, "--rubric", "diary-comment") == set()
    assert needless & imported("add", study, DATA / "diary-comment" / "comments.jsonl") == set()
    ratings = DATA / "diary-comment" / "ratings.csv"
    # What --as may be is known to the providers; their SDKs are not needed for it.
    shapes = {"haechi.judge.providers"}
    assert (needless - shapes) & imported("import", study, ratings, "--as", "ratings") == set()


@pytest.mark.parametrize("name", ["diary-comment", "hiring-agent"])
def test_a_study_is_scored_without_judges_and_browser(studies, name):
    needless = {*ALWAYS, *WHOLE_REPORT} - (SENTENCES if name == "hiring-agent" else set())
    assert needless & imported("score", studies[name]) == set()


@pytest.mark.parametrize(
    "arguments",
    [("agree",), ("compare", "--by", "system"), ("check", "--min", "ssa=0")],
    ids=lambda given: given[0],
)
def test_the_figures_of_a_study_need_no_report(studies, arguments):
    command, *options = arguments
    assert {*ALWAYS, *WHOLE_REPORT, *EXPECTATIONS} & imported(
        command, studies["diary-comment"], *options
    ) == set()


def test_names_are_printed_as_they_are(haechi, write):
    ran = haechi("score", write(":bug:.csv", "item\na\n"), "--rubric", "diary-comment")
    assert ran.code == 1
    assert ":bug:.csv" in ran.err


def test_score_and_agree_read_a_file_as_import_is_told_to(haechi, tmp_path):
    table = tmp_path / "form.csv"
    table.write_text(
        "들은 방송,이름,합리성,구체성,공감성\nd1,민수,1,1,1\nd2,민수,0,1,1\nd1,민수,0,0,1\nd1,영희,1,1,1\nd2,영희,0,1,0\n",
        "utf-8",
    )
    how = ("--rubric", "diary-comment", "--map", "item=들은 방송", "--keep", "last", "--json")
    scored = haechi("score", table, *how).json
    found = {(one["item"], one["rater"]): one["scores"]["specificity"] for one in scored["items"]}
    assert found == {("d1", "민수"): 0, ("d2", "민수"): 1, ("d1", "영희"): 1, ("d2", "영희"): 1}
    assert haechi("agree", table, *how).json["criteria"]["specificity"]["n_ratings"] == 4
    assert "--keep" in haechi("score", table, *how[:4]).err
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    study = haechi("agree", tmp_path / "s", "--map", "item=들은 방송")
    assert (study.code, "haechi import" in study.err) == (1, True)


def test_a_dry_run_names_the_format_of_conversations(haechi, tmp_path):
    talk = '[{"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}]'
    (tmp_path / "talks.json").write_text(talk, "utf-8")
    haechi("new", tmp_path / "s", "--rubric", "maice-qac")
    assert (
        "talks.json: read as ShareGPT"
        in haechi("add", tmp_path / "s", tmp_path / "talks.json", "--dry-run").out
    )


def test_a_report_needs_no_judge_and_no_run(studies, tmp_path):
    needless = {*(ALWAYS - FILES - LARGE), "pydantic", *EXPECTATIONS}
    assert needless & imported("report", studies["diary-comment"], "-o", tmp_path / "report") == set()
