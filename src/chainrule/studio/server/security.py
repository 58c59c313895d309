"""Access control: admits only this machine's user, through this server's page.

A middleware around everything, WebSockets included. The page and its files are public, since nothing in
them is secret; the middleware knows no other routes. Any other request without the right Host, Origin,
cookie and key is rejected before its path or body is read.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from .. import limits
from .entrance import Entrance
from .timeouts import Room

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

NAMES = ("127.0.0.1", "localhost", "[::1]")  # this machine, as browsers write it
SAFE = ("GET", "HEAD")  # methods that change nothing
AGE = 30 * 24 * 3600  # seconds; longer than a studio runs
FROM_HERE = (b"same-origin", b"none")  # "none": typed or opened from outside the browser
ENTER = "/enter"
KEY = b"x-chainrule-key"
PROTOCOL = "chainrule"  # of the socket; the page offers the key as a second protocol

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'{socket}; base-uri 'none'; form-action {form}; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), usb=()",
}
# The page after sign-in: its script stores the key and opens the studio.
ENTERED = (
    '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>chainrule studio</title>'
    '<meta name="chainrule-key" content="{key}">'
    '<script type="module" src="/static/studio/static/pages/enter.js"></script></head>\n'
    "<body><noscript>The studio needs JavaScript.</noscript></body>\n</html>\n"
)

NO_COOKIE = "this browser is not signed in: open the file that `chainrule studio` printed, or /enter"
NO_KEY = "the cookie alone is not enough: open /enter, or reopen the page in the browser that signed in"
WRONG_CODE = "this is not the code of the running studio: use the code that the studio printed"
USED_CODE = "another browser has used this code: use that browser, or restart `chainrule studio`"
FAILED = "the studio failed; see its terminal"

log: logging.Logger = logging.getLogger(__name__)


class Guard:
    """Admits requests with the cookie and the key, which are issued once, in exchange for the code.

    A browser sends the cookie to every port of this machine, so any local server that the browser visits
    learns the cookie. The key is in our origin's storage, which no other port can read; scripts cannot
    read the cookie. A restarted studio has a new cookie and key.
    """

    def __init__(self, app: App, port: int, room: Room) -> None:
        self.app = app
        self.room = room
        self.entrance: Entrance = Entrance()
        self.session: str = secrets.token_urlsafe(32)
        self.key: str = secrets.token_urlsafe(32)
        self.cookie: str = f"chainrule_{port}"  # cookies ignore ports, so each studio needs its own name
        bare = NAMES if port == 80 else ()
        self.hosts: set[bytes] = {
            name.encode() for name in (*(f"{name}:{port}" for name in NAMES), *bare)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            try:
                await self.app(scope, receive, send)
            finally:
                self.entrance.close()
            return
        hosts = _all(scope, b"host")
        host = hosts[0] if len(hosts) == 1 and hosts[0] in self.hosts else None
        exchange = Exchange(scope, receive, send, host)
        try:
            await self.answer(exchange, host)
        except Exception:
            log.exception("a request failed")
            await exchange.fail()

    async def answer(self, exchange: Exchange, host: bytes | None) -> None:
        scope = exchange.scope
        entering = scope["type"] == "http" and scope["path"] == ENTER
        if host is None:
            await exchange.refuse(403, "this is not the studio's address")
        elif entering and scope["method"] == "POST":
            await self.enter(exchange)
        elif not (is_from_here(scope, host) or (entering and scope["method"] in SAFE)):
            await exchange.refuse(403, "only the studio's own page may request this")
        elif is_public(scope):
            await self.app(scope, exchange.receive, exchange.send)
        elif not self.has_cookie(scope):
            await exchange.refuse(401, NO_COOKIE)
        elif not self.has_key(scope):
            await exchange.refuse(403, NO_KEY)
        else:
            self.room.know(scope["client"])
            await self.app(scope, exchange.receive, exchange.send)

    def has_cookie(self, scope: Scope) -> bool:
        found = False
        for header in _all(scope, b"cookie"):
            for pair in header.split(b";"):
                name, _, value = pair.strip().partition(b"=")
                if name == self.cookie.encode():
                    found |= secrets.compare_digest(value, self.session.encode())
        return found

    def has_key(self, scope: Scope) -> bool:
        """Whether the request has the key: in a header or, for a WebSocket, among its subprotocols.

        A page cannot set the headers of a WebSocket.
        """
        socket = scope["type"] == "websocket"
        given = [text.encode() for text in scope["subprotocols"]] if socket else _all(scope, KEY)
        return any(secrets.compare_digest(text, self.key.encode()) for text in given)

    async def enter(self, exchange: Exchange) -> None:
        """Exchange the code for the cookie and the key, once.

        Any origin may post the code, because a page opened from a file has no origin: the code itself is
        the proof.
        """
        try:
            body = await exchange.short_body()
        except TimeoutError:
            await exchange.refuse(408, f"the code did not arrive within {limits.HEADERS:g} s")
            return
        tokens = parse_qs(body.decode("latin-1")).get("token", [])
        if len(tokens) != 1 or not self.entrance.admits(tokens[0].strip()):
            await exchange.refuse(403, WRONG_CODE)
        elif self.entrance.used:
            await exchange.refuse(403, USED_CODE)
        else:
            self.entrance.use()
            cookie = f"{self.cookie}={self.session}; Max-Age={AGE}; HttpOnly; SameSite=Strict; Path=/"
            await exchange.reply(
                200,
                "text/html; charset=utf-8",
                ENTERED.format(key=self.key).encode(),
                [(b"set-cookie", cookie.encode())],
            )


def is_public(scope: Scope) -> bool:
    """Whether the path is the page or below the folder of its files, existing or not."""
    path: str = scope["path"]
    named = path in ("/", ENTER) or path.startswith("/static/")
    return scope["type"] == "http" and scope["method"] in SAFE and named


def is_from_here(scope: Scope, host: bytes) -> bool:
    """Whether Origin and Sec-Fetch-Site are our page's, or absent where that is allowed."""
    origins = _all(scope, b"origin")
    needed = scope["type"] == "websocket" or scope["method"] not in SAFE
    if origins != [b"http://" + host] and (origins or needed):
        return False
    return all(site in FROM_HERE for site in _all(scope, b"sec-fetch-site"))


def _all(scope: Scope, name: bytes) -> list[bytes]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value for key, value in headers if key.lower() == name]


class Exchange:
    """A request and its answer. Adds the common headers, and reads no more of the body than needed.

    A connection with an unread request body is closed after the answer: otherwise the server would read
    the rest of the body to find the next request.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, host: bytes | None) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send
        self.socket: Any = scope["type"] == "websocket"
        self.unread: bool = bool(_all(scope, b"transfer-encoding") or _all(scope, b"content-length"))
        self.started: bool = False
        own = {
            "Content-Security-Policy": POLICY.format(
                socket="" if host is None else f" ws://{host.decode()}",
                form="'self'" if scope["path"] == ENTER else "'none'",
            ),
            **HEADERS,
        }
        self.headers: list[tuple[bytes, bytes]] = [
            (name.lower().encode(), value.encode()) for name, value in own.items()
        ]

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self.unread = message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "websocket.accept":
            self.started = True
        elif message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.started = True
            names = {name for name, _ in self.headers}
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
            closing = [(b"connection", b"close")] if self.unread else []
            message = {**message, "headers": [*kept, *self.headers, *closing]}
        await self._send(message)

    async def short_body(self) -> bytes:
        """The body of a form with one short field; reading stops as soon as it is too long."""
        body = b""
        async with asyncio.timeout(limits.HEADERS):
            while self.unread and len(body) <= limits.FORM:
                message = await self.receive()
                if message["type"] == "http.disconnect":
                    break
                body += message.get("body", b"")
        return body

    async def reply(
        self, status: int, kind: str, body: bytes, more: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        start = "websocket.http.response" if self.socket else "http.response"
        length = b"%d" % len(body)
        headers = [(b"content-type", kind.encode()), (b"content-length", length), *more]
        await self.send({"type": f"{start}.start", "status": status, "headers": headers})
        await self.send({"type": f"{start}.body", "body": body})

    async def refuse(self, status: int, message: str) -> None:
        """Answer with an error: as JSON, or as text for a person."""
        if any(b"text/html" in accepted for accepted in _all(self.scope, b"accept")):
            body = f"chainrule studio: {message}\n".encode()
            await self.reply(status, "text/plain; charset=utf-8", body)
        else:
            await self.reply(status, "application/json", json.dumps({"error": message}).encode())

    async def fail(self) -> None:
        """Answer with a 500 after an unexpected exception, if that is still possible."""
        with suppress(RuntimeError, OSError):  # the client has disconnected
            if not self.started:
                await self.refuse(500, FAILED)
            elif self.socket:
                await self.send({"type": "websocket.close", "code": 1011, "reason": FAILED})
