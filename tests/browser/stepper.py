"""Helpers for tests of the stepper: expressions, what the page must show for them, and its buttons."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from chainrule import Value
from chainrule.inspect.expressions import parse
from chainrule.viz.formats.html import page as html_page
from chainrule.viz.model import Picture, picture

Formatted = Callable[[Sequence[float | None]], list[str]]

READ = """() => [...document.querySelectorAll(".node")].map((node) => [
    node.querySelector(".number.value").textContent,
    node.querySelector(".number.grad")?.textContent ?? null,
])"""


def expression(text: str, **values: float) -> tuple[Any, dict[str, Any]]:
    """The result, after backward(), and its leaves by name."""
    leaves = {name: Value(x, label=name) for name, x in values.items()}
    out = parse(text)(leaves)
    out.label = "out"
    out.backward()
    return out, leaves


def example() -> tuple[Any, dict[str, Any]]:
    return expression("tanh(a*b + a**2) * c", a=2.0, b=-3.0, c=0.5)


def exported(out: Any) -> str:
    return html_page(picture(out), "An expression")


def numbers(seen: Picture, formatted: Formatted) -> list[list[str | None]]:
    """What a page must show for every node after the last step."""
    values = formatted([node.data for node in seen.nodes])
    grads = formatted([node.grad for node in seen.nodes])
    rows = zip(seen.nodes, values, grads, strict=True)
    return [[value, None if node.kind == "constant" else grad] for node, value, grad in rows]


def state(page: Any) -> Any:
    """The state in the URL, once it has settled."""
    page.wait_for_timeout(300)
    return page.evaluate("() => JSON.parse(decodeURIComponent(location.hash.slice(1)))")


def progress(page: Any) -> str:
    return str(page.locator(".progress").text_content())


def press(page: Any, *names: str) -> None:
    for name in names:
        page.get_by_role("button", name=name, exact=True).click()


UNARY = (
    *("tanh", "exp", "sin", "sigmoid", "relu", "softplus"),
    *("sqrt", "log", "gelu", "abs", "cbrt", "erf"),
)
MANY = ("max", "min", "sum", "prod", "mean", "logsumexp", "hypot")


def random_expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(["a", "b", "c", f"{rng.uniform(-3, 3):.2f}"])
    kind = rng.random()
    first, second = (random_expression(rng, depth - 1) for _ in range(2))
    if kind < 0.5:
        return f"({first} {rng.choice(['+', '-', '*', '/', '**'])} {second})"
    return f"{rng.choice(UNARY)}({first})" if kind < 0.8 else f"{rng.choice(MANY)}({first}, {second})"
