"""Expressions as text: their results, and a whitelist that lets nothing else through."""

import math
import re
from typing import Any

import pytest

from chainrule import Value, ops
from chainrule.inspect.expressions import FUNCTIONS, LONGEST, Expression, ExpressionError, parse

from ...near import near

VALUES = {"a": 2.0, "b": -3.0, "x": 0.5}


def evaluate(text: str, **values: Any) -> Any:
    return parse(text)(values or VALUES)


# --- results -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("a", 2.0), ("3", 3.0), ("-a", -2.0), ("+a", 2.0), ("--a", 2.0), ("(a + b) * a", -2.0)),
        *(("a + b * a - b / a", 2.0 - 6.0 + 1.5), ("a - b - a", 3.0), ("a ** 3 ** 2", 512.0)),
        *(("-a ** 2", -4.0), ("2 ** -1", 0.5), ("1e3 + 1_000 + 0x10 + .5", 2016.5), ("  a*b  ", -6.0)),
        *(("a # and a comment", 2.0), ("(a\n+ b)", -1.0), ("pi", math.pi), ("e ** x", math.e**0.5)),
        *(("tanh(a*b + a**2)", math.tanh(-2.0)), ("max(a, b, 7)", 7.0), ("mean(a, b)", -0.5)),
        *(("hypot(a, b)", math.hypot(2.0, -3.0)), ("where(less(a, b), a, b)", -3.0)),
        *(("leaky_relu(b)", -0.03), ("leaky_relu(b, 0.5)", -1.5), ("1 / 0", math.inf)),
        *(("0 ** -1", math.inf), ("log(0)", -math.inf), ("9 ** 9 ** 9", math.inf)),
        *(("9 ** 9 ** 9 ** 9 ** 9", math.inf), ("1e999", math.inf)),
    ],
)
def test_values(text: str, expected: float) -> None:
    result = evaluate(text)
    assert result == near(expected, rel=1e-15)
    assert isinstance(result, float)
    on_values = parse(text)({name: Value(x) for name, x in VALUES.items()})
    assert (on_values.data if isinstance(on_values, Value) else on_values) == result


def test_undefined_results_are_nan() -> None:
    for text in ("(-8) ** (1/3)", "log(-1)", "0 / 0", "sqrt(b)"):
        assert math.isnan(evaluate(text))


def test_gradients() -> None:
    a, b = Value(2.0), Value(-3.0)
    parse("tanh(a*b + a**2)")({"a": a, "b": b}).backward()
    slope = 1 - math.tanh(-2.0) ** 2
    assert (a.grad, b.grad) == near((slope * (-3.0 + 4.0), slope * 2.0), rel=1e-14)


@pytest.mark.parametrize("op", ops.TABLE, ids=lambda op: op.name)
def test_every_operation_of_the_table_is_a_function(op: ops.Op) -> None:
    assert op.name in FUNCTIONS


def test_names() -> None:
    expression = parse("b*a + b - pi*e + tanh(c)")
    assert expression.names == ("b", "a", "c")
    assert (expression.text, parse(" 1 ").names) == ("b*a + b - pi*e + tanh(c)", ())
    assert isinstance(expression, Expression)


def test_missing_and_unused_names() -> None:
    with pytest.raises(ExpressionError, match=r"^no value for b, c: write b=1\.5$"):
        parse("a + b + c")({"a": 1.0})
    assert parse("a")({"a": 1.0, "unused": 2.0}) == 1.0


def test_wrong_numbers_of_arguments() -> None:
    for text, message in [
        ("tanh()", "tanh takes 1 argument, got 0"),
        ("tanh(a, b)", "tanh takes 1 argument, got 2"),
        ("max()", "max needs at least 1 value, got none"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            evaluate(text)


# --- errors --------------------------------------------------------------------------------------


NOT_ALLOWED = [
    *(("a.__class__", "Attribute"), ("tanh.__globals__", "Attribute"), ("lambda x: x", "Lambda")),
    *(("[x for x in a]", "ListComp"), ("{x for x in a}", "SetComp"), ("{x: x for x in a}", "DictComp")),
    *(("[a]", "List"), ("(a, b)", "Tuple"), ("{a: b}", "Dict"), ("a[0]", "Subscript")),
    *(("a and b", "BoolOp"), ("await a", "Await"), ("f'{a}'", "JoinedStr")),
]
NO_FUNCTIONS = [
    *(("__import__('os')", "__import__"), ("eval('1')", "eval"), ("open('/etc/passwd')", "open")),
    *(("a(b)", "a"), ("pi(1)", "pi"), ("tanh(a)(b)", "that"), ("(lambda: 1)()", "that")),
    ("().__class__.__bases__[0].__subclasses__()", "that"),
]
NO_NUMBERS = [
    *(("'abc'", "'abc'"), ("'a' * 10 ** 10", "'a'"), ("b'abc'", "b'abc'"), ("1j", "1j")),
    *(("True", "True"), ("None", "None"), ("...", "Ellipsis"), ("'\\z'", "'\\\\z'")),
]
CHOICE = "write a choice as where(less(a, b), x, y), a comparison as less(a, b)"
REJECTED = [
    *((text, f"{node} is not allowed at column 1") for text, node in NOT_ALLOWED),
    ("1 + a.real", "Attribute is not allowed at column 5"),
    ("max(x for x in a)", "GeneratorExp is not allowed at column 4"),
    ("(a := 3)", "NamedExpr is not allowed at column 2"),
    *((text, f"{name} is not a chainrule function at column 1") for text, name in NO_FUNCTIONS),
    ("2 * f(a)", "f is not a chainrule function at column 5"),
    ("tanh", "tanh is a function: write tanh(...) at column 1"),
    ("tanh(tanh)", "tanh is a function: write tanh(...) at column 6"),
    *(
        (text, "only plain arguments are allowed at column 1")
        for text in ("tanh(*a)", "tanh(**a)", "leaky_relu(a, negative_slope=1)")
    ),
    *((text, f"{CHOICE} at column 1") for text in ("a if b else a", "a < b", "1if a else b")),
    *((text, f"{what} is not a number at column 1") for text, what in NO_NUMBERS),
    *(
        (text, "only + - * / ** are allowed at column 1")
        for text in ("a // b", "a % b", "a @ b", "1 << 10 ** 10", "~a", "not a")
    ),
    ("a ^ b", "write a power with **, as in a**2 at column 1"),
]


@pytest.mark.parametrize(("text", "message"), REJECTED)
def test_the_whitelist(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=f"^{re.escape(message)}$"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "a b", "a =", "a = 3", "a; b", "a\nb", "tanh(a", "a)", "*a", "a ** ", "yield", "#"),
        *("1__0", "01", "a!", "\0", "a\0b", "１", "\ud800", "import os", "def f(): pass"),
    ],
    ids=repr,
)
def test_text_that_is_not_an_expression(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(ExpressionError, match=r"^'\(' was never closed at column 5: tanh\(a$"):
        parse("tanh(a")
    with pytest.raises(ExpressionError, match=r"^invalid syntax at column 3: a b$"):
        parse("a b")


# --- large expressions ---------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [309, 400, 4000, 5000])
def test_integers_too_large_for_a_float(digits: int) -> None:
    with pytest.raises(ExpressionError):
        evaluate("9" * digits)


def test_the_longest_expression() -> None:
    assert evaluate("a".ljust(LONGEST)) == 2.0
    with pytest.raises(ExpressionError, match=rf"^the expression is longer than {LONGEST} characters$"):
        parse("a" * (LONGEST + 1))


@pytest.mark.parametrize("count", [50, 200, 700, *range(850, 1000, 5), 1100, 2400, 4900])
@pytest.mark.parametrize("piece", ["-", "a+", "a/", "a**"], ids=repr)
def test_chains_of_any_length(piece: str, count: int) -> None:
    """They are computed or rejected, with no other error, however deep the caller's stack is."""
    try:
        result = evaluate(piece * count + "a", a=Value(1.0))
    except ExpressionError:
        assert count > 200
    else:
        assert abs(result.data) == (count + 1 if piece == "a+" else 1.0)


@pytest.mark.parametrize("depth", [10, 60, 100, 199, 500, 3000])
@pytest.mark.parametrize("opening", ["(", "tanh(", "-(", "max(a,"], ids=repr)
def test_nesting_of_any_depth(opening: str, depth: int) -> None:
    try:
        evaluate(opening * depth + "a" + ")" * depth, a=Value(1.0))
    except ExpressionError:
        assert depth > 60
