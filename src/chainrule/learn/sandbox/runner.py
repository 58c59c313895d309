"""Runs a learner's program under a judge, and limits its time and output.

`starting.py` starts the judge. `judge.py` runs the checker and decides, in a separate process;
`child.py` is the learner's process, isolated by `isolation.py`. learn/README.md states the guarantees.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from . import starting
from .starting import Judge

SECONDS, MEGABYTES, CHARACTERS = 10.0, 1024, 20_000
FLOOD = 5_000_000  # characters of output after which a program is stopped
WRITTEN, FILES = 200 * 2**20, 10_000  # bytes and files in a program's folder after which it is stopped
STARTING = 30.0  # seconds for Python to start, not counted
GRACE = 2.0  # seconds for the judge to end what it started
LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


@dataclass(frozen=True)
class Limits:
    """The resources that a program may use."""

    seconds: float = SECONDS
    megabytes: int = MEGABYTES
    characters: int = CHARACTERS  # of output that are kept


USUAL = Limits()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: `passed`, `failed`, or why it was stopped."""

    kind: str  # passed, failed, error, checker, time, memory, output, files, exit, crash, stopped
    message: str = ""
    printed: str = ""
    seconds: float = 0.0
    parts: dict[str, str] = field(default_factory=dict)  # of a failed check: what, inputs, expected, ...

    @property
    def passed(self) -> bool:
        return self.kind == "passed"


def run(
    job: dict[str, Any], folder: Path, limits: Limits = USUAL, stopped: Callable[[], bool] = bool
) -> Outcome:
    """Run a job of `judge.py` in a new process; `stopped` is polled to end it early.

    The process can write only in `folder`. If the job's `file` is a copy, `called` is the name that the
    learner knows.
    """
    if not hasattr(os, "fork"):
        return Outcome("error", "programs can run only on Linux and macOS; on Windows, use WSL")
    start = time.monotonic()
    job = {**job, "folder": str(folder.absolute()), **asdict(limits)}
    read, write = os.pipe()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as trace:
        stdin, to_judge = os.pipe()
        try:
            judge = starting.start(stdin, write, trace.fileno())
        finally:
            os.close(stdin)
            os.close(write)
        try:
            _send(to_judge, json.dumps(job).encode())
            why, printed = _watch(judge, read, folder, limits, stopped)
        finally:
            code = _end(judge)
            with os.fdopen(read, "rb") as pipe:
                result = pipe.read(10 * CHARACTERS)
        seconds = time.monotonic() - start
        trace.seek(0)
        found = _outcome(result, why, code, printed, trace.read(CHARACTERS), job, seconds)
        return _with_own_name(found, job)


def _send(pipe: int, job: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
        file.write(job)


def _watch(
    judge: Judge, result: int, folder: Path, limits: Limits, stopped: Callable[[], bool]
) -> tuple[str, str]:
    """Read the output until the program ends or must be stopped; returns why, and the text.

    The program's time starts with the first byte of the result, because Python may start slowly.
    """
    kept, total = bytearray(), 0
    looked = time.monotonic()
    end = looked + STARTING + limits.seconds
    with selectors.DefaultSelector() as selector:
        selector.register(judge.printed, selectors.EVENT_READ)
        selector.register(result, selectors.EVENT_READ)
        while True:
            if time.monotonic() > end:
                return "time", _text(kept, total, limits)
            if stopped():
                return "stopped", _text(kept, total, limits)
            ready = {key.fd for key, _ in selector.select(0.05)}
            if result in ready:
                os.read(result, 1)
                selector.unregister(result)
                end = time.monotonic() + limits.seconds
            if judge.printed in ready:
                chunk = os.read(judge.printed, 65536)
                if not chunk:
                    break
                kept += chunk[: max(0, limits.characters - len(kept))]
                total += len(chunk)
            if total > FLOOD:
                return "output", _text(kept, total, limits)
            if time.monotonic() > looked + 0.25:
                looked = time.monotonic()
                if _overfull(folder):
                    return "files", _text(kept, total, limits)
    why = "" if judge.ended(max(0.1, end - time.monotonic())) else "time"
    return why, _text(kept, total, limits)


def _overfull(folder: Path) -> bool:
    """Whether a folder exceeds the write limits; it may change during the check."""
    count = size = 0
    for place, _, files in os.walk(folder):
        count += 1 + len(files)
        for name in files:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_blocks * 512
        if count > FILES or size > WRITTEN:
            return True
    return False


def _text(kept: bytearray, total: int, limits: Limits) -> str:
    more = total - limits.characters
    return kept.decode("utf-8", "replace") + (f"\n... and {more:,} more bytes" if more > 0 else "")


def _end(judge: Judge) -> int:
    """End the judge, which ends its children, then the rest of its process group."""
    judge.ask(starting.END)
    judge.ended(GRACE)
    judge.ask(starting.KILL)
    judge.ended()
    judge.close()
    assert judge.code is not None
    return judge.code


def _outcome(
    result: bytes, why: str, code: int, printed: str, trace: str, job: dict[str, Any], seconds: float
) -> Outcome:
    if not why and result:
        try:
            found = json.loads(result)
            message = str(found["message"]).encode("utf-8", "replace").decode()  # no lone surrogates
            parts = {str(name): str(text) for name, text in found["parts"].items()}
            if found["kind"] != "gone":
                return Outcome(str(found["kind"]), message, printed, seconds, parts)
            code = int(found["code"])
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
    place = _last_line(trace, str(job.get("file", "")))
    if not why and code == -signal.SIGXCPU:
        why = "time"
    crashed = f"Python crashed (signal {-code}){place}"
    messages = {
        "time": f"it did not end within {job['seconds']:g} s{place}: is there a loop that never ends?",
        "stopped": "it was stopped",
        "output": f"it printed more than {FLOOD:,} characters: is there a print in a loop?",
        "files": f"it wrote more than {WRITTEN >> 20} MB or {FILES:,} files: is there a loop?",
        "": crashed if code < 0 else "it ended Python before the program was finished",
    }
    kind = why or ("crash" if code < 0 else "exit")
    return Outcome(kind, messages[why], printed, seconds)


def _with_own_name(outcome: Outcome, job: dict[str, Any]) -> Outcome:
    """Replace the temporary path with the learner's file name, in tracebacks too."""
    file = str(job["file"])
    name = str(job.get("called", os.path.basename(file)))

    def renamed(text: str) -> str:
        return text.replace(os.path.realpath(file), name).replace(file, name)

    return replace(
        outcome,
        message=renamed(outcome.message),
        printed=renamed(outcome.printed),
        parts={part: renamed(text) for part, text in outcome.parts.items()},
    )


def _last_line(trace: str, file: str) -> str:
    """The learner's line from faulthandler's output, which lists the innermost first."""
    for match in LINE.finditer(trace):
        if file and os.path.basename(match["file"]) == os.path.basename(file):
            return f", at line {match['line']}"
    return ""
