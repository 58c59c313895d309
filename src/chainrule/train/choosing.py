"""Chooses the engine: the one requested or, for 'auto', native code if the run can be compiled."""

from __future__ import annotations

from typing import Any, Literal, get_args

from .. import nn, optim
from ..compiler import CompileError
from ..nn.losses import LOSSES
from ..value import c_core
from .engines import EagerEngine, Engine, Loss, is_plain
from .feeding import Data
from .native_engine import NativeEngine

EngineName = Literal["auto", "eager", "native", "jax"]
ENGINES: tuple[str, ...] = get_args(EngineName)


def make_engine(
    engine: str,
    model: nn.Module,
    loss: Loss,
    optimizer: optim.Optimizer,
    data: Data,
    *,
    validation: tuple[Any, Any] | None = None,
    mesh: Any = None,
    shard_parameters: bool = False,
) -> Engine:
    """Create the engine with this name; 'auto' compiles the run if it can, and else chooses eager
    mode.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    if mesh is not None and engine != "jax":
        raise ValueError("a mesh of devices needs engine='jax'")
    if shard_parameters and engine != "jax":
        raise ValueError("shard_parameters needs engine='jax' and a mesh of devices")
    parts = (model, loss, optimizer, data)
    if engine == "jax":
        from .jax_engine import JaxEngine

        return JaxEngine(*parts, validation, mesh, shard_parameters)
    if engine == "native":
        if c_core is None:
            raise ValueError("engine='native' needs the C core, which was not built; use 'eager'")
        return NativeEngine(*parts)
    reason = why_not_native(model, loss) if engine == "auto" else ""
    if engine == "auto" and not reason:
        try:
            return NativeEngine(*parts)
        except CompileError as error:
            reason = str(error)
    return EagerEngine(*parts, reason)


def why_not_native(model: nn.Module, loss: Loss) -> str:
    """The reason that engine='auto' does not try to compile a run; '' if it does try."""
    if c_core is None:
        return "the C core was not built"
    if is_plain(model) and loss in LOSSES.values():
        return ""
    which = "loss" if is_plain(model) else "model"
    return (
        f"the {which} is user-defined and may behave differently at each call; if it has no Python "
        f"branches, use engine='native' to compile it"
    )
