"""Exported lessons, opened from file:// in a real browser: everything works without the network."""

import re

import pytest

from chainrule.learn.course import lesson
from chainrule.learn.exercise import exercise

from ..conftest import require
from .conftest import Opener
from .studio import checked, serious

require("markdown_it")

from chainrule.learn.teacher import exporting  # noqa: E402


def test_a_page_is_self_contained_and_its_quizzes_work(open_page: Opener) -> None:
    page = open_page(exporting.html(lesson(3)))
    assert [url for url in open_page.requests if not url.startswith("file:")] == []
    assert len(open_page.requests) == 1
    assert page.inner_text("h1") == "The backward pass"
    number = page.locator(".quiz").nth(0)
    number.get_by_label("Your answer").fill("7")
    assert "Not quite" in checked(number)
    number.get_by_label("Your answer").fill("8")
    assert "Right" in checked(number)
    assert "The product is 8." in number.inner_text()
    choice = page.locator(".quiz").nth(2)
    for option in lesson(3).of("quiz")[2].data["option"]:
        choice.get_by_label(option["text"]).check()
        assert option["feedback"] in checked(choice)
    nodes = page.locator(".quiz").nth(3)
    nodes.get_by_role("checkbox", name=re.compile("^b,")).click()
    assert "There are more nodes to choose." in checked(nodes)
    nodes.get_by_role("checkbox", name=re.compile("^a,")).press("Enter")
    assert "Right" in checked(nodes)


def test_figures_are_interactive(open_page: Opener) -> None:
    page = open_page(exporting.html(lesson(3)))
    figure = page.locator(".chainrule-stepper").first
    figure.get_by_label("Value of a", exact=True).fill("5")
    assert figure.locator("h2").inner_text() == "v2 = -5.0000"
    assert page.evaluate("document.querySelectorAll('.py-keyword').length") > 10


@pytest.mark.parametrize("width", [1200, 360])
def test_a_page_fits_the_window(open_page: Opener, width: int) -> None:
    page = open_page(exporting.html(exercise("write_mul")), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page = open_page(exporting.html(lesson(15)), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_axe_finds_nothing_serious_in_a_page(open_page: Opener) -> None:
    for scheme in ("light", "dark"):
        page = open_page(exporting.html(lesson(2)), color_scheme=scheme)
        assert serious(page) == []
