"""Links to the rating desk: a token nobody can guess, of which only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Literal

from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.guests import give_back

Role = Literal["rater", "survey", "program", "owner"]
InvitationState = Literal["open", "expired", "revoked"]
TOKEN_BYTES = 24


@frozen
class Invitation:
    """A link as the study knows it; the token itself is known only to its holder."""

    number: int
    role: Role
    name: str
    at: str
    expires: str
    revoked: str | None

    @property
    def state(self) -> InvitationState:
        """Whether one can still enter with it."""
        if self.revoked:
            return "revoked"
        return "open" if now() < self.expires else "expired"


def token_hash(token: str) -> str:
    """What is kept of a token.

    >>> token_hash("a") == token_hash("a") != token_hash("b")
    True
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def invite(connection: Connection, role: Role, name: str, days: float) -> str:
    """Make a link; the returned token is shown once and never stored."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute(
        """INSERT INTO invitations (role, name, token_hash, at, expires)
        VALUES (:role, :name, :token_hash, :at, :expires)""",
        role=role,
        name=name,
        token_hash=token_hash(token),
        at=now(),
        expires=now(timedelta(days=days)),
    )
    return token


_INVITATIONS = "SELECT number, role, name, at, expires, revoked FROM invitations"


def find_invitation(connection: Connection, token: str) -> Invitation | None:
    """The invitation of a token, open or not."""
    row = connection.row(f"{_INVITATIONS} WHERE token_hash = :hash", hash=token_hash(token))
    return Invitation(*row) if row is not None else None


def read_invitations(connection: Connection, *roles: Role) -> list[Invitation]:
    """All links of these roles, in the order they were made."""
    found = connection.rows(f"{_INVITATIONS} WHERE role = ANY(:roles) ORDER BY number", roles=list(roles))
    return [Invitation(*row) for row in found]


def hashes_of(connection: Connection, name: str) -> list[str]:
    """The hashes of a name's links that were not revoked; an expired one was the same person's."""
    query = "SELECT token_hash FROM invitations WHERE name = :name AND revoked IS NULL"
    return connection.values(query, name=name)


def revoke(connection: Connection, name: str) -> int:
    """Close all links of a name and give back the items that were not begun; says how many links."""
    link = "UPDATE invitations SET revoked = :at WHERE name = :name AND revoked IS NULL"
    closed = connection.execute(link, at=now(), name=name)
    give_back(connection, [name])
    return closed


def register_rater(
    connection: Connection,
    name: str,
    quota: int | None = None,
    stance: str | None = None,
    only_item: str | None = None,
    survey_link: int | None = None,
    only_where: str | None = None,
) -> None:
    """Make a person known to the desk, or change the quota and stance of one who is."""
    connection.execute(
        "INSERT INTO raters (name, kind, at) VALUES (:name, 'human', :at) ON CONFLICT DO NOTHING",
        name=name,
        at=now(),
    )
    connection.execute(
        """INSERT INTO desk_raters (name, quota, stance, only_item, survey_link, only_where, at)
        VALUES (:name, :quota, :stance, :only_item, :survey_link, :only_where, :at)
        ON CONFLICT (name) DO UPDATE SET quota = :quota, stance = :stance, only_item = :only_item,
        only_where = :only_where""",
        name=name,
        quota=quota,
        stance=stance,
        only_item=only_item,
        survey_link=survey_link,
        only_where=only_where,
        at=now(),
    )
