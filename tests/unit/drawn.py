"""Graphs that the tests of `viz` draw."""

from __future__ import annotations

import random
from typing import Any

from chainrule import Value, nn


def expression(nodes: int, seed: int = 0) -> Any:
    """A random expression of exactly so many nodes, with shared parts, one result and gradients."""
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
            b = (
                unused.pop(rng.randrange(len(unused)))
                if kind == 2 and unused
                else rng.choice(known[-20:])
            )
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
