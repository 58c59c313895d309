"""Runs every script in examples/ and checks its results; likewise docs/pytorch.md.

On the reference core the GPT is trained for fewer steps.
"""

import contextlib
import importlib.util
import io
import itertools
import math
import operator
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, check_gradients, core, data, grad, train

from ...conftest import require, require_imports
from ...near import near

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    require_imports((ROOT / "examples" / f"{name}.py").read_text())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Part of each script's output. Scripts with settings here are trained fully in a test below.
PRINTED: dict[str, tuple[str, dict[str, int]]] = {
    "curve_fit": (r"b = 1\.3430 ± 0\.0297   truth 1\.3\n", {}),
    "damped_oscillator": (r"round 7   k = 4\.009729   c = 0\.302813   error 0\.015308\n", {}),
    "gaussian_process": (r"height 0\.849   length 0\.722   noise 0\.121\n", {}),
    "kalman_filter": (r"level 0\.2517   truth 0\.3\ntrend 0\.0351   truth 0\.05\n", {}),
    "logistic_regression": (r"logit = -2\.6809 x1 \+0\.4561 x2 -0\.1782, accuracy 94%\n", {}),
    "moons": (r"accuracy on new points \d\d\.\d%\n(.{60}\n){20}$", {"epochs": 2}),
    "option_greeks": (r"gamma +0\.022449 +0\.022449\n", {}),
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

MARKETS = list(itertools.product((80.0, 100.0, 130.0), (100.0,), (0.1, 2.0), (0.0, 0.05), (0.1, 0.5)))


@pytest.mark.parametrize("market", MARKETS)
def test_greeks_match_the_closed_forms(market: tuple[float, ...]) -> None:
    option = example("option_greeks")
    assert option.greeks(*market) == near(option.closed_forms(*market), rel=1e-10)


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
        exec(compile(code, f"pytorch.md {library}", "exec"), {})
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
