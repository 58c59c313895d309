"""JAX gives the same numbers on one device, on eight, and in several processes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import Value, compile, data, nn, optim, take, where
from chainrule.compiler.backends.parameters import ParameterTree, names_of
from chainrule.functional import logsumexp, prod
from chainrule.nn.saving import ModelFileError, load, save
from chainrule.train import NonFiniteLossError, fit

from ..conformance.campaigns.compiled_graphs import compare_some
from ..near import near
from ..unit.compiler.test_single import network
from .conftest import ROOT, Workers


def test_values_and_gradients_match_the_compiled_program(jax: Any) -> None:
    model, loss, batch = network(16, 8, "relu")
    step = compile(loss, model.parameters())
    value, grads = step.value_and_grad(*batch)
    f = step.to_jax(model=model)
    params = f.initial()
    assert jax.tree.map(lambda a: a.shape, params) == {
        "layers": [{"neurons": {"w": (8, 5), "b": (8,)}}, {"neurons": {"w": (4, 8), "b": (4,)}}]
    }
    mean = lambda p: f(p, batch).mean()  # noqa: E731
    assert float(jax.jit(mean)(params)) == near(value, rel=1e-13)
    found = f.tree.flatten(jax.jit(jax.grad(mean))(params))
    np.testing.assert_allclose(found, grads, rtol=1e-12, atol=1e-15)


def test_scalar_neurons_become_matrix_products(jax: Any) -> None:
    model, loss, batch = network(16, 8, "relu")
    f = compile(loss, model.parameters()).to_jax(*batch, model=model)
    program = str(jax.make_jaxpr(f)(f.initial(), batch))
    assert program.count("dot_general") == 2
    assert not re.findall(r"f64\[\] = (?!convert_element_type)", program)  # no scalars are computed
    assert program.count("\n") < 200
    wider = nn.MLP(5, [80, 40], activation="relu", seed=0)
    g = compile(wider).to_jax(batch[0])
    small = compile(model).to_jax(batch[0])
    counts = [str(jax.make_jaxpr(h)(h.initial(), batch[0])).count(" = ") for h in (g, small)]
    assert counts[0] - counts[1] == 2 * 36  # extracting 36 more outputs, and nothing else


def test_random_graphs(jax: Any) -> None:
    """`make fuzz` runs 2,000; XLA takes a second for each. In one of 15, equal masks are merged."""
    assert compare_some(range(12), ("jax",)) >= 11


def test_vmap_second_derivatives_and_jvp(jax: Any) -> None:
    w = Value(0.5, label="w")
    f = compile(lambda x: (w * x).sin() ** 2, [w]).to_jax(np.ones(1))
    point = lambda x: f({"w": jax.numpy.asarray(0.5)}, x[None])[0]  # noqa: E731
    second = jax.vmap(jax.grad(jax.grad(point)))(np.array([0.3, 2.0]))
    np.testing.assert_allclose(second, 0.5 * np.cos(np.array([0.3, 2.0])), rtol=1e-12)
    _, moved = jax.jvp(point, (1.0 * np.float64(0.3),), (np.float64(1.0),))
    assert float(moved) == near(0.5 * np.sin(0.3), ulps=4)


def test_second_derivatives_under_where(jax: Any) -> None:
    f = compile(lambda x: where(x > 0, (x.sqrt() - 1) ** 2, 0 * x)).to_jax(np.ones(1))
    point = lambda x: f({}, x[None])[0]  # noqa: E731
    assert float(jax.grad(jax.grad(point))(np.float64(1.0))) == near(0.5, ulps=4)
    moved = jax.jvp(jax.grad(point), (np.float64(4.0),), (np.float64(1.0),))[1]
    assert float(moved) == near(0.5 * 4.0**-1.5, ulps=4)


def test_a_condition_is_computed_from_the_real_inputs(jax: Any) -> None:
    """Even if a branch that the sample does not take uses the same expression."""
    f = compile(lambda x: where(x.log() < -1, 2 * x, x.log())).to_jax(np.ones(1))
    assert f({}, np.array([0.1, 1.5])).tolist() == near([0.2, np.log(1.5)], ulps=4)


def test_reductions_in_a_branch_that_is_not_taken(jax: Any) -> None:
    step = compile(lambda x: where(x[0] > 0, prod([x[1].log(), x[2]]), 2 * x[1]))
    f = step.to_jax(np.ones((1, 3)))
    slopes = jax.grad(lambda x: f({}, x).sum())(np.array([[-1.0, 0.0, 3.0]]))
    assert slopes.tolist() == [[0.0, 2.0, 0.0]]


def test_extreme_and_infinite_arguments(jax: Any) -> None:
    inf = np.inf
    for function, at in (
        (lambda x: x[0].tanh(), [[20.0, 0], [-40.0, 0]]),
        (lambda x: x[0] / x[1], [[0.0, 1e-200]]),
        (lambda x: x[0].log(), [[-1.0, 0]]),
        (lambda x: logsumexp(list(x)), [[-inf, -inf], [inf, 1.0], [-inf, 2.0]]),
    ):
        step = compile(function, reduction="none")
        X = np.array(at)
        expected = step.value_and_grad(X, argnums=0)[1]
        f = step.to_jax(X)
        found = jax.grad(lambda x, f=f: f({}, x).sum())(X)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_take_with_an_invalid_index_gives_nan(jax: Any) -> None:
    f = compile(lambda i: take([10.0, 20.0, 30.0], i)).to_jax(np.zeros(1))
    found = f({}, np.array([0.0, 2.0, 3.0, -1.0, 1.5, np.nan]))
    assert found[:2].tolist() == [10.0, 30.0]
    assert np.isnan(found[2:]).all()


def test_single_precision_with_comparisons(jax: Any) -> None:
    step = compile(lambda x: where(x[0] < x[1], x[0] * 2, x[1].tanh()), dtype="float32")
    f = step.to_jax(np.ones((1, 2)))
    slopes = jax.grad(lambda x: f({}, x).sum())(np.array([[1.0, 2.0], [2.0, 0.5]], np.float32))
    assert slopes.dtype == np.float32
    assert slopes[0].tolist() == [2.0, 0.0]


@pytest.mark.parametrize(
    "names",
    [("a", "b", "c"), ("c", "a", "b"), (2, 0, 1), ((1, 0), (0, 1), (0, 0))],
    ids=["sorted", "unsorted", "numbers", "tuples"],
)
def test_dicts_can_be_jitted_with_keys_in_any_order(jax: Any, names: Any) -> None:
    """JAX sorts the keys of dicts, including nested ones, before it calls a function."""
    first, second, third = names

    def function(x: Any, y: Any) -> Any:
        return x[first] - 2 * x[second][third] + 3 * x[second][first] * y

    batch = ({first: np.arange(3.0), second: {third: np.ones(3), first: np.arange(3.0) + 5}}, np.ones(3))
    step = compile(function)
    expected = step(*batch)
    f = step.to_jax(*batch)
    assert f({}, batch).tolist() == expected.tolist()
    assert jax.jit(f)({}, batch).tolist() == expected.tolist()
    turned = {second: {first: batch[0][second][first], third: np.ones(3)}, first: np.arange(3.0)}
    assert jax.jit(f)({}, (turned, np.ones(3))).tolist() == expected.tolist()
    slopes = jax.jit(jax.grad(lambda b: f({}, b).sum()))(batch)
    assert slopes[0][second][third].tolist() == [-2.0] * 3
    assert slopes[0][first].tolist() == [1.0] * 3
    one = jax.vmap(lambda b: f({}, jax.tree.map(lambda a: a[None], b))[0])(batch)
    assert one.tolist() == expected.tolist()
    message = r"^expected a dict with the keys \[.*\] in the batch, got the keys"
    with pytest.raises(TypeError, match=message):
        f({}, ({first: np.ones(3)}, np.ones(3)))
    with pytest.raises(TypeError, match=r"in the batch, got ndarray$"):
        f({}, (np.ones(3), np.ones(3)))


def test_parameter_names_that_do_not_form_a_tree(jax: Any) -> None:
    ps = [Value(10.0, label="a.0"), Value(3.0, label="a")]
    f = compile(lambda x: x * ps[0] + ps[1], ps).to_jax(np.ones(1))
    assert f(f.initial(), np.array([1.0, 2.0])).tolist() == [13.0, 23.0]
    tree = ParameterTree(["w.1", "w.01", "²"])
    assert tree.flatten(tree.build(np.arange(3.0))).tolist() == [0.0, 1.0, 2.0]


def test_fit_rejects_what_jax_would_do_differently(jax: Any) -> None:
    X, y = data.moons(40, seed=0)
    model = nn.MLP(2, [3, 1], seed=0)

    class Clipping(optim.SGD):
        def step(self) -> None:
            super().step()

    def total(predictions: Any, targets: Any) -> Any:
        return sum((p - t) ** 2 for p, t in zip(predictions, targets, strict=True))

    options: dict[str, Any] = {"epochs": 2, "engine": "jax", "progress": False}
    with pytest.raises(TypeError, match="not the mean of the losses"):
        fit(model, total, X, y, **options)
    with pytest.raises(TypeError, match=r"overrides step\(\)"):
        fit(model, "mse", X, y, optimizer=Clipping(model.parameters(), lr=0.1), **options)


def test_fit_names_a_nonfinite_batch(jax: Any) -> None:
    X, y = data.moons(48, seed=0)
    X = X.copy()
    X[10, 0] = np.inf
    model = nn.MLP(2, [3, 1], seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    options: Any = {"epochs": 1, "batch_size": 4, "shuffle": False, "progress": False}
    with pytest.raises(NonFiniteLossError, match="epoch 1, batch 3"):
        fit(model, "mse", X, y, optimizer=optimizer, engine="jax", **options)
    assert optimizer.steps == 2


def test_fit_applies_changes_by_a_callback(jax: Any) -> None:
    X, y = data.moons(30, seed=0)
    losses = []
    for engine in ("eager", "jax"):
        model = nn.MLP(2, [3, 1], seed=0)
        optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

        def meddle(epoch: int, history: Any, model: Any = model, optimizer: Any = optimizer) -> bool:
            if epoch == 2:
                model.parameters()[0].data = 0.5
                optimizer.hyperparameters["momentum"] = 0.1
            return False

        options: dict[str, Any] = {"epochs": 5, "engine": engine, "progress": False}
        losses.append(fit(model, "mse", X, y, optimizer=optimizer, callbacks=[meddle], **options).losses)
    assert losses[1] == near(losses[0], rel=1e-9)


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "AdamW"])
def test_fit_takes_the_same_steps_as_in_eager_mode(jax: Any, name: str) -> None:
    X, y = data.moons(48, seed=1)
    results = []
    for engine in ("eager", "jax"):
        model = nn.MLP(2, [5, 1], seed=0)
        made = getattr(optim, name)(model.parameters(), lr=0.01)
        options: Any = {"epochs": 8, "batch_size": 20, "engine": engine, "progress": False}
        history = fit(model, "binary_cross_entropy_with_logits", X, y, optimizer=made, **options)
        results.append((history, model.state_dict(), made.steps))
    (eager, weights, steps), (found, others, same) = results
    assert found.losses == near(eager.losses, rel=1e-9)
    assert others == near(weights, rel=1e-9)
    assert same == steps
    for layer, norms in eager.gradient_norms.items():
        assert found.gradient_norms[layer] == near(norms, rel=1e-7)


def test_rejected_arguments(jax: Any) -> None:
    X, y = data.moons(30, seed=0)
    model = nn.MLP(2, [3, 1], seed=0)
    options: dict[str, Any] = {"epochs": 1, "progress": False}
    mesh = jax.make_mesh((1,), ("data",))
    with pytest.raises(ValueError, match="a mesh of devices needs engine='jax'"):
        fit(model, "mse", X, y, mesh=mesh, **options)
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(TypeError, match="jax_enable_x64"):
        fit(model, "mse", X, y, engine="jax", **options)
    jax.config.update("jax_enable_x64", True)
    f = compile(model).to_jax(X)
    wrong = f.initial()
    wrong["layers"][0]["neurons"]["w"] = np.zeros((2, 3))
    message = r"at layers.0.neurons.w must have the shape \(3, 2\), got \(2, 3\)"
    with pytest.raises(ValueError, match=message):
        f(wrong, X)
    with pytest.raises(ValueError, match="expected an array of shape"):
        f(f.initial(), np.zeros((4, 3)))
    with pytest.raises(TypeError, match="expected 1 arguments"):
        f(f.initial(), (X, y))


def test_missing_jax_is_reported(tmp_path: Path) -> None:
    (tmp_path / "jax.py").write_text("raise ImportError('no')")
    code = "import numpy as np, chainrule; chainrule.compile(lambda x: x).to_jax(np.ones(1))"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "pip install 'chainrule[jax]'" in run.stderr


def test_parameter_trees() -> None:
    tree = ParameterTree(["a.0", "a.1", "b.x", "b.y.0.0", "b.y.0.1", "b.y.1.0", "b.y.1.1", "c"])
    built = tree.build(np.arange(8.0))
    assert built["a"].tolist() == [0.0, 1.0]
    assert built["b"]["y"].tolist() == [[3.0, 4.0], [5.0, 6.0]]
    assert tree.flatten(built).tolist() == list(range(8))
    with pytest.raises(ValueError, match="same name"):
        ParameterTree(["a", "a"])
    with pytest.raises(ValueError, match="inside another"):
        ParameterTree(["a", "a.0"])


# --- devices and processes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", ""], ["params.0", "params.1"]),
        (["a", "a"], ["params.0", "params.1"]),
        (["a", "a.0"], ["params.0", "params.1"]),
    ],
)
def test_labels_name_parameters_if_all_have_different_ones(labels: list[str], names: list[str]) -> None:
    a, b = (Value(2.0, label=label) for label in labels)
    assert names_of(compile(lambda x: a * x + b, params=[a, b])) == names


def test_devices_and_processes_give_the_same_losses(workers: Workers) -> None:
    one = workers.run(1, 1)
    assert workers.run(1, 8) == near(one, rel=1e-9)
    assert workers.run(2, 2) == near(one, rel=1e-9)


def test_a_killed_run_resumes_with_a_different_number_of_processes(workers: Workers) -> None:
    whole = workers.run(1, 1)
    state = workers.folder / "run.safetensors"
    doomed = workers.start(2, 2, resume=str(state), die_after=4)
    assert doomed[1].wait(timeout=300) == 9
    doomed[0].kill()  # it would wait a minute for the other process
    for worker in doomed:
        worker.communicate()
    assert not (workers.folder / "out.json").exists() or doomed[0].returncode != 0
    kept = json.loads(_metadata(state)["training"])
    assert kept["epoch"] in (3, 4)  # only the steps since then are lost
    assert load(state)
    resumed = workers.run(1, 4, resume=str(state))
    assert resumed == near(whole, rel=1e-9)


# What differs in one process, and a pattern for the error message.
DIFFERENCES = {
    "seed": r"parameters .*\(here: 25, the first -?0\.\d+\)",
    "lr": r"optimizer settings .*\(here: lr=0\.0[23], ",
    "optimizer": r"optimizers .*\(here: AdamW?\)",
    "state": r"optimizer states ",
    "program": r"programs of model and loss .*\(here: \d+ instructions, \d+ constants\)",
    "data": r"data ",
    "fewer": r"data .*\(here: samples of the shapes \[\(2,\), \(\)\], (64|96) of them in batches of 32",
    "order": r"sample orders ",
    "epochs": r"epochs .*\(here: 1 to [34]\)",
    "callback": r"parameters ",
}


@pytest.mark.parametrize("differ", DIFFERENCES)
def test_processes_that_differ_stop(workers: Workers, differ: str) -> None:
    """They used to finish with equal losses but different models."""
    message = f"ValueError: the {DIFFERENCES[differ]}"
    started = workers.start(2, 1, differ=differ, epochs=3)
    for worker, error in [(worker, worker.communicate(timeout=300)[1]) for worker in started]:
        assert worker.returncode != 0
        assert re.search(message, error), error[-1000:]
        assert "of process 1 differ from those of process 0 (here: " in error
        assert "all processes of a training run must agree" in error


def _metadata(path: Path) -> dict[str, str]:
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        return file.metadata()


def test_a_batch_that_cannot_be_split_is_rejected(workers: Workers) -> None:
    (worker,) = workers.start(1, 8, batch=20)
    error = worker.communicate(timeout=120)[1]
    assert "a batch of 20 samples cannot be split over 8 devices" in error


# --- resuming, on every engine -------------------------------------------------------------------


def test_resuming_restores_the_best_epoch_and_the_patience(tmp_path: Path) -> None:
    X, y = data.moons(30, seed=0)

    def counted(predictions: Any, targets: Any) -> float:
        return float(len(predictions))

    def run(epochs: int, resume: Path | None, checkpoint: Path) -> tuple[Any, Any]:
        model = nn.MLP(2, [3, 1], seed=0)
        optimizer = optim.SGD(model.parameters(), lr=1.2)  # too fast: the best epoch is early
        options: Any = {"epochs": epochs, "batch_size": 8, "patience": 4, "progress": False}
        options |= {"checkpoint": checkpoint, "resume": resume, "metrics": {"accuracy": counted}}
        return fit(model, "mse", X, y, optimizer=optimizer, **options), model

    whole, model = run(30, None, tmp_path / "whole")
    assert whole.stopped
    state = tmp_path / "run"
    for cut in (2, 30):
        history, other = run(cut, state, tmp_path / "parts")
    for name in ("losses", "learning_rates", "dead_units"):
        assert getattr(history, name) == near(getattr(whole, name), rel=1e-12, nan_ok=True)
    assert (history.best_epoch, history.stopped) == (whole.best_epoch, whole.stopped)
    assert len(history.metrics["accuracy"]) == len(history.losses)
    assert other.state_dict() == near(model.state_dict(), rel=1e-12)
    expected, found = load(tmp_path / "whole"), load(tmp_path / "parts")
    assert found.state_dict() == near(expected.state_dict(), rel=1e-12)
    again, third = run(30, state, tmp_path / "parts")  # the run had finished
    assert again.losses == history.losses
    assert third.state_dict() == near(model.state_dict(), rel=1e-12)


@pytest.mark.parametrize("engine", ["eager", "auto"])
def test_a_resumed_run_matches_an_uninterrupted_one(engine: str, tmp_path: Path) -> None:
    X, y = data.moons(30, seed=0)
    path = tmp_path / "run.safetensors"

    def run(epochs: int, resume: Path | None, optimizer: Any = optim.Adam) -> tuple[Any, Any]:
        model = nn.MLP(2, [3, 1], seed=0)
        made = optimizer(model.parameters(), lr=0.05)
        options: Any = {"epochs": epochs, "batch_size": 8, "engine": engine, "progress": False}
        options |= {"schedule": optim.StepLR(made, 2), "resume": resume}
        return fit(model, "mse", X, y, optimizer=made, **options), model

    whole, model = run(6, None)
    run(3, path)
    rest, other = run(6, path)
    assert rest.losses == near(whole.losses, rel=1e-12)
    assert other.state_dict() == near(model.state_dict(), rel=1e-12)
    assert run(6, path)[0].losses == rest.losses  # the run has already finished
    with pytest.raises(ModelFileError, match="whose optimizer differs: 'Adam' there, 'SGD' here"):
        run(6, path, optim.SGD)
    other_model = nn.MLP(2, [4, 1], seed=0)
    with pytest.raises(ModelFileError, match="a different model"):
        fit(other_model, "mse", X, y, epochs=1, resume=path, engine=engine, progress=False)
    save(nn.MLP(2, [3, 1], seed=0), path)
    with pytest.raises(ModelFileError, match="not a run that can be resumed"):
        run(6, path)


def test_the_example_in_the_documentation_runs(jax: Any) -> None:
    text = (ROOT / "docs" / "scaling.md").read_text()
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert len(names["history"].losses) == 3
