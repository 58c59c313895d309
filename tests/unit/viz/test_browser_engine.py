"""The operation table and the engine in JavaScript, run in Node, give the same numbers as Values."""

import itertools
import json
import math
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chainrule import Value, custom_op, ops, sqrt, take, where
from chainrule.support import graph
from chainrule.viz.explaining.edges import rules_of
from chainrule.viz.model import Picture, picture
from chainrule.viz.web import bundle as bundling
from chainrule.viz.web.bundle import STEPPER, STEPPER_STYLES, bundle, styles
from chainrule.viz.web.javascript import ops_module

from ...conformance.campaigns import check, random_graphs, special
from ...conftest import require_program, without_sanitizers

SPECIAL = (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan)


def run_node(folder: Path, script: str, data: object) -> Any:
    """The script's result for the data; NaN and infinities are passed as text."""
    (folder / "ops.mjs").write_text(ops_module())
    (folder / "bundle.mjs").write_text(
        bundle(["viz/web/static/stepper/checking.js", "viz/web/static/stepper/moments.js"])
        + "export { checking_js, engine_js, moments_js, ops_js };"
    )
    (folder / "data.json").write_text(json.dumps(plain(data), allow_nan=False))
    (folder / "run.mjs").write_text(PRELUDE + script)
    return restored(json.loads(node(folder, "run.mjs")))


def node(folder: Path, *words: str) -> str:
    command = [require_program("node"), *words]
    options: Any = {"capture_output": True, "text": True, "env": without_sanitizers()}
    done = subprocess.run(command, cwd=folder, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


PRELUDE = """
import { readFileSync } from "node:fs";
import { checking_js, engine_js, moments_js, ops_js } from "./bundle.mjs";
const decode = (x) => (typeof x === "string" ? (x === "-0" ? -0 : Number(x)) : x);
const encode = (key, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x)
    : Object.is(x, -0) ? "-0" : x);
const data = JSON.parse(readFileSync("data.json", "utf8"));
const answer = (x) => console.log(JSON.stringify(x, encode));
"""


def plain(x: object) -> object:
    if isinstance(x, float):
        if not math.isfinite(x):
            return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
        return "-0" if x == 0.0 and math.copysign(1.0, x) < 0 else x
    if isinstance(x, (list, tuple)):
        return [plain(item) for item in x]
    return {key: plain(item) for key, item in x.items()} if isinstance(x, dict) else x


def restored(x: Any) -> Any:
    if isinstance(x, str):
        return float(x.replace("Infinity", "inf"))
    if isinstance(x, list):
        return [restored(item) for item in x]
    if isinstance(x, dict):
        return {key: restored(item) for key, item in x.items()}
    return float(x) if isinstance(x, int) and not isinstance(x, bool) else x


def close(a: float | None, b: float | None, ulps: float = 8.0) -> bool:
    """Equal up to the error of JavaScript's functions; infinities and NaN must match exactly."""
    if a is None or b is None:
        return a is b
    if not math.isfinite(a) or not math.isfinite(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= ulps * math.ulp(b)


# --- every operation -----------------------------------------------------------------------------


def points(op: ops.Op) -> list[tuple[float, ...]]:
    if isinstance(op, ops.Variadic):
        rng = random.Random(0)
        lengths = [n * op.width for n in (1, 2, 3)]
        ordinary = [tuple(rng.uniform(-3, 3) for _ in range(n)) for n in lengths for _ in range(10)]
        return [*ordinary, *itertools.product(SPECIAL, repeat=2), (2.0, 2.0, -1.0, 2.0)]
    return [*check.points(op, 20), *special.grid(op)]


def test_every_operation(tmp_path: Path) -> None:
    """Values and derivatives, at ordinary points and at zeros, infinities and NaN."""
    calls = [(op.name, list(args)) for op in ops.TABLE for args in points(op)]
    script = """
    answer(data.map(([name, args]) => {
        const { value, partials } = ops_js.ops[name];
        const xs = args.map(decode);
        const out = value(xs);
        return [out, ...partials(xs, out)];
    }));
    """
    for (name, args), found in zip(calls, run_node(tmp_path, script, calls), strict=True):
        op = ops.BY_NAME[name]
        out = op.forward(*args)
        expected = [out, *op.derivatives(args, out, [True] * len(args))]
        assert all(map(close, found, expected)), (name, args, found, expected)


def test_every_operation_is_exported(tmp_path: Path) -> None:
    script = (
        "answer(Object.entries(ops_js.ops).map(([name, row]) => [data.indexOf(name), row.selects]));"
    )
    names = [*(op.name for op in ops.TABLE), "take"]
    found = run_node(tmp_path, script, names)
    assert found == [[float(i), name in ("where", "take")] for i, name in enumerate(names)]


def test_the_module_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "ops.mjs").write_text(ops_module())
    script = 'import("./ops.mjs").then(({ ops }) => console.log(ops.mul.value([3, 4])))'
    assert node(tmp_path, "-e", script) == "12\n"


# --- the engine ----------------------------------------------------------------------------------

RECOMPUTE = """
answer(data.map(([picture, leaves]) => engine_js.recompute(picture, new Map(leaves))));
"""


def recomputed(folder: Path, cases: Sequence[tuple[Picture, dict[int, float]]]) -> list[Any]:
    data = [[seen.as_dict(), list(map(list, leaves.items()))] for seen, leaves in cases]
    return list(run_node(folder, RECOMPUTE, data))


def compare(found: dict[str, list[float | None]], seen: Picture, rounding: float = 1e-11) -> None:
    """Compare with the numbers of the Values."""

    def same(a: float | None, b: float | None) -> bool:
        return close(a, b) or (a is not None and b is not None and abs(a - b) <= rounding * (1 + abs(b)))

    for node in seen.nodes:
        assert same(found["data"][node.id], node.data), node
        assert same(found["grad"][node.id], node.grad), node
    for edge in seen.edges:
        assert same(found["partial"][edge.id], edge.partial), edge


def program(seed: int) -> list[Value]:
    made = random_graphs.make(random.Random(seed), Value)
    return random_graphs.run(made, Value, lambda name, args: ops.BY_NAME[name](*args))


def test_random_graphs(tmp_path: Path) -> None:
    """Values, gradients and local derivatives of every node and edge."""
    cases = []
    for seed in range(40):
        out = program(seed)[-1]
        out.backward(reset=True)
        if all(map(math.isfinite, (v.grad for v in graph.topological(out)))):
            cases.append((picture(out), {}))
    assert len(cases) > 30
    for (seen, _), found in zip(cases, recomputed(tmp_path, cases), strict=True):
        compare(found, seen, 1e-9)


def test_changed_leaves(tmp_path: Path) -> None:
    """Leaves given as arguments, or changed in Python: everything else is computed from them."""
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    out = (a * b + a**2).tanh() + a.exp() / b
    out.backward()
    before = picture(out)
    a.data, b.data = 0.3, 1.7
    stale = picture(out)
    assert [node.op for node in stale.nodes if node.changed] == ["mul", "pow", "exp", "div"]
    out.forward().backward(reset=True)
    after = picture(out)
    leaves = {node.id: node.data for node in after.nodes if node.kind == "leaf"}
    for found in recomputed(tmp_path, [(before, leaves), (stale, {})]):
        compare(found, after)
    assert rules_of(stale) == rules_of(after)


def test_a_branch_not_taken_gets_no_gradient(tmp_path: Path) -> None:
    """The derivative of sqrt at 0 is infinite, and 0 times that would be NaN."""
    x, y = Value(1.0), Value(0.0)
    out = where(ops.less(0.0, x), x, sqrt(y))
    out.backward()
    seen = picture(out)
    found = recomputed(tmp_path, [(seen, {})])[0]
    assert [found["grad"][node.id] for node in seen.nodes if node.kind == "leaf"] == [1.0, 0.0]


def test_take(tmp_path: Path) -> None:
    index, numbers = Value(1.0), [Value(5.0), Value(6.0), Value(7.0)]
    out = take(numbers, index) * 2.0
    out.backward()
    compare(recomputed(tmp_path, [(picture(out), {})])[0], picture(out))


def test_hand_written_operations_keep_their_numbers(tmp_path: Path) -> None:
    """Even with the name of a table operation; the leaves that they depend on cannot be changed."""
    cube = custom_op("cube", lambda x: x**3, lambda x, out: 3 * x**2)
    x, y = Value(2.0, label="x"), Value(0.5, label="y")
    hand = Value(7.0, (x,), "tanh")
    hand._backward = lambda: None
    out = cube(x) * y + hand
    out.backward()
    seen = picture(out)
    leaf = {node.label: node.id for node in seen.nodes if node.kind == "leaf"}
    same, moved = recomputed(tmp_path, [(seen, {leaf["y"]: 2.0}), (seen, {leaf["x"]: 3.0})])
    assert same["data"][seen.outputs[0]] == 23.0
    assert same["grad"][leaf["y"]] == 8.0
    assert same["grad"][leaf["x"]] is None, "only Python knows what flows back through it"
    edge = next(edge for edge in seen.edges if seen.nodes[edge.target].op == "cube")
    assert (same["partial"][edge.id], moved["partial"][edge.id]) == (12.0, None)
    script = "answer([...engine_js.fixedLeaves(data)]);"
    assert run_node(tmp_path, script, seen.as_dict()) == [float(leaf["x"])]


def test_differences(tmp_path: Path) -> None:
    """A gradient that agrees, and one at a kink that cannot."""
    a, b = Value(2.0), Value(0.0)
    out = (a * a).sin() + b.abs() + b * 3
    out.backward()
    seen = picture(out)
    script = "answer(checking_js.differences(data, new Map(), [0, 1, 2, 3, 4].filter("
    script += "(id) => data.nodes[id]?.kind === 'leaf')));"
    found = run_node(tmp_path, script, seen.as_dict())
    assert [row["agrees"] for row in found] == [True, True]
    assert close(found[0]["gradient"], a.grad)
    relu = b.relu()
    relu.backward(reset=True)
    script = "answer(checking_js.differences(data, new Map(), [0]));"
    (row,) = run_node(tmp_path, script, picture(relu).as_dict())
    assert (row["gradient"], row["numerical"], row["agrees"]) == (0.0, 0.5, False)


# --- bundling ------------------------------------------------------------------------------------


def test_modules_come_before_the_modules_that_import_them() -> None:
    text = bundle([STEPPER])
    for first, third in (("ops", "checking"), ("numbers", "graph")):
        names = [first, "engine", third, "stepper"]
        places = [text.index(f"const {name}_js = ") for name in names]
        assert places == sorted(places)
    assert "\nimport " not in text
    assert "\nexport " not in text


def test_bundling_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {"a.js": 'import * as b from "./b.js";\n'}
    monkeypatch.setattr(bundling, "static", modules.__getitem__)
    with pytest.raises(ValueError, match=r"^a\.js: cannot bundle this line: import \* as b from"):
        bundle(["a.js"])
    modules |= {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(ValueError, match=r"in a cycle: a\.js -> b\.js -> a\.js$"):
        bundle(["a.js"])
    modules |= {"x/a.js": 'import { c } from "../y/a.js";\n', "y/a.js": "export const c = 1;\n"}
    message = r"^modules with the same name cannot be bundled: y/a\.js and x/a\.js$"
    with pytest.raises(ValueError, match=message):
        bundle(["x/a.js"])


def test_imports_are_relative_to_the_folder_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {
        "x/first.js": 'import { c } from "../y/z/second.js";\n',
        "y/z/second.js": 'import { d } from "./third.js";\nexport const c = d;\n',
        "y/z/third.js": "export const d = 1;\n",
    }
    monkeypatch.setattr(bundling, "static", modules.__getitem__)
    text = bundle(["x/first.js"])
    places = [text.index(f"const {name}_js = ") for name in ("third", "second", "first")]
    assert places == sorted(places)
    assert "const { c } = second_js;" in text


def test_static_files_are_found() -> None:
    assert styles(*STEPPER_STYLES).startswith("/* Colours, and the graph")
