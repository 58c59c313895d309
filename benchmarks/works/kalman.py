"""A scalar Kalman filter: the likelihood of one series and its gradient for four parameters.

The state moves by a factor and a normal step; it is measured with normal noise. The parameters are the
factor, the logarithms of both variances, and the first mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from measure import Work, sized
from race import Race
from works import spelling
from works.spelling import FAST, by_hand, casadi, joined

from chainrule import compile, exp, log

LENGTH = sized(5_000, 50)
PARAMETERS = np.array([0.9, -1.0, -0.5, 0.3])
BEGIN = 1.0  # the first variance


def series(length: int) -> Any:
    return np.random.default_rng(3).standard_normal(LENGTH)[:length].cumsum() * 0.1


def filtered(log: Callable[[Any], Any], state: Any, parameters: Any, measured: Any) -> Any:
    """Mean, variance and negative log-likelihood after one more measurement."""
    mean, variance, total = state
    factor, moves, noise, _ = parameters
    mean = factor * mean
    variance = factor * factor * variance + moves
    spread = variance + noise
    error = measured - mean
    total = total + 0.5 * (log(spread) + error * error / spread)
    gain = variance / spread
    return mean + gain * error, (1.0 - gain) * variance, total


def likelihood(parameters: Any, measurements: Sequence[Any]) -> Any:
    factor, moves, noise, mean = parameters
    given = factor, exp(moves), exp(noise), mean
    state: Any = (mean, BEGIN, 0.0)
    for measured in measurements:
        state = filtered(log, state, given, measured)
    return state[2]


def chainrule_kalman(length: int) -> Work:
    run, measurements = compile(likelihood, batch=(None, None)), series(length)
    return lambda: joined(*run.value_and_grad(PARAMETERS, measurements, argnums=0))


def jax_kalman(unroll: int, length: int) -> Work:
    import jax

    def loss(parameters: Any, measurements: Any) -> Any:
        factor, moves, noise, mean = parameters
        given = factor, jax.numpy.exp(moves), jax.numpy.exp(noise), mean

        def step(state: Any, measured: Any) -> Any:
            return filtered(jax.numpy.log, state, given, measured)

        return spelling.last(step, (mean, BEGIN, 0.0), measurements, unroll)[2]

    run = jax.jit(jax.value_and_grad(loss))
    given, measurements = jax.numpy.array(PARAMETERS), jax.numpy.array(series(length))
    return lambda: joined(*run(given, measurements))


def casadi_loss(length: int, kept: bool, parameters: Any) -> Any:
    """`kept`: CasADi keeps the loop; otherwise it is written out."""
    import casadi

    factor, moves, noise, mean = casadi.vertsplit(parameters)
    given, begin = (factor, casadi.exp(moves), casadi.exp(noise), mean), (mean, BEGIN, 0.0)
    step = partial(filtered, casadi.log)
    if kept:
        return spelling.folded(step, begin, series(length), casadi.vertcat(*given), length)[2]
    state: Any = begin
    for measured in series(length):
        state = step(state, given, measured)
    return state[2]


def casadi_kalman(kind: str, options: dict[str, Any], length: int) -> Work:
    loss = partial(casadi_loss, length, kind == "MX")
    return spelling.casadi_work(loss, PARAMETERS, kind, options)


IN_C = """
#include <math.h>

typedef struct { double mean, before, variance, error, inverse; } Step;

/* result: the loss and four derivatives */
void kalman(int n, const double *parameters, const double *y, Step *steps, double *result) {
    const double a = parameters[0], q = exp(parameters[1]), r = exp(parameters[2]);
    double m = parameters[3], p = 1.0, total = 0.0;
    for (int t = 0; t < n; t++) {
        const double mean = a * m, variance = a * a * p + q, inverse = 1.0 / (variance + r);
        const double error = y[t] - mean, gain = variance * inverse;
        steps[t] = (Step){m, p, variance, error, inverse};
        total += 0.5 * (log(variance + r) + error * error * inverse);
        m = mean + gain * error;
        p = (1.0 - gain) * variance;
    }
    double dm = 0.0, dp = 0.0, da = 0.0, dq = 0.0, dr = 0.0;
    for (int t = n - 1; t >= 0; t--) {
        const Step s = steps[t];
        const double gain = s.variance * s.inverse, scaled = s.error * s.inverse;
        const double dgain = dm * s.error - dp * s.variance;
        const double dmean = dm - (dm * gain + scaled);
        const double dspread = 0.5 * (s.inverse - scaled * scaled) - dgain * gain * s.inverse;
        const double dvariance = dp * (1.0 - gain) + dgain * s.inverse + dspread;
        dr += dspread;
        dq += dvariance;
        da += 2.0 * a * s.before * dvariance + s.mean * dmean;
        dp = a * a * dvariance;
        dm = a * dmean;
    }
    result[0] = total, result[1] = da, result[2] = dq * q, result[3] = dr * r, result[4] = dm;
}
"""


def c_kalman(length: int) -> Work:
    function, steps = spelling.built(IN_C).kalman, np.empty((length, 5))
    return spelling.called(function, length, [PARAMETERS, series(length), steps], np.empty(5))


def race() -> Race:
    contestants = [
        spelling.ours(chainrule_kalman, LENGTH),
        *spelling.jax_scans(jax_kalman, LENGTH),
        casadi("SX, written out", partial(casadi_kalman, "SX", {}), LENGTH),
        casadi("fold of an SX function", partial(casadi_kalman, "MX", {}), LENGTH),
        casadi("fold, C, -Ofast", partial(casadi_kalman, "MX", FAST), LENGTH, "gcc"),
        by_hand("reverse sweep by hand, -O3", c_kalman, LENGTH),
    ]
    return Race(
        f"scalar Kalman filter, likelihood of {LENGTH:,} measurements, four derivatives",
        contestants,
        checked=LENGTH,
        shown=LENGTH,
        targets={"JAX": 1.5, "C": 0.667},
        advice="For the likelihood of one long series",
    )
