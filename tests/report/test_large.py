"""Many items: the page stays small and says what it leaves to the tables."""

from __future__ import annotations

import polars as pl
import pytest
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.report.folder import write_report
from haechi.report.sections.items import MOST_ITEMS


def written(folder, count):
    ratings = {
        f"d{i:05}": {"ann": votes(i % 2, (i // 2) % 2, (i // 3) % 2), "bo": votes(i % 2, (i // 5) % 2, 1)}
        for i in range(count)
    }
    figures = Analysis(diary_study(folder / "study", ratings))
    return write_report(figures, folder / "out")


def test_the_items_table_is_limited_and_says_so(tmp_path):
    report = written(tmp_path, 400)
    (table,) = next(section for section in report.sections if section.key == "items").parts
    assert 0 < len(table.rows) <= MOST_ITEMS
    assert f"{len(table.rows):,} of 400 items" in table.note
    assert pl.read_csv(tmp_path / "out" / "scores.csv").height == 400


@pytest.mark.slow
def test_ten_thousand_items_make_a_page_of_less_than_two_megabytes(tmp_path):
    written(tmp_path, 10_000)
    assert (tmp_path / "out" / "report.html").stat().st_size < 2_000_000
    assert pl.read_csv(tmp_path / "out" / "scores.csv").height == 10_000
