"""Runs the tests of a mutant in a forked child of a process that has collected all tests already.

A mutant inside a function replaces its code object in the child, so nothing is imported again. One that
changes what ran when modules were imported or tests collected needs a child of a process that has not
imported the package (`fresh`). Each test is limited in processor time, which does not depend on what
else the machine does, and in memory.
"""

import gc
import json
import mmap
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import pairwise, zip_longest
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

MEMORY = 8 << 30  # bytes of data that a child may have
IMPORTS = 10.0  # seconds of processor time that a child may need to import everything
PATIENCE = 30.0  # seconds, and ten times the processor time: after these, a test that sleeps has hung
FAILED = 1  # the exit code of a child
QUESTIONS, ANSWERS = "CHAINRULE_QUESTIONS", "CHAINRULE_ANSWERS"  # numbers of the files to a server
PACKAGE = "/src/chainrule/"
# What takes longest to import, and is imported before a child is forked.
HEAVY = (
    *("numpy", "mpmath", "scipy.optimize", "sklearn.base", "pandas", "polars", "xarray", "torch", "jax"),
    *("casadi", "onnx", "onnxruntime", "matplotlib"),
)


def import_heavy() -> None:
    for name in HEAVY:
        with suppress(Exception), warnings.catch_warnings(action="ignore"):
            import_module(name)


@dataclass(frozen=True)
class Question:
    """Does each of these tests pass, in so many seconds, when `file` has the text `new` for `old`?"""

    tests: list[str]
    seconds: list[float]
    file: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True)
class Answer:
    """The test that failed, if one did. It is not `possible` to replace code that runs only at import,
    and the answer is not `sure` if the replaced code had run at import too.
    """

    failed: str | None
    possible: bool = True
    sure: bool = True


def in_child(work: Callable[[Callable[[int], None]], int], seconds: list[float]) -> tuple[int, int]:
    """Run some work in a forked child, which notes the number of each test before it starts, and may use
    these seconds of processor time for it. Returns its exit code, and the number of the last test.
    """
    noted = mmap.mmap(-1, 8)

    def note(number: int) -> None:
        noted[:] = number.to_bytes(8, "little")
        most = int(time.process_time() + seconds[number]) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))

    with warnings.catch_warnings(action="ignore"):  # JAX has no threads yet, but warns of them
        child = os.fork()
    if not child:
        code = FAILED
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            gc.unfreeze = lambda: None  # a fixture would have every module search PyTorch for garbage
            note(0)
            code = work(note)
        finally:
            os._exit(code)
    last, since = 0, time.monotonic()
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        time.sleep(0.005)
        number = int.from_bytes(noted[:], "little")
        if number != last:
            last, since = number, time.monotonic()
        elif time.monotonic() > since + PATIENCE + 10.0 * seconds[last]:
            break
    with suppress(ProcessLookupError):  # what it started ends with it
        os.killpg(child, signal.SIGKILL)
    if not ended[0]:
        ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended[1]), int.from_bytes(noted[:], "little")


# --- a process that has collected the tests ----------------------------------------------------------


executed: set[CodeType] = set()  # the code of the package that ran while modules were imported


def pytest_load_initial_conftests() -> None:
    """Note what runs from now on, in a process that `Server` started."""

    def look(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and PACKAGE in frame.f_code.co_filename:
            executed.add(frame.f_code)

    if QUESTIONS in os.environ:
        sys.setprofile(look)


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Answer questions instead of running the tests, in a process that `Server` started."""
    if QUESTIONS not in os.environ:
        return None
    sys.setprofile(None)
    import_heavy()
    items = {item.nodeid: item for item in session.items}
    functions = defaultdict(list)
    gc.collect()
    for thing in gc.get_objects():
        if type(thing) is FunctionType and PACKAGE in thing.__code__.co_filename:
            functions[thing.__code__].append(thing)
    gc.freeze()
    with open(int(os.environ[QUESTIONS])) as questions, open(int(os.environ[ANSWERS]), "w") as answers:
        print(json.dumps(sorted(items)), file=answers, flush=True)
        for line in questions:
            answer = answered(items, functions, Question(**json.loads(line)))
            print(json.dumps(asdict(answer)), file=answers, flush=True)
    return True


def answered(items: dict[str, pytest.Item], functions: Any, question: Question) -> Answer:
    chosen = [items[name] for name in question.tests]
    texts = (question.old, question.new) if question.file else ()
    pairs = list(changed(*(compile(text, question.file, "exec") for text in texts))) if texts else []
    differ = [(before, after) for before, after in pairs if own(before) != own(after)]
    if texts and not any(before in functions for before, _ in pairs):
        return Answer(None, possible=False)
    for before, after in differ:
        once = before in executed and before not in functions
        if once or before.co_freevars != after.co_freevars:
            return Answer(None, possible=False)

    def work(note: Callable[[int], None]) -> int:
        for before, after in pairs:
            for function in functions.get(before, []):
                function.__code__ = after
        for number, (item, following) in enumerate(pairwise([*chosen, None])):
            assert item is not None
            note(number)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                return FAILED
        return 0

    code, number = in_child(work, question.seconds)
    sure = not any(before in executed for before, _ in differ)
    return Answer(question.tests[number] if code else None, sure=sure)


def changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The pairs of modules, classes and functions that differ, at every depth. A function that the
    mutation removes has no pair; its outer function has one.
    """
    if old != new:
        yield old, new
        befores, afters = inside(old), inside(new)
        if [each.co_qualname for each in befores] == [each.co_qualname for each in afters]:
            for before, after in zip(befores, afters, strict=True):
                yield from changed(before, after)


def inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def own(code: CodeType) -> Any:
    """What a code object does, without the functions that it defines."""
    values = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    return code.co_code, code.co_exceptiontable, names, values


def same(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same, with the functions that they define."""
    pairs = zip_longest(inside(one), inside(other))
    return own(one) == own(other) and all(a and b and same(a, b) for a, b in pairs)


class Server:
    """A process that has collected tests, as the campaign sees it."""

    def __init__(self, root: Path, core: str, tests: list[str]) -> None:
        questions, self.questions = os.pipe()
        self.answers, answers = os.pipe()
        numbers = {
            QUESTIONS: str(questions),
            ANSWERS: str(answers),
            "CHAINRULE_CORE": core,
            "CI": "",
            "PYTHONDONTWRITEBYTECODE": "",  # children read what it has compiled
        }
        plain = ["-q", "-s", "-n0", "--tb=no", "-p", "no:cacheprovider", "-p", __spec__.name]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *plain, *tests],
            env={**os.environ, **numbers, "PYTHONPATH": f"{root}/src:{root}"},
            cwd=root,
            pass_fds=(questions, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(questions)
        os.close(answers)
        self.reader = os.fdopen(self.answers)
        collected = self.reader.readline()
        if not collected:
            raise RuntimeError("pytest could not collect the tests")
        self.tests = set(json.loads(collected))

    def ask(self, question: Question) -> Answer:
        os.write(self.questions, f"{json.dumps(asdict(question))}\n".encode())
        return Answer(**json.loads(self.reader.readline()))


# --- a process that has imported nothing -------------------------------------------------------------


class Noting:
    """A pytest plugin that notes the number of the test that is running, and ends with the tests."""

    def __init__(self, tests: list[str], note: Callable[[int], None]) -> None:
        self.tests, self.note = tests, note

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.note(self.tests.index(nodeid))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        os._exit(exitstatus)


def fresh(root: Path, core: str, question: Question) -> Answer:
    """Answer a question about the files as they are, in a child that imports them."""

    def work(note: Callable[[int], None]) -> int:
        os.chdir(root)
        os.environ.update(CHAINRULE_CORE=core, PYTHONPATH=f"{root}/src:{root}", CI="")
        sys.path[:] = [f"{root}/src", str(root), *sys.path]
        sys.dont_write_bytecode = True
        for name in [name for name in sys.modules if name.partition(".")[0] in ("chainrule", "tests")]:
            del sys.modules[name]
        words = ["-x", "-q", "-s", "-n0", "--tb=no", "-p", "no:cacheprovider", *question.tests]
        return int(pytest.main(words, plugins=[Noting(question.tests, note)]))

    first, *rest = question.seconds
    code, number = in_child(work, [first + IMPORTS, *rest])
    return Answer(question.tests[number] if code else None)
