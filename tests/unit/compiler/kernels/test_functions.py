"""The operations in kernels give the bits of the interpreter: for all lanes, and for a single sample.

One kernel has every function of ops_simd.h. It runs on the special grid and at ordinary points.
"""

import ctypes
import math
import random
import re
import shutil
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule.compiler.backends import native
from chainrule.compiler.backends.kernels import building, headers
from chainrule.compiler.inputs import Batch
from chainrule.compiler.training import Trainer
from chainrule.ops import Op

from ....conformance.campaigns import check, kernels, special
from . import random_kernels

if chainrule.core == "python" or shutil.which("cc") is None:
    pytest.skip("needs the compiled core and a C compiler", allow_module_level=True)

MOST = 400  # points of an operation
ROWS = special.elementwise()
LOADED = {"x": "v_some(x + i, some)", "y": "v_some(y + i, some)", "z": "v_some(z + i, some)"}
LOADED["out"] = "v_some(out + i, some)"
FUNCTION = """
KERNEL void %s(double *to, const double *x, const double *y, const double *z, const double *out,
               ptrdiff_t n) {
    for (ptrdiff_t i = 0, some; i < n; i += some) {
        some = n - i < MOST ? n - i : MOST;
        v_put(to + i, %s, some);
    }
}
"""


def expression(name: str, parameters: tuple[str, ...]) -> str:
    """What a step of the interpreter computes with an adjoint of 1, or the value."""
    call = f"{name}({', '.join(LOADED[p] for p in parameters)})"
    if not re.search(r"_d\d$", name):
        return call
    if name.startswith("v_op_where"):
        return f"v_splat(0.0) + unless_0({call}, v_splat(1.0))"
    return f"v_splat(0.0) + v_splat(1.0) * {call}"


def source(one: bool) -> str:
    found = [FUNCTION % (f"run_{name}", expression(name, p)) for name, p in headers.functions().items()]
    head = "#define SIMD_ONE\n" if one else ""
    return f'{head}#include "kernel.h"\nenum {{ MOST = {1 if one else "LANES"} }};\n{"".join(found)}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module", params=["all lanes", "one sample"])
def one(request: pytest.FixtureRequest) -> bool:
    return str(request.param) == "one sample"


@pytest.fixture(scope="module", params=kernels.NAMES)
def made(
    request: pytest.FixtureRequest, one: bool, folder: Path
) -> Iterator[tuple[str, building.Build]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAINRULE_CACHE", str(folder))
        patch.setenv("CHAINRULE_SIMD", request.param)
        patch.setenv("CHAINRULE_KERNELS", "on")
        build = building.build(source(one))
        assert build.wait(), build.error
        yield str(request.param), build


def run(build: building.Build, name: str, args: list[list[float]], out: list[float]) -> list[float]:
    address = build.address(f"run_{name}")
    assert address is not None
    n = len(args[0])
    arrays = [array("d", column) for column in (*args, *[[0.0] * n] * (3 - len(args)), out)]
    result = array("d", [0.0]) * n
    places = [a.buffer_info()[0] for a in (result, *arrays)]
    kinds = [ctypes.c_void_p] * 5 + [ctypes.c_ssize_t]
    ctypes.CFUNCTYPE(None, *kinds)(address)(*places, n)
    return list(result)


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_the_bits_are_those_of_the_interpreter(op: Op, made: tuple[str, building.Build]) -> None:
    simd, build = made
    rng = random.Random(op.name)
    grid = list(special.grid(op))
    points = [*check.points(op, 99, seed=7), *rng.sample(grid, min(len(grid), MOST))]
    args = kernels.columns(points)
    out = kernels.values(simd, op, args)
    assert list(map(repr, run(build, f"v_op_{op.name}", args, out))) == list(map(repr, out))
    for part in range(op.arity):
        expected = kernels.pulls(simd, op, part, args, out)
        known = headers.partial(op.name, part)
        if known is None:
            assert set(expected) == {0.0}
        else:
            found = run(build, known[0], args, out)
            assert list(map(repr, found)) == list(map(repr, expected)), part


def test_a_function_s_parameters() -> None:
    assert headers.functions()["v_op_where"] == ("x", "y", "z")
    assert headers.partial("div", 1) == ("v_op_div_d1", ("x", "y"))
    assert headers.partial("exp", 0) == ("v_op_exp_d0", ("out",))
    assert headers.partial("add", 0) == ("v_op_add_d0", ())
    assert headers.partial("where", 0) is None
    assert headers.partial("nonsense", 0) is None


@pytest.mark.parametrize("first", [0, 4, 8, 2019])  # 2021: a series seems to go on behind its end
def test_kernels_repeat_every_bit(first: int) -> None:
    """The kernels of graphs, programs, loops and networks, for one sample, a few and many."""
    kernels, failures = random_kernels.examine(range(first, first + 4))
    assert failures == []
    assert kernels > 20


def chosen(x: Any) -> Any:
    """A function whose index must be whole, which the numbers of a comparison are not."""
    return chainrule.take([chainrule.sin(x), chainrule.tanh(x), x], 10.0 * x)


@pytest.mark.parametrize("function", [lambda x: chainrule.sin(x) * chainrule.tanh(x), chosen])
@pytest.mark.parametrize("samples", [1, 5, 64])
def test_a_new_kernel_is_compared_with_the_interpreter(
    samples: int, function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On its first use; the slower of the two does not run."""
    ratios = iter([None, 0.5])
    compared = native.Kernels.compared

    def measured(kernels: native.Kernels, made: object, count: int) -> float:
        found = compared(kernels, made, count)
        assert 0.01 < found < 1000
        return next(ratios) or 2.0

    monkeypatch.setattr(native.Kernels, "compared", measured)
    x = 0.1 * (np.arange(samples) % 3)
    for says in ("2 times as fast as the interpreter", "0.5 times as fast as the interpreter, so the"):
        f = chainrule.compile(function, batch=0)
        want = f(x)
        (variant,) = next(iter(f.variants.values()))
        (machine,) = variant.machines.values()
        machine.kernels.left = 0.0
        f(x)  # builds the kernel
        (found,) = machine.kernels.built.values()
        assert found.build.wait(60)
        assert f(x).tobytes() == want.tobytes()
        assert says in f.program
        runs = machine.fastest(samples, False)
        assert (runs is found.machine) == ("so the" not in says)


@pytest.mark.parametrize("samples", [1, 5, 11])
@pytest.mark.parametrize("shared", [True, False])
def test_a_kernel_rejects_an_index_that_is_out_of_range(
    samples: int, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the interpreter does; what lies behind the last sample is no index."""
    tables = np.arange(4.0) if shared else np.tile(np.arange(4.0), (samples, 1))
    places = np.arange(samples) % 4.0
    f = chainrule.compile(chainrule.take, batch=(None if shared else 0, 0))
    monkeypatch.setenv("CHAINRULE_KERNELS", "wait")
    assert (f(tables, places) == places).all()
    assert f.program.count("built in") == 1
    for wrong in (4.0, -1.0, 0.5, math.nan):
        places[-1] = wrong
        messages = []
        for mode in ("off", "wait"):
            monkeypatch.setenv("CHAINRULE_KERNELS", mode)
            with pytest.raises(IndexError) as caught:
                f(tables, places)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@pytest.mark.parametrize(("samples", "size"), [(37, 16), (42, 40), (33, 32), (13, 5), (11, 5)])
def test_the_last_batch_of_an_epoch_may_be_smaller(
    samples: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels are for many samples or for few, and the last batch of many may have few, or one."""
    numbers = np.random.default_rng(1)
    X, y = numbers.normal(size=(samples, 3)), numbers.normal(size=samples)
    found = []
    for mode in ("off", "wait"):
        monkeypatch.setenv("CHAINRULE_KERNELS", mode)
        model = chainrule.nn.MLP(3, [5, 4, 1], "tanh", seed=2)
        parameters = model.parameters()
        f = chainrule.compile(lambda x, y, model=model: (model(x) - y) ** 2, parameters)
        trainer = Trainer(f, chainrule.optim.SGD(parameters, lr=0.1))
        steps = 2 * -(-samples // size)
        order = np.concatenate([np.arange(samples)] * 2)
        outcome = trainer.run(Batch((X, y)), np.full(steps, 0.1), order, size)
        found.append(trainer.params.tobytes() + outcome.losses.tobytes())
        assert ("built in" in f.program) == (mode == "wait" and samples % size != 1)
    assert found[0] == found[1]
