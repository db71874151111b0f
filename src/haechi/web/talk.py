"""A participant talks with the AI under test in the page, and then rates that conversation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from haechi.errors import HaechiError
from haechi.judge.partner import Said
from haechi.judge.providers.base import TryAgain
from haechi.judge.providers.faults import Refused
from haechi.korean import particle
from haechi.store.connection import Connection
from haechi.store.desk import desk_rater
from haechi.store.talks import Message, end_talk, note_ask, note_cost, read_talk, say, spent
from haechi.text import Lang, Text
from haechi.typeset import typeset
from haechi.web.access import Visitor, language_of
from haechi.web.bodies import read_body
from haechi.web.options import Talk
from haechi.web.site import Site, json_response
from haechi.web.survey import agreed
from haechi.web.words import words

if TYPE_CHECKING:
    from haechi.judge.providers.openai import OpenAI

_ASKS_PER_TURN = 2  # a reply that failed may be asked for again, but not without end
_AT_ONCE = 32
_LOG = logging.getLogger("uvicorn.error")
_BUSY = Text(
    "AI가 지금 답하지 못했습니다. 보낸 글은 저장되었으니 잠시 뒤 다시 요청하세요.",
    "The AI could not reply just now. What you wrote is kept; ask again in a moment.",
)
_REFUSED = Text(
    "AI가 이 글에는 답하지 못합니다. 다른 글을 보내 보세요.",
    "The AI cannot reply to this. Try to say something else.",
)
_OUT_OF_ORDER = Text(
    "지금은 AI와 대화할 수 없습니다. 연구 담당자에게 알려 주세요.",
    "It is not possible to talk with the AI at the moment. Please tell the study's owner.",
)
_EMPTY = Text("AI가 빈 답을 보냈습니다. 다시 요청하세요.", "The AI sent an empty reply. Ask again.")


class Written(BaseModel):
    """A message that a participant sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    text: str


class Reply:
    """A reply on its way; whoever follows it, also later, gets every line."""

    def __init__(self) -> None:
        self._lines: list[dict[str, Any]] = []
        self._ended = False
        self._news = asyncio.Event()

    def tell(self, line: dict[str, Any], last: bool = False) -> None:
        """Say something to everybody who follows."""
        self._lines.append(line)
        self._ended = self._ended or last
        self._news.set()
        self._news = asyncio.Event()

    async def follow(self) -> AsyncIterator[bytes]:
        """All lines so far and to come."""
        seen = 0
        while True:
            while seen < len(self._lines):
                yield orjson.dumps(self._lines[seen]) + b"\n"
                seen += 1
            if self._ended:
                return
            await self._news.wait()


class Talks:
    """The conversations of one study. A reply is asked for once, whoever looks on, and goes on when the page is closed."""

    def __init__(self, site: Site, talk: Talk) -> None:
        self._site, self._talk = site, talk
        self._running: dict[str, Reply] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._client: OpenAI | None = None
        site.closing.append(self._close)

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def page(self, request: Request) -> Response:
        """The conversation."""
        visitor = agreed(self._site, request)
        if self._is_over(visitor):
            return RedirectResponse(f"{self._site.options.base}/survey/desk", status_code=303)
        return self._site.page(request, "talk.html", place=f"{self._site.options.base}/survey/talk")

    def state(self, request: Request) -> Response:
        """What was said, what may still be said, and the words of the page."""
        visitor = agreed(self._site, request)
        lang = language_of(request, self._site.options.lang)
        with self._site.study.database.read() as connection:
            messages = read_talk(connection, visitor.name)
            left = self._left(connection, visitor.name, messages)
        speakers = self._site.workplace.form(lang).speakers
        return json_response(
            {
                "csrf": visitor.csrf,
                "lang": lang,
                "survey": True,
                "kiosk": self._site.options.kiosk,
                "words": words(lang),
                "title": _title(speakers["assistant"]).say(lang),
                "speakers": speakers,
                "messages": [_shown(one) for one in messages],
                "letters": self._talk.letters,
                "left": left,
                "replying": visitor.name in self._running,
            }
        )

    async def send(self, request: Request) -> Response:
        """Keep a message, then reply to it."""
        body = await read_body(request)
        visitor, lang = await self._site.in_thread(self._who, request)
        try:
            written = Written.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError):
            raise HTTPException(422) from None
        text = written.text.replace("\0", "").strip()
        if not 0 < len(text) <= self._talk.letters:
            raise HTTPException(422)
        await self._site.in_thread(self._keep, visitor.name, written.id, text)
        return self._replying(visitor.name, lang)

    async def again(self, request: Request) -> Response:
        """Follow the reply that is on its way, or ask again for one that never came."""
        await read_body(request)
        visitor, lang = await self._site.in_thread(self._who, request)
        return self._replying(visitor.name, lang)

    def end(self, request: Request) -> Response:
        """The conversation is over: it becomes an item, and is rated."""
        visitor, _ = self._who(request)
        with self._site.workplace.write() as connection:
            messages = read_talk(connection, visitor.name)
            if visitor.name in self._running or not any(one.role == "assistant" for one in messages):
                raise HTTPException(409)
            end_talk(connection, visitor.name, self._talk.partner.model.reference)
        return json_response({"ended": True})

    def _who(self, request: Request) -> tuple[Visitor, Lang]:
        visitor = agreed(self._site, request)
        if self._is_over(visitor):
            raise HTTPException(409)
        return visitor, language_of(request, self._site.options.lang)

    def _is_over(self, visitor: Visitor) -> bool:
        with self._site.study.database.read() as connection:
            known = desk_rater(connection, visitor.name)
        return known is not None and known.only_item is not None

    def _left(self, connection: Connection, rater: str, messages: list[Message]) -> int:
        """How many messages the participant may still send."""
        used = spent(connection, rater)
        most = self._talk.partner.at_most([(one.role, one.content) for one in messages])
        if self._talk.max_cost is not None and most is not None and used.cost + most > self._talk.max_cost:
            return 0
        return max(0, self._talk.turns - sum(one.role == "user" for one in messages))

    def _keep(self, rater: str, identifier: str, text: str) -> None:
        with self._site.workplace.write() as connection:
            messages = read_talk(connection, rater)
            waits = bool(messages) and messages[-1].role == "user"
            # Nothing is said before the reply to the last message is there; sent again, a message is kept once.
            may = not waits and self._left(connection, rater, messages) > 0
            if may:
                say(connection, rater, "user", text, identifier)
                return
            known = "SELECT count(*) FROM talks WHERE rater = :rater AND id = :id"
            if not connection.value(known, rater=rater, id=identifier):
                raise HTTPException(409)

    def _replying(self, rater: str, lang: Lang) -> Response:
        if rater not in self._running:
            self._running[rater] = Reply()
            task = asyncio.create_task(self._reply(rater, self._running[rater], lang))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        lines = self._running[rater].follow()
        return StreamingResponse(
            lines, media_type="application/x-ndjson", headers={"X-Accel-Buffering": "no"}
        )

    async def _reply(self, rater: str, reply: Reply, lang: Lang) -> None:
        """Ask the AI, tell its reply piece by piece, and keep it before it counts as said."""
        last: dict[str, Any] = {"error": _BUSY.say(lang)}
        try:
            said = await self._site.in_thread(self._waiting, rater)
            if said is None:
                last = {"sent": True, "nothing": True}
                return
            reply.tell({"sent": True})
            async with self._places:
                text, cost, number = await self._ask(rater, said, reply)
            if text.strip():
                last = {"reply": _shown(await self._site.in_thread(self._said, rater, text, number, cost))}
            else:
                last = {"error": _EMPTY.say(lang)}
        except Refused:
            last = {"error": _REFUSED.say(lang)}
        except TryAgain as error:
            _LOG.warning("haechi serve --talk: %s", error)
        except _TooMuch:
            last = {"error": _OUT_OF_ORDER.say(lang)}
        except HaechiError as error:
            _LOG.warning("haechi serve --talk: %s", error)
            last = {"error": _OUT_OF_ORDER.say(lang)}
        finally:
            self._running.pop(rater, None)
            reply.tell(last, last=True)

    def _waiting(self, rater: str) -> list[Said] | None:
        """What was said so far, if the last word is the participant's."""
        with self._site.study.database.read() as connection:
            messages = read_talk(connection, rater)
        waits = bool(messages) and messages[-1].role == "user"
        return [(one.role, one.content) for one in messages] if waits else None

    async def _ask(self, rater: str, said: list[Said], reply: Reply) -> tuple[str, float | None, int]:
        partner = self._talk.partner
        if self._client is None:
            self._client = await self._site.in_thread(partner.connect)
        number = await self._site.in_thread(self._note, rater, said)
        pieces: list[str] = []
        cost: float | None = None
        async for piece in partner.reply(self._client, said):
            if isinstance(piece, str):
                pieces.append(piece.replace("\0", ""))
                reply.tell({"piece": pieces[-1]})
            elif partner.price is not None:
                cost = partner.price.cost(piece)
        return "".join(pieces), cost, number

    def _note(self, rater: str, said: list[Said]) -> int:
        """Note that the AI is asked, unless it was asked too often or would cost too much."""
        most = self._talk.partner.at_most(said)
        with self._site.workplace.write() as connection:
            used = spent(connection, rater)
            too_often = used.asks >= self._talk.turns * _ASKS_PER_TURN
            limit = self._talk.max_cost
            if too_often or (limit is not None and used.cost + (most or 0.0) > limit):
                raise _TooMuch
            return note_ask(connection, rater, self._talk.partner.model.spec, most)

    def _said(self, rater: str, text: str, number: int, cost: float | None) -> Message:
        with self._site.workplace.write() as connection:
            say(connection, rater, "assistant", text)
            if cost is not None:
                note_cost(connection, number, cost)
            return read_talk(connection, rater)[-1]


class _TooMuch(Exception):
    """The AI was asked as often, or for as much, as it may be for one participant."""


def routes(site: Site) -> list[Route]:
    """The routes of the conversation; none where participants do not talk."""
    if site.options.talk is None:
        return []
    if site.study.rubric.item != "dialogue":
        found = Text(
            f"{site.study.rubric.id}: 대화가 아닌 항목",
            f"{site.study.rubric.id}: its items are no conversations",
        )
        expected = Text("대화를 평가하는 루브릭(예: ubica)", "a rubric for conversations, such as ubica")
        raise HaechiError.of("--talk", found, expected, Text("--talk을 빼세요", "leave out --talk"))
    talks = Talks(site, site.options.talk)
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


def _shown(message: Message) -> dict[str, Any]:
    """A message as the page shows it; a reply is typeset, and nothing in it is more than words."""
    html = {"html": typeset(message.content)} if message.role == "assistant" else {}
    return {"role": message.role, "text": message.content, "at": message.at, **html}
