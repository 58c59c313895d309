"""Every number in an exported file equals Python's, for any expression, graph and leaves."""

import math
import random
import re

import pytest

from chainrule import Value, draw, nn
from chainrule.support import graph
from chainrule.viz.formats.html import page as html_page
from chainrule.viz.layout.folding import fold
from chainrule.viz.model import Picture, picture, values_of

from ..unit.viz import drawn
from ..unit.viz.drawn import GRAPHS, network
from ..unit.viz.test_viz import same
from .conftest import Opener
from .stepper import READ, Formatted, expression, numbers, press, progress, random_expression, state

TIPS = """(kind) => [...document.querySelectorAll(`.${kind}`)].map((element) => {
    element.dispatchEvent(new PointerEvent("pointerenter"));
    const rows = [...document.querySelectorAll(".tip dl div")].map((row) => (
        [...row.children].map((cell) => cell.textContent)
    ));
    element.dispatchEvent(new PointerEvent("pointerleave"));
    return Object.fromEntries(rows);
})"""
MOVE = """(values) => {
    for (const [leaf, x] of Object.entries(values)) {
        const field = document.querySelector(`[data-leaf="${leaf}"] input[type=number]`);
        field.value = x;
        field.dispatchEvent(new Event("input"));
    }
}"""


def full(text: str) -> float | None:
    """Parse a number with all its digits, as JavaScript writes it."""
    return None if text == "–" else float(text.replace("−", "-").replace("Infinity", "inf"))


def unknown(seen: Picture) -> set[int]:
    """The nodes below a user-written backward, whose gradients a browser cannot know."""
    found: set[int] = set()
    for node in reversed(seen.nodes):
        if node.rule == "by hand" or node.id in found:
            found.update(node.inputs)
    return {i for i in found if seen.nodes[i].kind != "constant"}


def test_random_expressions(open_page: Opener, formatted: Formatted) -> None:
    """Every value and every gradient on the screen matches the library, including NaN."""
    rng = random.Random(0)
    page = open_page.window()
    finite = 0
    for _ in range(50):
        text = f"{random_expression(rng, 4)} + a*b*c"
        out, _ = expression(text, **{name: round(rng.uniform(-2, 2), 2) for name in "abc"})
        seen = picture(out)
        open_page.show(page, html_page(seen, text))
        assert page.evaluate(READ) == numbers(seen, formatted), text
        finite += all(math.isfinite(node.grad or 0.0) for node in seen.nodes)
    assert finite > 20


def test_every_page_opens_with_pythons_numbers(open_page: Opener, formatted: Formatted) -> None:
    """For every kind of graph, numbers are rounded in the boxes and complete on hover."""
    page = open_page.window()
    for name, make in GRAPHS.items():
        seen = picture(make())
        open_page.show(page, html_page(seen))
        assert page.evaluate(READ) == numbers(seen, formatted), name
        for node, tip in zip(seen.nodes, page.evaluate(TIPS, "node"), strict=True):
            assert same(full(tip["value"]), node.data), (name, node)
            assert node.kind == "constant" or same(full(tip["gradient"]), node.grad), (name, node)
        for edge, tip in zip(seen.edges, page.evaluate(TIPS, "edge"), strict=True):
            assert same(full(tip["flows back"]), edge.share), (name, edge)
            slope = None if edge.share is None else edge.partial
            assert same(full(tip["local derivative"]), slope), (name, edge)
        leaves = [node for node in seen.nodes if node.kind == "leaf"]
        assert page.locator(".leaves > table tbody tr").count() == len(leaves), name


def test_every_page_steps_to_what_backward_gives(open_page: Opener, formatted: Formatted) -> None:
    """The output's gradient is 1; numbers that only Python can compute are omitted, not shown as 0."""
    page = open_page.window()
    for name, make in GRAPHS.items():
        out = make()
        open_page.show(page, html_page(picture(out)))
        press(page, "Last step")
        if isinstance(out, list):
            out = out[0] + out[1]
            out.backward(reset=True)
            seen = picture(list(out.inputs))
        elif name in ("stale by hand", "stale custom"):
            continue  # these have their own test
        else:
            out.forward().backward(reset=True)
            seen = picture(out)
        hidden = unknown(seen)
        expected = numbers(seen, formatted)
        for i in hidden:
            expected[i][1] = "–"
        assert page.evaluate(READ) == expected, name


def test_every_page_follows_its_sliders(open_page: Opener, formatted: Formatted) -> None:
    """After leaves are changed, the numbers are those that Python computes."""
    page = open_page.window()
    rng = random.Random(0)
    for name, make in GRAPHS.items():
        out = make()
        seen = picture(out)
        open_page.show(page, html_page(seen))
        fields = page.locator(".leaves [data-leaf]:has(input[type=number]:enabled)")
        movable = [int(i) for i in fields.evaluate_all("rows => rows.map((row) => row.dataset.leaf)")]
        roots = out if isinstance(out, list) else [out]
        values = values_of([graph.topological(root, check=False) for root in roots])
        fixed = {node.id for node in seen.nodes if node.rule in ("custom", "by hand")}
        moved = {
            i: 2.0 if values[i].label == "index" else values[i].data * rng.uniform(0.4, 0.9)
            for i in movable
            if math.isfinite(values[i].data)
        }
        assert fixed or len(movable) == sum(node.kind == "leaf" for node in seen.nodes), name
        page.evaluate(MOVE, moved)
        if name in ("stale by hand", "stale custom", "several"):
            continue
        for i, x in moved.items():
            values[i].data = x
        out.forward().backward(reset=True)
        after = picture(out)
        expected = numbers(after, formatted)
        for i in unknown(after):
            expected[i][1] = "–"
        if not moved and name != "a leaf":
            expected = numbers(seen, formatted)
        assert page.evaluate(READ) == expected, (name, moved)


@pytest.mark.parametrize("name", ["stale by hand", "stale custom"])
def test_stale_results_of_user_defined_operations_are_not_shown(name: str, open_page: Opener) -> None:
    """Leaves have changed since Python computed the result, and a page cannot recompute it."""
    seen = picture(GRAPHS[name]())
    page = open_page(html_page(seen))
    press(page, "Last step")
    made = next(node.id for node in seen.nodes if node.rule in ("custom", "by hand"))
    shown = page.evaluate(READ)
    assert shown[made][0] == "–"
    assert shown[seen.outputs[0]] == ["–", "1.0000"]
    grads = {seen.nodes[i].label: grad for i, (_, grad) in enumerate(shown) if seen.nodes[i].label}
    assert set(grads.values()) == {"–"}


def test_predicting_skips_unknown_gradients(open_page: Opener) -> None:
    seen = picture(GRAPHS["by hand, called cube"]())
    page = open_page(html_page(seen), state={"step": 0, "predict": True})
    asked = 0
    while not progress(page).startswith(f"step {len(seen.steps)} "):
        press(page, "Next")
        if page.get_by_role("button", name="Show me").count():
            press(page, "Show me")
            asked += 1
    unanswerable = [s for s in seen.steps if s.kind == "backward" and s.node in unknown(seen)]
    assert unanswerable
    assert asked == len(seen.steps) - len(unanswerable)


def folded_pictures() -> dict[str, Picture]:
    loss, model = network(3, 4, 4, 1, samples=2)
    wide = network(4, 30, 1)[0]
    stale, stale_model = network(3, 6, 6, 1)
    stale_model.parameters()[0].data = 5.0
    deep = Value(1.0)
    for _ in range(31_000):
        deep = deep * 1.0001 + 0.0
    deep.backward()
    before = nn.MLP(3, [8, 8, 1], seed=1)([1.0, 2.0, 3.0])
    return {
        "named": draw(loss, fold=True, names=model).picture,
        "without names": draw(loss, fold=True).picture,
        "folded automatically": draw(wide).picture,
        "few boxes": fold(picture(loss), most=4),
        "many boxes": fold(picture(loss), most=100),
        "stale": draw(stale, fold=True).picture,
        "before backward": draw(before, fold=True).picture,
        "no structure": draw(drawn.expression(400)).picture,
        "very deep": draw(deep).picture,
        "several outputs": draw([loss, loss * 2.0], fold=True).picture,
    }


def test_folded_pages_show_pythons_numbers(open_page: Opener, formatted: Formatted) -> None:
    """They have no controls, neither steps nor sliders, and no leaf that Python does not have."""
    page = open_page.window()
    for name, seen in folded_pictures().items():
        assert any(node.kind == "group" for node in seen.nodes), name
        open_page.show(page, html_page(seen))
        assert page.evaluate(READ) == numbers(seen, formatted), name
        for edge, tip in zip(seen.edges, page.evaluate(TIPS, "edge"), strict=True):
            assert same(full(tip["flows back"]), edge.share), (name, edge)
        assert page.locator("input, .transport, .leaves, .telling").count() == 0, name
        names = page.locator(".node .name").all_text_contents()
        invented = {text for text in names if re.fullmatch(r"[xv]\d+", text)}
        assert invented <= {node.label for node in seen.nodes}, name
        counts = f"{sum(node.count for node in seen.nodes):,} nodes, folded into {len(seen.nodes)} boxes"
        said = f"{counts}, with the numbers that Python computed."
        assert page.get_by_text(said).is_visible(), name
        changed = page.get_by_text("Leaves have changed since this was computed.").count()
        assert changed == any(node.changed for node in seen.nodes), name


def test_a_reload_keeps_pythons_numbers(open_page: Opener, formatted: Formatted) -> None:
    out = GRAPHS["backward twice"]()
    page = open_page(html_page(picture(out)))
    assert page.get_by_text(
        "they come from several backward() calls, or do not start from 1"
    ).is_visible()
    page.get_by_label("Predict first").check()
    assert state(page)["step"] is None
    page.reload()
    assert page.evaluate(READ) == numbers(picture(out), formatted)
    press(page, "Last step")
    out.backward(reset=True)
    assert page.evaluate(READ) == numbers(picture(out), formatted)


def test_gradients_that_were_not_computed(open_page: Opener, formatted: Formatted) -> None:
    out = GRAPHS["before backward"]()
    page = open_page(html_page(picture(out)))
    assert page.get_by_text("The gradients have not been computed yet.").is_visible()
    assert page.evaluate(READ) == numbers(picture(out), formatted)
    page.get_by_label("Value of a", exact=True).fill("1.5")
    graph.topological(out)[0].data = 1.5
    out.forward().backward()
    assert page.evaluate(READ) == numbers(picture(out), formatted)


def test_infinite_nan_and_huge_leaves(open_page: Opener) -> None:
    """A slider that cannot reach its leaf is disabled; inf and NaN are shown as placeholders."""
    leaves = [Value(x, label=name) for x, name in ((math.inf, "a"), (math.nan, "b"), (1e308, "c"))]
    out = sum(leaves[1:], leaves[0])
    page = open_page(html_page(picture(out)))
    fields = [page.get_by_label(f"Value of {name}", exact=True) for name in "abc"]
    assert [field.get_attribute("placeholder") for field in fields] == ["inf", "nan", ""]
    assert [field.input_value() for field in fields[:2]] == ["", ""]
    assert float(fields[2].input_value()) == 1e308
    assert page.get_by_label("Slide c", exact=True).is_disabled()
    press(page, "Last step")
    assert list(state(page)["values"].values()) == [1e308], "JSON cannot represent inf and NaN"
