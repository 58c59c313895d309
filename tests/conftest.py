"""Helpers for all tests: optional components that are missing cause a skip, in CI a failure."""

import ast
import gc
import importlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

# These long tests start first, so that no worker is still running one when the others have finished.
LONG = ("tests/unit/project/test_one_row.py", "tests/studio/test_wheel.py", "tests/scale/")
MISSING = re.compile(r"([\w.-]+) \((package|program)\)")
# Tests that do more if optional components are installed, so `--passed` never leaves them out.
MORE = (
    "tests/unit/project/test_cli.py::test_info",
    "tests/unit/project/test_one_row.py",
    "tests/unit/viz/test_viz.py::test_graphviz",
)
# Packages that parts of chainrule import when they are used.
BEHIND = {"chainrule.optimize": "scipy", "chainrule.sklearn": "sklearn"}
# Skips that CI allows, because they depend on the machine or the system and not on what is installed.
EXPECTED_IN_CI = re.compile(r"\b(cores?|POSIX|root|resident set|_testcapi)\b")


def python(
    *words: object, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments and additional environment variables; capture its output."""
    command = [sys.executable, *map(str, words)]
    added = {**os.environ, **(environment or {})}
    return subprocess.run(command, env=added, capture_output=True, text=True, **options)


def without_sanitizers() -> dict[str, str]:
    """The environment for node, which does not start with a sanitizer of ours preloaded."""
    return {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}


def require_all(packages: Iterable[str] = (), programs: Iterable[str] = ()) -> None:
    """Skip if any of these is not installed; in CI, where nothing may be missing, fail."""
    missing = [f"{name} (package)" for name in packages if importlib.util.find_spec(name) is None]
    missing += [f"{name} (program)" for name in programs if shutil.which(name) is None]
    if missing and os.environ.get("CI"):
        raise RuntimeError(f"CI may skip nothing, but these are not installed: {', '.join(missing)}")
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)


def require(name: str) -> Any:
    """Import a module, or skip as above."""
    require_all([name.partition(".")[0]])
    return importlib.import_module(name)


def require_program(name: str) -> str:
    """Return the path of a program, or skip as above."""
    require_all(programs=[name])
    return shutil.which(name) or ""


def require_imports(source: str) -> None:
    """Skip as above unless everything that this code imports is installed."""
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.add(node.module.partition(".")[0])
            names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            imported |= {package for part, package in BEHIND.items() if part in names}
    require_all(sorted(imported))


def skip_reasons(reporter: Any) -> list[str]:
    return [report.longrepr[2] for report in reporter.stats.get("skipped", [])]


def not_tested(reasons: list[str]) -> str:
    """Say in one line which components were missing and how to install them."""
    missing = {match.groups() for reason in reasons for match in MISSING.finditer(reason)}
    packages = sorted(name for name, kind in missing if kind == "package")
    programs = sorted(name for name, kind in missing if kind == "program")
    if not packages and not programs:
        return ""
    listed = " and ".join(filter(None, [", ".join(programs[:-1]), *programs[-1:]]))
    install = f"install {listed}, then run" if programs else "run"
    comes = ", which installs the Python packages" if packages else ""
    return (
        f"Not tested, because not installed: {', '.join(packages + programs)}. "
        f"To test everything, {install} `CI=true make test`{comes}."
    )


def pytest_terminal_summary(terminalreporter: Any) -> None:
    line = not_tested(skip_reasons(terminalreporter))
    if line:
        terminalreporter.write_line(line)
    for reason in unexpected(terminalreporter):
        terminalreporter.write_line(f"CI may not skip this: {reason}", red=True)


def unexpected(reporter: Any) -> list[str]:
    """The skip reasons that CI does not allow."""
    if not os.environ.get("CI"):
        return []
    return sorted({reason for reason in skip_reasons(reporter) if not EXPECTED_IN_CI.search(reason)})


def pytest_addoption(parser: pytest.Parser) -> None:
    explained = "leave out the tests listed in FILE, and add those that pass"
    parser.addoption("--passed", metavar="FILE", type=Path, help=explained)


def as_listed(test: str) -> str:
    """A test and the core that it runs on, as a line of the file for `--passed`."""
    return f"{os.environ.get('CHAINRULE_CORE', 'any')} {test}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the smoke tests first, then the longest tests; leave out those that passed before."""
    places = ("tests/test_tiny.py", LONG)
    items.sort(key=lambda item: [item.nodeid.startswith(place) for place in places], reverse=True)
    passed: Path | None = config.getoption("passed")
    if passed is not None and passed.exists():
        known = set(passed.read_text().splitlines())
        left_out = [item for item in items if as_listed(item.nodeid) in known]
        items[:] = [item for item in items if as_listed(item.nodeid) not in known]
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """List the tests that passed; pytest-xdist workers leave that to the process that started them."""
    passed: Path | None = config.getoption("passed")
    if passed is not None and not hasattr(config, "workerinput"):
        reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        tests = [report.nodeid for report in reporter.stats.get("passed", [])]
        with passed.open("a") as file:
            file.writelines(f"{as_listed(test)}\n" for test in tests if not test.startswith(MORE))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if unexpected(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True, scope="module")
def little_to_collect() -> Iterator[None]:
    """Exempt existing objects from garbage collection, so that it does not traverse JAX and PyTorch."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True, scope="module")
def the_same_core() -> Iterator[None]:
    """A test that changed this for good would change the core of processes that later tests start."""
    before = os.environ.get("CHAINRULE_CORE")
    yield
    assert os.environ.get("CHAINRULE_CORE") == before


@pytest.fixture(autouse=True, scope="session")
def control_c() -> Iterator[None]:
    """Enable Ctrl-C as in a terminal: a background job ignores it, and so do the processes it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
