"""grad, value_and_grad, jvp, vjp, jacobian, hessian, hvp: nesting, shapes, errors."""

import copy
import math
import pickle
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import (
    Value,
    compile,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    no_grad,
    ops,
    value_and_grad,
    vjp,
)

from ...near import near
from ..compiler.compiled import BACKENDS


def rosenbrock(x: Any) -> Any:
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def test_plain_numbers_give_plain_numbers() -> None:
    assert value_and_grad(lambda x: x**3)(2) == (8.0, 12.0)
    assert type(grad(lambda x: x**3)(2)) is float


def test_argnums() -> None:
    def function(x: Any, y: Any) -> Any:
        return x * y**2

    assert grad(function)(2.0, 3.0) == 9.0
    assert grad(function, argnums=1)(2.0, 3.0) == 12.0
    assert grad(function, argnums=(0, 1))(2.0, 3.0) == (9.0, 12.0)
    assert grad(function, argnums=-1)(2.0, 3.0) == grad(function, argnums=1)(2.0, 3.0) == 12.0
    assert grad(function, argnums=-2)(2.0, 3.0) == grad(function)(2.0, 3.0)


@pytest.mark.parametrize("row", [op for op in ops.TABLE if isinstance(op, ops.Variadic)], ids=str)
def test_forward_mode_with_plain_numbers_among_the_arguments(row: ops.Variadic) -> None:
    """At every position of a variadic operation; prod once looked for the tangent of a plain number."""
    for place in range(4):

        def function(x: Any, place: int = place) -> Any:
            return row(*(x if i == place else x * x if i == 3 - place else 0.75 for i in range(4)))

        value, slope = jvp(function, (0.5,), (1.0,))
        assert value == function(0.5)
        assert slope == near(grad(function)(0.5), rel=1e-14)
        second = hvp(function, (0.5,), (1.0,))
        assert second == near(hessian(function)(0.5), rel=1e-14)


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
    """Systems that confuse the perturbations of two levels get the later results wrong."""
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
    assert (along_x, along_y) == near(grad(function, (0, 1))(0.7, -1.3), rel=1e-14)


def test_jacobian_of_lists() -> None:
    rows = jacobian(lambda x: [x[0] * x[1], x[1], 5.0])([2.0, 3.0])
    assert rows == [[3.0, 2.0], [0.0, 1.0], [0.0, 0.0]]
    assert jacobian(lambda x: {"a": x**2, "b": 2 * x})(3.0) == {"a": 6.0, "b": 2.0}


def test_hessian_and_hvp() -> None:
    assert hessian(rosenbrock)([1.0, 1.0]) == [[802.0, -400.0], [-400.0, 200.0]]
    assert hvp(rosenbrock, ([1.0, 1.0],), ([1.0, 2.0],)) == [2.0, 0.0]
    assert hvp(lambda x, y: x**2 * y, (2.0, 3.0), (1.0, 0.0)) == (6.0, 4.0)
    assert hessian(rosenbrock)(np.array([1.0, 1.0])).tolist() == [[802.0, -400.0], [-400.0, 200.0]]


def test_jvp_of_several_outputs() -> None:
    value, tangent = jvp(lambda x: [x[0] * x[1], x[0] + 1], ([2.0, 3.0],), ([1.0, 0.0],))
    assert (value, tangent) == ([6.0, 3.0], [3.0, 1.0])


def test_vjp() -> None:
    def function(x: Any, y: Any) -> Any:
        return {"a": np.array([x[0] * y, x[1]]), "b": chainrule.sin(y), "c": 5.0}

    x, weights = np.array([2.0, 3.0]), {"c": 7.0, "b": 10.0, "a": np.array([1.0, -1.0])}
    value, (by_x, by_y) = vjp(function, (x, 0.5), weights)  # matched by name
    assert value["a"].tolist() == [1.0, 3.0]
    assert (by_x.tolist(), by_y) == ([0.5, -1.0], 2.0 + 10.0 * math.cos(0.5))
    compiled = compile(function, batch=None).vjp((x, 0.5), weights)[1]
    assert (by_x, by_y) == (near(compiled[0], rel=1e-15), near(compiled[1], rel=1e-15))
    assert vjp(lambda x: 3.0, (2.0,), 1.0) == (3.0, (0.0,))


def test_vjp_can_be_differentiated() -> None:
    assert grad(lambda x: vjp(lambda y: x * y**3, (x,), 1.0)[1][0])(2.0) == 3 * 3 * 2.0**2
    assert grad(lambda w: vjp(lambda y: y**3, (2.0,), w)[1][0])(5.0) == 12.0
    assert compile(lambda x: vjp(chainrule.sin, (x,), x)[1][0], batch=0)([0.3]) == near(
        [0.3 * math.cos(0.3)], rel=1e-15
    )


def test_jacobians_of_arrays_are_arrays_for_each_argument() -> None:
    """As in JAX, and as those of compiled functions: no array of tuples."""

    def function(x: Any, y: Any, d: Any) -> Any:
        return np.array([x[0] * y, x[1] * d["u"] * d["v"][1]])

    args = np.array([2.0, 3.0]), 5.0, {"u": 7.0, "v": [1.0, 2.0]}
    by_x, by_y, by_d = jacobian(function, (0, 1, 2))(*args)
    assert by_x.tolist() == [[5.0, 0.0], [0.0, 14.0]]
    assert by_y.tolist() == [2.0, 0.0]
    assert (by_d["u"].tolist(), by_d["v"]) == ([0.0, 6.0], [[0.0, 0.0], [0.0, 21.0]])
    found = compile(function, batch=None).jacobian(*args, argnums=(0, 1, 2))
    assert repr(found) == repr((by_x, by_y, by_d))


@pytest.mark.parametrize("y", [3.0, np.array([3.0, 4.0, 5.0])])
def test_hessians_of_arrays_are_blocks(y: Any) -> None:
    def function(x: Any, y: Any) -> Any:
        return x[0] ** 2 * x[1] * (y if np.ndim(y) == 0 else y[0] * y[2])

    x = np.array([1.0, 2.0])
    blocks = hessian(function, (0, 1))(x, y)
    found = compile(function, batch=None).hessian(x, y, argnums=(0, 1))
    for ours, theirs in zip(blocks, found, strict=True):
        for block, expected in zip(ours, theirs, strict=True):
            assert np.shape(block) == np.shape(expected)
            assert block == near(expected, rel=1e-15)
    assert blocks[0][1].shape == (2, *np.shape(y))


def test_a_non_finite_tangent_is_an_anomaly() -> None:
    with chainrule.detect_anomaly():
        with pytest.raises(chainrule.AnomalyError, match=r"the tangent of sqrt\(0\.0000\) is inf"):
            jvp(lambda x: chainrule.sqrt(x) * 2.0, (0.0,), (1.0,))
        assert jvp(chainrule.sqrt, (4.0,), (1.0,)) == (2.0, 0.25)


def test_captured_values_make_the_result_a_value() -> None:
    w = Value(3.0)
    slope = grad(lambda x: w * x**2)(2.0)
    assert isinstance(slope, Value)
    assert slope.data == 12.0
    slope.backward()
    assert w.grad == 4.0


def test_other_gradients_are_not_touched() -> None:
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
    """As in PyTorch, an explicitly requested derivative is still computed."""
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

    assert grad(newton)(2.0) == near(0.5 / math.sqrt(2.0), rel=1e-15)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: grad(lambda x: [x, x])(1.0), TypeError, "that returns one number, got a list of 2"),
        (lambda: grad(lambda x: "a")(1.0), TypeError, "expected a real number .* got str 'a'"),
        (lambda: grad(lambda x: x)("a"), TypeError, "expected a real number .* got str 'a'"),
        (
            lambda: grad(lambda x: x, argnums=1)(1.0),
            TypeError,
            "argnums is 1, but the call has 1 positional argument$",
        ),
        (lambda: grad(lambda x: x, argnums=(0, -1))(1.0), ValueError, "lists an argument twice"),
        (lambda: grad(lambda x: x)(x=1.0), TypeError, "argnums cannot choose keyword arguments"),
        (lambda: grad(lambda x: None)(1.0), TypeError, "the function returned None: is its return"),
        (lambda: grad([1, 2]), TypeError, "grad takes a function, got list"),
        (lambda: grad(abs, 3.0), TypeError, "argnums must be an int or a sequence of ints, got 3.0"),
        (lambda: grad(abs, "x"), TypeError, "argnums must be an int or a sequence of ints, got 'x'"),
        (lambda: jvp(abs, 3.0, 1.0), TypeError, r"jvp takes primals as a tuple .*\(x,\); got float"),
        (lambda: hvp(abs, (3.0,), 1.0), TypeError, "hvp takes tangents as a tuple"),
        (lambda: jvp(abs, (1.0,), (1.0, 2.0)), ValueError, "each of the 1 numbers in primals, got 2"),
        (lambda: jvp(max, ([1.0], [2.0, 3.0]), ([1.0, 2.0], [3.0])), ValueError, "1 numbers in primals"),
        (
            lambda: jvp(len, ({"a": 1.0},), ({"b": 1.0},)),
            ValueError,
            r"have the parts \['a'\], got \['b'",
        ),
        (lambda: vjp(abs, 1.0, 1.0), TypeError, r"vjp takes primals as a tuple .*\(x,\); got float"),
        (lambda: vjp(abs, (1.0,), [1.0, 2.0]), ValueError, "each of the 1 numbers in the result, got 2"),
    ],
)
def test_clear_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# --- equality inside derivatives -----------------------------------------------------------------


# Functions that use `==`, each with arguments for which its result matters.
BRANCHES: list[tuple[Any, ...]] = [
    (lambda x: 10.0 * x if x == 2 else x, (2.0,), (3.0,)),
    (lambda x: 1.0 if x == 0 else chainrule.sin(x) / x, (0.0,), (1.0,)),
    (lambda x, y: x * y if x == y else x + y, (3.0, 3.0), (3.0, 4.0)),
    (lambda x, y: x * x * y if 2 * x == y + y else x + y, (3.0, 3.0), (3.0, 4.0)),
    (lambda xs: sum(x * x for x in xs if x != 3.0), ([1.0, 3.0, 4.0],)),
    (lambda xs: 3.0 * xs[xs.index(max(xs))], ([1.0, 5.0, 4.0],)),
    (lambda xs: xs[0] * xs.count(xs[0]), ([2.0, 1.0, 2.0],)),
    (lambda x: 0.0 if x != x else 3.0 * x, (math.nan,), (1.0,)),
    (lambda x: grad(lambda t: t * t * x if t == x else t)(2.0), (2.0,), (3.0,)),
]


@pytest.mark.parametrize(
    ("function", "args"), [(function, args) for function, *many in BRANCHES for args in many]
)
def test_equality_takes_the_branch_of_a_plain_call(function: Any, args: tuple[Any, ...]) -> None:
    plain = function(*args)
    everything = tuple(range(len(args)))
    value, gradient = value_and_grad(function, everything)(*args)
    assert value == plain
    ones = tuple([1.0] * len(arg) if isinstance(arg, list) else 1.0 for arg in args)
    total = sum(g for part in gradient for g in (part if isinstance(part, list) else [part]))
    assert jvp(function, args, ones) == (plain, total)
    assert jacobian(function, everything)(*args) == gradient


def test_second_derivatives_take_the_same_branch() -> None:
    def cube_at_two(x: Any) -> Any:
        return x**3 if x == 2 else x

    assert grad(grad(cube_at_two))(2.0) == 12.0
    assert hessian(cube_at_two)(2.0) == 12.0
    assert hvp(cube_at_two, (2.0,), (1.0,)) == 12.0
    assert hessian(cube_at_two)(3.0) == 0.0


def test_parameters_compare_by_identity_inside_a_derivative() -> None:
    """As in eager and compiled training, because programs keep nodes in lists and sets."""
    first, second = Value(2.0), Value(2.0)

    def function(x: Any) -> Any:
        assert first != second
        assert first in [second, first]
        assert first not in [second]
        assert first * x != second * x
        assert first == 2.0  # a plain number compares as a number everywhere
        return x

    assert grad(function)(1.0) == 1.0


def test_a_value_and_a_number_compare_as_numbers() -> None:
    two = Value(2.0)
    for number in (2, 2.0, np.float64(2.0), np.int64(2), np.float32(2.0)):
        assert two == number
        assert number == two
        assert (two != number) is False
        assert bool(number != two) is False
    assert Value(1.0) == True  # noqa: E712
    assert two != Value(2.0)
    assert two == two
    assert two != 10**400
    assert two != "2"
    assert two is not None
    assert Value(math.nan) != math.nan
    assert Value(0.0) == -0.0
    assert list(np.array([1.0, 2.0]) == two) == [False, True]


@pytest.mark.parametrize(
    "function",
    [
        *(lambda x: x.data * 2, lambda x: Value(x.data) ** 2, lambda x: (x * x).data + 1.0),
        lambda x: grad(lambda t: t * x.data)(3.0),
    ],
)
def test_a_derivative_lost_by_reading_data_is_an_error(function: Any) -> None:
    lost = r"the gradient of an argument is lost: \.data was read at .*test_autodiff.py:\d+"
    with pytest.raises(ValueError, match=lost):
        grad(function)(2.0)
    with pytest.raises(ValueError, match=lost):
        jvp(function, (2.0,), (1.0,))


def test_a_derivative_lost_in_no_grad_is_an_error() -> None:
    def function(x: Any) -> Any:
        with no_grad():
            return x * 2

    with pytest.raises(ValueError, match=r"no_grad\(\) was entered at .*: with no_grad\(\):"):
        grad(function)(2.0)


def test_a_derivative_lost_for_one_of_two_arguments_is_an_error() -> None:
    def by_data(x: Any, y: Any) -> Any:
        return x.data * y

    def in_no_grad(x: Any, y: Any) -> Any:
        with no_grad():
            slope = x * 2
        return slope * y

    with pytest.raises(ValueError, match=r"lost: \.data was read"):
        grad(by_data, argnums=(0, 1))(2.0, 3.0)
    # no_grad() stops one gradient on purpose; if no gradient is left, it must be a mistake.
    assert grad(in_no_grad, argnums=(0, 1))(2.0, 3.0) == (0.0, 4.0)
    with pytest.raises(ValueError, match=r"lost: no_grad\(\) was entered"):
        grad(in_no_grad)(2.0, 3.0)


def test_a_derivative_lost_in_backward_is_an_error() -> None:
    def of_the_argument(x: Any) -> Any:
        y = x * x
        y.backward()
        return x.grad * 1.0

    def of_another_leaf(x: Any) -> Any:
        w = Value(1.0)
        (w * x * x).backward()
        return w.grad

    def with_a_graph(x: Any) -> Any:
        y = x * x
        y.backward(create_graph=True)
        return x.grad * 1.0

    for function in (of_the_argument, of_another_leaf):
        with pytest.raises(ValueError, match=r"lost: backward\(\) without create_graph was called at"):
            grad(function)(3.0)
    assert grad(with_a_graph)(3.0) == 2.0


def test_no_grad_inside_a_derivative_stops_gradients() -> None:
    """Results computed there compare as numbers, as arguments do; the derivative is a plain number."""

    def branch(x: Any, y: Any) -> Any:
        with no_grad():
            same = x * 1.0 == y * 1.0
        return 10.0 * x * y if same else x * y

    def product(x: Any) -> Any:
        with no_grad():
            slope = chainrule.max(x, 3 * x).tanh()
        return slope * x

    assert value_and_grad(branch, (0, 1))(2.0, 2.0) == (40.0, (20.0, 20.0))
    assert value_and_grad(branch, (0, 1))(2.0, 3.0) == (6.0, (3.0, 2.0))
    assert grad(product)(2.0) == math.tanh(6.0)
    assert type(grad(product)(2.0)) is float
    with pytest.raises(ValueError, match=r"lost: no_grad\(\) was entered"):
        hessian(product)(2.0)  # its gradient is cut off entirely


SQUARE = chainrule.custom_op("square", lambda x: x * x, lambda x, out: 2.0 * x)


def by_hand(x: Any) -> Any:
    return Value(x.data**2, (x,), "square")


@pytest.mark.parametrize("square", [SQUARE, by_hand, lambda x: chainrule.take([x, x * x], 1)])
def test_gradients_stop_at_every_kind_of_operation(square: Any) -> None:
    def branch(x: Any, y: Any) -> Any:
        with no_grad():
            same = square(x) == square(y)
        return 10.0 * x * y if same else x * y

    def product(x: Any) -> Any:
        with no_grad():
            s = square(x)
        assert s.is_leaf
        return s * x

    def read(x: Any, y: Any) -> Any:
        with no_grad():
            s = square(x)
        return s.data * y

    def detached(x: Any, y: Any) -> Any:
        return square(x).detach() * y

    assert value_and_grad(branch, (0, 1))(2.0, 2.0) == (40.0, (20.0, 20.0))
    assert value_and_grad(product)(2.0) == (8.0, 4.0)
    assert jvp(product, (2.0,), (1.0,)) == (8.0, 4.0)
    assert value_and_grad(detached, (0, 1))(2.0, 3.0) == (12.0, (0.0, 4.0))
    with pytest.raises(ValueError, match=r"lost: \.data was read"):
        grad(read, (0, 1))(2.0, 3.0)


def test_detached_values_behave_the_same_inside_and_outside_grad() -> None:
    """They are leaves: they accumulate gradients, can be assigned or optimised, have no backward()."""
    p = Value(4.0)

    def accumulates(x: Any, cut: Any) -> Any:
        w = cut(x)
        for _ in range(2):
            (w * w).backward()
        return w.grad * x

    def assigned(x: Any) -> Any:
        with no_grad():
            s = x * 2
        s.data = 1.0
        return s * x

    def of_something_changed(x: Any) -> Any:
        w = Value(2.0)
        with no_grad():
            s = w * 2
        w.data = 3.0
        return s * x

    def of_something_freed(x: Any) -> Any:
        h = p * x
        with no_grad():
            s = h * 2
        h.backward(retain_graph=False)
        return s * x

    def optimised(x: Any) -> Any:
        with no_grad():
            w = x * 1.0
        w.grad = 1.0
        chainrule.optim.SGD([w], lr=0.5).step()
        return w * x

    def calls_backward(x: Any) -> Any:
        with no_grad():
            y = x * 2
        y.backward()
        return x

    def in_no_grad(x: Any) -> Any:
        with no_grad():
            return x * 1.0

    for cut in (in_no_grad, lambda x: x.detach()):
        assert accumulates(Value(2.0), cut).data == 16.0
        assert value_and_grad(accumulates)(2.0, cut) == (16.0, 8.0)
    assert value_and_grad(assigned)(3.0) == (3.0, 1.0)
    assert value_and_grad(of_something_changed)(3.0) == (12.0, 4.0)
    assert value_and_grad(of_something_freed)(3.0) == (72.0, 24.0)
    assert value_and_grad(optimised)(3.0) == (7.5, 2.5)
    with pytest.raises(RuntimeError, match="computed inside no_grad"):
        grad(calls_backward)(1.0)


def test_a_derivative_lost_by_freeing_or_by_hand_is_an_error() -> None:
    def read_and_freed(x: Any) -> Any:
        y = x * x
        s = y.data
        y.backward(retain_graph=False)
        return s * 1.0

    def read_when_freed(x: Any) -> Any:
        y = x * x
        y.backward(retain_graph=False)
        return y.data * 1.0

    def of_another_leaf(x: Any) -> Any:
        w = Value(1.0)
        (w * x * x).backward(retain_graph=False)
        return w.grad

    def by_one_node(x: Any) -> Any:
        w = Value(1.0)
        y = w * x
        y.grad = 1.0
        y._backward()
        return w.grad

    for function in (read_and_freed, read_when_freed, of_another_leaf, by_one_node):
        with pytest.raises(ValueError, match="the gradient of an argument is lost"):
            grad(function)(3.0)
    with pytest.raises(ValueError, match="the gradient of an argument is lost"):
        jacobian(lambda x: [x.data * 2, x])(2.0)


def test_a_derivative_lost_in_an_inner_derivative_is_an_error() -> None:
    def outer(x: Any) -> Any:
        def inner(y: Any) -> Any:
            with no_grad():
                s = x * 2
            return s * y

        return grad(inner)(1.0)

    with pytest.raises(ValueError, match=r"lost: no_grad\(\) was entered"):
        grad(outer)(3.0)


def test_gradients_that_are_stopped_on_purpose_are_not_lost() -> None:
    w = Value(5.0)

    def logs(xs: Any) -> Any:
        with no_grad():
            scale = chainrule.max(xs)
            assert f"{scale.data}"
        return xs[0] * scale

    def detaches(x: Any, y: Any) -> Any:
        assert x.data
        return x.detach() * y

    def looks_elsewhere(x: Any) -> Any:
        with no_grad():
            assert (w * 2).data == 10.0
        return w * 1.0

    def only_detached(x: Any) -> Any:
        with no_grad():
            assert x * 2 > 0
        return x.detach() * w

    assert grad(logs)([1.0, 2.0]) == [2.0, 0.0]
    assert grad(detaches, (0, 1))(1.0, 2.0) == (0.0, 1.0)
    assert grad(looks_elsewhere)(2.0).data == 0.0
    assert grad(only_detached)(2.0).data == 0.0


def test_numpy_predicates_on_an_argument() -> None:
    """They return the same as for plain numbers, in a derivative and in a compiled function."""

    def asked(x: Any, y: Any) -> Any:
        if np.isnan(x) or np.isinf(x):
            return y
        return x * y if np.isfinite(x) and np.sign(x) > 0 else -y

    for x in (2.0, -2.0, 0.0, math.inf, -math.inf, math.nan):
        assert grad(asked, (0, 1))(x, 3.0) == grad(asked, (0, 1))(Value(x).data, 3.0)
        assert np.sign(Value(x)) == np.sign(x) or math.isnan(x)
        slopes = {2.0: (3.0, 2.0), -2.0: (0.0, -1.0), 0.0: (0.0, -1.0)}.get(x, (0.0, 1.0))
        assert grad(asked, (0, 1))(x, 3.0) == slopes
    numbers = np.array([2.0, -2.0, 0.0, np.inf, -np.inf, np.nan])
    expected = [asked(x, 3.0) for x in numbers]
    assert chainrule.compile(asked)(numbers, np.full(6, 3.0)).tolist() == expected


def test_copies_of_unrecorded_values_inside_a_derivative() -> None:
    w = Value(5.0)
    with no_grad():
        frozen = w * 2
    saved = pickle.dumps(frozen)
    assert grad(lambda x: copy.copy(frozen) * w)(2.0).data == 0.0
    assert chainrule.compile(lambda x: pickle.loads(saved) * x)([2.0, 3.0]).tolist() == [20.0, 30.0]


def test_functions_that_do_not_depend_on_their_arguments() -> None:
    w = Value(4.0)

    def prints(x: Any) -> Any:
        assert f"{x:.3f}" == "2.000"
        assert repr(x) == "Value(data=2.0000, grad=0.0000)"
        return 1.0

    assert grad(lambda x: w.data * 2)(2.0) == 0.0
    assert grad(prints)(2.0) == 0.0
    assert grad(lambda x: x.detach() * 2)(2.0) == 0.0
    assert grad(lambda x: x.detach() * x)(2.0) == 2.0
    assert grad(lambda x: x * x if x.data > 0 else x)(2.0) == 4.0  # .data only chooses the branch


@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives_of_plain_numbers_inside_a_compiled_function(backend: str) -> None:
    def function(x: Any) -> Any:
        slope = grad(lambda t: t**3 if t > 1 else t)(2.0)
        value, direction = jvp(lambda t: t * t, (3.0,), (1.0,))
        curvature = hessian(lambda t: t[0] ** 2 * t[1])([1.0, 2.0])[0][0]
        matrix = jacobian(lambda t: [t, t * t])(2.0)
        product = hvp(lambda t: t**3, (2.0,), (1.0,))
        both = value_and_grad(lambda t: t * t)(3.0)
        return x * slope + value + direction + curvature + sum(matrix) + product + sum(both)

    batch = np.array([1.0, 2.0])
    expected = [function(x) for x in batch]
    assert list(compile(function, backend=backend)(batch)) == expected


def test_equality_in_a_cyclic_graph() -> None:
    def function(x: Any) -> Any:
        knot = Value(1.0, (x,))
        knot.__init__(1.0, (knot * x,))  # type: ignore[misc]
        assert (knot == x) is (x.data == 1.0)
        return x

    assert grad(function)(1.0) == 1.0
    assert grad(function)(2.0) == 1.0


def test_forward_mode_stops_where_reverse_mode_does() -> None:
    """The selected branch is constant, so the infinite slope of cbrt at 0 does not matter."""

    def function(x: Any) -> Any:
        return chainrule.cbrt(chainrule.where(x > 5.0, x, 0.0)) + x

    assert grad(function)(2.0) == 1.0
    assert jvp(function, (2.0,), (1.0,)) == (2.0, 1.0)
    assert hessian(function)(2.0) == 0.0
    assert hvp(function, (2.0,), (1.0,)) == 0.0

    def slope(x: Any) -> Any:  # when compiled, `where` stays in the program
        return jvp(function, (x,), (1.0,))[1]

    compiled = compile(slope)(np.array([2.0, 8.0]))
    assert compiled.tolist() == near([1.0, 1.0 + 1.0 / 12.0], rel=1e-15)


FIVE = Value(5.0)


def test_a_copy_of_an_argument_depends_on_it() -> None:
    """Copying an argument does not detach it."""
    for twin in (copy.copy, copy.deepcopy, lambda x: copy.deepcopy({"a": [x]})["a"][0]):
        assert grad(lambda x, twin=twin: twin(x) * x)(3.0) == 6.0
        assert hessian(lambda x, twin=twin: twin(x * x) * x)(3.0) == 18.0
        assert grad(lambda x, twin=twin: twin(FIVE) * x)(3.0).data == 5.0
