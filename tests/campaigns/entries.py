"""The entry points that the campaigns attack, each with the check that must pass afterwards.

A campaign makes an action fail at a chosen point, for example with Ctrl-C (interrupts.py) or a failed
allocation (allocations.py). The same check then decides whether anything was left half done.

When you add a feature, add its entry points to `ENTRIES`; every campaign then covers them. Write a
`Prepare`: it returns an action, and a check of the state after it. `all_or_nothing` and `repeating`
make one for the usual cases.
"""

import copy
import gc
import importlib.util
import os
import signal
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import chainrule
from chainrule import (
    GraphFreedError,
    StaleValueError,
    Value,
    check_gradients,
    compile,
    data,
    detect_anomaly,
    diagnose,
    enable_grad,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linalg,
    nn,
    no_grad,
    optim,
    random,
)
from chainrule.compiler import Batch, Trainer
from chainrule.learn.progress import FILE, Progress
from chainrule.nn.watching import collector
from chainrule.support.modes import Modes
from chainrule.train import fit
from chainrule.value import c_core, modes

# An action, and a check that is told whether the action failed.
Prepared = tuple[Callable[[], Any], Callable[[bool], None]]
Prepare = Callable[[], Prepared]

X, Y = data.moons(10, seed=0)
OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "sgd": lambda params: optim.SGD(params, lr=0.1, momentum=0.9),
    "rmsprop": lambda params: optim.RMSprop(params, lr=0.01, momentum=0.5),
    "adagrad": lambda params: optim.Adagrad(params, lr=0.1),
    "adam": lambda params: optim.Adam(params, lr=0.05),
    "adamw": lambda params: optim.AdamW(params, lr=0.05),
}


@dataclass(frozen=True)
class Entry:
    """One entry point. `start` does the set-up that all attempts share; the `Prepare` that it returns
    sets up one attempt.
    """

    name: str
    start: Callable[[], Prepare]
    needs: str = ""  # "c": the compiled core; otherwise a package, such as "jax"
    cost: int = 1  # divides the number of attempts in a long campaign
    writes: bool = False  # whether it writes a file

    def set_up(self) -> AbstractContextManager[Any]:
        """The context in which all attempts run."""
        if self.needs != "jax":
            return nullcontext()
        import jax

        return jax.enable_x64(True)

    @property
    def runs_here(self) -> bool:
        if self.needs == "c":
            return c_core is not None
        return not self.needs or importlib.util.find_spec(self.needs) is not None

    def prepare(self) -> Prepare:
        """Like `start`, but adds the checks common to all entry points."""
        prepare = self.start()

        def prepare_checked() -> Prepared:
            action, check = prepare()

            def check_all(failed: bool) -> None:
                check_package()
                check(failed)

            return action, check_all

        return prepare_checked


def check_package() -> None:
    """Check that modes and collectors are off, and that expressions and derivatives still work."""
    if modes() != Modes():
        gc.collect()  # a mode ends when its context manager is destroyed
    assert modes() == Modes()
    assert collector.get() is None
    x = Value(3.0)
    y = x * x
    y.backward()
    assert (y.data, x.grad) == (9.0, 6.0)
    assert grad(lambda x: x * x)(3.0) == 6.0


def all_or_nothing(
    start: Callable[[], Any], change: Callable[[Any], Any], seen: Callable[[Any], Any]
) -> Prepare:
    """The change happens completely or not at all, and can be repeated."""
    thing = start()
    old = seen(thing)
    change(thing)
    new = seen(thing)
    change(thing)
    newer = seen(thing)

    def prepare() -> Prepared:
        thing = start()

        def check(failed: bool) -> None:
            found = seen(thing)
            assert found in ([old, new] if failed else [new])
            change(thing)
            assert seen(thing) == (newer if found == new else new)

        return partial(change, thing), check

    return prepare


# --- expressions ---------------------------------------------------------------------------------------


def expression() -> tuple[list[Value], Value]:
    """A graph with elementwise operations, a reduction, a `where`, plain numbers and a shared part."""
    leaves = [Value(0.5 + 0.25 * i, label=f"x{i}") for i in range(4)]
    a, b, c, d = leaves
    shared = a * b + c
    total = chainrule.sum([shared, shared * d, chainrule.where(a < b, a, d), 2.0 / d, c**2])
    return leaves, chainrule.dot([total, a, b], [c, d, shared]).tanh()


def building() -> Prepare:
    def prepare() -> Prepared:
        leaves, root = expression()
        wanted = root.data

        def check(failed: bool) -> None:
            assert expression()[1].data == wanted
            assert [x.data for x in leaves] == [0.5, 0.75, 1.0, 1.25]

        return lambda: [expression() for _ in range(3)], check

    return prepare


def gradients(leaves: list[Value]) -> list[Any]:
    return [x.grad.data if isinstance(x.grad, Value) else x.grad for x in leaves]


def sweeping(**options: Any) -> Prepare:
    """The leaves have either all their old gradients or all their new ones."""
    return all_or_nothing(
        expression,
        lambda made: made[1].backward(retain_graph=True, **options),
        lambda made: gradients(made[0]),
    )


def freeing() -> Prepare:
    """A freed graph cannot be differentiated again; a graph that was not freed still gives the right
    gradients.
    """
    leaves, root = expression()
    root.backward()
    new = gradients(leaves)
    root.backward()
    doubled = gradients(leaves)

    def prepare() -> Prepared:
        leaves, root = expression()

        def check(failed: bool) -> None:
            found = gradients(leaves)
            assert found in ([[0.0] * len(leaves), new] if failed else [new])
            try:
                root.backward()
            except GraphFreedError:
                assert found == new
            else:
                assert failed
                assert gradients(leaves) == (doubled if found == new else new)

        return lambda: root.backward(retain_graph=False), check

    return prepare


def assigning(choose: Callable[[list[Value], Value], Value]) -> Prepare:
    """Either the number and the gradients are the old ones, or the number is new and backward()
    raises.
    """
    leaves, root = expression()
    root.backward()
    wanted = gradients(leaves)

    def prepare() -> Prepared:
        leaves, root = expression()
        chosen = choose(leaves, root)
        old = chosen.data

        def check(failed: bool) -> None:
            assert chosen.data in ([old, 2.0] if failed else [2.0])
            try:
                root.backward()
            except StaleValueError:
                assert chosen.data == 2.0
            else:
                assert chosen.data == old
                assert gradients(leaves) == wanted

        return lambda: setattr(chosen, "data", 2.0), check

    return prepare


def recomputing() -> Prepare:
    def prepare() -> Prepared:
        (a, *_), root = expression()
        old = root.data
        a.data = 2.0

        def check(failed: bool) -> None:
            root.forward()
            new = root.data
            assert new != old
            root.backward()
            wanted, again = expression()
            wanted[0].data = 2.0
            again.forward()
            again.backward()
            assert (new, a.grad) == (again.data, wanted[0].grad)

        return lambda: (root.forward(), root.data), check

    return prepare


def repeating(function: Callable[..., Any], *arguments: Any) -> Prepare:
    """A function without side effects gives the same result after it failed."""
    wanted = function(*arguments)

    def prepare() -> Prepared:
        def check(failed: bool) -> None:
            assert function(*arguments) == wanted

        return partial(function, *arguments), check

    return prepare


def example_function(xs: list[Any]) -> Any:
    return chainrule.sum([x * x * y for x, y in pairwise(xs)]).exp()


def example_vector(xs: list[Any]) -> list[Any]:
    return [x * y.sin() for x, y in pairwise(xs)]


def slopes_of_linear_algebra(x: float) -> list[Any]:
    """The derivatives of what chainrule.linalg computes from a matrix and a vector."""

    def results(x: Any) -> list[Any]:
        matrix, vector = [[2.0, x], [x, 3.0]], [1.0, x]
        found = [linalg.solve(matrix, vector), linalg.inv(matrix), linalg.cholesky(matrix)]
        found += [linalg.lstsq([*matrix, vector], [x, 1.0, 2.0]), *linalg.eigh(matrix)]
        return [linalg.det(matrix), *(entry for each in found for entry in each.ravel())]

    return list(jacobian(results)(x))


def entering(mode: Callable[[], Any]) -> Prepare:
    def action() -> None:
        with mode(), mode():
            Value(1.0) * 2.0

    return lambda: (action, lambda failed: None)


# --- inspecting ----------------------------------------------------------------------------------------


def checking() -> Prepare:
    """The Values that a checked function uses keep their numbers and gradients."""

    def prepare() -> Prepared:
        leaves, _ = expression()
        a, b, c, d = leaves
        for i, v in enumerate(leaves):
            v.grad = float(i + 1)

        def check(failed: bool) -> None:
            assert gradients(leaves) == [1.0, 2.0, 3.0, 4.0]
            assert [v.data for v in leaves] == [0.5, 0.75, 1.0, 1.25]

        return lambda: check_gradients(lambda: user_defined(a, b.exp() + c) * d), check

    return prepare


def user_defined(x: Value, y: Value) -> Value:
    """A user-defined operation."""
    out = Value(x.data * y.data, (x, y), "times")

    def backward() -> None:
        x.grad += y.data * out.grad
        y.grad += x.data * out.grad

    out._backward = backward
    return out


def diagnosing() -> Prepare:
    """A model, and what its loss closes over, keep their numbers and gradients."""

    def prepare() -> Prepared:
        model, optimizer = model_and_optimizer()
        weight = Value(2.0)
        squared = weight * weight
        values = [*model.parameters(), weight, squared]
        for i, v in enumerate(values):
            v.grad = float(i + 1)
        before = state_of(optimizer)

        def loss(predictions: Any, targets: Any) -> Any:
            return nn.mse_loss(predictions, targets) * squared

        def check(failed: bool) -> None:
            assert gradients(values) == [float(i + 1) for i in range(len(values))]
            assert state_of(optimizer) == before

        return partial(diagnose, model, loss, X, Y, optimizer), check

    return prepare


# --- compiling -----------------------------------------------------------------------------------------


def compiling(**options: Any) -> Prepare:
    """The first call traces and compiles; if it fails, the same object still works when called again."""
    model = nn.MLP(2, [2, 1], seed=0)

    def loss(x: Any, t: Any) -> Any:
        y = model(x)
        return (y - t) ** 2 if x[0] > 0 else (y + t) ** 2

    reference_step = compile(loss, params=model.parameters(), **options)
    value, gradient = reference_step.value_and_grad(X, Y)

    def prepare() -> Prepared:
        step = compile(loss, params=model.parameters(), **options)

        def check(failed: bool) -> None:
            found, slopes = step.value_and_grad(X, Y)
            assert (found, slopes.tolist()) == (value, gradient.tolist())

        return partial(step.value_and_grad, X, Y), check

    return prepare


def compiling_a_loop(kernels: str) -> Prepare:
    """The same for a series: its loop is found again and, with kernels="wait", becomes a kernel."""

    def walk(x: Any, rates: Any) -> Any:
        total = 0.0
        for rate in rates:
            x = x + rate * x.sin()
            total = total + x * x
        return total

    rates = np.linspace(0.1, 0.5, 40)
    value, gradient = compile(walk, batch=None).value_and_grad(0.3, rates, argnums=1)

    def prepare() -> Prepared:
        step = compile(walk, batch=None)

        def call() -> Any:
            before = os.environ.get("CHAINRULE_KERNELS")
            os.environ["CHAINRULE_KERNELS"] = kernels
            try:
                return step.value_and_grad(0.3, rates, argnums=1)
            finally:
                os.environ["CHAINRULE_KERNELS"] = before or "on"

        def check(failed: bool) -> None:
            found, slopes = call()
            assert (found, slopes.tolist()) == (value, gradient.tolist())

        return call, check

    return prepare


def calling(**options: Any) -> Prepare:
    """A call of a function that has already been compiled."""
    w = Value(2.0)
    step = compile(lambda x: chainrule.exp(w * x[0]) + x[1], **options)
    wanted = step(X).tolist()

    def prepare() -> Prepared:
        def check(failed: bool) -> None:
            assert step(X).tolist() == wanted

        return lambda: (step(X), step.value_and_grad(X, argnums=("params", 0))), check

    return prepare


def deriving(derive: Callable[[Any], Any]) -> Prepare:
    """A derivative of a compiled function, which is traced and differentiated anew."""

    def quantity(x: Any) -> Any:
        return chainrule.exp(x[0] * x[1]) + x[1] ** 2 if x[0] > 0 else x[0] * x[1].sin()

    wanted = listed(derive(compile(quantity)))

    def prepare() -> Prepared:
        step = compile(quantity)

        def check(failed: bool) -> None:
            assert listed(derive(step)) == wanted

        return partial(derive, step), check

    return prepare


def listed(results: Any) -> list[Any]:
    """Arrays as lists, so that they can be compared by `==`."""
    if isinstance(results, (list, tuple)):
        return [listed(each) for each in results]
    return np.asarray(results).tolist()  # type: ignore[no-any-return]


def adding_a_parameter() -> Prepare:
    """A second branch uses a new parameter, so the first branch's program must take the longer list
    too.
    """
    samples = np.array([1.0, -1.0, 2.0])

    def prepare() -> Prepared:
        w, v = Value(2.0), Value(3.0)
        step = compile(lambda x: w * x if x > 0 else v * x)
        step(samples[:1])

        def check(failed: bool) -> None:
            for _ in range(2):
                assert step(samples).tolist() == [2.0, -3.0, 4.0]
                value, slopes = step.value_and_grad(samples)
                assert (value, slopes.tolist()) == (1.0, [1.0, -1.0 / 3.0])

        return partial(step, samples), check

    return prepare


# --- optimisers ----------------------------------------------------------------------------------------


def state_of(optimizer: optim.Optimizer) -> tuple[Any, ...]:
    """Everything that one training step changes; numbers in hexadecimal, so that comparison is exact."""
    numbers = [p.data.hex() for p in optimizer.params]
    states = [tuple(float(x).hex() for x in row) for row in optimizer.state]
    return optimizer.steps, numbers, states


def model_and_optimizer(name: str = "adam") -> tuple[nn.MLP, optim.Optimizer]:
    model = nn.MLP(2, [2, 1], seed=0)
    return model, OPTIMIZERS[name](model.parameters())


def stepping(name: str) -> Prepare:
    def start() -> optim.Optimizer:
        _, optimizer = model_and_optimizer(name)
        for i, p in enumerate(optimizer.params):
            p.grad = 0.1 * (i + 1)
        return optimizer

    return all_or_nothing(start, lambda optimizer: optimizer.step(), state_of)


def scheduling() -> Prepare:
    def start() -> optim.StepLR:
        return optim.StepLR(optim.SGD([Value(1.0)], lr=0.5), step_size=1)

    return all_or_nothing(start, lambda s: s.step(), lambda s: (s.last_epoch, s.optimizer.lr))


def clipping() -> Prepare:
    def start() -> list[Value]:
        params = [Value(1.0), Value(2.0)]
        for p in params:
            p.grad = 30.0
        return params

    def change(params: list[Value]) -> None:
        optim.clip_grad_norm_(params, 0.1 * sum(p.grad for p in params))

    return all_or_nothing(start, change, gradients)


def loading_a_model() -> Prepare:
    target = nn.MLP(2, [2, 1], seed=1).state_dict()
    return all_or_nothing(
        lambda: nn.MLP(2, [2, 1], seed=0), lambda m: m.load_state_dict(target), lambda m: m.state_dict()
    )


def loading_an_optimizer() -> Prepare:
    trained = model_and_optimizer()[1]
    trained.lr = 0.5
    for p in trained.params:
        p.grad = 1.0
    trained.step()
    state = trained.state_dict()
    return all_or_nothing(
        lambda: model_and_optimizer()[1],
        lambda optimizer: optimizer.load_state_dict(state),
        lambda optimizer: optimizer.state_dict(),
    )


# --- with SciPy and scikit-learn -----------------------------------------------------------------------


def rosenbrock(p: dict[str, Any]) -> Any:
    return (1.0 - p["x"]) ** 2 + 10.0 * (p["y"] - p["x"] ** 2) ** 2


def optimizing(name: str) -> Prepare:
    """One of the functions of chainrule.optimize finds the same solution again."""
    from chainrule import optimize

    start = {"x": 0.5, "y": 0.5}
    few = {"maxiter": 3}

    def best(function: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: listed(list(function().x.values()))

    times, heights = np.array([0.0, 1.0, 2.0, 3.0]), np.array([2.0, 1.1, 0.6, 0.3])
    actions = {
        "minimize": best(partial(optimize.minimize, rosenbrock, start, options=few)),
        "minimize, trust-ncg": best(
            partial(optimize.minimize, rosenbrock, start, method="trust-ncg", options=few)
        ),
        "least_squares": best(
            partial(optimize.least_squares, lambda p: [1.0 - p["x"], p["y"] - p["x"] ** 2], start)
        ),
        "root": best(partial(optimize.root, lambda p: [p["x"] - 2.0, p["y"] * p["x"] - 3.0], start)),
        "curve_fit": lambda: listed(
            optimize.curve_fit(lambda t, a, b: a * chainrule.exp(-b * t), times, heights, [1.0, 1.0])
        ),
        "the slope of a root": lambda: grad(
            lambda a: optimize.root(lambda x: x * x - a, 1.0, tol=1e-12).x
        )(2.0),
    }
    return repeating(actions[name])


def estimating(kind: str) -> Prepare:
    """An estimator that is fitted again predicts what it learned before, or what it learned now."""
    from chainrule import sklearn

    old, new = (X[:8], Y[:8]), (X[::-1] * [3.0, 1.0] - 1.0, 1.0 - Y)

    def start() -> Any:
        made = getattr(sklearn, kind)(hidden=(2,), epochs=1, random_state=0)
        return made.fit(*old)

    def seen(estimator: Any) -> Any:
        return listed(estimator.predict(X)), listed(estimator.x_mean_), len(estimator.history_.losses)

    return all_or_nothing(start, lambda estimator: estimator.fit(*new), seen)


# --- random numbers ------------------------------------------------------------------------------------


def drawing() -> Prepare:
    """A call that failed may have used up its numbers; the next call has those of its own number."""
    samples = np.arange(3.0)

    def start() -> tuple[Any, Any]:
        generator = random.Generator(0)
        return generator, compile(lambda x: generator.normal(x) * generator.uniform())

    _, step = start()
    calls = [listed(step(samples)) for _ in range(6)]

    def prepare() -> Prepared:
        _, step = start()

        def check(failed: bool) -> None:
            made = calls.index(listed(step(samples)))
            assert made in ((0, 1) if failed else (1,))
            assert listed(step(samples)) == calls[made + 1]

        return lambda: step(samples), check

    return prepare


def seeding() -> Prepare:
    """The generator has the old seed or the new one."""

    def change(generator: random.Generator) -> None:
        generator.seed(1)

    def seen(generator: random.Generator) -> list[float]:
        again = copy.copy(generator)
        again.seed(generator._state.seed)
        return [again.normal(), *again.uniform(size=2)]

    return all_or_nothing(lambda: random.Generator(0), change, seen)


# --- native training -----------------------------------------------------------------------------------


def trainer_and_optimizer() -> tuple[Trainer, optim.Optimizer]:
    model, optimizer = model_and_optimizer()
    step = compile(lambda x, t: (model(x) - t) ** 2, params=model.parameters())
    return Trainer(step, optimizer), optimizer


def native(action: Callable[[Trainer], Any]) -> Prepare:
    """An action fails after 3 steps; parameters and optimiser state are those after some whole number of
    steps.
    """
    trainer, optimizer = trainer_and_optimizer()
    states = [state_of(optimizer)]
    for _ in range(12):
        trainer.step(X, Y)
        trainer.write_back()
        states.append(state_of(optimizer))

    def prepare() -> Prepared:
        trainer, optimizer = trainer_and_optimizer()
        for _ in range(3):
            trainer.step(X, Y)

        def check(failed: bool) -> None:
            assert state_of(optimizer) in states
            trainer.write_back()
            made = optimizer.steps
            assert state_of(optimizer) == states[made]
            trainer.step(X, Y)
            trainer.write_back()
            assert state_of(optimizer) == states[made + 1]

        return partial(action, trainer), check

    return prepare


def constructing() -> Prepare:
    """A failed constructor leaves the compiled function either unchanged or fully prepared for
    training.
    """

    def prepare() -> Prepared:
        model = nn.MLP(2, [2, 1], seed=0)
        step = compile(lambda x, t: (model(x) - t) ** 2)
        gradient = step.grad(X, Y).tolist()
        optimizer = optim.SGD(step.params[::-1])

        def check(failed: bool) -> None:
            old = (None, True, gradient)
            new = (len(gradient), False, gradient[::-1])
            found = (step.named, bool(step.variants), step.grad(X, Y).tolist())
            assert found in ([old, new] if failed else [new])
            trainer = Trainer(step, optimizer)
            trainer.step(X, Y)
            trainer.write_back()
            assert optimizer.steps == 1
            assert [p.grad for p in optimizer.params] == gradient[::-1]

        return lambda: Trainer(step, optimizer), check

    return prepare


def run_five_steps(trainer: Trainer) -> None:
    trainer.run(Batch((X, Y)), np.full(5, 0.05))
    trainer.write_back()


# --- fit -----------------------------------------------------------------------------------------------


def fitting(engine: str, epochs: int = 3, **options: Any) -> Prepare:
    """Wherever fit fails, training can continue with the same model and optimiser."""
    settings: Any = {"batch_size": 5, "shuffle": False, "progress": False, "engine": engine, **options}

    def train(model: Any, optimizer: Any, epochs: int) -> None:
        fit(model, "mse", X, Y, optimizer=optimizer, epochs=epochs, **settings)

    states = {}
    model, optimizer = model_and_optimizer()
    states[0] = state_of(optimizer)
    for i in range(2 * (epochs + 1)):  # one step per call, on alternating halves
        half = slice(5) if i % 2 == 0 else slice(5, 10)
        plain = {**settings, "batch_size": None, "validation": None}
        fit(model, "mse", X[half], Y[half], optimizer=optimizer, epochs=1, **plain)
        states[optimizer.steps] = state_of(optimizer)

    def prepare() -> Prepared:
        model, optimizer = model_and_optimizer()
        model.eval()
        before = signal.getsignal(signal.SIGINT)

        def check(failed: bool) -> None:
            assert not any(module.training for module in model.modules())
            assert state_of(optimizer) == states[optimizer.steps]
            assert signal.getsignal(signal.SIGINT) is before
            if optimizer.steps % 2 == 0:
                made = optimizer.steps
                train(model, optimizer, 1)
                assert state_of(optimizer) == states[made + 2]

        return partial(train, model, optimizer, epochs), check

    return prepare


def finishing_in_jax() -> Prepare:
    """Writing the numbers computed by JAX back to the model, after an epoch of two steps."""
    from chainrule.train.choosing import make_engine
    from chainrule.train.feeding import Data

    model, optimizer = model_and_optimizer()
    samples = Data(X, Y, 5, False, np.random.default_rng(0))
    run: Any = make_engine("jax", model, nn.mse_loss, optimizer, samples)
    start, old = (model.state_dict(), optimizer.state_dict()), state_of(optimizer)
    run.steps(samples.plan(1, optimizer.lr))
    grads, new = run.function.tree.build(np.ones(len(optimizer.params))), state_of(optimizer)

    def prepare() -> Prepared:
        model.load_state_dict(start[0])
        optimizer.load_state_dict(start[1])

        def check(failed: bool) -> None:
            assert state_of(optimizer) in ([old, new] if failed else [new])

        return partial(run.finish, run.jax.tree.map(run.devices.put_parameter, grads), 2), check

    return prepare


# --- files ---------------------------------------------------------------------------------------------


def fresh_folder() -> Path:
    """An empty directory, removed when the process ends."""
    return Path(tempfile.mkdtemp(dir=scratch()))


def scratch() -> str:
    return _scratch().name


@cache
def _scratch() -> Any:
    return tempfile.TemporaryDirectory(prefix="chainrule-campaign-")


def only_file(path: Path) -> bytes:
    """Return a file's content; fails if anything else was left in its directory."""
    assert os.listdir(path.parent) == [path.name]
    return path.read_bytes()


def saving() -> Prepare:
    """The file is the old one or the new one; the next save removes what a failed save left behind."""
    old, new = nn.MLP(2, [2, 1], seed=0), nn.MLP(2, [2, 1], seed=1)

    def prepare() -> Prepared:
        path = fresh_folder() / "model"
        chainrule.save(old, path)

        def check(failed: bool) -> None:
            found = chainrule.load(path).state_dict()
            assert found in ([old.state_dict(), new.state_dict()] if failed else [new.state_dict()])
            chainrule.save(new, path)
            assert chainrule.load(path).state_dict() == new.state_dict()
            only_file(path)

        return partial(chainrule.save, new, path), check

    return prepare


def noting_progress() -> Prepare:
    """A learner passes an exercise: the file either records it or is unchanged."""
    names = ["write_mul", "write_neuron"]

    def prepare() -> Prepared:
        progress = Progress(fresh_folder())
        progress.note_passed(names[0])

        def check(failed: bool) -> None:
            found = Progress.read(progress.folder)
            assert found.damaged is None
            assert list(found.passed) in ([names[:1], names] if failed else [names])
            progress.note_passed(names[1])
            assert list(Progress.read(progress.folder).passed) == names
            only_file(progress.folder / FILE)

        return partial(progress.note_passed, names[1]), check

    return prepare


def loading() -> Prepare:
    model = nn.MLP(2, [2, 1], seed=0)
    path = fresh_folder() / "model"
    chainrule.save(model, path)

    def prepare() -> Prepared:
        def check(failed: bool) -> None:
            assert chainrule.load(path).state_dict() == model.state_dict()

        return partial(chainrule.load, path), check

    return prepare


def loading_into_a_model() -> Prepare:
    """The model has all the old numbers or all the new ones."""
    new, model = nn.MLP(2, [2, 1], seed=0), nn.MLP(2, [2, 1], seed=1)
    old, path = model.state_dict(), fresh_folder() / "model"
    chainrule.save(new, path)

    def prepare() -> Prepared:
        model.load_state_dict(old)

        def check(failed: bool) -> None:
            found = model.state_dict()
            assert found in ([old, new.state_dict()] if failed else [new.state_dict()])

        return partial(chainrule.load, path, model), check

    return prepare


def resuming(engine: str) -> Prepare:
    """A run with a resume file fails; once resumed, it ends with the numbers of an uninterrupted run."""

    def train(path: Path, epochs: int = 2) -> list[Any]:
        model, optimizer = model_and_optimizer()
        options: Any = {"batch_size": 5, "progress": False, "engine": engine, "seed": 0}
        fit(model, "mse", X, Y, optimizer=optimizer, epochs=epochs, resume=path, **options)
        return [state_of(optimizer), model.state_dict()]

    wanted = train(fresh_folder() / "run")

    def prepare() -> Prepared:
        path = fresh_folder() / "run"

        def check(failed: bool) -> None:
            assert train(path) == wanted
            only_file(path)

        return partial(train, path), check

    return prepare


# --- the registry --------------------------------------------------------------------------------------

ENTRIES: list[Entry] = [
    Entry("building an expression", building),
    Entry("backward", sweeping),
    Entry("backward, create_graph", partial(sweeping, create_graph=True)),
    Entry("backward, retain_graph=False", freeing),
    Entry("assigning .data", partial(assigning, lambda leaves, root: leaves[0])),
    Entry("assigning .data of a result", partial(assigning, lambda leaves, root: root)),
    Entry("forward", recomputing),
    Entry("grad", lambda: repeating(grad(example_function), [1.0, 2.0, 0.5])),
    Entry("jacobian", lambda: repeating(jacobian(example_vector), [1.0, 2.0, 0.5])),
    Entry("hessian", lambda: repeating(hessian(example_function), [1.0, 2.0])),
    Entry("hvp", lambda: repeating(lambda x: hvp(example_function, [x], [[1.0, 2.0]]), [0.5, 1.0])),
    Entry("linalg", lambda: repeating(slopes_of_linear_algebra, 0.5)),
    Entry("check_gradients", checking),
    Entry("diagnose", diagnosing),
    Entry("jvp", lambda: repeating(lambda x: jvp(lambda x: x * x.sin(), [x], [1.0]), 0.5)),
    *(Entry(mode.__name__, partial(entering, mode)) for mode in (no_grad, enable_grad, detect_anomaly)),
    Entry("compile", compiling),
    Entry("compile, numpy", partial(compiling, backend="numpy")),
    Entry("compile, loop", partial(compiling_a_loop, "off")),
    Entry("compile, kernel", partial(compiling_a_loop, "wait")),
    Entry("compile, float32", partial(compiling, dtype="float32")),
    Entry("compile, a new parameter", adding_a_parameter),
    Entry("a compiled call", calling),
    Entry("compiled jacobian", lambda: deriving(lambda step: step.jacobian(X))),
    Entry("compiled hessian", lambda: deriving(lambda step: step.hessian(X))),
    Entry("compiled hvp", lambda: deriving(lambda step: step.hvp((X,), (X[::-1],)))),
    Entry("compiled jvp", lambda: deriving(lambda step: step.jvp((X,), (X[::-1],)))),
    Entry("compiled vjp", lambda: deriving(lambda step: step.vjp((X,), Y))),
    Entry("compiled random numbers", drawing),
    Entry("random.seed", seeding),
    *(
        Entry(f"optimize.{name}", partial(optimizing, name), "scipy")
        for name in ("minimize", "minimize, trust-ncg", "least_squares", "root", "curve_fit")
    ),
    Entry("the slope of a root", partial(optimizing, "the slope of a root"), "scipy"),
    *(Entry(f"{name}.step", partial(stepping, name)) for name in OPTIMIZERS),
    Entry("schedule.step", scheduling),
    Entry("clip_grad_norm_", clipping),
    Entry("Module.load_state_dict", loading_a_model),
    Entry("Optimizer.load_state_dict", loading_an_optimizer),
    Entry("save", saving, writes=True),
    Entry("Progress.note_passed", noting_progress, writes=True),
    Entry("load", loading),
    Entry("load into a model", loading_into_a_model),
    Entry("Trainer", constructing, "c"),
    Entry("Trainer.write_back", lambda: native(lambda trainer: trainer.write_back()), "c"),
    Entry("Trainer.refresh", lambda: native(lambda t: (t.write_back(), t.refresh())), "c"),
    Entry("Trainer.step", lambda: native(lambda trainer: trainer.step(X, Y)), "c"),
    Entry("Trainer.run", lambda: native(run_five_steps), "c"),
    Entry("fit, eager", partial(fitting, "eager", 1)),
    Entry("fit, eager, validated", partial(fitting, "eager", 1, validation=(X[:3], Y[:3]))),
    Entry("fit, native", partial(fitting, "native"), "c"),
    Entry("fit, native, validated", partial(fitting, "native", validation=(X[:3], Y[:3])), "c"),
    Entry("fit, eager, resumed", partial(resuming, "eager"), writes=True),
    Entry("fit, native, resumed", partial(resuming, "native"), "c", writes=True),
    Entry("Regressor.fit", partial(estimating, "Regressor"), "sklearn"),
    Entry("Classifier.fit", partial(estimating, "Classifier"), "sklearn"),
    Entry("fit, jax", partial(fitting, "jax", 1), "jax", cost=20),
    Entry("JaxRun.finish", finishing_in_jax, "jax"),
]


def entries(*names: str) -> list[Entry]:
    """The entries that this installation can run: all of them, or only those named."""
    known = {entry.name for entry in ENTRIES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(
            f"unknown entry points: {', '.join(unknown)}; known: {', '.join(sorted(known))}"
        )
    return [entry for entry in ENTRIES if (not names or entry.name in names) and entry.runs_here]
