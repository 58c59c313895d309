"""grad, value_and_grad, jvp, jacobian, hessian, hvp: nesting, shapes, errors."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, grad, hessian, hvp, jacobian, jvp, value_and_grad


def rosenbrock(x: Any) -> Any:
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def test_numbers_in_numbers_out() -> None:
    assert value_and_grad(lambda x: x**3)(2) == (8.0, 12.0)
    assert type(grad(lambda x: x**3)(2)) is float


def test_argnums() -> None:
    def function(x: Any, y: Any) -> Any:
        return x * y**2

    assert grad(function)(2.0, 3.0) == 9.0
    assert grad(function, argnums=1)(2.0, 3.0) == 12.0
    assert grad(function, argnums=(0, 1))(2.0, 3.0) == (9.0, 12.0)
    assert grad(function, argnums=-1)(2.0, 3.0) == 12.0


def test_trees() -> None:
    Point = namedtuple("Point", "x y")

    def function(tree: Any) -> Any:
        return tree["a"] * tree["b"][0] + tree["c"].x * tree["c"].y ** 2

    tree = {"a": 2, "b": [3.0, 4.0], "c": Point(5.0, 6.0)}
    assert grad(function)(tree) == {"a": 3.0, "b": [2.0, 0.0], "c": Point(36.0, 60.0)}


def test_numpy_arrays() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    gradient = grad(lambda m: (m @ m).sum())(matrix)
    assert gradient.dtype == float
    assert gradient.tolist() == [[7.0, 11.0], [9.0, 13.0]]
    result = jacobian(lambda x: matrix @ x)(np.array([1.0, 1.0]))
    assert result.tolist() == matrix.tolist()
    assert jacobian(lambda m: m @ np.ones(2))(matrix).shape == (2, 2, 2)


def test_nested_in_every_way() -> None:
    """The last ones are wrong in systems that confuse the perturbations of the two levels."""
    assert grad(grad(lambda x: x**4))(2.0) == 48.0
    assert grad(lambda x: x * grad(lambda y: x * y)(1.0))(3.0) == 6.0
    assert grad(lambda x: x * jvp(lambda y: x + y, (1.0,), (1.0,))[1])(1.0) == 1.0
    assert grad(lambda x: grad(lambda y: y * y * x)(x))(3.0) == 12.0
    assert jvp(grad(lambda x: x**3), (2.0,), (1.0,)) == (12.0, 12.0)
    assert jvp(lambda x: jvp(lambda y: x * y**2, (x,), (1.0,))[1], (3.0,), (1.0,)) == (18.0, 12.0)
    assert grad(lambda x: sum(hessian(rosenbrock)([x, 1.0])[0]))(2.0) == 2400 * 2.0 - 400.0


def test_forward_and_reverse_agree() -> None:
    def function(x: Any, y: Any) -> Any:
        return chainrule.sin(x * y) / (1 + chainrule.exp(-x)) + chainrule.atan2(y, x)

    along_x = jvp(function, (0.7, -1.3), (1.0, 0.0))[1]
    along_y = jvp(function, (0.7, -1.3), (0.0, 1.0))[1]
    assert (along_x, along_y) == pytest.approx(grad(function, (0, 1))(0.7, -1.3), rel=1e-14)


def test_jacobian_of_lists() -> None:
    assert jacobian(lambda x: [x[0] * x[1], x[1], 5.0])([2.0, 3.0]) == [
        [3.0, 2.0],
        [0.0, 1.0],
        [0.0, 0.0],
    ]
    assert jacobian(lambda x: {"a": x**2, "b": 2 * x})(3.0) == {"a": 6.0, "b": 2.0}


def test_hessian_and_hvp() -> None:
    assert hessian(rosenbrock)([1.0, 1.0]) == [[802.0, -400.0], [-400.0, 200.0]]
    assert hvp(rosenbrock, ([1.0, 1.0],), ([1.0, 2.0],)) == [2.0, 0.0]
    assert hvp(lambda x, y: x**2 * y, (2.0, 3.0), (1.0, 0.0)) == (6.0, 4.0)
    assert hessian(rosenbrock)(np.array([1.0, 1.0])).tolist() == [[802.0, -400.0], [-400.0, 200.0]]


def test_jvp_of_several_outputs() -> None:
    value, tangent = jvp(lambda x: [x[0] * x[1], x[0] + 1], ([2.0, 3.0],), ([1.0, 0.0],))
    assert (value, tangent) == ([6.0, 3.0], [3.0, 1.0])


def test_values_of_ones_own_make_the_result_a_value() -> None:
    w = Value(3.0)
    slope = grad(lambda x: w * x**2)(2.0)
    assert isinstance(slope, Value)
    assert slope.data == 12.0
    slope.backward()
    assert w.grad == 4.0


def test_gradients_of_others_are_not_touched() -> None:
    w = Value(3.0)
    w.grad = 7.0
    x = Value(2.0)
    assert grad(lambda x: w * x**2)(x).data == 12.0
    assert (w.grad, x.grad) == (7.0, 0.0)


def test_constants_and_unused_arguments() -> None:
    assert grad(lambda x: 3.0)(2.0) == 0.0
    assert grad(lambda x, y: y * 2.0, argnums=0)(2.0, 1.0) == 0.0
    assert grad(lambda x: x)(2.0) == 1.0
    assert jvp(lambda x: 5, (1.0,), (1.0,)) == (5.0, 0.0)


def test_inside_no_grad() -> None:
    """As in PyTorch, a derivative asked for explicitly is computed all the same."""
    with chainrule.no_grad():
        assert grad(lambda x: x**3)(2.0) == 12.0
        assert grad(grad(lambda x: x**3))(2.0) == 12.0
        assert (Value(2.0) * 3).is_leaf


def test_keywords_are_passed_on() -> None:
    assert grad(lambda x, *, power: x**power)(2.0, power=3) == 12.0


def test_reverse_mode_through_python_control_flow() -> None:
    def newton(a: Any) -> Any:
        x = a
        for _ in range(20):
            x = 0.5 * (x + a / x)
        return x

    assert grad(newton)(2.0) == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-15)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: grad(lambda x: [x, x])(1.0), TypeError, "one number as its result, got a list of 2"),
        (lambda: grad(lambda x: "a")(1.0), TypeError, "expected a real number .* got str 'a'"),
        (lambda: grad(lambda x: x)("a"), TypeError, "expected a real number .* got str 'a'"),
        (lambda: grad(lambda x: x, argnums=1)(1.0), TypeError, "argument 1, but the call has 1"),
        (lambda: grad(lambda x: x, argnums=(0, -1))(1.0), ValueError, "names an argument twice"),
        (lambda: grad(lambda x: x)(x=1.0), TypeError, "those given by name cannot be chosen"),
        (lambda: grad(lambda x: None)(1.0), TypeError, "the function returned None: does it end"),
        (lambda: grad([1, 2]), TypeError, "grad takes a function, got list"),
        (lambda: grad(abs, 3.0), TypeError, "argnums must be an int or several of them, got 3.0"),
        (lambda: grad(abs, "x"), TypeError, "argnums must be an int or several of them, got 'x'"),
        (
            lambda: jvp(abs, 3.0, 1.0),
            TypeError,
            r"jvp takes primals as a tuple .* such as \(x,\); got float",
        ),
        (lambda: hvp(abs, (3.0,), 1.0), TypeError, "hvp takes tangents as a tuple"),
        (
            lambda: jvp(lambda x: x, (1.0,), (1.0, 2.0)),
            ValueError,
            "each of the 1 numbers in primals, got 2",
        ),
    ],
)
def test_clear_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
