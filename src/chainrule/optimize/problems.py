"""`Problem`: a function of (x, *args), compiled as a function of the vector of all numbers in x.

A function that solves a problem itself cannot be compiled; its derivatives are computed eagerly.

SciPy sees vectors of floats only. Values in `args`, and those that the function closes over, are read as
plain numbers here; implicit.py adds their derivatives to the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import autodiff
from ..compiler import Compiled, CompileError, compile
from ..compiler.calculus.derivatives import FORWARD, SECOND
from ..support import graph
from ..support.arrays import as_array, is_array
from ..support.errors import kind_of
from ..support.ieee import as_float
from ..support.modes import NOBODY
from ..support.tree import flatten, split, unflatten
from ..value import Mode, Value, modes

Array = Any
SMALL = 32  # up to this many numbers, a dense matrix costs little more than one product with a vector
SPARSE = 0.1  # of the passes that a dense matrix takes: with fewer, a matrix is handled as sparse


class Problem:
    """A function of (x, *args) that SciPy solves for x."""

    def __init__(
        self, name: str, function: Callable[..., Any], x0: Any, args: Any = (), single: bool = False
    ) -> None:
        check_not_traced(name)
        if not callable(function):
            raise TypeError(f"optimize.{name} needs a function, got {kind_of(function)}")
        self.name, self.function, self.single = name, function, single
        leaves, self.rebuild = flatten(x0)
        self.start: Array = np.array([number_of(leaf) for leaf in leaves])
        if not leaves:
            raise ValueError(f"optimize.{name} needs at least one number in x0, got none")
        self.x0 = x0
        self.args: tuple[Any, ...] = args if isinstance(args, tuple) else (args,)
        self.constants: tuple[Any, ...] = tuple(map(without_values, self.args))
        self.step: Compiled[Any] = compile(self.on_vector, batch=None)
        self.eager = False  # whether the function turned out to solve a problem itself

    @property
    def count(self) -> int:
        return len(self.start)

    def tree(self, items: Any) -> Any:
        """Numbers or Values in the structure of x0."""
        return unflatten(self.rebuild, [x if isinstance(x, Value) else float(x) for x in items])

    def call(self, items: Sequence[Any], args: tuple[Any, ...]) -> Any:
        """The result of the function, checked: one number, or an array of all numbers in the result."""
        result = self.function(self.tree(items), *args)
        if result is None:
            raise TypeError("the function returned None: is its return statement missing?")
        outputs = flatten(result)[0]
        if not self.single:
            return as_array(outputs)
        if len(outputs) != 1:
            raise TypeError(
                f"optimize.{self.name} needs a function that returns one number, got a "
                f"{kind_of(result)} of {len(outputs)}; optimize.least_squares minimises the sum of "
                f"their squares"
            )
        return outputs[0]

    def on_vector(self, vector: Any) -> Any:
        """What is compiled."""
        return self.call(list(vector), self.constants)

    @property
    def depends_on_values(self) -> bool:
        """Whether the solution depends on Values, in the arguments or from around the function."""
        if any(_has_values(each) for each in self.args):
            return True
        if self.eager:
            return _has_values(autodiff.jacobian(self.on_vector)(self.start))
        return bool(self.step.params)

    # --- what SciPy calls -------------------------------------------------------------------------

    def value_and_grad(self, x: Array) -> tuple[float, Array]:
        value, gradient = self.numbers("value_and_grad", x)
        return float(value), gradient

    def value(self, x: Array) -> Any:
        return self.numbers("", x)

    def grad(self, x: Array) -> Array:
        return self.numbers("grad", x)

    def jacobian(self, x: Array) -> Array:
        return self.numbers("jacobian", x)

    def hessian(self, x: Array) -> Array:
        return self.numbers("hessian", x)

    def hvp(self, x: Array, direction: Array) -> Array:
        return self.numbers("hvp", (x,), (np.reshape(direction, x.shape),))

    def sparse_jacobian(self, x: Array) -> Any:
        return self.step.jacobian(x, argnums=0, sparse=True)

    def sparse_hessian(self, x: Array) -> Any:
        return self.step.hessian(x, argnums=0, sparse=True)

    def numbers(self, name: str, *arguments: Any) -> Any:
        """A derivative, or the value if the name is empty."""
        if not self.eager:
            try:
                if not name:
                    return self.step(*arguments)
                if name == "hvp":
                    return self.step.hvp(arguments[0], arguments[1][0], argnums=0)
                return getattr(self.step, name)(*arguments, argnums=0)
            except NestedSolveError:
                self.eager = True
        if name == "hvp":
            return plain(autodiff.hvp(self.on_vector, *arguments))
        derivative = getattr(autodiff, name)(self.on_vector) if name else self.on_vector
        return plain(derivative(np.array([constant(v) for v in arguments[0]])))

    def is_sparse(self, second: bool) -> bool:
        """Whether the Jacobian or, if `second`, the Hessian is large and mostly 0."""
        if self.count <= SMALL:
            return False
        outputs = np.size(self.value(self.start))
        if self.eager:
            return False
        call = self.step.derivatives((self.start,), {}, 0, has_aux=False)
        passes = len(call.plan(SECOND if second else FORWARD).directions)
        return passes <= SPARSE * (self.count if second else min(self.count, outputs))


class NestedSolveError(CompileError):
    """A compiled function solves an optimisation problem."""


def check_not_traced(name: str) -> None:
    if modes().tracing:
        raise NestedSolveError(
            f"optimize.{name} cannot run inside a compiled function: it would be solved once, while "
            f"the function is traced, and not for each sample. Call it outside, or compile only the "
            f"function that it solves"
        )


def check_has_no_jacobian(name: str, options: Mapping[str, Any]) -> None:
    if "jac" in options:
        raise TypeError(f"optimize.{name} compiles the Jacobian of your function: leave out jac")


def scipy_optimize(name: str) -> Any:
    """The module scipy.optimize, imported when it is first needed."""
    try:
        import scipy.optimize
    except ImportError:
        raise ImportError(f"optimize.{name} needs SciPy: pip install 'chainrule[scipy]'") from None
    return scipy.optimize


def plain_numbers() -> Mode:
    """While SciPy runs: enclosing transformations must not watch the function's numbers."""
    return Mode(recording=True, tracer=False, arguments=NOBODY)


def number_of(x: Any) -> float:
    return graph.number(x) if isinstance(x, Value) else as_float(x)


def constant(x: Any) -> Value:
    """A Value that gets no gradient."""
    value = Value(float(x))
    graph.make_constant(value)
    return value


def plain(tree: Any) -> Any:
    """A tree with numbers in place of its Values."""
    leaves, rebuild = flatten(tree)
    return unflatten(rebuild, [number_of(leaf) for leaf in leaves])


def numbers_of(tree: Any) -> Array:
    """All the numbers of a tree, as a vector."""
    return np.array([number_of(leaf) for leaf in flatten(tree)[0]])


def without_values(tree: Any) -> Any:
    """An argument with constants in place of its Values."""
    leaves, rebuild = split(tree)
    return unflatten(rebuild, [_without_values(leaf) for leaf in leaves])


def _without_values(leaf: Any) -> Any:
    if isinstance(leaf, Value):
        return constant(graph.number(leaf))
    if is_array(leaf) and _has_values(leaf):
        return as_array([_without_values(x) for x in leaf.ravel()]).reshape(leaf.shape)
    return leaf


def _has_values(tree: Any) -> bool:
    if is_array(tree):
        return tree.dtype == object and any(isinstance(x, Value) for x in tree.ravel())
    leaves = split(tree)[0]
    return any(_has_values(leaf) if is_array(leaf) else isinstance(leaf, Value) for leaf in leaves)
