"""Is a network that was lowered to JAX as fast as one written for JAX by hand?

One step of gradient descent on MLP(64, [128, 10]) with cross-entropy, jitted, with donated
parameters. `--gpu` runs it on a GPU, with a batch of 65,536.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import measure
import numpy as np
import programs
from measure import Table, Work, sized
from race import OURS, Contestant, Race

from chainrule.compiler import compile

GPU = "--gpu" in sys.argv
if GPU:
    os.environ["JAX_PLATFORMS"] = "cuda"
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = (
        "false"  # both contestants' processes share the GPU's memory
    )

INPUTS, HIDDEN = 64, 128
BATCH = 65_536 if GPU else 256
STEPS = sized(200, 5)
# The lowest acceptable ratio of the hand-written version's time to ours.
SLOWER = 1 / 1.05 if GPU else 1 / 1.1
RATE = 0.01


def network(hidden: int = HIDDEN, size: int = BATCH) -> tuple[Any, Any, tuple[Any, Any]]:
    model, loss = programs.classifier(INPUTS, hidden)
    batch = programs.samples(size, INPUTS)
    function = compile(loss, model.parameters()).to_jax(batch[0][:2], batch[1][:2], model=model)
    return function, function.initial(), batch


def trained(losses: Callable[[Any, Any], Any], start: Any, batch: Any, steps: int) -> Work:
    """Return a function that runs `steps` steps of gradient descent and returns the parameters."""
    import jax

    def advance(params: Any, batch: Any) -> Any:
        grads = jax.grad(lambda p: losses(p, batch).mean())(params)
        return jax.tree.map(lambda p, g: p - RATE * g, params, grads)

    step = jax.jit(advance, donate_argnums=0)
    batch = jax.device_put(batch)

    def run() -> Any:
        params = jax.tree.map(lambda x: x.copy(), start)
        for _ in range(steps):
            params = step(params, batch)
        return np.concatenate([np.asarray(x).ravel() for x in jax.tree.leaves(params)])

    return run


def by_hand(params: Any, batch: Any) -> Any:
    import jax
    import jax.numpy as jnp

    x, labels = batch
    first, second = (layer["neurons"] for layer in params["layers"])
    hidden = jax.nn.relu(x @ first["w"].T + first["b"])
    scores = hidden @ second["w"].T + second["b"]
    right = jnp.take_along_axis(scores, labels[:, None], 1)[:, 0]
    return jax.nn.logsumexp(scores, axis=1) - right


def ours(steps: int) -> Work:
    function, start, batch = network()
    return trained(function, start, batch, steps)


def theirs(steps: int) -> Work:
    _, start, batch = network()
    return trained(by_hand, start, batch, steps)


def tables() -> Iterator[Table]:
    contestants = [
        Contestant(OURS, "lowered to JAX", ours, STEPS, modules=["jax"]),
        Contestant("JAX", "written by hand", theirs, STEPS, modules=["jax"]),
    ]
    title = f"MLP({INPUTS}, [{HIDDEN}, 10]), batch of {BATCH:,}, one step" + (
        ", on a GPU" if GPU else ""
    )
    yield Race(title, contestants, checked=5, targets={"JAX": SLOWER}).table()


if __name__ == "__main__":
    sys.exit(measure.main(tables, ["jax"]))
