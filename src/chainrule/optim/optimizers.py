"""Optimisers: each has a rule that maps a parameter's number, gradient and state to the updated ones.

A rule is a plain function of scalars, written with the operations of the table, so that it
runs on floats here and can be compiled like any other scalar program.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from .. import ops
from ..functional import clip
from ..support import ieee
from ..support.atomic.committing import assign, commit, data_of, gradients_of
from ..support.ieee import as_float
from ..value import Value

State = tuple[Any, ...]


class Optimizer:
    """Holds parameters, their state and the hyperparameters; a subclass implements `rule`."""

    _state: Any
    state_size = 0  # state numbers per parameter, initially 0 unless a subclass overrides that

    def __init__(self, params: Iterable[Value], **hyperparameters: Any) -> None:
        if isinstance(params, Value) or not hasattr(params, "__iter__"):
            kind = type(params).__name__
            raise TypeError(
                f"parameters must be a list of Values, such as model.parameters(), got {kind}"
            )
        self.params: list[Value] = list(params)
        if not self.params:
            raise ValueError("the optimizer needs at least one parameter, got none")
        for p in self.params:
            if not isinstance(p, Value):
                raise TypeError(f"parameters must be Values, got {type(p).__name__}")
            if not p.is_leaf:
                raise ValueError(f"cannot optimise the result of '{p._op}': pass the leaves instead")
        if len(set(self.params)) < len(self.params):
            raise ValueError("a parameter is listed twice and would be updated twice")
        self.hyperparameters: dict[str, Any] = {
            name: checked(name, x) for name, x in hyperparameters.items()
        }
        self.steps = 0
        self.state = [(0.0,) * self.state_size] * len(self.params)

    @property
    def state(self) -> list[State]:
        """The state of each parameter: a tuple of `state_size` numbers."""
        if not isinstance(self._state, list):
            self._state = list(map(tuple, self._state.T.tolist()))
        return self._state

    @state.setter
    def state(self, state: list[State]) -> None:
        # A list, or rows that native code wrote. Rows become a list only if somebody reads it: tuples
        # for a hundred thousand parameters after every epoch would take longer than a step. A commit
        # assigns `_state`, because Ctrl-C could interrupt this setter.
        self._state = state

    def state_rows(self) -> Any:
        """The state as an array: a row for each of its numbers, a column for each parameter."""
        import numpy as np

        if isinstance(self._state, list):
            return np.array(self._state, float).reshape(len(self.params), self.state_size).T
        return self._state

    @property
    def lr(self) -> float:
        """The learning rate; schedules assign to it."""
        return float(self.hyperparameters["lr"])

    @lr.setter
    def lr(self, lr: float) -> None:
        self.hyperparameters["lr"] = checked("lr", lr)

    def rule(self, p: Any, g: Any, state: State, t: Any, **hyper: Any) -> tuple[Any, State]:
        """The new number and state of a parameter with gradient g, in step t = 1, 2, ..."""
        raise TypeError(f"{type(self).__name__} has no rule(): define a parameter update")

    @property
    def has_own_step(self) -> bool:
        """Whether a subclass overrides `step` itself, not just the rule."""
        return type(self).step is not Optimizer.step

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        commit(gradients_of(self.params, [0.0] * len(self.params)))

    def step(self) -> None:
        """Update every parameter by the rule.

        Parameters, state and `steps` change together: an error or Ctrl-C leaves all of them
        unchanged.
        """
        steps = self.steps + 1
        rule, t, hyper = self.rule, float(steps), self.hyperparameters
        numbers, states = [], []
        for p, old in zip(self.params, self.state, strict=True):
            grad = p.grad
            if isinstance(grad, Value):  # after backward(create_graph=True)
                grad = grad.data
            number, state = rule(p.data, grad, old, t, **hyper)
            numbers.append(number)
            states.append(state)
        commit(data_of(self.params, numbers), assign(self, _state=states, steps=steps))

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to resume from here, as plain data."""
        return {
            "hyperparameters": dict(self.hyperparameters),
            "steps": self.steps,
            "state": [list(state) for state in self.state],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load the state of an optimiser of the same class, to resume from it."""
        if not isinstance(state, Mapping) or set(state) != {"hyperparameters", "steps", "state"}:
            raise ValueError("expected the state of an optimizer, as its state_dict() returns it")
        rows = [tuple(as_float(x) for x in row) for row in state["state"]]
        if len(rows) != len(self.params) or any(len(row) != self.state_size for row in rows):
            raise ValueError(
                f"the state is for {len(rows)} parameters, but this {type(self).__name__} has "
                f"{len(self.params)}"
            )
        settings = dict(state["hyperparameters"])
        if set(settings) != set(self.hyperparameters):
            raise ValueError(
                f"the state has the settings {', '.join(settings)}, but this {type(self).__name__} has "
                f"{', '.join(self.hyperparameters)}"
            )
        settings = {name: checked(name, x) for name, x in settings.items()}
        steps = int(state["steps"])
        if steps < 0:
            raise ValueError(f"the number of steps in the state must not be negative, got {steps}")
        commit(assign(self, hyperparameters=settings, steps=steps, _state=rows))

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.hyperparameters.items())
        return f"{type(self).__name__}({len(self.params)} parameters, {settings})"


def checked(name: str, value: Any) -> Any:
    """Convert a setting to plain floats, because a NumPy float32 would round every step to float32.

    Rejects the values that PyTorch rejects.
    """
    if isinstance(value, bool):
        return value
    if name == "betas":
        if len(value) != 2 or not all(0.0 <= beta < 1.0 for beta in value):
            raise ValueError(f"betas must be two numbers from 0 to below 1, got {value}")
        return tuple(map(as_float, value))
    if not as_float(value) >= 0.0:
        raise ValueError(f"{name} must not be negative, got {value}")
    return as_float(value)


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum, Nesterov momentum and weight decay."""

    state_size = 1

    def __init__(
        self,
        params: Iterable[Value],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum needs a positive momentum and a dampening of 0")
        super().__init__(
            params,
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
        )

    def rule(self, p: Any, g: Any, state: State, t: Any, **hyper: Any) -> tuple[Any, State]:
        if hyper["weight_decay"]:
            g = g + hyper["weight_decay"] * p
        if not hyper["momentum"]:
            return p - hyper["lr"] * g, state
        moved = hyper["momentum"] * state[0] + (1.0 - hyper["dampening"]) * g
        velocity = ops.where(ops.less(1.0, t), moved, g)  # the first step uses the whole gradient
        g = g + hyper["momentum"] * velocity if hyper["nesterov"] else velocity
        return p - hyper["lr"] * g, (velocity,)


class RMSprop(Optimizer):
    """Divides the gradient by a running average of its magnitude."""

    state_size = 2

    def __init__(
        self,
        params: Iterable[Value],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
    ) -> None:
        super().__init__(
            params, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum
        )

    def rule(self, p: Any, g: Any, state: State, t: Any, **hyper: Any) -> tuple[Any, State]:
        if hyper["weight_decay"]:
            g = g + hyper["weight_decay"] * p
        square = hyper["alpha"] * state[0] + (1.0 - hyper["alpha"]) * g * g
        update = ops.div(g, ops.sqrt(square) + hyper["eps"])
        if not hyper["momentum"]:
            return p - hyper["lr"] * update, (square, state[1])
        velocity = hyper["momentum"] * state[1] + update
        return p - hyper["lr"] * velocity, (square, velocity)


class Adagrad(Optimizer):
    """Divides the gradient by the square root of the sum of the squares of all gradients so far."""

    state_size = 1

    def __init__(
        self,
        params: Iterable[Value],
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
    ) -> None:
        super().__init__(
            params,
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        start = self.hyperparameters["initial_accumulator_value"]
        self.state = [(start,)] * len(self.params)

    def rule(self, p: Any, g: Any, state: State, t: Any, **hyper: Any) -> tuple[Any, State]:
        if hyper["weight_decay"]:
            g = g + hyper["weight_decay"] * p
        rate = ops.div(hyper["lr"], 1.0 + (t - 1.0) * hyper["lr_decay"])
        total = state[0] + g * g
        return p - rate * ops.div(g, ops.sqrt(total) + hyper["eps"]), (total,)


class Adam(Optimizer):
    """Divides a running average of the gradient by one of its magnitude, both with bias correction."""

    state_size = 2

    def __init__(
        self,
        params: Iterable[Value],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr=lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay)

    def rule(self, p: Any, g: Any, state: State, t: Any, **hyper: Any) -> tuple[Any, State]:
        if hyper["weight_decay"]:
            g = g + hyper["weight_decay"] * p
        beta1, beta2 = hyper["betas"]
        mean = state[0] + (1.0 - beta1) * (g - state[0])
        square = beta2 * state[1] + (1.0 - beta2) * g * g
        size = ops.div(ops.sqrt(square), ops.sqrt(1.0 - ops.pow(beta2, t))) + hyper["eps"]
        rate = ops.div(hyper["lr"], 1.0 - ops.pow(beta1, t))
        return p - rate * ops.div(mean, size), (mean, square)


class AdamW(Adam):
    """Adam with weight decay decoupled from the gradient."""

    def __init__(
        self,
        params: Iterable[Value],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)

    def rule(self, p: Any, g: Any, state: State, t: Any, **hyper: Any) -> tuple[Any, State]:
        shrunk = p * (1.0 - hyper["lr"] * hyper["weight_decay"])
        return super().rule(shrunk, g, state, t, **{**hyper, "weight_decay": 0.0})


BY_NAME: dict[str, type[Optimizer]] = {
    cls.__name__.lower(): cls for cls in (SGD, RMSprop, Adagrad, Adam, AdamW)
}


# --- gradient clipping, in place ------------------------------------------------------------------


def clip_grad_norm_(parameters: Iterable[Value], max_norm: float, norm_type: float = 2.0) -> float:
    """Scale all gradients so that their total norm is at most max_norm; return the original norm."""
    params = list(parameters)
    # After backward(create_graph=True) a gradient is a Value.
    sizes = [abs(p.grad.data if isinstance(p.grad, Value) else p.grad) for p in params]
    if norm_type == math.inf:
        total = math.nan if any(map(math.isnan, sizes)) else max(sizes, default=0.0)
    elif norm_type == 2.0:
        total = math.hypot(*sizes)
    else:
        total = ieee.pow(ieee.fsum(ieee.pow(size, norm_type) for size in sizes), 1.0 / norm_type)
    scale = max_norm / (total + 1e-6)
    if not scale >= 1.0:  # true for NaN too, so that NaN stays visible
        commit(gradients_of(params, [p.grad * scale for p in params]))
    return total


def clip_grad_value_(parameters: Iterable[Value], clip_value: float) -> None:
    """Clamp every gradient between -clip_value and clip_value; NaN stays visible."""
    params = list(parameters)
    commit(gradients_of(params, [clip(p.grad, -clip_value, clip_value) for p in params]))
