"""The process that runs the learner's code: its limits, its guard, and its answers to the judge.

`judge.py` forks it, asks it to load a file, and forwards the checker's operations on it. Printed text
goes to standard output. Nothing is decided here: the learner's code could overwrite all of this in
memory, and would still have to send the right answers.
"""

from __future__ import annotations

import _posixsubprocess
import contextlib
import errno
import faulthandler
import importlib.util
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from ..checking import EXPLAINED
from . import isolation
from .link import EndedError, Link

# Events of sys.addaudithook that no exercise needs.
FORBIDDEN = {
    event: what
    for what, events in {
        "start a program": "os.system subprocess.Popen os.exec os.posix_spawn os.spawn os.startfile",
        "start a process": "os.fork os.forkpty",
        "end other processes": "os.killpg",
        "change the mode of a file": "os.chflags os.chmod",
        "change the owner of a file": "os.chown",
        "change the times of a file": "os.utime",
        "change the attributes of a file": "os.setxattr os.removexattr",
        "use the network": "socket.__new__ socket.connect socket.bind socket.sendto socket.sendmsg "
        "socket.getaddrinfo socket.gethostbyname",
    }.items()
    for event in events.split()
}
# The positions of the changed paths among an event's arguments, each with its dir_fd, if any.
CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.link": ((0, 2), (1, 3)),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "shutil.move": ((0, None), (1, None)),
    "shutil.rmtree": ((0, 1),),
}
# Functions without an audit event; multiprocessing uses the last.
SILENT = ((os, "mkfifo"), (os, "mknod"), (_posixsubprocess, "fork_exec"))
DEEPEST = 100  # nested folders; a tree thousands deep could not be deleted
LONGEST = 4_000  # maximum length of a message
MOST = 3  # paths listed in a note
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Explains the kernel's errors, which say only that something was not permitted.
WALLED = "code in an exercise may use only its own folder, not the network or other processes"
WHERE = signal.SIGUSR1  # asks for the current line when its time is up


class RefusedError(PermissionError):
    """The code tried to do something that no exercise needs."""


class UnprotectedError(Exception):
    """A protection that this system supports could not be activated."""


class EarlierBlockError(Exception):
    """An earlier block of the lesson failed."""


def guard(inside: str, hidden: Sequence[str]) -> list[str]:
    """Deny writing outside the folder, starting programs, the network, and reading solutions.

    Returns a list that collects the paths of denied writes, because code may swallow the exception.
    """
    secret = [os.path.realpath(path) for path in hidden]
    outside: list[str] = []
    deepest = inside.count(os.sep) + DEEPEST

    def allowed(path: Any, dir_fd: int | None = None) -> bool:
        place = os.path.realpath(os.path.join(_opened(dir_fd), _opened(path)))
        if place.count(os.sep) > deepest:
            raise RefusedError(f"code in an exercise may not nest folders {DEEPEST} deep")
        return place == os.devnull or place == inside or place.startswith(inside + os.sep)

    def kept_from_readers(path: Any) -> bool:
        place = os.path.realpath(_opened(path))
        return any(place == each or place.startswith(each + os.sep) for each in secret)

    def refuse(what: str, path: Any) -> None:
        text = os.fsdecode(path) if not isinstance(path, int) else _opened(path)
        if text not in outside and len(outside) < MOST:
            outside.append(text[: LONGEST // 8])
        raise RefusedError(f"code in an exercise may {what} its own folder only, not {text}")

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in FORBIDDEN:
            raise RefusedError(f"code in an exercise may not {FORBIDDEN[event]}: remove this call")
        if event == "open":
            path, mode, flags = args
            writes = any(letter in (mode or "") for letter in "wax+")
            writes = writes or bool(mode is None and flags & WRITING)
            # Open files were checked when they were opened.
            if isinstance(path, int):
                return
            if writes and not allowed(path):
                refuse("write in", path)
            if kept_from_readers(path):
                raise RefusedError("code in an exercise may not read exercises or their solutions")
        elif event == "sqlite3.connect":
            if (path := _database(args[0])) and not allowed(path):
                refuse("write in", path)
        elif event == "os.kill" and args[0] != os.getpid():
            raise RefusedError("code in an exercise may not end other processes: remove this call")
        else:
            for at, fd in CHANGES.get(event, ()):
                if not allowed(args[at], args[fd] if fd is not None and fd < len(args) else None):
                    refuse("change", args[at])

    def refused(*arguments: Any, **named: Any) -> None:
        raise RefusedError(
            "code in an exercise may not create pipes, devices or processes: remove this call"
        )

    for module, name in SILENT:
        if hasattr(module, name):
            setattr(module, name, refused)
    sys.addaudithook(hook)
    return outside


def _opened(path: Any) -> str:
    """The path that an argument or file descriptor names; if it has none, one that is always denied."""
    if path is None or path == -1:
        return ""
    if isinstance(path, int):
        try:
            return os.readlink(f"/proc/self/fd/{path}")
        except OSError:
            return os.sep
    return os.fsdecode(path)


def _database(name: Any) -> str:
    """The file of an SQLite database; "" if it is in memory."""
    text = os.fsdecode(name)
    if text.startswith("file:"):
        address = urlsplit(text)
        text = "" if "mode=memory" in address.query else unquote(address.path)
    return "" if text == ":memory:" else text


def load(path: Path, name: str, before: Sequence[tuple[str, bool]] = ()) -> ModuleType:
    """Load a file as a module, after running earlier blocks in its namespace."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    for number, (text, raises) in enumerate(before, 1):
        prepare(module, number, text, raises)
    spec.loader.exec_module(module)
    return module


def prepare(module: ModuleType, number: int, text: str, raises: bool) -> None:
    """Run an earlier block and discard its output. It may raise only if it is meant to."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, f"block {number}", "exec"), module.__dict__)
    except Exception as error:
        if not raises:
            what = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise EarlierBlockError(f"block {number} of this lesson raises {what}") from None


def described(error: BaseException, file: Path) -> str:
    """An exception with its line in the learner's file."""
    text = "".join(traceback.format_exception_only(error)).strip().removeprefix(f"{__name__}.")
    if isinstance(error, EarlierBlockError):
        return str(error)
    if isinstance(error, SyntaxError):
        return text
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(file)]
    text = EXPLAINED.get(type(error), text)
    if isinstance(error, OSError) and error.errno in (errno.EPERM, errno.EACCES):
        text = f"{text} ({WALLED})"
    return f"{text}, at line {lines[-1]}" if lines else text


class Echo(io.StringIO):
    """Prints text, and keeps a copy up to a limit."""

    def __init__(self, to: Any, most: int) -> None:
        super().__init__()
        self.to = to
        self.most = most

    def write(self, text: str) -> int:
        if self.tell() < self.most:
            super().write(text[: self.most - self.tell()])
        return int(self.to.write(text))

    def flush(self) -> None:
        self.to.flush()


# --- called by the judge ----------------------------------------------------------------------------

_outside: list[str] = []  # paths of denied writes, see `guard`


def begin(job: dict[str, Any]) -> ModuleType:
    """Activate the isolation and the guard, then load the learner's file."""
    global _outside
    folder = os.path.realpath(job["folder"])
    try:
        isolation.enclose(folder)
    except OSError as error:
        raise UnprotectedError(f"the program was not started: {error.strerror}") from None
    _outside = guard(folder, job["hidden"])
    sys.stdout = Echo(sys.stdout, job["characters"])
    return load(Path(job["file"]), "work", job.get("before", ()))


def printed() -> str:
    """The text printed so far."""
    return sys.stdout.getvalue() if isinstance(sys.stdout, Echo) else ""


def finish() -> list[str]:
    """Flush the printed text; return the paths of denied writes."""
    with contextlib.suppress(OSError, ValueError):  # it may be closed
        sys.stdout.flush()
    return _outside


def live(job: dict[str, Any], read: int, write: int) -> NoReturn:
    """Answer the judge until it is gone. Only the files needed for that stay open."""
    faulthandler.enable(job["trace"])
    faulthandler.register(WHERE, job["trace"], all_threads=False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    close_all_but(0, 1, 2, read, write, job["trace"])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    file = Path(job["file"])
    with contextlib.suppress(EndedError):
        Link(read, write, lambda error: described(error, file)[:LONGEST]).serve()
    os._exit(0)


def close_all_but(*kept: int) -> None:
    following = sorted(kept)
    for low, high in zip(following, [*following[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(low + 1, high)
