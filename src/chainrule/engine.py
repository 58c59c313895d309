"""The reference engine: a number that records how it was computed.

Read this file after `ops.py`. `Value` records the operation and the inputs of every result. `backward`
walks that graph from the result to the leaves and applies the chain rule, with the local derivatives of
`ops.py`. The C core is a faster version of this class; where the two differ, this one is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from . import ops
from .ops import Op
from .support import arrays, classic, copying, errors, numbers, operators, staleness, sweeps
from .support.ieee import as_float
from .support.modes import current


class Value:
    """A number in a computation graph, with the gradient of a result with respect to it."""

    __module__ = "chainrule"
    # Python mangles these names, so that user attributes cannot collide with them.
    __slots__ = (
        *("__number", "__gradient", "__text", "__row", "__name", "__inputs", "__closure", "__time"),
        *("__constant", "__overwritten", "__freed", "__unrecorded", "__site"),
        "__dict__",  # user attributes
    )

    # --- the number ------------------------------------------------------------------------------

    def __new__(cls, *args: Any, **keywords: Any) -> Value:
        node = object.__new__(cls)
        node.__set(None, (), 0.0)  # for subclasses that never call this __init__
        current().tracer.created(node)
        return node

    def __init__(
        self, data: Any, _children: Iterable[Value] = (), _op: str = "", label: str = ""
    ) -> None:
        children = errors.as_children(_children, Value)
        name, number, text = errors.as_text("_op", _op), as_float(data), errors.as_text("label", label)
        modes = current()
        self.__set(None, children if modes.recording else (), number)
        self.__name, self.__text = name, text
        if children and modes.recording:
            self.__site = modes.site()
        elif children:
            self.__unrecorded = True
            modes.arguments.cut(self, children)

    def __set(self, row: Op | None, inputs: tuple[Value, ...], number: float) -> None:
        self.__number = number
        self.__gradient: Any = 0.0
        self.__text = ""
        self.__row = row if inputs else None  # None for a leaf and for a hand-made operation
        self.__name = ""  # shown by `_op`, if given or assigned
        self.__inputs = inputs
        self.__closure: Callable[[], Any] | None = None  # the function assigned to `_backward`
        self.__time = staleness.now()
        self.__constant = self.__overwritten = self.__freed = False
        self.__unrecorded = False  # whether it is a result that was not recorded
        self.__site = ""  # the source line, if it was computed inside detect_anomaly()

    @property
    def data(self) -> float:
        current().read(self, "data")
        return self.__number

    @data.setter
    def data(self, data: Any) -> None:
        number = as_float(data)
        current().tracer.assign(self)
        staleness.assign(self, number)

    @property
    def grad(self) -> Any:
        if not isinstance(self.__gradient, Value):
            current().tracer.read(self, "grad")
        return self.__gradient

    @grad.setter
    def grad(self, grad: Any) -> None:
        self.__gradient = grad if isinstance(grad, Value) else as_float(grad)

    @property
    def label(self) -> str:
        return self.__text

    @label.setter
    def label(self, label: str) -> None:
        self.__text = errors.as_text("label", label)

    # --- the graph -------------------------------------------------------------------------------

    @staticmethod
    def _apply(op: Op, args: Sequence[Any]) -> Value:
        """Apply one operation of the table and record it. Every operator calls this."""
        inputs = [Value.__lift(arg) for arg in op.complete(args)]
        numbers = [v.__number for v in inputs]
        number = as_float(op.forward(*numbers))
        modes = current()
        modes.check_value(op.name, numbers, number)
        if modes.recording:
            node = Value.__result(op, inputs, number)
            node.__site = modes.site()
            return node
        leaf = Value.__leaf(number)
        modes.arguments.cut(leaf, inputs)
        return leaf

    @staticmethod
    def __result(row: Op | None, args: Iterable[Any], number: float) -> Value:
        node = object.__new__(Value)
        node.__set(row, tuple(map(Value.__lift, args)), number)
        return node

    @staticmethod
    def __lift(arg: Any) -> Value:
        """Return a Value unchanged; make a plain number a constant, which gets no gradient."""
        if isinstance(arg, Value):
            return arg
        node = Value.__result(None, (), as_float(arg))
        node.__constant = True
        return node

    @staticmethod
    def __leaf(number: float) -> Value:
        """A leaf for a result that is not recorded."""
        leaf = Value.__result(None, (), number)
        leaf.__unrecorded = True
        return leaf

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The Values this was computed from, in order; `a + a` has two."""
        return self.__inputs

    @property
    def op(self) -> str:
        """The operation's name in the table, or the `_op` that was given; otherwise ''."""
        return self.__row.name if self.__row else self.__name

    @property
    def is_leaf(self) -> bool:
        return not self.__inputs and not self.__freed

    @property
    def is_constant(self) -> bool:
        """Whether this is a plain number in an expression. Constants get no gradient."""
        return self.__constant

    @property
    def __arguments(self) -> tuple[Value | float, ...]:
        return tuple(v.__number if v.__constant else v for v in self.__inputs)

    def __topological(self, check: bool = True) -> list[Value]:
        """Everything this Value depends on, in topological order, inputs first, without constants."""
        order: list[Value] = []
        seen: set[Value] = set()
        path: list[tuple[Value, Iterator[Value]]] = []  # a loop, because recursion has a depth limit

        def enter(node: Value) -> None:
            if node.__freed:
                raise errors.freed(node)
            if check:
                staleness.check(node)
            seen.add(node)
            path.append((node, iter(node.__inputs)))

        enter(self)
        while path:
            node, rest = path[-1]
            child = next((v for v in rest if v not in seen and not v.__constant), None)
            if child is not None:
                enter(child)
            else:
                order.append(node)
                path.pop()
        return order

    # --- the chain rule --------------------------------------------------------------------------

    def backward(
        self,
        gradient: Any = 1.0,
        *,
        retain_graph: bool = True,
        create_graph: bool = False,
        reset: bool = False,
    ) -> None:
        """Compute the gradient of this value with respect to everything it depends on.

        Gradients accumulate in the leaves, as in PyTorch; `reset=True` sets them to 0 first.
        `create_graph=True` makes the gradients Values, which can be differentiated again.
        An exception leaves all gradients unchanged.
        """
        if self.__unrecorded:
            raise errors.not_recorded(self)
        if not create_graph:
            current().sweep(self)
            gradient = as_float(gradient)
        order = self.__topological()
        (sweeps.backward if create_graph else Value.__sweep)(order, gradient, reset)
        if not retain_graph:
            for node in order:
                if node.__inputs:  # the flag first, so that Ctrl-C leaves no node that looks like a leaf
                    node.__freed, node.__inputs, node.__closure = True, (), None

    @staticmethod
    def __sweep(order: list[Value], gradient: float, reset: bool) -> None:
        """Propagate gradients from the result to the leaves."""
        root = order[-1]
        before = [node.__gradient for node in order]
        try:
            for node in order:
                if reset or node.__inputs:
                    node.__gradient = 0.0
            root.__gradient = root.__gradient + gradient
            reached = {root}
            for node in reversed(order):
                # Skip a value that received no gradient: its gradient of 0 times an infinite derivative
                # would give NaN in the branch that `where` did not take.
                if node not in reached and node.__gradient == 0.0:
                    continue
                if node.__closure is None:
                    reached.update(node.__propagate())
                else:
                    node.__closure()
                    reached.update(node.__inputs)
        except BaseException:
            for node, grad in zip(order, before, strict=True):
                node.__gradient = grad
            raise

    def __propagate(self) -> list[Value]:
        """Add this Value's gradient times the local derivative to the gradient of each input."""
        if not self.__inputs:
            return []
        if self.__row is None:
            raise errors.no_rule(self)
        gradient = self.__gradient.__number if isinstance(self.__gradient, Value) else self.__gradient
        wanted = [not v.__constant for v in self.__inputs]
        partials = self.__row.derivatives([v.__number for v in self.__inputs], self.__number, wanted)
        modes, reached = current(), []
        for i, (child, partial) in enumerate(zip(self.__inputs, partials, strict=True)):
            if partial is None or not wanted[i] or (self.__row.selects and partial == 0.0):
                continue
            contribution = gradient * as_float(partial)
            modes.check_gradient(self, i, contribution)
            child.__gradient = child.__gradient + contribution
            reached.append(child)
        return reached

    @property
    def _backward(self) -> Callable[[], Any]:
        """Propagate this value's gradient to its inputs. Assign a function to define an operation."""
        return self.__closure or self.__pass_on

    @_backward.setter
    def _backward(self, closure: Callable[[], Any]) -> None:
        if not callable(closure):
            raise TypeError(f"_backward must be callable, got {type(closure).__name__}")
        self.__closure = closure

    def __pass_on(self) -> None:
        current().sweep(self)
        self.__propagate()

    def zero_grad(self) -> None:
        """Set to 0 the gradient of this value and of everything it depends on."""
        for node in self.__topological(check=False):
            node.__gradient = 0.0

    def forward(self) -> Value:
        """Recompute, in place, everything this Value depends on, starting at the leaves; return self."""
        staleness.recompute(self.__topological(check=False))
        return self

    def detach(self) -> Value:
        """Return a new leaf with the same number, detached from the graph."""
        modes = current()
        if modes.tracing:
            return Value._apply(ops.stop_gradient, (self,))
        leaf = Value.__leaf(self.__number)
        modes.arguments.detached(leaf, (self,))
        return leaf

    # --- defined elsewhere: names used in tutorials, copying, NumPy ------------------------------

    _op, _label = classic.op, label
    _prev, _children, _local_grads = classic.prev, classic.children, classic.local_grads
    __copy__, __deepcopy__, __reduce__ = copying.copy, copying.deepcopy, copying.reduce
    __repr__ = numbers.show
    __array_ufunc__, __hash__, __attributes = arrays.array_ufunc, object.__hash__, property(vars)


# Add every row of the table as a method, and the operators.
operators.add_to(Value)
