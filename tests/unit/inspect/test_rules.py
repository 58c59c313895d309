"""Derivative rules as taught give the table's numbers, and are well-formed in every notation."""

from __future__ import annotations

import ast
import math
import random
import re
from xml.etree import ElementTree

import pytest

from chainrule import Value, custom_op, ops, where
from chainrule.inspect.expressions import parse
from chainrule.inspect.notation import Latex, MathML, Text, call, formula
from chainrule.inspect.rules import TAUGHT, TAUGHT_ELEMENTS, argument, rule, slot_of, written
from chainrule.viz.explaining.edges import rules_of
from chainrule.viz.model import picture

from ...near import near

FIXED = [op.name for op in ops.TABLE if not isinstance(op, ops.Variadic)]
VARIADIC = [op.name for op in ops.TABLE if isinstance(op, ops.Variadic)]
COUNTS = dict.fromkeys(VARIADIC, (1, 2, 4, 5, 9)) | {"dot": (2, 4, 6, 10), "take": (2, 4)}


def row(name: str, count: int) -> ops.Op:
    return ops.take(count - 1) if name == "take" else ops.BY_NAME[name]


def all_rules() -> list[tuple[str, int, int]]:
    return [
        (name, slot, count)
        for name in [*ops.BY_NAME, "take"]
        for count in COUNTS.get(name, (ops.BY_NAME[name].arity if name != "take" else 0,))
        for slot in range(count)
    ]


def point(op: ops.Op, count: int, rng: random.Random) -> list[float]:
    """A random point inside the domain, away from kinks, ties and poles."""
    while True:
        args = [rng.choice((-1, 1)) * rng.uniform(0.05, 3.0) for _ in range(count)]
        low, high = op.domain
        if count and not low + 0.01 < args[0] < high - 0.01:
            continue
        if op.name == "where":
            args[0] = float(rng.random() < 0.5)
        if op.name == "take":
            args[0] = float(rng.randrange(count - 1))
        if op.name == "pow":
            args[0] = abs(args[0])
        if op.name in ("xlogy", "xlog1py", "zeta"):
            args[1] = abs(args[1])
        if op.kink is not None and abs(op.kink(*args)) < 0.01:
            continue
        return args


def test_rules_taught_differently_are_in_the_table() -> None:
    assert {name: len(partials) for name, partials in TAUGHT.items()} == {
        name: ops.BY_NAME[name].arity for name in TAUGHT
    }
    for name, partials in TAUGHT_ELEMENTS.items():
        op = ops.BY_NAME[name]
        assert isinstance(op, ops.Variadic)
        assert len(partials) == op.width


def test_other_rules_are_derived_from_the_table() -> None:
    texts = {(name, slot): rule(name, slot, count) for name, slot, count in all_rules()}
    for (name, slot), text in {
        ("mul", 1): "x",
        ("sub", 1): "-1",
        ("sin", 0): "cos(x)",
        ("cos", 0): "-sin(x)",
        ("expm1", 0): "exp(x)",
        ("softplus", 0): "sigmoid(x)",
        ("where", 2): "where(x, 0, 1)",
        ("leaky_relu", 0): "where(less(0, x), 1, y)",
    }.items():
        found = texts[name, slot]
        assert found is not None
        assert found.text == text


@pytest.mark.parametrize(("name", "slot", "count"), all_rules())
def test_a_rule_agrees_with_the_table(name: str, slot: int, count: int) -> None:
    """To 1e-12; nothing is compared at kinks and ties."""
    op, known = row(name, count), rule(name, slot, count)
    rng = random.Random(f"{name} {slot} {count}")
    for _ in range(100):
        args = point(op, count, rng)
        out = op.forward(*args)
        partial = op.derivatives(args, out, [True] * count)[slot]
        if partial is None:
            assert known is None
            continue
        assert known is not None
        values = {argument(name, i, count): x for i, x in enumerate(args)} | {"out": out}
        assert known(values) == near(partial, rel=1e-12), (args, out)


@pytest.mark.parametrize("name", FIXED)
def test_the_notation_computes_the_operation(name: str) -> None:
    op = ops.BY_NAME[name]
    args = point(op, op.arity, random.Random(name))
    values = dict(zip("xyz", args, strict=False))
    notation = ast.unparse(written(name, "xyz"[: op.arity], ast.Name))
    assert parse(notation)(values) == op.forward(*args)


@pytest.mark.parametrize(("name", "slot", "count"), all_rules())
def test_a_rule_is_well_formed(name: str, slot: int, count: int) -> None:
    known = rule(name, slot, count)
    if known is None:
        return
    assert Text()(known.tree).isprintable()
    check_latex(Latex()(known.tree))
    root = ElementTree.fromstring(formula(MathML()(known.tree)))
    assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
    assert all(slot_of(name, argument(name, i, count), count) == i for i in range(count))


def check_latex(text: str) -> None:
    """Braces, \\left and \\right, \\begin and \\end are balanced."""
    bare = re.sub(r"\\[\\{}]", "", text)
    depth = 0
    for c in bare:
        depth += {"{": 1, "}": -1}.get(c, 0)
        assert depth >= 0
    assert depth == 0
    assert len(re.findall(r"\\left\b", text)) == len(re.findall(r"\\right\b", text))
    assert text.count(r"\begin{") == text.count(r"\end{")


@pytest.mark.parametrize(
    ("name", "slot", "count", "text", "latex"),
    [
        ("mul", 0, 2, "y", "y"),
        ("div", 1, 2, "-x / y²", r"\frac{-x}{{y}^{2}}"),
        ("pow", 0, 2, "y·x**(y - 1)", r"y \cdot {x}^{y - 1}"),
        ("pow", 1, 2, "out·log(x)", r"\text{out} \cdot \log\left(x\right)"),
        ("tanh", 0, 1, "1 - out²", r"1 - {\text{out}}^{2}"),
        ("asin", 0, 1, "1 / √(1 - x²)", r"\frac{1}{\sqrt{1 - {x}^{2}}}"),
        ("erf", 0, 1, "2·exp(-x²) / √π", r"\frac{2 \cdot {e}^{-{x}^{2}}}{\sqrt{\pi}}"),
        (
            "relu",
            0,
            1,
            "1 if x > 0, else 0",
            r"\begin{cases} 1 & \text{if } x > 0 \\ 0 & \text{else} \end{cases}",
        ),
        ("dot", 4, 6, "x2", "x_{2}"),
        ("mean", 0, 3, "1 / 3", r"\frac{1}{3}"),
        ("prod", 1, 3, "x1·x3", r"x_{1} \cdot x_{3}"),
        ("prod", 1, 9, "out / x2", r"\frac{\text{out}}{x_{2}}"),
        ("logsumexp", 1, 3, "exp(x2 - out)", r"{e}^{x_{2} - \text{out}}"),
    ],
)
def test_rules_as_text_and_latex(name: str, slot: int, count: int, text: str, latex: str) -> None:
    known = rule(name, slot, count)
    assert known is not None
    assert (Text()(known.tree), Latex()(known.tree)) == (text, latex)


def test_unknown_operations_and_arguments() -> None:
    message = r"^the table has no operation 'cube', so there is no rule for it$"
    with pytest.raises(ValueError, match=message):
        rule("cube", 0, 1)
    with pytest.raises(ValueError, match=r"^mul has no argument 2 of 2$"):
        rule("mul", 2, 2)
    with pytest.raises(ValueError, match=r"^tanh has no argument 0 of 2$"):
        rule("tanh", 0, 2)


def test_rules_of_a_picture() -> None:
    """One per edge; none for constants, conditions and operations outside the table."""
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    cube = custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2)
    hand = Value(1.0, (a,), "tanh")
    drawing = picture(where(a.less(b), a * 2.0, cube(b)) + hand)
    rules = rules_of(drawing)
    found = {
        (drawing.nodes[edge.target].op, edge.slot): known and known["text"]
        for edge, known in zip(drawing.edges, rules, strict=True)
    }
    assert found == {
        ("less", 0): None,
        ("less", 1): None,
        ("mul", 0): "2",
        ("mul", 1): None,
        ("cube", 0): None,
        ("where", 0): None,
        ("where", 1): "1 if v1 ≠ 0, else 0",
        ("where", 2): "0 if v1 ≠ 0, else 1",
        ("tanh", 0): None,
        ("add", 0): "1",
        ("add", 1): "1",
    }
    for known in rules:
        if known is not None:
            assert set(known) == {"text", "mathml"}
            ElementTree.fromstring(known["mathml"])


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("a - (b - c)", "a - (b - c)"),
        ("a - b - c", "a - b - c"),
        ("a * (b + c)", "a·(b + c)"),
        ("(a + b) / (c * d)", "(a + b) / (c·d)"),
        ("a / b / c", "(a / b) / c"),
        ("a * (-b)", "a·(-b)"),
        ("-a * b", "-a·b"),
        ("-(a + b)", "-(a + b)"),
        ("a + -b * c", "a + (-b·c)"),
        ("(-a) ** 2", "(-a)²"),
        ("-a ** 2", "-a²"),
        ("a ** -2", "a⁻²"),
        ("a ** 0.5", "a**0.5"),
        ("(a ** 2) ** 3", "(a²)³"),
        ("sqrt(a)", "√a"),
        ("sqrt(a + b) ** 2", "(√(a + b))²"),
        ("abs(a - b) * 2", "|a - b|·2"),
        ("where(less_equal(a, 1), a, b) * 2", "(a if a ≤ 1, else b)·2"),
        ("1e-7 * a", "1e-07·a"),
    ],
)
def test_parentheses(expression: str, text: str) -> None:
    tree = parse(expression).tree
    assert Text()(tree) == text
    check_latex(Latex()(tree))
    ElementTree.fromstring(formula(MathML()(tree)))


@pytest.mark.parametrize(
    "label", ["<b>&\"'", "a\nb", "\x00\ud800", "$x_1^{2}\\%~#", "}", "…", " ", "日本"]
)
def test_any_label_is_escaped(label: str) -> None:
    tree = call("∂", [ast.Name(label), ast.Name("w12")])
    latex, mathml = Latex()(tree), formula(MathML()(tree))
    check_latex(latex)
    assert "w_{12}" in latex
    ElementTree.fromstring(mathml.encode())
    assert "\n" not in Text()(tree) + latex + mathml
    assert not re.search(r"(?<!\\)[$%#~]", latex)


def test_numbers_in_every_notation() -> None:
    shown = {
        x: (Text()(ast.Constant(x)), Latex()(ast.Constant(x)))
        for x in (2.0, -3.0, 1e-7, math.inf, -math.inf)
    }
    assert shown == {
        2.0: ("2", "2"),
        -3.0: ("-3", "-3"),
        1e-7: ("1e-07", r"1 \cdot {10}^{-7}"),
        math.inf: ("inf", r"\infty"),
        -math.inf: ("-inf", r"-\infty"),
    }
    assert Latex()(ast.Constant(math.nan)) == r"\mathrm{NaN}"


def test_many_arguments_are_elided() -> None:
    names = [f"a{i}" for i in range(100)]
    asked: list[str] = []

    def name(x: str) -> ast.expr:
        asked.append(x)
        return ast.Name(x)

    assert Text()(written("dot", names, name)) == "a0·a50 + a1·a51 + … + a49·a99"
    assert Text()(written("mean", names, name)) == "mean(a0, a1, …, a99)"
    assert Text()(written("prod", names[:3], name)) == "a0·a1·a2"
    assert Text()(written("cube", names[:1], name)) == "cube(a0)"
    assert len(asked) == 13
