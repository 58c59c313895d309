"""The studio's page, in a real browser with the real server: its tabs and the stepper.

The tests compare the numbers on the page with the library's.
"""

import http.server
import random
import re
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from chainrule import Value, check_gradients
from chainrule.inspect.expressions import parse
from chainrule.support.numbers import format as shown
from chainrule.viz.model import picture

from ..conftest import require_program
from ..near import near
from .conftest import ARGUMENTS
from .stepper import READ, random_expression
from .studio import Pages, Server, becomes, cells, downloaded, serious, state_of, wait_for_text
from .trainer import SMALL, run_for_a_moment, trainer

NEURON, TANH = "0.5*(y - sigmoid(w1*x1 + w2*x2 + b))**2", "tanh(w1*x1 + w2*x2 + b)"
EXAMPLES = {
    "A neuron and its loss": (NEURON, {"y": 1, "w1": 0.5, "x1": 2, "w2": -0.5, "x2": 3, "b": 0.1}),
    "A neuron with tanh": (TANH, {"w1": -3, "x1": 2, "w2": 1, "x2": 0, "b": 6.8814}),
    "a is used twice": ("tanh(a*b + a**2)", {"a": 2, "b": -3}),
}


# --- the page ------------------------------------------------------------------------------------


def test_tabs_work_with_the_keyboard(pages: Pages) -> None:
    page = pages()
    tabs = page.get_by_role("tablist", name="Views")
    stepper, trainer = tabs.get_by_role("tab", name="Stepper"), tabs.get_by_role("tab", name="Trainer")
    assert stepper.get_attribute("aria-selected") == "true"
    assert page.get_by_role("tabpanel", name="Stepper").is_visible()
    stepper.focus()
    page.keyboard.press("ArrowRight")
    assert trainer.get_attribute("aria-selected") == "true"
    assert page.evaluate("document.activeElement.id") == "tab-trainer"
    assert page.get_by_role("tabpanel", name="Trainer").is_visible()
    assert not page.locator("#stepper").is_visible()
    assert state_of(page)["tab"] == "trainer"
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.id") == "tab-stepper"
    assert [stepper.get_attribute("tabindex"), trainer.get_attribute("tabindex")] == ["0", "-1"]


def test_back_returns_to_the_previous_tab(pages: Pages) -> None:
    page = pages()
    page.click("#tab-trainer")
    page.go_back()
    assert page.locator("#stepper").is_visible()
    page.go_forward()
    assert page.locator("#trainer").is_visible()


def test_the_theme_follows_the_system_until_the_user_chooses(pages: Pages) -> None:
    page = pages.open(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light theme").click()  # the label says what it does
    assert page.get_by_role("button", name="Dark theme").is_visible()
    assert page.evaluate(ground) != dark
    assert state_of(page)["theme"] == "light"
    page.reload()
    assert page.evaluate(ground) != dark


# --- the stepper ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_the_librarys_numbers(pages: Pages, name: str) -> None:
    page = pages()
    expression, numbers = EXAMPLES[name]
    page.get_by_label("Example").select_option(label=name)
    leaves = {key: Value(x) for key, x in numbers.items()}
    result = parse(expression)(leaves)
    result.backward()
    wait_for_text(page, "#stepper-view", shown(result.data))
    assert page.input_value("#expression") == expression
    for key, leaf in leaves.items():
        assert page.get_by_label(f"Value of {key}", exact=True).input_value() == f"{leaf.data:g}"
        assert shown(leaf.grad) in page.inner_text("#stepper-view")


def test_typed_variables_get_fields(pages: Pages) -> None:
    page = pages()
    page.fill("#expression", "log(p)*q + pi*e + max(p, q) + 1e3")
    page.get_by_label("Value of p", exact=True).fill("2.5")
    assert page.get_by_label(re.compile("^Value")).count() == 2  # one field per variable
    page.click("text=Draw")
    value = parse("log(p)*q + pi*e + max(p, q) + 1e3")({"p": 2.5, "q": 1.0})
    wait_for_text(page, "#stepper-view", shown(value))
    page.get_by_label("Value of q", exact=True).fill("-4")
    value = parse("log(p)*q + pi*e + max(p, q) + 1e3")({"p": 2.5, "q": -4.0})
    wait_for_text(page, "#stepper-view", shown(value))
    assert state_of(page)["values"] == "p=2.5,q=-4"


def test_a_value_typed_while_a_picture_is_loading_is_kept(pages: Pages) -> None:
    page = pages(expression="a * b", values="a=2,b=3")
    wait_for_text(page, "#stepper-view", re.escape(shown(6.0)))
    late: list[Any] = []

    def hold(route: Any) -> None:
        if late:
            route.fallback()
        else:
            late.append(route)

    page.route("**/api/picture", hold)
    page.click("text=Draw")
    becomes(page, lambda: len(late), 1)
    page.get_by_label("Value of a", exact=True).fill("7")
    wait_for_text(page, "#stepper-view", re.escape(shown(21.0)))
    before = page.locator("#stepper-view > div").element_handle()
    late[0].continue_()
    page.wait_for_function("(before) => !before.isConnected", arg=before)
    wait_for_text(page, "#stepper-view", re.escape(shown(21.0)))
    assert page.get_by_label("Value of a", exact=True).input_value() == "7"
    assert state_of(page)["values"] == "a=7,b=3"


def test_an_error_is_one_line_in_a_live_region(pages: Pages) -> None:
    page = pages()
    message = page.locator("#message")
    assert message.get_attribute("aria-live") == "polite"
    page.fill("#expression", "tanh(a")
    page.click("text=Draw")
    wait_for_text(page, "#message", "never closed")
    assert "\n" not in message.inner_text()
    page.fill("#expression", "tanh(a)")
    wait_for_text(page, "#message", "^$")


def test_the_gradient_check_opens_a_dialog_with_a_table(pages: Pages) -> None:
    page = pages()
    page.get_by_label("Example").select_option(label="a is used twice")
    wait_for_text(page, "#stepper-view", shown(np.tanh(-2)))
    page.get_by_role("button", name="Check gradients").click()
    dialog = page.get_by_role("dialog", name="Gradient check")
    dialog.wait_for()
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    report = check_gradients((a * b + a**2).tanh())
    rows = cells(dialog.locator("tbody tr"))
    assert [row[0] for row in rows] == ["a", "b"]
    for row, comparison in zip(rows, report.comparisons, strict=True):
        assert float(row[1].replace("−", "-")) == near(comparison.gradient, rel=1e-6)
        assert float(row[2].replace("−", "-")) == near(comparison.numerical, rel=1e-6)
        assert "agrees" in row[3]
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert page.evaluate("document.activeElement.id") == "check"


def test_exporting_an_expression_as_html_svg_and_python(pages: Pages, tmp_path: Path) -> None:
    page = pages(expression="tanh(a*b + a**2)", values="a=2,b=-3")
    wait_for_text(page, "#stepper-view", shown(np.tanh(-2)))
    texts = {}
    for kind in ("HTML", "SVG", "Python"):
        button = page.get_by_role("group", name="Export the expression").get_by_text(kind)
        downloaded(page, button.click).save_as(tmp_path / kind)
        texts[kind] = (tmp_path / kind).read_text()
    assert texts["HTML"].lower().startswith("<!doctype html>")
    assert ET.fromstring(texts["SVG"]).tag.endswith("svg")
    printed = subprocess.check_output([sys.executable, tmp_path / "Python"], text=True)
    assert str(np.tanh(-2.0))[:12] in printed


def test_the_step_and_the_values_are_in_the_url(pages: Pages) -> None:
    page = pages(expression="tanh(a*b + a**2)", values="a=2,b=-3")
    page.get_by_role("button", name="First step").click()
    page.get_by_role("button", name="Next", exact=True).click()
    page.locator(".chainrule-stepper input[aria-label='Value of a']").fill("1.5")
    assert state_of(page)["step"] == "1"
    assert state_of(page)["values"] == "a=1.5,b=-3"
    page.reload()
    wait_for_text(page, "#stepper-view", "step 1 of")
    assert page.locator(".chainrule-stepper input[aria-label='Value of a']").input_value() == "1.5"
    assert shown(1.5 * -3) in page.inner_text("#stepper-view")


def test_back_returns_to_the_previous_expression(pages: Pages) -> None:
    page = pages()
    page.get_by_label("Example").select_option(label="A neuron with tanh")
    wait_for_text(page, "#stepper-view", shown(np.tanh(0.8814)))
    page.get_by_label("Example").select_option(label="a is used twice")
    wait_for_text(page, "#stepper-view", shown(np.tanh(-2)))
    page.go_back()
    wait_for_text(page, "#stepper-view", shown(np.tanh(0.8814)))
    assert page.input_value("#expression") == TANH


def test_a_copied_link_opens_the_same_expression(pages: Pages) -> None:
    page = pages.open("#expression=exp(a)&values=a%3D0.25")
    wait_for_text(page, "#stepper-view", shown(np.exp(0.25)))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy-link").click()
    wait_for_text(page, "#message", "copied")
    link = page.evaluate("navigator.clipboard.readText()")
    other = pages.open(f"#{urlsplit(link).fragment}")
    wait_for_text(other, "#stepper-view", shown(np.exp(0.25)))


def test_messages_belong_to_their_tab(pages: Pages) -> None:
    page = pages(tab="trainer", data="csv", csv="x,y\n1,2\n", expression="tanh(")
    wait_for_text(page, "#message", "expected 3: x, y and the class")
    page.wait_for_timeout(800)
    assert "expected 3" in page.inner_text("#message")
    page.click("#tab-stepper")
    wait_for_text(page, "#message", "never closed")


# --- the connection ------------------------------------------------------------------------------


@contextmanager
def lost(browser: Any) -> Iterator[Any]:
    """A page whose studio has been stopped."""
    with closing(Server()) as own:
        pages = Pages(browser, own)
        page = trainer(pages, **SMALL)
    with closing(pages):
        yield page


def test_a_lost_connection_is_reported_and_retried(browser: Any) -> None:
    with lost(browser) as page:
        wait_for_text(page, "#message", "connection to the studio was lost; reconnecting in")
        assert page.locator("#play").is_disabled()


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (200, "text/html", "<h1>another</h1>"),
        (200, "application/json", '{"lessons": 3}'),
        (401, "text/html", "<h1>who are you?</h1>"),
        (404, "application/json", '{"error": "not found"}'),
    ],
)
def test_a_different_server_on_its_port_is_not_taken_for_the_studio(
    browser: Any, status: int, kind: str, body: str
) -> None:
    with lost(browser) as page:
        wait_for_text(page, "#gone", "The studio has ended")
        page.route("**/*", lambda route: route.fulfill(status=status, content_type=kind, body=body))
        with page.expect_response("**/*"):
            pass
        page.wait_for_timeout(200)
        assert page.inner_text("#gone").startswith("The studio has ended")


def test_a_page_reconnects_to_a_restarted_studio(browser: Any) -> None:
    with lost(browser) as page:
        port = str(urlsplit(page.url).port)
        wait_for_text(page, "#gone", f"Start it again in a terminal: chainrule studio --port {port} ")
        page.click("#tab-stepper")
        page.fill("#expression", "a * 7")
        wait_for_text(page, "#message", "does not answer")
        with closing(Server("--port", port)) as second:
            wait_for_text(page, "#gone", "open the file named in its terminal")
            page.context.new_page().goto(second.entrance)
            page.wait_for_selector("#gone", state="hidden")
            wait_for_text(page, "#stepper-view", r"v1 = 7\.0000")
            page.click("#tab-trainer")
            page.wait_for_selector("#play:enabled")


# --- access control ------------------------------------------------------------------------------


class Recorder(http.server.BaseHTTPRequestHandler):
    """An unrelated server on this machine, which records what browsers send it."""

    def do_GET(self) -> None:
        self.server.cookies.append(self.headers.get("Cookie", ""))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b'<title>another</title><link rel="icon" href="data:,">')

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def another_port() -> Iterator[Any]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as running:
        running.cookies = []
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_another_port_gets_the_cookie_but_not_the_key(pages: Pages, another_port: Any) -> None:
    """The cookie alone gives no access, as tests/studio/test_security.py shows."""
    page = pages()
    page.wait_for_selector("#stepper-view .node")
    page.goto(f"http://127.0.0.1:{another_port.server_port}/")
    (cookie,) = another_port.cookies
    assert re.search(r"chainrule_\d+=[\w-]{43}", cookie)  # so other ports do receive it
    assert page.evaluate("Object.keys(localStorage)") == []
    assert page.go_back().ok
    page.wait_for_selector("#stepper-view .node")


def test_every_tab_of_the_browser_is_signed_in(pages: Pages, server: Server) -> None:
    """A reloaded tab, a tab whose URL is typed, and a tab that a link opens."""
    page = pages(expression="a * 7")
    wait_for_text(page, "#stepper-view", r"7\.0000")
    page.reload()
    wait_for_text(page, "#stepper-view", r"7\.0000")
    typed = page.context.new_page()
    typed.goto(f"{server.root}/#expression=a*8")
    wait_for_text(typed, "#stepper-view", r"8\.0000")
    with page.context.expect_page() as opened:
        page.evaluate("""() => {
            const link = document.createElement("a");
            Object.assign(link, { href: "/#expression=a*9", target: "_blank", rel: "noopener" });
            document.body.append(link);
            link.click();
        }""")
    wait_for_text(opened.value, "#stepper-view", r"9\.0000")
    opened.value.click("#tab-trainer")
    opened.value.wait_for_selector("#play:enabled")
    kept = downloaded(page, page.locator("[data-export=svg]").click)
    assert kept.suggested_filename == "graph.svg"
    assert Path(kept.path()).read_text().startswith("<svg")


def test_a_browser_that_is_not_signed_in_is_asked_for_the_code(browser: Any) -> None:
    with closing(Server()) as own, closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(own.root)
        page.wait_for_url(f"{own.root}/enter")
        page.get_by_label("Code").fill(f" {own.code()} ")  # with spaces, from a careless selection
        page.get_by_role("button", name="Open the studio").click()
        page.wait_for_url(f"{own.root}/")
        page.wait_for_selector("#stepper-view .node")
        with closing(browser.new_context()) as other:
            late = other.new_page()
            late.goto(f"{own.root}/enter")
            late.get_by_label("Code").fill("wrong")
            late.get_by_role("button", name="Open the studio").click()
            wait_for_text(late, "body", "this is not the code of the running studio")


@pytest.mark.parametrize("typed", [False, True])
def test_the_browser_never_stores_the_code(browser: Any, tmp_path: Path, typed: bool) -> None:
    """It is not in the history, in a restored session, in a title or in a URL."""
    options: Any = {"executable_path": require_program("chromium"), "args": list(ARGUMENTS)}
    persistent = browser.browser_type.launch_persistent_context(tmp_path / "profile", **options)
    with closing(Server()) as own, closing(persistent) as context:
        code = own.code()
        asked: list[tuple[str, dict[str, str]]] = []
        context.on("request", lambda request: asked.append((request.url, request.headers)))

        def after_a_save(route: Any) -> None:
            """Let the browser save its session, which takes it up to 2.5 s, on the way in."""
            time.sleep(3.0)
            route.continue_()

        context.route("**/enter.js", after_a_save)
        page = context.new_page()
        if typed:
            page.goto(f"{own.root}/enter")
            page.fill("#token", code)
            page.click("button[type=submit]")
        else:
            page.goto(own.entrance)
        page.wait_for_url(f"{own.root}/")
        page.wait_for_selector("#stepper-view .node")
        key = page.evaluate("localStorage.getItem('chainrule-key')")
        titles = [each.title() for each in context.pages]
        history = page.evaluate("history.length")
    assert any(url == f"{own.root}/enter" for url, _ in asked)
    for url, headers in asked:
        assert code not in url + str(headers)
        assert "referer" not in headers or code not in headers["referer"]
    assert code not in "".join(titles)
    assert history <= 3
    kept = {path: path.read_bytes() for path in (tmp_path / "profile").rglob("*") if path.is_file()}
    assert any(key.encode() in content for content in kept.values())  # the right files are searched
    wide = code.encode("utf-16-le")
    assert [path for path, content in kept.items() if code.encode() in content or wide in content] == []


# --- untrusted text -------------------------------------------------------------------------------


MARKUP = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'


@pytest.mark.parametrize(
    "state",
    [
        {"tab": "trainer", "data": "csv", "csv": f"{MARKUP},y,z\n1,2,0\n2,1,1\n"},
        {"tab": "trainer", "data": "csv", "csv": f"x,y,z\n1,2,{MARKUP}\n"},
        {"tab": "trainer", "data": MARKUP, "layers": MARKUP, "edges": MARKUP, "points": MARKUP},
        {"expression": MARKUP, "values": f"{MARKUP}=1"},
        {"expression": f"a + {MARKUP}"},
        {"tab": MARKUP, "theme": MARKUP, "step": MARKUP, "sample": MARKUP, "weights": MARKUP},
    ],
)
def test_markup_is_shown_as_text(pages: Pages, state: dict[str, str]) -> None:
    page = pages(**state)
    page.wait_for_timeout(1000)
    assert page.evaluate("window.pwned") is None
    assert page.locator("img").count() == 0
    assert page.locator("body script").count() == 0


# --- accessibility -------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["stepper", "trainer"])
def test_axe_finds_nothing_serious(pages: Pages, tab: str, theme: str) -> None:
    page = pages(tab=tab, theme=theme)
    if tab == "trainer":
        page.wait_for_selector("#play:enabled")
        run_for_a_moment(page)
        page.click("#numbers summary")
        page.locator("#network .neuron").nth(5).click()
    page.wait_for_timeout(500)
    assert serious(page) == []


@pytest.mark.parametrize("tab", ["stepper", "trainer"])
def test_a_phone_does_not_scroll_sideways(pages: Pages, tab: str) -> None:
    page = pages(tab=tab, width=360, height=740)
    page.wait_for_timeout(1000)
    if tab == "trainer":
        page.wait_for_selector("#play:enabled")
        page.click("#numbers summary")
        page.wait_for_timeout(1200)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_reduced_motion_is_respected(pages: Pages) -> None:
    page = pages.open(reduced_motion="reduce")
    script = "all => all.map((button) => getComputedStyle(button).transitionDuration)"
    assert set(page.locator("button").evaluate_all(script)) == {"0s"}


def test_random_expressions_show_the_librarys_numbers(pages: Pages) -> None:
    """Fifty expressions: every value and gradient of every node matches."""
    rng = random.Random(1)
    page = pages()
    for _ in range(50):
        text = f"{random_expression(rng, 3)} + a*b*c"
        values = {name: round(rng.uniform(-2, 2), 2) for name in "abc"}
        result = parse(text)({name: Value(x, label=name) for name, x in values.items()})
        result.backward()
        numbers_of = [
            (shown(node.data), None if node.kind == "constant" else shown(node.grad))
            for node in picture(result).nodes
        ]
        expected = sorted(numbers_of, key=str)
        numbers = ",".join(f"{name}={x}" for name, x in values.items())
        script = "(state) => { location.hash = new URLSearchParams(state).toString(); }"
        page.evaluate(script, {"expression": text, "values": numbers})
        wait_for_text(page, "#stepper-view", re.escape(shown(result.data)))
        script = "(n) => document.querySelectorAll('#stepper-view .node').length === n"
        page.wait_for_function(script, arg=len(expected))
        found = sorted(((value, grad) for value, grad in page.evaluate(READ)), key=str)
        assert found == expected, text
