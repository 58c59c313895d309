"""The browser that all tests share: Debian's chromium, restricted to files and this machine."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from chainrule.viz.web.bundle import static

from ..conftest import require, require_all, require_program
from .studio import Pages, Server, Watched

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser process for all tests."""
    require_all(["playwright"], ["chromium"])
    playwright = require("playwright.sync_api")
    chromium = require_program("chromium")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield started
        started.close()


class Opener(Watched):
    """Opens files in separate windows."""

    def __init__(self, browser: Any, folder: Path) -> None:
        super().__init__(browser)
        self.folder, self.count = folder, 0

    def __call__(self, text: str, *, state: Any = None, width: int = 1200, **options: Any) -> Any:
        """Open this HTML in a new window; `state` becomes the fragment of its URL."""
        page = self.window(width=width, **options)
        self.show(page, text, "" if state is None else "#" + quote(json.dumps(state)))
        return page

    def show(self, page: Any, text: str, hashed: str = "") -> None:
        """Open this HTML, as a file, in an existing window."""
        path = self.folder / f"page{self.count}.html"
        self.count += 1
        path.write_text(text)
        page.goto(path.as_uri() + hashed)

    def window(self, width: int = 1200, **options: Any) -> Any:
        size = {"width": width, "height": 800}
        return self.watched(viewport=size, reduced_motion="reduce", **options)


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Opens pages; fails the test if one of them made an external request or had an error."""
    opener = Opener(browser, tmp_path)
    yield opener
    assert opener.close() == []


@pytest.fixture(scope="session")
def formatted(browser: Any) -> Iterator[Callable[[Sequence[float | None]], list[str]]]:
    """A function that formats numbers as the pages do."""
    page = browser.new_page()
    module = "data:text/javascript," + quote(static("viz/web/static/page/numbers.js"))
    script = """async ([module, numbers]) => {
        const { decode, format } = await import(module);
        return numbers.map((x) => format(decode(x)));
    }"""

    def shown(numbers: Sequence[float | None]) -> list[str]:
        texts = [x if x is None else str(x).replace("inf", "Infinity") for x in numbers]
        return page.evaluate(script, [module, texts])

    yield shown
    page.close()


@pytest.fixture(scope="module")
def words() -> tuple[str, ...]:
    """Additional arguments for the studio; test modules override this."""
    return ()


@pytest.fixture(scope="module")
def server(words: tuple[str, ...]) -> Iterator[Server]:
    for name in ("starlette", "uvicorn", "websockets", "msgspec", "markdown_it"):
        require(name)
    with closing(Server(*words)) as running:
        yield running


@pytest.fixture(scope="module")
def windows(browser: Any, server: Server) -> Pages:
    return Pages(browser, server)


@pytest.fixture
def pages(windows: Pages) -> Iterator[Pages]:
    yield windows
    assert windows.close() == []
