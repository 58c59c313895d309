"""Serves the studio: listens on a local port, opens the browser, shuts down cleanly."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import signal
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"  # this machine only
NEEDED = ("starlette", "uvicorn", "websockets", "msgspec", "markdown_it")
GRACE = 3  # seconds for connections to close
BUFFER = 1 << 18  # bytes of send buffer; small, because buffered frames cannot be replaced by newer ones


def check_installed() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        raise ImportError(f"the studio needs {names}: pip install 'chainrule[studio]'")


def listen(port: int = 0) -> socket.socket:
    """A socket that listens on this port; 0 chooses a free one."""
    if not 0 <= port <= 65535:
        raise ValueError(f"the port must be a number from 0 to 65535, got {port}")
    # asyncio sets TCP_NODELAY only if the protocol is named; without it, a small answer waits until the
    # client acknowledges the one before.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise OSError(
            f"port {port} cannot be used ({error.strerror}): choose another, or none"
        ) from None
    return listener


def server_on(listener: socket.socket, course: Path | None = None) -> tuple[Any, Any]:
    """A uvicorn server for a socket, and its Guard."""
    import uvicorn

    from .. import limits
    from ..app import build
    from .timeouts import Protocol, Room, SocketProtocol

    room = Room()
    guard = build(listener.getsockname()[1], course, room)
    settings = uvicorn.Config(
        guard,
        http=functools.partial(Protocol, room),  # type: ignore[arg-type]
        ws=functools.partial(SocketProtocol, room),  # type: ignore[arg-type]
        backlog=limits.ARRIVALS,
        ws_max_size=limits.BODY,
        ws_per_message_deflate=False,  # frames are floats, which barely compress
        lifespan="on",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(settings), guard


def serve(port: int = 0, browser: bool = True, course: Path | None = None) -> None:
    """Serve until Ctrl-C. The socket listens before the browser opens."""
    check_installed()
    with listen(port) as listener:
        server, guard = server_on(listener, course)
        origin = f"http://{HOST}:{listener.getsockname()[1]}"
        try:
            file = guard.entrance.write(origin).as_uri()
            print(greeting(origin, file, guard.entrance.token), flush=True)
            if browser:  # in a thread, because some browsers block their caller
                threading.Thread(target=webbrowser.open, args=(file,), daemon=True).start()
            if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
                signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
            with contextlib.suppress(KeyboardInterrupt):  # uvicorn re-raises it after shutdown
                server.run(sockets=[listener])
        finally:
            guard.entrance.close()


def greeting(origin: str, file: str, token: str) -> str:
    """How to open the studio. The code is shown only on a terminal: other output may be a log."""
    copied = f", or {origin}/enter with the code {token}" if sys.stdout.isatty() else ""
    return (
        f"chainrule studio: {origin}\n"
        f"To open it in a browser: {file}{copied}\n"
        "This works only once, in a single browser. Ctrl-C ends the studio."
    )
