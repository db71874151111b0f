"""What all pages share: the study, the access, the templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from haechi.study import Study
from haechi.text import Text
from haechi.typeset import typeset
from haechi.web.access import Access, Cookies, language_of
from haechi.web.options import Options
from haechi.web.workplace import Workplace

HERE = Path(__file__).parent
P = ParamSpec("P")
T = TypeVar("T")


class Site:
    """One study on the web."""

    def __init__(self, study: Study, options: Options) -> None:
        self.study, self.options = study, options
        self.workplace = Workplace(study, options)
        self.access = Access(study.database, Cookies(self.workplace.marks.study, options.base))
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
        )
        self._templates.filters["typeset"] = lambda text: Markup(typeset(text))  # noqa: S704 - its own few elements

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """A page from a template; everything in it is escaped."""
        lang = language_of(request, self.options.lang)

        def say(ko: str, en: str) -> str:
            return Text(ko, en).say(lang)

        shared = {"base": self.options.base, "lang": lang, "say": say, "study": self.study.name}
        shared["title"] = self.study.rubric.title.say(lang)
        html = self._templates.get_template(template).render({**shared, **values})
        return Response(html, status, media_type="text/html; charset=utf-8")

    async def in_thread(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Run what waits for the database beside the loop that serves everyone."""
        return await run_in_threadpool(work, *given, **named)


def json_response(value: Any, status: int = 200) -> Response:
    """JSON, as bytes that are never read as anything else."""
    return Response(orjson.dumps(value), status, media_type="application/json")
