"""Programs that several benchmarks run, each a plain function of scalars for one sample.

Functions beyond `+ - * /` are passed in as a `Functions`, so that every contestant runs the same
source on its own number type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chainrule import exp, log, logsumexp, nn, relu, take

RATE, STRIKE, YEARS = 0.03, 100.0, 1.0
DISCOUNT = math.exp(-RATE * YEARS)
VOL_OF_VOL, CORRELATION = 0.6, -0.5
# Spot, volatility, mean-reversion speed, long-run level of the logarithm of the volatility.
START = (100.0, 0.2, 2.0, math.log(0.25))
CLASSES = 10


class Functions(NamedTuple):
    """exp, log and max(x, 0) for one kind of number."""

    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    positive: Callable[[Any], Any]


OURS = Functions(exp, log, relu)


def normals(rows: int, columns: int) -> Any:
    return np.random.default_rng(0).standard_normal((rows, columns))


def path_payoff(functions: Functions, start: Sequence[Any], shocks: Any) -> Any:
    """The discounted payoff of a call option along one path.

    The benchmarks differentiate it with respect to `start`. `shocks` holds the standard normal draws for
    the spot, one per step, then those for the volatility.
    """
    spot, volatility, speed, level = start
    state = functions.log(spot), functions.log(volatility)
    steps = len(shocks) // 2
    for k in range(steps):
        state = path_step(functions, state, speed, level, shocks[k], shocks[steps + k], YEARS / steps)
    return DISCOUNT * functions.positive(functions.exp(state[0]) - STRIKE)


def path_step(
    functions: Functions, state: Any, speed: Any, level: Any, shock: Any, other: Any, time: float
) -> tuple[Any, Any]:
    """The logarithms of spot and volatility one step later; the volatility reverts to its long-run
    level.
    """
    log_spot, log_volatility = state
    root = math.sqrt(time)
    volatility = functions.exp(log_volatility)
    log_spot = log_spot + (RATE - 0.5 * volatility * volatility) * time + volatility * (root * shock)
    mixed = CORRELATION * shock + math.sqrt(1.0 - CORRELATION**2) * other
    log_volatility = log_volatility + speed * (level - log_volatility) * time + VOL_OF_VOL * root * mixed
    return log_spot, log_volatility


def classifier(inputs: int, *hidden: int) -> tuple[nn.MLP, Callable[[Any, Any], Any]]:
    """A network, and its cross-entropy on one sample."""
    model = nn.MLP(inputs, [*hidden, CLASSES], "relu", init="he", seed=0)

    def loss(x: Any, label: Any) -> Any:
        scores = model(x)
        return logsumexp(scores) - take(scores, label)

    return model, loss


def matrix_product(X: Any, w: Any) -> Any:
    return X @ w.T


def sum_of_products(X: Any, w: Any) -> Any:
    """XLA fuses this into one loop, whereas each small `@` is a library call."""
    return (X[:, None, :] * w).sum(-1)


def samples(count: int, inputs: int) -> tuple[Any, Any]:
    """Random inputs and classes for a classifier."""
    return normals(count, inputs), np.random.default_rng(1).integers(0, CLASSES, count)
