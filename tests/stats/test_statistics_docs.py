"""The examples in docs/statistics are executed, and every public name is documented there."""

import doctest
from pathlib import Path

import pytest

from haechi import stats

PAGES = sorted((Path(__file__).parents[2] / "docs" / "statistics").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page):
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


def test_every_function_is_explained():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    functions = [name for name in stats.__all__ if name.islower() and callable(getattr(stats, name))]
    assert len(functions) > 25
    explained = [name for name in functions if f"stats.{name}" in text]
    assert explained == functions
