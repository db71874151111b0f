"""Collecting batches: what finished is taken once, what never arrived is found out, what failed is due again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from haechi.data.progress import Advance
from haechi.errors import Problem
from haechi.judge.batch_status import BatchNews, stay_out, unreachable
from haechi.judge.lost_batches import found_again
from haechi.judge.providers.base import BatchState, Client, Misconfigured, TryAgain
from haechi.judge.providers.models import parse_model
from haechi.judge.providers.prices import Prices
from haechi.judge.providers.results import is_done, is_result, read_results
from haechi.judge.records import ReturnedAnswer, read_all, record
from haechi.judge.servers import recall, remember
from haechi.rubrics import Rubric
from haechi.store.batches import (
    abandoned_batches,
    batches_in,
    close_open_calls,
    count_open_in_batch,
    end_batch,
    mark_batch,
    open_in_batch,
)
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.database import Database
from haechi.store.journal import open_calls
from haechi.text import Text

_CHUNK = 200
_A_BATCH = Text("배치의 상태와 결과", "the state and the results of the batch")
_AGAIN = Text(
    "나중에 haechi collect를 다시 실행하세요. 저장된 것은 그대로이고 다시 보내는 것은 없습니다",
    "run haechi collect again later; nothing stored was lost, and nothing is sent again",
)
_ALL_LINES = Text("끝난 요청마다 결과 한 줄", "a line for every request that was processed")
_FETCH_AGAIN = Text(
    "받은 응답은 저장했고 나머지는 다시 보내지 않았습니다. 나중에 haechi collect를 다시 실행하세요. "
    "끝내 오지 않으면 haechi collect --give-up으로 포기할 수 있습니다",
    "what arrived is kept, and nothing is sent again: run haechi collect again later; "
    "what never comes is given up with haechi collect --give-up",
)
_NO_LINE = Text("결과 파일에 이 요청의 줄이 없음", "no line for this request in the results")


@dataclass
class _Taken:
    """What one reading of the results came to, as the provider counts."""

    ids: set[str] = field(default_factory=set)
    done: int = 0
    unreadable: int = 0


class _Short(NamedTuple):
    """Fewer result lines than there must be."""

    arrived: int
    of: int

    @property
    def words(self) -> Text:
        return Text(
            f"결과 {self.of:,}줄 중 {self.arrived:,}줄만 받았습니다",
            f"only {self.arrived:,} of {self.of:,} lines of results arrived",
        )


class Collector:
    """Fetches what has finished. Safe to repeat, to interrupt and to run twice at once."""

    def __init__(
        self,
        database: Database,
        rubric: Rubric,
        prices: Prices,
        advance: Advance,
        connect: Callable[[str], Client],
    ) -> None:
        self._database, self._rubric, self._prices = database, rubric, prices
        self._advance, self._connect = advance, connect
        self._clients: dict[str, Client] = {}

    async def collect(self, cancel: bool = False, give_up: bool = False) -> list[BatchNews]:
        """Look at every batch that is out, and take what is there; one that cannot be reached stops no other.

        A batch whose results are short stays open, and is fetched again the next time, unless they are given up.
        """
        news = []
        try:
            with self._database.read() as connection:
                lost = abandoned_batches(connection)
            for row in lost:
                gone = await found_again(self._database, row, self._client)
                news += [gone] if gone is not None else []
            with self._database.read() as connection:
                out = batches_in(connection, "submitted")
            for row in out:
                news.append(await self._one(row, cancel, give_up))
        finally:
            for client in self._clients.values():
                await client.close()
        return news

    def _client(self, model: str) -> Client:
        if model not in self._clients:
            self._clients[model] = self._connect(model)
        return self._clients[model]

    async def _one(self, row: DatabaseRow, cancel: bool, give_up: bool) -> BatchNews:
        news = BatchNews(row.remote, row.rater, "running", row.requests)
        try:
            client = self._client(row.model)
            state = await client.look(row.remote)
            if cancel and state.state == "running":  # what has ended cannot be stopped, only fetched
                await client.cancel(row.remote)
                state = await client.look(row.remote)
            news.words = state.words
            if state.state == "running":
                return news
            if state.state == "ended":
                short = self._short(row, state, await self._take(row, client, news))
                if short is not None and not give_up:
                    return self._keep_open(row, short, news)
        except TryAgain as error:
            return stay_out(news, "unknown", error.words, _A_BATCH, _AGAIN)
        except Misconfigured as error:
            return unreachable(row, error)
        self._close(row, state.state, state.words, news)
        return news

    async def _take(self, row: DatabaseRow, client: Client, news: BatchNews) -> _Taken:
        provider, taken = parse_model(row.model).provider, _Taken()
        lines: list[str] = []
        async for line in client.results(row.remote):
            lines.append(line)
            if len(lines) >= _CHUNK:
                self._keep(row, provider, lines, news, taken)
                lines = []
        self._keep(row, provider, lines, news, taken)
        return taken

    def _short(self, row: DatabaseRow, state: BatchState, taken: _Taken) -> _Short | None:
        """Compare what arrived with what was sent, or, where not all of it was processed, with the provider's count."""
        if state.whole:
            with self._database.read() as connection:
                short = _Short(row.requests - count_open_in_batch(connection, row.id), row.requests)
        elif state.done is not None:
            short = _Short(taken.done, state.done)
        else:  # it says nothing: only what is no result shows that something is wrong
            short = _Short(len(taken.ids), row.requests if taken.unreadable else 0)
        return short if short.arrived < short.of else None

    def _keep_open(self, row: DatabaseRow, short: _Short, news: BatchNews) -> BatchNews:
        with self._database.write_alone() as connection:
            mark_batch(connection, row.id, reason=short.words.kept)
        return stay_out(news, "incomplete", short.words, _ALL_LINES, _FETCH_AGAIN)

    def _keep(
        self, row: DatabaseRow, provider: str, lines: Sequence[str], news: BatchNews, taken: _Taken
    ) -> None:
        found: dict[str, str] = {}
        for line in lines:
            for reply in read_results([line], provider):
                if isinstance(reply, Problem) or not is_result(reply.raw, provider):
                    taken.unreadable += 1
                    continue
                found.setdefault(reply.custom_id, line)
                if (
                    reply.error is not None and not news.heeded
                ):  # all of a batch were asked alike: heeded once
                    news.heeded = self._heed(row, reply.error.say("en"))
                if reply.custom_id not in taken.ids:
                    taken.ids.add(reply.custom_id)
                    taken.done += is_done(reply.raw, provider)
        with self._database.write_alone() as connection:
            waiting = open_calls(connection, found)
            ours = [call for call in waiting.values() if call.batch == row.id]
            returned = [_returned(call, found[call.id]) for call in ours]
            self._record(connection, row, returned, provider, news)
        self._advance(len(returned))

    def _heed(self, row: DatabaseRow, refusal: str) -> bool:
        """Remember what a model refuses, so that the next batch does without it."""
        model, client = parse_model(row.model), self._client(row.model)
        known = recall(self._database, model, client)
        if known is not None and known >= (row.submitted_at or row.at):
            return True  # it was asked before that was known
        heeded = hasattr(client, "heed") and bool(client.heed(refusal))
        if heeded:
            remember(self._database, model, client)
        return heeded

    def _record(
        self,
        connection: Connection,
        row: DatabaseRow,
        returned: Iterable[ReturnedAnswer],
        provider: str,
        news: BatchNews,
    ) -> None:
        price = self._prices.of(parse_model(row.model))
        reads = read_all(returned, self._rubric, provider, price, batch=True)
        record(connection, self._rubric, reads)
        for read in reads:
            news.done.add(read)

    def _close(self, row: DatabaseRow, state: str, words: str, news: BatchNews) -> None:
        """What has no line by now never will: it is a failure with a reason, and due again in the next run."""
        provider = parse_model(row.model).provider
        why = _NO_LINE if state == "ended" else Text(f"배치 실패: {words}", f"the batch failed: {words}")
        after = ""
        while state != "cancelled":
            with self._database.write_alone() as connection:
                ids = open_in_batch(connection, row.id, after, _CHUNK)
                calls = open_calls(connection, ids).values()
                returned = [_returned(call, None, why) for call in calls]
                self._record(connection, row, returned, provider, news)
            if not ids:
                break
            after = ids[-1]
        closed = {"ended": "collected", "failed": "failed", "cancelled": "cancelled"}[state]
        with self._database.write_alone() as connection:
            close_open_calls(connection, row.id, "cancelled", words)
            end_batch(connection, row.id, closed, words)
        news.state = closed


def _returned(call: DatabaseRow, line: str | None, failure: Text | None = None) -> ReturnedAnswer:
    only = tuple(orjson.loads(call.asked)) if call.asked else None
    return ReturnedAnswer(call.id, call.item, call.rater, call.replicate, only, line, failure)
