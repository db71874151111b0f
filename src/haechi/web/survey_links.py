"""The owner's survey: links for several participants, each with its limits, and what participants are asked."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from haechi.store.connection import Connection
from haechi.store.raters import invite_survey
from haechi.store.survey_links import close_survey_link, read_survey_links
from haechi.text import Text
from haechi.web.access import language_of
from haechi.web.bodies import SubmittedForm
from haechi.web.commands import command
from haechi.web.form_numbers import count_in
from haechi.web.links import LinkPages, NewLink, days_of, link_options
from haechi.web.site import Site
from haechi.web.survey import consent_text


class Surveys(LinkPages):
    """Links that several people use."""

    path, template = "/owner/surveys", "surveys.html"

    def made(self, given: SubmittedForm, address: str) -> tuple[NewLink, ...]:
        """The link of a name, made anew if there was one."""
        most, days = count_in(given, "most", Text("참여 인원", "participants")), days_of(given)
        token = invite_survey(self.study.database, given.one("name"), most, days)
        return (NewLink(given.one("name"), f"{address}/join/{token}"),)

    def closed(self, connection: Connection, name: str) -> int:
        """Close a link: nobody else can begin."""
        return close_survey_link(connection, name)

    def shown(self, connection: Connection, request: Request) -> dict[str, Any]:
        """The links there are, and what participants will see."""
        settings = self.site.settings.inside(connection)
        return {
            "surveys": read_survey_links(connection),
            "consent": consent_text(self.site, language_of(request, self.site.options.lang)),
            "questions": self.study.settings.participants.questions,
            "settings": settings,
            "public": f"{request.url.scheme}://{request.url.netloc}{self.site.options.base}/survey",
        }

    def says(self, given: SubmittedForm, address: str) -> str:
        """The command."""
        options = [("most", given.one("most") or None), *link_options(given, address)]
        return command("raters survey", self.study.folder, given.one("name") or "NAME", options=options)


def routes(site: Site) -> list[Route]:
    """The routes of the owner's survey."""
    return Surveys(site).routes()
