"""Links that the owner makes, sees once, copies, prints and closes."""

from __future__ import annotations

import ipaddress
from abc import ABC, abstractmethod
from typing import Any, ClassVar
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.text import Text, readable
from haechi.web.bodies import SubmittedForm, read_form
from haechi.web.commands import Option, command
from haechi.web.form_numbers import count_in
from haechi.web.site import Site

DAYS = "30"
"""For how long a link opens if nothing else is said."""
_LONGEST_ADDRESS = 300


@frozen
class NewLink:
    """A link that was made just now: it is shown once, also as a picture that a phone reads."""

    name: str
    address: str

    @property
    def squares(self) -> tuple[int, str]:
        """The side of the QR code and the path of its dark squares.

        >>> side, path = NewLink("kim", "http://127.0.0.1:8000/enter/x").squares
        >>> side, path[:9]
        (29, 'M0 0h7v1h')
        """
        import segno

        rows = [bytes(row) for row in segno.make(self.address, micro=False, error="m").matrix]
        path = []
        for y, row in enumerate(rows):
            x = 0
            while (x := row.find(1, x)) >= 0:
                end = row.find(0, x)
                end = len(row) if end < 0 else end
                path.append(f"M{x} {y}h{end - x}v1h-{end - x}z")
                x = end
        return len(rows), "".join(path)


class LinkPages(ABC):
    """A page on which links are made and closed; what they are for is said by its kinds."""

    path: ClassVar[str]
    template: ClassVar[str]
    closing: ClassVar[str] = "close"

    def __init__(self, site: Site) -> None:
        self.site, self.study = site, site.study

    def routes(self) -> list[Route]:
        """The routes of the page."""
        return [
            Route(self.path, self.front),
            Route(self.path, self.add, methods=["POST"]),
            Route(f"{self.path}/{self.closing}", self.close, methods=["POST"]),
        ]

    @abstractmethod
    def made(self, given: SubmittedForm, address: str) -> tuple[NewLink, ...]:
        """Make the links that a form asks for; all of them or none."""

    @abstractmethod
    def closed(self, connection: Connection, name: str) -> int:
        """Close the links of a name; says how many."""

    @abstractmethod
    def shown(self, connection: Connection, request: Request, /) -> dict[str, Any]:
        """What the page shows beside the form."""

    @abstractmethod
    def says(self, given: SubmittedForm, address: str) -> str:
        """The command that does the same."""

    def front(self, request: Request) -> Response:
        """The page."""
        return self._page(request, self.site.access.owner(request).csrf)

    async def add(self, request: Request) -> Response:
        """New links."""
        return await self.site.in_thread(self._add, request, await read_form(request))

    async def close(self, request: Request) -> Response:
        """A link is closed."""
        return await self.site.in_thread(self._close, request, await read_form(request))

    def _add(self, request: Request, given: SubmittedForm) -> Response:
        csrf = self.site.access.owner(request).csrf
        try:
            links = self.made(given, link_address(self.site, request, given).rstrip("/"))
        except HaechiError as error:
            return self._page(request, csrf, given, error.problems)
        return self._page(request, csrf, given, links=links)

    def _close(self, request: Request, given: SubmittedForm) -> Response:
        self.site.access.owner(request)
        with self.site.workplace.write() as connection:
            if not self.closed(connection, given.one("name")):
                raise HTTPException(404)
        return RedirectResponse(f"{self.site.options.base}{self.path}", status_code=303)

    def _page(
        self,
        request: Request,
        csrf: str,
        given: SubmittedForm | None = None,
        problems: tuple[Problem, ...] = (),
        links: tuple[NewLink, ...] = (),
    ) -> Response:
        given = given or SubmittedForm(days=[DAYS])
        address = given.one("url") or own_address(self.site, request)
        with self.study.database.read() as connection:
            shown = self.shown(connection, request)
        return self.site.page(
            request,
            self.template,
            422 if problems else 200,
            csrf=csrf,
            given=given,
            links=links,
            address=address,
            here_only=is_here_only(address),
            problems=problems,
            command=self.says(given, address),
            revoking=command("raters revoke", self.study.folder, "NAME"),
            **shown,
        )


def days_of(given: SubmittedForm) -> float:
    """For how many days a link is to open."""
    return count_in(given, "days", Text("기간", "days")) or float(DAYS)


def link_options(given: SubmittedForm, address: str) -> list[Option]:
    """The options that the commands for all kinds of links share."""
    days = given.one("days")
    return [("days", days if days not in ("", DAYS) else None), ("url", address)]


def link_address(site: Site, request: Request, given: SubmittedForm) -> str:
    """What links begin with, as the owner says or as this page was reached; refused before a link is made that nobody sees."""
    wished = given.one("url")
    if not wished or _is_address(wished):
        return wished or own_address(site, request)
    expected = Text(
        f"http:// 또는 https://로 시작하는 {_LONGEST_ADDRESS}자 이하의 주소",
        f"an address that begins with http:// or https://, at most {_LONGEST_ADDRESS} characters",
    )
    todo = Text("주소를 고치거나 비우세요", "correct it, or leave it empty")
    raise HaechiError.of(Text("주소", "address").say(), readable(wished[:80]), expected, todo)


def own_address(site: Site, request: Request) -> str:
    """The address that this page was reached by; the workbench finds the study of a link by itself."""
    path = site.options.base if site.options.home is None else site.options.home.rstrip("/")
    return f"{request.url.scheme}://{request.url.netloc}{path}"


def _is_address(text: str) -> bool:
    """Whether a link can begin with a text, and a picture hold it.

    >>> _is_address("https://desk.example.org/haechi"), _is_address("javascript:0"), _is_address("http://[::1")
    (True, False, False)
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    fits = len(text) <= _LONGEST_ADDRESS and text.isprintable()
    return fits and parts.scheme in ("http", "https") and bool(parts.hostname)


def is_here_only(address: str) -> bool:
    """Whether only this computer can open an address.

    >>> is_here_only("http://127.0.0.1:8000"), is_here_only("http://192.168.0.7:8000"), is_here_only("x")
    (True, False, False)
    """
    host = (urlsplit(address).hostname or "") if _is_address(address) else ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
