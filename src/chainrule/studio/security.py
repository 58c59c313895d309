"""Who may ask: this machine's user alone, through the page of this server.

A middleware around everything, WebSockets included. It knows nothing of routes: whatever does not
carry the right Host, Origin and cookie is refused before anybody looks at its path.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

NAMES = ("127.0.0.1", "localhost", "[::1]")  # of this machine, as browsers write them
SAFE = ("GET", "HEAD")  # methods that change nothing
AGE = 30 * 24 * 3600  # seconds that a browser keeps the cookie: longer than a studio runs
FROM_HERE = (b"same-origin", b"none")  # "none": typed or opened from outside the browser

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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


class Guard:
    """Lets through what carries the cookie, which the token of the printed address is good for once.

    The token is in a command line and in the history of the browser; the cookie is in neither. The
    browser keeps it when it is closed, so that the address opens the studio there as often as one
    likes; with the studio it ends, for the next one has another.
    """

    def __init__(self, app: App, port: int) -> None:
        self.app = app
        self.token = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        self.used = False
        self.cookie = f"chainrule_{port}"  # cookies do not know ports: another studio has its own
        bare = NAMES if port == 80 else ()
        self.hosts = {name.encode() for name in (*(f"{name}:{port}" for name in NAMES), *bare)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        hosts = _all(scope, b"host")
        host = hosts[0] if len(hosts) == 1 and hosts[0] in self.hosts else None
        send = _with_headers(send, host)
        if host is None:
            await refuse(scope, send, 403, "this address is not that of the studio")
        elif not self.is_from_here(scope, host):
            await refuse(scope, send, 403, "only the page of the studio may ask for this")
        elif scope["type"] == "http" and scope["path"] == "/enter" and scope["method"] == "GET":
            await self.enter(scope, send)
        elif not self.has_cookie(scope):
            text = (
                "open the address that `chainrule studio` has printed, in the browser that had it first"
            )
            await refuse(scope, send, 401, text)
        else:
            await self.app(scope, receive, send)

    def is_from_here(self, scope: Scope, host: bytes) -> bool:
        """Whether Origin and Sec-Fetch-Site are those of our own page, or absent where they may be."""
        origins = _all(scope, b"origin")
        needed = scope["type"] == "websocket" or scope["method"] not in SAFE
        if origins != [b"http://" + host] and (origins or needed):
            return False
        return all(site in FROM_HERE for site in _all(scope, b"sec-fetch-site"))

    def has_cookie(self, scope: Scope) -> bool:
        found = False
        for header in _all(scope, b"cookie"):
            for pair in header.split(b";"):
                name, _, value = pair.strip().partition(b"=")
                if name == self.cookie.encode():
                    found |= secrets.compare_digest(value, self.session.encode())
        return found

    async def enter(self, scope: Scope, send: Send) -> None:
        """Exchange the token for the cookie, once; whoever has the cookie may come again."""
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        right = len(tokens) == 1 and secrets.compare_digest(tokens[0].encode(), self.token.encode())
        if not right:
            await refuse(
                scope, send, 403, "the token is not that of this studio: see what it printed last"
            )
        elif self.used and not self.has_cookie(scope):
            text = "another browser has opened this address: use that, or start `chainrule studio` again"
            await refuse(scope, send, 403, text)
        else:
            self.used = True
            cookie = f"{self.cookie}={self.session}; Max-Age={AGE}; HttpOnly; SameSite=Strict; Path=/"
            headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 303, "headers": headers})
            await send({"type": "http.response.body", "body": b""})


def _all(scope: Scope, name: bytes) -> list[bytes]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value for key, value in headers if key.lower() == name]


async def refuse(scope: Scope, send: Send, status: int, message: str) -> None:
    """Answer a request or the opening of a WebSocket with an error: JSON, but words for a reader."""
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    if any(b"text/html" in accepted for accepted in _all(scope, b"accept")):
        form, body = b"text/plain; charset=utf-8", f"chainrule studio: {message}\n".encode()
    else:
        form, body = b"application/json", json.dumps({"error": message}).encode()
    headers = [(b"content-type", form), (b"content-length", b"%d" % len(body))]
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})


def _with_headers(send: Send, host: bytes | None) -> Send:
    """Add what every response carries."""
    socket = "" if host is None else f" ws://{host.decode()}"
    own = {"Content-Security-Policy": POLICY.format(socket=socket), **HEADERS}
    added: Headers = [(name.lower().encode(), value.encode()) for name, value in own.items()]
    names = {name for name, _ in added}

    async def answer(message: MutableMapping[str, Any]) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return answer
