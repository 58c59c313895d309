"""Training on all the devices that JAX sees: `fit(..., engine="jax", mesh=...)`.

The loss of one sample and the optimiser's rule are lowered to JAX; XLA handles the devices, the
sharding and the communication. `jax_devices.py` decides where arrays are placed; each process
reads only its own part of a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import nn, optim
from ..compiler import Batch, Compiled, CompileError
from ..compiler.pipeline import Pipeline
from ..compiler.program import Program
from ..compiler.training import traced_rule
from ..support.atomic.committing import commit_training
from ..support.caching import cached_property
from .engines import EagerEngine, Interrupted, Loss, Outcome, check_loss
from .feeding import Data, Plan, Stream
from .jax_devices import FAILED, Common, Devices, check_common, check_none_failed, gather
from .native_engine import BatchCheck, as_values

Array = Any

IN_FLIGHT = 64  # bounds JAX's dispatch queue between checks for NaN and Ctrl-C
CHECKED = 1000  # samples, at most, on which the loss must be the mean of the samples' losses
COMPARED = 200  # processes compare up to this many samples with each other


class JaxEngine(EagerEngine):
    """Runs the steps on JAX devices, and updates the model after each epoch."""

    name = "jax"

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        optimizer: optim.Optimizer,
        data: Data,
        validation: tuple[Any, Any] | None = None,
        mesh: Any = None,
        shard_parameters: bool = False,
    ) -> None:
        super().__init__(model, loss, optimizer, data)
        self.validation = validation
        from ..compiler.backends import jax as backend

        self.backend: Any = backend
        self.jax: Any = self.backend.jax
        self.jnp: Any = self.backend.jnp
        if optimizer.has_own_step:
            raise CompileError(
                f"{type(optimizer).__name__} overrides step(), which JAX would not "
                "call: define a rule() instead"
            )
        check_loss(loss([model(data.X[0])], [data.y[0]]))
        self.step_of_one: Compiled[Any] = Compiled(lambda x, y: loss([model(x)], [y]), optimizer.params)
        first, again = (
            self.step_of_one.traced(Batch((data.X[:1], data.y[:1])), 0).source for _ in range(2)
        )
        if first != again:
            raise CompileError(
                "two traces of the model differ, perhaps because it uses random numbers; train it with "
                "engine='eager'"
            )
        self.function = self.step_of_one.to_jax(data.X[:1], data.y[:1], model=model)
        if self.function.paths.conditions is not None:
            raise CompileError(
                "a function that branches on Values cannot be trained with JAX, which knows only the "
                "path of one sample: write the branch as where(a < b, x, y)"
            )
        self.program: Program = self.function.paths.programs[0]
        if len(self.step_of_one.params) > len(optimizer.params):
            raise CompileError("the loss depends on Values that are not parameters of the optimizer")
        self.predictor: Compiled[Any] = Compiled(model, optimizer.params)
        judged: Compiled[Any] = Compiled(self.judge_one, optimizer.params)
        self.check_batch: BatchCheck = BatchCheck(loss, judged, CHECKED)
        self.check_batch(data.X, data.y)
        self.shapes: list[tuple[Any, ...]] = [np.shape(part[:1])[1:] for part in (data.X, data.y)]
        self.devices: Devices = Devices(self.jax, mesh, shard_parameters)
        self.check_sizes()
        self.writes_files: Any = self.devices.process == 0
        self.settings: Any = None

    def judge_one(self, x: Any, y: Any) -> tuple[Any, Any]:
        prediction = self.model(x)
        return prediction, self.loss([prediction], [y])

    # --- batches ---------------------------------------------------------------------------------

    def check_sizes(self) -> None:
        """Raise unless batches divide evenly. A stream's batches are checked as they arrive."""
        data, parts = self.data, self.devices.parts
        if isinstance(data, Stream):
            return
        for size in {data.size, data.samples % data.size} - {0}:
            if size % parts:
                raise ValueError(
                    f"a batch of {size} samples cannot be split over {parts} devices: choose batch_size "
                    f"so that all batches of the {data.samples} samples, including the last, have sizes "
                    f"that are multiples of {parts}"
                )

    def pieces(self, plan: Plan) -> Iterator[tuple[Any, list[Array]]]:
        """The batches of an epoch and their arrays; several processes read streams in lockstep."""
        pieces = ((piece, self.read(piece, i)) for i, (_, piece) in enumerate(plan.pieces(), 1))
        several = isinstance(self.data, Stream) and self.devices.processes > 1
        return self.agreed(pieces) if several else pieces

    def agreed(self, pieces: Iterator[tuple[Any, list[Array]]]) -> Iterator[tuple[Any, list[Array]]]:
        """Stop all processes if the sizes of their batches differ; otherwise they would wait forever.

        Any process-local work that can fail must be done before a batch is yielded.
        """
        while True:
            try:
                piece = next(pieces, None)
            except Exception:
                gather(FAILED)
                raise
            sizes = gather(0 if piece is None else len(piece[1][0]))
            check_none_failed(sizes, "read its next batch")
            if piece is not None and len(set(sizes)) == 1:
                yield piece
            elif any(sizes):
                raise ValueError(
                    f"the processes have batches of {' and '.join(map(str, sizes))} samples (0: no "
                    f"batch left): all must yield the same number of batches, of the same sizes"
                )
            else:
                return

    def read(self, piece: Any, number: int) -> list[Array]:
        """The samples of a batch as arrays; each process reads its own part."""
        read = self.data.read(piece, self.devices.process, self.devices.processes)
        arrays = [np.asarray(a, self.function.dtype) for a in read]
        for name, array, shape in zip("Xy", arrays, self.shapes, strict=True):
            if array.shape[1:] != shape:
                raise ValueError(
                    f"batch {number}: a sample of {name} has the shape {array.shape[1:]}, "
                    f"but in the first batch it had {shape}"
                )
        if isinstance(self.data, Stream):
            self.check_batch(*read)
        return arrays

    # --- agreement -------------------------------------------------------------------------------

    def check_common(self, epochs: str) -> None:
        """Raise if the processes differ: they would train different models, or wait forever.

        Called before every epoch, because a callback may have changed something in one process.
        """
        if self.devices.processes == 1:
            return
        optimizer = self.optimizer
        numbers, states = self.step_of_one.numbers(), optimizer.state_rows().T
        settings = ", ".join(f"{name}={x}" for name, x in optimizer.hyperparameters.items())
        shown = f"{len(numbers)}, the first {numbers[0]:.6g}"
        check_common(
            [
                *self.fixed,
                _common("epochs", epochs),
                Common("parameters", numbers.tobytes(), shown),
                _common("optimizers", type(optimizer).__name__),
                _common("optimizer settings", settings),
                _common("optimizer rules", repr(self.rule.program), _size(self.rule.program)),
                Common("optimizer states", states.tobytes(), f"{optimizer.steps} steps"),
                _common("optimizer steps", str(optimizer.steps)),
                _common(
                    "sample orders", str(self.data.rng.bit_generator.state), "drawn with the seed of fit"
                ),
            ]
        )

    @cached_property
    def fixed(self) -> list[Common]:
        """The properties of the run that no callback can change."""
        data, mesh = self.data, self.devices.mesh
        stream = isinstance(data, Stream)
        sizes = f"samples of the shapes {self.shapes}"
        if not stream:
            sizes += f", {data.samples} of them in batches of {data.size}, shuffle={data.shuffle}"
        devices = f"{mesh.shape}, shard_parameters={self.devices.shard_parameters}"
        return [
            _common("devices", f"{devices}, {self.function.dtype}"),
            _common("programs of model and loss", repr(self.program), _size(self.program)),
            _common("data", sizes),
            Common("data", b"" if stream else _some(data.X, data.y), f"{COMPARED} samples compared"),
            Common("validation data", _some(*(self.validation or ())), f"{COMPARED} samples compared"),
        ]

    # --- numbers ---------------------------------------------------------------------------------

    def push(self) -> None:
        """Copy parameters and the optimiser's state from the model to the devices."""
        settings = {**self.optimizer.hyperparameters, "lr": None}
        if settings != self.settings:  # all but the learning rate are compiled into the step
            self.rule: RuleOnArrays = RuleOnArrays(self.optimizer)
            self.settings = settings
            self.jitted: Any = self.jit()
        tree = self.function.tree
        numbers = self.step_of_one.numbers().astype(self.function.dtype)
        states = self.optimizer.state_rows().astype(self.function.dtype)
        put = self.devices.put_parameter
        self.params: Any = self.jax.tree.map(put, tree.build(numbers))
        self.states: list[Any] = [self.jax.tree.map(put, tree.build(column)) for column in states]

    def jit(self) -> Any:
        """Jit the step. Its results are sharded like its arguments; otherwise XLA might move them."""
        whole = self.devices.sharding()
        places = self.function.tree.build(np.zeros(len(self.optimizer.params)))
        placed = self.jax.tree.map(self.devices.sharding_of, places)
        results = placed, [placed] * self.optimizer.state_size, whole, whole, placed
        pinned = {} if whole is None else {"out_shardings": results}
        return self.jax.jit(self.advance, donate_argnums=(0, 1), **pinned)

    def numbers_of(self, arrays: Any) -> list[float]:
        """Flatten a tree of arrays to one number per parameter."""
        tree = self.function.tree
        found: list[float] = tree.flatten(self.jax.tree.map(self.devices.get, arrays)).tolist()
        return found

    def advance(self, params: Any, states: Any, bad: Any, settings: Any, batch: Any) -> Any:
        """One step: new parameters and states, the index of the first bad step, loss and gradients.

        `settings` holds the learning rate, the optimiser's step count and the step's index. Once a
        loss or a gradient is not finite, no later step changes anything.
        """
        jax, jnp = self.jax, self.jnp
        whole = self.devices.gathered(params)
        loss, grads = jax.value_and_grad(lambda p: self.function(p, batch).mean())(whole)
        leaves, shape = jax.tree.flatten(params)
        gradients = jax.tree.leaves(grads)
        finite = jnp.isfinite(loss)
        for g in gradients:
            finite &= jnp.isfinite(g).all()
        bad = jnp.where((bad < 0) & ~finite, settings[2], bad)
        good = bad < 0
        kept = [jax.tree.leaves(state) for state in states]
        made = [
            self.rule(self.backend, settings[:2], [p, g, *(state[i] for state in kept)])
            for i, (p, g) in enumerate(zip(leaves, gradients, strict=True))
        ]
        old = [leaves, *kept]
        new = [
            jax.tree.unflatten(
                shape, [jnp.where(good, m[k], o) for m, o in zip(made, part, strict=True)]
            )
            for k, part in enumerate(old)
        ]
        return new[0], new[1:], bad, loss, grads

    def steps(self, plan: Plan, interrupted: Interrupted = bool) -> Outcome:
        self.push()
        self.check_common("{} to {}".format(*plan.epochs))
        losses: list[Any] = []
        sizes: list[int] = []
        waiting: list[Any] = []  # batches of steps whose losses have not been checked
        grads: Any = None
        bad = self.devices.put(np.array(-1.0, self.function.dtype))

        def looked_at() -> Outcome:
            """Wait for the devices, and return the steps up to the first one that failed."""
            first = int(bad)
            self.finish(grads, len(losses) if first < 0 else first)
            if first < 0:
                return Outcome([float(loss) for loss in losses], True, sizes)
            done = [float(loss) for loss in losses[: first + 1]]
            return Outcome(done, False, sizes[: first + 1], piece=waiting[first - len(losses)])

        for number, (piece, arrays) in enumerate(self.pieces(plan)):
            batch = self.devices.put_batch(arrays)
            numbers = [self.optimizer.lr, self.optimizer.steps + number + 1.0, number]
            settings = self.devices.put(np.array(numbers, self.function.dtype))
            self.params, self.states, bad, loss, grads = self.jitted(
                self.params, self.states, bad, settings, batch
            )
            losses.append(loss)
            sizes.append(len(batch[0]))
            waiting.append(piece)
            if len(waiting) == IN_FLIGHT:
                if int(bad) >= 0 or interrupted():
                    return looked_at()
                waiting.clear()
        return looked_at()

    def finish(self, grads: Any, steps: int) -> None:
        """Write back parameters, gradients, and the optimiser's state and step count, all at once."""
        optimizer = self.optimizer
        numbers = np.array([self.numbers_of(part) for part in (grads, self.params, *self.states)])
        commit_training(optimizer, numbers[:2], numbers[2:], optimizer.steps + steps)

    def predict(self, xs: Any) -> list[Any]:
        return as_values(self.predictor(xs))


def _common(name: str, content: str, shown: str = "") -> Common:
    return Common(name, content.encode(), shown or content)


def _size(program: Any) -> str:
    return f"{len(program.shared) + len(program.each)} instructions, {len(program.constants)} constants"


def _some(*arrays: Any) -> bytes:
    """The numbers of evenly spaced samples, because an array may be a file larger than memory."""
    found = b""
    for array in arrays:
        chosen = np.unique(np.linspace(0, len(array) - 1, COMPARED).astype(int))
        found += b"".join(np.asarray(array[i], float).tobytes() for i in chosen)
    return found


class RuleOnArrays:
    """Applies an optimiser's rule, written for one scalar, to JAX arrays."""

    def __init__(self, optimizer: optim.Optimizer) -> None:
        graph = traced_rule(optimizer).graph
        self.program = Pipeline(graph).lowered(2, 2 + optimizer.state_size, False)

    def __call__(self, backend: Any, settings: Any, arrays: list[Any]) -> list[Any]:
        """Compute the new parameter and states from settings, parameter, gradient and states."""
        shape, size = arrays[0].shape, arrays[0].size
        inputs = [(a.reshape(1, size), 1) for a in arrays]
        results = backend.run(self.program, [(settings, np.arange(2))], inputs, size, settings.dtype)
        return [r.reshape(shape) for r in results]
