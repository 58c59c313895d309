"""The elementwise kernels on arrays, for every instruction set that this machine supports.

They must meet the same requirements as a Value: the committed special values, and 4 ulp. In addition,
these tests cover what only arrays can get wrong: partial vectors, unaligned addresses, out-of-bounds
writes, and lanes that affect each other.
"""

import math
import random
from array import array
from typing import Any

import pytest
from mpmath import mpf

import chainrule
from chainrule import ops
from chainrule.ops import Op

from . import truth
from .campaigns import check, kernels, special
from .campaigns.kernels import columns, core, pulls, values

if chainrule.core == "python":
    pytest.skip("tests the kernels, not a core", allow_module_level=True)

ROWS = special.elementwise()
every_simd = pytest.mark.parametrize("simd", kernels.NAMES)
every_row = pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)


@every_simd
@every_row
def test_special_values(simd: str, op: Op) -> None:
    table = special.read()[op.name]
    args = columns([args for args, _, _ in table])
    expected = columns([results for _, results, _ in table])
    out = values(simd, op, args)
    found = [out]
    for part in range(op.arity):
        assigned = pulls(simd, op, part, args, out)
        added = pulls(simd, op, part, args, out, grad=[0.0] * len(out))
        assert list(map(repr, assigned)) == list(map(repr, added))
        found.append(assigned)
    for what, numbers, results in zip(("value", *range(op.arity)), expected, found, strict=True):
        for i, (number, result) in enumerate(zip(numbers, results, strict=True)):
            assert check.same(result, number), (op.name, what, table[i][0], result, number)


@every_simd
@pytest.mark.parametrize("op", [op for op in ROWS if op.name in truth.TRUTH], ids=lambda op: op.name)
def test_within_4_ulp(simd: str, op: Op) -> None:
    known = check.known(op, 1000, seed=2)
    results = kernels.evaluate(simd, op, [args for args, _ in known])
    for (args, true), result in zip(known, results, strict=True):
        for what, ulps in check.distances(true, *result).items():
            assert ulps <= check.LIMIT, (op.name, what, args, ulps)


@every_simd
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "sqrt", "neg", "abs", "relu", "maximum"])
def test_arithmetic_gives_the_same_bits_as_values(simd: str, name: str) -> None:
    """This includes the partials and their products with the adjoint."""
    op = ops.BY_NAME[name]
    points = list(check.points(op, 500, seed=3))
    rng = random.Random(name)
    seeds = [rng.gauss(0, 1) for _ in points]
    args = columns(points)
    out = values(simd, op, args)
    gradients = [pulls(simd, op, part, args, out, adjoint=seeds) for part in range(op.arity)]
    for i, point in enumerate(points):
        leaves = [chainrule.Value(x) for x in point]
        result = op(*leaves)
        result.backward(seeds[i])
        assert out[i].hex() == result.data.hex()
        assert [g[i].hex() for g in gradients] == [leaf.grad.hex() for leaf in leaves]


@every_simd
@every_row
def test_lengths_and_addresses(simd: str, op: Op) -> None:
    """Any length at any address gives the same bits, and nothing is written out of bounds."""
    points = list(check.points(op, 19, seed=4))
    args = columns(points)
    out = values(simd, op, args)
    old = [random.Random(op.name).gauss(0, 1) for _ in points]
    gradients = [pulls(simd, op, part, args, out, adjoint=old, grad=old) for part in range(op.arity)]
    for n in range(20):
        for start in range(3) if n % 3 == 0 else (1,):
            shifted = tuple(window(array("d", [7.0] * start + arg[:n]), start, n) for arg in args)
            whole, part_of_it = guarded([0.0] * n, start)
            kernels.map_values(simd, op, part_of_it, shifted)
            assert same_bits(whole, guarded(out[:n], start)[0])
            for part, expected in enumerate(gradients):
                whole, part_of_it = guarded(old[:n], start)
                seeds, results = array("d", old[:n]), array("d", out[:n])
                kernels.map_pull(simd, op, part, False, part_of_it, seeds, shifted, results)
                assert same_bits(whole, guarded(expected[:n], start)[0])


def window(numbers: Any, start: int, n: int) -> memoryview:
    return memoryview(numbers)[start : start + n]


def guarded(numbers: list[float], start: int) -> tuple[Any, memoryview]:
    """An array with guard values on both sides of the numbers, and the view of the numbers."""
    whole = array("d", [-1234.5] * start + numbers + [-1234.5] * 9)
    return whole, window(whole, start, len(numbers))


def same_bits(a: Any, b: Any) -> bool:
    return [x.hex() for x in a] == [x.hex() for x in b]


@every_simd
@every_row
def test_lanes_are_independent(simd: str, op: Op) -> None:
    """The result of a lane does not depend on its neighbours, although they may select the code path."""
    rng = random.Random(op.name)
    points = [*check.points(op, 40, seed=5), *rng.sample(list(special.grid(op)), 19)]
    args = columns(points)
    out = values(simd, op, args)
    alone = [values(simd, op, [[x] * 8 for x in point])[3] for point in points]
    assert [x.hex() for x in out] == [x.hex() for x in alone]
    for part in range(op.arity):
        together = pulls(simd, op, part, args, out)
        alone = [
            pulls(simd, op, part, [[x] * 8 for x in point], [value] * 8)[3]
            for point, value in zip(points, out, strict=True)
        ]
        assert [x.hex() for x in together] == [x.hex() for x in alone]


@every_simd
def test_representable_results_are_exact(simd: str) -> None:
    powers = range(-1074, 1024)
    assert values(simd, ops.log2, [[2.0**k for k in powers]]) == [float(k) for k in powers]
    assert values(simd, ops.log10, [[10.0**k for k in range(23)]]) == [float(k) for k in range(23)]
    bases = [float(x) for x in range(-300, 301)]
    for exponent in (0, 1, 2, 3, 4, 5, 6):
        expected = [x**exponent for x in bases]
        assert values(simd, ops.pow, [bases, [float(exponent)] * len(bases)]) == expected
    for op in (ops.exp, ops.cosh, ops.cos):
        assert values(simd, op, [[0.0, -0.0]]) == [1.0, 1.0]
    assert values(simd, ops.tanh, [[20.0, -1e300]]) == [1.0, -1.0]
    assert values(simd, ops.erf, [[6.0, -1e300]]) == [1.0, -1.0]


@every_simd
def test_large_angles(simd: str) -> None:
    """Near multiples of π/2, where sine or cosine is tiny, and beyond the range of the fast path."""
    whole = [*range(1, 600000, 997), *(3**k for k in range(12, 200))]
    angles = [*(n * math.pi / 2 for n in whole), 999999.5, 1e6, 1000000.5, 1e22, 1e300]
    for op in (ops.sin, ops.cos):
        for angle, result in zip(angles, values(simd, op, [angles]), strict=True):
            assert truth.ulps(result, truth.TRUTH[op.name][0](mpf(angle))) <= 1.5


@every_simd
def test_the_output_may_overwrite_an_argument(simd: str) -> None:
    for op in ROWS:
        args = [array("d", column) for column in columns(list(check.points(op, 13)))]
        expected = values(simd, op, args)
        kernels.map_values(simd, op, args[-1], tuple(args))
        assert same_bits(args[-1], expected)


@every_simd
def test_where_passes_no_gradient_to_the_other_branch(simd: str) -> None:
    """0 times an infinite adjoint would be NaN."""
    args = [[1.0, 0.0, math.nan], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    out, adjoint, grad = [1.0, 5.0, 3.0], [math.inf, math.nan, 2.0], [10.0, 20.0, 30.0]
    first = pulls(simd, ops.where, 1, args, out, adjoint, grad)
    assert repr(first) == repr([math.inf, 20.0, 32.0])
    other = pulls(simd, ops.where, 2, args, out, adjoint, grad)
    assert repr(other) == repr([10.0, math.nan, 30.0])
    assert pulls(simd, ops.where, 0, args, out, [2.0] * 3, grad) == grad
    assert pulls(simd, ops.where, 0, args, out, [2.0] * 3) == [0.0] * 3


def test_an_environment_variable_selects_the_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHAINRULE_SIMD", raising=False)
    assert core._simd_best() == kernels.NAMES[0]
    for name in kernels.NAMES:
        monkeypatch.setenv("CHAINRULE_SIMD", name)
        assert core._simd_best() == name
    monkeypatch.setenv("CHAINRULE_SIMD", "neon")
    with pytest.raises(ValueError, match="one of avx512, avx2, base that this machine has, got 'neon'"):
        core._simd_best()
