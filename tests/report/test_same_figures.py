"""Every rendering says the same, and what it says follows from the ratings."""

from __future__ import annotations

import html
import re
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from small_studies import diary_study, votes

from haechi.report.exports import agreement_rows
from haechi.report.folder import FILES, files_of
from haechi.report.table import Estimate, say

STUDIES = ("ubica", "hiring-agent", "maice-qac", "diary-comment")


def csv(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema_length=None)


@pytest.mark.parametrize("name", STUDIES)
def test_the_folder_has_every_file_and_nothing_else(written, gathered, name):
    expected = [*files_of(gathered[name]), "plots"]
    assert sorted(path.name for path in (written / name).iterdir()) == sorted(expected)


@pytest.mark.parametrize("name", STUDIES)
def test_the_panel_mean_is_the_mean_of_the_raters_columns(written, gathered, name):
    scores, figures = csv(written / name / "scores.csv"), gathered[name]
    raters = {cell.rater for cell in figures.who_rated}
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
    queries = [("queries", "queries.csv")] if gathered[name].rubric.item == "run" else []
    sheets = ["findings", "summary", "scores", "ratings", "agreement", "comments"]
    compared = [f"groups {place}" for place, _ in enumerate(gathered[name].comparisons, 1)]
    assert book.sheetnames == sheets + [sheet for sheet, _ in queries] + compared
    for sheet, file in (("summary", "summary.csv"), ("scores", "scores.csv"), *queries):
        rows = list(book[sheet].values)
        frame = csv(written / name / file)
        assert list(rows[0]) == frame.columns
        for got, expected in zip(rows[1:], frame.iter_rows(), strict=True):
            for a, b in zip(got, expected, strict=False):
                assert (
                    (a in (None, "") and b in (None, ""))
                    or a == pytest.approx(b)
                    or str(a) == str(b).removeprefix("'")
                )


def test_the_agreement_sheet_has_the_figures_of_haechi_agree(written, gathered):
    rows = agreement_rows(gathered["maice-qac"])
    found = gathered["maice-qac"].agreement.panels.ai_ai["total"].icc["ICC(2,1)"]
    row = rows.filter(
        (pl.col("panel") == "ai_ai") & (pl.col("score") == "total") & (pl.col("coefficient") == "ICC(2,1)")
    ).row(0, named=True)
    assert (row["value"], row["ci95_low"], row["ci95_high"]) == (found.value, *found.ci95)
    text = (written / "maice-qac" / "report.md").read_text("utf-8")
    assert say(Estimate(found.value, *found.ci95), "coefficient") in text


def test_one_mean_in_score_report_check_and_tables(haechi, demo, written):
    """The headline is the mean over items wherever it stands; the mean of ratings has another name."""
    study = demo / "maice-qac"
    told = haechi("score", study, "--json").json
    frame = pl.DataFrame(
        [{"item": e["item"], "rater": e["rater"], "total": e["scores"]["total"]} for e in told["items"]]
    )
    over_items = frame.group_by("item").agg(pl.col("total").mean())["total"].mean()
    of_ratings = frame["total"].mean()
    assert abs(over_items - of_ratings) > 0.1  # the demo has gaps, so the two differ
    figures = told["summary"][0]["scores"]["total"]
    assert (figures["mean_over_items"], figures["mean"]) == (
        pytest.approx(over_items),
        pytest.approx(of_ratings),
    )
    table = haechi("score", study, "--lang", "en").out
    assert "mean over" in table
    assert re.search(rf"Total +12 +{over_items:.2f} \[.* {of_ratings:.2f} ", table)
    row = csv(written / "maice-qac" / "summary.csv").filter(pl.col("score") == "total").row(0, named=True)
    assert (row["mean"], row["mean_of_ratings"]) == (pytest.approx(over_items), pytest.approx(of_ratings))
    gate = haechi("check", study, "--list", "--json").json
    assert gate["total"]["value"] == pytest.approx(over_items)
    assert f"| Total | 12 | {over_items:.2f} [" in (written / "maice-qac" / "report.md").read_text("utf-8")


@pytest.mark.parametrize("name", STUDIES)
def test_score_says_what_the_report_says_to_the_last_digit(haechi, demo, written, name):
    said = {
        ("", *row["by"].values()) if row["by"] else ("",): row["scores"]
        for row in haechi("score", demo / name, "--json").json["summary"]
    }
    compared = set()
    for row in csv(written / name / "summary.csv").iter_rows(named=True):
        figures = said.get(("", row["group"]) if row["group"] else ("",), {}).get(row["score"])
        if figures is not None:  # response times are no scores
            ends = None if row["ci95_low"] is None else [row["ci95_low"], row["ci95_high"]]
            assert (figures["mean_over_items"], figures["sd"], figures["ci95"]) == (
                row["mean"],
                row["sd"],
                ends,
            )
            assert (figures["mean"], figures["n"]) == (row["mean_of_ratings"], row["ratings"])
            compared.add(row["group"])
    assert len(compared) > (name != "ubica")  # the whole set, and groups where the rubric proposes some


def test_replicates_are_averaged_before_raters_in_every_mean(haechi, tmp_path):
    # ann rated d1 three times (1, 1, 1) and bo once (0): the item is 0.5, not 0.75; the mean of ratings is 3/4.
    study = diary_study(tmp_path / "study", {"d1": {"ann": votes(1, 1, 1), "bo": votes(0, 0, 0)}})
    again = "item,criterion,rater,value,replicate\n" + "".join(
        f"d1,{name},ann,1,{number}\n" for name in votes(1, 1, 1) for number in (2, 3)
    )
    (tmp_path / "again.csv").write_text(again, "utf-8")
    assert haechi("import", study, tmp_path / "again.csv", "--as", "ratings").code == 0
    figures = haechi("score", study, "--json").json["summary"][0]["scores"]["sympathy"]
    assert (figures["n"], figures["mean"], figures["mean_over_items"]) == (4, 0.75, 0.5)
    assert haechi("check", study, "--list", "--json").json["sympathy"]["value"] == 0.5


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
