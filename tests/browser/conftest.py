"""A browser for all tests: Debian's chromium, restricted to files and this machine."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from chainrule.viz.web.bundle import static

from ..conftest import require, require_all, require_program
from .studio import Pages, Server, external

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One process for all tests."""
    require_all(["playwright"], ["chromium"])
    playwright = require("playwright.sync_api")
    chromium = require_program("chromium")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield started
        started.close()


class Opener:
    """Opens files in separate windows, and records errors in them."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.contexts: list[Any] = []
        self.requests: list[str] = []
        self.problems: list[str] = []

    def __call__(self, text: str, *, state: Any = None, width: int = 1200, **options: Any) -> Any:
        """A page with this HTML; `state` is the fragment of its address."""
        path = self.folder / f"page{len(self.contexts)}.html"
        path.write_text(text)
        page = self.window(width=width, **options)
        hashed = "" if state is None else "#" + quote(json.dumps(state))
        page.goto(path.as_uri() + hashed)
        return page

    def window(self, width: int = 1200, **options: Any) -> Any:
        size = {"width": width, "height": 800}
        context = self.browser.new_context(viewport=size, reduced_motion="reduce", **options)
        self.contexts.append(context)
        context.on("request", lambda request: self.requests.append(request.url))
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self.listen)
        return page

    def listen(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Fails the test if a page made an external request or had an error."""
    opener = Opener(browser, tmp_path)
    yield opener
    for context in opener.contexts:
        context.close()
    assert external(opener.requests) == []
    assert opener.problems == []


@pytest.fixture(scope="session")
def formatted(browser: Any) -> Iterator[Callable[[Sequence[float | None]], list[str]]]:
    """Numbers as the pages format them."""
    page = browser.new_page()
    module = "data:text/javascript," + quote(static("viz/web/static/page/numbers.js"))
    script = """async ([module, numbers]) => {
        const { decode, format } = await import(module);
        return numbers.map((x) => format(decode(x)));
    }"""

    def shown(numbers: Sequence[float | None]) -> list[str]:
        texts = [x if x is None else str(x).replace("inf", "Infinity") for x in numbers]
        found: list[str] = page.evaluate(script, [module, texts])
        return found

    yield shown
    page.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    for name in ("starlette", "uvicorn", "websockets", "msgspec"):
        require(name)
    running = Server()
    yield running
    running.close()


@pytest.fixture(scope="module")
def windows(browser: Any, server: Server) -> Pages:
    return Pages(browser, server)


@pytest.fixture
def pages(windows: Pages) -> Iterator[Pages]:
    yield windows
    assert windows.close() == []
