"""Links to the survey that several people may use: so many of them, until a day."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Literal

from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.guests import silent_since
from haechi.store.invitations import TOKEN_BYTES, token_hash

LinkState = Literal["open", "full", "expired", "closed"]


@frozen
class SurveyLink:
    """A link as the study knows it: `most` people may take part (None: any number), `began` and `submitted` did."""

    number: int
    name: str
    most: int | None
    at: str
    expires: str
    closed: str | None
    began: int
    submitted: int
    holding: int
    """Who has submitted, or was here within the last hour: whoever left gives the place to somebody else."""

    @property
    def state(self) -> LinkState:
        """Whether somebody new can begin."""
        if self.closed:
            return "closed"
        if now() >= self.expires:
            return "expired"
        return "full" if self.most is not None and self.holding >= self.most else "open"


def make_survey_link(connection: Connection, name: str, most: int | None, days: float) -> str:
    """Make a link, or a new one of the same name, whose participants count on; its token is shown once."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute(
        """INSERT INTO survey_links (name, token_hash, most, at, expires)
        VALUES (:name, :token_hash, :most, :at, :expires)
        ON CONFLICT (name) DO UPDATE SET token_hash = :token_hash, most = :most, expires = :expires, closed = NULL""",
        name=name,
        token_hash=token_hash(token),
        most=most,
        at=now(),
        expires=now(timedelta(days=days)),
    )
    return token


_LINKS = """SELECT number, name, most, at, expires, closed,
    (SELECT count(*) FROM desk_raters AS d WHERE d.survey_link = survey_links.number),
    (SELECT count(*) FROM desk_raters AS d WHERE d.survey_link = survey_links.number AND d.submitted IS NOT NULL),
    (SELECT count(*) FROM desk_raters AS d WHERE d.survey_link = survey_links.number AND (d.submitted IS NOT NULL
        OR d.at >= :since OR EXISTS (SELECT 1 FROM answers WHERE answers.rater = d.name AND answers.at >= :since)))
    FROM survey_links"""


def read_survey_links(connection: Connection) -> list[SurveyLink]:
    """All links, in the order they were made."""
    return [SurveyLink(*row) for row in connection.rows(f"{_LINKS} ORDER BY number", since=silent_since())]


def find_survey_link(connection: Connection, token: str) -> SurveyLink | None:
    """The link of a token, open or not."""
    query = f"{_LINKS} WHERE token_hash = :hash"
    row = connection.row(query, hash=token_hash(token), since=silent_since())
    return SurveyLink(*row) if row is not None else None


def close_survey_link(connection: Connection, name: str) -> int:
    """Let nobody else begin; who has begun may go on. Says how many links were closed."""
    close = "UPDATE survey_links SET closed = :at WHERE name = :name AND closed IS NULL"
    return connection.execute(close, at=now(), name=name)
