"""Random numbers in compiled functions: new for each call; frozen ones are errors."""

import functools
import random as python_random
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, grad, nn, optim, random, train
from chainrule.compiler import CompileError, Trainer
from chainrule.train import choosing

from ...near import near
from ..compiler.compiled import BACKENDS

X = np.arange(1.0, 101.0)
backends = pytest.mark.parametrize("backend", BACKENDS)


def noisy(x: Any) -> Any:
    return x * random.normal() + random.uniform()


def seeded(f: Any, *args: Any, **keywords: Any) -> Any:
    random.seed(1)
    return f(*args, **keywords)


# --- numbers --------------------------------------------------------------------------------------


@backends
def test_every_call_draws_new_numbers_for_every_sample(backend: Any) -> None:
    f = compile(noisy, batch=0, backend=backend)
    first, second = f(X), f(X)
    assert len({*first.tolist(), *second.tolist()}) == 200
    assert np.array_equal(seeded(f, X), seeded(f, X))
    assert not np.array_equal(seeded(f, X), f(X))


def test_the_first_call_is_no_different() -> None:
    """Tracing, and trying how to read a vector, draw no numbers of their own."""
    assert np.array_equal(seeded(compile(noisy), X), seeded(compile(noisy, batch=0), X))


def test_both_backends_and_any_part_of_a_batch_have_the_same_numbers() -> None:
    first, *others = [seeded(compile(noisy, batch=0, backend=b), X) for b in BACKENDS]
    for other in others:
        assert other == near(first, ulps=4)
    assert np.array_equal(seeded(compile(noisy, batch=0), X[:7]), first[:7])
    columns = compile(lambda x: [noisy(x), x], batch=0)
    assert np.array_equal(seeded(columns, X)[0], first)


def test_branches_do_not_change_the_numbers_of_other_samples() -> None:
    def branches(x: Any) -> Any:
        z = random.normal()
        return x * z if x > 50 else z - random.uniform() if z > 0 else z

    f = compile(branches, batch=0)
    found = seeded(f, X)
    normal = seeded(compile(lambda x: random.normal() + 0 * x, batch=0), X)
    uniform = seeded(compile(lambda x: 0 * random.normal() + random.uniform() + 0 * x, batch=0), X)
    expected = np.where(X > 50, X * normal, np.where(normal > 0, normal - uniform, normal))
    assert found == near(expected, ulps=4)
    assert np.array_equal(found, seeded(f, X))
    assert len(f.traces()) == 3


def test_many_samples_and_threads() -> None:
    """As many as several threads share: each number belongs to its sample."""
    many = np.ones(200_000)
    found = seeded(compile(noisy, batch=0), many)
    assert found[:100].tolist() == seeded(compile(noisy, batch=0), many[:100]).tolist()
    normal = seeded(compile(lambda x: random.normal(3.0, 2.0) * x, batch=0), many)
    assert normal.mean() == near(3.0, abs=0.03)
    assert normal.std() == near(2.0, abs=0.03)
    uniform = compile(lambda x: random.uniform(-1.0, 3.0) * x, batch=0)(many)
    assert uniform.mean() == near(1.0, abs=0.02)
    assert -1 <= uniform.min() < -0.99 < 2.99 < uniform.max() < 3
    assert np.corrcoef(found[1:], found[:-1])[0, 1] == near(0.0, abs=0.02)


def test_generators_of_ones_own() -> None:
    mine = random.Generator(3)
    f = compile(lambda x: x * random.normal(generator=mine) + mine.uniform(), batch=0)
    first = f(X)
    random.seed(0)
    assert not np.array_equal(f(X), first)
    mine.seed(3)
    assert np.array_equal(f(X), first)
    assert np.array_equal(compile(noisy, batch=0)(X), compile(noisy, batch=0)(X)) is False


def test_one_sample_and_several_axes() -> None:
    f = compile(lambda x: [v * random.normal() for v in x], batch=None)
    assert len(set(f([1.0, 1.0, 1.0]))) == 3
    grid = compile(lambda x: x + random.uniform(), axes=2)(np.zeros((3, 4)))
    assert grid.shape == (3, 4)
    assert len(set(grid.ravel().tolist())) == 12


def test_sizes() -> None:
    plain = random.normal(size=(2, 3))
    assert plain.shape == (2, 3)
    assert plain.dtype == float
    assert isinstance(random.uniform(2.0, 3.0), float)
    assert 2 <= random.uniform(2.0, 3.0) < 3
    assert random.normal(Value(1.0), 2.0).inputs[0].data == 1.0
    dropout = compile(lambda x: [u * v for u, v in zip(random.uniform(size=3), x, strict=True)], batch=0)
    assert len(set(np.ravel(dropout(np.ones((5, 3)))).tolist())) == 15


def test_numbers_outside_compiled_functions_are_floats() -> None:
    random.seed(5)
    first = [random.normal(), random.uniform(), *random.normal(size=2)]
    random.seed(5)
    assert first == [random.normal(), random.uniform(), *random.normal(size=2)]
    assert all(isinstance(x, float) for x in first)
    assert grad(lambda x: x * random.uniform(2.0, 2.0))(1.0) == 2.0
    assert repr(random.Generator(1)) == "<chainrule.random.generators.Generator>"


# --- derivatives ----------------------------------------------------------------------------------


@backends
def test_derivatives_take_the_numbers_as_constants(backend: Any) -> None:
    mean, spread = Value(1.0), Value(2.0)
    f = compile(lambda x: x**2 * random.normal(mean, spread), batch=0, backend=backend)
    z = seeded(f, np.ones(100)) / 2 - 0.5
    value, gradient = seeded(f.value_and_grad, X, argnums=("params", 0))
    assert value == near(X**2 * (1 + 2 * z), rel=1e-13)
    assert gradient[0] == near([(X**2).sum(), (X**2 * z).sum()], rel=1e-12)
    assert gradient[1] == near(2 * X * (1 + 2 * z), rel=1e-13, abs=1e-13)
    assert seeded(f.hessian, X, argnums=0) == near(2 * (1 + 2 * z), rel=1e-13, abs=1e-13)
    assert seeded(f.jacobian, X, argnums=0) == near(gradient[1], rel=1e-13, abs=1e-13)
    tangent = seeded(f.jvp, (X,), (np.ones(100),), argnums=(0,))[1]
    assert tangent == near(gradient[1], rel=1e-13, abs=1e-13)
    inner = compile(grad(lambda x: x**2 * random.normal(1.0, 2.0)), batch=0, backend=backend)
    assert seeded(inner, X) == near(gradient[1], rel=1e-13, abs=1e-13)


def test_a_few_samples_with_shared_numbers() -> None:
    """Directions become samples there; the random numbers must stay with their samples."""
    f = compile(lambda w, x: chainrule.dot(w, x) ** 2 * random.normal(), batch=(None, 0))
    w, few = np.array([1.0, -2.0, 0.5]), np.arange(6.0).reshape(2, 3)
    z = seeded(f, w, few) / (few @ w) ** 2
    expected = sum(2 * zi * np.outer(x, x) for zi, x in zip(z, few, strict=True))
    assert seeded(f.hessian, w, few, argnums=0) == near(expected, rel=1e-12)


# --- numbers that would freeze ---------------------------------------------------------------------

GENERATOR = np.random.default_rng(0)


class WithGenerator:
    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def __call__(self, x: Any) -> Any:
        return self.noise(x)

    def noise(self, x: Any) -> Any:
        return x * self.generator.random()


def closure(x: Any, mine: Any = None) -> Any:
    return x * GENERATOR.normal()


def frozen() -> dict[str, tuple[Any, str]]:
    own, legacy = python_random.Random(0), np.random.RandomState(0)
    partial = functools.partial(lambda g, x: x * g.normal(), np.random.default_rng(1))
    return {
        "random": (lambda x: x * python_random.gauss(0, 1), "the random module"),
        "numpy.random": (lambda x: x * np.random.normal(), r"numpy\.random"),
        "shuffle": (lambda x: x * python_random.choice([1, 2]), "the random module"),
        "global": (closure, r"a numpy generator \(Generator\)"),
        "closure": (lambda x: closure(x), r"a numpy generator \(Generator\)"),
        "Random": (lambda x: x * own.random(), r"a random generator \(Random\)"),
        "RandomState": (lambda x: x * legacy.normal(), r"a numpy generator \(RandomState\)"),
        "partial": (partial, r"a numpy generator \(Generator\)"),
        "object": (WithGenerator(own), r"a random generator \(Random\)"),
        "method": (WithGenerator(legacy).noise, r"a numpy generator \(RandomState\)"),
    }


@pytest.mark.parametrize("name", frozen())
def test_numbers_that_would_freeze_are_errors(name: str) -> None:
    function, culprit = frozen()[name]
    message = rf"draws numbers from {culprit}, and compiling would freeze.*chainrule.random.normal\(\)"
    with pytest.raises(CompileError, match=message):
        compile(function, batch=0)(X)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("np.random.rand()", "the function draws numbers from numpy.random"),
        ("np.random.randint(2)", "the function draws numbers from numpy.random"),
        ("random.normal()", "none"),
    ],
)
def test_a_module_that_is_imported_while_tracing(source: str, found: str) -> None:
    """NumPy imports numpy.random when a program first uses it."""
    program = (
        "import sys\nimport numpy as np\nfrom chainrule import compile, random\n"
        "assert 'numpy.random' not in sys.modules\n"
        f"try:\n    compile(lambda x: x * {source}, batch=0)([1.0]); print('none')\n"
        "except Exception as error:\n    print(str(error).partition(',')[0])\n"
        "assert 'numpy.random' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{found}\n", "")


def test_functions_that_only_hold_generators_compile() -> None:
    with_one = WithGenerator(python_random.Random(0))
    assert compile(lambda x: x + len(vars(with_one)), batch=0)(X)[0] == 2.0
    seeded_inside = compile(lambda x: x * np.random.default_rng(0).uniform(1, 1), batch=0)
    assert seeded_inside(X)[0] == 1.0


def test_other_threads_may_draw_random_numbers() -> None:
    """One draw during a trace is not taken for the function's own; it is traced again."""
    drawn = threading.Event()
    asked = threading.Event()
    ended = threading.Event()

    def other() -> None:
        asked.wait()
        python_random.random()
        drawn.set()
        ended.wait()

    thread = threading.Thread(target=other)
    thread.start()

    def slow(x: Any) -> Any:
        asked.set()
        drawn.wait()
        return 2 * x

    try:
        assert compile(slow, batch=0)(X)[0] == 2.0
        with pytest.raises(CompileError, match="the random module"):
            compile(lambda x: x * python_random.random(), batch=0)(X)
    finally:
        ended.set()
        thread.join()


# --- training and exports ---------------------------------------------------------------------------


def noisy_loss(predictions: list[Any], targets: list[Any]) -> Any:
    return chainrule.sum([(p - t) ** 2 for p, t in zip(predictions, targets, strict=True)]) * (
        1 + 0 * python_random.random()
    )


def test_fit_falls_back_to_eager_mode_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    if chainrule.core == "python":
        pytest.skip("there is no native engine on the reference core")
    data: Any = ([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(CompileError, match="draws numbers from the random module"):
        train.fit(nn.MLP(1, [1]), noisy_loss, *data, epochs=1, progress=False, engine="native")
    monkeypatch.setattr(choosing, "why_not_native", lambda model, loss: "")
    history = train.fit(nn.MLP(1, [1]), noisy_loss, *data, epochs=1, progress=False)
    assert history.engine == "eager"
    assert "draws numbers from the random module" in history.reason


def test_random_functions_cannot_be_trained_natively_or_exported() -> None:
    f = compile(noisy, batch=0)
    f(X)
    for language in ("c", "javascript"):
        with pytest.raises(
            CompileError, match="draws random numbers cannot be exported: draw them outs"
        ):
            f.source(language)  # type: ignore[arg-type]
    if chainrule.core == "c":
        w = Value(1.0)
        step = compile(lambda x: (w * x - random.normal()) ** 2, params=[w])
        with pytest.raises(CompileError, match="cannot be trained natively"):
            Trainer(step, optim.SGD([w], lr=0.1)).step(X)
