"""Mutation testing: each small fault planted in the code must be found by a test that covers its line.

    python -m tests.campaigns.mutation.mutants [--python 1600] [--c 200] [--seed 0] [FILE ...]

A map of which test runs which line is made first (covering.py). Each mutant then gets the tests of its
line in a copy of the checkout (trying.py), those first that find most for their time, up to `--seconds`
of processor time. Results are appended to .mutants/results.jsonl, so that a stopped campaign goes on.
Survivors are tried again every time, and with `--survivors` nothing else. Mutants that no test could
tell from the code are listed in equivalent.toml, each with the reason.
"""

import argparse
import gc
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sysconfig
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from pathlib import Path

from .covering import HERE, LEFT_OUT, PACKAGE, ROOT, TESTS, Lines, function, lines
from .mutations import Mutation, is_code, mutations
from .trying import Answer, Question, Server, fresh, import_heavy

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PLACES = [
    *("ops.py", "engine.py", "value.py", "autodiff.py", "functional.py", "support/sweeps.py"),
    *("compiler", "nn", "optim", "train"),
]
FIRST = 8  # tests that a process which has to import the package tries before it collects more
FILES = 10  # test files that it imports at most
# What runs on the C core only, and the C core itself.
ON_C = tuple(
    f"src/{place}"
    for place in (
        *(
            "_core",
            "chainrule/compiler/flat.py",
            "chainrule/compiler/calls",
            "chainrule/compiler/codegen/kernels",
        ),
        *("chainrule/compiler/codegen/values", "chainrule/compiler/codegen/adjoints"),
        "chainrule/compiler/backends/kernels",
    )
)
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

    def __init__(self, root: Path, core: str, seconds: float) -> None:
        self.root, self.core, self.seconds = root, core, seconds
        self.known: Lines = lines(core)
        self.objects = root / "objects"
        self.sound: dict[str, bool] = {}  # whether a test passes without a mutant
        self.finders: dict[str, Counter[str]] = defaultdict(Counter)
        for each in results():
            if each["result"] == KILLED and "by" in each:
                self.finders[each["key"].partition(":")[0]][each["by"]] += 1
        left_out = shutil.ignore_patterns(".git", ".venv*", ".mutants", "build", "*.egg-info")
        shutil.copytree(ROOT, self.root, ignore=left_out)  # with the compiled core
        self.server = Server(root, core, [f"--ignore={place}" for place in LEFT_OUT] + TESTS[core])

    @contextmanager
    def planted(self, mutation: Mutation) -> Iterator[tuple[str, str]]:
        """Write the mutant, for processes that tests start; yields the source before and after."""
        path = self.root / mutation.file
        old, times = path.read_text(), path.stat()
        new = mutation.apply(old)
        path.write_text(new)
        os.utime(path, (times.st_atime, times.st_mtime + 1000.0))  # compiled files of the old are stale
        try:
            yield old, new
        finally:
            path.write_text(old)
            os.utime(path, (times.st_atime, times.st_mtime))

    def attempt(self, mutation: Mutation) -> str | None:
        """The test that found the mutant, or '' if none did; None if it needs no test to be found."""
        in_c = not mutation.file.endswith(".py")
        if in_c and not self.objects.exists() and not self.build():
            raise RuntimeError("the C core does not compile")
        tests = self.chosen(mutation)
        while tests:
            with self.planted(mutation) as (old, new):
                if in_c and not self.build(mutation.file):
                    return None
                found = self.ask(mutation, tests, old, new).failed
            if in_c:
                self.build(mutation.file)
            if found is None:
                return ""
            if self.passes(found, in_c):
                self.finders[mutation.file][found] += 1
                return found
            tests = tests[tests.index(found) + 1 :]
        return ""

    def ask(self, mutation: Mutation, tests: list[str], old: str, new: str) -> Answer:
        if mutation.file.endswith(".py"):
            path = str(self.root / mutation.file)
            answer = self.server.ask(self.question(tests, path, old, new))
            if answer.possible and answer.sure:
                return answer
            if answer.failed and fresh(self.root, self.core, self.question([answer.failed])).failed:
                return answer
        files = list(dict.fromkeys(name.partition("::")[0] for name in tests))[:FILES]
        tests = [name for name in tests if name.startswith(tuple(files))]
        answer = fresh(self.root, self.core, self.question(tests[:FIRST]))
        if answer.failed is None and tests[FIRST:]:
            answer = fresh(self.root, self.core, self.question(tests[FIRST:]))
        return answer

    def question(self, tests: list[str], *mutant: str) -> Question:
        """About these tests, with the seconds after which each does not end any more."""
        return Question(
            tests, [2.0 + 3.0 * self.known.seconds.get(name, 0.0) for name in tests], *mutant
        )

    def passes(self, test: str, in_c: bool) -> bool:
        """Whether a test passes without a mutant; one that depends on other tests does not."""
        if test not in self.sound:
            ask = partial(fresh, self.root, self.core) if in_c else self.server.ask
            self.sound[test] = ask(self.question([test])).failed is None
        return self.sound[test]

    def chosen(self, mutation: Mutation) -> list[str]:
        """The tests to try, in this order. Those of the map come first. It knows few cases of each test
        function, so other cases of those that run the same function of the code follow, those first that
        are named as what the line defines.
        """
        if mutation.file.endswith(".py"):
            names = self.known.of(mutation.file, mutation.line)
            near = self.known.around(mutation.file, mutation.line)
        else:
            places = tuple(OF_C[Path(mutation.file).parts[2]])
            names = near = {name for name in self.known.seconds if name.startswith(places)}
        tests = self.known.ordered(names, mutation.file, self.finders[mutation.file])
        seconds = {function(name): self.known.seconds[name] for name in near}
        others = [name for name in self.server.tests if function(name) in seconds and name not in near]
        random.Random(mutation.line).shuffle(others)
        if mutation.file.endswith(".py"):
            words = self.known.words(mutation.file, mutation.line)
            others.sort(key=lambda name: -len(words & {*re.findall(r"[a-zA-Z]+", name)}))
        return self.affordable(tests, seconds) + self.affordable(others, seconds)

    def affordable(self, tests: list[str], seconds: dict[str, float]) -> list[str]:
        taken, total = [], 0.0
        for name in tests:
            if name in self.server.tests and self.sound.get(name, True):
                total += self.known.seconds.get(name, seconds.get(function(name), 0.0))
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


@cache
def source(file: str) -> str:
    return (ROOT / file).read_text()


def chosen(files: list[str], python: int, c: int, seed: int) -> list[Mutation]:
    """Mutations drawn at random, or all of the given files. Changed code changes the draw little."""
    if files:
        return [each for file in files for each in mutations(ROOT, file) if is_code(each, source(file))]
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

    def drawn(each: Mutation) -> bytes:
        return hashlib.sha256(f"{seed} {each.key(source(each.file))}".encode()).digest()

    found = []
    for places, count in ((ours, python), (core, c)):
        every = sorted((each for file in places for each in mutations(ROOT, file)), key=drawn)
        found += islice((each for each in every if is_code(each, source(each.file))), count)
    return found


mine: Copy  # the copy of the checkout that belongs to this process


def begin(core: str, seconds: float) -> None:
    global mine
    import_heavy()
    gc.collect()
    gc.freeze()  # processes forked from this one need not search it for garbage
    mine = Copy(HERE / f"copy{os.getpid()}", core, seconds)


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


def tried(
    todo: list[tuple[str, Mutation]], core: str, seconds: float, processes: int
) -> Iterator[dict[str, str | float]]:
    """Try these mutants on one core, and keep each result."""
    lines(core)
    with (
        ProcessPoolExecutor(processes, initializer=begin, initargs=(core, seconds)) as pool,
        (HERE / "results.jsonl").open("a") as log,
    ):
        for done, future in enumerate(as_completed([pool.submit(attempt, each) for each in todo]), 1):
            print(json.dumps(future.result()), file=log, flush=True)
            if done % 100 == 0:
                print(f"{done:,} of {len(todo):,} tried on the {core} core", flush=True)
            yield future.result()


def main(
    files: list[str], python: int, c: int, seed: int, seconds: float, processes: int, survivors: bool
) -> None:
    HERE.mkdir(exist_ok=True)
    equivalent = tomllib.loads(EQUIVALENT.read_text())
    found = chosen(files, python, c, seed)
    drawn = {each.key(source(each.file)): each for each in found}
    before = {each["key"]: each["result"] for each in results()}
    todo = [
        (key, each) for key, each in drawn.items() if before.get(key) != KILLED and key not in equivalent
    ]
    if survivors:
        todo = [each for each in todo if before.get(each[0]) == SURVIVED]
    todo.sort(key=lambda each: before.get(each[0]) == SURVIVED)  # what was never tried comes first
    print(f"{len(drawn):,} mutants, {len(todo):,} to try", flush=True)
    for old in HERE.glob("copy*"):
        shutil.rmtree(old)
    counts = Counter(before[key] for key in drawn if before.get(key) == KILLED)
    alive = []
    for core in TESTS:
        ours = [each for each in todo if each[1].file.startswith(ON_C) == (core == "c")]
        for result in tried(ours, core, seconds, processes) if ours else ():
            counts[str(result["result"])] += 1
            if result["result"] == SURVIVED:
                alive.append(result["key"])
                print(f"survived: {result['key']}", flush=True)
    left = sum(key in equivalent for key in drawn)
    said = f"{counts[KILLED]:,} killed, {left} equivalent, {len(alive)} survived"
    print(f"{len(drawn):,} mutants: {said}")
    if alive:
        raise SystemExit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="every mutation of these files")
    parser.add_argument("--python", type=int, default=1600)
    parser.add_argument("--c", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="of tests that run the line, and as many of others"
    )
    parser.add_argument("--survivors", action="store_true", help="only what survived before")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    main(**vars(parser.parse_args()))
