"""How fast are prices with their sensitivities? Beside JAX, CasADi, HIPS autograd and XAD.

An Asian option for many trades over shared scenarios, and a path model with a volatility of its
own, unrolled. The normal numbers are given and the same for all, and so are the results, before
anything is timed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import measure
import numpy as np
import programs
from measure import Contestant, Race, Row, Table, Work, in_time_units, sized
from programs import OURS, START, Functions

from chainrule import Value, exp, mean, relu
from chainrule.compiler import compile
from chainrule.compiler.backends.native import thread_count

PEERS = ("jax", "casadi", "autograd", "xad")

TRADES, SCENARIOS, DAYS = sized(100, 6), sized(1_000, 40), sized(252, 20)
PATHS, STEPS = sized(4_096, 64), sized(100, 10)
XAD_PATHS = sized(128, 16)  # a tape for each path: the whole would take long
CHECKED_TRADES, CHECKED_PATHS = 3, 16


# --- an Asian option: the price of each trade, its delta, rho and vega ---------------------------


def trades(count: int) -> Any:
    """Spot, interest rate and volatility of each trade."""
    rng = np.random.default_rng(1)
    return np.column_stack(
        [rng.uniform(low, high, count) for low, high in ((80, 120), (0.0, 0.05), (0.1, 0.4))]
    )


def asian_payoff(trade: Any, shocks: Any) -> Any:
    """A call on the mean of all days' prices of one trade in one scenario, discounted."""
    spot, rate, volatility = trade
    day = programs.YEARS / len(shocks)
    drift = (rate - 0.5 * volatility * volatility) * day
    scale = volatility * day**0.5
    prices = []
    for shock in shocks:
        spot = spot * exp(drift + scale * shock)
        prices.append(spot)
    return exp(-rate * programs.YEARS) * relu(mean(prices) - programs.STRIKE)


def chainrule_asian(count: int) -> Work:
    step = compile(asian_payoff, axes=2, reduction="none")
    each, shocks = trades(count)[:, None], programs.normals(SCENARIOS, DAYS)[None]

    def price() -> Any:
        payoffs, _, (sensitivities,) = step.value_and_grad(each, shocks, inputs=(0,))
        return np.column_stack([payoffs.mean(axis=1), sensitivities[:, 0] / SCENARIOS])

    return price


def jax_asian(mean_of_path: Callable[[Any, Any, Any, Any], Any], count: int) -> Work:
    """`mean_of_path` takes spot, drift and volatility of a day, and the shocks of a scenario."""
    import jax

    day = programs.YEARS / DAYS

    def payoff(trade: Any, shocks: Any) -> Any:
        spot, rate, volatility = trade
        drift, scale = (rate - 0.5 * volatility**2) * day, volatility * day**0.5
        average = mean_of_path(spot, drift, scale, shocks)
        return jax.numpy.exp(-rate * programs.YEARS) * jax.nn.relu(average - programs.STRIKE)

    def price(trade: Any, shocks: Any) -> Any:
        return jax.vmap(payoff, (None, 0))(trade, shocks).mean()

    run = jax.jit(jax.vmap(jax.value_and_grad(price), (0, None)))
    each, shocks = jax.numpy.array(trades(count)), jax.numpy.array(programs.normals(SCENARIOS, DAYS))
    return lambda: np.column_stack(run(each, shocks))


def by_scan(spot: Any, drift: Any, scale: Any, shocks: Any) -> Any:
    import jax

    def day(carried: Any, shock: Any) -> Any:
        spot, total = carried
        spot = spot * jax.numpy.exp(drift + scale * shock)
        return (spot, total + spot), None

    (_, total), _ = jax.lax.scan(day, (spot, 0.0), shocks)
    return total / len(shocks)


def by_cumulative_sum(spot: Any, drift: Any, scale: Any, shocks: Any) -> Any:
    import jax

    return (spot * jax.numpy.exp(jax.numpy.cumsum(drift + scale * shocks))).mean()


def asian() -> Table:
    scan = "JAX, lax.scan, vmapped, jitted"
    contestants = [
        Contestant("chainrule", chainrule_asian, TRADES),
        Contestant(scan, partial(jax_asian, by_scan), TRADES, 3.0),
        Contestant("JAX, cumsum, vmapped, jitted", partial(jax_asian, by_cumulative_sum), TRADES),
    ]
    title = f"Asian option, {TRADES} trades x {SCENARIOS:,} scenarios x {DAYS} days, all trades"
    race = Race(title, contestants, checked=CHECKED_TRADES, shown=TRADES)
    table = race.table()
    table.rows.append(race.first_call_row(scan, 5.0))
    return table


# --- a path model: the price and its four sensitivities ------------------------------------------


def shocks_of(paths: int) -> Any:
    """A row for each normal number of a path, a column for each path."""
    return programs.normals(2 * STEPS, PATHS)[:, :paths]


def joined(value: Any, gradient: Any) -> Any:
    return np.array([float(value), *map(float, gradient)])


def chainrule_path(paths: int) -> Work:
    start = [Value(x) for x in START]
    step = compile(lambda shocks: programs.path_payoff(OURS, start, shocks), start)
    shocks = shocks_of(paths).T
    return lambda: joined(*step.value_and_grad(shocks))


def jax_path(payoff: Callable[[Functions, Any, Any], Any], paths: int) -> Work:
    import jax

    functions = Functions(jax.numpy.exp, jax.numpy.log, jax.nn.relu)
    run = jax.jit(jax.value_and_grad(lambda start, shocks: payoff(functions, start, shocks).mean()))
    start, shocks = jax.numpy.array(START), jax.numpy.array(shocks_of(paths))
    return lambda: joined(*run(start, shocks))


def scanned_payoff(functions: Functions, start: Any, shocks: Any) -> Any:
    """The same as `path_payoff`, with its loop in the words of JAX."""
    import jax

    spot, volatility, speed, level = start
    pairs = shocks.reshape(2, STEPS, -1)
    time = programs.YEARS / STEPS

    def step(state: Any, pair: Any) -> Any:
        shock, other = pair
        return programs.path_step(functions, state, speed, level, shock, other, time), None

    paths = jax.numpy.ones(pairs.shape[2])
    begin = functions.log(spot) * paths, functions.log(volatility) * paths
    (log_spot, _), _ = jax.lax.scan(step, begin, pairs.swapaxes(0, 1))
    return programs.DISCOUNT * functions.positive(functions.exp(log_spot) - programs.STRIKE)


COMPILED_C = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O3", "-march=native"]}}


def casadi_path(options: dict[str, Any], threads: int, paths: int) -> Work:
    """A function of one path, with its gradient, mapped over all of them."""
    import casadi

    functions = Functions(casadi.exp, casadi.log, lambda x: casadi.fmax(x, 0.0))
    start, shocks = casadi.SX.sym("start", 4), casadi.SX.sym("shocks", 2 * STEPS)
    payoff = programs.path_payoff(functions, casadi.vertsplit(start), casadi.vertsplit(shocks))
    both = casadi.vertcat(payoff, casadi.gradient(payoff, start))
    run = casadi.Function("path", [start, shocks], [both], options)
    run = run.map(paths, "thread", threads) if threads > 1 else run.map(paths)
    given = casadi.repmat(casadi.DM(START), 1, paths), casadi.DM(shocks_of(paths))
    return lambda: np.array(run(*given)).mean(axis=1)


def autograd_path(paths: int) -> Work:
    """Over arrays of all paths."""
    import autograd
    import autograd.numpy as anp

    functions = Functions(anp.exp, anp.log, lambda x: anp.maximum(x, 0.0))
    shocks = shocks_of(paths)

    def price(start: Any) -> Any:
        return anp.mean(programs.path_payoff(functions, start, shocks))

    run = autograd.value_and_grad(price)
    return lambda: joined(*run(np.array(START)))


def xad_path(paths: int) -> Work:
    """A recording for each path."""
    import xad.adj_1st
    import xad.math

    functions = Functions(xad.math.exp, xad.math.log, lambda x: xad.math.max(x, 0.0))
    shocks = shocks_of(paths).T.tolist()

    def run() -> Any:
        total = np.zeros(5)
        with xad.adj_1st.Tape() as tape:
            for path in shocks:
                start = [xad.adj_1st.Real(x) for x in START]
                for x in start:
                    tape.registerInput(x)
                tape.newRecording()
                payoff = programs.path_payoff(functions, start, path)
                tape.registerOutput(payoff)
                payoff.derivative = 1.0
                tape.computeAdjoints()
                total += [payoff.value, *(x.derivative for x in start)]
        return total / len(shocks)

    return run


def path_model() -> Table:
    threads = thread_count()
    contestants = [
        Contestant("chainrule", chainrule_path, PATHS),
        Contestant("JAX, unrolled, jitted", partial(jax_path, programs.path_payoff), PATHS, 4.0),
        # No bar: the work is 100 unrolled steps, and this program is another one, written for JAX.
        Contestant("JAX, lax.scan, jitted", partial(jax_path, scanned_payoff), PATHS),
        Contestant("CasADi, SX, map", partial(casadi_path, {}, 1), PATHS, 8.0),
        Contestant(f"CasADi, SX, map, threads: {threads}", partial(casadi_path, {}, threads), PATHS),
        Contestant("CasADi, SX, map, compiled as C", partial(casadi_path, COMPILED_C, 1), PATHS),
        Contestant("HIPS autograd, arrays", autograd_path, PATHS, compiles=False),
        Contestant(f"XAD, {XAD_PATHS} paths, scaled", xad_path, XAD_PATHS, compiles=False),
    ]
    title = f"path model, {STEPS} steps, {PATHS:,} paths, four sensitivities"
    race = Race(title, contestants, checked=CHECKED_PATHS, shown=PATHS)
    table = race.table()
    took = max(0.0, race.compiling("chainrule"))
    cells = ["chainrule: tracing, passes, machine; in seconds", in_time_units(took), "", ""]
    table.rows.append(Row(cells, took, at_most=0.1))
    return table


def tables() -> Iterator[Table | str]:
    yield asian()
    yield path_model()


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
