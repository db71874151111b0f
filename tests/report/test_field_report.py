"""The Markdown report as teams write it: source, worked arithmetic, weakest and slowest queries with their texts, a paragraph."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.report.build import build_report
from haechi.report.charts import bins_of, histogram
from haechi.report.document import Report
from haechi.report.numbers import number
from haechi.report.table import Estimate, Table, say
from haechi.stats.sample import Sample
from haechi.text import choose_language

BUNDLED = files("haechi.demo") / "data" / "hiring-agent" / "runs.csv"


@pytest.fixture(scope="module")
def made(demo) -> tuple[Analysis, Report]:
    choose_language("en")
    figures = Analysis(demo / "hiring-agent")
    return figures, build_report(figures)


@pytest.fixture(scope="module")
def runs(made) -> pl.DataFrame:
    return pl.concat(made[0].batches())


def named(report: Report, title: str) -> Table:
    return next(table for table in report.tables() if table.title == title)


def test_the_file_is_named_with_its_hash(made) -> None:
    (row,) = named(made[1], "What was measured").rows
    assert row[0] == "runs.csv"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(row[1]))
    assert row[2] == hashlib.sha256(BUNDLED.read_bytes()).hexdigest()[:12]
    assert any(
        hashlib.sha256(BUNDLED.read_bytes()).hexdigest() in value for _, value in made[1].reproducibility
    )


def test_the_arithmetic_is_that_of_the_run(made, runs: pl.DataFrame) -> None:
    """q18-1 passed 3 of 4 checks in 61.2 s: 4 points for [0.75, 1), 0 for more than 60 s."""
    rows = {
        (say(row[0]), str(row[1])): str(row[2]) for row in named(made[1], "The arithmetic, worked once").rows
    }
    assert rows["q18-1", "Accuracy"] == "3/4 = 0.75 · 0.75 ≤ x < 1 → 4"
    assert rows["q18-1", "Speed (several tools)"] == "61.2 s · 60 < x → 0"
    total = rows["q18-1", "Overall"]
    parts, result = total.split(" = ")
    computed = sum(float(w) * float(p) for w, p in (part.split(" × ") for part in parts.split(" + ")))
    own = runs.filter(pl.col("item") == "q18-1")["overall"].item()
    assert number(computed) == result == number(own)
    counted = re.fullmatch(r"\((.*)\) / (\d+) = (.*)", rows["the set", "Accuracy"])
    assert counted is not None
    points = sum(float(p) * int(n) for p, n in (part.split("×") for part in counted[1].split(" + ")))
    assert number(points / int(counted[2])) == counted[3] == number(runs["accuracy"].mean())


def test_the_weakest_and_the_slowest_queries_have_their_texts(made, runs: pl.DataFrame) -> None:
    weakest = named(made[1], "The weakest queries")
    for row in weakest.rows:
        own = runs.filter(pl.col("query") == row[0])
        assert row[4] == own.height
        assert row[5] == (None if own["overall"].mean() is None else pytest.approx(own["overall"].mean()))
        assert any("가" <= letter <= "힣" for letter in str(row[1]))
    slowest = named(made[1], "The slowest queries")
    means = runs.group_by("query").agg(pl.col("details:seconds").mean()).drop_nulls()
    expected = means.sort("details:seconds", descending=True)["details:seconds"].head(10).to_list()
    assert [row[3] for row in slowest.rows] == pytest.approx(expected)


def test_what_changed_is_shown_with_question_expectation_and_answers(made) -> None:
    row = next(
        r for r in named(made[1], "Question, expectation and answers of what changed").rows if r[0] == "q14"
    )
    assert row[1:3] == ("합격 메일 보내 줘", "@check formType=SELECT; titleContains=전형")
    assert str(row[3]).startswith("q14-1: 어느 전형의 합격자에게 보낼까요?\n\nq14-2: ")


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_every_number_of_the_paragraph_stands_in_a_table(made, lang: str) -> None:
    choose_language(lang)  # type: ignore[arg-type]
    figures, report = made[0], build_report(made[0])
    words = next(s for s in report.sections if s.key == "runs").parts[0]
    assert isinstance(words, str)
    assert say(Estimate.of(figures.whole["overall"].mean)) in words
    for name in ("intent", "accuracy", "stability"):
        assert number(figures.whole[name].mean.value or 0.0) in words
    for name in ("latency_single", "latency_multi"):
        assert number(figures.seconds[name].mean.value or 0.0) in words
        assert number(figures.time_quantiles[name]["p95"].value or 0.0) in words
    shown = [say(cell) for table in report.tables() for row in table.rows for cell in row]
    shown += [table.note for table in report.tables()]
    for figure in re.findall(r"\d+\.\d\d", words):
        assert any(figure in text for text in shown), figure


def test_bars_of_times_end_where_the_bands_do_and_hold_their_upper_end() -> None:
    """5.0 s is in the band up to 5: the bar of (4, 5] has it, and p50 and p95 are marked."""
    bins = bins_of(Sample.of([5.0, 5.0, 7.0]), [5.0, 8.0])
    picture = histogram("t", "d", bins, {5.0: "5", 8.0: "4"}, "s", marks={"p50": 5.0})
    bars = [(float(x), float(w)) for x, w in re.findall(r'<rect x="([\d.]+)"[^>]* width="([\d.]+)"', picture)]
    cut = min(float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]* class="cut"', picture))
    assert len(bars) == 2
    assert bars[0][0] + bars[0][1] + 1 == pytest.approx(cut, abs=0.2)
    assert bars[1][0] > cut
    assert "p50 5.00" in picture
