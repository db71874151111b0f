"""What really crosses the wire: the bytes of a request and its answer are noted, and a key leaves for its own host only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from haechi.judge.providers.base import Misconfigured
from haechi.text import Text

_SECRET = (
    "authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "openai-organization",
    "openai-project",
    "x-amz-security-token",
)
_PORTS = {"http": 80, "https": 443}


@dataclass
class Exchange:
    """The body of the last request that left, and of the answer to it."""

    sent: bytes | None = None
    received: bytes | None = None


_NOW: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def note_exchanges() -> Iterator[Exchange]:
    """Note what is sent and received inside."""
    exchange = Exchange()
    token = _NOW.set(exchange)
    try:
        yield exchange
    finally:
        _NOW.reset(token)


def note_received(body: bytes) -> bytes:
    """Note the answer; gives it back."""
    exchange = _NOW.get()
    if exchange is not None:
        exchange.received = body
    return body


def hooks(address: str) -> dict[str, list[Any]]:
    """The event hooks of an HTTP client for an address: requests are noted, and keys do not follow to another host.

    A redirect may lead a download elsewhere, without the key; a question goes nowhere but where it was addressed to.
    """
    home = origin(address)

    async def before(request: Any) -> None:
        exchange = _NOW.get()
        if origin(str(request.url)) != home:
            if request.method != "GET":
                raise _led_away(home, origin(str(request.url)))
            for name in _SECRET:
                request.headers.pop(name, None)
        elif exchange is not None and request.method == "POST":
            exchange.sent = request.content

    return {"request": [before]}


def origin(address: str) -> str:
    """Scheme, host and port of an address.

    >>> origin("https://api.example.com/v1"), origin("http://[::1]:8000/v1")
    ('https://api.example.com:443', 'http://::1:8000')
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or _PORTS.get(parts.scheme)}"


def _led_away(home: str, elsewhere: str) -> Misconfigured:
    return Misconfigured.by(
        home,
        Text(f"다른 주소로 돌려보냄: {elsewhere}", f"redirects to another address: {elsewhere}").say(),
        Text("질문을 스스로 받는 주소", "an address that takes questions itself"),
        Text(
            "그 주소를 믿는다면 --model에 직접 적으세요. 키도 질문도 보내지 않았습니다",
            "if you trust that address, name it in --model; neither the key nor the question was sent there",
        ),
    )
