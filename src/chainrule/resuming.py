"""Going on with a training that was interrupted: everything it needs, in one safetensors file.

The file is a model file too, so that `load` reads the model from it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .history import History
from .saving import ModelFileError, encode, place, read, write_atomically

KIND = "training"


def save_training(path: str | Path, run: Any, epoch: int) -> None:
    """Write the state of a run after an epoch, all or nothing."""
    model, optimizer = run.model, run.optimizer
    count = len(optimizer.params)
    state = np.array(optimizer.state, dtype=np.float64).reshape(count, optimizer.state_size)
    about = {
        "kind": KIND,
        "optimizer": type(optimizer).__name__,
        "epoch": epoch,
        "steps": optimizer.steps,
        "lr": optimizer.lr,
        "best": run.best,
        "history": asdict(run.history),
    }
    tensors = {"optimizer": state, "best": np.array([run.best_state[n] for n in model.state_dict()])}
    write_atomically(place(path), encode(model, tensors, {"training": json.dumps(about)}))


def load_training(path: str | Path, run: Any) -> int:
    """Put a run into the state of a file; returns the epoch."""
    model, optimizer = run.model, run.optimizer
    from safetensors import SafetensorError, safe_open

    _, numbers = read(path)
    try:
        with safe_open(str(path), framework="numpy") as file:
            about = json.loads((file.metadata() or {})["training"])
            state, best = file.get_tensor("optimizer"), file.get_tensor("best")
        epoch, steps, rate = int(about["epoch"]), int(about["steps"]), float(about["lr"])
        lowest, history = float(about["best"]), History(**about["history"])
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ModelFileError(f"{path} is a model, but no training to go on with ({error})") from None
    if about["optimizer"] != type(optimizer).__name__:
        raise ModelFileError(
            f"{path} was trained with {about['optimizer']}, this is {type(optimizer).__name__}"
        )
    count, names = len(optimizer.params), list(model.state_dict())
    if list(numbers) != names or state.shape != (count, optimizer.state_size) or len(best) != len(names):
        raise ModelFileError(f"{path} belongs to another model: it has {len(numbers)} parameters")
    model.load_state_dict(numbers)
    optimizer.state = [tuple(row) for row in state.tolist()]
    optimizer.steps, optimizer.lr = steps, rate
    run.best, run.best_state = lowest, dict(zip(names, best.tolist(), strict=True))
    run.history = history
    return epoch


def first_epoch(path: str | Path | None, run: Any, schedule: Any) -> int:
    """Where to begin: 0, or after the epochs of a file, with the order of samples moved on."""
    if path is None or not Path(path).exists():
        return 0
    epoch = load_training(path, run)
    for _ in range(epoch):
        run.data.skip()
        if schedule is not None:
            schedule.step()
    return epoch
