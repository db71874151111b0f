"""Links to the rating desk: a token nobody can guess, of which only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from haechi.store.database import now
from haechi.store.tables import assignments, desk_raters, invitations, raters, ratings

Role = Literal["rater", "survey", "program", "owner"]
_TOKEN_BYTES = 24


@dataclass(frozen=True)
class Invitation:
    """A link as the study knows it; the token itself is known only to its holder."""

    number: int
    role: Role
    name: str
    at: str
    expires: str
    revoked: str | None

    @property
    def state(self) -> Literal["open", "expired", "revoked"]:
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


def invite(connection: sa.Connection, role: Role, name: str, days: float) -> str:
    """Make a link; the returned token is shown once and never stored."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    expires = (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")
    row = {"role": role, "name": name, "token_hash": token_hash(token), "at": now(), "expires": expires}
    connection.execute(sa.insert(invitations), row)
    return token


def admitted(connection: sa.Connection, token: str) -> Invitation | None:
    """The invitation of a token, if one can still enter with it."""
    query = _select().where(invitations.c.token_hash == token_hash(token))
    row = connection.execute(query).one_or_none()
    found = Invitation(*row) if row is not None else None
    return found if found is not None and found.state == "open" else None


def read_invitations(connection: sa.Connection, *roles: Role) -> list[Invitation]:
    """All links of these roles, in the order they were made."""
    query = _select().where(invitations.c.role.in_(roles)).order_by(invitations.c.number)
    return [Invitation(*row) for row in connection.execute(query)]


def hashes_of(connection: sa.Connection, name: str) -> list[str]:
    """The hashes of a name's links that were not revoked; an expired one was the same person's."""
    own = sa.and_(invitations.c.name == name, invitations.c.revoked.is_(None))
    return list(connection.scalars(sa.select(invitations.c.token_hash).where(own)))


def _select() -> sa.Select[Any]:
    columns = [invitations.c[name] for name in ("number", "role", "name", "at", "expires", "revoked")]
    return sa.select(*columns)


def revoke(connection: sa.Connection, name: str) -> int:
    """Close all links of a name and give back the items that were not begun; says how many links."""
    links = sa.and_(invitations.c.name == name, invitations.c.revoked.is_(None))
    closed = connection.execute(sa.update(invitations).where(links).values(revoked=now())).rowcount
    begun = sa.exists().where(
        ratings.c.item == assignments.c.item,
        ratings.c.rater == name,
        ratings.c.replicate == assignments.c.replicate,
    )
    idle = sa.and_(assignments.c.rater == name, assignments.c.finished.is_(None), ~begun)
    connection.execute(sa.delete(assignments).where(idle))
    return closed


def register_rater(
    connection: sa.Connection,
    name: str,
    quota: int | None = None,
    stance: str | None = None,
    only_item: str | None = None,
) -> None:
    """Make a person known to the desk, or change the quota and stance of one who is."""
    if connection.execute(sa.select(raters.c.name).where(raters.c.name == name)).first() is None:
        connection.execute(sa.insert(raters), {"name": name, "kind": "human", "at": now()})
    said = {"quota": quota, "stance": stance, "only_item": only_item}
    if connection.execute(sa.select(desk_raters.c.name).where(desk_raters.c.name == name)).first() is None:
        connection.execute(sa.insert(desk_raters), {"name": name, "at": now(), **said})
    else:
        connection.execute(sa.update(desk_raters).where(desk_raters.c.name == name).values(said))
