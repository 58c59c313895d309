"""Makes each allocation fail once. The entry point must succeed or raise MemoryError, leave nothing half
done, and work when it is called again.

    python -m tests.campaigns.allocations [ENTRY ...]              each allocation fails alone
    python -m tests.campaigns.allocations --for-good [ENTRY ...]   each fails with all later ones
    python -m tests.campaigns.allocations --short [ENTRY ...]      first and last at an instruction

An allocation is known by its place, the instructions of all Python frames that led to it, and by its
visit to that place. (A number would not do: two runs differ by a few allocations.)

Only allocations made by the core, or from a Python frame of the package or of entries.py, can fail. The
library faults.c makes them fail; it is compiled here and preloaded into a separate process, so that a
crash is noticed.
"""

import argparse
import ctypes
import faulthandler
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .entries import Entry

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLACES = 2**16  # as in faults.c
DEEPEST = 10_000  # frames
CHILD = "CHAINRULE_FAULTS"  # set in the process that faults.c was preloaded into
Point = tuple[int, int]  # a place and the visit to it
NOWHERE = (0, 0)
SECONDS = 120  # time limit of an attempt; one that takes longer has hung


class Faults:
    """The functions of faults.c, in a process that it was preloaded into."""

    def __init__(self) -> None:
        import chainrule
        from chainrule.value import c_core

        from . import entries

        self.library = ctypes.PyDLL(None)
        self.library.faults_install.argtypes = [ctypes.c_void_p]
        self.library.faults_count_frames_of.argtypes = [ctypes.c_char_p]
        size = ctypes.c_size_t
        self.library.faults_arm.argtypes = [size, ctypes.c_long, ctypes.c_int, ctypes.c_int]
        self.library.faults_seen.restype = ctypes.c_long
        self.places = (size * PLACES)()
        self.visits = (ctypes.c_long * PLACES)()
        core = None if c_core is None else ctypes.CDLL(c_core.__file__).PyInit__core
        self.library.faults_install(ctypes.cast(core, ctypes.c_void_p) if core else None)
        for file in (Path(chainrule.__file__).parent, Path(entries.__file__)):
            if self.library.faults_count_frames_of(os.fsencode(file)):
                raise RuntimeError(f"the path {file} is too long for faults.c")

    def attempt(self, action: Any, point: Point, for_good: bool, frames: int) -> BaseException | None:
        """Call an action while the allocation at a point fails. Returns what the action raised."""
        raised: BaseException | None = None
        self.library.faults_arm(*point, for_good, frames)
        try:
            action()
        except BaseException as error:
            raised = error
        self.library.faults_disarm()
        return raised

    def seen(self) -> Counter[int]:
        """How often the last attempt visited each place."""
        count = self.library.faults_seen(self.places, self.visits)
        return Counter(dict(zip(self.places[:count], self.visits[:count], strict=True)))


def attack(entry: "Entry", faults: Faults, short: bool, for_good: bool) -> tuple[int, list[str]]:
    """Fail the allocations of an entry point one by one. Returns how many failed, and the problems."""
    prepare = entry.prepare()
    for _ in range(2):  # imports and caches are filled once per process, and are not tested
        action, check = prepare()
        action()
        check(False)
    made, problems, most = 0, [], Counter[int]()
    todo = [NOWHERE] * 3  # to find the places
    while todo:
        point = todo.pop()
        action, check = prepare()
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        raised = faults.attempt(action, point, for_good, 1 if short else DEEPEST)
        faulthandler.cancel_dump_traceback_later()
        seen = faults.seen()
        if point is NOWHERE:
            most |= seen
            if not todo:
                todo = [(place, visit) for place, last in most.items() for visit in visits(last, short)]
        else:
            made += seen[point[0]] >= point[1]
        try:
            if raised is not None and type(raised) is not MemoryError:
                raise raised
            check(raised is not None)
        except BaseException as error:
            where = "".join(traceback.format_exception(error))
            place = "" if raised is None else "".join(traceback.format_tb(raised.__traceback__))
            problems.append(f"{entry.name}:\n{where}\nthe allocation failed in\n{place}")
            prepare = entry.prepare()
    return made, problems


def visits(last: int, short: bool) -> Iterable[int]:
    """Which visits to a place are to fail."""
    return {1, last} if short else range(1, last + 1)


def run_here(names: list[str], short: bool, for_good: bool, at_most: int) -> None:
    """The campaign, in a process that faults.c was preloaded into."""
    from .entries import entries

    faults = Faults()
    unraisable: list[str] = []
    # Python calls this hook for a generator that it could not close because memory ran out: ignore that.
    sys.unraisablehook = lambda args: (
        None
        if args.exc_type is MemoryError
        else unraisable.append(f"{args.exc_value!r} in {args.object!r}\n")
    )
    # The interpreter calls this hook for errors that it cannot raise, such as in destroying a bytearray.
    sys.excepthook = lambda kind, error, trace: unraisable.append(f"{kind.__name__}: {error}\n")
    wrong = 0
    for entry in entries(*names):
        if entry.needs == "jax":  # what JAX does without memory is not tested here
            continue
        made, problems = attack(entry, faults, short, for_good)
        problems += unraisable
        unraisable.clear()
        print(f"{entry.name}: {made} allocations failed", flush=True)
        print("".join(problems[:at_most]), flush=True, end="")
        wrong += len(problems)
    raise SystemExit(f"{wrong} problems" if wrong else 0)


def library(folder: Path) -> Path:
    """Compile faults.c."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include = f"-I{sysconfig.get_paths()['include']}"
    made = folder / "faults.so"
    flags = ["-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", include]
    subprocess.run([*compiler, *flags, HERE / "faults.c", "-o", made, "-ldl"], check=True)
    return made


def main(*words: str) -> str:
    """Run the campaign with these arguments in a new process; raises if it found something."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"LD_PRELOAD": str(library(Path(folder))), "PYTHONFAULTHANDLER": "1", CHILD: "1"}
        command = [sys.executable, "-m", "tests.campaigns.allocations", *words]
        with subprocess.Popen(
            command,
            env={**os.environ, **environment},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as running:
            assert running.stdout is not None
            said = []
            for line in running.stdout:
                print(line, end="", flush=True)
                said.append(line)
    if running.returncode:
        raise SystemExit(f"the campaign ended with exit code {running.returncode}")
    return "".join(said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ENTRY")
    parser.add_argument("--short", action="store_true", help="the first and last at an instruction")
    parser.add_argument("--for-good", action="store_true", help="all later allocations fail too")
    parser.add_argument("--show", type=int, default=3, help="how many problems to show per entry")
    chosen = parser.parse_args()
    if CHILD in os.environ:
        run_here(chosen.names, chosen.short, chosen.for_good, chosen.show)
    else:
        main(*sys.argv[1:])
