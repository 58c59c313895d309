"""Starts judges: asks the fork server (`forking.py`) for one, and starts that server if needed.

The server is restarted when the environment changes, because judges inherit the environment that it was
started with.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import selectors
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

FORKING = ("-m", "chainrule.learn.sandbox.forking")
END, KILL = b"e", b"k"  # as in forking.py, which is not imported here: it imports the judge
NEEDED = re.compile(
    r"(PATH|LANG|LC_.*|TZ|LD_LIBRARY_PATH|VIRTUAL_ENV|PYTHON.*|CHAINRULE_(CORE|EXERCISES))$"
)


def environment() -> dict[str, str]:
    """The environment variables of a judge.

    They make the judge import this copy of chainrule, and limit linear algebra to one thread, because
    every thread reserves memory.

    Other variables may hold keys and passwords, so only those that Python and libraries need are passed.
    """
    root = str(Path(__file__).resolve().parents[3])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    # Absolute paths: relative or empty ones would change meaning in another folder.
    path = os.pathsep.join([root, *(os.path.abspath(p) for p in given if p)])
    keep = {
        **{name: value for name, value in os.environ.items() if NEEDED.match(name)},
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONUNBUFFERED": "1",  # so that output before an endless loop is shown
        "PYTHONBREAKPOINT": "0",  # ignores breakpoint() left in the file
        "HOME": os.devnull,  # hides the user's site-packages; each judge then sets a HOME of its own
    }
    return keep | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Judge:
    """A running judge: its output, and how to end it."""

    def __init__(self, connection: socket.socket, printed: int, parent: Parent) -> None:
        self.connection = connection
        self.printed = printed
        self.parent = parent
        self.code: int | None = None

    def ask(self, word: bytes) -> None:
        """Ask the parent to END the judge after its children, or to KILL its process group."""
        with contextlib.suppress(OSError):  # it has ended
            self.connection.send(word)

    def ended(self, seconds: float | None = None) -> bool:
        """Whether the judge ends in this time; if so, `code` is its exit code, negative for a signal."""
        end = None if seconds is None else time.monotonic() + seconds
        said = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            while self.code is None:
                if not selector.select(end and max(0.0, end - time.monotonic())):
                    return False
                with contextlib.suppress(ConnectionError):
                    said = self.connection.recv(16)
                self.code = int(said or b"-9")  # empty: the parent was killed, and the judge with it
        return True

    def close(self) -> None:
        os.close(self.printed)
        self.connection.close()
        self.parent.release()


class Parent:
    """The fork server for one environment; once retired, it ends with its last run."""

    def __init__(self, key: tuple[object, ...], variables: dict[str, str]) -> None:
        self.key = key
        self.users: int = 0
        self.retired: bool = False
        self.asking, there = socket.socketpair()
        with there:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                # -P: import nothing from the current folder
                [sys.executable, "-P", *FORKING, str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=os.sep,
                env=variables,
                pass_fds=(there.fileno(),),
                start_new_session=True,  # Ctrl-C must not reach it
            )

    def fork(self, files: list[int]) -> None:
        """Hand over the files of a run; OSError if the process is gone."""
        socket.send_fds(self.asking, [b"f"], files)

    def release(self) -> None:
        with _lock:
            self.users -= 1
            if self.retired and not self.users:
                self.close()

    def retire(self) -> None:
        """Start no more judges with this server; close it now, or when its current runs have ended."""
        self.retired = True
        if not self.users:
            self.close()

    def close(self) -> None:
        self.asking.close()
        self.process.wait()

    def disown(self) -> None:
        """Close this process's copy of the connection, which would keep the other process running."""
        self.asking.close()
        self.process.returncode = 0  # it is not a child of this process


_lock = threading.RLock()
_parents: list[Parent] = []  # at most one


def _start_afresh() -> None:
    """A forked child starts a Parent of its own; the thread that held the lock does not exist there."""
    global _lock
    _lock = threading.RLock()
    while _parents:
        _parents.pop().disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


def _parent() -> Parent:
    variables = environment()
    key = (FORKING, variables)
    if not _parents or _parents[0].key != key:
        _forget()
        _parents.append(Parent(key, variables))
    return _parents[0]


def _forget() -> None:
    while _parents:
        _parents.pop().retire()


atexit.register(_forget)


def start(stdin: int, result: int, trace: int) -> Judge:
    """Start a judge that reads its job from `stdin`; the caller closes these files."""
    connection, there = socket.socketpair()
    printed, stdout = os.pipe()
    with _lock:
        try:
            parent = _parent()
            files = [there.fileno(), stdin, stdout, result, trace]
            try:
                parent.fork(files)
            except OSError:  # it was killed
                _forget()
                parent = _parent()
                parent.fork(files)
            parent.users += 1
        finally:
            there.close()
            os.close(stdout)
    return Judge(connection, printed, parent)
