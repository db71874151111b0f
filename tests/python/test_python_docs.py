"""The pages about Python, the notebook and the snippets of the READMEs are run as they stand."""

from __future__ import annotations

import ast
import doctest
import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

import haechi

ROOT = Path(__file__).parents[2]
DATA = Path(haechi.__file__).parent / "demo" / "data"


@pytest.mark.parametrize(("page", "lang"), [("python.md", "en"), ("python.ko.md", "ko")])
def test_the_page_runs(demo, tmp_path, monkeypatch, page, lang):
    shutil.copytree(demo, tmp_path / "haechi-demo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAECHI_LANG", lang)
    place, flags = str(ROOT / "docs" / page), doctest.ELLIPSIS
    ran = doctest.testfile(place, module_relative=False, encoding="utf-8", optionflags=flags)
    assert ran.attempted > 30
    assert ran.failed == 0
    assert (tmp_path / "report" / "report.html").exists()


def test_both_languages_show_the_same_code():
    pages = [(ROOT / "docs" / page).read_text("utf-8") for page in ("python.md", "python.ko.md")]
    first, second = (re.findall(r"^(?:>>>|\.\.\.) .*$", page, re.MULTILINE) for page in pages)
    assert first == second


def run_cell(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; what its last expression comes to."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None  # type: ignore[union-attr]


def test_the_notebook_runs_and_every_result_shows_itself():
    notebook = json.loads((ROOT / "docs" / "notebooks" / "first-study.ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    names: dict[str, Any] = {}
    shown = [run_cell("".join(cell["source"]), names) for cell in cells]
    assert sum(hasattr(one, "_repr_html_") for one in shown) >= 9
    assert {repr(one)[:48] for one in shown} >= {"<Added: 12 new, 0 unchanged, 0 filled in, 0 repl"}
    assert all(found.n_items == 12 for found in names["agreed"].criteria.values())
    assert shown[-2].passed
    assert (names["folder"].parent / "report" / "report.md").exists()
    assert float(names["compared"].criteria["sympathy"].paired.difference) > 0.5


@pytest.fixture
def own_data(tmp_path, monkeypatch):
    """A folder with the files that the READMEs name."""
    monkeypatch.chdir(tmp_path)
    for file in ("diary-comment/ratings.csv", "hiring-agent/runs.csv", "diary-duel/votes.csv"):
        shutil.copy(DATA / file, tmp_path)
    comments = (DATA / "diary-comment" / "comments.jsonl").read_text("utf-8").splitlines()
    rows = [
        {"id": one["id"], "일기": one["context"], "코멘트": one["response"], **one["meta"]}
        for one in map(json.loads, comments)
    ]
    pl.DataFrame(rows).write_csv("comments.csv")
    _workbook("coders.xlsx", [("item", "kim", "lee"), ("a", 1, 1), ("b", 2, 2), ("c", 1, 2), ("d", 3, 3)])
    _workbook("suite.xlsx", [("id", "query"), ("q1", "면접 일정 바꿔줘"), ("q2", "서울 공고 닫아줘")])
    Path("agent.py").write_text("import json; print(json.dumps({'assistantMessage': '네'}))", "utf-8")
    Path("agent.yaml").write_text(f"name: bot\ncommand: [{json.dumps(sys.executable)}, agent.py]\n", "utf-8")


def _workbook(name, rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(name)


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_a_readme_runs_from_top_to_bottom(haechi, own_data, readme):
    page = (ROOT / readme).read_text("utf-8")
    *_, commands = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    ran = 0
    for line in commands.splitlines():
        for command in " ".join(shlex.split(line, comments=True)).split(" && "):
            if not command.startswith("haechi "):
                continue
            told, _, out = command.partition(" > ")
            done = haechi(*told.split()[1:])
            assert done.code == 0, (command, done.out, done.err)
            if out:
                Path(out).write_text(done.out, "utf-8")
            ran += 1
    assert ran > 20
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["study"].scores().frame.height == 72
