"""Graphs for the tests of `viz`."""

import math
import random
from collections.abc import Callable
from typing import Any

from chainrule import Value, custom_op, nn, ops, sqrt, take, where
from chainrule import sum as functional_sum
from chainrule.support import graph


def expression(nodes: int, seed: int = 0) -> Any:
    """A random expression with exactly this many nodes, shared parts and one result, after backward."""
    rng = random.Random(seed)
    leaves = max(1, nodes // 5)
    unused: list[Any] = [Value(rng.uniform(0.5, 1.5), label=f"x{i}") for i in range(leaves)]
    known = list(unused)
    for left in range(nodes - leaves, 0, -1):
        a = unused.pop(rng.randrange(len(unused)))
        kind = 2 if len(unused) >= left else rng.randrange(3)
        if kind == 0:
            out = rng.choice([a.tanh, a.sin, a.sigmoid])()
        else:
            new = kind == 2 and unused
            b = unused.pop(rng.randrange(len(unused))) if new else rng.choice(known[-20:])
            out = rng.choice([lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b])(a, b)
        unused.append(out)
        known.append(out)
    (result,) = unused
    result.backward()
    return result


def network(*sizes: int, samples: int = 1) -> tuple[Any, nn.Module]:
    """The loss of a network, and the network."""
    model = nn.MLP(sizes[0], list(sizes[1:]), seed=0)
    rng = random.Random(0)
    errors = [model([rng.random() for _ in range(sizes[0])]) - rng.random() for _ in range(samples)]
    loss = sum(error**2 for error in errors)
    loss.backward()
    return loss, model


# --- one graph for every case that a picture must handle ---------------------------------------------

Graph = Callable[[], Any]  # returns a Value, or a list of them


def _row(op: ops.Op) -> Graph:
    """The operation on leaves, at a point in its domain; times 3, so that its gradient is not 1."""

    def make() -> Any:
        rng = random.Random(op.name)
        low, high = max(op.domain[0], -2.0), min(op.domain[1], 2.0)
        count = 3 * op.width if isinstance(op, ops.Variadic) else op.arity
        leaves = [Value(rng.uniform(low, high), label=f"x{i}") for i in range(count)]
        return _differentiated(op(*leaves) * 3.0)

    return make


def _differentiated(out: Any) -> Any:
    out.backward()
    return out


def _leaves(*numbers: float) -> list[Any]:
    return [Value(x, label=name) for x, name in zip(numbers, "abcdefgh", strict=False)]


def by_hand(x: Any, op: str = "cube") -> Any:
    """x**3 with its derivative in `_backward`, as in the tutorials."""
    out = Value(x.data**3, (x,), op)

    def backward() -> None:
        x.grad += 3.0 * x.data**2 * out.grad

    out._backward = backward
    return out


def _by_hand(op: str) -> Graph:
    def make() -> Any:
        a, b, c = _leaves(2.0, 3.0, 0.5)
        return _differentiated(by_hand(a * b, op) * c + a.tanh())  # a is used inside and outside it

    return make


def _custom() -> Any:
    a, b, c = _leaves(0.3, 2.0, -1.5)
    gate = custom_op("gate", lambda x, y: x * y, (lambda x, y, out: y, None))  # y has no derivative
    return _differentiated(gate(a.tanh(), b.exp()) * c)


def _untaken() -> Any:
    """An infinite slope in the branch that was not selected: no gradient flows there, and nothing is
    NaN.
    """
    a, b = _leaves(1.0, 0.0)
    return _differentiated(where(a, a * 2.0, sqrt(b * 3.0)))


def _untaken_with_an_infinite_gradient() -> Any:
    """The branch not selected contributes 0, not 0 times infinity."""
    a, b = _leaves(1.0, 2.0)
    out = where(a, a * 2.0, b)
    out.backward(math.inf)
    return out


def _take() -> Any:
    index, a, b, c = Value(1.0, label="index"), *_leaves(5.0, 6.0, 7.0)
    return _differentiated(take([a, b, c], index) * a)


def _special(*numbers: float) -> Graph:
    def make() -> Any:
        leaves = _leaves(*numbers)
        return _differentiated(functional_sum([x * x + x * 2.0 - x.relu() for x in leaves]) + leaves[0])

    return make


def _sizes() -> Any:
    a, b, c = _leaves(1e300, 5e-324, -1.5e-7)
    return _differentiated(a * c + b / c + a / 1e10 - (b + 1.0).log() * 123456.789)


def _cancelling() -> Any:
    """The gradient of a is 0.0 or 1.0, depending on the order in which backward adds."""
    a, b = _leaves(1.0, 2.0)
    return _differentiated(a * 1e16 + a * b.detach() - a * 1e16 + b)


def _shared() -> Any:
    a, b = _leaves(0.7, -1.2)
    c = a * b
    return _differentiated(c * c + c.tanh() * a + c - c)


def _labels() -> Any:
    a, b = Value(2.0, label='<b>&"\\n'), Value(3.0, label="")
    c = Value(4.0, label='<b>&"\\n')
    out = a * b + c
    out.label = "</script>"
    return _differentiated(out)


def _before() -> Any:
    a, b = _leaves(2.0, 3.0)
    return a * b + a


def _twice() -> Any:
    out = _before()
    out.backward()
    out.backward()
    return out


def _other_gradient() -> Any:
    out = _before()
    out.backward(-2.5)
    return out


def _of_another_result() -> Any:
    """The gradients belong to a result outside the picture."""
    a, b = _leaves(2.0, 3.0)
    untaken = b.log()
    out = where(a, a * b, untaken)
    (out * 3.0 + untaken).backward()
    return out


def _graph_of_gradients() -> Any:
    a, b = _leaves(2.0, 3.0)
    out = (a * b).tanh() + a**3
    out.backward(create_graph=True)
    return out


def _of_a_gradient() -> Any:
    out = _graph_of_gradients()
    slope = graph.topological(out)[0].grad
    return _differentiated(slope)


def _several() -> Any:
    a, b = _leaves(2.0, 3.0)
    outputs = [a * b, a + b]
    (outputs[0] + outputs[1]).backward()
    return outputs


def _stale() -> Any:
    a, b = _leaves(2.0, -3.0)
    out = (a * b + a**2).tanh() + a.exp() / b
    out.backward()
    a.data = 0.3
    return out


def _stale_by_hand() -> Any:
    a, b = _leaves(2.0, -3.0)
    out = by_hand(a * b) + b.tanh()
    out.backward()
    a.data = 0.3
    return out


def _stale_custom() -> Any:
    out = _custom()
    graph.topological(out)[0].data = 0.1
    return out


def _overwritten() -> Any:
    a, b = _leaves(2.0, -3.0)
    middle = a * b
    out = middle.tanh() + a
    out.backward()
    middle.data = 0.25
    return out


GRAPHS: dict[str, Graph] = {op.name: _row(op) for op in ops.TABLE} | {
    **{f"by hand, called {name or 'nothing'}": _by_hand(name) for name in ("cube", "tanh", "less", "")},
    "custom": _custom,
    "untaken": _untaken,
    "untaken, infinite gradient": _untaken_with_an_infinite_gradient,
    "take": _take,
    "not finite": _special(math.nan, math.inf, -math.inf, 1.0),
    "infinite": _special(math.inf, -0.0, 2.0),
    "zeros": _special(-0.0, 0.0),
    "very large and very small numbers": _sizes,
    "cancelling": _cancelling,
    "shared": _shared,
    "a leaf": lambda: _differentiated(Value(3.0, label="a")),
    "labels with special characters": _labels,
    "before backward": _before,
    "backward twice": _twice,
    "a different initial gradient": _other_gradient,
    "gradients of another result": _of_another_result,
    "create_graph": _graph_of_gradients,
    "the graph of a gradient": _of_a_gradient,
    "several": _several,
    "stale": _stale,
    "stale by hand": _stale_by_hand,
    "stale custom": _stale_custom,
    "overwritten": _overwritten,
}


def gradient(value: Any) -> float:
    return float(value.grad.data if isinstance(value.grad, Value) else value.grad)


def shares(value: Any) -> list[float | None]:
    """The contribution of a value to each input's gradient, computed by the engine on copies of the
    inputs.
    """
    copies = [v.data if v.is_constant else Value(v.data) for v in value.inputs]
    result = graph.row(value)(*copies)
    result.backward(gradient(value))
    return [copy.grad if isinstance(copy, Value) else None for copy in copies]


def same(a: float | None, b: float | None) -> bool:
    """Equal numbers, both NaN, or both missing."""
    if a is None or b is None:
        return a is b
    return a == b or (math.isnan(a) and math.isnan(b))
