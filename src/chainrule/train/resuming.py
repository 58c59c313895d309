"""Resumes a training run from one safetensors file that holds its complete state.

The file is also a model file, so `load` reads the model from it. It is validated as a whole before
anything changes: a rejected file leaves the model and the optimiser unchanged.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import reprlib
from collections.abc import Callable
from dataclasses import asdict, fields
from operator import setitem
from pathlib import Path
from typing import Any

import numpy as np

from ..nn.architectures import architecture_of
from ..nn.saving import ModelFileError, encode, read
from ..support.atomic.committing import assign, commit, data_of
from ..support.atomic.files import place, write_atomically
from ..value import Value
from .feeding import Stream
from .history import History

KIND = "training"
NEXT_STEP = "delete the file to start a new run, or resume from a different file"
TENSORS = ("optimizer", "best")
NOT_SAVED = ("engine", "reason")  # history fields that describe the current run, not the one in the file


def setup_of(loss: Callable[..., Any], optimizer: Any, data: Any, seed: int) -> dict[str, str]:
    """The settings that must not change when a run is resumed, by name."""
    return {
        "loss": getattr(loss, "__qualname__", type(loss).__name__),
        "optimizer": type(optimizer).__name__,
        **{name: repr(x) for name, x in optimizer.hyperparameters.items()},
        "batch_size": repr(data.batch_size),
        "shuffle": repr(bool(data.shuffle)),
        "seed": repr(seed),
        "data": _digest(data),
    }


def _digest(data: Any) -> str:
    """A digest of samples in memory; the batches of an iterator are not known in advance."""
    if isinstance(data, Stream):
        return "an iterable"
    content = hashlib.sha256()
    for part in (data.X, data.y):
        _add(content, part)
    return f"{data.samples:,} samples with the digest {content.hexdigest()[:12]}"


def _add(content: Any, part: Any) -> None:
    """Add numbers and their nesting to a digest; for other objects, add their repr without addresses."""
    try:
        array = np.asarray(part)
    except ValueError:  # lists of different lengths
        array = np.empty(len(part), dtype=object)
    if array.dtype.kind in "biuf":
        content.update(repr(array.shape).encode())
        content.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    elif isinstance(part, dict):
        content.update(f"dict of {len(part)}".encode())
        for item in part.items():
            _add(content, item)
    elif array.ndim:
        content.update(f"list of {len(part)}".encode())
        for item in part:
            _add(content, item)
    else:
        printed = repr(part.data if isinstance(part, Value) else part)
        printed = re.sub(r" at 0x[0-9a-fA-F]+", "", printed)  # an address differs in every process
        content.update(f"{len(printed)} {printed}".encode())


def save_training(path: str | Path, run: Any, epoch: int) -> None:
    """Write the state of a run after an epoch, atomically."""
    model, optimizer = run.model, run.optimizer
    state = np.ascontiguousarray(optimizer.state_rows().T)
    about = {
        "kind": KIND,
        "setup": run.setup,
        "epoch": epoch,
        "steps": optimizer.steps,
        "lr": optimizer.lr,
        "best": run.best,
        "history": {name: x for name, x in asdict(run.history).items() if name not in NOT_SAVED},
    }
    tensors = {"optimizer": state, "best": np.array([run.best_state[n] for n in model.state_dict()])}
    write_atomically(place(path), encode(model, tensors, {"training": json.dumps(about)}))


# --- the schema ----------------------------------------------------------------------------------


def _is_real(x: Any) -> bool:
    """Whether x is a JSON number that a float can hold."""
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        return False
    return isinstance(x, float) or abs(x) <= 2**1023


def _is_finite(x: Any) -> bool:
    return _is_real(x) and math.isfinite(x)


def _is_count(x: Any) -> bool:
    return type(x) is int and 0 <= x <= 2**53  # floats represent every integer up to here


def _listed(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, list) and all(map(fits, x))


def _named(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, dict) and all(map(fits, x.values()))


COUNT = (_is_count, "a whole number from 0 to 2**53")
TEXT = (lambda x: isinstance(x, str), "a string")
REALS = (_listed(_is_real), "a list of numbers")
FINITE_REALS = (_listed(_is_finite), "a list of finite numbers")
NAMED_REALS = (_named(_listed(_is_real)), "lists of numbers by name")
NOT_NEGATIVE = (lambda x: _is_finite(x) and x >= 0.0, "a finite number of at least 0")
Schema = dict[str, tuple[Callable[[Any], bool], str]]

TRAINING: Schema = {
    "kind": (lambda x: x == KIND, repr(KIND)),
    "setup": (_named(lambda x: isinstance(x, str)), "strings by name"),
    "epoch": COUNT,
    "steps": COUNT,
    "lr": NOT_NEGATIVE,
    "best": (lambda x: _is_real(x) and x > -math.inf, "a finite number or Infinity"),
    "history": (lambda x: isinstance(x, dict), "an object"),
}
HISTORY: Schema = {
    "losses": FINITE_REALS,
    "validation_losses": REALS,
    "metrics": NAMED_REALS,
    "learning_rates": (_listed(NOT_NEGATIVE[0]), "a list of finite numbers of at least 0"),
    "gradient_norms": NAMED_REALS,
    "dead_units": (
        _listed(lambda x: _is_real(x) and (math.isnan(x) or 0.0 <= x <= 1.0)),
        "a list of fractions from 0 to 1",
    ),
    "seconds": NOT_NEGATIVE,
    "best_epoch": COUNT,
    "stopped": TEXT,
}
assert {*HISTORY, *NOT_SAVED} == {field.name for field in fields(History)}


class _File:
    """Reports which field of a file is wrong, and why."""

    def __init__(self, path: str | Path) -> None:
        self.path = path

    def wrong(self, field: str, given: str, expected: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: {field} is {given}, expected {expected}; {NEXT_STEP}")

    def check(self, found: Any, schema: Schema, prefix: str = "") -> None:
        """Raise unless every field exists and is valid, and there are no others."""
        for name, (fits, expected) in schema.items():
            if name not in found:
                raise self.wrong(prefix + name, "missing", expected)
            if not fits(found[name]):
                raise self.wrong(prefix + name, reprlib.repr(found[name]), expected)
        for name in found:
            if name not in schema:
                raise self.wrong(f"{prefix}{reprlib.repr(name)}", "present", f"only {', '.join(schema)}")

    def check_lengths(self, about: dict[str, Any]) -> None:
        """Raise unless the history has as many epochs as were trained."""
        epoch, history = about["epoch"], about["history"]
        for name in ("losses", "learning_rates", "dead_units"):
            if len(history[name]) != epoch:
                expected = f"a number for each of the {epoch} epochs"
                raise self.wrong(f"history.{name}", f"a list of {len(history[name])}", expected)
        lists = {"validation_losses": history["validation_losses"]}
        for group in ("metrics", "gradient_norms"):
            lists |= {f"{group}.{name}": numbers for name, numbers in history[group].items()}
        for name, numbers in lists.items():
            if len(numbers) > epoch:
                expected = f"at most a number for each of the {epoch} epochs"
                raise self.wrong(f"history.{name}", f"a list of {len(numbers)}", expected)
        if history["best_epoch"] > epoch:
            raise self.wrong("history.best_epoch", str(history["best_epoch"]), f"at most {epoch}")
        if about["steps"] < epoch:
            raise self.wrong("steps", str(about["steps"]), f"at least one for each of {epoch} epochs")

    def tensor(self, opened: Any, name: str) -> Any:
        from safetensors import SafetensorError

        try:
            return opened.get_tensor(name)
        except SafetensorError:
            raise self.wrong(f"the tensor {name}", "missing", "an array of float64") from None
        except (AttributeError, TypeError):  # a dtype that NumPy does not have
            raise self.wrong(
                f"the tensor {name}", "of an unsupported type", "an array of float64"
            ) from None

    def check_tensor(self, name: str, tensor: Any, shape: tuple[int, ...]) -> None:
        if tensor.dtype != np.float64 or tensor.shape != shape:
            given = f"an array of {tensor.dtype} of shape {tensor.shape}"
            raise self.wrong(f"the tensor {name}", given, f"float64 of shape {shape}")
        bad = tensor[~np.isfinite(tensor)]
        if bad.size:
            raise self.wrong(f"a number in the tensor {name}", str(bad[0]), "finite numbers")


def read_training(path: str | Path) -> tuple[Any, dict[str, float], dict[str, Any], dict[str, Any]]:
    """The architecture, parameters, metadata and tensors of a file, not yet compared with a run."""
    from safetensors import SafetensorError, safe_open

    architecture, numbers = read(path)
    file = _File(path)
    try:
        with safe_open(str(path), framework="numpy") as opened:
            text = (opened.metadata() or {}).get("training")
            tensors = {name: file.tensor(opened, name) for name in TENSORS if text is not None}
        about = None if text is None else json.loads(text)
    except (SafetensorError, OSError) as error:
        raise ModelFileError(f"{path} is damaged: {error}; {NEXT_STEP}") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise file.wrong("the training metadata", f"not JSON ({error})", "an object") from None
    if text is None:
        raise ModelFileError(
            f"{path} is a model, not a run that can be resumed: pass a file written by "
            f"fit(..., resume=...)"
        )
    if not isinstance(about, dict):
        raise file.wrong("the training metadata", reprlib.repr(about), "an object")
    file.check(about, TRAINING)
    file.check(about["history"], HISTORY, "history.")
    file.check_lengths(about)
    return architecture, numbers, about, tensors


def load_training(path: str | Path, run: Any) -> int:
    """Restore a run from a file; returns the epoch."""
    model, optimizer = run.model, run.optimizer
    architecture, numbers, about, tensors = read_training(path)
    parameters = dict(model.named_parameters())
    if list(numbers) != list(parameters):
        raise ModelFileError(f"{path} belongs to a different model, with {len(numbers)} parameters")
    if architecture != architecture_of(model):
        raise ModelFileError(f"{path} belongs to a different model: its layers or activations differ")
    for name in {**run.setup, **about["setup"]}:
        was, now = (setup.get(name, "nothing") for setup in (about["setup"], run.setup))
        # A schedule may have changed the learning rate of a reused optimiser.
        if now != was and not (name == "lr" and now == repr(float(about["lr"]))):
            raise ModelFileError(
                f"{path} belongs to a run whose {name} differs: {was[:80]!r} there, {now!r} here; "
                f"{NEXT_STEP}"
            )
    file, names = _File(path), list(parameters)
    file.check_tensor("parameters", np.array(list(numbers.values())), (len(names),))
    file.check_tensor("optimizer", tensors["optimizer"], (len(optimizer.params), optimizer.state_size))
    file.check_tensor("best", tensors["best"], (len(names),))
    here = run.history
    history = History(**about["history"], engine=here.engine, reason=here.reason)
    best = dict(zip(names, tensors["best"].tolist(), strict=True))
    state = [tuple(row) for row in tensors["optimizer"].tolist()]
    commit(
        data_of(list(parameters.values()), numbers.values()),
        assign(optimizer, _state=state, steps=about["steps"]),
        [(setitem, optimizer.hyperparameters, "lr", float(about["lr"]))],
        assign(run, best=float(about["best"]), best_state=best, history=history),
    )
    return int(about["epoch"])


def first_epoch(path: str | Path | None, run: Any, schedule: Any) -> int:
    """Restore the file, if it exists, and skip its epochs in data and schedule; return their number."""
    if path is None or not Path(path).exists():
        return 0
    epoch = load_training(path, run)
    for _ in range(epoch):
        run.data.skip()
        if schedule is not None:
            schedule.step()
    return epoch
