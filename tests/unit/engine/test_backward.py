"""The backward pass: accumulation, resets, guards, custom operations, threads."""

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import chainrule
from chainrule import (
    AnomalyError,
    GraphFreedError,
    StaleValueError,
    Value,
    check_gradients,
    custom_op,
    detect_anomaly,
    grad,
    nn,
    optim,
    take,
)
from chainrule.support import graph

from ...near import near


def test_a_value_used_twice_gets_both_contributions() -> None:
    a = Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0
    b = Value(3.0)
    (b * b * b).backward()
    assert b.grad == 27.0


def test_leaf_gradients_accumulate_and_interior_ones_do_not() -> None:
    a, b = Value(2.0), Value(3.0)
    product = a * b
    out = product + a
    out.backward()
    first = (a.grad, b.grad, product.grad, out.grad)
    out.backward()
    assert first == (4.0, 2.0, 1.0, 1.0)
    assert (a.grad, b.grad, product.grad, out.grad) == (8.0, 4.0, 1.0, 1.0)


def test_reset_and_zero_grad() -> None:
    a = Value(2.0)
    out = a * 5
    out.backward()
    out.backward(reset=True)
    assert a.grad == 5.0
    out.zero_grad()
    assert (a.grad, out.grad) == (0.0, 0.0)


def test_backward_with_an_initial_gradient() -> None:
    a = Value(2.0)
    (a * a).backward(0.5)
    assert a.grad == 2.0
    leaf = Value(1.0)
    leaf.backward()
    leaf.backward(gradient=3)
    assert leaf.grad == 4.0


def test_freed_graph() -> None:
    a = Value(2.0)
    inner = a * 3
    out = inner + 1
    out.backward(retain_graph=False)
    assert a.grad == 3.0
    message = (
        r"was freed by backward\(retain_graph=False\)\. Pass retain_graph=True there to "
        r"differentiate it again, or build the expression again\.$"
    )
    for again in (out, inner, inner * 2):
        with pytest.raises(GraphFreedError, match=message):
            again.backward()
    assert a.grad == 3.0
    assert not out.is_leaf
    (a * 2).backward()
    assert a.grad == 5.0


def test_stale_values_are_detected() -> None:
    a, b = Value(2.0, label="a"), Value(3.0)
    out = (a * b).tanh()
    a.data = 5.0
    message = (
        r"'a' \(data=5.0000\) was changed after the result of '\*' was computed from it, so the "
        r"gradients would be wrong. Call forward\(\) on the output to recompute it, or build the "
        r"expression again."
    )
    with pytest.raises(StaleValueError, match=message):
        out.backward()
    assert (a.grad, b.grad) == (0.0, 0.0)
    assert out.forward() is out
    assert out.data == math.tanh(15.0)
    out.backward()
    assert b.grad == grad(lambda x: (5.0 * x).tanh())(3.0)


def test_an_overwritten_result_is_detected() -> None:
    a = Value(2.0)
    product = a * 3
    out = product + 1
    product.data = 100.0
    with pytest.raises(StaleValueError, match="was changed after"):
        out.backward()
    message = (
        r"the result of '\*' \(data=100.0000\) was computed and then overwritten, so the gradients would"
    )
    with pytest.raises(StaleValueError, match=message):
        product.backward()
    out.forward()
    assert (product.data, out.data) == (6.0, 7.0)
    out.backward()
    assert a.grad == 3.0


def test_assigning_the_same_number_again_has_no_effect() -> None:
    a = Value(2.0)
    out = a * 3
    a.data = 2.0
    out.backward()
    assert a.grad == 3.0


class TestClosures:
    """The style of the classic tutorials: Value(x, (a, b), '*') and out._backward = closure."""

    @staticmethod
    def multiply(a: Value, b: Value) -> Value:
        out = Value(a.data * b.data, (a, b), "*")

        def backward() -> None:
            a.grad += b.data * out.grad
            b.grad += a.data * out.grad

        out._backward = backward
        return out

    def test_mixed_with_built_in_operations(self) -> None:
        a, b = Value(2.0), Value(3.0)
        out = (self.multiply(a + 1, b) * 2).tanh() + self.multiply(a, a)
        out.backward()
        expected = grad(lambda x, y: ((x + 1) * y * 2).tanh() + x * x, argnums=(0, 1))(2.0, 3.0)
        assert (a.grad, b.grad) == near(expected, ulps=2)
        assert out.inputs[1]._op == "*"
        assert out.inputs[1].op == "*"

    def test_an_exception_leaves_all_gradients_unchanged(self) -> None:
        a = Value(2.0)
        broken = Value(4.0, (a,), "broken")

        def fail() -> None:
            a.grad += 100.0
            raise KeyboardInterrupt

        broken._backward = fail
        out = broken * 2 + a * 3
        (a * 7).backward()
        with pytest.raises(KeyboardInterrupt):
            out.backward()
        assert (a.grad, broken.grad, out.grad) == (7.0, 0.0, 0.0)

    def test_a_node_without_a_backward_function(self) -> None:
        out = Value(4.0, (Value(2.0),), "square")
        message = "'square' was defined by hand but has no _backward: assign one"
        with pytest.raises(TypeError, match=message):
            out.backward()

    def test_recomputing_needs_a_formula(self) -> None:
        a, b = Value(2.0), Value(3.0)
        out = self.multiply(a, b) + 1
        out.forward()
        a.data = 5.0
        with pytest.raises(TypeError, match=r"cannot recompute through '\*': it was defined by hand"):
            out.forward()
        assert out.data == 7.0

    def test_recomputing_detects_a_change_deeper_in_the_graph(self) -> None:
        a = Value(2.0)
        inner = a + 1
        out = self.multiply(inner, inner)
        a.data = 5.0
        with pytest.raises(TypeError, match=r"cannot recompute through"):
            out.forward()
        assert (inner.data, out.data) == (3.0, 9.0)
        with pytest.raises(StaleValueError):
            out.backward()

    def test_higher_derivatives_and_copies_need_a_formula(self) -> None:
        out = self.multiply(Value(2.0), Value(3.0))
        with pytest.raises(TypeError, match=r"cannot differentiate again through '\*'"):
            out.backward(create_graph=True)
        with pytest.raises(TypeError, match=r"cannot copy through '\*'"):
            copy.deepcopy(out)

    def test_step_by_step_as_in_the_lectures(self) -> None:
        """Set the last gradient and call _backward by hand, node by node."""
        x1, w1, b = Value(2.0), Value(-3.0), Value(6.0)
        product = x1 * w1
        total = product + b
        out = total.tanh()
        out.grad = 1.0
        out._backward()
        total._backward()
        product._backward()
        x1._backward()
        assert (x1.grad, w1.grad, b.grad) == (-3.0, 2.0, 1.0)

    def test_a_backward_written_by_the_learner(self) -> None:
        a, b = Value(2.0), Value(-3.0)
        out = (a * b + a**2).tanh()
        order: list[Any] = []
        seen = set()

        def visit(v: Any) -> None:
            if v not in seen:
                seen.add(v)
                for child in v._prev:
                    visit(child)
                order.append(v)

        visit(out)
        out.grad = 1.0
        for v in reversed(order):
            v._backward()
        mine = (a.grad, b.grad)
        out.backward(reset=True)
        assert mine == near((a.grad, b.grad), rel=1e-15)


class TestCustomOp:
    cube = staticmethod(custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2))

    def test_value_and_derivatives_of_every_order(self) -> None:
        a = Value(2.0)
        out = self.cube(a * 2) + 1
        out.backward()
        assert (out.data, a.grad, out.inputs[0].op) == (65.0, 96.0, "cube")
        assert grad(grad(self.cube))(2.0) == 12.0
        assert grad(grad(grad(self.cube)))(2.0) == 6.0
        assert self.cube(2.0) == 8.0
        assert check_gradients(out)

    def test_recompute_copy_and_jvp(self) -> None:
        a = Value(2.0)
        out = self.cube(a)
        a.data = 3.0
        assert out.forward().data == 27.0
        assert copy.deepcopy(out).inputs[0] is not a
        assert chainrule.jvp(self.cube, (2.0,), (1.0,)) == (8.0, 12.0)

    def test_two_arguments_one_without_a_derivative(self) -> None:
        scaled = custom_op("scaled", lambda x, n: x * n, (lambda x, n, out: n, None))
        a, n = Value(2.0), Value(3.0)
        scaled(a, n).backward()
        assert (a.grad, n.grad) == (3.0, 0.0)

    def test_an_exception_inside_a_partial(self) -> None:
        bad = custom_op("bad", lambda x: x, lambda x, out: 1 / 0)
        a = Value(2.0)
        out = bad(a) + a
        with pytest.raises(ZeroDivisionError):
            out.backward()
        assert a.grad == 0.0

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("", abs, abs), "^custom_op needs a name, got ''$"),
            (("tanh", abs, abs), "^the table already has an operation 'tanh'"),
            (("f", 3, abs), "^forward must be callable, got int$"),
            (("f", abs, [3]), "^a partial must be callable or None, got int$"),
            (("f", 3, 4), "partials must be functions, one for each argument, got int"),
            (("f", lambda x, y: x * y, [lambda x, out: 1.0]), r"forward must take 1 argument, the arg"),
            (("f", lambda x: x, lambda x: 1.0), r"a partial must take 2 arguments, the arguments and"),
            (("f", abs, []), "^custom_op needs one partial derivative for each argument, got none$"),
        ],
    )
    def test_bad_definitions(self, arguments: Any, message: str) -> None:
        with pytest.raises(ValueError if "table" in message else TypeError, match=message):
            custom_op(*arguments)

    def test_wrong_number_of_arguments(self) -> None:
        with pytest.raises(TypeError, match="cube takes 1 argument, got 2"):
            self.cube(Value(1.0), 2.0)


class TestCreateGraph:
    def test_gradients_are_values(self) -> None:
        x = Value(3.0)
        (x**3).backward(create_graph=True)
        first = x.grad
        assert isinstance(first, Value)
        assert first.data == 27.0
        x.grad = 0.0
        first.backward()
        assert x.grad == 18.0

    def test_accumulation_and_a_value_as_the_initial_gradient(self) -> None:
        x, seed = Value(3.0), Value(2.0)
        out = x * x
        out.backward(seed, create_graph=True)
        out.backward(create_graph=True)
        assert x.grad.data == 18.0
        total = x.grad
        seed.grad = 0.0
        total.backward()
        assert seed.grad == 6.0

    def test_the_derivative_can_be_recomputed_on_the_other_branch(self) -> None:
        x = Value(1.0)
        out = chainrule.where(chainrule.less(0.0, x), x**2, x**3)
        out.backward(create_graph=True)
        slope = x.grad
        assert slope.data == 2.0
        x.data = -2.0
        assert slope.forward().data == 12.0

    def test_plain_backward_after_create_graph(self) -> None:
        x = Value(3.0)
        out = x * x
        out.backward(create_graph=True)
        out.backward()
        assert isinstance(x.grad, Value)
        assert x.grad.data == 12.0
        out.backward(reset=True)
        assert x.grad == 6.0


class TestAnomaly:
    def test_a_value_names_the_operation_its_inputs_and_the_line(self) -> None:
        a = Value(-1.0)
        message = r"log\(-1.0000\) is nan, at .*test_backward.py:\d+: a.log\(\)"
        with detect_anomaly(), pytest.raises(AnomalyError, match=message):
            a.log()
        assert math.isnan(a.log().data)

    def test_the_error_names_the_users_line_for_library_functions_too(self) -> None:
        line = r"at .*test_backward.py:\d+: chainrule.softmax"
        with detect_anomaly(), pytest.raises(AnomalyError, match=line):
            chainrule.softmax([Value(math.inf), 1.0])

    def test_a_gradient_names_the_operation_and_the_line(self) -> None:
        message = (
            r"the gradient of sqrt\(0.0000\) with respect to input 0 is inf \(the gradient it received "
            r"was 2.0000\); "
            r"it was computed at .*test_backward.py:\d+: out = a.sqrt\(\) \* 2"
        )
        with detect_anomaly():
            a = Value(0.0)
            out = a.sqrt() * 2
            with pytest.raises(AnomalyError, match=message):
                out.backward()
        assert (a.grad, out.grad) == (0.0, 0.0)

    def test_a_gradient_of_an_expression_built_before_the_mode_was_entered(self) -> None:
        out = Value(0.0).sqrt()
        message = "build the expression inside detect_anomaly"
        with detect_anomaly(), pytest.raises(AnomalyError, match=message):
            out.backward()

    def test_finite_numbers_pass(self) -> None:
        with detect_anomaly():
            a = Value(2.0)
            out = (a * 3).tanh() + chainrule.dot([a, a], [1.0, 2.0])
            out.backward()
        assert a.grad == near(3.0 + 3 / math.cosh(6) ** 2, ulps=4)


def test_threads_with_separate_graphs_give_exact_results() -> None:
    results: dict[int, float] = {}

    def work(k: int) -> None:
        for _ in range(200):
            x = Value(1.0 + k)
            out = x
            for _ in range(50):
                out = out * x.sin() + x
            out.backward()
            results[k] = x.grad

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    again = dict(results)
    for k in range(4):
        work(k)
    assert results == again


def test_copy_and_pickle_keep_everything() -> None:
    a, b = Value(2.0, label="a"), Value(3.0)
    out = (a * b + 2.0).tanh() + take([a, b], 1)
    out.backward()
    for twin in (copy.deepcopy(out), pickle.loads(pickle.dumps(out))):
        nodes, twins = graph.topological(out), graph.topological(twin)
        assert [repr(v) for v in nodes] == [repr(v) for v in twins]
        assert [v.op for v in nodes] == [v.op for v in twins]
        assert not set(nodes) & set(twins)
        twin.backward(reset=True)
        assert twins[0].grad == a.grad
    shallow = copy.copy(out)
    assert shallow is not out
    assert shallow.inputs == out.inputs


def test_copying_a_stale_graph_is_an_error() -> None:
    a = Value(2.0)
    out = a * 3
    a.data = 5.0
    with pytest.raises(StaleValueError):
        copy.deepcopy(out)


def test_an_optimiser_step_makes_the_old_loss_stale() -> None:
    model = nn.Neuron(2, seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loss = nn.mse_loss([model([1.0, 2.0])], [1.0])
    loss.backward()
    optimizer.step()
    message = r"was changed after the result of '.*' was computed from it"
    with pytest.raises(StaleValueError, match=message):
        loss.backward()
