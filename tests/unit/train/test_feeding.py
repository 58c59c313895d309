"""fit on batches from an iterable: the same numbers as from arrays, and clear errors."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import data, nn, optim, value
from chainrule.train import accuracy, fit

from ...conftest import require
from ...near import near

X, Y = data.moons(30, seed=0)
ENGINES = ["eager", "auto", *(["native"] if value.c_core is not None else [])]


def pieces(size: int = 8) -> list[tuple[Any, Any]]:
    return [(X[i : i + size], Y[i : i + size]) for i in range(0, len(X), size)]


def train(*source: Any, engine: str = "eager", epochs: int = 4, **options: Any) -> tuple[Any, Any]:
    model = nn.MLP(2, [3, 1], seed=0)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    options = {"optimizer": optimizer, "epochs": epochs, "progress": False, **options}
    return fit(model, "mse", *source, engine=engine, **options), model


class Shuffled:
    """Yields a different order on each pass."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return data.batches(X, Y, 8, seed=self.rng)


class Numbered:
    """Its order depends only on the epoch; counts the batches requested."""

    def __init__(self) -> None:
        self.epoch, self.read = 0, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for batch in data.batches(X, Y, 8, seed=self.epoch):
            self.read += 1
            yield batch


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_numbers_as_from_arrays(engine: str) -> None:
    """The last batch is smaller, and has less weight."""
    expected, weights = train(X, Y, batch_size=8, shuffle=False, engine=engine)
    for source in (pieces(), pieces, [[x.tolist(), y.tolist()] for x, y in pieces()]):
        history, model = train(source, engine=engine)
        assert history.losses == near(expected.losses, rel=1e-12)
        assert model.state_dict() == near(weights.state_dict(), rel=1e-12)
        assert history.gradient_norms["layer 1"] == near(expected.gradient_norms["layer 1"], rel=1e-9)


def test_a_torch_data_loader() -> None:
    torch = require("torch")
    samples = torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(Y))
    loader = torch.utils.data.DataLoader(samples, batch_size=8)
    for engine in ENGINES:
        assert train(loader, engine=engine)[0].losses == near(train(pieces())[0].losses, rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_iterator_is_read_once(engine: str) -> None:
    assert train(iter(pieces()), epochs=1, engine=engine)[0].epochs == 1
    with pytest.raises(
        ValueError,
        match=r"^no batches are left for epoch 2: an iterator can be read only once, so pass a list of "
        r"batches, or a function that returns a new iterator$",
    ):
        train((batch for batch in pieces()), epochs=2, engine=engine)


@pytest.mark.parametrize("make", [Shuffled, Numbered])
def test_resuming_with_batches(make: Callable[[], Any], tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    whole, model = train(make(), epochs=5)
    train(make(), epochs=3, resume=path)
    source = make()
    rest, other = train(source, epochs=5, resume=path)
    assert rest.losses == near(whole.losses, rel=1e-12)
    assert other.state_dict() == near(model.state_dict(), rel=1e-12)
    if isinstance(source, Numbered):  # two epochs of four batches, plus one to learn the shapes
        assert source.read == 9
    done = make()
    assert train(done, epochs=5, resume=path)[0].losses == rest.losses
    if isinstance(done, Numbered):
        assert done.read == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_the_error_explains_a_non_finite_batch(engine: str) -> None:
    batches = pieces()
    batches[2] = (batches[2][0] * np.inf, batches[2][1])
    message = r"in epoch 1, batch 3: .*; the data contains numbers that are not finite\.$"
    with pytest.raises(ArithmeticError, match=message):
        train(batches, engine=engine)


SHARES = r"^the binary cross-entropy needs targets from 0 to 1, got {}$"
WRONG_TARGETS: list[tuple[str, Any, type[Exception], str]] = [
    ("hinge", 0.0, ValueError, r"^the hinge loss needs targets -1 and 1, got 0\.0$"),
    ("hinge", np.nan, ValueError, r"^the hinge loss needs targets -1 and 1, got nan$"),
    ("binary_cross_entropy", 1.5, ValueError, SHARES.format(r"1\.5")),
    ("binary_cross_entropy_with_logits", -0.5, ValueError, SHARES.format(r"-0\.5")),
    ("cross_entropy", 2.0, ValueError, "^class 2 is out of range for 2 scores$"),
    ("cross_entropy", 0.5, TypeError, r"^a class must be an integer, got np.float64\(0.5\)$"),
    ("nll", -1.0, ValueError, "^class -1 is out of range for 2 scores$"),
    ("nll", np.inf, TypeError, r"^a class must be an integer, got np.float64\(inf\)$"),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("loss", "wrong", "error", "message"), WRONG_TARGETS)
def test_a_wrong_target_in_a_later_batch(
    engine: str, loss: str, wrong: Any, error: type[Exception], message: str
) -> None:
    """The error is that of eager mode, and the steps before it are kept."""
    several = loss in ("cross_entropy", "nll")
    model = nn.MLP(2, [2 if several else 1], output_activation="sigmoid", seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.01)
    right = np.ones(len(X))
    later = np.array([*right[1:], wrong])
    batches = [(X, right), (X, right), (X, right), (X, later)]
    with pytest.raises(error, match=message):
        fit(model, loss, batches, optimizer=optimizer, engine=engine, progress=False)  # type: ignore[arg-type]
    assert optimizer.steps == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_targets_that_are_words_in_a_later_batch(engine: str) -> None:
    message = "^a target must be a number, got 'no': write classes as 0, 1, 2$"
    with pytest.raises(TypeError, match=message):
        train([(X[:2], [0, 1]), (X[:2], [0, "no"])], engine=engine)


def test_several_targets_for_each_sample() -> None:
    later = np.ones((len(X), 2))
    later[7, 1] = 0.25
    for engine in ENGINES:
        model = nn.MLP(2, [2], seed=0)
        with pytest.raises(ValueError, match=r"^the hinge loss needs targets -1 and 1, got 0.25$"):
            fit(model, "hinge", [(X, np.ones((len(X), 2))), (X, later)], engine=engine, progress=False)


def test_monitoring_needs_validation_data() -> None:
    history, _ = train(pieces(), validation=(X, Y), metrics={"accuracy": accuracy}, patience=3)
    assert len(history.validation_losses) == len(history.metrics["accuracy"]) == 4
    for options in ({"metrics": {"accuracy": accuracy}}, {"patience": 1}, {"checkpoint": "model"}):
        with pytest.raises(ValueError, match=r"batches are not kept: pass validation=\(X, y\)$"):
            train(pieces(), **options)


MISSING = (
    r"^y is missing: without it, X must be batches \(X, y\), but batch 1 has only numbers; "
    r"call fit\(model, loss, X, y\)$"
)


@pytest.mark.parametrize(
    ("source", "options", "kind", "message"),
    [
        (pieces(), {"batch_size": 8}, ValueError, "^batches have their own sizes: leave out"),
        (pieces(), {"validation": 0.5}, ValueError, "^a validation fraction needs X and y, not"),
        ([], {}, ValueError, "^the iterator is empty: expected at least one batch to train on$"),
        (3, {}, TypeError, "^without y, the data must be an iterable of batches .*, got int$"),
        (X, {}, TypeError, MISSING),
        ([(X, Y, Y)], {}, TypeError, r"^batch 1 must be a pair \(X, y\), got tuple$"),
        ([(X, Y), (X, Y[1:])], {}, ValueError, "^batch 2: X has 30 samples and y has 29$"),
        ([(X, Y), (X[:0], Y[:0])], {}, ValueError, "^batch 2: the data set is empty$"),
        (X.tolist(), {}, TypeError, MISSING),
        ([[1, 2, 3]], {}, TypeError, MISSING),
        (Y, {}, TypeError, MISSING),
    ],
)
def test_bad_batches(source: Any, options: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        train(source, **options)


@pytest.mark.skipif(value.c_core is None, reason="there is no C core")
@pytest.mark.parametrize("ones", [0, 1, 3])
def test_a_sum_is_rejected_even_if_the_first_batches_have_one_sample(ones: int) -> None:
    def total(predictions: Any, targets: Any) -> Any:
        return sum((p - t) ** 2 for p, t in zip(predictions, targets, strict=True))

    batches = [*pieces(1)[:ones], (X[ones:], Y[ones:])]
    model = nn.MLP(2, [3, 1], seed=0)
    with pytest.raises(TypeError, match="not the mean of the losses of its samples"):
        fit(model, total, batches, epochs=1, engine="native", progress=False)
    assert fit(model, total, pieces(1), epochs=1, engine="native", progress=False).epochs == 1
