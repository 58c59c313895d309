"""Modules and the networks of the classic tutorials: parameters, names, inputs, activations, init.

test_torch_parity covers the agreement with PyTorch, test_losses the losses.
"""

import math
import pickle
import random
import statistics
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, nn
from chainrule.nn import MLP, Layer, Module, Network, Neuron, Sequential

from ...near import near


def numbers(output: Any) -> list[float]:
    return [v.data for v in (output if isinstance(output, list) else [output])]


def weights(model: Module) -> list[float]:
    return [p.data for p in model.parameters()]


# --- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "count"),
    [
        *((Neuron(3), 4), (Layer(3, 2), 8), (MLP(2, [4, 4, 1]), 37), (Network([2, 4, 4, 1]), 37)),
        *((MLP(3, [1]), 4), (Sequential(Layer(2, 3), chainrule.tanh, Neuron(3)), 13), (Sequential(), 0)),
    ],
)
def test_number_of_parameters(model: Module, count: int) -> None:
    assert len(model.parameters()) == count
    assert all(isinstance(p, Value) and p.is_leaf for p in model.parameters())


def test_names() -> None:
    neuron = Neuron(2)
    assert [name for name, _ in neuron.named_parameters()] == ["w.0", "w.1", "b"]
    assert [p for _, p in neuron.named_parameters()] == [*neuron.w, neuron.b]
    assert [name for name, _ in Layer(1, 2).named_parameters("first")] == [
        *("first.neurons.0.w.0", "first.neurons.0.b"),
        *("first.neurons.1.w.0", "first.neurons.1.b"),
    ]
    names = [name for name, _ in MLP(2, [2, 1]).named_parameters()]
    assert names[0] == "layers.0.neurons.0.w.0"
    assert names[-1] == "layers.1.neurons.0.b"
    assert [name for name, _ in Sequential(chainrule.tanh, Neuron(1)).named_parameters()] == [
        "layers.1.w.0",
        "layers.1.b",
    ]


class Custom(Module):
    """Parameters in every kind of attribute, and attributes that are not parameters."""

    def __init__(self) -> None:
        self.scale = Value(2.0)
        self.table = {"a": Value(3.0), "rows": [Value(4.0), (Value(5.0),)]}
        self.inner = Neuron(1, "linear", seed=0)
        self.again = self.scale
        self.number = 7.0
        self.result = self.scale * 2.0  # not a leaf

    def forward(self, x: Any) -> Any:
        return self.scale * x + self.table["a"]


def test_a_custom_module() -> None:
    model = Custom()
    assert [name for name, _ in model.named_parameters()] == [
        *("scale", "table.a", "table.rows.0", "table.rows.1.0", "inner.w.0", "inner.b")
    ]
    assert model(10.0).data == 23.0
    assert [type(m).__name__ for m in model.modules()] == ["Custom", "Neuron"]


def test_shared_parameters_count_once() -> None:
    shared = Layer(2, 2, seed=0)
    model = Sequential(shared, shared)
    assert len(model.parameters()) == 6
    assert next(name for name, _ in model.named_parameters()) == "layers.0.neurons.0.w.0"
    sum(model([1.0, 2.0])).backward()
    assert all(p.grad != 0.0 for p in model.parameters())


def test_every_module_is_found_once() -> None:
    shared = Neuron(2, seed=0)
    model = Sequential(shared, Sequential(shared), shared)
    assert list(model.modules()) == [model, shared, model[1]]


class Recursive(Module):
    """Contains itself: as an attribute, in a list, and through a child that refers to its parent."""

    def __init__(self) -> None:
        self.inner = Neuron(1, seed=0)
        self.inner.whole = self  # type: ignore[attr-defined]
        self.myself = self
        self.parts: list[Any] = [self, Value(1.0)]
        self.parts.append(self.parts)


def test_a_module_that_contains_itself() -> None:
    model = Recursive()
    assert list(model.modules()) == [model, model.inner]
    names = ["inner.w.0", "inner.b", "parts.1"]
    assert [name for name, _ in model.named_parameters()] == names
    assert model.parameters() == [*model.inner.w, model.inner.b, model.parts[1]]
    assert [module.training for module in model.eval().modules()] == [False, False]
    model.load_state_dict(dict.fromkeys(names, 2.0))
    assert model.state_dict() == dict.fromkeys(names, 2.0)
    text = repr(model)
    assert text.startswith("Recursive(\n  (inner): Neuron(1, tanh")
    assert "\n  (myself): ...\n" in text


def test_parameters_in_an_array() -> None:
    class Table(Module):
        def __init__(self) -> None:
            self.rows = np.array([[Value(1.0), Value(2.0)], [Value(3.0), Value(4.0)]])
            self.numbers = np.arange(3.0)

    assert Table().state_dict() == {"rows.0.0": 1.0, "rows.0.1": 2.0, "rows.1.0": 3.0, "rows.1.1": 4.0}


def test_no_attribute_name_hides_a_parameter() -> None:
    class Named(Module):
        def __init__(self) -> None:
            self.watched = Value(1.0)
            self.training = [Value(2.0)]  # type: ignore[assignment]

    model = Sequential(Named(), Layer(1, 1, seed=0))
    model[1].watched = Named()
    names = ["layers.0.watched", "layers.0.training.0", "layers.1.watched.watched"]
    assert set(names) < set(model.state_dict())
    assert len(model.parameters()) == 6
    message = r"^Named.training is the mode, True or False, but holds parameters: rename the attribute$"
    with pytest.raises(TypeError, match=message):
        model.eval()
    assert isinstance(model[0].training, list)
    assert model.training


def test_without_forward() -> None:
    class Empty(Module):
        pass

    message = r"^Empty has no forward\(\): write one that computes its output"
    with pytest.raises(TypeError, match=message):
        Empty()(1.0)


def test_zero_grad() -> None:
    model = MLP(2, [3, 1], seed=0)
    model([1.0, 2.0]).backward()
    assert any(p.grad for p in model.parameters())
    model.zero_grad()
    assert [p.grad for p in model.parameters()] == [0.0] * 13


def test_train_and_eval_reach_the_whole_tree() -> None:
    model = Sequential(MLP(2, [3, 1]), Neuron(1))
    assert all(m.training for m in model.modules())
    assert model.eval() is model
    assert [m.training for m in model.modules()] == [False] * 9
    assert model.train() is model
    assert all(m.training for m in model.modules())
    model[1].eval()
    assert (model.training, model[1].training) == (True, False)


# --- outputs -------------------------------------------------------------------------------------


def test_a_neuron_computes_its_formula() -> None:
    neuron = Neuron(2, seed=0)
    neuron.w[0].data, neuron.w[1].data, neuron.b.data = 0.5, -0.25, 0.125
    assert neuron([2.0, 3.0]).data == math.tanh(0.5 * 2.0 - 0.25 * 3.0 + 0.125)


def test_one_neuron_returns_a_value_and_several_a_list() -> None:
    assert isinstance(Layer(2, 1)([1.0, 2.0]), Value)
    several = Layer(2, 3)([1.0, 2.0])
    assert isinstance(several, list)
    assert len(several) == 3
    assert isinstance(MLP(2, [3, 1])([1.0, 2.0]), Value)
    assert len(MLP(2, [3, 2])([1.0, 2.0])) == 2


def test_a_network_of_single_neurons() -> None:
    for model in (MLP(1, [1, 1, 1], seed=0), Network([1, 1, 1, 1], seed=0)):
        assert len(model.parameters()) == 6
        w = [layer.neurons[0].w[0].data for layer in model.layers]
        expected = w[2] * math.tanh(w[1] * math.tanh(w[0] * 2.0))
        plain = (2.0, 2, [2.0], (2.0,), Value(2.0), [Value(2.0)])
        for x in (*plain, np.array([2.0]), np.array(2.0), np.float64(2.0)):
            assert model(x).data == near(expected, rel=1e-15)
    assert isinstance(MLP(2, [1, 3])([1.0, 2.0]), list)


@pytest.mark.parametrize(
    "x",
    [
        *([1.0, 2.0], (1, 2), np.array([1.0, 2.0]), np.array([1, 2])),
        *(np.array([1.0, 2.0], dtype=np.float32), [np.float64(1.0), Value(2.0)]),
        *([Value(1.0), Value(2.0)], np.array([Value(1.0), Value(2.0)]), [True, 2.0]),
    ],
    ids=repr,
)
def test_numbers_values_and_rows_as_inputs(x: Any) -> None:
    model = MLP(2, [3, 2], seed=1)
    assert numbers(model(x)) == numbers(model([1.0, 2.0]))


def test_a_whole_batch_as_input() -> None:
    """PyTorch accepts a batch; here a model takes one sample."""
    message = r"^Neuron expects 2 inputs, got 4: pass one sample at a time, \[model\(x\) for x in X\]$"
    for X in (np.zeros((4, 2)), [[0.0, 0.0]] * 4):
        with pytest.raises(ValueError, match=message):
            MLP(2, [3, 1])(X)


def test_gradients_reach_inputs() -> None:
    x = Value(0.5)
    neuron = Neuron(2, "linear", seed=0)
    neuron([x, x]).backward()
    assert x.grad == neuron.w[0].data + neuron.w[1].data


@pytest.mark.parametrize(
    "model", [Neuron(3), Layer(3, 2), MLP(3, [2, 1]), Network([3, 1]), Sequential(Layer(3, 2))], ids=repr
)
@pytest.mark.parametrize(("x", "got"), [([1.0], 1), (1.0, 1), ([1.0] * 4, 4), (np.ones(2), 2), ([], 0)])
def test_a_wrong_number_of_inputs(model: Module, x: Any, got: int) -> None:
    with pytest.raises(ValueError, match=f"^Neuron expects 3 inputs, got {got}$"):
        model(x)


def test_inputs_that_are_not_numbers() -> None:
    with pytest.raises(TypeError, match=r"expected a real number .*, got str 'a'"):
        Neuron(2)("ab")
    with pytest.raises(TypeError, match=r"expected a real number .*, got ndarray"):
        Neuron(2)(np.ones((2, 2)))


# --- activations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("linear", -0.5), ("tanh", math.tanh(-0.5)), ("relu", 0.0)),
        *(("sigmoid", 1 / (1 + math.exp(0.5))), ("gelu", -0.5 * 0.5 * math.erfc(0.5 / math.sqrt(2)))),
        *(("silu", -0.5 / (1 + math.exp(0.5))), ("softplus", math.log1p(math.exp(-0.5)))),
        *(("elu", math.expm1(-0.5)), ("leaky_relu", -0.005), ("sin", math.sin(-0.5))),
        ("exp", math.exp(-0.5)),
    ],
)
def test_activations_by_name_and_function(name: str, expected: float) -> None:
    assert name in nn.activations.NAMES
    functions = [name] if name == "linear" else [name, getattr(chainrule, name), getattr(Value, name)]
    for activation in functions:
        neuron = Neuron(1, activation)
        neuron.w[0].data = 0.25
        assert neuron([-2.0]).data == near(expected, rel=1e-14)
        assert name in repr(neuron)


def test_every_activation_has_a_test() -> None:
    (marker,) = test_activations_by_name_and_function.pytestmark
    assert [row[0] for row in marker.args[1]] == list(nn.activations.NAMES)


def test_activation_none_means_linear() -> None:
    assert Neuron(1, None, seed=0)(3.0).data == Neuron(1, "linear", seed=0)(3.0).data
    assert repr(Neuron(1, None)) == "Neuron(1, linear)"


def test_a_custom_function() -> None:
    def double(x: Any) -> Any:
        return x * 2

    model = MLP(1, [2, 1], double, seed=0)
    plain = MLP(1, [2, 1], "linear", seed=0)
    assert model(3.0).data == near(2 * plain(3.0).data, rel=1e-15)
    assert repr(model.layers[0]) == "Layer(1, 2, double)"


@pytest.mark.parametrize("activation", ["Tanh", "softmax", "", 5])
def test_unknown_activations(activation: Any) -> None:
    message = (
        rf"^unknown activation {activation!r}; expected a function or one of: linear, tanh, relu, .*$"
    )
    for build in (
        lambda: Neuron(2, activation),
        lambda: Layer(2, 2, activation),
        lambda: MLP(2, [1], "tanh", activation),
        lambda: nn.activation_named(activation),
    ):
        with pytest.raises(ValueError, match=message):
            build()


def test_the_output_activation() -> None:
    model = MLP(2, [4, 3], "relu", "sigmoid")
    assert repr(model.layers) == "[Layer(2, 4, relu), Layer(4, 3, sigmoid)]"
    assert all(0.0 < p < 1.0 for p in numbers(model([1.0, 2.0])))
    assert repr(MLP(2, [4, 3]).layers) == "[Layer(2, 4, tanh), Layer(4, 3, linear)]"
    assert repr(Network([2, 4, 3], "relu", "exp").layers[-1]) == "Layer(4, 3, exp)"


@pytest.mark.parametrize("activation", nn.activations.NAMES)
def test_a_network_can_be_pickled(activation: str) -> None:
    model = Sequential(
        MLP(2, [3, 2], activation, init="xavier", seed=0), nn.activation_named(activation)
    )
    again = pickle.loads(pickle.dumps(model))
    assert repr(again) == repr(model)
    assert numbers(again[0]([0.5, 1.5])) == numbers(model[0]([0.5, 1.5]))
    assert again[1] is model[1]


def test_a_replaced_method_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner may replace a method of Value with a hand-written one."""
    neuron = Neuron(1, "relu", seed=0)
    monkeypatch.setattr(Value, "relu", lambda self: self * 0.0 + 42.0)
    assert neuron(1.0).data == 42.0


# --- initial weights -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("init", "limit", "variance"),
    [("uniform", 1.0, 1 / 3), ("xavier", math.sqrt(6 / 150), 2 / 150), ("he", math.inf, 2 / 100)],
)
def test_initial_weights(init: str, limit: float, variance: float) -> None:
    layer = Layer(100, 50, init=init, seed=0)
    drawn = [w.data for neuron in layer.neurons for w in neuron.w]
    assert len(drawn) == 5000
    assert max(map(abs, drawn)) <= limit
    assert statistics.fmean(drawn) == near(0.0, abs=0.05 * math.sqrt(variance))
    assert statistics.pvariance(drawn) == near(variance, rel=0.05)
    assert [neuron.b.data for neuron in layer.neurons] == [0.0] * 50


def test_unknown_init() -> None:
    for build in (lambda: Neuron(2, init="zeros"), lambda: MLP(2, [1], init="zeros")):
        with pytest.raises(
            ValueError, match=r"^unknown init 'zeros'; expected one of: uniform, xavier, he$"
        ):
            build()


@pytest.mark.parametrize("init", ["uniform", "xavier", "he"])
def test_seeds(init: str) -> None:
    first, same, other = (MLP(2, [4, 1], init=init, seed=seed) for seed in (1, 1, 2))
    assert weights(first) == weights(same)
    assert set(weights(first)) & set(weights(other)) == {0.0}
    assert len(set(weights(first))) == 13  # 12 different weights, and 0 for all biases


def test_a_seed_gives_these_numbers() -> None:
    assert [w.data for w in Neuron(2, seed=0).w] == [0.6888437030500962, 0.515908805880605]


def test_without_a_seed_the_random_module_decides() -> None:
    random.seed(5)
    first = weights(MLP(2, [2, 1]))
    second = weights(MLP(2, [2, 1]))
    random.seed(5)
    assert weights(MLP(2, [2, 1])) == first
    assert second != first


def test_a_seeded_network_leaves_the_random_module_alone() -> None:
    random.seed(5)
    expected = random.random()
    random.seed(5)
    MLP(2, [2, 1], seed=3)
    assert random.random() == expected


def test_a_generator_continues_its_sequence() -> None:
    rng = random.Random(0)
    pair = [Neuron(2, seed=rng), Neuron(2, seed=rng)]
    assert weights(pair[0]) == weights(Neuron(2, seed=0))
    assert weights(pair[1]) != weights(pair[0])


def test_a_seed_from_numpy() -> None:
    assert weights(Neuron(2, seed=np.int64(3))) == weights(Neuron(2, seed=3))  # type: ignore[arg-type]


# --- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, -1, 1.5, 2.0, True, "3", None])
def test_bad_sizes(size: Any) -> None:
    for build, name in (
        (lambda: Neuron(size), "nin"),
        (lambda: Neuron(size, init="he"), "nin"),
        (lambda: Layer(2, size), "nout"),
        (lambda: MLP(2, [3, size]), "nout"),
        (lambda: Network([size, 1]), "nin"),
    ):
        with pytest.raises(ValueError, match=rf"^{name} must be a positive integer, got {size!r}$"):
            build()


def test_sizes_from_numpy() -> None:
    """The number of classes is often `y.max() + 1`."""
    assert len(MLP(np.int64(2), [3, np.int64(2)]).parameters()) == 17
    assert len(MLP(2, np.array([3, 2])).parameters()) == 17


def test_no_layers() -> None:
    with pytest.raises(ValueError, match=r"^MLP needs at least one layer, got none$"):
        MLP(2, [])
    message = r"^Network needs at least the sizes of input and output, got \[2\]$"
    with pytest.raises(ValueError, match=message):
        Network([2])


def test_a_single_size_instead_of_a_list() -> None:
    with pytest.raises(TypeError, match=r"^MLP needs a list with the size of each layer, got 3$"):
        MLP(2, 3)  # type: ignore[arg-type]


def test_network_is_an_mlp_built_from_its_sizes() -> None:
    assert weights(Network([2, 4, 1], "relu", init="he", seed=3)) == weights(
        MLP(2, [4, 1], "relu", init="he", seed=3)
    )


# --- Sequential ----------------------------------------------------------------------------------


def test_sequential_with_functions() -> None:
    layer, neuron = Layer(2, 3, "linear", seed=0), Neuron(3, "linear", seed=1)
    model = Sequential(layer, chainrule.relu, neuron, lambda v: v * 2)
    hidden = [max(0.0, x) for x in numbers(layer([1.0, -2.0]))]
    assert model([1.0, -2.0]).data == near(2 * neuron(hidden).data, rel=1e-15)
    assert (len(model), model[0], model[-2]) == (4, layer, neuron)
    assert Sequential()(3.0) == 3.0
    assert repr(model[:2]) == "Sequential(\n  (layers.0): Layer(2, 3, linear)\n  (layers.1): relu\n)"


def test_sequential_accepts_only_callables() -> None:
    with pytest.raises(TypeError, match=r"^Sequential takes modules and functions, got int$"):
        Sequential(Neuron(1), 3)
    with pytest.raises(
        TypeError,
        match=r"^Sequential takes modules, got the class Neuron; create one with Neuron\(...\)$",
    ):
        Sequential(Neuron)


# --- states --------------------------------------------------------------------------------------


def test_a_state_survives_a_round_trip_exactly() -> None:
    model, other = MLP(2, [3, 1], seed=0), MLP(2, [3, 1], seed=1)
    special = [math.inf, -0.0, 5e-324, 0.1 + 0.2]
    for p, x in zip(model.parameters(), special, strict=False):
        p.data = x
    state = model.state_dict()
    other.load_state_dict(state)
    assert [x.hex() for x in weights(other)] == [x.hex() for x in weights(model)]
    assert list(state) == [name for name, _ in model.named_parameters()]
    model.parameters()[0].data = 7.0
    assert state["layers.0.neurons.0.w.0"] == math.inf  # a copy


FIT = "^the state does not fit this Neuron: "
MORE = dict.fromkeys(["w.0", "w.1", *"bcdefg"], 1.0)


@pytest.mark.parametrize(
    ("state", "error", "message"),
    [
        ({"w.0": 1.0, "w.2": 2.0}, ValueError, rf"{FIT}missing w\.1, b, unexpected w\.2$"),
        ({}, ValueError, rf"{FIT}missing w\.0, w\.1, b, unexpected none$"),
        (MORE, ValueError, rf"{FIT}missing none, unexpected c, d, e and 2 more$"),
        ({"w.0": 1.0, "w.1": 2.0, "b": "x"}, TypeError, "expected a real number .*, got str 'x'"),
        ({"w.0": 1.0, "w.1": None, "b": 1.0}, TypeError, "expected a real number .*, got None"),
    ],
)
def test_a_wrong_state_changes_nothing(state: Any, error: type[Exception], message: str) -> None:
    model = Neuron(2, seed=0)
    before = weights(model)
    with pytest.raises(error, match=message):
        model.load_state_dict(state)
    assert weights(model) == before


@pytest.mark.parametrize("state", [None, [1.0, 2.0, 3.0], "w.0"])
def test_an_invalid_state(state: Any) -> None:
    message = "^expected a dict of numbers, as state_dict\\(\\) returns it, got "
    with pytest.raises(TypeError, match=message):
        Neuron(2).load_state_dict(state)


def test_a_loaded_state_makes_an_old_result_stale() -> None:
    model = Neuron(1, seed=0)
    result = model(1.0)
    model.load_state_dict({"w.0": 2.0, "b": 1.0})
    with pytest.raises(chainrule.StaleValueError, match="was changed after"):
        result.backward()


# --- repr ----------------------------------------------------------------------------------------


def test_repr() -> None:
    assert repr(Neuron(3, "relu")) == "Neuron(3, relu)"
    assert repr(Layer(3, 2)) == "Layer(3, 2, tanh)"
    assert repr(Sequential(MLP(1, [2]), Neuron(2))) == (
        "Sequential(\n"
        "  (layers.0): MLP(\n"
        "    (layers.0): Layer(1, 2, linear)\n"
        "  )\n"
        "  (layers.1): Neuron(2, tanh)\n"
        ")"
    )
    assert repr(Custom()) == "Custom(\n  (inner): Neuron(1, linear)\n)"


def test_repr_shows_modules_in_a_dict() -> None:
    class Heads(Module):
        def __init__(self) -> None:
            self.heads = {"left": Neuron(1), "right": Neuron(2)}

    assert repr(Heads()) == (
        "Heads(\n  (heads.left): Neuron(1, tanh)\n  (heads.right): Neuron(2, tanh)\n)"
    )
