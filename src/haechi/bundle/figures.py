"""The figures that a bundle promises: every one that a gate can name, and the numbers of every finding."""

from __future__ import annotations

import math
from typing import Any

from haechi.analysis.analysis import Analysis
from haechi.analysis.anchors import anchored_judges
from haechi.analysis.named_figures import NamedFigures
from haechi.report.findings import findings
from haechi.store.alignment import looks_of, parts_of
from haechi.study.scores import StoredStudy

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
    named |= _anchored(study) | _aligned(study) | _audited(analysis)
    if not with_texts:
        named = {name: value for name, value in named.items() if not any(word in name for word in _OF_TEXTS)}
    return named


def _anchored(study: StoredStudy) -> dict[str, Any]:
    """What the anchors say of every judge: how far its answers moved without a word, and the link over a known change."""
    named: dict[str, Any] = {}
    for one in anchored_judges(study):
        shift, name = one.drift.shift, f"anchors.{one.rater}"
        named[f"{name}.shift"] = [shift.value, *(shift.ci95 or (None, None)), shift.n]
        named[f"{name}.p"] = [one.drift.p]
        if one.link is not None and one.link.why is None:
            named[f"{name}.link"] = [one.link.slope, one.link.old_mean, one.link.new_mean, one.link.n]
    return named


def _audited(analysis: Analysis) -> dict[str, Any]:
    """What every change of an item did to every judge that was asked about it."""
    named: dict[str, Any] = {}
    for one in analysis.audited_variants:
        for change, effect in one.effects.items():
            points = effect.points
            named[f"audit.{one.rater}.{change}"] = [points.value, *(points.ci95 or (None, None)), points.n]
    return named


def _aligned(study: StoredStudy) -> dict[str, Any]:
    """How many items an alignment may look at and never may, and how often the latter decided."""
    with study.database.read() as connection:
        parts, looks = list(parts_of(connection).values()), looks_of(connection)
    if not parts:
        return {}
    counts = {part: parts.count(part) for part in ("training", "held_out")}
    return {f"alignment.{name}": [n] for name, n in {**counts, "looks": len(looks)}.items()}


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
