"""Tables of scores on narrow terminals: rows keep their names, figures stay whole, what is left out is said."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from haechi.analysis.agreement import agreement_report
from haechi.analysis.rating_sources import study_ratings
from haechi.cli.agree_tables import agree_tables
from haechi.cli.score_tables import score_tables
from haechi.demo import make_studies
from haechi.text import choose_language


@pytest.fixture(scope="module")
def tutoring_study(tmp_path_factory):
    studies = {study.rubric.id: study for study in make_studies(tmp_path_factory.mktemp("demo"))}
    return studies["maice-qac"]


@pytest.fixture(scope="module")
def tutoring(tutoring_study):
    return tutoring_study.scores()


def _printed(scored, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    for thing in score_tables(scored):
        console.print(thing)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 140])
def test_rows_keep_their_names_and_means(tutoring, width):
    lines = _printed(tutoring, width)
    assert max(map(len, lines)) <= width
    totals = [line.split() for line in lines if line.strip().startswith("total")]
    assert len(totals) == 1 + len(tutoring.groupings)  # the whole set, then every grouping
    assert "24.98" in totals[0]
    assert totals[-1][1:] == ["28.36", "28.18", "19.58", "25.42", "24.58"]


@pytest.mark.parametrize("width", [60, 80])
def test_agreement_keeps_the_names_of_the_criteria_and_whole_intervals(tutoring_study, width):
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(agree_tables(agreement_report(study_ratings(tutoring_study.folder)))[0])
    total = next(line for line in console.file.getvalue().splitlines() if line.strip().startswith("total"))
    assert total.split()[1:4] == [".75", "[.47,", ".92]"]


def test_what_is_left_out_is_said(tutoring):
    choose_language("en")
    try:
        narrow, wide = _printed(tutoring, 80), _printed(tutoring, 160)
    finally:
        choose_language(None)
    assert "columns left out of this narrow terminal: median, SD, range, name" in narrow
    assert not any("left out" in line for line in wide)
