"""Participants of a survey who went away without finishing: their places go to somebody else."""

from __future__ import annotations

from datetime import timedelta

from haechi.store.connection import Connection
from haechi.store.database import now

IDLE_MINUTES = 60
"""How long a participant may be silent before the places that were not finished are given to others."""


def silent_since() -> str:
    """Whoever has done nothing since then is taken to have left."""
    return now(timedelta(minutes=-IDLE_MINUTES))


def release_places(connection: Connection) -> int:
    """Give back the places of participants who have been silent; says of how many.

    What they answered stays, and they may come back and go on: a place that was begun is then theirs again when it is
    finished. Whoever was invited to one certain item keeps it.
    """
    since = silent_since()
    idle = connection.values(
        """SELECT DISTINCT rater FROM assignments
        WHERE finished IS NULL AND slot IS NOT NULL AND at < :since
        AND EXISTS (SELECT 1 FROM invitations WHERE name = assignments.rater AND role = 'survey')
        AND NOT EXISTS (SELECT 1 FROM desk_raters WHERE name = assignments.rater AND only_item IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM answers WHERE rater = assignments.rater AND at >= :since)""",
        since=since,
    )
    if not idle:
        return 0
    give_back(connection, idle)
    connection.execute(
        "UPDATE assignments SET slot = NULL WHERE finished IS NULL AND rater = ANY(:idle)", idle=idle
    )
    return len(idle)


def give_back(connection: Connection, raters: list[str]) -> None:
    """Take the items that were not begun off the lists of some raters."""
    connection.execute(
        """DELETE FROM assignments WHERE rater = ANY(:raters) AND finished IS NULL AND NOT EXISTS (
            SELECT 1 FROM ratings WHERE ratings.item = assignments.item AND ratings.rater = assignments.rater
            AND ratings.replicate = assignments.replicate)""",
        raters=raters,
    )
