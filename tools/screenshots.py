"""Screenshots of every view, light and dark, wide and narrow: `make screenshots` writes docs/pictures.

They are taken in a real browser from the real studio. Numbers that depend on the speed of the
machine (steps and frames per second) differ from run to run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--disable-component-update", "--disable-sync"),
]
WIDE: Any = {"width": 1280, "height": 860}
NARROW: Any = {"width": 390, "height": 844}


@contextmanager
def studio() -> Iterator[tuple[str, str]]:
    """Start a studio; yields its address and the file that signs a browser in."""
    command = [sys.executable, "-u", "-m", "chainrule", "studio", "--no-browser"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        try:
            assert process.stdout is not None
            said = process.stdout.readline() + process.stdout.readline()
            found = re.search(r"(http://\S+)\n.*(file://\S+)", said)
            if found is None:
                raise RuntimeError("the studio did not start")
            yield found[1], found[2]
        finally:
            process.terminate()
            process.wait(20)


def stepper(page: Any) -> None:
    """Halfway through the backward pass."""
    page.get_by_label("Example").select_option(label="a is used twice")
    page.locator("#stepper-view .node").first.wait_for()
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("button", name="Back").click()  # where the second path adds to the first
    page.wait_for_timeout(300)
    page.mouse.move(2, 2)
    page.evaluate("scrollTo(0, 0)")


def trainer(page: Any) -> None:
    """Moons, almost trained."""
    page.get_by_role("tab", name="Trainer").click()
    page.get_by_label("Speed").select_option("steps")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_timeout(2500)
    page.get_by_role("button", name="Pause", exact=True).click()
    page.wait_for_timeout(500)
    page.evaluate("scrollTo(0, 0)")


def learn(page: Any) -> None:
    """A lesson with a live figure."""
    page.goto(page.url.partition("#")[0] + "#learn/3")
    page.wait_for_timeout(1500)


VIEWS: dict[str, Callable[[Any], None]] = {"stepper": stepper, "trainer": trainer, "learn": learn}


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("screenshots need chromium: apt-get install chromium")
    PICTURES.mkdir(exist_ok=True)
    with studio() as (address, file), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = browser.new_context()
        first = context.new_page()
        first.goto(file)  # this works only once; the cookie and key remain
        first.wait_for_url(f"{address}/")
        saved = context.storage_state()
        for theme in ("light", "dark"):
            for size, viewport in (("wide", WIDE), ("narrow", NARROW)):
                entered = browser.new_context(
                    storage_state=saved, viewport=viewport, color_scheme=theme, device_scale_factor=1
                )
                for name, show in VIEWS.items():
                    page = entered.new_page()
                    page.goto(f"{address}/")
                    show(page)
                    page.screenshot(path=PICTURES / f"{name}-{theme}-{size}.png")
                    print(f"wrote docs/pictures/{name}-{theme}-{size}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
