"""How fast can prices and sensitivities be computed? Compared with JAX, CasADi, HIPS autograd and XAD.

An Asian option for many trades over shared scenarios, and a path model with stochastic volatility.
All contestants get the same normal random numbers. Ours is the plain loop over days or steps. JAX
and CasADi are written in every way that their experts would try: in reverse and forward mode, looped and
unrolled, on whole arrays and one trade at a time, as generated C, on two devices.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import measure
import numpy as np
import programs
from measure import Row, Table, Work, in_time_units, sized
from programs import START, Functions
from race import OURS, TWO_DEVICES, Contestant, Race
from works.paths_in_c import c_paths
from works.spelling import KERNELS, by_hand

from chainrule import Value, exp, mean, relu
from chainrule.compiler import compile

PEERS = ("jax", "casadi", "autograd", "xad")

TRADES, SCENARIOS, DAYS = sized(100, 6), sized(1_000, 40), sized(252, 20)
PATHS, STEPS = sized(4_096, 64), sized(100, 10)
XAD_PATHS = sized(128, 16)  # one recording per path: all paths would take too long
CHECKED_TRADES, CHECKED_PATHS = 4, 16


# --- an Asian option: the price of each trade, its delta, rho and vega ---------------------------


def trades(count: int) -> Any:
    """Spot, interest rate and volatility of each trade."""
    rng = np.random.default_rng(1)
    return np.column_stack(
        [rng.uniform(low, high, count) for low, high in ((80, 120), (0.0, 0.05), (0.1, 0.4))]
    )


def asian_payoff(trade: Any, shocks: Any) -> Any:
    """The discounted payoff of a call on the mean price over all days, for one trade and scenario."""
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
        payoffs, sensitivities = step.value_and_grad(each, shocks, argnums=0)
        return np.column_stack([payoffs.mean(axis=1), sensitivities[:, 0] / SCENARIOS])

    return price


# A price function takes a trade and the prepared scenarios; `jax_asian` makes it a contestant's work.


def jax_payoff(trade: Any, average: Callable[[Any, Any, Any], Any]) -> Any:
    """The mean payoff over all scenarios; `average` takes the spot, daily drift and daily volatility."""
    import jax

    spot, rate, volatility = trade
    day = programs.YEARS / DAYS
    prices = average(spot, (rate - 0.5 * volatility**2) * day, volatility * day**0.5)
    return (jax.numpy.exp(-rate * programs.YEARS) * jax.nn.relu(prices - programs.STRIKE)).mean()


def price_by_scan(trade: Any, shocks: Any) -> Any:
    import jax

    def average(spot: Any, drift: Any, scale: Any) -> Any:
        def day(carried: Any, shock: Any) -> Any:
            spot, total = carried
            spot = spot * jax.numpy.exp(drift + scale * shock)
            return (spot, total + spot), None

        start = jax.numpy.full(SCENARIOS, spot), jax.numpy.zeros(SCENARIOS)
        (_, total), _ = jax.lax.scan(day, start, shocks.T)
        return total / DAYS

    return jax_payoff(trade, average)


def price_by_cumsum(trade: Any, shocks: Any) -> Any:
    import jax

    def average(spot: Any, drift: Any, scale: Any) -> Any:
        return (spot * jax.numpy.exp(jax.numpy.cumsum(drift + scale * shocks, axis=1))).mean(axis=1)

    return jax_payoff(trade, average)


def price_of_sums(trade: Any, sums: Any) -> Any:
    """Uses the cumulative sums of the shocks, which all trades share."""
    import jax

    def average(spot: Any, drift: Any, scale: Any) -> Any:
        days = jax.numpy.arange(1.0, DAYS + 1.0)
        return spot * jax.numpy.exp(drift * days + scale * sums).mean(axis=1)

    return jax_payoff(trade, average)


def price_of_columns(trade: Any, sums: Any) -> Any:
    """The same with one row per day, so that the mean adds whole rows."""
    import jax

    def average(spot: Any, drift: Any, scale: Any) -> Any:
        days = jax.numpy.arange(1.0, DAYS + 1.0)[:, None]
        return spot * jax.numpy.exp(drift * days + scale * sums).mean(axis=0)

    return jax_payoff(trade, average)


def shocks_themselves(shocks: Any) -> Any:
    return shocks


def cumulative_sums(shocks: Any) -> Any:
    return shocks.cumsum(axis=1)


def cumulative_columns(shocks: Any) -> Any:
    return shocks.cumsum(axis=1).T


def reverse_mode(price: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    return jax.value_and_grad(price)


def forward_mode(price: Callable[..., Any]) -> Callable[..., Any]:
    """One tangent per component of the point, all in one pass; nothing is stored for a backward pass."""
    import jax

    def run(point: Any, *others: Any) -> Any:
        def along(tangent: Any) -> Any:
            return jax.jvp(lambda point: price(point, *others), (point,), (tangent,))

        values, slopes = jax.vmap(along)(jax.numpy.eye(len(point)))
        return values[0], slopes

    return run


def all_at_once(run: Callable[[Any, Any], Any], each: Any, given: Any) -> Any:
    import jax

    return jax.vmap(run, (0, None))(each, given)


def one_by_one(run: Callable[[Any, Any], Any], each: Any, given: Any) -> Any:
    """One trade at a time, so that its numbers stay in the cache."""
    import jax

    return jax.lax.map(lambda trade: run(trade, given), each)


def jax_asian(
    price: Callable[[Any, Any], Any],
    prepared: Callable[[Any], Any],
    mode: Callable[[Any], Any],
    over: Callable[[Any, Any, Any], Any],
    devices: int,
    count: int,
) -> Work:
    import jax

    def run(each: Any, shocks: Any) -> Any:
        return over(mode(price), each, prepared(shocks))

    each, shocks = jax.numpy.array(trades(count)), jax.numpy.array(programs.normals(SCENARIOS, DAYS))
    if devices > 1:
        part, whole = jax.sharding.PartitionSpec("trades"), jax.sharding.PartitionSpec()
        mesh = jax.make_mesh((devices,), ("trades",))
        run = jax.shard_map(run, mesh=mesh, in_specs=(part, whole), out_specs=part)
        each = jax.device_put(each, jax.sharding.NamedSharding(mesh, part))
        shocks = jax.device_put(shocks, jax.sharding.NamedSharding(mesh, whole))
    run = jax.jit(run)
    return lambda: np.column_stack(run(each, shocks))


def asian() -> Table:
    def spelled(text: str, *how: Any, devices: int = 1) -> Contestant:
        environment = TWO_DEVICES if devices > 1 else {}
        start = partial(jax_asian, *how, devices)
        return Contestant("JAX", text, start, TRADES, modules=["jax"], environment=environment)

    scan, cumsum = (price_by_scan, shocks_themselves), (price_by_cumsum, shocks_themselves)
    sums, columns = (price_of_sums, cumulative_sums), (price_of_columns, cumulative_columns)
    by_day = "shared cumsum, one row per day, reverse mode, lax.map"
    contestants = [
        Contestant(OURS, "the loop as it is", chainrule_asian, TRADES),
        spelled("scan, reverse mode, vmap", *scan, reverse_mode, all_at_once),
        spelled("cumsum, reverse mode, vmap", *cumsum, reverse_mode, all_at_once),
        spelled("scan, forward mode, vmap", *scan, forward_mode, all_at_once),
        spelled("scan, forward mode, lax.map", *scan, forward_mode, one_by_one),
        spelled("shared cumsum, reverse mode, lax.map", *sums, reverse_mode, one_by_one),
        spelled("shared cumsum, forward mode, lax.map", *sums, forward_mode, one_by_one),
        spelled(by_day, *columns, reverse_mode, one_by_one),
        spelled(f"{by_day}, two host devices", *columns, reverse_mode, one_by_one, devices=2),
    ]
    race = Race(
        f"Asian option, {TRADES} trades x {SCENARIOS:,} scenarios x {DAYS} days, all trades",
        contestants,
        checked=CHECKED_TRADES,
        shown=TRADES,
        targets={"JAX": 3.0},
        advice="For a price whose loop can be written as a cumulative sum over arrays",
    )
    table = race.table()
    table.rows.append(race.first_result_row("JAX", 5.0))
    return table


# --- a path model: the price and its four sensitivities ------------------------------------------


def shocks_of(paths: int) -> Any:
    """One row per normal draw, one column per path."""
    return programs.normals(2 * STEPS, PATHS)[:, :paths]


def joined(value: Any, gradient: Any) -> Any:
    return np.array([float(value), *map(float, gradient)])


def chainrule_path(paths: int) -> Work:
    start = [Value(x) for x in START]
    step = compile(lambda shocks: programs.path_payoff(programs.OURS, start, shocks), start)
    shocks = shocks_of(paths).T
    return lambda: joined(*step.value_and_grad(shocks))


def jax_functions() -> Functions:
    import jax

    return Functions(jax.numpy.exp, jax.numpy.log, jax.nn.relu)


def unrolled_price(start: Any, pairs: Any) -> Any:
    """The same source as ours, on arrays of paths."""
    shocks = [*pairs[:, 0], *pairs[:, 1]]
    return programs.path_payoff(jax_functions(), start, shocks).mean()


def looped_price(loop: Callable[[Any, Any, Any], Any], start: Any, pairs: Any) -> Any:
    """`loop` takes a step function, the initial state and the shocks, and returns the final state."""
    functions = jax_functions()
    spot, volatility, speed, level = start
    time = programs.YEARS / STEPS

    def step(state: Any, pair: Any) -> Any:
        return programs.path_step(functions, state, speed, level, pair[0], pair[1], time)

    nothing = 0.0 * pairs[0, 0]  # has the shape of the paths, and is on their device
    begin = functions.log(spot) + nothing, functions.log(volatility) + nothing
    log_spot, _ = loop(step, begin, pairs)
    payoffs = programs.DISCOUNT * functions.positive(functions.exp(log_spot) - programs.STRIKE)
    return payoffs.mean()


def by_scan(unroll: int, step: Any, begin: Any, pairs: Any) -> Any:
    import jax

    def body(state: Any, pair: Any) -> Any:
        return step(state, pair), None

    return jax.lax.scan(body, begin, pairs, unroll=unroll)[0]


def by_fori_loop(step: Any, begin: Any, pairs: Any) -> Any:
    import jax

    return jax.lax.fori_loop(0, STEPS, lambda k, state: step(state, pairs[k]), begin)


def jax_path(price: Callable[[Any, Any], Any], mode: Callable[[Any], Any], paths: int) -> Work:
    import jax

    run = jax.jit(mode(price))
    start, pairs = jax.numpy.array(START), jax.numpy.array(pairs_of(paths))
    return lambda: joined(*run(start, pairs))


def pairs_of(paths: int) -> Any:
    """For each step, the shocks of the spot and of the volatility."""
    return shocks_of(paths).reshape(2, STEPS, paths).swapaxes(0, 1)


def jax_path_on_devices(
    price: Callable[[Any, Any], Any], mode: Callable[[Any], Any], paths: int
) -> Work:
    """Half of the paths on each of two devices."""
    import jax

    mesh = jax.make_mesh((2,), ("paths",))
    whole, part = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec(None, None, "paths")

    def run(start: Any, pairs: Any) -> Any:
        start = jax.lax.pcast(start, "paths", to="varying")  # each device has its own gradient
        return jax.tree.map(lambda x: jax.lax.pmean(x, "paths"), mode(price)(start, pairs))

    run = jax.jit(jax.shard_map(run, mesh=mesh, in_specs=(whole, part), out_specs=whole))
    start = jax.device_put(np.array(START), jax.sharding.NamedSharding(mesh, whole))
    pairs = jax.device_put(pairs_of(paths), jax.sharding.NamedSharding(mesh, part))
    return lambda: joined(*run(start, pairs))


def casadi_function() -> Any:
    """One path: its payoff and gradient."""
    import casadi

    functions = Functions(casadi.exp, casadi.log, lambda x: casadi.fmax(x, 0.0))
    start, shocks = casadi.SX.sym("start", 4), casadi.SX.sym("shocks", 2 * STEPS)
    payoff = programs.path_payoff(functions, casadi.vertsplit(start), casadi.vertsplit(shocks))
    return [start, shocks], [casadi.vertcat(payoff, casadi.gradient(payoff, start))]


def generated_c(*flags: str, **options: Any) -> dict[str, Any]:
    flagged = {"flags": ["-march=native", *flags], **options}
    return {"jit": True, "compiler": "shell", "jit_options": flagged}


def casadi_path(options: dict[str, Any], threads: int, paths: int) -> Work:
    """The function of one path, mapped over all paths."""
    import casadi

    run = casadi.Function("path", *casadi_function(), options)
    run = run.map(paths, "thread", threads) if threads > 1 else run.map(paths)
    given = casadi.repmat(casadi.DM(START), 1, paths), casadi.DM(shocks_of(paths))
    return lambda: np.array(run(*given)).mean(axis=1)


def casadi_openmp(paths: int) -> Work:
    """The loop over the paths is generated as C too."""
    import casadi

    ctypes.CDLL("libgomp.so.1")  # stays loaded: its threads outlive the library that CasADi unloads
    mapped = casadi.Function("path", *casadi_function()).map(paths, "openmp")
    given = casadi.MX.sym("start", 4, paths), casadi.MX.sym("shocks", 2 * STEPS, paths)
    options = generated_c("-Ofast", "-fopenmp", linker_flags=["-fopenmp"])
    run = casadi.Function("paths", list(given), [mapped(*given)], options)
    numbers = casadi.repmat(casadi.DM(START), 1, paths), casadi.DM(shocks_of(paths))
    return lambda: np.array(run(*numbers)).mean(axis=1)


def autograd_path(paths: int) -> Work:
    """On arrays of all paths."""
    import autograd
    import autograd.numpy as anp

    functions = Functions(anp.exp, anp.log, lambda x: anp.maximum(x, 0.0))
    shocks = shocks_of(paths)

    def price(start: Any) -> Any:
        return anp.mean(programs.path_payoff(functions, start, shocks))

    run = autograd.value_and_grad(price)
    return lambda: joined(*run(np.array(START)))


def xad_path(paths: int) -> Work:
    """One recording per path."""
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


def c_path(paths: int) -> Work:
    return c_paths(shocks_of(paths))


def path_model() -> Table:
    def jax_spelled(text: str, price: Any, mode: Any, slow: bool = False) -> Contestant:
        start = partial(jax_path, price, mode)
        return Contestant("JAX", text, start, PATHS, modules=["jax"], slow=slow)

    def on_devices(text: str, price: Any, mode: Any) -> Contestant:
        start = partial(jax_path_on_devices, price, mode)
        return Contestant("JAX", text, start, PATHS, modules=["jax"], environment=TWO_DEVICES)

    def casadi_spelled(text: str, start: Callable[[int], Work], *programs: str) -> Contestant:
        return Contestant("CasADi", text, start, PATHS, modules=["casadi"], programs=programs)

    scan, twice = (partial(looped_price, partial(by_scan, unroll)) for unroll in (1, 2))
    fori = partial(looped_price, by_fori_loop)
    fast = generated_c("-Ofast")
    contestants = [
        Contestant(OURS, "the loop as it is", chainrule_path, PATHS, environment=KERNELS),
        jax_spelled("unrolled, reverse mode", unrolled_price, reverse_mode, slow=True),
        jax_spelled("scan, reverse mode", scan, reverse_mode),
        jax_spelled("scan with unroll=2, reverse mode", twice, reverse_mode),
        jax_spelled("fori_loop, reverse mode", fori, reverse_mode),
        jax_spelled("scan, forward mode", scan, forward_mode),
        on_devices("scan, reverse mode, two host devices", scan, reverse_mode),
        on_devices("scan, forward mode, two host devices", scan, forward_mode),
        casadi_spelled("SX, map", partial(casadi_path, {}, 1)),
        casadi_spelled("SX, map, threads: 2", partial(casadi_path, {}, 2)),
        casadi_spelled("C, -O3", partial(casadi_path, generated_c("-O3"), 1), "gcc"),
        casadi_spelled("C, -Ofast", partial(casadi_path, fast, 1), "gcc"),
        casadi_spelled("C, -Ofast, threads: 2", partial(casadi_path, fast, 2), "gcc"),
        casadi_spelled("C, -Ofast, OpenMP", casadi_openmp, "gcc"),
        by_hand("reverse sweep by hand on the core's vectors, threads: 2", c_path, PATHS),
        Contestant("HIPS autograd", "arrays", autograd_path, PATHS, False, modules=["autograd"]),
        Contestant("XAD", f"{XAD_PATHS} paths, scaled", xad_path, XAD_PATHS, False, modules=["xad"]),
    ]
    race = Race(
        f"path model, {STEPS} steps, {PATHS:,} paths, four sensitivities",
        contestants,
        checked=CHECKED_PATHS,
        shown=PATHS,
        targets={"JAX": 4.0, "CasADi": 8.0, "C": 0.769},
        advice="For a path model with few parameters, written as a JAX loop",
    )
    table = race.table()
    if not measure.CHECK:
        took = max(0.0, race.compiling(contestants[0].name))
        name = f"{OURS}: compile time (tracing, passes, machine); target in seconds"
        cells = [name, in_time_units(took), ""]
        table.rows.append(Row(cells, took, at_most=0.1))
    return table


def tables() -> Iterator[Table | str]:
    yield asian()
    yield path_model()


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
