"""How fast are Jacobians and Hessians, dense and sparse? Compared with JAX and CasADi.

All second derivatives of the Black-Scholes price for many options; the Jacobian of an ODE fit, solved by
a loop of Runge-Kutta steps; value, gradient and sparse Hessian of a chain of variables; the likelihood
of a Kalman filter and its gradient. Ours is the plain loop over scalars. JAX and CasADi are written in
every way that their experts would try: forward over reverse and forward over forward mode, rows or
columns first, looped and partly unrolled (JAX did not compile the whole loop within ten minutes), as
expressions of scalars, of vectors and as a map.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import measure
import numpy as np
from measure import Table, Work, sized
from race import OURS, TWO_DEVICES, Contestant, Race

from chainrule.compiler import compile

PEERS = ("jax", "casadi")

MODELS = Path(__file__).parents[1] / "examples" / "models"
OPTIONS, CHECKED_OPTIONS = sized(100_000, 64), 64
STEPS, STEP = sized(300, 20), 0.03
PARAMETERS, DEATH, POPULATIONS = (1.1, 0.4, 0.1), 0.4, (10.0, 5.0)
VARIABLES, CHECKED_VARIABLES = sized(10_000, 50), 50
SERIES = sized(500, 20)


def model(name: str) -> Any:
    """A module of examples/models."""
    spec = importlib.util.spec_from_file_location(name, MODELS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- Black-Scholes: a 5 x 5 Hessian for each option ----------------------------------------------


def markets(count: int) -> Any:
    """Spot, strike, years, interest rate and volatility of each option."""
    rng = np.random.default_rng(1)
    ranges = ((80, 120), (80, 120), (0.1, 2.0), (0.0, 0.05), (0.1, 0.5))
    return np.column_stack([rng.uniform(low, high, count) for low, high in ranges])


def chainrule_hessians(count: int) -> Work:
    call_price, given = model("option_greeks").call_price, markets(count)
    price = compile(lambda market: call_price(*market), batch=0)
    return lambda: price.hessian(given)


def jax_price(market: Any) -> Any:
    import jax

    numpy, cdf = jax.numpy, jax.scipy.stats.norm.cdf
    spot, strike, years, rate, volatility = market
    root = volatility * numpy.sqrt(years)
    d1 = (numpy.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    return spot * cdf(d1) - strike * numpy.exp(-rate * years) * cdf(d1 - root)


def forward_over_reverse(f: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    return jax.hessian(f)


def forward_over_forward(f: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    return jax.jacfwd(jax.jacfwd(f))


def reverse_over_reverse(f: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    return jax.jacrev(jax.jacrev(f))


def rows_first(hessian: Callable[..., Any]) -> Callable[..., Any]:
    """One option per row, as our arrays."""
    import jax

    return jax.vmap(hessian)


def columns_first(hessian: Callable[..., Any]) -> Callable[..., Any]:
    """All spots next to each other, then all strikes ...: (5, options) -> (5, 5, options)."""
    import jax

    return jax.vmap(hessian, in_axes=1, out_axes=2)


def products_of_all(count: int) -> Work:
    """The price of all options as one function: the Hessian of its sum times five vectors."""
    import jax

    given = jax.numpy.array(markets(count).T)

    def column(k: Any) -> Any:
        direction = jax.numpy.zeros_like(given).at[k].set(1.0)
        gradient = jax.grad(lambda given: jax_price(given).sum())
        return lambda given: jax.jvp(gradient, (given,), (direction,))[1]

    run = jax.jit(lambda given: jax.numpy.stack([column(k)(given) for k in range(5)]))
    return lambda: np.moveaxis(np.asarray(run(given)), 2, 0)


def jax_hessians(mode: Any, over: Any, devices: int, count: int) -> Work:
    import jax

    first = over is rows_first
    run, given = over(mode(jax_price)), jax.numpy.array(markets(count) if first else markets(count).T)
    if devices > 1:
        mesh, spec = jax.make_mesh((devices,), ("options",)), jax.sharding.PartitionSpec
        part = spec("options") if first else spec(None, "options")
        out = spec("options") if first else spec(None, None, "options")
        run = jax.shard_map(run, mesh=mesh, in_specs=part, out_specs=out)
        given = jax.device_put(given, jax.sharding.NamedSharding(mesh, part))
    run = jax.jit(run)
    if first:
        return lambda: np.asarray(run(given))
    return lambda: np.moveaxis(np.asarray(run(given)), 2, 0)


def hessians() -> Table:
    def spelled(text: str, *how: Any, devices: int = 1) -> Contestant:
        environment = TWO_DEVICES if devices > 1 else {}
        start = partial(jax_hessians, *how, devices)
        return Contestant("JAX", text, start, OPTIONS, modules=["jax"], environment=environment)

    both = "forward over forward, columns first"
    contestants = [
        Contestant(OURS, "the formula for one option", chainrule_hessians, OPTIONS),
        spelled("vmap(hessian): forward over reverse", forward_over_reverse, rows_first),
        spelled("forward over forward", forward_over_forward, rows_first),
        spelled("reverse over reverse", reverse_over_reverse, rows_first),
        spelled("forward over reverse, columns first", forward_over_reverse, columns_first),
        spelled(both, forward_over_forward, columns_first),
        Contestant("JAX", "arrays of all options", products_of_all, OPTIONS, modules=["jax"]),
        spelled("forward over forward, two host devices", forward_over_forward, rows_first, devices=2),
        spelled(f"{both}, two host devices", forward_over_forward, columns_first, devices=2),
    ]
    return Race(
        f"Black-Scholes, 5 x 5 Hessians of {OPTIONS:,} options",
        contestants,
        checked=CHECKED_OPTIONS,
        shown=OPTIONS,
        targets={"JAX": 3.0},
        advice="For the Hessians of many small formulas",
    ).table()


# --- an ODE fit: the Jacobian of all populations -------------------------------------------------


def runge_kutta(rates: Callable[[Any], Any], state: Any) -> Any:
    """The state a step later, on any kind of vector."""
    k1 = rates(state)
    k2 = rates(state + STEP / 2 * k1)
    k3 = rates(state + STEP / 2 * k2)
    k4 = rates(state + STEP * k3)
    return state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def lotka_volterra(parameters: Any, state: Any) -> list[Any]:
    birth, hunting, growth = parameters
    prey, predators = state
    return [prey * (birth - hunting * predators), predators * (growth * prey - DEATH)]


def chainrule_trajectory(parameters: Any) -> Any:
    states = [np.array(POPULATIONS)]
    for _ in range(STEPS):
        states.append(runge_kutta(lambda s: np.array(lotka_volterra(parameters, s)), states[-1]))
    return np.array(states[1:])


def chainrule_ode(_: int) -> Work:
    solve, given = compile(chainrule_trajectory, batch=None), np.array(PARAMETERS)
    return lambda: solve.jacobian(given)


def scanned(unroll: int, parameters: Any) -> Any:
    import jax

    def step(state: Any, _: Any) -> Any:
        state = runge_kutta(lambda s: jax.numpy.stack(lotka_volterra(parameters, s)), state)
        return state, state

    return jax.lax.scan(step, jax.numpy.array(POPULATIONS), length=STEPS, unroll=unroll)[1]


def jax_ode(trajectory: Callable[[Any], Any], _: int) -> Work:
    import jax

    run, given = jax.jit(jax.jacfwd(trajectory)), jax.numpy.array(PARAMETERS)
    return lambda: np.asarray(run(given))


def casadi_ode(_: int) -> Work:
    import casadi

    parameters, state, states = casadi.SX.sym("parameters", 3), casadi.SX(POPULATIONS), []
    for _ in range(STEPS):
        state = runge_kutta(
            lambda s: casadi.vertcat(*lotka_volterra(casadi.vertsplit(parameters), casadi.vertsplit(s))),
            state,
        )
        states.append(state)
    jacobian = casadi.jacobian(casadi.vertcat(*states), parameters)
    run = casadi.Function("jacobian", [parameters], [casadi.densify(jacobian)])
    given = casadi.DM(PARAMETERS)
    return lambda: np.array(run(given)).reshape(STEPS, 2, 3)


def ode() -> Table:
    def spelled(text: str, trajectory: Any, slow: bool = False) -> Contestant:
        return Contestant("JAX", text, partial(jax_ode, trajectory), 1, modules=["jax"], slow=slow)

    race = Race(
        f"ODE fit, Jacobian of {2 * STEPS} outputs with respect to 3 parameters",
        [
            Contestant(OURS, "the loop as it is", chainrule_ode, 1),
            spelled("scan, jacfwd", partial(scanned, 1)),
            spelled("scan with unroll=5, jacfwd", partial(scanned, 5)),
            spelled("scan with unroll=20, jacfwd", partial(scanned, 20), slow=True),
            Contestant("CasADi", "SX", casadi_ode, 1, modules=["casadi"]),
        ],
        checked=1,
        targets={"JAX": 2.0},
        advice="For the Jacobian of a long loop, called many times",
    )
    table = race.table()
    table.rows.append(race.first_result_row("JAX", 10.0))
    return table


# --- a chained Rosenbrock function: value, gradient and sparse Hessian ---------------------------


def place(count: int) -> Any:
    return np.random.default_rng(2).uniform(-1.0, 1.0, count)


def joined(value: Any, gradient: Any, numbers: Any) -> Any:
    """The numbers of the Hessian row by row or column by column, which is the same."""
    return np.concatenate([np.ravel(value), np.ravel(gradient), numbers])


def chainrule_chain(count: int) -> Work:
    def rosenbrock(x: Any) -> Any:
        return sum(100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in pairwise(x))

    f, x = compile(rosenbrock, batch=None), place(count)
    return lambda: joined(*f.value_and_grad(x), f.hessian(x, sparse=True).data)


def of_scalars(count: int) -> Any:
    import casadi

    x = casadi.SX.sym("x", count)
    return x, casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def of_vectors(count: int) -> Any:
    import casadi

    x = casadi.MX.sym("x", count)
    return x, casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def of_a_map(count: int) -> Any:
    """One term as a function, mapped over all pairs of neighbours."""
    import casadi

    pair = casadi.SX.sym("pair", 2)
    term = casadi.Function("term", [pair], [100 * (pair[1] - pair[0] ** 2) ** 2 + (1 - pair[0]) ** 2])
    x = casadi.MX.sym("x", count)
    return x, casadi.sum2(term.map(count - 1)(casadi.horzcat(x[:-1], x[1:]).T))


def casadi_chain(spelling: Callable[[int], Any], buffers: bool, count: int) -> Work:
    import casadi

    x, value = spelling(count)
    hessian, gradient = casadi.hessian(value, x)
    run = casadi.Function("run", [x], [value, gradient, hessian])
    given = place(count)
    if not buffers:
        return lambda: joined(*(np.array(result.nonzeros()) for result in run(given)))
    buffer, call = run.buffer()
    results = [np.zeros(run.nnz_out(k)) for k in range(3)]
    buffer.set_arg(0, memoryview(given))
    for k, result in enumerate(results):
        buffer.set_res(k, memoryview(result))

    def work() -> Any:
        call()
        return joined(*results)

    work.buffer = buffer  # type: ignore[attr-defined]  # it must outlive the calls
    return work


def chain() -> Table:
    def spelled(text: str, *how: Any) -> Contestant:
        return Contestant("CasADi", text, partial(casadi_chain, *how), VARIABLES, modules=["casadi"])

    race = Race(
        f"chained Rosenbrock, {VARIABLES:,} variables: value, gradient, sparse Hessian",
        [
            Contestant(OURS, "the sum as it is", chainrule_chain, VARIABLES, modules=["scipy"]),
            spelled("SX", of_scalars, False),
            spelled("SX, preallocated buffers", of_scalars, True),
            spelled("MX, map, preallocated buffers", of_a_map, True),
            spelled("MX of vectors, preallocated buffers", of_vectors, True),
        ],
        checked=CHECKED_VARIABLES,
        shown=VARIABLES,
        targets={"CasADi": 2.0},
        advice="For large sparse Hessians",
    )
    table = race.table()
    table.rows.append(race.first_result_row("CasADi", 5.0))
    return table


# --- a Kalman filter -----------------------------------------------------------------------------


def chainrule_kalman(_: int) -> Work:
    kalman = model("kalman_filter")
    series, logs = kalman.measurements(SERIES), np.array([-1.0, -2.5, 0.2])
    f = compile(lambda logs: kalman.negative_log_likelihood(logs, series), batch=None)
    return lambda: joined(*f.value_and_grad(logs), [])


def jax_likelihood(logs: Any, series: Any) -> Any:
    """The filter of one measured number and two states, as a scan over the series."""
    import jax

    numpy = jax.numpy
    kalman = model("kalman_filter")
    level, trend, noise = numpy.exp(2 * logs)
    moves = numpy.diag(numpy.stack([level, trend]))

    def step(state: Any, y: Any) -> Any:
        mean, cov = state
        mean, cov = kalman.STEP @ mean, kalman.STEP @ cov @ kalman.STEP.T + moves
        error, spread = y - mean[0], cov[0, 0] + noise
        gain = cov[0] / spread
        term = numpy.log(2 * numpy.pi * spread) + error**2 / spread
        return (mean + gain * error, cov - numpy.outer(gain, cov[0])), term

    start = numpy.zeros(2), 10.0 * numpy.eye(2)
    return jax.lax.scan(step, start, series)[1].sum() / (2 * len(series))


def jax_kalman(forward: bool, _: int) -> Work:
    import jax

    series, logs = model("kalman_filter").measurements(SERIES), np.array([-1.0, -2.5, 0.2])

    def both(logs: Any, series: Any) -> Any:
        if forward:
            return jax_likelihood(logs, series), jax.jacfwd(jax_likelihood)(logs, series)
        return jax.value_and_grad(jax_likelihood)(logs, series)

    run = jax.jit(both)
    return lambda: joined(*map(np.asarray, run(logs, series)), [])


def kalman() -> Table:
    return Race(
        f"Kalman filter, likelihood of {SERIES} measurements and its gradient",
        [
            Contestant(OURS, "the loop as it is", chainrule_kalman, 1),
            Contestant("JAX", "scan, reverse mode", partial(jax_kalman, False), 1, modules=["jax"]),
            Contestant("JAX", "scan, forward mode", partial(jax_kalman, True), 1, modules=["jax"]),
        ],
        checked=1,
        advice="For the likelihood of a long series, called many times",
    ).table()


def tables() -> Iterator[Table | str]:
    yield hessians()
    yield ode()
    yield chain()
    yield kalman()


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
