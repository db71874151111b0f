"""docs/scale.md shows what the simulation prints, and the simulation behaves as such a thing must."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT))
    import bench.scale

    yield bench.scale
    sys.modules.pop("bench.scale", None)


def test_the_page_shows_what_the_simulation_prints(scale):
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    shown = re.search(r"<!-- python -m bench scale -->\n(.*)<!-- end -->", page, re.DOTALL)
    assert shown is not None
    known = json.loads(scale.CONSTANTS.read_text("utf-8"))
    assert shown.group(1).strip() == scale.tables(known)


def test_nothing_is_quicker_than_its_work_divided_by_the_cores(scale):
    known = json.loads(scale.CONSTANTS.read_text("utf-8"))
    job = scale.plan(10**8, 5, known, scattered=True)
    work = 100 * sum(known[f"{stage}_seconds_per_million"] for stage in ("measure", "score"))
    for cores in (16, 64, 256):
        seconds, _ = scale.simulate(job, cores, known)
        assert seconds > work / cores * 0.95  # the times of tasks are drawn, their mean is not exact
    assert scale.simulate(job, 64, known) == scale.simulate(job, 64, known)
    assert scale.plan(10**8, 5, known, scattered=False).shuffle_bytes < job.shuffle_bytes
