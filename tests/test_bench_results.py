"""The page of figures is what the kept results say, and a ratio that got worse is noticed."""

from __future__ import annotations

from bench import coverage, human_scale, korean_pages, page
from bench.__main__ import regressions
from bench.korean import left_in_english, tables_in
from bench.results import Ratio, Result, load

NAMES = """
    AC AI CPU Cohen Cronbach Fleiss Gwet ICC JSONL Kendall Krippendorff LogisticRegression MB MiB Parquet
    Pearson Polars PostgreSQL SDK SQLite Spearman Welch Wilson add agree as assert_score bradley_terry by
    check compare diary-comment executemany haechi help hiring-agent id import inspect_ai jsonl judge
    krippendorff loads maice-qac min mode ms new orjson overall parquet pass pingouin polars python rank
    ratings report rubric rubrics scikit-learn score stats statsmodels system total ubica wheel
"""
"""What stays as it is in Korean tables: units, names of methods and of people, files, commands, packages."""


def _result(*ratios: Ratio) -> list[Result]:
    return [Result("", ("what",), (("x",),), ratios)]


def test_the_page_shows_what_was_measured() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text()


def test_the_korean_pages_have_the_same_figures_in_korean_words() -> None:
    pages = {
        korean_pages.PERFORMANCE: (korean_pages.performance(), page.PAGE),
        korean_pages.COVERAGE: (korean_pages.coverage_page(), coverage.PAGE),
        korean_pages.HUMAN_SCALE: (korean_pages.human_scale_page(), human_scale.PAGE),
    }
    for place, (made, english) in pages.items():
        assert place.read_text(encoding="utf-8") == made, "python -m bench page writes it"
        ours, theirs = tables_in(made), tables_in(english.read_text(encoding="utf-8"))
        assert [table.count("\n") for table in ours] == [table.count("\n") for table in theirs]
        assert left_in_english(ours, NAMES.split()) == [], "bench/korean.py lacks these words"


def test_every_benchmark_has_kept_results() -> None:
    assert [name for name in page.TITLES if not load(name)] == []


def test_only_ratios_that_became_worse_by_more_than_a_third_are_named() -> None:
    earlier = _result(Ratio("to the floor", 2.0, "<=", 2.5), Ratio("to the peer", 9.0, ">=", 1))
    same = _result(Ratio("to the floor", 2.6, "<=", 2.5), Ratio("to the peer", 7.0, ">=", 1))
    worse = _result(Ratio("to the floor", 2.7, "<=", 2.5), Ratio("to the peer", 6.7, ">=", 1))
    assert regressions(earlier, same) == []
    assert regressions(earlier, worse) == [
        "worse: to the floor 2.00 → 2.70",
        "worse: to the peer 9.00 → 6.70",
    ]


def test_a_ratio_that_is_new_is_no_regression() -> None:
    assert regressions([], _result(Ratio("new", 99.0, "<="))) == []
