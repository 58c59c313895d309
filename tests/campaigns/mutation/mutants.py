"""Mutation testing: each small fault planted in the code must be found by a test that covers its line.

    python -m tests.campaigns.mutation.mutants [--python 1600] [--c 200] [--seed 0] [FILE ...]

A map of which test runs which line is made first (covering.py). Each mutant then gets the tests of its
line in a copy of the checkout (trying.py): first those that found other mutants of the file, then the
fastest case of every test function, up to `--seconds` of processor time. Results are appended to
.mutants/results.jsonl, so a campaign that was stopped goes on; survivors are tried again every time.
Mutants that no test could tell from the code are listed in equivalent.toml, each with the reason.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sysconfig
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

from .covering import HERE, LEFT_OUT, PACKAGE, ROOT, TESTS, Lines, lines
from .mutations import Mutation, is_code, mutations
from .trying import Answer, Question, Server, fresh, import_heavy

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PLACES = [
    *("ops.py", "engine.py", "value.py", "autodiff.py", "functional.py", "support/sweeps.py"),
    *("compiler", "nn", "optim", "train"),
]
FINDERS = 20  # tests that found other mutants of the file are tried first, at most so many
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


class Copy:
    """A copy of the checkout, in which one mutant at a time is planted and tried."""

    def __init__(self, root: Path, known: Lines, seconds: float) -> None:
        self.root, self.known, self.seconds = root, known, seconds
        self.objects = root / "objects"
        self.sound: dict[tuple[str, str], bool] = {}  # whether a test passes without a mutant, by core
        self.finders: dict[str, Counter[str]] = defaultdict(Counter)
        for each in results():
            if each["result"] == KILLED and "by" in each:
                self.finders[each["key"].partition(":")[0]][each["by"]] += 1
        left_out = shutil.ignore_patterns(".git", ".venv*", ".mutants", "build", "*.egg-info")
        shutil.copytree(ROOT, self.root, ignore=left_out)  # with the compiled core
        self.server = Server(root, [f"--ignore={place}" for place in LEFT_OUT] + TESTS)

    @contextmanager
    def planted(self, mutation: Mutation) -> Iterator[tuple[str, str]]:
        """Write the mutant, for processes that tests start; yields the source before and after."""
        path = self.root / mutation.file
        source, times = path.read_text(), path.stat()
        new = mutation.apply(source)
        path.write_text(new)
        os.utime(path, (times.st_atime, times.st_mtime + 1000.0))  # compiled files of the old are stale
        try:
            yield source, new
        finally:
            path.write_text(source)
            os.utime(path, (times.st_atime, times.st_mtime))

    def attempt(self, mutation: Mutation) -> str | None:
        """The test that found the mutant, or '' if none did; None if it needs no test to be found."""
        core = "python" if mutation.file.endswith(".py") else "c"
        if core == "c" and not self.objects.exists() and not self.build():
            raise RuntimeError("the C core does not compile")
        while True:
            tests = self.chosen(mutation, core)
            if not tests:
                return ""
            with self.planted(mutation) as (source, new):
                if core == "c" and not self.build(mutation.file):
                    return None
                found = self.ask(mutation, tests, source, new).failed
            if core == "c":
                self.build(mutation.file)
            if found is None:
                return ""
            if self.passes(found, core):
                self.finders[mutation.file][found] += 1
                return found

    def ask(self, mutation: Mutation, tests: list[str], source: str, new: str) -> Answer:
        limits = [self.limit(name) for name in tests]
        if not mutation.file.endswith(".py"):
            return fresh(self.root, "c", Question(tests, limits))
        path = str(self.root / mutation.file)
        answer = self.server.ask(Question(tests, limits, path, source, new))
        if answer.possible:
            return answer
        return fresh(self.root, "python", Question(tests, limits))

    def limit(self, test: str) -> float:
        """The seconds after which a test does not end any more."""
        return 3.0 + 4.0 * self.known.seconds.get(test, 0.0)

    def passes(self, test: str, core: str) -> bool:
        """Whether a test passes without a mutant; one that depends on other tests does not."""
        if (test, core) not in self.sound:
            warm = core == "python" and test in self.server.tests
            ask = self.server.ask if warm else partial(fresh, self.root, core)
            self.sound[test, core] = ask(Question([test], [self.limit(test)])).failed is None
        return self.sound[test, core]

    def chosen(self, mutation: Mutation, core: str) -> list[str]:
        """The tests to try, in this order."""
        if core == "python":
            tests = self.known.of(mutation.file, mutation.line)
        else:
            places = tuple(OF_C[Path(mutation.file).parts[2]])
            tests = self.known.varied(name for name in self.server.tests if name.startswith(places))
        tests = [
            name for name in tests if name in self.server.tests and self.sound.get((name, core), True)
        ]
        first = [name for name, _ in self.finders[mutation.file].most_common() if name in {*tests}][
            :FINDERS
        ]
        taken, total = [], 0.0
        for name in dict.fromkeys(first + tests):
            total += self.known.seconds.get(name, 0.0)
            if total > self.seconds and taken:
                break
            taken.append(name)
        return taken

    def build(self, changed: str = "") -> bool:
        """Compile the C files that changed or use the header that did, and link the core."""
        self.objects.mkdir(exist_ok=True)
        core = self.root / "src/_core"
        include = [f"-I{path}" for path in core.iterdir() if path.is_dir()]
        include.append(f"-I{sysconfig.get_paths()['include']}")
        objects = []
        for path in sorted(core.rglob("*.c")):
            made = self.objects / f"{path.stem}.o"
            objects.append(made)
            uses = made.with_suffix(".d")  # the headers of the file, which the compiler lists
            needed = (
                not made.exists() or Path(changed).name in uses.read_text().replace("/", " ").split()
            )
            compiler = ["cc", *C_FLAGS, *include, "-MMD", "-c", path, "-o", made]
            if needed and subprocess.run(compiler).returncode:
                made.unlink(missing_ok=True)
                return False
        name = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        linked = self.root / PACKAGE / name
        linked.unlink(missing_ok=True)  # processes that use the old one keep it
        command = ["cc", "-shared", *objects, "-lm", "-lpthread", "-o", linked]
        return subprocess.run(command).returncode == 0


# --- the campaign ------------------------------------------------------------------------------------


def chosen(files: list[str], python: int, c: int, seed: int) -> list[Mutation]:
    """Mutations drawn at random, or all of the given files."""
    if files:
        return [each for file in files for each in mutations(ROOT, file) if is_code(each, ROOT)]
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
        rng.shuffle(every)
        found += islice((each for each in every if is_code(each, ROOT)), count)
    return found


mine: Copy  # the copy of the checkout that belongs to this process


def begin(seconds: float) -> None:
    global mine
    import_heavy()
    mine = Copy(HERE / f"copy{os.getpid()}", lines(1), seconds)


def attempt(task: tuple[str, Mutation]) -> dict[str, str | float]:
    key, mutation = task
    start = time.perf_counter()
    found = mine.attempt(mutation)
    result = {"key": key, "result": SURVIVED if found == "" else KILLED}
    return result | ({"by": found} if found else {}) | {"seconds": round(time.perf_counter() - start, 2)}


def results() -> Iterator[dict[str, str]]:
    path = HERE / "results.jsonl"
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def main(files: list[str], python: int, c: int, seed: int, seconds: float, processes: int) -> None:
    HERE.mkdir(exist_ok=True)
    equivalent = tomllib.loads(EQUIVALENT.read_text())
    found = chosen(files, python, c, seed)
    sources = {file: (ROOT / file).read_text() for file in {each.file for each in found}}
    drawn = {each.key(sources[each.file]): each for each in found}
    before = {each["key"]: each["result"] for each in results()}
    todo = [
        (key, each) for key, each in drawn.items() if before.get(key) != KILLED and key not in equivalent
    ]
    todo.sort(key=lambda each: before.get(each[0]) == SURVIVED)  # what was never tried comes first
    print(f"{len(drawn):,} mutants, {len(todo):,} to try", flush=True)
    lines(processes)
    for old in HERE.glob("copy*"):
        shutil.rmtree(old)
    counts = Counter(before[key] for key in drawn if before.get(key) == KILLED)
    survivors = []
    with (
        ProcessPoolExecutor(processes, initializer=begin, initargs=(seconds,)) as pool,
        (HERE / "results.jsonl").open("a") as log,
    ):
        for done, future in enumerate(as_completed([pool.submit(attempt, each) for each in todo]), 1):
            result = future.result()
            print(json.dumps(result), file=log, flush=True)
            counts[str(result["result"])] += 1
            if result["result"] == SURVIVED:
                survivors.append(result["key"])
                print(f"survived: {result['key']}", flush=True)
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
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for each mutant")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    main(given.files, given.python, given.c, given.seed, given.seconds, given.processes)
