"""The HTTP interface for programs: push items, pull ratings and scores, make survey links."""

from __future__ import annotations

import uuid
from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from haechi.data.files import Row
from haechi.data.shapes import items_of
from haechi.errors import HaechiError
from haechi.store.items import add_items, read_item
from haechi.store.large import keeps_files
from haechi.text import Text
from haechi.web.bodies import read_body
from haechi.web.openapi import OPENAPI
from haechi.web.site import Site, json_response
from haechi.web.survey import survey_link

_LONGEST = 20 * 1024 * 1024
_MOST_ITEMS = 10_000


class SurveyLinkRequest(BaseModel):
    """A survey link: about which item, valid how long."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    item: Annotated[str, Field(max_length=300)]
    days: Annotated[float, Field(gt=0, le=3660)] = 7.0


class Programs:
    """What programs may ask of one study."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def health(self, _: Request) -> Response:
        """Whether the desk and its database answer."""
        with self._site.study.database.read() as connection:
            connection.value("SELECT 1")
        return json_response({"status": "ok"})

    def described(self, _: Request) -> Response:
        """The interface in the words of OpenAPI."""
        return json_response(OPENAPI | {"servers": [{"url": self._site.options.base or "/"}]})

    async def push(self, request: Request) -> Response:
        """New items."""
        await self._site.in_thread(self._site.access.program, request)
        return await self._site.in_thread(self._add, await read_body(request, _LONGEST))

    def _add(self, body: bytes) -> Response:
        try:
            given = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            return json_response({"error": [{"found": str(error)}]}, 422)
        records = given if isinstance(given, list) else [given]
        if len(records) > _MOST_ITEMS or not all(isinstance(record, dict) for record in records):
            return json_response(
                {"error": [{"expected": f"an item, or a list of at most {_MOST_ITEMS}"}]}, 422
            )
        rows = (Row(f"items[{index}]", record) for index, record in enumerate(records))
        try:
            with self._site.workplace.write() as connection:
                if keeps_files(connection):
                    raise _keeps_files()
                added = add_items(connection, items_of(rows, self._site.study.rubric.item), uuid.uuid4().hex)
        except HaechiError as error:
            return json_response({"error": [problem.as_json("en") for problem in error.problems]}, 422)
        return json_response({"new": added.new, "unchanged": added.unchanged, "filled": added.filled}, 201)

    def ratings(self, request: Request) -> Response:
        """The ratings in force, of all items or of one."""
        self._site.access.program(request)
        frame = self._site.study.ratings()
        item = request.query_params.get("item")
        return json_response({"ratings": (frame.filter(item=item) if item else frame).to_dicts()})

    def scores(self, request: Request) -> Response:
        """What `haechi score --json` prints."""
        self._site.access.program(request)
        pieces: list[str] = []
        self._site.study.scores().write_json(pieces.append)
        return Response("".join(pieces), media_type="application/json")

    async def survey(self, request: Request) -> Response:
        """A link for one person about one conversation."""
        await self._site.in_thread(self._site.access.program, request)
        return await self._site.in_thread(self._link, request, await read_body(request))

    def _link(self, request: Request, body: bytes) -> Response:
        try:
            wanted = SurveyLinkRequest.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError) as error:
            return json_response({"error": [{"found": str(error)[:500]}]}, 422)
        with self._site.study.database.read() as connection:
            if read_item(connection, wanted.item) is None:
                raise HTTPException(404)
        path = survey_link(self._site, wanted.item, wanted.days)
        return json_response({"link": f"{request.url.scheme}://{request.url.netloc}{path}"}, 201)


def routes(site: Site) -> list[Route]:
    """The routes of the interface."""
    programs = Programs(site)
    return [
        Route("/api/health", programs.health),
        Route("/api/openapi.json", programs.described),
        Route("/api/items", programs.push, methods=["POST"]),
        Route("/api/ratings", programs.ratings),
        Route("/api/scores", programs.scores),
        Route("/api/surveys", programs.survey, methods=["POST"]),
    ]


def _keeps_files() -> HaechiError:
    """Runs in files come in files."""
    found = Text("실행을 Parquet 파일로 보관하는 스터디", "a study that keeps its runs as Parquet files")
    expected = Text("항목을 데이터베이스에 보관하는 스터디", "a study that keeps its items in the database")
    todo = Text(
        "파일로 모아 haechi add로 더하세요", "collect the runs in a file and add them with haechi add"
    )
    return HaechiError.of("/api/items", found, expected, todo)
