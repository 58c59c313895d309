"""Everything a user can do with an exported file that is opened from disk."""

import json
import math
from datetime import datetime
from typing import Any

import pytest

import chainrule
from chainrule import Value, check_gradients, custom_op, ops, sqrt, where
from chainrule.viz.formats.html import page as html_page
from chainrule.viz.labels import clean
from chainrule.viz.model import Picture, picture

from ..near import near
from .conftest import Opener
from .stepper import READ, Formatted, example, exported, expression, numbers, press, progress, state
from .studio import serious

# --- stepping ------------------------------------------------------------------------------------


def moments(seen: Picture, formatted: Formatted) -> list[list[list[str | None]]]:
    """What the page must show after each step, computed from Python's contributions."""
    data = [None if node.inputs else node.data for node in seen.nodes]
    grad: list[float | None] = [None] * len(seen.nodes)
    found = []
    for k in range(len(seen.steps) + 1):
        values, grads = formatted(data), formatted(grad)
        kinds = [node.kind for node in seen.nodes]
        rows = zip(values, grads, kinds, strict=True)
        found.append([[v, None if kind == "constant" else g] for v, g, kind in rows])
        if k < len(seen.steps):
            step = seen.steps[k]
            if step.kind == "forward":
                data[step.node] = seen.nodes[step.node].data
            else:
                share = 1.0 if step.edge is None else seen.edges[step.edge].share
                grad[step.node] = (grad[step.node] or 0.0) + share
    return found


def test_it_opens_with_every_number(open_page: Opener, formatted: Formatted) -> None:
    """It shows every value and gradient, and requests only the file itself."""
    out, _ = example()
    page = open_page(exported(out))
    assert page.evaluate(READ) == numbers(picture(out), formatted)
    assert progress(page) == "14 steps"
    assert page.locator("h1").text_content() == "An expression"
    assert page.locator(".telling h2").text_content() == f"out = {formatted([out.data])[0]}"
    assert [url.split("/")[-1] for url in open_page.requests] == ["page0.html"]


def test_stepping_forward_and_back(open_page: Opener, formatted: Formatted) -> None:
    out, _ = example()
    expected = moments(picture(out), formatted)
    page = open_page(exported(out))
    press(page, "First step")
    for k, shown in enumerate(expected):
        assert page.evaluate(READ) == shown, k
        assert progress(page) == f"step {k} of 14"
        if k < len(expected) - 1:
            press(page, "Next")
    for k in reversed(range(len(expected) - 1)):
        press(page, "Back")
        assert page.evaluate(READ) == expected[k], k
    press(page, "Last step")
    assert page.evaluate(READ) == expected[-1]


def test_keys(open_page: Opener) -> None:
    page = open_page(exported(example()[0]))
    moves = (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 14))
    for key, step in (*moves, ("ArrowRight", 14), ("Home", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        assert progress(page) == f"step {step} of 14", key
    field = page.get_by_label("Value of a", exact=True)
    field.focus()
    for key in ("ArrowLeft", "Home", "End", " "):
        page.keyboard.press(key)
    assert progress(page) == "step 0 of 14", "keys pressed in a field must not move the stepper"


def test_playing(open_page: Opener) -> None:
    page = open_page(exported(example()[0]))
    page.clock.install(time=datetime(2030, 1, 1))
    page.clock.pause_at(datetime(2030, 1, 2))
    page.keyboard.press(" ")
    assert progress(page) == "step 0 of 14"
    page.clock.run_for(2500)
    assert progress(page) == "step 2 of 14"
    press(page, "Pause")
    page.clock.run_for(5000)
    assert progress(page) == "step 2 of 14"
    press(page, "Play")
    page.clock.run_for(30000)
    assert progress(page) == "step 14 of 14"
    assert page.get_by_role("button", name="Play", exact=True).count() == 1


def test_a_step_shows_its_rule_and_its_numbers(open_page: Opener, formatted: Formatted) -> None:
    """Where two paths meet, it shows += and the previous gradient."""
    out, _ = example()
    seen = picture(out)
    page = open_page(exported(out), state={"step": 1})
    lines = page.locator(".telling dd").all_text_contents()
    two, three, six = formatted([2.0, -3.0, -6.0])
    assert page.locator(".telling h2").text_content() == "v1 = a × b"
    assert lines == [f"{two} × {three} = {six}"]
    k = next(i for i, step in enumerate(seen.steps) if step.kind == "backward" and not step.first)
    step = seen.steps[k]
    edge = seen.edges[step.edge]
    target = seen.nodes[edge.target]
    page.get_by_label("Step", exact=True).fill(str(k + 1))
    grad = seen.nodes[edge.source].grad
    g, p, s, before, after = formatted([target.grad, edge.partial, edge.share, grad - edge.share, grad])
    lines = page.locator(".telling dd").all_text_contents()
    assert lines[0].startswith("∂")
    assert f" = {p}" in lines[0]
    assert lines[1:] == [f"{g} × {p} = {s}", f"{before} += {s} → {after}"]
    assert page.locator(".flow .share").text_content() == f"+= {s}"
    assert page.locator(".node.current .name").text_content() == "a"
    assert page.locator(".edge.current").get_attribute("data-edge") == str(edge.id)
    spoken = page.get_by_role("status").text_content()
    assert spoken.startswith(f"Step {k + 1} of 14: ∂")
    assert spoken.endswith(f"; {g} × {p} = {s}; grad of a {before} += {s} → {after}")


def test_rules_are_shown_as_mathematics(open_page: Opener) -> None:
    """Anything in a rule that is not MathML is left out."""
    a = Value(3.0, label="a")
    out = a * 2.0
    out.backward()
    hit = "window.__hit = 1"
    math_text = f"<math><mi mathvariant='normal' onclick='{hit}'>y</mi><script>{hit}</script></math>"
    text = exported(out)
    start = text.index('"rules":')
    end = text.index("</script>", start)
    rules = json.dumps([{"text": "y", "mathml": math_text}, None]).replace("<", "\\u003c")
    page = open_page(f'{text[:start]}"rules":{rules}}}{text[end:]}', state={"step": 3})
    assert page.locator(".telling dd math").count() == 2
    shown = page.locator(".telling dd mi").last.evaluate("(e) => e.outerHTML")
    assert shown == '<mi mathvariant="normal">y</mi>'
    assert page.evaluate("window.__hit") is None


def test_a_branch_not_taken(open_page: Opener, formatted: Formatted) -> None:
    """No gradient flows into it: everything behind it gets 0, even where a derivative is infinite."""
    x, y = Value(1.0, label="x"), Value(0.0, label="y")
    out = where(ops.less(0.0, x), x, sqrt(y))
    out.backward()
    seen = picture(out)
    page = open_page(exported(out))
    node = next(node.id for node in seen.nodes if node.label == "y")
    assert page.evaluate(READ)[node] == formatted([0.0, 0.0])
    texts = []
    for k in range(1, len(seen.steps) + 1):
        page.get_by_label("Step", exact=True).fill(str(k))
        texts.append(page.locator(".telling dd").last.text_content())
    assert sum("so nothing flows" in text for text in texts) == 2


LOG = "log(-1.0000) is nan: log is defined only for numbers from 0 up"
TIMES = "is nan: 0 × inf is undefined"


@pytest.mark.parametrize(
    ("text", "values", "reason"),
    [
        ("b * log(a)", {"a": -1.0, "b": 2.0}, f"nan comes from v1: {LOG}"),
        ("asin(a)", {"a": 2.0}, "asin(2.0000) is nan: asin is defined only for numbers from −1 to 1"),
        ("a * b", {"a": 0.0, "b": math.inf}, f"0.0000 × inf {TIMES}"),
        ("a - b", {"a": math.inf, "b": math.inf}, "inf − inf is nan: inf − inf is undefined"),
        ("a / b", {"a": 0.0, "b": 0.0}, "0.0000 ÷ 0.0000 is nan: 0 ÷ 0 is undefined"),
        (
            "a ** b",
            {"a": -1.0, "b": 0.5},
            "-1.0000 ** 0.5000 is nan: a negative number needs an integer exponent",
        ),
        ("sin(a)", {"a": math.inf}, "sin(inf) is nan: sin is undefined for an infinite number"),
        ("a + 1", {"a": math.nan}, "nan comes from a: a was nan from the start"),
        ("b * sqrt(a)", {"a": 0.0, "b": 0.0}, f"the gradient of a is nan: 0.0000 × inf {TIMES}"),
    ],
)
def test_a_nan_is_explained(open_page: Opener, text: str, values: dict[str, float], reason: str) -> None:
    out, _ = expression(text, **values)
    page = open_page(exported(out))
    assert page.locator(".telling .why").text_content() == f"Why: {reason}."


def halves(x: Any) -> Any:
    return chainrule.dot(x[:2], x[2:])


@pytest.mark.parametrize(
    ("function", "numbers", "reason"),
    [
        (halves, (0.0, 1.0, math.inf, 2.0), "0 × inf is undefined"),
        (halves, (1.0, 1.0, math.inf, -math.inf), "inf − inf is undefined"),
        (halves, (1e200, 1e200, 1e200, -1e200), "inf − inf is undefined"),
        (chainrule.sum, (1.0, math.inf, -math.inf), "inf − inf is undefined"),
        (chainrule.mean, (1.0, math.inf, -math.inf), "inf − inf is undefined"),
        (chainrule.prod, (0.0, 2.0, -math.inf), "0 × inf is undefined"),
        (chainrule.prod, (1e200, 1e200, 0.0), "prod is undefined for these numbers"),
    ],
)
def test_a_nan_of_a_reduction_is_explained(
    open_page: Opener, function: Any, numbers: tuple[float, ...], reason: str
) -> None:
    out = function([Value(x, label=f"x{i}") for i, x in enumerate(numbers)])
    assert math.isnan(out.data)
    page = open_page(exported(out))
    assert page.locator(".telling .why").text_content().endswith(f") is nan: {reason}.")


def test_a_nan_is_explained_at_the_step_that_creates_it(open_page: Opener) -> None:
    out, _ = expression("b * log(a)", a=-1.0, b=2.0)
    page = open_page(exported(out), state={"step": 1})
    assert page.locator(".telling .why").text_content() == f"Why: {LOG}."
    assert page.get_by_role("status").text_content().endswith(f"; {LOG}")
    assert page.locator(".node.nan .name").all_text_contents() == ["v1"]
    page.locator(".node.nan").hover()
    assert page.locator(".tip dd").last.text_content() == LOG
    page.get_by_label("Value of a").fill("1")
    assert page.locator(".node.nan, .why").count() == 0
    page.get_by_label("Value of a").fill("-2")
    page.get_by_label("Predict first").check()
    page.get_by_role("button", name="First step").click()
    page.get_by_role("button", name="Next").click()
    assert page.locator(".node.nan, .why").count() == 0  # it would reveal the answer


def test_several_outputs(open_page: Opener, formatted: Formatted) -> None:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    p, q = a * b, a + b
    (p + q).backward()
    seen = picture([p, q])
    page = open_page(html_page(seen))
    assert page.evaluate(READ) == numbers(seen, formatted)
    assert page.locator(".node.output").count() == 2


# --- leaves --------------------------------------------------------------------------------------


def test_changing_leaves(open_page: Opener, formatted: Formatted) -> None:
    """Typing or moving a slider gives the numbers that the library computes."""
    out, leaves = example()
    page = open_page(exported(out))
    page.get_by_label("Value of a", exact=True).fill("0.75")
    page.get_by_label("Slide b", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    values = state(page)["values"]
    for node in picture(out).nodes:
        if node.kind == "leaf":
            leaves[node.label].data = values[str(node.id)]
    assert leaves["a"].data == 0.75
    assert -3.0 < leaves["b"].data < -2.0
    out.forward().backward(reset=True)
    assert page.evaluate(READ) == numbers(picture(out), formatted)
    shown = page.locator(".leaves > table td.grad").all_text_contents()
    assert shown == formatted([leaves[name].grad for name in "abc"])


def test_a_slider_extends_to_a_typed_number(open_page: Opener) -> None:
    page = open_page(exported(example()[0]))
    page.get_by_label("Value of a", exact=True).fill("1234.5")
    slider = page.get_by_label("Slide a", exact=True)
    assert float(slider.get_attribute("max")) >= 1234.5
    assert state(page)["values"]["0"] == 1234.5
    page.get_by_label("Value of a", exact=True).fill("")
    assert state(page)["values"]["0"] == 1234.5, "an empty field changes nothing"


def test_leaves_changed_after_the_computation(open_page: Opener, formatted: Formatted) -> None:
    """The page opens with Python's numbers and says that they are stale; a step recomputes them."""
    out, leaves = example()
    note = "Leaves have changed since this was computed."
    assert open_page(exported(out)).get_by_text(note).count() == 0
    leaves["a"].data = 0.5
    page = open_page(exported(out))
    assert page.get_by_text(note).is_visible()
    assert page.evaluate(READ) == numbers(picture(out), formatted)
    press(page, "Last step")
    assert not page.get_by_text(note).is_visible()
    out.forward().backward(reset=True)
    assert page.evaluate(READ) == numbers(picture(out), formatted)


def test_leaves_of_a_custom_operation_cannot_be_changed(open_page: Opener, formatted: Formatted) -> None:
    cube = custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2)
    x, y = Value(2.0, label="x"), Value(0.5, label="y")
    out = cube(x) * y
    out.backward()
    page = open_page(exported(out), state={"values": {"0": 5.0, "2": 2.0}})
    assert page.get_by_label("Value of x", exact=True).is_disabled()
    assert page.get_by_label("Value of y", exact=True).is_enabled()
    assert [row[0] for row in page.evaluate(READ)] == formatted([2.0, 8.0, 2.0, 16.0])


def test_the_state_is_in_the_url(open_page: Opener) -> None:
    page = open_page(exported(example()[0]))
    page.get_by_label("Value of b", exact=True).fill("1.5")
    page.get_by_label("Step", exact=True).fill("9")
    assert page.get_by_label("Step", exact=True).get_attribute("aria-valuetext") == "step 9 of 14"
    page.get_by_label("Predict first").check()
    values = {"0": 2, "1": 1.5, "7": 0.5}
    assert state(page) == {"step": 9, "values": values, "predict": True}
    page.reload()
    assert progress(page) == "step 9 of 14"
    assert page.get_by_label("Value of b", exact=True).input_value() == "1.5"
    assert page.get_by_label("Predict first").is_checked()


def test_an_invalid_state_is_ignored(open_page: Opener) -> None:
    text = exported(example()[0])
    wrong = {"step": 99, "values": {"0": "x", "77": 1, "a": 2}, "predict": "yes", "picture": 3}
    page = open_page(text, state=wrong)
    assert progress(page) == "14 steps"
    page = open_page(text, state=7)
    assert progress(page) == "14 steps"


# --- finite differences and predictions ----------------------------------------------------------


def test_finite_differences(open_page: Opener, formatted: Formatted) -> None:
    out, leaves = example()
    page = open_page(exported(out))
    page.get_by_text("Check with finite differences").click()
    rows = page.locator(".checks tbody tr")
    report = check_gradients(out)
    expected = [[row.name, *formatted([row.gradient, row.numerical])] for row in report.comparisons]
    assert [row.locator("th, td").all_text_contents() for row in rows.all()] == [
        [*row, "✓ agree"] for row in expected
    ]
    page.get_by_label("Value of a", exact=True).fill("1")
    leaves["a"].data = 1.0
    out.forward().backward(reset=True)
    shown = page.locator(".checks td.grad").all_text_contents()
    assert shown == formatted([leaves[name].grad for name in "abc"])
    assert page.locator(".checks tr.differs").count() == 0


def test_finite_differences_at_a_kink(open_page: Opener, formatted: Formatted) -> None:
    out, _ = expression("relu(a)", a=0.0)
    page = open_page(exported(out))
    page.get_by_text("Check with finite differences").click()
    cells = page.locator(".checks tbody tr.differs").locator("th, td").all_text_contents()
    assert cells == ["a", *formatted([0.0, 0.5]), "✗ differ"]


def test_predicting(open_page: Opener, formatted: Formatted) -> None:
    """The page asks before showing a number, checks the answer, shows the calculation, keeps score."""
    two, four, minus_two, minus_six = formatted([2.0, 4.0, -2.0, -6.0])
    page = open_page(exported(example()[0]))
    page.get_by_label("Predict first").check()
    press(page, "Next")
    assert page.locator(".telling h2").text_content() == "What is v1 = a × b?"
    assert page.locator(".node.current .value").text_content() == "?"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Value of v1"
    assert minus_six not in page.locator(".telling").text_content()
    page.keyboard.type("-6")
    page.keyboard.press("Enter")
    assert page.locator(".telling .verdict").text_content() == f"✓ Right: {minus_six}."
    assert progress(page) == "step 1 of 14"
    assert page.locator(".score").text_content() == "1 of 1 right"
    page.keyboard.press("ArrowRight")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    assert page.locator(".telling .verdict").text_content() == f"✗ Not quite: you said 5, it is {four}."
    assert page.locator(".telling dd").text_content() == f"{two} ** {two} = {four}"
    assert page.locator(".score").text_content() == "1 of 2 right"
    press(page, "Next", "Show me")
    assert progress(page) == "step 3 of 14"
    assert page.locator(".telling .verdict").count() == 0
    assert page.locator(".score").text_content() == "1 of 3 right"
    press(page, "Back", "Next")
    page.keyboard.type("-2")
    page.keyboard.press("Enter")
    assert page.locator(".telling .verdict").text_content() == f"✓ Right: {minus_two}."
    assert page.locator(".score").text_content() == "1 of 3 right", "only the first answer counts"


def test_predicting_gradients(open_page: Opener) -> None:
    """Accepts answers within 1 % or rounded to two digits, for the gradient after +=."""
    out, _ = example()
    seen = picture(out)
    k = next(i for i, step in enumerate(seen.steps) if step.kind == "backward" and not step.first)
    grad = seen.nodes[seen.steps[k].node].grad
    right = (f"{grad:.2g}", str(grad * 1.009), f"{grad:.4f}".replace(".", ","))
    page = open_page(exported(out))
    page.get_by_label("Predict first").check()
    for text in (*right, str(grad * 1.02), "nan"):
        page.get_by_label("Step", exact=True).fill(str(k))
        press(page, "Next")
        assert page.locator(".telling h2").text_content() == "What is the gradient of a after this step?"
        assert page.locator(".flow .share").text_content() == "+= ?"
        page.get_by_label("Gradient of a").fill(text)
        press(page, "Check")
        assert page.locator(".verdict.right").count() == (text in right), text


def test_mistyped_text_is_not_an_answer(open_page: Opener, formatted: Formatted) -> None:
    out, _ = example()
    page = open_page(exported(out))
    page.get_by_label("Predict first").check()
    press(page, "Next")
    for typed in ("-6..0", "six", "−"):
        page.get_by_label("Value of v1").fill(typed)
        press(page, "Check")
        said = page.locator(".question .unread").text_content()
        assert said.startswith(f"“{typed}” is not a number, so it does not count.")
        assert page.locator(".score").text_content() == ""
        assert page.locator(".node.current .value").text_content() == "?"
    page.get_by_label("Value of v1").fill("−6")
    press(page, "Check")
    assert page.locator(".telling .verdict").text_content() == f"✓ Right: {formatted([-6.0])[0]}."
    assert page.locator(".score").text_content() == "1 of 1 right"


# --- display -------------------------------------------------------------------------------------


def test_tooltips_show_all_digits(open_page: Opener) -> None:
    """On hover and on focus. The tab key stops once at the graph; arrow keys move inside it."""
    out, _ = example()
    page = open_page(exported(out))
    page.locator(".node").filter(has_text="tanh").hover()
    tip = page.get_by_role("tooltip")
    assert repr(out.inputs[0].data).replace("-", "−") in tip.text_content()
    page.mouse.move(0, 0)
    assert tip.count() == 0
    page.locator(".node[tabindex='0']").focus()
    assert repr(out.data).replace("-", "−") in tip.text_content()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("c, value")
    assert page.locator(".node[tabindex='0']").count() == 1


def test_zooming_the_graph(open_page: Opener) -> None:
    page = open_page(exported(example()[0]), width=700)
    drawing = page.locator(".area > svg")

    def width() -> float:
        return float(drawing.bounding_box()["width"])

    start = width()
    press(page, "Larger")
    assert width() == near(1.25 * start, rel=1e-3)
    press(page, "Smaller", "Smaller")
    assert width() == near(start / 1.25, rel=1e-3)
    page.locator(".node[tabindex='0']").focus()
    page.keyboard.press("+")
    assert width() == near(start, rel=1e-3)
    drawing.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    wider = "(w) => document.querySelector('.area > svg').clientWidth > w"
    page.wait_for_function(wider, arg=1.5 * start)
    press(page, "Fit to width")
    assert width() <= page.locator(".area").bounding_box()["width"]
    press(page, "Larger", "Larger", "Larger")
    page.locator(".node[tabindex='0']").focus()
    before = page.locator(".area").evaluate("(e) => e.scrollLeft")
    page.keyboard.press("Shift+ArrowLeft")
    assert page.locator(".area").evaluate("(e) => e.scrollLeft") == before - 60


def overflowing(page: Any) -> list[str]:
    """Elements wider than the window, except the drawing, which scrolls."""
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll("body *")]
        .filter((element) => !element.closest(".area svg, .hidden, noscript, head, script"))
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
        .map((element) => element.outerHTML.slice(0, 80))""")
    if page.evaluate("document.documentElement.scrollWidth") > page.viewport_size["width"]:
        found.append("the page")
    return found


@pytest.mark.parametrize("width", [360, 768])
def test_narrow_windows(open_page: Opener, width: int) -> None:
    text = "sigmoid(a_rather_long_name * b + 1e-7) + max(a_rather_long_name, b, 12345.678)"
    out, _ = expression(text, a_rather_long_name=-1.5e-9, b=1e12)
    page = open_page(exported(out), width=width)
    page.get_by_text("Check with finite differences").click()
    assert overflowing(page) == []
    for k in range(page.evaluate("() => Number(document.querySelector('.timeline').max)") + 1):
        page.get_by_label("Step", exact=True).fill(str(k))
        assert overflowing(page) == [], k
        seen = page.locator(".node.current")
        if seen.count():
            page.wait_for_timeout(20)
            box, area = seen.bounding_box(), page.locator(".area").bounding_box()
            assert box["x"] >= area["x"] - 1, k
            assert box["x"] + box["width"] <= area["x"] + area["width"] + 1, k
    page.get_by_label("Predict first").check()
    press(page, "First step", "Next")
    assert overflowing(page) == []


def test_light_and_dark(open_page: Opener) -> None:
    """The page follows the system's theme, unless its own attribute sets one."""
    text = exported(example()[0])
    colour = "() => getComputedStyle(document.querySelector('.transport')).backgroundColor"
    light, dark = (open_page(text, color_scheme=scheme) for scheme in ("light", "dark"))
    assert light.evaluate(colour) == "rgb(255, 255, 255)"
    assert dark.evaluate(colour) == "rgb(21, 28, 38)"
    light.evaluate("document.documentElement.dataset.theme = 'dark'")
    dark.evaluate("document.documentElement.dataset.theme = 'light'")
    assert light.evaluate(colour) == "rgb(21, 28, 38)"
    assert dark.evaluate(colour) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: Opener, scheme: str) -> None:
    page = open_page(exported(example()[0]), color_scheme=scheme)
    page.get_by_text("Check with finite differences").click()
    assert serious(page) == []
    page.get_by_label("Step", exact=True).fill("13")
    assert serious(page) == []
    page.get_by_label("Predict first").check()
    press(page, "First step", "Next")
    page.get_by_label("Value of v1").fill("5")
    assert serious(page) == []
    press(page, "Check")
    assert serious(page) == []


# --- security ------------------------------------------------------------------------------------

HIT = "<script>window.__hit=1</script>"
PARTS = (
    *(HIT, f"</script>{HIT}", "<img src=x onerror=window.__hit=1>", "<svg onload=window.__hit=1>"),
    *('" onmouseover="window.__hit=1', "' onfocus='window.__hit=1' autofocus='"),
    *("javascript:window.__hit=1", "<!--<script>window.__hit=1//", f"]]>{HIT}", f"</title>{HIT}"),
)
WRAPS = ("{}", "</text>{}", "-->{}", "&lt;{}", "\u2028{}\u2029")


def test_labels_are_text(open_page: Opener) -> None:
    """Fifty labels that would be code in some context; none of them runs."""
    labels = [wrap.format(part) for part in PARTS for wrap in WRAPS]
    assert len(labels) == 50
    leaves = [Value(0.1 * i, label=label) for i, label in enumerate(labels)]
    out = ops.sum(*leaves)
    out.label = labels[0]
    out.backward()
    page = open_page(html_page(picture(out), "".join(labels)))
    for k in (0, 1, 2, 3, 30):
        page.get_by_label("Step", exact=True).fill(str(k))
    page.get_by_label("Predict first").check()
    press(page, "Next")
    page.get_by_text("Check with finite differences").click()
    for node in page.locator(".node").all()[::10]:
        node.scroll_into_view_if_needed()
        node.hover(force=True)
        node.focus()
    shown = page.locator(".leaves > table tbody th").all_text_contents()
    assert shown == list(map(clean, labels))
    assert page.locator("h1").text_content() == clean("".join(labels))
    page.wait_for_timeout(50)
    assert page.evaluate("window.__hit") is None
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0


def test_the_content_security_policy_blocks_other_scripts(open_page: Opener) -> None:
    """Even a script that somehow got into the page."""
    page = open_page(exported(example()[0]))
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.__hit = 1";
        document.body.append(script);
        const image = document.createElement("img");
        image.src = "https://example.org/x.png";
        document.body.append(image);
    }""")
    page.wait_for_timeout(50)
    assert page.evaluate("window.__hit") is None
    complaints = [text for text in open_page.problems if "Content Security Policy" in text]
    assert len(complaints) == len(open_page.problems) == 2
    open_page.problems.clear()
    open_page.requests.remove("https://example.org/x.png")  # blocked by the policy


def test_without_scripts(open_page: Opener) -> None:
    out, _ = example()
    page = open_page(exported(out), java_script_enabled=False)
    rows = page.locator("noscript tr").all_text_contents()
    assert len(rows) == 1 + len(picture(out).nodes)
    assert rows[1] == f"aleaf2.0{out.inputs[0].inputs[0].inputs[0].inputs[0].grad!r}"
