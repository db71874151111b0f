"""Who is asking: personal links become cookies, programs bring their token, and forms prove where they come from."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from haechi.store.database import Database
from haechi.store.invitations import Role, admitted
from haechi.text import Lang
from haechi.web.options import Options
from haechi.web.security import AttemptLimit

_COOKIES: dict[Role, str] = {"rater": "haechi_rater", "survey": "haechi_rater", "owner": "haechi_owner"}
_MONTH = 30 * 24 * 3600
LANGUAGE_COOKIE = "haechi_lang"


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


class Access:
    """Checks tokens against the study's invitations."""

    def __init__(self, database: Database, options: Options) -> None:
        self._database, self._options = database, options
        self._limit = AttemptLimit()

    def enter(self, request: Request, token: str) -> Visitor:
        """The visitor of a token, or an error that says nothing about which tokens exist."""
        address = request.client.host if request.client else ""
        if self._limit.blocked(address):
            raise HTTPException(429, headers={"Retry-After": "60"})
        with self._database.read() as connection:
            invitation = admitted(connection, token)
        if invitation is None:
            self._limit.note(address)
            raise HTTPException(403)
        return Visitor(invitation.role, invitation.name, token)

    def rater(self, request: Request) -> Visitor:
        """The rater of a request; with a form's proof if it changes something."""
        return self._by_cookie(request, "rater", ("rater", "survey"))

    def survey_visitor(self, request: Request) -> Visitor:
        """The visitor of the survey; its own form brings the proof in a hidden field."""
        token = request.cookies.get(_COOKIES["survey"])
        if not token:
            raise HTTPException(401)
        visitor = self.enter(request, token)
        if visitor.role != "survey":
            raise HTTPException(403)
        return visitor

    def has_cookie(self, request: Request) -> bool:
        """Whether somebody has been here with a link, whatever became of it."""
        return _COOKIES["survey"] in request.cookies

    def owner(self, request: Request) -> Visitor:
        """The owner of a request; with a form's proof if it changes something."""
        return self._by_cookie(request, "owner", ("owner",))

    def program(self, request: Request) -> Visitor:
        """The program of a request, by its bearer token."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        visitor = self.enter(request, token.strip())
        if visitor.role not in ("program", "owner"):
            raise HTTPException(403)
        return visitor

    def _by_cookie(self, request: Request, role: Role, allowed: tuple[Role, ...]) -> Visitor:
        token = request.cookies.get(_COOKIES[role])
        if not token:
            raise HTTPException(401)
        visitor = self.enter(request, token)
        if visitor.role not in allowed:
            raise HTTPException(403)
        if request.method not in ("GET", "HEAD"):
            proof = request.headers.get("x-haechi-form", "")
            if not hmac.compare_digest(proof.encode(), visitor.csrf.encode()):
                raise HTTPException(403, "form")
        return visitor

    def remember(self, request: Request, response: Response, visitor: Visitor) -> None:
        """Give the visitor a cookie that scripts cannot read and other sites cannot use."""
        response.set_cookie(
            _COOKIES[visitor.role],
            visitor.token,
            max_age=_MONTH,
            path=f"{self._options.base}/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )


def language_of(request: HTTPConnection, fallback: Lang) -> Lang:
    """The language the visitor chose, else that of the desk."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in ("ko", "en"):
        return "ko" if chosen == "ko" else "en"
    return fallback
