"""Predators and prey by Runge-Kutta: the loss and four derivatives for each of many parameter sets.

The loss is the sum of squared distances from a point, over all steps.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from measure import Work, sized
from race import Race
from works import spelling
from works.spelling import FAST, PARTS, by_hand, casadi, joined

from chainrule import compile

STEPS, STEP, SETS = sized(1_000, 20), 0.01, sized(256, 16)
BEGIN, POINT = (1.0, 1.0), (1.5, 0.7)


def sets(count: int) -> Any:
    """One row per parameter set: growth, predation, conversion, death."""
    return np.random.default_rng(6).uniform(0.5, 1.5, (SETS, 4))[:count]


def slopes(parameters: Any, x: Any, y: Any) -> Any:
    growth, predation, conversion, death = parameters
    return growth * x - predation * x * y, conversion * x * y - death * y


def runge_kutta(state: Any, parameters: Any) -> Any:
    """Prey, predators and loss after one step."""
    x, y, total = state
    k1x, k1y = slopes(parameters, x, y)
    k2x, k2y = slopes(parameters, x + 0.5 * STEP * k1x, y + 0.5 * STEP * k1y)
    k3x, k3y = slopes(parameters, x + 0.5 * STEP * k2x, y + 0.5 * STEP * k2y)
    k4x, k4y = slopes(parameters, x + STEP * k3x, y + STEP * k3y)
    x = x + STEP / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
    y = y + STEP / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
    return x, y, total + (x - POINT[0]) * (x - POINT[0]) + (y - POINT[1]) * (y - POINT[1])


def loss(parameters: Any) -> Any:
    state: Any = (*BEGIN, 0.0)
    for _ in range(STEPS):
        state = runge_kutta(state, parameters)
    return state[2]


def chainrule_sets(count: int) -> Work:
    run, given = compile(loss, batch=0, reduction="none"), sets(count)
    return lambda: joined(*run.value_and_grad(given))


def jax_sets(unroll: int, devices: int, count: int) -> Work:
    """Each number of the state is an array over all sets."""
    import jax

    def losses(given: Any) -> Any:
        parameters = [given[:, k] for k in range(4)]
        nothing = 0.0 * parameters[0]
        begin = BEGIN[0] + nothing, BEGIN[1] + nothing, nothing
        return spelling.last(lambda s, _: runge_kutta(s, parameters), begin, None, unroll, STEPS)[2]

    def both(nothing: Any, given: Any) -> Any:
        values, back = jax.vjp(losses, given)
        return values, back(jax.numpy.ones_like(values))[0]

    given = jax.numpy.array(sets(count))
    run = spelling.on_devices(devices, both, (), given)
    return lambda: joined(*run())


def casadi_loss(parameters: Any) -> Any:
    return spelling.folded(runge_kutta, (*BEGIN, 0.0), None, parameters, STEPS)[2]


def casadi_sets(kind: str, options: dict[str, Any], threads: int, count: int) -> Work:
    import casadi

    def written_out(parameters: Any) -> Any:
        return loss(casadi.vertsplit(parameters))

    used = casadi_loss if kind == "MX" else written_out
    one = spelling.casadi_gradient(used, np.empty(4), kind, options)
    run = one.map(count, "thread", threads) if threads > 1 else one.map(count)
    given = casadi.DM(sets(count).T)

    def work() -> Any:
        found = np.array(run(given))
        return joined(found[0], found[1:].T)

    return work


IN_C = """
#include "vmath.h"
#define STEPS %d

typedef struct { vec x, y; } State;
typedef struct { vec growth, predation, conversion, death; } Parameters;

INLINE State slopes(Parameters p, State s) {
    return (State){(p.growth - p.predation * s.y) * s.x, (p.conversion * s.x - p.death) * s.y};
}
INLINE State along(State s, double h, State k) { return (State){s.x + h * k.x, s.y + h * k.y}; }

/* Adds to the adjoints of the parameters; returns those of the state. */
INLINE State pulled(Parameters p, Parameters *d, State s, State k) {
    const vec product = s.x * s.y;
    d->growth += k.x * s.x;
    d->predation -= k.x * product;
    d->conversion += k.y * product;
    d->death -= k.y * s.y;
    return (State){k.x * (p.growth - p.predation * s.y) + k.y * p.conversion * s.y,
                   k.y * (p.conversion * s.x - p.death) - k.x * p.predation * s.x};
}

/* n sets, a multiple of LANES. One row per parameter; result: losses, then a row per parameter. */
void sets(int n, const double *parameters, double *result) {
    const double h = 0.01, px = 1.5, py = 0.7;
#pragma omp parallel for num_threads(2) schedule(static)
    for (int v = 0; v < n; v += LANES) {
        State states[STEPS + 1];
        const Parameters p = {v_load(parameters + v), v_load(parameters + n + v),
                              v_load(parameters + 2 * n + v), v_load(parameters + 3 * n + v)};
        State s = {v_splat(1.0), v_splat(1.0)};
        vec total = v_splat(0.0);
        states[0] = s;
        for (int t = 0; t < STEPS; t++) {
            const State k1 = slopes(p, s), k2 = slopes(p, along(s, 0.5 * h, k1));
            const State k3 = slopes(p, along(s, 0.5 * h, k2)), k4 = slopes(p, along(s, h, k3));
            s.x += h / 6.0 * (k1.x + 2.0 * (k2.x + k3.x) + k4.x);
            s.y += h / 6.0 * (k1.y + 2.0 * (k2.y + k3.y) + k4.y);
            total += (s.x - px) * (s.x - px) + (s.y - py) * (s.y - py);
            states[t + 1] = s;
        }
        const vec zero = v_splat(0.0);
        State d = {zero, zero};
        Parameters dp = {zero, zero, zero, zero};
        for (int t = STEPS - 1; t >= 0; t--) {
            const State end = states[t + 1], s1 = states[t], k1 = slopes(p, s1);
            const State s2 = along(s1, 0.5 * h, k1), k2 = slopes(p, s2);
            const State s3 = along(s1, 0.5 * h, k2), k3 = slopes(p, s3), s4 = along(s1, h, k3);
            d.x += 2.0 * (end.x - px);
            d.y += 2.0 * (end.y - py);
            const State outer = {h / 6.0 * d.x, h / 6.0 * d.y}, inner = {h / 3.0 * d.x, h / 3.0 * d.y};
            const State d4 = pulled(p, &dp, s4, outer), d3 = pulled(p, &dp, s3, along(inner, h, d4));
            const State d2 = pulled(p, &dp, s2, along(inner, 0.5 * h, d3));
            const State d1 = pulled(p, &dp, s1, along(outer, 0.5 * h, d2));
            d.x += d1.x + d2.x + d3.x + d4.x;
            d.y += d1.y + d2.y + d3.y + d4.y;
        }
        v_store(result + v, total);
        v_store(result + n + v, dp.growth);
        v_store(result + 2 * n + v, dp.predation);
        v_store(result + 3 * n + v, dp.conversion);
        v_store(result + 4 * n + v, dp.death);
    }
}
"""


def c_sets(count: int) -> Work:
    function = spelling.built_with_vectors(IN_C % STEPS).sets
    run = spelling.called(function, count, [sets(count).T], np.empty((5, count)))

    def work() -> Any:
        found = run()
        return joined(found[0], found[1:].T)

    return work


def race() -> Race:
    contestants = [
        spelling.ours(chainrule_sets, SETS),
        # With unroll=8, XLA needs 10 GB and more than a minute to compile.
        *spelling.jax_scans_on_devices(jax_sets, SETS, unroll=2),
        casadi("fold, threads: 2", partial(casadi_sets, "MX", {}, PARTS), SETS),
        casadi("SX, written out, threads: 2", partial(casadi_sets, "SX", {}, PARTS), SETS),
        casadi("fold, C, -Ofast, threads: 2", partial(casadi_sets, "MX", FAST, PARTS), SETS, "gcc"),
        by_hand("reverse sweep by hand on the core's vectors, threads: 2", c_sets, SETS),
    ]
    return Race(
        f"Lotka-Volterra, {STEPS:,} Runge-Kutta steps, {SETS} sets, loss and four derivatives of each",
        contestants,
        checked=SETS,
        shown=SETS,
        targets={"JAX": 4.0, "C": 0.769},
        advice="For the same ODE with many parameter sets",
    )
