"""Every derivative of compiled functions: random functions of trees, compared with eager mode.

    python -m tests.conformance.derivatives [COUNT] [SEED] [jax]

A function takes numbers, vectors, matrices, lists, dicts, named tuples and dataclasses, some with a
batch axis and some shared, and uses parameters. Its Jacobian, Hessian, products with vectors and sparse
matrices are computed by a compiled function, and for each sample in eager mode or, with `jax`, by JAX.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

import chainrule as c
from chainrule import Value

Array = Any
TOGETHER = 50  # functions in one jit
CLOSE = 1e-9  # relative to the largest number of a derivative; the functions are tame


class Point(NamedTuple):
    """A named tuple as an argument."""

    x: Any
    y: Any


@dataclass(frozen=True)
class Model:
    """A dataclass as an argument; its name is not a number."""

    scale: Any
    weights: Any
    name: str = "model"


def leaves(tree: Any) -> list[Any]:
    """The numbers and arrays of a tree, in order."""
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in leaves(part)]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves(part)]
    if is_dataclass(tree):
        return leaves([getattr(tree, f.name) for f in fields(tree) if f.name != "name"])
    return [tree]


def like(tree: Any, items: Iterator[Any]) -> Any:
    """A tree with other leaves."""
    if isinstance(tree, dict):
        return {key: like(part, items) for key, part in tree.items()}
    if isinstance(tree, Point):
        return Point(*(like(part, items) for part in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(like(part, items) for part in tree)
    if isinstance(tree, Model):
        return Model(like(tree.scale, items), like(tree.weights, items))
    return next(items)


def numbers(tree: Any) -> list[Any]:
    return [x for leaf in leaves(tree) for x in np.ravel(np.asarray(leaf, object)).tolist()]


# --- random functions -------------------------------------------------------------------------------

UNARY = ["sin", "cos", "tanh", "exp", "sigmoid", "softplus", "sqrt", "square"]


class Mathematics:
    """The functions that the random functions use, in chainrule."""

    exp, sin, cos, tanh, sigmoid, softplus = c.exp, c.sin, c.cos, c.tanh, c.sigmoid, c.softplus

    where, hypot = staticmethod(c.where), staticmethod(c.hypot)

    @staticmethod
    def sqrt(x: Any) -> Any:
        return c.sqrt(1.0 + x * x)

    @staticmethod
    def square(x: Any) -> Any:
        return x**2

    @staticmethod
    def branch(condition: Any, x: Any, y: Any) -> Any:
        return x if condition else y

    @staticmethod
    def sum(xs: Sequence[Any]) -> Any:
        return c.sum(xs)

    @staticmethod
    def dot(xs: Sequence[Any], ys: Sequence[Any]) -> Any:
        return c.dot(xs, ys)


@dataclass(frozen=True)
class Case:
    """A random function, its samples and which arguments they share."""

    seed: int
    text: str  # def f(m, w, *arguments)
    samples: list[list[Any]]
    shared: list[bool]
    params: list[float]
    axes: list[int]  # where the batch axis of each argument is
    single: bool  # no batch axis at all
    scalar: bool  # whether it returns one number

    def function(self, m: Any, w: Sequence[Any]) -> Callable[..., Any]:
        names: dict[str, Any] = {}
        exec(self.text, names)
        return lambda *arguments: names["f"](m, w, *arguments)

    def arguments(self) -> list[Any]:
        """The arguments of one call: samples stacked along a first axis, unless they are shared."""
        if self.single:
            return self.samples[0]
        found = []
        for k, is_shared in enumerate(self.shared):
            first = self.samples[0][k]
            if is_shared:
                found.append(first)
            elif isinstance(first, list):
                found.append([sample[k] for sample in self.samples])
            else:
                columns = zip(*(leaves(sample[k]) for sample in self.samples), strict=True)
                stacked = (np.stack([*map(np.asarray, column)], self.axes[k]) for column in columns)
                found.append(like(first, stacked))
        return found

    @property
    def batch(self) -> Any:
        if self.single:
            return None
        pairs = zip(self.axes, self.shared, strict=True)
        return tuple(None if is_shared else axis for axis, is_shared in pairs)


def argument(rng: random.Random) -> Any:
    def number() -> float:
        return rng.uniform(-1.5, 1.5)

    def vector(n: int) -> Array:
        return np.array([number() for _ in range(n)])

    kind = rng.randrange(7)
    if kind == 0:
        return number()
    if kind == 1:
        return vector(rng.randrange(1, 4))
    if kind == 2:
        return vector(4).reshape(2, 2)
    if kind == 3:
        return [number() for _ in range(rng.randrange(1, 4))]
    if kind == 4:
        return {"b": number(), "a": vector(2)}
    if kind == 5:
        return Point(number(), vector(2))
    return Model(number(), vector(2))


def paths(tree: Any, name: str) -> list[str]:
    """Expressions for every number of an argument."""
    if isinstance(tree, dict):
        return [path for key, part in tree.items() for path in paths(part, f"{name}[{key!r}]")]
    if isinstance(tree, Point):
        return [*paths(tree.x, f"{name}.x"), *paths(tree.y, f"{name}.y")]
    if isinstance(tree, Model):
        return [*paths(tree.scale, f"{name}.scale"), *paths(tree.weights, f"{name}.weights")]
    if isinstance(tree, list):
        return [f"{name}[{i}]" for i in range(len(tree))]
    if isinstance(tree, np.ndarray):
        return [f"{name}[{', '.join(map(str, place))}]" for place in np.ndindex(tree.shape)]
    return [name]


def written(rng: random.Random, known: list[str], scalar: bool) -> str:
    """The text of a random function."""
    lines = []
    known = list(known)
    for i in range(rng.randrange(3, 12)):
        a, b, d = (rng.choice(known) for _ in range(3))
        forms = [
            *(f"m.{rng.choice(UNARY)}({a})", f"{a} * {b}", f"{a} + 0.5 * {b}", f"{a} - {b}"),
            *(f"{a} / (2.0 + {b} * {b})", f"m.where({a} < {b}, {b} * {d}, m.sin({a}))"),
            *(f"m.sum([{a}, {b}, {d}, 0.3])", f"m.branch({a} < 0.3 * {b}, {b}, {d})"),
            f"m.dot([{a}, {b}], [{d}, {a}])",
            f"m.hypot(1.0 + {a} * {a}, {b})",
        ]
        lines.append(f"    t{i} = m.tanh({rng.choice(forms)})")
        known.append(f"t{i}")
    last = [f"t{i}" for i in range(max(0, len(lines) - 3), len(lines))]
    whole = f"m.sum([{', '.join([*last, *rng.sample(known, min(3, len(known)))])}])"
    if scalar:
        result = whole
    else:
        result = rng.choice(
            [
                f"[{whole}, {last[-1]} * {last[0]}]",
                f"m.array([{whole}, {last[-1]}, {last[0]}])",
                f"{{'p': {whole}, 'q': m.array([{last[0]}, {last[-1]}])}}",
                f"({last[0]}, [{whole}, {last[-1]}])",
            ]
        )
    return "\n".join([*lines, f"    return {result}"])


def case(seed: int) -> Case:
    rng = random.Random(seed)
    trees = [argument(rng) for _ in range(rng.randrange(1, 4))]
    single = rng.random() < 0.3
    shared = [rng.random() < 0.4 for _ in trees]
    if not single and all(shared):
        shared[rng.randrange(len(shared))] = False
    count = 1 if single else rng.choice([1, 2, 3, 5, 8, 9, 17])
    samples = [
        [
            tree if is_shared else like(tree, (_another(rng, leaf) for leaf in leaves(tree)))
            for tree, is_shared in zip(trees, shared, strict=True)
        ]
        for _ in range(count)
    ]
    params = [rng.uniform(-1.0, 1.0) for _ in range(rng.choice([0, 0, 1, 3]))]
    arrays = [isinstance(tree, np.ndarray) for tree in trees]
    axes = [rng.choice([0, 1, -1]) if is_array else 0 for is_array in arrays]
    names = [f"a{k}" for k in range(len(trees))]
    known = [path for name, tree in zip(names, trees, strict=True) for path in paths(tree, name)]
    known += [f"w[{i}]" for i in range(len(params))]
    scalar = rng.random() < 0.5
    text = f"def f(m, w, {', '.join(names)}):\n{written(rng, known, scalar)}\n"
    return Case(seed, text, samples, shared, params, axes, single, scalar)


def _another(rng: random.Random, leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.array([rng.uniform(-1.5, 1.5) for _ in range(leaf.size)]).reshape(leaf.shape)
    return rng.uniform(-1.5, 1.5)


# --- eager mode -------------------------------------------------------------------------------------


class Chainrule(Mathematics):
    """The same functions, with arrays of Values."""

    @staticmethod
    def array(items: Sequence[Any]) -> Array:
        found = np.empty(len(items), object)
        found[:] = items
        return found


def flat_function(case: Case, m: Any) -> Callable[..., list[Any]]:
    """The function of one list of numbers: those of a sample, then the parameters."""
    sample = case.samples[0]

    def function(xs: Any) -> list[Any]:
        items = (xs[i] for i in range(len(xs)))

        def leaf(x: Any) -> Any:
            if not isinstance(x, np.ndarray):
                return next(items)
            return m.array([next(items) for _ in range(x.size)]).reshape(x.shape)

        trees = like(list(sample), (leaf(x) for x in leaves(sample)))
        w = [next(items) for _ in case.params]
        found = leaves(case.function(m, w)(*trees))
        return [x for each in found for x in (each if np.ndim(each) else [each])]

    return function


def starts(case: Case) -> list[list[float]]:
    """The numbers of every sample, with the parameters."""
    return [[*numbers(sample), *case.params] for sample in case.samples]


Derivatives = tuple[Array, Any]  # the Jacobian of every sample and, of a scalar function, the Hessian


def eager(case: Case) -> Derivatives:
    function, points = flat_function(case, Chainrule), starts(case)
    jacobians = np.array([c.jacobian(function)(point) for point in points], float)
    if not case.scalar:
        return jacobians, None
    hessian = c.hessian(lambda xs: function(xs)[0])
    return jacobians, np.array([hessian(point) for point in points], float)


def in_jax(cases: Sequence[Case]) -> list[Derivatives]:
    """The same in JAX, for many functions in one jit."""
    import jax
    import jax.numpy as jnp

    class Jax:
        exp, sin, cos, tanh, where = jnp.exp, jnp.sin, jnp.cos, jnp.tanh, staticmethod(jnp.where)
        sigmoid, softplus = staticmethod(jax.nn.sigmoid), staticmethod(jax.nn.softplus)
        branch, square = staticmethod(jnp.where), staticmethod(jnp.square)
        # Not jnp.hypot: in JAX 0.10.2, jit(vmap(jacfwd)) of tanh(hypot(1 + x * x, y)) gives 0 for some
        # x, where JAX without jit, closed forms and finite differences all give another number.
        hypot = staticmethod(lambda x, y: jnp.sqrt(x * x + y * y))
        sum = staticmethod(lambda xs: jnp.sum(jnp.stack([*map(jnp.asarray, xs)])))
        dot = staticmethod(lambda xs, ys: jnp.dot(jnp.stack(xs), jnp.stack(ys)))
        sqrt, array = staticmethod(lambda x: jnp.sqrt(1.0 + x * x)), staticmethod(jnp.stack)

    def derivatives(points: list[Array]) -> list[Any]:
        found = []
        for case, point in zip(cases, points, strict=True):
            function = flat_function(case, Jax)
            found.append(jax.vmap(jax.jacfwd(lambda xs, f=function: jnp.stack(f(xs))))(point))
            if case.scalar:
                found.append(jax.vmap(jax.hessian(lambda xs, f=function: f(xs)[0]))(point))
        return found

    with jax.enable_x64(True):
        results = iter(jax.jit(derivatives)([jnp.array(starts(case)) for case in cases]))
        pairs = [(next(results), next(results) if case.scalar else None) for case in cases]
    return [(np.asarray(j), None if h is None else np.asarray(h)) for j, h in pairs]


# --- compiled ---------------------------------------------------------------------------------------


class Found:
    """Derivatives of a compiled function as matrices: a column for each number, parameters last."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.values = [Value(x) for x in case.params]
        function = case.function(Chainrule, self.values)
        backend: Any = "numpy" if case.seed % 5 == 0 else None
        self.step = c.compile(function, self.values, batch=case.batch, backend=backend)
        self.arguments = case.arguments()
        self.argnums: Any = (*range(len(self.arguments)), *(["params"] if case.params else []))
        self.sample = case.samples[0]
        self.trees = [*self.sample, *([np.array(case.params)] if case.params else [])]
        flags = [*case.shared, *([True] if case.params else [])]
        self.parts = [
            (np.shape(leaf), is_shared or case.single)
            for tree, is_shared in zip(self.trees, flags, strict=True)
            for leaf in self.inside(tree)
        ]

    @staticmethod
    def inside(tree: Any) -> list[Any]:
        """The arrays of an argument: a list of numbers is one array."""
        return [np.array(tree)] if isinstance(tree, list) else leaves(tree)

    def over(self, result: Any) -> list[Array]:
        """The arrays of a tree over all arguments."""
        found = []
        for part, tree in zip(result, self.trees, strict=True):
            found += [np.asarray(part, float)] if isinstance(tree, list) else leaves(part)
        return [np.asarray(each, float) for each in found]

    def jacobian(self) -> Array:
        """(samples, outputs, columns)."""
        result = self.step.jacobian(*self.arguments, argnums=self.argnums)
        samples = len(self.case.samples)
        outputs = self.case.function(Chainrule, self.values)(*self.sample)
        rows = []

        def walk(tree: Any, output: Any) -> None:
            if isinstance(output, dict):
                for key in output:
                    walk(tree[key], output[key])
            elif isinstance(output, (list, tuple)):
                for k, part in enumerate(output):
                    walk(tree[k], part)
            else:
                size = np.size(output)
                blocks = [each.reshape(samples, size, -1) for each in self.over(tree)]
                rows.append(np.concatenate(blocks, axis=2))

        walk(result, outputs)
        return np.concatenate(rows, axis=1)

    def blocks(self, result: Any) -> Iterator[tuple[slice, slice, bool, Array]]:
        """The blocks of a Hessian: rows, columns, whether both are shared, and the numbers."""
        rows = [self.over(part) for part in self.flattened(result)]
        places = []
        first = 0
        for shape, _ in self.parts:
            size = int(np.prod(shape, dtype=int))
            places.append(slice(first, first + size))
            first += size
        for a, b in product(range(len(self.parts)), repeat=2):
            size = places[a].stop - places[a].start, places[b].stop - places[b].start
            shared = self.parts[a][1] and self.parts[b][1]
            yield places[a], places[b], shared, rows[a][b].reshape(-1, *size)

    def flattened(self, result: Any) -> list[Any]:
        """For each array of the arguments, the tree of derivatives that stands in its place."""
        found = []
        for part, tree in zip(result, self.trees, strict=True):
            if isinstance(tree, dict):
                found += list(part.values())
            elif isinstance(tree, Point):
                found += [part.x, part.y]
            elif isinstance(tree, Model):
                found += [part.scale, part.weights]
            else:
                found.append(part)
        return found


def close(case: Case, what: str, found: Array, expected: Array) -> None:
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    if found.shape != expected.shape or not np.abs(found - expected).max(initial=0.0) <= CLOSE * scale:
        raise AssertionError(
            f"seed {case.seed}: {what} is {found.tolist()}, expected {expected.tolist()}\n{case.text}"
            f"batch {case.batch}, arguments {case.arguments()}, parameters {case.params}"
        )


def check(seed: int) -> None:
    """Compare every derivative of one random function with eager mode."""
    made = case(seed)
    compare(made, eager(made))


def check_with_jax(seeds: Sequence[int]) -> None:
    cases = [*map(case, seeds)]
    for made, expected in zip(cases, in_jax(cases), strict=True):
        compare(made, expected)


def compare(made: Case, expected: Derivatives) -> None:
    """Compare every derivative of one random function."""
    found = Found(made)
    rng = np.random.default_rng(made.seed)
    jacobians, hessians = expected
    samples, _, columns = jacobians.shape
    unbatched_scalar = made.single and made.scalar
    if not unbatched_scalar:
        close(made, "the Jacobian", found.jacobian(), jacobians)
    # Directions with the shapes of the arguments; of shared numbers, the same for all samples.
    rows = rng.normal(size=(samples, columns))
    tangents, first = [], 0
    flags = [*made.shared, *([True] if made.params else [])]
    for k, (tree, is_shared) in enumerate(zip(found.trees, flags, strict=True)):
        pieces = []
        for leaf in found.inside(tree):
            size = np.size(leaf)
            if is_shared:
                rows[:, first : first + size] = rows[0, first : first + size]
            block = rows[:, first : first + size]
            whole = block[0] if is_shared or made.single else block
            if is_shared or made.single:
                pieces.append(whole.reshape(np.shape(leaf)))
            else:
                pieces.append(np.moveaxis(whole.reshape(samples, *np.shape(leaf)), 0, made.axes[k]))
            first += size
        tangents.append(pieces[0] if isinstance(tree, list) else like(tree, iter(pieces)))
    values, slopes = found.step.jvp(found.arguments, tuple(tangents), argnums=found.argnums)
    del values
    slopes = np.concatenate([np.reshape(leaf, (samples, -1)) for leaf in leaves(slopes)], axis=1)
    close(made, "the jvp", slopes, np.einsum("smc,sc->sm", jacobians, rows))
    weights = rng.normal(size=jacobians.shape[:2])
    outputs = made.function(Chainrule, found.values)(*found.sample)
    pieces, first = [], 0
    for leaf in leaves(outputs):
        block = weights[:, first : first + np.size(leaf)]
        pieces.append(
            (block[0] if made.single else block).reshape(
                np.shape(leaf) if made.single else (samples, *np.shape(leaf))
            )
        )
        first += np.size(leaf)
    _, products = found.step.vjp(found.arguments, like(outputs, iter(pieces)), argnums=found.argnums)
    compare_columns(made, found, "the vjp", products, np.einsum("sm,smc->sc", weights, jacobians))
    if made.single and importlib.util.find_spec("scipy"):
        if not made.scalar:
            sparse = found.step.jacobian(*found.arguments, argnums=found.argnums, sparse=True)
            close(made, "the sparse Jacobian", sparse.toarray(), jacobians[0])
        else:
            sparse = found.step.hessian(*found.arguments, argnums=found.argnums, sparse=True)
            close(made, "the sparse Hessian", sparse.toarray(), hessians[0])
    if not made.scalar:
        return
    gradient = found.step.grad(*found.arguments, argnums=found.argnums)
    compare_columns(made, found, "the gradient", gradient, jacobians[:, 0])
    product_ = found.step.hvp(found.arguments, tuple(tangents), argnums=found.argnums)
    compare_columns(made, found, "the hvp", product_, np.einsum("scd,sd->sc", hessians, rows))
    result = found.step.hessian(*found.arguments, argnums=found.argnums)
    for a, b, shared, block in found.blocks(result):
        expected = hessians[:, a, b]
        close(
            made, f"the Hessian {a} {b}", block, expected.sum(0, keepdims=True) if shared else expected
        )


def compare_columns(case: Case, found: Found, what: str, tree: Any, expected: Array) -> None:
    """Compare a gradient; that of shared numbers is the sum over the samples."""
    first = 0
    arguments = [k for k, tree in enumerate(found.trees) for _ in found.inside(tree)]
    for k, array, (shape, is_shared) in zip(arguments, found.over(tree), found.parts, strict=True):
        size = int(np.prod(shape, dtype=int))
        block = expected[:, first : first + size]
        wanted = block.sum(0) if is_shared else block
        if not is_shared and array.ndim > 1 and case.axes[k] and not case.single:
            array = np.moveaxis(array, case.axes[k], 0)
        close(case, what, array.reshape(np.shape(wanted)), wanted)
        first += size


def main(count: int, seed: int, jax: bool) -> None:
    together = TOGETHER if jax else 1
    for first in tqdm(range(seed, seed + count, together), mininterval=10, disable=count < 1000):
        seeds = range(first, min(first + together, seed + count))
        if jax:
            check_with_jax(seeds)
        else:
            check(first)
    print(f"{count:,} random functions: every derivative agrees with {'JAX' if jax else 'eager mode'}")


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:] if word != "jax"]
    main(words[0] if words else 1000, words[1] if len(words) > 1 else 0, "jax" in sys.argv)
