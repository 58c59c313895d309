"""Random calls with hostile arguments: any exception is acceptable except a crash or a SystemError.

`hostile_calls(count, seed)` makes them; `python tests/unit/engine/hostile.py COUNT SEED` runs a
campaign. The arguments are objects that lie, raise, and change the graph while it is in use. Run it
where a crash is noticed: in a separate process, with faulthandler enabled.
"""

import copy
import datetime
import decimal
import faulthandler
import fractions
import gc
import numbers
import operator
import pickle
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import numpy as np

import chainrule
from chainrule import Value, functional, ops
from chainrule.support import graph

LIVE_VALUES = 40
LARGEST_GRAPH = 300  # larger values are not kept: gradients of gradients grow without bound
DEEPEST_MISCHIEF = 3
QUIET = 1000  # added to the depth to disable mischief
FRESH_START = 400  # after this many calls, all values are dropped and created again


class HostileError(Exception):
    """The exception that hostile objects raise."""


def boom(*args: Any, **keywords: Any) -> Any:
    raise HostileError


# --- objects that lie and raise ------------------------------------------------------------------

RAISED = (
    *("__float__", "__index__", "__len__", "__iter__", "__hash__", "__eq__", "__bool__", "__repr__"),
    *("__str__", "__call__", "__int__", "__add__", "__radd__", "__mul__", "__rmul__", "__array__"),
    *("__lt__", "__gt__", "__getattr__", "__getitem__", "__next__", "__get__", "__array_ufunc__"),
)


def raising(base: type, *names: str) -> Any:
    """A subclass of `base` in which the named methods raise."""
    return type(f"Bad{base.__name__.title()}", (base,), dict.fromkeys(names, boom))


class ReturnsNonsense:
    """Every conversion returns the wrong type."""

    __float__ = __index__ = __len__ = __int__ = lambda self: "nonsense"
    __iter__ = __bool__ = lambda self: 3
    __add__ = __radd__ = __mul__ = lambda self, other: NotImplemented


class ClaimsToBeAValue:
    """Fools isinstance()."""

    __class__ = property(lambda self: Value)  # type: ignore[assignment]


class HasApply:
    """Looks like a Value to the table."""

    _apply = staticmethod(boom)
    data = "data"


class StopsHalfway:
    """A sequence that ends in an exception."""

    def __iter__(self) -> Iterator[float]:
        yield 1.0
        raise HostileError


class Subclass(Value):  # type: ignore[misc]
    """A Value with a dictionary."""


class SlottedSubclass(Value):  # type: ignore[misc]
    """A Value with the same memory layout: `v.__class__ = SlottedSubclass` is allowed."""

    __slots__ = ()


class Unfinished(Value):  # type: ignore[misc]
    """A Value whose constructor never calls the inherited one."""

    def __init__(self, *args: Any) -> None:
        pass


NUMPY_SCALARS = (
    *(np.bool_(True), np.int8(3), np.uint64(2**64 - 1), np.float16(0.5), np.float32(0.5)),
    *(np.float64(0.5), np.longdouble("1e4000"), np.complex64(1j), np.complex128(2.0), np.str_("a")),
    *(np.bytes_(b"a"), np.datetime64("2020-01-01"), np.timedelta64(3), np.void(b"abc")),
    np.float64("nan"),
)
NUMPY_ARRAYS = (
    *(np.array(2.0), np.array([]), np.array([1.0, 2.0]), np.ones((2, 2)), np.array(["a", "b"])),
    *(np.array([1, None, "a"], dtype=object), np.array([1j]), np.zeros(2, dtype="i4,f8"), np.ma.masked),
)
PLAIN = (
    *("", "3", "nan", "_backward", "\x00", "\ud800", b"3", bytearray(b"3"), None, 1j, complex("nan")),
    *(0, 1, -1, 2, 3, True, 10**400, -(10**400), 2**63, 0.0, -0.0, 1.5, -2.5, 1e308, 5e-324),
    *(float("nan"), float("inf"), -float("inf"), ..., NotImplemented, (), [], {}, set(), frozenset()),
    *([1.0], (1.0, 2.0), {"a": 1.0}, [[1.0], [2.0, 3.0]], ["a"]),
    *(range(3), slice(1), object(), int, float),
    *(fractions.Fraction(1, 3), decimal.Decimal("0.1"), datetime.timedelta(1), memoryview(b"ab"), len),
    *(ops.add, ops.dot, ops.where, ops.pow, Value, Subclass, type, HostileError(), property(), boom),
)


class Campaign:
    """The state of one run: the random generator, and the values that are alive."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.values: list[Any] = []
        self.depth = 0  # nesting depth of mischief
        self.fatal: list[BaseException] = []
        self.callables = self.all_callables()
        self.attributes = [*dir(Value), "nothing", "__dict__", "__slots__", "__weakref__"]

    # --- hostile objects -------------------------------------------------------------------------

    def number(self) -> float:
        return self.random.choice((0.0, 1.0, -1.0, 0.5, 2.0, 1e300, float("nan"), float("inf")))

    def value(self) -> Any:
        """A live value; often the last, which is the one being operated on."""
        return self.values[-1] if self.random.random() < 0.3 else self.random.choice(self.values)

    def argument(self) -> Any:
        draw = self.random.random()
        if draw < 0.45:
            return self.value()
        if draw < 0.75:
            return self.random.choice(PLAIN)
        if draw < 0.85:
            return self.random.choice(NUMPY_SCALARS + NUMPY_ARRAYS)
        return self.random.choice(
            (self.liar, self.values_together, self.closure, self.row, self.mourner, self.real)
        )()

    def arguments(self) -> list[Any]:
        """Half of the time only Values and numbers, because calls that fail at once test little."""
        one = self.argument if self.random.random() < 0.5 else self.operand
        return [one() for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3, 4)))]

    def operand(self) -> Any:
        return self.value() if self.random.random() < 0.8 else self.number()

    def liar(self) -> Any:
        names = self.random.sample(RAISED, self.random.randint(1, 3))
        make = self.random.choice(
            (
                *(ReturnsNonsense, ClaimsToBeAValue, HasApply, StopsHalfway),
                *(raising(base, *names) for base in (object, float, int, str, list, Value)),
            )
        )
        return make()

    def values_together(self) -> Any:
        inside = [self.argument() if self.random.random() < 0.2 else self.value() for _ in range(3)]
        box = np.empty(3, dtype=object)
        box[:] = inside
        return self.random.choice((inside, tuple(inside), iter(inside), {"a": inside}, box))

    def real(self) -> Any:
        """A number that changes the graph while it is read."""

        class Real:
            __float__ = lambda real: self.mischief() or 1.0  # noqa: E731

        numbers.Real.register(Real)
        return Real()

    def mourner(self) -> Any:
        """An object that changes the graph when it is freed."""

        class Mourner(str):
            __del__ = lambda mourner: self.mischief()  # noqa: E731

        mourner: Any = Mourner("mourner")
        if self.random.random() < 0.5:
            mourner.itself = mourner  # now only the garbage collector can free it
        return mourner

    def row(self) -> Any:
        """An object that passes for an operation, with formulas that change the graph."""

        class Row:
            name = "row"
            symbol = property(lambda row: self.mischief() or "")
            selects = property(lambda row: self.mischief() or False)
            complete = lambda row, args: self.mischief() or args  # noqa: E731
            forward = staticmethod(lambda *args: self.mischief() or 1.0)
            derivatives = lambda row, args, out, wanted: self.mischief() or [1.0] * len(args)  # noqa: E731

        return Row()

    def closure(self) -> Callable[..., Any]:
        mourner, value = self.mourner(), self.value()
        return self.random.choice(
            (
                *(boom, lambda *args: self.mischief(), lambda *args: (mourner, value, self.mischief())),
                *(lambda *args: self.nested(value.backward), lambda *args: value),
                *(lambda *args: sum(args), lambda *args: operator.iadd(value.grad, 1.0)),
            )
        )

    # --- actions ---------------------------------------------------------------------------------

    def mischief(self) -> None:
        """Change the graph, from wherever this is called: in a closure, a conversion, a finaliser."""
        actions = (
            self.reinitialise,
            self.sweep,
            self.set_attribute,
            self.forget,
            self.collect,
            self.grow,
        )
        self.nested(self.random.choice(actions))

    def nested(self, action: Callable[[], Any]) -> None:
        """Limit the depth: CPython aborts if a finaliser overflows the stack."""
        if self.depth > DEEPEST_MISCHIEF:
            return
        self.depth += 1
        try:
            action()
        finally:
            self.depth -= 1

    def reinitialise(self) -> None:
        """Call __init__ on a value in use, occasionally making it a wide node or part of a cycle."""
        children: Any = [self.value() for _ in range(self.random.choice((0, 0, 1, 2, 3, 80)))]
        arguments = [self.number(), children, self.random.choice(("", "op")), "label"]
        if self.random.random() < 0.1:
            arguments[self.random.randrange(4)] = self.argument()
        self.value().__init__(*arguments[: self.random.randint(1, 4)])

    def sweep(self) -> None:
        v = self.value()
        how = self.random.randrange(5)
        if how == 0:
            v.forward()
        elif how == 1:
            v.zero_grad()
        elif how == 2:
            graph.topological(v, check=self.random.random() < 0.5)
        else:
            names = ("retain_graph", "create_graph", "reset")
            v.backward(**{name: self.random.random() < 0.3 for name in names})

    def copy(self) -> None:
        how = self.random.choice((copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))))
        self.keep(how(self.random.choice((self.value(), [self.value(), self.value()]))))

    def attribute(self) -> str:
        common = (
            *("data", "grad", "label", "_backward", "__class__", "inputs", "_Value__arguments"),
            *("m", "own", "__dict__", "_op", "_prev", "_children", "_local_grads"),
        )
        return self.random.choice(common if self.random.random() < 0.5 else self.attributes)

    def set_attribute(self) -> None:
        v, name = self.value(), self.attribute()
        likely = {
            "data": self.number,
            "grad": self.random.choice((self.number, self.value)),
            "label": self.random.choice((self.mourner, str)),
            "_backward": self.closure,
            "__class__": lambda: self.random.choice((Value, Subclass, SlottedSubclass)),
            "m": self.number,
            "own": self.random.choice(
                (self.value, self.mourner, lambda: [self.value(), self.mourner()])
            ),
            "__dict__": lambda: {"own": self.value(), "other": self.mourner()},
            "_op": str,
            "_prev": lambda: {self.value(), self.value()},
            "_children": lambda: (self.value(), self.value()),
            "_local_grads": lambda: (self.number(), self.number()),
        }
        setattr(
            v, name, likely[name]() if name in likely and self.random.random() < 0.7 else self.argument()
        )

    def touch_attribute(self) -> None:
        v, name = self.value(), self.attribute()
        if self.random.random() < 0.2:
            delattr(v, name)
        got = getattr(v, name)
        if callable(got) and self.random.random() < 0.7:
            got = got(*self.arguments())
        repr(got)
        self.keep(got)

    def forget(self) -> None:
        if len(self.values) > 6:
            self.values.pop(self.random.randrange(len(self.values)))

    def collect(self) -> None:
        gc.set_threshold(self.random.choice((1, 5, 50, 700)))
        if self.random.random() < 0.05:
            gc.collect()

    def operate(self) -> None:
        operators = (
            *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul),
            *(operator.floordiv, operator.mod, operator.lt, operator.le, operator.gt, operator.ge),
            *(operator.eq, operator.ne, operator.and_, operator.lshift, operator.iadd, operator.ipow),
            *(divmod, pow, operator.contains, operator.getitem, np.add, np.multiply, np.hypot, np.less),
        )
        pair = [self.value(), self.argument()]
        self.random.shuffle(pair)
        self.keep(self.random.choice(operators)(*pair))

    def convert(self) -> None:
        conversions = (
            *(bool, float, int, complex, str, repr, hash, len, iter, abs, round, operator.neg),
            *(operator.pos, operator.invert, operator.index, sys.getsizeof, dir, vars, list, np.asarray),
            *(np.tanh, np.exp, np.isfinite, format, copy.copy, np.float64),
        )
        self.keep(self.random.choice(conversions)(self.value()))

    def grow(self) -> None:
        """Apply a valid operation, so that there is a graph to attack."""
        row = self.random.choice(ops.TABLE)
        count = row.arity
        if isinstance(row, ops.Variadic):
            count = row.width * self.random.choice((1, 2, 3, 70))
        self.keep(row(self.value(), *(self.operand() for _ in range(count - 1))))

    def construct(self) -> None:
        make = self.random.choice((Value, Value, Value, Subclass, SlottedSubclass, Unfinished))
        names = self.random.sample(("data", "_children", "_op", "label", "nothing"), 2)
        keywords = {name: self.argument() for name in names if self.random.random() < 0.2}
        arguments = self.arguments()
        if self.random.random() < 0.5:
            arguments = [self.number(), [self.value() for _ in range(self.random.randrange(4))], "op"]
        self.keep(make(*arguments, **keywords))

    def call(self) -> None:
        result = self.random.choice(self.callables)(*self.arguments())
        if callable(result) and not isinstance(result, type):
            result = result(*self.arguments())
        self.keep(result)

    def give_function(self) -> None:
        self.value()._backward = self.closure()

    def grow_on_mourners(self) -> None:
        """A node whose inputs do mischief when it releases them."""
        inputs = [Value(1.0) for _ in range(self.random.choice((2, 2, 5)))]
        for one in inputs:
            one._backward = partial(len, self.mourner())
        self.keep(self.random.choice((ops.sum(*inputs), inputs[0] * inputs[1], Value(1.0, inputs))))

    def node_of_row(self) -> None:
        make = self.random.choice((Value._apply, Value._Value__result))
        arguments = [self.random.choice((self.row(), ops.add, ops.sum, None)), [self.value()] * 2]
        self.keep(make(*arguments, *([1.0] if make is Value._Value__result else [])))

    def all_callables(self) -> list[Callable[..., Any]]:
        names = ("grad", "value_and_grad", "jvp", "vjp", "jacobian", "hessian", "hvp", "custom_op")
        functions = [getattr(functional, name) for name in functional.__all__]
        methods = [getattr(Value, row.name) for row in ops.TABLE]
        own = [Value.backward, Value.forward, Value.zero_grad, Value.detach]
        own += [Value._Value__result, Value._apply]
        others = [getattr(chainrule, name) for name in names] + [chainrule.check_gradients]
        return functions + methods + own * 3 + others * 2

    # --- the run ---------------------------------------------------------------------------------

    def keep(self, result: Any) -> None:
        """Keep a result as an argument for later calls."""
        if type(result) in (Value, Subclass, SlottedSubclass, Unfinished):
            if len(graph.topological(result, check=False)) <= LARGEST_GRAPH:
                self.values.append(result)
            if len(self.values) > LIVE_VALUES:
                self.forget()

    def check_marks(self) -> None:
        """A mark that a walk leaves behind would make later walks skip that node."""
        self.depth += QUIET  # no finaliser may change the graph between the walk and the check
        try:
            order = graph.topological(self.value(), check=False)
            members = set(order)
            for child in (child for node in order for child in node.inputs):
                if not child.is_constant and child not in members:
                    self.fatal.append(AssertionError(f"a walk skipped {child!r}"))
        finally:
            self.depth -= QUIET

    def one_call(self) -> None:
        modes = (nullcontext(),) * 8 + (chainrule.no_grad(), chainrule.detect_anomaly())
        actions = (
            *(self.call, self.grow) * 6,
            *(self.operate, self.construct, self.touch_attribute, self.set_attribute, self.sweep) * 2,
            *(self.reinitialise, self.convert, self.copy, self.give_function, self.node_of_row),
            *(self.grow_on_mourners, self.collect, self.forget, self.check_marks),
        )
        with self.random.choice(modes):
            self.random.choice(actions)()

    def note(self, error: BaseException | None) -> None:
        """Any exception is acceptable except SystemError, which means that the C core broke an
        interpreter rule.
        """
        if isinstance(error, SystemError):
            self.fatal.append(error)

    def run(self, count: int) -> None:
        for i in range(count):
            if i % FRESH_START == 0:
                self.values = [Value(self.number()) for _ in range(4)]
            try:
                self.one_call()
            except Exception as error:
                self.note(error)
            if self.fatal:
                raise AssertionError(f"call {i}: {self.fatal[0]!r}") from self.fatal[0]


def check_sanity() -> None:
    """Check that the engine still computes correctly."""
    x = Value(3.0)
    y = x * x + chainrule.sum([x, 1.0, x]).tanh()
    y.backward()
    again = 2.0 * 3.0 + 2.0 * chainrule.grad(chainrule.tanh)(7.0)
    if x.grad != again:
        raise AssertionError(f"after the campaign a gradient is {x.grad}, not {again}")


def hostile_calls(count: int, seed: int) -> None:
    """Make `count` random calls. Returns, raises AssertionError, or crashes the process."""
    campaign = Campaign(seed)
    recursion, hook, threshold = sys.getrecursionlimit(), sys.unraisablehook, gc.get_threshold()
    sys.setrecursionlimit(400)  # closures that call backward on themselves stop sooner
    sys.unraisablehook = lambda args: campaign.note(args.exc_value)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            campaign.run(count)
            campaign.values = [Value(1.0)]
            gc.collect()
    finally:
        sys.setrecursionlimit(recursion)
        sys.unraisablehook = hook
        gc.set_threshold(*threshold)
        campaign.depth = QUIET  # objects freed from here on do nothing
    check_sanity()


if __name__ == "__main__":
    faulthandler.enable()
    with suppress(BrokenPipeError):
        hostile_calls(int(sys.argv[1]), int(sys.argv[2]))
        print(f"{sys.argv[1]} hostile calls on the {chainrule.core} core, seed {sys.argv[2]}: no crash")
