"""Studio clients for tests: plain HTTP, raw bytes, and the WebSocket of a training run."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.sync.client import ClientConnection, connect

from chainrule.studio import schemas
from chainrule.studio.server import wire
from chainrule.studio.server.serving import listen, server_on
from chainrule.studio.trainer.config import Config

MOONS: Any = {"data": "moons", "layers": [4], "loss": "bce", "optimizer": "adam", "rate": 0.05}


class Studio:
    """A real server in a thread, with the course's files in the given folder."""

    def __init__(self, course: Path | None = None) -> None:
        self.listener = listen()
        self.port = self.listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.server, self.guard = server_on(self.listener, course)
        self.token = self.guard.entrance.token
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})
        self.thread.start()
        self.cookie = self.key = ""
        self.client = httpx.Client(verify=False, timeout=20)

    def enter(self) -> httpx.Response:
        """Sign in with the code, as the file that the browser opens does."""
        answer = self.bare("POST", f"{self.origin}/enter", data={"token": self.token})
        self.cookie, self.key = secrets_in(answer)
        return answer

    def bare(self, method: str, url: str, **options: Any) -> httpx.Response:
        """Send a request with only the given headers."""
        self.client.cookies.clear()
        return self.client.request(method, url, **options)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request as the page does, with cookie, key and Origin; `headers` overrides these."""
        headers = {**self.headers(), **options.pop("headers", {})}
        headers = {name: text for name, text in headers.items() if text is not None}
        return self.bare(method, self.origin + path, headers=headers, **options)

    def headers(self) -> dict[str, Any]:
        return {"Cookie": self.cookie, "X-Chainrule-Key": self.key, "Origin": self.origin}

    def head(self, line: str, **headers: Any) -> bytes:
        """The head of a page's request as bytes, not yet terminated; a header of None is omitted."""
        given = {"Host": self.host, **self.headers(), **headers}
        lines = [f"{name.replace('_', '-')}: {text}" for name, text in given.items() if text is not None]
        return "\r\n".join([f"{line} HTTP/1.1", *lines, ""]).encode("latin-1")

    def post(self, path: str, body: Any) -> httpx.Response:
        return self.request("POST", path, json=body)

    def raw(self, head: bytes, body: bytes = b"") -> tuple[int, bytes]:
        """Send a hand-written request; returns the status and all bytes of the response."""
        with self.connection() as connection:
            connection.sendall(head + b"Connection: close\r\n\r\n" + body)
            answer = everything(connection)
        return int(answer.split(b" ", 2)[1]), answer

    def connection(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    @contextmanager
    def socket(self, slow: bool = False, key: str | None = None, **headers: Any) -> Iterator[RunClient]:
        """Open the WebSocket; `slow` gives it tiny buffers, for a client that does not read."""
        given = {"Cookie": self.cookie, "Origin": self.origin, **headers}
        given = {name: text for name, text in given.items() if text is not None}
        origin, key = given.pop("Origin", None), self.key if key is None else key
        options: Any = {"max_size": None, "compression": None, "max_queue": 1 if slow else 16}
        options |= {"sock": self.narrow() if slow else None, "additional_headers": given}
        protocols = ["chainrule", key] if key else None
        url = f"ws://{self.host}/train"
        with connect(url, origin=origin, subprotocols=protocols, **options) as connection:
            yield RunClient(connection)

    def narrow(self) -> Any:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def close(self) -> None:
        self.client.close()
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()


@contextmanager
def entered(course: Path | None = None) -> Iterator[Studio]:
    """A studio with a signed-in client, until the end of the block."""
    studio = Studio(course)
    try:
        studio.enter()
        yield studio
    finally:
        studio.close()


def everything(connection: socket.socket) -> bytes:
    """Read everything until the studio closes the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


def settings_of(given: dict[str, Any]) -> Config:
    """The config of a run as the studio parses it."""
    return wire.read(json.dumps(given), schemas.Settings).config()


def secrets_in(answer: httpx.Response) -> tuple[str, str]:
    """The cookie and the key that a browser gets when it signs in."""
    found = re.search(r'<meta name="chainrule-key" content="([\w-]{43})">', answer.text)
    assert found, answer.text
    return answer.headers["set-cookie"].partition(";")[0], found[1]


class Frame:
    """A decoded frame: `head` and the sections as arrays."""

    def __init__(self, data: bytes) -> None:
        (length,) = struct.unpack_from("<I", data)
        self.head: dict[str, Any] = json.loads(data[4 : 4 + length])
        start = -(-(4 + length) // 4) * 4
        assert set(data[4 + length : start]) <= {ord(" ")}
        self.sections: dict[str, Any] = {}
        for name, count in self.head["sections"]:
            self.sections[name] = np.frombuffer(data, "<f4", count, start)
            start += 4 * count
        assert start == len(data)

    def __getitem__(self, name: str) -> Any:
        return self.sections[name]

    def same_as(self, other: Frame) -> bool:
        """Whether both frames show the same; `losses` is ignored, since it holds only the new ones."""
        names = set(self.sections) - {"losses"}
        keys = ("epoch", "steps", "loss", "accuracy", "rates")
        return all(self[name].tobytes() == other[name].tobytes() for name in names) and all(
            self.head[key] == other.head[key] for key in keys
        )


class RunClient:
    """The client's end of the WebSocket of a run."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, kind: str, **message: Any) -> None:
        self.connection.send(json.dumps({"type": kind, **message}))

    def receive(self, seconds: float = 20.0) -> Frame | dict[str, Any]:
        data = self.connection.recv(timeout=seconds)
        return Frame(data) if isinstance(data, bytes) else json.loads(data)

    def text(self, kind: str) -> dict[str, Any]:
        """The next text message, which must be of this kind; skips any frames before it."""
        while True:
            found = self.receive()
            if isinstance(found, dict):
                assert found["type"] == kind, found
                return found

    def frame(self, wanted: Callable[[Frame], bool] = lambda frame: True) -> Frame:
        """The next matching frame; a text message before it is an error."""
        while True:
            found = self.receive()
            assert isinstance(found, Frame), found
            if wanted(found):
                return found

    def begin(self, **config: Any) -> None:
        """Start a run and let it continue."""
        self.send("start", config={**MOONS, **config})
        self.text("ready")

    def start(self, **config: Any) -> dict[str, Any]:
        """Start a run that waits at epoch 0."""
        self.send("start", config={**MOONS, **config})
        self.send("pause")
        self.send("rewind", epoch=0)
        ready = self.text("ready")
        self.frame(lambda frame: frame.head["epoch"] == 0 and not frame.head["running"])
        self.nothing_more()
        return ready

    def nothing_more(self) -> None:
        """Discard messages of a paused run that are still in transit."""
        try:
            while True:
                self.receive(0.2)
        except TimeoutError:
            return

    def step(self, times: int = 1) -> Frame:
        for _ in range(times):
            self.send("step")
            frame = self.frame()
        return frame

    def pause(self) -> Frame:
        self.send("pause")
        return self.frame(lambda frame: not frame.head["running"])

    def rewind(self, epoch: int) -> Frame:
        self.send("rewind", epoch=epoch)
        return self.frame(lambda frame: frame.head["epoch"] == epoch and not frame.head["running"])


def until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait for a condition; returns whether it became true in time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def run_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "chainrule-run"]
