"""Reading what a visitor sends, up to a reasonable length."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request

_LONGEST = 200_000


async def read_body(request: Request, most: int = _LONGEST) -> bytes:
    """The body of a request, refused as soon as it grows beyond what is reasonable."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413)
    return body
