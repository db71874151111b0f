"""The owner's raters: invited with personal links, which are copied, printed and closed."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.store.invitations import revoke
from haechi.store.raters import invite_raters, rater_links
from haechi.study import Study
from haechi.text import Text, readable
from haechi.web.bodies import Form, read_form
from haechi.web.commands import command
from haechi.web.numbers import count_in
from haechi.web.site import Site

_MOST = 200
_DAYS = "30"
_LONGEST_ADDRESS = 300


@dataclass(frozen=True)
class Link:
    """A link that was made just now: it is shown once, also as a picture that a phone reads."""

    name: str
    address: str

    @property
    def squares(self) -> tuple[int, str]:
        """The side of the QR code and the path of its dark squares.

        >>> side, path = Link("kim", "http://127.0.0.1:8000/enter/x").squares
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


def routes(site: Site) -> list[Route]:
    """The routes of the raters."""
    study = site.study

    def raters_page(
        request: Request,
        csrf: str,
        given: Form | None = None,
        problems: tuple[Problem, ...] = (),
        links: tuple[Link, ...] = (),
    ) -> Response:
        given = given or Form(days=[_DAYS])
        with study.database.read() as connection:
            known = rater_links(connection)
        address = given.one("url") or own_address(site, request)
        return site.page(
            request,
            "raters.html",
            422 if problems else 200,
            csrf=csrf,
            given=given,
            links=links,
            raters=known,
            items=study.count_items(),
            stances=study.rubric.stances,
            address=address,
            here_only=is_here_only(address),
            problems=problems,
            command=_command(study, given, address),
            revoking=command("raters revoke", study.folder, "NAME"),
        )

    def front(request: Request) -> Response:
        return raters_page(request, site.access.owner(request).csrf)

    async def add(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(invite, request, given)

    def invite(request: Request, given: Form) -> Response:
        csrf = site.access.owner(request).csrf
        try:
            links = _invited(study, given, link_address(site, request, given))
        except HaechiError as error:
            return raters_page(request, csrf, given, error.problems)
        return raters_page(request, csrf, given, links=links)

    async def close(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(closed, request, given)

    def closed(request: Request, given: Form) -> Response:
        site.access.owner(request)
        with site.workplace.write() as connection:
            if not revoke(connection, given.one("name")):
                raise HTTPException(404)
        return RedirectResponse(f"{site.options.base}/owner/raters", status_code=303)

    return [
        Route("/owner/raters", front),
        Route("/owner/raters", add, methods=["POST"]),
        Route("/owner/raters/revoke", close, methods=["POST"]),
    ]


def _invited(study: Study, given: Form, address: str) -> tuple[Link, ...]:
    """Links for all names, or for none: what is wrong is found before the first is made."""
    names = names_of(given.one("names"))
    quota, days = (
        count_in(given, "quota", Text("항목 수", "items")),
        count_in(given, "days", Text("기간", "days")),
    )
    stance = given.one("stance") or None
    if not names or len(names) > _MOST:
        found = Text(f"이름 {len(names)}개", f"{len(names)} names")
        expected = Text(f"한 줄에 하나씩 이름 1–{_MOST}개", f"1–{_MOST} names, one on each line")
        raise HaechiError.of(
            Text("이름", "names").say(), found, expected, Text("이름을 적으세요", "write names")
        )
    tokens = invite_raters(study.database, study.rubric, names, quota, stance, days or float(_DAYS))
    return tuple(Link(name, f"{address.rstrip('/')}/enter/{token}") for name, token in tokens.items())


def names_of(text: str) -> list[str]:
    """Names one on each line or with commas between them, each once.

    >>> names_of("김하나\\n이두리, 김하나\\n\\n")
    ['김하나', '이두리']
    """
    lines = text.replace(",", "\n").splitlines()
    return list(dict.fromkeys(name for line in lines if (name := line.strip())))


def link_address(site: Site, request: Request, given: Form) -> str:
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


def _command(study: Study, given: Form, address: str) -> str:
    name = next(iter(names_of(given.one("names"))), "NAME")
    days = given.one("days")
    options = [
        ("quota", given.one("quota") or None),
        ("stance", given.one("stance") or None),
        ("days", days if days not in ("", _DAYS) else None),
        ("url", address),
    ]
    return command("raters add", study.folder, name, options=options)
