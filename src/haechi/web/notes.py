"""The owner's answers to what raters write about items."""

from __future__ import annotations

from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from haechi.store.notes import Thread, add_note, notes_about
from haechi.web.answers import NoteText
from haechi.web.bodies import LARGEST, read_body
from haechi.web.site import Site, json_response


class NoteReply(BaseModel):
    """What the owner answers to a rater about an item."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    item: Annotated[str, Field(max_length=1000)]
    rater: Annotated[str, Field(max_length=200)]
    replicate: Annotated[int, Field(ge=1, le=LARGEST)]
    text: NoteText


def routes(site: Site) -> list[Route]:
    """The route of answers."""

    async def reply(request: Request) -> Response:
        body = await read_body(request)
        return await site.in_thread(keep, request, body)

    def keep(request: Request, body: bytes) -> Response:
        site.access.owner(request)
        try:
            given = NoteReply.model_validate(orjson.loads(body))
        except (orjson.JSONDecodeError, ValidationError) as error:
            return json_response({"error": str(error)[:500]}, 422)
        with site.workplace.write() as connection:
            about = Thread(given.item, given.rater, given.replicate)
            if not notes_about(connection, about):
                raise HTTPException(404)
            add_note(connection, about, "owner", "comment", given.text)
        return json_response({"saved": True})

    return [Route("/owner/notes", reply, methods=["POST"])]
