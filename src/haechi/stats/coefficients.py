"""The coefficients of agreement: one function and one line here."""

from __future__ import annotations

from collections.abc import Callable

from haechi.frozen import frozen
from haechi.stats.cronbach import cronbach_from
from haechi.stats.figure import Figure, Why, undefined
from haechi.stats.fleiss import fleiss_from
from haechi.stats.gwet import gwet_from
from haechi.stats.interpretation import GEORGE_MALLERY, KRIPPENDORFF, LANDIS_KOCH, CutOffs
from haechi.stats.krippendorff import alpha_from
from haechi.stats.mean_squares import MeanSquares
from haechi.stats.pairs import Need
from haechi.stats.patterns import Patterns
from haechi.stats.percent_agreement import percent_from
from haechi.stats.ratings import Level


@frozen
class Counted:
    """The ratings of one criterion, counted once for all coefficients.

    patterns: the distinct rows; squares: the mean squares of the `n_complete` items that all raters rated, or why there
    are none; bootstrap, seed: how many resamples an interval may draw, and from where.
    """

    patterns: Patterns
    squares: MeanSquares | Why
    n_complete: int
    n_raters: int
    level: Level
    bootstrap: int
    seed: int


@frozen
class Coefficient:
    """A figure about the agreement of raters on one criterion.

    label: its name in tables; cut_offs: what its values are called, if anybody said so; needs: what the ratings must be
    for it; is_share: whether it is written in per cent; in_tables: whether it stands in tables, in words and among the
    figures that a gate can name, or only in JSON; short, brief, leave_out: its column on a terminal (`Column`).
    """

    label: Why
    compute: Callable[[Counted], Figure]
    cut_offs: CutOffs | None = None
    needs: Need | None = None
    is_share: bool = False
    in_tables: bool = True
    short: Why | None = None
    brief: bool = True
    leave_out: int = 0


def _cronbach(found: Counted) -> Figure:
    if isinstance(found.squares, Why):
        return undefined(found.squares, found.n_complete)
    return cronbach_from(found.squares)


def _krippendorff(found: Counted) -> Figure:
    return alpha_from(found.patterns, found.n_raters, found.level, found.bootstrap, found.seed)


def _gwet(found: Counted) -> Figure:
    return gwet_from(found.patterns, "identity" if found.level == "nominal" else "quadratic")


OWN: dict[str, Coefficient] = {
    "cronbach_alpha": Coefficient(
        Why("Cronbach α", "Cronbach α"),
        _cronbach,
        GEORGE_MALLERY,
        "numbers",
        short=Why("Cronb.\nα", "Cronb.\nα"),
        leave_out=2,
    ),
    "krippendorff_alpha": Coefficient(
        Why("Krippendorff α", "Krippendorff α"),
        _krippendorff,
        KRIPPENDORFF,
        short=Why("Kripp. α", "Kripp. α"),
        brief=False,
    ),
    "fleiss_kappa": Coefficient(
        Why("Fleiss κ", "Fleiss κ"),
        lambda found: fleiss_from(found.patterns),
        LANDIS_KOCH,
        "categories",
        short=Why("Fleiss\nκ", "Fleiss\nκ"),
    ),
    "gwet_ac": Coefficient(Why("Gwet AC", "Gwet AC"), _gwet, LANDIS_KOCH, short=Why("AC", "AC"), leave_out=4),
    "gwet_ac1": Coefficient(
        Why("Gwet AC1", "Gwet AC1"),
        lambda found: gwet_from(found.patterns),
        LANDIS_KOCH,
        "categories",
        in_tables=False,
    ),
    "percent_agreement": Coefficient(
        Why("단순 일치율", "same value"),
        lambda found: percent_from(found.patterns),
        needs="categories",
        is_share=True,
        short=Why("일치", "same"),
        leave_out=3,
    ),
}
"""Our coefficients by name, in the order of every table."""
