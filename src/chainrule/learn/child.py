"""The process in which learner code runs: sets its limits, does one job, writes one result.

A job comes as JSON on standard input. `check` runs the checker of an exercise on a file, `run` a
file alone, or after other blocks of code that share its names. What the code prints goes to standard
output; the result goes to a pipe of its own, after an empty line that says that the learner's code
begins.
"""

from __future__ import annotations

import _posixsubprocess
import contextlib
import faulthandler
import importlib.util
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

from chainrule.learn.checking import EXPLAINED, CheckFailedError, Work
from chainrule.learn.wall import enclose

# Events of sys.addaudithook that no exercise needs.
FORBIDDEN = {
    "os.system": "start a program",
    "subprocess.Popen": "start a program",
    "os.exec": "start a program",
    "os.posix_spawn": "start a program",
    "os.spawn": "start a program",
    "os.startfile": "start a program",
    "os.fork": "start a process",
    "os.forkpty": "start a process",
    "os.killpg": "end other processes",
    "socket.connect": "use the network",
    "socket.bind": "use the network",
    "socket.sendto": "use the network",
    "socket.sendmsg": "use the network",
    "socket.getaddrinfo": "use the network",
    "socket.gethostbyname": "use the network",
}
# Where the arguments of an event have the paths that it changes, each with its dir_fd, if it has one.
CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chflags": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((0, 2), (1, 3)),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.removexattr": ((0, None),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, None),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
    "shutil.move": ((0, None), (1, None)),
    "shutil.rmtree": ((0, 1),),
}
# What has no event; multiprocessing uses the last.
SILENT = ((os, "mkfifo"), (os, "mknod"), (_posixsubprocess, "fork_exec"))
DEEPEST = 100  # folders in each other; thousands could not be removed again
LONGEST = 4_000  # characters of a message
MOST = 3  # paths that are named in a note
EXERCISES = Path(__file__).parent / "exercises"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class RefusedError(PermissionError):
    """Something that an exercise has no need for."""


class EarlierBlockError(Exception):
    """What a block of a lesson needs did not run."""


def limit(megabytes: int, seconds: float) -> None:
    """Memory, time and file sizes, where the system can limit them."""
    try:
        import resource
    except ImportError:  # not there on Windows
        return
    size = megabytes * 2**20
    for what, most in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CPU, int(seconds) + 10),  # with what it takes to start
        (resource.RLIMIT_FSIZE, 50 * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):
            continue


def guard(folder: Path, hidden: Sequence[Path]) -> list[str]:
    """Refuse what writes outside the folder, starts programs or uses the network, or reads solutions.

    Returns a list to which the paths are added that were not written: code may swallow the exception.
    """
    inside = os.path.realpath(folder)
    secret = [os.path.realpath(path) for path in hidden]
    outside: list[str] = []
    deepest = inside.count(os.sep) + DEEPEST

    def allowed(path: Any, dir_fd: int | None = None) -> bool:
        place = os.path.realpath(os.path.join(_opened(dir_fd), _opened(path)))
        if place.count(os.sep) > deepest:
            raise RefusedError(f"code in an exercise may not put folders {DEEPEST} deep in each other")
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
            raise RefusedError(f"code in an exercise may not {FORBIDDEN[event]}")
        if event == "open":
            path, mode, flags = args
            writes = any(letter in (mode or "") for letter in "wax+")
            writes = writes or bool(mode is None and flags & WRITING)
            # What is open already was allowed when it was opened.
            if isinstance(path, int):
                return
            if writes and not allowed(path):
                refuse("write in", path)
            if kept_from_readers(path):
                raise RefusedError("code in an exercise may not read exercises and their solutions")
        elif event == "sqlite3.connect":
            if (path := _database(args[0])) and not allowed(path):
                refuse("write in", path)
        elif event == "os.kill" and args[0] != os.getpid():
            raise RefusedError("code in an exercise may not end other processes")
        else:
            for at, fd in CHANGES.get(event, ()):
                if not allowed(args[at], args[fd] if fd is not None and fd < len(args) else None):
                    refuse("change", args[at])

    def refused(*arguments: Any, **named: Any) -> None:
        raise RefusedError("code in an exercise may not make pipes, devices or processes")

    for module, name in SILENT:
        if hasattr(module, name):
            setattr(module, name, refused)
    enclose(inside)
    sys.addaudithook(hook)
    return outside


def _opened(path: Any) -> str:
    """A path, also of what a number stands for; what has no path is nowhere, which is refused."""
    if path is None or path == -1:
        return ""
    if isinstance(path, int):
        try:
            return os.readlink(f"/proc/self/fd/{path}")
        except OSError:
            return os.sep
    return os.fsdecode(path)


def _database(name: Any) -> str:
    """The file of an SQLite database; none for one in memory."""
    text = os.fsdecode(name)
    if text.startswith("file:"):
        address = urlsplit(text)
        text = "" if "mode=memory" in address.query else unquote(address.path)
    return "" if text == ":memory:" else text


def load(path: Path, name: str, before: Sequence[tuple[str, bool]] = ()) -> ModuleType:
    """A file as a module; blocks that come before it have run in its namespace."""
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
    """Run an earlier block, without what it prints; one that is meant to raise may."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, f"block {number}", "exec"), module.__dict__)
    except Exception as error:
        if not raises:
            what = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise EarlierBlockError(f"block {number} of this lesson raises {what}") from None


def described(error: BaseException, file: Path) -> str:
    """An exception with the line of the learner's file it came from."""
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, EarlierBlockError):
        return str(error)
    if isinstance(error, SyntaxError):
        return text
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(file)]
    text = EXPLAINED.get(type(error), text)
    return f"{text}, at line {lines[-1]}" if lines else text


class Echo(io.StringIO):
    """Keeps what is printed, up to a limit, and prints it."""

    def __init__(self, to: Any, most: int) -> None:
        super().__init__()
        self.to, self.most = to, most

    def write(self, text: str) -> int:
        if self.tell() < self.most:
            super().write(text[: self.most - self.tell()])
        return int(self.to.write(text))

    def flush(self) -> None:
        self.to.flush()


Found = tuple[str, str, dict[str, str]]


def work(job: dict[str, Any], file: Path) -> Found:
    """Do the job; returns how it ended, what to say of it, and the parts of a failed check."""
    checker: Callable[[Work], None] | None = None
    hidden = [EXERCISES]
    if job["kind"] == "check":
        try:
            checker = load(Path(job["checker"]), "checker").check
        except Exception as error:
            os.write(job["result"], b"\n")
            return "checker", f"the checker does not run: {described(error, Path(job['checker']))}", {}
        hidden += [Path(job["checker"]).with_name(name) for name in ("solution.py", "wrong")]
    outside = guard(Path(job["folder"]), hidden)
    faulthandler.dump_traceback_later(job["seconds"], exit=False, file=job["trace"])
    os.write(job["result"], b"\n")
    kind, message, parts = judge(job, file, checker)
    unsaid = [path for path in outside if path not in message]
    if unsaid:
        message = f"{message}\ntried to write outside its folder: {', '.join(unsaid)}".strip()
    return kind, message, parts


def judge(job: dict[str, Any], file: Path, checker: Callable[[Work], None] | None) -> Found:
    """Run the file, and its checker on it."""
    echo = Echo(sys.stdout, job["characters"])
    try:
        with contextlib.redirect_stdout(echo):
            module = load(file, "work", job.get("before", ()))
            if checker is not None:
                checker(Work(module, echo.getvalue))
    except CheckFailedError as failed:
        return "failed", str(failed), failed.parts
    except MemoryError:
        return "memory", f"it needed more than {job['megabytes']:,} MB of memory", {}
    except SystemExit:
        return "exit", "it called exit() before the check was done", {}
    except KeyboardInterrupt:
        return "stopped", "it was stopped", {}
    except BaseException as error:
        return "error", described(error, file), {}
    return "passed", "", {}


def main() -> None:
    job = json.loads(sys.stdin.buffer.read())
    result, file = job["result"], Path(job["file"])
    faulthandler.enable(job["trace"])
    limit(job["megabytes"], job["seconds"])
    kind, message, parts = work(job, file)
    with contextlib.suppress(OSError, ValueError):  # it may be closed
        sys.stdout.flush()
    # Nobody reads the pipe before the end: it must hold all of it.
    parts = {name: text[: LONGEST // 8] for name, text in parts.items()}
    found = {"kind": kind, "message": message[:LONGEST], "parts": parts}
    os.write(result, json.dumps(found).encode())
    os._exit(0)  # whatever threads or exit functions there are


if __name__ == "__main__":
    main()
