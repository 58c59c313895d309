"""The models of nine examples in JAX, as its documentation recommends: compiled loops are scans.

test_examples.py compares their values, derivatives and lengths with those of examples/.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax.example_libraries.optimizers import adam
from jax.nn import softplus
from jax.scipy.linalg import solve_triangular
from jax.scipy.special import logsumexp
from jax.scipy.stats import norm

jax.config.update("jax_enable_x64", True)

# The constants of the examples.
STEP, STEPS, START = 0.1, 100, (10.0, 5.0)
LENGTHS = jnp.array([1.0, 0.8, 0.5])
END = jnp.pi
MOVED, SEEN = jnp.array([[1.0, 1.0], [0.0, 1.0]]), jnp.array([[1.0, 0.0]])


# --- option_greeks -------------------------------------------------------------------------------


def call_price(spot: Any, strike: Any, years: Any, rate: Any, volatility: Any) -> Any:
    d1 = (jnp.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * jnp.sqrt(years))
    d2 = d1 - volatility * jnp.sqrt(years)
    return spot * norm.cdf(d1) - strike * jnp.exp(-rate * years) * norm.cdf(d2)


def price(market: Any) -> Any:
    return call_price(*market)


greeks = jax.jit(jax.vmap(jax.grad(price)))
second_greeks = jax.jit(jax.vmap(jax.hessian(price)))


# --- ode_fit -------------------------------------------------------------------------------------


def rates(theta: Any, state: Any) -> Any:
    birth, hunting, growth, death = theta
    prey, predators = state
    return jnp.array([prey * (birth - hunting * predators), predators * (growth * prey - death)])


def trajectory(theta: Any) -> Any:
    def step(state: Any, _: Any) -> Any:
        k1 = rates(theta, state)
        k2 = rates(theta, state + STEP / 2 * k1)
        k3 = rates(theta, state + STEP / 2 * k2)
        k4 = rates(theta, state + STEP * k3)
        state = state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return state, state

    _, states = jax.lax.scan(step, jnp.array(START), length=STEPS)
    return states


solve = jax.jit(trajectory)
solve_jacobian = jax.jit(jax.jacfwd(trajectory))


# --- garch ---------------------------------------------------------------------------------------


def garch(logs: Any, series: Any) -> Any:
    omega, alpha, beta = jnp.exp(logs)

    def step(variance: Any, r: Any) -> Any:
        return omega + alpha * r**2 + beta * variance, variance

    _, variances = jax.lax.scan(step, jnp.mean(series**2), series)
    return jnp.mean(jnp.log(variances) + series**2 / variances) / 2


garch_gradient = jax.jit(jax.value_and_grad(garch))
garch_hessian = jax.jit(jax.hessian(garch))


# --- hidden_markov -------------------------------------------------------------------------------


def log_likelihood(start: Any, moves: Any, emissions: Any, seen: Any) -> Any:
    def step(forward: Any, symbol: Any) -> Any:
        return logsumexp(forward[:, None] + moves, axis=0) + emissions[:, symbol], None

    forward, _ = jax.lax.scan(step, start + emissions[:, seen[0]], seen[1:])
    return logsumexp(forward)


expected_counts = jax.jit(jax.value_and_grad(log_likelihood, argnums=(0, 1, 2)))


# --- hamiltonian_monte_carlo ---------------------------------------------------------------------


def posterior(weights: Any, X: Any, y: Any) -> Any:
    return -jnp.sum(softplus(-y * (X @ weights))) - jnp.dot(weights, weights) / 18


def sample(log_density: Any, start: Any, step: float, draws: int, steps: int, seed: int) -> Any:
    value_and_grad = jax.vmap(jax.value_and_grad(log_density))

    def leapfrog(_: Any, state: Any) -> Any:
        x, p, _, slope = state
        p = p + step / 2 * slope
        x = x + step * p
        height, slope = value_and_grad(x)
        return x, p + step / 2 * slope, height, slope

    def draw(state: Any, key: Any) -> Any:
        x, height, slope = state
        first, second = jax.random.split(key)
        momenta = jax.random.normal(first, x.shape)
        energy = (momenta**2).sum(axis=1) / 2 - height
        moved, p, high, uphill = jax.lax.fori_loop(0, steps, leapfrog, (x, momenta, height, slope))
        gain = energy + high - (p**2).sum(axis=1) / 2
        take = jnp.log(jax.random.uniform(second, (len(x),))) < gain
        height, taken = jnp.where(take, high, height), take[:, None]
        x, slope = jnp.where(taken, moved, x), jnp.where(taken, uphill, slope)
        return (x, height, slope), (x, take.mean())

    begin = (start, *value_and_grad(start))
    keys = jax.random.split(jax.random.key(seed), draws)
    _, (found, accepted) = jax.lax.scan(draw, begin, keys)
    return found, accepted.mean()


# --- kinematics ----------------------------------------------------------------------------------


def hand(angles: Any) -> Any:
    directions = jnp.cumsum(angles)
    return jnp.array([LENGTHS @ jnp.cos(directions), LENGTHS @ jnp.sin(directions)])


def velocity(angles: Any, speeds: Any) -> Any:
    return jax.jvp(hand, (angles,), (speeds,))[1]


def acceleration(angles: Any, speeds: Any) -> Any:
    return jax.jvp(lambda moving: velocity(moving, speeds), (angles,), (speeds,))[1]


position = jax.jit(hand)
hand_jacobian = jax.jit(jax.jacobian(hand))
motion = jax.jit(lambda *state: (velocity(*state), acceleration(*state)))


# --- pinn ----------------------------------------------------------------------------------------


def initial(key: Any, sizes: Any) -> Any:
    keys = jax.random.split(key, len(sizes) - 1)
    shapes = zip(keys, sizes[:-1], sizes[1:], strict=True)
    draw = jax.nn.initializers.glorot_uniform()
    return [(draw(key, (m, n)), jnp.zeros(n)) for key, m, n in shapes]


def network(params: Any, x: Any) -> Any:
    for W, b in params[:-1]:
        x = jnp.tanh(x @ W + b)
    W, b = params[-1]
    return (x @ W + b)[0]


def solution(params: Any, x: Any) -> Any:
    return x + x**2 * network(params, jnp.array([x / END]))


def residual(params: Any, x: Any) -> Any:
    return jax.grad(jax.grad(solution, 1), 1)(params, x) + solution(params, x)


def train(steps: int, points: Any) -> Any:
    start, update, params_of = adam(lambda i: 0.01 * (1 + jnp.cos(jnp.pi * i / steps)))

    def loss(params: Any) -> Any:
        return jnp.mean(jax.vmap(residual, (None, 0))(params, points) ** 2)

    @jax.jit
    def step(i: Any, state: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(params_of(state))
        return value, update(i, gradient, state)

    state, losses = start(initial(jax.random.key(0), (1, 16, 1))), []
    for i in range(steps):
        value, state = step(i, state)
        losses.append(value)
    return params_of(state), losses


# --- kalman_filter -------------------------------------------------------------------------------


def kalman(logs: Any, series: Any) -> Any:
    level, trend, noise = jnp.exp(2 * logs)
    moves = jnp.diag(jnp.array([level, trend]))

    def step(state: Any, y: Any) -> Any:
        mean, cov = state
        mean, cov = MOVED @ mean, MOVED @ cov @ MOVED.T + moves
        error, spread = y - SEEN @ mean, SEEN @ cov @ SEEN.T + noise
        solved = jnp.linalg.solve(spread, error)
        term = jnp.log(2 * jnp.pi * jnp.linalg.det(spread)) + error @ solved
        gain = jnp.linalg.solve(spread, SEEN @ cov).T
        return (mean + gain @ error, cov - gain @ SEEN @ cov), term

    _, terms = jax.lax.scan(step, (jnp.zeros(2), 10.0 * jnp.eye(2)), series)
    return jnp.sum(terms) / (2 * len(terms))


kalman_gradient = jax.jit(jax.value_and_grad(kalman))


# --- gaussian_process ----------------------------------------------------------------------------


def kernel(logs: Any, x1: Any, x2: Any) -> Any:
    height, length, _ = jnp.exp(logs)
    return height**2 * jnp.exp(-(((x1[:, None] - x2) / length) ** 2) / 2)


def gaussian_process(logs: Any, x: Any, y: Any) -> Any:
    lower = jnp.linalg.cholesky(kernel(logs, x, x) + jnp.exp(2 * logs[2]) * jnp.eye(len(x)))
    white = solve_triangular(lower, y, lower=True)
    half = jnp.dot(white, white) / 2 + jnp.sum(jnp.log(jnp.diag(lower)))
    return half / len(x) + jnp.log(2 * jnp.pi) / 2


gaussian_process_gradient = jax.jit(jax.value_and_grad(gaussian_process))
