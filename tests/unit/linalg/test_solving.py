"""solve, inv, det, slogdet, cholesky and lstsq: against NumPy, 50-digit arithmetic, JAX, compiled."""

import itertools
import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import chainrule
from chainrule import Value, compile, detect_anomaly, grad, hessian, hvp, jacobian, jvp, linalg
from chainrule.linalg import LinAlgError

from ...conftest import require
from ...near import near
from ..compiler.compiled import BACKENDS
from .matrices import along, hilbert, positive, random, special, truth_along

SIZES = (1, 2, 3, 5, 8)
EPSILON = 2.0**-52
INVERTIBLE = [(f"{name} {n}", a) for n in SIZES for name, a in special(n).items()]
invertible = pytest.mark.parametrize(
    "a", [a for _, a in INVERTIBLE], ids=[name for name, _ in INVERTIBLE]
)


def values(a: Any) -> Any:
    return np.array([[Value(x) for x in row] for row in a])


def data(result: Any) -> Any:
    return np.vectorize(lambda v: v.data, otypes=[float])(result)


# --- values ---------------------------------------------------------------------------------------


@invertible
def test_solve_has_the_residual_of_numpy(a: Any) -> None:
    """The bound for elimination with partial pivoting: n · eps · growth · |a| |x|."""
    n = len(a)
    for b in (np.arange(1.0, n + 1), random(n, 1)[:, : n // 2 + 1]):
        x = linalg.solve(a, b)
        assert x.shape == b.shape
        assert x.dtype == float
        worst = np.abs(a @ x - b) / (np.abs(a) @ np.abs(x) + np.abs(b))
        assert worst.max() <= 2.0 ** (n - 1) * n * EPSILON
        expected = np.linalg.solve(a, b)
        allowed = 100 * EPSILON * np.linalg.cond(a) * np.abs(expected).max()
        assert x == near(expected, abs=allowed)


@invertible
def test_inv_det_and_slogdet_agree_with_numpy(a: Any) -> None:
    allowed = 100 * EPSILON * np.linalg.cond(a)
    expected = np.linalg.inv(a)
    assert linalg.inv(a) == near(expected, abs=allowed * np.abs(expected).max())
    assert linalg.det(a) == near(np.linalg.det(a), rel=allowed)
    sign, logarithm = np.linalg.slogdet(a)
    found = linalg.slogdet(a)
    assert found.sign == sign
    assert found.logabsdet == near(logarithm, abs=allowed)


@pytest.mark.parametrize("n", SIZES)
def test_cholesky_agrees_with_numpy(n: int) -> None:
    for a in (positive(n), hilbert(n), np.diag(10.0 ** np.arange(n))):
        lower = linalg.cholesky(a)
        assert lower == near(np.tril(lower), ulps=1)
        assert lower @ lower.T == near(a, abs=n * EPSILON * np.abs(a).max())
        expected = np.linalg.cholesky(a)
        assert lower == near(expected, abs=10 * EPSILON * np.linalg.cond(a) * np.abs(expected).max())


@pytest.mark.parametrize("n", SIZES)
def test_lstsq_agrees_with_numpy(n: int) -> None:
    tall = np.random.default_rng(n).normal(size=(2 * n + 1, n))
    vandermonde = np.linspace(0, 1, 12)[:, None] ** np.arange(n)
    for a in (tall, vandermonde, random(n), tall * 10.0 ** np.arange(n)):
        m, condition = len(a), np.linalg.cond(a)
        for b in (np.cos(np.arange(m)), np.random.default_rng(0).normal(size=(m, 2))):
            expected = np.linalg.lstsq(a, b)[0]
            distance = np.abs(a @ expected - b).max()
            allowed = 10 * EPSILON * condition * (np.abs(expected).max() + condition * distance)
            assert linalg.lstsq(a, b) == near(expected, abs=allowed)


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**660])
def test_lstsq_of_tiny_and_huge_columns(scale: float) -> None:
    """Their squares underflow or overflow; a power of two changes no bit of the solution."""
    a, b = np.random.default_rng(0).normal(size=(5, 2)), np.arange(5.0)
    factors = np.array([scale, 1.0])
    expected = linalg.lstsq(a, b) / factors
    assert linalg.lstsq(a * factors, b).tolist() == expected.tolist()
    step = compile(lambda a: linalg.lstsq(a, b), batch=None)
    assert step(a * factors) == near(expected, rel=1e-13)
    slopes = grad(lambda a: linalg.lstsq(a, b)[1])(a)  # those of the first entry are too small
    assert grad(lambda a: linalg.lstsq(a * factors, b)[1])(a) == near(slopes, rel=1e-9)


@invertible
def test_floats_and_values_give_the_same_bits(a: Any) -> None:
    """Unless zeros are plain numbers: then a triangular matrix is recognised."""
    b = np.arange(1.0, len(a) + 1)
    a = a if np.triu(a, 1).any() or len(a) == 1 else a[::-1]
    for function in (linalg.inv, lambda a: linalg.solve(a, b), lambda a: linalg.lstsq(a, b)):
        on_values = function(values(a))
        assert on_values.dtype == object
        assert data(on_values).tolist() == function(a).tolist() == function(a.tolist()).tolist()
    assert linalg.det(values(a)).data == linalg.det(a)
    assert [v.data for v in linalg.slogdet(values(a))] == list(linalg.slogdet(a))
    spd = a @ a.T + np.eye(len(a))
    assert linalg.cholesky(values(spd))[-1, -1].data == linalg.cholesky(spd)[-1, -1]


def test_either_argument_may_have_values() -> None:
    x = linalg.solve([[Value(2.0), 1], [1, 3]], [3, np.float64(5)])
    assert [v.data for v in x] == near([0.8, 1.4], ulps=1)
    assert [v.data for v in linalg.solve([[2, 1], [1, 3]], [Value(3.0), 5])] == near([0.8, 1.4], ulps=1)
    assert repr(linalg.solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])) == "array([0.8, 1.4])"


def test_forward_recomputes_a_solution_in_place() -> None:
    a, b = values(random(4)), [Value(float(i)) for i in range(4)]
    total = chainrule.sum(linalg.solve(a, b))
    changed = random(4, seed=5)
    for v, x in zip(a.ravel(), changed.ravel(), strict=True):
        v.data = x
    total.forward()
    assert total.data == near(np.linalg.solve(changed, np.arange(4.0)).sum(), rel=1e-12)


# --- derivatives ----------------------------------------------------------------------------------

W = np.random.default_rng(7).normal(size=(8, 8))


def weighted(result: Any) -> Any:
    """A number that depends on all entries of a matrix."""
    return chainrule.sum(np.ravel(W[: len(result), : len(result[0])] * result))


def weighted_truth(result: Any) -> Any:
    return mp.fsum(W[i, j] * result[i, j] for i in range(result.rows) for j in range(result.cols))


def right(n: int) -> Any:
    return np.cos(np.arange(2.0 * n)).reshape(n, 2)


CASES: dict[str, tuple[Any, Any]] = {
    "solve": (
        lambda a: weighted(linalg.solve(a, right(len(a)))),
        lambda a: weighted_truth(mp.inverse(a) * mp.matrix(right(a.rows).tolist())),
    ),
    "inv": (lambda a: weighted(linalg.inv(a)), lambda a: weighted_truth(mp.inverse(a))),
    "det": (linalg.det, mp.det),
    "slogdet": (lambda a: linalg.slogdet(a)[1], lambda a: mp.log(abs(mp.det(a)))),
    "cholesky": (
        lambda a: weighted(linalg.cholesky(a)),
        lambda a: weighted_truth(mp.cholesky(a)),
    ),
    "lstsq": (
        lambda a: weighted(linalg.lstsq(a[:] + a[:1], right(len(a) + 1))),
        lambda a: weighted_truth(least_squares(a)),
    ),
}


def least_squares(a: Any) -> Any:
    tall = mp.matrix([*a.tolist(), a.tolist()[0]])
    return mp.inverse(tall.T * tall) * tall.T * mp.matrix(right(a.rows + 1).tolist())


@pytest.mark.parametrize(("n", "order"), [*itertools.product(SIZES[:-1], (1, 2, 3)), (8, 1), (8, 2)])
@pytest.mark.parametrize("name", CASES)
def test_derivatives_along_a_line(name: str, n: int, order: int) -> None:
    function, truth = CASES[name]
    a, direction = positive(n), random(n, seed=3) / n
    if name == "cholesky":
        direction = direction + direction.T
    elif name != "lstsq":
        a = a[::-1]
    expected = truth_along(truth, a, direction, order)
    assert along(function, a.tolist(), direction, order) == near(expected, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", [name for name in CASES if name != "lstsq"])
def test_derivatives_of_ill_conditioned_matrices(name: str, order: int) -> None:
    """Within the condition number 5e5 of rounding, in every order."""
    function, truth = CASES[name]
    a, direction = hilbert(5), hilbert(5) * np.outer(np.cos(np.arange(5)), np.cos(np.arange(5)))
    expected = truth_along(truth, a, direction, order)
    assert along(function, a.tolist(), direction, order) == near(expected, rel=1e-9)


@invertible
def test_the_gradient_of_solve_is_the_adjoint(a: Any) -> None:
    """With x = solve(a, b) and s = solve(aᵀ, w): -s xᵀ with respect to a, and s with respect to b."""
    n = len(a)
    b, w = np.arange(1.0, n + 1), np.cos(np.arange(n))
    by_a, by_b = grad(lambda a, b: chainrule.dot(w, linalg.solve(a, b)), argnums=(0, 1))(a, b)
    x, s = np.linalg.solve(a, b), np.linalg.solve(a.T, w)
    allowed = 100 * EPSILON * np.linalg.cond(a)
    assert by_b == near(s, abs=allowed * np.abs(s).max())
    assert by_a == near(-np.outer(s, x), abs=allowed * np.abs(np.outer(s, x)).max())


def test_every_kind_of_derivative() -> None:
    a, direction = random(3), random(3, seed=1)
    forward = jvp(linalg.inv, (a,), (direction,))[1]
    assert forward == near(-np.linalg.inv(a) @ direction @ np.linalg.inv(a), rel=1e-12, abs=1e-13)
    full = jacobian(linalg.inv)(a)
    assert full.shape == (3, 3, 3, 3)
    assert np.tensordot(full, direction) == near(forward, rel=1e-12, abs=1e-13)
    curvature = hessian(linalg.det)(a)
    assert np.tensordot(curvature, direction) == near(
        hvp(linalg.det, (a,), (direction,)), rel=1e-12, abs=1e-13
    )
    parameter = Value(2.0)
    slope = grad(lambda t: linalg.solve([[parameter, t], [t, 3.0]], [1.0, 0.0])[0])(1.0)
    assert slope.data == near(3 * 2 / 25, rel=1e-14)  # x = 3 / (3 p - t²)
    slope.backward()
    assert parameter.grad == near(-36 / 125, rel=1e-14)


def test_symmetric_gradients() -> None:
    by_a = grad(lambda a: linalg.cholesky(a).sum())(positive(4))
    assert by_a == near(by_a.T, rel=1e-15)


@pytest.mark.parametrize("name", ["solve", "inv", "det", "slogdet", "cholesky"])
def test_gradients_agree_with_jax(name: str) -> None:
    jax = require("jax")
    with jax.enable_x64(True):
        theirs = getattr(jax.numpy.linalg, name)
        ours = getattr(linalg, name)
        extra = (np.arange(1.0, 5.0),) if name == "solve" else ()
        pick = (lambda r: r[1]) if name == "slogdet" else (lambda r: r)
        a = positive(4)
        expected = jax.jacobian(lambda a: pick(theirs(a, *extra)))(a)
        found = jacobian(lambda a: pick(ours(a, *extra)))(a)
        assert found == near(np.asarray(expected), rel=1e-11, abs=1e-13)
        curvature = jax.jacobian(jax.jacobian(lambda a: pick(theirs(a, *extra)).sum()))(a)
        found = hessian(lambda a: chainrule.sum(np.ravel(pick(ours(a, *extra)))))(a)
        assert found == near(np.asarray(curvature), rel=1e-11, abs=1e-12)


# --- singular matrices ----------------------------------------------------------------------------

FUNCTIONS = {
    "solve": lambda a: linalg.solve(a, [1.0, 2.0]),
    "inv": linalg.inv,
    "lstsq": lambda a: linalg.lstsq(a, [1.0, 2.0]),
    "cholesky": linalg.cholesky,
}


@pytest.mark.parametrize("convert", [np.asarray, values], ids=["floats", "values"])
def test_singular_matrices_are_errors(convert: Any) -> None:
    advice = "add a small number to the diagonal, or use lstsq with independent columns"
    for a, what in (
        ([[1, 2], [2, 4]], "column 2 depends on column 1"),
        ([[0, 1], [0, 2]], "column 1 is zero"),
    ):
        for name in ("solve", "inv"):
            message = f"{name} needs an invertible matrix, but {what}: {advice}"
            with pytest.raises(LinAlgError, match=f"^{message}$"):
                FUNCTIONS[name](convert(a))
        with pytest.raises(
            LinAlgError, match=f"^lstsq needs independent columns, but {what}: remove it$"
        ):
            FUNCTIONS["lstsq"](convert(a))
    message = (
        "^cholesky needs a positive definite matrix, but pivot 2 of 2 is not positive: "
        "add a small number to the diagonal, or check the signs of the entries$"
    )
    with pytest.raises(LinAlgError, match=message):
        linalg.cholesky(convert([[1, 2], [2, 3]]))
    with pytest.raises(LinAlgError, match="column 3 depends on columns 1 to 2"):
        linalg.solve(convert([[1, 0, 1], [0, 1, 1], [0, 0, 0]]), [1, 2, 3])
    assert LinAlgError is np.linalg.LinAlgError


def test_a_nearly_dependent_column_is_dependent_for_lstsq() -> None:
    a = np.random.default_rng(0).normal(size=(9, 3))
    a[:, 2] = a[:, 0] / 3 + a[:, 1] / 7
    with pytest.raises(LinAlgError, match="column 3 depends on columns 1 to 2: remove it"):
        linalg.lstsq(a, a[:, 0])


def test_the_error_is_raised_inside_grad() -> None:
    with pytest.raises(LinAlgError, match="column 2 depends on column 1"):
        grad(lambda t: linalg.solve([[t, 2 * t], [1.0, 2.0]], [1.0, 2.0])[0])(3.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_singular_matrices_in_a_compiled_function_give_inf_or_nan(backend: Any) -> None:
    singular = np.array([[[1.0, 2], [2, 4]], [[0, 1], [0, 2]], [[0, 0], [0, 0]], [[1, 2], [2, 3]]])
    for name, function in FUNCTIONS.items():
        step = compile(
            lambda a, function=function: chainrule.sum(function(a)[-1:].ravel()), backend=backend
        )
        found = step(singular)
        if name == "cholesky":
            assert np.isnan(found[1:]).all()
            assert found[0] == 2.0  # the factor of a semidefinite matrix
        else:
            assert not np.isfinite(found[:3]).any(), name
            assert np.isfinite(found[3])
        assert "1 program>" in repr(step)


def test_the_determinant_of_a_singular_matrix() -> None:
    for a in ([[1.0, 2.0], [2.0, 4.0]], np.zeros((3, 3)), [[1.0, 2, 3], [2, 4, 1], [3, 6, 2]]):
        assert linalg.det(a) == 0.0
        assert linalg.det(values(a)).data == 0.0
        assert linalg.slogdet(a) == (0.0, -math.inf)
        assert compile(linalg.det)(np.array([a]))[0] == 0.0
    assert grad(linalg.det)([[1.0, 2.0], [2.0, 4.0]]) == [[4.0, -2.0], [-2.0, 1.0]]
    # Not a number, rather than a wrong one: other pivots would be needed.
    by_a = np.array(grad(linalg.det)([[1.0, 2, 3], [2, 4, 1], [3, 6, 2]]))
    cofactors = np.array([[2.0, -1, 0], [14, -7, 0], [-10, 5, 0]])
    assert np.isnan(by_a).any()
    assert np.where(np.isnan(by_a), cofactors, by_a) == near(cofactors, abs=1e-14)


def test_no_anomaly_is_reported_for_sound_matrices() -> None:
    with detect_anomaly():
        for a in special(4).values():
            grad(lambda a: linalg.solve(a, [1.0, 2, 3, 4]).sum() + linalg.det(a))(a)


# --- compiled -------------------------------------------------------------------------------------


def batch(n: int) -> Any:
    """Well-conditioned matrices that need different pivots."""
    return np.array([a for name, a in special(n).items() if name not in ("graded", "permuted")])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["solve", "inv", "det", "slogdet", "lstsq", "cholesky"])
def test_compiled_as_one_program(name: str, n: int, backend: Any) -> None:
    function = CASES[name][0]

    def loss(a: Any) -> Any:
        return function(a.tolist())

    matrices = batch(n)
    if name == "cholesky":
        matrices = matrices @ matrices.swapaxes(1, 2) + np.eye(n)
    step = compile(loss, reduction="none", backend=backend)
    found, by_a = step.value_and_grad(matrices, argnums=0)
    assert found == near([loss(a) for a in matrices], rel=1e-11, abs=1e-12)
    for ours, a in zip(by_a, matrices, strict=True):
        expected = grad(loss)(a)
        assert ours == near(expected, rel=1e-10, abs=1e-12 * np.abs(expected).max())
    assert "1 program>" in repr(step)


def test_a_cholesky_factor_is_not_eliminated_again() -> None:
    """Its zeros are plain numbers, so no pivots are compared."""
    step = compile(lambda a: linalg.solve(linalg.cholesky(a), np.ones(5)).sum())
    step(np.array([positive(5)]))
    assert "less" not in step.program
    with pytest.raises(LinAlgError, match="column 2 depends on column 1"):
        linalg.solve([[1.0, 0.0], [1.0, 0.0]], [1.0, 1.0])


def test_compiled_derivatives_of_second_order() -> None:
    matrices = batch(3)
    step = compile(hessian(linalg.det))
    found = step(matrices)
    for i, a in enumerate(matrices):
        assert found[i] == near(hessian(linalg.det)(a), rel=1e-12, abs=1e-13)


def test_constant_matrices_in_a_compiled_function() -> None:
    """They are factored when the function is traced, and then a singular one is an error."""
    step = compile(lambda b: linalg.solve([[0.0, 2.0], [4.0, 0.0]], b).sum())
    assert step(np.array([[2.0, 4.0]]))[0] == 2.0
    with pytest.raises(LinAlgError, match="column 1 is zero"):
        compile(lambda b: linalg.solve([[0.0, 2.0], [0.0, 1.0]], b).sum())(np.array([[2.0, 4.0]]))


# --- wrong arguments ------------------------------------------------------------------------------

MATRIX = r"needs a matrix, such as \[\[2.0, 1.0\], \[1.0, 3.0\]\], got"


@pytest.mark.parametrize(
    ("a", "message"),
    [
        (3.0, f"det {MATRIX} float"),
        ([1.0, 2.0], f"det {MATRIX} 2 entries"),
        ([], f"det {MATRIX} 0 entries"),
        ([[1, 2], [3]], "det needs rows of the same length, at least 1; got lengths 2, 1"),
        ([[]], "det needs rows of the same length, at least 1; got lengths 0"),
        ([[1, 2, 3], [4, 5, 6]], "det needs a square matrix, got 2 x 3"),
        (np.ones((2, 2, 2)), "det takes one matrix at a time, got more than two dimensions"),
    ],
)
def test_wrong_matrices(a: Any, message: str) -> None:
    with pytest.raises(LinAlgError, match=f"^{message}$"):
        linalg.det(a)


def test_wrong_right_hand_sides() -> None:
    message = "^solve needs one entry or row of b for each of the 2 rows of a, got "
    for b, what in (([1.0], "1 entry"), (3.0, "float"), ([1, 2, 3], "3 entries")):
        with pytest.raises(LinAlgError, match=f"{message}{what}$"):
            linalg.solve([[1, 2], [3, 4]], b)
    message = (
        "^lstsq needs at least as many rows as columns, got 1 x 2: add rows, such as a small multiple "
        "of the identity with zeros in b$"
    )
    with pytest.raises(LinAlgError, match=message):
        linalg.lstsq([[1, 2]], [1])
    with pytest.raises(TypeError, match="expected a real number"):
        linalg.inv([["a"]])
