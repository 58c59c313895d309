"""`fit`: the training loop.

With progress, early stopping, checkpoints of the best model, callbacks, a clean stop on Ctrl-C, and
an explanation when the loss is not finite.
"""

from __future__ import annotations

import contextlib
import numbers
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from .. import nn, optim
from ..data import train_test_split
from ..data.splitting import as_samples, check_count, check_index, check_lengths
from ..nn.losses import LossName, loss_named
from ..nn.module import as_module, named_parameters_of
from ..nn.saving import encode
from ..support.atomic.files import place
from ..support.errors import kind_of
from ..value import modes
from .choosing import EngineName, make_engine
from .feeding import Data, Stream
from .history import History
from .jax_devices import all_or_none
from .metrics import Metrics
from .resuming import first_epoch, save_training, setup_of
from .run import ModelMode, Run, Training


def fit(
    model: Callable[..., Any],
    loss: LossName | Callable[..., Any],
    X: Any,
    y: Any = None,
    *,
    optimizer: optim.Optimizer | None = None,
    epochs: int = 100,
    batch_size: int | None = None,
    validation: tuple[Any, Any] | float | None = None,
    metrics: Metrics | None = None,
    schedule: Any = None,
    patience: int | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    callbacks: Iterable[Callable[[int, History], Any]] = (),
    shuffle: bool = True,
    seed: int = 0,
    progress: bool = True,
    engine: EngineName = "auto",
    mesh: Any = None,
    shard_parameters: bool = False,
) -> History:
    """Train a model and return its history.

    Arguments:
        model: a Module, or any callable whose `parameters()` returns its leaf Values.
        loss: a name, or a function of a list of predictions and a list of targets.
        X, y: samples and targets, in lists, arrays or tables such as those of pandas. Without y, X is
            an iterable of batches (X, y), such as a list or a DataLoader, or a function that returns a
            new iterator over them. One pass is an epoch; the iterable sets the batch size and order.
        optimizer: Adam with a learning rate of 0.01 if None.
        batch_size: samples per step; all of them if None.
        validation: validation data as (X, y), or the fraction of the data to hold out.
        metrics: names and functions of (predictions, targets), evaluated on the validation data,
            or on the training data if there is no validation data.
        patience: stop after this many epochs without a better loss, and restore the best parameters.
        checkpoint: a file that always holds the best model so far.
        resume: a file, written after each epoch, with everything needed to resume the run; if it
            already exists, training continues from it.
        callbacks: called after each epoch with its number and the history; return True to stop.
        engine: 'native' compiles the training steps to native code; 'eager' does not. 'auto' compiles
            models and losses from `chainrule.nn`, which compute the same function at every call, and
            falls back to 'eager' on a CompileError; `history.engine` and `history.reason` say which
            engine trained and why. 'jax' trains on JAX devices.
        mesh: for engine='jax', the devices over which batches are split: jax.make_mesh((8,), ("data",)).
        shard_parameters: also split parameters and the optimiser's state over the mesh. An array
            that cannot be split evenly, and every array by default, is whole on every device.

    Ctrl-C stops training after the current step and keeps the parameters reached so far. After training
    the model is in evaluation mode, even if training failed.

    """
    if not modes().recording:
        raise RuntimeError("fit inside no_grad() would learn nothing: call fit outside it")
    module = as_module(model)
    check_parts(module, optimizer, schedule, metrics)
    check_count("epochs", epochs, 0)
    if patience is not None:
        check_count("patience", patience)
        named_parameters_of(module)  # raises if some have no name: the best are kept by name
    for path in (checkpoint, resume):  # fail now, not after the first epoch
        if path is not None:
            encode(module)
            place(path)
    callbacks = list(callbacks)
    loss_function = loss_named(loss)
    optimizer = optimizer or optim.Adam(module.parameters(), lr=0.01)
    mode = ModelMode(module)
    training = Training(mode)
    with training:
        with all_or_none("begin") if engine == "jax" else contextlib.nullcontext():
            data: Data
            if y is None:
                watching = bool(metrics or patience is not None or checkpoint is not None)
                validation = check_for_stream(batch_size, validation, watching)
                data = Stream(X)
            else:
                check_index(X, y)
                X, y = as_samples("X", X), as_samples("y", y)
                check_lengths(X, y)
                X, y, validation = split(X, y, validation, seed)
                data = Data(X, y, batch_size, shuffle, np.random.default_rng(seed))
            training.begin()
            chosen = make_engine(
                *(engine, module, loss_function, optimizer, data),
                validation=validation,
                mesh=mesh,
                shard_parameters=shard_parameters,
            )
        keep_best = checkpoint is not None or patience is not None
        run = Run(
            *(module, loss_function, optimizer, data, chosen, mode),
            setup=setup_of(loss_function, optimizer, data, seed),
            validation=validation,
            metrics=dict(metrics or {}),
            checkpoint=checkpoint,
            keep_best=keep_best,
            # Observers force one epoch per native call; without them, one call runs several.
            stepwise=bool(keep_best or validation or metrics or callbacks or schedule or resume),
        )
        start = time.perf_counter()
        epoch = first_epoch(resume, run, schedule)
        history = run.history
        if history.stopped:  # the saved run had ended
            epochs = epoch
        # tqdm shares its lock with forked processes. A process that is killed while it holds the lock
        # would block this one for good. Even a disabled bar takes the lock, so a bar is created only if
        # it is shown.
        bar = None
        if progress:
            bar = tqdm(desc=history.engine, total=epochs, initial=min(epoch, epochs), unit="epoch")
        with _Interruptible() as interrupted, contextlib.nullcontext() if bar is None else bar:
            if bar is not None and history.reason:
                bar.write(f"engine {history.engine}: {history.reason}", file=sys.stderr)
            while epoch < epochs:
                done = run.train(epoch, epochs - epoch, interrupted)
                epoch += done
                if done:
                    run.watch(epoch)
                    if bar is not None:
                        bar.update(done)
                        bar.set_postfix_str(run.summary(), refresh=False)
                if interrupted():
                    history.stopped = f"interrupted in epoch {epoch + 1}"
                    break
                if schedule is not None:
                    schedule.step()
                answers = [callback(epoch, history) for callback in callbacks]
                if any(answers):
                    history.stopped = f"stopped by a callback after epoch {epoch}"
                elif patience is not None and epoch - history.best_epoch >= patience:
                    history.stopped = f"no improvement for {patience} epochs"
                if resume is not None and chosen.writes_files:
                    save_training(resume, run, epoch)
                if history.stopped:
                    break
        if patience is not None and history.best_epoch:
            module.load_state_dict(run.best_state)
    history.seconds += time.perf_counter() - start
    return history


def check_parts(model: Any, optimizer: Any, schedule: Any, metrics: Any) -> None:
    """Raise early for arguments that would fail during the run, or train nothing."""
    if optimizer is not None:
        if not isinstance(optimizer, optim.Optimizer):
            raise TypeError(
                f"optimizer must be an optimizer such as optim.Adam(model.parameters(), lr=0.01), "
                f"got {kind_of(optimizer)}"
            )
        check_belongs(optimizer, model)
    if getattr(schedule, "optimizer", optimizer) is not optimizer:
        raise ValueError("the schedule belongs to another optimizer; pass that optimizer to fit")
    if metrics is not None and not isinstance(metrics, Mapping):
        raise TypeError(
            f"metrics must be a dict such as {{'accuracy': train.accuracy}}, got {kind_of(metrics)}"
        )


def check_belongs(optimizer: optim.Optimizer, model: nn.Module) -> None:
    if set(model.parameters()).isdisjoint(optimizer.params):
        raise ValueError("the optimizer has none of this model's parameters")


def split(X: Any, y: Any, validation: Any, seed: int) -> tuple[Any, Any, tuple[Any, Any] | None]:
    """Split off the validation data; returns X, y and the validation data."""
    if validation is None:
        return X, y, None
    if isinstance(validation, (tuple, list)) and len(validation) == 2:
        given = as_samples("X", validation[0]), as_samples("y", validation[1])
        check_lengths(*given)
        return X, y, given
    is_number = isinstance(validation, numbers.Real)
    if is_number and 0 < float(validation) < 1:
        X, X_validation, y, y_validation = train_test_split(X, y, float(validation), seed)
        return X, y, (X_validation, y_validation)
    shown = validation if is_number else kind_of(validation)
    raise ValueError(f"validation must be (X, y) or a fraction between 0 and 1, got {shown}")


def check_for_stream(batch_size: Any, validation: Any, watching: bool) -> tuple[Any, Any] | None:
    """Return the validation data; raise for options that need all samples at once, not one batch."""
    if batch_size is not None:
        raise ValueError("batches have their own sizes: leave out batch_size, or pass X and y")
    if isinstance(validation, numbers.Real):
        raise ValueError("a validation fraction needs X and y, not batches: pass validation=(X, y)")
    found: tuple[Any, Any] | None = split(None, None, validation, 0)[2]
    if found is None and watching:
        raise ValueError(
            "metrics, patience and checkpoint need all samples after each epoch, but batches are "
            "not kept: pass validation=(X, y)"
        )
    return found


class _Interruptible:
    """Lets the current step finish on the first Ctrl-C; a second Ctrl-C interrupts as usual.

    The previous handler is restored when the block ends or this object is destroyed: an exception
    on entering the block must not leave a handler that swallows Ctrl-C.
    """

    handler: Any = None  # on the class, because __init__ may be interrupted too

    def __init__(self) -> None:
        self.before = signal.getsignal(signal.SIGINT)

    def __enter__(self) -> Callable[[], bool]:
        pressed = threading.Event()
        of_c = self.before is None  # a handler set by C code, which Python cannot restore
        if of_c or threading.current_thread() is not threading.main_thread():
            return pressed.is_set

        def handler(number: int, frame: Any) -> None:
            if pressed.is_set():
                signal.default_int_handler(number, frame)
            pressed.set()

        is_set = pressed.is_set  # bound first: nothing may fail once the handler is installed
        self.handler = handler
        signal.signal(signal.SIGINT, handler)
        return is_set

    def __exit__(self, *error: object) -> None:
        if self.handler is not None and signal.getsignal(signal.SIGINT) is self.handler:
            signal.signal(signal.SIGINT, self.before)

    __del__ = __exit__
