"""The pages and requests of a rater."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.korean.particles import particle
from haechi.text import Lang, Text
from haechi.web.access import Closed, Visitor, language_of
from haechi.web.answer_marks import ForeignAnswer
from haechi.web.answers import LONGEST_TEXT, DeskAnswer, Remark
from haechi.web.bodies import read_body
from haechi.web.practice import Tried
from haechi.web.site import Site, json_response
from haechi.web.survey import rating, thanks_page
from haechi.web.words import words
from haechi.web.workplace import NotYours, Untrained

_TOO_LONG = Text(
    f"글이 너무 깁니다. {LONGEST_TEXT:,}자까지 쓸 수 있습니다",
    f"This is too long: {LONGEST_TEXT:,} characters can be kept",
)
_UNREADABLE = Text(
    "답을 읽을 수 없습니다. 새로고침한 뒤 다시 답하세요",
    "The answer cannot be read: reload the page and answer again",
)


def routes(site: Site) -> list[Route]:
    """The routes of the desk: raters and participants of a survey each have a place of their own."""

    def enter(request: Request) -> Response:
        try:
            visitor = site.access.enter(request, request.path_params["token"])
        except Closed as closed:
            return thanks_page(site, request, closed)
        if visitor.role == "program":
            raise HTTPException(403)
        page = {"owner": "/owner", "survey": "/survey"}.get(visitor.role, "/desk")
        response = RedirectResponse(site.options.base + page, status_code=303)
        site.access.cookies.give(request, response, visitor)
        return response

    return [
        Route("/enter/{token}", enter),
        site.language_route("desk"),
        *Place(site, "/desk", site.access.rater).routes(),
        *Place(site, "/survey/desk", lambda request: rating(site, request)).routes(),
    ]


class Place:
    """What somebody who rates asks for, below the path of their page."""

    def __init__(self, site: Site, path: str, who: Callable[[Request], Visitor]) -> None:
        self._site, self._path, self._who = site, path, who

    def routes(self) -> list[Route]:
        """The routes of the place."""
        return [
            Route(self._path, self.page),
            Route(f"{self._path}/state", self.state),
            Route(f"{self._path}/work", self.work),
            Route(self._path + "/items/{position:number}", self.item),
            Route(f"{self._path}/practice", self.practice, methods=["POST"]),
            Route(f"{self._path}/notes", self.note, methods=["POST"]),
            Route(f"{self._path}/answers", self.answer, methods=["POST"]),
        ]

    def page(self, request: Request) -> Response:
        """The page itself, which asks for everything else."""
        self._who(request)
        return self._site.page(request, "desk.html", place=self._site.options.base + self._path)

    def state(self, request: Request) -> Response:
        """Everything that the page needs before it shows an item."""
        visitor, lang = self._who(request), self._lang(request)
        work, survey = self._site.workplace, visitor.role == "survey"
        said: dict[str, Any] = {
            "me": visitor.name,
            "study": self._site.study.name,
            "csrf": visitor.csrf,
            "now": round(time.time() * 1000),
            "lang": lang,
            "survey": survey,
            "kiosk": survey and self._site.settings.now().kiosk,
            "practice": work.practice_of(visitor.name, lang),
            "words": words(lang),
            "form": work.form_json(lang),
            "work": work.worklist(visitor.name),
            **work.marks_of(visitor.name, visitor.token),
        }
        return json_response(said)

    def work(self, request: Request) -> Response:
        """The list of items."""
        return json_response(self._site.workplace.worklist(self._who(request).name))

    def item(self, request: Request) -> Response:
        """One item of the list."""
        visitor, position = self._who(request), request.path_params["position"]
        with _refusing():
            return json_response(self._site.workplace.item(visitor.name, position, self._lang(request)))

    async def practice(self, request: Request) -> Response:
        """An answer of practice."""
        return await self._site.in_thread(self._practise, request, await read_body(request))

    def _practise(self, request: Request, body: bytes) -> Response:
        visitor, lang = self._who(request), self._lang(request)
        try:
            tried = Tried.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError):
            return _unreadable(lang)
        said = self._site.workplace.practise(visitor.name, tried, lang)
        return json_response(said) if said else _unreadable(lang)

    async def note(self, request: Request) -> Response:
        """What somebody writes to the owner about an item."""
        return await self._site.in_thread(self._remark, request, await read_body(request))

    def _remark(self, request: Request, body: bytes) -> Response:
        visitor = self._who(request)
        try:
            remark = Remark.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError):
            return _unreadable(self._lang(request))
        with _refusing():
            self._site.workplace.note(visitor.name, remark)
        return json_response({"saved": True})

    async def answer(self, request: Request) -> Response:
        """An answer to a question."""
        try:
            body = await read_body(request)
        except HTTPException as error:
            return json_response({"error": _TOO_LONG.say(self._lang(request))}, error.status_code)
        return await self._site.in_thread(self._keep, request, body)

    def _keep(self, request: Request, body: bytes) -> Response:
        visitor, lang = self._who(request), self._lang(request)
        try:
            given = DeskAnswer.model_validate(orjson.loads(body))
            with _refusing():
                kept = self._site.workplace.answer(visitor.name, given)
        except orjson.JSONDecodeError:
            return _unreadable(lang)
        except ValidationError as error:
            too_long = any(one["type"] == "string_too_long" for one in error.errors())
            return json_response({"error": (_TOO_LONG if too_long else _UNREADABLE).say(lang)}, 422)
        except HaechiError as error:
            status = 409 if isinstance(error, ForeignAnswer) else 422
            return json_response({"error": _for_rater(error.problems[0]).say(lang)}, status)
        return json_response({"id": given.id, **kept})

    def _lang(self, request: Request) -> Lang:
        return language_of(request, self._site.options.lang)


@contextmanager
def _refusing() -> Iterator[None]:
    """Say what is not somebody's, or not yet."""
    try:
        yield
    except NotYours:
        raise HTTPException(404) from None
    except Untrained:
        raise HTTPException(403, "practice") from None


def _unreadable(lang: Lang) -> Response:
    return json_response({"error": _UNREADABLE.say(lang)}, 422)


def _for_rater(problem: Problem) -> Text:
    """Why an answer is not kept, in one sentence for the person who gave it.

    >>> once = Text("고친 뒤 다시 실행하세요", "correct it and run again")
    >>> _for_rater(Problem("value", "'abc'", Text("0 이상의 수", "a number, 0 or more"), once))
    Text(ko='0 이상의 수를 입력하세요', en='Please enter a number, 0 or more')
    """
    if problem.at == "value":
        expected = problem.expected
        return Text(
            f"{expected.ko}{particle(expected.ko, '을/를')} 입력하세요", f"Please enter {expected.say('en')}"
        )
    found = problem.found if isinstance(problem.found, Text) else Text(problem.found)
    return Text(
        f"{found.ko}입니다. {problem.todo.ko}",
        f"This is {found.say('en')}: {problem.todo.say('en')}",
    )
