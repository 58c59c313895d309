"""Runs: one training from step to step, in eager mode or in native code."""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from .. import nn, optim
from ..compiler import Batch, Compiled, CompileError, Trainer
from ..compiler.training import not_traced
from ..nn.layers import Layer
from ..nn.saving import describe, save
from ..support.committing import Change, assign, commit
from ..support.errors import AnomalyError
from ..support.tree import flatten
from ..value import Value, compiled, detect_anomaly, no_grad
from .feeding import Data, Stream
from .history import History

Metrics = dict[str, Callable[[list[Any], Any], float]]
Loss = Callable[..., Any]
Interrupted = Callable[[], bool]

LOSSES: dict[str, Callable[..., Any]] = {
    "mse": nn.mse_loss,
    "l1": nn.l1_loss,
    "huber": nn.huber_loss,
    "hinge": nn.hinge_loss,
    "binary_cross_entropy": nn.binary_cross_entropy,
    "binary_cross_entropy_with_logits": nn.binary_cross_entropy_with_logits,
    "cross_entropy": nn.cross_entropy,
    "nll": nn.nll_loss,
}

ENGINES = ("auto", "eager", "native", "jax")
SECONDS = 0.2  # how long native code may run before the progress is shown again
MOST_PLACES = 2_000_000  # in the order of the samples of several epochs


class NonFiniteLossError(ArithmeticError):
    """The loss became infinite or NaN; the parameters are those of the last good step."""


class EagerRun:
    """Training in eager mode: every number is a Value."""

    engine = "eager"

    def __init__(self, model: nn.Module, loss: Loss, optimizer: optim.Optimizer, data: Data) -> None:
        self.model, self.loss, self.optimizer, self.data = model, loss, optimizer, data
        self.history = History(engine=self.engine)
        self.validation: tuple[Any, Any] | None = None
        self.metrics: Metrics = {}
        self.checkpoint: str | Path | None = None
        self.setup: dict[str, str] = {}  # what a file to resume from must agree with
        self.keep_best = self.stepwise = False
        self.layers = {name: layer.parameters() for name, layer in layers_of(model).items()}
        self.best = math.inf
        self.best_state = model.state_dict()

    def train(self, before: int, left: int, interrupted: Interrupted) -> int:
        """One epoch or, in native code, some of those that are left; how many were finished."""
        losses, sizes = [], []
        for number, piece in enumerate(self.data.pieces(), 1):
            xs, ys = self.data.read(piece)
            losses.append(self.step(xs, ys, f"epoch {before + 1}, batch {number}"))
            sizes.append(len(xs))
            if interrupted():
                return 0
        self.record(losses, sizes, self.norms())
        return 1

    def norms(self) -> dict[str, float]:
        """The norm of the gradients of each layer."""
        return {name: math.hypot(*(p.grad for p in params)) for name, params in self.layers.items()}

    def record(self, losses: Sequence[float], sizes: Sequence[int], norms: dict[str, float]) -> None:
        """Write down an epoch: the mean of the losses of its samples, and norms of gradients."""
        total = math.fsum(loss * n for loss, n in zip(losses, sizes, strict=True))
        self.history.losses.append(total / sum(sizes))
        self.history.learning_rates.append(self.optimizer.lr)
        for name, norm in norms.items():
            self.history.gradient_norms.setdefault(name, []).append(norm)

    def step(self, xs: Any, ys: Any, where: str) -> float:
        loss = check_loss(self.loss([self.model(x) for x in xs], list(ys)))
        if math.isfinite(loss.data):
            self.optimizer.zero_grad()
            loss.backward()
            if all(math.isfinite(number(p.grad)) for p in self.optimizer.params):
                self.optimizer.step()
                return float(loss.data)
        raise self.failure(xs, ys, loss.data, where)

    def failure(self, xs: Any, ys: Any, loss: float, where: str) -> NonFiniteLossError:
        """What to say when the loss or a gradient is not finite."""
        if not math.isfinite(loss):
            return NonFiniteLossError(self.explain(xs, ys, loss, where))
        return NonFiniteLossError(
            f"a gradient is not finite in {where}, though the loss is {loss:g}. "
            f"The parameters are those of the last good step; compute the step inside "
            f"detect_anomaly() to see where"
        )

    def explain(self, xs: Any, ys: Any, value: float, where: str) -> str:
        """Compute the step again and watch for the first number that is not finite."""
        text = f"the loss is {value} in {where}"
        try:
            with detect_anomaly():
                self.loss([self.model(x) for x in xs], list(ys))
        except AnomalyError as error:
            text += f": {error}"
        text += ". The parameters are those of the last good step; "
        if not all(map(is_finite, flatten([list(xs), list(ys)])[0])):
            return f"{text}the data has numbers that are not finite."
        return f"{text}try a smaller learning rate (now {self.optimizer.lr:g}) or clip_grad_norm_."

    def predict(self, xs: Any) -> list[Any]:
        with no_grad():
            return [self.model(x) for x in xs]

    def judge(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        """Predictions for samples, and their loss."""
        predictions = self.predict(xs)
        return predictions, number(self.loss(predictions, list(ys)))

    def dead_units(self, xs: Any) -> float:
        """The share of hidden units whose output is exactly 0 for all samples."""
        return dead_share(outputs_of_layers(self.model, xs))

    def switch(self, training: bool) -> None:
        """Put the model into training or evaluation mode."""
        self.model.train() if training else self.model.eval()

    def state(self) -> dict[str, float]:
        """The parameters of the moment by name."""
        return self.model.state_dict()

    def watch(self, epoch: int) -> None:
        """Look at what was learned up to an epoch, and keep the best."""
        history = self.history
        watched = history.losses[-1]
        xs, ys = self.validation or (self.data.X, self.data.y)
        if self.validation or self.metrics or self.keep_best:
            self.switch(training=False)
            with no_grad():
                # Without validation data the loss of the epoch was that of older parameters.
                predictions, watched = self.judge(xs, ys)
                if self.validation:
                    history.validation_losses.append(watched)
                for name, metric in self.metrics.items():
                    history.metrics.setdefault(name, []).append(number(metric(predictions, ys)))
            self.switch(training=True)
        history.dead_units += [math.nan] * (epoch - 1 - len(history.dead_units))
        history.dead_units.append(self.dead_units(xs[:32]))
        if watched < self.best:
            self.best, history.best_epoch = watched, epoch
            if self.keep_best:
                self.best_state = self.state()
            if self.checkpoint is not None and self.is_writer():
                save(self.model, self.checkpoint)

    def is_writer(self) -> bool:
        """Whether this process writes files: one of several does."""
        return True

    def back_to_best(self) -> None:
        if self.history.best_epoch:
            self.model.load_state_dict(self.best_state)

    def summary(self) -> str:
        parts = [f"{name} {numbers[-1]:.4g}" for name, numbers in self.history.curves().items()]
        return ", ".join(parts)


class NativeRun(EagerRun):
    """Training in native code: the loss of one sample and the optimiser's rule are compiled.

    Raises CompileError if that cannot be done.
    """

    engine = "native"

    def __init__(self, model: nn.Module, loss: Loss, optimizer: optim.Optimizer, data: Data) -> None:
        super().__init__(model, loss, optimizer, data)
        model.train()
        self.batch = as_batch(data.X, data.y)
        check_loss(self.loss_of_one(data.X[0], data.y[0]))
        step = Compiled(self.loss_of_one, optimizer.params, backend="native")
        check_same_each_time(step, self.batch)
        self.trainer = Trainer(step, optimizer)
        self.trainer.machine(self.batch, data.size)
        self.mean = MeanCheck(self, step)
        self.mean(data.X, data.y)
        self.groups = self.groups_of_layers()
        self.judged: Compiled | None = Compiled(self.judge_one, optimizer.params, backend="native")
        self.watched: Compiled | None = Compiled(
            lambda x: watched_layers(model, [x]), optimizer.params, backend="native"
        )
        # To look for these may take longer than an epoch does. Only of a plain model we know that its
        # train() and state_dict() do no more than to go over them.
        self.plain = is_plain(model)
        self.modules, self.named = list(model.modules()), dict(model.named_parameters())
        self.epochs = 1  # to do in one go

    def loss_of_one(self, x: Any, y: Any) -> Any:
        return self.loss([self.model(x)], [y])

    def groups_of_layers(self) -> Any:
        """The number of its layer for each parameter, -1 if it is in none."""
        places = {p: i for i, params in enumerate(self.layers.values()) for p in params}
        return np.array([places.get(p, -1) for p in self.optimizer.params], dtype=np.int32)

    def train(self, before: int, left: int, interrupted: Interrupted) -> int:
        data, start = self.data, time.perf_counter()
        epochs = 1 if self.stepwise else min(left, self.epochs, 1 + MOST_PLACES // data.samples)
        orders = None
        if data.size < data.samples:
            orders = np.concatenate([data.order() for _ in range(epochs)])
        in_epoch = -(-data.samples // data.size)
        rates = np.full(epochs * in_epoch, self.optimizer.lr)
        self.trainer.push()
        try:
            outcome = self.trainer.run(self.batch, rates, orders, data.size, self.groups, interrupted)
        finally:
            self.trainer.pull()
        done, rest = divmod(len(outcome.losses) - (not outcome.finite), in_epoch)
        for epoch in range(done):
            norms = dict(zip(self.layers, outcome.norms[epoch].tolist(), strict=True))
            losses = outcome.losses[epoch * in_epoch : (epoch + 1) * in_epoch].tolist()
            self.record(losses, [len(index) for index in data.batches(range(data.samples))], norms)
            if not self.stepwise and self.history.losses[-1] < self.best:
                self.best, self.history.best_epoch = self.history.losses[-1], before + epoch + 1
        if not outcome.finite:
            order = np.arange(data.samples) if orders is None else orders[done * data.samples :]
            index = data.batches(order[: data.samples])[rest]
            where = f"epoch {before + done + 1}, batch {rest + 1}"
            raise self.failure(*data.read(index), float(outcome.losses[-1]), where)
        took = (time.perf_counter() - start) / max(done, 1)
        self.epochs = max(1, min(8 * self.epochs, int(SECONDS / took)))
        return done

    def judge(self, xs: Any, ys: Any) -> tuple[list[Any], float]:
        if self.judged is not None:
            try:
                return self.judge_natively(self.judged, xs, ys)
            except CompileError as error:
                self.judged = None
                self.watched_eagerly(error)
        return super().judge(xs, ys)

    def watched_eagerly(self, error: CompileError) -> None:
        self.history.reason = self.history.reason or f"watched in eager mode: {error}"

    def judge_natively(self, judged: Compiled, xs: Any, ys: Any) -> tuple[list[Any], float]:
        """A CompileError if that cannot be done."""
        first = not judged.variants
        if first:
            check_same_each_time(judged, as_batch(xs, ys), lambda: super(NativeRun, self).judge(xs, ys))
        outputs, losses = judged(xs, ys)
        predictions, loss = as_values(outputs), mean_of(losses)
        if first and self.validation:  # with the training data this was done before the first step
            check_mean(number(self.loss(predictions, list(ys))), loss)
        return predictions, loss

    def judge_one(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The prediction for a sample and its loss, to be traced in evaluation mode."""
        prediction = self.model(x)
        return prediction, self.loss([prediction], [y])

    def dead_units(self, xs: Any) -> float:
        if self.watched is not None:
            try:
                if not self.watched.variants:
                    check_same_each_time(
                        self.watched, as_batch(xs), lambda: super(NativeRun, self).dead_units(xs)
                    )
                outputs = self.watched(xs)
                return dead_share(
                    {name: [[u.any() for u in row] for row in rows] for name, rows in outputs.items()}
                )
            except CompileError as error:
                self.watched = None
                self.watched_eagerly(error)
        return super().dead_units(xs)

    def switch(self, training: bool) -> None:
        if self.plain:
            for module in self.modules:
                module.training = training
        else:
            super().switch(training)

    def state(self) -> dict[str, float]:
        if self.plain:
            return {name: parameter.data for name, parameter in self.named.items()}
        return super().state()


class NativeStreamRun(NativeRun):
    """The same for batches that an iterator yields: native code gets one at a time."""

    def train(self, before: int, left: int, interrupted: Interrupted) -> int:
        losses, sizes, norms = [], [], {}
        self.trainer.push()
        try:
            for number, (xs, ys) in enumerate(self.data.pieces(), 1):
                self.mean(xs, ys)
                rates = np.array([self.optimizer.lr])
                outcome = self.trainer.run(Batch((xs, ys)), rates, groups=self.groups)
                if not outcome.finite:
                    where = f"epoch {before + 1}, batch {number}"
                    self.trainer.pull()  # what explains it computes with the parameters as they are
                    raise self.failure(xs, ys, float(outcome.losses[0]), where)
                losses.append(float(outcome.losses[0]))
                sizes.append(len(xs))
                norms = dict(zip(self.layers, outcome.norms[0].tolist(), strict=True))
                if interrupted():
                    return 0
        finally:
            self.trainer.pull()
        self.record(losses, sizes, norms)
        return 1


class MeanCheck:
    """What the loss refuses it refuses now; and it must be the mean of `step` over the samples.

    One sample shows no difference between a mean and a sum: then the first batch that has more of
    them is looked at too. For this any parameters do, such as those from before the epoch.
    """

    def __init__(self, run: EagerRun, step: Compiled, most: int | None = None) -> None:
        self.run, self.step, self.most = run, step, most
        self.seen = 0  # samples

    def __call__(self, X: Any, y: Any) -> None:
        if self.seen > 1 or len(X) <= self.seen:
            return
        X, y, run = X[: self.most], y[: self.most], self.run
        outputs = Compiled(run.model, run.optimizer.params, backend=self.step.backend)(X)
        whole = number(run.loss(as_values(outputs), list(y)))
        check_mean(whole, mean_of(self.step(X, y)))
        self.seen = len(X)


def mean_of(losses: Any) -> float:
    """The mean of an array; that of infinite losses of both signs is NaN, without a warning."""
    with np.errstate(invalid="ignore"):
        return float(losses.mean())


def check_mean(whole: float, mean: float) -> None:
    """The loss of a batch must be the mean of the losses of its samples."""
    if math.isfinite(whole) and not math.isclose(whole, mean, rel_tol=1e-9):
        raise CompileError("the loss of a batch is not the mean of the losses of its samples")


def as_batch(*arguments: Any) -> Batch:
    """The arguments of a compiled function; a CompileError if they are not arrays of numbers."""
    try:
        return Batch(arguments)
    except (TypeError, ValueError) as error:
        raise CompileError(str(error)) from None


def check_same_each_time(
    function: Compiled, batch: Batch, eagerly: Callable[[], Any] | None = None
) -> None:
    """What is traced once must do the same at each call.

    Code that raises when it is traced is run `eagerly`, unless it was before: an error of its own comes
    from there, as itself.
    """
    try:
        first, again = (function.traced(batch, 0).source for _ in range(2))
    except CompileError:
        raise
    except Exception as error:
        if eagerly is not None:
            eagerly()
        raise not_traced("the model or the loss", error) from error
    if first != again:
        raise CompileError("the model is not the same each time: what is random must stay eager")


def is_plain(model: nn.Module) -> bool:
    """Whether the model consists of what `nn` has: then it does the same each time, as it must."""
    try:
        describe(model)
    except TypeError:
        return False
    return True


def as_values(outputs: Any) -> list[Any]:
    """Predictions for a batch as Values, sample by sample, as eager mode has them."""
    if isinstance(outputs, np.ndarray):
        return [Value(x) for x in outputs.tolist()]
    if not isinstance(outputs, (list, tuple)) or not all(isinstance(x, np.ndarray) for x in outputs):
        kind = type(outputs).__name__
        raise CompileError(f"the model must return a Value or a list of Values, got a nested {kind}")
    return [[Value(x) for x in row] for row in np.column_stack(outputs).tolist()]


def make_run(
    engine: str,
    model: nn.Module,
    loss: Loss,
    optimizer: optim.Optimizer,
    data: Data,
    mesh: Any = None,
    shard_parameters: bool = False,
) -> EagerRun:
    """The run for an engine; for 'auto' a native one if it can be."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    if mesh is not None and engine != "jax":
        raise ValueError("a mesh of devices needs engine='jax'")
    if shard_parameters and engine != "jax":
        raise ValueError("shard_parameters needs engine='jax' and a mesh of devices")
    if engine == "jax":
        from .jax_engine import JaxRun

        return JaxRun(model, loss, optimizer, data, mesh, shard_parameters)
    native = NativeStreamRun if isinstance(data, Stream) else NativeRun
    if engine == "native":
        if compiled is None:
            raise ValueError("engine='native' needs the C core, which was not built; use 'eager'")
        return native(model, loss, optimizer, data)
    reason = ""
    if engine == "auto":
        reason = why_not_native(model, loss)
        if not reason:
            try:
                return native(model, loss, optimizer, data)
            except CompileError as error:
                reason = str(error)
    run = EagerRun(model, loss, optimizer, data)
    run.history.reason = reason
    return run


def why_not_native(model: nn.Module, loss: Loss) -> str:
    """Why engine='auto' does not try to compile a training run, or nothing."""
    if compiled is None:
        return "the C core was not built"
    if is_plain(model) and loss in LOSSES.values():
        return ""
    which = "loss" if is_plain(model) else "model"
    return (
        f"the {which} is your own and may do something else at each call; if it has no Python "
        f"branches, engine='native' compiles it"
    )


def number(x: Any) -> float:
    """The number of a Value, or a number itself."""
    return float(x.data) if isinstance(x, Value) else float(x)


def is_finite(x: Any) -> bool:
    """Whether x is a finite number, or no number at all."""
    return not isinstance(x, (Value, numbers.Real)) or math.isfinite(number(x))


def check_loss(loss: Any) -> Value:
    """The loss, if there is a way from it to the parameters."""
    if not isinstance(loss, Value):
        kind = type(loss).__name__
        raise TypeError(f"the loss must be a Value, got {kind}: it does not depend on the model")
    if loss.is_leaf:
        raise ValueError("the loss does not depend on the model: was it computed inside no_grad()?")
    return loss


def layers_of(model: nn.Module) -> dict[str, Layer]:
    """The layers of a model by name, in order."""
    found = [module for module in model.modules() if isinstance(module, Layer)]
    return {f"layer {i}": layer for i, layer in enumerate(found, 1)}


def outputs_of_layers(model: nn.Module, xs: Any) -> dict[str, list[list[float]]]:
    """For each layer, its outputs for every sample."""
    with no_grad():
        watched = watched_layers(model, xs)
    return {name: [[number(v) for v in row] for row in rows] for name, rows in watched.items()}


def watched_layers(model: nn.Module, xs: Any) -> dict[str, list[list[Any]]]:
    """The same with Values: a row for each time that a layer is called."""
    layers = layers_of(model)
    with _Watched(layers.values()):
        for x in xs:
            model(x)
        return {name: layer.watched or [] for name, layer in layers.items()}


class _Watched:
    """Layers collect their outputs until the block ends or, after an interrupt, this is destroyed."""

    end: Sequence[Change] = ()  # of the class: __init__ may be interrupted too

    def __init__(self, layers: Iterable[Layer]) -> None:
        self.end = [change for layer in layers for change in assign(layer, watched=None)]

    def __enter__(self) -> None:
        commit([(setattr, layer, name, []) for _, layer, name, _ in self.end])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        commit(self.end)

    def __del__(self) -> None:
        commit(self.end)


def dead_share(outputs: dict[str, list[list[Any]]]) -> float:
    """The share of hidden units that are 0 in all rows; the last layer is not hidden."""
    hidden = list(outputs.values())[:-1]
    units = [column for rows in hidden if rows for column in zip(*rows, strict=True)]
    return sum(not any(column) for column in units) / len(units) if units else 0.0
