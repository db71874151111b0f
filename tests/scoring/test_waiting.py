"""Scored rows that wait come back the same, whether they are few or many."""

from __future__ import annotations

import polars as pl
import pytest

from haechi.scoring import batches


@pytest.mark.parametrize("few", [0, 3, 10], ids=["on disk", "grown", "in memory"])
def test_what_waits_comes_back_as_it_was(monkeypatch, few):
    monkeypatch.setattr(batches, "_FEW", few)
    waiting = batches.WaitingBatches()
    for item in "ab":
        waiting.write(pl.DataFrame({"item": [item, item], "details:seconds": [1.0, None]}))
    assert waiting.rows == 4
    assert [frame.columns for frame in waiting.batches()] == [["item", "details:seconds"]] * 2
    shown = [frame.rows() for frame in waiting.batches(["seconds", "item"])]
    assert shown == [[(1.0, "a"), (None, "a")], [(1.0, "b"), (None, "b")]]


def test_nothing_waits_before_it_is_written():
    assert list(batches.WaitingBatches().batches()) == []
