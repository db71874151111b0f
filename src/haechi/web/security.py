"""Headers that keep a hostile transcript harmless, and a limit on attempts."""

from __future__ import annotations

import math
import threading
import time

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
                    headers.setdefault(name, value)  # a report has a policy of its own, stricter still
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, guarded)


class AttemptLimit:
    """At most `most` different things (wrong tokens, new guests) tried under one key within `window` seconds.

    Whoever tries the same thing again, such as a page that reloads with an old link, has tried one thing.

    >>> limit = AttemptLimit(most=1, window=60)
    >>> [limit.blocked("here", "a"), limit.blocked("here", "a"), limit.blocked("here", "b"), limit.blocked("there", "b")]
    [False, False, True, False]
    """

    _KEYS = 10_000  # remembered at most, so that a flood of addresses does not fill the memory

    def __init__(self, most: int = 20, window: float = 60.0) -> None:
        self._most, self._window = most, window
        self._tried: dict[str, dict[str, float]] = {}  # key → what was tried, when first, oldest first
        self._lock = threading.Lock()

    def blocked(self, key: str, tried: str) -> bool:
        """Note what is tried; says whether it has to wait."""
        with self._lock:
            recent = self._recent(key)
            if tried in recent:
                return False
            if len(recent) >= self._most:
                return True
            recent[tried] = time.monotonic()
            self._tried[key] = recent
            while len(self._tried) > self._KEYS:
                self._tried.pop(next(iter(self._tried)))
            return False

    def wait(self, key: str) -> int:
        """After how many seconds something new may be tried."""
        with self._lock:
            recent = self._recent(key)
            if len(recent) < self._most:
                return 0
            return math.ceil(next(iter(recent.values())) + self._window - time.monotonic())

    def _recent(self, key: str) -> dict[str, float]:
        recent = self._tried.get(key, {})
        since = time.monotonic() - self._window
        for tried in [one for one, at in recent.items() if at < since]:
            del recent[tried]
        if not recent:
            self._tried.pop(key, None)
        return recent
