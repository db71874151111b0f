"""The parts that the four instruments ask for."""

from __future__ import annotations

import polars as pl
import pytest

from haechi.report.build import build_report
from haechi.report.document import Passage, Plot
from haechi.report.table import say
from haechi.report.words import shortened
from haechi.text import choose_language


@pytest.fixture
def report(gathered):
    def made(name: str, lang: str = "en"):
        choose_language(lang)
        return build_report(gathered[name])

    return made


def tables(report):
    return {table.title: table for table in report.tables()}


def titles(table):
    return [column.title for column in table.columns]


def test_runs_have_a_table_for_the_set_and_for_each_round(report, gathered):
    found = tables(report("hiring-agent"))
    whole = found["Metrics and points 0–5: the set"]
    rounds = [found[f"Metrics and points 0–5: round {number}"] for number in (1, 2)]
    assert titles(whole) == ["metric", "runs", "mean", "0", "1", "2", "3", "4", "5", "mean s"]
    for row, first, second in zip(whole.rows, *(one.rows for one in rounds), strict=True):
        assert row[1] == first[1] + second[1]
        assert sum(row[3:9]) == row[1]
        assert [a + b for a, b in zip(first[3:9], second[3:9], strict=True)] == list(row[3:9])


def test_mean_seconds_stand_beside_speed(report, gathered):
    runs = pl.concat(gathered["hiring-agent"].batches())
    own = runs.filter(pl.col("details:tool_class") == "SINGLE")["details:seconds"].mean()
    row = next(
        r for r in tables(report("hiring-agent"))["Metrics and points 0–5: the set"].rows if r[9] != ""
    )
    assert row[9] == pytest.approx(own)


def test_errors_and_failing_checks_are_counted(report, gathered):
    found = tables(report("hiring-agent"))
    failed = (
        pl.concat(gathered["hiring-agent"].batches()).filter(pl.col("details:failure").is_not_null()).height
    )
    assert sum(row[-1] for row in found["Failures and errors"].rows) == failed
    checks = pl.concat(gathered["hiring-agent"].batches())["details:failing"].drop_nulls()
    counted = sum(len(text.split("; ")) for text in checks)
    assert sum(row[-1] for row in found["Failing checks"].rows) == counted


def test_the_weights_of_the_overall_are_stated(report):
    section = next(s for s in report("hiring-agent").sections if s.key == "runs")
    for part in ("Intent 20 %", "Consistency 10 %", "Accuracy 30 %", "Speed 20 %", "Stability 20 %"):
        assert any(part in words for words in section.parts if isinstance(words, str))


def test_queries_that_changed_did_something_else(report, gathered):
    """Whether it succeeded, what it showed, what it scored; times, guesses and missing values are no change."""
    runs = pl.concat(gathered["hiring-agent"].batches())
    listed = {row[0] for row in tables(report("hiring-agent"))["Queries that changed between rounds"].rows}
    assert len(listed) == 14
    for (query,), own in runs.partition_by("query", as_dict=True).items():
        fine = own.filter(pl.col("details:failure").is_null())
        scores = (fine["intent"], fine["accuracy"])
        differs = (
            0 < fine.height < own.height
            or fine["details:signature"].n_unique() > 1
            or any(score.drop_nulls().n_unique() > 1 for score in scores)
        )
        assert differs == (query in listed), query


def test_judges_stand_side_by_side_per_session(report):
    table = tables(report("maice-qac"))["Total"]
    assert titles(table)[:3] == ["item", "mode", "level"]
    assert {"gemini-2.5-flash", "claude-haiku-4-5", "gpt-5-mini", "teacher-1"} <= set(titles(table))
    assert len(table.rows) == 12


def test_what_is_missing_is_listed_with_its_reason(report):
    table = tables(report("maice-qac"))["Scores without a value"]
    # The demo's README: s09 of judge 1 was cut off, s04 of judge 2 expired.
    assert {(row[0], row[3]) for row in table.rows} == {
        ("gemini-2.5-flash", "s09"),
        ("claude-haiku-4-5", "s04"),
    }


def test_excluded_criteria_are_stated(demo):
    from haechi.analysis.analysis import Analysis

    choose_language("en")
    figures = Analysis(demo / "maice-qac", exclude=("C1",))
    made = build_report(figures)
    missing = next(s for s in made.sections if s.key == "missing")
    assert any(isinstance(part, str) and "Left out: C1" in part for part in missing.parts)
    assert "C1 were excluded" in made.methods
    assert figures.rubric.range("total") == (7.0, 35.0)


def test_ubica_says_the_nearest_anchor_and_lists_the_comments(report, gathered):
    made = report("ubica", "ko")
    anchors = tables(made)["점수의 뜻"]
    criterion = gathered["ubica"].rubric.criteria[0]
    mean = gathered["ubica"].whole[criterion.score].mean.value
    assert anchors.rows[0][1] == f"{round(mean)} · {criterion.scale.anchors[round(mean)].ko}"
    comments = next(s for s in made.sections if s.key == "comments").parts[0]
    given = gathered["ubica"].ratings.filter(pl.col("criterion") == "comment")
    assert len(comments.rows) == given.height > 0


def test_failures_show_the_raters_reasons(report, gathered):
    section = next(s for s in report("diary-comment").sections if s.key == "failures")
    given = gathered["diary-comment"].ratings
    for table in section.parts:
        assert table.rows
        for item, _, reply, reasons, unmet in table.rows:
            said = given.filter((pl.col("item") == item.item) & pl.col("evidence").is_not_null())
            assert reasons == "–" or any(evidence in reasons for evidence in said["evidence"])
            assert reply != "–"
            assert unmet >= 1


def test_shares_of_all_ratings_have_no_interval_since_ratings_of_an_item_are_not_independent(
    report, gathered
):
    table = tables(report("diary-comment"))["Mean over items [95 % interval] by system"]
    row = next(r for r in table.rows if say(r[0]) == "Sensibleness · share met, all ratings")
    frame = pl.concat(gathered["diary-comment"].batches()).filter(pl.col("system") == titles(table)[1])
    assert row[1].value == pytest.approx(frame["sensibleness"].mean())
    assert (row[1].low, row[1].high) == (None, None)


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("name", ["ubica", "hiring-agent", "maice-qac", "diary-comment"])
def test_every_plot_is_well_formed_and_has_words_and_a_table(report, name, lang):
    from xml.etree import ElementTree

    plots = [part for s in report(name, lang).sections for part in s.parts if isinstance(part, Plot)]
    assert plots
    for plot in plots:
        picture = ElementTree.fromstring(plot.svg)
        assert picture.find("title").text == plot.title
        assert picture.find("desc").text == plot.alt
        assert plot.table.rows
        assert not [shape for shape in picture.iter() if "nan" in str(shape.attrib)]


def test_the_plots_that_were_promised_are_there(report):
    titles = [p.title for s in report("maice-qac").sections for p in s.parts if isinstance(p, Plot)]
    for wanted in (
        "Profile",
        "Distribution",
        "Pairs of raters",
        "AI against people",
        "Bland–Altman",
        "Raters against all others",
        "Groups by mode",
    ):
        assert any(title.startswith(wanted) for title in titles), wanted
    runs = [p.title for s in report("hiring-agent").sections for p in s.parts if isinstance(p, Plot)]
    assert sum(title.startswith("Response times") for title in runs) == 2


def test_korean_reports_are_in_korean(report):
    made = report("maice-qac", "ko")
    assert made.title == "수학 학습 세션 평가 루브릭 (QAC 체크리스트)"
    assert all(any("가" <= letter <= "힣" for letter in finding.words) for finding in made.findings)
    assert "평가하였다" in made.methods


@pytest.mark.parametrize("name", ["ubica", "hiring-agent", "maice-qac", "diary-comment"])
def test_every_item_that_a_finding_names_can_be_read_in_the_report(report, name):
    made = report(name)
    named = {item for finding in made.findings for item in finding.items}
    assert named
    assert named <= made.passages


def test_a_run_is_read_with_its_question_and_its_answer(report, gathered):
    passages = [p for s in report("hiring-agent").sections for p in s.parts if isinstance(p, Passage)]
    asked = {item.id: item.content for item in gathered["hiring-agent"].study.items()}
    assert passages
    for passage in passages:
        lines = dict(passage.lines)
        assert lines["Query"] == shortened(asked[passage.item]["query_text"])
        if asked[passage.item]["response"]:
            assert lines["Answer message"] == shortened(asked[passage.item]["response"])


def test_the_finding_and_the_methods_rest_on_the_same_test(report):
    # Every diary has one comment of each system, so both speak of the paired test.
    made = report("diary-comment")
    (groups,) = (finding for finding in made.findings if finding.rule == "groups")
    assert "paired t" in groups.figure
    assert "system, paired t: t(11) = " in made.methods
    table = tables(made)["In pairs by diary: 모델 A − 모델 B"]
    assert titles(table)[2:6] == ["difference of pairs [95 % interval]", "d_z", "p, paired t", "Holm"]
