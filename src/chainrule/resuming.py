"""Going on with a training that was interrupted: everything it needs, in one safetensors file.

The file is a model file too, so that `load` reads the model from it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from .history import History
from .nn import Module
from .optim import Optimizer
from .saving import ModelFileError, encode, place, read, write_atomically

KIND = "training"


def save_training(
    path: str | Path, model: Module, optimizer: Optimizer, epoch: int, history: History
) -> None:
    """Write the state after an epoch, all or nothing."""
    count = len(optimizer.params)
    state = np.array(optimizer.state, dtype=np.float64).reshape(count, optimizer.state_size)
    about = {
        "kind": KIND,
        "optimizer": type(optimizer).__name__,
        "epoch": epoch,
        "steps": optimizer.steps,
        "lr": optimizer.lr,
        "losses": history.losses,
        "validation_losses": history.validation_losses,
    }
    write_atomically(place(path), encode(model, {"optimizer": state}, {"training": json.dumps(about)}))


def load_training(path: str | Path, model: Module, optimizer: Optimizer, history: History) -> int:
    """Put a model, its optimiser and its history into the state of a file; returns the epoch."""
    from safetensors import SafetensorError, safe_open

    _, numbers = read(path)
    try:
        with safe_open(str(path), framework="numpy") as file:
            about = json.loads((file.metadata() or {})["training"])
            state = file.get_tensor("optimizer")
        epoch, steps, rate = int(about["epoch"]), int(about["steps"]), float(about["lr"])
        losses = [float(x) for x in about["losses"]]
        validation = [float(x) for x in about["validation_losses"]]
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ModelFileError(f"{path} is a model, but no training to go on with ({error})") from None
    if about["optimizer"] != type(optimizer).__name__:
        raise ModelFileError(
            f"{path} was trained with {about['optimizer']}, this is {type(optimizer).__name__}"
        )
    count = len(optimizer.params)
    if set(numbers) != set(model.state_dict()) or state.shape != (count, optimizer.state_size):
        raise ModelFileError(f"{path} belongs to another model: it has {len(numbers)} parameters")
    model.load_state_dict(numbers)
    optimizer.state = [tuple(row) for row in state.tolist()]
    optimizer.steps, optimizer.lr = steps, rate
    history.losses += losses
    history.validation_losses += validation
    return epoch


def first_epoch(path: str | Path | None, run: Any, schedule: Any) -> int:
    """Where to begin: 0, or after the epochs of a file, with the order of samples moved on."""
    if path is None or not Path(path).exists():
        return 0
    epoch = load_training(path, run.model, run.optimizer, run.history)
    for _ in range(epoch):
        run.data.order()
        if schedule is not None:
            schedule.step()
    run.reload()
    return epoch
