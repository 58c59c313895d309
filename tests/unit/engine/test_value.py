"""The basics of a Value: construction, attributes, operators, repr. Runs on the core in use."""

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, ops
from chainrule.support import graph

from ...near import near

NUMBERS = [2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), np.int8(2), np.bool_(True)]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]


def test_user_attributes_do_not_collide_with_internal_names() -> None:
    names = [
        *("_data", "_grad", "_number", "_gradient", "_text", "_row", "_name", "_inputs", "_closure"),
        *("_time", "_constant", "_overwritten", "_freed", "_unrecorded", "_site", "_arguments"),
        *("_topological", "_node", "_by_hand", "_set", "_check", "_step", "_attributes", "value", "id"),
    ]
    a, b = Value(2.0, label="a"), Value(3.0)
    y = a * b
    for v in (a, b, y):
        for name in names:
            setattr(v, name, name)
    y.backward()
    assert (a.grad, b.grad, y.op, y._op, repr(a)) == (
        *(3.0, 2.0, "mul", "*"),
        "Value(data=2.0000, grad=3.0000, label='a')",
    )
    a.data = 5.0
    assert y.forward().data == 15.0
    assert vars(y) == {name: name for name in names}


def test_a_new_value() -> None:
    v = Value(2)
    assert (v.data, v.grad, v.label, v.op, v._op) == (2.0, 0.0, "", "", "")
    assert v.inputs == ()
    assert v._prev == set()
    assert v._children == v._local_grads == ()
    assert v.is_leaf
    assert not v.is_constant


@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: type(x).__name__)
def test_any_real_number_makes_a_value(number: Any) -> None:
    assert Value(number).data == float(number)
    assert type(Value(number).data) is float


@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_numbers_on_either_side(op: Callable[[Any, Any], Any], number: Any) -> None:
    v = Value(3.0)
    left, right = op(number, v), op(v, number)
    assert type(left) is type(right) is Value
    assert left.data == op(float(number), 3.0)
    assert right.data == op(3.0, float(number))
    right.backward()
    x = float(number)
    slopes = {"add": 1.0, "sub": 1.0, "mul": x, "truediv": 1 / x, "pow": x * 3.0 ** (x - 1)}
    assert v.grad == near(slopes[op.__name__], ulps=4)


def test_builtin_functions() -> None:
    a, b = Value(2.0), Value(-3.0)
    assert sum([a, b]).data == -1.0
    assert abs(b).data == 3.0
    assert (-a).data == -2.0
    assert (+a).data == 2.0
    assert max([a, b]) is a
    assert min([a, b]) is b
    assert sorted([a, b]) == [b, a]


def test_repr_and_format() -> None:
    assert repr(Value(2)) == "Value(data=2.0000, grad=0.0000)"
    assert repr(Value(2, label="a")) == "Value(data=2.0000, grad=0.0000, label='a')"
    assert repr(Value(1e-9)) == "Value(data=1.000e-9, grad=0.0000)"
    assert repr(Value(-1e20)) == "Value(data=-1.000e20, grad=0.0000)"
    assert repr(Value(math.inf)) == "Value(data=inf, grad=0.0000)"
    assert repr(Value(math.nan)) == "Value(data=nan, grad=0.0000)"
    assert f"{Value(2.0):.3f}" == "2.000"
    assert f"{Value(2.0):>8.1f}" == "     2.0"
    assert f"{Value(2.0)}" == "Value(data=2.0000, grad=0.0000)"
    assert str(Value(2.0)) == repr(Value(2.0))


def test_values_are_equal_by_identity_and_ordered_by_data() -> None:
    a, b = Value(2.0), Value(2.0)
    assert a == a
    assert a != b
    assert a == 2.0
    assert len({a, b}) == 2
    assert a <= b
    assert not a < b
    assert a > 1
    assert a >= np.float64(2)
    assert a < 2.5
    assert not Value(math.nan) < 1


def test_inputs_are_ordered_and_keep_duplicates() -> None:
    a, b = Value(2.0), Value(3.0)
    assert (a - b).inputs == (a, b)
    assert (a + a).inputs == (a, a)
    assert (a + a)._prev == {a}
    assert (a / b)._op == "/"
    assert (a / b).op == "div"
    assert a.tanh()._op == "tanh"


def test_a_constant_becomes_a_node_when_accessed() -> None:
    a = Value(3.0)
    out = 2 - a
    two, second = out.inputs
    assert second is a
    assert two.data == 2.0
    assert two.is_constant
    assert two.is_leaf
    assert out.inputs[0] is two
    out.backward()
    assert (two.grad, a.grad) == (0.0, -1.0)
    assert graph.arguments(out) == (2.0, a)


def test_every_operation_is_a_method_and_a_function() -> None:
    for op in ops.TABLE:
        assert callable(getattr(Value, op.name))
        assert callable(getattr(chainrule, op.name))
        assert op.name in chainrule.__all__ or hasattr(builtins, op.name)
        for alias in op.aliases:
            assert callable(getattr(Value, alias))


def test_variadic_methods_include_the_value_itself() -> None:
    v = Value(5.0)
    assert v.max(3.0, Value(4.0)).data == 5.0
    assert v.min(7).data == 5.0
    assert v.sum().data == 5.0
    assert v.sum(1, 2).data == 8.0
    assert v.mean(1).data == 3.0
    assert v.prod(2).data == 10.0
    assert v.dot(3).data == 15.0
    assert v.logsumexp(5.0).data == near(5.0 + math.log(2.0), ulps=4)


@pytest.mark.parametrize("op", [op for op in ops.TABLE if op.arity in (1, 2)], ids=lambda op: op.name)
def test_method_function_and_float_agree(op: ops.Op) -> None:
    args = (1.5, 0.75)[: op.arity] if op.domain[1] > 1.0 else (0.5,)
    v, *rest = (Value(x) for x in args)
    by_method = getattr(v, op.name)(*rest)
    by_function = getattr(chainrule, op.name)(v, *rest)
    on_floats = getattr(chainrule, op.name)(*args)
    assert type(on_floats) is float
    assert by_method.data == by_function.data == on_floats


def test_defaults_of_activations() -> None:
    assert Value(-2.0).leaky_relu().data == -0.02
    assert Value(-2.0).leaky_relu(0.5).data == -1.0
    assert chainrule.leaky_relu(Value(-2.0), negative_slope=0.5).data == -1.0
    assert Value(-2.0).elu().data == math.expm1(-2.0)
    assert chainrule.elu(-2.0, alpha=3.0) == 3.0 * math.expm1(-2.0)


def test_the_where_method_takes_its_arguments_in_pytorchs_order() -> None:
    a, b = Value(1.0), Value(2.0)
    assert a.where(True, b).data == 1.0
    assert a.where(False, b).data == 2.0
    assert chainrule.where(a > b, a, b).data == 2.0


def test_detach_cuts_the_graph() -> None:
    a = Value(2.0)
    b = (a * 3).detach()
    assert b.data == 6.0
    assert b.is_leaf
    (a * b).backward()
    assert (a.grad, b.grad) == (6.0, 2.0)


def test_assigning_data_and_grad() -> None:
    a = Value(2.0)
    a.data -= 0.5
    a.grad = np.float32(3)
    assert (a.data, a.grad) == (1.5, 3.0)
    assert type(a.grad) is float
