"""The owner's survey: links for several participants, each with its limits, and what participants are asked."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.store.raters import invite_survey
from haechi.store.survey_links import close_survey_link, read_survey_links
from haechi.text import Text
from haechi.web.access import language_of
from haechi.web.bodies import Form, read_form
from haechi.web.commands import command
from haechi.web.numbers import count_in
from haechi.web.raters import Link, is_here_only, link_address, own_address
from haechi.web.site import Site
from haechi.web.survey import CONSENT

_DAYS = "30"


def routes(site: Site) -> list[Route]:
    """The routes of the owner's survey."""
    study = site.study

    def surveys_page(
        request: Request,
        csrf: str,
        given: Form | None = None,
        problems: tuple[Problem, ...] = (),
        links: tuple[Link, ...] = (),
    ) -> Response:
        given = given or Form(days=[_DAYS])
        with study.database.read() as connection:
            known = read_survey_links(connection)
        address = given.one("url") or own_address(site, request)
        asked = study.settings.participants
        lang = language_of(request, site.options.lang)
        return site.page(
            request,
            "surveys.html",
            422 if problems else 200,
            csrf=csrf,
            given=given,
            links=links,
            surveys=known,
            address=address,
            here_only=is_here_only(address),
            problems=problems,
            consent=site.options.consent or (asked.consent or CONSENT).say(lang),
            questions=asked.questions,
            talk=site.options.talk,
            command=_command(site, given, address),
            closing=command("raters revoke", study.folder, "NAME"),
        )

    def front(request: Request) -> Response:
        return surveys_page(request, site.access.owner(request).csrf)

    async def add(request: Request) -> Response:
        return await site.in_thread(make, request, await read_form(request))

    def make(request: Request, given: Form) -> Response:
        csrf = site.access.owner(request).csrf
        try:
            most = count_in(given, "most", Text("참여 인원", "participants"))
            days = count_in(given, "days", Text("기간", "days")) or float(_DAYS)
            address = link_address(site, request, given)
            token = invite_survey(study.database, given.one("name"), most, days)
        except HaechiError as error:
            return surveys_page(request, csrf, given, error.problems)
        link = Link(given.one("name").strip(), f"{address.rstrip('/')}/join/{token}")
        return surveys_page(request, csrf, given, links=(link,))

    async def close(request: Request) -> Response:
        return await site.in_thread(closed, request, await read_form(request))

    def closed(request: Request, given: Form) -> Response:
        site.access.owner(request)
        with site.workplace.write() as connection:
            if not close_survey_link(connection, given.one("name")):
                raise HTTPException(404)
        return RedirectResponse(f"{site.options.base}/owner/surveys", status_code=303)

    return [
        Route("/owner/surveys", front),
        Route("/owner/surveys", add, methods=["POST"]),
        Route("/owner/surveys/close", close, methods=["POST"]),
    ]


def _command(site: Site, given: Form, address: str) -> str:
    days = given.one("days")
    options = [
        ("most", given.one("most") or None),
        ("days", days if days not in ("", _DAYS) else None),
        ("url", address),
    ]
    return command("raters survey", site.study.folder, given.one("name") or "NAME", options=options)
