"""The reference engine: a number that remembers how it was made.

Read this file first. `Value` records the operation and the inputs of everything computed
from it; `backward` walks that graph from the result to the leaves and applies the chain
rule, with the local derivatives of `ops.py`. The C core is this same class, faster; where
the two differ, this one is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from . import ops
from .ops import Op
from .support import arrays, classic, copying, errors, sweeps
from .support.ieee import as_float
from .support.modes import current

# Advances whenever somebody assigns to `.data`. A result is stale if one of its inputs
# carries a later time than the result itself.
_clock = 0


def _tick() -> int:
    global _clock
    _clock += 1
    return _clock


class Value:
    """A number in a computation graph, with the gradient of a result for it."""

    __module__ = "chainrule"
    __slots__ = (
        *("_number", "_grad", "_text", "_row", "_name", "_inputs", "_closure"),
        *("_time", "_constant", "_overwritten", "_freed", "_unrecorded", "_site"),
        "__dict__",  # attributes of the user's own
    )

    def __new__(cls, *args: Any, **keywords: Any) -> Value:
        node = object.__new__(cls)
        node._set(None, (), 0.0)  # for a subclass that never calls this __init__
        return node

    def __init__(
        self, data: Any, _children: Iterable[Value] = (), _op: str = "", label: str = ""
    ) -> None:
        children = tuple(_children)
        for child in children:
            if not isinstance(child, Value):
                raise TypeError(
                    f"_children must be Values, got {type(child).__name__}; a name goes into label=..."
                )
        if not isinstance(_op, str):
            raise TypeError(f"_op must be a str, got {type(_op).__name__}")
        number, text = as_float(data), _checked_label(label)
        modes = current()
        self._set(None, children if modes.recording else (), number)
        self._unrecorded = bool(children) and not modes.recording
        if self._unrecorded and modes.arguments is not None:
            modes.arguments.cut(self, children)
        self._name, self._text = str.__str__(_op), text

    def _set(self, row: Op | None, inputs: tuple[Value, ...], data: float) -> None:
        self._number = data
        self._grad: Any = 0.0
        self._text = ""
        # The operation in the table; None for a leaf or one made by hand.
        self._row = row if inputs else None
        self._name = ""  # what _op shows, if it was given or assigned
        self._inputs = inputs
        self._closure: Callable[[], Any] | None = None
        self._time = _clock
        self._constant = self._overwritten = self._freed = False
        self._unrecorded = False  # whether this was computed where nothing was recorded
        self._site = errors.user_line() if inputs and current().anomaly else ""

    @staticmethod
    def _node(row: Op | None, args: Iterable[Value | float], data: float) -> Value:
        """A result of `row` whose value is known already; numbers among `args` are constants."""
        node = Value.__new__(Value)
        inputs = tuple(arg if isinstance(arg, Value) else _constant(arg) for arg in args)
        node._set(row, inputs, data)
        return node

    @staticmethod
    def _apply(op: Op, args: Sequence[Any]) -> Value:
        """Compute one operation of the table and remember how: every operator ends here."""
        inputs = [arg if isinstance(arg, Value) else _constant(arg) for arg in op.complete(args)]
        numbers = [v._number for v in inputs]
        data = as_float(op.forward(*numbers))
        modes = current()
        if modes.anomaly and not math.isfinite(data):
            raise errors.bad_value(op.name, tuple(numbers), data)
        if modes.recording:
            return Value._node(op, inputs, data)
        leaf = _cut_off(data)
        if modes.arguments is not None:
            modes.arguments.cut(leaf, inputs)
        return leaf

    # --- what a value knows ----------------------------------------------------------------------

    @property
    def data(self) -> float:
        modes = current()
        for observer in (modes.tracer, modes.arguments):
            if observer is not None:
                observer.read(self, "data")
        return self._number

    @data.setter
    def data(self, data: Any) -> None:
        data = as_float(data)
        tracer = current().tracer
        if tracer is not None:
            tracer.assign(self)
        if _same(data, self._number):
            return
        self._number = data
        self._time = _tick()
        self._overwritten = not self.is_leaf

    @property
    def grad(self) -> Any:
        tracer = current().tracer
        if tracer is not None and not isinstance(self._grad, Value):
            tracer.read(self, "grad")
        return self._grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        self._grad = grad if isinstance(grad, Value) else as_float(grad)

    @property
    def label(self) -> str:
        return self._text

    @label.setter
    def label(self, label: str) -> None:
        self._text = _checked_label(label)

    _label = label

    @property
    def _attributes(self) -> dict[str, Any] | None:
        """The attributes of the user's own, None if there are none."""
        return self.__dict__ or None

    @property
    def inputs(self) -> tuple[Value, ...]:
        """What this was computed from, in order; `a + a` has two."""
        return self._inputs

    @property
    def _arguments(self) -> tuple[Value | float, ...]:
        """The inputs, with constants as plain numbers."""
        return tuple(v._number if v._constant else v for v in self._inputs)

    @property
    def op(self) -> str:
        """The name of the operation, as in the table; '' for a leaf."""
        return self._row.name if self._row else self._name

    @property
    def _op(self) -> str:
        """The operation as graphs show it; `**2` for a power with a constant exponent."""
        if self._name or self._row is None:
            return self._name
        if self._row is ops.pow and self._inputs and self._inputs[1]._constant:
            return f"**{self._inputs[1]._number!r}".removesuffix(".0")
        return self._row.symbol or self._row.name

    @_op.setter
    def _op(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"_op must be a str, got {type(name).__name__}")
        self._name = str.__str__(name)

    _prev, _children, _local_grads = classic.prev, classic.children, classic.local_grads

    @property
    def is_leaf(self) -> bool:
        return not self._inputs and not self._freed

    @property
    def is_constant(self) -> bool:
        """Whether this stands for a plain number in an expression, which gets no gradient."""
        return self._constant

    def _make_constant(self) -> None:
        """Turn a leaf into a plain number: it gets no gradient from now on."""
        self._constant = self.is_leaf

    @property
    def _by_hand(self) -> bool:
        """Whether the derivative is known only to a function assigned to _backward."""
        return self._closure is not None

    @property
    def _backward(self) -> Callable[[], Any]:
        """Pass this value's gradient on to its inputs; assign a function to make an operation."""
        return self._closure or self._pass_on

    @_backward.setter
    def _backward(self, closure: Callable[[], Any]) -> None:
        if not callable(closure):
            raise TypeError(f"_backward must be callable, got {type(closure).__name__}")
        self._closure = closure

    def __repr__(self) -> str:
        grad = self._grad.data if isinstance(self._grad, Value) else self._grad
        label = f", label={self._text!r}" if self._text else ""
        return (
            f"Value(data={errors.format_number(self._number)}, grad={errors.format_number(grad)}{label})"
        )

    def __format__(self, spec: str) -> str:
        if not spec:
            return repr(self)
        if (tracer := current().tracer) is not None:
            tracer.number()
        return format(self._number, spec)

    # --- the chain rule --------------------------------------------------------------------------

    def _topological(self, check: bool = True) -> list[Value]:
        """Everything this depends on, inputs before results, constants left out."""
        order: list[Value] = []
        seen: set[Value] = set()
        path: list[tuple[Value, Iterator[Value]]] = []

        def enter(node: Value) -> None:
            node._check(check)
            seen.add(node)
            path.append((node, iter(node._inputs)))

        enter(self)
        while path:
            node, rest = path[-1]
            child = next((v for v in rest if v not in seen and not v._constant), None)
            if child is not None:
                enter(child)
            else:
                order.append(node)
                path.pop()
        return order

    def _check(self, against_stale: bool) -> None:
        if self._freed:
            raise errors.freed(self)
        if against_stale and self._overwritten:
            raise errors.overwritten(self)
        changed = self._changed_input()
        if against_stale and changed is not None:
            raise errors.stale(changed, self)

    def _changed_input(self) -> Value | None:
        return next((v for v in self._inputs if v._time > self._time), None)

    def backward(
        self,
        gradient: Any = 1.0,
        *,
        retain_graph: bool = True,
        create_graph: bool = False,
        reset: bool = False,
    ) -> None:
        """Compute the gradient of this value for everything it depends on.

        Gradients of leaves are added to what they hold, as in PyTorch; `reset=True` sets
        them to 0 first. `create_graph=True` makes the gradients Values, which can be
        differentiated again. An exception leaves all gradients as they were.
        """
        if self._unrecorded:
            raise errors.not_recorded(self)
        modes = current()
        if modes.tracer is not None and not create_graph:
            modes.tracer.backward()
        if modes.arguments is not None and not create_graph:
            modes.arguments.sweep(self)
        seed = gradient if create_graph else as_float(gradient)
        order = self._topological()
        if create_graph:
            sweeps.backward(order, seed, reset)
        else:
            self._backward_floats(order, seed, reset)
        if not retain_graph:
            for node in order:
                if node._inputs:
                    node._inputs, node._closure, node._freed = (), None, True

    def _backward_floats(self, order: list[Value], gradient: float, reset: bool) -> None:
        before = [node._grad for node in order]
        try:
            for node in order:
                if reset or node._inputs:
                    node._grad = 0.0
            self._grad = self._grad + gradient
            reached = {self}
            for node in reversed(order):
                # A value that nothing passed a gradient to is skipped: multiplying its 0 by an
                # infinite derivative would give NaN in the branch that `where` did not take.
                if node in reached or node._grad != 0.0:
                    reached.update(node._step())
        except BaseException:
            for node, grad in zip(order, before, strict=True):
                node._grad = grad
            raise

    def _step(self) -> Iterable[Value]:
        if self._closure is None:
            return self._propagate()
        self._closure()
        return self._inputs

    def _pass_on(self) -> None:
        if (arguments := current().arguments) is not None:
            arguments.sweep(self)
        self._propagate()

    def _propagate(self) -> list[Value]:
        """Add to the gradient of each input: this gradient times the local derivative."""
        if not self._inputs:
            return []
        if self._row is None:
            raise errors.no_rule(self)
        gradient = self._grad._number if isinstance(self._grad, Value) else self._grad
        wanted = [not v._constant for v in self._inputs]
        partials = self._row.derivatives([v._number for v in self._inputs], self._number, wanted)
        reached = []
        anomaly = current().anomaly
        for i, (child, partial) in enumerate(zip(self._inputs, partials, strict=True)):
            if partial is None or not wanted[i] or (self._row.selects and partial == 0.0):
                continue
            contribution = gradient * as_float(partial)
            if anomaly and not math.isfinite(contribution):
                raise errors.bad_gradient(self, i, contribution)
            child._grad = child._grad + contribution
            reached.append(child)
        return reached

    def forward(self) -> Value:
        """Recompute everything this depends on from the leaves, in place, and return self."""
        order = self._topological(check=False)
        before = [(node._number, node._time) for node in order]
        now = _tick()
        try:
            for node in order:
                if node._row is not None:
                    data = as_float(node._row.forward(*(v._number for v in node._inputs)))
                    changed = not _same(data, node._number)
                    node._number = data
                    node._time = now if changed else max(node._time, *(v._time for v in node._inputs))
                elif node._overwritten or node._changed_input() is not None:
                    raise errors.no_formula(node, "recompute")
        except BaseException:
            for node, (data, time) in zip(order, before, strict=True):
                node._number, node._time = data, time
            raise
        for node in order:
            node._overwritten = False
        return self

    def zero_grad(self) -> None:
        """Set the gradient of this value and of everything it depends on to 0."""
        for node in self._topological(check=False):
            node._grad = 0.0

    def conjugate(self) -> Value:
        """This value: numbers here are real. NumPy asks for it in `np.var`."""
        return self

    def detach(self) -> Value:
        """A new leaf with the same number, cut off from the graph."""
        modes = current()
        if modes.tracer is not None:
            return Value._apply(ops.stop_gradient, (self,))
        leaf = _cut_off(self._number)
        if modes.arguments is not None:
            modes.arguments.detached(leaf, (self,))
        return leaf

    # --- operators: + - * / ** and their reflections, comparisons --------------------------------

    def __add__(self, other: Any) -> Any:
        return _binary(ops.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary(ops.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _binary(ops.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary(ops.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary(ops.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary(ops.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _binary(ops.div, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary(ops.div, other, self)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return NotImplemented if modulus is not None else _binary(ops.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary(ops.pow, other, self)

    def __neg__(self) -> Any:
        return Value._apply(ops.neg, (self,))

    def __pos__(self) -> Any:
        return Value._apply(ops.pos, (self,))

    def __abs__(self) -> Any:
        return Value._apply(ops.abs, (self,))

    def __lt__(self, other: Any) -> Any:
        return _compare(ops.less, self, other)

    def __le__(self, other: Any) -> Any:
        return _compare(ops.less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compare(ops.less, other, self)

    def __ge__(self, other: Any) -> Any:
        return _compare(ops.less_equal, other, self)

    def __eq__(self, other: Any) -> Any:
        return _compare_equal(self, other, True)

    def __ne__(self, other: Any) -> Any:
        return _compare_equal(self, other, False)

    def __and__(self, other: Any) -> Any:
        """Both conditions, while a function is compiled: then comparisons are Values."""
        return _join(self, other, ops.mul, 1.0, ops.equal)

    def __or__(self, other: Any) -> Any:
        return _join(self, other, ops.add, 0.0, ops.less)

    __rand__, __ror__ = __and__, __or__

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        tracer = current().tracer
        if _is_condition(self):
            return bool(tracer.guard(self, self._number != 0.0))
        if tracer is not None:
            tracer.truth()
        raise TypeError(errors.NO_BOOL)

    def __float__(self) -> float:
        tracer = current().tracer
        if tracer is not None:
            tracer.number()
        raise TypeError(errors.NO_FLOAT)

    def __int__(self) -> int:
        return int(float(self))

    def __index__(self) -> int:
        tracer = current().tracer
        if tracer is not None:
            tracer.number()
        raise TypeError(errors.NO_INDEX)

    __copy__ = copying.copy
    __deepcopy__ = copying.deepcopy
    __reduce__ = copying.reduce
    __array_ufunc__ = arrays.array_ufunc


def _same(a: float, b: float) -> bool:
    """The same number, with the same sign if it is 0."""
    return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)


def _checked_label(label: Any) -> str:
    if not isinstance(label, str):
        raise TypeError(f"label must be a str, got {type(label).__name__}")
    return str.__str__(label)


def _constant(number: Any) -> Value:
    node = Value._node(None, (), as_float(number))
    node._make_constant()
    return node


def _cut_off(number: float) -> Value:
    """A leaf for a result that is not recorded."""
    leaf = Value._node(None, (), number)
    leaf._unrecorded = True
    return leaf


def _operand(x: Any) -> Any:
    """A Value as it is, a real number as a float, None for anything else."""
    if isinstance(x, Value):
        return x
    try:
        return as_float(x)
    except TypeError:
        return None


def _binary(op: Op, left: Any, right: Any) -> Any:
    """A binary operator; leave what is no number to the other operand."""
    left, right = _operand(left), _operand(right)
    return NotImplemented if left is None or right is None else Value._apply(op, (left, right))


def _is_condition(x: Any) -> bool:
    """Whether something is true or false: while a function is compiled, a comparison is a Value."""
    if not isinstance(x, Value):
        return isinstance(x, bool)
    return current().tracer is not None and x._row in (ops.less, ops.less_equal, ops.equal)


def _join(a: Any, b: Any, op: Op, number: float, comparison: Op) -> Any:
    """Two conditions as one: a comparison of a number with what was made of both."""
    known = _is_condition(a) and _is_condition(b)
    return _binary(comparison, number, _binary(op, a, b)) if known else NotImplemented


def _compare(op: Op, left: Any, right: Any) -> Any:
    """A bool; while a function is compiled a Value, so that `where(a < b, x, y)` stays a formula."""
    result = _binary(op, left, right)
    if current().tracer is not None or result is NotImplemented:
        return result
    return result._number != 0.0


def _compare_equal(left: Value, right: Any, equal: bool) -> Any:
    """`==` or `!=`: of a Value and a plain number as numbers, of two Values by identity.

    Tutorials keep nodes in lists and sets. But what stands for a number compares as one: samples
    while a function is compiled, differentiated arguments inside grad and its kin.
    """
    modes = current()
    observer = modes.arguments if modes.arguments is not None else modes.tracer
    if isinstance(right, Value) and (observer is None or not observer.compares(left, right)):
        return NotImplemented
    try:
        same = _binary(ops.equal, left, right)
    except OverflowError:  # an int larger than every double
        return not equal
    if same is NotImplemented:
        return same
    if modes.tracer is not None:
        return same if equal else _binary(ops.equal, same, 0.0)
    return (same._number != 0.0) == equal


# --- every row of the table as a method ----------------------------------------------------------


def _method(op: Op) -> Callable[..., Any]:
    def method(self: Value, *args: Any) -> Any:
        return Value._apply(op, (self, *args))

    method.__name__, method.__doc__ = op.name, op.doc
    return method


def reduction(op: ops.Variadic) -> Callable[..., Any]:
    """An operation on any number of values as a function: of them, or of a sequence."""

    def function(*args: Any) -> Any:
        return op(*arrays.spread(op, args))

    function.__name__, function.__doc__ = op.name, op.doc
    return function


for _row in ops.TABLE:
    for _name in (_row.name, *_row.aliases):
        _function = _method(_row)
        setattr(
            Value,
            _name,
            arrays.numpy_reduction(_function) if _name in arrays.REDUCTIONS else _function,
        )


def _where(self: Value, *args: Any) -> Any:
    """This where the condition holds, else other: the order of PyTorch's method."""
    return Value._apply(ops.where, (*args[:1], self, *args[1:]))


Value.where = _where  # type: ignore[attr-defined]
