"""The pages and requests of a rater."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.korean import particle
from haechi.text import Lang, Text
from haechi.web.access import Closed, Visitor, language_of
from haechi.web.answers import LONGEST_TEXT, Answer, Remark
from haechi.web.belonging import Elsewhere
from haechi.web.bodies import read_body
from haechi.web.practice import Tried
from haechi.web.site import Site, json_response
from haechi.web.survey import over, rating
from haechi.web.words import words
from haechi.web.workplace import NotYours

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
            return over(site, request, closed)
        if visitor.role == "program":
            raise HTTPException(403)
        page = {"owner": "/owner", "survey": "/survey"}.get(visitor.role, "/desk")
        response = RedirectResponse(site.options.base + page, status_code=303)
        site.access.cookies.give(request, response, visitor)
        return response

    return [
        Route("/enter/{token}", enter),
        site.language_route("desk"),
        *_place(site, "/desk", site.access.rater),
        *_place(site, "/survey/desk", lambda request: rating(site, request)),
    ]


def _place(site: Site, path: str, who: Callable[[Request], Visitor]) -> list[Route]:
    """What somebody who rates asks for, below the path of the page."""

    def page(request: Request) -> Response:
        who(request)
        return site.page(request, "desk.html", place=site.options.base + path)

    def state(request: Request) -> Response:
        visitor = who(request)
        lang = language_of(request, site.options.lang)
        work = site.workplace
        said: dict[str, Any] = {
            "me": visitor.name,
            "study": site.study.name,
            "csrf": visitor.csrf,
            "lang": lang,
            "survey": visitor.role == "survey",
            "kiosk": visitor.role == "survey" and site.options.kiosk,
            "practice": work.practice_of(visitor.name, lang),
            "words": words(lang),
            "form": work.form_json(lang),
            "work": work.worklist(visitor.name),
            **work.marks_of(visitor.name, visitor.token),
        }
        return json_response(said)

    def work(request: Request) -> Response:
        return json_response(site.workplace.worklist(who(request).name))

    def item(request: Request) -> Response:
        visitor = who(request)
        lang = language_of(request, site.options.lang)
        try:
            return json_response(site.workplace.item(visitor.name, request.path_params["position"], lang))
        except NotYours:
            raise HTTPException(404) from None

    async def practice(request: Request) -> Response:
        body = await read_body(request)
        return await site.in_thread(practise, request, body)

    def practise(request: Request, body: bytes) -> Response:
        visitor, lang = who(request), language_of(request, site.options.lang)
        try:
            tried = Tried.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError):
            return json_response({"error": _UNREADABLE.say(lang)}, 422)
        said = site.workplace.practise(visitor.name, tried, lang)
        return json_response(said) if said else json_response({"error": _UNREADABLE.say(lang)}, 422)

    async def note(request: Request) -> Response:
        body = await read_body(request)
        return await site.in_thread(remark, request, body)

    def remark(request: Request, body: bytes) -> Response:
        visitor, lang = who(request), language_of(request, site.options.lang)
        try:
            site.workplace.note(visitor.name, Remark.model_validate(orjson.loads(body)))
        except (orjson.JSONDecodeError, ValidationError):
            return json_response({"error": _UNREADABLE.say(lang)}, 422)
        except NotYours:
            raise HTTPException(404) from None
        return json_response({"saved": True})

    async def answer(request: Request) -> Response:
        try:
            body = await read_body(request)
        except HTTPException as error:
            lang = language_of(request, site.options.lang)
            return json_response({"error": _TOO_LONG.say(lang)}, error.status_code)
        return await site.in_thread(keep, request, body)

    def keep(request: Request, body: bytes) -> Response:
        return _keep(site, who(request).name, language_of(request, site.options.lang), body)

    return [
        Route(path, page),
        Route(f"{path}/state", state),
        Route(f"{path}/work", work),
        Route(path + "/items/{position:number}", item),
        Route(f"{path}/practice", practice, methods=["POST"]),
        Route(f"{path}/notes", note, methods=["POST"]),
        Route(f"{path}/answers", answer, methods=["POST"]),
    ]


def _keep(site: Site, rater: str, lang: Lang, body: bytes) -> Response:
    try:
        given = Answer.model_validate(orjson.loads(body))
        finished = site.workplace.answer(rater, given)
    except orjson.JSONDecodeError:
        return json_response({"error": _UNREADABLE.say(lang)}, 422)
    except ValidationError as error:
        too_long = any(one["type"] == "string_too_long" for one in error.errors())
        return json_response({"error": (_TOO_LONG if too_long else _UNREADABLE).say(lang)}, 422)
    except HaechiError as error:
        status = 409 if isinstance(error, Elsewhere) else 422
        return json_response({"error": _for_rater(error.problems[0]).say(lang)}, status)
    return json_response({"id": given.id, "finished": finished})


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
