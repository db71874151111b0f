"""Columns of p-values: that of the test itself, and beside it the corrected one by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.report.table import Cell, Column
from haechi.report.words import said
from haechi.stats.corrections import CORRECTION_NAMES

if TYPE_CHECKING:
    from haechi.analysis.comparison import Comparison
    from haechi.stats.outcome import Outcome


def corrected_by(found: Comparison, within: bool = False) -> list[tuple[str, str]]:
    """The title of the column with corrected p-values, in full and in short; none where nothing is corrected.

    within: what is corrected is within a score, as pairs of groups are; else it is over the scores of a family.
    """
    if not within and max(map(len, found.families.values()), default=0) < 2:
        return []
    name = CORRECTION_NAMES.get(found.items.asked.correction)
    short = "BH" if found.items.asked.correction == "bh" else name
    return [] if name is None or short is None else [(said(f"{name} 보정", name), short)]


def p_columns(
    found: Comparison, title: str, short: str, leave_out: int = 0, within: bool = False
) -> list[Column]:
    """A test's own p, and beside it the corrected one by its name."""
    more = [
        Column(
            long if not leave_out else f"{long} {short.removeprefix('p ')}",
            "p",
            short=brief,
            leave_out=max(0, leave_out - 1),
        )
        for long, brief in corrected_by(found, within)
    ]
    return [Column(title, "p", short=short, leave_out=leave_out), *more]


def p_cells(found: Comparison, test: Outcome, within: bool = False) -> list[Cell]:
    """What stands in these columns."""
    return [test.p, *([test.p_corrected] if corrected_by(found, within) else [])]
