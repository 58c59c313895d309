"""Mutation testing: each small fault planted in the code must be found by a test that covers its line.

    python -m tests.campaigns.mutation.mutants [--python 1600] [--c 200] [--seed 0] [FILE ...]

A map of which test runs which line is made first, and kept until the code changes. Each mutant then
gets the tests of its line, the fastest first, in a copy of the checkout. Results are appended to
.mutants/results.jsonl, so a campaign that was stopped goes on; survivors are tried again every time.
Mutants that no test could tell from the code are listed in equivalent.toml, each with the reason.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .mutations import Mutation, mutations

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / ".mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PACKAGE = "src/chainrule"
PLACES = [
    *("ops.py", "engine.py", "value.py", "autodiff.py", "functional.py", "support/sweeps.py"),
    *("compiler", "nn", "optim", "train"),
]
TESTS = ["tests/unit", "tests/conformance", "tests/scale/test_jax.py"]
LEFT_OUT = ["tests/unit/project"]  # they test the files of the project, not the code
CHUNKS = (30, 300, 10**6)  # tests in the first, the second and the last run of a mutant
OF_C = {  # the tests of each part of the C core, which has no map
    "value": ["tests/test_tiny.py", "tests/unit/engine", "tests/conformance"],
    "kernels": ["tests/test_tiny.py", "tests/conformance", "tests/unit/compiler", "tests/unit/train"],
    "machine": ["tests/test_tiny.py", "tests/unit/compiler", "tests/unit/train", "tests/conformance"],
    "compiler": ["tests/test_tiny.py", "tests/conformance", "tests/unit/compiler", "tests/unit/train"],
}
C_FLAGS = [
    "-std=c11",
    "-O1",
    "-fPIC",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fvisibility=hidden",
    "-w",
]
KILLED, SURVIVED = "killed", "survived"


# --- which test runs which line ----------------------------------------------------------------------


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
        start = time.perf_counter()
        result = yield
        self.seconds[item.nodeid] = time.perf_counter() - start
        self.coverage.switch_context("")
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
    """The tests that run each line, by file, and their durations."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, file: str, line: int) -> list[str]:
        """The tests of a line; if it runs at import only, those of the whole file."""
        lines = self.tests.get(file, {})
        names = [name for name in lines.get(line, []) if name]
        if not names and "" in lines.get(line, [""]):
            names = sorted({name for each in lines.values() for name in each if name})
        return sorted(names, key=lambda name: self.seconds.get(name, 0.0))


def lines() -> Lines:
    """Run the suite once under coverage, unless that was done for this code."""
    import coverage

    state = hashlib.sha256()
    for path in sorted([*(ROOT / PACKAGE).rglob("*.py"), *(ROOT / "tests").rglob("*.py")]):
        if not path.is_relative_to(Path(__file__).parent):
            state.update(path.read_bytes())
    folder = HERE / "lines"
    known = folder / "state"
    if not known.exists() or known.read_text() != state.hexdigest():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        ignored = [f"--ignore={place}" for place in LEFT_OUT]
        suite = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", __spec__.name]
        subprocess.run(
            [*suite, *ignored, *TESTS],
            env={**os.environ, "CHAINRULE_LINES": str(folder), "CHAINRULE_CORE": "python"},
            cwd=ROOT,
        )
        known.write_text(state.hexdigest())
    tests: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, float] = {}
    for path in folder.glob("lines.*"):
        data = coverage.CoverageData(str(path))
        data.read()
        for file in data.measured_files():
            for line, names in data.contexts_by_lineno(file).items():
                tests[str(Path(file).relative_to(ROOT))][line] += names
    for path in folder.glob("seconds.*"):
        seconds |= json.loads(path.read_text())
    return Lines(tests, seconds)


# --- trying mutants ----------------------------------------------------------------------------------


@dataclass
class Copy:
    """A copy of the checkout, in which one mutant at a time is planted."""

    root: Path
    objects: Path = field(init=False)

    def __post_init__(self) -> None:
        self.objects = self.root / "objects"
        shutil.rmtree(self.root, ignore_errors=True)
        left_out = shutil.ignore_patterns(".git", ".venv*", ".mutants", "build", "*.egg-info")
        shutil.copytree(ROOT, self.root, ignore=left_out)

    def run(self, tests: list[str], core: str, seconds: float) -> bool:
        """Whether all these tests pass."""
        child = os.fork()
        if not child:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            os.chdir(self.root)
            os.environ.update(CHAINRULE_CORE=core, PYTHONPATH=f"{self.root}/src", CI="")
            sys.path[:] = [f"{self.root}/src", str(self.root), *(p for p in sys.path if p != str(ROOT))]
            sys.dont_write_bytecode = True
            for name in [
                name for name in sys.modules if name.partition(".")[0] in ("tests", "chainrule")
            ]:
                del sys.modules[name]
            code = 1
            try:
                code = pytest.main(["-x", "-q", "-n0", "--tb=no", "-p", "no:cacheprovider", *tests])
            finally:
                os._exit(int(code))
        end = time.monotonic() + seconds
        while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
            time.sleep(0.01)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not ended[0]:
            os.waitpid(child, 0)
        return ended[0] != 0 and os.waitstatus_to_exitcode(ended[1]) == 0

    def plant(self, mutation: Mutation) -> str:
        """Write the mutant; returns the source before."""
        path = self.root / mutation.file
        source = path.read_text()
        path.write_text(mutation.apply(source))
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            stale.unlink()
        return source

    def survives(self, mutation: Mutation, known: Lines) -> bool:
        source = self.plant(mutation)
        try:
            if not mutation.file.endswith(".py"):
                if not self.build(mutation.file):
                    return False
                part = Path(mutation.file).parts[2]
                return self.run(OF_C[part], "c", 900.0)
            tests = known.of(mutation.file, mutation.line)
            start = 0
            for size in CHUNKS:
                some = tests[start : start + size]
                start += size
                needed = sum(known.seconds.get(name, 0.0) for name in some)
                if some and not self.run(some, "python", 30.0 + 5.0 * needed):
                    return False
            return True
        finally:
            (self.root / mutation.file).write_text(source)

    def build(self, changed: str = "") -> bool:
        """Compile the C files that changed, or all if a header did, and link the core."""
        self.objects.mkdir(exist_ok=True)
        core = self.root / "src/_core"
        include = [f"-I{path}" for path in core.iterdir() if path.is_dir()]
        include.append(f"-I{sysconfig.get_paths()['include']}")
        objects = []
        for path in sorted(core.rglob("*.c")):
            made = self.objects / f"{path.stem}.o"
            objects.append(made)
            needed = not made.exists() or changed.endswith((".h", path.name))
            compiler = ["cc", *C_FLAGS, *include, "-c", path, "-o", made]
            if needed and subprocess.run(compiler).returncode:
                made.unlink(missing_ok=True)
                return False
        name = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        output = ["-o", self.root / PACKAGE / name]
        linked = subprocess.run(["cc", "-shared", *objects, "-lm", "-lpthread", *output]).returncode == 0
        if changed.endswith(".c"):  # compile it again after the source is restored
            (self.objects / f"{Path(changed).stem}.o").unlink()
        elif changed:
            shutil.rmtree(self.objects)
        return linked


# --- the campaign ------------------------------------------------------------------------------------


def chosen(files: list[str], python: int, c: int, seed: int) -> list[Mutation]:
    """Mutations drawn at random, or all of the given files."""
    if files:
        return [each for file in files for each in mutations(ROOT, file)]
    rng = random.Random(seed)
    ours = [
        str(path.relative_to(ROOT))
        for place in PLACES
        for path in sorted([ROOT / PACKAGE / place, *(ROOT / PACKAGE / place).rglob("*.py")])
        if path.suffix == ".py"
    ]
    core = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "src/_core").rglob("*.[ch]"))
        if path.parent.name != "generated"
    ]
    found = []
    for places, count in ((ours, python), (core, c)):
        every = [each for file in places for each in mutations(ROOT, file)]
        found += rng.sample(every, min(count, len(every)))
    return found


@cache
def mine() -> tuple[Copy, Lines]:
    """The copy of the checkout that belongs to this process, and the tests of each line."""
    copy = Copy(HERE / f"copy{os.getpid()}")
    if not copy.build():
        raise RuntimeError("the C core does not compile")
    return copy, lines()


def attempt(task: tuple[str, Mutation]) -> tuple[str, str]:
    key, mutation = task
    copy, known = mine()
    return key, SURVIVED if copy.survives(mutation, known) else KILLED


def results() -> Iterator[dict[str, str]]:
    path = HERE / "results.jsonl"
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def main(files: list[str], python: int, c: int, seed: int) -> None:
    HERE.mkdir(exist_ok=True)
    equivalent = tomllib.loads(EQUIVALENT.read_text())
    found = chosen(files, python, c, seed)
    sources = {file: (ROOT / file).read_text() for file in {each.file for each in found}}
    drawn = {each.key(sources[each.file]): each for each in found}
    before = {each["key"]: each["result"] for each in results()}
    todo = [
        (key, each) for key, each in drawn.items() if before.get(key) != KILLED and key not in equivalent
    ]
    print(f"{len(drawn):,} mutants, {len(todo):,} to try", flush=True)
    if any(each.file.endswith(".py") for _, each in todo):
        lines()
    for old in HERE.glob("copy*"):
        shutil.rmtree(old)
    counts = Counter(before[key] for key in drawn if before.get(key) == KILLED)
    survivors = []
    with ProcessPoolExecutor() as pool, (HERE / "results.jsonl").open("a") as log:
        for done, (key, result) in enumerate(pool.map(attempt, todo), 1):
            print(json.dumps({"key": key, "result": result}), file=log, flush=True)
            counts[result] += 1
            if result == SURVIVED:
                survivors.append(key)
                print(f"survived: {key}", flush=True)
            if done % 100 == 0:
                print(f"{done:,} of {len(todo):,} tried", flush=True)
    left = sum(key in equivalent for key in drawn)
    said = f"{counts[KILLED]:,} killed, {left} equivalent, {len(survivors)} survived"
    print(f"{len(drawn):,} mutants: {said}")
    if survivors:
        raise SystemExit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="every mutation of these files")
    parser.add_argument("--python", type=int, default=1600)
    parser.add_argument("--c", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.files, given.python, given.c, given.seed)
