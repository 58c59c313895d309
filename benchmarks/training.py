"""How fast does a training step run? Beside JAX's jitted loops, PyTorch and micrograd.

Three networks in float64 under plain gradient descent, each on one batch, from the same weights
on all sides. After some steps all parameters must agree; only then is anything timed.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import measure
import numpy as np
import programs
from measure import Contestant, Race, Table, Work, sized

from chainrule import data, dot, nn, optim, relu
from chainrule.compiler import compile
from chainrule.compiler.inputs import Batch
from chainrule.compiler.training import Trainer

PEERS = ("jax", "torch", "micrograd")
CHECKED = 5  # steps after which all parameters are compared
RATE = 0.05
WEIGHT_DECAY = 1e-4

Layers = list[tuple[Any, Any]]  # the weights, a row for each neuron, and the biases
ArrayLoss = Callable[[list[Any], Any, Any], Any]  # of parameters, scores and targets


@dataclass
class Problem:
    """A network with its batch, and its loss for one sample and for arrays."""

    model: nn.MLP
    X: Any
    y: Any
    loss: Callable[[Any, Any], Any]
    jax_loss: ArrayLoss
    torch_loss: ArrayLoss
    layers: Layers = field(init=False)

    def __post_init__(self) -> None:
        """Keep the weights of the start, for everybody to start from."""
        self.layers = [
            (
                np.array([[w.data for w in neuron.w] for neuron in layer.neurons]),
                np.array([neuron.b.data for neuron in layer.neurons]),
            )
            for layer in self.model.layers
        ]

    @property
    def activation(self) -> str:
        return str(self.model.layers[0].neurons[0].activation.__name__)


def flat(layers: Layers) -> Any:
    """All parameters in our order: the weights of a neuron, then its bias."""
    return np.concatenate([np.column_stack([weights, biases]).ravel() for weights, biases in layers])


# --- contestants: each prepares steps of a problem, and returns what does them and tells the end --


def chainrule_loop(problem: Problem, steps: int) -> Work:
    parameters = problem.model.parameters()
    for p, number in zip(parameters, flat(problem.layers), strict=True):
        p.data = float(number)
    trainer = Trainer(compile(problem.loss, parameters), optim.SGD(parameters, lr=RATE))
    batch, rates = Batch((problem.X, problem.y)), np.full(steps, RATE)

    def train() -> Any:
        trainer.run(batch, rates)
        return trainer.params.copy()

    return train


def jax_work(problem: Problem, run: Callable[[Any, Any, Any], Any]) -> Work:
    """`run` takes parameters, samples and targets, and gives new parameters."""
    import jax

    parameters = jax.tree.map(jax.numpy.array, problem.layers)
    X, y = jax.numpy.array(problem.X), jax.numpy.array(problem.y)

    def train() -> Any:
        nonlocal parameters
        parameters = run(parameters, X, y)
        return flat([(np.asarray(weights), np.asarray(biases)) for weights, biases in parameters])

    return train


def jax_step(problem: Problem) -> Callable[[Any, Any, Any], Any]:
    import jax

    activation = {"tanh": jax.numpy.tanh, "relu": jax.nn.relu}[problem.activation]

    def loss(parameters: Any, X: Any, y: Any) -> Any:
        *hidden, (weights, biases) = parameters
        for w, b in hidden:
            X = activation(X @ w.T + b)
        return problem.jax_loss(jax.tree.leaves(parameters), X @ weights.T + biases, y)

    def step(parameters: Any, X: Any, y: Any) -> Any:
        _, gradients = jax.value_and_grad(loss)(parameters, X, y)
        return jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

    return step


def jax_loop(problem: Problem, steps: int) -> Work:
    import jax

    step = jax_step(problem)

    def loop(parameters: Any, X: Any, y: Any) -> Any:
        return jax.lax.fori_loop(0, steps, lambda _, p: step(p, X, y), parameters)

    return jax_work(problem, jax.jit(loop, donate_argnums=0))


def jax_calls(problem: Problem, steps: int) -> Work:
    import jax

    step = jax.jit(jax_step(problem), donate_argnums=0)

    def run(parameters: Any, X: Any, y: Any) -> Any:
        for _ in range(steps):
            parameters = step(parameters, X, y)
        return parameters

    return jax_work(problem, run)


def torch_steps(threads: int, compiled: bool, problem: Problem, steps: int) -> Work:
    import torch

    torch.set_num_threads(threads)
    activation = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[problem.activation]
    modules: list[Any] = []
    for weights, biases in problem.layers:
        outputs, inputs = weights.shape
        linear = torch.nn.Linear(inputs, outputs, dtype=torch.float64)
        linear.load_state_dict({"weight": torch.tensor(weights), "bias": torch.tensor(biases)})
        modules += [linear, activation()]
    model = torch.nn.Sequential(*modules[:-1])
    X, y = torch.tensor(problem.X), torch.tensor(problem.y)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)

    def loss() -> Any:
        return problem.torch_loss(list(model.parameters()), model(X), y)

    if compiled:
        torch.compiler.reset()
        loss = torch.compile(loss)

    def train() -> Any:
        torch.set_num_threads(threads)
        for _ in range(steps):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        return flat([(m.weight.detach(), m.bias.detach()) for m in modules[::2]])

    return train


def micrograd_steps(problem: Problem, steps: int) -> Work:
    """Written as in its notebook; its networks are relu and linear at the end, as the moons' is."""
    import micrograd.nn

    sizes = [len(biases) for _, biases in problem.layers]
    model = micrograd.nn.MLP(len(problem.X[0]), sizes)
    for p, number in zip(model.parameters(), flat(problem.layers), strict=True):
        p.data = float(number)
    pairs = list(zip(problem.X.tolist(), problem.y.tolist(), strict=True))

    def train() -> Any:
        for _ in range(steps):
            losses = [(1 + -y * model(x)).relu() for x, y in pairs]
            total = sum(losses) * (1.0 / len(losses))
            total = total + WEIGHT_DECAY * sum(p * p for p in model.parameters())
            model.zero_grad()
            total.backward()
            for p in model.parameters():
                p.data -= RATE * p.grad
        return [p.data for p in model.parameters()]

    return train


@cache
def torch_threads() -> list[int]:
    """One, and as many as PyTorch takes by itself."""
    import torch

    return sorted({1, torch.get_num_threads()})


def usual(
    problem: Problem, steps: int, torch_units: int, to_jax: float, to_torch: float
) -> list[Contestant]:
    """The contestants in every race, with their bars."""
    return [
        Contestant("chainrule, native loop", partial(chainrule_loop, problem), steps),
        Contestant("JAX, jitted fori_loop", partial(jax_loop, problem), steps, to_jax),
        *(
            Contestant(
                f"PyTorch, eager, threads: {threads}",
                partial(torch_steps, threads, False, problem),
                torch_units,
                to_torch,
                compiles=False,
            )
            for threads in torch_threads()
        ),
    ]


# --- races ---------------------------------------------------------------------------------------


def mean_squares(parameters: list[Any], scores: Any, y: Any) -> Any:
    return ((scores[:, 0] - y) ** 2).mean()


def hinge(parameters: list[Any], scores: Any, y: Any) -> Any:
    return (1.0 - y * scores[:, 0]).clip(0.0).mean() + WEIGHT_DECAY * sum(
        (p * p).sum() for p in parameters
    )


def jax_cross_entropy(parameters: list[Any], scores: Any, y: Any) -> Any:
    import jax

    chosen = jax.numpy.take_along_axis(scores, y[:, None], axis=1)[:, 0]
    return (jax.nn.logsumexp(scores, axis=1) - chosen).mean()


def torch_cross_entropy(parameters: list[Any], scores: Any, y: Any) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(scores, y)


def xor() -> Race:
    model = nn.MLP(2, [4, 4, 1], "tanh", seed=1)
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1.0, 1.0, -1.0])
    problem = Problem(model, X, y, lambda x, y: (model(x) - y) ** 2, mean_squares, mean_squares)
    contestants = usual(problem, sized(20_000, 100), sized(200, 10), 4.0, 300.0)
    return Race("XOR, MLP(2, [4, 4, 1]) with tanh, one epoch", contestants, checked=CHECKED)


def moons() -> Race:
    model = nn.MLP(2, [16, 16, 1], "relu", seed=1)
    parameters = model.parameters()

    def loss(x: Any, y: Any) -> Any:
        return relu(1.0 - y * model(x)) + WEIGHT_DECAY * dot(parameters, parameters)

    points, labels = data.moons(100, noise=0.1, seed=1)
    X, y = np.array(points), 2.0 * np.array(labels) - 1.0
    problem = Problem(model, X, y, loss, hinge, hinge)
    contestants = [
        *usual(problem, sized(2_000, 50), sized(100, 5), 2.0, 80.0),
        Contestant("micrograd", partial(micrograd_steps, problem), sized(2, 1), 100_000.0, False),
    ]
    return Race(
        "moons, MLP(2, [16, 16, 1]) with relu, 100 samples, one step", contestants, checked=CHECKED
    )


def classification() -> Iterator[Race | str]:
    model, loss = programs.classifier(64, 128)
    problem = Problem(model, *programs.samples(256, 64), loss, jax_cross_entropy, torch_cross_entropy)
    contestants = [
        *usual(problem, sized(100, 5), sized(100, 5), 2.0, 2.0),
        Contestant("JAX, jitted step, donated", partial(jax_calls, problem), sized(100, 5), 2.0),
    ]
    for threads in torch_threads():
        compiled = partial(torch_steps, threads, True, problem)
        try:
            compiled(1)()
        except Exception as error:  # whatever it is that this machine cannot do
            why = str(error).partition("\n")[0]
            yield f"torch.compile does not work here: {type(error).__name__}: {why}"
            break
        name = f"PyTorch, torch.compile, threads: {threads}"
        contestants.append(Contestant(name, compiled, sized(100, 5), 2.0))
    title = "MLP(64, [128, 10]) with relu, cross-entropy, batch of 256, one step"
    yield Race(title, contestants, checked=CHECKED)


def tables() -> Iterator[Table | str]:
    sys.setrecursionlimit(20_000)  # for micrograd's backward
    os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"  # compiling is measured too
    warnings.filterwarnings("ignore", message="dynamo_pgo")  # which says so
    yield xor().table()
    yield moons().table()
    for result in classification():
        yield result.table() if isinstance(result, Race) else result


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
