"""What raters answered in practice: kept round by round, so that a reload goes on and nobody passes without answering."""

from __future__ import annotations

from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.database import now


@frozen
class Round:
    """The last round of a rater: which steps were answered, and how many of the answers fit."""

    number: int = 1
    answered: frozenset[int] = frozenset()
    right: int = 0


def last_round(connection: Connection, rater: str) -> Round:
    """The round that a rater is in."""
    rows = connection.rows(
        """SELECT round, step, fits FROM practice WHERE rater = :rater
        AND round = (SELECT max(round) FROM practice WHERE rater = :rater)""",
        rater=rater,
    )
    if not rows:
        return Round()
    return Round(rows[0].round, frozenset(row.step for row in rows), sum(row.fits for row in rows))


def note_practice(connection: Connection, rater: str, number: int, step: int, value: str, fits: bool) -> None:
    """Keep the first answer to a step of a round; one that comes later changes nothing."""
    connection.execute(
        """INSERT INTO practice (rater, round, step, value, fits, at)
        VALUES (:rater, :number, :step, :value, :fits, :at) ON CONFLICT DO NOTHING""",
        rater=rater,
        number=number,
        step=step,
        value=value,
        fits=int(fits),
        at=now(),
    )


def practice_results(connection: Connection) -> dict[str, tuple[int, int, int]]:
    """For every rater who practised: answers that fit and answers in the last round, and its number."""
    rows = connection.rows(
        """SELECT rater, round, sum(fits) AS fits, count(*) AS steps FROM practice
        GROUP BY rater, round ORDER BY rater, round"""
    )
    return {row.rater: (int(row.fits), int(row.steps), row.round) for row in rows}
