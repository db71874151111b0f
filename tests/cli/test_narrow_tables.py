"""Tables of scores on narrow terminals: rows keep their names, figures stay whole, what is left out is said."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from haechi.analysis.analysis import Analysis
from haechi.cli.agree_tables import agree_tables
from haechi.report.findings import findings
from haechi.report.tables.comparison import compare_tables
from haechi.report.tables.scores import grouped_tables, score_table
from haechi.report.terminal import width_of
from haechi.study.study import Study
from haechi.text import choose_language
from terminals import printed


@pytest.fixture(scope="module")
def tutoring(demo):
    return Study(demo / "maice-qac").scores()


@pytest.fixture
def english() -> Iterator[None]:
    choose_language("en")
    yield
    choose_language(None)


def _printed(scored, width: int) -> list[str]:
    tables = score_table(scored, {}), *grouped_tables(scored)
    return printed(tables, width)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_rows_keep_their_names_and_means(tutoring, width):
    lines = _printed(tutoring, width)
    assert max(map(width_of, lines)) <= width
    totals = [line.split() for line in lines if line.strip().startswith("total")]
    assert len(totals) == 1 + len(tutoring.groupings)  # the whole set, then every grouping
    assert "24.98" in totals[0]
    assert totals[-1][1:] == ["28.36", "28.18", "19.58", "25.42", "24.58"]


@pytest.mark.parametrize("width", [60, 80])
def test_agreement_keeps_the_names_of_the_criteria_and_whole_intervals(demo, width):
    lines = printed(agree_tables(Analysis(demo / "maice-qac").agree())[:1], width)
    total = next(line for line in lines if line.strip().startswith("total"))
    assert total.split()[1:4] == [".76", "[.50,", ".91]"]


def test_what_is_left_out_is_said(tutoring, english):
    narrow, wide = _printed(tutoring, 80), _printed(tutoring, 160)
    assert "columns left out of this narrow terminal: median · SD · range · name" in narrow
    assert not any("left out" in line for line in wide)


def test_few_counts_items_in_score_as_in_the_report(haechi, tmp_path):
    """Three raters share the work, one rating per item: most ratings are missing, but no item is."""
    study = Study.new(tmp_path / "study", "diary-comment")
    raters, names = ("ann", "bo", "cy"), ("sensibleness", "specificity", "sympathy")
    items = [{"id": f"d{i}", "context": "일기", "response": "답"} for i in range(6)]
    rows = [
        {"item": f"d{i}", "rater": rater, "criterion": name, "value": 1 if name == names[0] or own else None}
        for i in range(6)
        for place, rater in enumerate(raters)
        for own in [place == i % 3]
        for name in names
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    (tmp_path / "ratings.json").write_text(json.dumps(rows), "utf-8")
    study.add([tmp_path / "items.jsonl"])
    study.import_ratings([tmp_path / "ratings.json"])
    figures = haechi("score", study.folder, "--json").json["summary"][0]["scores"]["sympathy"]
    assert (figures["n"], figures["missing"]) == (6, 12)
    assert "more than half" not in haechi("score", study.folder).err
    assert not any(finding.rule == "few" for finding in findings(Analysis(study.folder)))


def test_a_note_about_a_column_goes_with_it_and_columns_left_out_have_their_full_names(demo, english):
    tables = compare_tables(Analysis(demo / "maice-qac").comparison("mode"))
    narrow, wide = printed(tables, 80), printed(tables, 200)
    gone = "columns left out of this narrow terminal: Holm (M–W) · p, Mann–Whitney · Cliff δ · effect"
    assert gone in " ".join(narrow)
    about = "The effect is what both ends"
    assert not any(about in line for line in narrow)
    assert any(about in line for line in wide)


def test_a_title_has_room_above_it(demo, english):
    lines = printed(agree_tables(Analysis(demo / "maice-qac").agree()), 80)
    titles = ("People among themselves", "AI judges among themselves")
    assert [lines[lines.index(title) - 1] for title in titles] == ["", ""]
