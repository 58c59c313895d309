"""A hidden Markov model of four states: the likelihood of one series and its 24 derivatives.

The parameters are the logarithms of the unnormalised transition probabilities, then the mean of each
state, then the logarithm of its standard deviation. Densities omit the constant 1 / sqrt(2 pi).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from measure import Work, sized
from race import Race
from works import spelling
from works.spelling import FAST, by_hand, casadi, joined

from chainrule import compile, exp, log

LENGTH, STATES = sized(5_000, 50), 4
PARAMETERS = np.random.default_rng(4).normal(size=STATES * STATES + 2 * STATES)


def series(length: int) -> Any:
    return np.random.default_rng(5).normal(size=LENGTH)[:length]


def prepared(exp: Callable[[Any], Any], parameters: Any) -> Any:
    """Transition probabilities by row, means, and inverse standard deviations."""
    rows = [[exp(x) for x in parameters[STATES * i : STATES * i + STATES]] for i in range(STATES)]
    transitions = [[x / sum(row) for x in row] for row in rows]
    means = parameters[STATES * STATES : STATES * STATES + STATES]
    inverses = [exp(-x) for x in parameters[STATES * STATES + STATES :]]
    return transitions, means, inverses


def forward(exp: Any, log: Any, state: Any, given: Any, observed: Any) -> Any:
    """The probability of each state and the negative log-likelihood after one more observation."""
    *chances, total = state
    transitions, means, inverses = given
    joint = []
    for j in range(STATES):
        z = (observed - means[j]) * inverses[j]
        arriving = sum(chances[i] * transitions[i][j] for i in range(STATES))
        joint.append(exp(-0.5 * z * z) * inverses[j] * arriving)
    whole = sum(joint)
    return *(x / whole for x in joint), total - log(whole)


def likelihood(parameters: Any, observations: Sequence[Any]) -> Any:
    given = prepared(exp, parameters)
    state: Any = (*[1.0 / STATES] * STATES, 0.0)
    for observed in observations:
        state = forward(exp, log, state, given, observed)
    return state[-1]


def chainrule_markov(length: int) -> Work:
    run, observations = compile(likelihood, batch=(None, None)), series(length)
    return lambda: joined(*run.value_and_grad(PARAMETERS, observations, argnums=0))


def jax_scalars(unroll: int, length: int) -> Work:
    """The same source as ours."""
    import jax

    def loss(parameters: Any, observations: Any) -> Any:
        given = prepared(jax.numpy.exp, parameters)

        def step(state: Any, observed: Any) -> Any:
            return forward(jax.numpy.exp, jax.numpy.log, state, given, observed)

        return spelling.last(step, (*[1.0 / STATES] * STATES, 0.0), observations, unroll)[-1]

    return jax_work(loss, length)


def jax_vectors(unroll: int, length: int) -> Work:
    """The densities of all observations first; a matrix product in each step."""
    import jax

    numpy = jax.numpy

    def loss(parameters: Any, observations: Any) -> Any:
        transitions = jax.nn.softmax(parameters[: STATES * STATES].reshape(STATES, STATES))
        means, logs = parameters[STATES * STATES :].reshape(2, STATES)
        z = (observations[:, None] - means) * numpy.exp(-logs)
        densities = numpy.exp(-0.5 * z * z - logs)

        def step(state: Any, density: Any) -> Any:
            chances, total = state
            joint = density * (chances @ transitions)
            whole = joint.sum()
            return joint / whole, total - numpy.log(whole)

        return spelling.last(step, (numpy.full(STATES, 1.0 / STATES), 0.0), densities, unroll)[1]

    return jax_work(loss, length)


def jax_work(loss: Callable[[Any, Any], Any], length: int) -> Work:
    import jax

    run = jax.jit(jax.value_and_grad(loss))
    given, observations = jax.numpy.array(PARAMETERS), jax.numpy.array(series(length))
    return lambda: joined(*run(given, observations))


def casadi_loss(length: int, kept: bool, parameters: Any) -> Any:
    import casadi

    given = prepared(casadi.exp, casadi.vertsplit(parameters))
    state: Any = (*[1.0 / STATES] * STATES, 0.0)
    if not kept:
        for observed in series(length):
            state = forward(casadi.exp, casadi.log, state, given, observed)
        return state[-1]

    def step(state: Any, flat: Any, observed: Any) -> Any:
        rows = [flat[STATES * i : STATES * i + STATES] for i in range(STATES + 2)]
        return forward(casadi.exp, casadi.log, state, (rows[:STATES], *rows[STATES:]), observed)

    transitions, means, inverses = given
    flat = casadi.vertcat(*chain(*transitions), *means, *inverses)
    return spelling.folded(step, state, series(length), flat, length)[STATES]


def casadi_markov(kind: str, options: dict[str, Any], length: int) -> Work:
    loss = partial(casadi_loss, length, kind == "MX")
    return spelling.casadi_work(loss, PARAMETERS, kind, options)


IN_C = """
#include <math.h>
#include <string.h>
enum { K = 4 };

typedef struct { double chance[K], z[K], density[K], arriving[K], whole; } Step;

void markov(int n, const double *parameters, const double *y, Step *steps, double *result) {
    double A[K][K], inverse[K], chance[K], total = 0.0;
    const double *mean = parameters + K * K;
    for (int i = 0; i < K; i++) {
        double sum = 0.0;
        for (int j = 0; j < K; j++) sum += A[i][j] = exp(parameters[K * i + j]);
        for (int j = 0; j < K; j++) A[i][j] /= sum;
        inverse[i] = exp(-mean[K + i]);
        chance[i] = 1.0 / K;
    }
    for (int t = 0; t < n; t++) {
        Step *s = steps + t;
        memcpy(s->chance, chance, sizeof chance);
        double joint[K], whole = 0.0;
        for (int j = 0; j < K; j++) {
            s->z[j] = (y[t] - mean[j]) * inverse[j];
            s->density[j] = exp(-0.5 * s->z[j] * s->z[j]) * inverse[j];
            double arriving = 0.0;
            for (int i = 0; i < K; i++) arriving += chance[i] * A[i][j];
            s->arriving[j] = arriving;
            whole += joint[j] = s->density[j] * arriving;
        }
        s->whole = 1.0 / whole;
        for (int j = 0; j < K; j++) chance[j] = joint[j] * s->whole;
        total -= log(whole);
    }
    double back[K] = {0}, dA[K][K] = {{0}}, dmean[K] = {0}, dlog[K] = {0};
    for (int t = n - 1; t >= 0; t--) {
        const Step *s = steps + t;
        double common = 1.0, next[K] = {0};
        for (int j = 0; j < K; j++) common += back[j] * s->density[j] * s->arriving[j] * s->whole;
        for (int j = 0; j < K; j++) {
            const double djoint = (back[j] - common) * s->whole, darriving = djoint * s->density[j];
            const double dlogdensity = darriving * s->arriving[j], dz = -dlogdensity * s->z[j];
            dmean[j] -= dz * inverse[j];
            dlog[j] -= dlogdensity + dz * s->z[j];
            for (int i = 0; i < K; i++) {
                dA[i][j] += s->chance[i] * darriving;
                next[i] += A[i][j] * darriving;
            }
        }
        memcpy(back, next, sizeof back);
    }
    *result++ = total;
    for (int i = 0; i < K; i++) {
        double sum = 0.0;
        for (int j = 0; j < K; j++) sum += dA[i][j] * A[i][j];
        for (int j = 0; j < K; j++) *result++ = A[i][j] * (dA[i][j] - sum);
    }
    for (int j = 0; j < K; j++) *result++ = dmean[j];
    for (int j = 0; j < K; j++) *result++ = dlog[j];
}
"""


def c_markov(length: int) -> Work:
    function, steps = spelling.built(IN_C).markov, np.empty((length, 4 * STATES + 1))
    result = np.empty(1 + len(PARAMETERS))
    return spelling.called(function, length, [PARAMETERS, series(length), steps], result)


def race() -> Race:
    contestants = [
        spelling.ours(chainrule_markov, LENGTH),
        *spelling.jax_scans(jax_scalars, LENGTH, "scan of scalars"),
        *spelling.jax_scans(jax_vectors, LENGTH, "scan of vectors"),
        casadi("SX, written out", partial(casadi_markov, "SX", {}), LENGTH),
        casadi("fold of an SX function", partial(casadi_markov, "MX", {}), LENGTH),
        casadi("fold, C, -Ofast", partial(casadi_markov, "MX", FAST), LENGTH, "gcc"),
        by_hand("reverse sweep by hand, -O3", c_markov, LENGTH),
    ]
    return Race(
        f"hidden Markov model, {STATES} states, {LENGTH:,} observations, {len(PARAMETERS)} derivatives",
        contestants,
        checked=LENGTH,
        shown=LENGTH,
        targets={"JAX": 1.5},
        advice="For the likelihood of one long series",
    )
