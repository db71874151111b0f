"""What all pages share: the study, the access, the templates."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from haechi.report.numbers import NumberKind, number
from haechi.store.database import local
from haechi.store.invitations import Invitation, find_invitation
from haechi.store.survey_links import SurveyLink, find_survey_link
from haechi.study.study import Study
from haechi.text import Lang, Text
from haechi.typeset import typeset
from haechi.web.access import Access, Cookies, choose_language, language_of
from haechi.web.options import LiveSettings, Options
from haechi.web.shelf import Shelf
from haechi.web.words import WORDS
from haechi.web.workplace import Workplace

_PAGE = re.compile(r"\w[\w/-]*")  # a page below our own address, never another host
HERE = Path(__file__).parent
P = ParamSpec("P")
T = TypeVar("T")
ClosingSteps = list[Callable[[], Awaitable[None]]]


@cache  # a template is translated when it is first asked for: once, however many studies are served
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    kinds: tuple[NumberKind, ...] = ("coefficient", "score", "share")
    made.filters |= {kind: partial(number, kind=kind) for kind in kinds}
    made.filters["clock"] = lambda at: local(at)[:16]  # of this machine, to the minute
    made.filters["typeset"] = lambda text: Markup(typeset(text))  # noqa: S704 - its own few elements
    return made


class Pages:
    """Makes pages from templates, in the visitor's language."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.closing: ClosingSteps = []  # what is to be done when the server stops

    async def close(self) -> None:
        """Do what is to be done when the server stops."""
        for close in self.closing:
            await close()

    def shared(self, lang: Lang) -> dict[str, Any]:
        """What every template may use beside what it is given."""

        def say(ko: str, en: str) -> str:
            return Text(ko, en).say(lang)

        return {"base": self.options.base, "home": self.options.home, "lang": lang, "say": say}

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """A page from a template; everything in it is escaped."""
        lang = language_of(request, self.options.lang)
        here = (
            request.scope["path"].removeprefix(request.scope.get("root_path", "")).strip("/")
        )  # where another language leads back to
        html = _templates().get_template(template).render({**self.shared(lang), "here": here, **values})
        return Response(html, status, media_type="text/html; charset=utf-8")

    def kept_of(self, request: Request, token: str) -> dict[str, Any] | None:  # noqa: ARG002 - a study has them
        """What the page of a closed link needs to tell of answers that are still in this browser."""
        return None

    def language_route(self, front: str = "") -> Route:
        """Where a visitor chooses a language, and goes back to the page they were on."""

        def language(request: Request) -> Response:
            back = request.query_params.get("back", "")
            page = quote(back) if _PAGE.fullmatch(back) else front
            response = RedirectResponse(f"{self.options.base}/{page}", status_code=303)
            return choose_language(response, request.path_params["lang"], self.options)

        return Route("/language/{lang}", language)

    async def in_thread(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Run what waits for the database beside the loop that serves everyone."""
        return await run_in_threadpool(work, *given, **named)


class Site(Pages):
    """One study on the web."""

    def __init__(
        self,
        study: Study,
        options: Options,
        owner: Access | None = None,
        shelf: Shelf | None = None,
    ) -> None:
        super().__init__(options)
        self.study, self.shelf = study, shelf
        self.settings = LiveSettings(study, options)
        self.workplace = Workplace(study, self.settings)
        cookies = Cookies(self.workplace.marks.study, options.base)
        self.access = Access(partial(study_invitation, study), cookies, owner)

    def shared(self, lang: Lang) -> dict[str, Any]:
        """As everywhere, and the study's name and title."""
        return {**super().shared(lang), "study": self.study.name, "title": self.study.rubric.title.say(lang)}

    def kept_of(self, request: Request, token: str) -> dict[str, Any]:
        """Where the browser keeps what was answered with a link, what its questions are called, and the words for it."""
        lang, marks = language_of(request, self.options.lang), self.workplace.marks
        fields = (field for group in self.workplace.form(lang).groups for field in group.fields)
        wanted = ("item", "cleared", "closed_waiting", "closed_kept")
        return {
            "under": f"haechi waiting {marks.study} {marks.link(token)} ",
            "labels": {field.name: field.label for field in fields},
            "words": {name: WORDS[name].say(lang) for name in wanted},
        }


def study_invitation(study: Study, token: str) -> Invitation | None:
    """The invitation of a token in a study."""
    with study.database.read() as connection:
        return find_invitation(connection, token)


def study_survey_link(study: Study, token: str) -> SurveyLink | None:
    """The survey link of a token in a study."""
    with study.database.read() as connection:
        return find_survey_link(connection, token)


REVALIDATED = {"Cache-Control": "no-cache"}
"""What a browser may keep if it asks every time whether it is still the same; everything else is never kept."""


def own_file(path: Path) -> Response:
    """A file of ours, the same for everybody."""
    return FileResponse(path, headers=REVALIDATED)


def json_response(value: Any, status: int = 200) -> Response:
    """JSON, as bytes that are never read as anything else."""
    return Response(orjson.dumps(value), status, media_type="application/json")
