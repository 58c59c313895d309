"""Forks: in a child process the package works, whatever the parent's other threads were doing.

    python -m tests.campaigns.forks [--count 1000] [--seed 0]

A fork copies only the thread that calls it. A lock that another thread holds at that moment stays
locked in the child for good, unless it is replaced there. So each lock of the package is held at a fork,
and the process forks at random instants while another thread is inside an entry point.
"""

import argparse
import faulthandler
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chainrule.learn.exercise import exercise

from .entries import Entry, entries

SECONDS = 60.0  # after which a child is considered to hang
LOCKS = (type(threading.Lock()), type(threading.RLock()))
# The entry points that a child runs: programs often fork to train or grade in parallel.
QUICK = ("building an expression", "backward", "grad", "no_grad", "compile", "a compiled call", "save")
TRAINING = ("adam.step", "Trainer.run", "fit, eager", "fit, native")


def checking_an_exercise() -> None:
    name = "add_tanh"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / f"{name}.py"
        work.write_text(exercise(name).solution)
        outcome = exercise(name).check(work)
        assert outcome.passed, outcome.message


def uses(*names: str) -> Callable[[], None]:
    """Return a function that runs the entry points with these names, except those that cannot run
    here.
    """
    known = {entry.name: entry for entry in entries()}
    prepared = [known[name].prepare() for name in names if name in known]

    def use() -> None:
        for prepare in prepared:
            action, check = prepare()
            action()
            check(False)

    return use


def locks() -> dict[str, Any]:
    """The locks of the package's modules, and of the objects that these hold, by name."""
    found: dict[str, Any] = {}
    for module in [m for name, m in sys.modules.items() if name.partition(".")[0] == "chainrule"]:
        for name, thing in list(vars(module).items()):
            inside = dict(getattr(thing, "__dict__", {}))
            if isinstance(thing, type):  # the locks of its properties, such as functools.cached_property
                inside = {key: getattr(each, "lock", None) for key, each in inside.items()}
            for path, each in [
                (name, thing),
                *((f"{name}.{key}", x) for key, x in list(inside.items())),
            ]:
                if isinstance(each, LOCKS) and each not in found.values():
                    found[f"{module.__name__}.{path}"] = each
    return found


def fork(action: Callable[[], Any]) -> None:
    """Run an action in a forked child; raise if it fails or does not end."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        code = 1
        try:
            faulthandler.dump_traceback_later(SECONDS / 2, file=sys.__stderr__)
            action()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    end = time.monotonic() + SECONDS
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError(f"the child did not end within {SECONDS:.0f} s")
        time.sleep(0.001)
    assert status == 0, f"the child ended with {os.waitstatus_to_exitcode(status)}"


def with_a_lock_held(lock: Any, action: Callable[[], Any]) -> None:
    """Fork while another thread holds this lock."""
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert held.wait(SECONDS)
        fork(action)
    finally:
        over.set()
        thread.join()


def while_running(entry: Entry, count: int, rng: random.Random, action: Callable[[], Any]) -> None:
    """Fork at random instants while another thread calls an entry point again and again."""
    prepare, over = entry.prepare(), threading.Event()
    problems: list[BaseException] = []

    def loop() -> None:
        try:
            while not over.is_set():
                work, check = prepare()
                work()
                check(False)
        except BaseException as error:
            problems.append(error)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        for _ in range(count):
            time.sleep(rng.uniform(0.0, 0.003))
            fork(action)
    finally:
        over.set()
        thread.join()
    if problems:
        raise problems[0]


def hold_every_lock() -> int:
    """Fork once for each lock, while another thread holds it. Returns the number of locks."""
    use = uses(*QUICK, *TRAINING)
    use()
    checking_an_exercise()
    found = locks()
    for name, lock in found.items():
        try:
            with_a_lock_held(lock, lambda: (use(), checking_an_exercise()))
        except BaseException as error:
            error.add_note(f"while another thread held {name}")
            raise
    return len(found)


def main(count: int, seed: int) -> None:
    held = hold_every_lock()
    print(f"{held} locks, each held at a fork")
    chosen = [
        entry for entry in entries() if entry.needs != "jax"
    ]  # JAX warns against forking a process that has used it
    for entry in chosen:
        while_running(
            entry, -(-count // len(chosen)), random.Random(f"{seed} {entry.name}"), uses(*QUICK)
        )
        print(f"{entry.name}: {-(-count // len(chosen))} forks while it ran", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.count, given.seed)
