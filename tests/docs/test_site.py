"""The documentation as a site: every page in both languages, no link that leads nowhere, nothing from the network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
DOCS = HERE / "docs"
STARTS = sorted(page.stem for page in (DOCS / "start").glob("*.md") if not page.name.endswith(".ko.md"))
FILES = {
    "chats.jsonl": "ubica/items.jsonl",
    "answers.csv": "ubica/ratings.csv",
    "runs.csv": "hiring-agent/runs.csv",
    "sessions.jsonl": "maice-qac/sessions.jsonl",
    "teachers.csv": "maice-qac/teachers.csv",
    "judges.csv": "maice-qac/judges.csv",
    "comments.jsonl": "diary-comment/comments.jsonl",
    "ratings.csv": "diary-comment/ratings.csv",
}


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_site_is_built_without_a_warning_and_asks_nobody(language, tmp_path):
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-d", tmp_path / "cache"]
    ran = subprocess.run(
        [*words, *(["-t", "ko"] if language == "ko" else []), DOCS, tmp_path / "site"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    loaded = re.compile(
        r'<(?:script|img|iframe)[^>]*src="https?:|<link[^>]*rel="stylesheet"[^>]*href="https?:'
    )
    assert [page.name for page in pages if loaded.search(page.read_text("utf-8"))] == []


def test_every_page_stands_in_both_languages():
    pages = {page.relative_to(DOCS) for page in DOCS.rglob("*.md") if page.parent.name != "decisions"}
    korean = {page for page in pages if page.name.endswith(".ko.md")}
    english = pages - korean
    assert {page.with_suffix(".ko.md") for page in english} == korean


def commands(page: Path) -> list[str]:
    """The commands of a page that stand in blocks of the shell."""
    blocks = re.findall(r"```bash\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return [
        line.partition("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()
    ]


@pytest.mark.parametrize("name", STARTS)
def test_the_commands_of_a_start_run_and_are_the_same_in_both_languages(name, haechi, tmp_path, monkeypatch):
    page = DOCS / "start" / f"{name}.md"
    found = commands(page)
    assert found == commands(page.with_suffix(".ko.md"))
    data = resources.files("haechi.demo") / "data"
    for file, source in FILES.items():
        shutil.copy(str(data / source), tmp_path / file)
    monkeypatch.chdir(tmp_path)
    for command in found:
        ran = haechi(*command.split()[1:])
        assert ran.code == 0, (command, ran.err)
