"""One planted bug of each kind; the matching campaign must find it."""

import os
import shutil
import sys
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any

import pytest

import chainrule
from chainrule.optim import optimizers
from chainrule.train import resuming

from ..conftest import python, require_program
from . import files, interrupts, soak
from .entries import ENTRIES, Entry, entering
from .saves import ROOT

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
THREAD_SANITIZER = pytest.mark.skipif(
    os.environ.get("CHAINRULE_SANITIZE") != "thread", reason="needs the core that make sanitize builds"
)


def named(name: str) -> Entry:
    return next(entry for entry in ENTRIES if entry.name == name)


def test_a_leaked_mode() -> None:
    """A list keeps the context manager alive, so a mode that is entered but never exited stays on."""
    kept = []

    class LeakingMode:
        def __enter__(self) -> None:
            manager = chainrule.no_grad()
            manager.__enter__()
            kept.append(manager)

        def __exit__(self, *error: object) -> None:
            kept.pop().__exit__(None, None, None)

    entry = Entry("a leaked mode", partial(entering, LeakingMode))
    with pytest.raises(AssertionError, match=r"interrupted in .*LeakingMode"):
        interrupts.attack(entry, own=__file__)
    while kept:
        kept.pop().__exit__(None, None, None)


def one_by_one(*changes: Iterable[Any]) -> None:
    for function, *arguments in chain.from_iterable(changes):
        function(*arguments)


def test_a_half_applied_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizers, "commit", one_by_one)
    with pytest.raises(AssertionError):
        interrupts.attack(named("adam.step"), own=__file__)


@LINUX
def test_a_lock_not_replaced_after_a_fork() -> None:
    planted = """
import os
os.register_at_fork = lambda **functions: None
from tests.campaigns import forks
forks.SECONDS = 3.0
forks.hold_every_lock()
"""
    done = python("-c", planted, cwd=ROOT)
    assert done.returncode == 1
    assert "the child did not end within 3 s\nwhile another thread held chainrule." in done.stderr


def test_a_field_that_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(resuming.TRAINING, "steps", (lambda found: True, "anything"))
    assert files.damage("run", "fields", 1000, seed=0)[1] != {}


@LINUX
@pytest.mark.parametrize("leaked", [0, 8])
def test_a_leak_of_8_bytes_a_step(leaked: int) -> None:
    planted = f"""
import ctypes, random
from chainrule.optim import optimizers
from tests.campaigns import soak
commit, malloc = optimizers.commit, ctypes.CDLL(None).malloc
optimizers.commit = lambda *changes: ({leaked} and malloc({leaked}), commit(*changes))
soak.soak(soak.actions("adam.step"), 6.0, random.Random(0), slack=50_000)
"""
    done = python("-c", planted, cwd=ROOT, environment=soak.ENVIRONMENT)
    assert done.returncode == (1 if leaked else 0), done.stderr
    assert ("memory grew by" in done.stderr) == bool(leaked)


@THREAD_SANITIZER
def test_a_racy_counter(tmp_path: Any) -> None:
    """The pool's threads count their work in a variable that is neither atomic nor locked."""
    require_program("cc")
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "*.so", "*.egg-info"))
    file = copy / "src/_core/machine/threads.c"
    text = file.read_text()
    counted = text.replace("        done++;\n", "        done++;\n        planted++;\n")
    assert counted != text
    file.write_text(
        counted.replace("static uint32_t job", "static long planted;\nstatic uint32_t job", 1)
    )
    pip = python("-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "site", copy)
    assert pip.returncode == 0, pip.stderr
    done = python(
        *("-m", "tests.campaigns.threads", "--rounds", "5"),
        cwd=ROOT,
        environment={"PYTHONPATH": str(tmp_path / "site")},
    )
    assert done.returncode != 0
    assert "WARNING: ThreadSanitizer: data race" in done.stderr
