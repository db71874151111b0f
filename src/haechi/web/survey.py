"""The survey: somebody with a link reads the consent text, says something about themselves, answers once, and is thanked."""

from __future__ import annotations

import hmac
import secrets
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.store.desk import desk_rater, note_once
from haechi.store.invitations import revoke
from haechi.store.rater_fields import keep_fields
from haechi.store.raters import invite_guest, invite_rater
from haechi.store.survey_links import find_survey_link
from haechi.store.talks import is_over
from haechi.text import Lang, Text
from haechi.web.access import Closed, Visitor, address_of, choose_language, language_of
from haechi.web.bodies import read_body
from haechi.web.security import AttemptLimit
from haechi.web.site import Site, json_response, study_survey_link

CONSENT = Text(
    "이 설문은 대화형 AI에 대한 의견을 묻습니다. 참여는 자유이며 언제든 그만둘 수 있습니다. 이름이나 연락처는 묻지 않고, "
    "답과 문항에 머문 시간만 저장하여 연구에 씁니다.",
    "This survey asks for your opinion of a conversational AI. Taking part is voluntary and you may stop at any time. "
    "It asks for no name or contact; only your answers and the time they took are kept, for research.",
)
CONSENT_TO_TALK = Text(
    "이 설문에서는 대화형 AI와 이야기를 나누고 그 대화를 평가합니다. 참여는 자유이며 언제든 그만둘 수 있습니다. 이름이나 연락처는 "
    "묻지 않고, 나눈 대화와 답, 걸린 시간을 저장하여 연구에 씁니다. 대화에 개인 정보를 적지 마세요.",
    "In this survey you talk with a conversational AI and rate that conversation. Taking part is voluntary and you may stop at "
    "any time. It asks for no name or contact; the conversation, your answers and the time they took are kept, for research. "
    "Please write nothing personal.",
)
_STARTS = 120  # guests of one address in a minute: a lecture hall behind one address, not a flood


@frozen
class ConsentForm:
    """What the form of the consent page sends: its proof, the link it came through, the answers to the questions."""

    proof: str
    link: str
    answers: dict[str, str]

    @classmethod
    async def of(cls, request: Request) -> ConsentForm:
        """What a request sends."""
        given = parse_qs((await read_body(request)).decode("utf-8", "replace"))
        said = {name: values[0] for name, values in given.items()}
        return cls(said.pop("proof", ""), said.pop("link", ""), said)


class Survey:
    """The pages of the survey in one study."""

    def __init__(self, site: Site) -> None:
        self._site, self._cookies, self._base = site, site.access.cookies, site.options.base
        self._new_guests = AttemptLimit(most=_STARTS, window=60.0)

    def survey(self, request: Request) -> Response:
        """The public survey, or the one whose link brought this browser here."""
        if lang := request.query_params.get("lang"):
            return choose_language(
                RedirectResponse(f"{self._base}/survey", status_code=303), lang, self._site.options
            )
        link = self._cookies.token(request, "join") or ""
        if self._cookies.token(request, "survey") is None and link:
            return RedirectResponse(f"{self._base}/join/{link}", status_code=303)
        return self._welcome(request, "")

    def join(self, request: Request) -> Response:
        """The survey behind a link that several people may use."""
        link = request.path_params["token"]
        if lang := request.query_params.get("lang"):
            return choose_language(
                RedirectResponse(f"{self._base}/join/{link}", status_code=303), lang, self._site.options
            )
        _open_link(self._site, request, link)
        return self._welcome(request, link)

    def _welcome(self, request: Request, link: str) -> Response:
        try:
            visitor = self._site.access.by_cookie(request, "survey")
        except Closed as closed:
            return thanks_page(self._site, request, closed)
        except HTTPException:
            if not link and not self._site.settings.now().public_survey:
                raise HTTPException(404) from None
            return _ask(self._site, request, ConsentForm("", link, {}))
        if _consented(self._site, visitor):
            return RedirectResponse(f"{self._base}/survey/desk", status_code=303)
        return _ask(self._site, request, ConsentForm(visitor.csrf, link, {}))

    async def agree(self, request: Request) -> Response:
        """Somebody agrees to take part; a form of another site, which brings no cookie, must not take one's place."""
        if request.headers.get("sec-fetch-site") == "cross-site":
            raise HTTPException(403, "form")
        return await self._site.in_thread(self._begin, request, await ConsentForm.of(request))

    def _begin(self, request: Request, wish: ConsentForm) -> Response:
        try:
            said = self._site.study.settings.participants.read(wish.answers)
        except HaechiError as error:
            lang = language_of(request, self._site.options.lang)
            wrong = {problem.at: problem.expected.say(lang) for problem in error.problems}
            return _ask(self._site, request, wish, wrong)
        if wish.proof:
            visitor = self._site.access.by_cookie(request, "survey")
            _check(wish.proof, visitor)
        else:
            visitor = self._guest(request, wish.link)
        with self._site.workplace.write() as connection:
            note_once(connection, visitor.name, "consented")
            keep_fields(connection, visitor.name, said)
        response = RedirectResponse(f"{self._base}/survey/desk", status_code=303)
        self._cookies.give(request, response, visitor)
        if wish.link:
            self._cookies.give_token(request, response, "join", wish.link)
        return response

    def _guest(self, request: Request, link: str) -> Visitor:
        if not link and not self._site.settings.now().public_survey:
            raise HTTPException(404)
        name, address = f"guest-{secrets.token_hex(5)}", address_of(request)
        if self._new_guests.blocked(address, name):
            raise HTTPException(429, "crowd", headers={"Retry-After": str(self._new_guests.wait(address))})
        if link:
            _open_link(self._site, request, link)
        with self._site.workplace.write() as connection:
            connection.alone()  # of two who come for the last place one is too late
            through = find_survey_link(connection, link) if link else None
            if through is not None and through.state != "open":
                raise HTTPException(403, f"survey_{through.state}")
            settings = self._site.settings.inside(connection)
            talks = settings.talk is not None
            quota = 1 if talks else settings.items_per_guest
            token = invite_guest(connection, self._site.study.rubric, name, quota, through, own=talks)
            return Visitor("survey", name, token)

    def decline(self, request: Request) -> Response:
        """Somebody does not; nothing is kept."""
        kiosk = self._site.settings.now().kiosk
        return self._site.page(request, "message.html", kind="declined", proof="", kiosk=kiosk)

    async def another(self, request: Request) -> Response:
        """Somebody else sits down at the same computer."""
        return await self._site.in_thread(self._leave, request, (await ConsentForm.of(request)).proof)

    def _leave(self, request: Request, proof: str) -> Response:
        token = self._cookies.token(request, "survey")
        if token is None:
            raise HTTPException(401)
        _check(proof, Visitor("survey", "", token))
        response = RedirectResponse(f"{self._base}/survey", status_code=303)
        self._cookies.take(response, "survey")
        return response

    def submit(self, request: Request) -> Response:
        """A participant is done: nothing can be changed from here on."""
        visitor = rating(self._site, request)
        if not _is_done(self._site.workplace.worklist(visitor.name)):
            return json_response({"error": "unfinished"}, 409)
        with self._site.workplace.write() as connection:
            note_once(connection, visitor.name, "submitted")
            revoke(connection, visitor.name)
        return json_response({"submitted": True})


def routes(site: Site) -> list[Route]:
    """The routes of the survey."""
    survey = Survey(site)
    return [
        Route("/survey", survey.survey),
        Route("/survey", survey.agree, methods=["POST"]),
        Route("/join/{token}", survey.join),
        Route("/survey/decline", survey.decline, methods=["POST"]),
        Route("/survey/another", survey.another, methods=["POST"]),
        Route("/survey/submit", survey.submit, methods=["POST"]),
    ]


def survey_link(site: Site, item: str, days: float) -> str:
    """The address behind which one person answers about one conversation, once."""
    name = f"participant-{secrets.token_hex(5)}"
    token = invite_rater(site.study.database, site.study.rubric, name, 1, None, days, item, survey=True)
    return f"{site.options.base}/enter/{token}"


def consenting_participant(site: Site, request: Request) -> Visitor:
    """The participant of a request, who has agreed to take part."""
    first = HTTPException(303, headers={"Location": f"{site.options.base}/survey"})
    try:
        visitor = site.access.participant(request)
    except Closed as closed:
        # Who goes back after submitting closed the link, not the owner.
        if "text/html" in request.headers.get("accept", "") and _has_submitted(site, closed):
            raise first from None
        raise
    if not _consented(site, visitor):
        raise first
    return visitor


def rating(site: Site, request: Request) -> Visitor:
    """The participant of a request, who has agreed, and who has talked with the AI if that is what comes first."""
    visitor = consenting_participant(site, request)
    with site.study.database.read() as connection:
        talking = site.settings.inside(connection).talk is not None and not is_over(connection, visitor.name)
    if talking:
        raise HTTPException(303, headers={"Location": f"{site.options.base}/survey/talk"})
    return visitor


def thanks_page(site: Site, request: Request, closed: Closed) -> Response:
    """A participant who has submitted is thanked, and somebody else at the same computer may begin."""
    if not _has_submitted(site, closed):
        raise closed
    cookies = site.access.cookies
    token, link = (cookies.token(request, role) for role in ("survey", "join"))
    settings = site.settings.now()
    again = token is not None and (settings.public_survey or link is not None)
    proof = Visitor("survey", "", token).csrf if token is not None and again else ""
    kept = site.kept_of(request, closed.token)
    return site.page(request, "message.html", kind="thanks", proof=proof, kiosk=settings.kiosk, kept=kept)


def _has_submitted(site: Site, closed: Closed) -> bool:
    """Whether a link is closed because its participant has submitted."""
    with site.study.database.read() as connection:
        known = desk_rater(connection, closed.invitation.name)
    return closed.invitation.role == "survey" and known is not None and known.submitted is not None


def _ask(site: Site, request: Request, wish: ConsentForm, wrong: dict[str, str] | None = None) -> Response:
    """The consent text and the study's questions; `wrong` says what is expected where an answer does not fit."""
    lang: Lang = language_of(request, site.options.lang)
    asked = site.study.settings.participants
    text = consent_text(site, lang)
    values: dict[str, Any] = {"text": text, "questions": asked.questions, "wish": wish, "wrong": wrong or {}}
    return site.page(request, "consent.html", 422 if wrong else 200, **values)


def consent_text(site: Site, lang: Lang) -> str:
    """What participants agree to: as the owner wrote it in the browser, in the study's file, or as we do."""
    settings = site.settings.now()
    usual = CONSENT if settings.talk is None else CONSENT_TO_TALK
    return settings.consent or (site.study.settings.participants.consent or usual).say(lang)


def _open_link(site: Site, request: Request, token: str) -> None:
    """Refuse a link through which nobody can begin, with the reason; who has begun may go on."""
    link = study_survey_link(site.study, token)
    if link is None:
        raise site.access.wrong(address_of(request), token)
    if link.state != "open" and site.access.cookies.token(request, "survey") is None:
        raise HTTPException(403, f"survey_{link.state}")


def _is_done(work: dict[str, Any]) -> bool:
    return bool(work["items"]) and work["left"] == 0 and all(item["finished"] for item in work["items"])


def _check(proof: str, visitor: Visitor) -> None:
    if not hmac.compare_digest(proof.encode(), visitor.csrf.encode()):
        raise HTTPException(403, "form")


def _consented(site: Site, visitor: Visitor) -> bool:
    with site.study.database.read() as connection:
        known = desk_rater(connection, visitor.name)
    return known is not None and known.consented is not None
