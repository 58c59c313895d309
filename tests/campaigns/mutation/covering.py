"""Which test runs which line: the suite runs once under coverage, with each test as a context.

The map is kept in .mutants/lines until the code or the tests change.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / ".mutants"
PACKAGE = "src/chainrule"
TESTS = ["tests/test_tiny.py", "tests/unit", "tests/conformance", "tests/scale/test_jax.py"]
LEFT_OUT = ["tests/unit/project"]  # they test the files of the project, not the code
IMPORTED = ""  # the context of a line that runs outside of tests


class Recorder:
    """A pytest plugin, loaded with `-p`: records which lines each test runs, and for how long."""

    def __init__(self, folder: Path) -> None:
        import coverage

        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.coverage = coverage.Coverage(
            str(folder / f"lines.{os.getpid()}"), include=[f"{ROOT / PACKAGE}/*"], config_file=False
        )
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.coverage.switch_context(item.nodeid)
        start = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - start
        self.coverage.switch_context(IMPORTED)
        return result

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        (self.folder / f"seconds.{os.getpid()}").write_text(json.dumps(self.seconds))


def pytest_configure(config: pytest.Config) -> None:
    folder = os.environ.get("CHAINRULE_LINES")
    if folder and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(Recorder(Path(folder)))


@dataclass
class Lines:
    """The tests that run each line, by file, and the processor time that each needed."""

    tests: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def of(self, file: str, line: int) -> list[str]:
        """The tests of a line; if none is known, as of a line that runs at import, those of the file."""
        lines = self.tests.get(file, {})
        names = lines.get(line, set()) - {IMPORTED}
        return self.varied(names or set().union(*lines.values()) - {IMPORTED})

    def varied(self, names: Iterable[str]) -> list[str]:
        """The fastest case of every test function, then the second case of every function, and so on."""
        cases: dict[str, list[str]] = defaultdict(list)
        for name in sorted(names, key=lambda name: (self.seconds.get(name, 0.0), name)):
            cases[re.sub(r"\[.*", "", name, flags=re.S)].append(name)
        ranks = {name: rank for some in cases.values() for rank, name in enumerate(some)}
        return sorted(ranks, key=lambda name: (ranks[name], self.seconds.get(name, 0.0), name))


def state() -> str:
    """A digest of everything that the map depends on."""
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / PACKAGE).rglob("*.py"), *(ROOT / "tests").rglob("*.py")]):
        if not path.is_relative_to(Path(__file__).parent):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def lines(processes: int) -> Lines:
    """Run the suite once under coverage, unless that was done for this code."""
    import coverage

    folder = HERE / "lines"
    known = folder / "state"
    if not known.exists() or known.read_text() != state():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        ignored = [f"--ignore={place}" for place in LEFT_OUT]
        suite = [sys.executable, "-m", "pytest", "-q", "--tb=no", f"-n{processes}", "-p", __spec__.name]
        subprocess.run(
            [*suite, *ignored, *TESTS],
            env={**os.environ, "CHAINRULE_LINES": str(folder), "CHAINRULE_CORE": "python"},
            cwd=ROOT,
        )
        known.write_text(state())
    tests: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    seconds: dict[str, float] = {}
    for path in folder.glob("lines.*"):
        data = coverage.CoverageData(str(path))
        data.read()
        for file in data.measured_files():
            for line, names in data.contexts_by_lineno(file).items():
                tests[str(Path(file).relative_to(ROOT))][line].update(names)
    for path in folder.glob("seconds.*"):
        seconds |= json.loads(path.read_text())
    return Lines(tests, seconds)
