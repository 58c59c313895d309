"""Ctrl-C at every instruction: an action runs many times, interrupted at a different point each time.

    python -m tests.campaigns.interrupts [ENTRY ...]

An instruction is an offset in a code object of the package, of contextlib, or of the test itself. Each
is interrupted at its first and at its last execution. Python handles signals at only some of these
points, so all points where a real Ctrl-C takes effect are covered.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import chainrule

from . import entries as registry
from .entries import Entry, Prepare, entries

PACKAGE = str(Path(chainrule.__file__).parent)
PLACES = (PACKAGE, contextlib.__file__)  # contextlib runs between entering a block and its first line
Place = tuple[CodeType, int]


@contextlib.contextmanager
def interrupts_in_del_ignored() -> Iterator[None]:
    """Do not print an interrupt inside __del__; Python always ignores one."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda args: None if args.exc_type is KeyboardInterrupt else hook(args)
    try:
        yield
    finally:
        sys.unraisablehook = hook


@contextlib.contextmanager
def traced(
    look: Callable[[Place], None], own: str = PACKAGE, only: CodeType | None = None
) -> Iterator[None]:
    """Call `look` before each instruction of PLACES and of the file `own`, or of `only`."""

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            look((frame.f_code, frame.f_lasti))
        return local

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code is not only if only else not code.co_filename.startswith((*PLACES, own)):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return local

    before = sys.gettrace()
    with interrupts_in_del_ignored():
        sys.settrace(enter)
        try:
            yield
        finally:
            sys.settrace(before)


def visits(action: Callable[[], Any], own: str = PACKAGE) -> Counter[Place]:
    """Count how often an action executes each instruction."""
    found: Counter[Place] = Counter()
    with traced(lambda place: found.update((place,)), own):
        action()
    return found


def interrupt(action: Callable[[], Any], place: Place, visit: int) -> bool:
    """Raise KeyboardInterrupt at the given visit to an instruction; returns whether it propagated."""
    left = visit

    def look(now: Place) -> None:
        nonlocal left
        if now == place:
            left -= 1
            if not left:
                raise KeyboardInterrupt

    try:
        with traced(look, only=place[0]):  # to trace everything would take most of the time
            action()
    except KeyboardInterrupt:
        return True
    return False


def check_interrupts(prepare: Prepare, stride: int = 1, first: int = 0, own: str = PACKAGE) -> int:
    """Interrupt at every `stride`-th point and run the check; returns the number of points.

    `own` is a file whose functions are interrupted too.
    """
    action, _ = prepare()
    action()  # work that is done once per process, such as imports, is not to be interrupted
    action, _ = prepare()
    counted = visits(action, own)
    points = sorted(
        {(place, visit) for place, last in counted.items() for visit in (1, last)},
        key=lambda point: (point[0][0].co_filename, point[0][0].co_firstlineno, point[0][1], point[1]),
    )
    chosen = points[first::stride]
    for place, visit in chosen:
        action, check = prepare()
        came = interrupt(action, place, visit)
        try:
            check(came)
        except BaseException as error:
            code, offset = place
            line = next((n for start, end, n in code.co_lines() if start <= offset < end), None)
            error.add_note(
                f"interrupted in {code.co_qualname}, {code.co_filename}:{line}, offset {offset}, "
                f"visit {visit}"
            )
            raise
    return len(chosen)


def attack(entry: Entry, at_most: int | None = None, own: str | None = None) -> tuple[int, int]:
    """Interrupt an entry point everywhere, or at about `at_most` points. Returns the numbers of
    interrupts made and of instructions.
    """
    own = own or FILE
    with entry.set_up():
        prepare = entry.prepare()
        action, _ = prepare()
        instructions = len(visits(action, own))
        stride = entry.cost if at_most is None else 1 + 2 * instructions * entry.cost // at_most
        return check_interrupts(prepare, stride, own=own), instructions


FILE = registry.__file__  # its functions are interrupted too

if __name__ == "__main__":
    for chosen in entries(*sys.argv[1:]):
        interrupts, _ = attack(chosen)
        print(f"{chosen.name}: {interrupts} interrupts", flush=True)
