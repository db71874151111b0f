"""The web application: routes, errors, headers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from haechi.errors import HaechiError
from haechi.study.study import Study
from haechi.text import Lang, speak
from haechi.typeset import STYLE
from haechi.web import (
    agent_runs,
    api,
    browse,
    desk,
    files,
    judges,
    notes,
    plans,
    raters,
    reports,
    settings,
    survey,
    survey_links,
    talk,
)
from haechi.web import owner as owner_pages
from haechi.web.access import Access, Closed, language_of
from haechi.web.options import Options
from haechi.web.practice import add_gold
from haechi.web.security import SecureHeaders
from haechi.web.shelf import Shelf
from haechi.web.site import HERE, REVALIDATED, ClosingSteps, Pages, Site, json_response, own_file

# What the page of an error says more exactly than its number.
_WHY = (
    "practice",
    "revoked",
    "expired",
    "form",
    "guesses",
    "crowd",
    "survey_full",
    "survey_expired",
    "survey_closed",
)


class UnderPath:
    """Serves an application under a sub-path, whether the proxy in front leaves the path on or takes it off."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app, self._base = app, unquote(base)  # links have signs that paths do not

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._base:
            path = scope["path"]
            inside = path == self._base or path.startswith(f"{self._base}/")
            scope = {**scope, "root_path": self._base, "path": path if inside else self._base + path}
        await self._app(scope, receive, send)


class InTheirLanguage:
    """Answers every visitor in their own language, also where words are chosen far below the pages."""

    def __init__(self, app: ASGIApp, fallback: Lang) -> None:
        self._app, self._fallback = app, fallback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            speak(language_of(HTTPConnection(scope), self._fallback))
        await self._app(scope, receive, send)


class _OwnFiles(StaticFiles):
    """The folder of our own files."""

    def file_response(self, *given: Any, **more: Any) -> Response:
        """A file, or that it has not changed."""
        response = super().file_response(*given, **more)
        response.headers.update(REVALIDATED)
        return response


def application(pages: Pages, routes: Sequence[BaseRoute]) -> ASGIApp:
    """Routes with what surrounds them: errors that are pages, files, the visitor's language, safe headers."""

    async def failed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(getattr(error, "headers", None) or {})
        why = error.detail if isinstance(error, HTTPException) and error.detail in _WHY else None
        if "text/html" in request.headers.get("accept", ""):
            wait = headers.get("Retry-After")
            kept = pages.kept_of(request, error.token) if isinstance(error, Closed) else None
            response = pages.page(
                request, "message.html", status, kind=why or str(status), wait=wait, proof="", kept=kept
            )
        else:
            response = json_response({"error": status, **({"why": why} if why else {})}, status)
        response.headers.update(headers)
        return response

    async def gone(_: Request, _error: Exception) -> Response:
        """Whoever closed the window while sending is not told anything, and nothing went wrong here."""
        return Response(status_code=400)

    async def refused(request: Request, error: Exception) -> Response:
        """What somebody can act on is said, whatever page it happened on."""
        problems = error.problems if isinstance(error, HaechiError) else ()
        if "text/html" in request.headers.get("accept", ""):
            return pages.page(request, "message.html", 422, kind="refused", problems=problems, proof="")
        return json_response({"error": [problem.as_json() for problem in problems]}, 422)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await pages.close()

    static = Mount("/static", _OwnFiles(directory=HERE / "static"), name="static")
    app = Starlette(
        routes=[*routes, static],
        exception_handlers={
            HTTPException: failed,
            HaechiError: refused,
            ClientDisconnect: gone,
            500: failed,
        },
        lifespan=lifespan,
    )
    inside = InTheirLanguage(UnderPath(app, pages.options.base), pages.options.lang)
    # The headers stand outside of everything, so that an error page has them too.
    return SecureHeaders(inside)


def create_app(
    study: Study,
    options: Options | None = None,
    owner: Access | None = None,
    shelf: Shelf | None = None,
    closing: ClosingSteps | None = None,
) -> ASGIApp:
    """The pages of one study as an ASGI application.

    owner: who owns the workbench that the study stands in, and thereby the study. shelf: the studies beside it.
    closing: what the workbench does when it stops, since a study inside is not told.
    """
    study.database.keep_open()
    study.bring_rows()
    options = options or Options()
    site = Site(study, options, owner, shelf)
    if closing is not None:
        closing.append(site.close)
    if site.settings.now().gold:
        add_gold(study)

    def front(request: Request) -> Response:
        return site.page(request, "message.html", kind="front", proof="")

    pages = [
        Route("/", front),
        *desk.routes(site),
        *survey.routes(site),
        *talk.routes(site),
        *browse.routes(site),
        *survey_links.routes(site),
        *owner_pages.routes(site),
        *notes.routes(site),
        *files.routes(site),
        *raters.routes(site),
        *judges.routes(site),
        *agent_runs.routes(site),
        *plans.routes(site),
        *settings.routes(site),
        *reports.routes(site),
        *api.routes(site),
        Route("/static/typeset.css", lambda _: own_file(STYLE)),
    ]
    return application(site, pages)
