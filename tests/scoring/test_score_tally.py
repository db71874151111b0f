"""Few rows and many are counted in two ways, which come to the same."""

from __future__ import annotations

import polars as pl
import pytest

from haechi.scoring import tally
from haechi.scoring.tally import Tally

ROWS = pl.DataFrame(
    {
        "mode": ["a", "b", None, "a"] * 5,
        "total": [3, 4, None, 3] * 5,
        "half": [0.5, None, 0.25, 0.5] * 5,
        "nothing": [None] * 20,
    },
    schema_overrides={"nothing": pl.Float64},
)


@pytest.mark.parametrize("by", [[], ["mode"]])
@pytest.mark.parametrize("names", [["total", "half", "nothing"], ["nothing"], []])
def test_both_ways_come_to_the_same(monkeypatch, by, names):
    counted = []
    for many in (0, 1_000):
        monkeypatch.setattr(tally, "_MANY", many)
        one = Tally(names, by)
        one.add(ROWS)
        one.add(ROWS.head(3))
        counted.append({key: list(values.iter_rows()) for key, values in one.values().items()})
    assert counted[0] == counted[1]
    assert len(counted[0]) == (0 if "half" not in names else 4 if by else 2)
