"""What a command prints and what the report shows are the same tables, cell by cell."""

from __future__ import annotations

import argparse
from types import ModuleType

import pytest

from haechi.cli import agree_command, check_command, compare_command, score_command
from haechi.cli.output import Output
from haechi.report.build import build_report
from haechi.report.markdown import markdown_table
from haechi.report.table import Table
from haechi.text import choose_language

STUDIES = ("ubica", "hiring-agent", "maice-qac", "diary-comment")


class Kept(Output):
    """Keeps the tables that a command shows."""

    def __init__(self) -> None:
        super().__init__(as_json=False)
        self.tables: dict[str, Table] = {}

    def show(self, *things: object) -> None:
        self.tables |= {thing.title: thing for thing in things if isinstance(thing, Table)}


def tables_of(command: ModuleType, *arguments: object) -> dict[str, Table]:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    output = Kept()
    command.run(parser.parse_args([str(argument) for argument in arguments]), output)
    return output.tables


@pytest.fixture(scope="module")
def reported(gathered):
    choose_language("en")  # the fixture comes before the one that fixes a test's language
    return {
        name: {one.title: one for one in build_report(figures).tables()} for name, figures in gathered.items()
    }


@pytest.mark.parametrize("name", STUDIES)
def test_score_shows_the_first_table_of_the_report(demo, reported, name):
    whole, *groups = tables_of(score_command, demo / name).values()
    assert next(iter(reported[name].values())) == whole
    assert all(one.title.startswith("Mean over items by ") for one in groups)


@pytest.mark.parametrize("name", ["ubica", "maice-qac", "diary-comment"])
def test_agree_shows_the_tables_of_the_report(demo, reported, name):
    shown = tables_of(agree_command, demo / name)
    shared = [title for title in shown if title in reported[name]]
    assert [shown[title] for title in shared] == [reported[name][title] for title in shared]
    expected = ["All raters", "Pairs of raters", "Raters' habits"]
    if name == "maice-qac":
        expected += ["People among", "AI judges among", "Mean of the judges", "Every judge"]
    for beginning in expected:
        assert any(title.startswith(beginning) for title in shared), beginning


@pytest.mark.parametrize(
    ("name", "by", "titles"),
    [
        ("ubica", "ai", ["도우미봇 − 루나"]),
        ("maice-qac", "mode", ["agent − freepass"]),
        (
            "maice-qac",
            "level",
            ["Trend along Q1 → Q2 → Q3 → Q4", "Tests between the groups", "Pairs of groups (Welch t)"],
        ),
        (
            "diary-comment",
            "system",
            ["Regardless of pairs: 모델 A − 모델 B", "In pairs by diary: 모델 A − 모델 B"],
        ),
        ("hiring-agent", "round", ["Regardless of pairs: 1 − 2", "In pairs by query: 1 − 2"]),
    ],
)
def test_compare_shows_the_tests_of_the_report(demo, reported, name, by, titles):
    shown = tables_of(compare_command, demo / name, "--by", by)
    assert [shown[title] for title in titles] == [reported[name][title] for title in titles]


def test_check_prints_the_table_of_the_summary(demo, tmp_path):
    summary = tmp_path / "summary.md"
    gates = ("--min", "total=99", "--max", "agree.total.krippendorff_alpha=1", "--markdown", summary)
    (shown,) = tables_of(check_command, demo / "maice-qac", *gates).values()
    rows = markdown_table(shown).splitlines()[-2:]
    assert rows == summary.read_text("utf-8").splitlines()[-2:]
    assert rows[0].startswith("| ❌ | total ≥ 99 | 24.979 [")
    assert "| ✅ | agree.total.krippendorff\\_alpha ≤ 1 | .740 [.371, .918] |" in rows[1]
