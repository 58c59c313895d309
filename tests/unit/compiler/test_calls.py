"""Calls that are planned: the second call gives the bits of the first, whatever happened in between."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import AnomalyError, Value, compile, detect_anomaly, grad, log, no_grad, tanh, where
from chainrule.compiler.calls import quick
from chainrule.value import c_core

from .compiled import RNG

pytestmark = pytest.mark.skipif(
    c_core is None or chainrule.core != "c", reason="only the compiled core plans calls"
)
W = Value(0.7)
MATRIX = RNG.normal(size=(5, 3))


def row(x: Any) -> Any:
    return tanh(x[0] * W) + x[1] * x[2]


def several(x: Any, y: Any) -> Any:
    return {"sum": x[0] + y, "all": [x * y, W * y], "name": "three"}


def bits(tree: Any) -> Any:
    """The result as text that tells every bit and every type."""
    if isinstance(tree, dict):
        return {name: bits(part) for name, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(bits(part) for part in tree)
    if isinstance(tree, np.ndarray):
        return tree.shape, tree.dtype, tree.tobytes()
    return type(tree), repr(tree)


def planned(step: Any) -> int:
    return len(step.plans.known)


CALLS: list[tuple[Any, dict[str, Any], tuple[Any, ...]]] = [
    (row, {}, (MATRIX,)),
    (row, {"dtype": np.float32}, (MATRIX,)),
    (row, {"reduction": "sum"}, (MATRIX,)),
    (row, {"reduction": "none"}, (MATRIX,)),
    (row, {"batch": 0}, (MATRIX[:1],)),
    (row, {"batch": None}, (MATRIX[0],)),
    (row, {"batch": None, "dtype": np.float32}, (MATRIX[0],)),
    (row, {}, (MATRIX.astype(np.float32),)),
    (row, {}, (MATRIX.astype(">f8"),)),
    (row, {}, (np.asfortranarray(MATRIX),)),
    (row, {}, (MATRIX[::-2],)),
    (row, {}, (np.arange(12).reshape(4, 3),)),
    (lambda x, y: x * W + y, {}, (MATRIX[:, 0], np.arange(5))),
    (lambda x, y: x * W + y, {"batch": None}, (0.25, 3)),
    (lambda x, y: x * W + y, {"batch": None}, (np.float64(0.25), np.array(2.0))),
    (lambda x: W * 2.0, {}, (MATRIX,)),
    (lambda x: -0.0 * x * W, {}, (np.ones(3),)),
    (lambda x: (x * W).sum(), {"batch": None}, (MATRIX,)),
    (lambda x: (x @ x.T)[0, 0] * W, {}, (RNG.normal(size=(2, 3, 3)),)),
]


@pytest.mark.parametrize(("function", "options", "args"), CALLS)
def test_planned_calls_give_the_bits_of_the_first(
    function: Any, options: dict[str, Any], args: tuple[Any, ...]
) -> None:
    step = compile(function, **options)
    first = bits(step(*args))
    assert planned(step) == 1
    assert bits(step(*args)) == bits(step(*args)) == first
    for argnums in (None, "params", 0):
        slow = bits(step.value_and_grad(*args, argnums=argnums))
        before = planned(step)
        assert bits(step.value_and_grad(*args, argnums=argnums)) == slow
        assert bits(step.grad(*args, argnums=argnums)) == slow[1]
        assert planned(step) == before >= 2


def test_results_of_any_structure() -> None:
    step = compile(several, batch=None)
    args = np.array([1.0, 2.0]), 3.0
    first = bits(step(*args))
    assert bits(step(*args)) == first
    assert planned(step) == 1
    with pytest.raises(TypeError, match="returns one Value"):
        step.value_and_grad(*args)


@pytest.mark.parametrize(
    ("function", "options", "args"),
    [
        (lambda x: x if x > 0 else -x, {}, (np.ones(3),)),  # a branch
        (lambda x, y: x * y, {"batch": (0, None)}, (np.ones(3), 2.0)),  # a shared number
        (lambda x, y: x * y, {}, (np.ones(3), 2.0)),  # a number for all samples
        (lambda x: x["a"] * 2.0, {}, ({"a": np.ones(3)},)),
        (lambda x: x[0] * 2.0, {"batch": None}, ([1.0, 2.0],)),
        (lambda x: x * 2.0, {"batch": 1}, (np.ones((2, 3)),)),
        (lambda x: x * 2.0, {"axes": 2}, (np.ones((2, 3)),)),
        (lambda x: x * 2.0, {"backend": "numpy"}, (np.ones(3),)),
        (lambda x: x * chainrule.random.normal(), {}, (np.ones(3),)),
    ],
)
def test_other_calls_are_not_planned(function: Any, options: dict[str, Any], args: Any) -> None:
    step = compile(function, **options)
    step(*args)
    step.value_and_grad(*args, argnums=0) if options.get("batch") != 1 else None
    assert planned(step) == 0


def test_a_planned_call_sees_new_parameters_and_new_traces() -> None:
    w, scale = Value(2.0), [3.0]
    step = compile(lambda x: x * w * scale[0])
    assert [step(np.ones(1)).item() for _ in range(2)] == [6.0, 6.0]
    w.data = 5.0
    assert step(np.ones(1)) == [15.0]
    scale[0] = 1.0
    assert step(np.ones(1)) == [15.0]
    step.retrace()
    assert [step(np.ones(1)).item() for _ in range(2)] == [5.0, 5.0]


def test_a_trace_of_another_shape_may_find_new_parameters() -> None:
    a, b = Value(2.0), Value(3.0)
    step = compile(lambda x: x[0] * a if len(x) == 1 else x[0] * a + x[1] * b)
    assert [step.grad(np.ones((1, 1))).tolist() for _ in range(2)] == [[1.0], [1.0]]
    assert [step.grad(np.ones((1, 2))).tolist() for _ in range(2)] == [[1.0, 1.0]] * 2
    assert [step.grad(np.ones((1, 1))).tolist() for _ in range(2)] == [[1.0, 0.0]] * 2


def test_modes_and_values_are_respected_after_planning() -> None:
    step = compile(lambda x: log(x), batch=None)
    assert [step(1.0), step(1.0)] == [0.0, 0.0]
    assert grad(step)(2.0) == 0.5
    value = step(Value(1.0))
    assert isinstance(value, Value)
    with no_grad():
        assert step(1.0) == 0.0
    assert [step(0.0), step(0.0)] == [-np.inf] * 2
    with detect_anomaly(), pytest.raises(AnomalyError):
        step(0.0)
    outer = compile(lambda x: step(x) * 2.0, batch=None)
    assert [outer(1.0), outer(1.0)] == [0.0, 0.0]


def test_arguments_that_only_look_alike() -> None:
    step = compile(lambda x: x * 2.0)
    data = np.frombuffer(b"." + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64)
    assert not data.flags.aligned
    for given in (np.arange(3.0), data, np.broadcast_to(1.0, 3), np.arange(6.0)[::2]):
        assert step(given).tolist() == (given * 2.0).tolist()
    assert planned(step) == 1
    with pytest.raises(TypeError, match="masked entries"):
        step(np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]))
    with pytest.raises(TypeError, match="array of real numbers"):
        step(np.array(["a", "b", "c"]))
    assert step([1.0, 2.0, 3.0]).tolist() == [2.0, 4.0, 6.0]
    assert step(x=np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


def test_plans_are_few_and_hold_no_data() -> None:
    step = compile(lambda x: where(x > 0, x, -x))
    for n in range(1, 200):
        step(np.ones(n))
    assert planned(step) <= quick.MOST_PLANS
    assert all(not plan.frame.blocks for plan in step.plans.known.values())


def test_threads_share_plans() -> None:
    step = compile(row)
    expected = step.value_and_grad(MATRIX)[0], step(MATRIX)

    def work(_: int) -> bool:
        same = all(step.value_and_grad(MATRIX)[0] == expected[0] for _ in range(50))
        return same and all(np.array_equal(step(MATRIX), expected[1]) for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
