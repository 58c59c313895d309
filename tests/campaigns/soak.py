"""Soak: entry points and a studio's jobs, again and again; memory, threads and open files stay flat.

    python -m tests.campaigns.soak [--minutes 60] [--seed 0] [ENTRY ...]

A round runs every entry point and every kind of job. The caches are full after the first third of the
time. From then on, memory may grow by at most SLACK plus one byte per action. Every block that malloc
allocates is counted, so a leak of 8 bytes per action is found.
"""

import argparse
import ctypes
import gc
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from . import entries as registry
from .entries import entries

# Count each object, and let all threads allocate from the one arena that mallinfo2 reports.
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
SLACK = 2_000_000  # bytes that may come and go: buffers, tables that grow in steps, limited caches
PER_ACTION = 1.0  # bytes; the smallest block that malloc gives out takes 32
QUICK, TIMES = 1e-3, 100  # an action that takes less is repeated


class Blocks(ctypes.Structure):
    """The result of mallinfo2."""

    _fields_ = tuple((f"field{i}", ctypes.c_size_t) for i in range(10))

    @property
    def used(self) -> int:
        """The bytes given out: in blocks of the heap (uordblks), and in pages of their own (hblkhd)."""
        return int(self.field7 + self.field4)


@dataclass(frozen=True)
class Used:
    """The memory, threads and open files that the process holds."""

    memory: int
    threads: int
    files: int

    @classmethod
    def now(cls) -> "Used":
        gc.collect()
        library = ctypes.CDLL(None)
        library.mallinfo2.restype = Blocks
        blocks = library.mallinfo2()
        files = len(os.listdir("/proc/self/fd"))
        return cls(blocks.used, threading.active_count(), files)

    def growth(self, then: "Used", actions: int, slack: int) -> str:
        """Describe what has grown beyond its limit since `then`; '' if nothing has."""
        memory = self.memory - then.memory
        if memory > slack + PER_ACTION * actions:
            return f"memory grew by {memory:,} bytes in {actions:,} actions"
        if self.threads > then.threads or self.files > then.files:
            return (
                f"{then.threads} threads and {then.files} files became {self.threads} and {self.files}"
            )
        return ""


def actions(*names: str) -> list[Callable[[], int]]:
    """Wrap each entry point in a function that calls it one or more times and returns the number of
    calls.
    """

    def several(prepare: registry.Prepare) -> Callable[[], int]:
        def run() -> int:
            start, made = time.perf_counter(), 0
            while made < TIMES:
                action, check = prepare()
                action()
                check(False)
                made += 1
                if time.perf_counter() - start > QUICK * TIMES:
                    break
            return made

        return run

    return [several(entry.prepare()) for entry in entries(*names) if entry.needs != "jax"]


def jobs(stack: ExitStack) -> list[Callable[[], int]]:
    """What a studio does for a user: a picture, a program, a checked exercise, a training run."""
    from ..studio.client import entered

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="chainrule-campaign-"))
    studio = stack.enter_context(entered(Path(folder)))

    def post(path: str, body: Any) -> Any:
        answer = studio.post(path, body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def picture() -> int:
        post("/api/picture", {"expression": "tanh(a*b + a**2)", "values": {"a": 2.0, "b": -3.0}})
        return 1

    def exercise() -> int:
        work = studio.request("GET", "/api/work/write_mul").json()
        asked = {"program": "soak", "exercise": "write_mul", "text": "x = 1", "version": work["version"]}
        found = post("/api/check-exercise", asked)
        assert found["outcome"]["kind"] == "failed", found
        return 1

    def training() -> int:
        with studio.socket() as client:
            client.begin()
            for _ in range(3):
                client.frame()
        return 1

    return [picture, exercise, training]


def settle(kept: set[Path]) -> None:
    """Wait until the threads of the last jobs have ended; remove the entry points' files, except
    these.
    """
    end = time.monotonic() + 10.0
    while any(each.name == "chainrule-run" for each in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.01)
    for path in {*Path(registry.scratch()).iterdir()} - kept:
        shutil.rmtree(path)


def soak(
    works: list[Callable[[], int]], seconds: float, rng: random.Random, slack: int = SLACK
) -> tuple[int, int]:
    """Work for this time. Returns the numbers of rounds and actions; raises if anything grew."""
    begin, rounds, made = time.monotonic(), 0, 0
    then: Used | None = None
    kept = {*Path(registry.scratch()).iterdir()}  # those that all tries share
    with tqdm(total=round(seconds), unit=" s", mininterval=10, disable=seconds < 60) as progress:
        while time.monotonic() < begin + seconds or rounds < 6:
            for work in rng.sample(works, len(works)):
                made += work()
            rounds += 1
            progress.update(round(time.monotonic() - begin) - progress.n)
            if then is None and rounds >= 2 and time.monotonic() > begin + seconds / 3:
                settle(kept)
                then, before = Used.now(), made
    settle(kept)
    now = Used.now()
    assert then is not None
    if grew := now.growth(then, made - before, slack):
        raise SystemExit(grew)
    per = (now.memory - then.memory) / (made - before)
    print(f"{rounds:,} rounds, {made:,} actions; {per:+.2f} bytes an action, {now.threads} threads")
    return rounds, made


def main(names: list[str], minutes: float, seed: int) -> None:
    with ExitStack() as stack:
        works = actions(*names) + ([] if names else jobs(stack))
        soak(works, 60.0 * minutes, random.Random(seed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="ENTRY")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if any(os.environ.get(name) != text for name, text in ENVIRONMENT.items()):
        words = [sys.executable, "-m", "tests.campaigns.soak", *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, **ENVIRONMENT})
    main(given.names, given.minutes, given.seed)
