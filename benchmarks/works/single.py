"""A single sample, with no batch to spread the cost over: Hessians at points, and calls of a formula.

Our compiler works on rows of samples. Here each row has a single number, so the overhead of a call
counts.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import programs
from measure import Work, sized
from race import OURS, Contestant, Race
from works.spelling import FAST, built, casadi, pointer

import chainrule
from chainrule import compile, hessian, value_and_grad

VARIABLES = sized(50, 6)
HESSIANS = sized(100, 3)
CALLS = sized(1_000, 5)

# --- a Hessian at one point after another --------------------------------------------------------


def rosenbrock(xs: Any) -> Any:
    """The chained Rosenbrock function: each variable is coupled to the next."""
    return sum(100.0 * (b - a * a) * (b - a * a) + (1.0 - a) * (1.0 - a) for a, b in pairwise(xs))


def points(how_many: int) -> Any:
    return programs.normals(how_many, VARIABLES)


def at_each_point(
    function: Callable[[Any], Any], given: Sequence[Any], dense: Callable[[Any], Any]
) -> Work:
    """One call per point; returns the last result as an array."""

    def run() -> Any:
        for point in given:
            result = function(point)
        return dense(result)

    return run


def flat(matrix: Any) -> Any:
    return np.asarray(matrix, dtype=float).reshape(-1)


def chainrule_hessian(how_many: int) -> Work:
    return at_each_point(compile(hessian(rosenbrock)), points(how_many)[:, None], flat)


def chainrule_eager_hessian(how_many: int) -> Work:
    return at_each_point(hessian(rosenbrock), points(how_many).tolist(), flat)


def jax_hessian(outer: str, how_many: int) -> Work:
    import jax

    def valley(x: Any) -> Any:
        a, b = x[:-1], x[1:]
        return (100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2).sum()

    run = jax.jit(getattr(jax, outer)(jax.grad(valley)))
    return at_each_point(run, [jax.numpy.array(point) for point in points(how_many)], flat)


def casadi_hessian(options: dict[str, Any], how_many: int) -> Work:
    """CasADi detects the sparsity: three numbers per variable."""
    import casadi

    x = casadi.SX.sym("x", VARIABLES)
    matrix, _ = casadi.hessian(rosenbrock(casadi.vertsplit(x)), x)
    run = casadi.Function("hessian", [x], [matrix], options)
    return at_each_point(run, [casadi.DM(point) for point in points(how_many)], flat)


def hessians() -> Race:
    contestants = [
        Contestant(OURS, "compile(hessian(f))", chainrule_hessian, HESSIANS),
        Contestant(OURS, "hessian(f), eager", chainrule_eager_hessian, HESSIANS, compiles=False),
        *(
            Contestant("JAX", text, partial(jax_hessian, outer), HESSIANS, modules=["jax"])
            for text, outer in (
                ("jax.hessian, jitted (forward over reverse)", "jacfwd"),
                ("jacrev of grad, jitted", "jacrev"),
            )
        ),
        casadi("hessian, SX", partial(casadi_hessian, {}), HESSIANS),
        casadi("hessian, C, -Ofast", partial(casadi_hessian, FAST), HESSIANS, "gcc"),
    ]
    return Race(
        f"Hessian of {VARIABLES} variables, one point per call",
        contestants,
        checked=2,
        advice="For Hessians at one point at a time",
    )


# --- a small formula, called with one sample after another ---------------------------------------


class Special(NamedTuple):
    """The functions that the formula calls, for one kind of number."""

    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    erf: Callable[[Any], Any]


def black_scholes(special: Special, inputs: Any) -> Any:
    """The price of a call from spot, strike, rate, volatility and time."""
    spot, strike, rate, volatility, time = inputs
    width = volatility * special.sqrt(time)
    distance = (special.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / width

    def chance(x: Any) -> Any:
        return 0.5 * (1.0 + special.erf(x * math.sqrt(0.5)))

    return spot * chance(distance) - strike * special.exp(-rate * time) * chance(distance - width)


def options(how_many: int) -> Any:
    low, high = np.array([80.0, 80.0, 0.0, 0.1, 0.5]), np.array([120.0, 120.0, 0.05, 0.4, 2.0])
    return low + (high - low) * np.random.default_rng(0).random((how_many, 5))


CHAINRULE = Special(chainrule.exp, chainrule.log, chainrule.sqrt, chainrule.erf)


def chainrule_calls(how_many: int) -> Work:
    step = compile(partial(black_scholes, CHAINRULE))

    def price(option: Any) -> Any:
        return step.value_and_grad(option, argnums=0)

    def dense(result: Any) -> Any:
        value, gradient = result
        return [value, *gradient[0]]

    return at_each_point(price, options(how_many)[:, None], dense)


def chainrule_eager_calls(how_many: int) -> Work:
    run = value_and_grad(partial(black_scholes, CHAINRULE))
    return at_each_point(run, options(how_many).tolist(), lambda result: [result[0], *result[1]])


def chainrule_exported_calls(how_many: int) -> Work:
    step = compile(lambda option: black_scholes(CHAINRULE, option))
    step(options(1))
    source = step.source("c")
    name = source.partition("_value_and_grad(")[0].split()[-1]
    function = getattr(built(source), f"{name}_value_and_grad")
    return called_in_c(lambda given, gradient: function(None, given, None, gradient), function, how_many)


def called_in_c(price: Callable[[Any, Any], Any], function: Any, how_many: int) -> Work:
    """`price` calls the function with the inputs and a buffer for their gradient."""
    function.restype = ctypes.c_double
    gradient = np.empty(5)
    into = pointer(gradient)
    given = [pointer(option) for option in options(how_many)]
    return at_each_point(lambda option: price(option, into), given, lambda value: [value, *gradient])


BLACK_SCHOLES_IN_C = """
#include <math.h>

double price(const double *inputs, double *gradient) {
    const double spot = inputs[0], strike = inputs[1], rate = inputs[2];
    const double vol = inputs[3], time = inputs[4];
    const double root = sqrt(time), width = vol * root, discount = exp(-rate * time);
    const double d1 = (log(spot / strike) + (rate + 0.5 * vol * vol) * time) / width, d2 = d1 - width;
    const double n1 = 0.5 * (1.0 + erf(d1 * M_SQRT1_2)), n2 = 0.5 * (1.0 + erf(d2 * M_SQRT1_2));
    const double density = exp(-0.5 * d1 * d1) * 0.3989422804014327;
    gradient[0] = n1;
    gradient[1] = -discount * n2;
    gradient[2] = strike * time * discount * n2;
    gradient[3] = spot * density * root;
    gradient[4] = 0.5 * spot * density * vol / root + rate * strike * discount * n2;
    return spot * n1 - strike * discount * n2;
}
"""


def c_calls(how_many: int) -> Work:
    function = built(BLACK_SCHOLES_IN_C).price
    return called_in_c(function, function, how_many)


def jax_calls(ahead: bool, how_many: int) -> Work:
    """`ahead`: lowered and compiled in advance, which skips the lookup of a matching program."""
    import jax
    import jax.numpy as jnp

    special = Special(jnp.exp, jnp.log, jnp.sqrt, jax.scipy.special.erf)
    run = jax.jit(jax.value_and_grad(partial(black_scholes, special)))
    given = [jnp.array(option) for option in options(how_many)]
    called = run.lower(given[0]).compile() if ahead else run
    return at_each_point(called, given, lambda result: np.append(*map(np.asarray, result)))


def casadi_formula(options: dict[str, Any]) -> Any:
    import casadi

    x = casadi.SX.sym("x", 5)
    special = Special(casadi.exp, casadi.log, casadi.sqrt, casadi.erf)
    price = black_scholes(special, casadi.vertsplit(x))
    return casadi.Function("price", [x], [casadi.vertcat(price, casadi.gradient(price, x))], options)


def casadi_calls(compiler_options: dict[str, Any], how_many: int) -> Work:
    import casadi

    given = [casadi.DM(option) for option in options(how_many)]
    return at_each_point(casadi_formula(compiler_options), given, flat)


def casadi_buffer_calls(compiler_options: dict[str, Any], how_many: int) -> Work:
    """CasADi's low-overhead interface, which reads and writes buffers that are bound once."""
    function = casadi_formula(compiler_options)
    buffer, trigger = function.buffer()
    given, result = np.empty(5), np.empty(6)
    buffer.set_arg(0, memoryview(given))
    buffer.set_res(0, memoryview(result))

    def price(option: Any, kept: Any = (function, buffer)) -> Any:  # keeps both alive for the trigger
        given[:] = option
        trigger()
        return result

    return at_each_point(price, options(how_many), np.copy)


def calls() -> Race:
    contestants = [
        Contestant(OURS, "compiled", chainrule_calls, CALLS),
        Contestant(OURS, "eager", chainrule_eager_calls, CALLS, compiles=False),
        Contestant(OURS, "exported C, via ctypes", chainrule_exported_calls, CALLS, programs=["cc"]),
        Contestant("JAX", "jitted", partial(jax_calls, False), CALLS, modules=["jax"]),
        Contestant("JAX", "compiled ahead of time", partial(jax_calls, True), CALLS, modules=["jax"]),
        casadi("SX", partial(casadi_calls, {}), CALLS),
        casadi("C, -Ofast", partial(casadi_calls, FAST), CALLS, "gcc"),
        casadi("SX, buffer", partial(casadi_buffer_calls, {}), CALLS),
        casadi("C, -Ofast, buffer", partial(casadi_buffer_calls, FAST), CALLS, "gcc"),
        Contestant("C", "by hand, -O3, via ctypes", c_calls, CALLS, programs=["cc"]),
    ]
    return Race(
        "Black-Scholes price with five sensitivities, one sample per call",
        contestants,
        checked=3,
        advice='For a small formula called with one sample at a time (or export it: `source("c")`)',
    )
