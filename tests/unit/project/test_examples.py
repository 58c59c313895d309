"""Runs every script in examples/ and checks its results; likewise docs/pytorch.md.

On the reference core the GPT is trained for fewer steps.
"""

import ast
import builtins
import contextlib
import importlib.util
import io
import itertools
import math
import operator
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, check_gradients, compile, core, data, grad, nn, train, value_and_grad

from ...conftest import require, require_imports
from ...near import near

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "examples").rglob("*.py"))
PATHS = {path.stem: path for path in SCRIPTS}


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", PATHS[name])
    require_imports(PATHS[name].read_text())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Part of each script's output. Scripts with settings here are trained fully in a test below.
PRINTED: dict[str, tuple[str, dict[str, int]]] = {
    "curve_fit": (r"b = 1\.3430 ± 0\.0297   truth 1\.3\n", {}),
    "damped_oscillator": (r"round 7   k = 4\.009729   c = 0\.302813   error 0\.015308\n", {}),
    "garch": (r"alpha 0\.1292 ± 0\.0275   truth 0\.15\n", {}),
    "gaussian_process": (r"height 0\.849   length 0\.722   noise 0\.121\n", {}),
    "hamiltonian_monte_carlo": (r"97% accepted\nmean +0\.998 ± 0\.995   truth   1\.000\n", {}),
    "hidden_markov": (r"loaded moves: 0\.03 0\.97   truth 0\.10 0\.90\n", {}),
    "kalman_filter": (r"level 0\.2517   truth 0\.3\ntrend 0\.0351   truth 0\.05\n", {}),
    "kinematics": (r"hand     1\.200000 1\.100000\nvelocity -0\.366555 0\.539283\n", {}),
    "logistic_regression": (r"logit = -2\.6809 x1 \+0\.4561 x2 -0\.1782, accuracy 94%\n", {}),
    "moons": (r"accuracy on new points \d\d\.\d%\n(.{60}\n){20}$", {"epochs": 2}),
    "ode_fit": (r"hunting 0\.3999   truth 0\.4\n", {}),
    "option_greeks": (r"gamma +0\.022449 +0\.022449\n", {}),
    "pinn": (r"loss 5\.915208 -> \d\.\d{6}\n", {"steps": 10}),
    "tiny_gpt": (r"loss 3\.016 at the start\nloss .*\nnames: \w+(, \w*){9}\n", {"steps": 10}),
    "value": (r"dy/da = -0\.263563   dy/db = -0\.019732\n", {}),
    "xor_by_hand": (r"1 xor 0 = 1\.000   target 1\n1 xor 1 = -?0\.000   target 0\n", {}),
    "xor_mlp": (r"1 xor 0 = 1\.000   target 1\n1 xor 1 = -?0\.000   target 0\n", {}),
}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_main(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected, settings = PRINTED[path.stem]
    example(path.stem).main(**settings)
    assert re.search(expected, capsys.readouterr().out)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_short(path: Path) -> None:
    docstring = (example(path.stem).__doc__ or "").strip()
    assert 2 <= len(docstring.splitlines()) <= 5
    assert len(path.read_text().splitlines()) <= 150


# --- the course's class --------------------------------------------------------------------------


def steps(seed: int) -> list[tuple[str, int, Any]]:
    """A random program. A step is an operation, the index of its first operand, and its second operand
    (an index or a number) or None.
    """
    rng = random.Random(seed)
    binary = ("add", "mul", "sub", "truediv")
    found: list[tuple[str, int, Any]] = []
    for known in range(3, 23):
        kind = rng.random()
        first = rng.randrange(known)
        if kind < 0.5:
            found.append((rng.choice(binary), first, rng.choice([rng.randrange(known), 1.5, -0.5])))
        elif kind < 0.65:
            found.append(("pow", first, rng.choice([2, 3, -1])))
        else:
            found.append((rng.choice(["exp", "log", "tanh", "sigmoid", "relu"]), first, None))
    return found


def evaluated(cls: Any, program: list[tuple[str, int, Any]]) -> list[float]:
    """The value and the gradient of a program, with either Value class.

    Divisors, arguments of `log` and bases of negative powers are made positive: the course's
    class raises where the engine returns inf or NaN.
    """
    values = leaves = [cls(0.7), cls(-1.2), cls(2.5)]
    for name, first, second in program:
        x = values[first]
        if name == "log" or (name, second) == ("pow", -1):
            x = x * x + 0.5
        if second is None:
            result = getattr(x.tanh() if name == "exp" else x, name)()
        else:
            other = values[second] if isinstance(second, int) and name != "pow" else second
            result = getattr(operator, name)(x, other * other + 0.5 if name == "truediv" else other)
        values = [*values, result if abs(result.data) < 1e3 else result.tanh()]
    values[-1].backward()
    return [values[-1].data, *(leaf.grad for leaf in leaves)]


@pytest.mark.parametrize("seed", range(200))
def test_the_class_of_the_course_agrees_with_the_engine(seed: int) -> None:
    program = steps(seed)
    expected = evaluated(example("value").Value, program)
    assert evaluated(Value, program) == near(expected, rel=1e-9, abs=1e-12)


# --- XOR -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_xor_by_hand(seed: int) -> None:
    xor = example("xor_by_hand")
    parameters = xor.make_parameters(seed)
    losses = xor.train(parameters)
    assert losses[-1] < 0.01 < losses[0]
    for (x1, x2), target in xor.CASES:
        assert xor.predict(parameters, x1, x2).data == near(target, abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_xor_mlp(seed: int) -> None:
    xor = example("xor_mlp")
    model, history = xor.learn(seed)
    assert xor.predictions(model) == near([0.0, 1.0, 1.0, 0.0], abs=0.1)
    assert history.losses[-1] < 0.01 < history.losses[0]


# --- moons ---------------------------------------------------------------------------------------


def test_moons() -> None:
    moons = example("moons")
    model, history = moons.learn()
    assert history.metrics["accuracy"][-1] >= 0.97
    X, y = data.moons(200, seed=7)
    assert train.accuracy([model(x) for x in X], y) >= 0.97
    rows = moons.picture(model, X, y, width=40, height=12).splitlines()
    assert [len(row) for row in rows] == [40] * 12
    assert set("".join(rows)) == set(".+ox")
    assert rows[0][0] == "."  # above the upper moon
    assert rows[-1][-1] == "+"  # below the lower one


# --- curve fit -----------------------------------------------------------------------------------


def test_curve_fit() -> None:
    curve = example("curve_fit")
    xs, ys = curve.measurements()
    parameters = curve.fit(xs, ys)
    errors = curve.standard_errors(parameters, xs, ys)
    for value, error, truth in zip(parameters, errors, curve.TRUTH, strict=True):
        assert abs(value - truth) < 3 * error < 0.1
    assert grad(curve.sum_of_squares)(parameters, xs, ys) == near([0, 0, 0], abs=1e-4)


def test_standard_errors_match_the_formula() -> None:
    """The Hessian of the sum of squares, written out by hand."""
    curve = example("curve_fit")
    xs, ys = curve.measurements()
    a, b, c = parameters = [2.4, 1.2, 0.6]
    x, y = np.array(xs), np.array(ys)
    decay = np.exp(-b * x)
    residuals = a * decay + c - y
    J = np.stack([decay, -a * x * decay, np.ones_like(x)], axis=1)
    H = 2 * J.T @ J
    H[0, 1] = H[1, 0] = H[0, 1] + 2 * np.sum(residuals * -x * decay)
    H[1, 1] += 2 * np.sum(residuals * a * x**2 * decay)
    variance = np.sum(residuals**2) / (len(xs) - 3)
    expected = np.sqrt(np.diag(2 * variance * np.linalg.inv(H)))
    assert curve.standard_errors(parameters, xs, ys) == near(expected, rel=1e-9)


# --- logistic regression -------------------------------------------------------------------------


def test_logistic_regression() -> None:
    logistic = example("logistic_regression")
    X, y = data.blobs(100, centers=2, noise=1.5)
    weights, history = logistic.newton(X, y)
    losses, sizes = zip(*history, strict=True)
    assert sizes[-1] < 1e-12
    assert list(losses) == sorted(losses, reverse=True)
    # The gradient by hand: the mean of (probability - label) times each input.
    inputs = np.column_stack([X, np.ones(len(X))])
    probabilities = 1 / (1 + np.exp(-inputs @ np.array(weights)))
    assert inputs.T @ (probabilities - y) / len(X) == near(np.zeros(3), abs=1e-12)
    assert logistic.accuracy(weights, X, y) == 0.94


# --- Greeks --------------------------------------------------------------------------------------

MARKETS = np.array(
    [*itertools.product((80.0, 100.0, 130.0), (100.0,), (0.1, 2.0), (0.0, 0.05), (0.1, 0.5))]
)


def test_greeks_match_the_closed_forms() -> None:
    option = example("option_greeks")
    found = option.greeks(MARKETS)
    for i, market in enumerate(MARKETS):
        expected = option.closed_forms(*market)
        assert {name: each[i] for name, each in found.items()} == near(expected, rel=1e-9, abs=1e-12)


def test_all_second_derivatives_of_the_price_match_the_closed_form() -> None:
    """From the derivatives of d1 and d2: the price is S N(d1) - K exp(-rT) N(d2)."""
    option = example("option_greeks")
    found = option.price.hessian(MARKETS)
    for (S, K, T, r, v), matrix in zip(MARKETS, found, strict=True):
        root = math.sqrt(T)
        d1 = (math.log(S / K) + (r + v**2 / 2) * T) / (v * root)
        d2 = d1 - v * root
        slope1 = [1 / (S * v * root), -1 / (K * v * root), (r + v**2 / 2) / (v * root) - d1 / (2 * T)]
        slope1 = np.array([*slope1, root / v, -d2 / v])
        slope2 = slope1 - [0, 0, v / (2 * root), 0, root]
        density = math.exp(-(d1**2) / 2) / math.sqrt(2 * math.pi)
        below = math.erfc(-d2 / math.sqrt(2)) / 2
        discount, moves = math.exp(-r * T), S * density / K * slope2  # moves of discount * below
        moves = moves - discount * below * np.array([0, 0, r, T, 0])
        vega = S * density * root * (-d1 * slope1 + [1 / S, 0, 1 / (2 * T), 0, 0])
        by_years = vega * v / (2 * T) + S * density * root * np.array(
            [0, 0, -v / (2 * T**2), 0, 1 / (2 * T)]
        )
        by_years += K * r * moves + discount * below * np.array([0, r, 0, K, 0])
        by_rate = K * T * moves + discount * below * np.array([0, T, K, 0, 0])
        expected = np.array([density * slope1, -moves, by_years, by_rate, vega])
        assert expected == near(expected.T, rel=1e-9, abs=1e-9)
        assert matrix == near(expected, rel=1e-9, abs=1e-9)


# --- ordinary differential equations -------------------------------------------------------------


def test_the_trajectory_and_its_jacobian_match_a_solver_of_scipy() -> None:
    """To the accuracy of 100 Runge-Kutta steps; the Jacobian, from central differences."""
    ode, integrate = example("ode_fit"), require("scipy.integrate")
    times = ode.STEP * np.arange(1, ode.STEPS + 1)

    def solved(theta: Any) -> Any:
        options = {"t_eval": times, "rtol": 1e-11, "atol": 1e-11, "method": "DOP853"}
        return integrate.solve_ivp(
            lambda t, y: ode.rates(theta, y), (0, 10.001), ode.START, **options
        ).y.T

    assert ode.solve(ode.TRUTH) == near(solved(ode.TRUTH), abs=2e-3)
    differences = np.moveaxis(slopes(solved, ode.TRUTH), 0, -1)
    assert ode.solve.jacobian(ode.TRUTH) == near(differences, abs=0.03)


def test_the_ode_is_fitted_as_by_scipy() -> None:
    ode, optimize = example("ode_fit"), require("scipy.optimize")
    counts = ode.measurements()
    theta, history = ode.fit(counts)
    expected = optimize.least_squares(lambda theta: (ode.trajectory(theta) - counts).ravel(), ode.GUESS)
    assert theta == near(expected.x, rel=1e-5)
    assert history == sorted(history, reverse=True)
    assert ode.fit(ode.solve(ode.TRUTH))[0] == near(ode.TRUTH, rel=1e-10)


# --- GARCH ---------------------------------------------------------------------------------------


def garch_by_hand(parameters: Any, series: Any) -> float:
    """Uses the explicit sum: a variance is a weighted sum of all earlier squared returns."""
    omega, alpha, beta = parameters
    squares, total = series**2, 0.0
    for t in range(len(series)):
        weights = beta ** np.arange(t)[::-1]
        variance = weights @ (omega + alpha * squares[:t]) + beta**t * squares.mean()
        total += np.log(variance) + squares[t] / variance
    return float(total / (2 * len(series)))


def test_the_garch_likelihood_and_its_derivatives() -> None:
    garch = example("garch")
    series, logs = garch.returns(200), np.log([0.15, 0.2, 0.7])
    assert garch.loss(logs, series) == near(garch_by_hand(np.exp(logs), series), rel=1e-12)
    expected = slopes(lambda logs: garch_by_hand(np.exp(logs), series), logs)
    assert garch.loss.grad(logs, series) == near(expected, abs=1e-9)
    second = slopes(lambda logs: garch.loss.grad(logs, series), logs)
    assert garch.loss.hessian(logs, series) == near(second, abs=1e-8)


def test_garch_is_fitted_as_by_scipy_without_derivatives() -> None:
    garch, optimize = example("garch"), require("scipy.optimize")
    series = garch.returns(300)
    options = {"xatol": 1e-8, "fatol": 1e-13, "maxfev": 2000}
    found = optimize.minimize(
        lambda logs: garch_by_hand(np.exp(logs), series),
        np.log([0.2, 0.1, 0.6]),
        method="Nelder-Mead",
        options=options,
    )
    assert garch.fit(series)[0] == near(np.exp(found.x), rel=1e-4)


# --- hidden Markov model -------------------------------------------------------------------------


def by_enumeration(start: Any, moves: Any, emissions: Any, seen: Any) -> tuple[float, list[Any]]:
    """The log-likelihood and the expected counts, from all paths."""
    total, counts = 0.0, [np.zeros_like(start), np.zeros_like(moves), np.zeros_like(emissions)]
    for path in itertools.product(range(len(start)), repeat=len(seen)):
        steps = [*itertools.pairwise(path)]
        rolls = [*zip(path, seen, strict=True)]
        chance = (
            start[path[0]] * math.prod(moves[s] for s in steps) * math.prod(emissions[r] for r in rolls)
        )
        total += chance
        counts[0][path[0]] += chance
        for step in steps:
            counts[1][step] += chance
        for roll in rolls:
            counts[2][roll] += chance
    return math.log(total), [each / total for each in counts]


def test_the_forward_algorithm_gives_the_sum_over_all_paths() -> None:
    markov = example("hidden_markov")
    seen, model = markov.rolls(8), (np.array([0.7, 0.3]), markov.MOVES, markov.ROLLS)
    value, counts = by_enumeration(*model, seen)
    logs = [np.log(each) for each in model]
    found, gradient = value_and_grad(markov.log_likelihood, argnums=(0, 1, 2))(*logs, seen)
    assert found == near(value, rel=1e-12)
    for ours, theirs in zip(gradient, counts, strict=True):
        assert ours == near(theirs, rel=1e-12, abs=1e-15)


def test_a_round_of_learning_is_a_round_of_forward_and_backward() -> None:
    """The textbook's algorithm with scaled probabilities."""
    markov = example("hidden_markov")
    seen, (start, moves, emissions) = markov.rolls(), markov.GUESS
    forward, backward, total = [start * emissions[:, seen[0]]], [np.ones(2)], 0.0
    for symbol in seen[1:]:
        total += math.log(forward[-1].sum())
        forward[-1] = forward[-1] / forward[-1].sum()
        forward.append(forward[-1] @ moves * emissions[:, symbol])
    for symbol in seen[:0:-1]:
        back = moves @ (emissions[:, symbol] * backward[-1])
        backward.append(back / back.sum())
    backward.reverse()
    occupied = [a * b / (a @ b) for a, b in zip(forward, backward, strict=True)]
    changes = [
        each / each.sum()
        for each in (
            forward[t][:, None] * moves * emissions[:, seen[t + 1]] * backward[t + 1]
            for t in range(len(seen) - 1)
        )
    ]
    rolled = np.array(
        [np.sum([o for o, s in zip(occupied, seen, strict=True) if s == k], axis=0) for k in range(6)]
    ).T
    expected = [occupied[0], np.sum(changes, axis=0), rolled]
    found, history = markov.learn(seen, rounds=1)
    assert history[0] == near(total + math.log(forward[-1].sum()), rel=1e-12)
    for ours, counts in zip(found, expected, strict=True):
        assert ours == near(counts / counts.sum(axis=-1, keepdims=True), rel=1e-10, abs=1e-12)
    _, history = markov.learn(seen)
    assert history == near(sorted(history), abs=1e-9)


# --- Hamiltonian Monte Carlo ---------------------------------------------------------------------


def test_samples_of_a_normal_distribution_have_its_moments() -> None:
    """Within four standard errors; the chains are independent, and the errors come from their spread."""
    monte = example("hamiltonian_monte_carlo")
    draws, accepted = monte.sample(monte.gaussian, np.zeros((monte.CHAINS, 2)), 0.4)
    assert 0.8 < accepted < 1
    centred = draws - monte.MEAN
    products = centred[..., :, None] * centred[..., None, :]
    for found, expected in ((draws, monte.MEAN), (products, monte.COVARIANCE)):
        chains = found.mean(axis=0)
        error = chains.std(axis=0) / math.sqrt(monte.CHAINS)
        assert np.all(np.abs(chains.mean(axis=0) - expected) < 4 * error)
        assert np.all(error < 0.06)


def test_samples_of_a_posterior_have_the_moments_of_a_grid() -> None:
    """The posterior of two weights, integrated on a grid in NumPy."""
    monte = example("hamiltonian_monte_carlo")
    X, y = monte.points(40)
    X = X[:, :2]
    side = np.linspace(-6, 8, 281)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    heights = -np.logaddexp(0, -y * (grid @ X.T)).sum(axis=1) - (grid**2).sum(axis=1) / 18
    weights = np.exp(heights - heights.max())
    expected = weights @ grid / weights.sum()
    draws, _ = monte.sample(lambda w: monte.posterior(w, X, y), np.zeros((monte.CHAINS, 2)), 0.3)
    chains = draws.mean(axis=0)
    error = chains.std(axis=0) / math.sqrt(monte.CHAINS)
    assert np.all(np.abs(chains.mean(axis=0) - expected) < 4 * error)
    assert np.all(error < 0.05)


# --- kinematics ----------------------------------------------------------------------------------


def test_the_arm_moves_as_the_closed_form_says() -> None:
    arm = example("kinematics")
    angles, speeds = np.array([0.4, -0.9, 1.3]), np.array([0.5, 0.3, -0.8])
    directions = np.cumsum(angles)
    x, y = arm.LENGTHS * np.cos(directions), arm.LENGTHS * np.sin(directions)
    J = np.array([[-y[j:].sum() for j in range(3)], [x[j:].sum() for j in range(3)]])
    turning = np.cumsum(speeds)
    assert arm.position(angles) == near([x.sum(), y.sum()], rel=1e-14)
    assert arm.position.jacobian(angles) == near(J, rel=1e-13)
    velocity, acceleration = arm.motion(angles, speeds)
    assert velocity == near(J @ speeds, rel=1e-13)
    assert acceleration == near([-(x @ turning**2), -(y @ turning**2)], rel=1e-13)


@pytest.mark.parametrize("target", [(1.2, 1.1), (-0.5, 1.9), (0.3, -0.4)])
def test_the_hand_reaches_its_target(target: tuple[float, float]) -> None:
    arm = example("kinematics")
    angles, distances = arm.reach(np.array(target), np.array([0.3, 0.3, 0.3]), rounds=30)
    directions = np.cumsum(angles)
    assert [arm.LENGTHS @ np.cos(directions), arm.LENGTHS @ np.sin(directions)] == near(target, abs=1e-9)
    assert distances[-1] < 1e-9


# --- a network that solves a differential equation -----------------------------------------------


def test_the_residual_is_that_of_the_network() -> None:
    pinn = example("pinn")
    model = nn.MLP(1, [3, 1], init="xavier", seed=1)

    def solved(x: Any) -> float:
        return float(pinn.solution(model, float(x)).data)

    for x in (0.5, 2.0):
        second = (solved(x + 1e-4) - 2 * solved(x) + solved(x - 1e-4)) / 1e-8
        assert pinn.residual(model, Value(x)).data == near(second + solved(x), abs=1e-6)


def test_the_network_learns_the_sine() -> None:
    pinn = example("pinn")
    model, losses = pinn.train()
    assert losses[-1] < 1e-3 < losses[0]
    for x in np.linspace(0.0, pinn.END, 21):
        assert pinn.solution(model, x).data == near(math.sin(x), abs=0.01)


# --- oscillator ----------------------------------------------------------------------------------


def test_oscillator_parameters_are_recovered() -> None:
    oscillator = example("damped_oscillator")
    k, c, error = oscillator.fit(oscillator.measurements())[-1]
    assert k == near(oscillator.TRUTH[0], abs=0.03)
    assert c == near(oscillator.TRUTH[1], abs=0.02)
    assert error == near(oscillator.NOISE, rel=0.3)


def test_oscillator_is_exact_without_noise() -> None:
    oscillator = example("damped_oscillator")
    clean = oscillator.trajectory(*oscillator.TRUTH, 40)
    k, c, error = oscillator.fit(clean)[-1]
    assert (k, c) == near(oscillator.TRUTH, rel=1e-10)
    assert error < 1e-10


def test_runge_kutta_has_order_four() -> None:
    """Halving the step divides the error by sixteen."""
    oscillator = example("damped_oscillator")

    def error(steps: int) -> float:
        x, v = 1.0, 0.0
        for _ in range(steps):
            x, v = oscillator.runge_kutta(4.0, 0.0, x, v, 1.0 / steps)
        return abs(x - math.cos(2.0))

    assert error(20) / error(40) == near(16, rel=0.1)


# --- Kalman filter and Gaussian process -------------------------------------------------------------


def normal_log_density(y: Any, covariance: Any) -> float:
    """The density of a normal vector with mean 0."""
    sign, logarithm = np.linalg.slogdet(2 * np.pi * covariance)
    assert sign == 1
    return float(-(logarithm + y @ np.linalg.solve(covariance, y)) / 2)


def slopes(function: Any, x: Any, step: float = 1e-5) -> Any:
    """Central differences."""
    moves = step * np.eye(len(x))
    return np.array([(function(x + move) - function(x - move)) / (2 * step) for move in moves])


def test_the_kalman_filter_gives_the_joint_density_of_the_measurements() -> None:
    """All measurements together are one normal vector; its covariance is written out here."""
    kalman = example("kalman_filter")
    series = kalman.measurements(30)

    def joint(logs: Any) -> float:
        moves = np.diag(np.exp(2 * np.asarray(logs[:2])))
        powers = [np.linalg.matrix_power(kalman.STEP, i) for i in range(31)]
        covariance = np.eye(30) * np.exp(2 * logs[2])
        for i, j in itertools.product(range(1, 31), repeat=2):
            total = powers[i] @ (10 * np.eye(2)) @ powers[j].T
            for k in range(1, min(i, j) + 1):
                total = total + powers[i - k] @ moves @ powers[j - k].T
            covariance[i - 1, j - 1] += total[0, 0]
        return -normal_log_density(series, covariance) / 30

    logs = np.array([-1.0, -2.5, 0.2])
    assert kalman.negative_log_likelihood(logs, series) == near(joint(logs), rel=1e-12)
    gradient = grad(kalman.negative_log_likelihood)(logs, series)
    assert gradient == near(slopes(joint, logs), abs=1e-8)


def test_the_kalman_filter_is_fitted_to_a_minimum() -> None:
    kalman = example("kalman_filter")
    series = kalman.measurements()
    found, losses = kalman.fit(series)
    assert losses == sorted(losses, reverse=True)
    assert grad(kalman.negative_log_likelihood)(np.log(found), series) == near(np.zeros(3), abs=1e-4)


def covariance_by_hand(gaussian: Any, logs: Any, x: Any) -> Any:
    height, length, noise = np.exp(logs)
    apart = np.subtract.outer(x, x)
    return height**2 * np.exp(-(apart**2) / (2 * length**2)) + noise**2 * np.eye(len(x))


def test_the_marginal_likelihood_of_a_gaussian_process() -> None:
    gaussian = example("gaussian_process")
    x, y = gaussian.points()
    logs = np.array([0.3, -0.2, -1.0])

    def closed_form(logs: Any) -> float:
        return -normal_log_density(y, covariance_by_hand(gaussian, logs, x)) / len(x)

    assert gaussian.negative_log_likelihood(logs, x, y) == near(closed_form(logs), rel=1e-12)
    gradient = grad(gaussian.negative_log_likelihood)(logs, x, y)
    assert gradient == near(slopes(closed_form, logs), abs=1e-8)
    fitted, losses = gaussian.fit(x, y)
    assert losses == near(sorted(losses, reverse=True), abs=1e-14)
    assert slopes(closed_form, fitted) == near(np.zeros(3), abs=1e-8)


def test_the_predictions_of_a_gaussian_process() -> None:
    """By conditioning the joint normal distribution of the points and the curve."""
    gaussian = example("gaussian_process")
    x, y = gaussian.points()
    logs, at = np.array([-0.2, -0.3, -2.0]), np.linspace(-4, 4, 9)
    mean, deviation = gaussian.predict(logs, x, y, at)
    inverse = np.linalg.inv(covariance_by_hand(gaussian, logs, x))
    noiseless = np.array([*logs[:2], -np.inf])
    both = covariance_by_hand(gaussian, noiseless, np.concatenate([at, x]))
    across, curve = both[:9, 9:], both[:9, :9]
    assert mean == near(across @ inverse @ y, rel=1e-9, abs=1e-12)
    variance = np.diag(curve - across @ inverse @ across.T)
    assert deviation**2 == near(variance, rel=1e-9, abs=1e-12)


# --- the same in JAX -----------------------------------------------------------------------------

# The functions of an example, and those of its JAX spelling where their names differ.
SPELLED: dict[str, tuple[str, str]] = {
    "option_greeks": ("normal_cdf call_price price", "call_price price greeks second_greeks"),
    "ode_fit": ("rates trajectory solve", "rates trajectory solve solve_jacobian"),
    "garch": ("negative_log_likelihood loss", "garch garch_gradient garch_hessian"),
    "hidden_markov": ("log_likelihood", "log_likelihood"),
    "hamiltonian_monte_carlo": ("posterior sample", "posterior sample"),
    "kinematics": (
        "hand velocity acceleration position motion",
        "hand velocity acceleration position hand_jacobian motion",
    ),
    "pinn": ("solution residual train", "initial network solution residual train"),
    "kalman_filter": ("negative_log_likelihood", "kalman"),
    "gaussian_process": ("kernel negative_log_likelihood", "kernel gaussian_process"),
}


def spelled(path: Path, names: str) -> str:
    """The code of some functions, with the imports and settings that it needs, in one format."""
    tree = ast.parse(path.read_text())
    defined: dict[str, ast.stmt] = {}
    imports, settings = [], []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            if ast.get_docstring(statement):
                del statement.body[0]
            defined[statement.name] = statement
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            defined[statement.targets[0].id] = statement
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            imports.append(statement)
        elif "config" in ast.unparse(statement):
            settings.append(ast.unparse(statement))
    code = [ast.unparse(defined[name]) for name in names.split()]
    used = {
        node.id
        for part in [*code, *settings]
        for node in ast.walk(ast.parse(part))
        if isinstance(node, ast.Name)
    }
    for statement in imports:
        statement.names = [each for each in statement.names if (each.asname or each.name) in used]
    head = [ast.unparse(statement) for statement in imports if statement.names]
    return "\n".join([*head, *settings, *code])


@pytest.mark.parametrize("name", SPELLED)
def test_the_example_is_shorter_than_its_jax_spelling(name: str) -> None:
    """In lines and in characters, formatted in the same way and without comments."""
    ours, theirs = SPELLED[name]
    short = spelled(PATHS[name], ours)
    long = spelled(Path(__file__).with_name("jax_spellings.py"), theirs)
    assert len(short.splitlines()) <= len(long.splitlines())
    assert len(short) < len(long)


@pytest.fixture(scope="module")
def jax_models() -> Iterator[Any]:
    config = require("jax").config
    before = config.jax_enable_x64
    spec = importlib.util.spec_from_file_location(
        "jax_spellings", Path(__file__).with_name("jax_spellings.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    config.update("jax_enable_x64", before)


def test_greeks_match_those_of_jax(jax_models: Any) -> None:
    option = example("option_greeks")
    assert option.price.grad(MARKETS) == near(jax_models.greeks(MARKETS), rel=1e-10, abs=1e-10)
    assert option.price.hessian(MARKETS) == near(jax_models.second_greeks(MARKETS), rel=1e-9, abs=1e-9)


def test_the_trajectory_and_its_jacobian_match_those_of_jax(jax_models: Any) -> None:
    ode = example("ode_fit")
    assert ode.solve(ode.GUESS) == near(jax_models.solve(ode.GUESS), rel=1e-12)
    expected = np.asarray(jax_models.solve_jacobian(ode.GUESS))
    assert ode.solve.jacobian(ode.GUESS) == near(expected, rel=1e-9, abs=1e-9)


def test_likelihoods_and_their_gradients_match_those_of_jax(jax_models: Any) -> None:
    garch, kalman, gaussian = map(example, ("garch", "kalman_filter", "gaussian_process"))
    logs = np.array([-1.0, -2.5, -0.3])
    for model, name, given in (
        (garch.negative_log_likelihood, "garch", (garch.returns(100),)),
        (kalman.negative_log_likelihood, "kalman", (kalman.measurements(50),)),
        (gaussian.negative_log_likelihood, "gaussian_process", gaussian.points()),
    ):
        value, gradient = getattr(jax_models, f"{name}_gradient")(logs, *given)
        step = compile(lambda logs, model=model, given=given: model(logs, *given), batch=None)
        found, slope = step.value_and_grad(logs)
        assert found == near(float(value), rel=1e-11)
        assert slope == near(np.asarray(gradient), rel=1e-8, abs=1e-10)
    series = garch.returns(100)
    expected = np.asarray(jax_models.garch_hessian(logs, series))
    assert garch.loss.hessian(logs, series) == near(expected, rel=1e-9, abs=1e-11)


def test_expected_counts_match_those_of_jax(jax_models: Any) -> None:
    markov = example("hidden_markov")
    seen, logs = markov.rolls(100), [np.log(each) for each in markov.GUESS]
    step = compile(lambda *logs: markov.log_likelihood(*logs, seen), batch=None)
    value, counts = step.value_and_grad(*logs, argnums=(0, 1, 2))
    expected, theirs = jax_models.expected_counts(*logs, seen)
    assert value == near(float(expected), rel=1e-12)
    for ours, each in zip(counts, theirs, strict=True):
        assert ours == near(np.asarray(each), rel=1e-10, abs=1e-12)


def test_the_sampler_of_jax_finds_the_same_posterior(jax_models: Any) -> None:
    monte = example("hamiltonian_monte_carlo")
    X, y = monte.points(40)
    start = np.zeros((monte.CHAINS, 3))
    ours, _ = monte.sample(lambda w: monte.posterior(w, X, y), start, 0.3)
    theirs, accepted = jax_models.sample(
        lambda w: jax_models.posterior(w, X, y), start, 0.3, monte.WARM_UP + monte.DRAWS, 8, 0
    )
    assert 0.8 < accepted < 1
    chains = [ours.mean(axis=0), np.asarray(theirs)[monte.WARM_UP :].mean(axis=0)]
    error = np.hypot(*(each.std(axis=0) for each in chains)) / math.sqrt(monte.CHAINS)
    assert np.all(np.abs(chains[0].mean(axis=0) - chains[1].mean(axis=0)) < 4 * error)


def test_the_arm_moves_as_in_jax(jax_models: Any) -> None:
    arm = example("kinematics")
    angles, speeds = np.array([0.4, -0.9, 1.3]), np.array([0.5, 0.3, -0.8])
    assert arm.position(angles) == near(np.asarray(jax_models.position(angles)), rel=1e-13)
    expected = np.asarray(jax_models.hand_jacobian(angles))
    assert arm.position.jacobian(angles) == near(expected, rel=1e-13)
    for ours, theirs in zip(arm.motion(angles, speeds), jax_models.motion(angles, speeds), strict=True):
        assert ours == near(np.asarray(theirs), rel=1e-12)


def test_the_residual_matches_that_of_jax(jax_models: Any) -> None:
    pinn = example("pinn")
    model = nn.MLP(1, [4, 4, 1], init="xavier", seed=3)
    weights = [
        (
            np.array([[w.data for w in neuron.w] for neuron in layer.neurons]).T,
            np.array([neuron.b.data for neuron in layer.neurons]),
        )
        for layer in model.layers
    ]
    points = np.linspace(0.1, pinn.END, 9)
    found = compile(lambda x: pinn.residual(model, x), batch=0)(points)
    expected = [float(jax_models.residual(weights, x)) for x in points]
    assert found == near(expected, rel=1e-11, abs=1e-12)
    _, losses = jax_models.train(10, points)
    assert losses[-1] < losses[0]


# --- GPT -----------------------------------------------------------------------------------------


def numbers(parameters: Any) -> Any:
    return {name: [[p.data for p in row] for row in rows] for name, rows in parameters.items()}


def test_gpt_learns() -> None:
    gpt = example("tiny_gpt")
    steps, factor = (400, 2.6) if core == "c" else (60, 1.5)
    parameters = gpt.make_parameters()
    before = gpt.evaluate(parameters, names=20)
    assert before == near(math.log(gpt.END + 1), rel=0.1)  # it has learned nothing yet
    gpt.train(parameters, steps)
    after = gpt.evaluate(parameters, names=20)
    assert after < before / factor
    name = gpt.sample(parameters, random.Random(0))
    assert len(name) <= gpt.CONTEXT
    assert set(name) <= set(gpt.LETTERS)


def test_gpt_has_the_same_loss_on_values_and_floats() -> None:
    gpt = example("tiny_gpt")
    parameters = gpt.make_parameters()
    tokens = gpt.encode("kalunsel")
    assert gpt.loss(parameters, tokens).data == gpt.loss(numbers(parameters), tokens)


def test_gpt_gradient() -> None:
    """Compares some entries of every matrix with finite differences of the loss on floats."""
    gpt = example("tiny_gpt")
    parameters = gpt.make_parameters()
    tokens = gpt.encode("driba")
    gpt.loss(parameters, tokens).backward()
    rng, h = random.Random(0), 1e-5
    floats = numbers(parameters)
    for name, rows in floats.items():
        used = tokens[:-1] if name == "token" else range(len(tokens) - 1) if name == "position" else None
        for _ in range(4):
            i, j = rng.choice(used or range(len(rows))), rng.randrange(len(rows[0]))
            here = rows[i][j]
            rows[i][j] = here + h
            above = gpt.loss(floats, tokens)
            rows[i][j] = here - h
            below = gpt.loss(floats, tokens)
            rows[i][j] = here
            expected = (above - below) / (2 * h)
            assert parameters[name][i][j].grad == near(expected, rel=1e-5), name


def test_gpt_attention_gradient() -> None:
    """Checks every operation in an attention head with check_gradients."""
    gpt = example("tiny_gpt")

    def gathered(query: Any, keys: Any, values: Any) -> Any:
        first, second = gpt.rms_norm(gpt.attention(query, keys, values))
        return first * 2 - second

    report = check_gradients(gathered, [0.3, -0.8], [[1.0, 0.5], [-0.2, 0.7]], [[0.1, 2.0], [1.5, -0.4]])
    assert report, report


def test_gpt_lowest_possible_loss_is_the_entropy_per_token() -> None:
    gpt = example("tiny_gpt")
    names = {
        "".join(parts): 0.5 / len(gpt.SYLLABLES) ** n
        for n in (2, 3)
        for parts in itertools.product(gpt.SYLLABLES, repeat=n)
    }
    assert len(names) == 1100  # no two sequences of syllables give the same name
    entropy = -math.fsum(p * math.log(p) for p in names.values())
    tokens = math.fsum(p * (len(name) + 1) for name, p in names.items())
    assert gpt.least_loss() == near(entropy / tokens, ulps=4)
    assert {gpt.make_name(random.Random(seed)) for seed in range(50)} <= set(names)
    assert max(map(len, names)) < gpt.CONTEXT


# --- docs/pytorch.md -----------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "pytorch.md").read_text()
ROWS = re.findall(r"^\| [^|]*\| `([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)


def printed(library: str) -> str:
    (code,) = re.findall(rf"```python\n(# {library}\n.*?)```", PAGE, re.DOTALL)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(builtins.compile(code, f"pytorch.md {library}", "exec"), {})
    return output.getvalue()


def test_the_chainrule_program_prints_what_the_page_says() -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert printed("chainrule") == shown


def test_both_programs_print_the_same() -> None:
    require("torch")
    assert printed("PyTorch") == printed("chainrule")


def test_both_columns_of_the_table_compute_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each column is a program; starting from the same weights, they compute the same numbers."""
    assert len(ROWS) == PAGE.count("\n| ") - 1  # all rows except the header
    monkeypatch.chdir(tmp_path)
    ours: dict[str, Any] = {}
    for _, line in ROWS:
        exec(line, ours)
        if line.startswith("model = nn.Sequential"):
            start = [
                ([[w.data for w in row] for row in layer.weight], [b.data for b in layer.bias])
                for layer in ours["model"].layers[::2]
            ]
    assert [ours["model"](x)[0].data for x in ours["X"]] == [a.data for a in ours["answers"]]

    torch = require("torch")
    theirs: dict[str, Any] = {}
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for line, _ in ROWS:
            exec(line, theirs)
            if line.startswith("model = nn.Sequential"):
                for layer, (weight, bias) in zip(theirs["model"][::2], start, strict=True):
                    layer.load_state_dict({"weight": torch.tensor(weight), "bias": torch.tensor(bias)})
    finally:
        torch.set_default_dtype(before)
    assert ours["number"] == near(theirs["number"], rel=1e-12)
    assert ours["norm"] == near(theirs["norm"].item(), rel=1e-12)
    assert ours["schedule"].get_last_lr() == theirs["schedule"].get_last_lr()
    for name in ("predictions", "answers"):
        expected = theirs[name].tolist()
        assert [v.data for v in ours[name]] == near(expected, rel=1e-9), name
    reloaded = theirs["model"](theirs["X"])[:, 0].tolist()
    assert [ours["model"](x)[0].data for x in ours["X"]] == near(reloaded, rel=1e-9)
