"""One process of a training run in JAX: `python -m tests.scale.worker '{"processes": 2, ...}'`.

The first process writes the losses of all epochs, and the shapes of the parameters and optimiser
states on each of its devices, to a JSON file.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Shuffled:
    """One process's part of the batches that `fit` would take from arrays, with its own generator."""

    def __init__(self, X: Any, y: Any, job: dict[str, Any]) -> None:
        import numpy as np

        self.X, self.y, self.job = X, y, job
        self.rng = np.random.default_rng(0)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        order, size = self.rng.permutation(len(self.X)), self.job["batch"]
        share = size // self.job["processes"]
        for start in range(self.job["process"] * share, len(order), size):
            index = order[start : start + share - self.job.get("short", 0) * self.job["process"]]
            X, y = self.X[index], self.y[index]
            if self.job["process"] and start >= self.job.get("good", 1) * size:
                if self.job.get("break") == "read":
                    raise OSError("the disk is gone")
                if self.job.get("break") == "width":
                    X = X[:, :1]
                if self.job.get("break") == "words":
                    y = ["yes"] * len(y)
            yield X, y


def main(job: dict[str, Any]) -> None:
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={job['devices']}"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    jax.config.update("jax_enable_x64", True)
    if job["processes"] > 1:
        jax.distributed.initialize(
            f"127.0.0.1:{job['port']}", num_processes=job["processes"], process_id=job["process"]
        )
    import numpy as np

    from chainrule import nn, optim, train
    from chainrule.train import loop

    X, y = np.load(job["X"], mmap_mode="r"), np.load(job["y"], mmap_mode="r")
    other: Any = job.get("differ") if job["process"] == job["processes"] - 1 else None
    model = nn.MLP(2, [job["hidden"], 1], "relu" if other == "program" else "tanh", seed=other == "seed")
    kind = optim.AdamW if other == "optimizer" else optim.Adam
    optimizer = kind(model.parameters(), lr=0.03 if other == "lr" else 0.02)
    if other == "state":
        optimizer.state[3] = (0.5, 0.5)
    if other == "data":
        X = np.array(X) + 1e-9
    if other == "fewer":
        X, y = X[:64], y[:64]

    def after(epoch: int, history: Any) -> bool:
        if other == "callback" and epoch == 2:
            model.parameters()[0].data += 1e-12
        if epoch == job.get("die_after") and job["process"] == job["processes"] - 1:
            os._exit(9)
        return False

    mesh = jax.make_mesh((len(jax.devices()),), ("data",)) if len(jax.devices()) > 1 else None
    engines: list[Any] = []

    def make_engine(*arguments: Any, **options: Any) -> Any:
        engines.append(made(*arguments, **options))
        return engines[-1]

    made, loop.make_engine = loop.make_engine, make_engine
    streamed = bool(job.get("stream"))
    history = train.fit(
        *(model, "binary_cross_entropy_with_logits"),
        *((Shuffled(X, y, job),) if streamed else (X, y)),
        optimizer=optimizer,
        epochs=job["epochs"] + (other == "epochs"),
        seed=int(other == "order"),
        batch_size=None if streamed else job["batch"],
        engine="jax",
        mesh=mesh,
        shard_parameters=job.get("shard", False),
        resume=job.get("resume"),
        callbacks=[after],
        progress=False,
    )
    if jax.process_index() == 0:
        arrays = [engines[0].params, *engines[0].states]
        parts = [
            [part.data.shape for part in leaf.addressable_shards] for leaf in jax.tree.leaves(arrays)
        ]
        Path(job["out"]).write_text(json.dumps({"losses": history.losses, "parts": parts}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
