"""The survey: somebody with a link reads the consent text, answers once, and is thanked."""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.store.desk import desk_rater, note_once
from haechi.store.invitations import revoke
from haechi.store.raters import invite_rater
from haechi.text import Text
from haechi.web.access import Closed, Visitor, address_of, language_of
from haechi.web.bodies import read_body
from haechi.web.security import AttemptLimit
from haechi.web.site import Site, json_response

CONSENT = Text(
    "이 설문은 대화형 AI에 대한 의견을 묻습니다. 참여는 자유이며 언제든 그만둘 수 있습니다. 이름이나 연락처는 묻지 않고, "
    "답과 문항에 머문 시간만 저장하여 연구에 씁니다.",
    "This survey asks for your opinion of a conversational AI. Taking part is voluntary and you may stop at any time. "
    "It asks for no name or contact; only your answers and the time they took are kept, for research.",
)
_GUEST_DAYS = 7.0
_STARTS = 120  # guests of one address in a minute: a lecture hall behind one address, not a flood


def routes(site: Site) -> list[Route]:
    """The routes of the survey."""
    cookies = site.access.cookies
    new_guests = AttemptLimit(most=_STARTS, window=60.0)

    def consent(request: Request) -> Response:
        try:
            visitor = site.access.by_cookie(request, "survey")
        except Closed as closed:
            return _over(site, request, closed)
        except HTTPException:
            if not site.options.public_survey:
                raise HTTPException(404) from None
            return ask(request, "")
        if _consented(site, visitor):
            return RedirectResponse(f"{site.options.base}/survey/desk", status_code=303)
        return ask(request, visitor.csrf)

    def ask(request: Request, proof: str) -> Response:
        text = site.options.consent or CONSENT.say(language_of(request, site.options.lang))
        return site.page(request, "consent.html", text=text, proof=proof)

    async def agree(request: Request) -> Response:
        return await site.in_thread(begin, request, await _proof(request))

    def begin(request: Request, proof: str) -> Response:
        if cookies.token(request, "survey") is None or not proof:
            visitor = guest(request)
        else:
            visitor = site.access.by_cookie(request, "survey")
            _check(proof, visitor)
        with site.workplace.write() as connection:
            note_once(connection, visitor.name, "consented")
        response = RedirectResponse(f"{site.options.base}/survey/desk", status_code=303)
        cookies.give(request, response, visitor)
        return response

    def guest(request: Request) -> Visitor:
        if not site.options.public_survey:
            raise HTTPException(404)
        name, address = f"guest-{secrets.token_hex(5)}", address_of(request)
        if new_guests.blocked(address, name):
            raise HTTPException(429, "crowd", headers={"Retry-After": str(new_guests.wait(address))})
        return _new_guest(site, name)

    async def another(request: Request) -> Response:
        return await site.in_thread(leave, request, await _proof(request))

    def leave(request: Request, proof: str) -> Response:
        token = cookies.token(request, "survey")
        if token is None:
            raise HTTPException(401)
        _check(proof, Visitor("survey", "", token))
        response = RedirectResponse(f"{site.options.base}/survey", status_code=303)
        cookies.take(response, "survey")
        return response

    def finish(request: Request) -> Response:
        visitor = site.access.participant(request)
        with site.workplace.write() as connection:
            revoke(connection, visitor.name)
        return json_response({"finished": True})

    return [
        Route("/survey", consent),
        Route("/survey", agree, methods=["POST"]),
        Route("/survey/another", another, methods=["POST"]),
        Route("/survey/finish", finish, methods=["POST"]),
    ]


def survey_link(site: Site, item: str, days: float) -> str:
    """The address behind which one person answers about one conversation, once."""
    name = f"participant-{secrets.token_hex(5)}"
    token = invite_rater(site.study.database, site.study.rubric, name, 1, None, days, item, survey=True)
    return f"{site.options.base}/enter/{token}"


def consenting(site: Site, request: Request) -> Visitor:
    """The participant of a request, who has agreed to take part."""
    visitor = site.access.participant(request)
    if not _consented(site, visitor):
        raise HTTPException(303, headers={"Location": f"{site.options.base}/survey"})
    return visitor


def _over(site: Site, request: Request, closed: Closed) -> Response:
    """A participant who has answered is thanked; somebody else at the same computer may begin."""
    if closed.invitation.role != "survey" or closed.invitation.state != "revoked":
        raise closed
    token = site.access.cookies.token(request, "survey") or ""
    proof = Visitor("survey", "", token).csrf if site.options.public_survey else ""
    return site.page(request, "message.html", kind="thanks", proof=proof)


async def _proof(request: Request) -> str:
    given = parse_qs((await read_body(request)).decode("utf-8", "replace"))
    return given.get("proof", [""])[0]


def _check(proof: str, visitor: Visitor) -> None:
    if not hmac.compare_digest(proof.encode(), visitor.csrf.encode()):
        raise HTTPException(403, "form")


def _consented(site: Site, visitor: Visitor) -> bool:
    with site.study.database.read() as connection:
        known = desk_rater(connection, visitor.name)
    return known is not None and known.consented is not None


def _new_guest(site: Site, name: str) -> Visitor:
    token = invite_rater(
        site.study.database,
        site.study.rubric,
        name,
        site.options.items_per_guest,
        None,
        _GUEST_DAYS,
        survey=True,
    )
    return Visitor("survey", name, token)
