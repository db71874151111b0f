"""Reading what a visitor sends, up to a reasonable length and size."""

from __future__ import annotations

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 10**18 - 1
"""The largest number that a visitor may send: a database keeps integers below 2⁶³."""
_LONGEST = 200_000


class _Number(IntegerConvertor):
    """A number in an address; there is no page for a larger one."""

    regex = "[0-9]{1,18}"


register_url_convertor("number", _Number())


async def read_body(request: Request, most: int = _LONGEST) -> bytes:
    """The body of a request, refused as soon as it grows beyond what is reasonable."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413)
    return body
