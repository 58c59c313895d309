"""Ctrl-C at random instants: the kernel sends SIGINT while an entry point runs, including inside the C
core.

    python -m tests.campaigns.signals [--count 100000] [--seed 0] [ENTRY ...]

The signals are divided among the entry points. After each signal, the state must be the old one or the
new one.
"""

import argparse
import ctypes
import random
import signal
import time
from collections.abc import Callable
from typing import Any

from .entries import Entry, entries
from .interrupts import interrupts_in_del_ignored

CLOCK_MONOTONIC = 1


class Timer:
    """A POSIX timer that sends one SIGINT to this process."""

    class Event(ctypes.Structure):
        _fields_ = (("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("rest", ctypes.c_char * 52))

    class Setting(ctypes.Structure):
        _fields_ = tuple((name, ctypes.c_long) for name in ("again", "again_ns", "seconds", "ns"))

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)
        self.timer = ctypes.c_void_p()
        event = self.Event(signal=signal.SIGINT)
        if self.library.timer_create(CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(self.timer)):
            raise OSError(ctypes.get_errno(), "timer_create failed")

    def set(self, seconds: float) -> None:
        """Send the signal after this time; 0 cancels it."""
        whole = int(seconds)
        setting = self.Setting(0, 0, whole, int((seconds - whole) * 1e9))
        if self.library.timer_settime(self.timer, 0, ctypes.byref(setting), None):
            raise OSError(ctypes.get_errno(), "timer_settime failed")

    def shoot(self, action: Callable[[], Any], after: float) -> bool:
        """Run an action, with SIGINT after some time. Returns whether it raised KeyboardInterrupt."""
        returned = False
        try:
            self.set(after)
            action()
            returned = True
            self.set(0)
            for _ in range(3):  # Python handles a pending signal when a loop jumps back
                pass
        except KeyboardInterrupt:
            return not returned
        return False


def attack(entry: Entry, count: int, rng: random.Random) -> int:
    """Interrupt an entry point this many times. Returns how often it raised KeyboardInterrupt."""
    timer, hits = Timer(), 0
    with entry.set_up(), interrupts_in_del_ignored():
        prepare = entry.prepare()
        needed = []
        for _ in range(4):
            action, check = prepare()
            start = time.perf_counter()
            action()
            needed.append(time.perf_counter() - start)
            check(False)
        for i in range(count):
            action, check = prepare()
            after = max(1e-9, rng.uniform(0.0, 1.1 * min(needed)))
            came = timer.shoot(action, after)
            hits += came
            try:
                check(came)
            except BaseException as error:
                error.add_note(f"{entry.name}, try {i}, SIGINT after {after * 1e6:.1f} µs")
                raise
    return hits


def main(names: list[str], count: int, seed: int) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen, hits, made = entries(*names), 0, 0
    try:
        for entry in chosen:
            tries = max(1, count // len(chosen) // entry.cost)
            found = attack(entry, tries, random.Random(f"{seed} {entry.name}"))
            print(f"{entry.name}: {tries:,} signals, {found:,} raised KeyboardInterrupt", flush=True)
            hits, made = hits + found, made + tries
    finally:
        signal.signal(signal.SIGINT, before)
    print(f"{made:,} signals, {hits:,} raised KeyboardInterrupt; nothing was left half done")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="ENTRY")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.names, given.count, given.seed)
