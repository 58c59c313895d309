"""Closes connections that take too long to send a request.

Uvicorn limits how long a connection may idle after an answer, but not how long a request may take to
arrive, so an incomplete request would keep its connection for ever. Its limit on all connections would
let one client with many connections lock out everyone else. So only unauthenticated connections are
limited, and the oldest is closed when there are too many.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from .. import limits

Address = tuple[str, int]


class Room:
    """The connections that have not sent the cookie and key yet, oldest first."""

    def __init__(self) -> None:
        self.strangers: dict[Address | None, asyncio.Transport] = {}

    def welcome(self, address: Address | None, transport: asyncio.Transport) -> None:
        self.strangers[address] = transport
        if len(self.strangers) > limits.STRANGERS:
            self.strangers.pop(next(iter(self.strangers))).abort()

    def know(self, address: Address | None) -> None:
        """Stop counting a connection, because it is authenticated or closed."""
        self.strangers.pop(address, None)


class Protocol(H11Protocol):
    """HTTP with a time limit for a head: from connecting, or from the first byte of a later request."""

    def __init__(self, room: Room, **settings: Any) -> None:
        super().__init__(**settings)
        self.room = room
        self.deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.room.welcome(self.client, transport)
        self.wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.wait_for_head()

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP, unless a request is already in progress."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # no further answer will be read
            self.cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_waiting()
        self.room.know(self.client)
        super().connection_lost(exc)

    def wait_for_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self.stop_waiting()
        elif self.deadline is None:
            self.deadline = self.loop.call_later(limits.HEADERS, self.transport.close)

    def stop_waiting(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


class SocketProtocol(WebSocketsSansIOProtocol):
    """WebSockets that leave the room when closed, and are rejected without an error in the terminal."""

    def __init__(self, room: Room, **settings: Any) -> None:
        super().__init__(**settings)
        self.room = room

    def connection_lost(self, exc: Exception | None) -> None:
        self.room.know(self.client)
        super().connection_lost(exc)

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # otherwise uvicorn reports a missing handshake
