"""The notebook widget: its script, in a browser with a mock model, and its values in Python."""

import json
import math
import sys
from typing import Any
from urllib.parse import quote

import pytest

from chainrule import Value
from chainrule.support import numbers
from chainrule.viz.model import picture
from chainrule.viz.web.notebook import widget

from ..conftest import require
from ..unit.viz.drawn import GRAPHS
from .conftest import Opener
from .stepper import READ, Formatted
from .stepper import numbers as shown_numbers

MODEL = """async ([module, state]) => {
    const { default: { render } } = await import(module);
    const heard = {};
    window.model = {
        get: (name) => state[name],
        set: (name, value) => { state[name] = value; },
        save_changes: () => { window.saved = structuredClone(state.values); },
        on: (name, action) => { heard[name] = action; },
        off: (name) => { delete heard[name]; },
    };
    window.receive = (values) => { state.values = values; heard["change:values"](); };
    window.heard = heard;
    window.clean = render({ model: window.model, el: document.body });
}"""


@pytest.fixture
def example() -> tuple[Any, Any, Any]:
    require("anywidget")
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    out = (a * b).tanh() + a
    out.backward()
    return widget(out), out, (a, b)


def test_values_from_the_browser_update_the_leaves(example: tuple[Any, Any, Any]) -> None:
    """Assigning to `values`, as the browser does, updates the leaves and recomputes the result."""
    shown, out, (a, b) = example
    assert shown.values == {"0": 2.0, "1": -3.0}
    shown.values = {"0": 0.5, "1": 1.0}
    assert (a.data, b.data) == (0.5, 1.0)
    assert out.data == Value(0.5).tanh().data + 0.5
    with pytest.raises(ValueError, match=r"^no leaf has the number 9; the leaves are 0, 1$"):
        shown.values = {"9": 1.0}


def test_stepping_in_the_widget(
    example: tuple[Any, Any, Any], open_page: Opener, formatted: Any
) -> None:
    shown, _, _ = example
    page = open_page.window()
    page.goto("about:blank")
    page.add_style_tag(content=shown._css)
    module = "data:text/javascript," + quote(shown._esm)
    page.evaluate(MODEL, [module, {"data": json.loads(json.dumps(shown.data)), "values": shown.values}])
    page.get_by_label("Value of a", exact=True).fill("0.5")
    assert page.evaluate("window.saved") == {"0": 0.5, "1": -3}
    page.evaluate("window.receive({0: 1, 1: 4})")
    assert page.get_by_label("Value of b", exact=True).input_value() == "4"
    assert page.locator(".node.output .value").text_content() == formatted([math.tanh(4.0) + 1.0])[0]
    page.get_by_role("button", name="Next", exact=True).click()
    page.keyboard.press("ArrowRight")
    assert page.locator(".progress").text_content() == "step 2 of 9"
    page.evaluate("window.clean()")
    left = "[document.querySelectorAll('.node').length, Object.keys(window.heard)]"
    assert page.evaluate(left) == [0, []]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"install it with pip install 'chainrule\[notebook\]'$"):
        widget(Value(1.0))


def test_only_a_value_is_accepted() -> None:
    require("anywidget")
    with pytest.raises(TypeError, match=r"^widget expects a Value, got float$"):
        widget(1.0)


def test_the_page_shows_the_numbers_that_python_computed(
    open_page: Opener, formatted: Formatted
) -> None:
    """Both at first and after leaves are changed in the browser, which updates the Values in Python."""
    require("anywidget")
    page = open_page.window()
    for name, make in GRAPHS.items():
        out = make()
        if isinstance(out, list) or name.startswith("stale"):
            continue  # a widget shows one result; stale values are tested with exported files
        seen = picture(out)
        shown = widget(out)
        page.goto("about:blank")
        module = "data:text/javascript," + quote(shown._esm)
        data = json.loads(json.dumps(shown.data))
        page.evaluate(MODEL, [module, {"data": data, "values": shown.values}])
        assert page.evaluate(READ) == shown_numbers(seen, formatted), name
        fields = page.locator("[data-leaf] input[type=number]:enabled")
        for k in range(fields.count()):
            if fields.nth(k).input_value() and "index" not in fields.nth(k).get_attribute("aria-label"):
                fields.nth(k).fill("0.625")
        moved = page.evaluate("window.saved")
        if moved and any(moved[i] != x for i, x in shown.values.items()):
            shown.values = moved
            data = [numbers.format(node.data) for node in picture(out).nodes]
            assert [value for value, _ in page.evaluate(READ)] == data, name
