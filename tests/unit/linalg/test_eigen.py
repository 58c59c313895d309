"""eigh: against NumPy, 50-digit arithmetic and JAX; coinciding eigenvalues; compiled."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, detect_anomaly, grad, hessian, jacobian, linalg

from ...conftest import require
from ...near import near
from ..compiler.compiled import BACKENDS
from .matrices import along, hilbert, random, truth_along

SIZES = (1, 2, 3, 5, 8)
EPSILON = 2.0**-52


def symmetric(n: int, seed: int = 0) -> Any:
    a = random(n, seed)
    return (a + a.T) / 2


def with_eigenvalues(*values: float) -> Any:
    q = np.linalg.qr(random(len(values)))[0]
    a = q @ np.diag(values) @ q.T
    return (a + a.T) / 2


def matrices(n: int) -> dict[str, Any]:
    scale = 10.0 ** np.arange(n)
    path = np.eye(n, k=1) + np.eye(n, k=-1)
    return {
        "random": symmetric(n),
        "zero": np.zeros((n, n)),
        "identity": np.eye(n),
        "ones": np.ones((n, n)),
        "exchange": np.fliplr(np.eye(n)),
        "diagonal": np.diag(np.cos(np.arange(n))),
        "path": path,
        "Wilkinson": np.diag(np.abs(np.arange(n) - n // 2)) + path,
        "Hilbert": hilbert(n),
        "graded": symmetric(n) * np.outer(scale, scale),
        "cluster": with_eigenvalues(*(1 + 1e-9 * np.arange(n))),
        "two clusters": with_eigenvalues(*(1e-7 * np.arange(n) + (np.arange(n) % 2))),
        "tiny": symmetric(n) * 1e-200,
        "huge": symmetric(n) * 1e200,
    }


EVERY = [(f"{name} {n}", a) for n in SIZES for name, a in matrices(n).items()]


@pytest.mark.parametrize("a", [a for _, a in EVERY], ids=[name for name, _ in EVERY])
def test_values_and_vectors(a: Any) -> None:
    """The bounds of backward stability."""
    n, size = len(a), np.abs(a).max() or 1.0
    values, vectors = linalg.eigh(a)
    allowed = 10 * n * EPSILON
    assert values / size == near(np.linalg.eigh(a / size).eigenvalues, abs=allowed)
    assert (a / size) @ vectors == near(vectors * (values / size), abs=allowed)
    assert vectors.T @ vectors == near(np.eye(n), abs=allowed)
    assert values.tolist() == sorted(values)
    on_values = linalg.eigh([[Value(x) for x in row] for row in a])
    assert [v.data for v in on_values.eigenvalues] == values.tolist()
    assert [v.data for v in on_values.eigenvectors.ravel()] == vectors.ravel().tolist()


def test_small_eigenvalues_of_a_graded_matrix() -> None:
    """Jacobi's method finds them to full relative precision."""
    a = symmetric(4) * np.outer(10.0 ** -np.arange(0, 12, 3), 10.0 ** -np.arange(0, 12, 3))
    a += np.diag(10.0 ** -np.arange(0, 24, 6)) * 10
    with mp.workdps(60):
        expected = sorted(float(x) for x in mp.eigsy(mp.matrix(a.tolist()), eigvals_only=True))
    assert linalg.eigh(a).eigenvalues == near(expected, rel=1e-13)


def test_forward_recomputes_the_eigenvalues() -> None:
    a = [[Value(x) for x in row] for row in symmetric(4)]
    values, vectors = linalg.eigh(a)
    total = chainrule.dot(values, [1.0, 2.0, 3.0, 4.0]) + vectors[0, 0]
    changed = symmetric(4, seed=9)
    for row, numbers in zip(a, changed, strict=True):
        for v, x in zip(row, numbers, strict=True):
            v.data = x
    total.forward()
    expected = linalg.eigh(changed)
    assert total.data == np.arange(1.0, 5.0) @ expected.eigenvalues + expected.eigenvectors[0, 0]


# --- derivatives ----------------------------------------------------------------------------------


def mixture(a: Any) -> Any:
    """A number that depends on every eigenvalue and every vector, but not on the signs of vectors."""
    values, vectors = linalg.eigh(a)
    squares = [(k + 2) * vectors[0, k] * vectors[-1, k] for k in range(len(values))]
    return chainrule.sum([x**2 / (k + 1) for k, x in enumerate(values)]) + chainrule.sum(squares)


def mixture_truth(a: Any) -> Any:
    values, vectors = mp.eigsy((a + a.T) / 2)
    n = a.rows
    squares = mp.fsum((k + 2) * vectors[0, k] * vectors[n - 1, k] for k in range(n))
    return mp.fsum(values[k] ** 2 / (k + 1) for k in range(n)) + squares


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("n", SIZES)
def test_derivatives_along_a_line(n: int, order: int) -> None:
    a, direction = with_eigenvalues(*np.arange(1.0, n + 1)), random(n, seed=4) / n
    expected = truth_along(mixture_truth, a, direction, order)
    assert along(mixture, a.tolist(), direction, order) == near(expected, rel=1e-11, abs=1e-12)


def test_higher_derivatives_are_not_wrong_but_not_numbers() -> None:
    a, direction = with_eigenvalues(1.0, 2.0, 4.0), random(3, seed=4)
    assert not np.isfinite(along(mixture, a.tolist(), direction, 4))
    for k in range(3):
        assert not np.isfinite(along(lambda a, k=k: linalg.eigh(a)[0][k], a.tolist(), direction, 4))
        assert not np.isfinite(along(lambda a, k=k: linalg.eigh(a)[1][0, k], a.tolist(), direction, 4))


def test_gradients_agree_with_jax() -> None:
    jax = require("jax")
    a = symmetric(3)
    with jax.enable_x64(True):
        signs = np.sign((np.asarray(jax.numpy.linalg.eigh(a)[1]) * linalg.eigh(a)[1]).sum(0))

        def theirs(a: Any) -> Any:
            values, vectors = jax.numpy.linalg.eigh(a)
            return jax.numpy.concatenate([values[None], vectors * signs])

        first, second = jax.jacobian(theirs)(a), jax.jacobian(jax.jacobian(theirs))(a)

    def ours(a: Any) -> Any:
        values, vectors = linalg.eigh(a)
        return np.concatenate([values[None], vectors])

    assert jacobian(ours)(a) == near(np.asarray(first), rel=1e-11, abs=1e-12)
    assert jacobian(jacobian(ours))(a) == near(np.asarray(second), rel=1e-10, abs=1e-10)


def test_the_gradient_is_symmetric() -> None:
    by_a = grad(mixture)(symmetric(5))
    assert by_a == near(by_a.T, rel=1e-13, abs=1e-15)


# --- eigenvalues that coincide --------------------------------------------------------------------

SHARED = {
    "identity": np.eye(3),
    "exact": np.diag([1.0, 1.0, 2.0]),
    "up to rounding": with_eigenvalues(1.0, 1.0, 2.0, 2.0, 5.0),
}
shared = pytest.mark.parametrize("a", SHARED.values(), ids=SHARED)


@shared
def test_gradients_of_symmetric_functions_are_correct(a: Any) -> None:
    n = len(a)
    assert grad(lambda a: linalg.eigh(a)[0].sum())(a) == near(np.eye(n), abs=1e-14)
    assert grad(lambda a: np.log(linalg.eigh(a)[0]).sum())(a) == near(np.linalg.inv(a), abs=1e-14)
    assert grad(lambda a: (linalg.eigh(a)[0] ** 2).sum())(a) == near(2 * a, abs=1e-14)


@shared
def test_what_does_not_exist_is_not_finite(a: Any) -> None:
    assert not np.isfinite(grad(lambda a: linalg.eigh(a)[1][0, 0])(a)).any()
    assert not np.isfinite(hessian(lambda a: linalg.eigh(a)[0][0])(a)).any()


def test_eigenvalues_that_stand_alone_are_not_affected() -> None:
    a, direction = SHARED["up to rounding"], random(5, seed=2)

    def truth(a: Any) -> Any:
        return mp.eigsy((a + a.T) / 2, eigvals_only=True)[4]

    for order in (1, 2, 3):
        expected = truth_along(truth, a, direction, order)
        assert along(lambda a: linalg.eigh(a)[0][4], a, direction, order) == near(expected, rel=1e-11)


def test_no_anomaly_is_reported_for_shared_eigenvalues() -> None:
    with detect_anomaly():
        for a in SHARED.values():
            grad(lambda a: linalg.eigh(a)[0].sum())(a)


# --- compiled -------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", SIZES[:-1])
def test_compiled_as_one_program(n: int, backend: Any) -> None:
    """Matrices with different orders of rotations, among them some with shared eigenvalues."""
    batch = np.array([symmetric(n, seed) for seed in range(9)] + [np.diag(np.arange(n, 0.0, -1))])
    step = compile(mixture, reduction="none", backend=backend)
    found, by_a = step.value_and_grad(batch, argnums=0)
    assert found == near([mixture(a) for a in batch], rel=1e-10)
    for ours, a in zip(by_a, batch, strict=True):
        expected = grad(mixture)(a)
        assert ours == near(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())
    assert "1 program>" in repr(step)


def test_compiled_with_shared_eigenvalues() -> None:
    step = compile(lambda a: chainrule.log(linalg.eigh(a)[0]).sum(), reduction="none")
    batch = np.array([SHARED["identity"], SHARED["exact"], with_eigenvalues(1.0, 2.0, 3.0)])
    by_a = step.grad(batch, argnums=0)
    assert by_a == near(np.linalg.inv(batch), rel=1e-13, abs=1e-14)


def test_compiled_derivatives_of_second_order() -> None:
    batch = np.array([symmetric(3, seed) for seed in range(4)])
    found = compile(hessian(mixture))(batch)
    for i, a in enumerate(batch):
        expected = hessian(mixture)(a)
        assert found[i] == near(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())


def test_wrong_arguments() -> None:
    with pytest.raises(linalg.LinAlgError, match=r"^eigh needs a square matrix, got 1 x 2$"):
        linalg.eigh([[1.0, 2.0]])
