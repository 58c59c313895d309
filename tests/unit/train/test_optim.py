"""Optimisers beyond PyTorch parity: errors, states, settings, and rules on Values.

Also edge cases of schedules and clipping. test_torch_parity checks the arithmetic.
"""

import json
import math
from typing import Any

import numpy as np
import pytest

from chainrule import Value, check_gradients, nn, optim

from ...near import near

SETTINGS: dict[str, tuple[Any, dict[str, Any]]] = {
    "SGD": (optim.SGD, {"lr": 0.05}),
    "SGD momentum": (optim.SGD, {"lr": 0.05, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}),
    "SGD nesterov": (optim.SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "RMSprop": (optim.RMSprop, {"lr": 0.01, "weight_decay": 0.01}),
    "RMSprop momentum": (optim.RMSprop, {"lr": 0.01, "momentum": 0.5}),
    "Adagrad": (optim.Adagrad, {"lr": 0.5, "lr_decay": 0.01, "weight_decay": 0.01}),
    "Adam": (optim.Adam, {"lr": 0.05, "betas": (0.8, 0.99), "weight_decay": 0.01}),
    "AdamW": (optim.AdamW, {"lr": 0.05}),
}
CLASSES = [optim.SGD, optim.RMSprop, optim.Adagrad, optim.Adam, optim.AdamW]


def parameters(count: int = 2) -> list[Value]:
    return [Value(1.0 + i) for i in range(count)]


def height(p: Any, q: Any) -> Any:
    return (p - 0.5) ** 2 + 2.0 * (q - 0.25) ** 2


def descend(optimizer: optim.Optimizer, steps: int) -> None:
    """Steps on a quadratic bowl that is steeper in one direction than in the other."""
    for _ in range(steps):
        loss = height(*optimizer.params)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def bits(params: list[Value]) -> list[str]:
    return [p.data.hex() for p in params]


@pytest.mark.parametrize("cls", CLASSES)
def test_a_state_saved_before_the_first_step_is_loaded(cls: Any) -> None:
    new, used = cls(parameters(), lr=0.25), cls(parameters(), lr=0.5)
    descend(used, 3)
    used.load_state_dict(new.state_dict())
    assert (used.steps, used.lr, used.state) == (0, 0.25, new.state)


# --- construction --------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES)
def test_bad_parameters(cls: Any) -> None:
    with pytest.raises(ValueError, match=r"^the optimizer needs at least one parameter, got none$"):
        cls([])
    model = nn.MLP(2, [1], seed=0)
    for given, kind in ((model, "MLP"), (model.parameters, "method"), (None, "NoneType")):
        message = rf"^parameters must be a list of Values, such as .* {kind}$"
        with pytest.raises(TypeError, match=message):
            cls(given)
    with pytest.raises(TypeError, match=r"^parameters must be Values, got float$"):
        cls([Value(1.0), 2.0])
    with pytest.raises(
        ValueError, match=r"^cannot optimise the result of '\*': pass the leaves instead$"
    ):
        cls([Value(1.0) * 2.0])
    with pytest.raises(TypeError, match=r"a list of Values, such as .* got Value$"):
        cls(Value(1.0))
    p, q = parameters()
    with pytest.raises(ValueError, match=r"^a parameter is listed twice and would be updated twice$"):
        cls([p, q, p])


BETAS = "^betas must be two numbers from 0 to below 1"
NESTEROV = "^Nesterov momentum needs a positive momentum and a dampening of 0$"


@pytest.mark.parametrize(
    ("cls", "settings", "message"),
    [
        *((cls, {"lr": -0.1}, r"^lr must not be negative, got -0\.1$") for cls in CLASSES),
        *((cls, {"lr": math.nan}, r"^lr must not be negative, got nan$") for cls in CLASSES),
        *((cls, {"weight_decay": -1}, "^weight_decay must not be negative, got -1$") for cls in CLASSES),
        (optim.SGD, {"momentum": -0.5}, r"^momentum must not be negative, got -0\.5$"),
        (optim.RMSprop, {"alpha": -0.5}, r"^alpha must not be negative, got -0\.5$"),
        (optim.RMSprop, {"eps": -1e-8}, r"^eps must not be negative, got -1e-08$"),
        (optim.Adagrad, {"lr_decay": -0.5}, r"^lr_decay must not be negative, got -0\.5$"),
        (optim.Adam, {"betas": (1.0, 0.9)}, rf"{BETAS}, got \(1"),
        (optim.Adam, {"betas": (0.9, -0.1)}, BETAS),
        (optim.AdamW, {"betas": (0.9,)}, rf"{BETAS}, got \(0\.9,\)$"),
        (optim.SGD, {"nesterov": True}, NESTEROV),
        (optim.SGD, {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, NESTEROV),
    ],
)
def test_bad_settings(cls: Any, settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls(parameters(), **settings)


@pytest.mark.parametrize("cls", CLASSES)
def test_settings_that_are_not_numbers(cls: Any) -> None:
    with pytest.raises(TypeError, match=r"expected a real number .*, got str 'fast'"):
        cls(parameters(), lr="fast")


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (optim.SGD, "lr=0.001, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False"),
        (optim.RMSprop, "lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0.0, momentum=0.0"),
        (
            optim.Adagrad,
            "lr=0.01, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10",
        ),
        (optim.Adam, "lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0"),
        (optim.AdamW, "lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01"),
    ],
)
def test_defaults_and_repr(cls: Any, text: str) -> None:
    assert repr(cls(parameters())) == f"{cls.__name__}(2 parameters, {text})"


def test_a_custom_optimizer() -> None:
    with pytest.raises(TypeError, match=r"^Optimizer has no rule\(\): define a parameter update$"):
        optim.Optimizer(parameters(), lr=0.1).step()

    class Sign(optim.Optimizer):
        def rule(self, p: Any, g: Any, state: Any, t: Any, **hyper: Any) -> Any:
            return p - hyper["lr"] * math.copysign(1.0, g), state

    (p,) = parameters(1)
    p.grad = -7.0
    Sign([p], lr=0.25).step()
    assert p.data == 1.25


# --- steps ---------------------------------------------------------------------------------------


def test_one_step_matches_the_formula() -> None:
    p, q = parameters()
    p.grad, q.grad = 0.5, -2.0
    optim.SGD([p, q], lr=0.1).step()
    assert (p.data, q.data) == (1.0 - 0.1 * 0.5, 2.0 + 0.1 * 2.0)
    assert (p.grad, q.grad) == (0.5, -2.0)


def test_zero_grad() -> None:
    params = parameters()
    for p in params:
        p.grad = 3.0
    optim.SGD(params).zero_grad()
    assert [p.grad for p in params] == [0.0, 0.0]


def test_a_generator_of_parameters() -> None:
    model = nn.MLP(2, [3, 1])
    assert len(optim.SGD(p for p in model.parameters()).params) == 13


def test_gradients_that_are_values() -> None:
    """After backward(create_graph=True)."""
    (p,) = parameters(1)
    (p**3).backward(create_graph=True)
    optim.SGD([p], lr=0.1).step()
    assert p.data == near(1.0 - 0.1 * 3.0, rel=1e-15)
    assert p.is_leaf


def test_the_learning_rate_can_be_set() -> None:
    (p,) = parameters(1)
    optimizer = optim.SGD([p], lr=0.1)
    optimizer.lr = 0.5
    assert (optimizer.lr, optimizer.hyperparameters["lr"]) == (0.5, 0.5)
    p.grad = 1.0
    optimizer.step()
    assert p.data == 0.5
    with pytest.raises(ValueError, match=r"^lr must not be negative, got -1$"):
        optimizer.lr = -1
    assert optimizer.lr == 0.5


def test_settings_from_numpy_keep_all_bits() -> None:
    """NumPy would round a float times a float32 to float32."""
    p, q = Value(1 / 3), Value(1 / 3)
    p.grad = q.grad = 1 / 7
    optim.SGD([p], lr=np.float32(0.5)).step()  # type: ignore[arg-type]
    optim.SGD([q], lr=0.5).step()
    assert bits([p]) == bits([q])
    (p,) = optimizer_params = parameters(1)
    optimizer = optim.Adam(optimizer_params, betas=np.array([0.5, 0.25]))  # type: ignore[arg-type]
    assert optimizer.hyperparameters["betas"] == (0.5, 0.25)


@pytest.mark.parametrize("name", SETTINGS)
def test_every_optimizer_reduces_the_loss(name: str) -> None:
    cls, settings = SETTINGS[name]
    optimizer = cls(parameters(), **settings)
    descend(optimizer, 300)
    assert height(*(v.data for v in optimizer.params)) < 0.01


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETTINGS)
def test_a_state_resumes_exactly(name: str) -> None:
    cls, settings = SETTINGS[name]
    whole = cls(parameters(), **settings)
    descend(whole, 5)
    text = json.dumps(whole.state_dict())  # plain data: nothing is lost in JSON
    rest = cls([Value(p.data) for p in whole.params])
    rest.load_state_dict(json.loads(text))
    assert rest.state_dict() == json.loads(text) | {"hyperparameters": rest.hyperparameters}
    descend(whole, 20)
    descend(rest, 20)
    assert bits(rest.params) == bits(whole.params)
    assert rest.steps == whole.steps == 25


def test_a_state_is_a_copy() -> None:
    optimizer = optim.Adam(parameters(), lr=0.1)
    state = optimizer.state_dict()
    descend(optimizer, 3)
    optimizer.lr = 0.7
    assert state == {
        "hyperparameters": {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-08, "weight_decay": 0.0},
        "steps": 0,
        "state": [[0.0, 0.0], [0.0, 0.0]],
    }


@pytest.mark.parametrize(
    "other",
    [optim.Adam(parameters(3)), optim.SGD(parameters()), optim.RMSprop(parameters())],
    ids=["different parameters", "different size", "different settings"],
)
def test_the_state_of_another_optimizer(other: optim.Optimizer) -> None:
    optimizer = optim.Adam(parameters())
    before = optimizer.state_dict()
    with pytest.raises(ValueError, match=r"^the state .*, but this Adam has "):
        optimizer.load_state_dict(other.state_dict())
    assert optimizer.state_dict() == before


@pytest.mark.parametrize("state", [None, {}, [], nn.Neuron(1).state_dict()])
def test_an_invalid_state(state: Any) -> None:
    message = r"^expected the state of an optimizer, as its state_dict\(\) returns it$"
    with pytest.raises(ValueError, match=message):
        optim.SGD(parameters()).load_state_dict(state)


def test_a_state_with_a_bad_setting() -> None:
    optimizer = optim.SGD(parameters())
    state = optimizer.state_dict()
    state["hyperparameters"]["lr"] = -1.0
    with pytest.raises(ValueError, match=r"^lr must not be negative, got -1\.0$"):
        optimizer.load_state_dict(state)
    assert optimizer.lr == 0.001


def test_a_state_with_an_entry_that_is_not_a_number() -> None:
    optimizer = optim.SGD(parameters())
    state = optimizer.state_dict() | {"state": [[0.0], ["x"]]}
    with pytest.raises(TypeError, match=r"expected a real number .*, got str 'x'"):
        optimizer.load_state_dict(state)
    assert optimizer.state == [(0.0,), (0.0,)]


# --- rules are differentiable code ---------------------------------------------------------------


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("t", [1.0, 3.0])
def test_a_rule_gives_the_same_on_values_and_floats(name: str, t: float) -> None:
    cls, settings = SETTINGS[name]
    optimizer = cls(parameters(1), **settings)
    size, hyper = optimizer.state_size, optimizer.hyperparameters
    p, g, state = 1.5, -0.75, tuple(0.25 + 0.5 * i for i in range(size))
    new, new_state = optimizer.rule(p, g, state, t, **hyper)
    values = [Value(x) for x in (p, g, *state)]
    out, out_state = optimizer.rule(values[0], values[1], tuple(values[2:]), t, **hyper)
    assert isinstance(new, float)
    assert out.data == new
    assert [s.data for s in out_state] == list(new_state)
    assert check_gradients(out)
    out.backward()
    assert values[0].grad != 0.0
    assert values[1].grad != 0.0


def test_a_learning_rate_can_be_learned() -> None:
    """The derivative of the loss after a step with respect to the learning rate: a hypergradient."""
    rate = Value(0.1)
    optimizer = optim.SGD(parameters(1))
    new, _ = optimizer.rule(3.0, 6.0, (0.0,), 1.0, **(optimizer.hyperparameters | {"lr": rate}))
    (new**2).backward()
    assert rate.grad == near(2 * (3.0 - 0.1 * 6.0) * -6.0, rel=1e-14)


# --- schedules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schedule", "arguments", "message"),
    [
        (optim.StepLR, (0,), "^step_size must be at least 1, got 0$"),
        (optim.CosineAnnealingLR, (0,), "^T_max must be at least 1, got 0$"),
        (optim.LinearLR, (0.5, 1.0, 0), "^total_iters must be at least 1, got 0$"),
        (
            optim.LinearLR,
            (0.0,),
            "^start_factor must be above 0, end_factor at least 0, and both at most 1$",
        ),
        (
            optim.LinearLR,
            (0.5, 2.0),
            "^start_factor must be above 0, end_factor at least 0, and both at most 1$",
        ),
    ],
)
def test_bad_schedules(schedule: Any, arguments: Any, message: str) -> None:
    optimizer = optim.SGD(parameters(), lr=0.1)
    with pytest.raises(ValueError, match=message):
        schedule(optimizer, *arguments)
    assert optimizer.lr == 0.1


def test_a_custom_schedule() -> None:
    from chainrule.optim.schedules import Schedule

    message = (
        r"^Schedule has no lr_at\(\): define lr_at\(epoch\), which returns the learning rate after "
        r"`epoch` epochs$"
    )
    with pytest.raises(TypeError, match=message):
        Schedule(optim.SGD(parameters()))

    class Halving(Schedule):
        def lr_at(self, epoch: int) -> float:
            return self.base_lr / 2**epoch

    schedule = Halving(optim.SGD(parameters(), lr=0.8))
    schedule.step()
    schedule.step()
    assert schedule.get_last_lr() == [0.2]


@pytest.mark.parametrize(
    ("schedule", "settings", "expected"),
    [
        (optim.StepLR, (2, 0.5), [0.8, 0.8, 0.4, 0.4, 0.2]),
        (optim.StepLR, (1,), [0.8, 0.08, 0.008]),
        (
            optim.CosineAnnealingLR,
            (4,),
            [0.8, 0.4 + 0.4 * math.sqrt(0.5), 0.4, 0.4 - 0.4 * math.sqrt(0.5), 0.0],
        ),
        (optim.CosineAnnealingLR, (1, 0.2), [0.8, 0.2, 0.8]),
        (optim.LinearLR, (), [0.8 * k / 15 for k in (5, 7, 9, 11, 13, 15, 15)]),
        (optim.LinearLR, (0.5, 0.25, 1), [0.4, 0.2, 0.2]),
    ],
)
def test_rates_of_schedules(schedule: Any, settings: tuple[Any, ...], expected: list[float]) -> None:
    optimizer = optim.SGD([Value(1.0)], lr=0.8)
    running = schedule(optimizer, *settings)
    rates = [optimizer.lr]
    for _ in expected[1:]:
        running.step()
        rates.append(optimizer.lr)
    assert rates == near(expected, rel=1e-15, abs=1e-16)  # the cosine of pi/2 is not exactly 0


# --- clipping ------------------------------------------------------------------------------------


def with_gradients(*gradients: float) -> list[Value]:
    params = parameters(len(gradients))
    for p, g in zip(params, gradients, strict=True):
        p.grad = g
    return params


def test_clipping_by_norm() -> None:
    params = with_gradients(3.0, -4.0)
    assert optim.clip_grad_norm_(params, 10.0) == 5.0
    assert [p.grad for p in params] == [3.0, -4.0]
    assert optim.clip_grad_norm_((p for p in params), 1.0) == 5.0
    assert [p.grad for p in params] == near([0.6, -0.8], rel=1e-6)
    assert optim.clip_grad_norm_([], 1.0) == 0.0


@pytest.mark.parametrize(
    ("norm_type", "norm"), [(1.0, 7.0), (2.0, 5.0), (3.0, 91.0 ** (1 / 3)), (math.inf, 4.0)]
)
def test_clipping_by_other_norms(norm_type: float, norm: float) -> None:
    params = with_gradients(3.0, -4.0)
    assert optim.clip_grad_norm_(params, 0.5, norm_type) == near(norm, ulps=2)
    scale = 0.5 / (norm + 1e-6)
    assert [p.grad for p in params] == near([3.0 * scale, -4.0 * scale], ulps=4)


def test_huge_gradients_do_not_overflow_the_norm() -> None:
    params = with_gradients(3e200, -4e200)
    assert optim.clip_grad_norm_(params, 1.0) == near(5e200, rel=1e-15)
    assert [p.grad for p in params] == near([0.6, -0.8], rel=1e-6)


@pytest.mark.parametrize(
    ("gradients", "norm_type", "norm"),
    [
        ((1e200, 1.0), 3.0, math.inf),  # a power overflows
        ((1e308, 1e308), 1.0, math.inf),  # the sum overflows
        ((0.0, 4.0), -1.0, 0.0),
        ((math.nan, 1e200), 3.0, math.nan),
    ],
)
def test_norms_that_overflow_are_those_of_ieee_754(
    gradients: tuple[float, ...], norm_type: float, norm: float
) -> None:
    params = with_gradients(*gradients)
    assert optim.clip_grad_norm_(params, 1.0, norm_type) == near(norm, ulps=1, nan_ok=True)


def test_clipping_by_value() -> None:
    params = with_gradients(3.0, -4.0, 0.5, math.inf)
    optim.clip_grad_value_(params, 1.0)
    assert [p.grad for p in params] == [1.0, -1.0, 0.5, 1.0]


def test_clipping_gradients_that_are_values() -> None:
    """After backward(create_graph=True)."""
    p = Value(2.0)
    (p**3).backward(create_graph=True)
    assert optim.clip_grad_norm_([p], 6.0) == 12.0
    assert p.grad.data == near(6.0, rel=1e-6)
    optim.clip_grad_value_([p], 0.5)
    assert p.grad.data == 0.5


def test_clipping_does_not_hide_a_nan() -> None:
    """PyTorch keeps the NaN too; replacing it with 1.0 would silently train on nonsense."""
    params = with_gradients(math.nan, 3.0)
    optim.clip_grad_value_(params, 1.0)
    assert math.isnan(params[0].grad)
    assert params[1].grad == 1.0
    assert math.isnan(optim.clip_grad_norm_(params, 1.0))
