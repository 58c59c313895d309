"""The named cases in which common formulas or well-known systems give a wrong result.

The correct values are facts of calculus. docs/numerics.md says what goes wrong elsewhere, and its
table has the same rows as this one. Each row is tested on the core in use and on every compile and
export target.
"""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, grad, log_softmax, logsumexp, softmax, softplus, where
from chainrule.value import c_core

from ..conftest import require
from ..near import near
from ..unit.compiler import test_export as export

INF, NAN = math.inf, math.nan
PAGE = Path(__file__).resolve().parents[2] / "docs" / "numerics.md"


def partials(function: object, *args: float) -> list[float]:
    leaves = [Value(x) for x in args]
    function(*leaves).backward()  # type: ignore[operator]
    return [leaf.grad for leaf in leaves]


# --- the table of docs/numerics.md -----------------------------------------------------------------

Case = tuple[Callable[..., Any], tuple[float, ...], float, list[float]]  # arguments, value, partials


def power(x: Any, y: Any) -> Any:
    return x**y


def quotient(x: Any, y: Any) -> Any:
    return x / y


def safe(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: where(chainrule.less(0.0, x), function(x), 3 * x)


ROWS: dict[str, list[Case]] = {
    "slope of tanh at 20": [
        (chainrule.tanh, (20.0,), 1.0, [1.6993417021166355e-17]),
        (chainrule.tanh, (-300.0,), -1.0, [4 * math.exp(-600)]),
    ],
    "slope of sigmoid at 40": [
        (chainrule.sigmoid, (40.0,), 1.0, [4.248354255291589e-18]),
        (chainrule.sigmoid, (-40.0,), 4.248354255291589e-18, [4.248354255291589e-18]),
    ],
    "sigmoid, softplus, log-sigmoid, logsumexp, softmax of any argument": [
        (chainrule.sigmoid, (1e308,), 1.0, [0.0]),
        (chainrule.sigmoid, (-1e308,), 0.0, [0.0]),
        (softplus, (1e308,), 1e308, [1.0]),
        (softplus, (-1e308,), 0.0, [0.0]),
        (chainrule.log_sigmoid, (1e308,), 0.0, [0.0]),
        (chainrule.log_sigmoid, (-1e308,), -1e308, [1.0]),
        (lambda x, y: logsumexp([x, y]), (1e308, -1e308), 1e308, [1.0, 0.0]),
        (lambda x, y: logsumexp([x, y]), (1000.0, 1000.0), 1000.0 + math.log(2.0), [0.5, 0.5]),
        (lambda x, y: softmax([x, y])[0], (1000.0, 1000.0), 0.5, [0.25, -0.25]),
        (lambda x, y: softmax([x, y])[1], (8e307, -8e307), 0.0, [0.0, 0.0]),
        (lambda x, y: log_softmax([x, y])[1], (8e307, -8e307), -1.6e308, [-1.0, 1.0]),
    ],
    "slope of softplus at +inf": [(softplus, (INF,), INF, [1.0]), (softplus, (-INF,), 0.0, [0.0])],
    "logsumexp of -inf, -inf": [(lambda x, y: logsumexp([x, y]), (-INF, -INF), -INF, [0.0, 0.0])],
    "∂(x/y)/∂y at 1e200/1e200": [(quotient, (1e200, 1e200), 1.0, [1e-200, -1e-200])],
    "∂(x/y)/∂y for subnormal x": [
        (quotient, (3e-323, 1e-20), 3e-323 / 1e-20, [1e20, -3e-323 * 1e20 * 1e20])
    ],
    "∂(x**y)/∂x at 0**1": [(power, (0.0, 1.0), 0.0, [1.0, 0.0])],
    "∂(x**y)/∂x at 0**0": [(power, (0.0, 0.0), 1.0, [0.0, 0.0]), (lambda x: x**0.0, (0.0,), 1.0, [0.0])],
    "∂(x**y)/∂y at 0**y, y > 0": [(power, (0.0, 2.5), 0.0, [0.0, 0.0])],
    "∂(x**y)/∂y at 0**0": [(lambda y: 0.0**y, (0.0,), 1.0, [0.0])],
    "negative base, integer exponent n": [(power, (-2.0, 3.0), -8.0, [12.0, NAN])],
    "(-8)**(1/3)": [(lambda x: x ** (1 / 3), (-8.0,), NAN, [NAN])],
    "sqrt(0)": [(chainrule.sqrt, (0.0,), 0.0, [INF])],
    "log(0), log(-1)": [(chainrule.log, (0.0,), -INF, [INF]), (chainrule.log, (-1.0,), NAN, [NAN])],
    "exp(1000), 1/0, 0**-1": [
        (chainrule.exp, (1000.0,), INF, [INF]),
        (lambda x: 1 / x, (0.0,), INF, [-INF]),
        (lambda x: x**-1, (0.0,), INF, [-INF]),
    ],
    "abs(0), relu(0)": [(abs, (0.0,), 0.0, [0.0]), (chainrule.relu, (0.0,), 0.0, [0.0])],
    "maximum, minimum, max, min on a tie": [
        (function, (2.0, 2.0), 2.0, [0.5, 0.5])
        for function in (chainrule.maximum, chainrule.minimum, chainrule.max, chainrule.min)
    ],
    "the branch of `where` that was not taken": [
        (safe(chainrule.sqrt), (0.0,), 0.0, [3.0]),
        (safe(chainrule.log), (0.0,), 0.0, [3.0]),
        (safe(lambda x: 1 / x), (0.0,), 0.0, [3.0]),
        (safe(lambda x: x**-2.0), (0.0,), 0.0, [3.0]),
    ],
    "slope of log_normal_cdf at -50": [
        (chainrule.log_normal_cdf, (-50.0,), -1254.8313611394199, [50.01998403190564])
    ],
    "logaddexp of equal infinities": [
        (chainrule.logaddexp, (INF, INF), INF, [0.5, 0.5]),
        (chainrule.logaddexp, (-INF, -INF), -INF, [0.0, 0.0]),
    ],
    "xlogy(0, 0)": [(chainrule.xlogy, (0.0, 0.0), 0.0, [0.0, 0.0])],
    "1e300 % 7": [(lambda x, y: x % y, (1e300, 7.0), 1.0, [1.0, -1.4285714285714286e299])],
    "hypot(0, 0), atan2(0, 0)": [
        (chainrule.hypot, (0.0, 0.0), 0.0, [0.0, 0.0]),
        (chainrule.atan2, (0.0, 0.0), 0.0, [0.0, 0.0]),
    ],
    "hypot(1e308, 1e308)": [
        (chainrule.hypot, (1e308, 1e308), math.sqrt(2.0) * 1e308, [math.sqrt(0.5)] * 2),
        (chainrule.hypot, (1.7e308, 1.7e308), INF, [math.sqrt(0.5)] * 2),
    ],
}
# Higher derivatives, which are computed with Values: a function, the point, and the result.
HIGHER: dict[str, tuple[Callable[..., Any], list[float], Any]] = {
    "third derivative of tanh at 0": (grad(grad(grad(chainrule.tanh))), [0.0], -2.0),
    "∂²(xyz)/∂x∂y at 0, 0, z": (
        grad(grad(lambda x, y, z: chainrule.prod([x, y, z])), argnums=1),
        [0.0, 0.0, 5.0],
        5.0,
    ),
}
CASES = [
    pytest.param(name, i, id=name if len(cases) == 1 else f"{name} ({i + 1})")
    for name, cases in ROWS.items()
    for i in range(len(cases))
]


def test_the_documentation_has_these_rows() -> None:
    table = PAGE.read_text().partition("| case |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|]*?) \|", table, re.MULTILINE) == [*ROWS, *HIGHER]


def agree(found: Sequence[float], expected: Sequence[float], ulps: float = 4) -> None:
    assert list(found) == near(list(expected), ulps=ulps, nan_ok=True)


@pytest.mark.parametrize(("name", "i"), CASES)
def test_a_row_in_eager_mode(name: str, i: int) -> None:
    function, args, value, slopes = ROWS[name][i]
    leaves = [Value(x) for x in args]
    out = function(*leaves)
    out.backward()
    agree([out.data, *(leaf.grad for leaf in leaves)], [value, *slopes])


@pytest.mark.parametrize("name", HIGHER)
def test_a_row_of_higher_order(name: str) -> None:
    function, args, expected = HIGHER[name]
    assert function(*args) == expected


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("name", "i"), CASES)
def test_a_row_compiled(name: str, i: int, backend: str) -> None:
    if backend == "native" and c_core is None:
        pytest.skip("needs the C core")
    function, args, value, slopes = ROWS[name][i]
    step = compile(function, backend=backend, reduction="none")
    found, grads = step.value_and_grad(*([x] * 3 for x in args), argnums=range(len(args)))
    for k in range(3):
        agree([found[k], *(slope[k] for slope in grads)], [value, *slopes])


@pytest.mark.skipif(chainrule.core == "python", reason="tests a backend, not a core")
@pytest.mark.parametrize(("name", "i"), [row for row in CASES if "subnormal" not in str(row.id)])
def test_a_row_in_jax(name: str, i: int) -> None:
    """Subnormal numbers are left out, because XLA flushes them to 0 on a CPU."""
    jax = require("jax")
    function, args, value, slopes = ROWS[name][i]
    with jax.enable_x64(True):
        f = compile(function).to_jax(*([x] for x in args))
        point = lambda *xs: f({}, xs[0][None] if len(xs) == 1 else tuple(x[None] for x in xs))[0]  # noqa: E731
        found, grads = jax.value_and_grad(point, argnums=tuple(range(len(args))))(*map(np.float64, args))
    agree([float(found), *map(float, grads)], [value, *slopes])


def exported(language: str) -> tuple[dict[str, str], list[export.Call], list[list[float]]]:
    """For every row, the source of a program, its call, and the expected result."""
    sources, calls, results = {}, [], []
    for row in CASES:
        name, i = row.values
        function, args, value, slopes = ROWS[str(name)][int(str(i))]
        program = f"row{len(calls)}"
        leaves = [Value(x) for x in args]
        out = function(*leaves)
        out.label = program
        sources[program] = export.of_value(out, [], leaves).source(language)
        calls.append((program, [], args))
        results.append([value, *slopes])
    return sources, calls, results


@pytest.mark.skipif(chainrule.core == "python", reason="tests a backend, not a core")
def test_rows_in_c(tmp_path: Path) -> None:
    sources, calls, results = exported("c")
    library = export.build(tmp_path, sources)
    for call, expected in zip(calls, results, strict=True):
        agree(export.flat(export.in_c(library, call)), expected)


@pytest.mark.skipif(chainrule.core == "python", reason="tests a backend, not a core")
def test_rows_in_javascript(tmp_path: Path) -> None:
    """JavaScript's functions may differ in the last digits."""
    sources, calls, results = exported("javascript")
    for found, expected in zip(export.in_javascript(tmp_path, sources, calls), results, strict=True):
        agree(export.flat(found), expected, ulps=64)


# --- more cases of `where` -------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [chainrule.sqrt, chainrule.log, lambda x: 1 / x, lambda x: x**-2.0])
def test_the_branch_not_taken_gets_no_gradient(bad: Callable[[Any], Any]) -> None:
    """Even where its value or derivative is infinite or NaN; this includes second derivatives."""
    assert partials(safe(bad), 0.0) == [3.0]
    assert grad(grad(safe(bad)))(0.0) == 0.0
    assert math.isfinite(grad(grad(safe(bad)))(2.0))


def test_a_value_shared_by_both_branches() -> None:
    def function(x: Value) -> Value:
        root = x.sqrt()
        return where(chainrule.less(0.0, x), root, x) + 2 * x

    assert partials(function, 0.0) == [3.0]


def test_nested_where() -> None:
    def function(x: Value) -> Value:
        inner = where(chainrule.less(x, 1.0), x, x.log())
        return where(chainrule.less(0.0, x), 1 / x, inner * 2)

    assert partials(function, 0.0) == [2.0]
    assert partials(function, -1.0) == [2.0]
    assert partials(function, 2.0) == [-0.25]
