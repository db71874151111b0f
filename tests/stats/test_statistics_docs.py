"""Every statistic says what it computes, whose it is and what R calls it; the examples in docs/statistics are executed."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

from haechi import stats

FUNCTIONS = [name for name in stats.__all__ if name.islower() and callable(getattr(stats, name))]
HELPERS = {
    "encode_labels": "labels as numbers",
    "interpret": "the word for a figure, looked up",
    "lowest_agreement": "figures, sorted",
    "matrix": "long format as a matrix",
    "split": "values by group",
}
"""Functions that compute no statistic, and what they give; they say so in place of a formula and a reference."""
LABELS = {
    "a formula": r"\b(Formula|Model): \S",
    "a reference": r"\bReferences?: \S",
    "what R or other software calls it": r"\b(R|Software): \S",
    "an example": r">>> \S",
}
PAGES = sorted((Path(__file__).parents[2] / "docs" / "statistics").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page):
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


def test_every_function_is_explained():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert len(FUNCTIONS) > 25
    explained = [name for name in FUNCTIONS if f"stats.{name}" in text]
    assert explained == FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_statistic_has_formula_reference_software_and_example(name):
    said = " ".join(inspect.getdoc(getattr(stats, name)).split())
    missing = [label for label, pattern in LABELS.items() if not re.search(pattern, said)]
    if name in HELPERS:
        missing = [label for label in missing if label not in ("a formula", "a reference")]
        assert "No statistic: " in said
    assert missing == []


def test_only_known_helpers_are_no_statistics():
    without = [name for name in FUNCTIONS if "No statistic: " in inspect.getdoc(getattr(stats, name))]
    assert without == sorted(HELPERS)
