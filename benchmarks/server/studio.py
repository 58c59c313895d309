"""How fast does the studio train, and how many frames does it send? Measured by a dedicated client.

The server runs in a separate process, as for a user; moons with MLP(2, [16, 16, 1]) for five seconds.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from websockets.sync.client import connect

SECONDS = 0.5 if "--quick" in sys.argv else 5.0
CONFIG = {"data": "moons", "layers": [16, 16], "loss": "bce", "optimizer": "adam", "rate": 0.01}
COMMAND = [sys.executable, "-m", "chainrule", "studio", "--no-browser"]


def let_in(said: str) -> tuple[str, str, str]:
    """Sign in with the token from the studio's file; return its address, the cookie and the key."""
    origin, file = re.findall(r"http://\S+|file://\S+", said)
    code = re.findall(r'name="token" value="([^"]+)"', Path(urlsplit(file).path).read_text())
    form = urlencode({"token": code[0]}).encode()
    with urllib.request.urlopen(f"{origin}/enter", form) as answer:
        key = re.findall(r'name="chainrule-key" content="([^"]+)"', answer.read().decode())
        return origin, answer.headers["Set-Cookie"].partition(";")[0], key[0]


def head_of(frame: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", frame)
    found: dict[str, Any] = json.loads(frame[4 : 4 + length])
    return found


def measure(said: str) -> None:
    origin, cookie, key = let_in(said)
    with connect(
        origin.replace("http", "ws") + "/train",
        origin=origin,  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie},
        subprotocols=["chainrule", key],  # type: ignore[list-item]
        max_size=None,
        compression=None,
    ) as socket:
        socket.send(json.dumps({"type": "start", "config": CONFIG}))
        frames, size, head = 0, 0, {"steps": 0}
        start = time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            message = socket.recv()
            if isinstance(message, bytes):
                frames, size, head = frames + 1, size + len(message), head_of(message)
        took = time.perf_counter() - start
    speed = f"{head['steps'] / took:,.0f} steps/s, {frames / took:.1f} frames/s"
    print(f"{speed}, {size / frames:,.0f} bytes per frame")


def main() -> None:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            measure(server.stdout.readline() + server.stdout.readline())
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
