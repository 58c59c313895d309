"""Adds rows to the table in a copy of the project: nothing else needs to change."""

import os
import re
import shutil
import subprocess
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from chainrule.value import c_core

from ...conftest import python

ROOT = Path(__file__).resolve().parents[3]
(ROW,) = re.findall(r"^square = .*$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
# Less simple rows: with two arguments, a default and a branch; with the name of a ufunc and a symbol.
OTHER = """
soft_step = Op(
    "soft_step",
    2,
    lambda x, width: where(less(x, 0.0), 0.0, x * div(x, width + x)),
    (
        lambda x, w, out: where(less(x, 0.0), 0.0, div(x * (x + 2.0 * w), (w + x) * (w + x))),
        lambda x, w, out: where(less(x, 0.0), 0.0, -div(x * x, (w + x) * (w + x))),
    ),
    doc="a step that begins as a parabola",
    aliases=("gentle_step",),
    defaults=(1.0,),
)
fmax = Op(
    "fmax",
    2,
    lambda x, y: where(less(x, y), y, x),
    (lambda x, y, out: where(less(x, y), 0.0, 1.0), lambda x, y, out: where(less(x, y), 1.0, 0.0)),
)
ratio = Op(
    "ratio",
    2,
    lambda x, y: div(x, y),
    (lambda x, y, out: div(1.0, y), lambda x, y, out: -div(out, y)),
    symbol="/",
)
"""
# Rows of any number of elements, which consist of one, two or three numbers.
MANY = """
length = _variadic(
    "length",
    (Fold(0.0, lambda total, x: total + x * x),),
    lambda x, out, n, total: div(x, out),
    finish=lambda n, total: sqrt(total),
    least=2,
    doc="the square root of the sum of squares",
)
average = _variadic(
    "average",
    (
        Fold(0.0, lambda weights, x, w: weights + w),
        Fold(0.0, lambda total, x, w, weights: total + w * x),
    ),
    lambda x, w, out, n, weights, total: div(w, weights),
    lambda x, w, out, n, weights, total: div(x - out, weights),
    finish=lambda n, weights, total: div(total, weights),
    width=2,
    least=1,
    doc="the weighted mean",
)
triple = _variadic(
    "triple",
    (Fold(0.0, lambda total, x, y, z: total + x * y * z),),
    lambda x, y, z, out, n, total: y * z,
    lambda x, y, z, out, n, total: x * z,
    lambda x, y, z, out, n, total: x * y,
    width=3,
    doc="the sum of products of three",
)
"""
MARK = "# --- operations on any number of values"

HEAD = """
import chainrule as c, numpy as np
from chainrule import Value
from chainrule.inspect.notation import Text
from chainrule.inspect.rules import rule
from chainrule.studio.pictures import of_expression
from chainrule.studio.schemas import Expression
from chainrule.viz.model import picture
from chainrule.viz.web.javascript import ops_module

assert c.core == CORE, c.core
x = Value(3.0, label="x")
"""
USED = """
y = c.square(x)
y.backward()
assert (y.data, x.grad, x.square().data) == (9.0, 6.0, 9.0)
assert (c.square(3.0), c.square([1.0, 2.0])) == (9.0, [1.0, 4.0])
assert c.grad(c.grad(c.square))(3.0) == 2.0
assert x.gentle_step(x).data == 1.5
assert c.soft_step(2.0, width=2.0) == c.soft_step(2.0, 2.0) == 1.0
assert abs(c.grad(c.soft_step)(2.0) - 8.0 / 9.0) < 1e-15
assert c.check_gradients(c.soft_step, 2.0, 0.5)
assert c.soft_step(x, 2.0)._children == (x,) and len(c.soft_step(x, x + 0.0)._children) == 2
for out in (np.fmax(2.0, x), np.fmax(np.array([2.0]), x)[0]):
    assert out.data == 3.0 and len(out.inputs) == 2, out
assert picture(c.ratio(x, 2.0)).nodes[-1].symbol == "÷"
assert c.hessian(lambda x: c.square(x[0]) * c.soft_step(x[1]))([1.0, 2.0])[0][0] == 2 * c.soft_step(2.0)

def function(a, b):
    return c.square(a) + c.soft_step(b, 2.0)

A, B = np.linspace(-2.0, 2.0, 9), np.linspace(2.0, -2.0, 9)
expected = [function(a, b) for a, b in zip(A, B)]
for backend in ("numpy", *(["native"] if CORE == "c" else [])):
    step = c.compile(function, backend=backend)
    assert np.abs(step(A, B) - expected).max() < 1e-15
    value, inputs = step.value_and_grad(A, B, argnums=(0, 1))
    assert np.abs(inputs[0] * 9 - 2 * A).max() < 1e-15, inputs
slopes = [2 * A, [c.grad(c.soft_step)(b, 2.0) for b in B]]
assert "9.0" in str(c.draw(y)) and "square" in str(c.draw(y))
assert "2" in str(c.viz.explain(y, x))
assert (Text()(rule("square", 0, 1).tree), rule("soft_step", 0, 2) is not None) == ("2·x", True)
assert "square" in ops_module() and "soft_step" in ops_module()
shown = of_expression(Expression("square(a) * soft_step(b, 2)", {"a": 3.0, "b": 2.0}))
assert any(each and each["text"] == "2·a" for each in shown["rules"]), shown["rules"]
assert "square" in step.source("c") or "*" in step.source("c")
print(step.source("c"))
"""
USED_MANY = """
import pytest

assert (c.length(3.0, 4.0), c.average([1.0, 2.0], [3.0, 1.0])) == (5.0, 1.25)
assert (c.triple([2.0], [3.0], [4.0]), c.triple([], [], [])) == (24.0, 0.0)
with pytest.raises(TypeError, match="^length needs at least 2 values, got 1$"):
    c.length([x])
with pytest.raises(TypeError, match="^average needs at least 1 value, got none$"):
    c.average([], [])
with pytest.raises(ValueError, match="^triple takes sequences of the same length, got 1 and 1 and 2$"):
    c.triple([x], [x], [x, x])
assert c.hessian(lambda v: c.average(v[:2], v[2:]))([1.0, 2.0, 3.0, 1.0])[0][2] == 1 / 16
assert c.jvp(lambda v: c.length(v, 4.0), (3.0,), (1.0,)) == (5.0, 0.6)

def many(a, b):
    def mixed(a, b, root):
        means = c.average([a, b, root], [c.exp(b), 2.0, c.square(a)])
        return means * c.length([a, root, 0.5]) + c.triple([a, root], [b, 3.0], [a, b])
    return c.where(a < b, mixed(a, b, c.sqrt(b - a)), mixed(b, a, c.sqrt(a - b)) + c.square(b))

def eager(a, b):
    leaves = Value(a), Value(b)
    out = many(*leaves)
    out.backward()
    return out.data, [leaf.grad for leaf in leaves]

assert c.check_gradients(many, 0.7, 1.3) and c.check_gradients(many, 1.3, 0.7)
A, B = np.linspace(-2.0, 2.0, 30), np.linspace(1.5, -1.0, 30)
known = [eager(a, b) for a, b in zip(A, B)]
expected, slopes = np.array([value for value, _ in known]), np.array([grads for _, grads in known]).T
for backend in ("numpy", *(["native"] if CORE == "c" else [])):
    for few in (slice(None), slice(3)):  # with few samples, programs differ
        step = c.compile(many, backend=backend, reduction="none")
        values, found = step.value_and_grad(A[few], B[few], argnums=(0, 1))
        assert np.abs(values - expected[few]).max() < 1e-13, backend
        assert np.abs(np.array(found) - slopes[:, few]).max() < 1e-12, backend
a, b = Value(1.0, label="a"), Value(3.0, label="b")
out = c.average([a, b], [3.0, 1.0])
out.backward()
assert "average" in str(c.draw(out)) and "0.75" in str(c.viz.explain(out, a)), c.viz.explain(out, a)
assert Text()(rule("length", 0, 2).tree) == "x1 / out", Text()(rule("length", 0, 2).tree)
assert rule("triple", 5, 6)({"x1": 1, "y1": 2, "z1": 3, "x2": 4, "y2": 5, "z2": 6, "out": 0}) == 20
assert c.expand(out).data == out.data
"""
EXPORTED = """
import ctypes, pathlib, subprocess
pathlib.Path("many.c").write_text(step.source("c"))
subprocess.run("cc -O1 -fPIC -shared -ffp-contract=off -o many.so many.c -lm".split(), check=True)
call, Two = ctypes.CDLL("./many.so").many_value_and_grad, ctypes.c_double * 2
call.restype = ctypes.c_double
for at, (value, grads) in zip(zip(A, B), known):
    given, found = Two(*at), Two()
    assert (call(None, given, None, found), list(found)) == (value, grads), at
"""
NODE = """
import json
pathlib.Path("many.mjs").write_text(step.source("javascript"))
pathlib.Path("ops.mjs").write_text(ops_module())
script = '''import { valueAndGrad } from "./many.mjs";
import { ops } from "./ops.mjs";
const found = AT.map((at) => valueAndGrad([], at)).map((x) => [x.value, ...x.inputGrads]);
const args = [1, 2, 3, 1];
console.log(JSON.stringify([found, ops.average.value(args), ops.average.partials(args, 1.25)]));'''
pathlib.Path("run.mjs").write_text(script.replace("AT", json.dumps([*zip(A, B)])))
printed = subprocess.run(["node", "run.mjs"], check=True, capture_output=True).stdout
found, value, partials = json.loads(printed)
assert np.abs(np.array(found).T - [expected, *slopes]).max() < 1e-12
assert (value, partials) == (1.25, [0.75, 0.25, -0.0625, 0.1875])
"""
SAME_STEPS = """
from tests.conformance.campaigns.pipeline_graphs import compare_random
for seed in range(60):
    compare_random(seed)
"""
JAX = """
import jax
jax.config.update("jax_enable_x64", True)
f = step.to_jax(A, B)
found = np.asarray(f(f.initial(), (A, B)))
assert np.abs(found - expected).max() < 1e-13, found
found = jax.grad(lambda at: f(f.initial(), at).sum())((A, B))
assert np.abs(np.array(found) - slopes).max() < 1e-12, found
"""
ONNX = """
import onnxruntime
from chainrule.interop import export_onnx
export_onnx(step, "model.onnx", dtype=np.float64)
session = onnxruntime.InferenceSession("model.onnx")
names = [each.name for each in session.get_inputs()]
(found,) = session.run(None, dict(zip(names, (A, B))))
assert np.abs(found.ravel() - expected).max() < 1e-14
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with more rows, and its files regenerated."""
    place = tmp_path_factory.mktemp("project")
    for name in ("src", "tools"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copyfile(ROOT / name, place / name)
    table = place / "src" / "chainrule" / "ops.py"
    text = table.read_text()
    assert text.count(MARK) == 1
    table.write_text(text.replace(MARK, f"{ROW}\n{OTHER}\n{MANY}\n\n{MARK}"))
    run(place, "tools/gen_ops.py")
    return place


def run(place: Path, *words: str, **environment: str) -> str:
    # Without the sanitizers, if the suite runs with them: this core is built without optimisation.
    plain = {"PYTHONPATH": str(place / "src"), "CHAINRULE_SANITIZE": "", "LD_PRELOAD": ""}
    done = python(*words, environment={**plain, **environment}, cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_row_is_enough_for_the_reference_core(project: Path) -> None:
    run(project, "-c", f"CORE = 'python'\n{HEAD}{USED}{USED_MANY}", CHAINRULE_CORE="python")


def test_the_row_is_enough_for_everything_else(project: Path) -> None:
    """The compiled core, built from the generated headers, and every backend and export."""
    if c_core is None:
        pytest.skip("there is no C core")
    # Built as in an install, with the setuptools version required by pyproject.toml, but without
    # optimisation, which would take most of the time.
    compiler = project / "quick-cc"
    compiler.write_text('#!/bin/sh\nexec cc "$@" -O0\n')
    compiler.chmod(0o700)
    run(project, "-m", "pip", "wheel", "-q", "--no-deps", "-w", "built", ".", CC=str(compiler))
    (wheel,) = (project / "built").glob("chainrule-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (core,) = (name for name in packed.namelist() if re.fullmatch(r"chainrule/_core\..*so", name))
        packed.extract(core, project / "src")
    more = [text for name, text in (("jax", JAX), ("onnxruntime", ONNX)) if find_spec(name)]
    source = run(project, "-c", "\n".join(["CORE = 'c'", HEAD, USED, *more]), CHAINRULE_CORE="c")
    (project / "function.c").write_text(source)
    subprocess.run(["cc", "-fsyntax-only", "-Wall", "function.c"], cwd=project, check=True)
    node = [NODE] if shutil.which("node") else []
    used = [HEAD, USED_MANY, EXPORTED, *node, *more]
    run(project, "-c", "\n".join(["CORE = 'c'", *used]), CHAINRULE_CORE="c")
    both = f"{project / 'src'}{os.pathsep}{ROOT}"
    run(project, "-c", SAME_STEPS, CHAINRULE_CORE="c", PYTHONPATH=both)


def test_the_type_stubs_include_the_row(project: Path) -> None:
    user = project / "user.py"
    text = "import chainrule as c\n\nreveal_type(c.square(c.Value(1.0)))\nc.soft_step(1.0, width=2)\n"
    user.write_text(text)
    found = run(project, "-m", "mypy", "--strict", "--config-file=", str(user), MYPYPATH="src")
    assert 'Revealed type is "chainrule._core.Value"' in found
