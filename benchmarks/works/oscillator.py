"""One sample of an ODE: a Van der Pol oscillator in many small steps, and three derivatives.

Semi-implicit Euler; the loss is the mean square of the position, the parameters are both initial values
and the damping.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from measure import Work, sized
from race import Race
from works import spelling
from works.spelling import FAST, by_hand, casadi, joined

from chainrule import compile

STEPS, STEP = sized(20_000, 100), 1e-3
PARAMETERS = np.array([1.0, 0.5, 1.2])


def moved(state: Any, parameters: Any) -> Any:
    """Position, velocity and loss after one step."""
    x, velocity, total = state
    damping = parameters[2]
    velocity = velocity + STEP * (damping * (1.0 - x * x) * velocity - x)
    x = x + STEP * velocity
    return x, velocity, total + STEP * x * x


def loss(steps: int, parameters: Any) -> Any:
    state = (parameters[0], parameters[1], 0.0)
    for _ in range(steps):
        state = moved(state, parameters)
    return state[2]


def chainrule_oscillator(steps: int) -> Work:
    run = compile(partial(loss, steps), batch=None)
    return lambda: joined(*run.value_and_grad(PARAMETERS))


def jax_oscillator(unroll: int, steps: int) -> Work:
    import jax

    def scanned(parameters: Any) -> Any:
        begin = parameters[0], parameters[1], 0.0
        return spelling.last(lambda state, _: moved(state, parameters), begin, None, unroll, steps)[2]

    run, given = jax.jit(jax.value_and_grad(scanned)), jax.numpy.array(PARAMETERS)
    return lambda: joined(*run(given))


def casadi_loss(steps: int, kept: bool, parameters: Any) -> Any:
    import casadi

    given = casadi.vertsplit(parameters)
    if kept:
        return spelling.folded(moved, (*given[:2], 0.0), None, parameters, steps)[2]
    return loss(steps, given)


def casadi_oscillator(kind: str, options: dict[str, Any], steps: int) -> Work:
    return spelling.casadi_work(partial(casadi_loss, steps, kind == "MX"), PARAMETERS, kind, options)


IN_C = """
void oscillator(int n, const double *parameters, double *states, double *result) {
    const double h = 1e-3, damping = parameters[2];
    double x = parameters[0], v = parameters[1], total = 0.0;
    for (int t = 0; t < n; t++) {
        states[2 * t] = x, states[2 * t + 1] = v;
        v += h * (damping * (1.0 - x * x) * v - x);
        x += h * v;
        total += h * x * x;
    }
    double dx = 0.0, dv = 0.0, ddamping = 0.0, after = x;
    for (int t = n - 1; t >= 0; t--) {
        const double x = states[2 * t], v = states[2 * t + 1], open = 1.0 - x * x;
        dx += 2.0 * h * after;
        dv += h * dx;
        const double da = h * dv;
        ddamping += da * open * v;
        dx -= da * (2.0 * damping * x * v + 1.0);
        dv += da * damping * open;
        after = x;
    }
    result[0] = total, result[1] = dx, result[2] = dv, result[3] = ddamping;
}
"""


def c_oscillator(steps: int) -> Work:
    function = spelling.built(IN_C).oscillator
    return spelling.called(function, steps, [PARAMETERS, np.empty((steps, 2))], np.empty(4))


def race() -> Race:
    contestants = [
        spelling.ours(chainrule_oscillator, STEPS),
        *spelling.jax_scans(jax_oscillator, STEPS),
        casadi("SX, written out", partial(casadi_oscillator, "SX", {}), STEPS),
        casadi("fold of an SX function", partial(casadi_oscillator, "MX", {}), STEPS),
        casadi("fold, C, -Ofast", partial(casadi_oscillator, "MX", FAST), STEPS, "gcc"),
        by_hand("reverse sweep by hand, -O3", c_oscillator, STEPS),
    ]
    return Race(
        f"one sample, an ODE of {STEPS:,} steps, three derivatives",
        contestants,
        checked=STEPS,
        shown=STEPS,
        targets={"JAX": 1.5, "CasADi": 2.0},
        advice="For a long loop on a single sample",
    )
