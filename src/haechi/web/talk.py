"""A participant talks with the AI under test in the page, and then rates that conversation."""

from __future__ import annotations

from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from haechi.korean.particles import particle
from haechi.store.talks import end_talk, is_over, is_said, read_talk, say
from haechi.text import Lang, Text
from haechi.web.access import Visitor, language_of
from haechi.web.bodies import read_body
from haechi.web.options import Talk
from haechi.web.replies import Replies, message_page, messages_left
from haechi.web.site import Site, json_response
from haechi.web.survey import consenting_participant
from haechi.web.words import words


class ParticipantMessage(BaseModel):
    """A message that a participant sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    text: str


class Talks:
    """The pages of the conversations in one study."""

    def __init__(self, site: Site) -> None:
        self._site, self._replies = site, Replies(site)

    def _now(self) -> Talk:
        """With whom participants talk now."""
        talk = Talk.of(self._site.study, self._site.settings.now())
        if talk is None:
            raise HTTPException(404)
        return talk

    def page(self, request: Request) -> Response:
        """The conversation."""
        visitor = consenting_participant(self._site, request)
        if self._site.settings.now().talk is None or self._is_over(visitor):
            return RedirectResponse(f"{self._site.options.base}/survey/desk", status_code=303)
        return self._site.page(request, "talk.html", place=f"{self._site.options.base}/survey/talk")

    def state(self, request: Request) -> Response:
        """What was said, what may still be said, and the words of the page."""
        visitor = consenting_participant(self._site, request)
        lang, talk = language_of(request, self._site.options.lang), self._now()
        with self._site.study.database.read() as connection:
            messages = read_talk(connection, visitor.name)
            left = messages_left(connection, talk, visitor.name, messages)
        speakers = self._site.workplace.form(lang).speakers
        return json_response(
            {
                "csrf": visitor.csrf,
                "lang": lang,
                "survey": True,
                "kiosk": self._site.settings.now().kiosk,
                "words": words(lang),
                "title": _title(speakers["assistant"]).say(lang),
                "speakers": speakers,
                "messages": [message_page(one) for one in messages],
                "letters": talk.letters,
                "left": left,
                "replying": self._replies.is_on_its_way(visitor.name),
            }
        )

    async def send(self, request: Request) -> Response:
        """Keep a message, then reply to it."""
        body = await read_body(request)
        visitor, lang, talk = await self._site.in_thread(self._who, request)
        try:
            written = ParticipantMessage.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError):
            raise HTTPException(422) from None
        text = written.text.replace("\0", "").strip()
        if not 0 < len(text) <= talk.letters:
            raise HTTPException(422)
        await self._site.in_thread(self._keep, visitor.name, written.id, text, talk)
        return self._following(visitor.name, lang, talk)

    async def again(self, request: Request) -> Response:
        """Follow the reply that is on its way, or ask again for one that never came."""
        await read_body(request)
        visitor, lang, talk = await self._site.in_thread(self._who, request)
        return self._following(visitor.name, lang, talk)

    def end(self, request: Request) -> Response:
        """The conversation is over: it becomes an item, and is rated."""
        visitor, _, talk = self._who(request)
        with self._site.workplace.write() as connection:
            messages = read_talk(connection, visitor.name)
            if self._replies.is_on_its_way(visitor.name) or not any(
                one.role == "assistant" for one in messages
            ):
                raise HTTPException(409)
            end_talk(connection, visitor.name, talk.partner.model.reference)
        return json_response({"ended": True})

    def _who(self, request: Request) -> tuple[Visitor, Lang, Talk]:
        visitor = consenting_participant(self._site, request)
        if self._is_over(visitor):
            raise HTTPException(409)
        return visitor, language_of(request, self._site.options.lang), self._now()

    def _is_over(self, visitor: Visitor) -> bool:
        with self._site.study.database.read() as connection:
            return is_over(connection, visitor.name)

    def _keep(self, rater: str, identifier: str, text: str, talk: Talk) -> None:
        with self._site.workplace.write() as connection:
            if is_said(connection, rater, identifier):
                return
            messages = read_talk(connection, rater)
            left = messages_left(connection, talk, rater, messages)
            # It may have ended in another tab since the request was let in.
            if is_over(connection, rater) or self._replies.is_on_its_way(rater) or not left:
                raise HTTPException(409)
            say(connection, rater, "user", text, identifier)

    def _following(self, rater: str, lang: Lang, talk: Talk) -> Response:
        lines = self._replies.to(rater, lang, talk).follow()
        return StreamingResponse(
            lines, media_type="application/x-ndjson", headers={"X-Accel-Buffering": "no"}
        )


def routes(site: Site) -> list[Route]:
    """The routes of the conversation, for as long as participants talk."""
    talks = Talks(site)
    return [
        Route("/survey/talk", talks.page),
        Route("/survey/talk/state", talks.state),
        Route("/survey/talk/messages", talks.send, methods=["POST"]),
        Route("/survey/talk/reply", talks.again, methods=["POST"]),
        Route("/survey/talk/end", talks.end, methods=["POST"]),
    ]


def _title(name: str) -> Text:
    """What the page is about.

    >>> _title("루나")
    Text(ko='루나와 대화하기', en='Talk with 루나')
    """
    return Text(f"{name}{particle(name, '과/와')} 대화하기", f"Talk with {name}")
