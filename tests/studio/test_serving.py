"""The command `chainrule studio` in a process of its own: its address, its end, its errors."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chainrule import cli

from ..conftest import require

require("httpx")
require("websockets")

import httpx
from websockets.sync.client import connect

from chainrule.studio import limits, serving

from .client import MOONS, RunClient, Studio

COMMAND = [sys.executable, "-m", "chainrule", "studio"]


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator[tuple[Any, str]]:
    """The process and the address that it prints."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*COMMAND, *arguments], env={**os.environ, **environment}, **pipes)
    try:
        line = process.stdout.readline()  # type: ignore[union-attr]
        assert re.fullmatch(
            r"chainrule studio: http://127\.0\.0\.1:\d+/enter\?token=[\w-]{43}\n", line
        ), process.communicate()
        hint = process.stdout.readline()  # type: ignore[union-attr]
        assert (
            hint
            == "The address works in one browser, the first that opens it. Ctrl-C ends the studio.\n"
        )
        yield process, line.split()[-1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_clean_end(number: signal.Signals) -> None:
    """Also in the middle of a run, with a page that is still connected."""
    with started("--no-browser") as (process, address):
        answer = httpx.get(address)
        assert answer.status_code == 303
        origin = address.partition("/enter")[0]
        cookie = answer.headers["set-cookie"].partition(";")[0]
        url = origin.replace("http", "ws") + "/train"
        with connect(url, origin=origin, additional_headers={"Cookie": cookie}, max_size=None) as opened:  # type: ignore[arg-type]
            run = RunClient(opened)
            run.send("start", config=MOONS)
            run.text("ready")
            run.frame()
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        assert (out, err) == ("", "")
        assert process.returncode == (0 if number == signal.SIGINT else -signal.SIGTERM)


def test_the_browser_is_opened_with_the_address(tmp_path: Path) -> None:
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    with started(BROWSER=f"{browser} %s") as (process, address):
        for _ in range(200):
            if seen.exists():
                break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.05)
        assert seen.read_text() == address + "\n"


def test_a_port_of_ones_own() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        free = taken.getsockname()[1]
    with started("--no-browser", "--port", str(free)) as (_, address):
        assert address.startswith(f"http://127.0.0.1:{free}/enter?token=")


def closed_after(connection: socket.socket) -> float:
    """Seconds until the studio closes it."""
    start = time.monotonic()
    while connection.recv(65536):
        pass
    return time.monotonic() - start


def test_half_a_request_is_not_held_for_ever(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEADERS", 0.4)
    assert studio.server.config.limit_concurrency == 100
    address = ("127.0.0.1", studio.port)
    for first in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
        with socket.create_connection(address, timeout=10) as connection:
            connection.sendall(first)
            assert 0.1 < closed_after(connection) < 5.0
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 4")
        connection.sendall(b"GET / HT")
        assert closed_after(connection) < 3.0  # sooner than a connection without a word
    with studio.socket() as client:
        time.sleep(0.6)
        client.start()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = cli.main(["studio", "--no-browser", *arguments])
    printed = capsys.readouterr()
    assert printed.out == ""
    return code, printed.err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with serving.listen() as listener:
        port = listener.getsockname()[1]
        text = f"chainrule: port {port} cannot be used (Address already in use): give another, or none\n"
        assert run(capsys, "--port", str(port)) == (1, text)
    text = "chainrule: a port is a number from 0 to 65535, got 65536\n"
    assert run(capsys, "--port", "65536") == (1, text)


@pytest.mark.parametrize("name", serving.NEEDED)
def test_a_missing_extra(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    text = f"chainrule: the studio needs {name}: pip install 'chainrule[studio]'\n"
    assert run(capsys) == (1, text)


def test_nothing_of_the_studio_comes_with_a_plain_import() -> None:
    code = (
        "import sys, chainrule, chainrule.cli, chainrule.studio.serving; "
        "print([m for m in ('starlette', 'uvicorn', 'websockets') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_benchmark_runs() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "studio.py"
    command = [sys.executable, str(script), "--quick"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert re.fullmatch(r"[\d,]+ steps/s, [\d.]+ frames/s, [\d,]+ bytes a frame\n", found.stdout)
