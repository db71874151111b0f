"""A question to a model that is no judgement, within a limit of money."""

from __future__ import annotations

import asyncio
import uuid
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.asks import Judge
from haechi.judge.budget import Budget, check_price
from haechi.judge.judged_study import JudgedStudy
from haechi.judge.judges import judges_of
from haechi.judge.loops import run_to_end
from haechi.judge.providers.base import Client, Request, TryAgain
from haechi.judge.providers.keys import mask
from haechi.judge.providers.lines import BatchReply
from haechi.judge.providers.results import read_results
from haechi.prompt.objects import find_objects
from haechi.store.judging_protocols import asked_question, begin_question, finish_question
from haechi.text import Text, dollars

_TOKENS, _ATTEMPTS, _TIMEOUT, _WAIT = 4_000, 3, 300.0, 1.0


class ModelQuestion(NamedTuple):
    """What is told, what is asked, and the form of the answer as a JSON schema."""

    system: str
    user: str
    schema: dict[str, Any]


@frozen
class ModelAnswer:
    """The answer as an object, empty where the reply holds none; and what was paid now, None where nobody knows.

    An answer that the journal has costs nothing more. One that was asked for before and never came, as after a `kill -9`, may
    have been paid at its worst price.
    """

    answer: dict[str, Any]
    cost: float | None


def ask_model(
    study: JudgedStudy, model: str, question: ModelQuestion, most: float | None = None
) -> ModelAnswer:
    """Ask a model one question, once: it is in the journal before it leaves, and its answer is read from there ever after.

    Refused before it leaves where the dearest answer would cost more than the limit.
    """
    (judge,) = judges_of(study, [model])
    asked = sha256(orjson.dumps([model, *question], option=orjson.OPT_SORT_KEYS)).hexdigest()
    with study.database.read() as connection:
        known = asked_question(connection, asked)
    if known is not None and known.reply is not None:
        return ModelAnswer(_answer(known.reply, judge), 0.0)
    check_price(judge, most)
    lost = known.worst or 0.0 if known is not None else 0.0
    request = Request(uuid.uuid4().hex, *question, _TOKENS)
    bound = Budget(most).bound(request, judge.price) + lost
    if most is not None and bound > most:
        found = Text(f"질문 하나에 최대 {dollars(bound)}", f"up to {dollars(bound)} for one question")
        expected = Text(f"남은 {dollars(most)} 이하", f"at most the {dollars(most)} that are left")
        raise HaechiError.of(
            f"--max-cost, {model}", found, expected, Text("--max-cost를 높이세요", "raise --max-cost")
        )

    async def run() -> str:
        client = judge.model.client(_TIMEOUT)
        try:
            return await _asked(client, request, model)
        finally:
            await client.close()

    with study.database.write() as connection:
        begin_question(connection, asked, model, bound if judge.price is not None else None)
    line = mask(run_to_end(run()))
    with study.database.write() as connection:
        finish_question(connection, asked, line)
    return ModelAnswer(_answer(line, judge), _paid(line, judge, lost))


def _reply(line: str, judge: Judge) -> BatchReply | None:
    found = next(read_results([line], judge.model.provider))
    return found if isinstance(found, BatchReply) else None


def _answer(line: str, judge: Judge) -> dict[str, Any]:
    reply = _reply(line, judge)
    whole = find_objects(reply.text).whole if reply is not None and reply.text else ()
    pairs: list[tuple[str, Any]] = whole[0][0] if whole else []
    return dict(pairs)


def _paid(line: str, judge: Judge, lost: float) -> float | None:
    reply = _reply(line, judge)
    if reply is None or judge.price is None or not reply.usage:
        return None
    cost = judge.price.cost(reply.usage)
    return None if cost is None else cost + lost


async def _asked(client: Client, request: Request, model: str) -> str:
    words = Text("")
    for attempt in range(_ATTEMPTS):
        if attempt:
            await asyncio.sleep(_WAIT * 2**attempt)
        try:
            async with asyncio.timeout(_TIMEOUT):
                return orjson.dumps(await client.ask(request)).decode()
        except (TryAgain, TimeoutError) as error:
            words = getattr(error, "words", None) or Text("응답이 없음", "no answer")
    todo = Text("잠시 뒤 다시 실행하세요", "run it again later")
    raise HaechiError.of(model, words, Text("응답", "an answer"), todo)
