"""Which test runs which line: tests run once under coverage, each as a context of its own.

The map is kept in .mutants/lines. Test files that changed since run again, and lines of the code that
moved are found again by their text, so `rm -r .mutants/lines` is for great changes only.
"""

import ast
import difflib
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / ".mutants"
PACKAGE = "src/chainrule"
TESTS = {  # by the core on which they run
    "python": ["tests/test_tiny.py", "tests/unit", "tests/conformance", "tests/scale/test_jax.py"],
    "c": [
        *("tests/test_tiny.py", "tests/unit/engine", "tests/unit/compiler", "tests/unit/train"),
        "tests/conformance",
    ],
}
# These test the project's files and pictures, not the code that is changed.
LEFT_OUT = ["tests/unit/project", "tests/unit/viz", "tests/unit/inspect/test_rules.py"]
IMPORTED = ""  # the context of a line that runs outside of tests
LONGEST = 4.0  # seconds of processor time: a test that needs more is not used


@cache
def function(test: str) -> str:
    return re.sub(r"\[.*", "", test, flags=re.S)


class Recorder:
    """A pytest plugin, loaded with `-p`: records the lines and the time of each test that passes."""

    def __init__(self, folder: Path) -> None:
        import coverage

        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.coverage = coverage.Coverage(
            str(folder / "coverage"), include=[f"{ROOT / PACKAGE}/*"], config_file=False
        )
        self.coverage.start()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep two cases of each test function, its first and its middle one."""
        cases = defaultdict(list)
        for item in items:
            cases[function(item.nodeid)].append(item)
        items[:] = [some[n] for some in cases.values() for n in sorted({0, len(some) // 2})]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.coverage.switch_context(item.nodeid)
        start = sum(os.times()[:4])  # with what its child processes need
        result = yield
        self.seconds[item.nodeid] = sum(os.times()[:4]) - start
        self.coverage.switch_context(IMPORTED)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:  # a skipped test finds nothing either
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        known = {
            name: seconds
            for name, seconds in self.seconds.items()
            if name not in self.failed and seconds < LONGEST
        }
        (self.folder / "seconds.json").write_text(json.dumps(known))


def pytest_configure(config: pytest.Config) -> None:
    if folder := os.environ.get("CHAINRULE_LINES"):
        config.pluginmanager.register(Recorder(Path(folder)))


@dataclass
class Lines:
    """The tests that run each line, by file; the processor time and the number of lines of each test."""

    tests: dict[str, dict[int, set[str]]] = field(default_factory=lambda: defaultdict(dict))
    seconds: dict[str, float] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def of(self, file: str, line: int) -> set[str]:
        """The tests of a line. One that coverage does not know, as inside an expression of several
        lines, has those of the nearest line above. One that only runs at import has those of the lines
        that use the name it defines, or else those of the file.
        """
        lines = self.tests[file]
        while line > 1 and line not in lines:
            line -= 1
        names = lines.get(line, set()) - {IMPORTED}
        if not names:
            text = (ROOT / file).read_text().split("\n")
            name = re.match(r"\w+", text[line - 1])
            using = [n for n, each in enumerate(text, 1) if name and re.search(rf"\b{name[0]}\b", each)]
            names = set().union(*(lines.get(n, set()) for n in using)) - {IMPORTED}
        return names or set().union(*lines.values()) - {IMPORTED}

    def around(self, file: str, line: int) -> set[str]:
        """The tests of the function in which a line is; those of the line, if it is in none."""
        tree = ast.parse((ROOT / file).read_text())
        spans = [
            (each.lineno, each.end_lineno or each.lineno)
            for each in ast.walk(tree)
            if isinstance(each, ast.FunctionDef) and each.lineno <= line <= (each.end_lineno or 0)
        ]
        first, last = max(spans, default=(line, line))
        return self.of(file, line).union(
            *(self.tests[file].get(n, set()) - {IMPORTED} for n in range(first, last + 1))
        )

    def words(self, file: str, line: int) -> set[str]:
        """The words that name what a line belongs to: its class, its function, its row of the table."""
        found = []
        for each in ast.walk(ast.parse((ROOT / file).read_text())):
            first, last = getattr(each, "lineno", line + 1), getattr(each, "end_lineno", 0)
            if first <= line <= last:
                match each:
                    case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                        found.append(name)
                    case ast.Assign(targets=[ast.Name(id=name)]):
                        found.append(name)
                    case ast.Call(args=[ast.Constant(value=str() as name), *_]):
                        found.append(name)
        return {word for name in found for word in re.findall(r"[a-zA-Z]+", name)}

    def ordered(self, names: Iterable[str], file: str, finds: dict[str, int]) -> list[str]:
        """Tests, those first that find the most faults for their time: fast ones that run few lines, are
        named as the file is, or found other faults of the file. The first case of every test function
        comes before the second of any.
        """
        words = set(re.findall(r"[a-z]+", file.removeprefix(PACKAGE).removesuffix(".py")))

        def cost(name: str) -> tuple[float, str]:
            shared = len(words & set(re.findall(r"[a-z]+", name.partition("[")[0])))
            price = (0.005 + self.seconds[name]) * (10 + self.lengths[name])
            return price / 3.0**shared / (1 + 10 * finds.get(name, 0)), name

        cases: dict[str, int] = defaultdict(int)
        ranks = {}
        for name in sorted(names, key=cost):
            ranks[name] = cases[function(name)]
            cases[function(name)] += 1
        return sorted(ranks, key=lambda name: (ranks[name], cost(name)))


def read(run: Path) -> dict[str, str]:
    return json.loads((run / "files.json").read_text())  # type: ignore[no-any-return]


def state(core: str) -> dict[str, str]:
    """The text of every file of the package, and a digest of every file of tests for a core."""
    files = {str(path.relative_to(ROOT)): path.read_text() for path in (ROOT / PACKAGE).rglob("*.py")}
    for place in TESTS[core]:
        for path in sorted([ROOT / place, *(ROOT / place).rglob("test_*.py")]):
            name = str(path.relative_to(ROOT))
            if path.suffix == ".py" and not name.startswith(tuple(LEFT_OUT)):
                files[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return files


def moved(old: str, new: str) -> dict[int, int]:
    """The number of each line of the old text that is in the new one, and its number there."""
    same = difflib.SequenceMatcher(None, old.split("\n"), new.split("\n"), autojunk=False)
    return {a + n: b + n for a, b, size in same.get_matching_blocks() for n in range(1, size + 1)}


def lines(core: str) -> Lines:
    """Run the tests that are new or changed under coverage, and read what all runs recorded."""
    now = state(core)
    runs = sorted((HERE / "lines" / core).glob("*"))
    last = {name: run for run in runs for name in read(run) if name.startswith("tests")}
    known = {name: text for run in runs for name, text in read(run).items() if name.startswith("tests")}
    todo = [name for name, text in now.items() if name.startswith("tests") and known.get(name) != text]
    if todo:
        run = HERE / "lines" / core / f"{len(runs):03}"
        run.mkdir(parents=True)
        suite = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-n0", "-p", "no:cacheprovider"]
        environment = {"CHAINRULE_LINES": str(run), "CHAINRULE_CORE": core}
        subprocess.run([*suite, "-p", __spec__.name, *todo], env={**os.environ, **environment}, cwd=ROOT)
        package = {name: text for name, text in now.items() if not name.startswith("tests")}
        (run / "files.json").write_text(json.dumps(package | {name: now[name] for name in todo}))
        runs.append(run)
        last |= dict.fromkeys(todo, run)
    found = Lines()
    for run in runs:
        seconds = json.loads((run / "seconds.json").read_text())
        ours = {name for name in seconds if last.get(name.partition("::")[0]) == run}
        found.seconds |= {name: seconds[name] for name in ours}
        for file, line, names in recorded(run, now):
            found.tests[file].setdefault(line, set()).update(names & (ours | {IMPORTED}))
            for name in names & ours:
                found.lengths[name] += 1
    return found


def recorded(run: Path, now: dict[str, str]) -> Iterator[tuple[str, int, set[str]]]:
    """Every line that a run recorded, where it is now, with its tests."""
    import coverage

    before = read(run)
    data = coverage.CoverageData(str(run / "coverage"))
    data.read()
    for path in data.measured_files():
        file = str(Path(path).relative_to(ROOT))
        places = moved(before.get(file, ""), now.get(file, ""))
        for line, names in data.contexts_by_lineno(path).items():
            if line in places:
                yield file, places[line], set(names)
