"""Runs the real studio server in a separate process, and monitors the pages that tests open.

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

from ..conftest import require
from ..near import near

LOCAL = ("127.0.0.1", "localhost", "[::1]")
REFUSED = re.compile(r"Failed to load resource: .* status of 4\d\d")  # tests cause these on purpose


def external(requests: Iterable[str]) -> list[str]:
    """The requested URLs outside this machine, which the browser cannot reach."""
    parts = [(url, urlsplit(url)) for url in requests]
    return [
        url
        for url, part in parts
        if part.scheme not in ("file", "data", "blob", "about") and part.hostname not in LOCAL
    ]


class Server:
    """Runs `chainrule studio --no-browser`, with any further arguments, until `close`."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "chainrule", "studio", "--no-browser", *words]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.process = subprocess.Popen(command, **pipes)
        self.said = ""
        while "file://" not in self.said:
            line = self.process.stdout.readline()
            assert line, f"the studio did not start: {self.said}"
            self.said += line
        self.root, self.entrance = re.search(r"(http://\S+)\n.*(file://\S+)", self.said).groups()

    def code(self) -> str:
        """The one-time code in the file that signs a browser in."""
        text = Path(urlsplit(self.entrance).path).read_text(encoding="utf-8")
        return re.search(r'name="token" value="([\w-]{43})"', text)[1]

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)


class Watched:
    """Opens windows and records their requests and errors."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.contexts: list[Any] = []
        self.requests: list[str] = []
        self.problems: list[str] = []

    def watched(self, **options: Any) -> Any:
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        context.on("request", lambda request: self.requests.append(request.url))
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self.listen)
        return page

    def listen(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def close(self) -> list[str]:
        """Close all windows and return their errors and their external requests."""
        for context in self.contexts:
            context.close()
        problems = self.problems + external(self.requests)
        self.problems, self.requests, self.contexts = [], [], []
        return problems


class Pages(Watched):
    """Signed-in windows of the studio."""

    def __init__(self, browser: Any, server: Server) -> None:
        super().__init__(browser)
        self.server, self.state = server, None

    def __call__(self, *, width: int = 1280, height: int = 900, **state: Any) -> Any:
        """Open a page with this state in the fragment of its URL."""
        return self.open(f"#{urlencode(state)}" if state else "", width=width, height=height)

    def open(self, hashed: str = "", *, width: int = 1280, height: int = 900, **options: Any) -> Any:
        size = {"width": width, "height": height}
        page = self.watched(viewport=size, storage_state=self.state, **options)
        page.set_default_timeout(20_000)
        if self.state is None:
            page.goto(self.server.entrance)
            page.wait_for_url(f"{self.server.root}/")
            self.state = page.context.storage_state()
        page.goto(f"{self.server.root}/{hashed}")
        return page

    def listen(self, message: Any) -> None:
        if not REFUSED.match(message.text):
            super().listen(message)


def close_to(text: str, x: float) -> bool:
    """Whether a number on the page is x, up to the rounding of its display and of 32-bit floats."""
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
    """Poll until `question()` returns `answer`; the page keeps running in the meantime."""
    end = time.monotonic() + seconds
    while (found := question()) != answer and time.monotonic() < end:
        page.wait_for_timeout(20)
    assert found == answer


def downloaded(page: Any, press: Callable[[], None]) -> Any:
    """Press a button, and return the download that it starts."""
    with page.expect_download() as waiting:
        press()
    return waiting.value


def cells(rows: Any) -> list[list[str]]:
    """The text of each cell in these table rows."""
    return rows.evaluate_all("rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))")


def serious(page: Any) -> list[tuple[str, list[str]]]:
    """The serious and critical violations that axe finds, and where."""
    found = require("axe_playwright_python.sync_playwright").Axe().run(page).response["violations"]
    rules = [rule for rule in found if rule["impact"] in ("serious", "critical")]
    return [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in rules]


def checked(quiz: Any) -> str:
    """Check the answer to a quiz, and return the quiz's text."""
    quiz.get_by_role("button", name="Check").click()
    return quiz.inner_text()
