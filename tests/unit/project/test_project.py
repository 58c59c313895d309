"""The project itself: generated files, import directions, the two cores, the documentation."""

import ast
import importlib.metadata
import re
import shlex
import subprocess
from pathlib import Path
from posixpath import dirname, join, normpath
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, engine, value
from chainrule.viz.web import javascript

from ...conftest import (
    LONG,
    MORE,
    not_tested,
    pytest_collection_modifyitems,
    python,
    require_imports,
    require_program,
)
from ...near import near

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "src" / "chainrule"

# Each module or package may import from the levels before its own, and from its own level. A module that
# is not listed has the level of its package.
LEVELS = [
    *({"version", "support.ieee"}, {"ops"}, {"support.graph"}, {"support.numbers"}),
    {"support.errors", "support.arrays", "support.classic", "support.tree"},
    *({"support"}, {"engine", "_core"}, {"value"}),
    {"autodiff", "functional", "random", "support.atomic.committing", "support.custom", "compiler"},
    *(
        {"data", "inspect", "linalg", "micrograd", "nn", "optim", "optimize"},
        {"interop", "sklearn", "train"},
        {"viz"},
    ),
    *({"__init__"}, {"demo", "learn", "studio"}, {"cli"}, {"__main__"}),
]
# Imports allowed against the direction, inside a function: the imported module is loaded by then.
AGAINST = {
    ("support.copying", "value"),
    ("compiler.backends.to_jax", "compiler.compiled"),
    ("compiler.codegen.exporting", "compiler.compiled"),
}
FILE = re.compile(r"[a-z_]+(/[a-z_]+)*/(static|[a-z_]+\.[a-z]+)")  # a path in the package, as text


def test_generated_headers_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import gen_ops

    for path, text in gen_ops.generate().items():
        assert text == path.read_text(), f"{path.name}: run `make regen`"


def test_the_generator_needs_nothing_above_the_table() -> None:
    """It generates the headers that the compiler and its C core are built from."""
    seen, todo = set(), ["gen_ops"]
    while todo:
        name = todo.pop()
        seen.add(name)
        for node in ast.walk(ast.parse((ROOT / "tools" / f"{name}.py").read_text())):
            found = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                found = [f"{node.module}.{each.name}" for each in node.names]
            for imported in found:
                first, _, rest = imported.partition(".")
                if first == "chainrule":
                    assert rest.split(".")[0] in ("ops", "support"), f"tools/{name}.py: {imported}"
                elif (ROOT / "tools" / f"{first}.py").is_file() and first not in seen:
                    todo.append(first)
    assert {"symbols", "scalar_c", "simd_c", "folds_c", "stubs"} <= seen


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"


MODULES = {
    module_name(path): path for path in PACKAGE.rglob("*.py") if "_exercises" not in path.parts
} | {"_core": PACKAGE / "_core.pyi"}


def imports_of(name: str) -> set[str]:
    """The chainrule modules that a module imports: at load time, in functions and for types."""
    path = MODULES[name]
    folder = path.relative_to(PACKAGE).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = (node.module or "").split(".") if node.module else []
        if node.level:
            base = [*folder[: len(folder) - node.level + 1], *module]
        elif module[0] == "chainrule":
            base = module[1:]
        else:
            continue
        for alias in node.names:
            full = ".".join([*base, alias.name])
            found.add(full if full in MODULES else ".".join(base) or "__init__")
    return found - {name}


def level_of(name: str) -> int:
    """The level of a module, or of the package it belongs to."""
    while not any(name in names for names in LEVELS):
        assert "." in name, f"{name} is in no level"
        name = name.rpartition(".")[0]
    return next(i for i, names in enumerate(LEVELS) if name in names)


def test_imports_point_one_way() -> None:
    edges = {name: imports_of(name) for name in MODULES}
    assert {edge for edge in AGAINST if edge[1] not in edges[edge[0]]} == set()
    for name, imported in edges.items():
        for other in imported:
            if (name, other) not in AGAINST:
                assert level_of(other) <= level_of(name), f"{name} imports {other}"
    # No circular imports, even within a package.
    assert_no_circle(
        {name: {other for other in edges[name] if (name, other) not in AGAINST} for name in edges}
    )


def test_no_module_imports_a_private_name() -> None:
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            taken = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
            assert {each for each in taken if re.match("_[^_]", each)} <= {"_core"}, name


def assert_no_circle(edges: dict[str, set[str]]) -> None:
    done: set[str] = set()
    while left := set(edges) - done:
        ready = {name for name in left if edges[name] <= done}
        assert ready, f"these import each other: {sorted(left)}"
        done |= ready


SCRIPTS = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.js")}
IMPORTED = re.compile(r'^(?:import|export|\}) .*from "(.+)";$', re.MULTILINE)


def script_imports(name: str) -> set[str]:
    """The package paths of a JavaScript module's imports."""
    return {normpath(join(dirname(name), path)) for path in IMPORTED.findall(SCRIPTS[name].read_text())}


def test_imports_of_javascript_point_one_way() -> None:
    """From studio and learn to viz, never back; no cycles between the folders of a package either."""
    generated = {javascript.NAME, "studio/static/training/choices.js"}
    edges = {name: script_imports(name) for name in SCRIPTS} | {name: set() for name in generated}
    for name, imported in edges.items():
        for other in imported:
            assert other in edges, f"{name} imports {other}, which does not exist"
            levels = [level_of(path.partition("/")[0]) for path in (other, name)]
            assert levels == sorted(levels), f"{name} imports {other}"
    assert_no_circle(edges)
    folders: dict[str, set[str]] = {dirname(name): set() for name in edges}
    for name, imported in edges.items():
        folders[dirname(name)] |= set(map(dirname, imported)) - {dirname(name)}
    assert_no_circle(folders)


def listed_files(text: str) -> set[str]:
    """The files and folders below src/chainrule listed in ARCHITECTURE.md."""
    block = text.partition("src/chainrule/\n")[2].partition("src/_core/")[0]
    found, folders = set(), [""]
    for line in block.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name = line.split()[0]
        folders[depth:] = [name if name.endswith("/") else ""]
        found.add("".join(folders[1:depth]) + name)
    return found


def test_the_tree_in_architecture_md_matches_the_files() -> None:
    listed = listed_files((ROOT / "ARCHITECTURE.md").read_text())
    own_readme = {"studio/"}  # their contents are listed in their own README
    contents = {"learn/lessons/", "learn/_exercises/"}
    there = set()
    for path in PACKAGE.rglob("*"):
        name = path.relative_to(PACKAGE).as_posix() + ("/" if path.is_dir() else "")
        inside = any(name.startswith(folder) and name != folder for folder in own_readme | contents)
        hidden = "__pycache__" in name or name.endswith((".so", ".md"))
        package_file = name.endswith("/__init__.py")
        if not (inside or hidden or package_file):
            there.add(name)
    assert listed == there


def test_folders_are_small_enough_to_read() -> None:
    left_out = {"_exercises", "__pycache__"}
    trees = [ROOT / name for name in ("src", "tests", "tools", "benchmarks", "examples", "docs")]
    for folder in (each for tree in trees for each in (tree, *tree.rglob("*")) if each.is_dir()):
        if not left_out & set(folder.parts):
            files = [path.name for path in folder.iterdir() if path.is_file() and path.suffix != ".so"]
            most = 14 if folder == PACKAGE else 15
            assert len(files) <= most, f"{folder.name} has {len(files)} files"


def test_packages_keep_to_their_own_files() -> None:
    """References to another package's files follow the import direction."""
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    found = set()
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            named: list[object] = []
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "joinpath":
                named = [getattr(each, "value", None) for each in node.args]
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                named = [getattr(node.right, "value", None)]
            elif isinstance(node, ast.Constant) and FILE.fullmatch(str(node.value)):
                named = [node.value]
            folders = {str(each).partition("/")[0] for each in named}
            found |= {(name, package) for package in packages & folders}
    assert {edge for edge in found if level_of(edge[1]) > level_of(edge[0])} == set()


def test_both_cores_have_the_same_names() -> None:
    if value.c_core is None:
        pytest.skip("the compiled core was not built")
    reference, compiled = set(dir(engine.Value)), set(dir(value.c_core.Value))
    # The compiled core keeps its fields in C, and exposes only those that support/graph.py needs.
    assert {name for name in reference - compiled if not name.startswith("_Value__")} == {"__slots__"}
    assert compiled <= reference


def test_only_the_interface_to_the_graph_uses_the_private_fields_of_a_node() -> None:
    found = {path.name for path in PACKAGE.rglob("*.py") if "_Value__" in path.read_text()}
    # The last two set fields of the reference core.
    assert found == {"graph.py", "staleness.py", "committing.py"}


def test_the_stub_names_every_attribute() -> None:
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    (cls,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Value")
    named = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
    named |= {node.target.id for node in cls.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
    public = {name for name in dir(engine.Value) if not name.startswith("_")}
    assert public == {name for name in named if not name.startswith("_")}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return python("-c", code, environment=environment)


def test_the_core_can_be_chosen() -> None:
    assert run("import chainrule; print(chainrule.core)", CHAINRULE_CORE="python").stdout == "python\n"
    wrong = run("import chainrule", CHAINRULE_CORE="rust")
    assert "CHAINRULE_CORE must be 'c' or 'python', got 'rust'" in wrong.stderr
    forced = run("import chainrule; print(chainrule.core)", CHAINRULE_CORE="c")
    if value.c_core is None:
        assert "the compiled core was not built; install a C compiler" in forced.stderr
    else:
        assert forced.stdout == "c\n"


def test_a_missing_core_is_reported() -> None:
    """As on a machine without a C compiler; importing the core is made to fail."""
    code = "import sys; sys.modules['chainrule._core'] = None; import chainrule; print(chainrule.core)"
    missing = run(code, CHAINRULE_CORE="")
    assert missing.stdout == "python\n"
    assert "RuntimeWarning: the compiled core of chainrule was not built" in missing.stderr
    assert "RuntimeWarning" not in run(code, CHAINRULE_CORE="python").stderr


def test_the_same_bits_for_every_hash_seed() -> None:
    code = (
        "from chainrule import Value\n"
        "xs = [Value(0.1 * i) for i in range(1, 20)]\n"
        "out = sum((x * y).sin() / (1 + x) for x in xs for y in xs)\n"
        "out.backward()\n"
        "print(out.data.hex(), *(x.grad.hex() for x in xs))\n"
    )
    outputs = {run(code, PYTHONHASHSEED=str(seed)).stdout for seed in range(3)}
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 20


def test_importing_is_light() -> None:
    """A plain import loads no heavy library."""
    heavy = {"torch", "jax", "matplotlib", "scipy", "sklearn", "numpy.random"}
    code = f"import sys, chainrule; print({heavy} & set(sys.modules))"
    assert run(code).stdout == "set()\n"


def test_version() -> None:
    assert importlib.metadata.version("chainrule") == chainrule.__version__


def test_the_public_class_is_called_value() -> None:
    assert Value.__name__ == "Value"
    assert Value.__module__ == "chainrule"


def test_the_readme_of_the_studio_names_every_file() -> None:
    folder = PACKAGE / "studio"
    table = (folder / "README.md").read_text().partition("## Files")[2].partition("## A picture")[0]
    files = [*folder.rglob("*.py"), *(path for path in (folder / "static").rglob("*") if path.is_file())]
    names = {path.relative_to(folder).as_posix() for path in files if path.name != "__init__.py"}
    assert {name for name in names if f"`{name}`" not in table} == set()


# --- comparisons in tests --------------------------------------------------------------------------

# These apply tolerances that the test does not state.
UNWRITTEN = {"approx", "allclose", "isclose", "assert_close", "assertAlmostEqual"}


def loose_comparisons(source: str) -> list[str]:
    """The names in a source file that compare numbers with an implicit tolerance."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name | ast.Attribute | ast.alias):
            name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "") or node.name
            if name in UNWRITTEN or name.endswith(("almost_equal", "approx_equal")):
                found.append(name)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "assert_allclose":
            stated = {keyword.arg for keyword in node.keywords} & {"rtol", "atol"}
            found += [] if stated else ["assert_allclose"]
    return found


def test_every_comparison_states_its_tolerance() -> None:
    for path in sorted((ROOT / "tests").rglob("*.py")):
        assert loose_comparisons(path.read_text()) == [], f"{path.name}: use tests/near.py"


@pytest.mark.parametrize(
    "source",
    [
        *("assert x == pytest.approx(y, rel=1e-15)", "from pytest import approx as near"),
        *("np.allclose(x, y)", "math.isclose(x, y)", "torch.testing.assert_close(x, y)"),
        *("np.testing.assert_allclose(x, y)", "np.testing.assert_array_almost_equal(x, y)"),
        "self.assertAlmostEqual(x, y)",
    ],
)
def test_a_comparison_without_a_tolerance_is_found(source: str) -> None:
    assert len(loose_comparisons(source)) == 1


def test_near_adds_nothing_to_the_tolerance() -> None:
    assert near(4.248e-18, rel=1e-3) == 4.25e-18
    assert near(4.248e-18, rel=1e-3) != 0.0
    assert near(5e-324, rel=0.5) != 0.0
    assert near(0.0, rel=0.5) != 1e-300
    assert near(1.0, ulps=1) == 1.0 + 2**-52
    assert near(1.0, ulps=1) != 1.0 + 2**-51
    assert near(1.0, abs=0.11) == 0.9
    assert near(1.0, abs=0.09) != 0.9
    assert float("inf") != near(1.0, rel=1e300)
    assert near(float("inf"), rel=0.5) != 1.0
    assert float("nan") != near(float("nan"), abs=1.0)
    assert float("nan") == near(float("nan"), abs=1.0, nan_ok=True)
    assert near(float("nan"), abs=1.0, nan_ok=True) != 0.0
    with pytest.raises(TypeError, match="near needs a tolerance: rel=, ulps= or abs=; use == for exact"):
        near(1.0)


def test_near_compares_structures() -> None:
    assert near([1.0, (2.0, 3.0)], ulps=1) == [1.0, (2.0, 3.0)]
    assert near([1.0, (2.0, 3.0)], ulps=1) != [1.0, (2.0, 3.1)]
    assert near({"a": 1.0}, ulps=1) == {"a": 1.0}
    assert near({"b": 1.0}, ulps=1) != {"a": 1.0}
    assert near([1.0], ulps=1) != []
    assert near([1.0], ulps=1) != [1.0, 2.0]
    array = np.array([[1.0, 2.0]])
    assert array == near(array.copy(), ulps=1)
    assert array != near(array.T, ulps=1)
    assert array != near(array + 1, ulps=1)
    comparison = near([1.0, 2.0], rel=0.1)
    assert comparison != [1.0, 2.5]
    assert repr(comparison) == "near([1] 2.5 should be 2.0; rel=0.1)"


# --- which tests run, and in which order ----------------------------------------------------------


def test_files_that_run_on_one_core_only_exist() -> None:
    """A stale name would be silently ignored, and the renamed file run twice."""
    (listed,) = re.findall(r"^ONCE := (.*?)\n\n", (ROOT / "Makefile").read_text(), re.M | re.S)
    names = re.findall(r"\btests/[\w/]*\w(?:\.py)?(?=\s|,)", listed)
    assert "tests/studio" in names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_the_smallest_tests_come_first_then_the_longest(pytestconfig: pytest.Config) -> None:
    first = "tests/test_tiny.py::test_a_drawing"
    long = [f"{name}::test" if name.endswith(".py") else f"{name}test_x.py::test" for name in LONG]
    others = ["tests/browser/test_a.py::test", "tests/unit/viz/test_viz.py::test"]
    assert all((ROOT / name.partition("::")[0]).exists() for name in LONG + MORE)
    items: Any = [SimpleNamespace(nodeid=name) for name in [others[0], *long, others[1], first]]
    pytest_collection_modifyitems(pytestconfig, items)
    assert [item.nodeid for item in items] == [first, *long, *others]


# --- components that may be missing ---------------------------------------------------------------

NEEDY = """
import pytest
from tests.conftest import require, require_all, require_imports, require_program

def test_module():
    require("no_such_package.part")

def test_program():
    require_program("no-such-program")

def test_both():
    require_all(["json", "other_package"], ["sh", "no-such-program"])

def test_imports():
    require_imports("import json.decoder\\nif True:\\n    from one_more.part import x\\nfrom . import y")

@pytest.mark.skip(reason="about one core")
def test_of_a_core(): ...

def test_that_runs():
    assert require("json.decoder").JSONDecoder().decode("1") == 1
    assert require_program("sh").endswith("/sh")
    require_imports("import json\\nfrom math import sin")
"""


def suite(*options: object, ci: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as `make test` does."""
    words = ("-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider")
    return python(*words, *options, environment={"CI": ci, **environment}, cwd=ROOT)


@pytest.fixture(params=[0, 2])
def needy(request: pytest.FixtureRequest, tmp_path: Path) -> list[Any]:
    """The options for running the needy tests; the last one is their file."""
    file = tmp_path / "test_needy.py"
    file.write_text(NEEDY)
    return [f"-n{request.param}", "-p", "tests.conftest", f"--rootdir={tmp_path}", file]


def test_the_suite_says_in_one_line_what_was_not_tested(needy: list[Any]) -> None:
    run = suite(*needy)
    assert run.returncode == 0, run.stdout
    assert run.stdout.splitlines()[-2] == (
        "Not tested, because not installed: no_such_package, one_more, other_package, no-such-program. "
        "To test everything, install no-such-program, then run `CI=true make test`, which installs the "
        "Python packages."
    )
    assert run.stdout.splitlines()[-1].startswith("1 passed, 5 skipped in ")
    assert "SKIPPED" not in run.stdout


def test_examples_need_the_packages_behind_what_they_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "scipy" else name)
    monkeypatch.delenv("CI", raising=False)
    require_imports("from chainrule import nn")
    for source in ("from chainrule import nn, optimize", "from chainrule.optimize import root"):
        with pytest.raises(pytest.skip.Exception, match=r"not installed: scipy \(package\)"):
            require_imports(source)


def test_the_advice_names_only_what_is_missing() -> None:
    assert not_tested([]) == ""
    assert not_tested(["Skipped: about a core"]) == ""
    packages = [f"Skipped: not installed: {name} (package)" for name in ("torch", "jax")]
    assert not_tested(packages) == (
        "Not tested, because not installed: jax, torch. To test everything, run `CI=true make test`, "
        "which installs the Python packages."
    )
    programs = "chromium (program), node (program), less (program)"
    assert not_tested([f"Skipped: not installed: {programs}"]) == (
        "Not tested, because not installed: chromium, less, node. "
        "To test everything, install chromium, less and node, then run `CI=true make test`."
    )


def test_ci_skips_nothing_for_a_missing_component(needy: list[Any]) -> None:
    """Neither through our helpers nor by a test's own skip."""
    run = suite(*needy, ci="true")
    assert run.returncode == 1
    assert "4 failed, 1 passed, 1 skipped" in run.stdout
    missing = "other_package (package), no-such-program"
    assert f"CI may skip nothing, but these are not installed: {missing}" in run.stdout
    needy[-1].write_text('import pytest\ndef test_it(): pytest.skip("no browser is installed")\n')
    assert suite(*needy).returncode == 0
    run = suite(*needy, ci="true")
    assert run.returncode == 1
    assert "CI may not skip this: Skipped: no browser is installed" in run.stdout
    needy[-1].write_text('import pytest\npytest.importorskip("no_such_package")\n')
    assert suite(*needy, ci="true").returncode == 1


def test_what_passed_on_a_core_is_not_run_again_on_it(needy: list[Any], tmp_path: Path) -> None:
    """What failed or was skipped runs again, and so does a test whose name begins with another's."""
    options = [*needy, "--passed", tmp_path / "passed"]
    needy[-1].write_text(
        "import os, pytest\n"
        "def test_it(): pass\n"
        "def test_it_too(): assert os.environ['CHAINRULE_CORE'] == 'python'\n"
        "def test_later(): os.environ.get('LATER') or pytest.skip('a core')\n"
    )
    endings = [
        re.split(
            ", . deselected| in ",
            suite(*options, CHAINRULE_CORE=core, LATER=later).stdout.splitlines()[-1],
        )[0]
        for core, later in (("c", ""), ("c", "yes"), ("python", ""), ("python", "yes"))
    ]
    assert endings == [
        "1 failed, 1 passed, 1 skipped",
        "1 failed, 1 passed",
        "2 passed, 1 skipped",
        "1 passed",
    ]


def test_make_tells_the_suite_what_passed(tmp_path: Path) -> None:
    """Using the command of the Makefile, which has no path that would load our conftest.py."""
    make = require_program("make")
    words = [make, "--dry-run", "--old-file=.venv/installed", "test-c", f"PASSED={tmp_path / 'passed'}"]
    printed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    [command] = re.findall("-m pytest (.*);", printed)
    outside = [f"--ignore={file}" for file in (ROOT / "tests").iterdir() if file.name != "test_tiny.py"]
    for ending in (" passed in", "no tests ran"):
        run = suite(*shlex.split(command), *outside, CHAINRULE_CORE=chainrule.core)
        assert ending in run.stdout.splitlines()[-1], run.stdout + run.stderr
    listed = (tmp_path / "passed").read_text().splitlines()
    assert len(listed) == len(set(listed)) > 5
    assert all(line.startswith(f"{chainrule.core} tests/test_tiny.py::") for line in listed)


def test_lessons_that_need_pytorch_are_skipped_without_it(tmp_path: Path) -> None:
    """In the test process and in the processes that it starts."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    run = suite(
        "tests/learn/test_reading.py::test_the_code_of_a_lesson_runs_as_a_program[checking]",
        "tests/learn/test_lessons.py::test_code_prints_what_the_lesson_shows[pytorch]",
        "tests/learn/test_exporting.py::test_the_cells_of_a_notebook_run_in_order[pytorch]",
        PYTHONPATH=str(tmp_path),
    )
    assert run.stdout.splitlines()[-1].startswith("3 skipped in "), run.stdout
    assert "because not installed: torch." in run.stdout
