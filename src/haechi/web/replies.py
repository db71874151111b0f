"""Replies of the AI under test: each is asked for once, told piece by piece, and kept before it counts as said."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import orjson

from haechi.errors import HaechiError
from haechi.judge.partner import SaidTurn
from haechi.judge.providers.base import Talker, TryAgain
from haechi.judge.providers.faults import RefusedRequest
from haechi.judge.providers.models import Model
from haechi.store.connection import Connection
from haechi.store.talks import TalkMessage, is_over, note_ask, note_cost, read_talk, say, spent_in_talk
from haechi.text import Lang, Text
from haechi.typeset import typeset
from haechi.web.options import Talk
from haechi.web.site import Site

_ASKS_PER_TURN = 2  # a reply that failed may be asked for again, but not without end
_AT_ONCE = 32
_LONGEST = 50_000  # characters: a server that ignores the limit of tokens must not fill the memory
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


class LiveReply:
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


class Replies:
    """The replies of one study. Whoever looks on, a reply is asked for once, and it goes on when the page is closed."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._running: dict[str, LiveReply] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._clients: dict[Model, Talker] = {}
        site.closing.append(self._close)

    async def _close(self) -> None:
        for client in self._clients.values():
            await client.close()

    def is_on_its_way(self, rater: str) -> bool:
        """Whether a participant is being replied to."""
        return rater in self._running

    def to(self, rater: str, lang: Lang, talk: Talk) -> LiveReply:
        """The reply to a participant's last message: the one on its way, or a new one."""
        if rater not in self._running:
            self._running[rater] = LiveReply()
            task = asyncio.create_task(self._reply(rater, self._running[rater], lang, talk))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return self._running[rater]

    async def _reply(self, rater: str, reply: LiveReply, lang: Lang, talk: Talk) -> None:
        """Ask the AI, tell its reply piece by piece, and keep it before it counts as said."""
        last: dict[str, Any] = {"error": _BUSY.say(lang)}
        try:
            said = await self._site.in_thread(self._waiting, rater)
            if said is None:
                last = {"sent": True, "nothing": True}
                return
            reply.tell({"sent": True})
            async with self._places:
                text, cost, number = await self._ask(rater, said, reply, talk)
            if text.strip():
                last = await self._site.in_thread(self._said, rater, text, number, cost, talk)
            else:
                last = {"error": _EMPTY.say(lang)}
        except RefusedRequest:
            last = {"error": _REFUSED.say(lang)}
        except TryAgain as error:
            _LOG.warning("haechi serve --talk: %s", error)
        except (HaechiError, _TooMuch) as error:
            _LOG.warning("haechi serve --talk: %s", error)
            last = {"error": _OUT_OF_ORDER.say(lang)}
        finally:
            self._running.pop(rater, None)
            reply.tell(last, last=True)

    def _waiting(self, rater: str) -> list[SaidTurn] | None:
        """What was said so far, if it is not over and the last word is the participant's."""
        with self._site.study.database.read() as connection:
            messages = [] if is_over(connection, rater) else read_talk(connection, rater)
        return [(one.role, one.content) for one in messages] if waits(messages) else None

    async def _ask(
        self, rater: str, said: list[SaidTurn], reply: LiveReply, talk: Talk
    ) -> tuple[str, float | None, int]:
        partner = talk.partner
        if partner.model not in self._clients:
            self._clients[partner.model] = await self._site.in_thread(partner.connect)
        client = self._clients[partner.model]
        number = await self._site.in_thread(self._note, rater, said, talk)
        pieces: list[str] = []
        length = 0
        cost: float | None = None
        async for piece in partner.reply(client, said):
            if isinstance(piece, str):
                pieces.append(piece.replace("\0", ""))
                length += len(piece)
                if length > _LONGEST:
                    raise TryAgain(f"a reply of more than {_LONGEST} characters")
                reply.tell({"piece": pieces[-1]})
            elif partner.price is not None:
                cost = partner.price.cost(piece)
        return "".join(pieces), cost, number

    def _note(self, rater: str, said: list[SaidTurn], talk: Talk) -> int:
        """Note that the AI is asked, unless it was asked too often or would cost too much."""
        most = talk.partner.at_most(said)
        with self._site.workplace.write() as connection:
            used = spent_in_talk(connection, rater)
            too_often = used.asks >= talk.turns * _ASKS_PER_TURN
            limit = talk.max_cost
            if too_often or (limit is not None and used.cost + (most or 0.0) > limit):
                raise _TooMuch(f"{rater}: {used.asks} requests, {used.cost:.4f} dollars")
            return note_ask(connection, rater, talk.partner.model.spec, most)

    def _said(self, rater: str, text: str, number: int, cost: float | None, talk: Talk) -> dict[str, Any]:
        """Keep a reply; tells it, and how many messages may follow."""
        with self._site.workplace.write() as connection:
            say(connection, rater, "assistant", text)
            if cost is not None:
                note_cost(connection, number, cost)
            messages = read_talk(connection, rater)
            return {
                "reply": message_page(messages[-1]),
                "left": messages_left(connection, talk, rater, messages),
            }


class _TooMuch(Exception):
    """The AI was asked as often, or for as much, as it may be for one participant."""


def messages_left(connection: Connection, talk: Talk, rater: str, messages: list[TalkMessage]) -> int:
    """How many messages the participant may still send."""
    used = spent_in_talk(connection, rater)
    most = talk.partner.at_most([(one.role, one.content) for one in messages])
    if talk.max_cost is not None and most is not None and used.cost + most > talk.max_cost:
        return 0
    return max(0, talk.turns - sum(one.role == "user" for one in messages))


def waits(messages: list[TalkMessage]) -> bool:
    """Whether the last word is the participant's."""
    return bool(messages) and messages[-1].role == "user"


def message_page(message: TalkMessage) -> dict[str, Any]:
    """A message as the page shows it; a reply is typeset, and nothing in it is more than words."""
    html = {"html": typeset(message.content)} if message.role == "assistant" else {}
    return {"role": message.role, "text": message.content, "at": message.at, **html}
