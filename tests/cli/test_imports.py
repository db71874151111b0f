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
DATABASE = {"sqlite3", "psycopg", "haechi.study", "haechi.store.database"}
BROWSER = {"starlette", "uvicorn", "jinja2", "haechi.web"}
JUDGES = {"openai", "anthropic", "google.genai", "httpx", "haechi.judge.providers", "asyncio"}
FILES = {"openpyxl", "xlsxwriter"}
STATISTICS = {"scipy"}
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
            {"rich", "numpy", "polars", "typing", *DATABASE, *BROWSER, *JUDGES, *FILES, *STATISTICS},
        ),
        (RUNS, {"scipy", *DATABASE, *BROWSER, *JUDGES, *FILES}),
        (("score", *RATINGS), {"scipy", *DATABASE, *BROWSER, *JUDGES, *FILES}),
        (("agree", *RATINGS), {*DATABASE, *BROWSER, *JUDGES, *FILES}),
    ],
    ids=["help", "runs", "ratings", "agree"],
)
def test_a_command_imports_only_what_it_needs(arguments, needless):
    assert needless & imported(*arguments) == set()


def test_a_study_is_scored_without_judges_and_browser(tmp_path):
    study = haechi.demo.make_studies(tmp_path / "demo")
    needless = {"scipy", "psycopg", *BROWSER, *JUDGES, *FILES}
    assert needless & imported("score", next(study).folder) == set()


def test_names_are_printed_as_they_are(haechi, write):
    ran = haechi("score", write(":bug:.csv", "item\na\n"), "--rubric", "diary-comment")
    assert ran.code == 1
    assert ":bug:.csv" in ran.err
