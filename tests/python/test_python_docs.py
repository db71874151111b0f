"""The pages about Python, the notebook and the snippets of the READMEs are run as they stand."""

from __future__ import annotations

import ast
import doctest
import json
import re
import shutil
from pathlib import Path
from typing import Any

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
    assert shown[-2].passed
    assert (names["folder"].parent / "report" / "report.md").exists()
    assert float(names["compared"].criteria["sympathy"].paired.difference) > 0.5


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_the_snippet_of_the_readme_runs(demo, tmp_path, monkeypatch, readme):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / readme).read_text("utf-8"), re.DOTALL)
    shutil.copytree(demo / "diary-comment", tmp_path / "diaries")
    shutil.copy(DATA / "diary-comment" / "ratings.csv", tmp_path / "ratings.csv")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["study"].scores().frame.height > 0
