"""The points that a score can take, where the rubric fixes them."""

from __future__ import annotations

from haechi.rubrics import Rubric
from haechi.rubrics.formula import Formula
from haechi.rubrics.model import Derived
from haechi.rubrics.scales import Bands, Binary, Checklist, Likert, Verdict

_MOST_POINTS = 1_000  # more are a quantity, not categories


def scale_points(rubric: Rubric, name: str) -> tuple[float, ...] | None:
    """All values a score or an element can have, ascending; None where they are not a short list.

    >>> import haechi
    >>> scale_points(haechi.rubric("maice-qac"), "A1")
    (1.0, 2.0, 3.0, 4.0, 5.0)
    >>> scale_points(haechi.rubric("diary-comment"), "ssa")
    (0.0, 0.5, 1.0)
    """
    criterion = rubric.criterion(name)
    if criterion is None:
        derived = next((one for one in rubric.scores if one.key == name), None)
        return _of_parts(rubric, derived) if derived else (0.0, 1.0)
    scale = criterion.scale
    if isinstance(scale, Likert | Binary | Verdict):
        return tuple(sorted(set(scale.points().values())))
    if isinstance(scale, Bands):
        missing = {scale.missing} if scale.missing is not None else set()
        return tuple(sorted({float(band.points) for band in scale.bands} | missing))
    if isinstance(scale, Checklist):
        return _of_checklist(scale)
    return None


def _of_checklist(scale: Checklist) -> tuple[float, ...] | None:
    """A formula of the number of met elements has one value for each number."""
    formula, count = Formula(scale.formula), len(scale.elements)
    if not formula.names <= {"met", "count"}:
        return None
    return tuple(sorted({float(formula.evaluate({"met": met, "count": count})) for met in range(count + 1)}))


def _of_parts(rubric: Rubric, derived: Derived) -> tuple[float, ...] | None:
    """Sums and plain means: all sums of the parts' points."""
    parts = [scale_points(rubric, part) for part in derived.parts]
    if derived.by not in ("sum", "mean") or any(points is None for points in parts):
        return None
    sums = {0.0}
    for points in parts:
        sums = {total + point for total in sums for point in points or ()}
        if len(sums) > _MOST_POINTS:
            return None
    return tuple(sorted(total / (len(parts) if derived.by == "mean" else 1) for total in sums))
