"""The studio's server: startup and shutdown of `chainrule studio`, idle connections, rejected requests,
error messages.
"""

import contextlib
import json
import os
import pty
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

from chainrule.studio import limits
from chainrule.studio.server import serving

from .client import RunClient, Studio, everything, secrets_in, until

COMMAND = [sys.executable, "-m", "chainrule", "studio"]
SAID = re.compile(
    r"chainrule studio: (http://127\.0\.0\.1:\d+)\n"
    r"To open it in a browser: file://(/\S+/studio\.html)\n"
    r"This works only once, in a single browser\. Ctrl-C ends the studio\.\n"
)
# A fake browser that records what other users of the machine can see, then signs in with the file.
BROWSER = """#!{python}
import json, pathlib, re, sys, urllib.parse, urllib.request
file = pathlib.Path(urllib.parse.urlsplit(sys.argv[1]).path)
modes = [oct(path.stat().st_mode & 0o777) for path in (file, file.parent)]
text = file.read_text()
seen = ""
for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
    try:
        seen += path.read_bytes().decode("utf-8", "replace")
    except OSError:
        pass  # that process has ended
action, code = (re.search(p, text)[1] for p in ('action="([^"]+)"', 'name="token" value="([^"]+)"'))
body = urllib.parse.urlencode({{"token": code}}).encode()
with urllib.request.urlopen(urllib.request.Request(action, body)) as answer:
    status = answer.status
found = dict(arguments=sys.argv[1:], modes=modes, lines=seen, code=code, status=status)
found["left"] = file.exists()
part = pathlib.Path({seen!r} + ".part")
part.write_text(json.dumps(found))
part.rename({seen!r})
"""


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator[tuple[Any, str, Path]]:
    """Start the studio; yields the process, its URL and the file that signs a browser in."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*COMMAND, *arguments], env={**os.environ, **environment}, **pipes)
    try:
        said = "".join(process.stdout.readline() for _ in range(3))
        found = SAID.fullmatch(said)
        assert found, process.communicate()
        yield process, found[1], Path(found[2])
    finally:
        process.kill()
        process.communicate()


def code_in(file: Path) -> str:
    return re.search(r'name="token" value="([\w-]{43})"', file.read_text())[1]


def enter(origin: str, code: str) -> tuple[str, str]:
    answer = httpx.post(f"{origin}/enter", data={"token": code})
    assert answer.status_code == 200
    return secrets_in(answer)


@pytest.fixture(autouse=True)
def _hangups_are_not_ignored() -> Iterator[None]:
    """Under nohup, child processes would ignore SIGHUP."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_clean_shutdown(number: signal.Signals) -> None:
    """During a run, with a page still connected."""
    with started("--no-browser") as (process, origin, file):
        cookie, key = enter(origin, code_in(file))
        url = origin.replace("http", "ws") + "/train"
        options: Any = {"additional_headers": {"Cookie": cookie}, "max_size": None}
        with connect(url, origin=origin, subprotocols=["chainrule", key], **options) as opened:
            run = RunClient(opened)
            run.begin()
            run.frame()
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        assert (out, err) == ("", "")
        assert process.returncode == (-signal.SIGTERM if number == signal.SIGTERM else 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_file_is_deleted_when_the_studio_ends(number: signal.Signals) -> None:
    with started("--no-browser") as (process, origin, file):
        assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        assert httpx.get(origin).status_code == 200  # it is up, so its signal handlers are installed
        process.send_signal(number)
        assert process.communicate(timeout=20) == ("", "")
    assert not file.parent.exists()


def test_the_file_is_deleted_once_it_is_used() -> None:
    with started("--no-browser") as (_, origin, file):
        code = code_in(file)
        assert httpx.post(f"{origin}/enter", data={"token": "wrong"}).status_code == 403
        assert file.exists()
        enter(origin, code)
        assert not file.parent.exists()


def test_the_file_may_be_removed_by_others() -> None:
    """For example, when temporary folders are cleaned up."""
    with started("--no-browser") as (process, origin, file):
        code = code_in(file)
        file.unlink()
        file.parent.rmdir()
        enter(origin, code)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == ("", "")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="this system has no /proc")
def test_the_code_is_in_no_command_line_and_no_log(tmp_path: Path) -> None:
    """The browser is given the name of a file that only the user can read; opening that file signs the
    browser in.
    """
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(BROWSER.format(python=sys.executable, seen=str(seen)))
    browser.chmod(0o755)
    with started(BROWSER=f"{browser} %s") as (process, _, file):
        for _ in range(400):
            if seen.exists():
                break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.05)
        found = json.loads(seen.read_text())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert found["arguments"] == [file.as_uri()]
    assert found["modes"] == ["0o600", "0o700"]
    assert file.as_uri() in found["lines"]  # proves that the fake browser could see command lines at all
    assert len(found["code"]) == 43
    assert found["code"] not in found["lines"] + out + err
    assert (found["status"], found["left"]) == (200, False)


def test_the_code_is_printed_to_a_terminal() -> None:
    """Only the user sees the terminal. The code is printed apart from the URL: if the URL contained it,
    clicking it would put the code on the browser's command line.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, "--no-browser"], stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        said = ""
        while "Ctrl-C" not in said:
            said += os.read(ours, 65536).decode()
        found = re.search(r"or (http://127\.0\.0\.1:\d+)/enter with the code ([\w-]{43})\s", said)
        assert found, said
        enter(found[1], found[2])
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_a_given_port_is_used() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        free = taken.getsockname()[1]
    with started("--no-browser", "--port", str(free)) as (_, origin, _):
        assert origin == f"http://127.0.0.1:{free}"


def closed_after(connection: socket.socket) -> float:
    """Seconds until the studio closes the connection."""
    start = time.monotonic()
    everything(connection)
    return time.monotonic() - start


def test_incomplete_requests_time_out(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEADERS", 0.4)
    for first in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
        with studio.connection() as connection:
            connection.sendall(first)
            assert 0.1 < closed_after(connection) < 5.0
    with studio.connection() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 4")
        connection.sendall(b"GET / HT")
        assert closed_after(connection) < 3.0  # sooner than an idle connection would be closed
    with studio.socket() as client:
        time.sleep(0.6)
        client.start()


def is_open(connection: socket.socket) -> bool:
    """Whether the studio has kept the connection open; discards any response."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    return False


def answered(connection: socket.socket) -> bytes:
    """Read up to the end of the next response's head."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = connection.recv(65536)
        assert part, found
        found += part
    return found


HELD = {
    "nothing": "",
    "half a head": "GET / HTTP/1.1\r\nHost: {host}\r\n",
    "no body": "POST /enter HTTP/1.1\r\nHost: {host}\r\nContent-Length: 49\r\n\r\n",
    "half a chunk": "POST /enter HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nto",
    "half an upgrade": "GET /train HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upg",
    "a complete request": "GET /static/viz/web/static/page/dom.js HTTP/1.1\r\nHost: {host}\r\n\r\n",
}


@pytest.mark.parametrize("held", HELD)
def test_held_connections_do_not_lock_out_the_user(
    studio: Studio, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them times out here, so the studio has to cope while they are open."""
    monkeypatch.setattr(limits, "HEADERS", 600.0)
    monkeypatch.setattr(studio.server.config, "timeout_keep_alive", 600)
    with contextlib.ExitStack() as stack:
        known = stack.enter_context(studio.connection())
        known.sendall(studio.head("GET /api/course") + b"\r\n")
        assert answered(known).startswith(b"HTTP/1.1 200 ")
        client = stack.enter_context(studio.socket())
        client.start()
        strangers = []
        for _ in range(3 * limits.STRANGERS):
            stranger = stack.enter_context(studio.connection())
            stranger.sendall(HELD[held].format(host=studio.host).encode())
            strangers.append(stranger)
        url = f"{studio.origin}/api/course"
        assert httpx.get(url, headers=studio.headers(), timeout=20).status_code == 200
        assert client.step().head["steps"] == 1
        with studio.socket() as another:
            another.start()
        assert is_open(known)
        known.settimeout(20)
        known.sendall(studio.head("GET /nothing") + b"\r\n")
        assert b"HTTP/1.1 404 " in answered(known)
        assert until(lambda: sum(map(is_open, strangers)) <= limits.STRANGERS)
        assert is_open(strangers[-1])  # the oldest is closed first


REFUSED = {
    "a foreign host": ("POST /api/picture", {"Host": "evil.example"}, 403),
    "a foreign origin": ("POST /api/picture", {"Origin": "http://evil.example"}, 403),
    "no cookie": ("POST /api/picture", {"Cookie": None}, 401),
    "no key": ("POST /api/run-blocks", {"X-Chainrule-Key": None}, 403),
    "no route": ("POST /nothing", {}, 404),
    "a wrong method": ("DELETE /api/picture", {}, 405),
    "a page with a body": ("GET /", {}, 200),
    "an API request with a body": ("GET /api/course", {}, 200),
    "a body far too large": ("POST /api/picture", {}, 413),
    "a file far too large": ("PUT /api/work/write_mul", {}, 413),
}
LARGE = 200_000_000


@pytest.mark.parametrize("why", REFUSED)
def test_bodies_of_rejected_requests_are_not_read(studio: Studio, why: str) -> None:
    line, headers, status = REFUSED[why]
    head = studio.head(line, Content_Length=LARGE, **headers) + b"\r\n"
    with studio.connection() as connection:
        connection.sendall(head)
        answer = everything(connection)  # the studio closes the connection unasked
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert b"\r\nconnection: close\r\n" in answer.lower()
    with studio.connection() as connection:
        connection.sendall(head)
        assert sent(connection) < LARGE // 10


@pytest.mark.parametrize("line", ["POST /api/picture", "POST /enter"])
def test_a_body_without_a_length_is_read_up_to_the_limit(studio: Studio, line: str) -> None:
    head = studio.head(line, Transfer_Encoding="chunked") + b"\r\n"
    with studio.connection() as connection:
        connection.sendall(head)
        assert sent(connection, b"10000\r\n" + b" " * 0x10000 + b"\r\n") < LARGE // 4


def sent(connection: socket.socket, piece: bytes = b" " * 0x10000) -> int:
    """Send far too much; returns how many bytes the studio accepted before it closed the connection."""
    count = 0
    try:
        while count < LARGE:
            connection.sendall(piece)
            count += len(piece)
    except ConnectionError:
        pass
    return count


def test_an_incomplete_body_times_out(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEADERS", 0.3)
    monkeypatch.setattr(limits, "SECONDS", 0.3)
    for line in ("POST /enter", "POST /api/picture", "POST /api/run-blocks", "PUT /api/work/write_mul"):
        head = studio.head(line, Content_Length=49) + b"\r\n"
        with studio.connection() as connection:
            connection.sendall(head + b"{")
            answer = everything(connection)
            assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_malformed_chunk_after_the_response_has_started(
    studio: Studio, caplog: pytest.LogCaptureFixture
) -> None:
    """By itself, Uvicorn would send a second response here, which raises an exception."""
    for path in ("/nothing", "/api/picture", "/api/run-blocks", "/enter"):
        head = studio.head(f"POST {path}", Transfer_Encoding="chunked") + b"\r\n"
        with studio.connection() as connection:
            connection.sendall(head + b"1\r\n{\r\nnonsense\r\n")
            closed_after(connection)
    assert studio.request("GET", "/api/course").status_code == 200
    assert "Traceback" not in caplog.text


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = cli.main(["studio", "--no-browser", *arguments])
    printed = capsys.readouterr()
    assert printed.out == ""
    return code, printed.err


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with serving.listen() as listener:
        port = listener.getsockname()[1]
        text = (
            f"chainrule: port {port} cannot be used (Address already in use): choose another, or none\n"
        )
        assert run(capsys, "--port", str(port)) == (1, text)


@pytest.mark.parametrize("name", serving.NEEDED)
def test_a_missing_extra(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    text = f"chainrule: the studio needs {name}: pip install 'chainrule[studio]'\n"
    assert run(capsys) == (1, text)


def test_a_plain_import_does_not_load_the_studios_packages() -> None:
    code = (
        "import sys, chainrule, chainrule.cli, chainrule.studio.server.serving; "
        "print([m for m in ('starlette', 'uvicorn', 'websockets') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_benchmark_runs() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "server" / "studio.py"
    command = [sys.executable, str(script), "--quick"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert re.fullmatch(r"[\d,]+ steps/s, [\d.]+ frames/s, [\d,]+ bytes per frame\n", found.stdout)
