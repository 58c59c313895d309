"""Classifier and Regressor: scikit-learn's own checks, accuracy, models of one's own."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from chainrule import Value, core, dot, exp, nn, tanh

from ...conftest import require
from ...near import near

require("sklearn")
checks = require("sklearn.utils.estimator_checks")
pipeline = require("sklearn.pipeline")
selection = require("sklearn.model_selection")

from chainrule.sklearn import Classifier, Regressor  # noqa: E402


class Own(nn.Module):
    """A model of one's own, written on scalars."""

    def __init__(self, inputs: int, outputs: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.units: list[list[list[Value]]] = [
            [[Value(x) for x in random.normal(size=inputs)] for _ in range(6)] for _ in range(outputs)
        ]
        self.heights: list[list[Value]] = [
            [Value(x) for x in random.normal(size=7)] for _ in range(outputs)
        ]

    def forward(self, x: Any) -> Any:
        results = [
            h[-1] + dot(h[:-1], [tanh(dot(w, x)) for w in unit])
            for unit, h in zip(self.units, self.heights, strict=True)
        ]
        return results[0] if len(results) == 1 else results


def own(estimator: Any) -> Any:
    return estimator(Own, engine="native", epochs=300, learning_rate=0.03)


@pytest.mark.skipif(core == "python", reason="takes minutes on the reference core")
@pytest.mark.parametrize("estimator", [Classifier(), Regressor(), own(Classifier), own(Regressor)])
def test_the_checks_of_scikit_learn(estimator: Any) -> None:
    results = checks.check_estimator(estimator, on_skip=None)
    assert all(each["status"] in ("passed", "skipped") for each in results)
    skipped = {each["check_name"] for each in results if each["status"] == "skipped"}
    assert len(results) - len(skipped) >= 51
    assert len(skipped) <= 2  # they need pandas, and an environment variable


def data(n: int = 200) -> tuple[Any, Any]:
    """Features of scale 1, 50 and 1,000, and a smooth function of them."""
    X = np.random.default_rng(0).normal(size=(n, 3)) * [1.0, 50.0, 1000.0] + [0, 100, -5000]
    scaled = (X - [0, 100, -5000]) / [1.0, 50.0, 1000.0]
    return X, 300 + 40 * (np.sin(scaled[:, 0]) + scaled[:, 1] * scaled[:, 2])


native = pytest.mark.skipif(core == "python", reason="takes long on the reference core")


@native
def test_regression() -> None:
    X, y = data(400)
    model = Regressor(hidden=(32,), epochs=400, random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.95
    assert model.history_.engine == "native"
    again = Regressor(hidden=(32,), epochs=400, random_state=0).fit(X[:300], y[:300])
    assert np.array_equal(again.predict(X), model.predict(X))


@native
def test_regression_of_several_outputs() -> None:
    X, y = data()
    both = np.stack([y, -2 * y + X[:, 2]], axis=1)
    model = Regressor(epochs=300, random_state=0).fit(X, both)
    assert model.predict(X).shape == (200, 2)
    assert model.score(X, both) > 0.9
    one = Regressor(epochs=5, random_state=0).fit(X, y[:, None])
    assert one.predict(X).shape == (200, 1)


@native
def test_weight_decay() -> None:
    """Without it, a network learns noise by heart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 5))
    exact = X.sum(axis=1)
    y = exact + 2.0 * rng.normal(size=1100)
    scores = [
        Regressor(weight_decay=decay / 100, random_state=0)
        .fit(X[:100], y[:100])
        .score(X[100:], exact[100:])
        for decay in (0.0, 10.0)
    ]
    assert scores[1] > 0.8 > 0.5 > scores[0]


@native
@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"]])
def test_classification(classes: list[str]) -> None:
    X, y = data(400)
    edges = np.quantile(y, np.linspace(0, 1, len(classes) + 1)[1:-1])
    labels = np.array(classes)[np.searchsorted(edges, y)]
    model = Classifier(epochs=300, random_state=0).fit(X[:300], labels[:300])
    assert model.score(X[300:], labels[300:]) > 0.85
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (400, len(classes))
    assert probabilities.sum(axis=1) == near(np.ones(400), ulps=4)
    assert model.classes_.tolist() == classes


@native
def test_inside_pipelines_and_searches() -> None:
    X, y = data()
    pipe = pipeline.make_pipeline(Regressor(epochs=50, random_state=0))
    search = selection.GridSearchCV(pipe, {"regressor__hidden": [(2,), (16,)]}, cv=2).fit(X, y)
    assert search.best_params_ == {"regressor__hidden": (16,)}


class Decay(nn.Module):
    """height · exp(-rate · x)."""

    def __init__(self) -> None:
        self.height = Value(1.0)
        self.rate = Value(1.0)

    def forward(self, x: Any) -> Any:
        return self.height * exp(-self.rate * x[0])


@pytest.mark.parametrize("engine", ["eager", "native"] if core == "c" else ["eager"])
def test_a_model_of_ones_own_in_its_own_units(engine: Any) -> None:
    X = np.linspace(0, 3, 20)[:, None]
    y = 2.5 * np.exp(-1.3 * X[:, 0])
    start = Decay()
    model = Regressor(start, standardize=False, learning_rate=0.05, epochs=300, engine=engine)
    model.set_params(random_state=0).fit(X, y)
    assert [p.data for p in model.model_.parameters()] == near([2.5, 1.3], rel=1e-3)
    assert [p.data for p in start.parameters()] == [1.0, 1.0]  # a copy was trained
    assert model.predict([[0.0]]) == near([2.5], rel=1e-3)
    for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(same.predict(X), model.predict(X))


class Rounded(Decay):
    def forward(self, x: Any) -> Any:
        return super().forward([round(x[0].data if isinstance(x[0], Value) else x[0], 1)])


def test_models_that_cannot_be_compiled_predict_eagerly() -> None:
    model = Regressor(Rounded(), standardize=False, epochs=2).fit([[0.0], [1.0]], [1.0, 2.0])
    expected = [model.model_([x]).data for x in (0.0, 1.0)]
    assert model.predict([[0.04], [0.96]]).tolist() == expected


def test_constant_columns_and_targets() -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    model = Regressor(hidden=(2,), epochs=2, random_state=0).fit(X, [1e9] * 3)
    assert model.predict(X) == near([1e9] * 3, abs=10.0)


def test_hidden_layers_as_a_number() -> None:
    with pytest.raises(
        TypeError, match=r"size of each hidden layer, got 16: write \[16\] for one layer"
    ):
        Regressor(hidden=16).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(kind: Any) -> None:
    """The scales of new data would give wrong predictions with the old model."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1])
    estimator = kind(hidden=(2,), epochs=2, random_state=0).fit(X, y)
    before = estimator.predict(X).tolist()
    estimator.model = 3
    with pytest.raises(TypeError, match="model must be a model"):
        estimator.fit(1000.0 * X, y + 7)
    assert estimator.predict(X).tolist() == before


def test_errors() -> None:
    with pytest.raises(ValueError, match="Classifier needs samples of two classes or more, got 1 class"):
        Classifier().fit([[1.0], [2.0]], [3, 3])
    with pytest.raises(
        TypeError, match=r"a function \(inputs, outputs, seed\) that returns one, got int"
    ):
        Regressor(3).fit([[1.0], [2.0]], [3, 3])
