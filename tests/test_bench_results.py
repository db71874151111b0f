"""The page of figures is what the kept results say, and a ratio that got worse is noticed."""

from __future__ import annotations

from bench import page
from bench.__main__ import regressions
from bench.results import Ratio, Result, load


def _result(*ratios: Ratio) -> list[Result]:
    return [Result("", ("what",), (("x",),), ratios)]


def test_the_page_shows_what_was_measured() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text()


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
