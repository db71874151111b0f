"""Comparing what commands print as JSON."""

from __future__ import annotations

import math
from typing import Any

import pytest


def assert_close(mine: Any, other: Any, at: str = "") -> None:
    """The same shape and words; numbers to 1e-9."""
    if isinstance(other, dict):
        assert mine.keys() == other.keys(), at
        for key in other:
            assert_close(mine[key], other[key], f"{at}.{key}")
    elif isinstance(other, list):
        assert len(mine) == len(other), at
        for number, (one, two) in enumerate(zip(mine, other, strict=True)):
            assert_close(one, two, f"{at}[{number}]")
    elif isinstance(other, float) and math.isfinite(other):
        assert mine == pytest.approx(other, rel=1e-9, abs=1e-9), at
    else:
        assert mine == other, at
