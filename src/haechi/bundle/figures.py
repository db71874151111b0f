"""The figures that a bundle promises: every one that a gate can name, and the numbers of every finding."""

from __future__ import annotations

import math
from typing import Any

from haechi.analysis.analysis import Analysis
from haechi.analysis.named_figures import NamedFigures
from haechi.report.findings import findings
from haechi.stored_study import StoredStudy

_CLOSE = 1e-9  # other processors and libraries differ in the last digits
_OF_TEXTS = ("evidence", "unfounded", "quoted")
"""Figures that need the texts: without them nobody can tell whether a quote stands there."""


def figures_of(study: StoredStudy, with_texts: bool) -> dict[str, Any]:
    """What the study comes to, by name: value and interval; None is a figure that is not defined."""
    analysis = Analysis(study)
    named: dict[str, Any] = {}
    for name, figure in NamedFigures(analysis).items():
        named[name] = [figure.value, *(figure.ci95 or (None, None)), figure.n]
    for finding in findings(analysis):
        for name, value in finding.numbers.items():
            named[f"finding.{finding.rule}.{name}"] = [value]
    if not with_texts:
        named = {name: value for name, value in named.items() if not any(word in name for word in _OF_TEXTS)}
    return named


def is_same(a: Any, b: Any) -> bool:
    """Whether two figures are one, but for the last digits.

    >>> is_same([0.1 + 0.2, None], [0.3, None]), is_same([0.3], [0.31]), is_same([1.0], [None])
    (True, False, False)
    """
    if not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b):
        return False
    return all(
        x == y
        or (
            isinstance(x, int | float)
            and isinstance(y, int | float)
            and math.isclose(x, y, rel_tol=_CLOSE, abs_tol=_CLOSE)
        )
        for x, y in zip(a, b, strict=True)
    )
