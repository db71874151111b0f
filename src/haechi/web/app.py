"""The web application: routes, errors, headers."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from haechi.study import Study
from haechi.typeset import STYLE
from haechi.web import api, desk, owner, survey
from haechi.web.options import Options
from haechi.web.security import SecureHeaders
from haechi.web.site import HERE, Site, json_response

# What the page of an error says more exactly than its number.
_WHY = ("revoked", "expired", "form", "guesses", "crowd", "survey_full", "survey_expired", "survey_closed")


class UnderPath:
    """Serves an application under a sub-path, whether the proxy in front leaves the path on or takes it off."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app, self._base = app, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._base:
            path = scope["path"]
            inside = path == self._base or path.startswith(f"{self._base}/")
            scope = {**scope, "root_path": self._base, "path": path if inside else self._base + path}
        await self._app(scope, receive, send)


def create_app(study: Study, options: Options | None = None) -> ASGIApp:
    """The rating desk of a study as an ASGI application."""
    study.database.keep_open()
    study.bring_rows()
    site = Site(study, options or Options())

    def front(request: Request) -> Response:
        return site.page(request, "message.html", kind="front", proof="")

    async def failed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(getattr(error, "headers", None) or {})
        why = error.detail if isinstance(error, HTTPException) and error.detail in _WHY else None
        if "text/html" in request.headers.get("accept", ""):
            wait = headers.get("Retry-After")
            response = site.page(
                request, "message.html", status, kind=why or str(status), wait=wait, proof=""
            )
        else:
            response = json_response({"error": status, **({"why": why} if why else {})}, status)
        response.headers.update(headers)
        return response

    pages = [
        Route("/", front),
        *desk.routes(site),
        *survey.routes(site),
        *owner.routes(site),
        *api.routes(site),
        Route("/static/typeset.css", lambda _: FileResponse(STYLE)),
        Mount("/static", StaticFiles(directory=HERE / "static"), name="static"),
    ]
    app = Starlette(routes=pages, exception_handlers={HTTPException: failed, 500: failed})
    # The headers stand outside of everything, so that an error page has them too.
    return SecureHeaders(UnderPath(app, site.options.base))
