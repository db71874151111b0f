"""Who is asking: personal links become cookies, programs bring their token, and forms prove where they come from."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from haechi.store.database import Database
from haechi.store.invitations import Invitation, Role, find_invitation, token_hash
from haechi.text import Lang
from haechi.web.security import AttemptLimit

_MONTH = 30 * 24 * 3600
LANGUAGE_COOKIE = "haechi_lang"
_PREFIX = 12  # signs of a token by which guesses are counted together; 120 random bits are behind them
_KEY = 12


@dataclass(frozen=True)
class Visitor:
    """Someone who holds a valid token."""

    role: Role
    name: str
    token: str

    @property
    def csrf(self) -> str:
        """What a form of this visitor sends along; another site cannot know it."""
        return hmac.new(self.token.encode(), b"haechi form", hashlib.sha256).hexdigest()[:32]


class Closed(HTTPException):
    """A link that was open once: it has expired, or somebody closed it."""

    def __init__(self, invitation: Invitation) -> None:
        super().__init__(403, invitation.state)
        self.invitation = invitation


class Cookies:
    """The cookies of one place, such as a study.

    A browser sends the cookies of a host to all its ports, and those of a path to all paths below. The name of a cookie
    therefore says of which place and which role it is: nobody is signed out elsewhere, and a rater who visits a
    survey stays the rater.
    """

    def __init__(self, key: str, base: str) -> None:
        self._key, self._base = key[:_KEY], base

    def token(self, request: HTTPConnection, role: Role) -> str | None:
        """The token that a visitor has for a role."""
        return request.cookies.get(self._name(role)) or None

    def give(self, request: Request, response: Response, visitor: Visitor) -> None:
        """Give the visitor a cookie that scripts cannot read and other sites cannot use."""
        response.set_cookie(
            self._name(visitor.role),
            visitor.token,
            max_age=_MONTH,
            path=self._path(visitor.role),
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )

    def take(self, response: Response, role: Role) -> None:
        """Take the cookie of a role away."""
        response.delete_cookie(self._name(role), path=self._path(role), httponly=True, samesite="lax")

    def _name(self, role: Role) -> str:
        return f"haechi_{role}_{self._key}"

    def _path(self, role: Role) -> str:
        return f"{self._base}/survey" if role == "survey" else f"{self._base}/"


class Access:
    """Checks tokens against the study's invitations."""

    def __init__(self, database: Database, cookies: Cookies) -> None:
        self._database, self.cookies = database, cookies
        self._addresses, self._prefixes = AttemptLimit(), AttemptLimit()

    def enter(self, request: Request, token: str) -> Visitor:
        """The visitor of a token, or an error that says nothing about which tokens exist.

        A valid token always opens: what others at the same address try is not its holder's fault. Nor is a closed link
        a guess; only tokens that never were are counted.
        """
        with self._database.read() as connection:
            invitation = find_invitation(connection, token)
        if invitation is None:
            raise self._wrong(address_of(request), token)
        if invitation.state != "open":
            raise Closed(invitation)
        return Visitor(invitation.role, invitation.name, token)

    def _wrong(self, address: str, token: str) -> HTTPException:
        tried = token_hash(token)
        blocked = [
            limit.blocked(key, tried)
            for limit, key in ((self._addresses, address), (self._prefixes, token[:_PREFIX]))
        ]
        if any(blocked):
            return HTTPException(429, "guesses", headers={"Retry-After": "60"})
        return HTTPException(403)

    def rater(self, request: Request) -> Visitor:
        """The rater of a request; with a form's proof if it changes something."""
        return self._by_cookie(request, "rater")

    def participant(self, request: Request) -> Visitor:
        """The participant of a survey; with a form's proof if it changes something."""
        return self._by_cookie(request, "survey")

    def owner(self, request: Request) -> Visitor:
        """The owner of a request; with a form's proof if it changes something."""
        return self._by_cookie(request, "owner")

    def program(self, request: Request) -> Visitor:
        """The program of a request, by its bearer token."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        visitor = self.enter(request, token.strip())
        if visitor.role not in ("program", "owner"):
            raise HTTPException(403)
        return visitor

    def by_cookie(self, request: Request, role: Role) -> Visitor:
        """The visitor with a role by the cookie alone: enough to look, and for forms that bring a proof in a field."""
        token = self.cookies.token(request, role)
        if token is None:
            raise HTTPException(401)
        visitor = self.enter(request, token)
        if visitor.role != role:
            raise HTTPException(403)
        return visitor

    def _by_cookie(self, request: Request, role: Role) -> Visitor:
        visitor = self.by_cookie(request, role)
        if request.method not in ("GET", "HEAD"):
            proof = request.headers.get("x-haechi-form", "")
            if not hmac.compare_digest(proof.encode(), visitor.csrf.encode()):
                raise HTTPException(403, "form")
        return visitor


def address_of(request: HTTPConnection) -> str:
    """From where a request comes; behind a trusted proxy the server has put the visitor's own address there."""
    return request.client.host if request.client else ""


def language_of(request: HTTPConnection, fallback: Lang) -> Lang:
    """The language the visitor chose, else that of the desk."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in ("ko", "en"):
        return "ko" if chosen == "ko" else "en"
    return fallback
