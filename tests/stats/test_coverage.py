"""How often intervals hold, simulated: the table of docs/statistics/coverage.md stays true."""

from dataclasses import replace

import pytest
from bench.coverage import PAGE, RUNS, cases, simulate, table

CASES = list(cases())


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.interval}: {case.design}")
def test_an_interval_holds_as_often_as_it_says(case):
    found = simulate(case)
    assert found.is_as_wanted(), table([found])
    # The page was written by the same simulation; another version of numpy may round a boundary the other way.
    (written,) = (
        line
        for line in PAGE.read_text("utf-8").splitlines()
        if f"| {case.interval} | {case.design} |" in line
    )
    shown = written.split("|")[3].strip()
    if found.share is not None and shown != "–":
        assert float(shown) == pytest.approx(100 * found.share, abs=300 / RUNS**0.5 / 10)


def test_every_design_is_on_the_page():
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [
        line.split("|")[1:3] for line in lines if line.startswith("| ") and "interval | design" not in line
    ]
    assert [tuple(cell.strip() for cell in row) for row in rows] == [(c.interval, c.design) for c in CASES]


def test_the_same_seed_gives_the_same_coverage():
    assert simulate(CASES[0], 50) == simulate(CASES[0], 50)


def test_an_interval_that_does_not_hold_is_seen():
    assert not simulate(replace(CASES[0], truth=CASES[0].truth + 2), 300).is_as_wanted()
