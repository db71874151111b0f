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
from haechi.study.study import Study
from haechi.text import Lang, Text
from haechi.web.access import Access, Cookies, language_of
from haechi.web.app import application, create_app
from haechi.web.bodies import SubmittedForm, read_form
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
                self._apps[name] = known = (
                    study,
                    create_app(study, own, self.access, self.shelf, self.closing),
                )
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


class FirstPages:
    """The list of studies, the way from a link to its study, and a new study."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def front(self, request: Request) -> Response:
        """The studies, for their owner."""
        home = self._home
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

    def enter(self, request: Request) -> Response:
        """Through a personal link to its study, or as the owner to all of them."""
        home = self._home
        found = self._in_study(request, study_invitation)
        if found is not None:
            return found
        visitor = home.access.enter(request, request.path_params["token"])
        response = RedirectResponse(f"{home.options.base}/", status_code=303)
        home.access.cookies.give(request, response, visitor)
        return response

    def join(self, request: Request) -> Response:
        """Through a link for several people to its study."""
        found = self._in_study(request, study_survey_link)
        if found is None:
            self._home.access.enter(request, request.path_params["token"])  # counted as any wrong link
            raise HTTPException(404)
        return found

    def _in_study(self, request: Request, find: Callable[[Study, str], object]) -> Response | None:
        """The way to the study that a link is for."""
        token, base = request.path_params["token"], self._home.options.base
        name = self._home.holder(token, find)
        if name is None:
            return None
        page = request.url.path.removeprefix(base).split("/")[1]
        path = f"{base}/s/{quote(name, safe='')}/{page}/{quote(token, safe='')}"
        return RedirectResponse(path, status_code=303)

    def blank(self, request: Request) -> Response:
        """The form of a new study."""
        self._home.access.owner(request)
        wished = request.query_params.get("rubric", "")
        chosen = wished if wished in (*builtin_ids(), OWN) else builtin_ids()[0]
        return self._new_page(request, SubmittedForm(rubric=[chosen]))

    def _new_page(
        self, request: Request, given: SubmittedForm, refused: HaechiError | None = None
    ) -> Response:
        home = self._home
        return home.page(
            request,
            "new.html",
            422 if refused else 200,
            csrf=home.access.owner(request).csrf,
            rubrics=[find_rubric(name) for name in builtin_ids()],
            refused=refused.problems if refused else (),
            **self._preview(request, given),
        )

    async def make(self, request: Request) -> Response:
        """A new study."""
        return await self._home.in_thread(self._make, request, await self._form(request))

    def _make(self, request: Request, given: SubmittedForm) -> Response:
        home, names = self._home, (given.one("assistant") or None, given.one("user") or None)
        try:
            study = home.shelf.make(given.one("name"), given.one("rubric"), given.one("text"), *names)
        except HaechiError as error:
            return self._new_page(request, given, error)
        path = f"{home.options.base}/s/{quote(study.folder.name, safe='')}/owner/files"
        return RedirectResponse(path, status_code=303)

    async def look(self, request: Request) -> Response:
        """What a rubric comes to while it is written."""
        return await self._home.in_thread(self._look, request, await self._form(request))

    def _look(self, request: Request, given: SubmittedForm) -> Response:
        return self._home.page(request, "rubric_preview.html", **self._preview(request, given))

    def start(self, request: Request) -> Response:
        """A rubric to begin with."""
        self._home.access.owner(request)
        return Response(builtin_text(_START), media_type="text/plain; charset=utf-8")

    async def _form(self, request: Request) -> SubmittedForm:
        await self._home.in_thread(self._home.access.owner, request)  # before a stranger's megabytes are read
        return await read_form(request, _LONGEST_RUBRIC)

    def _preview(self, request: Request, given: SubmittedForm) -> dict[str, Any]:
        lang = language_of(request, self._home.options.lang)
        return {"given": given, "own": OWN, **preview_of(given, lang, self._home.shelf.folder)}


def create_home(home: Home) -> ASGIApp:
    """The workbench as an ASGI application."""
    first = FirstPages(home)
    pages = [
        Route("/", first.front),
        Route("/enter/{token}", first.enter),
        Route("/join/{token}", first.join),
        home.language_route(),
        Route("/new", first.blank),
        Route("/new", first.make, methods=["POST"]),
        Route("/new/preview", first.look, methods=["POST"]),
        Route("/new/start.yaml", first.start),
        Mount("/s/{name}", _Studies(home)),
    ]
    return application(home, pages)


def preview_of(given: SubmittedForm, lang: Lang, folder: Path) -> dict[str, Any]:
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
