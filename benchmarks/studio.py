"""How fast does the studio train, and how many frames does it show? Measured by a client of its own.

The server is a process of its own, as for a user; moons with MLP(2, [16, 16, 1]) for five seconds.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import time
import urllib.request
from typing import Any

from websockets.sync.client import connect

SECONDS = 0.5 if "--quick" in sys.argv else 5.0
CONFIG = {"data": "moons", "layers": [16, 16], "loss": "bce", "optimizer": "adam", "rate": 0.01}
COMMAND = [sys.executable, "-m", "chainrule", "studio", "--no-browser"]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The cookie is in the answer that redirects."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


def cookie_for(address: str) -> str:
    try:
        urllib.request.build_opener(NoRedirect()).open(address)
    except urllib.error.HTTPError as answer:
        return str(answer.headers["Set-Cookie"]).partition(";")[0]
    raise RuntimeError("the studio did not let us in")


def head_of(frame: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", frame)
    found: dict[str, Any] = json.loads(frame[4 : 4 + length])
    return found


def measure(address: str) -> None:
    origin = address.partition("/enter")[0]
    headers = {"Cookie": cookie_for(address)}
    with connect(
        origin.replace("http", "ws") + "/train",
        origin=origin,  # type: ignore[arg-type]
        additional_headers=headers,
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
    print(f"{speed}, {size / frames:,.0f} bytes a frame")


def main() -> None:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            measure(server.stdout.readline().split()[-1])
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
