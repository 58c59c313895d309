"""Derivatives of compiled functions: every kind, on random functions, and their graphs."""

import random
from typing import Any

import pytest

import chainrule
from chainrule import Value, ops, take
from chainrule.compiler.calculus import graphs
from chainrule.compiler.flat import Flat

from ..conftest import require
from . import derivatives


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_random_functions(first: int) -> None:
    for seed in range(first, first + 50):
        derivatives.check(seed)


def test_random_functions_beside_jax() -> None:
    require("jax")
    derivatives.check_with_jax(range(20))


def random_graph(rng: random.Random) -> tuple[Flat, tuple[int, int]]:
    """A graph of random operations, and the numbers of its inputs and parameters."""
    leaves = [Value(rng.uniform(0.1, 2.0)) for _ in range(rng.randrange(2, 7))]
    inputs = leaves[: rng.randrange(1, len(leaves))]
    params = leaves[len(inputs) :]
    known = list(leaves)
    for _ in range(rng.randrange(1, 30)):
        op: Any = rng.choice(ops.TABLE)
        variadic = isinstance(op, ops.Variadic)
        count = rng.randrange(max(1, op.least), 5) * op.width if variadic else op.arity
        numbers = [
            rng.choice(known) if rng.random() < 0.9 else rng.choice([0.0, 1.0, 2.0])
            for _ in range(count)
        ]
        if rng.random() < 0.05:
            known.append(take([rng.choice(known) for _ in range(3)], rng.choice(known)))
        elif any(isinstance(x, Value) for x in numbers):
            known.append(op(*numbers))
    outputs = [rng.choice(known) for _ in range(rng.randrange(1, 4))]
    guards = [rng.choice(known) for _ in range(rng.randrange(2))]
    return Flat.from_values(outputs, guards, inputs, params), (len(inputs), len(params))


@pytest.mark.skipif(chainrule.core != "c", reason="the core in use does not make graphs in C")
@pytest.mark.parametrize("seed", range(200))
def test_graphs_in_c_are_those_in_python(seed: int) -> None:
    rng = random.Random(seed)
    flat, counts = random_graph(rng)
    graph = flat.unpack()
    inputs, params = (sorted(rng.sample(range(n), rng.randrange(n + 1))) for n in counts)
    as_inputs, careful = rng.random() < 0.5, rng.random() < 0.5
    results = range(len(graph.results()))
    chosen = [[rng.choice(results) for _ in range(rng.randrange(1, 4))] for _ in range(2)]
    for made, twin in (
        (
            graphs.forward(graph, inputs, params, counts, as_inputs, careful),
            graphs.forward(flat, inputs, params, counts, as_inputs, careful),
        ),
        (graphs.partials(graph, inputs, params), graphs.partials(flat, inputs, params)),
        (graphs.weighted(graph, counts[0], careful), graphs.weighted(flat, counts[0], careful)),
        (
            graphs.choose(graph, *chosen, params, counts[0]),
            graphs.choose(flat, *chosen, params, counts[0]),
        ),
    ):
        assert str(made.verify()) == str(twin.unpack().verify())
