"""How a run may fail, as the column `failure` names it; small, for those who look only at the outcome."""

import polars as pl

ERROR, UNPARSEABLE, NOT_AN_OBJECT, NO_ANSWER = "error", "unparseable", "not an object", "no answer"
FAILURE = "details:failure"
"""The column of scored runs that names it."""


def failed(column: str = FAILURE) -> pl.Expr:
    """Whether a run failed as a whole. One that came back without an answer did not: it is unstable, and its checks still count.

    >>> runs = pl.DataFrame({"failure": [None, "error", "no answer"]})
    >>> [runs.select(one("failure")).to_series().to_list() for one in (failed, unanswered)]
    [[False, True, False], [False, False, True]]
    """
    return pl.col(column).is_in((ERROR, UNPARSEABLE, NOT_AN_OBJECT)).fill_null(False)


def unanswered(column: str = FAILURE) -> pl.Expr:
    """Whether a run came back, but with neither a message nor data."""
    return (pl.col(column) == NO_ANSWER).fill_null(False)


def answered(column: str = FAILURE) -> pl.Expr:
    """Whether a run brought an answer: it neither failed nor came back without one."""
    return pl.col(column).is_null()
