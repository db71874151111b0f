"""kill -9 while many people rate and the owner watches: every acknowledged answer is there, and none is there twice."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from itertools import count

import httpx
import pytest

from haechi.store.raters import invite_owner, invite_rater
from haechi.study.study import Study
from processes import start_haechi

FIELDS = ("sensibleness", "specificity", "sympathy")
PLACES = 8
PATIENCE = 120.0  # seconds without enough answers, after which the test has failed


class Load:
    """People who rate without end, as the page does: what is not acknowledged is sent again, as it was."""

    def __init__(self, study: Study, raters: int) -> None:
        self._study = study
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self._port = found.getsockname()[1]
        self._raters = [invite_rater(study.database, study.rubric, f"rater-{n}") for n in range(raters)]
        self._owner = invite_owner(study.database)
        self._ended = False
        self.acknowledged: dict[str, str] = {}

    async def run(self, kills: int, chance: random.Random) -> None:
        process = self._serve()
        try:
            async with asyncio.TaskGroup() as people:
                for number, token in enumerate(self._raters):
                    people.create_task(self._rate(number, token))
                people.create_task(self._watch())
                for _ in range(kills):
                    await self._more(chance.randint(1, 2 * len(self._raters)))
                    await asyncio.sleep(chance.random() / 20)
                    process.kill()
                    process.communicate()
                    process = self._serve()
                await self._more(len(self._raters))
                self._ended = True
        finally:
            process.kill()
            process.communicate()

    def _serve(self):
        return start_haechi("serve", self._study.folder, "--port", self._port)

    async def _more(self, answers: int) -> None:
        enough = len(self.acknowledged) + answers
        async with asyncio.timeout(PATIENCE):
            while len(self.acknowledged) < enough:
                await asyncio.sleep(0.002)

    async def _rate(self, number: int, token: str) -> None:
        async with self._visitor() as client:
            await self._ask(client, f"/enter/{token}")
            state = (await self._ask(client, "/desk/state")).json()
            items = [
                (await self._ask(client, f"/desk/items/{place + 1}")).json()["item"]
                for place in range(PLACES)
            ]
            client.headers["X-Haechi-Form"] = state["csrf"]
            for turn in count():
                if self._ended:
                    return
                place = turn // len(FIELDS) % PLACES
                answer = {
                    "id": f"r{number}-answer-{turn}",
                    **state["marks"],
                    "item": items[place],
                    "position": place + 1,
                    "field": FIELDS[turn % len(FIELDS)],
                    "value": str(turn // (len(FIELDS) * PLACES) % 2),  # every round changes every answer
                }
                response = await self._ask(client, "/desk/answers", answer)
                assert response.json()["id"] == answer["id"]
                self.acknowledged[answer["id"]] = answer["value"]
                await asyncio.sleep(0.05)

    async def _watch(self) -> None:
        async with self._visitor() as client:
            await self._ask(client, f"/enter/{self._owner}")
            while True:  # at least once, however slow the page is beside all others
                assert "rater-0" in (await self._ask(client, "/owner")).text
                if self._ended:
                    return
                await asyncio.sleep(0.5)

    def _visitor(self) -> httpx.AsyncClient:
        address = f"http://127.0.0.1:{self._port}"
        return httpx.AsyncClient(base_url=address, timeout=30, follow_redirects=True)

    async def _ask(self, client: httpx.AsyncClient, path: str, body: object = None) -> httpx.Response:
        method = "GET" if body is None else "POST"
        while True:
            try:
                response = await client.request(method, path, json=body)
            except httpx.TransportError:  # there is no server, or it was killed before it answered
                await asyncio.sleep(0.02)
                continue
            assert response.status_code == 200, (path, response.status_code, response.text[:300])
            return response


@pytest.mark.parametrize(
    ("raters", "kills"), [(8, 2), pytest.param(50, 100, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_every_acknowledged_answer_is_there_once_whenever_the_server_is_killed(tmp_path, raters, kills):
    study = Study.new(tmp_path / "study", "diary-comment")
    items = tmp_path / "items.jsonl"
    lines = ({"id": f"d{n}", "context": "비가 왔다.", "response": "아쉬웠겠어요."} for n in range(PLACES))
    items.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    study.add([items])
    load = Load(study, raters)
    asyncio.run(load.run(kills, random.Random(raters)))
    with study.database.read() as connection:
        kept = connection.rows("SELECT arrival, value FROM ratings ORDER BY number")
    assert len(kept) == len({row.arrival for row in kept})
    # What was kept when a kill cut off its acknowledgement was sent again and acknowledged then.
    assert {row.arrival: row.value for row in kept} == load.acknowledged
    newest = study.ratings().rows(named=True)
    assert len(newest) == len({(row["item"], row["criterion"], row["rater"]) for row in newest})
