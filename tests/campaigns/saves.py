"""Killed saves and full disks: a file has its old content or its new one, and nothing is left beside it.

    python -m tests.campaigns.saves [--kills 1000] [--seed 0] [ENTRY ...]

Every entry point that writes a file runs in a child process, which is killed at a random instant, or may
write only so many bytes, or writes to a file system that is full.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from . import entries as registry
from .entries import Entry

ROOT = Path(__file__).resolve().parents[2]
PAGE = os.sysconf("SC_PAGE_SIZE")
SMALL = 64  # the size of the small file system, in pages
DONE, REFUSED, WRONG = range(3)  # exit codes of a child


def in_child(action: Callable[[], Any], seconds: float | None = None) -> int:
    """Run an action in a forked process, and kill it after this time. Returns its exit code."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = WRONG
        try:
            action()
            code = DONE
        except OSError as error:
            code = REFUSED if "\n" not in str(error) else WRONG
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def leftovers() -> list[Path]:
    return list(Path(registry.scratch()).rglob("*.part"))


def kill(entry: Entry, count: int, rng: random.Random) -> int:
    """Run an entry point this many times and kill each run at a random instant. Returns how many had not
    ended.
    """
    prepare = entry.prepare()
    action, check = prepare()
    start = time.perf_counter()
    assert in_child(action) == DONE
    needed, hits = time.perf_counter() - start, 0
    check(False)
    for i in range(count):
        action, check = prepare()
        after = rng.uniform(0.0, 1.2 * needed)
        code = in_child(action, after)
        try:
            assert code in (DONE, -signal.SIGKILL)
            check(code != DONE)  # the next save also removes what this one left
        except BaseException as error:
            error.add_note(f"{entry.name}, try {i}, killed after {after * 1e6:.0f} µs")
            raise
        hits += code != DONE
    return hits


def refuse(entry: Entry, limits: list[int], limit: Callable[[int], Any]) -> int:
    """Run an entry point with room for each of these sizes. Returns how many writes failed."""
    prepare, refused = entry.prepare(), 0
    for size in limits:
        action, check = prepare()
        before = limit(size) if size >= 0 else None
        try:
            code = in_child(action)
        finally:
            if callable(before):
                before()
        try:
            assert code in (DONE, REFUSED)
            assert leftovers() == []
            check(code != DONE)
        except BaseException as error:
            error.add_note(f"{entry.name}, with room for {size} bytes")
            raise
        refused += code == REFUSED
    return refused


def limit_files(size: int) -> Callable[[], None]:
    """Limit the size of all files. Returns a function that lifts the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    return partial(resource.setrlimit, resource.RLIMIT_FSIZE, (hard, hard))


def fill(size: int) -> Callable[[], None]:
    """Fill the scratch folder's file system except for this much. Returns a function that removes the
    filler.
    """
    filler = Path(registry.scratch()) / "filler"
    free = os.statvfs(filler.parent)
    filler.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - size)))
    return filler.unlink


def writers(*names: str) -> list[Entry]:
    return [entry for entry in registry.entries(*names) if entry.writes]


def own_mounts(*command: str) -> list[str]:
    """Wrap a command so that it runs in a mount namespace of its own."""
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), *command]


def on_a_small_disk(*names: str) -> str:
    """Run the full-disk part of the campaign, in a process with a small file system of its own."""
    with tempfile.TemporaryDirectory() as folder:
        mount = f'mount -t tmpfs -o size={SMALL * PAGE} none "{folder}" && exec "$@"'
        words = [sys.executable, "-m", "tests.campaigns.saves", "--full", *names]
        return subprocess.run(
            own_mounts("sh", "-c", mount, "sh", *words),
            env={**os.environ, "TMPDIR": folder},
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout


def main(names: list[str], kills: int, seed: int) -> None:
    chosen = writers(*names)
    for entry in chosen:
        hits = kill(entry, kills // len(chosen), random.Random(f"{seed} {entry.name}"))
        sizes = [*range(0, 2000, 97), *range(2000, 20000, 1999)]
        refused = refuse(entry, sizes, limit_files)
        print(f"{entry.name}: {hits} of {kills // len(chosen)} kills hit it, {refused} writes failed")
    print(on_a_small_disk(*names), end="")


def main_on_a_full_disk(names: list[str]) -> None:
    for entry in writers(*names):
        refused = refuse(entry, [pages * PAGE for pages in range(12)], fill)
        assert refused, f"{entry.name} never ran out of space"
        print(f"{entry.name}: the disk was full {refused} times")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="ENTRY")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--full", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.full:
        main_on_a_full_disk(given.names)
    else:
        main(given.names, given.kills, given.seed)
