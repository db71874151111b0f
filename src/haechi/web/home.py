"""The workbench: the studies of a folder in one place, and a new one from a rubric."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from haechi.errors import HaechiError
from haechi.prompt.form import form_of
from haechi.prompt.prompt import prompt
from haechi.rubrics import Rubric, builtin_ids, builtin_text, find_rubric, parse_rubric
from haechi.store.invitations import Invitation, token_hash
from haechi.study import Study
from haechi.text import Lang, Text
from haechi.web.access import Access, Cookies, language_of
from haechi.web.app import application, create_app
from haechi.web.bodies import Form, read_form
from haechi.web.commands import command
from haechi.web.options import Options
from haechi.web.shelf import OWN_RUBRIC, Shelf
from haechi.web.site import Pages, study_invitation, study_survey_link

_LONGEST_RUBRIC = 4 * 1024 * 1024  # a rubric of 1 MiB as a form sends it
_START = "diary-comment"  # the shortest of ours
OWN = "own"
"""What the form sends in place of the id of a built-in rubric."""


class Home(Pages):
    """The studies of a folder on the web; its owner is the owner of each of them."""

    def __init__(self, folder: str | Path, options: Options) -> None:
        super().__init__(replace(options, home=f"{options.base}/"))
        self.shelf = Shelf(folder)
        # Nothing of the owner's link is kept on the disk: a new start makes a new link.
        self.token = secrets.token_urlsafe(24)
        self._known = Invitation(1, "owner", "owner", "", "9999", None)
        hashed, place = token_hash(self.token), str(self.shelf.folder.resolve())
        self.access = Access(
            lambda token: self._known if secrets.compare_digest(token_hash(token), hashed) else None,
            Cookies(token_hash(place), options.base),
        )
        self._apps: dict[str, tuple[object, ASGIApp]] = {}
        self._opening = threading.Lock()

    def shared(self, lang: Lang) -> dict[str, Any]:
        """As everywhere, and a title."""
        return {**super().shared(lang), "title": Text("스터디", "Studies").say(lang)}

    def holder(self, token: str, find: Callable[[Study, str], object]) -> str | None:
        """The study in which a link is found: links are short and do not say it."""
        for name in self.shelf.names():
            try:
                study = self.shelf.study(name)
            except HaechiError:  # what cannot be opened has no links either
                continue
            if study is not None and find(study, token) is not None:
                return name
        return None

    def app(self, name: str) -> ASGIApp | None:
        """The pages of one study; None where there is none of that name."""
        study = self.shelf.study(name)
        if study is None:
            return None
        with self._opening:  # one study has one set of pages, which hold what was uploaded
            known = self._apps.get(name)
            if known is None or known[0] is not study:
                own = replace(self.options, base=f"{self.options.base}/s/{quote(name, safe='')}")
                self._apps[name] = known = (study, create_app(study, own, self.access, self.shelf))
            return known[1]

    def open_app(self, name: str) -> ASGIApp | None:
        """The pages of a study that is open already."""
        study, known = self.shelf.opened(name), self._apps.get(name)
        return known[1] if known is not None and known[0] is study else None


class _Studies:
    """Hands a request to the study that its path names."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path_params"]["name"]
        app = self._home.open_app(name) or await self._home.in_thread(self._home.app, name)
        if app is None:
            raise HTTPException(404)
        await app(scope, receive, send)


def create_home(home: Home) -> ASGIApp:
    """The workbench as an ASGI application."""

    def front(request: Request) -> Response:
        try:
            home.access.owner(request)
        except HTTPException:
            return home.page(request, "message.html", kind="front", proof="")
        return home.page(
            request,
            "home.html",
            entries=list(home.shelf.entries()),
            folder=home.shelf.folder.resolve(),
            quote=quote,
            command=command("serve", home.shelf.folder),
        )

    def in_study(request: Request, find: Callable[[Study, str], object]) -> Response | None:
        """The way to the study that a link is for."""
        token = request.path_params["token"]
        name = home.holder(token, find)
        if name is None:
            return None
        page = request.url.path.removeprefix(home.options.base).split("/")[1]
        path = f"{home.options.base}/s/{quote(name, safe='')}/{page}/{quote(token, safe='')}"
        return RedirectResponse(path, status_code=303)

    def enter(request: Request) -> Response:
        found = in_study(request, study_invitation)
        if found is not None:
            return found
        visitor = home.access.enter(request, request.path_params["token"])
        response = RedirectResponse(f"{home.options.base}/", status_code=303)
        home.access.cookies.give(request, response, visitor)
        return response

    def join(request: Request) -> Response:
        found = in_study(request, study_survey_link)
        if found is None:
            home.access.enter(request, request.path_params["token"])  # counted as any wrong link
            raise HTTPException(404)
        return found

    def blank(request: Request) -> Response:
        home.access.owner(request)
        wished = request.query_params.get("rubric", "")
        chosen = wished if wished in (*builtin_ids(), OWN) else builtin_ids()[0]
        return new_page(request, Form(rubric=[chosen]))

    def new_page(request: Request, given: Form, refused: HaechiError | None = None) -> Response:
        lang = language_of(request, home.options.lang)
        return home.page(
            request,
            "new.html",
            422 if refused else 200,
            csrf=home.access.owner(request).csrf,
            given=given,
            own=OWN,
            rubrics=[find_rubric(name) for name in builtin_ids()],
            refused=refused.problems if refused else (),
            **preview_of(given, lang, home.shelf.folder),
        )

    async def make(request: Request) -> Response:
        await home.in_thread(home.access.owner, request)  # before a stranger's megabytes are read
        given = await read_form(request, _LONGEST_RUBRIC)
        return await home.in_thread(make_study, request, given)

    def make_study(request: Request, given: Form) -> Response:
        names = (given.one("assistant") or None, given.one("user") or None)
        try:
            study = home.shelf.make(given.one("name"), given.one("rubric"), given.one("text"), *names)
        except HaechiError as error:
            return new_page(request, given, error)
        path = f"{home.options.base}/s/{quote(study.folder.name, safe='')}/owner/files"
        return RedirectResponse(path, status_code=303)

    async def look(request: Request) -> Response:
        await home.in_thread(home.access.owner, request)
        given = await read_form(request, _LONGEST_RUBRIC)
        return await home.in_thread(look_at, request, given)

    def look_at(request: Request, given: Form) -> Response:
        lang = language_of(request, home.options.lang)
        return home.page(
            request, "rubric_preview.html", given=given, own=OWN, **preview_of(given, lang, home.shelf.folder)
        )

    def start(request: Request) -> Response:
        home.access.owner(request)
        return Response(builtin_text(_START), media_type="text/plain; charset=utf-8")

    pages = [
        Route("/", front),
        Route("/enter/{token}", enter),
        Route("/join/{token}", join),
        home.language_route(),
        Route("/new", blank),
        Route("/new", make, methods=["POST"]),
        Route("/new/preview", look, methods=["POST"]),
        Route("/new/start.yaml", start),
        Mount("/s/{name}", _Studies(home)),
    ]
    return application(home, pages)


def preview_of(given: Form, lang: Lang, folder: Path) -> dict[str, Any]:
    """What the chosen rubric comes to: its form, its prompt, or what is wrong with it, line by line."""
    own = given.one("rubric") not in builtin_ids()  # a path is never read
    text = given.get("text", [""])[0]
    says = command(
        "new",
        folder / (given.one("name") or "NAME"),
        options=[
            ("rubric", OWN_RUBRIC if own else given.one("rubric")),
            ("assistant-name", given.one("assistant") or None),
            ("user-name", given.one("user") or None),
        ],
    )
    shown: dict[str, Any] = {"rubric": None, "form": None, "prompt": "", "problems": (), "command": says}
    if own and not text.strip():
        return shown
    try:
        rubric: Rubric = parse_rubric(text, OWN_RUBRIC) if own else find_rubric(given.one("rubric"))
    except HaechiError as error:
        return {**shown, "problems": error.problems}
    names = {"assistant": given.one("assistant"), "user": given.one("user")}
    told = prompt(rubric, None, lang=lang, names={role: name for role, name in names.items() if name})
    return {**shown, "rubric": rubric, "form": form_of(rubric, lang, names), "prompt": told.show()}
