"""Connections that do not come to the point: closed if the head of a request takes too long.

Uvicorn limits how long a connection may wait after an answer, but not how long a request may take to
be asked; half of one would be held for ever.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from . import limits


class Protocol(H11Protocol):
    """HTTP in which a head must be complete soon after its connection, or after its first byte."""

    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_waiting()
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
