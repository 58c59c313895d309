"""Runs the C compiler on one text: with a time limit, at low priority, and so that it can be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import threading
from pathlib import Path

from .cache import ZIG, Folder
from .cc import Compiler, instruction_set

TIME_LIMIT = 60.0  # seconds for one kernel
NICENESS = 5  # the interpreter is computing at the same time, and is more urgent
LONGEST_OUTPUT = 65536  # bytes of messages; a compiler that writes more is cut off
LONGEST_ERROR = 200  # characters


class CannotBuildError(Exception):
    """Why a kernel cannot be built, in one line."""


class Running:
    """The compiler that this process runs, one at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.closed = False  # whether no compiler may be started any more

    def compile(self, source: str, compiler: Compiler, place: Folder, work: Path) -> Path:
        """Compile a text in an empty folder; returns the library."""
        (work / "kernel.c").write_text(source, encoding="utf-8")
        flags = compiler.flags(instruction_set())
        command = [*compiler.command, *flags, "-o", "kernel.so", "kernel.c", "-lm"]
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(work)}
        environment |= {"ZIG_LOCAL_CACHE_DIR": str(work), "ZIG_GLOBAL_CACHE_DIR": str(place.path / ZIG)}
        name = " ".join([Path(compiler.command[0]).name, *compiler.command[1:]])
        status, said = self.run(name, command, environment, work)
        if status != 0:
            raise CannotBuildError(f"{name} failed: {reason(said, status)}")
        library = work / "kernel.so"
        if not library.is_file():
            raise CannotBuildError(f"{name} wrote no library")
        if not is_whole(library.read_bytes()):
            raise CannotBuildError(f"{name} wrote only a part of the library")
        return library

    def run(
        self, name: str, command: list[str], environment: dict[str, str], work: Path
    ) -> tuple[int, str]:
        """The exit status of a command and its messages."""
        with self.lock:
            if self.closed:
                raise CannotBuildError("the interpreter is shutting down")
            process = self.process = subprocess.Popen(
                command,
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in a terminal does not reach it
            )
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):  # already gone
                os.setpriority(os.PRIO_PGRP, process.pid, NICENESS)
        late = threading.Event()

        def stop() -> None:
            late.set()
            kill(process)

        timer = threading.Timer(TIME_LIMIT, stop)
        timer.daemon = True
        timer.start()
        try:
            assert process.stderr is not None
            said = process.stderr.read(LONGEST_OUTPUT)
            process.stderr.close()
            process.wait()
        finally:
            timer.cancel()
            kill(process)
            self.process = None
        if late.is_set():
            raise CannotBuildError(f"{name} took longer than {TIME_LIMIT:g} s")
        return process.returncode, said.decode(errors="replace")

    def close(self) -> None:
        """Kill the compiler, and start no other."""
        with self.lock:
            self.closed = True
            process = self.process
        if process is not None:
            kill(process)


def is_whole(library: bytes) -> bool:
    """Whether an ELF file has all its sections: loading a part of one can end the process."""
    if not library.startswith(b"\x7fELF\x02\x01"):  # 64 bits, little-endian; others fail to load
        return True
    if len(library) < 64:
        return False
    (start,) = struct.unpack_from("<Q", library, 40)
    size, count = struct.unpack_from("<HH", library, 58)
    return bool(start + size * count <= len(library))


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a compiler that has not been waited for, and what it started.

    Until it has been waited for, no other process can have its number.
    """
    if process.returncode is None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def reason(said: str, status: int) -> str:
    """Why a compiler failed: its first message about an error."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines
    if errors:
        return errors[0]
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def one_line(error: BaseException) -> str:
    """An exception as one short line."""
    text = str(error) if isinstance(error, CannotBuildError) else f"{type(error).__name__}: {error}"
    shown = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())[:LONGEST_ERROR]
