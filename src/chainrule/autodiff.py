"""Derivatives of functions: grad, value_and_grad, jvp, vjp, jacobian, hessian, hvp.

Arguments are numbers, or lists, tuples, dicts and NumPy arrays of numbers; derivatives have
the same structure. All transformations nest freely. If all arguments are plain numbers, so are the
results; if an argument is a Value, or the function closes over Values, the derivative depends on
them too and consists of Values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from . import ops
from .support import errors, graph, sweeps
from .support.arrays import is_array
from .support.ieee import as_float
from .support.modes import Numbers
from .support.tree import Rebuild, flatten, matched, split, stacked, unflatten
from .value import Mode, Value, enable_grad, modes

Argnums = int | Sequence[int]
T = TypeVar("T")


class _Call:
    """One call of a function on fresh Values, and the graph it recorded."""

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Argnums,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> None:
        self.single = isinstance(argnums, int)
        chosen = _chosen(argnums, args, keywords)
        self.inputs: list[Any] = []  # a new node for each number, so that nested calls stay separate
        self.trees: list[tuple[int, Rebuild]] = []
        self.lifted = False  # whether any argument was already a Value
        call = list(args)
        for i in chosen:
            leaves, rebuild = flatten(args[i])
            with enable_grad():
                fresh = [self._fresh(leaf) for leaf in leaves]
            self.inputs += fresh
            self.trees.append((len(fresh), rebuild))
            call[i] = unflatten(rebuild, fresh)
        numbers = Numbers(self.inputs, modes())
        with Mode(recording=True, arguments=numbers):
            self.result = function(*call, **keywords)
        if self.result is None:
            raise TypeError("the function returned None: is its return statement missing?")
        self.outputs, self.rebuild_output = flatten(self.result)
        for output in self.outputs:
            if not isinstance(output, Value):
                as_float(output)  # raises unless it is a number
        roots = [output for output in self.outputs if isinstance(output, Value)]
        # Order all outputs in one walk, from a temporary node that uses them all.
        self.order = graph.topological(graph.result(Value, ops.sum, roots, 0.0))[:-1] if roots else []
        own = set(self.inputs)
        all_values = len(roots) == len(self.outputs)
        if lost := numbers.lost(self.order, lambda: sweeps.reached(self.order, roots), all_values):
            raise ValueError(
                f"the gradient of an argument is lost: {lost}; compute and compare with the Values "
                f"themselves, or use detach() to stop the gradient on purpose"
            )
        self.in_values = self.lifted or any(
            v.is_leaf and v not in own and not numbers.is_own_number(v) for v in self.order
        )

    def _fresh(self, leaf: Any) -> Any:
        if isinstance(leaf, Value):
            self.lifted = True
            return ops.pos(leaf)
        return Value(as_float(leaf))

    def finish(self, result: T) -> T:
        """Turn the fresh inputs into constants.

        They may remain in a derivative made of Values, where an enclosing `grad` would otherwise
        mistake them for the user's Values.
        """
        for v in self.inputs:
            if v.is_leaf:
                graph.make_constant(v)
        return result

    def output(self) -> Any:
        """The single number that the function returned."""
        if len(self.outputs) != 1 or isinstance(self.result, (list, tuple, dict)):
            kind = type(self.result).__name__
            raise TypeError(
                f"grad needs a function that returns one number, got a {kind} of "
                f"{len(self.outputs)}; use jacobian for several"
            )
        return self.outputs[0]

    def number(self, x: Any) -> Any:
        """Return a Value if the derivative depends on Values, else a float."""
        if self.in_values or not isinstance(x, Value):
            return x if isinstance(x, Value) else float(x)
        with _plain_numbers():
            return x.data

    def gradient(self, output: Any) -> Any:
        """The derivative of one output with respect to all inputs, in the structure of the arguments."""
        if not isinstance(output, Value):
            return self.arrange([0.0] * len(self.inputs))
        if not self.in_values:
            with _plain_numbers():
                for v in self.inputs:
                    v.grad = 0.0
                output.backward()
                return self.arrange([v.grad for v in self.inputs])
        order = graph.topological(output)
        with enable_grad():
            total = sweeps.adjoints(order, 1.0, sweeps.depending(order, self.inputs))
            known = set(order)
            return self.arrange([sweeps.as_value(Value, total.get(v, 0.0), known) for v in self.inputs])

    def arrange(self, items: list[Any]) -> Any:
        """Arrange one item per input in the structure of the arguments."""
        rest = iter(items)
        trees = [rebuild(rest) for _, rebuild in self.trees]
        return trees[0] if self.single else tuple(trees)


def _plain_numbers() -> Mode:
    """During compilation: allow reading numbers that do not depend on a sample."""
    return Mode(recording=True, tracer=False)


def _chosen(argnums: Argnums, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[int]:
    """The positions of the differentiated arguments, from 0; raise if one is missing or repeated."""
    given = [argnums] if isinstance(argnums, int) else list(argnums)
    for i in given:
        if not -len(args) <= i < len(args):
            by_name = ", and argnums cannot choose keyword arguments" if keywords else ""
            raise TypeError(
                f"argnums is {i}, but the call has {len(args)} positional "
                f"argument{'s' * (len(args) != 1)}{by_name}"
            )
    positions = [i % len(args) for i in given]
    if len(set(positions)) < len(positions):
        raise ValueError(f"argnums lists an argument twice: {argnums}")
    return positions


def _check(name: str, function: Any, argnums: Any = 0) -> None:
    if not callable(function):
        raise TypeError(f"{name} takes a function, got {type(function).__name__}")
    several = isinstance(argnums, Sequence) and all(isinstance(i, int) for i in argnums)
    if not isinstance(argnums, int) and (not several or isinstance(argnums, str)):
        raise TypeError(f"argnums must be an int or a sequence of ints, got {argnums!r}")


def _check_directions(name: str, function: Any, **directions: Any) -> None:
    _check(name, function)
    for what, given in directions.items():
        if not isinstance(given, (list, tuple)):
            raise TypeError(
                f"{name} takes {what} as a tuple with one entry for each argument of the function, "
                f"such as (x,); got {type(given).__name__}"
            )


def value_and_grad(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., tuple[Any, Any]]:
    """Return a function that computes `function` and its gradient with respect to `argnums`."""
    _check("value_and_grad", function, argnums)

    @wraps(function)
    def derivative(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        call = _Call(function, argnums, args, keywords)
        output = call.output()
        return call.finish((call.number(output), call.gradient(output)))

    return derivative


def grad(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes the gradient of a scalar-valued function.

    >>> grad(lambda x: x**3)(2.0)
    12.0
    >>> grad(grad(lambda x: x**3))(2.0)
    12.0
    """
    _check("grad", function, argnums)
    both = value_and_grad(function, argnums)

    @wraps(function)
    def gradient(*args: Any, **keywords: Any) -> Any:
        return both(*args, **keywords)[1]

    return gradient


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """The value at `primals` and its derivative along `tangents`, in forward mode.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    _check_directions("jvp", function, primals=primals, tangents=tangents)
    call = _Call(function, range(len(primals)), tuple(primals), {})
    directions = matched(list(tangents), list(primals), "tangent", "numbers in primals")
    in_values = call.in_values or any(isinstance(t, Value) for t in directions)
    call.in_values = in_values
    seeds = {
        v: t if isinstance(t, Value) else as_float(t)
        for v, t in zip(call.inputs, directions, strict=True)
    }
    with enable_grad() if in_values else _plain_numbers():
        moving = sweeps.tangents(call.order, seeds, as_numbers=not in_values)
    if modes().anomaly and not in_values:
        for node in call.order:
            if not math.isfinite(moving.get(node, 0.0)):
                raise errors.bad_tangent(node, moving[node])
    known = set(call.order)

    def tangent_of(output: Any) -> Any:
        tangent = moving.get(output, 0.0) if isinstance(output, Value) else 0.0
        return sweeps.as_value(Value, tangent, known) if in_values else float(tangent)

    values = [call.number(output) for output in call.outputs]
    slopes = [tangent_of(output) for output in call.outputs]
    trees = unflatten(call.rebuild_output, values), unflatten(call.rebuild_output, slopes)
    return call.finish(trees)


def vjp(
    function: Callable[..., Any], primals: Sequence[Any], cotangents: Any
) -> tuple[Any, tuple[Any, ...]]:
    """The value at `primals`, and the gradients of its sum weighted by `cotangents`, in reverse mode.

    `cotangents` has the structure of the value. There is one gradient for each of `primals`.

    >>> vjp(lambda x, y: [x * y, x + y], (2.0, 3.0), [1.0, 10.0])
    ([6.0, 5.0], (13.0, 12.0))
    """
    _check_directions("vjp", function, primals=primals)
    call = _Call(function, range(len(primals)), tuple(primals), {})
    given = matched(cotangents, call.result, "cotangent", "numbers in the result")
    weights = [weight if isinstance(weight, Value) else as_float(weight) for weight in given]
    call.in_values = call.in_values or any(isinstance(weight, Value) for weight in weights)
    moving = [(x, w) for x, w in zip(call.outputs, weights, strict=True) if isinstance(x, Value)]
    with enable_grad():
        total = ops.dot(*(x for x, _ in moving), *(w for _, w in moving)) if moving else 0.0
    gradients = call.gradient(total)
    values = unflatten(call.rebuild_output, [call.number(output) for output in call.outputs])
    return call.finish((values, gradients))


def jacobian(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that differentiates every output with respect to every number in `argnums`.

    The derivative has the structure of the output, with the structure of the argument at each leaf, as
    in JAX: a list of rows for lists, an array of shape `out.shape + in.shape` for NumPy arrays.
    """
    _check("jacobian", function, argnums)

    @wraps(function)
    def derivative(*args: Any, **keywords: Any) -> Any:
        call = _Call(function, argnums, args, keywords)
        rows = iter([call.gradient(output) for output in call.outputs])
        leaves, rebuild = split(call.result)
        nothing = call.arrange([0.0] * len(call.inputs))
        blocks = [
            stacked([next(rows) for _ in range(leaf.size)], nothing, leaf.shape)
            if is_array(leaf)
            else next(rows)
            for leaf in leaves
        ]
        return call.finish(unflatten(rebuild, blocks))

    return derivative


def hessian(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes all second derivatives of a scalar-valued function.

    >>> hessian(lambda x: x[0] ** 2 * x[1])([2.0, 3.0])
    [[6.0, 4.0], [4.0, 0.0]]
    """
    _check("hessian", function, argnums)
    return jacobian(grad(function, argnums), argnums)


def hvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The Hessian-vector product, at the cost of a few gradients: forward over reverse mode.

    Returns one product for each of `primals`, or the product itself if there is only one.

    >>> hvp(lambda x: x[0] ** 2 * x[1], ([2.0, 3.0],), ([1.0, 0.0],))
    [6.0, 4.0]
    """
    _check_directions("hvp", function, primals=primals, tangents=tangents)
    everything = range(len(primals))
    products = jvp(grad(function, list(everything)), primals, tangents)[1]
    return products[0] if len(products) == 1 else products
