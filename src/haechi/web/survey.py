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
from haechi.web.access import Visitor, language_of
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


def routes(site: Site) -> list[Route]:
    """The routes of the survey."""
    new_guests = AttemptLimit(most=30, window=60.0)

    def consent(request: Request) -> Response:
        visitor = _visitor(site, request)
        if visitor is None and site.access.has_cookie(request):
            return site.page(request, "message.html", kind="thanks")
        if visitor is None and not site.options.public_survey:
            raise HTTPException(404)
        if visitor is not None and _consented(site, visitor):
            return RedirectResponse(f"{site.options.base}/desk", status_code=303)
        text = site.options.consent or CONSENT.say(language_of(request, site.options.lang))
        return site.page(request, "consent.html", text=text, proof=visitor.csrf if visitor else "")

    async def agree(request: Request) -> Response:
        given = parse_qs((await read_body(request)).decode("utf-8", "replace"))
        return await site.in_thread(begin, request, given.get("proof", [""])[0])

    def begin(request: Request, proof: str) -> Response:
        visitor = _visitor(site, request)
        if visitor is None:
            visitor = _new_guest(site, request, new_guests)
        elif not hmac.compare_digest(proof.encode(), visitor.csrf.encode()):
            raise HTTPException(403)
        with site.workplace.write() as connection:
            note_once(connection, visitor.name, "consented")
        response = RedirectResponse(f"{site.options.base}/desk", status_code=303)
        site.access.remember(request, response, visitor)
        return response

    def finish(request: Request) -> Response:
        visitor = site.access.rater(request)
        if visitor.role != "survey":
            raise HTTPException(403)
        with site.workplace.write() as connection:
            revoke(connection, visitor.name)
        return json_response({"finished": True})

    return [
        Route("/survey", consent),
        Route("/survey", agree, methods=["POST"]),
        Route("/survey/finish", finish, methods=["POST"]),
    ]


def survey_link(site: Site, item: str, days: float) -> str:
    """The address behind which one person answers about one conversation, once."""
    name = f"participant-{secrets.token_hex(5)}"
    token = invite_rater(site.study.database, site.study.rubric, name, 1, None, days, item, survey=True)
    return f"{site.options.base}/enter/{token}"


def must_consent(site: Site, visitor: Visitor) -> bool:
    """Whether a visitor of the survey has not yet agreed to it."""
    return visitor.role == "survey" and not _consented(site, visitor)


def _visitor(site: Site, request: Request) -> Visitor | None:
    try:
        return site.access.survey_visitor(request)
    except HTTPException:
        return None


def _consented(site: Site, visitor: Visitor) -> bool:
    with site.study.database.read() as connection:
        known = desk_rater(connection, visitor.name)
    return known is not None and known.consented is not None


def _new_guest(site: Site, request: Request, limit: AttemptLimit) -> Visitor:
    if not site.options.public_survey:
        raise HTTPException(404)
    address = request.client.host if request.client else ""
    if limit.blocked(address):
        raise HTTPException(429, headers={"Retry-After": "60"})
    limit.note(address)
    name = f"guest-{secrets.token_hex(5)}"
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
