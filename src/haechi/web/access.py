"""Who is asking: personal links become cookies, programs bring their token, and forms prove where they come from."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Literal

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from haechi.frozen import frozen
from haechi.store.invitations import Invitation, Role, token_hash
from haechi.text import Lang
from haechi.web.options import Options
from haechi.web.security import AttemptLimit

_MONTH = 30 * 24 * 3600
_YEAR = 365 * 24 * 3600
LANGUAGE_COOKIE = "haechi_lang"
_PREFIX = 12  # signs of a token by which guesses are counted together; 120 random bits are behind them
_KEY = 12

LinkKind = Role | Literal["join"]
"""What a cookie is for: somebody's role, or the link through which participants of a survey came."""


@frozen
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

    def __init__(self, invitation: Invitation, token: str) -> None:
        super().__init__(403, invitation.state)
        self.invitation, self.token = invitation, token


class Cookies:
    """The cookies of one place, such as a study.

    A browser sends the cookies of a host to all its ports, and those of a path to all paths below. The name of a cookie
    therefore says of which place and which role it is: nobody is signed out elsewhere, and a rater who visits a
    survey stays the rater.
    """

    def __init__(self, key: str, base: str) -> None:
        self._key, self._base = key[:_KEY], base

    def token(self, request: HTTPConnection, kind: LinkKind) -> str | None:
        """The token of a kind that a visitor has."""
        return request.cookies.get(self._name(kind)) or None

    def give(self, request: Request, response: Response, visitor: Visitor) -> None:
        """Give the visitor a cookie that scripts cannot read and other sites cannot use."""
        self.give_token(request, response, visitor.role, visitor.token)

    def give_token(self, request: Request, response: Response, kind: LinkKind, token: str) -> None:
        """Give a visitor any token in such a cookie."""
        response.set_cookie(
            self._name(kind),
            token,
            max_age=_MONTH,
            path=f"{self._base}/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )

    def take(self, response: Response, kind: LinkKind) -> None:
        """Take the cookie of a kind away."""
        response.delete_cookie(self._name(kind), path=f"{self._base}/", httponly=True, samesite="lax")

    def _name(self, kind: LinkKind) -> str:
        return f"haechi_{kind}_{self._key}"


class Access:
    """Checks tokens against invitations.

    find: the invitation of a token. above: who is owner there is owner here, too: of the workbench that a study stands in.
    """

    def __init__(
        self, find: Callable[[str], Invitation | None], cookies: Cookies, above: Access | None = None
    ) -> None:
        self._find, self.cookies, self._above = find, cookies, above
        self._addresses, self._prefixes = AttemptLimit(), AttemptLimit()

    def enter(self, request: Request, token: str) -> Visitor:
        """The visitor of a token, or an error that says nothing about which tokens exist.

        A valid token always opens: what others at the same address try is not its holder's fault. Nor is a closed link
        a guess; only tokens that never were are counted.
        """
        invitation = self._find(token)
        if invitation is None:
            raise self.wrong(address_of(request), token)
        if invitation.state != "open":
            raise Closed(invitation, token)
        return Visitor(invitation.role, invitation.name, token)

    def wrong(self, address: str, token: str) -> HTTPException:
        """What to say to a token that never was; whoever tries many has to wait."""
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
        if self._above is not None and self.owns_all(request):
            return self._above.owner(request)
        return self._by_cookie(request, "owner")

    def owns_all(self, request: Request) -> bool:
        """Whether the visitor owns the workbench that the study stands in, and thereby the studies beside it."""
        try:
            return self._above is not None and self._above.by_cookie(request, "owner").role == "owner"
        except HTTPException:  # a cookie of the workbench before it was started anew shuts nobody out
            return False

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
    """The language that the visitor chose; of participants, whom nobody knows, else that of their browser; else the desk's."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in ("ko", "en"):
        return "ko" if chosen == "ko" else "en"
    parts = request.url.path.split("/")
    if "survey" in parts or "join" in parts:
        return preferred_language(request.headers.get("accept-language", "")) or fallback
    return fallback


def preferred_language(header: str) -> Lang | None:
    """The language of ours that a browser likes best, by the header Accept-Language.

    >>> preferred_language("en-US,en;q=0.9,ko;q=0.8"), preferred_language("fr;q=1,ko;q=0.5"), preferred_language("fr")
    ('en', 'ko', None)
    """
    wishes: list[tuple[float, Lang]] = []
    for part in header.lower().split(",")[:20]:
        tag, _, quality = part.strip().partition(";q=")
        weight = float(quality) if quality.replace(".", "", 1).isdecimal() else 1.0
        language = tag.partition("-")[0]
        if weight > 0 and language in ("ko", "en"):
            wishes.append((weight, "ko" if language == "ko" else "en"))
    return max(wishes, key=lambda wish: wish[0])[1] if wishes else None


def choose_language(response: Response, lang: str, options: Options) -> Response:
    """Remember a visitor's choice, in a workbench for all its studies."""
    chosen, path = "en" if lang == "en" else "ko", options.home or f"{options.base}/"
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=_YEAR, path=path, samesite="lax", httponly=True)
    return response
