"""Headers that keep a hostile transcript harmless, and a limit on attempts."""

from __future__ import annotations

import threading
import time
from collections import deque

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "X-Robots-Tag": "noindex",
}


class SecureHeaders:
    """Puts the headers on every response; what is not a file of ours is never kept by a cache."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if "/static/" not in scope["path"]:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, guarded)


class AttemptLimit:
    """At most `most` attempts (wrong tokens, new guests) from one address within `window` seconds.

    >>> limit = AttemptLimit(most=1, window=60)
    >>> limit.blocked("here"), limit.note("here"), limit.blocked("here"), limit.blocked("there")
    (False, None, True, False)
    """

    _ADDRESSES = 10_000  # remembered at most, so that a flood of addresses does not fill the memory

    def __init__(self, most: int = 20, window: float = 60.0) -> None:
        self._most, self._window = most, window
        self._attempts: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def blocked(self, address: str) -> bool:
        """Whether this address has to wait."""
        with self._lock:
            return len(self._recent(address)) >= self._most

    def note(self, address: str) -> None:
        """Note an attempt."""
        with self._lock:
            recent = self._recent(address)
            recent.append(time.monotonic())
            self._attempts[address] = recent
            while len(self._attempts) > self._ADDRESSES:
                self._attempts.pop(next(iter(self._attempts)))

    def _recent(self, address: str) -> deque[float]:
        recent = self._attempts.get(address, deque())
        while recent and recent[0] < time.monotonic() - self._window:
            recent.popleft()
        if not recent:
            self._attempts.pop(address, None)
        return recent
