"""A drop-in replacement for the micrograd package: change one import, or none.

    import sys, chainrule
    sys.modules["micrograd"] = chainrule.micrograd

The names, defaults, graphs and all printed output are those of micrograd 0.1.0: an int stays an int,
`a - b` is `a + b * -1`, and the weights come from `random`. The nodes are chainrule Values, so graphs
may have any depth, and drawing, checking and compiling work as elsewhere. microgpt's
`Value(data, children, local_grads)` is supported too.

Five things deliberately differ from micrograd. A second `backward()` starts from zero at the
intermediate results, so that gradients are right. If you change a number and then call `backward()` on
something computed from it, StaleValueError is raised. Arithmetic is floating-point: `1 / Value(0.0)`
is inf, as in NumPy. A Value equals the number it holds. `_prev` is ordered, not a set.

Distinguishing ints from floats takes Python code. For speed, import Value from chainrule itself.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from numbers import Integral, Real
from typing import Any

from .. import ops
from ..support import graph
from ..value import Value as Node
from ..value import modes

__all__ = ["MLP", "Layer", "Module", "Neuron", "Value"]

_data, _grad, _truth = (Node.__dict__[name] for name in ("data", "grad", "__bool__"))


class Value(Node):
    """A number and its gradient, as in micrograd."""

    __slots__ = ()  # so that a result of the core can become an instance of this class
    _data_is_int = False
    _grad_is_int: bool | None = None  # None: an int exactly if it is 0, the initial gradient

    def __new__(cls, *args: Any, **keywords: Any) -> Any:
        return _adopt(Node(0.0)) if cls is Value else super().__new__(cls)

    def __init__(
        self,
        data: Any,
        _children: Iterable[Any] = (),
        _op: Any = "",
        label: str = "",
        *,
        children: Iterable[Any] = (),
        local_grads: Iterable[Any] = (),
    ) -> None:
        by_numbers = not isinstance(_op, str)  # microgpt's third argument
        given = tuple(_children) or tuple(children)
        super().__init__(data, given, "" if by_numbers else _op, label)
        if _is_int(data):
            self._data_is_int = True
        local_grads = tuple(_op if by_numbers else local_grads)
        if local_grads and len(self._children) == len(given):  # no_grad() drops the children
            self._local_grads = local_grads

    @property
    def data(self) -> Any:
        return _shown(_data.__get__(self), self._data_is_int)

    @data.setter
    def data(self, data: Any) -> None:
        _data.__set__(self, data)
        if _is_int(data) is not self._data_is_int:
            self._data_is_int = not self._data_is_int

    @property
    def grad(self) -> Any:
        grad, is_int = _grad.__get__(self), self._grad_is_int
        return _shown(grad, grad == 0 if is_int is None else is_int)

    @grad.setter
    def grad(self, grad: Any) -> None:
        _grad.__set__(self, grad)
        self._set_kind(_is_int(grad))

    def _set_kind(self, is_int: bool) -> None:
        """Record whether the gradient is an int, if that does not follow from the number."""
        kind = None if is_int is bool(_grad.__get__(self) == 0) else is_int
        if kind is not self._grad_is_int:
            self._grad_is_int = kind

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def __bool__(self) -> bool:
        return True if _in_plain_sight() else bool(_truth(self))

    # --- operators, composed of + * ** as in micrograd -------------------------------------------

    def __add__(self, other: Any) -> Any:
        return _binary(Node.__add__, self, other)

    def __mul__(self, other: Any) -> Any:
        return _binary(Node.__mul__, self, other)

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        if not isinstance(other, Real) or modulus is not None:
            return _adopt(Node.__pow__(self, other, modulus))
        exponent = Value(other)
        graph.make_constant(exponent)
        out = _adopt(Node.__pow__(self, exponent))
        if out._op != f"**{other}":
            out._op = f"**{other}"
        if self._data_is_int and _is_int(other) and float(other) >= 0:
            out._data_is_int = True
        return out

    def relu(self) -> Any:
        out = _adopt(Node.relu(self))
        out._op = "ReLU"
        if _in_plain_sight() and (self._data_is_int or self.data < 0):
            out._data_is_int = True
        return out

    def __neg__(self) -> Any:
        return self * -1

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return other + (-self)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        return self * other**-1

    def __rtruediv__(self, other: Any) -> Any:
        return other * self**-1

    # --- the chain rule --------------------------------------------------------------------------

    def backward(self, *args: Any, **options: Any) -> None:
        """Like chainrule's `backward`; without arguments, ints stay ints as in micrograd."""
        if args or options or not self.inputs or not _in_plain_sight():
            super().backward(*args, **options)
            return
        order = graph.topological(self)
        if any(graph.is_by_hand(v) for v in order):
            self._backward_by_hand(order)
            return
        ints = self._int_gradients(order)
        super().backward()
        for v in order:
            if isinstance(v, Value):
                v._set_kind(v in ints)

    def _int_gradients(self, order: list[Any]) -> set[Any]:
        """The nodes whose gradient is a sum of ints."""
        found, waiting = {self}, [self]
        uses: Counter[Any] = Counter()
        while waiting:
            for child in _receive_an_int(waiting.pop()):
                if not uses:
                    uses.update(chain.from_iterable(graph.arguments(v) for v in order))
                uses[child] -= 1
                if not uses[child] and (graph.arguments(child) or _is_int(child.grad)):
                    found.add(child)
                    waiting.append(child)
        return found

    def _backward_by_hand(self, order: list[Any]) -> None:
        """Go node by node, because a function assigned to `_backward` may read any gradient."""
        before = [v.grad for v in order]
        floats = set()
        try:
            for v in order:
                if graph.arguments(v):
                    v.grad = 0
                elif not _is_int(v.grad):
                    floats.add(v)
            self.grad = 1
            for v in reversed(order):
                v._backward()
                if graph.is_by_hand(v):
                    floats.update(child for child in v._children if not _is_int(child.grad))
                else:
                    ints = () if v in floats else _receive_an_int(v)
                    floats.update(arg for arg in graph.arguments(v) if arg not in ints)
                for child in v._children:
                    if isinstance(child, Value):
                        child._set_kind(child not in floats)
        except BaseException:  # restore all the old gradients
            for v, grad in zip(order, before, strict=True):
                v.grad = grad
            raise


def _receive_an_int(v: Any) -> tuple[Any, ...]:
    """The inputs that receive an int from a node whose gradient is an int."""
    args: tuple[Any, ...] = graph.arguments(v)
    if graph.row(v) in (ops.add, ops.relu):
        ints = args
    elif graph.row(v) is ops.mul:  # the derivative is the other number
        ints = tuple(
            a for a, b in zip(args, args[::-1], strict=True) if getattr(b, "_data_is_int", False)
        )
    else:
        ints = args[:1] if graph.row(v) is ops.pow and v._data_is_int and args[1] > 0 else ()
    return tuple(arg for arg in ints if isinstance(arg, Node))


def _in_plain_sight() -> bool:
    """Whether numbers may be read: not while a function is being compiled or differentiated."""
    found = modes()
    return not found.tracing and not found.differentiating


def _is_int(number: Any) -> bool:
    return type(number) is not float and isinstance(number, Integral)


def _shown(number: Any, is_int: bool) -> Any:
    """A number as micrograd shows it: an int if `is_int`, unless it has become a fraction."""
    return int(number) if is_int and isinstance(number, float) and number.is_integer() else number


def _adopt(out: Any) -> Any:
    if isinstance(out, Node):
        out.__class__ = Value
    return out


def _binary(operator: Any, left: Any, right: Any) -> Any:
    if not isinstance(right, Node):
        if not isinstance(right, Real):
            return _adopt(operator(left, right))
        right = Value(right)
    out = _adopt(operator(left, right))
    ints = left._data_is_int and getattr(right, "_data_is_int", False)
    if ints and _in_plain_sight():
        if graph.row(out) is ops.mul and not out.data:  # 0 * -1 is 0 in ints, -0.0 in floats
            out = _adopt(graph.result(Node, ops.mul, (left, right), 0.0))
        out._data_is_int = True
    return out


def _method(name: str) -> Any:
    function = getattr(Node, name)

    def method(self: Any, *args: Any, **options: Any) -> Any:
        return _adopt(function(self, *args, **options))

    method.__name__, method.__doc__ = name, function.__doc__
    return method


for _row in ops.TABLE:
    for _name in (_row.name, *_row.aliases):
        if _name not in vars(Value):
            setattr(Value, _name, _method(_name))
_OPERATORS = (
    "abs",
    "pos",
    "rpow",
    "mod",
    "rmod",
    "floordiv",
    "rfloordiv",
    "floor",
    "ceil",
    "trunc",
    "round",
)
for _name in (*(f"__{name}__" for name in _OPERATORS), "detach"):
    setattr(Value, _name, _method(_name))


class Module:
    """Base class for anything with parameters."""

    def zero_grad(self) -> None:
        for p in self.parameters():
            p.grad = 0

    def parameters(self) -> list[Any]:
        return []


class Neuron(Module):
    """A weighted sum of the inputs plus a bias, with or without ReLU."""

    def __init__(self, nin: int, nonlin: bool = True) -> None:
        self.w: list[Any] = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b: Any = Value(0)
        self.nonlin = nonlin

    def __call__(self, x: Any) -> Any:
        total = self.b
        for weight, number in zip(self.w, x, strict=False):
            total = total + weight * number
        return total.relu() if self.nonlin else total

    def parameters(self) -> list[Any]:
        return [*self.w, self.b]

    def __repr__(self) -> str:
        return f"{'ReLU' if self.nonlin else 'Linear'}Neuron({len(self.w)})"


class Layer(Module):
    """Neurons that share their inputs; a single neuron returns its output without a list."""

    def __init__(self, nin: int, nout: int, **kwargs: Any) -> None:
        self.neurons: list[Neuron] = [Neuron(nin, **kwargs) for _ in range(nout)]

    def __call__(self, x: Any) -> Any:
        outputs = [neuron(x) for neuron in self.neurons]
        return outputs[0] if len(outputs) == 1 else outputs

    def parameters(self) -> list[Any]:
        return [p for neuron in self.neurons for p in neuron.parameters()]

    def __repr__(self) -> str:
        return f"Layer of [{', '.join(map(str, self.neurons))}]"


class MLP(Module):
    """A stack of layers, the last without ReLU."""

    def __init__(self, nin: int, nouts: list[int]) -> None:
        sizes = [nin, *nouts]
        self.layers: list[Layer] = [
            Layer(sizes[i], sizes[i + 1], nonlin=i != len(nouts) - 1) for i in range(len(nouts))
        ]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self) -> list[Any]:
        return [p for layer in self.layers for p in layer.parameters()]

    def __repr__(self) -> str:
        return f"MLP of [{', '.join(map(str, self.layers))}]"
