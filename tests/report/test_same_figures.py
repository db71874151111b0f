"""Every rendering says the same, and what it says follows from the ratings."""

from __future__ import annotations

import html
import re
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from haechi.report.document import Estimate, say
from haechi.report.exports import agreement_rows
from haechi.report.folder import FILES

STUDIES = ("ubica", "hiring-agent", "maice-qac", "diary-comment")


def csv(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema_length=None)


@pytest.mark.parametrize("name", STUDIES)
def test_the_folder_has_every_file_and_nothing_else(written, name):
    assert sorted(path.name for path in (written / name).iterdir()) == sorted(FILES)


@pytest.mark.parametrize("name", STUDIES)
def test_the_panel_mean_is_the_mean_of_the_raters_columns(written, gathered, name):
    scores, figures = csv(written / name / "scores.csv"), gathered[name]
    raters = figures.frame["rater"].unique().to_list()
    for score in figures.names:
        own = scores.select(f"{rater}:{score}" for rater in raters).mean_horizontal()
        assert own.round(9).equals(scores[f"mean:{score}"].round(9), null_equal=True), score


@pytest.mark.parametrize("name", STUDIES)
def test_the_summary_is_the_mean_over_the_rows_of_scores(written, gathered, name):
    scores, summary = csv(written / name / "scores.csv"), csv(written / name / "summary.csv")
    whole = summary.filter(pl.col("by").is_null() | (pl.col("by") == ""))
    for score in gathered[name].names:
        row = whole.filter(pl.col("score") == score).row(0, named=True)
        assert row["mean"] == pytest.approx(scores[f"mean:{score}"].mean())
        assert row["items"] == scores[f"mean:{score}"].count()
        assert row["sd"] == pytest.approx(scores[f"mean:{score}"].std())


def test_a_group_of_the_summary_is_the_mean_of_its_items(written):
    scores, summary = csv(written / "maice-qac" / "scores.csv"), csv(written / "maice-qac" / "summary.csv")
    agent = summary.filter((pl.col("group") == "agent") & (pl.col("score") == "total")).row(0, named=True)
    assert agent["mean"] == pytest.approx(scores.filter(pl.col("mode") == "agent")["mean:total"].mean())


@pytest.mark.parametrize("name", STUDIES)
def test_markdown_and_html_show_the_figures_of_the_summary(written, gathered, name):
    summary = csv(written / name / "summary.csv")
    page = (written / name / "report.html").read_text("utf-8")
    # Intervals stand in an element of their own; without tags the text is what a reader sees.
    seen = html.unescape(re.sub(r"<[^>]+>", "", page))
    text = (written / name / "report.md").read_text("utf-8")
    for row in summary.iter_rows(named=True):
        shown = say(Estimate(row["mean"], row["ci95_low"], row["ci95_high"]))
        assert shown in seen, (row["group"], row["score"])
        assert shown in text, (row["group"], row["score"])


@pytest.mark.parametrize("name", STUDIES)
def test_the_workbook_holds_the_same_tables(written, gathered, name):
    book = openpyxl.load_workbook(written / name / "scores.xlsx", read_only=True)
    assert book.sheetnames == ["summary", "scores", "ratings", "agreement", "comments"]
    for sheet, file in (("summary", "summary.csv"), ("scores", "scores.csv")):
        rows = list(book[sheet].values)
        frame = csv(written / name / file)
        assert list(rows[0]) == frame.columns
        for got, expected in zip(rows[1:], frame.iter_rows(), strict=True):
            for a, b in zip(got, expected, strict=False):
                assert (a in (None, "") and b in (None, "")) or a == pytest.approx(b) or str(a) == str(b)


def test_the_agreement_sheet_has_the_figures_of_haechi_agree(written, gathered):
    rows = agreement_rows(gathered["maice-qac"])
    found = gathered["maice-qac"].agreement.panels.ai_ai["total"].icc["ICC(2,1)"]
    row = rows.filter(
        (pl.col("panel") == "ai_ai") & (pl.col("score") == "total") & (pl.col("coefficient") == "ICC(2,1)")
    ).row(0, named=True)
    assert (row["value"], row["ci95_low"], row["ci95_high"]) == (found.value, *found.ci95)
    text = (written / "maice-qac" / "report.md").read_text("utf-8")
    assert say(Estimate(found.value, *found.ci95)) in text


def test_ratings_parquet_is_the_ratings_in_force(written, gathered):
    kept = pl.read_parquet(written / "maice-qac" / "ratings.parquet")
    assert kept.equals(gathered["maice-qac"].study.ratings())


def test_what_code_rated_is_among_the_ratings(written, gathered):
    kept = pl.read_parquet(written / "hiring-agent" / "ratings.parquet")
    stable = kept.filter(pl.col("criterion") == "stability")
    assert stable["kind"].unique().to_list() == ["code"]
    # 40 runs, each with a stability of 5 or 0 (instruments.md, hiring-agent).
    assert stable.height == 40
    assert set(stable["value"].to_list()) == {"5.0", "0.0"}


def test_the_same_study_makes_the_same_files(written, gathered, tmp_path):
    from haechi.report.folder import write_report

    write_report(gathered["diary-comment"], tmp_path / "again")
    for file in FILES:
        assert (tmp_path / "again" / file).read_bytes() == (written / "diary-comment" / file).read_bytes(), (
            file
        )
