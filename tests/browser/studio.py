"""The studio for tests: the real server in a separate process, with monitored pages.

A test fails if a page makes an external request or logs an error to its console.
"""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from ..near import near

LOCAL = ("127.0.0.1", "localhost", "[::1]")
REFUSED = re.compile(r"Failed to load resource: .* status of 4\d\d")  # caused by the test itself


def external(requests: Iterable[str]) -> list[str]:
    """The requested addresses outside this machine; the browser cannot reach them."""
    parts = [(url, urlsplit(url)) for url in requests]
    return [
        url
        for url, part in parts
        if part.scheme not in ("file", "data", "blob", "about") and part.hostname not in LOCAL
    ]


class Server:
    """`chainrule studio --no-browser` with further arguments, until `close`."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "chainrule", "studio", "--no-browser", *words]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        self.said = ""
        while "file://" not in self.said:
            line = self.process.stdout.readline()
            assert line, f"the studio did not start: {self.said}"
            self.said += line
        found = re.search(r"(http://\S+)\n.*(file://\S+)", self.said)
        assert found is not None
        self.root, self.entrance = found.groups()

    def code(self) -> str:
        """The one-time code in the file that lets a browser in."""
        text = Path(urlsplit(self.entrance).path).read_text(encoding="utf-8")
        found = re.search(r'name="token" value="([\w-]{43})"', text)
        assert found is not None
        return found[1]

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)


class Pages:
    """Signed-in windows of the studio; records their errors."""

    def __init__(self, browser: Any, server: Server) -> None:
        self.browser, self.server = browser, server
        self.state: Any = None
        self.contexts: list[Any] = []
        self.requests: list[str] = []
        self.problems: list[str] = []

    def __call__(self, *, width: int = 1280, height: int = 900, **state: Any) -> Any:
        """A page with this state in its fragment."""
        return self.open(f"#{urlencode(state)}" if state else "", width=width, height=height)

    def open(self, hashed: str = "", *, width: int = 1280, height: int = 900, **options: Any) -> Any:
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, storage_state=self.state, **options
        )
        self.contexts.append(context)
        context.on("request", lambda request: self.requests.append(request.url))
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self.listen)
        if self.state is None:
            page.goto(self.server.entrance)
            page.wait_for_url(f"{self.server.root}/")
            self.state = context.storage_state()
        page.goto(f"{self.server.root}/{hashed}")
        return page

    def listen(self, message: Any) -> None:
        if message.type in ("error", "warning") and not REFUSED.match(message.text):
            self.problems.append(message.text)

    def close(self) -> list[str]:
        """Close all windows and return their errors."""
        for context in self.contexts:
            context.close()
        problems = self.problems + external(self.requests)
        self.problems, self.requests, self.contexts = [], [], []
        return problems


def close_to(text: str, x: float) -> bool:
    """Whether a number on the page is x, up to its rounding and that of 32-bit floats."""
    return float(text.replace("−", "-").replace("–", "nan")) == near(x, rel=2e-3, abs=6e-5)


def state_of(page: Any) -> dict[str, str]:
    fragment = page.evaluate("location.hash.slice(1)")  # page.url is updated a moment later
    return {key: value[-1] for key, value in parse_qs(fragment).items()}


def wait_for_text(page: Any, selector: str, pattern: str) -> None:
    page.wait_for_function(
        "([s, p]) => new RegExp(p).test(document.querySelector(s)?.textContent ?? '')",
        arg=[selector, pattern],
    )


def becomes(page: Any, question: Callable[[], object], answer: object, seconds: float = 20.0) -> None:
    """Poll until the value is as expected, or report what it was; the page runs meanwhile."""
    end = time.monotonic() + seconds
    while (found := question()) != answer and time.monotonic() < end:
        page.wait_for_timeout(20)
    assert found == answer
