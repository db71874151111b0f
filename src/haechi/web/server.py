"""The HTTP server: whoever dawdles is let go, and only a trusted proxy may say for whom it speaks."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

LOOPBACK = ("127.0.0.1", "::1")


class PromptProtocol(H11Protocol):
    """A connection whose requests arrive promptly.

    uvicorn waits for ever for the rest of a request; a few hundred sockets that send a letter now and then would keep
    everybody else out.
    """

    head_seconds = 15.0  # for a whole request head
    body_seconds = 30.0  # of silence within a body
    _deadline: asyncio.TimerHandle | None = None
    _for_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio does this only for sockets that name their protocol, which those of `create_server` do not: the end of
        # every longer page waited 40 ms for the reader's acknowledgement of its beginning.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _expect(self) -> None:
        """Set the time until which the rest of the request has to be here."""
        awaited = self.conn.their_state
        if awaited is h11.IDLE:
            if not self._for_head:  # a head that trickles in does not move its own deadline
                self._set(self.head_seconds)
                self._for_head = True
            return
        self._stop()
        if awaited is h11.SEND_BODY:
            self._set(self.body_seconds)

    def _set(self, seconds: float) -> None:
        self._stop()
        self._deadline = self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        if self.flow.read_paused:  # we are slow, not they
            self._set(self.body_seconds)
        else:
            self.transport.abort()

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline, self._for_head = None, False


def server_of(app: ASGIApp, trusted_proxies: Sequence[str] = LOOPBACK) -> uvicorn.Server:
    """A server that logs no address, because addresses of requests hold personal tokens."""
    config = uvicorn.Config(
        app,
        http=PromptProtocol,
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        forwarded_allow_ips=list(trusted_proxies),
    )
    return uvicorn.Server(config)
