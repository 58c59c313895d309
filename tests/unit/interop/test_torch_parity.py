"""Every optimiser, loss and activation gives the same losses and weights as PyTorch, up to rounding."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chainrule import log_softmax, nn, optim

from ...conftest import require
from ...near import near

EPOCHS = 200
X = np.random.default_rng(0).normal(size=(8, 3))
REAL = np.sin(X.sum(axis=1))
BINARY = (REAL > 0).astype(float)
SIGNS = 2 * BINARY - 1
CLASSES = np.arange(8) % 3

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.05},
    "SGD momentum": {"lr": 0.02, "momentum": 0.9},
    "SGD dampening": {"lr": 0.02, "momentum": 0.9, "dampening": 0.3},
    "SGD nesterov": {"lr": 0.02, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    "RMSprop": {"lr": 0.002},
    "RMSprop momentum": {"lr": 0.005, "momentum": 0.5, "weight_decay": 0.01},
    "Adagrad": {"lr": 0.05, "lr_decay": 0.01, "weight_decay": 0.01},
    "Adagrad initial accumulator": {"lr": 0.05, "initial_accumulator_value": 0.3},
    "Adam": {"lr": 0.01},
    "Adam decay": {"lr": 0.01, "betas": (0.8, 0.99), "weight_decay": 0.02},
    "AdamW": {"lr": 0.01, "weight_decay": 0.05},
}
LOSSES: dict[str, tuple[int, Any, str]] = {
    "mse_loss": (1, REAL, "linear"),
    "l1_loss": (1, REAL, "linear"),
    "huber_loss": (1, REAL * 3, "linear"),
    "binary_cross_entropy": (1, BINARY, "sigmoid"),
    "binary_cross_entropy_with_logits": (1, BINARY, "linear"),
    "cross_entropy": (3, CLASSES, "linear"),
    "hinge_loss": (1, SIGNS, "linear"),
    "nll_loss": (3, CLASSES, "linear"),
}
ACTIVATIONS = ["linear", "tanh", "relu", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu"]


def torch_model(
    torch: Any, model: Any, activation: str, output: str
) -> tuple[list[Any], Callable[[], Any]]:
    """The same network on tensors, with the same weights."""
    weights = []
    for layer in model.layers:
        w = [[p.data for p in neuron.w] for neuron in layer.neurons]
        b = [neuron.b.data for neuron in layer.neurons]
        weights += [torch.tensor(t, dtype=torch.float64, requires_grad=True) for t in (w, b)]
    functions = {name: getattr(torch.nn.functional, name) for name in ACTIVATIONS[1:]}
    functions["linear"] = lambda x: x
    functions["tanh"], functions["sigmoid"] = torch.tanh, torch.sigmoid

    def forward() -> Any:
        x = torch.tensor(X)
        for i in range(0, len(weights), 2):
            x = x @ weights[i].T + weights[i + 1]
            x = functions[output if i == len(weights) - 2 else activation](x)
        return x

    return weights, forward


def torch_loss(torch: Any, name: str, x: Any, target: Any) -> Any:
    functional = torch.nn.functional
    if name in ("cross_entropy", "nll_loss"):
        x = torch.log_softmax(x, 1) if name == "nll_loss" else x
        return getattr(functional, name)(x, torch.tensor(target))
    x, y = x[:, 0], torch.tensor(target)
    if name == "hinge_loss":
        return torch.relu(1 - x * y).mean()
    return getattr(functional, name)(x, y)


def compare(optimizer: str, loss: str, activation: str) -> None:
    torch = require("torch")
    outputs, target, output_activation = LOSSES[loss]
    model = nn.MLP(3, [4, outputs], activation, output_activation, init="xavier", seed=1)
    weights, forward = torch_model(torch, model, activation, output_activation)
    settings = OPTIMIZERS[optimizer]
    ours = getattr(optim, optimizer.split()[0])(model.parameters(), **settings)
    theirs = getattr(torch.optim, optimizer.split()[0])(weights, **settings)

    def step() -> tuple[float, float]:
        predictions = [model(x) for x in X]
        if loss == "nll_loss":
            predictions = [log_softmax(row) for row in predictions]
        value = getattr(nn, loss)(predictions, list(target))
        ours.zero_grad()
        value.backward()
        ours.step()
        theirs.zero_grad()
        expected = torch_loss(torch, loss, forward(), target)
        expected.backward()
        theirs.step()
        return value.data, expected.item()

    for epoch in range(EPOCHS):
        value, expected = step()
        tolerance = 1e-12 if epoch == 0 else 1e-9
        assert value == near(expected, rel=tolerance), f"epoch {epoch}"
        if epoch == 0:
            assert weights_of(model) == near(flat(weights), rel=1e-12)
    assert weights_of(model) == near(flat(weights), rel=1e-9)


def weights_of(model: Any) -> list[float]:
    return [
        p.data
        for layer in model.layers
        for p in [w for n in layer.neurons for w in n.w] + [n.b for n in layer.neurons]
    ]


def flat(weights: list[Any]) -> list[float]:
    return [x for t in weights for x in t.detach().numpy().ravel().tolist()]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizer(optimizer: str) -> None:
    compare(optimizer, "mse_loss", "tanh")


@pytest.mark.parametrize("loss", LOSSES)
def test_loss(loss: str) -> None:
    compare("SGD", loss, "tanh")


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activation(activation: str) -> None:
    compare("SGD", "mse_loss", activation)


def test_schedules() -> None:
    torch = require("torch")
    for name, settings in [
        ("StepLR", {"step_size": 3, "gamma": 0.5}),
        ("CosineAnnealingLR", {"T_max": 20, "eta_min": 0.001}),
        ("LinearLR", {"start_factor": 0.25, "total_iters": 7}),
    ]:
        ours = optim.SGD(nn.Neuron(1).parameters(), lr=0.1)
        theirs = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
        schedule = getattr(optim, name)(ours, **settings)
        peer = getattr(torch.optim.lr_scheduler, name)(theirs, **settings)
        for _ in range(20):
            assert schedule.get_last_lr() == near(peer.get_last_lr(), rel=1e-12)
            theirs.step()
            schedule.step()
            peer.step()


def test_clipping() -> None:
    torch = require("torch")
    gradients = [3.0, -4.0, 12.0]
    for norm_type in (2.0, 1.0, float("inf")):
        params = nn.Neuron(2).parameters()
        peers = [torch.zeros((), dtype=torch.float64, requires_grad=True) for _ in gradients]
        for p, q, g in zip(params, peers, gradients, strict=True):
            p.grad, q.grad = g, torch.tensor(g, dtype=torch.float64)
        total = optim.clip_grad_norm_(params, 5.0, norm_type)
        expected = torch.nn.utils.clip_grad_norm_(peers, 5.0, norm_type)
        assert total == near(expected.item(), rel=1e-14)
        assert [p.grad for p in params] == near([q.grad.item() for q in peers], rel=1e-12)
    optim.clip_grad_value_(params, 1.0)
    assert all(abs(p.grad) <= 1.0 for p in params)


def twins() -> list[str]:
    """The public names of optim and nn, without base classes and networks; PyTorch has most of them."""
    bases = {"Optimizer", "Module", "Sequential", "Neuron", "Layer", "MLP", "Network"}
    return [name for name in (*optim.__all__, *nn.__all__) if name not in bases]


@pytest.mark.parametrize("name", twins())
def test_arguments_match_pytorch(name: str) -> None:
    """The same positional order and defaults as PyTorch; arguments it orders differently are
    keyword-only.
    """
    torch = require("torch")
    places = (torch.optim, torch.optim.lr_scheduler, torch.nn.utils, torch.nn.functional, torch.nn)
    theirs = next((getattr(place, name) for place in places if hasattr(place, name)), None)
    if theirs is None:
        assert name in {"hinge_loss", "activation_named"}  # not in PyTorch
        return
    expected = inspect.signature(theirs).parameters
    ours = inspect.signature(getattr(optim, name, None) or getattr(nn, name)).parameters
    by_position = [p.name for p in ours.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert by_position == list(expected)[: len(by_position)]
    for parameter in [p for p in ours.values() if p.name != "seed"]:  # PyTorch has one seed for all
        twin = expected[parameter.name]
        assert parameter.default == twin.default or (parameter.default, twin.default) == (0.0, 0)
