"""How fast does a training step run? Compared with JAX, PyTorch and micrograd.

Four networks are trained with plain gradient descent, each on one batch, from the same weights
everywhere. After some steps all parameters must agree; only then is anything timed. JAX runs its loop
over the steps inside one jitted call. PyTorch also runs compiled, one or ten whole steps at a time.

For networks of digits' size, the gradient alone is compared too, and an epoch of `fit` with a loop in
PyTorch: there, the compile time is what `fit` does before the first step.
"""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import measure
import numpy as np
import programs
from measure import Row, Table, Work, sized
from programs import matrix_product, sum_of_products
from race import OURS, Contestant, Race, a_folder

from chainrule import data, dot, nn, optim, relu
from chainrule.compiler import compile
from chainrule.compiler.inputs import Batch
from chainrule.compiler.training import Trainer
from chainrule.train import fit

PEERS = ("jax", "torch", "micrograd")
CHECKED = sized(10, 2)  # steps after which all parameters are compared
RATE = 0.05
WEIGHT_DECAY = 1e-4
TOGETHER = sized(10, 2)  # steps compiled together by torch.compile
LARGE = (784, [512, 512, 10]) if not measure.QUICK else (12, [8, 8, 10])
DIGITS = (784, [256, 10]) if not measure.QUICK else (12, [8, 10])
BATCH = sized(128, 8)
SINGLE = 1e-3  # the tolerance of float32

Layers = list[tuple[Any, Any]]  # the weights, one row per neuron, and the biases
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
        """Save the initial weights, so that every contestant starts from them."""
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
    """All parameters in our order: a neuron's weights, then its bias."""
    return np.concatenate([np.column_stack([weights, biases]).ravel() for weights, biases in layers])


# --- problems ------------------------------------------------------------------------------------


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


def xor() -> Problem:
    model = nn.MLP(2, [4, 4, 1], "tanh", seed=1)
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1.0, 1.0, -1.0])
    return Problem(model, X, y, lambda x, y: (model(x) - y) ** 2, mean_squares, mean_squares)


def moons() -> Problem:
    model = nn.MLP(2, [16, 16, 1], "relu", seed=1)
    parameters = model.parameters()

    def loss(x: Any, y: Any) -> Any:
        return relu(1.0 - y * model(x)) + WEIGHT_DECAY * dot(parameters, parameters)

    points, labels = data.moons(100, noise=0.1, seed=1)
    return Problem(model, np.array(points), 2.0 * np.array(labels) - 1.0, loss, hinge, hinge)


def classes() -> Problem:
    model, loss = programs.classifier(64, 128)
    return Problem(model, *programs.samples(256, 64), loss, jax_cross_entropy, torch_cross_entropy)


def network(sizes: tuple[int, list[int]], batch: int) -> Problem:
    inputs, (*hidden, _) = sizes
    model, loss = programs.classifier(inputs, *hidden)
    samples = programs.samples(batch, inputs)
    return Problem(model, *samples, loss, jax_cross_entropy, torch_cross_entropy)


@cache
def problem(name: str) -> Problem:
    """Look a problem up by name, because each contestant's process builds its own."""
    networks = {
        "large": partial(network, LARGE, BATCH),
        "large, 256": partial(network, LARGE, 2 * BATCH),
        "large, 1,024": partial(network, LARGE, 8 * BATCH),
        "digits": partial(network, DIGITS, BATCH),
        "digits, epoch": partial(network, DIGITS, sized(50, 2) * BATCH),
    }
    known = {"xor": xor, "moons": moons, "classes": classes, **networks}
    return known[name]()


# --- ours ----------------------------------------------------------------------------------------


def chainrule_loop(name: str, steps: int) -> Work:
    task = problem(name)
    parameters = task.model.parameters()
    for p, number in zip(parameters, flat(task.layers), strict=True):
        p.data = float(number)
    trainer = Trainer(compile(task.loss, parameters), optim.SGD(parameters, lr=RATE))
    batch, rates = Batch((task.X, task.y)), np.full(steps, RATE)

    def train() -> Any:
        trainer.run(batch, rates)
        return trainer.params.copy()

    return train


# --- JAX -----------------------------------------------------------------------------------------


def by_size(X: Any, w: Any) -> Any:
    """Sums of products where a library call would cost more than the product itself."""
    return sum_of_products(X, w) if min(w.shape) <= 4 else matrix_product(X, w)


def jax_step(task: Problem, product: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    import jax

    activation = {"tanh": jax.numpy.tanh, "relu": jax.nn.relu}[task.activation]

    def loss(parameters: Any, X: Any, y: Any) -> Any:
        *hidden, (weights, biases) = parameters
        for w, b in hidden:
            X = activation(product(X, w) + b)
        return task.jax_loss(jax.tree.leaves(parameters), product(X, weights) + biases, y)

    def step(parameters: Any, X: Any, y: Any) -> Any:
        gradients = jax.grad(loss)(parameters, X, y)
        return jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

    return step


def jax_work(task: Problem, run: Callable[[Any, Any, Any], Any]) -> Work:
    """`run` takes parameters, samples and targets, and returns new parameters."""
    import jax

    parameters = jax.tree.map(jax.numpy.array, task.layers)
    X, y = jax.numpy.array(task.X), jax.numpy.array(task.y)

    def train() -> Any:
        nonlocal parameters
        parameters = run(parameters, X, y)
        return flat([(np.asarray(weights), np.asarray(biases)) for weights, biases in parameters])

    return train


def jax_loop(name: str, product: Callable[[Any, Any], Any], unroll: int, steps: int) -> Work:
    """All steps in one jitted call: `fori_loop`, or `scan` with several steps in its body."""
    import jax

    task = problem(name)
    step = jax_step(task, product)

    def fori(parameters: Any, X: Any, y: Any) -> Any:
        return jax.lax.fori_loop(0, steps, lambda _, p: step(p, X, y), parameters)

    def scan(parameters: Any, X: Any, y: Any) -> Any:
        def body(p: Any, _: None) -> Any:
            return step(p, X, y), None

        return jax.lax.scan(body, parameters, None, length=steps, unroll=unroll)[0]

    return jax_work(task, jax.jit(scan if unroll > 1 else fori, donate_argnums=0))


def jax_calls(name: str, steps: int) -> Work:
    """A jitted step, called from Python."""
    import jax

    task = problem(name)
    step = jax.jit(jax_step(task, matrix_product), donate_argnums=0)

    def run(parameters: Any, X: Any, y: Any) -> Any:
        for _ in range(steps):
            parameters = step(parameters, X, y)
        return parameters

    return jax_work(task, run)


def jax_spellings(name: str, steps: int, *, small: bool, calls: bool) -> list[Contestant]:
    def spelled(text: str, start: Callable[[int], Work]) -> Contestant:
        return Contestant("JAX", text, start, steps, modules=["jax"])

    found = [
        spelled("fori_loop, @", partial(jax_loop, name, matrix_product, 1)),
        spelled("scan with unroll=4, @", partial(jax_loop, name, matrix_product, 4)),
    ]
    if small:
        found += [
            spelled("fori_loop, sums of products", partial(jax_loop, name, sum_of_products, 1)),
            spelled("scan with unroll=4, sums of products", partial(jax_loop, name, sum_of_products, 4)),
            spelled("fori_loop, @ or sums of products by size", partial(jax_loop, name, by_size, 1)),
        ]
    if calls:
        found.append(spelled("jitted step, donated", partial(jax_calls, name)))
    return found


# --- PyTorch -------------------------------------------------------------------------------------


def torch_eager(name: str, threads: int, options: dict[str, bool], steps: int) -> Work:
    """Modules and an optimiser, as in the tutorials; `options` are the optimiser's."""
    import torch

    task = problem(name)
    torch.set_num_threads(threads)
    activation = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[task.activation]
    modules: list[Any] = []
    for weights, biases in task.layers:
        outputs, inputs = weights.shape
        linear = torch.nn.Linear(inputs, outputs, dtype=torch.float64)
        linear.load_state_dict({"weight": torch.tensor(weights), "bias": torch.tensor(biases)})
        modules += [linear, activation()]
    model = torch.nn.Sequential(*modules[:-1])
    parameters = list(model.parameters())
    X, y = torch.tensor(task.X), torch.tensor(task.y)
    optimizer = torch.optim.SGD(parameters, lr=RATE, **options)

    def train() -> Any:
        for _ in range(steps):
            optimizer.zero_grad()
            task.torch_loss(parameters, model(X), y).backward()
            optimizer.step()
        return flat([(m.weight.detach(), m.bias.detach()) for m in modules[::2]])

    return train


def torch_whole_batch(activation: Any, layers: Any, X: Any) -> Any:
    import torch

    *hidden, (weights, biases) = layers
    for w, b in hidden:
        X = activation(torch.nn.functional.linear(X, w, b))
    return torch.nn.functional.linear(X, weights, biases)


def torch_each_sample(activation: Any, layers: Any, X: Any) -> Any:
    """Written for one sample, then vmapped."""
    import torch

    def scores(x: Any) -> Any:
        *hidden, (weights, biases) = layers
        for w, b in hidden:
            x = activation(w @ x + b)
        return weights @ x + biases

    return torch.func.vmap(scores)(X)


@cache
def torch_compiled(
    name: str, threads: int, together: int, forward: Callable[[Any, Any, Any], Any]
) -> tuple[Any, Any]:
    """A function that does `together` steps in place, compiled as a whole, and its parameters."""
    import torch

    os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"  # so that compile time is measured too
    torch.set_num_threads(threads)
    task = problem(name)
    activation = {"tanh": torch.tanh, "relu": torch.relu}[task.activation]
    X, y = torch.tensor(task.X), torch.tensor(task.y)

    def loss(layers: Any) -> Any:
        parameters = [p for layer in layers for p in layer]
        return task.torch_loss(parameters, forward(activation, layers, X), y)

    @torch.compile(fullgraph=True)
    def steps_together(layers: Any) -> None:
        for _ in range(together):
            gradients = torch.func.grad(loss)(layers)
            for layer, changes in zip(layers, gradients, strict=True):
                for p, change in zip(layer, changes, strict=True):
                    p.sub_(RATE * change)

    return steps_together, [tuple(map(torch.tensor, layer)) for layer in task.layers]


def torch_whole_step(
    name: str, threads: int, together: int, forward: Callable[[Any, Any, Any], Any], steps: int
) -> Work:
    import torch

    assert steps % together == 0
    task = problem(name)
    run, layers = torch_compiled(name, threads, together, forward)
    for layer, start in zip(layers, task.layers, strict=True):
        for p, number in zip(layer, start, strict=True):
            p.copy_(torch.tensor(number))

    def train() -> Any:
        for _ in range(steps // together):
            run(layers)
        return flat([(weights, biases) for weights, biases in layers])

    return train


def torch_spellings(
    name: str, steps: int, compiled: Sequence[tuple[int, int]], vmap: bool = False
) -> list[Contestant]:
    """Eager, and compiled: `compiled` has pairs of thread counts and steps compiled together."""
    plain: list[tuple[int, dict[str, bool]]] = [(1, {}), (2, {}), (1, {"foreach": True})]
    plain += [(threads, {"fused": True}) for threads in (1, 2)]
    found = [
        Contestant(
            "PyTorch",
            f"eager{''.join(f', {option} SGD' for option in options)}, threads: {threads}",
            partial(torch_eager, name, threads, options),
            steps,
            compiles=False,
            modules=["torch"],
        )
        for threads, options in plain
    ]
    whole = [(threads, together, torch_whole_batch, "") for threads, together in compiled]
    whole += [(1, 1, torch_each_sample, ", vmap")] if vmap else []
    for threads, together, forward, note in whole:
        what = "the whole step" if together == 1 else f"{together} steps"
        found.append(
            Contestant(
                "PyTorch",
                f"torch.compile of {what}{note}, threads: {threads}",
                partial(torch_whole_step, name, threads, together, forward),
                steps,
                modules=["torch"],
                programs=["g++"],
                slow=True,
            )
        )
    return found


# --- micrograd -----------------------------------------------------------------------------------


def micrograd_steps(name: str, collect: bool, steps: int) -> Work:
    """Written as in its notebook; its networks use relu and a linear output, as `moons` does."""
    import micrograd.nn

    sys.setrecursionlimit(20_000)  # for its backward
    if not collect:
        gc.disable()
    task = problem(name)
    sizes = [len(biases) for _, biases in task.layers]
    model = micrograd.nn.MLP(len(task.X[0]), sizes)
    for p, number in zip(model.parameters(), flat(task.layers), strict=True):
        p.data = float(number)
    pairs = list(zip(task.X.tolist(), task.y.tolist(), strict=True))

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


def micrograd_spellings(name: str) -> list[Contestant]:
    return [
        Contestant(
            "micrograd",
            f"collector {'on' if collect else 'off'}",
            partial(micrograd_steps, name, collect),
            sized(2, 1),
            compiles=False,
            modules=["micrograd"],
        )
        for collect in (True, False)
    ]


# --- the gradient alone ----------------------------------------------------------------------------


def repeated(call: Work, times: int) -> Work:
    def run() -> Any:
        for _ in range(times):
            result = call()
        return result

    return run


def chainrule_gradient(name: str, dtype: str, calls: int) -> Work:
    task = problem(name)
    step = compile(task.loss, task.model.parameters(), dtype=dtype)
    return repeated(lambda: step.value_and_grad(task.X, task.y)[1], calls)


def jax_gradient(name: str, dtype: str, calls: int) -> Work:
    import jax

    task = problem(name)
    X, y = jax.numpy.array(task.X, dtype), jax.numpy.array(task.y)
    start = jax.tree.map(lambda each: jax.numpy.array(each, dtype), task.layers)

    def loss(parameters: Any) -> Any:
        rows = X
        *hidden, (weights, biases) = parameters
        for w, b in hidden:
            rows = jax.nn.relu(rows @ w.T + b)
        return task.jax_loss([], rows @ weights.T + biases, y)

    gradient = jax.jit(jax.value_and_grad(loss))
    return repeated(lambda: flat([(w, b) for w, b in jax.block_until_ready(gradient(start))[1]]), calls)


def torch_network(task: Problem, dtype: str) -> Any:
    import torch

    modules: list[Any] = []
    for weights, biases in task.layers:
        linear = torch.nn.Linear(weights.shape[1], len(weights), dtype=getattr(torch, dtype))
        linear.load_state_dict({"weight": torch.tensor(weights), "bias": torch.tensor(biases)})
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])


def torch_gradient(name: str, dtype: str, threads: int, compiled: bool, calls: int) -> Work:
    import torch

    torch.set_num_threads(threads)
    task = problem(name)
    model = torch_network(task, dtype)
    X, y = torch.tensor(task.X, dtype=getattr(torch, dtype)), torch.tensor(task.y)
    parameters = list(model.parameters())
    called = torch.compile(model) if compiled else model

    def gradient() -> Any:
        found = torch.autograd.grad(torch.nn.functional.cross_entropy(called(X), y), parameters)
        return flat([(w.numpy(), b.numpy()) for w, b in zip(found[::2], found[1::2], strict=True)])

    return repeated(gradient, calls)


def gradients(name: str, title: str, dtype: str, targets: dict[str, float]) -> Race:
    calls = sized(20, 1)
    torches = [
        Contestant(
            "PyTorch",
            f"{'torch.compile' if compiled else 'eager'}, threads: {threads}",
            partial(torch_gradient, name, dtype, threads, compiled),
            calls,
            modules=["torch"],
            programs=["g++"] if compiled else [],
            slow=compiled,
        )
        for threads, compiled in ((1, False), (2, False), (2, True))
    ]
    contestants = [
        Contestant(OURS, "compiled", partial(chainrule_gradient, name, dtype), calls),
        Contestant("JAX", "jitted", partial(jax_gradient, name, dtype), calls, modules=["jax"]),
        *torches,
    ]
    return Race(
        f"{title}, gradient, {dtype}",
        contestants,
        checked=1,
        targets=targets,
        tolerance=SINGLE if dtype == "float32" else measure.CLOSE,
        advice="For the gradient of a network with layers of several hundred neurons",
    )


MULTIPLY_ADDS_IN_C = """
typedef double numbers __attribute__((vector_size(64)));

double multiply_adds(long times) {
    numbers sums[24] = {{0}}, factor = {0}, term = {0};
    factor += 0.999, term += 1e-6;
    for (long k = 0; k < times; k++) {
        #pragma GCC unroll 24
        for (int i = 0; i < 24; i++) sums[i] = sums[i] * factor + term;
    }
    double total = 0.0;
    for (int i = 0; i < 24; i++) total += sums[i][0];
    return total;
}
"""


def share_of_the_peak() -> Table:
    """The multiply-adds of a gradient, and as many in C that never leave the registers, on all cores."""
    task, cores = problem("large, 1,024"), os.cpu_count() or 1
    Path("peak.c").write_text(MULTIPLY_ADDS_IN_C)
    command = ["cc", "-O3", "-march=native", "-mprefer-vector-width=512", "-fPIC", "-shared"]
    subprocess.run([*command, "peak.c", "-o", "peak.so"], check=True)
    function = ctypes.CDLL(str(Path("peak.so").resolve())).multiply_adds
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_long]
    weights = [w.size for w, _ in task.layers]
    needed = len(task.X) * (3 * sum(weights) - weights[0])  # the inputs need no gradient
    step = compile(task.loss, task.model.parameters())
    step.value_and_grad(task.X, task.y)

    def alone() -> None:
        arguments = [needed // (24 * 8 * cores)]
        threads = [threading.Thread(target=function, args=arguments) for _ in range(cores)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    work = {"ours": lambda: step.value_and_grad(task.X, task.y), "alone": alone}
    times = measure.in_rounds({name: partial(measure.timed, each) for name, each in work.items()})
    cells = ["C: as many multiply-adds in registers", measure.in_time_units(times["alone"].median)]
    rows = [
        Row([OURS, measure.in_time_units(times["ours"].median)]),
        Row(cells, times["alone"].to(times["ours"]), at_least=0.6),
    ]
    return Table([f"MLP{(LARGE[0], LARGE[1])}, batch of {8 * BATCH:,}, gradient", "median"], rows)


# --- an epoch of fit ---------------------------------------------------------------------------------


def chainrule_fit(steps: int) -> Work:
    """Each call lets `fit` train one more epoch, up to a callback that waits for the next call."""
    task = problem("digits, epoch")
    model, _ = programs.classifier(DIGITS[0], *DIGITS[1][:-1])
    begin, ended = threading.Semaphore(0), threading.Semaphore(0)
    losses: list[float] = []

    def wait(epoch: int, history: Any) -> None:
        losses.append(history.losses[-1])
        ended.release()
        begin.acquire()

    options: dict[str, Any] = {"shuffle": False, "callbacks": [wait], "progress": False}
    options |= {"optimizer": optim.Adam(model.parameters(), lr=1e-3), "epochs": 1_000_000}

    def train() -> None:
        begin.acquire()
        fit(model, "cross_entropy", task.X, task.y, batch_size=BATCH, **options)

    threading.Thread(target=train, daemon=True).start()

    def epoch() -> Any:
        begin.release()
        ended.acquire()
        return losses[-1]

    return epoch


def torch_fit(threads: int, options: dict[str, bool], compiled: bool, steps: int) -> Work:
    import torch

    torch.set_num_threads(threads)
    task = problem("digits, epoch")
    model = torch_network(task, "float64")
    X, y = torch.tensor(task.X), torch.tensor(task.y)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, **options)
    called = torch.compile(model) if compiled else model

    def epoch() -> Any:
        total = 0.0
        for i in range(0, len(X), BATCH):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(called(X[i : i + BATCH]), y[i : i + BATCH])
            loss.backward()
            optimizer.step()
            total += loss.detach()
        return float(total) * BATCH / len(X)

    return epoch


def fitting() -> Race:
    steps = len(problem("digits, epoch").X) // BATCH
    spellings: list[tuple[int, dict[str, bool], bool]] = [
        *((threads, {option: True}, False) for threads in (1, 2) for option in ("fused", "foreach")),
        (2, {"fused": True}, True),
    ]
    torches = [
        Contestant(
            "PyTorch",
            f"{'torch.compile' if compiled else 'eager'}, {'/'.join(options)} Adam, threads: {threads}",
            partial(torch_fit, threads, options, compiled),
            steps,
            modules=["torch"],
            programs=["g++"] if compiled else [],
            slow=compiled,
        )
        for threads, options, compiled in spellings
    ]
    return Race(
        f"MLP{(DIGITS[0], DIGITS[1])} with relu, batches of {BATCH}, one step of `fit` with Adam",
        [Contestant(OURS, "fit", chainrule_fit, steps), *torches],
        checked=steps,
        targets={"PyTorch": 1.3},
        advice="For training a network with layers of several hundred neurons",
    )


# --- races ---------------------------------------------------------------------------------------


def ours(name: str, steps: int) -> Contestant:
    return Contestant(OURS, "native loop", partial(chainrule_loop, name), steps)


def races() -> Iterator[Race]:
    steps = sized(20_000, 100)
    yield Race(
        "XOR, MLP(2, [4, 4, 1]) with tanh, one epoch",
        [
            ours("xor", steps),
            *jax_spellings("xor", steps, small=True, calls=False),
            *torch_spellings("xor", sized(200, 10), [(1, 1), (1, TOGETHER)], vmap=True),
        ],
        checked=CHECKED,
        targets={"JAX": 4.0, "PyTorch": 300.0},
        advice="For a network of a few neurons on a handful of samples",
    )
    steps = sized(2_000, 50)
    yield Race(
        "moons, MLP(2, [16, 16, 1]) with relu, 100 samples, one step",
        [
            ours("moons", steps),
            *jax_spellings("moons", steps, small=True, calls=False),
            *torch_spellings("moons", sized(100, 10), [(1, 1), (1, TOGETHER)]),
            *micrograd_spellings("moons"),
        ],
        checked=CHECKED,
        targets={"JAX": 2.0, "PyTorch": 80.0, "micrograd": 100_000.0},
        advice="For a network of a few dozen neurons on a hundred samples",
    )
    steps = sized(100, 10)
    yield Race(
        "MLP(64, [128, 10]) with relu, cross-entropy, batch of 256, one step",
        [
            ours("classes", steps),
            *jax_spellings("classes", steps, small=False, calls=True),
            *torch_spellings("classes", steps, [(1, 1), (2, 1), (2, TOGETHER)]),
        ],
        checked=CHECKED,
        targets={"JAX": 2.0, "PyTorch": 2.0},
        advice="For a network with layers of a hundred neurons",
    )
    inputs, sizes = LARGE
    steps = sized(10, 10)
    yield Race(
        f"MLP({inputs}, {sizes}) with relu, cross-entropy, batch of {sized(128, 8)}, one step",
        [
            ours("large", steps),
            *jax_spellings("large", steps, small=False, calls=True),
            *torch_spellings("large", steps, [(2, 1), (2, TOGETHER)]),
        ],
        checked=CHECKED,
        advice="For a network with layers of several hundred neurons",
    )


def tables() -> Iterator[Table]:
    for race in races():
        yield race.table()
    digits = f"MLP{(DIGITS[0], DIGITS[1])}, batch of {BATCH}"
    yield gradients("digits", digits, "float64", {"PyTorch": 1.3}).table()
    yield gradients("digits", digits, "float32", {"PyTorch": 1.0}).table()
    title = f"MLP{(LARGE[0], LARGE[1])}, batch of {2 * BATCH}"
    yield gradients("large, 256", title, "float64", {"JAX": 1.0, "PyTorch": 1.0}).table()
    with a_folder():
        yield share_of_the_peak()
    yield fitting().table()


if __name__ == "__main__":
    sys.exit(measure.main(tables, PEERS))
