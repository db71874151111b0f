"""A study of pairs has one ranking: commands, report, files, dashboard, archive and Python give the same figures."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest
from starlette.testclient import TestClient

import haechi as package
from haechi.demo import make_duels
from haechi.report.answer import how_good, how_sure
from haechi.report.numbers import number
from haechi.store.raters import invite_owner
from haechi.study.study import Study
from haechi.testing import assert_score
from haechi.web.app import create_app
from haechi.web.dashboard import Watch
from haechi.web.export import write_export
from haechi.web.options import Options
from haechi.web.rules import RubricRules

Figure = tuple[str, float | None, list[float] | None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_duels(tmp_path_factory.mktemp("one-ranking")).folder


@pytest.fixture
def ranked(haechi, folder) -> dict[str, Any]:
    return haechi("rank", folder, "--json").json


@pytest.fixture
def named(haechi, folder) -> dict[str, Any]:
    return haechi("check", folder, "--list", "--by", "system", "--json").json


def same(named: dict[str, Any], said: Iterator[Figure]) -> int:
    count = 0
    for what, value, ends in said:
        assert value == pytest.approx(named[what]["value"], rel=1e-12), what
        if ends is not None:
            assert ends == pytest.approx(named[what]["ci95"], rel=1e-12), what
        count += 1
    return count


def test_gates_name_the_figures_of_the_ranking(ranked, named):
    def said() -> Iterator[Figure]:
        for system in ranked["systems"]:
            yield f"win_rate.{system['name']}", system["win_rate"], None
        position = ranked["position"]
        yield "first_wins", position["first_wins"], position["ci95"]
        yield "same_verdict", position["same_verdict"], position["same_verdict_ci95"]

    assert same(named, said()) == 5


def test_the_share_of_wins_is_the_mean_of_what_a_system_was_given(haechi, folder, ranked):
    summary = haechi("score", folder, "--by", "system", "--json").json["summary"]
    shares = {row["by"]["system"]: row["scores"]["overall"]["mean"] for row in summary if row["by"]}
    assert shares == pytest.approx({one["name"]: one["win_rate"] for one in ranked["systems"]})


def test_groups_by_system_in_score_compare_and_python(haechi, folder, named):
    def groups() -> Iterator[Figure]:
        for row in haechi("score", folder, "--by", "system", "--json").json["summary"]:
            for score, found in row["scores"].items() if row["by"] else ():
                yield f"{score}@system={row['by']['system']}", found["mean_over_items"], found["ci95"]
        told = haechi("compare", folder, "--by", "system", "--json").json
        for score, found in told["criteria"].items():
            for group in found["groups"]:
                yield f"{score}@system={group['group']}", group["mean"]["value"], group["mean"]["ci95"]
        for score, found in package.Study(folder).compare(by="system").groups.items():
            for group in found:
                mean = group.described.mean
                yield f"{score}@system={group.by['system']}", mean.value, list(mean.ci95)

    assert same(named, groups()) == 3 * 3 * 2


def test_python_ranks_as_the_command(folder, ranked):
    found = package.rank(folder)
    for one, told in zip(found.strengths.systems, ranked["systems"], strict=True):
        assert (one.name, one.strength.value) == (told["name"], told["strength"])
        assert list(one.strength.ci95 or (0.0, 0.0)) == told["ci95"]
    assert_score(folder, "first_wins", min=ranked["position"]["first_wins"])
    assert_score(folder, f"win_rate.{ranked['systems'][0]['name']}", max=ranked["systems"][0]["win_rate"])


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_report_and_its_files(haechi, folder, ranked, named, tmp_path, language):
    out = tmp_path / "report"
    told = haechi("--lang", language, "report", folder, "--by", "system", "-o", out, "--json").json
    assert {what: one["value"] for what, one in told["figures"].items()} == {
        what: one["value"] for what, one in named.items()
    }
    seen = html.unescape(re.sub(r"<[^>]+>", "", (out / "report.html").read_text("utf-8")))
    text = (out / "report.md").read_text("utf-8")
    table = haechi("--lang", language, "rank", folder).out
    for system in ranked["systems"]:
        value, low, high = (number(one, "score") for one in (system["strength"], *system["ci95"]))
        shown = value if low == high else f"{value} [{low}, {high}]"
        rate = f"{system['win_rate']:.0%}".replace("%", " %")
        for surface in (seen, text, table):
            assert shown in surface, system["name"]
            assert rate in surface, system["name"]
    _, *rows = openpyxl.load_workbook(out / "scores.xlsx")["요약" if language == "ko" else "summary"].values
    written = pl.read_csv(out / "summary.csv", infer_schema_length=None)
    assert len(rows) == written.height
    for row, kept in zip(rows, written.iter_rows(named=True), strict=True):
        assert kept["mean"] == pytest.approx(row[4])
    by_system = written.filter(pl.col("by") == "system").iter_rows(named=True)
    ends = ((f"{row['score']}@system={row['group']}", row) for row in by_system)
    assert same(named, ((what, row["mean"], [row["ci95_low"], row["ci95_high"]]) for what, row in ends)) == 6


def test_the_dashboard_says_what_the_report_says(folder, named):
    study = Study(folder)
    figures = Watch(study, RubricRules(study.rubric)).look().figures
    assert figures.scored is not None

    def shown() -> Iterator[Figure]:
        for one in figures.agreement:
            alpha, ends = one.alpha, one.alpha.ci95
            yield f"human_human.{one.score}.krippendorff_alpha", alpha.value, list(ends) if ends else None

    assert same(named, shown()) == 2
    visitor = TestClient(create_app(study, Options(lang="en")), base_url="http://127.0.0.1:8000")
    page = visitor.get(f"/enter/{invite_owner(study.database)}").text
    first = re.search(r'<h1 id="answer">(.*?)</h1>\s*<p class="sure">(.*?)</p>', page)
    assert first is not None
    assert tuple(map(html.unescape, first.groups())) == (how_good(figures.scored), how_sure(figures.scored))


def test_the_archive_has_the_rows_of_the_command(haechi, folder):
    archive = io.BytesIO()
    write_export(Study(folder), archive)
    kept = pl.read_csv(zipfile.ZipFile(archive).read("scores.csv"), infer_schema_length=None)
    told = haechi("score", folder, "--json").json["items"]
    assert kept.height == len(told)
    for row, one in zip(kept.iter_rows(named=True), told, strict=True):
        assert (row["item"], row["rater"], row["system"]) == (
            one["item"],
            one["rater"],
            one["meta"]["system"],
        )
        assert row["overall"] == one["scores"]["overall"]
