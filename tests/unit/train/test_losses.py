"""Losses: the formulas, reductions, shapes, classes, and logits of any size.

test_torch_parity checks that they equal PyTorch's in training.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chainrule import Value, check_gradients, data, nn, train
from chainrule.value import c_core

from ...near import near


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


# name: the formula for one pair, some inputs, some targets
ELEMENTWISE: dict[str, tuple[Callable[[float, float], float], list[float], list[float]]] = {
    "mse_loss": (lambda x, y: (x - y) ** 2, [0.5, -2.0, 3.0], [1.0, 2.0, 3.0]),
    "l1_loss": (lambda x, y: abs(x - y), [0.5, -2.0, 3.5], [1.0, 2.0, 3.0]),
    "huber_loss": (
        lambda x, y: 0.5 * (x - y) ** 2 if abs(x - y) < 1 else abs(x - y) - 0.5,
        [0.5, -2.0, 3.0],
        [1.0, 2.0, 4.5],
    ),
    "hinge_loss": (lambda x, y: max(0.0, 1 - x * y), [0.5, -2.0, 3.0], [1.0, 1.0, -1.0]),
    "binary_cross_entropy": (
        lambda x, y: -(y * math.log(x) + (1 - y) * math.log(1 - x)),
        [0.1, 0.5, 0.9],
        [0.0, 1.0, 0.25],
    ),
    "binary_cross_entropy_with_logits": (
        lambda x, y: softplus(x) - x * y,
        [0.1, -2.0, 3.0],
        [0.0, 1.0, 0.25],
    ),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_formulas_and_reductions(name: str) -> None:
    formula, xs, ys = ELEMENTWISE[name]
    loss = getattr(nn, name)
    expected = [formula(x, y) for x, y in zip(xs, ys, strict=True)]
    inputs = [Value(x) for x in xs]
    assert [v.data for v in loss(inputs, ys, reduction="none")] == near(expected, rel=1e-14)
    assert loss(inputs, ys, reduction="sum").data == near(sum(expected), rel=1e-14)
    assert loss(inputs, ys).data == near(sum(expected) / 3, rel=1e-14)
    assert check_gradients(loss(inputs, ys))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_single_values_lists_arrays_and_numbers(name: str) -> None:
    formula, xs, ys = ELEMENTWISE[name]
    loss = getattr(nn, name)
    assert loss(Value(xs[0]), ys[0]).data == near(formula(xs[0], ys[0]), rel=1e-14)
    mean = loss([Value(x) for x in xs], ys).data
    nested = loss([[Value(x)] for x in xs], [[y] for y in ys])
    assert nested.data == mean
    assert loss([Value(x) for x in xs], np.array(ys)).data == mean
    assert loss(tuple(Value(x) for x in xs), tuple(map(Value, ys))).data == mean
    assert loss(np.array(xs), np.array(ys)) == near(mean, rel=1e-15)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_without_reduction_the_shape_is_kept(name: str) -> None:
    formula, xs, ys = ELEMENTWISE[name]
    loss = getattr(nn, name)
    expected = [formula(x, y) for x, y in zip(xs, ys, strict=True)]
    single = loss(Value(xs[0]), ys[0], reduction="none")
    assert isinstance(single, Value)
    assert single.data == near(expected[0], rel=1e-14)
    first, *rest = (Value(x) for x in xs)
    (one,), two = loss([[first], rest], [ys[:1], ys[1:]], reduction="none")
    assert [v.data for v in (one, *two)] == near(expected, rel=1e-14)
    column = loss(np.array([[x] for x in xs]), [[y] for y in ys], reduction="none")
    assert column == near(np.array(expected).reshape(3, 1), rel=1e-14)


HINGE = "^the hinge loss needs targets -1 and 1, got "
SHARE = "^the binary cross-entropy needs targets from 0 to 1, got "


@pytest.mark.parametrize(
    ("name", "target", "message"),
    [
        ("hinge_loss", 0.0, rf"{HINGE}0\.0$"),
        ("hinge_loss", 2, rf"{HINGE}2\.0$"),
        ("hinge_loss", np.float32(0.5), rf"{HINGE}0\.5$"),
        ("hinge_loss", math.nan, f"{HINGE}nan$"),
        ("binary_cross_entropy", -1, rf"{SHARE}-1\.0$"),
        ("binary_cross_entropy", 1.5, rf"{SHARE}1\.5$"),
        ("binary_cross_entropy_with_logits", np.int64(-1), rf"{SHARE}-1\.0$"),
        ("binary_cross_entropy_with_logits", 7, rf"{SHARE}7\.0$"),
        ("binary_cross_entropy_with_logits", math.nan, f"{SHARE}nan$"),
    ],
)
def test_invalid_targets(name: str, target: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(nn, name)(Value(0.5), target)
    with pytest.raises(ValueError, match=message):
        getattr(nn, name)([Value(0.5), Value(0.5)], [1, target])


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_targets_that_are_not_numbers(name: str) -> None:
    """A string has a length, but it is not a sequence of numbers."""
    for target in ("a", "ab"):
        message = f"^a target must be a number, got '{target}': write classes as 0, 1, 2$"
        with pytest.raises(TypeError, match=message):
            getattr(nn, name)([Value(0.5)], [target])
        with pytest.raises(TypeError, match=message):
            getattr(nn, name)([Value(0.5), Value(0.5)], np.array([target, "1"]))
    with pytest.raises(TypeError, match=r"^a target must be a number, got None$"):
        getattr(nn, name)([Value(0.5), Value(0.5)], [1, None])


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_bad_arguments(name: str) -> None:
    loss = getattr(nn, name)
    ragged = [[Value(0.5)], [Value(0.5), Value(0.5)]]
    for input, target, counts in (
        ([Value(0.5), Value(0.5)], [1.0], "1 and 2"),
        ([Value(0.5), Value(0.5)], 1.0, "1 and 2"),
        (Value(0.5), [1.0, 1.0], "2 and 1"),
        (ragged, [1.0, 1.0], "2 and 3"),
    ):
        message = f"^the loss needs as many targets as outputs, got {counts}$"
        with pytest.raises(ValueError, match=message):
            loss(input, target)
    with pytest.raises(ValueError, match=r"^the loss needs at least one input, got none$"):
        loss([], [])
    for reduction in ("average", "", None):
        message = rf"^reduction must be 'mean', 'sum' or 'none', got {reduction!r}$"
        with pytest.raises(ValueError, match=message):
            loss([Value(0.5)], [1.0], reduction=reduction)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_more_outputs_than_targets(name: str) -> None:
    """The error counts per sample, as users think of the model and y, not over all samples."""
    one, two = [Value(0.5)] * 4, [[Value(0.5)] * 2] * 4
    for input, target, outputs, targets in (
        (two, [1.0] * 4, 2, 1),
        (two, np.ones(4), 2, 1),
        (one, np.ones((4, 3)), 1, 3),
    ):
        message = (
            f"^the loss needs as many targets as outputs, got {targets} and {outputs} for each sample: "
            f"end the model in a layer of {targets}, or pass a y with {outputs} for each sample$"
        )
        with pytest.raises(ValueError, match=message):
            getattr(nn, name)(input, target)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_different_shapes_with_the_same_number_of_elements(name: str) -> None:
    rows = [[Value(0.1), Value(0.2), Value(0.3)], [Value(0.4), Value(0.5), Value(0.6)]]
    with pytest.raises(ValueError, match="shape"):
        getattr(nn, name)(rows, [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])


def test_huber_delta() -> None:
    assert nn.huber_loss(Value(3.0), 0.0, delta=2.0).data == 2.0 * (3.0 - 1.0)
    assert nn.huber_loss(Value(1.0), 0.0, delta=2.0).data == 0.5
    for delta in (0, -1.0, math.nan):
        with pytest.raises(ValueError, match=f"^delta must be positive, got {delta}$"):
            nn.huber_loss(Value(1.0), 0.0, delta=delta)


def test_binary_cross_entropy_is_at_most_100() -> None:
    """As in PyTorch: a certain but wrong prediction costs 100, with a finite gradient."""
    for x, y, expected in [(0.0, 1.0, 100.0), (1.0, 0.0, 100.0), (0.0, 0.0, 0.0), (1.0, 1.0, 0.0)]:
        p = Value(x)
        loss = nn.binary_cross_entropy(p, y)
        loss.backward()
        assert loss.data == expected
        assert math.isfinite(p.grad)


SCORE = (
    "^binary_cross_entropy needs probabilities from 0 to 1, got {}: end the model in a sigmoid, "
    "or use binary_cross_entropy_with_logits for scores$"
)


@pytest.mark.parametrize("score", [-0.0482, 1.0000001, -math.inf, math.inf])
def test_binary_cross_entropy_rejects_scores(score: float) -> None:
    """Their logarithm is NaN, which a smaller learning rate would not fix."""
    message = SCORE.format(f"{score:.6g}")
    for input in (Value(score), [Value(0.5), Value(score)], [[0.5], [score]]):
        target: Any = 1.0 if isinstance(input, Value) else [1.0, 0.0]
        with pytest.raises(ValueError, match=message):
            nn.binary_cross_entropy(input, target)
    assert math.isnan(nn.binary_cross_entropy(Value(math.nan), 1.0).data)


@pytest.mark.parametrize("engine", ["auto", "eager", *(["native"] if c_core is not None else [])])
def test_training_with_scores_instead_of_probabilities(engine: str) -> None:
    """Compiled functions do not check numbers, so all samples are validated beforehand."""
    X, y = data.moons(20, seed=0)
    options: Any = {"engine": engine, "epochs": 2, "progress": False}
    with pytest.raises(ValueError, match=SCORE.format(".*")):
        train.fit(nn.MLP(2, [4, 1], seed=0), "binary_cross_entropy", X, y, **options)
    model = nn.MLP(2, [4, 1], "tanh", "sigmoid", seed=0)
    losses = train.fit(model, "binary_cross_entropy", X, y, **options).losses
    assert losses[1] < losses[0]


# --- logits of any size --------------------------------------------------------------------------

LOGITS = [0.0, 1e-300, 0.5, 30.0, 37.0, 710.0, 745.0, 1e4]


@pytest.mark.parametrize("x", [sign * x for x in LOGITS for sign in (1, -1)])
@pytest.mark.parametrize("y", [0.0, 0.3, 1.0])
def test_binary_logits_of_any_size(x: float, y: float) -> None:
    v = Value(x)
    loss = nn.binary_cross_entropy_with_logits([v], [y])
    loss.backward()
    assert loss.data == near(y * softplus(-x) + (1 - y) * softplus(x), rel=1e-14)
    assert v.grad == near((1 - y) * sigmoid(x) - y * sigmoid(-x), rel=1e-14)


@pytest.mark.parametrize("scale", LOGITS[1:])
@pytest.mark.parametrize("cls", [0, 1, 2])
def test_logits_of_any_size(scale: float, cls: int) -> None:
    xs = [scale, -scale, 0.0]
    logits = [Value(x) for x in xs]
    loss = nn.cross_entropy([logits], [cls])
    loss.backward()
    above = [scale - x for x in xs]  # the distance of each logit below the largest
    rest = math.exp(-above[1]) + math.exp(-above[2])
    # The loss is a difference of two numbers as large as the logit, and is rounded like them.
    assert loss.data == near(above[cls] + math.log1p(rest), ulps=4, abs=2 * math.ulp(scale))
    softmax = [math.exp(-x) / (1 + rest) for x in above]
    for i, v in enumerate(logits):
        if i == cls:  # a sum of -1 and the probability, which rounds like 1
            assert v.grad == near(softmax[i] - 1, abs=2 * math.ulp(1.0))
        else:
            assert v.grad == near(softmax[i], ulps=4)


@pytest.mark.parametrize("x", [1e4, -1e4])
@pytest.mark.parametrize("name", ["l1_loss", "huber_loss", "hinge_loss", "mse_loss"])
def test_large_inputs_of_the_other_losses(name: str, x: float) -> None:
    v = Value(x)
    loss = getattr(nn, name)(v, 1.0)
    loss.backward()
    assert math.isfinite(loss.data)
    assert math.isfinite(v.grad)


# --- classes -------------------------------------------------------------------------------------

ROWS = [[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]]


def cross_entropy(row: list[float], cls: int) -> float:
    return math.log(sum(map(math.exp, row))) - row[cls]


CLASS_LOSSES = {"cross_entropy": cross_entropy, "nll_loss": lambda row, cls: -row[cls]}


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_class_losses(name: str) -> None:
    loss, formula = getattr(nn, name), CLASS_LOSSES[name]
    rows = [[Value(x) for x in row] for row in ROWS]
    expected = [formula(ROWS[0], 2), formula(ROWS[1], 0)]
    for target in ([2, 0], (2, 0), np.array([2, 0]), np.array([2, 0], dtype=np.uint8), [2.0, 0.0]):
        losses = loss(rows, target, reduction="none")
        assert [v.data for v in losses] == near(expected, rel=1e-14)
        assert loss(rows, target).data == near(sum(expected) / 2, rel=1e-14)
        assert loss(rows, target, reduction="sum").data == near(sum(expected), rel=1e-14)
    for cls in (2, np.int64(2), 2.0, np.float32(2.0), np.array(2)):
        assert loss(rows[0], cls).data == near(expected[0], rel=1e-14)
    assert check_gradients(loss(rows, [2, 0]))
    assert loss(np.array(ROWS), [2, 0]) == near(sum(expected) / 2, rel=1e-14)


@pytest.mark.parametrize("name", CLASS_LOSSES)
@pytest.mark.parametrize(
    ("rows", "target", "error", "message"),
    [
        (ROWS, [0, 3], ValueError, "^class 3 is out of range for 3 scores$"),
        (ROWS, [0, -1], ValueError, "^class -1 is out of range for 3 scores$"),
        (ROWS[0], 3, ValueError, "^class 3 is out of range for 3 scores$"),
        (ROWS, [0, 1.5], TypeError, "^a class must be an integer, got 1.5$"),
        (ROWS, [0, "1"], TypeError, "^a class must be an integer, got '1'$"),
        (ROWS, [0, None], TypeError, "^a class must be an integer, got None$"),
        (ROWS, [0, math.nan], TypeError, "^a class must be an integer, got nan$"),
        (ROWS, [[0.5, 0.5], [1, 0]], TypeError, r"^a class must be an integer, got \[0.5, 0.5\]$"),
        (ROWS, [0], ValueError, "^the loss needs a class for each of 2 rows, got 1$"),
        ([], [], ValueError, "^the loss needs at least one row, got none$"),
        (
            [0.5, 0.2],
            [0, 0],
            TypeError,
            "^the loss needs a row of scores, one for each class, got a single",
        ),
        (
            [Value(0.5)],
            [0],
            TypeError,
            "^the loss needs a row of scores, one for each class, got a single",
        ),
    ],
)
def test_bad_classes(name: str, rows: Any, target: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        getattr(nn, name)(rows, target)


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_a_bad_reduction_of_class_losses(name: str) -> None:
    for rows, target in ((ROWS, [0, 1]), (ROWS[0], 1)):
        with pytest.raises(ValueError, match=r"^reduction must be 'mean', 'sum' or 'none', got 'no'$"):
            getattr(nn, name)(rows, target, reduction="no")


@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_one_score_instead_of_a_row(name: str) -> None:
    """A network with one output, where the loss needs one per class."""
    for rows, target in (([Value(1.0), Value(2.0)], [0, 1]), (Value(1.0), 0)):
        with pytest.raises((TypeError, ValueError), match="scores"):
            getattr(nn, name)(rows, target)
